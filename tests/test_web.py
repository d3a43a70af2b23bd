"""The seeded web: answers that depend on the URL alone, features as named, and a sound truth."""

from __future__ import annotations

import gzip
import hashlib
import http.client
import json
import re
import signal
import socket
import subprocess
import sys
import time
import zlib
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import ada_url
import brotli
import pytest
import zstandard
from selectolax.lexbor import LexborHTMLParser

from tests.web import Web, loopback, serve
from tests.web.answers import Answer
from tests.web.features import ANSWERING, EXTRAS, FEATURES
from tests.web.features.bodies import HUGE
from tests.web.features.slow import SLOW
from tests.web.serving import listen
from tests.web.site import Site
from tests.web.words import LANGUAGES, text

ROOT = Path(__file__).parents[1]
CASES = json.loads((ROOT / "tests/data/web.json").read_text("utf-8"))
OUTCOMES = {"ok", "redirect", "gone", "denied", "refused", "failed", "deferred"}


@pytest.fixture(scope="module")
def facts(web):
    return web.truth(depth=3)


def exchange(web, path, host=0, method="GET"):
    """All that the server sends before it closes the connection."""
    address = web.hosts[host]
    with socket.create_connection((address, web.port), timeout=10) as plug:
        request = f"{method} {path} HTTP/1.1\r\nHost: {address}:{web.port}\r\n"
        plug.sendall(f"{request}User-Agent: test\r\nConnection: close\r\n\r\n".encode())
        return b"".join(iter(lambda: plug.recv(65536), b""))


def fetch(url):
    """Status, headers and decoded body as `http.client` sees them."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=10)
    try:
        connection.request("GET", url.removeprefix(f"http://{parts.netloc}"))
        response = connection.getresponse()
        body = response.read()
    finally:
        connection.close()
    for coding in reversed(response.headers.get("Content-Encoding", "none").split(", ")):
        body = DECODERS[coding.lower()](body)
    return response.status, response.headers, body


def inflate(body):
    try:
        return zlib.decompress(body)
    except zlib.error:
        return zlib.decompress(body, wbits=-15)


DECODERS = {
    "gzip": gzip.decompress,
    "x-gzip": gzip.decompress,
    "deflate": inflate,
    "br": brotli.decompress,
    "zstd": zstandard.ZstdDecompressor().decompress,
    "none": bytes,
    "identity": bytes,
}


# What is sent


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["description"])
def test_the_wire_carries_what_the_feature_says(web, case):
    sent = exchange(web, case["path"], case.get("host", 0))
    assert sent.startswith(case.get("starts", "HTTP/1.").encode())
    assert sent.endswith(case.get("ends", "").encode())
    assert case.get("has", "").encode() in sent
    if "lacks" in case:
        assert case["lacks"].encode() not in sent
    if "status" in case:
        assert int(sent.split()[1]) == case["status"]
    if case.get("starts") == case.get("ends") == "":
        assert sent == b""


def test_a_reset_connection_is_reset(web):
    with pytest.raises(ConnectionResetError):
        exchange(web, "/broken/reset")


def visible_outcome(status, headers, body):
    """What the answer's own bytes say of the outcome, as far as they can."""
    if status >= 500 or status in (408, 425, 429):
        return "failed"
    if status == 200:
        return "ok" if "html" in headers["Content-Type"] else "refused"
    named = {401: "denied", 403: "denied", 451: "denied", 404: "gone", 410: "gone"}
    return named.get(status, "refused")


def test_what_is_served_is_what_the_truth_says(web, facts, monkeypatch):
    monkeypatch.setattr(http.client, "_MAXHEADERS", 200)
    for url, fact in facts.items():
        if fact.outcome == "deferred" or (fact.outcome == "denied" and "/rules/" in url):
            continue
        try:
            status, headers, body = fetch(url)
        except (OSError, EOFError, http.client.HTTPException, zlib.error, brotli.error):
            assert fact.outcome == "failed", url
            continue
        if fact.outcome == "redirect":
            assert 300 < status < 400 and headers["Location"] is not None, url
        elif not url.endswith("/redirects/chain/7/5"):
            seen = visible_outcome(status, headers, body)
            assert seen == fact.outcome, url
        if fact.outcome == "ok":
            assert hashlib.sha256(body[:HUGE]).hexdigest() == fact.digest, url
            assert fact.truncated == (len(body) > HUGE)


