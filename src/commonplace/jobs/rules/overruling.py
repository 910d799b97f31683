"""Finds what a memo takes the place of: among the memos of its range, and among what is known.

Pure functions over memos and texts. What could be meant of several statements takes the place of none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeVar

import msgspec

from commonplace.guard.about import FIRST_PERSON, is_of_another
from commonplace.jobs.rules import later, matching, named, updates, wishes
from commonplace.jobs.rules.memos import ANNOUNCED, CHANGE, CHANGED_MIND, HOME, NAMED, RENAMED, Known, Memo
from commonplace.jobs.rules.patterns import guard
from commonplace.jobs.rules.wording import UNNAMED
from commonplace.records import RecordedMessage
from commonplace.text.patterns import pattern
from commonplace.text.pieces import short_name

Key = TypeVar("Key")
_SAID: Final = f"{UNNAMED}: "
_HEADED: Final = pattern(rf"\A{_SAID}[^:]{{1,40}}: ")  # of a wish in a list; two wishes share it that are not alike
_MOST_AGAIN: Final = 24  # repetitions of a statement in one range that are noted
_MIND_CHANGED_WITHIN: Final = 6  # messages; further back it is not said which decision is meant


def admit(memos: list[Memo], memo: Memo) -> list[Memo]:
    """Add a memo to those of the range: once, and in place of what it takes back."""
    if memo.becomes:
        old = [place for place, kept in enumerate(memos) if not kept.becomes and is_said_in(memo, kept.text)]
        if len(old) == 1:
            kept = memos[old[0]]
            text = matching.put(kept.text, memo.supersedes, memo.becomes)
            settled = msgspec.structs.replace(
                memo, kind=kept.kind, text=text, slot=kept.slot, frame=kept.frame, becomes="", instead=_with(kept)
            )
            return [*memos[: old[0]], *memos[old[0] + 1 :], settled]
        if not _last(memos, anew := _as_news(memo)):
            return [*memos, memo]
        memo = anew
    over = _last(memos, memo)
    said = [kept for kept in memos if kept.speaker == memo.speaker and kept not in over and _tells(kept, memo)]
    if same := next((kept for kept in said if matching.same(memo.text, kept.text)), None):
        more = msgspec.structs.replace(same, again=(*same.again, memo)[-_MOST_AGAIN:])
        return [more if kept is same else kept for kept in memos if kept not in over]
    over += [kept for kept in memos if kept not in over and is_over(memo, kept.text)]
    left = [kept for kept in memos if kept not in over and not _within(kept, memo)]
    slot = "" if memo.slot == CHANGE and len(left) < len(memos) else memo.slot
    instead = tuple(each for kept in over for each in _with(kept))
    text = in_its_place(memo, over[0].text) if len(over) == 1 else memo.text
    as_before = len(over) == 1 and memo.slot == CHANGE
    kind, salience = (over[0].kind, over[0].salience) if as_before else (memo.kind, memo.salience)
    settled = msgspec.structs.replace(memo, kind=kind, text=text, slot=slot, salience=salience, instead=instead)
    return [*left, settled]


def _tells(kept: Memo, memo: Memo) -> bool:
    """True unless one only says what is over or new where another one is a statement."""
    return kept.slot != CHANGE or memo.slot == CHANGE


def _as_news(memo: Memo) -> Memo:
    """Return a correction as news, which no longer says what is over."""
    return msgspec.structs.replace(memo, becomes="", supersedes="", slot=CHANGE)


def in_its_place(memo: Memo, text: str) -> str:
    """Return what is known once a memo has replaced a statement: itself, or the statement with the new value.

    If the statement says more besides, that is it with the newer words behind it.
    """
    anew = _anew(memo, text)
    return later.with_newer(text, memo) if matching.says_besides(text, anew) else anew


def _anew(memo: Memo, text: str) -> str:
    new = updates.rewritten(memo.news, _unnamed(text, memo.speaker)) if memo.news else None
    says_it = matching.content(new or "") <= matching.content(memo.text)
    if new and not (says_it and guard("update_put").search(memo.text) is None):
        return _named(new, memo.speaker)
    if new is not None and memo.slot == CHANGE and _unnamed(text, memo.speaker).startswith(_SAID):
        return _named(_SAID + updates.worded(memo.news), memo.speaker)
    return memo.text if memo.slot == HOME else matching.in_its_place(memo.text, text)


def _with(kept: Memo) -> tuple[Memo, ...]:
    """Return a memo that another one replaces, those that say the same, and those it had replaced itself."""
    return (msgspec.structs.replace(kept, instead=(), again=()), *kept.again, *kept.instead)


def _last(memos: Sequence[Memo], memo: Memo) -> list[Memo]:
    """Return what a memo takes back without naming it: the last decision, or what was used of the same kind."""
    if memo.slot == CHANGED_MIND:
        return _last_of(memos, memo, lambda kept: kept.kind == "decision")
    if memo.supersedes:
        return []
    own = [kept for kept in memos if kept.speaker == memo.speaker and kept.slot != CHANGE]
    used = one_meant(memo, ((kept, kept.text) for kept in own))
    return [] if used is None else [used]


def _within(kept: Memo, memo: Memo) -> bool:
    """True if a memo of the same message names a person and says more of them (`Ada's sister is Lien`)."""
    return kept.message == memo.message and not kept.frame and matching.same(kept.text, memo.text)


def _last_of(memos: Sequence[Memo], memo: Memo, fits: Callable[[Memo], bool]) -> list[Memo]:
    """Return the last memo of the same speaker that fits, if it was said a moment ago."""
    found = [kept for kept in memos if kept.speaker == memo.speaker and fits(kept)][-1:]
    return [kept for kept in found if memo.number - kept.number <= _MIND_CHANGED_WITHIN]


def is_said_in(memo: Memo, text: str) -> bool:
    """True if a text has the value that a correction replaces, of the same thing if the correction names one."""
    if _is_of_another(memo, text) or (memo.slot == RENAMED and not matching.is_name_in(text, memo.supersedes)):
        return False
    named = memo.slot not in {ANNOUNCED, NAMED} or matching.of_one_thing(memo.text, text, memo.supersedes)
    return named and matching.holds(text, memo.supersedes)


def is_over(memo: Memo, text: str) -> bool:
    """True if a memo takes the place of a statement; what is so too takes the place of nothing."""
    if guard("added").search(memo.quote) or _is_of_another(memo, text):
        return False
    ended = "" if memo.slot in {ANNOUNCED, NAMED} else memo.supersedes  # of another thing the value stays
    both = [guard("since_when").sub("", each) if memo.slot == HOME else each for each in (memo.text, text)]
    mine, other = (_unnamed(each, memo.speaker) for each in both)
    if memo.listed and memo.kind == "preference":
        mine, other = (_HEADED.sub("", each) for each in (mine, other))
    frames = "|".join(_unnamed(frame, memo.speaker) for frame in memo.frame.split("|"))
    over = named.is_named_as_over(memo.news or mine, other)
    return over or matching.succeeds(mine, frames, ended, other, home=memo.slot == HOME)


def one_meant(memo: Memo, stated: Iterable[tuple[Key, str]]) -> Key | None:
    """Return the key of the one statement that a bare switch, or a short update, replaces."""
    return updates.updated(memo.news, _for(memo, stated)) if memo.news else None


def spoken_against(memo: Memo, stated: Iterable[tuple[Key, str]]) -> Key | None:
    """Return the key of the one statement that a memo speaks against, in words that leave open what is so now."""
    return later.spoken_against(memo, _for(memo, stated))


def _for(memo: Memo, stated: Iterable[tuple[Key, str]]) -> list[tuple[Key, str]]:
    """Return the statements that a memo may speak of, with `User` for the name of its speaker."""
    mine = ((key, text) for key, text in stated if not _is_of_another(memo, text))
    return [(key, _unnamed(text, memo.speaker)) for key, text in mine]


def _is_of_another(memo: Memo, text: str) -> bool:
    """True if a statement is of another person than a memo."""
    if is_of_another(memo.quote, text, memo.others):
        return True
    said = (_unnamed(memo.text, memo.speaker), updates.worded(memo.news))
    own = map(updates.without_changer, said)
    return any(matching.is_of_another_than(each, _unnamed(text, memo.speaker)) for each in own)


def others(message: RecordedMessage, people: frozenset[str]) -> frozenset[str]:
    """Return what all but the speaker of a message are called, if there are names."""
    speaker = short_name(message.message.name) or UNNAMED
    return (people | {UNNAMED}) - {speaker} if people else people


def _unnamed(text: str, speaker: str | None) -> str:
    """Return a statement with `User` for the name of the speaker, which is no word that two statements share."""
    begins = speaker and text[: len(speaker)].casefold() == speaker.casefold()
    return UNNAMED + text[len(speaker) :] if speaker and begins else text


def wished_away(
    asked: str, others: frozenset[str], speaker: str | None, stated: Iterable[tuple[Key, Known]]
) -> list[Key]:
    """Return the keys of the statements that a speaker asks to forget; none that others said of themselves."""
    mine = (
        (key, _unnamed(known.text, speaker))
        for key, known in stated
        if not is_of_another("" if any(map(FIRST_PERSON.search, known.quotes)) else asked, known.text, others)
    )
    return wishes.wished_away(asked, mine)


def _named(text: str, speaker: str | None) -> str:
    return speaker + text[len(UNNAMED) :] if speaker and text.startswith(UNNAMED) else text
