"""Reads what a person asks to forget: `Forget that I'm pregnant`, `Delete my address, please`, `Forget that`.

Pure functions over texts and messages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import dropwhile, product
from typing import Final, TypeVar

import msgspec

from commonplace.guard.about import FIRST_PERSON, WE
from commonplace.guard.pasted import own_words
from commonplace.guard.phrases import phrase
from commonplace.guard.trust import asks_to_forget, message_trust
from commonplace.jobs.rules import matching, patterns
from commonplace.jobs.rules.patterns import guard
from commonplace.operations import (
    Edit,
    Operation,
    PutTopic,
    RemoveEntry,
    RemoveItem,
    RemoveTopic,
    RewriteDocument,
    TakeBack,
    View,
    ViewEntry,
)
from commonplace.records import RecordedMessage, Source
from commonplace.text import content
from commonplace.text.patterns import pattern
from commonplace.text.pieces import one_line, truncate

Key = TypeVar("Key")
_Part = tuple[Source, str]
LetGo = tuple[Edit, ViewEntry, str, RecordedMessage]
"""An edit, an entry that it leaves out as a person asked, the words of that which go, and the message that asks."""
_FORGET: Final = "Forget that"  # begins a sentence that asks to forget the rest of it
SCAN_CHARS: Final = 20_000  # of a longer message only head and tail are read: the middle is pasted
REPLY_GAP: Final = 2  # messages between what is said and that it is not to be remembered
_MOST: Final = 0.6  # of the words of a statement, which a wish repeats
_DESCRIPTION_CHARS: Final = 120
_CLAUSE_END: Final = pattern(
    r"[,;:，；：](?!\s?(?:dass|dat|że|что|was|wat|co)\b)|\s[–—-]\s"
    r"|\s(?:because|weil|denn|parce que|porque|perché|omdat|bo|потому)\b"
)


class TakenBack(msgspec.Struct, frozen=True):
    """A message that asks to forget something, and the parts of messages that go, each with its words."""

    request: Source
    parts: tuple[tuple[Source, str], ...]
    found: bool


def wish_of(said: str) -> str:
    """Return the clause of a sentence that asks to forget something; empty if none does."""
    said = said[:SCAN_CHARS]
    asked = guard("wished_away").search(said) or phrase("unkept").search(said)
    if asked is None:
        return ""
    end = _CLAUSE_END.search(said, asked.end())
    if content.is_wide(said):  # which may name a thing before it asks
        return said[max(said.rfind(each, 0, asked.end()) for each in "，；") + 1 : end.start() if end else None]
    rest = end is not None and _named(said[end.end() :])
    return said[asked.start() : end.start() if end is not None and rest else None].lstrip(" .!?,;:")


def wished_away(said: str, stated: Iterable[tuple[Key, str]]) -> list[Key]:
    """Return the keys of the statements that a sentence asks to forget.

    It says most of a statement, or all that it names of the person's own is in one that begins with it (`my salary`).
    """
    wish = wish_of(said)
    if not wish:
        return []
    mine, own = content.Vocabulary(content.content(wish)), _named(wish) if is_of_oneself(wish) else []
    about = guard("told_about").sub("", guard("wished_away").sub("", wish, count=1)).strip().removeprefix("that ")
    of_one = ((key, text) for key, text in stated if not matching.is_of_another_than(about, text))
    return [key for key, text in of_one if _says_most(mine, text) or (own and _begins_with(own, text))]


def is_of_oneself(wish: str) -> bool:
    """True if a wish is of what a person said of themselves, or has."""
    return content.is_wide(wish) or any(each.search(wish) for each in (FIRST_PERSON, WE, guard("told_about")))


def is_of_last(text: str) -> bool:
    """True if a message only asks to forget what was said before it, without naming it."""
    unkept = phrase("unkept")
    if guard("forget_last").fullmatch(text.strip()):
        return True
    bare = unkept.search(text) and not any(FIRST_PERSON.search(found.group()) for found in unkept.finditer(text))
    return bool(bare) and len(content.content(unkept.sub("", text))) <= 1  # `please`


def asked(message: RecordedMessage, last: RecordedMessage | None) -> Iterator[tuple[str, str]]:
    """Yield the sentences of a message that ask to forget something, each with one that names it.

    Args:
        message: What a person said.
        last: What they said before it.
    """
    own = own_words(message.text)
    if last is not None and is_of_last(own):
        yield from ((own, f"{_FORGET} {each}") for each in content.sentences(own_words(last.text)))
    else:
        yield from ((said, said) for said in content.sentences(own) if wish_of(said))


def spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield the places of the clauses of a text that ask to forget what is the person's own."""
    at = 0
    for sentence in content.sentences(text):
        at = text.index(sentence, at)
        wish = wish_of(sentence)
        if wish and is_of_oneself(wish):
            start = at + sentence.index(wish)
            yield start, start + len(wish)


