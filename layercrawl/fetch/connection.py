"""Connections that keep three promises: no forbidden address, no answer longer than its time, and
no failure merely because the server closed a connection that was kept open for the next request.

requests resolves names by itself and bounds each `recv` rather than a whole answer; so connections
here check each address before they connect to it, and read answers by `heads.Answer`.
"""

from __future__ import annotations

import ipaddress
import socket
import ssl
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property, lru_cache
from typing import Any
from urllib.parse import urlsplit

import requests
from requests.adapters import HTTPAdapter
from requests.utils import DEFAULT_CA_BUNDLE_PATH, select_proxy
from urllib3 import Timeout
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.exceptions import NewConnectionError, ProtocolError
from urllib3.util.connection import allowed_gai_family
from urllib3.util.ssl_ import create_urllib3_context

from layercrawl import urls
from layercrawl.fetch.heads import Answer
from layercrawl.fetch.resolver import Address, Resolver

Allow = Callable[[str], bool]
_MOST_ADDRESSES = 8
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_INNER = [
    ipaddress.ip_network(network)
    for network in (
        "168.63.129.16/32",  # Azure's platform, which tells its machines their secrets
        "192.0.0.0/24",  # RFC 6890; Oracle's cloud has its metadata there
        "::/96",  # once IPv4 in IPv6 (RFC 4291, 2.5.5.1)
        "64:ff9b:1::/48",  # a network's own NAT64 (RFC 8215)
        "fec0::/10",  # once site-local (RFC 3879)
    )
]
"""What leads into a network or machine, though ipaddress, or an older one, calls it global."""
_ENDED = (ConnectionError, ssl.SSLEOFError, ssl.SSLZeroReturnError)


class ForbiddenAddress(NewConnectionError):
    """The host's addresses are private, and nobody allowed them."""


class StaleConnection(ProtocolError):
    """A connection that was kept open ended before anything of the next answer came."""


def public(address: str) -> bool:
    """Whether an IP address is one of the public internet's, also where it stands for an IPv4 one.

    >>> [public(a) for a in ("93.184.215.14", "127.0.0.1", "169.254.169.254", "::ffff:10.0.0.1")]
    [True, False, False, False]
    >>> [public(a) for a in ("2606:2800::1", "64:ff9b::5db8:d70e", "64:ff9b::7f00:1", "fe80::1%2")]
    [True, True, False, False]
    """
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        meant = ip.ipv4_mapped or ip.sixtofour
        if ip in _NAT64:
            meant = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
        if meant:
            return public(str(meant))
    inner = any(ip in network for network in _INNER)
    return ip.is_global and not ip.is_multicast and not inner


