"""Faults that real crawlers had, played to whole crawls by sites of a few pages."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests import crawling

pytestmark = pytest.mark.slow
DEPTH = 7
HOUR = 3600
Pages = dict[str, str | Callable[[str], str]]


class Site(ThreadingHTTPServer):
    """Answers a path by the first of `pages` that it begins with; counts what is asked for.

    A page is HTML, or made of its path; `-> x` is a redirect to x, `!503` an error.
    """

    def __init__(self, pages: Pages) -> None:
        super().__init__(("127.0.0.1", 0), _Answer)
        self.pages = pages
        self.asked: Counter[str] = Counter()

    def url(self, path: str = "/") -> str:
        return f"http://127.0.0.1:{self.server_port}{path}"

    def page(self, path: str) -> str:
        page = next((self.pages[start] for start in self.pages if path.startswith(start)), "!404")
        return page if isinstance(page, str) else page(path)


class _Answer(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        assert isinstance(self.server, Site)
        self.server.asked[self.path] += 1
        page = self.server.page(self.path)
        moved, failed = page.startswith("-> "), page.startswith("!")
        self.send_response(301 if moved else int(page[1:]) if failed else 200)
        if moved:
            self.send_header("Location", page[3:])
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        self.wfile.write(page.encode())

    def log_message(self, format: str, *arguments: Any) -> None:
        pass


@contextmanager
def served(pages: Pages) -> Iterator[Site]:
    site = Site(pages)
    threading.Thread(target=site.serve_forever, daemon=True).start()
    try:
        yield site
    finally:
        site.shutdown()
        site.server_close()


def crawl(root: Path, *words: str) -> None:
    code, said = crawling.crawl(root, "--runner", "inline", *words)
    assert code == 0, said


def kept(root: Path) -> set[str]:
    return {url for url, _ in crawling.records(root / "doc" / "merged")}


def links(*paths: str) -> str:
    return "".join(f'<a href="{path}">{path}</a>' for path in paths)


def next_year(path: str) -> str:
    return links(f"/statistics?year={int(path.rpartition('=')[2]) + 1}")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Site, Path]]:
    """One site with all these faults."""
    many: Pages = {f"/many/{n}": links("/licence") + str(n) for n in range(20)}
    pages: Pages = {
        "/robots.txt": "!404",
        "/v": links("v?&amp;p=2", "v?&amp;p=3"),
        "/wound/": links("www.a.example/policies/partners/"),
        "/contact": "-> /blog/2020/",
        "/blog/2020/post-1": "a post",
        "/blog/2020/": links("post-1"),
        "/old": "-> /new",
        "/new": "the one page",
        "/itself": "-> /itself",
        "/nothing": "-> ",
        "/away": "-> http://localhost:9/landing",
        **many,
        "/statistics": next_year,
        "/licence": "a licence",
        "/": links("v", "wound/", "contact", "old", "new", "itself", "nothing", "away", *many)
        + links("/statistics?year=2015")
        + links("http://[x", "http://a b/", "http://.a/"),
    }
    root = tmp_path_factory.mktemp("root")
    with served(pages) as made:
        crawl(root, "--scope", "host", "--depth", str(DEPTH), made.url())
        yield made, root


def asked_below(site: Site, start: str) -> dict[str, int]:
    return {path: times for path, times in site.asked.items() if path.startswith(start)}


def test_an_escaped_ampersand_is_not_escaped_again(site: tuple[Site, Path]) -> None:
    assert asked_below(site[0], "/v") == {"/v": 1, "/v?&p=2": 1, "/v?&p=3": 1}


def test_a_link_without_its_scheme_winds_up_a_few_pages_only(site: tuple[Site, Path]) -> None:
    wound = asked_below(site[0], "/wound/")
    assert 2 <= len(wound) < DEPTH and set(wound.values()) == {1}


def test_links_are_read_against_the_url_that_a_redirect_led_to(site: tuple[Site, Path]) -> None:
    made, root = site
    assert made.asked["/blog/2020/post-1"] == 1 and made.asked["/post-1"] == 0
    assert made.url("/blog/2020/post-1") in kept(root)


def test_a_page_that_many_pages_link_to_is_asked_for_once(site: tuple[Site, Path]) -> None:
    assert len(asked_below(site[0], "/many/")) == 20
    assert site[0].asked["/licence"] == 1


def test_a_page_that_is_linked_and_redirected_to_is_asked_for_once(site: tuple[Site, Path]) -> None:
    made, root = site
    assert (made.asked["/old"], made.asked["/new"]) == (1, 1)
    assert made.url("/new") in kept(root) and made.url("/old") not in kept(root)


def test_a_redirect_that_leads_nowhere_new_ends(site: tuple[Site, Path]) -> None:
    made, root = site
    answers = crawling.answers(root)
    for path, outcome in ("/itself", "redirect"), ("/nothing", "refused"):
        assert (made.asked[path], answers[made.url(path)]["outcome"]) == (1, outcome)


def test_a_redirect_out_of_scope_is_recorded_and_not_followed(site: tuple[Site, Path]) -> None:
    made, root = site
    page = crawling.answers(root)[made.url("/away")]
    assert (page["outcome"], page["location"]) == ("redirect", "http://localhost:9/landing")
    assert not [url for url in crawling.answers(root) if "localhost" in url]


def test_bad_links_cost_themselves_only(site: tuple[Site, Path]) -> None:
    made, root = site
    out = dict(crawling.records(root / "out" / "layer-000"))
    assert out[made.url()]["cuts"]["unusable"] == 3


def test_pages_that_go_on_for_ever_end_at_the_depth(site: tuple[Site, Path]) -> None:
    years = {f"/statistics?year={2015 + n}": 1 for n in range(DEPTH)}
    assert asked_below(site[0], "/statistics") == years


def test_a_host_that_was_down_is_asked_again_by_a_later_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages: Pages = {"/robots.txt": "!503", "/p": "private", "/": links("/p", "/x"), "/x": "x"}
    words = ["--depth", "1", "--retries", "0"]
    with served(pages) as made:
        words.append(made.url())
        assert crawling.crawl(tmp_path, "--runner", "inline", *words)[0] == 3
        assert made.asked == {"/robots.txt": 1}
        made.pages = {**pages, "/robots.txt": "User-agent: *\nDisallow: /p"}
        assert crawling.crawl(tmp_path, "--runner", "inline", *words)[0] == 3
        assert made.asked == {"/robots.txt": 1}, "an hour has not gone by"
        monkeypatch.setattr(crawling, "CLOCK", str(int(crawling.CLOCK) + HOUR))
        crawl(tmp_path, *words)
    assert made.asked == {"/robots.txt": 2, "/": 1, "/x": 1}
    answers = dict(crawling.records(tmp_path / "doc" / "layer-002"))
    assert answers[made.url("/p")]["outcome"] == "denied"
