"""A whole crawl against the seeded web's truth: every URL, every store, every request."""

from __future__ import annotations

import base64
import gzip
import re
from collections import Counter
from itertools import pairwise
from urllib.parse import urlsplit

import pytest

from layercrawl.asking.why import why
from layercrawl.stores import Stores
from tests import crawling, documents
from tests.web import Web, loopback, serve, sitemaps

DEPTH = 3
RUNS = {"local": "local", "again": "local", "inline": "inline"}
"""Crawls of the same web, by the name that they call themselves in its log, and their runner."""
LATE = 0.05
"""Seconds: the server notes an answer's end when it has sent it; the client may have it before."""


@pytest.fixture(scope="module")
def roots(web, tmp_path_factory):
    """Finished crawls of the whole web, made side by side."""
    made = {name: tmp_path_factory.mktemp(name) for name in RUNS}
    words = ["--depth", str(DEPTH), *web.seeds]
    running = [
        crawling.Run(made[name], "--runner", runner, "--contact", name, *words)
        for name, runner in RUNS.items()
    ]
    for run in running:
        assert run.wait() == 0, run.said
    return made


@pytest.fixture(scope="module")
def root(roots):
    return roots["local"]


@pytest.fixture(scope="module")
def asked(roots, log):
    return crawling.requests(log, "(+local)")


@pytest.fixture(scope="module")
def truth(web):
    return web.truth(DEPTH)


def what(page):
    """What a record says, as the truth has it: depth, outcome, digest, truncated."""
    good = page["outcome"] == "ok"
    kept = (page["digest"], page.get("truncated", False)) if good else ("", False)
    return page["target"].get("depth", 0), page["outcome"], *kept


def expected(fact):
    return fact.distance, fact.outcome, fact.digest, fact.truncated


# Against the truth


@pytest.mark.slow
@pytest.mark.parametrize("name", RUNS)
def test_every_url_has_its_right_answer(roots, truth, name):
    found = crawling.answers(roots[name])
    wrong = {
        url: (what(found[url]), expected(fact))
        for url, fact in truth.items()
        if url in found and what(found[url]) != expected(fact)
    }
    assert wrong == {}
    assert found.keys() - truth.keys() == set()
    held_back = {url for url, fact in truth.items() if fact.outcome == "deferred"}
    assert truth.keys() - found.keys() < held_back


def test_encodings_are_those_that_the_standard_names(root, truth):
    found = crawling.answers(root)
    named = {url: fact.encoding for url, fact in truth.items() if fact.encoding}
    assert {url: found[url]["encoding"] for url in named} == named


def test_what_has_no_record_waits(root, truth):
    last = max((root / "in").glob("layer-*"))
    outcomes = Counter(fact.outcome for fact in truth.values())
    counts = crawling.totals(last)
    assert counts["urls: known"] == len(truth)
    assert counts["urls: not due"] == outcomes["failed"] + outcomes["deferred"]
    assert "urls: taken" not in counts


def test_robots_txt_of_every_host_is_recorded(root, web):
    facts = web.truth(DEPTH, include_robots=True)
    firsts = {}
    for folder in sorted((root / "doc").glob("layer-*")):
        for url, page in crawling.records(folder):
            if page["target"].get("kind") == "robots":
                firsts.setdefault(url, (page["outcome"], page.get("digest", "")))
    known = {url: fact for url, fact in facts.items() if url.endswith("/robots.txt")}
    assert firsts == {url: (fact.outcome, fact.digest) for url, fact in known.items()}


# The requests


def test_each_page_is_asked_for_as_often_as_its_record_says(root, asked):
    found = crawling.answers(root)
    wanted = {url: page["attempts"] for url, page in found.items() if page.get("attempts")}
    again = set(sent_again(asked))
    pages = [x for x in asked if not x.path.startswith("/robots") and x not in again]
    port = urlsplit(next(iter(found))).port
    assert Counter(f"http://{x.host}:{port}{x.path}" for x in pages) == wanted
    assert all(n == 1 for url, n in wanted.items() if found[url]["outcome"] != "failed")


def sent_again(asked):
    """Requests that went out anew since a connection, kept from earlier ones, ended meanwhile.

    RFC 9112, 9.3.1. To the client a connection that the server resets at once looks like that.
    """
    for mine in crawling.by_host(asked).values():
        used = set()
        for before, after in pairwise(mine):
            kept = before.connection in used
            used.add(before.connection)
            same = before.path == after.path and before.status == 0
            if kept and same and after.connection not in used:
                yield after


