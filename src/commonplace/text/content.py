"""Read what a text says: its words without endings, its names, addresses and commands, its clauses and denials.

Two words are alike if they begin alike (`teaches`, `teacher`; `Соня`, `Сони`), so that no language needs its own
stemmer; Chinese, Japanese and Korean are compared by pairs of characters. Pure.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from commonplace.text import packaged
from commonplace.text.numerals import numerals
from commonplace.text.patterns import pattern
from commonplace.text.terms import CJK, STOP_WORDS

_QUOTES: Final = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"'})
_WORD: Final = pattern(f"[{CJK}]+|[^\\W_{CJK}]+")
_WIDE: Final = pattern(f"[{CJK}]")
_WIDE_OR_DIGIT: Final = pattern(rf"[{CJK}\d]")
_STROKES: Final = str.maketrans({"ё": "е", "ß": "ss", "ø": "o", "æ": "ae", "œ": "oe", "ł": "l", "đ": "d"})
_VOICED: Final = "\u3099\u309a"  # marks that make another sign of a Japanese one
_WIDE_STOP: Final = pattern(
    "用户|使用者|ユーザー?|사용자|我们|你们|他们|这个|那个|可以|需要|一下|以及|还有|的|了|是|在|和|与|也|都|就|我|你|他|她|它|"
    "です|ます|でした|ました|ません|という|こと|から|まで|した|する|して|いる|ある|ください|お願い|入니다|합니다|습니다|해요|세요|는|은|을|를|에서|에|의"
)
_CAPITAL: Final = pattern(r"(?<![^\W_])[A-ZÀ-ÖØ-ÞА-ЯЁŁŚŻŹĆ][^\W\d_]+")
_NOUN: Final = pattern(  # words before a noun, which German writes with a capital
    r"\b(?i:der|die|das|den|dem|des|ein|eine[mnrs]?|im|am|ins|vom|beim|zum|zur|(?:mein|dein|sein|ihr|unser|kein)\w{0,2})\s\Z"
)
_LETTER: Final = pattern(r"[^\W\d_]")
_MONTH: Final = r"\s(?i:jan|feb|märz|apr|mai|jun|jul|aug|sep|okt|nov|dez)"  # behind a day: `am 1. Dezember`
_TITLES: Final = r"(?i:(?<!\b[dm]r\.)(?<!\bs[rt]\.)(?<!\bm[rm][se]\.)(?<!\bprof\.))"  # end no sentence
_CLAUSE: Final = pattern(
    rf"(?!(?<=\d)\.{_MONTH})[.!?;\n]{_TITLES}(?=\s|\Z)|"
    rf"[。！？；，\n]|(?<!は)、|[,:](?=[{CJK}])|,\s|:\s|\s[-–—]\s|[()（）]|\s(?:but|whereas|while|aber|sondern|mais|pero|sino|ma|mas|porém|но|ale|maar|and|und|et|y|e|и|i|och)\s"
    r"|(?<=ではなく)|(?<=じゃなくて)|(?<=아니라)|(?=而是)"
)
_SENTENCE: Final = pattern(rf"(?<=[.!?…]){_TITLES}(?!(?<=\d\.){_MONTH})\s+|(?<=[。！？])|\n+")
_ADDRESS: Final = pattern(
    r"(?<!\S)\S{0,40}://\S+|(?<![^\s<>()\"'])[^\s@<>()\"']{1,80}@[^\s@]{1,80}\.[^\s@]+|\bwww\.\S+"
)
_PATHLIKE: Final = pattern(
    r"(?<![\w.~+/\\€$£¥%-])(?:[\w.~+-]{0,80}(?:[/\\][\w.~@+-]{1,80})+|(?=[\w-]{1,80}\.)[\w-]{1,80}\.[a-z]{1,5}\b(?:\(\))?|[^\W_]{1,40}(?:_[^\W_]{1,40})+)"
)
_CODE: Final = pattern(r"`([^`\n]{1,200})`")
_COMMAND: Final = pattern(
    r"\brm\s{1,8}-\S{1,200}|\$\([^)\n]{0,200}\)|\|\s{0,8}\w{0,8}sh\b|(?<!\S)--[a-z][\w-]{1,60}"
    r"|\b(?:sudo|curl|wget|chmod|chown|dd|bash|sh|zsh|eval|exec|powershell|nc|ssh|scp)\s{1,8}[-/.~$\w]{0,60}[-/.~$=:@|][^\s`]{0,200}"
    r"|(?<![^\s`'\"(;])[a-z][\w.-]{1,30}\s-[A-Za-z]{1,3}(?![\w-])|[\w./-]{1,60}\s&&\s[\w./-]{1,60}"
    r"|/\*[^*\n]{1,200}\*/|<!--[^\n]{1,200}?-->"  # a comment of code may switch something off
    r"|\b(?:pip3?|npm|npx|apt|brew|git|docker|kubectl|cargo|go|make)\s{1,8}"
    r"(?:install|run|push|pull|clone|exec|apply|delete|remove|reset|rm)\b(?:\s{1,8}[^\s`]{1,200})?"
)


def fold(text: str) -> str:
    """Return a text for comparison: NFKC, case, quotation marks and white space folded."""
    return " ".join(unicodedata.normalize("NFKC", text).translate(_QUOTES).casefold().split())


@lru_cache(maxsize=65_536)
def bare(word: str) -> str:
    """Return a word without case and accents."""
    folded = word.casefold()
    if folded.isascii():
        return folded
    split = unicodedata.normalize("NFD", folded.translate(_STROKES))
    return unicodedata.normalize("NFC", "".join(c for c in split if unicodedata.category(c) != "Mn" or c in _VOICED))


_JOINING: Final = frozenset(bare(word) for word in packaged.text(__package__, "joining.txt").split())
_STOP_BARE: Final = frozenset(map(bare, STOP_WORDS)) | _JOINING
_ALSO_ENGLISH: Final = STOP_WORDS | frozenset(packaged.text(__package__, "also_english.txt").split())


def asked_for(words: Sequence[str]) -> list[str]:
    """Return the words of a question that ask for something, without those that only join others in its language.

    `war` and `son` join in a question that has such words of another language, and more of them than English ones.
    """
    asked = [word for word in words if word not in STOP_WORDS]
    joining = {word for word in words if bare(word) in _JOINING}
    foreign = any(bare(word) not in _ALSO_ENGLISH for word in joining) and len(joining) >= len(words) - len(asked)
    return [word for word in asked if word not in joining] if foreign else asked


def is_joining(word: str) -> bool:
    """True if a bare word only joins others, in any language known here."""
    return word in _STOP_BARE


def is_wide(text: str) -> bool:
    """True if a text is written in Chinese, Japanese or Korean signs."""
    return _WIDE.search(text) is not None


def words(text: str) -> list[str]:
    """List the words of a text without case and accents; wide runs give their pairs of characters."""
    found: list[str] = []
    for match in _WORD.finditer(unicodedata.normalize("NFKC", text)):
        word = match.group()
        if _WIDE.match(word):
            found += _pairs(word)
        else:
            found.append(bare(word))
    return found


def _pairs(run: str) -> Iterator[str]:
    for piece in _WIDE_STOP.split(run):
        if len(piece) == 1:
            yield piece
        yield from (piece[n : n + 2] for n in range(len(piece) - 1))


def content(text: str) -> frozenset[str]:
    """Return the words of a text that carry its content: no joining words, no bare numbers."""
    return frozenset(
        word
        for word in words(text)
        if word not in _STOP_BARE and not word.isdigit() and (len(word) > 1 or is_wide(word))
    )


def keywords(text: str) -> frozenset[str]:
    """Return the words and numbers of a text without their endings, to count how many two texts share."""
    return frozenset(
        word if not word.isalpha() or is_wide(word) else word[: max(4, len(word) - 2)]
        for word in words(text)
        if word not in _STOP_BARE
    )


_BEFORE_CHARS: Final = 8  # of a word, in which the end of a sentence is looked for


def firm(text: str) -> frozenset[str]:
    """Return what no shortening of a statement may drop: its numbers, names and what is quoted."""
    numbers = {value for number in numerals(text) if number.sure for value in number.values if value.isdigit()}
    inner = (
        m
        for m in _CAPITAL.finditer(text)
        if not text[max(0, m.start() - _BEFORE_CHARS) : m.start()].rstrip(" \"'(«„“").endswith((".", ":", "!", "?"))
    )
    return frozenset(numbers).union(*(content(match.group()) for match in inner if match.start()))


def names(text: str) -> frozenset[str]:
    """Return the words of a text that begin with a capital, German nouns behind their article aside."""
    found = (match for match in _CAPITAL.finditer(text) if not _NOUN.search(text[: match.start()]))
    return frozenset().union(*(content(match.group()) for match in found))


@lru_cache(maxsize=65_536)
def alike(one: str, other: str) -> bool:
    """True if two bare words are forms of one word: they begin alike and differ in their ends only, not in digits."""
    if one == other:
        return True
    short = min(len(one), len(other))
    if short == 3:
        return one + "s" == other or other + "s" == one
    if short < 4 or one[:3] != other[:3] or _WIDE_OR_DIGIT.search(one + other):
        return False
    common = next((n for n in range(3, short) if one[n] != other[n]), short)
    if common == short:
        return abs(len(one) - len(other)) <= 6 or short >= 5
    return (
        common >= short - 1 and abs(len(one) - len(other)) <= 3
        if short < 6
        else (common >= 4 and common >= short - 2) or (common >= 5 and common * 10 >= short * 7)
    )


class Vocabulary:
    """The words of some texts, found by words that are alike."""

    def __init__(self, found: Iterable[str] = ()) -> None:
        self._words: set[str] = set()
        self._heads: dict[str, list[str]] = {}
        self._known: dict[str, bool] = {}
        self.take(found)

    def take(self, found: Iterable[str]) -> None:
        """Add words."""
        for word in found:
            if word not in self._words:
                self._words.add(word)
                self._heads.setdefault(word[:3], []).append(word)
                self._known.clear()

    def holds(self, word: str) -> bool:
        """True if a word, or one that is alike, is among them."""
        if word in self._words:
            return True
        if word not in self._known:
            forms = (word, word[2:]) if word.startswith("ge") else (word,)  # `geduzt` is of `duzen`
            self._known[word] = any(alike(each, other) for each in forms for other in self._heads.get(each[:3], ()))
        return self._known[word]

    def like(self, word: str) -> set[str]:
        """Return those that are forms of a word."""
        return {other for other in self._heads.get(word[:3], ()) if alike(word, other)}

    def shared(self, others: Iterable[str]) -> frozenset[str]:
        """Return those of some words that are among them."""
        return frozenset(word for word in others if self.holds(word))


def clauses(text: str) -> list[str]:
    """Cut a text into its clauses."""
    return [part.strip() for part in _CLAUSE.split(text) if part and part.strip()]


def sentences(text: str) -> list[str]:
    """Cut a text into sentences and lines."""
    return [part.strip() for part in _SENTENCE.split(text) if part and part.strip()]


class Quoted(NamedTuple):
    """An address, path or command of a text, and its place."""

    kind: str
    text: str
    start: int
    end: int


def without_addresses(text: str) -> str:
    """Return a text without its addresses: an address names a page or a mailbox and says nothing of it."""
    return _ADDRESS.sub(" ", text)


def quoted(text: str) -> list[Quoted]:
    """List what must be taken as it was written: addresses, commands, paths and names of code."""
    found = [Quoted("address", m.group().strip(".,;:!?\"'`()[]<>{}*_"), *m.span()) for m in _ADDRESS.finditer(text)]
    found += [Quoted("command", m.group(1) or "", *m.span()) for m in _CODE.finditer(text)]
    found += [Quoted("command", m.group(), *m.span()) for m in _COMMAND.finditer(text)]
    found += [Quoted("path", m.group().strip("."), *m.span()) for m in _PATHLIKE.finditer(text)]
    named = (each for each in found if each.kind != "path" or _LETTER.search(_WIDE.sub("", each.text)))  # `132/84`
    return [each for each in named if _LETTER.search(each.text)]
