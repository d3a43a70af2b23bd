"""Fingerprints; cases in data/simhash.json, and the `simhash` package as the judge of the bits.

`words` and `word_hash` say again, one character at a time, what the module does with arrays.
"""

import itertools
import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
import simhash as package
from hypothesis import given, settings
from hypothesis import strategies as st

from layercrawl import simhash
from layercrawl.simhash import distance, fingerprint

CASES = json.loads((Path(__file__).parent / "data" / "simhash.json").read_text("utf-8"))


def each(name):
    return [pytest.param(case, id=case["description"]) for case in CASES[name]]


ONE = f"[{simhash._IDEOGRAPHS}]"
RUN = f"[{simhash._UNSPACED}]+"
BETWEEN = rf"[^\w\x80-\U0003ffff]|[{simhash._SYMBOLS}]|[\U00040000-\U0010ffff]"
WORD = re.compile(f"(?P<one>{ONE})|(?P<run>{RUN})|(?:(?!{ONE}|{RUN}|{BETWEEN}).)+", re.DOTALL)


def words(text):
    counts = Counter()
    for match in WORD.finditer(text.casefold()):
        run = match["run"] or ""
        pieces = ["".join(piece) for piece in zip(run, run[1:], run[2:], strict=False)]
        counts.update(pieces or [match[0]])
    return counts


def word_hash(word):
    value = 0
    for char in reversed(word):
        value = (value * 0x9E3779B97F4A7C15 + ord(char)) % 2**64
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53, 1):
        value = (value ^ value >> 33) * factor % 2**64
    return value


def judged(counts):
    """The package's value. It counts in 8 bits (2.1.2, NumPy 2), so big counts come in pieces."""
    features = []
    for word, count in counts.items():
        features += [(word, 1)] * (count % 100)
        features += [(word, 100)] * (count // 100)
    if not features:
        return 0
    return package.Simhash(
        features, hashfunc=lambda word: word_hash(word.decode()).to_bytes(8, "big")
    ).value


@pytest.mark.parametrize("case", each("words"))
def test_words(case):
    assert words(case["text"]) == Counter(case["words"])
    assert fingerprint(case["text"]) == judged(Counter(case["words"]))


@pytest.mark.parametrize("case", each("near"))
def test_distance_of_texts(case):
    for one, other in itertools.combinations(map(fingerprint, case["texts"]), 2):
        assert case.get("least", 0) <= distance(one, other) <= case.get("most", 64)


@pytest.mark.parametrize("case", each("fixed"))
def test_fingerprints_never_change(case):
    """They lie in stores: another value here means that every store is stale."""
    assert f"{fingerprint(case['text']):016x}" == case["fingerprint"]


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["a", "b", "cc", "été", "東京", "กขคง", "x-y"])
            | st.text("abcde", max_size=3),
            st.integers(1, 700),
        ),
        min_size=1,
        max_size=8,
    ).map(lambda pairs: " ".join(f"{word} " * count for word, count in pairs))
    | st.text()
)
def test_bits_are_those_of_the_package(text):
    assert fingerprint(text) == judged(words(text))


def test_bits_of_many_distinct_words_are_those_of_the_package():
    text = " ".join(f"w{n} " * (n % 7) for n in range(10_000))
    assert fingerprint(text) == judged(words(text))


def test_a_long_text_and_a_long_word():
    text = "short words " * 10_000 + "xy" * 1000
    assert len(text) > simhash._USUAL_TEXT
    assert fingerprint(text) == judged(words(text))


def test_a_text_that_grows_by_case_folding_is_cut_again():
    text = "\u0390" * (1 << 20)  # to three characters each
    assert fingerprint(text) == fingerprint(text.casefold())


@given(st.text())
def test_any_text_has_a_fingerprint_of_64_bits(text):
    assert 0 <= fingerprint(text) < 2**64


def test_lone_surrogates_are_data():
    assert fingerprint("\ud800 東\udfff") != fingerprint("東")


def test_one_word_changed_in_a_page_moves_few_bits():
    text = [f"word{n}" for n in range(500)]
    changed = [*text[:250], "other", *text[251:]]
    assert distance(fingerprint(" ".join(text)), fingerprint(" ".join(changed))) <= 3


def test_what_lies_beyond_the_longest_text_does_not_count():
    text = "a b c " * 200_000
    assert fingerprint(text + "d " * 1_000_000) == fingerprint(text[: 1 << 20])


@given(st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1))
def test_distance_is_a_count_of_bits(one, other):
    assert distance(one, other) == distance(other, one) == bin(one ^ other).count("1")
    assert distance(one, one) == 0


def test_fingerprints_do_not_depend_on_the_process():
    program = "from layercrawl.simhash import fingerprint; print(fingerprint('some text 東京'))"
    values = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).parent.parent)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1")
    }
    assert values == {f"{fingerprint('some text 東京')}\n".encode()}
