"""Whole tasks against a web that answers from a script."""

from __future__ import annotations

import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from layercrawl import answers, manners, urls
from layercrawl.config import Config
from layercrawl.download.plan import Plan
from layercrawl.download.progress import Progress
from layercrawl.download.spool import Hop, Item, Spool
from layercrawl.download.stays import Longest
from layercrawl.download.turns import download
from layercrawl.records import Page, Target, encode
from layercrawl.rules import Rules
from tests import planning

NOW = datetime(2026, 1, 1, tzinfo=UTC)
A, B = "http://a.example", "http://b.example"
Script = dict[str, list[dict[str, Any]]]
Fetched = dict[str, Page]
OK = {"outcome": "ok", "status": 200}
DOWN = {"outcome": "failed", "reason": "status 503", "status": 503}


@pytest.fixture(autouse=True)
def in_a_tasks_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(manners, "FAILING_PAUSE", 0.0)  # most tests are of other things


class Stub:
    """Answers each URL by its script, the last answer for ever; robots.txt is not there."""

    def __init__(self, script: Script | None = None, slow: Callable[[str], float] = lambda _: 0):
        self.script, self.slow = script or {}, slow
        self.asked: list[tuple[float, str]] = []
        self.busy: Counter[str] = Counter()
        self.most = 0

    def page(self, url: str, target: Target) -> Page:
        return self.answer(url, target, OK)

    def robots(self, url: str, target: Target, hop: Hop | None = None) -> Page:
        return self.answer(hop.url if hop else url, target, {"outcome": "gone", "status": 404})

    def answer(self, url: str, target: Target, default: dict[str, Any]) -> Page:
        with self.at(urls.host(url)):
            number = self.count(url)
            self.asked.append((time.monotonic(), url))
            time.sleep(self.slow(url))
            script = self.script.get(url, [default])
            answer = {"fetched": "F", "attempts": 1, **script[min(number, len(script) - 1)]}
            return Page(target, **answer)

    @contextmanager
    def at(self, host: str) -> Iterator[None]:
        self.busy[host] += 1
        self.most = max(self.most, self.busy[host])
        yield
        self.busy[host] -= 1

    def count(self, url: str) -> int:
        return sum(asked == url for _, asked in self.asked)

    @property
    def order(self) -> list[str]:
        return [url for _, url in self.asked]


def spooled(targets: dict[str, Target]) -> Spool:
    hosts = defaultdict(list)
    for url in sorted(targets, key=lambda url: (targets[url].kind != "robots", url)):
        hosts[urls.host(url)].append(encode(url, targets[url]))
    spool = Spool()
    for host in sorted(hosts):
        spool.begin(host, iter(hosts[host]))
    return spool


def plan(web: Any, rules: Rules, minutes: float, **settings: Any) -> Plan:
    config = Config(**{"delay": 0.0, "threads": 4, "retries": 0, **settings})
    return Plan(config, rules, web, NOW, time.monotonic() + 60 * minutes)


def run(
    web: Any, *targets: str | tuple[str, Target], rules: Rules | None = None, minutes: float = 1,
    **settings: Any,
) -> Fetched:  # fmt: skip
    """All answers by URL; each URL has one."""
    given_targets = dict((t, Target()) if isinstance(t, str) else t for t in targets)
    made = plan(web, rules or Rules("any"), minutes, **settings)
    answers = list(download(spooled(given_targets), made, lambda: None))
    held = [item.url for item, _ in answers if item.held]
    assert sorted(held) == sorted(given_targets), "each target is answered once"
    found = {item.url: page for item, page in answers}
    assert len(found) == len(answers)
    return found


def robots(text: str) -> list[dict[str, Any]]:
    return [OK | {"html": text}]


def told(page: Page) -> tuple[str, str, int]:
    return page.outcome, page.reason, page.attempts


def test_robots_txt_is_asked_first_once_an_origin() -> None:
    web = Stub()
    found = run(web, f"{A}/", f"{A}/x", f"{A}:81/", f"{B}/", threads=1)
    assert sorted(web.order) == sorted(found)
    for url in found:
        assert web.order.index(urls.robots_url(url)) <= web.order.index(url)
    assert Counter(page.target.kind for page in found.values()) == {"page": 4, "robots": 3}


