"""Make hidden characters visible, and fold text for matching.

Owns which code points may be in memory. Clean text comes back as it is, the same object; a
character that hides, reorders or drives a terminal becomes `⟦U+XXXX⟧`, so a person sees it and every
text encodes as UTF-8. It never drops or repairs anything. Source: safety notes 3.2.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Callable
from typing import Final

from commonplace.guard.markers import Marker, put
from commonplace.guard.table import STRETCH
from commonplace.text import content
from commonplace.text.patterns import pattern

_CLASSES: Final[tuple[tuple[str, str], ...]] = (
    ("nul", "\x00"),
    ("escape", "\x1b"),
    ("carriage-return", "\r"),
    ("control", "\x01-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f"),
    ("delete", "\x7f"),
    ("c1-control", "\x80-\x9f"),
    ("bidi-embedding", "\u202a-\u202c"),
    ("bidi-override", "\u202d\u202e"),
    ("bidi-isolate", "\u2066-\u2069"),
    ("bidi-mark", "\u200e\u200f\u061c"),
    ("zero-width-space", "\u200b"),
    ("zero-width-joiner", "\u200c\u200d"),
    ("word-joiner", "\u2060"),
    ("invisible-operator", "\u2061-\u2064"),
    ("deprecated-format", "\u206a-\u206f"),
    ("byte-order-mark", "\ufeff"),
    ("soft-hyphen", "\u00ad"),
    ("mongolian-separator", "\u180e"),
    ("grapheme-joiner", "\u034f"),
    ("hangul-filler", "\u115f\u1160\u3164\uffa0"),
    ("annotation", "\ufff9-\ufffb"),
    ("line-separator", "\u2028\u2029"),
    ("tag", "\U000e0000-\U000e007f"),
    ("variation-selector", "\ufe00-\ufe0f\U000e0100-\U000e01ef"),
    ("surrogate", "\ud800-\udfff"),
    ("ignorable", ("\u17b4\u17b5\u2065\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
                  "\U000e0080-\U000e00ff\U000e01f0-\U000e0fff")),
)  # fmt: skip

HIDDEN_CLASSES: Final = tuple(name for name, _ in _CLASSES)
"""The names of the classes, as findings carry them."""

_SELECTORS: Final = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
_SINGLES: Final = "".join(ranges for name, ranges in _CLASSES if name != "variation-selector")
# The three flags that Unicode recommends for interchange; other tag runs could carry any letters.
_FLAG: Final = "\U0001f3f4(?:{})\U000e007f".format(
    "|".join("".join(chr(0xE0000 + ord(c)) for c in region) for region in ("gbeng", "gbsct", "gbwls"))
)
_SUSPECT: Final = pattern(f"{_FLAG}|[{_SELECTORS}]+|[{_SINGLES}]")
_ANY_SUSPECT: Final = pattern(f"[{_SELECTORS}{_SINGLES}]")
_ASCII_SUSPECT: Final = pattern(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\r(?!\n)")

_MOST_HIDDEN: Final = 320  # hidden characters in one stretch of 4 KB; what comes behind more is not kept
_MOST_MARKERS: Final = 32  # changes of their class in one stretch
_MARKS: Final = frozenset("\u200e\u200f\u061c")
_RTL_REACH: Final = 16  # characters looked at on either side of a mark; keeps the work linear
# Scripts whose letters need ZWNJ and ZWJ: Arabic to Thaana and NKo, Indic, Tibetan, Myanmar, Khmer, Mongolian.
_JOINING: Final = pattern(
    "[\u0600-\u061b\u061d-\u07ff\u0840-\u0dff\u0f00-\u109f\u1780-\u17b3\u17b6-\u180d\u180f-\u18af\ua8e0-\ua9ff"
    "\ufb50-\ufdff\ufe70-\ufefe\U00010d00-\U00010fff\U00011000-\U00011fff]"
)
_UNSPACED: Final = pattern("[\u0e00-\u109f\u1780-\u17ff]")  # Thai, Lao, Tibetan, Myanmar, Khmer
_KEYCAP_OR_TEXT_EMOJI: Final = frozenset("#*0123456789\u203c\u2049\u2139\u3030")
_SKIN_TONES: Final = ("\U0001f3fb", "\U0001f3ff")


def find(text: str) -> list[Marker]:
    """Return the hidden characters of a text, each run with the `⟦U+XXXX⟧` that replaces it.

    Left as they are: CR before LF (a line ending: nothing is between the two that it could
    overwrite), ZWJ between pictographs, ZWJ and ZWNJ after a letter of a joining script, marks of
    direction near a right-to-left letter, one variation selector after a base it suits, the flags of
    England, Scotland and Wales, a byte order mark at the very start. Where a stretch of 4 KB is full of
    hidden characters, `⟦U+XXXX…⟧` replaces the rest of it.
    """
    if text.isascii():
        if text.isprintable() or not _ASCII_SUSPECT.search(text):
            return []
    elif not _ANY_SUSPECT.search(text):
        return []
    markers: list[Marker] = []
    stretch = hidden = first = done = 0
    while match := _SUSPECT.search(text, done):
        start, end = match.span()
        done = end
        if not (rule := _judge(text, start, end)):
            continue
        if start // STRETCH != stretch:
            stretch, hidden, first = start // STRETCH, 0, len(markers)
        hidden += end - start
        shown = "".join(f"⟦U+{ord(char):04X}⟧" for char in match.group()[:_MOST_HIDDEN])
        last = markers[-1] if len(markers) > first else None
        if hidden > _MOST_HIDDEN or len(markers) - first > _MOST_MARKERS:
            done = max(end, min(len(text), (stretch + 1) * STRETCH))
            markers.append(Marker(start, done, shown.partition("⟧")[0] + "…⟧", "unicode", rule))
        elif last and last.rule == rule:
            # One marker for many of a class, with the words between: a text full of them costs no more than its words.
            markers[-1] = last._replace(end=end, shown=last.shown + text[last.end : start] + shown)
        else:
            markers.append(Marker(start, end, shown, "unicode", rule))
    return markers


def show(text: str) -> str:
    """Make a text safe to print on a terminal: nothing in it can move the cursor or hide a word."""
    return put(text, find(text), ())[0]


def fold(text: str) -> str:
    """Fold a text for matching, never for storing: NFKC, case, runs of white space; nothing is dropped."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
        return " ".join(text.split())
    return " ".join(text.lower().split())