def test_each_host_is_asked_for_its_robots_txt_first_and_once(asked, web):
    for host, mine in crawling.by_host(asked).items():
        assert mine[0].path == "/robots.txt"
        tries = 3 if mine[0].status == 503 else 1
        assert [x.path for x in mine].count("/robots.txt") == tries, host
    assert crawling.by_host(asked).keys() == set(web.hosts)


def test_no_host_has_two_requests_at_a_time(asked):
    assert min(crawling.gaps(asked)) >= 0


def test_what_a_crawler_must_not_see_is_not_asked_for(asked):
    assert [request for request in asked if request.path.startswith("/unseen")] == []


def test_one_method_and_one_name(asked):
    assert {request.method for request in asked} == {"GET"}
    assert {request.agent for request in asked} == {"layercrawl/0.1.0 (+local)"}


# The stores


@pytest.mark.parametrize("name", ["again", "inline"])
def test_the_same_crawl_gives_the_same_stores(roots, name):
    one, other = crawling.stores(roots["local"]), crawling.stores(roots[name])
    assert one.keys() == other.keys()
    for folder in one:
        assert one[folder] == other[folder], folder


def test_nothing_half_made_is_left(root):
    assert not list(root.glob("**/_new-*"))
    assert {path.name for path in root.iterdir()} <= {
        "in", "doc", "out", "xml", "_lock", "_workers", "_tmp"
    }  # fmt: skip
    assert not [path for path in root.glob("_tmp/**/*") if path.is_file()]


def test_every_target_has_exactly_one_answer(root):
    for folder in sorted((root / "doc").glob("layer-*")):
        targets = Counter(_keys(crawling.records(root / "in" / folder.name)))
        found = list(crawling.records(folder))
        extra = Counter(_keys((url, page["target"]) for url, page in found)) - targets
        assert targets.total() + extra.total() == len(found)
        hops = {url: page["target"].get("hops", 0) for url, page in found}
        assert all(kind == "robots" or hops[url] for url, kind in extra)
        assert set(extra.values()) <= {1}


def _keys(rows):
    return [(url, target.get("kind", "page")) for url, target in rows]


def test_every_page_stands_once_with_its_duplicates(root, truth):
    noindex = {
        url
        for folder in (root / "out").glob("layer-*")
        for url, links in crawling.records(folder)
        if links.get("noindex")
    }
    groups = {}
    for url, fact in truth.items():
        if fact.outcome == "ok" and url not in noindex:
            groups.setdefault(fact.digest, []).append((fact.distance, len(url), url))
    merged = dict(crawling.records(root / "doc/merged"))
    equal = {
        page["digest"]: {url, *(name for name, kind, _ in duplicates(page) if kind == "exact")}
        for url, page in merged.items()
    }
    near = {truth[name].digest for page in merged.values() for name in near_to(page)}
    assert equal == {
        digest: {url for *_, url in group} for digest, group in groups.items() if digest not in near
    }
    assert len(merged) == len(equal)
    assert crawling.totals(root / "doc/merged")["merged: noindex"] == len(noindex) > 0


def test_redirects_are_listed_with_the_page_that_they_lead_to(root, truth):
    listed = {
        name: url
        for url, page in crawling.records(root / "doc/merged")
        for name, kind, _ in duplicates(page)
        if kind == "redirect"
    }
    assert listed and {truth[name].outcome for name in listed} == {"redirect"}


def test_pages_that_are_nearly_the_same_are_merged_and_no_others(root):
    merged = dict(crawling.records(root / "doc/merged"))
    fell = {name for page in merged.values() for name in near_to(page)}
    (stands,) = [url for url, page in merged.items() if near_to(page)]
    assert len(fell) > 3
    assert all("/duplicates/" in name for name in (stands, *fell))


def near_to(page):
    return [name for name, kind, _ in duplicates(page) if kind in ("near", "text")]


def duplicates(page):
    return page.get("duplicates", [])


