"""URLs: a normal form is one, and stays; a page's links are read as the parser would read them.

The first byte of an input chooses the encoding, its first line is the base, the second the link.
"""

from __future__ import annotations

import re

from layercrawl import rules, urls
from tests.fuzz import samples

SKIPPED = ""
TOKENS = (
    b"http://", b"https:", b"//", b"/../", b"/./", b"../", b"%2e", b"%2E%2e/", b"?", b"#", b"@",
    b":80", b":443", b"[::1]", b"\\", b"\t", b"\n", b"xn--", b"%", b"%zz", b"%7E", b".", b"..",
    b";sid=1", b"&utm_source=x", b"\xc3\xbc", b"\xe3\x80\x82", b"\xc2\xad", b"0x7f.1", b"127.1",
    b"javascript:", b"data:,", b"file:///", b"a.example", b"ws:", b"blob:http://a/",
)  # fmt: skip
ENCODINGS = ("utf-8", "windows-1252", "shift_jis", "iso-2022-jp", "gb18030", "utf-16le", "euc-kr")
_NORMAL = re.compile(
    r"https?://(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:]+\])(?::[1-9][0-9]*|:0)?"
    r"/(?:[A-Za-z0-9._~!$&'()*+,;=:@/?\"-]|%[0-9A-F]{2})*"
)
_RULES = rules.Rules("site", drop_params=("utm_*", "sid"))


def seeds() -> list[bytes]:
    links = samples.cases("urls", "url", "href", "link", "expected") + samples.cases("rules", "url")
    bases = (b"http://a.example/d/p?q=1", b"https://b.example:8443/", b"data:,x", b"")
    return [
        b"%c%b\n%b" % (number % 256, bases[number % 4], link.encode("utf-8", "surrogatepass"))
        for number, link in enumerate(links)
    ]


def target(data: bytes) -> None:
    encoding = ENCODINGS[data[0] % len(ENCODINGS)] if data else "utf-8"
    try:
        text = data[1:].decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        text = data[1:].decode("utf-8", "replace")
    base, _, link = text.partition("\n")
    _parse_is_idempotent(link, base, encoding)
    found = _normalised(link, base or None, encoding)
    if found is not None:
        _is_normal(found)
    _resolver_agrees(link, base, encoding)


def _normalised(link: str, base: str | None, encoding: str) -> str | None:
    try:
        return urls.normalise(link, base, encoding)
    except ValueError as error:
        assert str(error)
        str(error).encode()
        return None


def _parse_is_idempotent(link: str, base: str, encoding: str) -> None:
    try:
        href = urls.parse(link, base or None, encoding)
    except ValueError:
        return
    assert urls.parse(href) == href


def _is_normal(url: str) -> None:
    assert _NORMAL.fullmatch(url), url
    assert urls.normalise(url) == url
    assert urls.normalise(url, "http://b.example/x", "shift_jis") == url
    assert urls.host(url) and urls.host(url).endswith(urls.site(url))
    assert urls.robots_url(url) == urls.normalise("/robots.txt", url)
    kept = _RULES.without_params(url)
    assert urls.normalise(kept) == kept and _RULES.without_params(kept) == kept
    _RULES.cut(url, "http://a.example/")


def _resolver_agrees(link: str, base: str, encoding: str) -> None:
    try:
        resolver = urls.Resolver(base, encoding)
    except ValueError:
        return
    try:
        found: str | None = resolver.normalise(link)
    except ValueError:
        found = None
    assert found == _normalised(link, base, encoding)
