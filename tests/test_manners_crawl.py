"""Manners over whole crawls and several runs, whose clock is set forward."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

import driver
from layercrawl import cli, stores
from layercrawl.records import Outlinks, Page
from layercrawl.stores import Stores
from tests import crawling

HOUR, DAY = 3600, 86_400
START = int(crawling.CLOCK)


@dataclass
class Site:
    """A host that answers from a script: (status, headers, body) by path; else 404."""

    root: Path
    answers: dict[str, tuple[int, dict[str, str], str]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    agents: set[str] = field(default_factory=set)
    url: str = ""

    def page(self, path: str, body: str, headers: dict[str, str] | None = None) -> None:
        self.answers[path] = (200, {"Content-Type": "text/html", **(headers or {})}, body)

    def crawl(self, monkeypatch: pytest.MonkeyPatch, later: int, *words: str) -> list[str]:
        """The paths that a run asks for, so many seconds after the first."""
        monkeypatch.setenv("SOURCE_DATE_EPOCH", str(START + later))
        before = len(self.asked)
        options = ["--delay=0", "--runner=inline", "--retries=0", f"--root={self.root}"]
        driver.main([*options, *words, f"{self.url}/"])
        return self.asked[before:]

    def outcome(self, path: str) -> str:
        crawl = Stores(self.root)
        found = [
            page.outcome
            for layer in crawl.layers("doc")
            for url, page in stores.read(crawl.layer("doc", layer), Page)
            if url == self.url + path
        ]
        return found[-1] if found else ""


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    made = Site(tmp_path / "crawl")

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            made.asked.append(self.path)
            made.agents.add(self.headers["User-Agent"])
            status, headers, body = made.answers.get(self.path, (404, {}, ""))
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    made.url = f"http://127.0.0.1:{server.server_port}"
    yield made
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("status", [500, 503, 429])
def test_a_robots_txt_unreachable_for_30_days_counts_as_none(site, monkeypatch, status) -> None:
    site.answers["/robots.txt"] = (status, {}, "")
    site.page("/", "<a href=/x>x</a>")
    site.page("/x", "x")
    assert site.crawl(monkeypatch, 0, "--depth=1") == ["/robots.txt"]
    assert site.outcome("/") == "deferred"
    assert site.crawl(monkeypatch, 60, "--depth=1") == [], "an hour's peace"
    assert site.crawl(monkeypatch, 2 * HOUR, "--depth=1") == ["/robots.txt"]
    assert site.crawl(monkeypatch, 29 * DAY, "--depth=1") == ["/robots.txt"]
    assert site.crawl(monkeypatch, 30 * DAY, "--depth=1") == ["/robots.txt", "/", "/x"]
    site.answers["/robots.txt"] = (200, {}, "User-agent: *\nDisallow: /y")
    site.page("/y", "y")
    site.answers["/x"] = (404, {}, "")
    for path in ("/", "/x"):
        assert site.outcome(path) == "ok"


def test_once_it_can_be_reached_its_rules_count(site, monkeypatch) -> None:
    site.answers["/robots.txt"] = (503, {}, "")
    site.page("/", "/")
    site.crawl(monkeypatch, 0, "--depth=0")
    site.answers["/robots.txt"] = (200, {}, "User-agent: *\nDisallow: /")
    assert site.crawl(monkeypatch, 40 * DAY, "--depth=0") == ["/robots.txt"]
    assert site.outcome("/") == "denied"


def test_rules_are_kept_for_a_day(site, monkeypatch) -> None:
    site.answers["/robots.txt"] = (200, {}, "User-agent: *\nDisallow: /private")
    for depth in range(4):
        site.page(f"/{depth or ''}", f"<a href=/{depth + 1}>next</a>")
    assert site.crawl(monkeypatch, 0, "--depth=1") == ["/robots.txt", "/", "/1"]
    assert site.crawl(monkeypatch, 23 * HOUR, "--depth=2") == ["/2"]
    assert site.crawl(monkeypatch, 25 * HOUR, "--depth=3") == ["/robots.txt", "/3"]


def test_a_retry_after_holds_for_a_day_at_most_and_into_the_next_run(site, monkeypatch) -> None:
    site.page("/", "<a href=/x>x</a><a href=/y>y</a>")
    site.answers["/x"] = (503, {"Retry-After": "99999999"}, "")
    assert site.crawl(monkeypatch, 0, "--depth=1") == ["/robots.txt", "/", "/x"]
    assert site.crawl(monkeypatch, DAY - HOUR, "--depth=1") == []
    site.page("/x", "there again")
    assert site.crawl(monkeypatch, DAY, "--depth=1") == ["/robots.txt", "/x", "/y"]


def test_who_is_asked_for_anothers_robots_txt_may_want_peace(site, monkeypatch, capsys) -> None:
    elsewhere = site.url.replace("127.0.0.1", "localhost")
    site.answers["/robots.txt"] = (302, {"Location": f"{elsewhere}/rules"}, "")
    words = ["--depth=0", "--allow-private"]
    site.answers["/rules"] = (503, {"Retry-After": "7200"}, "")
    assert site.crawl(monkeypatch, 0, *words) == ["/robots.txt", "/rules"]
    assert site.crawl(monkeypatch, 2 * HOUR - 60, *words) == []
    assert cli.main(["hosts", "--root", str(site.root)]) == 0
    rows = capsys.readouterr().out.splitlines()
    until = "left alone until 2025-12-01T02:00:00Z"
    assert any(row.endswith(f"localhost  {until}") for row in rows), rows
    assert cli.main(["why", f"{elsewhere}/robots.txt", "--root", str(site.root)]) == 0
    assert "its host is " + until in capsys.readouterr().out
    site.page("/rules", "")
    site.page("/", "/")
    assert site.crawl(monkeypatch, 2 * HOUR, *words) == ["/robots.txt", "/rules", "/"]


def test_another_agents_own_name_is_heeded_everywhere(site, monkeypatch) -> None:
    site.answers["/robots.txt"] = (200, {}, "User-agent: mybot\nDisallow: /p\n")
    site.page("/", "<a href=/p>p</a><a href=/m>m</a><a href=/h>h</a><a href=/a>a</a>")
    site.page("/m", "<meta name=MyBot content=none><a href=/no>no</a>m")
    site.page("/h", "<a href=/no>no</a>h", {"X-Robots-Tag": "MyBot: noindex, nofollow"})
    site.page("/a", "<meta name=layercrawl content=none><a href=/yes>yes</a>a")
    words = ["--user-agent=MyBot/2.0 (+http://x.example/)", "--depth=3"]
    asked = site.crawl(monkeypatch, 0, *words)
    assert site.agents == {"MyBot/2.0 (+http://x.example/)"}
    assert sorted(asked) == ["/", "/a", "/h", "/m", "/robots.txt", "/yes"]
    merged = {url for url, _ in stores.read(Stores(site.root).merged, Page)}
    assert merged == {f"{site.url}/", f"{site.url}/a"}


def test_a_refresh_at_once_is_as_deep_as_its_page(site, monkeypatch) -> None:
    site.page("/", "<meta http-equiv=refresh content='0; url=/home'>")
    site.page("/home", "<meta http-equiv=refresh content='5; url=/later'>")
    assert site.crawl(monkeypatch, 0, "--depth=0") == ["/robots.txt", "/", "/home"]
    crawl = Stores(site.root)
    (target,) = (
        page.target
        for url, page in stores.read(crawl.layer("out", 1), Outlinks)
        if url.endswith("/home")
    )
    assert (target.depth, target.hops) == (0, 1)


def test_a_chain_of_refreshes_ends_like_one_of_redirects(site, monkeypatch) -> None:
    for step in range(9):
        site.page(f"/{step or ''}", f"<meta http-equiv=refresh content='0; url=/{step + 1}'>")
    assert site.crawl(monkeypatch, 0, "--depth=0")[-1] == "/5"


def test_rels_that_are_not_followed_are_the_users_choice(site, monkeypatch) -> None:
    site.page("/", "<a rel=ugc href=/u>u</a><a rel=sponsored href=/s>s</a>")
    words = ["--depth=1", "--nofollow-rels=nofollow,ugc"]
    assert site.crawl(monkeypatch, 0, *words)[2:] == ["/s"]


def test_without_a_contact_a_word_of_advice(site, monkeypatch, capsys) -> None:
    site.crawl(monkeypatch, 0, "--depth=0")
    assert capsys.readouterr().err.count("--contact") == 1
    for words in ["--contact=a@b.example"], ["--quiet"], ["--user-agent=M/1 (+http://m.example)"]:
        site.crawl(monkeypatch, 0, "--depth=0", *words)
        assert "--contact" not in capsys.readouterr().err


@pytest.fixture
def told(site, capsys):
    def why(path: str) -> str:
        assert cli.main(["why", site.url + path, "--root", str(site.root)]) == 0
        return capsys.readouterr().out.replace(site.url, "")

    return why


def test_why_a_link_was_cut(site, monkeypatch, told) -> None:
    site.page("/", "<a href=/n rel=nofollow>n</a><a href=/no/x>x</a><a href=/a>a</a>")
    site.page("/a", "<meta name=robots content=nofollow><a href=/b>b</a>")
    site.crawl(monkeypatch, 0, "--depth=2", "--exclude=/no/")
    assert "layer 0: / links to it; cut: nofollow" in told("/n")
    assert "layer 0: / links to it; cut: exclude" in told("/no/x")
    assert "layer 1: /a links to it; cut: nofollow" in told("/b")


def test_why_a_redirect_leads_where(site, monkeypatch, told) -> None:
    site.answers["/"] = (302, {"Location": "/b"}, "")
    site.answers["/b"] = (302, {"Location": "/c"}, "")
    site.page("/c", "c")
    site.crawl(monkeypatch, 0, "--depth=0")
    story = told("/")
    assert "  leads to /b: redirect, status 302, to /c" in story
    assert "    leads to /c: ok, status 200" in story
    assert "doc/merged/part-00000: redirect duplicate of /c, distance 0" in story


def test_why_a_page_has_no_place_in_the_end(site, monkeypatch, told) -> None:
    site.page("/", "<a href=/n>n</a><a href=/d>d</a><a href=/copy>c</a><a href=/deep>d</a>")
    site.page("/n", "<meta name=robots content=noindex>")
    site.page("/d", "same")
    site.page("/copy", "same")
    site.crawl(monkeypatch, 0, "--depth=1")
    assert "not in doc/merged: noindex" in told("/n")
    story = told("/d")
    assert "doc/layer-001/part-00000" in story and "in/layer-001/part-00000" in story
    assert "exact duplicate: /copy" in story and "xml/part-0" in story
    assert "exact duplicate of /d, distance 0" in told("/copy")
    assert "not in doc/merged: gone" in told("/deep")


def test_why_a_plan_left_a_url_out(site, monkeypatch, told) -> None:
    site.page("/", "".join(f"<a href=/{n}>{n}</a>" for n in range(1, 5)))
    site.page("/1", "<a href=/deep>d</a>")
    words = ["--max-per-host=1", "--depth=2"]
    site.crawl(monkeypatch, 0, *words)
    story = told("/4")
    assert "layers 1 to 3: left out: over its host's share, which is 1 page" in story
    assert "layer 4: chosen at depth 1" in story
    assert "layers 2 to 4: left out: pages of depth 1 come first" in told("/deep")


def test_why_other_pages_came_first(site, monkeypatch, told) -> None:
    site.page("/", "<a href=/1>1</a><a href=/2>2</a>")
    site.crawl(monkeypatch, 0, "--budget=1", "--depth=1")
    assert "layer 1: left out: others come first in the layer, which holds 1 page" in told("/2")


def test_why_a_host_is_left_alone(site, monkeypatch, told) -> None:
    site.page("/", "<a href=/1>1</a><a href=/2>2</a>")
    site.answers["/1"] = (429, {"Retry-After": "7200"}, "")
    site.crawl(monkeypatch, 0, "--depth=1")
    site.crawl(monkeypatch, HOUR, "--depth=1")
    story = told("/2")
    assert "deferred, host asked to retry later" in story and "waits until" in story
    assert "layer 2: left out: not due before" in story


def test_hosts_tells_of_each_host(site, monkeypatch, capsys) -> None:
    site.answers["/robots.txt"] = (200, {}, "User-agent: *\nCrawl-delay: 0.1")
    site.page("/", "<a href=/1>1</a><a href=/2>2</a><a href=/3>3</a>")
    site.answers["/1"] = (500, {}, "")
    site.page("/2", "<a href=/4>beyond</a>")
    site.crawl(monkeypatch, 0, "--depth=1")
    assert cli.main(["hosts", "--root", str(site.root)]) == 0
    head, row = capsys.readouterr().out.splitlines()
    assert head.split() == ["fetched", "waiting", "failing", "Crawl-delay", "host", "robots.txt"]
    assert row.split()[:6] == ["2", "1", "1", "0.1", "127.0.0.1", "read"]


def test_hosts_that_cannot_be_reached_say_so(site, monkeypatch, capsys) -> None:
    site.answers["/robots.txt"] = (500, {}, "")
    site.crawl(monkeypatch, 0, "--depth=1")
    assert cli.main(["hosts", "--root", str(site.root)]) == 0
    row = capsys.readouterr().out.splitlines()[1]
    assert row.split()[:2] == ["0", "1"] and "unreachable since 2025-12-01T00:00:00Z" in row


def test_hosts_of_no_crawl(tmp_path: Path, capsys) -> None:
    assert cli.main(["hosts", "--root", str(tmp_path)]) == 2
    assert "no crawl lies here" in capsys.readouterr().err
