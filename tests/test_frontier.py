"""Hosts by the time they are due, for many workers."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest

from layercrawl.download import frontier as frontier_module
from layercrawl.download.frontier import Frontier


class Host:
    """Cannot be compared, as hosts need not be."""

    def __init__(self, name: str, turns: int = 1) -> None:
        self.name, self.turns = name, turns


def run(frontier: Frontier[Host], work: Callable[[Host], float | None], threads: int) -> None:
    def worker() -> None:
        while host := frontier.take():
            pause = work(host)
            if pause is None:
                frontier.finish(host)
            else:
                frontier.give(host, pause)

    workers = [threading.Thread(target=worker, daemon=True) for _ in range(threads)]
    for thread in workers:
        thread.start()
    for thread in workers:
        thread.join(timeout=10)
    assert not any(thread.is_alive() for thread in workers)


def test_no_hosts_no_work() -> None:
    assert Frontier[Host](iter([])).take() is None


def test_a_host_that_is_due_goes_before_a_new_one() -> None:
    opened = []
    frontier = Frontier(opened.append(name) or Host(name) for name in "abc")
    first = frontier.take()
    assert first is not None
    frontier.give(first, 0)
    assert frontier.take() is first and opened == ["a"]
    second = frontier.take()
    assert second and second.name == "b" and opened == ["a", "b"]


def test_hosts_of_equal_due_times_keep_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "monotonic", lambda: 5.0)
    frontier = Frontier(iter([Host("a"), Host("b"), Host("c")]))
    taken = [frontier.take() for _ in range(3)]
    for host in reversed(taken):
        assert host
        frontier.give(host, 0)
    assert [frontier.take() for _ in range(3)] == taken[::-1]


def test_no_host_before_its_time() -> None:
    frontier = Frontier(iter([Host("a")]))
    host = frontier.take()
    assert host is not None
    start = time.monotonic()
    frontier.give(host, 0.05)
    assert frontier.take() is host
    assert time.monotonic() - start >= 0.05


def test_a_worker_that_waits_hears_of_a_host_that_is_due_sooner() -> None:
    frontier = Frontier(iter([Host("slow"), Host("quick")]))
    slow, quick = frontier.take(), frontier.take()
    assert slow and quick
    frontier.give(slow, 30)
    found: list[Host | None] = []
    waiter = threading.Thread(target=lambda: found.append(frontier.take()), daemon=True)
    waiter.start()
    frontier.give(quick, 0.01)
    waiter.join(timeout=5)
    assert found == [quick]


def test_waiting_workers_go_home_when_the_last_host_is_done() -> None:
    frontier = Frontier(iter([Host("a")]))
    host = frontier.take()
    assert host
    found: list[Host | None] = []
    waiters = [threading.Thread(target=lambda: found.append(frontier.take())) for _ in range(3)]
    for waiter in waiters:
        waiter.start()
    frontier.finish(host)
    for waiter in waiters:
        waiter.join(timeout=5)
    assert found == [None] * 3


def test_a_closed_frontier_sends_everybody_home() -> None:
    frontier = Frontier(iter([Host("a"), Host("b")]))
    host = frontier.take()
    assert host is not None
    frontier.give(host, 30)
    frontier.close()
    assert frontier.take() is None


def test_one_worker_at_a_host_under_many_threads() -> None:
    hosts = [Host(str(n), turns=1 + n % 7) for n in range(300)]
    busy, most, done = dict.fromkeys(hosts, 0), [0], []

    def work(host: Host) -> float | None:
        busy[host] += 1
        most[0] = max(most[0], busy[host])
        time.sleep(0.0001)
        busy[host] -= 1
        host.turns -= 1
        done.append(host)
        return None if host.turns == 0 else (len(done) % 3) * 0.001

    run(Frontier(iter(hosts)), work, threads=64)
    assert most == [1]
    assert len(done) == sum(1 + n % 7 for n in range(300))


def test_slow_hosts_do_not_hold_up_quick_ones() -> None:
    order: list[str] = []

    def work(host: Host) -> float | None:
        order.append(host.name)
        host.turns -= 1
        return None if host.turns == 0 else 0.2 if host.name == "slow" else 0.0

    run(Frontier(iter([Host("slow", 2), Host("quick", 50)])), work, threads=1)
    assert order == ["slow", *["quick"] * 50, "slow"]


class Clock:
    """Time that passes when it is told to."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 100.0
        monkeypatch.setattr(time, "monotonic", lambda: self.now)


def test_a_host_that_kept_its_worker_long_goes_last(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    frontier = Frontier(iter([Host("slow"), Host("quick"), Host("new"), Host("newer")]))
    slow, quick = frontier.take(), frontier.take()
    assert slow and quick
    frontier.give(quick, frontier_module.LONG / 2)
    clock.now += frontier_module.LONG
    frontier.give(slow, 0)
    names = [host.name for host in iter(frontier.take, None) if frontier.finish(host) is None]
    assert names == ["quick", "new", "newer", "slow"]


def test_slow_hosts_that_are_many_go_before_new_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frontier_module, "_MOST_PUT_BACK", 2)
    clock = Clock(monkeypatch)
    frontier = Frontier(Host(str(number)) for number in range(5))
    slow = [frontier.take() for _ in range(3)]
    clock.now += frontier_module.LONG
    for host in slow:
        assert host
        frontier.give(host, 0)
    names = [host.name for host in iter(frontier.take, None) if frontier.finish(host) is None]
    assert names == ["0", "3", "4", "1", "2"]


def test_those_that_are_gone_for_long_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frontier_module, "LONG", 0.2)
    frontier = Frontier((Host(str(number)) for number in range(4)), most=2)
    start = time.monotonic()
    assert frontier.take() and frontier.take()
    assert frontier.waiting_long() == 0
    assert frontier.take()  # waits until the first two count no more
    assert 0.2 <= time.monotonic() - start < 10
    assert frontier.waiting_long() >= 1
