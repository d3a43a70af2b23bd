"""WARC files and their index: what each kind of answer becomes, and where it is found again."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from warcio.archiveiterator import ArchiveIterator

from layercrawl.export import EXPORTS
from layercrawl.records import Page, Target
from layercrawl.stores import Stores
from tests import laying, warcs

NAMES = ["crawl.warc", "crawl.warc.gz"]
HTML = [("Content-Type", "Text/HTML; charset=utf-8"), ("Content-Encoding", "br")]
TAGGED = [*HTML, ("ETag", '"1"'), ("Content-Length", "7")]
FIRST, AGAIN = "2026-11-30T12:00:00Z", "2026-12-01T12:00:00Z"


def page(outcome: str, status: int, fetched: str = FIRST, **fields: Any) -> Page:
    encoding = "utf-8" if "html" in fields else ""
    fields = {"encoding": encoding, "headers": HTML, "http_version": "1.1"} | fields
    return Page(Target(), outcome, status=status, fetched=fetched, **fields)


RULES = page("ok", 200, html="User-agent: *", location="http://www.d.example/rules")
WAY = ("d.example/robots.txt", "www.d.example/rules")
LAYERS = [
    [
        ("http://b.example/x", page("ok", 200, html="<p>é", headers=TAGGED)),
        ("http://a.example/long", page("ok", 200, html="<p>", truncated=True)),
        ("http://a.example/old", page("redirect", 301, headers=[("Location", "/older")])),
        ("http://a.example/older", page("redirect", 308, headers=[("Location", "/new")])),
        ("http://a.example/new", page("ok", 200, html="<p>new")),
        ("http://a.example/robots.txt", page("denied", 403)),
        ("http://c.example/", page("failed", 0, reason="timeout: no answer in 30 s", headers=[])),
        ("http://d.example/robots.txt", RULES),
        ("http://a.example/empty", page("gone", 404, headers=[("content-length", "0")])),
    ],
    [
        ("http://b.example/x", page("not_modified", 304, AGAIN, headers=[("ETag", '"1"')])),
        ("http://b.example/y", page("not_modified", 304, AGAIN, headers=[])),
    ],
]  # fmt: skip
ANSWERS = [answer for layer in LAYERS for answer in layer]


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> Stores:
    made = Stores(tmp_path_factory.mktemp("warc") / "crawl")
    for number, answers in enumerate(LAYERS):
        laying.lay(made.layer("doc", number), answers)
    return made


@pytest.fixture(scope="module", params=NAMES)
def path(
    request: pytest.FixtureRequest, crawl: Stores, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    found = tmp_path_factory.mktemp("exported") / request.param
    assert EXPORTS["warc"](crawl, found) == len(ANSWERS) + 1
    return found


class Found(NamedTuple):
    kind: str
    headers: Any
    http: Any
    body: bytes


def read(content: bytes) -> Iterator[Found]:
    for record in ArchiveIterator(io.BytesIO(content)):
        body = record.raw_stream.read()
        yield Found(record.rec_type, record.rec_headers.get_header, record.http_headers, body)


def by_url(path: Path) -> dict[str, list[Found]]:
    found: dict[str, list[Found]] = {}
    for record in read(path.read_bytes()):
        found.setdefault(record.headers("WARC-Target-URI", ""), []).append(record)
    return found


def index(path: Path) -> list[tuple[str, str, dict[str, str]]]:
    lines = path.with_name(f"{path.name}.cdxj").read_bytes().splitlines()
    assert lines == sorted(lines)
    parts = [line.decode().split(" ", 2) for line in lines]
    return [(key, moment, json.loads(told)) for key, moment, told in parts]


def test_every_hop_of_redirects_is_a_response(path: Path) -> None:
    found = by_url(path)
    for name, status, leads_to in [("old", "301", "/older"), ("older", "308", "/new")]:
        (record,) = found[f"http://a.example/{name}"]
        assert (record.kind, record.http.get_statuscode(), record.body) == ("response", status, b"")
        assert record.http.get_header("Location") == leads_to
    assert [record.body for record in found["http://a.example/new"]] == [b"<p>new"]


def test_a_robots_txt_that_was_elsewhere_is_the_answer_of_that_url(path: Path) -> None:
    found = by_url(path)
    (asked,), (answered,) = (found[f"http://{name}"] for name in WAY)
    assert (asked.kind, answered.kind) == ("metadata", "response")
    assert asked.body.decode().splitlines()[1] == "reason: to http://www.d.example/rules in the end"
    assert answered.body == b"User-agent: *"


def test_what_was_not_answered_says_why(path: Path) -> None:
    (record,) = by_url(path)["http://c.example/"]
    assert record.kind == "metadata"
    assert record.body.decode().splitlines() == [
        "outcome: failed",
        "reason: timeout: no answer in 30 s",
    ]


@pytest.mark.parametrize(
    ("url", "why"),
    [("b.example/x", None), ("a.example/long", "length"), ("a.example/empty", None),
     ("a.example/old", "unspecified"), ("a.example/robots.txt", "unspecified")],
)  # fmt: skip
def test_a_body_that_is_not_whole_is_called_truncated(path: Path, url: str, why: str) -> None:
    assert by_url(path)[f"http://{url}"][0].headers("WARC-Truncated") == why


def test_a_revisit_names_the_response_that_still_holds(path: Path) -> None:
    first, again = by_url(path)["http://b.example/x"]
    assert (first.kind, again.kind) == ("response", "revisit")
    assert again.headers("WARC-Profile").endswith("/server-not-modified")
    assert again.headers("WARC-Refers-To-Target-URI") == "http://b.example/x"
    assert again.headers("WARC-Refers-To-Date") == first.headers("WARC-Date") == FIRST
    assert again.headers("WARC-Payload-Digest") == first.headers("WARC-Payload-Digest")
    assert again.http.headers == [("ETag", '"1"')]
    (alone,) = by_url(path)["http://b.example/y"]
    assert alone.kind == "revisit" and alone.headers("WARC-Refers-To-Date") is None


def test_headers_that_told_of_codings_are_put_aside(path: Path) -> None:
    (record, _) = by_url(path)["http://b.example/x"]
    names = dict(record.http.headers)
    assert names["X-Archive-Orig-Content-Encoding"] == "br"
    assert (names["X-Archive-Orig-Content-Length"], names["Content-Length"]) == ("7", "5")
    assert record.body == "<p>é".encode()


def test_the_index_finds_every_answer(path: Path) -> None:
    content, rows = path.read_bytes(), index(path)
    for _, moment, told in rows:
        start, length = int(told["offset"]), int(told["length"])
        assert told["filename"] == path.name
        (record,) = read(content[start : start + length])
        assert record.headers("WARC-Target-URI") == told["url"]
        assert "".join(filter(str.isdigit, record.headers("WARC-Date"))) == moment
        assert record.http.get_statuscode() == told["status"]
        assert record.headers("WARC-Payload-Digest", "-") == told["digest"]
    answered = [one.location if one is RULES else url for url, one in ANSWERS if one.status]
    assert sorted(told["url"] for _, _, told in rows) == sorted(answered)


def test_the_index_tells_kinds_as_replay_tools_want_them(path: Path) -> None:
    rows = index(path)
    mimes = {(key, moment[:8]): told["mime"] for key, moment, told in rows}
    assert mimes["example,b)/x", "20261130"] == "text/html"
    assert mimes["example,b)/x", "20261201"] == "warc/revisit"
    assert mimes["example,a)/old", "20261130"] == "unk"
    digests = {told["digest"] for key, _, told in rows if key == "example,b)/x"}
    assert len(digests) == 1 and digests.pop().startswith("sha1:")


def test_two_libraries_find_nothing_wrong(path: Path) -> None:
    kinds = warcs.kinds(path)
    assert len(kinds) == 1 + len(ANSWERS) + 1
    assert kinds.count("response") == sum(one.status not in (0, 304) for _, one in ANSWERS)


def test_an_index_that_is_there_is_not_touched(crawl: Stores, tmp_path: Path) -> None:
    (tmp_path / "crawl.warc.cdxj").write_text("mine")
    with pytest.raises(ValueError, match=r"crawl\.warc\.cdxj is there already"):
        EXPORTS["warc"](crawl, tmp_path / "crawl.warc")
    assert (tmp_path / "crawl.warc.cdxj").read_text() == "mine"
    assert not (tmp_path / "crawl.warc").exists()
