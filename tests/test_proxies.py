"""Proxies by the usual environment variables: for http, by CONNECT for https; who goes without."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest
import trustme

from layercrawl import fetch
from layercrawl.config import Config
from layercrawl.fetch import Fetcher, connection
from layercrawl.records import Page, Target
from tests.raw_server import Listener, RawServer, page, raw_server

NAMES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")
HOST = "secure.example"
"""No name of this machine: only by a proxy is anything found there."""


@pytest.fixture(autouse=True)
def no_proxy_yet(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    fetch._proxies.cache_clear()
    yield
    fetch._proxies.cache_clear()


@pytest.fixture
def secure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[RawServer]:
    """A TLS server whose certificate is HOST's and localhost's."""
    authority, context = trustme.CA(), ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(HOST, "localhost").configure_cert(context)
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    monkeypatch.setattr(connection, "DEFAULT_CA_BUNDLE_PATH", str(tmp_path / "ca.pem"))
    with raw_server([[page(b"by a tunnel")] * 2], context) as server:
        yield server


class Tunnels(Listener):
    """A proxy that lets everybody through by CONNECT, to one port of this machine."""

    def __init__(self, port: int) -> None:
        self._to, self.asked = port, list[str]()
        super().__init__()
        self.url = f"http://127.0.0.1:{self.port}"

    def come(self, plug: socket.socket) -> None:
        self.asked.append(plug.recv(65536).decode().partition("\r\n")[0])
        through = socket.create_connection(("127.0.0.1", self._to))
        plug.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
        for one, other in ((plug, through), (through, plug)):
            threading.Thread(target=_pass_on, args=(one, other), daemon=True).start()


def _pass_on(one: socket.socket, other: socket.socket) -> None:
    with suppress(OSError):
        while piece := one.recv(65536):
            other.sendall(piece)
        other.shutdown(socket.SHUT_WR)


@contextmanager
def tunnels(port: int) -> Iterator[Tunnels]:
    with closing(Tunnels(port)) as proxy:
        yield proxy


def asked(url: str) -> Page:
    return Fetcher(Config(timeout=5.0), frozenset({"localhost"})).page(url, Target())


@pytest.mark.parametrize("name", ["https_proxy", "HTTPS_PROXY", "all_proxy"])
def test_https_goes_by_a_tunnel_of_its_proxy(name, secure, monkeypatch) -> None:
    with tunnels(secure.port) as proxy:
        monkeypatch.setenv(name, proxy.url)
        found = asked(f"https://{HOST}/a?b")
    assert (found.outcome, found.html) == ("ok", "by a tunnel")
    assert [line.rpartition(" ")[0] for line in proxy.asked] == [f"CONNECT {HOST}:443"]
    assert secure.requests[0].startswith("GET /a?b HTTP/1.1\r\n")


def test_a_tunnel_is_no_way_round_a_certificate(secure, monkeypatch) -> None:
    with tunnels(secure.port) as proxy:
        monkeypatch.setenv("https_proxy", proxy.url)
        found = asked("https://other.example/")
    assert found.outcome == "failed" and found.reason.startswith("TLS: Hostname mismatch")


@pytest.mark.parametrize("name", ["no_proxy", "NO_PROXY"])
def test_some_hosts_are_asked_without_a_proxy(name, secure, monkeypatch) -> None:
    with tunnels(secure.port) as proxy:
        monkeypatch.setenv("https_proxy", proxy.url)
        monkeypatch.setenv(name, "a.example, localhost")
        assert asked(f"https://localhost:{secure.port}/").outcome == "ok"
    assert proxy.asked == []


def test_a_proxy_is_for_its_scheme_alone(secure, monkeypatch) -> None:
    with raw_server([[page(b"by proxy")]]) as proxy:
        monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{proxy.port}")
        monkeypatch.setenv("http_proxy", f"127.0.0.1:{proxy.port}")
        assert asked("http://plain.example/").html == "by proxy"
        assert asked(f"https://localhost:{secure.port}/").html == "by a tunnel"
    assert proxy.connections == 1


def test_no_tunnel_leads_to_a_private_address_that_a_url_names(secure, monkeypatch) -> None:
    with tunnels(secure.port) as proxy:
        monkeypatch.setenv("https_proxy", proxy.url)
        found = asked("https://169.254.169.254/")
    assert (found.outcome, found.reason) == ("refused", "private address")
    assert proxy.asked == []


def test_a_proxy_that_lets_nobody_through(monkeypatch) -> None:
    refusal = b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n"
    with raw_server([[refusal]]) as proxy:
        monkeypatch.setenv("https_proxy", f"http://127.0.0.1:{proxy.port}")
        found = asked(f"https://{HOST}/")
    assert (found.outcome, found.reason) == ("failed", "proxy failed")


def test_a_proxy_that_cannot_be_asked(monkeypatch) -> None:
    monkeypatch.setenv("all_proxy", "socks5://127.0.0.1:9")
    found = asked("http://plain.example/")
    assert (found.outcome, found.reason) == ("failed", "proxy cannot be used")
