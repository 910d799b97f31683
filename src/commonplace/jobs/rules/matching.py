"""Compares statements: is one said already, does one take the place of another?

Pure functions over texts. Likeness alone decides nothing: a duplicate has the same words, numbers
and sense; a successor names the same thing with another value, or takes back what was said.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import takewhile
from typing import Final

from commonplace.guard.about import OTHER, names_another, whose
from commonplace.jobs.rules.patterns import guard, opposites, things, words
from commonplace.text import days, denials
from commonplace.text.content import Vocabulary, bare, firm, is_wide
from commonplace.text.content import content as carrying
from commonplace.text.everyday import COMMON, is_no_name
from commonplace.text.likeness import decide
from commonplace.text.likeness.wording import MANY, RELATIVES, tokens
from commonplace.text.patterns import pattern

_YEAR: Final = pattern(r"\b(?:19|20)\d\d\b")
_WORD: Final = pattern(r"[^\W_][\w.+#-]*\w|\w", re.UNICODE)
_DATE: Final = pattern(r"\b(?:19|20)\d\d-\d\d")
_NAMED: Final = pattern(r"(?<=[\w,;:] )[^\W\d_a-z][\w’'-]+")
_EMPTY_NOUN: Final = (
    r"(?:subscription|service|provider|supplier|app|account|plan|contract|tool|client|program|software|company)"
)
_SPEAKER: Final = pattern(r"(?:user|we|i|our)\b(?!['’]s)", re.IGNORECASE)
_LONGEST: Final = 200  # characters of a statement that is made of two
_OWNER_WORDS: Final = 3  # with which a statement begins that is of another person
_WE: Final = pattern(r"\A(?:we|i)(?:['’](?:ve|re))? ")
_IDEOGRAPH: Final = pattern(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def stem(word: str) -> str:
    """Fold the commonest endings, so that prefer, prefers and preferred are one word."""
    word = word.lower().replace("’", "'").removesuffix("'s")
    for ending in ("ing", "ed", "es", "s"):
        if len(word) > len(ending) + 3 and word.endswith(ending):
            return word[: -len(ending)]
    return word


@lru_cache(maxsize=4096)
def content(text: str) -> frozenset[str]:
    """Return the words that carry a statement, stemmed; single characters if a script has no spaces."""
    found = {
        stem(word) for word in _WORD.findall(text) if word.lower() not in words("stop") and not _IDEOGRAPH.search(word)
    }
    return frozenset(found | set(_IDEOGRAPH.findall(text)))


def same(text: str, other: str) -> bool:
    """True if a statement says nothing that another does not."""
    mine, theirs = content(text), content(other)
    if not mine or _denies(text) != _denies(other) or _numbers(mine) - _numbers(theirs):
        return False
    if _swapped(text, other) or of_another_person(text, other):
        return False
    return mine <= theirs or len(mine & theirs) >= 0.85 * len(mine | theirs)


def order_verb(text: str) -> frozenset[str]:
    """Return the verb with which an order begins (`write` of `Always write tests first`); empty if a text is none."""
    found = guard("order_verb").match(text)
    return frozenset({bare(found["verb"])}) if found else frozenset()


def retells(other: str, text: str) -> bool:
    """True if another statement has all names, numbers and dates of a statement, most of its words and few others."""
    (dates, names, said), (others, _, told) = _apart(text), _apart(other)
    shared = Vocabulary(told).shared(said)
    if not said or not names <= shared or 3 * len(shared) < 2 * len(said) or 2 * len(shared) < len(told):
        return False
    if not dates <= others or _denies(text) != _denies(other):
        return False
    return not (of_another_person(text, other) or _swapped(text, other))


@lru_cache(maxsize=4096)
def _apart(text: str) -> tuple[frozenset[object], frozenset[str], frozenset[str]]:
    """Return the dates and times of day in a text, its other names and numbers, and all its other words that count."""
    dates = sorted(days.named(text), reverse=True)
    for each in dates:
        text = f"{text[: each.start]} {text[each.end :]}"
    names = firm(text)
    return frozenset(reading for each in dates for reading in each.readings), names, carrying(text) | names


def holds(text: str, value: str) -> bool:
    """True if a text contains a value as whole words."""
    return (
        bool(value.strip()) and re.search(rf"(?<!\w){re.escape(value.strip())}(?!\w)", text, re.IGNORECASE) is not None
    )


def is_name_in(text: str, name: str) -> bool:
    """True if a name ends a phrase of a text, so that it is no common word there (`off main`, not `my main hobby`)."""
    end = guard("name_end").pattern
    return re.search(rf"(?<![\w/-]){re.escape(name)}(?![\w/-]){end}", text, re.IGNORECASE) is not None


def _is_held(text: str, value: str) -> bool:
    """True if a text says of now that a value is so."""
    found = re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text, re.IGNORECASE)
    if found is None or _denies(re.split(r"[,;]| and ", text[: found.start()])[-1].replace("without ", "")):
        return False
    verb = text.split(maxsplit=2)[1] if " " in text else ""
    return guard("held").search(text) is not None or not (verb.endswith("ed") or verb in words("unchanged"))


def put(text: str, old: str, new: str) -> str:
    """Replace an old value by a new one wherever it appears as whole words."""
    return re.sub(rf"(?<!\w){re.escape(old.strip())}(?!\w)", lambda _: new.strip(), text, flags=re.IGNORECASE)


def in_its_place(text: str, other: str) -> str:
    """Return what is known once a statement has replaced another: itself, or the other with the new value.

    The latter if the other says more than the value that is over, and the statement no more than what is in its place,
    or why.
    """
    said = guard("in_place_of").fullmatch(text.rstrip(" ."))
    if said is None:
        return _with_the_rest(_with_whose(text, other), other)
    new, old = (next(filter(None, (said[name + way] for way in ("used", "moved", "put")))) for name in ("new_", "old_"))
    place = pattern(rf"(?<![\w`]){re.escape(old)}(?![\w`])", re.IGNORECASE)
    if not says_more(other, [old]) or len(place.findall(other)) != 1:
        return text
    both = place.sub(lambda _: new, other)
    return f"{both.rstrip(' .')} ({said['tail'].strip(' ,')})." if said["tail"] else both


def _with_whose(text: str, other: str) -> str:
    """Return a statement of `Lea` or `the new boss` with whose they are, if the one in whose place it comes says so."""
    said, was = (guard("speaker_label").sub("", each) for each in (text, other))
    kin = guard("of_kin").match(was)
    if kin is not None and said.startswith(was[kin.end() :].split(" ", 1)[0] + " "):
        return other[: len(other) - len(was)] + kin[0] + said
    owner = guard("owned").match(other)
    return re.sub(r"\A(?i:the)(?= new )", owner[0], text) if owner else text


def _with_the_rest(text: str, other: str) -> str:
    """Return a statement in a person's own words behind the parts of the one in its place that it says nothing of."""
    mine, theirs = guard("speaker_label").match(text), guard("speaker_label").match(other)
    if mine is None or theirs is None or mine[0] != theirs[0]:
        return text
    new, old = text[mine.end() :], other[theirs.end() :]
    said = Vocabulary(carrying(new))
    parts = [found for found in guard("own_part").finditer(old) if not said.shared(carrying(found["part"]))]
    left = f"{mine[0]}{', '.join(found['part'] for found in parts)}; {new}"
    return left if parts and said.shared(carrying(old)) and len(left) <= _LONGEST else text


