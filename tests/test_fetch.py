"""Whatever a server does becomes a Page: by tables, by the seeded web, and by hostile servers."""

from __future__ import annotations

import errno
import gzip
import hashlib
import http.client
import io
import json
import socket
import ssl
import time
import tracemalloc
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

import pytest
import requests
from urllib3.exceptions import ProtocolError

from layercrawl import answers, fetch, manners, robots, schedule
from layercrawl.codings import BrokenCoding
from layercrawl.config import Config
from layercrawl.download.spool import Hop
from layercrawl.fetch import ROBOTS_BYTES, Fetcher, explain
from layercrawl.fetch.fields import Fields
from layercrawl.records import Page, Target
from tests.raw_server import RawServer, page, raw_server
from tests.web import Web, serve
from tests.web.features.bodies import HUGE

CASES: dict[str, list[dict[str, Any]]] = json.loads(
    (Path(__file__).parent / "data" / "fetch.json").read_text("utf-8")
)
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"


def cases(section: str) -> Any:
    return pytest.mark.parametrize("case", CASES[section], ids=lambda case: case["description"])


def fetcher(seed_hosts: frozenset[str] = frozenset(), **settings: Any) -> Fetcher:
    return Fetcher(Config(**{"allow_private": True, "timeout": 5.0, **settings}), seed_hosts)


def asked(server: RawServer, path: str = "/", **settings: Any) -> Page:
    return fetcher(**settings).page(server.url(path), Target())


@cases("answers")
def test_answers(case: dict[str, Any]) -> None:
    sent = "".join(case["sent"]).encode("latin-1")
    with raw_server([[sent]]) as server:
        found = asked(server, "/a/")
        location = case.get("location", "")
        assert (found.outcome, found.reason) == (case["outcome"], case.get("reason", ""))
        assert (found.status, found.html) == (case.get("status", 0), case.get("html", ""))
        assert found.location == (server.url(location) if location[:1] == "/" else location)
    assert found.http_version == (case.get("version", "1.1") if found.status else "")
    assert (found.attempts, bool(found.digest)) == (1, found.outcome == "ok")


def test_a_page_says_all_that_was_received() -> None:
    body = "<p>Grüße</p>".encode()
    sent = page(gzip.compress(body), "Content-Encoding: gzip", "X-A: 1", "x-a: é")
    with raw_server([[sent]]) as server:
        before = datetime.now(UTC).replace(microsecond=0)
        found = asked(server)
    assert found.headers == [
        ("Content-Length", str(len(gzip.compress(body)))),
        ("Content-Type", "text/html"),
        ("Content-Encoding", "gzip"),
        ("X-A", "1"),
        ("X-A", "Ã©"),
    ]
    assert (found.body(), found.encoding) == (body, "utf-8")
    assert found.digest == hashlib.sha256(body).hexdigest()
    assert 0 <= found.elapsed < 5
    assert before <= schedule.moment(found.fetched) <= datetime.now(UTC)


@pytest.mark.parametrize("status", [b"200 OK", b"404 Not Found"])
def test_a_chunk_that_claims_to_be_huge_takes_no_room(status: bytes) -> None:
    chunked = b"Content-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n"
    tracemalloc.start()
    with raw_server([[b"HTTP/1.1 %b\r\n%bFFFFFFFFFFFFFFF\r\npage" % (status, chunked)]]) as server:
        found = asked(server)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found.reason in ("body cut short", "status 404") and peak < 10_000_000


def test_bytes_without_an_inverse_are_kept() -> None:
    body = b"<meta charset=utf-8>\xff\xfe"
    with raw_server([[page(body)]]) as server:
        found = asked(server)
    assert found.body_b64
    assert found.body() == body