class Adapter(HTTPAdapter):
    """requests' way to the web over guarded connections; safe to use from many threads.

    Keeps a connection each to the origins used last, `connections` of them. `private(host)` says
    whether a host (spelt as in a URL) may have a private address; what a name stands for at a proxy
    is the proxy's affair. `verify` says whether TLS certificates are checked.
    """

    def __init__(self, connections: int, private: Allow, verify: bool) -> None:
        super().__init__(pool_connections=connections, pool_maxsize=1)
        self._private = private
        self._verify = verify
        self._resolver = Resolver()
        self._pool = lru_cache(connections)(self._new_pool)  # a pool that falls out is closed

    def ask(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str],
        seconds: float,
        proxies: dict[str, str],
    ) -> requests.Response:
        """The answer to a GET or HEAD of `url`, sent as it is spelt; its body is yet to be read.

        All of it, from the look-up of the name to the last byte of the body, takes at most
        `seconds`. Raises what requests raises; where its error is of a StaleConnection, the
        same request may be made again (RFC 9112, 9.3.1), by another connection.
        """
        request = requests.PreparedRequest()
        request.method, request.url, request.headers = method, url, headers  # type: ignore[assignment]
        return self._send(request, seconds, proxies)

    def address(self, host: str, seconds: float) -> str:
        """The least of the IP addresses of a host (spelt as in a URL).

        Empty where it has none, or none is found within `seconds`.
        """
        try:
            found = self._resolver.addresses(host.strip("[]"), 0, allowed_gai_family(), seconds)
        except (OSError, UnicodeError):
            return ""
        return min((str(entry[4][0]) for entry in found), default="")

    def _send(
        self, request: requests.PreparedRequest, seconds: float, proxies: dict[str, str]
    ) -> requests.Response:
        limit: Any = Timeout(total=seconds)
        return self.send(request, True, limit, self._verify, proxies=proxies)

    # What follows replaces steps of requests' `send` that would be taken anew for every page.

    def get_connection_with_tls_context(
        self, request: Any, verify: Any, proxies: Any = None, cert: Any = None
    ) -> Any:
        """The pool of the request's origin, or of its proxy."""
        if proxies and select_proxy(request.url, proxies):
            self._check_literal(request.url)
            return super().get_connection_with_tls_context(request, verify, proxies, cert)
        return self._pool(urls.origin(request.url))

    def _check_literal(self, url: str) -> None:
        """Raise ForbiddenAddress where a URL itself names an address that its host may not have."""
        host = urls.host(url)
        with suppress(ValueError):  # a name
            if not public(host.strip("[]")) and not self._private(host):
                raise ForbiddenAddress(HTTPConnection(host), "private address")

    def _new_pool(self, origin: str) -> HTTPConnectionPool:
        parts = urlsplit(origin)
        guard: dict[str, Any] = {"private": self._private, "resolver": self._resolver}
        host = parts.hostname or ""
        if parts.scheme == "http":  # the port is named, lest an IPv6 address be taken apart for it
            return _Pool(host, parts.port or 80, **guard)
        return _TLSPool(host, parts.port or 443, ssl_context=self._tls, **guard)

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        # One for all connections: to load the certificates takes as long as many pages.
        if self._verify:
            context = create_urllib3_context()
            context.load_verify_locations(DEFAULT_CA_BUNDLE_PATH)
        else:
            context = create_urllib3_context(cert_reqs=ssl.CERT_NONE)
        return context

    def cert_verify(self, conn: Any, url: str, verify: Any, cert: Any) -> None:
        """Nothing: the pools' TLS context knows the certificates."""

    def proxy_manager_for(self, proxy: str, **proxy_kwargs: Any) -> Any:
        """requests' manager of connections to a proxy, which are guarded but for addresses."""
        if not proxy.lower().startswith(("http://", "https://")):  # its answers were not bounded
            raise requests.exceptions.InvalidProxyURL("no HTTP proxy")
        manager = super().proxy_manager_for(proxy, ssl_context=self._tls, **proxy_kwargs)
        manager.pool_classes_by_scheme = {"http": _Pool, "https": _TLSPool}
        return manager

    def request_url(self, request: Any, proxies: Any) -> str:
        """What the request line names: the path and query, or all of the URL for a proxy."""
        if proxies and select_proxy(request.url, proxies):
            return super().request_url(request, proxies)
        return str(request.url[len(urls.origin(request.url)) :])

    def close(self) -> None:
        """Let all connections go; the adapter can be used again."""
        self._pool.cache_clear()
        super().close()

    def build_response(self, req: Any, resp: Any) -> requests.Response:
        """requests' response without cookies and guesses at the text's encoding."""
        response = requests.Response()
        response.status_code, response.headers, response.raw = resp.status, resp.headers, resp
        response.url, response.request = req.url, req
        return response


class _Guarded(HTTPConnection):
    response_class = Answer

    def __init__(
        self,
        *args: Any,
        private: Allow = lambda host: True,
        resolver: Resolver | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self._private = private
        self._resolver = resolver or Resolver()
        self._kept = False

    def _new_conn(self) -> socket.socket:
        self._kept = False
        end = time.monotonic() + float(self.timeout or 0)
        try:
            addresses = self._addresses(_left(end))
            if not addresses:
                raise ForbiddenAddress(self, "private address")
            return _connect(addresses, _left(end))
        except (OSError, UnicodeError) as error:
            raise NewConnectionError(self, str(error)) from error

    def _addresses(self, seconds: float) -> list[Address]:
        """The host's addresses that it may have."""
        name = self.host.strip("[]")
        found = self._resolver.addresses(name, self.port, allowed_gai_family(), seconds)
        anywhere = self._private(f"[{name}]" if ":" in name else name)
        return [entry for entry in found if anywhere or public(str(entry[4][0]))]

    def request(self, *args: Any, **kwargs: Any) -> None:
        with _noticing_the_end(self._kept):
            super().request(*args, **kwargs)

    def getresponse(self) -> Any:
        with _noticing_the_end(self._kept):
            response = super().getresponse()
        self._kept = True
        return response


class _GuardedTLS(_Guarded, HTTPSConnection):
    pass


class _Pool(HTTPConnectionPool):
    ConnectionCls = _Guarded


class _TLSPool(HTTPSConnectionPool):
    ConnectionCls = _GuardedTLS


@contextmanager
def _noticing_the_end(kept: bool) -> Iterator[None]:
    try:
        yield
    except _ENDED as error:
        if kept:
            raise StaleConnection("closed meanwhile") from error
        raise


def _connect(addresses: Sequence[Address], seconds: float) -> socket.socket:
    """A socket to the first address that answers; its timeout is what is left of `seconds`.

    Each gets a like share of the time, so that one that is dead does not take all of it.
    """
    end = time.monotonic() + seconds
    addresses = addresses[:_MOST_ADDRESSES]
    for rest in range(len(addresses), 0, -1):
        family, kind, protocol, _, address = addresses[-rest]
        sock = socket.socket(family, kind, protocol)
        try:
            sock.settimeout(_left(end) / rest)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            sock.connect(address)
            sock.settimeout(_left(end))
        except OSError as error:
            sock.close()
            failure = error
        else:
            return sock
    raise failure


def _left(end: float) -> float:
    return max(end - time.monotonic(), 0.001)
