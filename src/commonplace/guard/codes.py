"""Decide which number near a noun for a secret is a code: no amount, no date, no name of a thing.

Owns what comes before and behind such a number; what else a sentence may hold is `said`.
"""

from __future__ import annotations

import itertools
import re
from array import array
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from commonplace.guard.sentences import Sentence, anywhere
from commonplace.guard.table import Rule, compiled, load
from commonplace.guard.values import filler
from commonplace.text import content

Noun = tuple[int, int, Rule]  # in a sentence
Lead = tuple[str, ...]  # the last words before a number

_OPENED: Final = (  # right before a number that opens something
    r"(?:[?？]|['’]s|は|が|用|按|[设填]的?|输入?|는|은|是|为|成|密码"
    r"|(?:号码|番号|コード|密码)[、，]|号码|番号|コード|\(|:|：|[^=!<>]=|→)\s?\Z"
)
_CLAUSE: Final = (  # up to a number
    r"(?:\A|[.,;:!?(\n–—。，]|\d\s<<and>>\s)[ *-]{0,4}((?:[^\W\d_’']{1,24}[ -]{1,2}){0,3}[^\W\d_]{1,24})[ ]?\Z"
)
_ALONE: Final = r"[^\W\d_][,，、]\s?\Z"  # before a number that is a clause: "what was it? Oh right, 316"
_BUT: Final = r",?\s(?:<<but>>|<<namely>>)\s"  # between two numbers: "not 1111 but 7264"
_INSTEAD: Final = rf"\d{_BUT}\Z"
IS_ONE: Final = r"(?i),?\s<<is>>\s(?:[^\W\d_]{1,12}\s){0,2}[\w-]{1,40}"  # to the end of a noun: "2013 is the code"
_CLOSED: Final = r"(?!,\s\d)\s?(?:[.,;!。，]|\Z)|\s(?:<<as>>|<<and>>)\s|だ|です"  # the clause of a number
_DATE: Final = r"(?:19|20)\d\d-[01]\d-[0-3]\d"
_YEAR: Final = r"(?:1[5-9]|20)\d\d"
_YEAR_OR_TIME: Final = rf"{_YEAR}|(?:[01]\d|2[0-3])[0-5]\d"
_CALL: Final = r"(?i)(?:phone|\btel|call|ring|fax|hotline|mobile|handy|anruf|télé|電話|电话|전화|тел)[^\d\n]{0,12}\Z"
_RANGE: Final = r"\d{2,3}\s?[-–]\s?\d{2,3}"
_PHONE: Final = 7  # digits of what nothing opens with
_SURE_DIGITS: Final = 4  # of a number that needs no word before it
_INDENT: Final = 12  # characters before the number of a line
_LINE: Final = 400  # characters of one
_BESIDE: Final = 30  # characters before
_BEHIND: Final = 15  # characters behind
_COUNTABLE: Final = 18  # digits of a number that an array may hold
_MOST_CODES: Final = 8  # numbers behind the same words: with more, in order, they count things


class Numbers:
    """Numbers that may be codes, the rule of each and the words before; in lists, for a text may hold thousands."""

    def __init__(self) -> None:
        self._starts = array("q")
        self._ends = array("q")
        self._rules: list[Rule] = []
        self._leads: list[Lead] = []
        self._known: dict[Lead, Lead] = {}

    def add(self, start: int, end: int, rule: Rule, lead: Lead) -> None:
        """Add a number behind the others."""
        self._starts.append(start)
        self._ends.append(end)
        self._rules.append(rule)
        self._leads.append(self._known.setdefault(lead, lead))

    def __iter__(self) -> Iterator[tuple[int, int, Rule, Lead]]:
        return zip(self._starts, self._ends, self._rules, self._leads, strict=True)


def unlisted(text: str, numbers: Numbers) -> Iterator[Noun]:
    """Yield numbers but for those of a list of things: "Locker 1000: free", "Pin 100: ground" and so on."""
    leads: defaultdict[Lead, array[int]] = defaultdict(lambda: array("q"))
    for start, end, _, lead in numbers:
        short = end - start <= _COUNTABLE and text[start:end].isdecimal()
        leads[lead].append(int(text[start:end]) if short else -1)
    lists = {lead for lead, found in leads.items() if len(found) > _MOST_CODES and _rises(found)}
    for start, end, rule, lead in numbers:
        if lead not in lists and not _is_of_line(text, start, end):
            yield start, end, rule