def test_connections_are_kept_and_requests_may_be_pipelined(web):
    host = f"Host: {web.hosts[0]}\r\n\r\n"
    asked = ("/slow/start", "/robots.txt", "/statuses/404")
    with socket.create_connection((web.hosts[0], web.port), timeout=10) as plug:
        plug.sendall("".join(f"GET {path} HTTP/1.1\r\n{host}" for path in asked).encode())
        sent = b""
        while sent.count(b"HTTP/1.1 ") < 3:
            sent += plug.recv(65536)
    assert re.findall(rb"HTTP/1.1 (\d+)", sent) == [b"200", b"200", b"404"]


def test_head_sends_the_head_alone(web):
    sent = exchange(web, "/", method="HEAD")
    assert sent.endswith(b"\r\n\r\n") and b"Content-Length: " in sent


def test_nonsense_and_unknown_hosts_are_turned_away(web):
    with socket.create_connection((web.hosts[0], web.port), timeout=10) as plug:
        plug.sendall(b"nonsense\r\n\r\n")
        assert b" 400 " in plug.recv(65536)
    with socket.create_connection((web.hosts[0], web.port), timeout=10) as plug:
        plug.sendall(b"GET / HTTP/1.1\r\nHost: elsewhere.test\r\n\r\n")
        assert b" 421 " in plug.recv(65536)
    assert b" 400 " in exchange(web, "without-slash")


def test_an_endless_head_is_cut_off(web):
    with socket.create_connection((web.hosts[0], web.port), timeout=10) as plug:
        plug.sendall(b"GET / HTTP/1.1\r\nX: " + b"x" * 70_000)
        assert plug.recv(10) == b""


# Pure functions of the URL


def test_answers_depend_on_seed_and_url_alone(web, facts):
    again, other = replace(web), replace(web, seed=2)
    urls = [urlsplit(url) for url in sorted(facts, reverse=True)]
    paths = [(u.hostname, u.path + (f"?{u.query}" if u.query else "")) for u in urls]
    assert [again.answer(*path) for path in paths] == [web.answer(*path) for path in paths]
    assert other.answer(web.hosts[0], "/").body != web.answer(web.hosts[0], "/").body


def test_two_requests_for_one_url_get_the_same_bytes(web):
    for path in ("/", "/traps/session", "/codings/gzip", "/statuses/429", "/robots.txt"):
        assert exchange(web, path) == exchange(web, path)


# The log


def test_the_log_has_one_line_a_request(web, log):
    before = len(log.read_text().splitlines())
    with socket.create_connection((web.hosts[1], web.port), timeout=10) as plug:
        plug.sendall(f"GET /slow/drops HTTP/1.0\r\nHost: {web.hosts[1]}\r\n\r\n".encode())
        port = plug.getsockname()[1]
        while plug.recv(65536):
            pass
    lines = [json.loads(line) for line in log.read_text().splitlines()[before:]]
    (line,) = lines
    assert SLOW <= line.pop("end") - line["start"] < SLOW + 5
    assert abs(time.monotonic() - line.pop("start")) < 10
    assert line == {
        "host": web.hosts[1],
        "path": "/slow/drops",
        "method": "GET",
        "connection": port,
        "status": 200,
        "agent": "",
    }


def test_a_log_is_optional_and_the_process_ends_with_the_block():
    with serve(Web(hosts=loopback(2), port=0)) as served:
        assert exchange(served, "/").startswith(b"HTTP/1.1 200 OK\r\n")
        for _ in range(2):
            with pytest.raises(OSError):
                listen(served.hosts, served.port)
    for plug in listen(served.hosts, served.port):
        plug.close()


# The truth


def test_every_outcome_and_feature_is_met_within_three_links(web, facts):
    assert {fact.outcome for fact in facts.values()} == OUTCOMES
    names = {urlsplit(url).path.split("/")[1] for url in facts} - {""}
    assert names == set(ANSWERING) - set(EXTRAS)
    hosts = {urlsplit(url).hostname for url in facts}
    assert hosts == set(web.hosts)
    assert 400 <= len(facts) <= 600


def test_every_entry_of_every_feature_is_met_within_three_links(web, facts):
    for feature in FEATURES.values():
        homes = [Site(web, index) for index in range(8) if Site(web, index).place != 3]
        home = next(site for site in homes if site.url(f"/{feature.name}/") in facts)
        for entry in feature.entries(home):
            assert entry.to is None or entry.to in facts