def test_the_request_says_who_asks_and_what_for() -> None:
    lines = ("Accept: text/plain", "accept-encoding:identity", "X-A: b:c ")
    with raw_server([[page()]]) as server:
        seeds = frozenset({"127.0.0.1"})
        ours = fetcher(seeds, user_agent="mybot/1", contact="http://a.example/bot", header=lines)
        ours.page(server.url(), Target())
    head = Counter(server.requests[0].split("\r\n"))
    for line in (
        "User-Agent: mybot/1 (+http://a.example/bot)",
        "Accept: text/plain",
        "accept-encoding: identity",
        "X-A: b:c",
        f"Host: 127.0.0.1:{server.port}",
    ):
        assert head.pop(line) == 1
    assert sorted(head) == ["", "GET / HTTP/1.1"]


def cookies_sent(server: RawServer) -> list[list[str]]:
    lines = (request.split("\r\n") for request in server.requests)
    return [[x[8:] for x in mine if x.startswith("Cookie: ")] for mine in lines]


def test_cookies_are_off() -> None:
    with raw_server([[page(b"", "Set-Cookie: a=1")] * 2]) as server:
        ours = fetcher()
        for _ in range(2):
            ours.page(server.url(), Target())
    assert cookies_sent(server) == [[], []]


def test_cookies_of_a_host_that_is_named_go_back_to_it_alone() -> None:
    setting = page(b"", "Set-Cookie: a=1", "Set-Cookie: b=2; Path=/p", "Set-Cookie: c=3; Secure")
    with raw_server([[setting, page(), page()]]) as server, raw_server([[page()]]) as other:
        ours = fetcher(cookies=("127.0.0.1",))
        for path in ("/", "/", "/p/x"):
            ours.page(server.url(path), Target())
        ours.page(f"http://localhost:{other.port}/", Target())
    assert cookies_sent(server) == [[], ["a=1"], ["b=2; a=1"]]
    assert cookies_sent(other) == [[]]


def test_a_host_keeps_few_cookies_and_short_ones() -> None:
    lines = [f"Set-Cookie: c{n}={n}" for n in range(200)]
    with raw_server([[page(b"", "Set-Cookie: x=" + "x" * 5000, *lines), page()]]) as server:
        ours = fetcher(cookies=("127.0.0.1",))
        for _ in range(2):
            ours.page(server.url(), Target())
    sent = cookies_sent(server)[1][0].split("; ")
    assert len(sent) == 50 and sent[0] == "c0=0"


def test_the_users_headers_go_to_the_seeds_hosts_alone() -> None:
    """Nor does a robots.txt that is redirected take them elsewhere."""
    with raw_server([[page()] * 9]) as other:
        there = f"http://localhost:{other.port}/robots.txt"
        moved = f"HTTP/1.1 302 Found\r\nLocation: {there}\r\nContent-Length: 0\r\n\r\n"
        ours = fetcher(frozenset({"127.0.0.1"}), header=("X-Study: Basic",))
        with raw_server([[moved.encode()]]) as seed:
            followed(ours, seed.url("/robots.txt"), Target(kind="robots"))
        ours.page(f"http://localhost:{other.port}/", Target())
    assert ["X-Study: Basic" in request for request in seed.requests] == [True]
    assert ["X-Study" in request for request in other.requests] == [False, False]


def test_what_lets_somebody_in_goes_to_one_origin_alone() -> None:
    with raw_server([[page()]]) as one, raw_server([[page()]]) as other:
        words = (f"http://127.0.0.1:{one.port}/ authorization: Basic c2VjcmV0", "X-Study: a")
        ours = fetcher(frozenset({"127.0.0.1"}), header=words)
        for server in (one, other):
            ours.page(server.url(), Target())
    asked = [server.requests[0] for server in (one, other)]
    assert ["\r\nauthorization: Basic c2VjcmV0\r\n" in request for request in asked] == [
        True,
        False,
    ]
    assert ["X-Study" in request for request in asked] == [True, True]


def test_nor_to_http_where_https_was_said() -> None:
    config = Config(header=("https://www.a.example:443 Authorization: x", "USER-AGENT: y"))
    fields = Fields(config, frozenset({"a.example", "www.a.example"}))
    there = fields.of("https://www.a.example/x")
    assert (there["Authorization"], there["USER-AGENT"]) == ("x", "y") and "User-Agent" not in there
    for url in (
        "http://www.a.example/", "https://a.example/", "https://www.a.example:8443/",
        "https://b.example/",
    ):  # fmt: skip
        assert "Authorization" not in fields.of(url)


