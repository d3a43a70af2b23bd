"""robots.txt: any bytes have rules, which decide as RFC 9309 defines, by a line that is there."""

from __future__ import annotations

from layercrawl import manners, robots
from layercrawl.robots.rules import Wildcard, path_of, pattern
from tests.fuzz import samples

SKIPPED = ""
TOKENS = (
    b"User-agent: *\n", b"User-agent: layercrawl\n", b"Disallow: /", b"Allow: /", b"Crawl-delay: ",
    b"Sitemap: http://a.example/s.xml\n", b"*", b"$", b"#", b":", b"\r", b"\xef\xbb\xbf", b"%2F",
    b"%7e", b"%", b"/*.php$", b"useragent", b"Disalow:",
)  # fmt: skip
_AGENTS = ("layercrawl", "layercrawl/0.1.0 (+http://a.example/)", "other", "", "*", "ü")
_PATHS = ("/", "/a", "/private/x.php?q=*$", "/%7Ea/%c3%bc", "/robots.txt", "/a" * 50)


def seeds() -> list[bytes]:
    bodies = [answer.body for answer in samples.web_answers() if b"isallow" in answer.body]
    return [samples.octets(text) for text in samples.cases("robots", "robots", "body")] + bodies


def target(data: bytes) -> None:
    found = robots.parse(data)
    lines = data[: robots.LIMIT].splitlines()
    own = data[-40:].decode("utf-8", "replace")
    urls = ["http://a.example" + path for path in (*_PATHS, "/" + own)]
    for agent in (*_AGENTS, own):
        delay = found.crawl_delay(agent)
        assert delay is None or 0 <= delay <= robots.LONGEST_DELAY
        for url in urls:
            why = found.why(url, agent)
            assert found.allows(url, agent) or why
            if why:
                text = lines[why[0] - 1].partition(b"#")[0].strip()
                assert text.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace") == why[1]
    for sitemap in found.sitemaps:
        sitemap.encode()
    again = manners.origin(data.decode("utf-8", "replace"), "layercrawl")
    assert again.delay >= 0
    again.refusal(urls[0], "layercrawl")
    _wildcards(lines)


def _wildcards(lines: list[bytes]) -> None:
    paths = [path_of("http://a.example/" + raw[-60:].decode("latin-1")) for raw in lines[:4]]
    for raw in lines[:8]:
        one = pattern(raw[:200].decode("latin-1"))
        assert pattern(one) == one
        for path in paths:
            assert Wildcard(one).matches(path) == _matches(one, path), (one, path)


def _matches(octets: str, path: str) -> bool:
    """The meaning of a pattern by the ends that each of its beginnings can have."""
    ends = {0}
    literal = octets.removesuffix("$")
    for character in literal:
        if character == "*":
            ends = set(range(min(ends), len(path) + 1))
        else:
            ends = {end + 1 for end in ends if path[end : end + 1] == character}
        if not ends:
            return False
    return octets == literal or len(path) in ends