def test_every_merged_page_is_a_valid_document_that_says_what_is_known_of_it(root):
    merged = dict(crawling.records(root / "doc/merged"))
    found = dict(crawling.records(root / "xml"))
    assert found.keys() == merged.keys()
    for url, record in found.items():
        page = documents.parsed(record["xml"])
        assert page.get("url") == url
        assert int(page.get("depth")) == merged[url]["target"].get("depth", 0)
        assert page.get("digest") == merged[url]["digest"]
        assert int(page.get("duplicates")) == len(merged[url].get("duplicates", []))


# Manners and orders, on webs of their own


@pytest.mark.slow
def test_a_delay_lies_between_the_end_of_an_answer_and_the_next_request(tmp_path):
    log = tmp_path / "access.log"
    with serve(Web(hosts=loopback(4), degree=2, depth=2, port=0), log=log) as web:
        words = ["--depth", "2", "--delay", "0.2", "--include", "/plain/|/$", *web.seeds]
        assert crawling.crawl(tmp_path / "root", *words)[0] == 0
    asked = crawling.requests(log)
    assert len(asked) > 20
    for mine in crawling.by_host(asked).values():
        assert all(after.start - before.start >= 0.2 for before, after in pairwise(mine))
    assert min(crawling.gaps(asked)) >= 0.2 - LATE


@pytest.mark.slow
def test_a_delay_lasts_from_layer_to_layer(tmp_path):
    log = tmp_path / "access.log"
    with serve(Web(hosts=loopback(1), degree=1, depth=1, port=0), log=log) as web:
        words = ["--depth", "1", "--delay", "2", "--include", "/plain/", *web.seeds]
        assert crawling.crawl(tmp_path / "root", *words)[0] == 0
    asked = crawling.requests(log)
    assert [request.path for request in asked] == ["/robots.txt", "/", "/plain/1/0"]
    assert min(crawling.gaps(asked)) >= 2 - LATE


@pytest.mark.slow
def test_every_order_reaches_the_same_pages_under_a_budget(tmp_path):
    with serve(Web(hosts=loopback(4), degree=3, depth=2, port=0)) as web:
        words = ["--depth", "2", "--budget", "40", "--exclude", "/redirects/", *web.seeds]
        orders = {"depth-first": "inline", "backlink": "local"}
        running = [
            crawling.Run(tmp_path / order, "--order", order, "--runner", runner, *words)
            for order, runner in orders.items()
        ]
        for run in running:
            assert run.wait() == 0, run.said
        facts = web.truth(2).items()
    wanted = {u for u, fact in facts if fact.outcome != "deferred" and "/redirects/" not in u}
    for order in orders:
        found = crawling.answers(tmp_path / order)
        assert {url for url in found if found[url]["outcome"] != "deferred"} == wanted, order
        assert len(list((tmp_path / order / "doc").glob("layer-*"))) > 3


@pytest.mark.slow
def test_a_redirect_to_a_page_of_an_earlier_layer_does_not_ask_for_it_again(tmp_path):
    log = tmp_path / "access.log"
    with serve(Web(hosts=loopback(1), degree=1, depth=1, port=0), log=log) as web:
        words = ["--depth", "2", "--budget", "1", "--include", "/redirects/$|linked-too$"]
        assert crawling.crawl(tmp_path / "root", *words, *web.seeds)[0] == 0
    paths = Counter(request.path for request in crawling.requests(log))
    assert "/redirects/at/linked-too" in paths
    assert set(paths.values()) == {1}
    merged = [url for url, _ in crawling.records(tmp_path / "root" / "doc" / "merged")]
    assert len(merged) == len(set(merged))


# Sitemaps


@pytest.fixture(scope="module")
def mapped(tmp_path_factory):
    """A crawl with sitemaps: its root, its web, and what it said."""
    root = tmp_path_factory.mktemp("mapped")
    with serve(Web(hosts=loopback(2), degree=2, port=0)) as web:
        words = ["--depth", "2", "--exclude", "/(redirects|traps|bodies|slow|broken)/"]
        code, said = crawling.crawl(root, "--sitemaps", *words, *web.seeds)
    assert code == 0, said
    return root, web, said


@pytest.mark.slow
def test_what_sitemaps_list_is_found_at_depth_1(mapped):
    root, web, _ = mapped
    excluded = re.compile("/(redirects|traps|bodies|slow|broken)/")
    truth = {u: f for u, f in web.truth(2, sitemaps=True).items() if not excluded.search(u)}
    found = {url: what(page) for url, page in crawling.answers(root).items()}
    assert found == {url: expected(fact) for url, fact in truth.items()}
    new = truth.keys() - web.truth(2).keys()
    assert {url.partition("/sitemaps/page/")[2] for url in new} >= {
        "packed", "feed", "deeper", "list", "packed/next", "feed/next", "deeper/next", "list/next"
    }  # fmt: skip