ENDING = ("broken", "bodies", "heads")
"""Features with answers that end a connection, by themselves or since they are too long."""


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("web") / "access.log"


@pytest.fixture(scope="module")
def crawled(log: Path) -> tuple[Web, dict[str, Page]]:
    """Every URL of the seeded web that robots.txt allows, asked for once."""
    with serve(Web(port=0, extras=("heads",)), log=log) as web:
        ours = fetcher(max_bytes=HUGE)
        allowed = [url for url, fact in web.truth(3).items() if fact.outcome != "deferred"]
        return web, {url: ours.page(url, Target()) for url in allowed if "/rules/" not in url}


def test_the_seeded_web_is_seen_as_it_is(crawled: tuple[Web, dict[str, Page]]) -> None:
    web, pages = crawled
    facts = web.truth(3)
    for url, found in pages.items():
        if url.endswith("/redirects/chain/7/5"):
            continue  # too far for a crawl, which one request cannot know
        fact = facts[url]
        assert (url, found.outcome) == (url, fact.outcome)
        if fact.outcome == "ok":
            assert (url, found.digest, found.truncated) == (url, fact.digest, fact.truncated)


def test_one_connection_serves_all_of_a_hosts_pages(
    crawled: tuple[Web, dict[str, Page]], log: Path
) -> None:
    connections = defaultdict(set)
    for line in log.read_text().splitlines():
        request = json.loads(line)
        connections[request["host"]].add(request["connection"])
    web, pages = crawled
    unbroken = {
        host
        for host in connections
        if not any(f"//{host}:{web.port}/{name}/" in url for url in pages for name in ENDING)
    }
    assert len(unbroken) >= 3
    assert {host: len(connections[host]) for host in unbroken} == dict.fromkeys(unbroken, 1)


@pytest.mark.parametrize(
    "rest",
    [
        b"HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\noops",
        b"HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n4\r\noops\r\n0\r\n\r\n",
        b"HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 204 No Content\r\n\r\n",
        b"HTTP/1.1 304 Not Modified\r\n\r\n",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n4\r\npage\r\n0\r\n\r\n",
        HEAD + b"Content-Length: 0\r\n\r\n",
    ],
)
def test_a_connection_goes_on_after(rest: bytes) -> None:
    with raw_server([[rest, page()]]) as server:
        ours = fetcher()
        ours.page(server.url(), Target())
        assert ours.page(server.url(), Target()).outcome == "ok"
    assert server.connections == 1


sent: list[int] = []


def endless(plug: socket.socket) -> None:
    sent.clear()
    with suppress(OSError):
        while True:
            sent.append(plug.send(bytes(1 << 16)))


@pytest.mark.parametrize(
    ("head", "outcome"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Type: application/java-archive\r\n", "refused"),
        (b"HTTP/1.1 404 Not Found\r\n", "gone"),
        (b"HTTP/1.1 500 Oops\r\nContent-Length: 1073741824\r\n", "failed"),
        (HEAD, "ok"),
    ],
)
def test_a_body_that_is_not_wanted_is_not_read(head: bytes, outcome: str) -> None:
    def say(plug: socket.socket) -> None:
        plug.sendall(head + b"\r\n")
        endless(plug)

    with raw_server([[say]]) as server:
        start = time.monotonic()
        found = asked(server, max_bytes=100_000)
    assert time.monotonic() - start < 5
    assert (found.outcome, found.truncated) == (outcome, outcome == "ok")
    assert len(found.html) == (100_000 if outcome == "ok" else 0)
    time.sleep(0.1)
    assert sum(sent) < 20_000_000  # what the system's buffers hold


@pytest.mark.parametrize(
    ("length", "truncated"), [(99_999, False), (100_000, False), (100_001, True)]
)
def test_a_body_is_cut_at_the_limit(length: int, truncated: bool) -> None:
    body = b"x" * length
    for answer in (page(body), page(gzip.compress(body), "Content-Encoding: gzip")):
        with raw_server([[answer]]) as server:
            found = asked(server, max_bytes=100_000)
        assert (len(found.html), found.truncated) == (min(length, 100_000), truncated)
        assert found.digest == hashlib.sha256(body[:100_000]).hexdigest()