def says_more(text: str, values: Sequence[str]) -> bool:
    """True if a statement has a part of its own beside the one that holds some values (`npm, Node 18 and Jest`)."""
    parts = guard("part_end").split(text)
    return any(content(part) and not any(_has(part, value) for value in values) for part in parts)


def says_besides(other: str, text: str) -> bool:
    """True if a statement has a part behind its first of which the one in its place says nothing (`…, two dogs`)."""
    said = content(text)
    parts = (part for part in guard("part_end").split(other)[1:] if guard("elaborates").match(part) is None)
    return any(content(part) and said.isdisjoint(content(part)) for part in parts)


def _has(text: str, value: str) -> bool:
    return value in text if _IDEOGRAPH.search(value) else holds(text, value)


def succeeds(text: str, frame: str, supersedes: str, other: str, *, home: bool = False) -> bool:
    """True if a statement replaces another.

    Args:
        text: The new statement.
        frame: The part of it that names what has one value at a time (`Ada's birthday is`), or empty.
        supersedes: The value that it says is over (`Vim` of `switched from Vim to Helix`), or empty.
        other: The statement that may be over.
        home: True if it says where a person lives.
    """
    if (same(text, other) and same(other, text)) or of_another_person(text, other) or _of_another_thing(text, other):
        return False
    if guard("one_of_many").search(text) and not guard("changed").search(text):
        return False
    if any(_plain(other).startswith(_plain(part) + " ") for part in frame.split("|") if part):
        return True
    known = _WE.sub("user ", other.casefold())  # who says that they moved speaks of those they live with
    subject = _WE.sub("user ", text.casefold()).split(" ", 1)[0]
    whose, _, lives = f" {known}".partition(f" {subject} ")  # of Ada, or of `User's sister Ada`
    if (
        home
        and not guard("code").search(text)
        and not _YEAR.search(other)
        and guard("home").match(lives)
        and (not whose or "'s " in whose)
    ):
        return True
    is_home = guard("home").search(other)  # `to Rome instead of Oslo` is no news of it
    if supersedes and _is_held(other, supersedes):
        little = all(map(is_of_time, content(supersedes))) or bare(supersedes) in order_verb(other)
        told_apart = little or _is_contrast(text, supersedes) or is_home
        return not told_apart or of_one_thing(text, other, supersedes)
    return any(over(text, other) for over in (_is_denied, _instead, _in_role, _has_another_value))


