"""Apply a model's new text of a document as a diff of its lines.

A heading is no claim, an unchanged or moved line costs nothing. Each new line is judged alone; one that may not come
in waits, and the old line stays in its place. An old line goes only if a line that came in corrects it or holds its
words, if a person said that it no longer is so, or if a compression was asked for and its day is past; else it stays.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import takewhile
from typing import Final

import msgspec

from commonplace.guard.about import names_another
from commonplace.guard.clauses import actor
from commonplace.guard.written import Line, cut, holds, line_of, read, related, say_whole, timeless, vocabulary_of
from commonplace.text import content, days, denials
from commonplace.text.content import Vocabulary
from commonplace.text.everyday import COMMON
from commonplace.text.likeness import decide
from commonplace.text.likeness.wording import MANY
from commonplace.text.patterns import pattern
from commonplace.text.standing import is_standing
from commonplace.text.units import measured

_RELATED: Final = 1 / 3  # share of the shorter line's words, for one to be about the same as the other
_ALIKE: Final = 2 / 3  # the same, for one to say it of the same thing
_SUBJECT_OF: Final = 3  # lines that begin with one word, for it to be what they are about
_HOME: Final = pattern(  # where one lives, or has moved to
    r"\b(?:(?:lives|living) (?:in|at|near)|moved (?:back )?to (?-i:[A-ZÀ-Þ])\w*|(?:wohnt|lebt) (?:jetzt )?in|umgezogen"
    r"|nach \w+ gezogen|(?:habite|vit|déménagé|emménagé) (?:à|en|au)|(?:vive|reside|mudó|mudad[oa]) (?:en|a)"
    r"|(?:vive|abita|trasferit[oa]) (?:a|in)|(?:mora|vive|mudou|mudou-se) (?:em|para)|mieszka w"
    r"|przeprowadził\w+ się (?:do|na)|(?:жив[её]т|переехал\w?) (?:в|на)|woont in|verhuisd naar)\b"
    r"|住在|搬到|住んで|引っ?越し|転居|살고|살아|이사",
    re.IGNORECASE,
)


class Ruling(msgspec.Struct, frozen=True):
    """What becomes of a new line: `in`, `aside` (kept where recall finds it) or `waits`, and the reason."""

    place: str
    reason: str = ""


class Carried(msgspec.Struct, frozen=True):
    """The text that may be written; the old lines that stay in it though the new text lacks them.

    `beside` has the new line that came in, by the whole old line that stays though it is in its place. `out` are the
    lines that may not come in: (line, the old line it would replace, ruling).
    """

    text: str
    kept: tuple[str, ...]
    beside: dict[str, str]
    out: tuple[tuple[str, str, Ruling], ...]


NewWords = Callable[[str], frozenset[str]]
"""Gives the words of a line that messages brought in."""
SaysAnew = Callable[[frozenset[str], bool], bool]
"""True if a person said any of some words in a sentence about a change; if asked, of one thing for another."""
Judge = Callable[[str, "str | None"], Ruling]
"""Rules on a new line, and on the old line that it would take the place of."""
May = Callable[[str], bool]
"""Rules on a line alone."""


def carry_out(
    base: str,
    text: str,
    *,
    judge: Judge,
    may_go: May,
    is_fixed: May,
    is_foreign: May,
    new_words: NewWords,
    says_anew: SaysAnew,
) -> Carried:
    """Carry a rewriting of `base` out, as far as it may be.

    Args:
        base: The text it was made from.
        text: As it should read.
        judge: Rules on each new line.
        may_go: Rules on each old line that is in neither text nor corrected.
        is_fixed: True for an old line that no rewriting may cut.
        is_foreign: True for a new heading, or another line that claims nothing, that may not come in.
        new_words: Gives the words of a line that messages brought in.
        says_anew: Whether a person said any of some words in a sentence about a change.
    """
    old = read(base)
    known = {line.key for line in old} | {""}
    new = [line for line in read(text) if line.claims or line.key in known or not is_foreign(line.text)]
    sides = _side_by_side(old, new)
    rulings: dict[str, Ruling] = {}
    for line in new:
        if line.key in sides.before and line.key not in rulings:
            counterpart = sides.before[line.key]
            rulings[line.key] = judge(line.text, counterpart.text if counterpart else None)
    written = [line for line in new if line.key not in rulings or rulings[line.key].place == "in"]
    waiting = {line.key for line in sides.lost if is_fixed(line.text) or _awaits(line, new, sides.before, rulings)}
    told = _Told(may_go, new_words, says_anew)
    stays = [line for line in sides.lost if not _goes(line, sides, written, told, waits=line.key in waiting)]
    left = _left([line for line in stays if line.key not in waiting], old, written, told)
    stays = [line for line in stays if left.get(line.key, line)]
    out = _assembled(old, new, stays, rulings, sides.before)
    end = "\n" if text.endswith("\n") or base.endswith("\n") else ""
    return Carried(
        "\n".join((left.get(line.key) or line).raw for line in out) + end,
        tuple((left.get(line.key) or line).text for line in stays),
        _beside([line for line in stays if left.get(line.key, line) is line], written, sides),
        _refused(new, rulings, sides.before),
    )


class _Sides(msgspec.Struct, frozen=True):
    """Old and new lines: the old ones that are not in the new text, and for each new one the old it is about."""

    lost: tuple[Line, ...]
    before: dict[str, Line | None]
    in_place: dict[str, Line]


class _Told(msgspec.Struct, frozen=True):
    """What the messages say of lines."""

    may_go: May
    new_words: NewWords
    says_anew: SaysAnew


def _side_by_side(old: Sequence[Line], new: Sequence[Line]) -> _Sides:
    known = {line.key for line in old} | {""}
    keys = {line.key for line in new}
    lost = [line for line in old if line.claims and line.key not in keys]
    in_place = _in_place(old, new)
    begun = Counter(_begins(line) for line in old if line.claims)
    subjects = frozenset[str]().union(*(words for words, times in begun.items() if times >= _SUBJECT_OF))
    before = {
        line.key: _counterpart(line, lost, subjects) or _replaced(line, in_place.get(line.key))
        for line in new
        if line.claims and line.key not in known
    }
    return _Sides(tuple(lost), before, in_place)


def _awaits(line: Line, new: Sequence[Line], before: dict[str, Line | None], rulings: dict[str, Ruling]) -> bool:
    """True if the new line that is most alike an old one, of those that would take its place, waits."""
    ours = [other for other in new if other.key in rulings and before[other.key] == line]
    closest = max(ours, key=lambda other: (related(other, line), rulings[other.key].place == "waits"), default=None)
    return closest is not None and rulings[closest.key].place == "waits"


def _goes(line: Line, sides: _Sides, written: Sequence[Line], told: _Told, *, waits: bool = False) -> bool:
    """True if an old line is in what is written, or if a message corrects it or says that it no longer is so."""
    came = [other for other in written if other.claims]
    if any(holds(other.text, line.text) for other in came):
        return True
    if say_whole([other.text for other in came if other.key in sides.before], line.text):  # it was split
        return True
    if _is_answered(line, came, sides.before, told.new_words):
        return True
    return not waits and (_may_leave(line, came, sides, told) or told.may_go(line.text))


def _left(stays: Sequence[Line], old: Sequence[Line], written: Sequence[Line], told: _Told) -> dict[str, Line | None]:
    """Return what is left of each line that stays once its parts are held against those of the new lines.

    The first part often names what the others speak of: if it goes and another stays, the whole line does.
    """
    parts = {line.key: cut(line) for line in (*old, *written)}
    new = [part for line in written for part in parts[line.key]]
    sides = _side_by_side([part for line in old for part in parts[line.key]], new)
    lost = {part.key for part in sides.lost}
    left: dict[str, Line | None] = {}
    for line in stays:
        kept = [part for part in parts[line.key] if part.key in lost and not _goes(part, sides, new, told)]
        if not kept:
            left[line.key] = None
        elif kept[0] == parts[line.key][0]:
            text = "".join(part.raw for part in kept).rstrip(" ;；")
            left[line.key] = line if len(kept) == len(parts[line.key]) else line_of(text)
    return left


def _assembled(
    old: Sequence[Line],
    new: Sequence[Line],
    stays: Sequence[Line],
    rulings: dict[str, Ruling],
    before: dict[str, Line | None],
) -> list[Line]:
    """Return the lines to be written: the new ones that may come in, and the old ones that stay, in their places."""
    out: list[Line] = []
    placed: set[str] = set()
    for line in new:
        if line.key not in rulings or rulings[line.key].place == "in":
            out.append(line)
            continue
        counterpart = before[line.key]
        if counterpart is not None and counterpart in stays and counterpart.key not in placed:
            out.append(counterpart)
            placed.add(counterpart.key)
    for line in stays:
        if line.key not in placed:
            _put_back(line, old, out)
            placed.add(line.key)
    return out


def _beside(stays: Sequence[Line], written: Sequence[Line], sides: _Sides) -> dict[str, str]:
    """Return the new line that came in, for each old line that stays though it is in its place, or about the same."""
    pairs = [(other, each.get(other.key)) for each in (sides.in_place, sides.before) for other in written]
    return {line.text: other.text for other, line in pairs if line in stays and line is not None}


def _refused(
    new: Sequence[Line], rulings: dict[str, Ruling], before: dict[str, Line | None]
) -> tuple[tuple[str, str, Ruling], ...]:
    """Return each new line that may not come in, once, with the old one that it would replace."""
    once = {line.key: line for line in new if line.key in rulings}.values()
    out = [(line, before[line.key]) for line in once if rulings[line.key].place != "in"]
    return tuple((line.text, old.text if old is not None else "", rulings[line.key]) for line, old in out)


def _counterpart(line: Line, lost: Sequence[Line], subjects: frozenset[str]) -> Line | None:
    """Find the old line that a new one takes the place of; what many lines are about makes no two of them one."""
    same = _RELATED if _begins(line).isdisjoint(subjects) else 0.0
    scored = [(related(line, other) + same * _answers_same(line, other), -n, other) for n, other in enumerate(lost)]
    best = max(scored, key=lambda each: each[:2], default=None)
    return best[2] if best is not None and best[0] >= _RELATED else None


def _answers_same(one: Line, other: Line) -> bool:
    """True if two lines begin with one word and say of it when it is, or how much in one unit."""
    mine, theirs = _begins(one), _begins(other)
    if not mine or vocabulary_of(theirs).shared(mine) != mine:
        return False
    units = [{unit for _, unit in measured(each.text) if unit} for each in (one, other)]
    return bool(units[0] & units[1]) or (_says_when(one.text) and _says_when(other.text))


def _says_when(text: str) -> bool:
    """True if a text names a weekday or a time of day."""
    timed = any(reading[0] == "clock" for named in days.named(text) for reading in named.readings)
    return timed or any(day.search(text.casefold()) for day in days.WEEKDAYS)


def _in_place(old: Sequence[Line], new: Sequence[Line]) -> dict[str, Line]:
    """Return the old line in whose place each new one is."""
    found: dict[str, Line] = {}
    blocks = SequenceMatcher(None, [line.key for line in old], [line.key for line in new], autojunk=False)
    for tag, start, end, begun, over in blocks.get_opcodes():
        gone = [line for line in old[start:end] if line.claims]
        came = [line for line in new[begun:over] if line.claims]
        if tag == "replace":
            alike = ((other, one) for one in came for other in gone if _begin_alike(one, other))
            pairs = zip(gone, came, strict=True) if len(gone) == len(came) else alike
            found |= {one.key: other for other, one in pairs}
    return found


def _replaced(line: Line, old: Line | None) -> Line | None:
    """Return the old line in whose place a new one is, if it is about the same, as a replacement has to be."""
    if old is None or Vocabulary(line.words).shared(old.words) or _begin_alike(line, old):
        return old
    return old if decide(old.text, line.text).kind == "supersedes" else None


def _may_leave(line: Line, came: Sequence[Line], sides: _Sides, told: _Told) -> bool:
    """True if a line that came in corrects an old one by what a message says."""
    for other in came:
        if sides.before.get(other.key) != line:
            continue
        if denials.denies(other.text) and not denials.denies(line.text) and related(line, other) >= _ALIKE:
            return True
        if not (said := told.new_words(other.text)) - line.words:
            continue
        if decide(line.text, other.text).kind == "supersedes":
            return True
        if _drops_a_name(line, other, told.new_words):
            continue
        share, shared = related(line, other), Vocabulary(other.words).shared(line.words)
        names = content.names(line.text) & content.names(other.text)  # one may begin with a word that is no name
        in_its_place = sides.in_place.get(other.key) == line and _begin_alike(line, other)
        if in_its_place and not is_standing(line.text) and told.says_anew(said - line.words, _is_one_of_many(line)):
            return True
        of_same = share == _RELATED and Vocabulary(_begins(other)).shared(shared)
        if shared == _begins(line) and (of_same or _is_one_of_many(line)):
            continue  # it says something else of the same thing
        of_it = shared - names - (COMMON if is_standing(line.text) else frozenset())
        if share >= _ALIKE or (share >= _RELATED and (of_it or timeless(line.text) <= shared)):
            return True
        if (
            sides.in_place.get(other.key) == line
            and not is_standing(line.text)
            and _names_old(line, other, shared, said)
        ):
            return True
    return False


def _is_answered(line: Line, came: Sequence[Line], before: dict[str, Line | None], new_words: NewWords) -> bool:
    """True if a line that came in says by a message when, or how much, the one is that an old one begins with."""
    return not is_standing(line.text) and any(
        before.get(other.key) == line and _answers_same(line, other) and new_words(other.text) - line.words
        for other in came
    )


@lru_cache(maxsize=2048)
def _begins(line: Line) -> frozenset[str]:
    """Return the word that a line begins with."""
    return frozenset([word for word in content.words(line.text) if word in line.words][:1])


def _is_one_of_many(line: Line) -> bool:
    """True if a line begins with what one does with several things (`has`, `likes`, `uses`)."""
    begins = (content.words(line.text) or [""])[0]
    return begins in MANY or begins.removesuffix("s") in MANY


def _begin_alike(one: Line, other: Line) -> bool:
    """True if two lines begin with forms of one word (`Uses Vim`, `Uses Helix`), or both say where the user lives."""
    if _says_home(one.text) and _says_home(other.text):
        return True
    mine, theirs = content.words(one.text)[:1], content.words(other.text)[:1]
    return bool(mine and theirs) and content.alike(mine[0], theirs[0])


def _says_home(text: str) -> bool:
    """True if a text says where the user lives."""
    found = _HOME.search(text)
    return found is not None and not names_another(text) and not (found.start() and actor(text))


def _drops_a_name(line: Line, other: Line, new_words: NewWords) -> bool:
    """True if an old line has a name that no message speaks of, where the new one has none and takes nothing back."""
    old, new = _undated(line.text), _undated(other.text)
    lost = old - Vocabulary(other.words).shared(old) - new_words(line.text)
    return bool(lost) and not (new - old or denials.denies(other.text) or denials.limits(other.text))


def _undated(text: str) -> frozenset[str]:
    """Return the names in a text, without days and months."""
    return content.names(text) & timeless(text)


def _names_old(line: Line, other: Line, shared: frozenset[str], said: frozenset[str]) -> bool:
    """True if a new line is about the old one in its place: half its words, or a value that it had or takes back."""
    subject = takewhile(lambda word: word[0].isupper(), line.text.partition(":")[0].split())
    value = shared - content.content(" ".join(subject))
    known = (value & content.names(line.text)) - said
    takes_back = denials.denies(other.text) or denials.limits(other.text)
    return 2 * len(shared) > min(len(line.words), len(other.words)) or bool(known) or (takes_back and bool(value))


def _put_back(line: Line, old: Sequence[Line], out: list[Line]) -> None:
    """Insert an old line behind the nearest line before it that is still there."""
    place = old.index(line)
    for before in reversed(old[:place]):
        if not before.key:
            continue
        found = next((n for n, other in enumerate(out) if other.key == before.key), None)
        if found is not None:
            heading = not before.claims and found + 1 < len(out) and not out[found + 1].key and not old[place - 1].key
            out.insert(found + 1 + heading, line)
            return
    first = next((n for n, other in enumerate(out) if other.claims), len(out))
    out.insert(first, line)