def test_a_bomb_is_cut_at_the_limit_and_takes_little_memory() -> None:
    bomb = gzip.compress(bytes(100_000_000), 1)
    with raw_server([[page(bomb, "Content-Encoding: gzip")]]) as server:
        ours = fetcher(max_bytes=1_000_000)
        tracemalloc.start()
        found = ours.page(server.url(), Target())
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert (found.outcome, found.truncated, len(found.html)) == ("ok", True, 1_000_000)
    assert peak < 20_000_000


def silence(plug: socket.socket) -> None:
    time.sleep(3)


def head_drip(plug: socket.socket) -> None:
    for byte in HEAD * 100:
        plug.sendall(bytes([byte]))
        time.sleep(0.05)


def body_drip(plug: socket.socket) -> None:
    plug.sendall(HEAD + b"Content-Length: 1000\r\n\r\n")
    silence_broken(plug)


def chunk_drip(plug: socket.socket) -> None:
    plug.sendall(HEAD + b"Transfer-Encoding: chunked\r\n\r\n")
    while True:
        plug.sendall(b"1\r\nx\r\n")
        time.sleep(0.05)


def silence_broken(plug: socket.socket) -> None:
    while True:
        plug.sendall(b"x")
        time.sleep(0.05)


@pytest.mark.parametrize("say", [silence, head_drip, body_drip, chunk_drip])
def test_no_answer_takes_longer_than_its_time(say: Any) -> None:
    with raw_server([[say]]) as server:
        found = asked(server, timeout=0.5)
    assert (found.outcome, found.reason) == ("failed", "timeout")
    assert 0.4 < found.elapsed < 0.9


def test_an_error_page_that_drips_is_an_error_all_the_same() -> None:
    def say(plug: socket.socket) -> None:
        plug.sendall(b"HTTP/1.1 410 Gone\r\nContent-Length: 1000\r\n\r\n")
        silence_broken(plug)

    with raw_server([[say]]) as server:
        found = asked(server, timeout=0.5)
    assert (found.outcome, found.reason) == ("gone", "status 410")
    assert found.elapsed < 0.9


def test_decoding_ends_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(chunks: Iterator[bytes], coding: str) -> Iterator[bytes]:
        while True:
            yield b""

    monkeypatch.setattr(fetch.codings, "decoded", endless)
    monkeypatch.setattr(fetch.bodies, "DECODING", 0.1)
    with raw_server([[page(b"x", "Content-Encoding: gzip")]]) as server:
        found = asked(server)
    assert (found.outcome, found.reason) == ("failed", "timeout")


def test_a_bug_is_not_the_webs_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    def bug(*arguments: object) -> None:
        raise ValueError("a bug")

    monkeypatch.setattr(fetch.charset, "decode", bug)
    with raw_server([[page()]]) as server, pytest.raises(ValueError, match="a bug"):
        asked(server)


def test_private_addresses_are_for_seeds_and_who_wants_them() -> None:
    with raw_server([[page()] * 9]) as server:
        refused = Fetcher(Config(), frozenset({"a.example"})).page(server.url(), Target())
        assert (refused.outcome, refused.reason) == ("refused", "private address")
        assert server.connections == 0
        seed = Fetcher(Config(), frozenset({"127.0.0.1"})).page(server.url(), Target())
        assert seed.outcome == "ok"


