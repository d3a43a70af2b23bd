"""Those that waited longest have their share of each layer, whatever the runner and the split."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

import driver
from layercrawl import urls
from layercrawl.config import Config
from layercrawl.planning.selection import rank
from layercrawl.records import UrlState, Visit
from tests import crawling, planning
from tests.web import Web, loopback, serve

HOSTS = ("a", "b", "c")
HOUR = "2026-01-01T00:00:00Z"


@st.composite
def waiting(draw: st.DrawFn) -> dict[str, UrlState]:
    """Pages of some hosts that wait since some layer, and the hosts' robots.txts."""
    known: dict[str, UrlState] = {}
    for number in range(draw(st.integers(0, 14))):
        first, depth = draw(st.integers(0, 5)), draw(st.integers(1, 4))
        visits = draw(st.sampled_from([[], [Visit(HOUR, 4, "failed")]]))
        url = f"http://{draw(st.sampled_from(HOSTS))}.example/{number}"
        known[url] = UrlState(depth=depth, via="http://a.example/", first=first, visits=visits)
    for host in HOSTS:
        known[f"http://{host}.example/robots.txt"] = UrlState("robots", fetched=HOUR, rules="")
    return known


def since(state: UrlState) -> int:
    return max([state.first, *(visit.layer for visit in state.visits)])


def filled(found: list[str], known: dict[str, UrlState], most: int, oldest: int) -> set[str]:
    """The oldest of these, so many, and then the best of the others."""

    def by_rank(url: str) -> tuple[bytes, str]:
        return rank(-known[url].depth), url

    by_age = sorted(found, key=lambda url: (since(known[url]), *by_rank(url)))[:oldest]
    others = sorted({*found} - {*by_age}, key=by_rank)
    return {*by_age, *others[: most - len(by_age)]}


@planning.few
@given(
    known=waiting(), budget=st.integers(1, 9), percent=st.integers(0, 100),
    of_host=st.integers(0, 4), reducers=st.integers(1, 3),
)  # fmt: skip
def test_a_layer_is_the_oldest_and_then_the_best(known, budget, percent, of_host, reducers) -> None:
    made = Config(depth=9, budget=budget, fair=percent, max_per_host=of_host)
    layer, counts = planning.planned(known, made, reducers=reducers)
    pages = [url for url, target in layer if target.kind == "page"]
    assert len(pages) == len(set(pages)) == counts["taken"]
    assert counts["due"] == sum(state.kind == "page" for state in known.values())

    def part(most: int) -> int:
        return -(-most * percent // 100)

    most, allowed = of_host or len(known), []
    for host in HOSTS:
        found = [url for url in known if urls.host(url) == f"{host}.example" and url[-1] != "t"]
        allowed += sorted(filled(found, known, most, min(part(of_host or 99), part(budget))))
    if not of_host:
        assert set(pages) == filled(allowed, known, budget, part(budget))
    assert set(pages) <= set(allowed) and len(pages) == min(budget, len(allowed))
    robots = [url for url, target in layer if target.kind == "robots"]
    assert sorted(robots) == sorted({urls.robots_url(url) for url in pages})


def test_what_waits_for_its_host_is_counted_once() -> None:
    state = UrlState("robots", fetched=HOUR, rules="", not_before="2026-01-09T00:00:00Z")
    known = {"http://a.example/robots.txt": state, "http://a.example/x": UrlState(depth=1, via="u")}
    layer, counts = planning.planned(known, Config(depth=9, budget=9, fair=50))
    assert not layer
    assert counts == {"known": 1, "not due": 1, "waits until 2026-01-09T00:00:00Z": 1}


def test_no_page_is_passed_over_for_long(tmp_path, monkeypatch) -> None:
    """Depth-first would leave the seed's other links to the end; they have their turn meanwhile."""
    monkeypatch.setenv("no_proxy", "*")
    last = []
    with serve(Web(hosts=loopback(1), degree=4, depth=3, port=0)) as web:
        for fair in (0, 50):
            root = tmp_path / str(fair)
            words = ["--depth=4", "--order=depth-first", "--budget=2", f"--fair={fair}"]
            how = ["--runner=inline", "--delay=0", "--include=/plain/", "--quiet"]
            where = [f"--root={root}", "--allow-private", "--max-pages=6"]
            assert driver.main([*words, *how, *where, web.seeds[0]]) == 0
            last.append(sum(map(near, (root / "in").glob("layer-*"))))
    assert last == [2, 4]


def near(plan: Path) -> int:
    """How many pages of a plan the seed links to."""
    return sum(target.get("depth") == 1 for _, target in crawling.records(plan))
