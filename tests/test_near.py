"""Near-duplicates: what is proposed, what is confirmed, and which page stands."""

from __future__ import annotations

import json
import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Set
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from layercrawl import records, simhash, sketch
from layercrawl.dedup import blocks, near, rows, urlset
from layercrawl.dedup.rows import Message, Row
from layercrawl.outlinks import outlinks
from layercrawl.records import Outlinks, Page, Target
from layercrawl.rules import Rules
from tests import planning
from tests.test_dedup import decisions, standing

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "data" / "near.json").read_text("utf-8")
)


def words(many: int, begins: int = 0) -> list[str]:
    return [f"word{number}" for number in range(begins, begins + many)]


def text(spec: dict[str, Any]) -> str:
    """`words` words, from `begins` on; each of the `changed` places has another one."""
    found = words(spec["words"], spec.get("begins", 0))
    for place in spec.get("changed", []):
        found[place] = f"other{place}"
    return " ".join(found)


def links(page: dict[str, Any]) -> Outlinks:
    """What the crawl keeps of a page of a case."""
    target = Target(depth=page.get("depth", 0))
    fetched = "2026-01-01T00:00:00Z"
    if to := page.get("redirects_to"):
        return Outlinks(target, "redirect", fetched=fetched, status=301, links=[(to, "")])
    head = f"<link rel=canonical href='{page['canonical']}'>" if "canonical" in page else ""
    for url in page.get("versions", []):
        head += f"<link rel=alternate hreflang=x href='{url}'>"
    body = page["text"] if isinstance(page["text"], str) else text(page["text"])
    html = f"{head}<title>{page['url']}</title><{page.get('tag', 'p')}>{body}"
    answer = Page(target, "ok", status=200, fetched=fetched, html=html, digest=html)
    return outlinks(page["url"], answer, Rules("any"), "layercrawl")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["description"])
def test_who_stands_for_whom(case: dict[str, Any]) -> None:
    merged = standing(
        decisions([(page["url"], links(page)) for page in case["pages"]], case.get("bits", 3))
    )
    found = {url: {name: kind for name, kind, _ in page.duplicates} for url, page in merged.items()}
    assert found == case["merged"]


def test_a_distance_is_told_in_bits() -> None:
    pages = [
        {"url": f"http://a.example/{n}", "text": {"words": 400, "changed": [7] * n}} for n in (0, 1)
    ]
    found = [links(page) for page in pages]
    (page,) = standing(decisions(list(zip([p["url"] for p in pages], found, strict=True)))).values()
    distance = simhash.distance(*(int(one.simhash, 16) for one in found))
    assert page.duplicates == [("http://a.example/1", "near", distance)]


@planning.few
@given(st.integers(0, 6), st.integers(3, 60), st.randoms(use_true_random=False))
def test_all_pairs_are_found_once_and_no_other(most: int, many: int, chance: random.Random) -> None:
    found = [chance.getrandbits(64) for _ in range(3)]
    while len(found) < many:
        bits = chance.choice(found)
        for place in chance.sample(range(64), chance.randint(0, 5)):
            bits ^= 1 << place
        found.append(bits)
    pairs = by_blocks(found, most)
    assert len(pairs) == len(set(pairs))
    assert set(pairs) == {
        (one, other)
        for other in range(many)
        for one in range(other)
        if simhash.distance(found[one], found[other]) <= most
    }


def test_equal_simhashes_are_a_pair() -> None:
    assert by_blocks([8550830854347186281] * 2, 2) == [(0, 1)]


def by_blocks(found: list[int], most: int) -> list[tuple[int, int]]:
    groups: defaultdict[bytes, list[int]] = defaultdict(list)
    for place, bits in enumerate(found):
        for key in blocks.keys(bits, most):
            groups[key].append(place)
    return [
        (places[one], places[other])
        for key, places in groups.items()
        for one, other in blocks.pairs([found[place] for place in places], most, key)
    ]