def takes_back(text: str, values: Iterable[str], other: str) -> bool:
    """True if another statement says of the same thing that one of some values is so, and one says that it is over."""
    mine, theirs = tokens(text), tokens(other)
    if not mine or not theirs or _whose(text) != _whose(other) or same(text, other):
        return False
    users = [guard("of_user").match(each) is not None for each in (text, other)]
    if users[0] != users[1] or not (users[0] or mine[0].word == theirs[0].word):
        return False
    for value in values:
        rest = content(other) - content(value) - {"user"}
        wide = _IDEOGRAPH.search(value) is not None
        if (
            _has(other, value)
            and not _denies(other)
            and (rest <= content(text) if wide else not rest or rest & content(text))
        ):
            return True
    return False


def _is_contrast(text: str, value: str) -> bool:
    """True if a statement only says `not to Marta Lind`, of a full name: of other things she is still what she was."""
    found = guard("not_to").search(text)
    return found is not None and found["old"] == value and guard("changed").search(text) is None


def of_another_person(text: str, other: str) -> bool:
    """True if one statement is of a person, by name or as a relative, of whom the other says nothing."""
    for one, two in ((text, other), (other, text)):
        if is_of_another_than(one, two):
            return True
        words_of, others = ([token.word for token in tokens(each)] for each in (one, two))
        begins = RELATIVES.intersection(words_of[:_OWNER_WORDS])
        if begins and begins.isdisjoint(others) and (_SPEAKER.match(two) or not RELATIVES.isdisjoint(others)):
            return True
    return False


def is_of_another_than(text: str, other: str) -> bool:
    """True if a statement is of a person, by name or as `she`, whom another, which is of no thing, does not name."""
    if _SPEAKER.match(other) and whose(text) == OTHER and not names_another(f"{text} {other}"):
        return True
    who = content(_named(text))
    if not who or not who.isdisjoint(content(other)) or guard("of_a_thing").match(other):
        return False
    return guard("in_a_role").search(text) is None or _SPEAKER.match(other) is not None


