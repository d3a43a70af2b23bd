"""The records that lie in the stores, and the one codec that reads and writes them.

A store is a folder of lines `URL<TAB>JSON`: UTF-8, keys sorted, defaults left out, and no raw CR,
LF or TAB inside, so that any tool can take a field and Hadoop Streaming cannot split a record.
Each JSON names its kind of record under `is`.

>>> line = encode("http://a.example/", Target(depth=1, via="http://a.example/up"))
>>> line
b'http://a.example/\\t{"depth":1,"is":"target","via":"http://a.example/up"}'
>>> decode(line, Target)[1].depth
1
"""

from __future__ import annotations

import base64
from typing import Any, Literal, TypeVar, get_args

import msgspec

from layercrawl import charset

Kind = Literal["page", "robots", "sitemap"]
Outcome = Literal[
    "ok", "not_modified", "redirect", "gone", "denied", "refused", "failed", "deferred"
]
ANSWERED: frozenset[str] = frozenset(
    {"ok", "not_modified", "redirect", "gone", "denied", "refused"}
)


class Record(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="is"):
    """What every record in a store has in common: immutable, sorted keys, no defaults written."""


class Target(Record, frozen=True, tag="target"):
    """A URL to fetch in a layer (`in/`), with how it was found and what is known of it.

    `depth` is the link distance from a seed (a sitemap's: 1 for one that robots.txt names, one more
    for each index between), `via` the page that linked here, `hops` the redirects followed so far.
    A revisit carries the validators of the last visit, or, to be asked by HEAD first, the `length`
    of its answer and when it was `fetched`; a robots target carries
    its host's state: `rules` (robots.txt's text) as of `fetched`, or why there are none; `visited`
    has a hash of each URL of the host that was asked for before (see `visited`).
    """

    kind: Kind = "page"
    depth: int = 0
    via: str = ""
    hops: int = 0
    score: int = 0
    cash: int = 0
    etag: str = ""
    last_modified: str = ""
    length: int | None = None
    simhash: str = ""
    rules: str | None = None
    fetched: str = ""
    failing_since: str = ""
    delay: float | None = None
    not_before: str = ""
    visited: str = ""


class Page(Record, frozen=True, tag="page"):
    """The one answer to a Target (`doc/`): what happened, and the body when it was kept.

    `fetched` and `not_before` are UTC, ISO 8601; `elapsed` is seconds; `headers` are as received;
    `location` is where a redirect leads, and of a robots.txt that redirected where its answer is
    from; `html` is the decoded text and `digest` the SHA-256 of the body's bytes. `body_b64` holds
    the bytes where `encoding` has no exact inverse for them. In `doc/merged` a page has
    `duplicates`, and is `gone` where the last two answers of its URL say so.
    """

    target: Target
    outcome: Outcome
    reason: str = ""
    status: int = 0
    fetched: str = ""
    elapsed: float = 0.0
    headers: list[tuple[str, str]] = []
    http_version: str = ""
    location: str = ""
    encoding: str = ""
    html: str = ""
    body_b64: str = ""
    digest: str = ""
    truncated: bool = False
    attempts: int = 0
    not_before: str = ""
    duplicates: list[tuple[str, str, int]] = []
    gone: bool = False

    def header(self, name: str) -> str:
        """The values of header `name` (any case) as one comma-separated list (RFC 9110, 5.3)."""
        return ", ".join(value for key, value in self.headers if key.lower() == name)

    def body(self) -> bytes:
        """The exact bytes that were received, content codings undone."""
        if self.body_b64:
            return base64.b64decode(self.body_b64)
        return charset.encode(self.html, self.encoding)


