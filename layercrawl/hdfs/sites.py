"""Hadoop's own settings, as its *-site.xml have them: where the NameNodes answer HTTP."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import urlsplit
from xml.etree import ElementTree

_FILES = ("core-site.xml", "hdfs-site.xml")
_VARIABLE = re.compile(r"\$\{([^}:$]+?)(?::?-([^}]*))?\}")
_PORT = 9870


def settings() -> dict[str, str]:
    """The settings of this machine's Hadoop client; empty where it has none that can be read."""
    found: dict[str, str] = {}
    for folder in _folders():
        if (folder / _FILES[0]).is_file():
            for name in _FILES:
                found.update(_read(folder / name))
            break
    return {name: expanded(value, found) for name, value in found.items()}


def _folders() -> Iterator[Path]:
    if "HADOOP_CONF_DIR" in os.environ:
        yield Path(os.environ["HADOOP_CONF_DIR"])
    if "HADOOP_HOME" in os.environ:
        yield from (Path(os.environ["HADOOP_HOME"], name) for name in ("etc/hadoop", "conf"))
    yield Path("/etc/hadoop/conf")


def _read(path: Path) -> Iterator[tuple[str, str]]:
    if path.is_file():
        for spec in ElementTree.parse(path).iter("property"):
            yield spec.findtext("name", ""), spec.findtext("value", "")


def expanded(value: str, known: Mapping[str, str]) -> str:
    """A value with its variables filled in, as Hadoop does it.

    >>> expanded("${a}:${env.NO_SUCH_VARIABLE:-80}", {"a": "${b}", "b": "host"})
    'host:80'
    """
    for _ in range(20):  # as deep as Hadoop goes
        filled = _VARIABLE.sub(lambda m: _variable(m, known), value)
        if filled == value:
            break
        value = filled
    return value


def _variable(match: re.Match[str], known: Mapping[str, str]) -> str:
    name, default = match[1], match[2]
    found = os.environ.get(name[4:]) if name.startswith("env.") else known.get(name)
    if not found:
        found = default
    return match[0] if found is None else found


def namenodes(authority: str, known: Mapping[str, str]) -> list[str]:
    """Where the NameNodes of `hdfs://AUTHORITY` answer HTTP, as HOST:PORT; empty: not over HTTP.

    >>> namenodes("n:8020", {}), namenodes("", {"fs.defaultFS": "hdfs://n"})
    (['n:9870'], ['n:9870'])
    >>> namenodes("", {})
    []
    """
    if known.get("hadoop.security.authentication", "simple") != "simple":
        return []  # a ticket is needed, with which the hadoop command knows how to deal
    name = authority or urlsplit(known.get("fs.defaultFS", "")).netloc
    host = name.rpartition(":")[0] or name
    if name in known.get("dfs.nameservices", "").split(","):
        members = known.get(f"dfs.ha.namenodes.{name}", "").split(",")
        found = [known.get(f"dfs.namenode.http-address.{name}.{one.strip()}") for one in members]
        return [address for address in found if address]
    port = known.get("dfs.namenode.http-address", "").rpartition(":")[2] or str(_PORT)
    return [f"{host}:{port}"] if host else []