@pytest.mark.parametrize("most", range(7))
def test_skewed_blocks_are_parted_again(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(most)
    found = sorted({chance.getrandbits(9) << 20 | chance.getrandbits(1) << 63 for _ in range(300)})
    wanted = by_blocks(found, most)
    monkeypatch.setattr(blocks, "FEW", 2)
    monkeypatch.setattr(blocks, "_ROW", 50)
    assert sorted(by_blocks(found, most)) == sorted(wanted)


@planning.few
@given(st.integers(50, 400), st.integers(0, 100))
def test_sketches_tell_the_share_of_shingles_that_are_the_same(many: int, moved: int) -> None:
    one, other = simhash.words(" ".join(words(many))), simhash.words(" ".join(words(many, moved)))
    same = max(0, many - moved - 2)
    share = same / (2 * (many - 2) - same)
    sketches = sketch.read(sketch.sketch(one)), sketch.read(sketch.sketch(other))
    error = 0 if many - 2 + moved <= sketch.SIZE else 0.2
    assert abs(sketch.agreement(*sketches) - share) <= error


def test_a_sketch_has_512_characters_at_most() -> None:
    assert len(sketch.sketch(simhash.words(" ".join(words(5000))))) == 512
    assert sketch.sketch(simhash.words(" ".join(words(49)))) == ""
    assert sketch.digest(simhash.words("")) == ""


@pytest.mark.parametrize("unspaced", ["ทดสอบ abc ทดสอบ", "abc 中国人 ทดสอบ x"])
def test_words_come_in_their_order(unspaced: str) -> None:
    parts = [simhash.words(part).tolist() for part in unspaced.split()]
    assert simhash.words(unspaced).tolist() == [word for part in parts for word in part]


def test_who_falls_falls_to_a_page_that_stands() -> None:
    """b is near a, c is near b alone: c stands, since b does not."""
    pairs = [(b"1 b", b"0 a"), (b"2 c", b"1 b"), (b"3 d", b"1 b"), (b"3 d", b"2 c")]
    lines = sorted(b"%s %s 0 2" % pair for pair in pairs)
    assert list(near.chosen(lines)) == [("b", b"~ a near 2"), ("d", b"~ c near 2")]


def lines(bits: list[int], sketched: str, canonical: str = "") -> Iterator[bytes]:
    """Rows of a key, the best first; one sketch, or of each its own."""
    for place, one in enumerate(bits):
        mine = sketched or sketch.sketch(simhash.words(" ".join(words(60, 100 * place))))
        row = Row(f"http://a.example/{place:06}", simhash=f"{one:016x}", sketch=mine)
        yield rows.ranked_light(records.replace(row, canonical=canonical))


def template(many: int) -> list[int]:
    """Simhashes that all differ in at most two bits."""
    chance = random.Random(many)
    return [1 << chance.randrange(16, 64) for _ in range(many)]


def paired(found: Iterable[Message]) -> list[tuple[int, int]]:
    names = [value.split(b" ") for _, value in found]
    return [(int(worse[-6:]), int(better[-6:])) for _, worse, _, better, _, _ in names]


SKETCH = sketch.sketch(simhash.words(" ".join(words(400))))


def test_pages_that_are_all_alike_are_tried_with_the_best_of_them() -> None:
    found = paired(near.pairs(b"0-0", lines(template(1000), SKETCH), 3))
    partners = defaultdict(list)
    for worse, better in found:
        partners[worse].append(better)
    assert set(partners) == set(range(1, 1000))
    assert all(found == list(range(min(n, near.MOST_PAIRS))) for n, found in partners.items())


def test_the_first_partners_are_found_however_many_there_are() -> None:
    bits = template(400)
    wanted, found = defaultdict(list), defaultdict(list)
    for one, other in blocks.pairs(bits, 3, b"0-0"):
        wanted[other].append(one)
    for one, other in blocks.pairs(bits, 3, b"0-0", 8):
        found[other].append(one)
    assert {n: sorted(ones)[:8] for n, ones in found.items()} == {
        n: sorted(ones)[:8] for n, ones in wanted.items()
    }


@pytest.mark.parametrize("key", [b"0-0", b"s1-2", b"ta.example/000000"])
def test_skewed_keys_take_work_by_their_size_not_by_its_square(
    key: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = Counter[str]()
    agree = sketch.agree

    def counted(one: Set[int], other: Set[int], least: float) -> bool:
        asked["agree"] += 1
        return agree(one, other, least)

    monkeypatch.setattr(sketch, "agree", counted)
    rows_of_key = lines(template(1000), "", canonical="http://a.example/000000")
    assert list(near.pairs(key, rows_of_key, 3)) == []
    assert 0 < asked["agree"] <= 1000 * near.MOST_TRIES


def test_of_a_key_the_best_rows_alone_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(near, "MOST_ROWS", 10)
    came = iter(lines(template(30), SKETCH))
    found = paired(near.pairs(b"0-0", came, 3))
    assert {worse for worse, _ in found} == set(range(1, 10))
    assert len(list(came)) == 20, "the rest is not even read"


def test_what_fell_is_known_when_there_is_much_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(urlset, "_LATEST", 7)
    fell = urlset.UrlSet()
    for number in range(0, 100, 2):
        fell.add(b"%d" % number)
    assert [number for number in range(100) if b"%d" % number in fell] == list(range(0, 100, 2))
    assert len(fell._latest) < 7
    assert fell._sorted.nbytes == 8 * (50 - len(fell._latest))