def test_without_a_robots_txt_all_is_allowed() -> None:
    for status, outcome in (404, "gone"), (403, "denied"), (400, "refused"):
        script = {
            f"{A}/robots.txt": [{"outcome": outcome, "status": status, "html": "Disallow: /"}]
        }
        assert run(Stub(script), f"{A}/x")[f"{A}/x"].outcome == "ok"


def test_what_is_disallowed_is_denied_unasked() -> None:
    web = Stub({f"{A}/robots.txt": robots("User-agent: *\nDisallow: /p")})
    found = run(web, f"{A}/p", f"{A}/x")
    assert told(found[f"{A}/p"]) == ("denied", "robots.txt line 2: Disallow: /p", 0)
    assert f"{A}/p" not in web.order and found[f"{A}/x"].outcome == "ok"


def test_known_rules_are_not_asked_for() -> None:
    web = Stub()
    known = Target(kind="robots", rules="User-agent: *\nDisallow: /p")
    found = run(web, (f"{A}/robots.txt", known), f"{A}/p", f"{A}/x")
    assert web.order == [f"{A}/x"]
    assert found[f"{A}/p"].outcome == "denied"
    assert told(found[f"{A}/robots.txt"]) == ("not_modified", "rules are known", 0)


def test_stale_rules_are_asked_for_and_their_target_answered() -> None:
    target = Target(kind="robots", failing_since="2025-12-31T00:00:00Z")
    found = run(Stub(), (f"{A}/robots.txt", target), f"{A}/x")
    assert found[f"{A}/robots.txt"].target == target
    assert told(found[f"{A}/robots.txt"]) == ("gone", "", 1)


def test_an_unreachable_robots_txt_puts_all_its_pages_off() -> None:
    web = Stub({f"{A}/robots.txt": [DOWN]})
    found = run(web, f"{A}/", f"{A}/x", f"{A}:81/", retries=2)
    later = "2026-01-01T01:00:00Z"
    assert web.count(f"{A}/robots.txt") == 3
    assert told(found[f"{A}/robots.txt"]) == ("failed", "status 503", 3)
    assert found[f"{A}/robots.txt"].not_before == later
    for url in (f"{A}/", f"{A}/x"):
        assert told(found[url]) == ("deferred", "robots.txt unreachable: status 503", 0)
        assert found[url].not_before == later
    assert found[f"{A}:81/"].outcome == "ok"


def test_a_host_without_a_name_fails_its_pages_which_ends_some_day() -> None:
    unknown = {"outcome": "failed", "reason": answers.NO_SUCH_NAME}
    web = Stub({f"{A}/robots.txt": [unknown]})
    found = run(web, f"{A}/", f"{A}/x", retries=1)
    assert web.order == [f"{A}/robots.txt"] * 2
    assert {told(found[url]) for url in (f"{A}/", f"{A}/x")} == {("failed", "name not found", 0)}
    assert found[f"{A}/robots.txt"].not_before == "2026-01-01T01:00:00Z"


def test_an_origin_unreachable_for_30_days_is_asked_without_rules() -> None:
    state = Target(kind="robots", failing_since="2020-01-01T00:00:00Z")
    found = run(Stub({f"{A}/robots.txt": [DOWN]}), (f"{A}/robots.txt", state), f"{A}/x")
    assert found[f"{A}/x"].outcome == "ok"
    assert told(found[f"{A}/robots.txt"]) == ("failed", "status 503", 1)
    assert found[f"{A}/robots.txt"].not_before == ""


def test_a_robots_txt_that_comes_at_the_second_try() -> None:
    web = Stub({f"{A}/robots.txt": [DOWN, *robots("User-agent: *\nDisallow: /p")]})
    found = run(web, f"{A}/", f"{A}/p", retries=1)
    assert (found[f"{A}/"].outcome, found[f"{A}/p"].outcome) == ("ok", "denied")
    assert told(found[f"{A}/robots.txt"]) == ("ok", "", 2)


def test_a_crawl_delay_is_kept() -> None:
    web = Stub({f"{A}/robots.txt": robots("User-agent: *\nCrawl-delay: 0.05")})
    run(web, f"{A}/1", f"{A}/2", f"{A}:81/")
    gaps = [
        later - sooner for (sooner, _), (later, _) in zip(web.asked, web.asked[1:], strict=False)
    ]
    assert len(gaps) == 4 and min(gaps) >= 0.05


