"""The codec of the stores: what goes in comes out, one line a record."""

from __future__ import annotations

import base64
import json
from functools import reduce
from operator import or_
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from layercrawl import charset, records
from layercrawl.records import Outlinks, Page, Record, Target, UrlState, Visit, XmlPage

CASES: dict[str, list[dict[str, Any]]] = json.loads(
    (Path(__file__).parent / "data" / "records.json").read_text("utf-8")
)
KINDS: list[type[Record]] = [Target, Page, Outlinks, UrlState, XmlPage]
URL = "http://a.example/"
TEXT = st.text() | st.lists(st.sampled_from('\r\n\t\u2028\u2029\x85\0\x7f😀"\\ü<')).map("".join)


def cases(section: str) -> Any:
    return pytest.mark.parametrize("case", CASES[section], ids=lambda case: case["description"])


def union(names: str) -> Any:
    return reduce(or_, [getattr(records, name) for name in names.split("|")])


def values(hint: Any) -> st.SearchStrategy[Any]:
    """All values that a field of this type may have."""
    if float in (hint, *get_args(hint)):
        floats = st.floats(allow_nan=False, allow_infinity=False)
        return floats if hint is float else floats | st.none()
    if hint in (Target, list[Visit]):
        visits = st.lists(all_of(Visit), max_size=2)
        return all_of(Target) if hint is Target else visits
    return st.from_type(hint)


def all_of(kind: Any) -> st.SearchStrategy[Any]:
    fields = {field.name: values(field.type) for field in msgspec.structs.fields(kind)}
    return st.builds(kind, **fields)


st.register_type_strategy(str, TEXT)


@given(st.one_of(map(all_of, KINDS)))
def test_every_record_comes_back_from_one_line(record: Record) -> None:
    line = records.encode(URL, record)
    assert records.decode(line, type(record)) == (URL, record)
    assert line.count(b"\t") == 1
    assert not {*b"\r\n"} & {*line}
    assert line.decode().splitlines()[0].startswith(f"{URL}\t{{")


@given(st.one_of(map(all_of, KINDS)))
def test_keys_are_sorted_and_defaults_left_out(record: Record) -> None:
    read = json.loads(records.encode(URL, record).partition(b"\t")[2])
    assert list(read) == sorted(read)
    for spec in msgspec.structs.fields(type(record)):
        has_factory = spec.default_factory is not msgspec.NODEFAULT
        default = spec.default_factory() if has_factory else spec.default
        if spec.type is not float:  # a computed 0.0 may be written
            assert (spec.name in read) == (getattr(record, spec.name) != default)


@cases("lines")
def test_lines(case: dict[str, Any]) -> None:
    kind = getattr(records, case["kind"])
    record = msgspec.convert({"is": kind.__struct_config__.tag, **case["fields"]}, kind)
    assert records.encode(URL, record).decode() == f"{URL}\t{case['line']}"


@cases("refused")
def test_refused(case: dict[str, Any]) -> None:
    with pytest.raises(records.WrongRecord, match=case["why"]):
        records.decode(case["line"].encode("latin-1"), union(case["kind"]))


def test_deep_nesting_is_refused_without_recursion() -> None:
    with pytest.raises(records.WrongRecord, match="not a target"):
        records.decode(b'http://a.example/\t{"is":"target","new":' + b"[" * 100_000, Target)


@pytest.mark.parametrize("end", ["\t", "\t\t", "\r", "\n", "\r\n", "\t\r\n"])
def test_what_streaming_adds_is_ignored(end: str) -> None:
    line = records.encode(URL, Target(depth=1)) + end.encode()
    assert records.decode(line, Target) == (URL, Target(depth=1))


def test_fields_of_later_versions_are_passed_over() -> None:
    assert records.decode(b'u\t{"is":"target","new":[1,{"a":null}]}', Target) == ("u", Target())


@given(st.sampled_from(KINDS).flatmap(all_of))
def test_a_union_gives_each_kind(record: Record) -> None:
    line = records.encode(URL, record)
    assert records.decode(line, reduce(or_, KINDS)) == (URL, record)  # type: ignore[arg-type]


def test_lone_surrogates_are_a_value_error() -> None:
    with pytest.raises(ValueError, match="surrogates"):
        records.encode(URL, XmlPage("\ud800"))


@given(st.binary(), st.sampled_from([None, "text/html", "text/html; charset=gbk"]))
def test_body_gives_the_exact_bytes_back(body: bytes, content_type: str | None) -> None:
    text, encoding = charset.decode(body, content_type)
    exact = charset.inverts(body, text, encoding)
    kept = "" if exact else base64.b64encode(body).decode()
    page = Page(Target(), "ok", encoding=encoding, html=text, body_b64=kept)
    assert records.decode(records.encode(URL, page), Page)[1].body() == body


def test_header_joins_the_values_of_any_case() -> None:
    page = Page(Target(), "ok", headers=[("Vary", "a"), ("X", "b"), ("vARY", "c")])
    assert (page.header("vary"), page.header("etag")) == ("a, c", "")