def taken_back(
    messages: Sequence[RecordedMessage],
    earlier: Callable[[], Sequence[RecordedMessage]],
    known: Sequence[_Part],
) -> list[TakenBack]:
    """Return what messages of a range ask to forget of what the same person said in it and before, and was answered.

    A request takes messages back only if it speaks of oneself, or is of what was `known`: `forget the tests for now`
    is a figure of speech. It goes itself too, because it says what is to be forgotten.
    """
    found: list[TakenBack] = []
    for message in messages:
        own = own_words(message.text)
        if message.message.role != "user" or message_trust(message) != "user" or not _asks(own):
            continue
        said = [each for each in (*earlier(), *messages) if each.session == message.session]
        mine = [each for each in said if _is_by(each, message) and each.number <= message.number]
        going, asks = list[_Part](), list[_Part]()
        if is_of_last(own):
            last = last_said(message, mine)
            if last is not None and FIRST_PERSON.search(own):
                going = [part for part in _parts(last) if FIRST_PERSON.search(part[1])]
            is_known = last is not None and any(source == _source(last) for source, _ in known)
            asks = _parts(message) if going or is_known else []
        else:
            replies = [part for each in said if each.message.role == "assistant" for part in _parts(each)]
            for sentence in filter(wish_of, content.sentences(own)):
                wish = wish_of(sentence)
                is_known = any(asks_to_forget(text, [_only(message, sentence)]) for _, text in known)
                is_known = is_known or bool(wished_away(sentence, ((part, part[1]) for part in known)))
                if not (is_known or FIRST_PERSON.search(wish) or guard("told_about").search(wish)):
                    continue
                stated = [part for each in mine for part in _parts(each) if part[1] != sentence]
                parts = wished_away(sentence, ((part, part[1]) for part in stated))
                if parts or is_known:
                    named = _named(wish)
                    parts += [part for part in replies if _holds(content.words(part[1]), named)]
                forgets = guard("wished_away").search(sentence) is not None
                asks += [(_source(message), sentence)] if parts or is_known or forgets else []
                going += parts
        if asks or any(content.names(wish_of(each)[1:]) for each in content.sentences(own)):  # what another one said
            found.append(TakenBack(_source(message), tuple(dict.fromkeys((*going, *asks))), bool(going)))
    return found


def let_go(edits: Iterable[Edit], view: View) -> Iterator[LetGo]:
    """Yield what a model leaves out of memory, with no new line in its place, that a person asks to forget."""
    for edit, entry in product(edits, view.entries):
        lost = _lost(edit, entry)
        said = enumerate(view.messages, 1) if lost else ()
        asked = (each for end, each in said if _is_user(each) and asks_to_forget(lost, view.messages[:end]))
        if (message := next(asked, None)) is not None:
            yield edit, entry, lost, message


def _is_user(message: RecordedMessage) -> bool:
    return message.message.role == "user"


def _lost(edit: Edit, entry: ViewEntry) -> str:
    """Return the lines of an entry that an edit leaves out."""
    match edit:
        case RemoveEntry(target=entry.id) | RemoveTopic(path=entry.id, into=""):
            return entry.text
        case RemoveItem(path=entry.path, id=name) if entry.id.endswith(f"#{name}"):
            return entry.text
        case RewriteDocument(path=entry.path, text=text, base=base):
            return _left_out(entry.text, text, base or "")
        case PutTopic(path=entry.path, body=text, line=None) if text:
            return _left_out(entry.text, text, entry.text)
    return ""


def _left_out(before: str, text: str, base: str) -> str:
    """Return the lines that are not in a text any more, with no new line of it that may be in their place."""
    new = content.content("\n".join(line for line in text.split("\n") if line not in base))
    gone = (line for line in before.split("\n") if line not in text)
    return "\n".join(line for line in gone if not content.Vocabulary(content.words(line)).shared(new))


def operation(back: Sequence[TakenBack], known: Sequence[tuple[Source, str]]) -> TakeBack | None:
    """Return the operation that hides what messages ask to forget, also of what is known; None if nothing is."""
    parts = dict.fromkeys((*known, *(part for each in back for part in each.parts)))
    if not (back and parts):
        return None
    sources, quotes = zip(*parts, strict=True)
    return TakeBack(sources=tuple(each.request for each in back), overrules=sources, quotes=quotes)


