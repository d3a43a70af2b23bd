"""Connections: which addresses, how long, how often, and what becomes of those that ended."""

from __future__ import annotations

import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import requests
from hypothesis import given
from hypothesis import strategies as st

from layercrawl.fetch import connection
from layercrawl.fetch.connection import Adapter, ForbiddenAddress, StaleConnection, public
from tests.raw_server import page, raw_server

PRIVATE = [
    "0.0.0.0",
    "10.1.2.3",
    "100.64.0.1",
    "127.0.0.1",
    "169.254.169.254",
    "168.63.129.16",
    "172.16.0.1",
    "192.0.0.192",
    "192.168.1.1",
    "198.18.0.1",
    "224.0.0.251",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::7f00:1",
    "::ffff:127.0.0.1",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::a00:1",
    "2002:7f00:1::",
    "fc00::1",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
]
PUBLIC = ["1.1.1.1", "8.8.8.8", "2606:4700::1111", "::ffff:8.8.8.8", "2002:808:808::1"]


def adapter(private: bool = True, verify: bool = True, connections: int = 4) -> Adapter:
    return Adapter(connections, lambda host: private, verify)


def get(adapter: Adapter, url: str, seconds: float = 5.0) -> bytes:
    with adapter.ask("GET", url, {"X-Test": "1"}, seconds, {}) as answer:
        body: bytes = answer.raw.read(65536, decode_content=False)
        answer.raw.read(1, decode_content=False)
        return body


@pytest.mark.parametrize("address", PRIVATE)
def test_private(address: str) -> None:
    assert not public(address)


@pytest.mark.parametrize("address", PUBLIC)
def test_public(address: str) -> None:
    assert public(address)


@given(st.ip_addresses(v=4).map(str))
def test_an_ipv4_address_is_the_same_in_ipv6_clothes(address: str) -> None:
    assert public(f"::ffff:{address}") == public(f"64:ff9b::{address}") == public(address)