def test_a_delay_lies_between_a_hosts_requests_not_between_hosts() -> None:
    web = Stub()
    pages = [f"http://h{host}.example/{page}" for host in range(10) for page in range(3)]
    start = time.monotonic()
    run(web, *pages, delay=0.1, threads=10)
    assert time.monotonic() - start < 2, "one host after another would take 4 s"
    for host in {urls.host(url) for url in pages}:
        times = [at for at, url in web.asked if urls.host(url) == host]
        assert len(times) == 4
        assert min(after - before for before, after in pairwise(times)) >= 0.1


def test_a_crawl_delay_over_the_bound_denies_and_is_not_waited_for() -> None:
    web = Stub({f"{A}/robots.txt": robots("User-agent: *\nCrawl-delay: 86400")})
    start = time.monotonic()
    found = run(web, f"{A}/1", f"{A}:81/1")
    reason = "robots.txt: Crawl-delay of 86400 s is over 120 s"
    assert told(found[f"{A}/1"]) == ("denied", reason, 0)
    assert found[f"{A}:81/1"].outcome == "ok"
    assert time.monotonic() - start < 5


def test_a_short_retry_after_is_a_pause() -> None:
    busy = DOWN | {"headers": [("Retry-After", "1")]}
    web = Stub({f"{A}/1": [busy, OK]})
    found = run(web, f"{A}/1", f"{A}/2", retries=1)
    times = {url: at for at, url in web.asked}
    assert web.order == [f"{A}/robots.txt", f"{A}/1", f"{A}/2", f"{A}/1"]
    assert times[f"{A}/2"] - web.asked[1][0] >= 1
    assert told(found[f"{A}/1"]) == ("ok", "", 2)


@pytest.mark.parametrize("retries", [0, 2])
def test_a_long_retry_after_puts_the_host_off(retries: int) -> None:
    web = Stub({f"{A}/1": [DOWN | {"headers": [("Retry-After", "7200")]}]})
    web_pages = [f"{A}/1", f"{A}/2", f"{A}:81/", f"{B}/"]
    found = run(web, *web_pages, retries=retries, threads=1)
    until = "2026-01-01T02:00:00Z"
    assert {found[url].not_before for url in [*web_pages[:3], f"{A}/robots.txt"]} == {until}
    assert told(found[f"{A}/2"]) == ("deferred", "host asked to retry later", 0)
    first = ("deferred", "host asked to retry later", 1) if retries else ("failed", "status 503", 1)
    assert told(found[f"{A}/1"]) == first
    assert web.order.count(f"{A}/1") == 1 and f"{A}:81/robots.txt" not in web.order
    assert found[f"{B}/"].outcome == "ok" and found[f"{B}/robots.txt"].not_before == ""


def test_a_robots_txt_with_a_long_retry_after_is_not_asked_again() -> None:
    web = Stub({f"{A}/robots.txt": [DOWN | {"headers": [("Retry-After", "86400")]}]})
    other = (f"{A}:81/robots.txt", Target(kind="robots"))
    found = run(web, (f"{A}/robots.txt", Target(kind="robots")), other, f"{A}/1", retries=2)
    until = "2026-01-02T00:00:00Z"
    assert web.order == [f"{A}/robots.txt"]
    assert {page.not_before for page in found.values()} == {until}
    assert told(found[f"{A}/robots.txt"]) == ("failed", "status 503", 1)
    assert told(found[other[0]]) == ("deferred", "host asked to retry later", 0)


def test_new_tries_come_at_the_end_of_the_hosts_queue() -> None:
    web = Stub({f"{A}/1": [DOWN, DOWN, OK], f"{A}/2": [DOWN]})
    found = run(web, f"{A}/1", f"{A}/2", f"{A}/3", retries=2)
    order = [url.rpartition("/")[2] for url in web.order]
    assert order == ["robots.txt", "1", "2", "3", "1", "2", "1", "2"]
    assert told(found[f"{A}/1"]) == ("ok", "", 3)
    assert told(found[f"{A}/2"]) == ("failed", "status 503", 3)
    assert told(found[f"{A}/3"]) == ("ok", "", 1)


def test_a_host_that_goes_on_failing_is_slowed_though_there_is_no_delay(monkeypatch) -> None:
    monkeypatch.setattr(manners, "FAILING_PAUSE", 0.04)
    web = Stub({f"{A}/{n}": [DOWN] for n in range(5)})
    run(web, *[f"{A}/{n}" for n in range(6)])
    pauses = [b - a for a, b in pairwise(when for when, _ in web.asked)][2:]
    assert all(
        pause >= least for pause, least in zip(pauses, (0.04, 0.08, 0.16, 0.32), strict=True)
    )


