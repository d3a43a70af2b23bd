"""HDFS by WebHDFS: calls take milliseconds, and need NameNode's and DataNodes' HTTP ports."""

from __future__ import annotations

import getpass
import io
import os
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, BinaryIO, cast
from urllib.parse import quote

import requests

from layercrawl.hdfs import cures
from layercrawl.hdfs.client import Entry

_PATIENCE = 60.0
"""Seconds for which a NameNode may be away: it comes back after a restart."""
_PASSING = ("SafeModeException", "StandbyException", "RetriableException")


class WebHdfs:
    """A client; `addresses` are the NameNodes' HOST:PORT, of which one is active."""

    renewal = 5.0

    def __init__(self, addresses: Sequence[str]) -> None:
        self._addresses = list(addresses)
        self._session = requests.Session()
        self._session.trust_env = False  # no proxy, no .netrc
        self._user = os.environ.get("HADOOP_USER_NAME") or getpass.getuser()

    def answers(self) -> bool:
        """Whether a NameNode can be asked."""
        for _ in self._addresses:
            with suppress(OSError):
                return bool(self._once("GET", "/", {"op": "GETFILESTATUS"}))
        return False

    def entry(self, path: str) -> Entry | None:
        found = self._ask("GET", path, "GETFILESTATUS")
        return _entry(found["FileStatus"]) if found else None

    def entries(self, path: str) -> list[Entry]:
        found = self._ask("GET", path, "LISTSTATUS") or {"FileStatuses": {"FileStatus": []}}
        return [_entry(status) for status in found["FileStatuses"]["FileStatus"]]

    def read(self, path: str) -> bytes:
        with self.open(path) as content:
            return content.read()

    def open(self, path: str) -> BinaryIO:
        found = self._ask("GET", path, "OPEN", noredirect="true")
        if found is None:
            raise FileNotFoundError(2, "no such file on HDFS", path)
        answer = self._session.get(found["Location"], stream=True, timeout=60)
        answer.raise_for_status()
        answer.raw.auto_close = False  # its reader wants to see the end
        return cast(BinaryIO, io.BufferedReader(answer.raw, 1 << 18))

    def write(self, path: str, content: bytes) -> None:
        found = self._ask("PUT", path, "CREATE", overwrite="true", noredirect="true")
        answer = self._session.put((found or {})["Location"], data=content, timeout=60)
        _good(answer, path)

    def make(self, path: str) -> None:
        self._ask("PUT", path, "MKDIRS")

    def move(self, path: str, target: str) -> None:
        there = self.entry(target)  # into a folder of this name HDFS would move it
        found = None if there else self._ask("PUT", path, "RENAME", destination=target)
        if not (found and found["boolean"]) and self.entry(path):
            raise FileExistsError(17, f"cannot be renamed to {target}", path)

    def remove(self, path: str) -> None:
        self._ask("DELETE", path, "DELETE", recursive="true")

    def discard(self, path: str) -> None:
        self.remove(path)

    def touch(self, path: str) -> None:
        now = str(round(time.time() * 1000))
        self._ask("PUT", path, "SETTIMES", modificationtime=now)

    def look_anew(self) -> None:
        pass  # each call does

    def _ask(self, method: str, path: str, op: str, **words: str) -> Any:
        """The JSON of an answer; None where the path is not there."""
        return _patiently(lambda: self._once(method, path, {"op": op, **words}))

    def _once(self, method: str, path: str, words: dict[str, str]) -> Any:
        address = self._addresses[0]
        url = f"http://{address}/webhdfs/v1{quote(path)}"
        try:
            answer = self._session.request(
                method, url, params={**words, "user.name": self._user}, timeout=60
            )
            return _good(answer, path)
        except (requests.ConnectionError, _Passing) as error:
            self._addresses.append(self._addresses.pop(0))  # another may be the active one
            said = cures.explained(str(error))
            raise _Passing(f"the NameNode at {address} cannot be used: {said}") from None


class _Passing(OSError):
    """What may be over soon."""


def _patiently(call: Callable[[], Any]) -> Any:
    end = time.monotonic() + _PATIENCE
    while True:
        try:
            return call()
        except _Passing:
            if time.monotonic() > end:
                raise
            time.sleep(0.5)


def _good(answer: requests.Response, path: str) -> Any:
    if answer.status_code < 300:
        return answer.json() if answer.content else {}
    try:
        told = answer.json()["RemoteException"]
    except (ValueError, KeyError):
        told = {"exception": f"status {answer.status_code}", "message": answer.reason}
    if told["exception"] == "FileNotFoundException":
        return None
    if told["exception"] in _PASSING:
        raise _Passing(told["message"])
    said = f"HDFS says of {path}: {told['exception']}: {told['message']}"
    raise OSError(cures.explained(said))


def _entry(status: dict[str, Any]) -> Entry:
    return Entry(
        status["pathSuffix"],
        status["type"] == "DIRECTORY",
        status["length"],
        status["modificationTime"],
    )
