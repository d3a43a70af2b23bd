"""Hosts that share a site or an address: never more at a time than may be, and none forgotten."""

from __future__ import annotations

import threading
import time
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from layercrawl.download.frontier import Frontier
from layercrawl.download.places import Places
from tests import planning

Named = tuple[int, str, str]
HOSTS = st.lists(st.tuples(st.sampled_from(["s", "t", ""]), st.sampled_from(["1", "2", "3"])))


def test_kinds_without_a_limit_are_free() -> None:
    places: Places[int] = Places({"site": 0, "address": 1})
    assert all(places.enter(n, {"site": "s", "address": str(n)}) for n in range(5))


def test_a_place_without_a_name_is_free() -> None:
    places: Places[int] = Places({"address": 1})
    assert all(places.enter(n, {"address": ""}) for n in range(5))


def test_one_that_waits_elsewhere_holds_nobody_up() -> None:
    places: Places[str] = Places({"site": 1, "address": 1})
    first, second = {"site": "s", "address": "1"}, {"site": "t", "address": "2"}
    both, free = {"site": "s", "address": "2"}, {"site": "s", "address": "3"}
    assert places.enter("first", first) and places.enter("second", second)
    assert not places.enter("both", both) and not places.enter("free", free)
    assert places.leave("first") == ["both"]
    assert not places.enter("both", both), "its address is full"
    assert places.passed_by(both) == ["free"]
    assert places.enter("free", free)


@planning.few
@given(HOSTS, st.integers(0, 2), st.integers(0, 2), st.integers(1, 6))
def test_all_hosts_are_served_within_the_limits(named, site, address, threads) -> None:
    hosts: list[Named] = [(n, *names) for n, names in enumerate(named)]
    limits = {"site": site, "address": address}
    places = {host: {"site": host[1], "address": host[2]} for host in hosts}
    frontier = Frontier(iter(hosts), limits, places.__getitem__)
    open_now: Counter[tuple[str, str]] = Counter()
    turns: Counter[Named] = Counter()
    lock, excess = threading.Lock(), []

    def work() -> None:
        while host := frontier.take():
            mine = [place for place in places[host].items() if place[1]]
            with lock:
                turns[host] += 1
                if turns[host] == 1:
                    open_now.update(mine)
                excess.extend(p for p in mine if limits[p[0]] and open_now[p] > limits[p[0]])
            if turns[host] <= host[0] % 3:
                frontier.give(host, 0.0001)
                continue
            with lock:
                open_now.subtract(mine)
            frontier.finish(host)

    workers = [threading.Thread(target=work, daemon=True) for _ in range(threads)]
    for worker in workers:
        worker.start()
    deadline = time.monotonic() + 10
    for worker in workers:
        worker.join(max(0.0, deadline - time.monotonic()))
    assert not any(worker.is_alive() for worker in workers)
    assert excess == [] and sorted(turns) == hosts
