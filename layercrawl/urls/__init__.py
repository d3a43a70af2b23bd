"""URLs: the web's way of reading them, and the one spelling under which this crawler keeps them.

Parsing follows the WHATWG URL Standard, as browsers do, by way of the Ada parser. The *normal form*
is stricter, so that one page has one key and every HTTP client sends exactly that key:

* http or https, no user name or password, a host that DNS can hold, no dot at its end;
* no fragment, no default port, no dot segments, `/` for an empty path, no `?` without a query;
* escapes of unreserved characters undone, all others in upper case (RFC 3986, 6.2.2);
* characters that RFC 3986 has no place for are escaped, a `%` that starts no escape too.

It is ASCII without blanks, idempotent, and keeps the query's parameters as they are.

>>> normalise("HTTP://Example.COM.:80/%7euser/../%c3%a9?b=1&a=#top")
'http://example.com/%C3%A9?b=1&a='
>>> normalise("../b?x=|", base="http://a.example/c/d/e")
'http://a.example/c/b?x=%7C'
"""

from __future__ import annotations

import re
from functools import lru_cache

import ada_url
from publicsuffixlist import PublicSuffixList

from layercrawl.urls.query_encoding import encode_query

_LABEL = r"[a-z0-9_-]{1,63}"  # underscores occur in names that are served (RFC 2181, 11)
_ORIGIN = re.compile(rf"https?://(?:{_LABEL}(?:\.{_LABEL})*|\[[0-9a-f:]+\])(?::[0-9]+)?")
_LONGEST_HOST = 253  # RFC 1035, 2.3.4, in text
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_LEGACY_QUERIES = ("http:", "https:", "ftp:", "file:")  # special, but neither ws nor wss
_ODD_ESCAPE = re.compile(r"%(?:[0-9A-Fa-f]{2})?")
_ODD = re.compile(_ODD_ESCAPE.pattern + r"|[\[\\\]^`{|}]")
# A link whose characters show that parsing would not change it, but for dots after a slash.
_CHARS = r"[\w~!$&()*+,;=:@./-]*+(?:%(?!2[Ee])[\w~!$&()*+,;=:@./-]*+)*+"
_PLAIN = re.compile(
    rf"(?:(https?://[a-z0-9.-]+(?::[0-9]+)?)?(/(?!/){_CHARS})"
    rf"|((?:\.\./)+|\./)?([\w~][\w~!$&()*+,;=@.-]*+(?:[/%](?!2[Ee]){_CHARS})?)?)"
    r"(\?[\w~!$&()*+,;=:@./?%-]++)?(?:#.*)?",
    re.ASCII | re.DOTALL,
)
# Names with slashes between, as most links have: half the work of `_PLAIN`.
_NAMES = re.compile(r"/?(?:[\w~-][\w~.-]*+/)*+[\w~-][\w~.-]*+", re.ASCII)
_LONGEST_SURE = 16_000  # Ada writes longer international host names than it reads
_CLIMB = 8  # more "../" than usual links have


def parse(url: str, base: str | None = None, encoding: str = "utf-8") -> str:
    """Return the href that the WHATWG URL Standard gives `url`, read against `base`.

    `encoding` is the document's (a name of the Encoding Standard) and governs the query.
    ValueError when the standard says failure, or the host's name is beyond what is read again.

    >>> parse("?q=é", "http://a.example/x", "windows-1252")
    'http://a.example/x?q=%E9'
    """
    href = _parse(url, base)
    if encoding != "utf-8" and not url.isascii() and href.startswith(_LEGACY_QUERIES):
        href = _parse(encode_query(url, encoding), base)
    return href if len(href) < _LONGEST_SURE else _parse(href, None)


def normalise(url: str, base: str | None = None, encoding: str = "utf-8") -> str:
    """Return the normal form of `url`, read against `base`; ValueError says why there is none.

    `encoding` is the document's and governs the query, as in `parse`.

    >>> normalise("mailto:someone@a.example")
    Traceback (most recent call last):
    ValueError: scheme is not http or https: 'mailto:someone@a.example'
    >>> normalise("http://me:secret@a.example/")
    Traceback (most recent call last):
    ValueError: user name or password in URL
    """
    return _normal_form(parse(url, base, encoding))


def host(url: str) -> str:
    """Return the host name of `url` (in normal form) without the port; IPv6 keeps its brackets.

    >>> host("http://a.example:8080/x"), host("http://[::1]:8080/")
    ('a.example', '[::1]')
    """
    authority = url.split("/", 3)[2]
    if authority[0] == "[":
        return authority[: authority.index("]") + 1]
    return authority.partition(":")[0]


def site(url: str) -> str:
    """Return the registrable domain of `url` (in normal form), or its host where there is none.

    Source: the public suffix list, its private part too: two users of a hoster are two sites.

    >>> site("http://www.a.co.uk/"), site("http://me.github.io/"), site("http://github.io/")
    ('a.co.uk', 'me.github.io', 'github.io')
    >>> site("http://127.0.0.1:8000/"), site("http://localhost/")
    ('127.0.0.1', 'localhost')
    """
    return _registrable_domain(host(url))


def origin(url: str) -> str:
    """Return scheme, host and port of `url` (in normal form): `http://a.example:8080`."""
    return url[: url.index("/", 8)]


def robots_url(url: str) -> str:
    """Return where the robots.txt that governs `url` (in normal form) lies (RFC 9309, 2.3)."""
    return origin(url) + "/robots.txt"