def notes(
    back: Sequence[TakenBack], operations: Iterable[Operation], known: Sequence[tuple[Source, str]] | None
) -> Iterator[str]:
    """Yield what came of the requests to forget; `known` are the messages of what is known, None if nobody looked."""
    operations = tuple(operations)
    for each in back:
        count = sum(_taken_out(edit, each.request, by_rules=known is not None) for edit in operations)
        name = f"{each.request.session}#{each.request.message}"
        if count:
            yield f"{name} asked to forget {count} record{'s' if count > 1 else ''}, taken out"
        elif known is not None and not (each.found or any(source != each.request for source, _ in known)):
            yield f"{name} asks to forget what was not found, or what another one said; see `commonplace forget`"
    gone = (source for source, _ in (*(known or () if back else ()), *(part for each in back for part in each.parts)))
    asks = {each.request for each in back}
    if hidden := dict.fromkeys(f"{each.session}#{each.message}" for each in gone if each not in asks):
        yield f"what {', '.join(hidden)} said of it is hidden; `commonplace undo` shows it again"


def _taken_out(edit: Operation, request: Source, *, by_rules: bool) -> int:
    """Return how many statements an edit takes out because a message asks for it; a record of that is none."""
    if isinstance(edit, PutTopic) and by_rules and request not in edit.overrules:
        return sum(source == request for source, _ in zip(edit.sources, edit.quotes, strict=False))
    removes = isinstance(edit, (RemoveEntry, RemoveItem, RemoveTopic))
    return int(removes and request in edit.sources and request not in edit.overrules)


def is_bare(lines: Sequence[str]) -> bool:
    """True if lines of a topic say nothing but its title."""
    said = [line for line in lines if line.strip()]
    return not said or (len(said) == 1 and said[0].startswith("# "))


def described(description: str, before: Sequence[str], after: Sequence[str]) -> str:
    """Return a new description of a topic that lost lines; empty if the one it has says nothing of these."""
    gone = content.content("\n".join(before)) - content.content("\n".join(after)) - LIGHT
    if not content.Vocabulary(gone).shared(content.content(description)):
        return ""
    return truncate(one_line(next(line for line in after if line.strip()).removeprefix("- ")), _DESCRIPTION_CHARS)


def _asks(text: str) -> bool:
    """True if some sentence of a text may ask to forget something."""
    return is_of_last(text) or any(map(wish_of, content.sentences(text)))


def last_said(message: RecordedMessage, said: Sequence[RecordedMessage]) -> RecordedMessage | None:
    """Return what the same person said shortly before a message; None if they said nothing."""
    near = range(message.number - REPLY_GAP, message.number)
    same = (each for each in reversed(said) if each.session == message.session and _is_by(each, message))
    return next((each for each in same if each.number in near), None)


def _only(message: RecordedMessage, sentence: str) -> RecordedMessage:
    """Return a message as if it had said one of its sentences only."""
    return msgspec.structs.replace(message, message=msgspec.structs.replace(message.message, content=sentence))


def _is_by(message: RecordedMessage, other: RecordedMessage) -> bool:
    return message.message.role == "user" and message.message.name == other.message.name


def _source(message: RecordedMessage) -> Source:
    return Source(message.session, str(message.message.id))


def _parts(message: RecordedMessage) -> list[tuple[Source, str]]:
    return [(_source(message), sentence) for sentence in content.sentences(message.text)]


def _named(wish: str) -> list[str]:
    """Return the words by which a wish names what is to be forgotten."""
    said = content.asked_for(content.words(guard("wish_wide").sub(" ", guard("told_about").sub(" ", wish))))
    frame = patterns.words("wish_frame")
    return [each for each in said if each not in frame and (len(each) > 1 or content.is_wide(each))]


def _says_most(mine: content.Vocabulary, text: str) -> bool:
    words = content.content(text) - LIGHT
    return bool(words) and len(mine.shared(words)) >= _MOST * len(words)


def _begins_with(own: Sequence[str], text: str) -> bool:
    """True if a statement has all the words by which a thing is named, and begins with one of them."""
    label = guard("speaker_label").match(text)
    said = list(dropwhile(content.is_joining, content.words(text[label.end() :]))) if label else content.words(text)
    known = [each for each in content.asked_for(said) if each not in LIGHT and len(each) > 1]
    begins = bool(known) and (content.is_wide(text) or content.Vocabulary(own).holds(known[0]))
    return begins and _holds(known, own)


def _holds(known: Iterable[str], own: Sequence[str]) -> bool:
    vocabulary = content.Vocabulary(known)
    return bool(own) and all(map(vocabulary.holds, own))


LIGHT: Final = content.content("""
    user users please always never immer nie niemals toujours jamais siempre nunca sempre mai altijd nooit zawsze nigdy
    всегда никогда""") | {"not", "no", "user"}
"""Words that say nothing of what a statement is about, so that two statements do not share them."""