def test_nothing_unseen_is_seen(web):
    facts = web.truth(depth=6)
    assert not [url for url in facts if "/unseen" in url or "/files/" in url]
    assert max(map(len, facts)) <= 2000
    assert not [url for url in facts if "/echo/echo/echo/echo" in url]
    assert max(urlsplit(url).path.count("/") for url in facts) <= 32


def test_a_smaller_depth_sees_the_nearer_part(web, facts):
    for depth in range(3):
        near = {url: fact for url, fact in facts.items() if fact.distance <= depth}
        assert web.truth(depth) == near
    assert set(web.truth(0)) == set(web.seeds)


def test_redirects_keep_the_distance_and_end_at_the_limit(web, facts):
    def found(length):
        rows = {}
        for url, fact in facts.items():
            _, split, step = url.partition(f"/redirects/chain/{length}/")
            if split:
                rows[step] = (fact.outcome, fact.distance)
        return dict(sorted(rows.items()))

    assert found(3) == {
        "0": ("redirect", 2),
        "1": ("redirect", 2),
        "2": ("redirect", 2),
        "end": ("ok", 2),
    }
    assert found(5)["end"] == ("ok", 2)
    assert found(7) == {**{str(n): ("redirect", 2) for n in range(5)}, "5": ("refused", 2)}


def test_scope_keeps_to_the_seeds_hosts_or_sites():
    web = Web(hosts=[f"h{n}.web.test" for n in range(8)] + ["a.other.test", "b.other.test"])
    first = Web(hosts=web.hosts[:8])

    def hosts(web, scope):
        return {urlsplit(url).hostname for url in web.truth(3, scope)}

    assert hosts(web, "any") == hosts(web, "site") == set(web.hosts)
    assert hosts(web, "host") == {"h0.web.test", "a.other.test"}
    mixed = Web(hosts=["h0.web.test", "h1.web.test", "a.other.test"])
    assert hosts(mixed, "site") == {"h0.web.test", "h1.web.test"}
    assert hosts(first, "host") == {"h0.web.test"}
    loop = Web()
    assert hosts(loop, "site") == hosts(loop, "host") == {"127.1.0.1"}


def test_robots_files_are_facts_when_asked_for(web, facts):
    with_robots = web.truth(3, include_robots=True)
    extra = {url: with_robots[url] for url in with_robots.keys() - facts.keys()}
    outcomes = [extra[f"http://{host}:{web.port}/robots.txt"].outcome for host in web.hosts]
    assert outcomes == ["ok", "ok", "gone", "failed", "ok", "ok", "ok", "denied"]
    assert len(extra) == 8


def test_what_sitemaps_list_is_a_fact_when_asked_for(web, facts):
    listed = web.truth(3, sitemaps=True)
    new = {url.partition("/sitemaps/page/")[2] for url in listed.keys() - facts.keys()}
    assert {"packed", "feed", "deeper", "list", "list/next"} <= new
    start = f"http://{web.hosts[0]}:{web.port}"
    assert (facts[f"{start}/plain/3/0"].distance, listed[f"{start}/plain/3/0"].distance) == (3, 1)
    assert web.truth(0, sitemaps=True) == web.truth(0)
    assert web.answer(web.hosts[1], "/sitemaps/index.xml").status == 404
    assert web.answer(web.hosts[0], "/sitemaps/none.xml").status == 404


def test_no_port_is_written_when_it_is_the_default():
    assert Web(port=80).seeds == ("http://127.1.0.1/",)
    assert "http://127.1.0.1/plain/1/0" in Web(port=80).truth(1)


# The links say what they mean


def followed(url, body):
    """The links of a page by other means: lexbor's HTML and ada's URLs."""
    tree = LexborHTMLParser(body)
    base = tree.css_first("base[href]")
    base = ada_url.join_url(url, base.attributes["href"]) if base else url
    written = [
        (x.attributes.get("rel"), x.attributes["href"]) for x in tree.css("a[href],area[href]")
    ]
    written += [("", x.attributes["src"]) for x in tree.css("frame[src],iframe[src]")]
    written += [
        ("", x.attributes["content"].partition("url=")[2])
        for x in tree.css("meta[http-equiv=refresh]")
    ]
    for rel, value in written:
        if "nofollow" not in (rel or ""):
            try:
                yield normal(ada_url.join_url(base, value or ""))
            except ValueError:
                continue