def test_a_host_that_keeps_failing_is_given_up_for_now() -> None:
    pages = [f"{A}/{n:02}" for n in range(40)]
    web = Stub({url: [{"outcome": "failed", "reason": "timeout"}] for url in pages})
    found = run(web, *pages)
    outcomes = Counter(told(found[url])[:2] for url in pages)
    asked = manners.GIVE_UP_AFTER
    assert outcomes == {
        ("failed", "timeout"): asked,
        ("deferred", "host keeps failing"): 40 - asked,
    }
    later = "2026-01-01T01:00:00Z"
    assert {found[url].not_before for url in [*pages[asked:], f"{A}/robots.txt"]} == {later}


def redirect(location: str) -> list[dict[str, Any]]:
    return [{"outcome": "redirect", "status": 302, "location": location}]


def test_a_redirects_target_on_the_host_is_fetched_once_after_its_queue() -> None:
    web = Stub({f"{A}/1": redirect(f"{A}/new"), f"{A}/2": redirect(f"{A}/new")})
    found = run(web, (f"{A}/1", Target(depth=2, hops=1)), f"{A}/2", f"{A}/3")
    assert [url.rpartition("/")[2] for url in web.order] == ["robots.txt", "1", "2", "3", "new"]
    assert found[f"{A}/new"].target == Target(depth=2, hops=2, via=f"{A}/1")


def test_a_chain_of_redirects_is_followed_within_the_layer() -> None:
    web = Stub({f"{A}/{n}": redirect(f"{A}/{n + 1}") for n in range(4)})
    assert run(web, f"{A}/0")[f"{A}/4"].target.hops == 4


@pytest.mark.parametrize(
    "location",
    [f"{A}/held", f"{A}/1", f"{B}/new", f"{A}/robots.txt", f"{A}/picture.png", f"{A}/no/x"],
    ids=["held by the layer", "itself", "another host", "robots.txt", "no page", "excluded"],
)
def test_redirects_that_are_not_followed_in_the_layer(location: str) -> None:
    web = Stub({f"{A}/1": redirect(location)})
    run(web, f"{A}/1", f"{A}/held", rules=Rules("any", exclude=("/no/",)))
    assert web.order == [f"{A}/robots.txt", f"{A}/1", f"{A}/held"]


def test_a_sitemaps_redirect_is_a_sitemap_whatever_pages_must_look_like() -> None:
    web = Stub({f"{A}/s": redirect(f"{A}/no/s.xml.gz")})
    sitemap = (f"{A}/s", Target(kind="sitemap", depth=2))
    found = run(web, sitemap, rules=Rules("any", exclude=("/no/",)))
    assert found[f"{A}/no/s.xml.gz"].target == Target("sitemap", 2, f"{A}/s", 1)


def test_a_redirects_target_loses_its_dropped_parameters() -> None:
    web = Stub({f"{A}/1": redirect(f"{A}/new?sid=1")})
    run(web, f"{A}/1", rules=Rules("any", drop_params=("sid",)))
    assert web.order[-1] == f"{A}/new"


def test_a_redirects_target_is_asked_of_robots_txt_too() -> None:
    script = {f"{A}/1": redirect(f"{A}/p"), f"{A}:81/2": redirect(f"{A}/1")}
    script[f"{A}/robots.txt"] = robots("User-agent: *\nDisallow: /p")
    found = run(Stub(script), f"{A}/1", f"{A}:81/2")
    assert found[f"{A}/p"].outcome == "denied"


def test_a_page_that_redirects_to_itself_with_a_cookie_is_asked_again_once() -> None:
    headers = [("Set-Cookie", "a=1")]
    itself = redirect(f"{A}/1")[0] | {"headers": headers}
    web = Stub({f"{A}/1": [itself, OK], f"{A}/2": redirect(f"{A}/2")})
    found = run(web, f"{A}/1", f"{A}/2", cookies=("a.example",))
    assert told(found[f"{A}/1"]) == ("ok", "", 2)
    assert (found[f"{A}/2"].outcome, web.count(f"{A}/2")) == ("redirect", 1)
    for settings in {"cookies": ("b.example",)}, {"cookies": ()}:
        web = Stub({f"{A}/1": [itself, OK]})
        assert run(web, f"{A}/1", **settings)[f"{A}/1"].outcome == "redirect"
    web = Stub({f"{A}/1": [itself]})
    assert run(web, f"{A}/1", cookies=("a.example",))[f"{A}/1"].outcome == "redirect"
    assert web.count(f"{A}/1") == 2