@pytest.mark.slow
def test_sitemaps_are_records_of_their_own_and_no_pages(mapped):
    root, web, said = mapped
    found = {
        url.rpartition("/")[2]: page
        for folder in (root / "doc").glob("layer-*")
        for url, page in crawling.records(folder)
        if page["target"].get("kind") == "sitemap"
    }
    depths = {name: (p["target"]["depth"], p["outcome"]) for name, p in found.items()}
    assert depths == {
        "moved.xml": (1, "redirect"), "index.xml": (1, "ok"), "list.txt": (1, "ok"),
        "packed.xml.gz": (2, "ok"), "feed.rss": (2, "ok"), "nested.xml": (2, "ok"),
        "gone.xml": (2, "gone"), "deeper.xml": (3, "ok"),
    }  # fmt: skip
    assert found["moved.xml"]["target"]["via"] == f"{web.seeds[0]}robots.txt"
    packed = found["packed.xml.gz"]
    assert "html" not in packed and gzip.decompress(base64.b64decode(packed["body_b64"]))
    pages = crawling.answers(root)
    good = sum(page["outcome"] == "ok" for page in pages.values())
    assert f"{len(pages)} URLs in all: {good} ok" in said
    merged = [url for url, _ in crawling.records(root / "doc/merged")]
    assert merged and not [url for url in merged if url.endswith((".xml", ".gz", ".rss", ".txt"))]


@pytest.mark.slow
def test_a_sitemaps_links_carry_the_time_of_their_change(mapped):
    root, web, _ = mapped
    listing = next(
        links
        for folder in (root / "out").glob("layer-*")
        for url, links in crawling.records(folder)
        if url.endswith("/packed.xml.gz")
    )
    assert [web.seeds[0] + "sitemaps/page/packed", sitemaps.CHANGED] in listing["links"]
    assert listing["cuts"] == {"unusable": 2}


@pytest.mark.slow
def test_why_tells_by_which_sitemap_a_page_was_found(mapped):
    root, web, _ = mapped
    told = list(why(Stores(root), f"{web.seeds[0]}sitemaps/page/deeper/next"))
    steps = [line.split() for line in told[1:8]]
    assert [(how, depth, url.rpartition("/")[2]) for how, _, depth, url in steps] == [
        ("robots.txt,", "0:", "robots.txt"),
        ("sitemap,", "1:", "moved.xml"),
        ("redirect,", "1:", "index.xml"),
        ("sitemap,", "2:", "nested.xml"),
        ("sitemap,", "3:", "deeper.xml"),
        ("link,", "1:", "deeper"),
        ("link,", "2:", "next"),
    ]
    told = list(why(Stores(root), f"{web.seeds[0]}sitemaps/page/packed"))
    packed = "packed.xml.gz with lastmod " + sitemaps.CHANGED
    assert any("listed in sitemap" in line and line.endswith(packed) for line in told), told
    told = list(why(Stores(root), f"{web.seeds[0]}robots.txt"))
    assert any("0 links to follow, 2 sitemaps named; cut: none" in line for line in told)


@pytest.mark.slow
def test_the_option_works_on_a_crawl_begun_without_it(tmp_path):
    with serve(Web(hosts=loopback(1), degree=1, depth=1, port=0)) as web:
        words = ["--depth", "1", "--include", "/sitemaps/", *web.seeds]
        before = crawling.crawl(tmp_path, *words)
        assert before[0] == 0 and len(crawling.answers(tmp_path)) == 1, before
        told = list(why(Stores(tmp_path), f"{web.seeds[0]}sitemaps/list.txt"))
        assert "waits: sitemaps are read with --sitemaps only" in told
        assert any("left out: a sitemap, without --sitemaps" in line for line in told), told
        assert crawling.crawl(tmp_path, "--sitemaps", *words)[0] == 0
        assert {url.rpartition("/")[2] for url in crawling.answers(tmp_path)} == {
            "", "packed", "feed", "deeper", "list"
        }  # fmt: skip