def normal(url):
    def escape(match):
        character = chr(int(match[1], 16))
        plain = re.fullmatch(r"[A-Za-z0-9._~-]", character)
        return character if plain else match[0].upper()

    whole = re.sub("%(?![0-9A-Fa-f]{2})", "%25", url.partition("#")[0])
    return re.sub("%([0-9A-Fa-f]{2})", escape, whole)


def test_declared_links_mean_what_they_resolve_to(web, facts):
    closed = re.compile(r"/unseen|//user:|\.(png|pdf|css|js|zip|jpg|mp4|gz)($|\?)", re.I)
    encoded = re.compile("charsets/(shift-jis|windows-1251)$")
    for url, fact in facts.items():
        if fact.outcome != "ok" or encoded.search(url):
            continue
        parts = urlsplit(url)
        path = parts.path + (f"?{parts.query}" if parts.query else "")
        answer: Answer = web.answer(parts.hostname, path)
        source = answer.body.decode(answer.encoding, "replace") if answer.encoding else ""
        seen = {x for x in followed(url, source) if x.startswith("http:") and not closed.search(x)}
        declared = {link.to for link in answer.links if link.to}
        if url.endswith(("/traps/", "/directives/")) or "/nofollow" in url:
            assert declared <= seen
        else:
            assert seen == declared, url


# Text, sizes, options


def test_plain_pages_are_small_and_in_many_languages(web, facts):
    plain = [urlsplit(url) for url in facts if "/plain/" in url]
    sizes = sorted(len(web.answer(url.hostname, url.path).body) for url in plain)
    assert sizes[0] > 1500 and sizes[-1] < 25_000 and sizes[len(sizes) // 2] < 10_000
    assert len(LANGUAGES) >= 8
    for language in LANGUAGES:
        assert len(set(text(1, "key", language, 4000))) > 3


def test_duplicates_are_exact_or_near(web):
    def words(rest):
        return web.answer(web.hosts[0], f"/duplicates/{rest}").body.split()

    assert words("exact/a") == words("exact/b") == words("exact/c?from=b")
    assert web.answer(web.hosts[1], "/duplicates/exact/a") == web.answer(
        web.hosts[0], "/duplicates/exact/a"
    )
    differing = sum(a != b for a, b in zip(words("near/0"), words("near/3"), strict=True))
    assert differing == 2


def test_a_web_may_be_small_or_large():
    assert {f.outcome for f in Web(hosts=loopback(1)).truth(3).values()} == OUTCOMES - {"deferred"}
    large = Web(hosts=loopback(500), degree=10, depth=4)
    assert len(large.seeds) == 63 and len(set(large.hosts)) == 500
    site = Site(large, 497)
    assert (
        sum(ANSWERING["plain"].answer(site, f"{k}/{10 * k - 1}") is not None for k in (1, 4)) == 2
    )
    front = large.truth(1)
    assert len({urlsplit(url).hostname for url in front}) == 500


def test_pages_that_never_come_are_there_only_when_asked_for():
    web = Web(extras=("timeout",))
    facts = {url: fact.outcome for url, fact in web.truth(3).items() if "/timeout/" in url}
    assert [outcome for url, outcome in facts.items() if not url.endswith("/timeout/")] == [
        "failed",
        "failed",
    ]
    drip = web.answer(web.hosts[0], "/timeout/drip")
    assert drip.pieces > 50 and drip.delay < 1


@pytest.mark.parametrize("wrong", [{"hosts": ()}, {"degree": 0}, {"extras": ("nonsense",)}])
def test_a_web_that_cannot_be_is_refused(wrong):
    with pytest.raises(ValueError):
        Web(**wrong)


def test_the_command_prints_the_seeds_and_serves_names_on_one_address(tmp_path):
    log = tmp_path / "log"
    command = [sys.executable, "-m", "tests.web", "--hosts", "a.web.test,b.web.test"]
    command += ["--bind", "127.0.0.1", "--port", "0", "--log", str(log), "--extra", "timeout"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        seed = urlsplit(process.stdout.readline().strip())
        with socket.create_connection(("127.0.0.1", seed.port), timeout=10) as plug:
            plug.sendall(b"GET / HTTP/1.0\r\nHost: B.web.test\r\n\r\n")
            assert plug.recv(65536).startswith(b"HTTP/1.1 200 OK\r\n")
        process.send_signal(signal.SIGTERM)
        assert process.wait(10) == 0
    assert seed.hostname == "a.web.test"
    assert json.loads(log.read_text())["host"] == "b.web.test"
