"""Inputs made of others: a seed, changed a few times in ways that parsers find hard."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

LONGEST = 1 << 16
_ODD = (b"\0", b"\xff", b"\r\n", b"\n\n", b"<", b">", b'"', b"%", b"\xc3", b"\xed\xa0\x80", b" ")
_NUMBERS = (b"0", b"-1", b"65536", b"4294967296", b"9" * 30, b"1e9", b"0x7fffffff", b"1.5")

Change = Callable[[Random, bytes, Sequence[bytes], Sequence[bytes]], bytes]


def mutate(random: Random, seeds: Sequence[bytes], tokens: Sequence[bytes]) -> bytes:
    """An input made of one of `seeds`, with 1 to 16 changes, at most LONGEST bytes."""
    data = random.choice(seeds)
    for _ in range(1 << random.randrange(5)):
        data = random.choice(_CHANGES)(random, data, seeds, tokens)[:LONGEST]
    return data


def _span(random: Random, data: bytes) -> tuple[int, int]:
    start = random.randint(0, len(data))
    return start, min(len(data), start + (1 << random.randrange(11)))


def _flip(random: Random, data: bytes, *_: Sequence[bytes]) -> bytes:
    at = random.randint(0, len(data))
    return data[:at] + bytes((random.randrange(256),)) + data[at + 1 :]


def _drop(random: Random, data: bytes, *_: Sequence[bytes]) -> bytes:
    start, end = _span(random, data)
    return data[:start] + data[end:]


def _repeat(random: Random, data: bytes, *_: Sequence[bytes]) -> bytes:
    start, end = _span(random, data)
    return data[:start] + data[start:end] * (1 << random.randrange(1, 12)) + data[end:]


def _cut(random: Random, data: bytes, *_: Sequence[bytes]) -> bytes:
    return data[: random.randint(0, len(data))]


def _swap(random: Random, data: bytes, *_: Sequence[bytes]) -> bytes:
    a, b, c = sorted(random.randint(0, len(data)) for _ in range(3))
    return data[:a] + data[b:c] + data[a:b] + data[c:]


def _splice(random: Random, data: bytes, seeds: Sequence[bytes], _: Sequence[bytes]) -> bytes:
    other = random.choice(seeds)
    start, end = _span(random, other)
    at, _end = _span(random, data)
    return data[:at] + other[start:end] + data[at:]


def _insert(random: Random, data: bytes, _: Sequence[bytes], tokens: Sequence[bytes]) -> bytes:
    at, _end = _span(random, data)
    return data[:at] + random.choice((*tokens, *_ODD, *_NUMBERS)) + data[at:]


def _replace(random: Random, data: bytes, _: Sequence[bytes], tokens: Sequence[bytes]) -> bytes:
    """One token, wherever it stands, by another."""
    old, new = random.choice(tokens), random.choice((*tokens, *_ODD))
    return data.replace(old, new)


_CHANGES: tuple[Change, ...] = (
    _flip, _drop, _repeat, _cut, _swap, _splice, _splice, _insert, _insert, _insert, _replace
)  # fmt: skip