class Outlinks(Record, frozen=True, tag="outlinks"):
    """What later stages need of a Page without its HTML (`out/`).

    `links` are (URL, text) pairs in page order, once each; `cuts` counts the links that the rules
    dropped, by reason. A redirect has its target as its one link; that of `refresh` counts as a
    redirect's. `simhash` is 16 hexadecimal digits, `text` a digest of the main text's words,
    `sketch` its sketch (see `sketch`), `versions` the hashes (see `planning.visited`) of the
    versions in other languages that the page names. A robots answer carries `rules`. `sitemaps` are
    those that a robots.txt or an index names; a sitemap's `links` are the pages that it lists, each
    with its time of change (ISO 8601, UTC) as text. By a topic, `relevance` is the page's and
    `relevances` what each of its links promises (see `relevance`).
    """

    target: Target
    outcome: Outcome
    reason: str = ""
    status: int = 0
    fetched: str = ""
    digest: str = ""
    simhash: str = ""
    etag: str = ""
    last_modified: str = ""
    length: int | None = None
    title: str = ""
    canonical: str = ""
    noindex: bool = False
    refresh: str = ""
    links: list[tuple[str, str]] = []
    sitemaps: list[str] = []
    cuts: dict[str, int] = {}
    rules: str | None = None
    delay: float | None = None
    not_before: str = ""
    text: str = ""
    sketch: str = ""
    versions: str = ""
    relevance: int = 0
    relevances: list[int] = []


class Visit(msgspec.Struct, frozen=True, array_like=True, omit_defaults=True, order=True):
    """One answer in a URL's history: when, in which layer, and what tells a change."""

    time: str
    layer: int
    outcome: Outcome
    digest: str = ""
    simhash: str = ""
    etag: str = ""
    last_modified: str = ""
    length: int = -1
    not_before: str = ""


class UrlState(Record, frozen=True, tag="state"):
    """All that is known of a URL: the fold of layers 0..NNN (`out/checkpoint-NNN`).

    `depth`, `hops` and `via` are the least triple by which it was found, `first` the layer that
    found it, `lastmod` the newest time of change that a sitemap gave it (ISO 8601, UTC), `visits`
    its newest 16 answers, `message` what the crawl order merged, `spent` what of it was passed on,
    `links` its newest links for orders that weigh graphs (`fetched cash URL URL …`). A robots.txt's
    state is its host's: `rules` fetched at `fetched`, unreachable since `failing_since`.
    """

    kind: Kind = "page"
    depth: int = 0
    hops: int = 0
    via: str = ""
    first: int = 0
    lastmod: str = ""
    visits: list[Visit] = []
    message: int = 0
    spent: int = 0
    rules: str | None = None
    fetched: str = ""
    failing_since: str = ""
    delay: float | None = None
    not_before: str = ""
    links: str = ""


class XmlPage(Record, frozen=True, tag="xml"):
    """A page as one well-formed XML 1.0 document (`xml/`)."""

    xml: str


class _Other(Record, frozen=True, tag=""):
    """No record is one: a union makes msgspec insist on the tag, a single kind does not."""


replace = msgspec.structs.replace
R = TypeVar("R", bound=Record)

_encoder = msgspec.json.Encoder(order="sorted")
_decoders: dict[Any, msgspec.json.Decoder[Any]] = {}


class WrongRecord(ValueError):
    """A line that is not the kind of record that was asked for."""


def encode(url: str, record: Record) -> bytes:
    """The line of `record`, without its line end; `url` is in normal form, so has no white space.

    Raises UnicodeEncodeError, a ValueError, for text that holds lone surrogates.
    """
    return b"%s\t%s" % (url.encode(), value(record))


def value(record: Record) -> bytes:
    """What stands behind the TAB of a record's line."""
    return _encoder.encode(record)


def decode(line: bytes, kind: type[R]) -> tuple[str, R]:
    """URL and record of a line; trailing TABs, CR and LF, which Streaming may add, are ignored.

    `kind` may be a union of kinds. Raises WrongRecord when the line is none of them.

    >>> decode(b'http://a.example/\\t{"is":"page"}', Target)
    Traceback (most recent call last):
    layercrawl.records.WrongRecord: not a target: Invalid value 'page' - at `$.is`
    """
    url, tab, value = line.partition(b"\t")
    decoder = _decoders.get(kind)
    if decoder is None:
        decoder = _decoders[kind] = msgspec.json.Decoder(kind | _Other)
    try:
        if not tab:
            raise WrongRecord("no TAB between URL and JSON")
        return url.decode(), decoder.decode(value.rstrip(b"\t\r\n"))
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise WrongRecord(f"not a {_tags(kind)}: {error}") from error


def _tags(kind: Any) -> str:
    return " or ".join(one.__struct_config__.tag for one in get_args(kind) or (kind,))