def _rises(found: Sequence[int]) -> bool:
    return all(low < high for low, high in itertools.pairwise(found))


def _is_of_line(text: str, start: int, end: int) -> bool:
    """True if a number begins its line, and the line above or below begins with the number before or behind it."""
    begin = text.rfind("\n", max(0, start - _INDENT), start) + 1
    if text[begin:start].strip() or not text[start:end].isdecimal():
        return False
    value = int(text[start:end])
    above = text.rfind("\n", max(0, begin - _LINE), max(0, begin - 1)) + 1
    below = text.find("\n", end, end + _LINE) + 1
    for line, there in ((above, begin > 0), (below, below > 0)):
        found = compiled(r"\s{0,8}(\d{1,9})\b").match(text, line) if there else None
        if found and abs(int(found[1]) - value) == 1:
            return True
    return False


def lead_of(text: str, start: int) -> Lead:
    """Return the last words before a number in its line."""
    line = text[max(0, start - 32) : start].casefold().rpartition("\n")[2]
    return tuple(compiled(r"[^\W\d_]{1,24}|[:=]").findall(line)[-2:])


def codes(sentence: Sentence, rule: Rule, nouns: list[int]) -> Iterator[tuple[int, int]]:
    """Yield the numbers of a sentence that are codes: beside one, also those with as many digits ("not 3312 but …")."""
    found = [match for match in sentence.numbers if is_code(sentence, match, rule, nouns)]
    shapes = {_shape(match) for match in found}
    for match in sentence.numbers:
        like = _shape(match) in shapes and not compiled(_YEAR).fullmatch(match.group())
        instead = any(compiled(_BUT).fullmatch(sentence.text, match.end(), each.start()) for each in found)
        if match in found or like or instead:
            yield match.span()


def _shape(match: re.Match[str]) -> tuple[int, int]:
    return sum(map(str.isdigit, match.group())), sum(map(str.isalpha, match.group()))


def is_code(sentence: Sentence, match: re.Match[str], rule: Rule, nouns: list[int]) -> bool:
    """True if a number is no amount, date or ordinal: nothing is counted by it."""
    text, words, value = sentence.text, load().words, match.group()
    letters = sum(map(str.isalpha, value))
    digits = sum(map(str.isdigit, value))
    thing = rule.check == "thing"
    if not 3 <= digits + letters <= 24 or compiled(_DATE).fullmatch(value) or is_elsewhere(sentence, *match.span()):
        return False
    if rule.check not in {"code", "thing"} and (letters or digits < _SURE_DIGITS):  # `401`, `String(120)`
        return False
    lead = _word_before(text, match.start())
    changed = rule.check == "code" and sentence.is_changed and compiled("<<onto>>|<<from>>").fullmatch(lead) is not None
    behind = rule.check == "code" and any(text[end : match.start()] in {" ", ": ", "="} for end in nouns)
    if text[match.start() - 1 : match.start()] == "=" and not behind:
        return False
    when = compiled(_YEAR_OR_TIME).fullmatch(value)
    said = when is not None and any(compiled(IS_ONE).fullmatch(text, match.end(), end) for end in nouns)
    led = changed or behind or said or _is_led(text, match)
    if not led and (
        (thing and (letters > 1 or value[0] == "#" != value[-1]))
        or (digits < 3 if thing else digits < 2 or digits + letters < 3)
        or (compiled(_YEAR).fullmatch(value) and not _closes(text, match))
    ):
        return False
    sure = led and rule.check == "code"
    dated = when and compiled(r"\d,? \Z").search(text, max(0, match.start() - 3), match.start())  # "July 4, 2023"
    called = digits > _PHONE and compiled(_CALL).search(text, max(0, match.start() - 24), match.start())
    if dated or called:
        return False
    if value.isalnum() and not changed and (lead in words["named"] or (when and lead in words["dated"] and not sure)):
        return False
    after = compiled(r"[ ]?([^\W\d_]{1,20})").match(text, match.end())
    word = after.group(1).casefold() if after else ""
    if word in words["counters"] or word[:1] in words["counters"]:
        return False
    joins = content.is_joining(content.bare(word)) or compiled("<<done>>|<<but>>|<<as>>").fullmatch(word)
    if after and not content.is_wide(word[0]) and not joins:
        # "the PIN of the card 7382 note it", "take 7382 codes"
        beside = any((end <= match.start() and not thing) or after.start(1) < end <= after.end() for end in nouns)
        counts = thing or compiled(r"[1-9]\d{0,5}").fullmatch(value)  # "1250 tests"
        if (counts and not (led or beside)) or (digits + letters < _SURE_DIGITS and not behind):
            return False
    if not thing:
        return True
    amount = digits < 5 and value.endswith("00") and lead not in words["unlocks"]
    return digits < _PHONE and not amount and (led or _is_likely(sentence, match, nouns))