class Stub:
    """Sockets that only note what they were to connect to, and names with given addresses."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, names: dict[str, list[str]]) -> None:
        self.names = names
        self.asked: list[str] = []
        self.connected: list[str] = []
        monkeypatch.setattr(connection.socket, "getaddrinfo", self.getaddrinfo)
        monkeypatch.setattr(connection.socket, "socket", lambda *kind: self)

    def getaddrinfo(self, host: str, port: int, *rest: Any) -> list[Any]:
        self.asked.append(host)
        return [(0, 0, 0, "", (address, port)) for address in self.names[host]]

    def connect(self, address: tuple[str, int]) -> None:
        self.connected.append(address[0])
        raise ConnectionRefusedError

    def settimeout(self, seconds: float) -> None:
        assert seconds > 0

    def setsockopt(self, *option: int) -> None:
        pass

    def close(self) -> None:
        pass


NAMES = {
    "inside.example": ["10.0.0.1", "fe80::1"],
    "both.example": ["127.0.0.1", "8.8.8.8", "::1", "1.1.1.1"],
    "::1": ["::1"],
    "many.example": [f"8.8.8.{number}" for number in range(100)],
}


@pytest.mark.parametrize(
    ("url", "asked", "connected"),
    [
        ("http://inside.example/", "inside.example", []),
        ("https://inside.example:8443/", "inside.example", []),
        ("http://both.example/", "both.example", ["8.8.8.8", "1.1.1.1"]),
        ("http://[::1]:8080/", "::1", []),
        ("http://many.example/", "many.example", NAMES["many.example"][:8]),
    ],
)
def test_nothing_connects_to_private_addresses(
    monkeypatch: pytest.MonkeyPatch, url: str, asked: str, connected: list[str]
) -> None:
    stub = Stub(monkeypatch, NAMES)
    with pytest.raises(requests.ConnectionError) as caught:
        adapter(private=False).ask("GET", url, {}, 5.0, {})
    assert (stub.asked, stub.connected) == ([asked], connected)
    assert isinstance(caught.value.args[0].reason, ForbiddenAddress) is (not connected)


@pytest.mark.parametrize(
    ("url", "spelling"), [("http://[::1]/", "[::1]"), ("http://inside.example/", "inside.example")]
)
def test_who_allows_is_asked_for_the_host_as_urls_spell_it(
    monkeypatch: pytest.MonkeyPatch, url: str, spelling: str
) -> None:
    stub = Stub(monkeypatch, NAMES)
    with pytest.raises(requests.ConnectionError):
        Adapter(1, lambda host: host == spelling, True).ask("GET", url, {}, 5.0, {})
    assert stub.connected


def test_the_request_names_path_and_query_as_they_are_spelt() -> None:
    path = "/a%7Cb/%C3%A9?q=%5B1%5D&&x=~"
    with raw_server([[page()]]) as server:
        assert get(adapter(), server.url(path)) == b"<p>page</p>"
    lines = server.requests[0].split("\r\n")
    assert lines[0] == f"GET {path} HTTP/1.1"
    assert sorted(lines[1:3]) == [f"Host: 127.0.0.1:{server.port}", "X-Test: 1"] or (
        "X-Test: 1" in lines and f"Host: 127.0.0.1:{server.port}" in lines
    )


def test_one_connection_serves_a_host() -> None:
    with raw_server([[page()] * 9]) as server:
        ours = adapter()
        for _ in range(9):
            get(ours, server.url())
    assert (server.connections, len(server.requests)) == (1, 9)


def test_the_connections_used_least_are_closed() -> None:
    with raw_server([[page()] * 9]) as one, raw_server([[page()] * 9]) as two:
        ours = adapter(connections=1)
        for server in (one, two, one, one):
            get(ours, server.url())
    assert (one.connections, two.connections) == (2, 1)


def reset(plug: socket.socket) -> None:
    plug.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    plug.close()


def hang_up(plug: socket.socket) -> None:
    plug.close()


@pytest.mark.parametrize("end", [reset, hang_up, b""])
def test_a_kept_connection_that_ended_is_told_and_replaced(end: Any) -> None:
    """The server closes when it gets the second request: nobody can know before it is sent."""
    with raw_server([[page(b"one"), end], [page(b"two")]]) as server:
        ours = adapter()
        assert get(ours, server.url()) == b"one"
        with pytest.raises(requests.ConnectionError) as caught:
            get(ours, server.url())
        assert isinstance(caught.value.args[0], StaleConnection)
        assert get(ours, server.url()) == b"two"
    assert (server.connections, len(server.requests)) == (2, 3)


def test_a_connection_closed_before_is_not_used_again() -> None:
    with raw_server([[page(b"one")], [page(b"two")]]) as server:
        ours = adapter()
        assert get(ours, server.url()) == b"one"
        time.sleep(0.1)
        assert get(ours, server.url()) == b"two"
    assert len(server.requests) == 2


@pytest.mark.parametrize("end", [reset, hang_up])
def test_a_new_connection_that_ends_is_not_replaced(end: Any) -> None:
    with raw_server([[end]]) as server, pytest.raises(requests.ConnectionError):
        get(adapter(), server.url())
    assert server.connections == 1


def test_a_connection_in_place_of_one_closed_before_is_new() -> None:
    with raw_server([[page()], [hang_up]]) as server:
        ours = adapter()
        get(ours, server.url())
        time.sleep(0.1)
        with pytest.raises(requests.ConnectionError):
            get(ours, server.url())
    assert (server.connections, len(server.requests)) == (2, 2)


def test_garbage_on_a_kept_connection_is_an_answer() -> None:
    with raw_server([[page(), b"garbage\r\n\r\n"]]) as server:
        ours = adapter()
        get(ours, server.url())
        with pytest.raises(requests.ConnectionError) as caught:
            get(ours, server.url())
    assert not isinstance(caught.value.args[0], StaleConnection)
    assert len(server.requests) == 2


def silent(plug: socket.socket) -> None:
    time.sleep(3)


def test_dead_addresses_share_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    with (
        raw_server([[page()]]) as server,
        socket.create_server(("127.0.0.1", 0), backlog=0) as dead,
    ):
        full = [socket.socket() for _ in range(4)]
        for plug in full:  # a listener whose queue is full answers nobody
            plug.setblocking(False)
            plug.connect_ex(dead.getsockname())
        found = [
            (socket.AF_INET, socket.SOCK_STREAM, 0, "", address)
            for address in (dead.getsockname(), ("127.0.0.1", server.port))
        ]
        monkeypatch.setattr(connection.socket, "getaddrinfo", lambda *name: found)
        start = time.monotonic()
        assert get(adapter(), server.url(), 1.0) == b"<p>page</p>"
        assert time.monotonic() - start > 0.4
        for plug in full:
            plug.close()


def test_many_threads_share_an_adapter() -> None:
    answers = [page(b"%d" % number) for number in range(200)]
    with raw_server([answers]) as one, raw_server([answers]) as two:
        ours = adapter(connections=2)
        urls = [one.url(), two.url()] * 50
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(lambda url: get(ours, url), urls))
    assert len(found) == len(one.requests) + len(two.requests) == 100
    assert all(body.isdigit() for body in found)


def test_a_proxy_is_asked_for_the_whole_url_and_connects_where_it_likes() -> None:
    with raw_server([[page(b"by proxy")] * 2]) as proxy:
        ours, proxies = adapter(private=False), {"http": f"http://127.0.0.1:{proxy.port}"}
        for _ in range(2):
            with ours.ask("GET", "http://inside.example/a?b", {}, 5.0, proxies) as answer:
                assert answer.raw.read(99) == b"by proxy"
                assert isinstance(answer.raw._original_response, connection.Answer)
    assert proxy.requests[0].startswith("GET http://inside.example/a?b HTTP/1.1\r\n")


@pytest.mark.parametrize("host", ["169.254.169.254", "[::ffff:10.0.0.1]", "127.0.0.1"])
def test_no_proxy_is_asked_for_an_address_that_is_private_itself(host: str) -> None:
    with raw_server([[page()]]) as proxy:
        proxies = {"http": f"http://127.0.0.1:{proxy.port}"}
        with pytest.raises(ForbiddenAddress):
            adapter(private=False).ask("GET", f"http://{host}/", {}, 5.0, proxies)
        assert proxy.requests == []
        allowing = Adapter(1, lambda asked: asked == host, True)
        assert (
            allowing.ask("GET", f"http://{host}/", {}, 5.0, proxies).raw.read(99) == b"<p>page</p>"
        )


def test_proxies_of_other_schemes_are_none() -> None:
    with raw_server([[page()]]) as server:
        proxies = {"https": "http://127.0.0.1:9"}
        assert (
            adapter().ask("GET", server.url("/a"), {}, 5.0, proxies).raw.read(99) == b"<p>page</p>"
        )
    assert server.requests[0].startswith("GET /a HTTP/1.1\r\n")


@pytest.fixture(scope="module")
def tls(tmp_path_factory: pytest.TempPathFactory) -> tuple[ssl.SSLContext, Path]:
    """A server's context for 127.0.0.1, and its certificate's file."""
    folder = tmp_path_factory.mktemp("tls")
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2"
    names = ["-subj", "/CN=test", "-addext", "subjectAltName=IP:127.0.0.1"]
    files = ["-keyout", str(key), "-out", str(certificate)]
    try:
        subprocess.run([*command.split(), *names, *files], check=True, capture_output=True)
    except FileNotFoundError:
        pytest.skip("no openssl to make a certificate with")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context, certificate


def test_a_certificate_that_nobody_knows_is_refused(tls: tuple[ssl.SSLContext, Path]) -> None:
    with raw_server([[page()]], tls[0]) as server, pytest.raises(requests.exceptions.SSLError):
        get(adapter(), server.url())
    assert server.requests == []


@pytest.mark.filterwarnings("ignore:Unverified HTTPS request")
def test_a_certificate_that_nobody_knows_passes_if_that_is_wanted(
    tls: tuple[ssl.SSLContext, Path],
) -> None:
    with raw_server([[page()] * 2], tls[0]) as server:
        ours = adapter(verify=False)
        assert [get(ours, server.url()) for _ in range(2)] == [b"<p>page</p>"] * 2
    assert server.connections == 1


@pytest.fixture
def trusting(tls: tuple[ssl.SSLContext, Path], monkeypatch: pytest.MonkeyPatch) -> Adapter:
    monkeypatch.setattr(connection, "DEFAULT_CA_BUNDLE_PATH", str(tls[1]))
    return adapter()


def test_a_kept_tls_connection_that_ended_is_told_and_replaced(
    tls: tuple[ssl.SSLContext, Path], trusting: Adapter
) -> None:
    with raw_server([[page(b"one"), hang_up], [page(b"two")]], tls[0]) as server:
        assert get(trusting, server.url()) == b"one"
        with pytest.raises(requests.ConnectionError) as caught:
            get(trusting, server.url())
        assert isinstance(caught.value.args[0], StaleConnection)
        assert get(trusting, server.url()) == b"two"
    assert (server.connections, len(server.requests)) == (2, 3)


def drip(plug: socket.socket) -> None:
    plug.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
    for _ in range(100):
        plug.sendall(b"x")
        time.sleep(0.05)


def test_a_tls_answer_that_drips_ends_in_time(
    tls: tuple[ssl.SSLContext, Path], trusting: Adapter
) -> None:
    with raw_server([[drip]], tls[0]) as server:
        start = time.monotonic()
        with (
            trusting.ask("GET", server.url(), {}, 0.5, {}) as answer,
            pytest.raises(Exception) as caught,
        ):
            answer.raw.read(65536, decode_content=False)
    assert type(caught.value).__name__ == "ReadTimeoutError"
    assert 0.4 < time.monotonic() - start < 4


@pytest.fixture
def handshake_drip() -> Iterator[int]:
    """A port that answers TLS's first words by a byte now and then."""

    def answer() -> None:
        plug, _ = listening.accept()
        with plug:
            for byte in b"\x16\x03\x03\x40\x00" + bytes(100):
                try:
                    plug.sendall(bytes([byte]))
                except OSError:
                    return
                time.sleep(0.1)

    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=answer, daemon=True).start()
        yield listening.getsockname()[1]


def test_a_tls_handshake_that_drips_ends_in_time(handshake_drip: int) -> None:
    start = time.monotonic()
    with pytest.raises(requests.Timeout):
        get(adapter(), f"https://127.0.0.1:{handshake_drip}/", 0.5)
    assert 0.4 < time.monotonic() - start < 4


def test_close_lets_all_connections_go() -> None:
    with raw_server([[page()] * 9]) as server:
        ours = adapter()
        get(ours, server.url())
        ours.close()
        get(ours, server.url())
    assert server.connections == 2


@pytest.mark.parametrize(
    ("host", "address"), [("127.0.0.1", "127.0.0.1"), ("[::1]", "::1"), ("no..name", "")]
)
def test_the_address_of_a_host(host: str, address: str) -> None:
    assert adapter().address(host, 5.0) == address
