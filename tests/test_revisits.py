"""When pages are asked for again, what is asked, and a crawl that does it."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from threading import Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

import driver
from layercrawl import cli, outlinks, schedule
from layercrawl.planning import fold, revisits
from layercrawl.records import Page, Target, Visit, replace
from layercrawl.rules import Rules
from tests import crawling, documents

START = datetime(2026, 1, 1, tzinfo=UTC)
A, B = f"{255:016x}", f"{255 << 40:016x}"


def visit(days: float, outcome: str = "ok", simhash: str = A, **more: str) -> Visit:
    digest = more.pop("digest", simhash)
    return Visit(
        schedule.timestamp(START + timedelta(days=days)), 0, outcome, digest, simhash, **more
    )


def period(visits: list[Visit]) -> timedelta:
    due = revisits.due(visits)
    assert due
    return due - schedule.moment(max(visits).time)


def history(changing: bool, gap: timedelta, visits: int = 16) -> list[Visit]:
    prints = [B if changing and n % 2 else A for n in range(visits)]
    return [visit(n * (gap / timedelta(days=1)), simhash=p) for n, p in enumerate(prints)]


def test_a_page_that_never_changes_drifts_to_the_longest_period() -> None:
    periods, visits = [], [visit(0)]
    for _ in range(30):
        periods.append(period(visits[-16:]))
        visits.append(visit((revisits.due(visits[-16:]) - START) / timedelta(days=1)))
    assert periods == sorted(periods) and periods[-1] > revisits.LONGEST * 0.7


def test_a_page_that_always_changes_comes_to_the_shortest_period() -> None:
    assert period(history(True, revisits.SHORTEST)) < revisits.SHORTEST * 2
    assert period(history(True, timedelta(days=1))) < timedelta(days=1)


def test_a_page_that_changes_weekly_is_asked_for_about_weekly() -> None:
    days = [visit(n, simhash=B if n // 7 % 2 else A) for n in range(40)]
    assert timedelta(days=2) < period(days) < timedelta(days=14)


@pytest.mark.parametrize(
    ("lastmod", "due"),
    [
        ("", "2026-03-01T00:00:00Z"),
        ("2025-12-31T23:00:00Z", "2026-03-01T00:00:00Z"),
        ("2026-01-01T00:00:01Z", "2026-01-01T06:00:00Z"),
        ("2026-01-09T00:00:00Z", "2026-01-09T00:00:00Z"),
        ("9999-12-31T00:00:00Z", "2026-03-01T00:00:00Z"),
    ],
    ids=["not known", "before it was asked for", "just after", "later", "never comes"],
)
def test_what_a_sitemap_lists_as_changed_is_asked_for_sooner(
    lastmod: str, due: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(revisits, "_period", lambda answers, part: 59 * 86_400.0)
    asked = [Visit("2026-01-01T00:00:00Z", 0, "ok", "8a")]
    assert revisits.due(asked, lastmod) == schedule.moment(due)


def test_a_clock_in_a_page_does_not_make_it_change() -> None:
    ticking = [visit(n, simhash=f"{255 + n % 2:016x}"[-16:], digest=str(n)) for n in range(16)]
    clock = [visit(n, simhash=A[:-1] + "fe"[n % 2], digest=str(n)) for n in range(16)]
    assert period(clock) > timedelta(days=20)
    assert period(ticking) < timedelta(days=2)  # nine bits are no clock


def test_a_clock_or_a_counter_in_a_real_page_does_not_make_it_change() -> None:
    words = " ".join(f"word{n % 97} of{n % 31}" for n in range(150))

    def seen(day: int, text: str) -> Visit:
        shown = f"<title>t</title><p>{text}<p>12:{day:02}:07, visitor number {4100 + day * 37}"
        page = Page(Target(), "ok", html=shown, fetched=visit(day).time, digest=str(day))
        return fold.visit(
            outlinks.outlinks("http://a.example/", page, Rules("any", frozenset()), "x"), day
        )

    ticking = [seen(day, words) for day in range(1, 17)]
    assert len({one.simhash for one in ticking}) > 1
    assert not any(revisits.changed(one, other) for one, other in pairwise(ticking))
    assert period(ticking) > timedelta(days=20)
    other = seen(17, " ".join(f"text{n % 83} in{n % 29}" for n in range(150)))
    assert revisits.changed(ticking[-1], other)


def test_a_page_may_be_asked_for_early_but_what_is_gone_may_not() -> None:
    calm, wild = history(False, timedelta(days=20)), history(True, timedelta(hours=6))
    asked = schedule.moment(max(calm).time)
    assert (revisits.early(calm) - asked) / (revisits.due(calm) - asked) == pytest.approx(
        revisits.EARLY, rel=0.001
    )
    assert revisits.early(wild) - schedule.moment(max(wild).time) == revisits.SHORTEST
    gone = [visit(0), visit(1, "gone"), visit(2, "gone")]
    assert revisits.early(gone) == revisits.due(gone) and revisits.early([]) is None


def test_of_pages_that_wait_as_long_the_one_that_changes_in_time_is_worth_most() -> None:
    visits = {
        "never": history(False, timedelta(days=9)),
        "weekly": [visit(n * 9, simhash=[A, B][n % 2]) for n in range(16)],
        "always": history(True, timedelta(hours=6)),
    }
    later = {name: max(seen).time for name, seen in visits.items()}
    worth = {
        name: revisits.worth(seen, schedule.moment(later[name]) + timedelta(days=7))
        for name, seen in visits.items()
    }
    assert worth["weekly"] > worth["always"] and worth["weekly"] > worth["never"] > 0


def test_what_is_gone_twice_is_tried_rarely_and_a_failure_deletes_nothing() -> None:
    assert period([visit(0), visit(1, "gone")]) == revisits.SHORTEST
    gone = [visit(0), visit(1, "gone"), visit(2, "failed"), visit(3, "gone")]
    assert period(gone) == revisits.LONGEST and revisits.gone(gone)
    failed = [visit(0), visit(1), *(visit(2 + n, "failed") for n in range(9))]
    assert not revisits.gone(failed)
    assert revisits.due(failed) - START - timedelta(days=10) == period(failed[:2])


OUTCOMES = st.sampled_from(["ok", "gone", "failed", "not_modified", "redirect", "deferred"])
ANY = st.tuples(st.integers(0, 400), OUTCOMES, st.sampled_from([A, B, ""]))


@given(st.lists(ANY, max_size=16))
def test_any_history_has_a_period_within_bounds(told) -> None:
    visits = [visit(days, outcome, simhash) for days, outcome, simhash in told]
    due = revisits.due(visits)
    answered = [v for v in visits if v.outcome not in ("failed", "deferred")]
    assert (due is None) == (not answered)
    if due:
        asked = max(v.time for v in visits if v.outcome != "deferred")
        assert revisits.SHORTEST <= due - schedule.moment(asked) <= revisits.LONGEST
    assert due == revisits.due(visits[::-1])


def test_a_page_is_asked_for_by_its_validators_but_sometimes_in_full() -> None:
    same = [visit(n, "not_modified", etag="e", last_modified="m") for n in range(1, 20)]
    asked = {"etag": "e", "last_modified": "m", "simhash": A}
    first = visit(0, etag="e", last_modified="m")
    assert revisits.conditions([first]) == asked
    assert revisits.conditions([first, *same[: revisits.FULL_EVERY - 1]]) == asked
    assert revisits.conditions([first, *same[: revisits.FULL_EVERY]]) == {}
    assert revisits.conditions([visit(0, "gone")]) == revisits.conditions([]) == {}


def test_a_page_that_is_the_same_keeps_its_fingerprint_and_validators() -> None:
    target = Target(etag="e", last_modified="m", simhash=A)
    page = Page(target, "not_modified", status=304, headers=[("ETag", "f")])
    kept = outlinks.outlinks("http://a.example/", page, Rules("any", frozenset()), "x")
    assert (kept.simhash, kept.etag, kept.last_modified) == (A, "f", "m")


class Site(BaseHTTPRequestHandler):
    """Pages with an ETag each, whose versions a test may change."""

    pages: dict[str, int]
    sent: list[tuple[str, int]]
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        version = self.pages.get(self.path)
        etag = f'"{version}"'
        body = self.body(version or 0) if version else b""
        status = 404 if not version else 304 if self.headers["If-None-Match"] == etag else 200
        self.sent.append((self.path, status))
        self.answer(status, body if status == 200 else b"", ("ETag", etag))

    def answer(self, status: int, body: bytes, *headers: tuple[str, str]) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body if self.command == "GET" else b"")

    def body(self, version: int) -> bytes:
        words = " ".join(f"word{n * version}" for n in range(60))
        return f"<title>x</title><a href=/a>a</a><a href=/b>b</a><a href=/c>c</a>{words}".encode()

    def log_message(self, *_: object) -> None:
        pass


class Plain(Site):
    """The same without validators; HEAD is answered by `head` where that is a status."""

    head = 0
    asked: list[tuple[str, str, float]]

    def do_GET(self) -> None:
        self.asked.append((self.command, self.path, time.monotonic()))
        version = self.pages.get(self.path)
        refused = self.head if self.command == "HEAD" else 0
        status = refused or (200 if version else 404)
        self.answer(status, self.body(version) if version and status == 200 else b"")

    do_HEAD = do_GET


@pytest.fixture(params=[Site])
def site(request):
    Site.pages, Site.sent = {"/": 1, "/a": 1, "/b": 1, "/c": 1}, []
    Plain.head, Plain.asked = 0, []
    with ThreadingHTTPServer(("127.0.0.1", 0), request.param) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def run(root, monkeypatch, url: str, days: float, *words: str) -> int:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", str(int(time.time() + days * 86_400)))
    monkeypatch.setenv("no_proxy", "*")
    options = ["--runner=inline", "--depth=1", "--delay=0", "--quiet", "--max-minutes=1"]
    return driver.main([*options, f"--root={root}", "--allow-private", *words, url])


def test_a_recrawl_fetches_only_what_has_changed(site, tmp_path, monkeypatch, capsys) -> None:
    root = tmp_path / "crawl"
    assert run(root, monkeypatch, site, 0) == 0
    Site.pages |= {"/a": 7}
    del Site.pages["/b"]
    Site.sent.clear()
    assert run(root, monkeypatch, site, 30) == 0
    assert Site.sent == []  # nothing is asked for again unbidden
    assert run(root, monkeypatch, site, 30, "--recrawl") == 0
    asked = sorted(sent for sent in Site.sent if sent[0] != "/robots.txt")
    assert asked == [("/", 304), ("/a", 200), ("/b", 404), ("/c", 304)]
    merged = dict(crawling.records(root / "doc" / "merged"))
    copies = [copy for page in merged.values() for copy, *_ in page.get("duplicates", [])]
    told = {*merged, *copies}
    assert told == {site, f"{site}a", f"{site}b", f"{site}c"}  # a failure removes no page
    assert "word7 " in merged[f"{site}a"]["html"]
    capsys.readouterr()
    assert cli.main(["changes", "--root", str(root)]) == 0
    said = capsys.readouterr().out
    assert "bits  " + site + "a" in said and f"gone  {site}b" in said
    assert said.endswith("1 changed, 2 unchanged, 0 new, 1 gone\n")


def test_a_page_that_is_gone_for_good_stays_and_is_marked(site, tmp_path, monkeypatch) -> None:
    root = tmp_path / "crawl"
    Site.pages |= {"/b": 3}
    run(root, monkeypatch, site, 0)
    del Site.pages["/b"]
    marked = []
    for days in (100, 101):
        run(root, monkeypatch, site, days, "--recrawl")
        merged = dict(crawling.records(root / "doc" / "merged"))
        assert f"{site}b" in merged
        marked.append({url for url, page in merged.items() if page.get("gone")})
    assert marked == [set(), {f"{site}b"}]
    xml = dict(crawling.records(root / "xml"))
    gone = {url for url, page in xml.items() if documents.parsed(page["xml"]).get("gone")}
    assert gone == {f"{site}b"}


plain = pytest.mark.parametrize("site", [Plain], indirect=True)
CHECKED = ("--recrawl", "--head-check")


def asked() -> list[str]:
    """What was asked for since last time, but for robots.txt."""
    found = [f"{how} {path}" for how, path, *_ in Plain.asked if path != "/robots.txt"]
    Plain.asked.clear()
    return found


@plain
def test_what_has_no_validators_is_asked_for_by_head_first(site, tmp_path, monkeypatch) -> None:
    run(tmp_path, monkeypatch, site, 0)
    Site.pages |= {"/a": 7}  # which is longer
    del Site.pages["/b"]
    asked()
    run(tmp_path, monkeypatch, site, 30, *CHECKED, "--delay=0.1")
    gaps = [after[2] - before[2] for before, after in pairwise(Plain.asked)]
    assert min(gaps) >= 0.1  # between beginnings: the server hears late of an answer's end
    assert asked() == ["HEAD /", "HEAD /a", "GET /a", "HEAD /b", "GET /b", "HEAD /c"]
    layers = sorted((tmp_path / "doc").glob("layer-*"))
    pages = [page for layer in layers for page in crawling.records(layer)]
    outcomes = {url.removeprefix(site): page["outcome"] for url, page in pages}
    del outcomes["robots.txt"]
    assert outcomes == {"": "not_modified", "a": "ok", "b": "gone", "c": "not_modified"}
    assert "word7 " in dict(crawling.records(tmp_path / "doc" / "merged"))[f"{site}a"]["html"]


@plain
@pytest.mark.parametrize("status", [405, 501, 503])
def test_a_host_that_knows_no_head_is_asked_for_all_of_a_page(
    site, tmp_path, monkeypatch, status
) -> None:
    run(tmp_path, monkeypatch, site, 0)
    asked()
    Plain.head = status
    run(tmp_path, monkeypatch, site, 30, *CHECKED)
    heads = [request for request in asked() if request.startswith("HEAD")]
    assert heads == ["HEAD /", "HEAD /a", *(["HEAD /b", "HEAD /c"] if status == 503 else [])]


def test_head_is_asked_for_only_where_there_is_nothing_better() -> None:
    told = {"simhash": A, "etag": "", "last_modified": ""}
    first = replace(visit(0), length=7)
    assert revisits.checks([first]) == told | {"length": 7, "fetched": first.time}
    unknown = told | {"length": None, "fetched": first.time}
    assert revisits.checks([replace(first, length=-1)]) == unknown
    assert revisits.checks([visit(0, etag="e")]) == told | {"etag": "e"}
    same = [replace(visit(n, "not_modified"), length=7) for n in range(1, 20)]
    asked = revisits.checks([first, *same[:3]])
    assert asked == told | {"length": 7, "fetched": same[2].time}
    assert revisits.checks([first, *same[: revisits.FULL_EVERY]]) == {}
