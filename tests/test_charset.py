"""Bytes to text and back: declared, guessed, hostile and arbitrary."""

from __future__ import annotations

import base64
import json
import time
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from layercrawl import charset, records
from layercrawl.charset import declared
from layercrawl.charset.guessing import guess
from layercrawl.charset.labels import CODECS, NAMES, name, table

CASES: dict[str, list[dict[str, Any]]] = json.loads(
    (Path(__file__).parent / "data" / "charset.json").read_text("utf-8")
)
ENCODINGS = sorted(set(NAMES.values()))
JAPANESE = {"euc-jp", "iso-2022-jp", "shift_jis"}  # Python's write the yen sign as a backslash.


def cases(section: str) -> Any:
    return pytest.mark.parametrize("case", CASES[section], ids=lambda case: case["description"])


@cases("decode")
def test_decode(case: dict[str, Any]) -> None:
    body = case["body"].encode("latin-1")
    assert charset.decode(body, case.get("content_type")) == (case["text"], case["encoding"])


@cases("labels")
def test_labels(case: dict[str, Any]) -> None:
    assert {name(label) for label in case["labels"]} == {case["encoding"]}


def test_a_label_of_any_spelling_decodes_in_header_and_page() -> None:
    body = "<p>日本語".encode("cp932")
    for case in CASES["labels"]:
        for label in case["labels"] if case["encoding"] == "shift_jis" else ():
            assert charset.decode(body, f"text/html; charset={label}")[0] == "<p>日本語"
            page = f"<meta charset={label}>".encode() + body
            assert charset.decode(page, "text/html")[0].endswith("日本語")


@cases("guess_text")
def test_guess_of_text(case: dict[str, Any]) -> None:
    body = case["text"].encode(case.get("codec", case["encoding"]))
    assert charset.decode(body, "text/html") == (case["text"], case["encoding"])


@cases("guess_bytes")
def test_guess_of_bytes(case: dict[str, Any]) -> None:
    assert guess(case["body"].encode("latin-1")) == case["encoding"]


@cases("inverts")
def test_inverts(case: dict[str, Any]) -> None:
    body, encoding = case["body"].encode("latin-1"), case["encoding"]
    text, _ = charset.decode(body, f"text/html; charset={encoding}")
    assert charset.inverts(body, text, encoding) is case["inverts"]
    if case["inverts"]:
        assert charset.encode(text, encoding) == body


def test_encoding_of_no_text_needs_no_encoding() -> None:
    assert charset.encode("", "") == b""


@pytest.mark.parametrize("encoding", ["", "nonsense", "latin1", "replacement", "koi8-r"])
def test_text_that_cannot_be_encoded_is_a_value_error(encoding: str) -> None:
    with pytest.raises(ValueError, match="not text in"):
        charset.encode("日", encoding)


def test_all_encodings_of_the_standard_are_there() -> None:
    assert len(NAMES) == 228
    assert len(ENCODINGS) == 40
    assert set(CODECS) < set(ENCODINGS)


@pytest.mark.parametrize("encoding", [e for e in ENCODINGS if e not in {*CODECS, "replacement"}])
def test_single_byte_tables_are_whole_and_keep_ascii(encoding: str) -> None:
    characters = table(encoding)
    known = characters.replace("\ufffe", "")
    assert len(characters) == 256
    assert len(set(known)) == len(known)
    assert characters[:0x80] == bytes(range(0x80)).decode("ascii")
    assert "\ufffd" not in characters


@given(
    st.binary() | st.text().map(str.encode) | st.lists(st.sampled_from(range(256))).map(bytes),
    st.sampled_from([*NAMES, "unknown"]),
)
def test_every_body_comes_back_from_its_record(body: bytes, label: str) -> None:
    text, encoding = charset.decode(body, f"text/html; charset={label}")
    exact = charset.inverts(body, text, encoding)
    page = records.Page(
        records.Target(),
        "ok",
        encoding=encoding,
        html=text,
        body_b64="" if exact else base64.b64encode(body).decode(),
    )
    line = records.encode("http://a.example/", page)
    assert records.decode(line, records.Page)[1].body() == body
    assert encoding in ENCODINGS
    text.encode("utf-8")  # raises on lone surrogates
    if exact:
        assert charset.encode(text, encoding) == body


@given(st.text(), st.sampled_from(sorted({*ENCODINGS} - JAPANESE)))
def test_text_that_can_be_encoded_is_read_back(text: str, encoding: str) -> None:
    try:
        body = charset.encode(text, encoding)
    except ValueError:
        return
    if not declared.byte_order_mark(body):
        assert charset.decode(body, f"text/html; charset={encoding}") == (text, encoding)


@given(st.lists(st.sampled_from(["<", "<meta", " ", "charset", "=", '"', "'", ">", "utf-8", "/"])))
def test_any_markup_is_read(parts: list[str]) -> None:
    text = "".join(parts)
    assert charset.decode(text.encode(), None)[0] == text


HOSTILE = {
    "ASCII and one mark": b"a" * 2**20 + b"\xa9",
    "null bytes": b"\xbd\0" + b"S" * 32768,
    "all bytes": bytes(range(256)) * 2048,
    "open metas": b"<meta " * 200_000 + b"charset \xff",
    "open tags": b"<a" * 500_000 + b"<meta charset \xff",
    "open comments": b"<!--" * 200_000 + b"<meta charset \xff",
    "open quotes": b'<meta charset="' * 60_000,
    "attributes": b"<meta" + b" x" * 400_000 + b"><meta charset \xff",
    "XML declarations": b"<?xml " * 100_000,
}


@pytest.mark.parametrize("name", ["ASCII and one mark", "null bytes"])
def test_guesses_take_bounded_memory(name: str) -> None:
    body = HOSTILE[name]
    tracemalloc.start()
    charset.decode(body, "text/html")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 20 * len(body) + (1 << 20)


@pytest.mark.parametrize("body", HOSTILE.values(), ids=HOSTILE)
def test_hostile_bodies_take_linear_time(body: bytes) -> None:
    start = time.process_time()
    charset.decode(body, "text/html")
    assert time.process_time() - start < 10