def is_dated(text: str, place: int) -> bool:
    """True if the word before a place is one for a time."""
    return _word_before(text, place) in load().words["dated"]


def _closes(text: str, match: re.Match[str]) -> bool:
    """True if a number ends its clause."""
    return compiled(_CLOSED).match(text, match.end()) is not None


def is_elsewhere(sentence: Sentence, start: int, end: int) -> bool:
    """True if a word beside a place says that a code is no secret: postal, error, voucher."""
    if not sentence.holds("elsewhere"):
        return False
    words = compiled(r"[^\W\d_]{1,40}").finditer(sentence.text, max(0, start - _BESIDE - 40), end + _BEHIND + 40)
    beside = {word.group().casefold() for word in words if start - _BESIDE <= word.start() < end + _BEHIND}
    around = sentence.text[max(0, start - _BESIDE) : end + _BEHIND]
    return not load().words["elsewhere"].isdisjoint(beside) or any(word in around for word in anywhere("elsewhere"))


def _word_before(text: str, place: int) -> str:
    """Return the word before a place."""
    word = compiled(r"([^\W\d_]{1,20})\.? ?\Z").search(text[max(0, place - 44) : place].casefold())
    return word[1] if word else ""


def _is_likely(sentence: Sentence, match: re.Match[str], nouns: list[int]) -> bool:
    """True if a number that nothing leads to may be a code: a sentence speaks of codes, or begins with the thing.

    "Bike lock 4471." says a code, "I wait for lock 4471" a name.
    """
    text, place = sentence.text, match.start()
    if sum(map(str.isalnum, match.group())) < _SURE_DIGITS or compiled(_RANGE).fullmatch(match.group()):
        return False
    words = load().words
    if any(text[end:place] == " " for end in nouns):
        clause = compiled(_CLAUSE).search(text, max(0, place - 80), place)
        return clause is not None and (words["dated"] | words["named"]).isdisjoint(clause[1].casefold().split())
    return sentence.has_code


def _is_led(text: str, match: re.Match[str]) -> bool:
    """True if a sentence says that a thing opens with a number, or the number is right behind the thing."""
    old = compiled(_YEAR).fullmatch(match.group()) is not None
    before = text[max(0, match.start() - 80) : match.start()]
    if (
        compiled(_OPENED).search(before)
        or (not old and compiled(_INSTEAD).search(before))
        or (not old and compiled(_ALONE).search(before) and _closes(text, match))
    ):
        return True
    words = load().words
    after = compiled(r"\s?([^\W\d_]{2,20})").match(text, match.end())
    verb = after[1].casefold() if after else ""
    ends = verb in words["has"] or compiled("<<is>>").fullmatch(verb)
    closes = after and ends and compiled(_CLOSED).match(text, after.end())
    if closes or verb in words["unlocks"] or compiled("<<done>>").fullmatch(verb):
        return True
    said = compiled(r"n['’]t\b").sub("", before.casefold())
    for word in reversed(compiled(r"[^\W\d_]+(?:['’][^\W\d_]+)?").findall(said)[-5:]):
        if word in words["unlocks"] or (not old and (word in words["code"])):
            return True
        if word in words["leads"]:
            return word not in words["has"] or _closes(text, match)
        if not content.is_joining(content.bare(word)) and word not in filler() | words["code"]:
            return False
    return False
