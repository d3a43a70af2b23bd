"""A query in the encoding of its document."""

import json
import time
from pathlib import Path
from urllib.parse import unquote_to_bytes

import pytest
from hypothesis import given
from hypothesis import strategies as st

from layercrawl.charset import labels
from layercrawl.urls.query_encoding import encode_query

CASES = json.loads((Path(__file__).parent / "data/query_encoding.json").read_text("utf-8"))


@pytest.mark.parametrize("case", CASES["encode"], ids=lambda case: case["description"])
def test_characters_become_the_encodings_bytes(case):
    assert encode_query("?" + case["text"], case["encoding"]) == "?" + case["expected"]


@pytest.mark.parametrize("case", CASES["where"], ids=lambda case: case["description"])
def test_only_the_query_is_encoded(case):
    assert encode_query(case["url"], "windows-1252") == case["expected"]


NAMES = sorted(set(labels.NAMES.values()))


@given(st.text(max_size=20), st.sampled_from(NAMES))
def test_every_encoding_takes_every_text(text, encoding):
    assert encode_query("?" + text.replace("#", ""), encoding).isascii()


@pytest.mark.parametrize("encoding", NAMES)
def test_characters_that_are_not_there_cost_no_more_than_others(encoding):
    start = time.thread_time()
    assert len(encode_query("?" + "\uffff" * 100_000, encoding)) >= 800_000
    assert time.thread_time() - start < 10


@pytest.mark.parametrize("encoding", ["shift_jis", "euc-jp", "gbk", "euc-kr", "koi8-r"])
def test_bytes_mean_the_same_to_a_server_that_decodes_them(encoding):
    codec = labels.CODECS.get(encoding, encoding)
    text = {"koi8-r": "сыр", "gbk": "中文", "euc-kr": "가나"}.get(encoding, "日本語カナ")
    assert unquote_to_bytes(encode_query("?" + text, encoding))[1:].decode(codec) == text