def moved(location: str) -> list[dict[str, Any]]:
    return [{"outcome": "redirect", "status": 301, "location": location}]


def test_a_robots_txts_redirects_are_followed_a_turn_each() -> None:
    script = {f"{A}/robots.txt": moved(f"{A}/2"), f"{A}/2": moved(f"{B}/rules")}
    script[f"{B}/rules"] = robots("User-agent: *\nDisallow: /p")
    web = Stub(script)
    found = run(web, f"{A}/p", f"{A}/x", delay=0.1)
    assert web.order == [f"{A}/robots.txt", f"{A}/2", f"{B}/rules", f"{A}/x"]
    assert told(found[f"{A}/p"]) == ("denied", "robots.txt line 2: Disallow: /p", 0)
    assert found[f"{A}/robots.txt"].location == f"{B}/rules"
    assert min(b - a for (a, _), (b, _) in pairwise(web.asked)) >= 0.1


def test_a_robots_txts_redirect_waits_until_its_host_is_free() -> None:
    hosts = [f"http://h{number}.example" for number in range(6)]
    script: Script = {f"{host}/robots.txt": moved(f"{B}/rules") for host in hosts}
    script[f"{B}/rules"] = robots("User-agent: *\nDisallow: /p")
    web = Stub(script, slow=lambda _: 0.02)
    pages = [f"{host}/{name}" for host in hosts for name in "px"]
    found = run(web, *pages, *[f"{B}/{n}" for n in range(12)], delay=0.05, threads=8)
    assert web.most == 1
    assert {found[f"{host}/p"].outcome for host in hosts} == {"denied"}
    assert web.count(f"{B}/rules") == len(hosts)
    at_b = [at for at, url in web.asked if url.startswith(B)]
    assert min(b - a for a, b in pairwise(at_b)) >= 0.07


def test_a_robots_txt_elsewhere_that_asks_for_peace_has_it() -> None:
    busy = DOWN | {"headers": [("Retry-After", "1")]}
    web = Stub({f"{A}/robots.txt": moved(f"{B}/rules"), f"{B}/rules": [busy]})
    found = run(web, f"{A}/x", f"{B}/1", threads=1)
    assert web.order[:3] == [f"{A}/robots.txt", f"{B}/rules", f"{B}/robots.txt"]
    assert web.asked[2][0] - web.asked[1][0] >= 1
    assert (found[f"{A}/x"].outcome, found[f"{B}/1"].outcome) == ("deferred", "ok")


def test_a_robots_txt_elsewhere_that_asks_for_long_peace_has_it() -> None:
    """Not the host that redirects there: of that only its robots.txt cannot be had for so long."""
    busy, until = DOWN | {"headers": [("Retry-After", "7200")]}, "2026-01-01T02:00:00Z"
    web = Stub({f"{A}/robots.txt": moved(f"{B}/rules"), f"{B}/rules": [busy]})
    found = run(web, f"{A}/x", f"{B}/1", threads=1, retries=2)
    assert web.order == [f"{A}/robots.txt", f"{B}/rules"]
    assert told(found[f"{A}/x"])[:2] == ("deferred", "robots.txt unreachable: status 503")
    assert told(found[f"{B}/1"])[:2] == ("deferred", "host asked to retry later")
    assert found[f"{A}/x"].not_before == found[f"{B}/1"].not_before == until


def test_what_a_host_of_another_task_asked_for_is_on_record() -> None:
    busy = DOWN | {"headers": [("Retry-After", "7200")]}
    web = Stub({f"{A}/robots.txt": moved(f"{B}/rules"), f"{B}/rules": [busy]})
    record = run(web, f"{A}/x")[f"{B}/robots.txt"]
    assert (record.outcome, record.not_before) == ("deferred", "2026-01-01T02:00:00Z")


def test_who_wants_peace_has_it_from_the_robots_txts_of_others_too() -> None:
    busy = DOWN | {"headers": [("Retry-After", "7200")]}
    web = Stub({f"{B}/1": [busy], "http://c.example/robots.txt": moved(f"{B}/rules")})
    found = run(web, f"{B}/1", "http://c.example/x", threads=1)
    assert web.order == [f"{B}/robots.txt", f"{B}/1", "http://c.example/robots.txt"]
    told_why = "robots.txt unreachable: host asked to retry later"
    assert told(found["http://c.example/x"])[:2] == ("deferred", told_why)


