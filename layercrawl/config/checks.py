"""What must hold of settings beside their types."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from layercrawl.config.options import flag

if TYPE_CHECKING:
    from layercrawl.config import Config

_TEXT = re.compile(r"[ -~]*")
_DEFINITION = re.compile(r"[^=\s]+=[^\n]*")
_HOST_NAME = r"[a-z0-9._-]+|\[[0-9a-f:.]+\]"
_HOST = re.compile(_HOST_NAME)
_HEADER = re.compile(  # the name is a token (RFC 9110, 5.6.2)
    rf"(?:(https?://(?:{_HOST_NAME})(?::\d{{1,5}})?)/? )?"
    r"(?!https?://)([!#$%&'*+.^_`|~0-9A-Za-z-]+):([ -~]*)"
)
_LETS_IN = re.compile(
    r"auth(?!ors?\b)|cookie|token|key|secret|session|passw|credential|signature", re.I
)


def header_parts(line: str) -> tuple[str, str, str]:
    """Origin, or "", name and value of a checked `--header`.

    >>> header_parts("https://a.example Authorization: Basic eA==")
    ('https://a.example', 'Authorization', 'Basic eA==')
    >>> header_parts("X-Study: http://b.example/")
    ('', 'X-Study', 'http://b.example/')
    """
    found = _HEADER.fullmatch(line)
    assert found, line
    return found[1] or "", found[2], found[3].strip()


def masked_header(line: str) -> str:
    """A checked `--header` without its value.

    >>> masked_header("https://a.example Authorization: Basic eA==")
    'https://a.example Authorization: *'
    """
    origin, name, _ = header_parts(line)
    return f"{origin} {name}: *".lstrip()


def complaints(settings: Config) -> Iterator[str]:
    """What is off, and the cure, each with the option's name."""
    yield from _words(settings)
    if settings.fair and not settings.budget:
        why = "without one a layer has all that waits at the least depth"
        yield f"--fair {settings.fair} needs --budget PAGES: {why}"
    if settings.head_check and not settings.recrawl:
        yield "--head-check says how --recrawl asks: give both"


def _words(settings: Config) -> Iterator[str]:
    for name in ("user_agent", "contact"):
        if not _TEXT.fullmatch(getattr(settings, name)):
            yield f"{flag(name)} {getattr(settings, name)!r}: use printable ASCII only"
    if not settings.user_agent.strip():
        yield "--user-agent is blank: give a name that sites can tell it by"
    for line in settings.header:
        yield from _header_complaints(line)
    for host in settings.cookies:
        if not _HOST.fullmatch(host):
            yield f"--cookies {host!r} is no host: say www.example.org, in small letters"
    for word in settings.define:
        if not _DEFINITION.fullmatch(word):
            yield f"-D {word!r} is not of the form NAME=VALUE"


def _header_complaints(line: str) -> Iterator[str]:
    if not _HEADER.fullmatch(line):
        yield f"--header {line!r} is not of the form 'Name: value', in ASCII"
        return
    origin, name, _ = header_parts(line)
    if not origin and _LETS_IN.search(name):
        cure = f"say to whom alone it goes: 'https://www.example.org {name}: …'"
        yield f"--header '{name}: …' may let somebody in; {cure}"