def unnamed(text: str, other: str) -> str:
    """Return a statement without the name of whom it is, if another one is of them too."""
    who = _named(text)
    return text.replace(who, "", 1) if who and who == _named(other) else text


@lru_cache(maxsize=4096)
def _named(text: str) -> str:
    """Return the name of whom a statement is; empty if it is of nobody by name."""
    found = guard("of_a_name").match(text)
    who = next(filter(None, found.groups()), "") if found else ""
    if any(way.fullmatch(who) for ways in opposites() for way in ways):  # `English is fine again`
        return ""
    return "" if bare(who) in COMMON or (is_no_name(who) and not is_wide(who)) else who


def _of_another_thing(text: str, other: str) -> bool:
    """True if a statement is of a kind of the other's thing, or of another's (`the test port`, `the dog's name`)."""
    found = guard("thing_said").match(text)
    said = content(found["thing"]) - words("light") if found else frozenset()
    thing = [word for word in map(stem, _WORD.findall(found["thing"])) if word in said] if found else []
    known = content(other)
    return len(thing) > 1 and thing[-1] in known and not known.issuperset(thing)


def of_one_thing(text: str, other: str, value: str) -> bool:
    """True if two statements share a word besides numbers, a value and the word that both begin with.

    Of a time, the one shares all that it says before its own.
    """
    if any(map(is_of_time, value.split())):
        before = takewhile(lambda word: not is_of_time(word.strip(".,")), re.split(r"\d", text)[0].split())
        thing = content(" ".join(before))
        return bool(thing) and thing - words("light") <= content(other)
    first = text.split(" ", 1)[0]
    mine = (content(text) & content(other)) - (content(first) if other.startswith(f"{first} ") else set())
    return any(len(word) > 2 for word in mine - _numbers(mine) - content(value))


def _instead(text: str, other: str) -> bool:
    """True if `… four spaces, no tabs` or `no coffee any more` ends what another statement says of the same thing."""
    if _denies(other):
        return False
    subject = text.split(" ", 1)[0].casefold() == other.split(" ", 1)[0].casefold()
    dropped = guard("given_up").search(text)
    if dropped is not None and subject and holds(other, dropped["old"]) and guard("held").search(other):
        return True
    found = guard("instead").search(text.rstrip(". "))
    return found is not None and holds(other, found["old"]) and of_one_thing(text, other, found["old"])


def _is_denied(text: str, other: str) -> bool:
    """True if one says that just what another says is not so (`not allergic to nuts after all`)."""
    mine, theirs = (carrying(guard("update_over").sub(" ", each)) for each in (text, other))
    alike = all(map(Vocabulary(mine).holds, theirs)) and all(map(Vocabulary(theirs).holds, mine))
    return alike and denials.denies(text) and not denials.denies(other)


@lru_cache(maxsize=4096)
def _whose(text: str) -> frozenset[str]:
    """Return the relatives that a statement names, and whose a thing is that it begins with, if not the speaker's."""
    owner = guard("owner").match(text)
    found = {token.word for token in tokens(text)}
    return (RELATIVES & found) | ({owner["who"]} if owner else set())


def _has_another_value(text: str, other: str) -> bool:
    """True if a statement gives another value to what another one is about, and one value holds at a time."""
    if guard("added").search(text) or guard("which_of").findall(text) != guard("which_of").findall(other):
        return False
    is_new = guard("changed").search(text) is not None
    if all(map(guard("age").search, (text, other))):
        return True
    if is_new and any(thing.search(text) and thing.search(other) for thing in things()):
        return True
    for new in _claims(text):
        for old in _claims(other)[:2]:  # the whole, and what it begins with
            if content(old) & content(new) - words("intent") - words("light"):
                found = decide(old, new)
                if found.kind == "supersedes" or (found.in_frame and (is_new or _are_named(new, old))):
                    return True
    return is_new and (_is_put_off(text, other) or _in_same_words(text, other))


def _are_named(*claims: str) -> bool:
    """True if statements end in names, each of something of one person's own."""
    return all(
        guard("own_thing").match(claim) and (_firm(claim.split()[-1]) or guard("wide").search(claim))
        for claim in claims
    )


