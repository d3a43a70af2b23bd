"""Redirects: of every status and spelling, in loops and chains, and to where nobody may go."""

from __future__ import annotations

from tests.web.hostile.case import DENIED, OK, REDIRECT, Case, Family, Play, Told, refused
from tests.web.hostile.heads import raw
from tests.web.hostile.wire import Wire, head

OUTSIDE = "outside.test"
"""A host of another site, which nobody may ask for anything."""
_MANY = 100


def to(location: str, status: int = 302, *more: str) -> Play:
    """A redirect; `{here}` in its Location is this host, `{outside}` OUTSIDE."""

    async def play(wire: Wire) -> None:
        there = location.replace("{here}", f"{wire.host}:{wire.port}")
        there = there.replace("{outside}", f"{OUTSIDE}:{wire.port}")
        wire.status = status
        raw_location = b"Location: " + there.encode() + b"\r\n"
        lines = head(status, "Content-Length: 0", *more)[:-2]
        await wire.send(lines + raw_location + b"\r\n")
        wire.keeps = True

    return play


async def rules(wire: Wire) -> None:
    await wire.page(b"User-agent: *\nDisallow: /closed/\n")


async def page(wire: Wire) -> None:
    await wire.page(f"<title>{wire.path}</title><p>Here.".encode())


def _scheme(url: str) -> Case:
    told = refused(f"Location: scheme is not http or https: {url!r}")
    return Case(f"/scheme-{url.partition(':')[0]}", told, to(url))


REDIRECTS = Family(
    "redirects",
    (
        *(Case(f"/{code}", REDIRECT, to("/target", code)) for code in (301, 302, 303, 307, 308)),
        Case("/300", refused("status 300"), to("/unseen", 300)),
        Case("/utf-8", REDIRECT, to("/zürich/東京?ü=ü")),
        Case("/relative", REDIRECT, to("../target?relative")),
        Case("/query", REDIRECT, to("?only")),
        Case("/fragment", REDIRECT, to("/target?fragment#part")),
        Case("/in-full", REDIRECT, to("http://{here}/target?full")),
        Case("/blanks", REDIRECT, to("  \t/target?blanks \t")),
        Case("/two-locations", REDIRECT, to("/unseen", 302, "Location: /target?first")),
        Case("/none", refused("status 302 without Location"), raw(head(302))),
        Case("/empty", refused("status 302 without Location"), to("")),
        _scheme("ftp://a.test/"),
        _scheme("file:///etc/passwd"),
        _scheme("javascript:alert(1)"),
        _scheme("data:text/html,<p>"),
        Case(
            "/credentials",
            refused("Location: user name or password in URL"),
            to("http://me:secret@{here}/x"),
        ),
        Case(
            "/no-port",
            refused("Location: not a URL: 'http://a.test:99999/'"),
            to("http://a.test:99999/"),
        ),
        Case("/itself", REDIRECT, to("/itself")),
        Case("/loop-a", REDIRECT, to("/loop-b")),
        Case("/loop-b", REDIRECT, to("/loop-a"), linked=False),
        *(
            Case(
                f"/chain-{n}",
                REDIRECT if n < 5 else refused("more than 5 redirects"),
                to(f"/chain-{n + 1}"),
                linked=n == 0,
            )
            for n in range(6)
        ),
        Case("/outside", REDIRECT, to("http://{outside}/")),
        Case("/forbidden", REDIRECT, to("/closed/x")),
        *(Case(f"/many-{n}", REDIRECT, to("/one")) for n in range(_MANY)),
    ),
    robots=rules,
    other=page,
    also={
        "/target": OK,
        "/z%C3%BCrich/%E6%9D%B1%E4%BA%AC?%C3%BC=%C3%BC": OK,
        "/target?relative": OK,
        "/query?only": OK,
        "/target?fragment": OK,
        "/target?full": OK,
        "/target?blanks": OK,
        "/target?first": OK,
        "/closed/x": DENIED,
        "/one": OK,
    },
)
METADATA = "http://169.254.169.254/latest/meta-data/"
_PRIVATE = refused("private address")
_ELSEWHERE = {
    "http://metadata.hostile.test:{port}/": _PRIVATE,
    "http://router.hostile.test:{port}/": _PRIVATE,
    "http://mapped.hostile.test:{port}/": _PRIVATE,
    "http://hanging.hostile.test:{port}/": Told("deferred", "robots.txt unreachable"),
    "http://missing.hostile.test:{port}/": Told("failed", "name not found"),
}
LOOKUPS: dict[str, list[str] | None] = {
    "metadata.hostile.test": ["169.254.169.254"],
    "router.hostile.test": ["192.168.0.1", "10.0.0.1"],
    "mapped.hostile.test": ["::ffff:127.0.0.1"],
    "hanging.hostile.test": [],
    "missing.hostile.test": None,
}
"""What a resolver is to say: addresses, nothing ever ([]), or that there is no such name (None)."""


async def names(wire: Wire) -> None:
    """Links to names that stand for addresses where nobody may go, or for none."""
    links = "".join(f'<a href="{url}">there</a>' for url in _ELSEWHERE)
    await wire.page(links.replace("{port}", str(wire.port)).encode())


NAMES = Family("names", opening=names, also=_ELSEWHERE)
LURE = Family("lure", front=REDIRECT, opening=to(METADATA), also={METADATA: _PRIVATE})
GUEST = Family("guest", other=page)
"""Who answers at names that no family has."""