def test_a_crawl_delay_that_is_known_holds_after_a_request_for_another_host() -> None:
    web = Stub({f"{A}/robots.txt": moved(f"{B}/rules"), f"{B}/rules": robots("")})
    known = (f"{B}/robots.txt", Target(kind="robots", rules="User-agent: *\nCrawl-delay: 0.3"))
    run(web, f"{A}/x", known, f"{B}/1", threads=1)
    (first, second) = [at for at, url in web.asked if url.startswith(B)]
    assert second - first >= 0.3


def test_a_kept_connection_that_ends_costs_a_pause_and_no_try() -> None:
    ended = {"outcome": "failed", "reason": answers.ENDED}
    web = Stub({f"{A}/robots.txt": [ended, OK], f"{A}/1": [ended, OK]})
    found = run(web, f"{A}/1", delay=0.1)
    assert web.order == [f"{A}/robots.txt"] * 2 + [f"{A}/1"] * 2
    assert told(found[f"{A}/1"]) == ("ok", "", 1)
    assert min(b - a for (a, _), (b, _) in pairwise(web.asked)) >= 0.1


def test_after_the_deadline_nothing_is_asked() -> None:
    web = Stub()
    known = (f"{B}/robots.txt", Target(kind="robots", rules=""))
    stale = (f"{A}/robots.txt", Target(kind="robots"))
    found = run(web, stale, f"{A}/1", f"{A}/2", known, f"{B}/1", minutes=0)
    assert web.order == []
    late = ("deferred", "no time left in the layer", 0)
    assert [told(found[f"{A}/{name}"]) for name in ("1", "2", "robots.txt")] == [late] * 3
    assert (told(found[f"{B}/1"]), found[f"{B}/robots.txt"].outcome) == (late, "not_modified")
    assert {page.not_before for page in found.values()} == {""}


def test_a_layer_ends_in_time_however_long_a_host_wants_to_rest() -> None:
    web = Stub({f"{A}/robots.txt": robots("User-agent: *\nCrawl-delay: 100")})
    start = time.monotonic()
    found = run(web, f"{A}/1", f"{A}/2", minutes=0.2 / 60)
    assert time.monotonic() - start < 10
    assert found[f"{A}/1"].outcome == "deferred" and web.order == [f"{A}/robots.txt"]


def test_an_error_names_its_host_and_stops_the_task() -> None:
    class Broken(Stub):
        def page(self, url: str, target: Target) -> Page:
            if urls.host(url) == "b.example":
                raise ZeroDivisionError("a fault of ours")
            return super().page(url, target)

    pages = [f"http://{host}.example/{n}" for host in "abc" for n in range(200)]
    with pytest.raises(ZeroDivisionError) as caught:
        run(Broken(), *pages)
    assert caught.value.__notes__ == ["while working on b.example"]
    workers_go_home()


def workers_go_home() -> None:
    deadline = time.monotonic() + 5
    while working() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not working()


def working() -> list[threading.Thread]:
    return [t for t in threading.enumerate() if "_work" in t.name]


def test_when_the_reader_leaves_no_worker_waits_for_him() -> None:
    pages = {f"http://h{n % 9}.example/{n}": Target() for n in range(500)}
    answers = download(spooled(pages), plan(Stub(), Rules("any"), 1), lambda: None)
    next(answers)
    answers.close()
    workers_go_home()


def test_an_error_of_the_watchers_ends_the_task() -> None:
    def beat() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(download(spooled({f"{A}/": Target()}), plan(Stub(), Rules("any"), 1), beat))
    workers_go_home()


def test_watchers_hear_something_while_a_host_takes_its_time(monkeypatch) -> None:
    monkeypatch.setattr("layercrawl.download.handover._PATIENCE", 0.01)
    beats = []
    web = Stub(slow=lambda _: 0.1)
    list(
        download(spooled({f"{A}/": Target()}), plan(web, Rules("any"), 1), lambda: beats.append(1))
    )
    assert len(beats) > 5


def test_no_targets_no_answers() -> None:
    assert run(Stub()) == {}


