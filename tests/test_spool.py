"""What waits for a host, on disk."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from layercrawl.download.spool import HostQueue, Item, Spool
from layercrawl.records import Target, encode
from tests import planning

A = [f"http://a.example/{n}" for n in range(3)]


@pytest.fixture(autouse=True)
def in_a_tasks_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def queue(urls: list[str]) -> HostQueue:
    spool = Spool()
    spool.begin("other.example", iter([encode("http://other.example/", Target())]))
    assert spool.begin("a.example", (encode(url, Target()) for url in urls)) == len(urls)
    spool.begin("z.example", iter([encode("http://z.example/", Target())]))
    spool.seal()
    return HostQueue(spool, *spool.hosts[1])


def rest(waiting: HostQueue) -> list[tuple[str, int, bool]]:
    items = iter(waiting.next, None)
    return [(item.url, item.tries, item.held) for item in items if item]


def test_a_hosts_targets_come_in_order() -> None:
    waiting = queue(A)
    assert waiting.host == "a.example"
    assert rest(waiting) == [(url, 1, True) for url in A]
    assert waiting.next() is None


def test_what_is_put_back_comes_next() -> None:
    waiting = queue(A[:2])
    first = waiting.next()
    assert first is not None
    waiting.put_back(first)
    waiting.put_back(Item("http://a.example/robots.txt", Target(kind="robots")))
    robots = waiting.next()
    assert robots and robots.target.kind == "robots" and not robots.held
    assert rest(waiting) == [(A[0], 1, True), (A[1], 1, True)]


def test_new_tries_come_last_after_redirects() -> None:
    waiting = queue(A[:2])
    first = waiting.next()
    assert first is not None
    waiting.try_again(first)
    waiting.admit("http://a.example/new", Target(hops=1))
    expected = [(A[1], 1, True), ("http://a.example/new", 1, False), (A[0], 2, True)]
    assert rest(waiting) == expected


def test_a_redirects_target_is_tried_again_as_such() -> None:
    waiting = queue([])
    waiting.admit("http://a.example/new", Target(hops=1, via=A[0]))
    item = waiting.next()
    assert item and (item.target.hops, item.target.via) == (1, A[0])
    waiting.try_again(item)
    again = waiting.next()
    assert again == item._replace(tries=2)


def test_tries_are_counted_however_many() -> None:
    waiting = queue(A[:1])
    for tries in range(1, 1000):
        item = waiting.next()
        assert item and (item.tries, item.url) == (tries, A[0])
        waiting.try_again(item)


def test_a_redirects_target_that_the_layer_holds_is_not_queued() -> None:
    waiting = queue(A)
    for url in [*A, "http://a.example/new", "http://a.example/new"]:
        waiting.admit(url, Target(hops=1))
    assert [url for url, _, _ in rest(waiting)] == [*A, "http://a.example/new"]
    waiting.admit("http://a.example/new", Target(hops=2))
    waiting.admit(A[0], Target(hops=2))
    assert rest(waiting) == []


@pytest.mark.parametrize("size", [0, 1, 8190, 8191, 8192, 8193, 20_000, 300_000])
def test_lines_of_any_length(size: int) -> None:
    spool = Spool()
    lines = [b"a" * size, b"b", b"c" * size]
    offsets = [0, size + 1, size + 3]
    spool.begin("a.example", iter(lines))
    spool.seal()
    assert [spool.line(offset) for offset in offsets] == [line + b"\n" for line in lines]
    assert spool.line(spool.append(b"d" * size)) == b"d" * size + b"\n"


@planning.few
@given(st.lists(st.sampled_from(["next", "again", "new"]), max_size=30))
def test_nothing_is_lost_or_comes_twice(steps: list[str]) -> None:
    waiting, seen, current = queue(A), [], None
    expected = {(url, 1) for url in A}
    for number, step in enumerate(steps):
        if step == "next":
            current = waiting.next()
            seen += [(current.url, current.tries)] if current else []
        elif step == "new":
            waiting.admit(f"http://a.example/new{number}", Target())
            expected.add((f"http://a.example/new{number}", 1))
        elif current:
            waiting.try_again(current)
            expected.add((current.url, current.tries + 1))
            current = None
    seen += [(url, tries) for url, tries, _ in rest(waiting)]
    assert sorted(seen) == sorted(expected)


def test_the_file_goes_with_the_task() -> None:
    queue(A)
    assert list(Path().iterdir()) == []
