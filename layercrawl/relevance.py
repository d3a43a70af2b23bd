"""How well a page fits a topic, and what its links promise: cosines of weighted words. Pure.

A topic is some documents, and nothing else is known. A word weighs the more, the fewer of these
have it, and the longer it is, since short words are frequent in every language (Zipf's law of
abbreviation); a text's word counts by its weight times 1 + ln(how often it occurs). In the topic,
what only one of several documents says counts half: it may be that document's own matter. The
cosine of a text's words and those of the topic's documents is 0 where they share none, and 1 where
a text is the topic's only document.

What a link promises is its page's relevance, and a part of that of its text or, if better, of the
words in its URL's path.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import unquote, urlsplit

SCALE = 10_000
"""A cosine of 1 as the stores have it."""
BY_LINK = 0.4
"""What a link's own words count beside its page."""
LONGEST_WORD = 8
"""Letters; longer words weigh the same."""
ALONE = 0.5
"""What a word of one document counts in the topic of several."""
_RUN = re.compile(r"[^\W_]+")
_BLANK_LINES = re.compile(r"\n[ \t\r]*\n")


class Topic:
    """A topic's words, from a text of documents with blank lines between.

    Raises ValueError for a text without words.
    """

    def __init__(self, text: str) -> None:
        documents = [Counter(words(part)) for part in _BLANK_LINES.split(text)]
        documents = [document for document in documents if document]
        if not documents:
            raise ValueError("no words in it")
        having = Counter(word for document in documents for word in document)
        self._rare = {word: _rarity(n, len(documents)) for word, n in having.items()}
        self._rarest = _rarity(0, len(documents))
        vectors = [_unit(self._vector(document)) for document in documents]
        total = Counter[str]()
        for vector in vectors:
            total.update(vector)
        alone = {word for word, n in having.items() if n == 1 < len(documents)}
        shares = {word: ALONE if word in alone else 1.0 for word in total}
        self._topic = _unit({word: weight * shares[word] for word, weight in total.items()})

    def relevance(self, text: str) -> float:
        """The cosine of a text and the topic, 0 to 1."""
        counts = Counter(words(text))
        if self._topic.keys().isdisjoint(counts):  # so it is with most links
            return 0.0
        vector = self._vector(counts)
        shared = (weight * self._topic.get(word, 0.0) for word, weight in vector.items())
        return math.fsum(shared) / _norm(vector.values())

    def page(self, title: str, text: str) -> int:
        """A page's relevance, in parts of `SCALE`."""
        return round(SCALE * self.relevance(f"{title}\n{text}"))

    def link(self, page: int, url: str, text: str) -> int:
        """What a link of a page of a relevance promises, in parts of `SCALE`; above 1 at best."""
        said = max(self.relevance(text), self.relevance(unquote(urlsplit(url).path)))
        return page + round(SCALE * BY_LINK * said)

    def _vector(self, counts: Mapping[str, int]) -> dict[str, float]:
        return {word: self._weight(word) * (1 + math.log(n)) for word, n in counts.items()}

    def _weight(self, word: str) -> float:
        return self._rare.get(word, self._rarest) * min(len(word), LONGEST_WORD)


def words(text: str) -> Iterator[str]:
    """The words of a text, case folded; of scripts without case, every two neighbouring letters.

    Many of these write no blanks between words.

    >>> list(words("Jazz-Musik, 音楽史 1959"))
    ['jazz', 'musik', '音楽', '楽史', '1959']
    """
    for run in _RUN.findall(text.casefold()):
        if run.isascii() or run != run.upper() or len(run) == 1:
            yield run
        else:
            yield from (run[place : place + 2] for place in range(len(run) - 1))


def _rarity(having: int, documents: int) -> float:
    """A word's inverse document frequency, smoothed: 1 at the least."""
    return 1 + math.log((1 + documents) / (1 + having))


def _norm(values: Iterable[float]) -> float:
    return math.sqrt(math.fsum(value * value for value in values))


def _unit(vector: Mapping[str, float]) -> dict[str, float]:
    norm = _norm(vector.values())
    return {word: value / norm for word, value in vector.items()}
