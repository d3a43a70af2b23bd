"""Simhash: a fingerprint of 64 bits that differs in few bits where texts differ in few words.

Charikar's scheme as Manku, Jain and Das Sarma use it for crawls ("Detecting near-duplicates for web
crawling", WWW 2007): each word votes on every bit, as often as it occurs, by its own hash's bits.

What a *word* is, after case folding:

* a run of characters between blanks, punctuation and symbols; combining marks belong to it, so
  that Devanagari or Arabic words stay whole. Korean writes blanks and needs nothing else;
* every ideograph and every kana by itself, since Chinese and Japanese write no blanks;
* every three neighbouring characters in a run of Thai, Lao, Khmer or Burmese, which write no
  blanks either, but whose single letters say too little.

A word's hash is the polynomial of its characters' code points, c0 + c1 B + c2 B^2 …, modulo 2**64,
mixed by the finaliser of MurmurHash3. NumPy hashes all words of a text together and makes no object
of any: 0.09 ms for a page of 5,400 characters and 790 words, 0.15 if in Chinese. With a counter
and a cache of digests it was 0.17 and 0.33 once the cache knew all words, and more before.

A text of a few words has a fingerprint that says little: one word changed moves many bits. Callers
compare short texts exactly.
"""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

_IDEOGRAPHS = (
    "\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
_SYMBOLS = (
    "\x80-\xa9\xab-\xb4\xb6-\xb9\xbb-\xbf\xd7\xf7"
    "\u055a-\u055f\u0589\u05be\u05c0\u05c3\u060c\u061b\u061f\u066a-\u066d\u06d4\u0964\u0965\u1680"
    "\u2000-\u206f\u20a0-\u20cf\u2190-\u2bff\u3000-\u3004\u3008-\u3020\u3030\u303d\u303f"
    "\u309b\u309c\u30a0\u30fb\ue000-\uf8ff\ufe10-\ufe1f\ufe30-\ufe6f\ufeff"
    "\uff00-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65\ufff0-\uffff"
)
_BLANK, _WORD, _IDEOGRAPH, _UNSPACED_LETTER, _EXPANDS = range(5)
_KIND = 24  # the bits from here on say what a letter is, those below which one, case folded
_BEYOND = 0x40000  # from here on there are signs and private characters only
_CASELESS = 0x1F000
_BLOCK = 256  # most blocks have no case
_LONGEST_TEXT = 1 << 20
_USUAL_TEXT = 1 << 16
_CODE = (1 << _KIND) - 1
_BASE = 0x9E3779B97F4A7C15
_MIX = (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53)
_BATCH = 4096
_Letters = NDArray[np.uint32]
Hashes = NDArray[np.uint64]
"""Hashes of 64 bits."""


def fingerprint(text: str) -> int:
    """Return the Simhash of the words of `text`, 0 ≤ it < 2**64; 0 where there are no words.

    The same on every machine. Of a huge text the first 2**20 characters count, so that time and
    memory have a bound.

    >>> f"{fingerprint('The quick brown fox'):016x}"
    '59c4414441c88020'
    >>> fingerprint("the QUICK, brown fox!") == fingerprint("fox brown quick the")
    True
    >>> fingerprint("?! …")
    0
    """
    return of(words(text))


def words(text: str) -> Hashes:
    """Return the hash of each word of `text` in its order, 64 bits each."""
    return _word_hashes(_letters(text[:_LONGEST_TEXT]))


def of(hashes: Hashes) -> int:
    """Return the Simhash of words that were hashed already."""
    return int.from_bytes(np.packbits(_votes(hashes) > len(hashes) / 2).tobytes(), "big")


def distance(a: int, b: int) -> int:
    """Return in how many bits, 0 to 64, two fingerprints differ.

    >>> distance(0b1011, 0b0010)
    2
    """
    return (a ^ b).bit_count()


def _letters(text: str) -> _Letters:
    """Return what `_alphabet` has for each character, 0 between words."""
    letters = _read(text)
    if letters.max(initial=0) >> _KIND == _EXPANDS:
        return _read(text.casefold()[:_LONGEST_TEXT])
    return letters


def _read(text: str) -> _Letters:
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    return _alphabet().take(codes, mode="clip")


@lru_cache(maxsize=1)
def _alphabet() -> _Letters:
    """Return kind and case folded code of each character; the last entry stands for all beyond."""
    kinds = _kinds()
    codes = np.arange(len(kinds), dtype="<u4")
    text = codes[:_CASELESS].tobytes().decode("utf-32-le", "surrogatepass")
    for start in range(0, _CASELESS, _BLOCK):
        block = text[start : start + _BLOCK]
        if block != block.casefold():
            for code, folded in enumerate(map(str.casefold, block), start):
                codes[code] = ord(folded[0])
                kinds[code] = _EXPANDS if len(folded) > 1 else kinds[code]
    return np.where(kinds == _BLANK, np.uint32(0), kinds << _KIND | codes)


def _kinds() -> NDArray[np.uint32]:
    kinds = np.full(_BEYOND + 1, _WORD, dtype=np.uint32)
    kinds[_BEYOND] = _BLANK
    kinds[[code for code in range(128) if not (chr(code).isalnum() or chr(code) == "_")]] = _BLANK
    of_ranges = {_BLANK: _SYMBOLS, _IDEOGRAPH: _IDEOGRAPHS, _UNSPACED_LETTER: _UNSPACED}
    for kind, ranges in of_ranges.items():
        for first, last in re.findall("(.)(?:-(.))?", ranges, re.DOTALL):
            kinds[ord(first) : ord(last or first) + 1] = kind
    return kinds


def _word_hashes(letters: _Letters) -> Hashes:
    """Return the hash of each word, in the order in which they begin."""
    kinds = (letters >> _KIND).astype(np.uint8)
    first = kinds == _IDEOGRAPH
    first[:1] = True
    first[1:] |= kinds[1:] != kinds[:-1]
    first &= kinds != _BLANK
    starts = np.flatnonzero(first)
    codes = (letters & _CODE).astype(np.uint64)
    powers, inverses = _powers(_USUAL_TEXT if len(codes) <= _USUAL_TEXT else _LONGEST_TEXT)
    hashes = np.add.reduceat(codes * powers[: len(codes)], starts) * inverses[starts]
    if kinds.max(initial=_BLANK) == _UNSPACED_LETTER:
        whole = _starts_of_three(kinds == _UNSPACED_LETTER)
        hashes, starts = hashes[~whole[starts]], starts[~whole[starts]]
        hashes = np.concatenate([hashes, _threes(codes)[whole]])
        hashes = hashes[np.concatenate([starts, np.flatnonzero(whole)]).argsort()]
    return mix(hashes)


def _starts_of_three(unspaced: NDArray[np.bool_]) -> NDArray[np.bool_]:
    whole = np.zeros_like(unspaced)
    whole[:-2] = unspaced[:-2] & unspaced[1:-1] & unspaced[2:]
    return whole


def _threes(codes: Hashes) -> Hashes:
    """Return the polynomial of each character with the two after it."""
    hashes = codes.copy()
    hashes[:-1] += codes[1:] * np.uint64(_BASE)
    hashes[:-2] += codes[2:] * np.uint64(_BASE**2 % (1 << 64))
    return hashes


@lru_cache(maxsize=2)
def _powers(length: int) -> tuple[Hashes, Hashes]:
    """Return the powers of the base and of its inverse modulo 2**64."""
    base, inverse = np.empty((2, length), dtype=np.uint64)
    base[1:], inverse[1:] = _BASE, pow(_BASE, -1, 1 << 64)
    base[:1] = inverse[:1] = 1
    return np.cumprod(base), np.cumprod(inverse)


def mix(hashes: Hashes) -> Hashes:
    """Let every bit depend on every bit: fmix64 of MurmurHash3."""
    for factor in _MIX:
        hashes ^= hashes >> np.uint64(33)
        hashes *= np.uint64(factor)
    return hashes ^ hashes >> np.uint64(33)


def _votes(hashes: Hashes) -> NDArray[np.float32]:
    """Return how many hashes have each of the 64 bits, most significant first; below 2**24."""
    votes = np.zeros(64, dtype=np.float32)
    rows = hashes.astype(">u8").view(np.uint8).reshape(-1, 8)
    for start in range(0, len(rows), _BATCH):  # a bit becomes 4 bytes in the product
        bits = np.unpackbits(rows[start : start + _BATCH], axis=1)
        votes += np.ones(len(bits), dtype=np.float32) @ bits
    return votes