def has_words(text: str, words: str) -> bool:
    """True if a text has folded words in it, whole: "ann" is not in "annual"."""
    return count_words(text, words, most=1) > 0


def count_words(text: str, words: str, *, most: int | None = None) -> int:
    """Return how often a text has folded words in it, whole; no more than `most`. Signs without spaces are whole."""
    folded = fold(text)
    count = 0
    start = folded.find(words) if words else -1
    while start >= 0 and count != most:
        end = start + len(words)
        count += _is_edge(folded[max(0, start - 1) : start], words[0]) and _is_edge(words[-1], folded[end : end + 1])
        start = folded.find(words, start + 1)
    return count


def _is_edge(left: str, right: str) -> bool:
    """True if one word may end and another begin between two signs; anywhere, where no spaces are written."""
    if any(content.is_wide(sign) or _UNSPACED.match(sign) for sign in (left, right)):
        return True
    return not (_is_of_word(left) and _is_of_word(right))


def _is_of_word(sign: str) -> bool:
    """True of a letter, a digit, and a vowel or accent written as a sign of its own."""
    return sign.isalnum() or (bool(sign) and unicodedata.category(sign).startswith("M"))


def _judge(text: str, start: int, end: int) -> str | None:
    """Return the class of a suspect run, or None if its script needs it."""
    char = text[start]
    if char == "\U0001f3f4":
        return None
    name = _class_of(char)
    if name == "carriage-return":
        allowed = text.startswith("\n", end)
    elif name == "byte-order-mark":
        allowed = start == 0
    elif name == "variation-selector":
        allowed = end - start == 1 and _selector_suits(text, start)
    elif name == "zero-width-joiner":
        allowed = _joiner_suits(text, start)
    elif name == "bidi-mark":
        allowed = _near_rtl(text, start)
    else:
        allowed = False
    return None if allowed else name


@functools.cache
def _class_of(char: str) -> str:
    return next(name for name, ranges in _CLASSES if re.match(f"[{ranges}]", char))


def _selector_suits(text: str, at: int) -> bool:
    if at == 0:
        return False
    base, selector = text[at - 1], text[at]
    category = unicodedata.category(base)
    if selector in "\ufe0e\ufe0f":
        return category in {"So", "Sm"} or base in _KEYCAP_OR_TEXT_EMOJI
    if selector < "\ufe0e":
        return category in {"Lo", "Sm", "Po"} and not base.isascii()
    return category == "Lo" and unicodedata.name(base, "").startswith("CJK ")


def _pictograph(char: str) -> bool:
    return unicodedata.category(char) == "So" or "\u2190" <= char <= "\u21ff" or _skin_tone(char)


def _skin_tone(char: str) -> bool:
    return _SKIN_TONES[0] <= char <= _SKIN_TONES[1]


def _joiner_suits(text: str, at: int) -> bool:
    before = at - 1
    after = text[at + 1 : at + 2]
    if before < 0:
        return False
    if _JOINING.match(text[before]):
        return after not in {"\u200c", "\u200d"}
    if text[at] == "\u200c" or not after:
        return False
    if text[before] in "\ufe0e\ufe0f" and before > 0:
        before -= 1
    return _pictograph(text[before]) and _pictograph(after)


def _near_rtl(text: str, at: int) -> bool:
    """True if the nearest strong letter on either side is right-to-left, and no second mark is beside.

    A mark beside a digit or a sign may be within a number with Latin letters, as a flight's: their other letters, and
    marks between them, do not count.
    """
    if text[at + 1 : at + 2] in _MARKS:
        return False
    back = range(at - 1, max(-1, at - 1 - _RTL_REACH), -1)
    ahead = range(at + 1, min(len(text), at + 1 + _RTL_REACH))
    if _first_strong(text, back) or _first_strong(text, ahead):
        return True
    if text[max(0, at - 1) : at].isalpha() and text[at + 1 : at + 2].isalpha():
        return False  # it parts a word
    return _first_strong(text, back, _numbered) or _first_strong(text, ahead, _numbered)


def _numbered(char: str) -> bool:
    return (char.isascii() and (char.isalnum() or char in " -/.")) or char in _MARKS


def _first_strong(text: str, places: range, passed: Callable[[str], bool] = lambda _: False) -> bool:
    for place in places:
        char = text[place]
        if passed(char):
            continue
        direction = unicodedata.bidirectional(char)
        if direction in {"R", "AL"} and char not in _MARKS:
            return True
        if direction == "L" or char in "\n⟦⟧":
            return False
        # Another hidden character ends the look: it will be text of its own once it is visible.
        if _ANY_SUSPECT.match(char) and not (char in "\ufe0e\ufe0f" and _selector_suits(text, place)):
            return False
    return False
