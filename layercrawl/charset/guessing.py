"""The encoding of a page that declares none, judged by its bytes.

Each candidate reads the page, and the reading that looks most like what people write wins. For
scripts of many characters that is the share of those that are frequent; for alphabets, the share
of letters in well-formed words: Russian read in the wrong encoding has capitals in mid-word.
"""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

from layercrawl.charset.labels import CODECS, table

_SAMPLE = 16384
_ASCII = bytes(range(0x80))

# The most frequent characters, about half of any running text; simplified and traditional.
_HAN = (
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成"
    "方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与长把机十民第公此已"
    "工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合回特代内"
    "信表化老给世位次度门任常先海通教儿原东声提立及比员解水名真论处走义各入几口认条平系气题活别打变四神总何电数安少报才结"
    "反受目太量再感建务做接必场件计管期市直德资命山金指克许统区保至队形社便空决治展马科司五基书非则听界达光放强像难且权思"
    "王象完设式色路记南品住告类求据程北边该交规万取格望共传师清今切院让识候带导争运码网页请错误字符输"
    "這個們來為國說時會對於著過發後裡種經麼學現當沒動還進樣開從實軍無與長機關點業將兩間問並應戰頭體見產製話內給門兒東聲"
    "員論處義幾認條氣題變總電數報結務場計資許統區隊決馬書則聽達難權設記類據邊該規萬傳師讓識帶導爭運碼網頁請錯誤輸"
)
_HANGUL = (
    "이다는의에가을를은로고하지한도기사서대자리그나어인아시해일만들수정부전장있보여상게원성과국경제동공관스라면소구방주조등미신것"
    "비교민위세유선문화실적무년안치우양개중요모임물용재내체계간업명분현발생각당회러트드았었했습니까네된될할합됩필영록페글목검색메뉴"
    "홈없않못때거저오입력출파음른번름호래크터레프와으려야알행받말데연설마학단도속금통식열길표형"
)
_CYRILLIC = "А-яЁёІіЇїЄєҐґЎў"
_CYRILLIC_VOWELS = "аеёиоуыэюяіїєАЕЁИОУЫЭЮЯІЇЄ"
_LATIN = "àáâãäåæçèéêëìíîïñòóôõöøùúûüœßÀÁÂÄÅÆÇÈÉÊËÍÎÑÓÔÖØÙÚÜŒ"
_LATIN_MARKS = "\xa0¡£§©«®°·»¿–—‘’“”•…€™"


class _Candidate(NamedTuple):
    """An encoding, what people write in its languages, and what of the text is to be judged."""

    encoding: str
    written: re.Pattern[str]
    judged: re.Pattern[str]


_JAPANESE = re.compile(f"[ぁ-んァ-ヶー{_HAN}]+")
_CHINESE = re.compile(f"[{_HAN}]+")
_KOREAN = re.compile(f"[{_HANGUL}]+")
# A whole word in small letters, perhaps capitalised, with a vowel near its start.
_RUSSIAN = re.compile(
    f"(?<![A-Za-z{_CYRILLIC}])(?=[{_CYRILLIC}]{{0,4}}[{_CYRILLIC_VOWELS}])"
    f"[А-ЯЁІЇЄҐЎ]?[а-яёіїєґў]+(?![A-Za-z{_CYRILLIC}])"
)
# Accented letters stand alone among plain ones, or in pairs as in "ção"; marks stand apart.
_WESTERN = re.compile(
    f"(?<![^\0-\x7f{_LATIN_MARKS}])"
    f"(?:[{_LATIN}]|(?<=[A-Za-z])[{_LATIN}]{{2}}|[{_LATIN}]{{2}}(?=[a-z]))"
    f"(?![^\0-\x7f{_LATIN_MARKS}])"
    f"|(?<![^\0-\x7f{_LATIN}])[{_LATIN_MARKS}](?![^\0-\x7f{_LATIN}])"
)
# Marks of punctuation that several candidates have in one place tell nothing.
_NOT_ASCII = re.compile("[^\0-\x7f]+")
_NOT_LATIN = re.compile(f"[^\0-\x7f{_LATIN_MARKS}„№]+")
_NOT_EASTERN_MARKS = re.compile("[^\0-\x7f\u3000-\u3002\u300c-\u3011・！-～“”…]+")
# Of equally good ones the first wins.
_CANDIDATES = (
    _Candidate("utf-8", re.compile("[^\0-\x7f\ufffd]+"), _NOT_ASCII),
    _Candidate("windows-1252", _WESTERN, _NOT_ASCII),
    _Candidate("windows-1251", _RUSSIAN, _NOT_LATIN),
    _Candidate("koi8-r", _RUSSIAN, _NOT_LATIN),
    _Candidate("euc-jp", _JAPANESE, _NOT_EASTERN_MARKS),
    _Candidate("shift_jis", _JAPANESE, _NOT_EASTERN_MARKS),
    _Candidate("gbk", _CHINESE, _NOT_EASTERN_MARKS),
    _Candidate("big5", _CHINESE, _NOT_EASTERN_MARKS),
    _Candidate("euc-kr", _KOREAN, _NOT_EASTERN_MARKS),
)


def guess(body: bytes) -> str:
    """The WHATWG name of the likeliest encoding; windows-1252 when nothing tells.

    Valid UTF-8 is believed at once. Else 16 KiB from the first foreign byte on are judged, so the
    time taken has a bound.

    >>> guess(b"caf\\xc3\\xa9"), guess(b"caf\\xe9"), guess(b"cafe")
    ('utf-8', 'windows-1252', 'windows-1252')
    """
    if body.isascii():
        return "iso-2022-jp" if b"\x1b$B" in body or b"\x1b$@" in body else "windows-1252"
    if _is_utf_8(body):
        return "utf-8"
    first = len(body) - len(body.lstrip(_ASCII))
    sample = body[first : first + _SAMPLE]
    best, score = "windows-1252", 0.0
    for candidate in _CANDIDATES:
        likeness = _likeness(sample, candidate)
        if likeness > score:
            best, score = candidate.encoding, likeness
    return best


def _is_utf_8(body: bytes) -> bool:
    """Whether all characters are UTF-8; a cut-off body may end in the middle of one."""
    try:
        text, length = codecs.utf_8_decode(body, "strict", False)
    except UnicodeDecodeError:
        return False
    return len(text) < length


def _likeness(sample: bytes, candidate: _Candidate) -> float:
    """The share of foreign characters that are as people write them; bad ones count against."""
    text = _read(sample, candidate.encoding)
    judged = sum(map(len, candidate.judged.findall(text)))
    written = sum(map(len, candidate.written.findall(text)))
    return (written - 4 * text.count("\ufffd")) / judged if judged else 0.0


def _read(sample: bytes, encoding: str) -> str:
    if codec := CODECS.get(encoding):
        return sample.decode(codec, "replace")
    return codecs.charmap_decode(sample, "replace", table(encoding))[0]