def test_slow_hosts_do_not_hold_up_quick_ones() -> None:
    web = Stub(slow=lambda url: 0.3 if "slow" in url else 0)
    pages = [f"http://slow{n}.example/" for n in range(3)]
    quick = [f"http://quick.example/{n}" for n in range(20)]
    run(web, *pages, *quick, threads=4)
    assert max(web.order.index(url) for url in quick) < min(web.order.index(url) for url in pages)


@pytest.mark.parametrize(
    ("settings", "most"), [({}, 6), ({"max_per_site": 1}, 2), ({"max_per_address": 1}, 1)]
)
def test_hosts_that_share_a_place_take_turns(settings: dict[str, int], most: int) -> None:
    class Shared(Stub):
        most_hosts = 0

        def address(self, host: str) -> str:
            return "192.0.2.1"

        def page(self, url: str, target: Target) -> Page:
            open_now = sum(n > 0 for n in self.busy.values()) + 1
            self.most_hosts = max(self.most_hosts, open_now)
            return super().page(url, target)

    hosts = [f"http://{n}.{site}.example" for n in range(3) for site in ("a", "b")]
    web = Shared(slow=lambda _: 0.02)
    found = run(web, *[f"{host}/{n}" for host in hosts for n in range(2)], threads=6, **settings)
    assert {page.outcome for url, page in found.items() if "robots" not in url} == {"ok"}
    assert web.most_hosts == most


def test_the_hosts_that_took_longest_and_why() -> None:
    web, longest = Stub({f"{A}/robots.txt": robots("User-agent: *\nCrawl-delay: 0.2")}), Longest()
    targets = {f"{host}/{n}": Target() for host in (A, B) for n in range(2)}
    list(download(spooled(targets), plan(web, Rules("any"), 1), lambda: None, longest))
    (told, _), *_ = longest.counts().items()
    host, percent = told.split()
    assert host == "a.example" and int(percent) > 50


def test_one_request_at_a_time_for_each_of_hundreds_of_hosts() -> None:
    hosts = [f"http://h{n}.example" for n in range(300)]
    pages = [f"{host}/{n}" for number, host in enumerate(hosts) for n in range(1 + number % 4)]
    web = Stub(slow=lambda _: 0.0005)
    found = run(web, *pages, threads=64)
    assert web.most == 1
    assert sorted(web.order) == sorted(found)


OUTCOMES = [
    OK,
    DOWN,
    DOWN | {"headers": [("Retry-After", "100")]},
    {"outcome": "gone", "status": 404},
    *redirect(f"{A}/2"),
    *redirect(f"{B}/new"),
    *redirect(f"{A}/new"),
]
PLACES = [f"{origin}/{n}" for origin in (A, f"{A}:81", B) for n in range(3)]
ROBOTS = [{"outcome": "gone"}, DOWN, *robots("User-agent: *\nDisallow: /1")]


@planning.few
@given(
    st.dictionaries(
        st.sampled_from(PLACES), st.lists(st.sampled_from(OUTCOMES), min_size=1, max_size=3)
    ),
    st.dictionaries(
        st.sampled_from([f"{A}/robots.txt", f"{B}/robots.txt"]),
        st.lists(st.sampled_from(ROBOTS), min_size=1, max_size=2),
    ),
    st.integers(0, 2),
    st.sampled_from([1, 5]),
)
def test_every_target_is_answered_once_whatever_happens(pages, hosts, retries, threads) -> None:
    web = Stub({**pages, **hosts})
    found = run(web, *pages, retries=retries, threads=threads)
    met = {urls.robots_url(url) for url in web.order}
    assert met <= {url for url, page in found.items() if page.target.kind == "robots"}
    assert web.most <= 1
    for url, page in found.items():
        unasked = page.outcome == "not_modified" or page.attempts == 0
        assert page.attempts == web.order.count(url) <= retries + 1 or unasked


def test_progress_is_told_as_json() -> None:
    progress = Progress(7)
    for page in (
        Page(Target(), "ok", html="abc"),
        Page(Target(), "failed", "timeout"),
        Page(Target(kind="robots"), "ok", html="not counted"),
        Page(Target(kind="sitemap"), "ok", html="no page"),
    ):
        progress.add(page)
    assert progress.line() == '{"queued":7,"characters":3,"sitemaps":1,"ok":1,"failed":1}'
    assert progress.sitemaps == {"ok": 1}
    assert progress.failures == {"timeout": 1}


def test_an_item_that_the_layer_does_not_hold_says_so() -> None:
    assert not Item(f"{A}/", Target()).held