def _in_same_words(text: str, other: str) -> bool:
    """True if two statements of one person differ in names and numbers alone, in whatever order they say them."""
    text, other = (guard("of_kin").sub("", each) for each in (text, other))  # `Lea`, and `User's daughter Lea`
    if text.split(" ", 1)[0] != other.split(" ", 1)[0]:
        return False
    mine, theirs = _carrying(text), _carrying(other)
    new, old = mine.keys() - theirs.keys(), theirs.keys() - mine.keys()
    named = mine.keys() & theirs.keys() - MANY  # a person speaks several languages
    return (
        any(len(word) > 2 and not mine[word][0].isupper() for word in named)
        and bool(new and old)
        and all(_firm(each[word]) for each, left in ((mine, new), (theirs, old)) for word in left)
    )


@lru_cache(maxsize=4096)
def _carrying(text: str) -> dict[str, str]:
    """Return the words that carry what a statement begins with by their stems, without its subject and light verbs."""
    claim = next(iter(_claims(text)[1:]), text)
    claim = claim if any(map(_firm, _WORD.findall(claim))) else text
    found = {stem(word): word for word in _WORD.findall(claim) if word.lower() not in words("stop")}
    return {word[:6]: said for word, said in found.items() if word not in words("light")}  # `rehearses`, `rehearsal`


def _firm(word: str) -> bool:
    return word[0].isupper() or any(map(str.isdigit, word)) or is_of_time(word)


def is_of_time(word: str) -> bool:
    """True if a word names a day, a month or another time."""
    return guard("of_time").fullmatch(word.rstrip("s")) is not None


def _is_put_off(text: str, other: str) -> bool:
    """True if two statements give a date to one thing: a name, or two words."""
    shared = {word for word in content(text) & content(other) if guard("of_time").fullmatch(word) is None}
    shared -= words("light")
    names = {stem(word) for word in _NAMED.findall(text)}
    put_off = guard("put_off").search(text) is not None and all(_DATE.search(each) for each in (text, other))
    return put_off and bool(shared & names or len(shared - _numbers(shared) - {"user"}) > 1)


@lru_cache(maxsize=4096)
def _claims(text: str) -> tuple[str, ...]:
    """Return a statement, and its parts, without the speaker and without the words that say that it is new."""
    said = guard("speaker_label").sub("", text.rstrip(" ."))
    parts = (said, *guard("claim_end").split(said))
    found = (" ".join(guard("oneself").sub(" ", guard("newly").sub(" ", part)).split()) for part in parts)
    found = (guard("of_kin").sub("", claim) for claim in found)
    return tuple(dict.fromkeys(claim for claim in found if content(claim)))


def _in_role(text: str, other: str) -> bool:
    """True if one says who or what is new in a role (`switched to Helix as their editor`), another what was."""
    found = guard("role").search(text)
    if found is None:
        return False
    before = (
        r"(?:\b(?:as|is) (?:their|my|our|the) |\b(?:changed|switched) |\A(?:the |our |[\w ]+'s )"
        r"(?:main |private |own )?)"
        rf"{re.escape(found['role'])}s?(?: {_EMPTY_NOUN})?(?: is\b|[.,]|\Z)"
    )
    return re.search(before, other, re.IGNORECASE) is not None


def _plain(text: str) -> str:
    return guard("article").sub("", guard("filler").sub("", " ".join(text.split()))).casefold()


@lru_cache(maxsize=4096)
def _denies(text: str) -> bool:
    return guard("negative").search(text) is not None


def _numbers(words: Iterable[str]) -> set[str]:
    return {word for word in words if any(char.isdigit() for char in word)}


def _swapped(text: str, other: str) -> bool:
    mine, theirs = guard("contrast").search(text), guard("contrast").search(other)
    if mine is None or theirs is None:
        return False
    return content(mine[1]) == content(theirs[2]) and content(mine[2]) == content(theirs[1])