def test_the_environment_names_proxies_and_who_is_asked_without(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with (
        raw_server([[page(b"by proxy")] * 9]) as proxy,
        raw_server([[page(b"straight")]]) as server,
    ):
        for name in ("http_proxy", "HTTP_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        for name in ("no_proxy", "NO_PROXY"):
            monkeypatch.setenv(name, "127.0.0.1")
        fetch._proxies.cache_clear()
        ours = fetcher(allow_private=False, timeout=5.0)
        assert ours.page("http://proxied.example/a?b", Target()).html == "by proxy"
        metadata = ours.page("http://169.254.169.254/", Target())
        assert fetcher().page(server.url(), Target()).html == "straight"
    fetch._proxies.cache_clear()
    assert (metadata.outcome, metadata.reason) == ("refused", "private address")
    assert [x.split("\r\n")[0] for x in proxy.requests] == [
        "GET http://proxied.example/a?b HTTP/1.1"
    ]


@pytest.mark.parametrize("host", ["some_name.test", "r2---sn-abc.test", "xn--bcher-kva.test"])
def test_hosts_of_odd_names_are_fetched(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def lookup(name: str, port: int, *kind: object) -> list[object]:
        assert name == host
        return [(socket.AF_INET, socket.SOCK_STREAM, 0, "", ("127.0.0.1", port))]

    monkeypatch.setattr(socket, "getaddrinfo", lookup)
    monkeypatch.setattr(fetch, "_proxies", lambda origin: {})
    with raw_server([[page()]]) as server:
        found = fetcher().page(f"http://{host}:{server.port}/", Target())
    assert found.outcome == "ok"
    assert f"Host: {host}:{server.port}" in server.requests[0]


def test_a_redirect_counts_the_hops_before_it() -> None:
    moved = b"HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n"
    with raw_server([[moved] * 2]) as server:
        ours = fetcher()
        found = [ours.page(server.url(), Target(hops=hops)) for hops in (4, 5)]
    assert [page.outcome for page in found] == ["redirect", "refused"]
    assert found[1].location == ""


@cases("robots")
def test_robots(case: dict[str, Any]) -> None:
    lines = f"HTTP/1.1 {case['status']} X\r\nContent-Type: {case.get('type', 'text/html')}\r\n"
    answer = lines.encode() + b"Content-Length: 13\r\n\r\nUser-agent: *"
    with raw_server([[answer]]) as server:
        found = fetcher().robots(server.url("/robots.txt"), Target(kind="robots"))
    assert (found.outcome, manners.rules_text(found)) == (case["outcome"], case["rules"])
    assert found.target.kind == "robots"


def test_a_robots_txt_of_nothing_has_no_rules() -> None:
    with raw_server([[page(b"")]]) as server:
        found = fetcher().robots(server.url("/robots.txt"), Target(kind="robots"))
    assert (found.outcome, manners.rules_text(found)) == ("ok", "")


def nobody_listens() -> str:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return f"http://127.0.0.1:{free.getsockname()[1]}"


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_robots_txt_that_cannot_be_had_forbids_all_for_now(scheme: str) -> None:
    """Nobody listens, or what answers does not speak TLS."""
    with raw_server([[page()]]) as server:
        server._heard = lambda plug: True  # type: ignore[method-assign]
        address = nobody_listens() if scheme == "http" else f"https://127.0.0.1:{server.port}"
        found = fetcher().robots(f"{address}/robots.txt", Target(kind="robots"))
    reason = "connection refused" if scheme == "http" else "TLS error"
    assert (found.outcome, found.reason, manners.rules_text(found)) == ("failed", reason, None)


def test_a_long_robots_txt_is_kept_up_to_its_limit() -> None:
    with raw_server([[page(b"#" * (ROBOTS_BYTES + 1))]]) as server:
        found = fetcher(max_bytes=9).robots(server.url("/robots.txt"), Target(kind="robots"))
    assert (found.outcome, len(found.html), found.truncated) == ("ok", ROBOTS_BYTES, True)


def test_the_line_at_a_robots_txts_limit_is_not_read_by_halves() -> None:
    head, last = b"User-agent: *\nDisallow: /a\n#", b"\nDisallow: /"
    sent = head.ljust(ROBOTS_BYTES - len(last), b"x") + last + b"private\n"
    with raw_server([[page(sent)]]) as server:
        found = fetcher().robots(server.url("/robots.txt"), Target(kind="robots"))
    rules = robots.parse((manners.rules_text(found) or "").encode())
    asked_for = ("http://a.example/b", "http://a.example/a")
    assert [rules.allows(url, "mybot") for url in asked_for] == [True, False]


def moved_to(url: str) -> bytes:
    return f"HTTP/1.1 301 Moved\r\nLocation: {url}\r\nContent-Length: 0\r\n\r\n".encode()


def sitemap(sent: bytes, **settings: Any) -> Page:
    with raw_server([[sent]]) as server:
        return fetcher(**settings).page(server.url("/s"), Target(kind="sitemap"))


def test_a_sitemap_is_kept_whole_and_a_packed_one_as_it_is() -> None:
    found = sitemap(page(b"<urlset>" * 99, "Content-Type: application/xml"), max_bytes=9)
    assert (found.outcome, found.html, found.truncated) == ("ok", "<urlset>" * 99, False)
    packed = gzip.compress(b"<urlset>", mtime=0)
    found = sitemap(page(packed, "Content-Type: application/gzip"))
    assert (found.outcome, found.html, found.encoding) == ("ok", "", "")
    assert (found.body(), found.digest) == (packed, hashlib.sha256(packed).hexdigest())
    assert asked_type("application/gzip").outcome == "refused"


def test_a_long_sitemap_is_kept_as_a_gzip_file(monkeypatch: pytest.MonkeyPatch) -> None:
    long = b"http://a.example/" * 99_999
    for sent in (page(long), page(gzip.compress(long), "Content-Encoding: gzip")):
        found = sitemap(sent)
        assert (found.outcome, found.html, found.truncated) == ("ok", "", False)
        assert gzip.decompress(found.body()) == long
    monkeypatch.setattr(fetch.bodies, "MOST_PACKED", 99)
    for sent in (page(long), page(gzip.compress(long))):
        found = sitemap(sent)
        assert (len(found.body()), found.truncated) == (99, True)


def test_a_coded_body_that_never_ends_is_cut_whatever_is_sent() -> None:
    """Noise, which no coding makes shorter, and members that hold nothing."""
    noise = Random(1).randbytes(300_000)
    for body, length in ((noise, 100_000), (b"x", 1), (b"", 0)):
        wire = gzip.compress(body) + gzip.compress(b"") * 20_000
        with raw_server([[page(wire, "Content-Encoding: gzip")]]) as server:
            found = asked(server, max_bytes=100_000)
        if body:
            assert (found.outcome, found.truncated, len(found.body())) == ("ok", True, length)
        else:
            assert (found.outcome, found.reason) == ("failed", "content coding cut short")


def test_a_full_disk_is_not_the_webs_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    class Full(io.BytesIO):
        def write(self, data: Any) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(fetch.bodies.tempfile, "SpooledTemporaryFile", lambda *_, **__: Full())
    with raw_server([[page()]]) as server, pytest.raises(RuntimeError, match="No space left"):
        asked(server)


def asked_type(content_type: str) -> Page:
    with raw_server([[page(b"x", f"Content-Type: {content_type}")]]) as server:
        return asked(server)


def test_a_sitemap_beyond_the_limit_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetch.sitemaps, "MAX_BYTES", 10)
    found = sitemap(page(b"http://a.example/"))
    assert (found.html, found.truncated) == ("http://a.e", True)


def followed(ours: Fetcher, url: str, target: Target) -> Page:
    """The answer that a robots.txt's redirects lead to."""
    found, number = ours.robots(url, target), 0
    while found.outcome == "redirect":
        number += 1
        found = ours.robots(url, target, Hop(found.location, number))
    return found


def robots_after(*hops: bytes) -> tuple[Page, int]:
    with raw_server([[*hops, page(b"User-agent: *")]]) as server:
        found = followed(fetcher(), server.url("/robots.txt"), Target(kind="robots"))
    return found, len(server.requests)


def test_robots_txt_is_followed_for_five_hops() -> None:
    found, requests = robots_after(*[moved_to("/next")] * 5)
    assert (found.outcome, found.html, found.location, requests) == ("ok", "User-agent: *", "", 6)
    found, requests = robots_after(*[moved_to("/next")] * 6)
    assert (found.outcome, found.reason, requests) == ("refused", "more than 5 redirects", 6)


def test_all_of_a_robots_txts_redirects_may_take_as_long_as_one_answer() -> None:
    with raw_server([[silence]]) as server:
        hop = Hop(server.url("/next"), 1, 29.5)
        found = fetcher(timeout=30).robots(server.url("/robots.txt"), Target(kind="robots"), hop)
    assert (found.outcome, found.reason) == ("failed", "timeout")
    assert found.elapsed < 2


def test_robots_txt_is_not_followed_to_a_file() -> None:
    found, requests = robots_after(moved_to("file:///etc/passwd"))
    assert (found.outcome, requests) == ("refused", 1)


def test_robots_txt_is_followed_to_other_hosts_but_not_to_private_ones() -> None:
    with raw_server([[page(b"User-agent: *")] * 2]) as other:
        away = moved_to(other.url("/r").replace("127.0.0.1", "localhost"))
        with raw_server([[away] * 2]) as server:
            url, target = server.url("/robots.txt"), Target(kind="robots")
            assert followed(fetcher(), url, target).html == "User-agent: *"
            found = followed(Fetcher(Config(), frozenset({"127.0.0.1"})), url, target)
    assert (found.outcome, found.reason) == ("refused", "private address")
    assert other.connections == 1


def test_a_kept_connection_that_ends_is_a_failure_of_its_own() -> None:
    def hang_up(plug: socket.socket) -> None:
        plug.close()

    with raw_server([[page(), hang_up], [hang_up]]) as server:
        ours = fetcher()
        found = [ours.page(server.url(), Target()) for _ in range(3)]
    assert [x.outcome for x in found] == ["ok", "failed", "failed"]
    assert [x.reason for x in found[1:]] == [answers.ENDED, "closed without an answer"]


def test_a_port_that_nobody_listens_on() -> None:
    found = fetcher().page(f"{nobody_listens()}/", Target())
    assert (found.outcome, found.reason) == ("failed", "connection refused")


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (socket.gaierror(socket.EAI_NONAME, "?"), "name not found"),
        (socket.gaierror(socket.EAI_AGAIN, "?"), "name server failed"),
        (UnicodeError("label too long"), "name not found"),
    ],
)
def test_names_that_are_not_found(
    monkeypatch: pytest.MonkeyPatch, error: Exception, reason: str
) -> None:
    def fail(*arguments: object) -> None:
        raise error

    monkeypatch.setattr(socket, "getaddrinfo", fail)
    for scheme in ("http", "https"):
        found = fetcher().page(f"{scheme}://a.example/", Target())
        assert (found.outcome, found.reason) == ("failed", reason)


