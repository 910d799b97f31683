"""The lines of a text as statements: read, compared, and whether one says what another does. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

import msgspec

from commonplace.guard.about import names_another
from commonplace.text import content, days, denials
from commonplace.text.content import Vocabulary
from commonplace.text.likeness import decide
from commonplace.text.patterns import pattern
from commonplace.text.standing import is_standing

_BULLET: Final = pattern(r"\A\s*(?:[-*+•–]\s+|\d{1,3}[.)]\s+|>\s?)?(?:\[[ xX]\]\s+)?")
_MARKUP: Final = pattern(r"[*_`~]+")
_EMPTY: Final = pattern(r"\A[\W_]*\Z|\A<!--.*-->\Z|\A(?:```|~~~)\w*\Z", re.DOTALL)
_ASIDE: Final = pattern(r"\A\((.{0,200})\)\Z|\A[*_]+(.{0,200}?)[*_]+\Z", re.DOTALL)
_UNKNOWN: Final = pattern(  # a place of a template that is not filled in, with its label
    r"\A(?:[^:：|]{1,40}[:：][ *_]*)?(?:(?:currently |still )?unknown|tbd|(?:none|not|nothing) (?:yet )?(?:mentioned"
    r"|specified|known|provided|shared|stated|recorded|yet|so far)(?: yet| so far)?|unbekannt|(?:noch )?(?:nichts"
    r" bekannt|keine angaben?)|inconnue?|non (?:précisé|mentionné)e?|desconocid[oa]|no (?:especificad|mencionad)[oa]"
    r"|sconosciut[oa]|non (?:specificat|indicat)[oa]|desconhecid[oa]|não (?:informad|especificad|mencionad)[oa]"
    r"|onbekend|nieznan[aey]|nie podano|неизвестн[оаы]|не указан[оаы]?|未知|不明|暂无|未提及|未定|미정"
    r"|알 수 없음)[.。]?\Z",
    re.IGNORECASE,
)
_UNDER_HEAD: Final = pattern(r"\A\s*\|?(?:\s*:?-{2,}:?\s*\|)+(?:\s*:?-{2,}:?\s*)?\Z")  # of a table
_HEADING: Final = pattern(r"\A\s{0,3}#{1,6}\s|\A[^:：]{1,40}[:：]\Z|\A\*\*[^*]{1,60}\*\*:?\Z")
_PART: Final = pattern(r"(?<=[;；。！？])(?=.)|(?<=[^\W\d_]{3}[.!?])(?=\s+[^\W_])")
_LABEL: Final = pattern(r"\A([^:：]{2,40})[:：]\s*\S")
_SIGN: Final = pattern(r"[\u30a0-\u9fff]")  # of Japanese words, not of their endings
_TOO: Final = pattern(rf"(?<={_SIGN.pattern})も(?={_SIGN.pattern})")
_HEADING_WORDS: Final = 8
_NOTE_WORDS: Final = 12
_ORDER_WORDS: Final = 3  # of content; a heading can be `Never`
_WIDE_MERGED: Final = 0.5  # as below, of pairs of wide characters: a changed particle changes two of them
_MERGED: Final = 0.6  # share of a line's plain words that another must hold, beside all of its firm ones


class Line(msgspec.Struct, frozen=True):
    """One line: its text, its statement without bullet, and a key that is equal for two lines that say the same."""

    raw: str
    text: str
    key: str
    words: frozenset[str]
    claims: bool


def read(text: str) -> list[Line]:
    """Read the lines of a text; the head of a table claims nothing."""
    lines = [line_of(raw) for raw in text.splitlines()]
    for place, under_it in enumerate(lines[1:]):
        if _UNDER_HEAD.match(under_it.raw):
            lines[place] = msgspec.structs.replace(lines[place], words=frozenset(), claims=False)
    return lines


def under(heading: str, line: str) -> str:
    """Return a statement with its heading, if that says that it is not wanted (`To avoid`), or of whom it is."""
    return f"{heading.strip('#*: ')}: {line}" if denials.refuses(heading) or names_another(heading) else line


def headed(text: str) -> dict[str, str]:
    """Return the statements of a text, each with itself under its heading."""
    found: dict[str, str] = {}
    heading = ""
    for line in read(text):
        if line.claims:
            found[line.text] = under(heading, line.text)
        elif _HEADING.search(line.raw.strip()):
            heading = line.text
    return found


@lru_cache(maxsize=2048)  # the gate reads the lines of a memory again for each operation
def line_of(raw: str) -> Line:
    """Read one line."""
    text = _BULLET.sub("", raw, count=1).strip()
    key = content.fold(_MARKUP.sub("", text)).rstrip(" .;。")
    is_heading = _HEADING.search(raw.strip()) is not None and len(key.split()) <= _HEADING_WORDS
    orders = is_standing(text) and len(content.content(text)) >= _ORDER_WORDS
    is_label = (is_heading and not content.quoted(text)) or _is_note(text)
    claims = not (_EMPTY.search(text) or _UNKNOWN.search(text) or (is_label and not orders))
    return Line(raw, text, key, content.content(text) if claims else frozenset(), claims)


def _is_note(text: str) -> bool:
    """True if a text in brackets or emphasis only says what belongs in its place, as in a template."""
    found = _ASIDE.search(text)
    said = (found[1] or found[2] or "") if found else ""
    words = timeless(said)
    firm = content.firm(said) & words
    return found is not None and len(words) <= _NOTE_WORDS and not firm and not content.quoted(said)


def cut(line: Line) -> list[Line]:
    """Cut a line that claims something at its semicolons and sentences; the first part has its bullet."""
    return [line_of(part) for part in _PART.split(line.raw)] if line.claims else [line]


def say_whole(texts: Iterable[str], part: str) -> bool:
    """True if some texts together have every word of a statement; those that deny where it does not do not count."""
    said = content.content(part)
    denies = denials.denies(part)
    texts = [text for text in texts if denials.denies(text) == denies]
    shared = vocabulary_of(frozenset(word for text in texts for word in content.words(text))).shared(said)
    firm = frozenset().union(*map(content.firm, texts))
    return bool(said) and shared == said and content.firm(part) <= firm | shared


@lru_cache(maxsize=2048)  # each line is held against each
def vocabulary_of(words: frozenset[str]) -> Vocabulary:
    """Return the vocabulary of some words."""
    return Vocabulary(words)


def related(one: Line, other: Line) -> float:
    """Return how much two lines are about the same: the share of words that both hold; a common label counts."""
    both = len(vocabulary_of(other.words).shared(one.words))
    share = both / max(1, min(len(one.words), len(other.words)))
    mine, theirs = _LABEL.match(one.text), _LABEL.match(other.text)
    labels = [content.fold(label[1]) for label in (mine, theirs) if label is not None]
    same = any(one.key.startswith(label) and other.key.startswith(label) for label in labels)
    return share + (0.5 if same else 0.0)


def timeless(text: str) -> frozenset[str]:
    """Return the words of content of a text, without dates, days and months."""
    dated = content.content(" ".join(text[day.start : day.end] for day in days.named(text)))
    return frozenset(
        word for word in content.content(text) - dated if not any(day.match(word) for day in days.WEEKDAYS)
    )


def holds(text: str, part: str) -> bool:
    """True if a statement holds another: all its firm words and most of its plain ones.

    The particle for `too` of Japanese may be another one (`猫も飼う`, `犬と猫を飼う`) if every sign is in both.
    """
    return _has_words(text, part) or (
        _TOO.search(part) is not None
        and set(_SIGN.findall(part)).issubset(_SIGN.findall(text))
        and any(_has_words(text, _TOO.sub(particle, part)) for particle in "をがは")
    )


def _has_words(text: str, part: str) -> bool:
    _, said, said_firm = _held(part)
    if not said:
        return content.fold(part) in content.fold(text)
    vocabulary, _, firm = _held(text)
    shared = vocabulary.shared(said)
    share = _WIDE_MERGED if any(map(content.is_wide, said)) else _MERGED
    return len(shared) >= share * len(said) and said_firm <= firm | shared


@lru_cache(maxsize=2048)
def _held(text: str) -> tuple[Vocabulary, frozenset[str], frozenset[str]]:
    """Return the vocabulary, the words of content and the firm words of a statement."""
    return Vocabulary(content.words(text)), content.content(text), content.firm(text)


def new_value(old: str, text: str) -> frozenset[str]:
    """Return the words of the value that a statement has instead of an old one's; none if it is another statement."""
    likeness = decide(old, text)
    said = likeness.kind == "supersedes" or likeness.in_frame
    return content.content(text) - content.content(old) if said else frozenset()


def statements(text: str) -> list[str]:
    """List the lines of a text that say something."""
    return [line.text for line in read(text) if line.claims]


def says_any(texts: Iterable[str], text: str) -> bool:
    """True if a line of some texts says a statement of a text."""
    return any(holds(line, part) for part in _parts(text) for each in texts for line in each.splitlines())


def says_all(texts: Iterable[str], text: str) -> bool:
    """True if lines of some texts say every statement of a text."""
    lines = [line for each in texts for line in each.splitlines()]
    return all(any(holds(line, part) for line in lines) for part in _parts(text))


def _parts(text: str) -> list[str]:
    return statements(text) or [text]
