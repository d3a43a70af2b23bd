"""Names looked up within a time, by a resolver that may hang."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from layercrawl.fetch import resolver
from layercrawl.fetch.resolver import Resolver


class Names:
    """A resolver that hangs, while `free` is not set, for every name that begins with `hang`."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.free = threading.Event()

    def getaddrinfo(self, host: str, port: int, *rest: Any) -> list[Any]:
        self.asked.append(host)
        if host.startswith("hang"):
            self.free.wait(10)
        if host.startswith("no"):
            raise socket.gaierror(socket.EAI_NONAME, "none")
        return [(2, 1, 0, "", (host, port))]


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> Iterator[Names]:
    stub = Names()
    monkeypatch.setattr(resolver.socket, "getaddrinfo", stub.getaddrinfo)
    yield stub
    stub.free.set()


def look_up(ours: Resolver, host: str, seconds: float = 5.0) -> Any:
    try:
        return ours.addresses(host, 80, socket.AF_UNSPEC, seconds)
    except OSError as error:
        return error.errno


def test_a_name_is_looked_up_once(names: Names) -> None:
    ours = Resolver()
    assert [look_up(ours, "a.example") for _ in range(3)] == [
        [(2, 1, 0, "", ("a.example", 80))]
    ] * 3
    assert names.asked == ["a.example"]


def test_a_failure_is_not_kept(names: Names) -> None:
    ours = Resolver()
    assert [look_up(ours, "no.example") for _ in range(2)] == [socket.EAI_NONAME] * 2
    assert len(names.asked) == 2


def test_an_answer_grows_old(names: Names, monkeypatch: pytest.MonkeyPatch) -> None:
    ours = Resolver()
    look_up(ours, "a.example")
    monkeypatch.setattr(resolver, "_FRESH", -1.0)
    look_up(ours, "a.example")
    assert len(names.asked) == 2


def test_nobody_waits_longer_than_he_wants_to(names: Names) -> None:
    ours, start = Resolver(), time.monotonic()
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: look_up(ours, "hang.example", 0.5), range(8)))
    assert found == [socket.EAI_AGAIN] * 8
    assert time.monotonic() - start < 3
    assert names.asked == ["hang.example"]


def test_a_late_answer_is_good_for_the_next(names: Names) -> None:
    ours = Resolver()
    assert look_up(ours, "hang.example", 0.05) == socket.EAI_AGAIN
    names.free.set()
    assert look_up(ours, "hang.example") == [(2, 1, 0, "", ("hang.example", 80))]
    assert names.asked == ["hang.example"]


def test_hanging_lookups_are_not_piled_up(names: Names, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resolver, "_MOST_RUNNING", 4)
    ours = Resolver()
    found = [look_up(ours, f"hang-{number}.example", 0.01) for number in range(9)]
    assert found == [socket.EAI_AGAIN] * 9
    assert len(names.asked) == 4


def test_old_names_are_forgotten(names: Names, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resolver, "_MOST_KNOWN", 4)
    ours = Resolver()
    for number in range(20):
        look_up(ours, f"{number}.a.example")
    assert len(ours._lookups) <= 4


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_an_address_is_not_asked_for_in_a_thread(host: str) -> None:
    before = threading.active_count()
    assert look_up(Resolver(), host)[0][4][:2] == (host, 80)
    assert threading.active_count() == before
