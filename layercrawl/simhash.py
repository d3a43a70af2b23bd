"""Simhash: a fingerprint of 64 bits that differs in few bits where texts differ in few words.

Charikar's scheme as Manku, Jain and Das Sarma use it for crawls ("Detecting near-duplicates for web
crawling", WWW 2007): each distinct word votes on every bit with its count, by its own hash's bits.

What a *word* is, after case folding:

* a run of characters between blanks, punctuation and symbols; combining marks belong to it, so
  that Devanagari or Arabic words stay whole. Korean writes blanks and needs nothing else;
* every ideograph and every kana by itself, since Chinese and Japanese write no blanks;
* every three neighbouring characters in a run of Thai, Lao, Khmer or Burmese, which write no
  blanks either, but whose single letters say too little.

A text of a few words has a fingerprint that says little: one word changed moves many bits. Callers
compare short texts exactly.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from functools import lru_cache
from hashlib import blake2b

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
_IDEOGRAPH = re.compile(f"[{_IDEOGRAPHS}]")
_UNSPACED_RUN = re.compile(f"[{_UNSPACED}]+")
_NO_WORD = re.compile(f"[{_IDEOGRAPHS}{_UNSPACED}{_SYMBOLS}]+")
_ASCII_WORDS = bytes(c if c > 127 or c == 95 or chr(c).isalnum() else 32 for c in range(256))
_PIECE = 3
_LONGEST_TEXT = 1 << 20
_LONGEST_KEPT = 128  # the cache holds 32,768 words, so they must be short
_BATCH = 4096


def fingerprint(text: str) -> int:
    """Return the Simhash of the words of `text`, 0 ≤ it < 2**64; 0 where there are no words.

    The same on every machine and Python: words are hashed by BLAKE2b, not by `hash`. Of a huge
    text the first 2**20 characters count, so that time and memory have a bound.

    >>> f"{fingerprint('The quick brown fox'):016x}"
    '02d0832010523a35'
    >>> fingerprint("the QUICK, brown fox!") == fingerprint("fox brown quick the")
    True
    >>> fingerprint("?! …")
    0
    """
    counts = words(text[:_LONGEST_TEXT])
    weights = np.fromiter(counts.values(), dtype=np.float64, count=len(counts))
    votes = _votes(_hashes(counts), weights)
    return int.from_bytes(np.packbits(votes > weights.sum() / 2).tobytes(), "big")


def distance(a: int, b: int) -> int:
    """Return in how many bits, 0 to 64, two fingerprints differ.

    >>> distance(0b1011, 0b0010)
    2
    """
    return (a ^ b).bit_count()


def words(text: str) -> Counter[bytes]:
    """Return how often each word (as the module tells) is in `text`; words are UTF-8.

    >>> [word.decode() for word in words("Ünder_score, don't 日本の हिन्दी")]
    ['ünder_score', 'don', 't', 'हिन्दी', '日', '本', 'の']
    >>> [word.decode() for word in words("ภาษาไทย ลา")]
    ['ภาษ', 'าษา', 'ษาไ', 'าไท', 'ไทย', 'ลา']
    """
    counts = Counter(_spaced_words(text.casefold()))  # bytes, since there this is quickest
    for run in [word for word in counts if not word.isascii()]:
        text = run.decode("utf-8", "surrogatepass")
        if _NO_WORD.search(text):
            times = counts.pop(run)
            for word, count in _words_of_run(text).items():
                counts[_encode(word)] += count * times
    return counts


def _words_of_run(run: str) -> Counter[str]:
    """Return the words of a text without ASCII blanks and punctuation."""
    counts = Counter(_NO_WORD.sub(" ", run).split())
    counts.update(_IDEOGRAPH.findall(run))
    for unspaced in _UNSPACED_RUN.findall(run):
        last = max(len(unspaced) - _PIECE, 0)
        counts.update(unspaced[start : start + _PIECE] for start in range(last + 1))
    return counts


def _spaced_words(text: str) -> list[bytes]:
    return _encode(text).translate(_ASCII_WORDS).split()


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _votes(hashes: NDArray[np.uint8], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sum up what each of the 64 bits got, most significant first; exact, being below 2**53."""
    votes = np.zeros(64)
    for start in range(0, len(weights), _BATCH):  # a bit becomes 8 bytes in the product
        end = start + _BATCH
        votes += weights[start:end] @ np.unpackbits(hashes[start:end], axis=1)
    return votes


def _hashes(distinct: Collection[bytes]) -> NDArray[np.uint8]:
    """Return a row of 8 bytes for each word."""
    keep = max(map(len, distinct), default=0) <= _LONGEST_KEPT
    digest = _kept_digest if keep else _digest
    return np.frombuffer(b"".join(map(digest, distinct)), dtype=np.uint8).reshape(-1, 8)


def _digest(word: bytes) -> bytes:
    return blake2b(word, digest_size=8).digest()


_kept_digest = lru_cache(maxsize=1 << 15)(_digest)