def test_what_speaks_no_tls() -> None:
    def say(plug: socket.socket) -> None:
        plug.sendall(page())

    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        found = fetcher(timeout=0.3).page(f"https://127.0.0.1:{port}/", Target())
        assert (found.outcome, found.reason) == ("failed", "timeout")
    with raw_server([[say]]) as plain:
        plain._heard = lambda plug: True  # type: ignore[method-assign]
        found = fetcher().page(plain.url().replace("http:", "https:"), Target())
    assert (found.outcome, found.reason) == ("failed", "TLS error")


def untrusted() -> ssl.SSLCertVerificationError:
    error = ssl.SSLCertVerificationError(1, "varying words")
    error.verify_message = "certificate has expired"
    return error


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (requests.exceptions.SSLError(untrusted()), "TLS: certificate has expired"),
        (ProtocolError("?", OSError(errno.EHOSTUNREACH, "?")), "host unreachable"),
        (ProtocolError("?", ConnectionResetError(errno.ECONNRESET, "?")), "connection reset"),
        (ProtocolError("?", http.client.IncompleteRead(b"")), "body cut short"),
        (requests.ConnectTimeout(), "timeout"),
        (BrokenCoding("content coding broken"), "content coding broken"),
        (requests.exceptions.InvalidURL("<object at 0x7f>"), "broken answer"),
    ],
)
def test_words_for_failures(error: Exception, words: str) -> None:
    assert explain(error) == ("failed", words)
