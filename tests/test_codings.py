"""Content codings: undone whatever the pieces, bounded, and never half."""

from __future__ import annotations

import gzip
import json
import time
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import brotli
import pytest
from hypothesis import given
from hypothesis import strategies as st

from layercrawl.codings import PIECE, BrokenCoding, decoded, zstd

CASES: dict[str, list[dict[str, Any]]] = json.loads(
    (Path(__file__).parent / "data" / "codings.json").read_text("utf-8")
)
BODY = b"<p>All work and no play makes Jack a dull boy</p>\n" * 3000
SKIPPABLE = b"\x52\x2a\x4d\x18\x03\0\0\0abc"


def _raw_deflate(body: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(body) + packer.flush()


def _gzip(body: bytes) -> bytes:
    return gzip.compress(body, mtime=0)


def _wide(body: bytes) -> bytes:
    packer = zstd.ZstdCompressor(options={zstd.CompressionParameter.window_log: 27})
    return packer.compress(body) + packer.flush()


PACK: dict[str, Callable[[bytes], bytes]] = {
    "gzip": _gzip,
    "gzip members": lambda body: _gzip(body[:9]) + _gzip(b"") + _gzip(body[9:]),
    "gzip zeros": lambda body: _gzip(body) + bytes(100_000),
    "gzip text": lambda body: _gzip(body) + b"\x1f",
    "gzip off": lambda body: _gzip(body)[:-8] + bytes(8),
    "gzip half members": lambda body: _gzip(body) + _gzip(body)[:-9],
    "zlib": zlib.compress,
    "zlib text": lambda body: zlib.compress(body) + b"and more",
    "raw deflate": _raw_deflate,
    "br": brotli.compress,
    "zstd": zstd.compress,
    "zstd frames": lambda body: SKIPPABLE + zstd.compress(body[:9]) + zstd.compress(body[9:]),
    "zstd text": lambda body: zstd.compress(body) + b"and more",
    "zstd window": _wide,
}


def cases(section: str) -> Any:
    return pytest.mark.parametrize("case", CASES[section], ids=lambda case: case["description"])


def packed(body: bytes, names: list[str]) -> bytes:
    for name in names:
        body = PACK[name](body)
    return body


def pieces_of(wire: bytes, size: int) -> Iterator[bytes]:
    return (wire[start : start + size] for start in range(0, len(wire), size))


@cases("good")
@pytest.mark.parametrize("size", [1, 7, 1 << 20])
def test_undone_whatever_the_pieces(case: dict[str, Any], size: int) -> None:
    for body in (BODY[: 200 * size], b"", b"x"):
        wire = packed(body, case["packed"])
        found = list(decoded(pieces_of(wire, size), case["header"]))
        assert b"".join(found) == body
        assert max(map(len, found), default=0) <= PIECE


@cases("broken")
@pytest.mark.parametrize("size", [1, 1 << 20])
def test_broken(case: dict[str, Any], size: int) -> None:
    with pytest.raises(BrokenCoding) as caught:
        list(decoded(pieces_of(packed(BODY[:999], case["packed"]), size), case["header"]))
    assert str(caught.value) == case["reason"]


@pytest.mark.parametrize("header", ["gzip", "br, zstd", "compress", "a, b, c, d, e"])
def test_nothing_is_an_empty_body(header: str) -> None:
    assert b"".join(decoded([], header)) == b"".join(decoded([b"", b""], header)) == b""


CODINGS = {"gzip": "gzip", "deflate": "zlib", "Deflate": "raw deflate", "br": "br", "zstd": "zstd"}


@given(st.binary(max_size=300), st.lists(st.sampled_from(sorted(CODINGS)), max_size=3), st.data())
def test_a_body_comes_back_and_half_of_it_never_does(
    body: bytes, codings: list[str], data: st.DataObject
) -> None:
    wire = packed(body, [CODINGS[coding] for coding in codings])
    size = data.draw(st.integers(1, len(wire) or 1))
    header = ", ".join(codings)
    assert b"".join(decoded(pieces_of(wire, size), header)) == body
    if codings and size < len(wire):
        with pytest.raises(BrokenCoding):
            list(decoded([wire[:size]], header))


@given(st.sampled_from(["gzip", "deflate", "br", "zstd"]), st.binary(max_size=60))
def test_any_bytes_are_a_body_or_broken(coding: str, tail: bytes) -> None:
    for wire in (tail, packed(BODY[:60], [CODINGS[coding]])[:12] + tail):
        try:
            list(decoded([wire], coding))
        except BrokenCoding as error:
            assert str(error) in ("content coding broken", "content coding cut short")


def endless(coding: str) -> Iterator[bytes]:
    """Zeros without end under a coding."""
    packer: Any = {
        "gzip": lambda: zlib.compressobj(wbits=31),
        "deflate": zlib.compressobj,
        "br": lambda: brotli.Compressor(quality=1),
        "zstd": zstd.ZstdCompressor,
    }[coding]()
    compress = getattr(packer, "process", None) or packer.compress
    while True:
        yield compress(bytes(1 << 20))


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
def test_a_bomb_costs_only_what_is_taken(coding: str) -> None:
    wire = b"".join(islice(endless(coding), 100))
    wire = wire or next(chunk for chunk in endless(coding) if chunk)
    tracemalloc.start()
    found = decoded([wire], coding)
    size = sum(len(piece) for piece in islice(found, 8))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert 0 < size <= 8 * PIECE
    assert peak < 5 * PIECE + len(wire)


def test_a_bomb_in_a_bomb_leaves_time_to_look_at_the_clock() -> None:
    """Blocks of deflate that hold nothing, a thousand times smaller when packed."""
    empty = b"\0\0\0\xff\xff" * 2_000_000
    wire = _gzip(_gzip(b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + empty))
    start = time.process_time()
    taken = list(islice(decoded([wire], "gzip, gzip, gzip"), 50))
    assert taken == [b""] * 50
    assert time.process_time() - start < 5


HOSTILE = {
    "a hundred thousand empty members": _gzip(b"") * 100_000,
    "garbage after the end": _gzip(b"") + bytes(4_000_000),
}


@pytest.mark.parametrize("wire", HOSTILE.values(), ids=HOSTILE)
def test_hostile_bodies_take_linear_time(wire: bytes) -> None:
    start = time.process_time()
    assert b"".join(decoded([wire], "gzip")) == b""
    assert time.process_time() - start < 10


def test_what_trails_is_read_to_its_end_but_not_for_ever() -> None:
    def chunks(count: int) -> Iterator[bytes]:
        yield _gzip(b"page")
        for _ in range(count):
            yield bytes(1000)
        ended.append(count)

    ended: list[int] = []
    for count in (0, 10, 1000):
        assert b"".join(decoded(chunks(count), "gzip")) == b"page"
    assert ended == [0, 10]