def drop_params(url: str, names: frozenset[str]) -> str:
    """Return `url` (in normal form) without the parameters called `names`; the others stay put.

    A name may end in `*` and then stands for all that begin so; case counts. Parameters of a path
    (`;jsessionid=1`) are meant as well. The result is in normal form too.

    >>> drop_params("http://a.example/x;sid=9/?utm_source=a&b&sid=1", frozenset({"utm_*", "sid"}))
    'http://a.example/x/?b'
    """
    address, _, query = url.partition("?")
    dropped = _params(names)
    if ";" in address:
        path = "/".join(_keep(part, ";", dropped) for part in address.split("/"))
        address = normalise(path) if path != address else path  # "/..;sid=1" leaves a dot segment
    kept = "&".join(part for part in query.split("&") if not dropped.match(part))
    return f"{address}?{kept}" if kept else address


class Resolver:
    """Reads the links of one page: `normalise` with base and encoding bound, and quicker.

    Most links are plain ASCII without escapes: a look at their characters then shows that parsing
    would change nothing, and the base's beginning is put before them.
    ValueError for a base that does not parse.
    """

    def __init__(self, base: str, encoding: str = "utf-8") -> None:
        self._base = parse(base)
        self._encoding = encoding
        try:
            self._whole = _normal_form(self._base)
        except ValueError:  # data: or a password; absolute links are good all the same
            self._whole = ""
        self._origin = origin(self._whole) if self._whole else ""
        self._page = self._whole.partition("?")[0]
        self._folders = _folders(self._page) if self._page else []

    def normalise(self, href: str) -> str:
        """Return what `urls.normalise(href, base, encoding)` does, ValueError included."""
        if self._whole and _NAMES.fullmatch(href):
            return (self._origin if href[0] == "/" else self._folders[0]) + href
        plain = _PLAIN.fullmatch(href)
        url = plain and self._join(*plain.groups(""))
        if not url:
            return normalise(href, self._base, self._encoding)
        return _ODD_ESCAPE.sub(_respell, url) if "%" in url else url

    def _join(self, start: str, path: str, climb: str, relative: str, query: str) -> str:
        """The link's URL, or "" where only the parser can tell."""
        if "/." in path or "/." in relative:
            return ""
        if start:
            return f"{_read_origin(start)}{path}{query}"
        if not self._whole:
            return ""
        if path:
            return f"{self._origin}{path}{query}"
        if relative or climb:
            height = climb.count("../")
            if height >= len(self._folders):
                return ""
            return f"{self._folders[height]}{relative}{query}"
        return f"{self._page}{query}" if query else self._whole


def _folders(page: str) -> list[str]:
    """The folder of `page`, the folder round it, and so on for a few steps or up to the root."""
    root = page.index("/", 8) + 1
    ends = [match.end() for match in re.finditer("/", page) if match.end() >= root]
    return [page[:end] for end in reversed(ends[-_CLIMB:])]


def _parse(url: str, base: str | None) -> str:
    try:
        if base is None:
            return str(ada_url.normalize_url(_scalar_values(url)))
        return str(ada_url.join_url(_scalar_values(base), _scalar_values(url)))
    except ValueError:
        raise ValueError(f"not a URL: {url[:80]!r}") from None


def _scalar_values(text: str) -> str:
    """Return `text` with U+FFFD for lone surrogates, as a browser hands it to its parser."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _normal_form(href: str) -> str:
    if not href.startswith(("http://", "https://")):
        raise ValueError(f"scheme is not http or https: {href[:80]!r}")
    path = href.index("/", 8)
    rest = _ODD.sub(_respell, href[path:].partition("#")[0])
    if rest[-1] == "?" and rest.find("?") == len(rest) - 1:
        rest = rest[:-1]
    return _normal_origin(href[:path]) + rest


@lru_cache(maxsize=4096)
def _normal_origin(text: str) -> str:
    if "@" in text:
        raise ValueError("user name or password in URL")
    scheme, _, authority = text.partition("://")
    name, colon, port = authority.partition(":") if authority[0] != "[" else (authority, "", "")
    text = f"{scheme}://{name.removesuffix('.')}{colon}{port}"
    if not _ORIGIN.fullmatch(text) or len(name.removesuffix(".")) > _LONGEST_HOST:
        raise ValueError(f"no host name that DNS can hold: {authority[:80]!r}")
    return text


@lru_cache(maxsize=4096)
def _read_origin(text: str) -> str:
    return origin(normalise(text + "/"))


def _respell(match: re.Match[str]) -> str:
    return _SPELLINGS[match[0]]


def _spellings() -> dict[str, str]:
    """Every text that `_ODD` can match, with its normal form."""
    digits = "0123456789ABCDEFabcdef"
    table = {char: f"%{ord(char):02X}" for char in "%[\\]^`{|}"}
    for escape in (a + b for a in digits for b in digits):
        char = chr(int(escape, 16))
        table["%" + escape] = char if char in _UNRESERVED else "%" + escape.upper()
    return table


_SPELLINGS = _spellings()


@lru_cache(maxsize=1)
def _public_suffixes() -> PublicSuffixList:
    return PublicSuffixList()


@lru_cache(maxsize=65536)
def _registrable_domain(name: str) -> str:
    if name[0] == "[" or name[-1].isdigit():  # only an IPv4 address ends in a number
        return name
    return _public_suffixes().privatesuffix(name) or name


@lru_cache(maxsize=64)
def _params(names: frozenset[str]) -> re.Pattern[str]:
    """Match a parameter that is called so: `name`, `name=value`."""
    alternatives = (
        re.escape(name[:-1]) if name.endswith("*") else re.escape(name) + r"(?:=|\Z)"
        for name in sorted(names)
    )
    return re.compile("|".join(alternatives) if names else r"(?!)")


def _keep(part: str, separator: str, dropped: re.Pattern[str]) -> str:
    first, *params = part.split(separator)
    return separator.join([first, *(param for param in params if not dropped.match(param))])
