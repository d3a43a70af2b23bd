"""Text of the pages: words of several languages' sounds and scripts, drawn from the seed."""

from __future__ import annotations

import struct
from functools import lru_cache

from tests.web.site import draw

SYLLABLES = {
    "en": "ba con der fin gra hel ing jo ka lis mor ne ou pre qui ro sta ter un ver wo xi yan ze",
    "de": "auf bär der ein für ge hö ich kö lüs mit nen ot plä schu straß tür un ver weiß zwi lä",
    "fr": "ça dé elle fê garç hô île jo là mê nœ où pré qui rè sû tré un vé wa xé yeu zo ment",
    "ru": "ба ве го дё жи за кой лю мы но пря ры стру то уж фе хо це чи шу щё эх юн ять",
    "el": "αλ βο γέ δια εί ζω ήλ θε κό λα μή νύ ξέ ου πρό ρι σα τών υπ φί χρ ψω ώς τη",
    "ar": "ال با تي ثم جد حر خا در ذي رو زي سل شم صب ضو طر ظل عن غد في قل كم لا",
    "ja": "あ い か き の は を 日 本 語 東 京 山 川 田 学 校 人 時 間 テ ス ト ワ ー ド 水 木",
    "zh": "的 一 是 在 不 了 有 和 人 这 中 大 为 上 个 国 我 以 要 他 时 来 用 们 生",
    "ko": "가 나 다 라 마 바 사 아 자 차 카 타 파 하 고 노 도 로 모 한 국 말 글 집 길",
}
UNSPACED = frozenset({"ja", "zh"})
LANGUAGES = tuple(SYLLABLES)

_WORDS = 1024
_PER_PAGE = 256
_PER_PARAGRAPH = 70
_BYTES_PER_WORD = 8


@lru_cache(64)
def vocabulary(seed: int, language: str) -> tuple[str, ...]:
    """The words of a language: 1024, of one to four syllables."""
    syllables = SYLLABLES[language].split()
    bits = draw(_WORDS * 5, seed, "vocabulary", language)
    words = (bits[start : start + 5] for start in range(0, len(bits), 5))
    return tuple(
        "".join(syllables[byte % len(syllables)] for byte in word[1 : 2 + word[0] % 4])
        for word in words
    )


def text(seed: int, key: str, language: str, size: int) -> list[str]:
    """About `size` bytes of paragraphs; each page has a vocabulary of its own.

    Pages with other keys are no near-duplicates of each other: they share few words.

    >>> text(1, "a", "en", 3000) == text(1, "a", "en", 3000) != text(1, "b", "en", 3000)
    True
    """
    words = vocabulary(seed, language)
    bits = draw(2 * _PER_PAGE + size // _BYTES_PER_WORD, seed, "text", key)
    chosen = [words[n % _WORDS] for n in struct.unpack_from(f"<{_PER_PAGE}H", bits)]
    chosen[::12] = [f"{word}." for word in chosen[::12]]
    drawn = list(map(chosen.__getitem__, bits[2 * _PER_PAGE :]))
    joint = "" if language in UNSPACED else " "
    return [
        joint.join(drawn[start : start + _PER_PARAGRAPH])
        for start in range(0, len(drawn), _PER_PARAGRAPH)
    ]
