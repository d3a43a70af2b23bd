"""What a URL answers, and what a right crawler makes of it: links and outcome as data.

The HTML is rendered from the declared links, never read back, so that the truth needs no parser.
"""

from __future__ import annotations

import html
from collections.abc import Iterable
from dataclasses import dataclass, replace

from tests.web.site import Site, draw
from tests.web.words import LANGUAGES, text

Headers = tuple[tuple[str, str], ...]

_IN_HEAD = {
    "base": '<base href="{}">',
    "canonical": '<link rel="canonical" href="{}">',
    "moved": '<meta http-equiv="refresh" content="0; url={}">',
    "refresh": '<meta http-equiv="refresh" content="3; url={}">',
    "stylesheet": '<link rel="stylesheet" href="{}">',
}
_IN_BODY = {
    "a": '<a href="{0}">{1}</a>',
    "area": '<map name="m"><area href="{0}" alt="{1}"></map>',
    "comment": '<!-- <a href="{0}">{1}</a> -->',
    "form": '<form action="{0}"><button>{1}</button></form>',
    "frame": '<frame src="{0}">',
    "iframe": '<iframe src="{0}"></iframe>',
    "img": '<img src="{0}" alt="{1}">',
    "nofollow": '<a rel="external nofollow" href="{0}">{1}</a>',
    "script": "<script>document.write('<a href=\"{0}\">{1}</a>')</script>",
    "single": "<a class=x href='{0}'>{1}</a>",
    "unquoted": "<A TARGET=_top HREF={0}>{1}</A>",
}


@dataclass(frozen=True, slots=True)
class Link:
    """A link as `written` in the source, and the URL it means: `to`, None when it is not followed.

    `form` says which markup carries it.
    """

    to: str | None
    written: str
    form: str = "a"


def link(url: str) -> Link:
    """A link written in full."""
    return Link(url, html.escape(url))


def dead(written: str, form: str = "a") -> Link:
    """A link that a right crawler does not follow."""
    return Link(None, written, form)


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of a URL.

    `body` has the content codings undone, `wire` is what is sent instead of it. `target` is where
    a redirect leads. `raw` is sent instead of a head, and the connection closed after the payload
    (`reset`: by RST); the message goes out in `pieces`, each after `delay` seconds.
    """

    outcome: str
    status: int
    headers: Headers = ()
    body: bytes = b""
    wire: bytes | None = None
    links: tuple[Link, ...] = ()
    target: str | None = None
    encoding: str = ""
    raw: bytes | None = None
    reset: bool = False
    delay: float = 0.0
    pieces: int = 1

    def payload(self) -> bytes:
        """What is sent after the head."""
        return self.body if self.wire is None else self.wire

    def head(self) -> bytes:
        """Status line and header fields; values are UTF-8 (some Locations are sent raw)."""
        if self.raw is not None:
            return self.raw
        lines = [f"HTTP/1.1 {self.status} {REASONS.get(self.status, 'Odd')}"]
        lines += [f"{name}: {value}" for name, value in self.headers]
        framed = any(name == "Transfer-Encoding" for name, _ in self.headers)
        if not framed and self.status not in (204, 304):
            lines.append(f"Content-Length: {len(self.payload())}")
        return "\r\n".join([*lines, "", ""]).encode()


REASONS = {200: "OK", 301: "Moved Permanently", 302: "Found", 404: "Not Found", 410: "Gone"}
HTML: Headers = (("Content-Type", "text/html; charset=utf-8"),)


def language_of(key: str) -> str:
    return LANGUAGES[draw(1, "language", key)[0] % len(LANGUAGES)]


def document(title: str, paragraphs: Iterable[str], links: Iterable[Link], head: str = "") -> str:
    """The HTML source of a page; a page with a `frame` is a frameset."""
    links = tuple(links)
    above = "".join(_IN_HEAD[x.form].format(x.written) for x in links if x.form in _IN_HEAD)
    below = "\n".join(
        _IN_BODY[x.form].format(x.written, f"link {number}")
        for number, x in enumerate(links)
        if x.form in _IN_BODY
    )
    start = f"<!DOCTYPE html>\n<html><head>{head}<title>{title}</title>{above}</head>\n"
    if any(x.form == "frame" for x in links):
        return f'{start}<frameset cols="50%,50%">{below}</frameset></html>\n'
    flow = "".join(f"<p>{paragraph}</p>\n" for paragraph in paragraphs)
    return f"{start}<body><h1>{title}</h1>\n{flow}<nav>{below}</nav></body></html>\n"


def page(
    site: Site,
    path: str,
    links: Iterable[Link] = (),
    *,
    head: str = '<meta charset="utf-8">',
    headers: Headers = (),
) -> Answer:
    """A good page whose text is drawn from seed, host and path: 2 to 20 kB, most of them small."""
    links = tuple(links)
    key = f"{site.index}{path}"
    share = draw(1, site.web.seed, "size", key)[0] / 255
    paragraphs = text(site.web.seed, key, language_of(key), int(2000 + 8000 * share**2))
    body = document(f"Page {html.escape(path)}", paragraphs, links, head).encode()
    return Answer("ok", 200, HTML + headers, body, links=links, encoding="utf-8")


def redirect(status: int, location: str, target: str) -> Answer:
    """A redirect that is sent as `location` and leads to `target`."""
    headers = (("Location", location), *HTML)
    return Answer("redirect", status, headers, b"<p>Moved.</p>", target=target)


def failure(outcome: str, status: int, headers: Headers = ()) -> Answer:
    """An error page; its link must not be followed."""
    body = b'<p>Sorry. <a href="/unseen/error">Home</a></p>'
    return Answer(outcome, status, headers + HTML, body)


def broken(raw: bytes) -> Answer:
    """Bytes that are no complete answer."""
    return Answer("failed", 0, raw=raw)


def coded(answer: Answer, coding: str, wire: bytes) -> Answer:
    """The same answer under a content coding."""
    headers = (*answer.headers, ("Content-Encoding", coding))
    return replace(answer, headers=headers, wire=wire)
