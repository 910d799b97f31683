"""The terms of a text: what the index stores and what a question asks for.

FTS5 splits at everything that is no letter or digit, folds case and accents, and stems English.
This module adds what it cannot do: pairs of characters for Chinese, Japanese and Korean, names of emoji,
the parts and the whole of code identifiers and paths, and marker terms for filters. Pure.
"""

from __future__ import annotations

import re
import unicodedata
import zlib
from collections.abc import Iterable, Iterator
from typing import Final

from commonplace.text import packaged
from commonplace.text.patterns import pattern

CJK: Final = "\u3040-\u30ff\u3105-\u312f\u31a0-\u31bf\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_CJK_RUN: Final = pattern(f"[{CJK}]+")
_PIECE: Final = pattern(f"([{CJK}]+)|[^\\W_{CJK}]+")
# Begins where a word begins: else a long word without a sign is looked through anew from each of its letters.
JOINED: Final = pattern(r"(?<![^\W_])[^\W_]+(?:[_./\\:@#-]+[^\W_]+)+")
SIGN: Final = pattern(r"[_/\\.:@#-]\w|[a-z0-9][A-Z]|[A-Z]{2}[a-z]{2}")  # in each match of the two below and above
_HUMP: Final = pattern(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
HUMPED: Final = pattern(r"\b[A-Za-z][a-z0-9]++[A-Z][A-Za-z0-9]*+\b|\b[a-z]+[A-Z]+\w*\b|\b[A-Z]{2,}[a-z]{2}\w*\b")
_HYPHENS: Final = pattern(r"[^\W_]+(?:-[^\W_]+)*")
_MARKS: Final = pattern(r"[^0-9a-z]+")
# Emoji of things: food, animals, sports, vehicles. A face or a gesture says nothing of what a text is about.
_EMOJI: Final = pattern(
    "[\U0001f32d-\U0001f37f\U0001f3a0-\U0001f3fa\U0001f400-\U0001f43f\U0001f680-\U0001f6ff\U0001f950-\U0001f9af]"
)
LONGEST: Final = 64  # letters of a word that a question may ask for
_WHOLE_CHARS: Final = 60  # a longer identifier is found by its parts

STOP_WORDS: Final = frozenset(packaged.text(__package__, "stop_words.txt").split())

_FUNCTION_WORDS: Final = pattern(
    "什么|怎么样|怎么|怎样|那个|这个|哪个|哪些|哪里|哪儿|哪|那些|这些|多少|几个|为什么|请问|是否|一下|以下|另外|其中|其|我们|你们|"
    "他们|她们|它们|我|你|您|他|她|它|的|了|是|在|和|与|吗|呢|啊|吧|呀|哦|嘛|有|就|也|都|还|不|很|个|着|把|被|对于|对|谁|及|或|而|但|"
    "可以|需要|知道|告诉|记得|真的|最近|觉得|感觉|想|说|什麼|怎麼|這個|那個|個|嗎|還|們|"
    "です|ます|でした|ました|ません|という|こと|から|まで|した|する|して|いる|ある|なに|何|どこ|どの|いつ|だれ|誰|は|が|を|に|で|と|の|も|へ|か"
)


def indexed(text: str) -> str:
    """Return the text as FTS5 is to take it: itself, with the terms added that FTS5 would not see."""
    if not text.isascii():
        text = _EMOJI.sub(_named, fold(text))
        if _CJK_RUN.search(text):
            text = _CJK_RUN.sub(_spread, text)
    if "\0" in text:
        text = text.replace("\0", " ")
    added = dict.fromkeys(term for word in _identifiers(text) for term in word)
    return f"{text} {' '.join(added)}" if added else text


def fold(text: str) -> str:
    """Bring letters that only look different (full width, ligatures) together; lone surrogates become `?`."""
    return unicodedata.normalize("NFKC", text.encode("utf-8", "replace").decode("utf-8"))


def words(text: str, *, whole: bool = False) -> list[str]:
    """Return the terms of a question in order, repeats and stop words included, in lower case.

    Chinese and Japanese are first cut at their function words, so that no pair spans one, unless
    `whole` is asked for.
    """
    if not text.isascii():
        text = _EMOJI.sub(_named, fold(text))
        if not whole:
            text = _FUNCTION_WORDS.sub(" ", text)
    found: list[str] = []
    for match in _pieces(text):
        piece = match[0].lower()
        if match[1]:
            found += pairs(piece)
        else:
            found.append(piece)
    for terms in _identifiers(text):
        found += terms
    return found


def identifiers(text: str) -> dict[str, tuple[str, ...]]:
    """Return the code identifiers, paths and addresses of a question: the term of each whole with those of its parts.

    A part that is an identifier itself gives its parts to the whole. Words joined by hyphens alone are talk.
    """
    found: dict[str, tuple[str, ...]] = {}
    for match in HUMPED.finditer(text):
        parts = _HUMP.split(match[0])
        if len(parts) > 1:
            found[match[0].lower()] = tuple(part.lower() for part in parts if len(part) > 1)
    for match in JOINED.finditer(text):
        if len(match[0]) <= _WHOLE_CHARS and not _HYPHENS.fullmatch(match[0]):
            pieces = [piece[0].lower() for piece in _pieces(match[0])]
            inner = [part for piece in pieces for part in found.pop(piece, ())]
            found["".join(pieces)] = (*pieces, *inner)
    return found


def pairs(run: str) -> list[str]:
    """Split a run of wide characters into overlapping pairs; a single one is its own pair."""
    return [run[at : at + 2] for at in range(len(run) - 1)] or [run]


def marker(kind: str, value: str) -> str:
    """Return the term for a fact of a row (its tool, its kind, its tag), not for a word of it."""
    folded = value.lower()
    plain = _MARKS.sub("", folded)
    if plain != folded:  # `c++` is not `c`
        plain += f"{zlib.crc32(folded.encode('utf-8', 'surrogatepass')):x}"
    return f"zz{kind}0{plain}"


def match(group: Iterable[str], marks: Iterable[Iterable[str]] = ()) -> str:
    """Write the FTS5 expression for any word of a group, among rows that hold one mark of each group.

    A single wide character is part of a pair in the index, so it is looked up as the beginning of one.
    """
    words = " OR ".join(f'"{word}"{"*" if len(word) == 1 and _CJK_RUN.match(word) else ""}' for word in group)
    return " AND ".join([f"({words})", *(match(each) for each in marks)])


def _pieces(text: str) -> Iterator[re.Match[str]]:
    """Cut a text into words and runs of wide characters; a run is the match's group 1 too."""
    return _PIECE.finditer(text)


def _named(match: re.Match[str]) -> str:
    return f" emoji{ord(match[0]):x} "  # FTS5 and the pieces above take letters and digits alone


def _spread(match: re.Match[str]) -> str:
    return f" {' '.join(pairs(match[0]))} "


def _identifiers(text: str) -> Iterable[list[str]]:
    # The patterns below are slow and match no space: they are tried on the pieces that hold a sign.
    text = " ".join([piece for piece in text.split() if SIGN.search(piece)])
    for found in JOINED.finditer(text):
        if len(found[0]) <= _WHOLE_CHARS:
            yield ["".join(piece[0] for piece in _pieces(found[0])).lower()]
    for found in HUMPED.finditer(text):
        parts = _HUMP.split(found[0])
        if len(parts) > 1:
            yield [part.lower() for part in parts if len(part) > 1]
