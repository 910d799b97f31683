"""Read the numbers of a text, in digits and in words, as values that can be compared.

`1,200`, `1.200`, `1200` and `twelve hundred` share a value, so do `60万` and `600,000`. A token that can be read in
two ways (`1.000` is a thousand or one) has both values.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from commonplace.text import packaged
from commonplace.text.patterns import pattern

_LISTS: Final[dict[str, dict[str, str]]] = tomllib.loads(packaged.text(__package__, "numerals.toml"))
WORDS: Final = {word: int(value) for value, words in _LISTS["units"].items() for word in words.split()}
_ONE_AND_A_HALF: Final = frozenset(_LISTS["one_and_a_half"]["words"].split())
_SCALE: Final = {word: int(value) for value, words in _LISTS["scales"].items() for word in words.split()}
_NEVER_ALONE: Final = frozenset(["mila", "k", "cents"])  # "due mila", and Mila is a name
_IN_WORD: Final = {"tausend": 1000, "mila": 1000, "mille": 1000, "hundert": 100, "cento": 100}  # `duecentodieci`
_AND: Final = frozenset(["and", "und", "et", "y", "e", "i", "и", "en"])
AMBIGUOUS: Final = frozenset(_LISTS["doubtful"]["words"].split())
"""Words that are often no number: they vouch for one, but need no one to vouch for them."""

_WIDE_DIGITS: Final = {c: n for n, chars in enumerate(("〇零", "一壹일", "二两兩이", "三삼", "四사", "五오", "六육", "七칠", "八팔", "九구")) for c in chars}  # fmt: skip
_WIDE_TENS: Final = {"十": 10, "百": 100, "千": 1000, "천": 1000, "백": 100, "십": 10}
_WIDE_SCALES: Final = {"万": 10_000, "萬": 10_000, "만": 10_000, "億": 10**8, "亿": 10**8, "억": 10**8}
_KOREAN: Final = {
    "한": 1, "하나": 1, "두": 2, "둘": 2, "세": 3, "셋": 3, "네": 4, "넷": 4, "다섯": 5, "여섯": 6, "일곱": 7,
    "여덟": 8, "아홉": 9, "열": 10, "스무": 20, "스물": 20, "서른": 30, "마흔": 40, "쉰": 50, "예순": 60, "일흔": 70,
    "여든": 80, "아흔": 90, "첫": 1, "첫째": 1, "둘째": 2, "셋째": 3,
}  # fmt: skip
_KOREAN_WORD: Final = "|".join(sorted(_KOREAN, key=len, reverse=True))
_LAST_SIGN: Final = pattern(r"[百千万萬億亿][^〇零十百千万萬億亿]\Z")
_SINO_TENS: Final = pattern(r"[십백천만억]")
_GROUP_SIGN: Final = pattern(r"[,'’\u00a0\u202f ]")
_MIXED: Final = pattern(r"(?P<digits>\d+)|\D")
_NO_DIGIT: Final = pattern(r"\D+")
_MOST_DIGITS: Final = 18
_TOKEN: Final = pattern(
    r"(?P<digits>\d+(?:[.,'’\u00a0\u202f ]\d{3}(?!\d))+(?:[.,]\d{1,2}(?!\d))?|\d+(?:[.,]\d+)*)"
    r"(?P<wide>[十百千万萬億亿만억천]+(?:\d+[十百千万萬億亿만억천]+)*(?:\d+)?|)"
    r"|(?P<cjk>[〇零一壹二两兩三四五六七八九十百千万萬億亿]+(?:点[〇零一二三四五六七八九]+(?![十百点]))?(?:成(?![不为员了]))?)"
    r"|(?P<sino>(?<![가-힣])[일이삼사오육칠팔구십백천만억]{2,}(?=원|년|분|\s|[,.]|\Z))"
    rf"|(?P<korean>(?<![가-힣])(?:{_KOREAN_WORD}){{1,2}}(?=[\s가-힣]))"
    r"|(?P<word>[^\W\d_\u3040-\u9fff\uac00-\ud7af]+)"
)
_POINT: Final = pattern(r"\s(?:point|komma|virgule|coma|virgola|vírgula|przecinek|запятая)\s")
_GROUPED: Final = pattern(r"\d{1,3}(?:[.,'’\u00a0\u202f ]\d{3})+")
_GERMAN: Final = pattern(r"(ein|zwei|drei|vier|fünf|sechs|sieben|acht|neun)und(zwanzig|dreißig|vierzig|fünfzig|sechzig|siebzig|achtzig|neunzig)")  # fmt: skip
_ITALIAN: Final = pattern(
    r"(vent|trent|quarant|cinquant|sessant|settant|ottant|novant)[aio]?(uno|due|tre|tré|quattro|cinque|sei|sette|otto|nove)"
)
_ITALIAN_TENS: Final = {"vent": 20, "trent": 30, "quarant": 40, "cinquant": 50, "sessant": 60, "settant": 70, "ottant": 80, "novant": 90}  # fmt: skip


class Numeral(NamedTuple):
    """One number of a text: its place, what it may mean, and whether it is surely a number."""

    start: int
    end: int
    values: frozenset[str]
    sure: bool


_Words = list[tuple[re.Match[str], float]]


def numerals(text: str) -> list[Numeral]:
    """List the numbers of a text; words that make one number together (`twenty five`) are one."""
    folded = text.casefold()
    found: list[Numeral] = []
    words: _Words = []
    for match in _TOKEN.finditer(folded):
        word = match["word"]
        if word and words and word in _AND:
            continue
        value = _value(word) if word else None
        if value is not None and words and _continues(folded, words[-1], match):
            words.append((match, value))
            continue
        found += _joined(words)
        words = []
        if value is None:
            found += _signs(match)
        elif word in _SCALE and word != "cents" and found and match.start() - found[-1].end <= 1:
            found[-1] = _scaled(found[-1], match)
        elif word not in _NEVER_ALONE:
            words.append((match, value))
    return found + _joined(words)


def said_as_one(text: str, numbers: Sequence[Numeral]) -> Iterator[str]:
    """Yield what two numbers of a text mean together: `zwei komma eins`, or `eleven fifty` of a price."""
    folded = text.casefold()
    for one, other in pairwise(numbers):
        yield from _together(one, other, folded)


def _together(one: Numeral, other: Numeral, text: str) -> frozenset[str]:
    """Return what two numbers next to each other mean together; nothing if they are two."""
    between, whole, part = text[one.end : other.start], min(one.values), min(other.values)
    if _POINT.fullmatch(between):
        return frozenset({f"{whole}.{part}"})
    spelt = between == " " and text[one.start].isalpha() and text[other.start].isalpha()
    if spelt and len(whole) <= 2 and len(part) == 2 and whole.isdecimal() and part.isdecimal():
        return frozenset({f"{whole}{part}", f"{whole}.{part}".rstrip("0")})
    return frozenset()


def _value(word: str) -> float | None:
    known = 1.5 if word in _ONE_AND_A_HALF else _SCALE.get(word, WORDS.get(word))
    if known is not None:
        return known
    for scale, size in _IN_WORD.items():
        many, found, rest = word.partition(scale)
        if found:
            counted, more = _value(many) if many else 1, _value(rest.removeprefix("und")) if rest else 0
            return counted * size + more if counted is not None and more is not None else None
    if (fused := _GERMAN.fullmatch(word)) is not None:
        return (WORDS[fused[1]] if fused[1] != "ein" else 1) + WORDS[fused[2]]
    if (fused := _ITALIAN.fullmatch(word)) is not None:
        return _ITALIAN_TENS[fused[1]] + WORDS[fused[2].replace("é", "e")]
    return None


def _continues(text: str, before: tuple[re.Match[str], float], match: re.Match[str]) -> bool:
    """True if a number word goes on with the number that the words before it began."""
    last, first = before
    between = text[last.end() : match.start()].strip(" -")
    if between and between not in _AND:
        return False
    second = _value(match.group()) or 0
    if match.group() in _SCALE or last.group() in _SCALE:
        return not (last.group() in _SCALE and second > first)
    return (first >= 100 > second) or (first in range(20, 100, 10) and second < 20) or (first == 4 and second == 20)


def _joined(words: _Words) -> list[Numeral]:
    """Return one number made of words in a row."""
    if not words:
        return []
    total = current = 0.0
    for match, value in words:
        if match.group() in _SCALE:
            current = (current or 1) * value
            if value > 100:
                total, current = total + current, 0
        elif value == 20 and current == 4:  # quatre-vingt
            current = 80
        else:
            current += value
    sure = len(words) > 1 or words[0][0].group() not in AMBIGUOUS
    return [Numeral(words[0][0].start(), words[-1][0].end(), frozenset({plain(total + current)}), sure)]


def _scaled(number: Numeral, match: re.Match[str]) -> Numeral:
    """Multiply digits by the word behind them: `5 thousand`, `12k`."""
    values = {plain(float(value) * _SCALE[match.group()]) for value in number.values if _is_plain(value)}
    return Numeral(number.start, match.end(), number.values | values, number.sure)


def _signs(match: re.Match[str]) -> Iterator[Numeral]:
    start, end = match.span()
    if match["digits"]:
        values = set(_readings(match["digits"]))
        if match["wide"]:
            values = {plain(_mixed(float(value), match["wide"])) for value in values if _is_plain(value)}
        yield Numeral(start, end, frozenset(values), True)
    elif match["cjk"]:
        whole, _, part = match["cjk"].rstrip("成").partition("点")
        values = {str(_wide(whole))}
        if _LAST_SIGN.search(whole):  # `一万二` is 12,000
            values.add(str(_wide(whole[:-1]) + _WIDE_DIGITS[whole[-1]] * _wide(f"一{whole[-2]}") // 10))
        if match["cjk"].endswith("成"):  # `三成` is 30 %
            values.add(str(10 * _wide(whole)))
        if part:  # `八点九` is 8.9, and can be nine past eight
            values |= {f"{_wide(whole)}.{''.join(str(_WIDE_DIGITS[sign]) for sign in part)}", str(_wide(part))}
        yield Numeral(start, end, frozenset(values), end - start > 1)
    elif match["sino"]:
        if _SINO_TENS.search(match["sino"]):
            yield Numeral(start, end, frozenset({str(_wide(match["sino"]))}), False)
    elif match["korean"]:
        parts = re.findall(_KOREAN_WORD, match["korean"])
        yield Numeral(start, end, frozenset({str(sum(map(_KOREAN.__getitem__, parts)))}), False)


def _readings(digits: str) -> Iterator[str]:
    """Yield what digits with signs in them may mean: a number, a version, thousands in groups."""
    whole = _GROUP_SIGN.sub(".", digits)
    grouped = _GROUPED.match(digits)
    if grouped is not None and len(digits) <= _MOST_DIGITS:
        rest = _GROUP_SIGN.sub(".", digits[grouped.end() :])
        if rest.count(".") <= 1:
            yield plain(float(_NO_DIGIT.sub("", grouped.group()) + rest))
    if _is_plain(whole):
        yield plain(float(whole))
    yield whole


def _is_plain(value: str) -> bool:
    return len(value) <= _MOST_DIGITS and value.count(".") < 2


def plain(value: float) -> str:
    """Return a value as it is compared: a whole number without point, else its digits up to the sixth place."""
    return str(int(value)) if value == int(value) else f"{value:.6f}".rstrip("0")


def _mixed(value: float, signs: str) -> float:
    """Read digits with Chinese scales between them: `1万4千`."""
    total = 0.0
    for piece in _MIXED.finditer(signs):
        if piece["digits"]:
            total, value = total + value, float(piece["digits"][:_MOST_DIGITS])
        else:
            value *= _WIDE_TENS.get(piece.group()) or _WIDE_SCALES[piece.group()]
    return total + value


def _wide(signs: str) -> int:
    """Read a number in Chinese signs; `二〇二六` is read sign by sign."""
    if not any(sign in _WIDE_TENS or sign in _WIDE_SCALES for sign in signs):
        return int("".join(str(_WIDE_DIGITS[sign]) for sign in signs[:_MOST_DIGITS]))
    total = section = digit = 0
    for sign in signs[:_MOST_DIGITS]:
        if sign in _WIDE_DIGITS:
            digit = _WIDE_DIGITS[sign]
        elif sign in _WIDE_TENS:
            section += (digit or 1) * _WIDE_TENS[sign]
            digit = 0
        else:
            total += (section + digit or 1) * _WIDE_SCALES[sign]
            section = digit = 0
    return total + section + digit
