"""Decide which number near a noun for a secret is a code: no amount, no date, no name of a thing.

Owns what comes before and behind such a number; what else a sentence may hold is `said`.
"""

from __future__ import annotations

import re
from array import array
from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from commonplace.guard.sentences import Sentence
from commonplace.guard.table import Rule, compiled, load
from commonplace.guard.values import filler
from commonplace.text import content

Noun = tuple[int, int, Rule]  # in a sentence

_PHONE: Final = 7  # digits of what nothing opens with
_OPENED: Final = (
    r"(?:[?？]|['’]s|は|が|用|按|输入?|는|은|是|为|成|密码"
    r"|(?:号码|番号|コード|密码)[、，]|号码|番号|コード|\(|:|：|[^=!<>]=|→)\s?\Z"
)
_OPENING: Final = r"\s?(?:で|に変|を(?:入力|押)|に設定|打开|解锁|解除|再按|开|就开|로|으로)"
_ONTO: Final = frozenset({"a", "à"})  # of a change, but not of its day
_INTO: Final = frozenset({"in"})  # of a verb that types
_CLAUSE: Final = (
    r"(?:\A|[.,;:!?(\n–—。，])[ *-]{0,4}((?:[^\W\d_’']{1,24}[ -]{1,2}){0,3}[^\W\d_]{1,24})[ ]?\Z"  # up to a number
)
_ALONE: Final = r"[^\W\d_][,，、]\s?\Z"  # before a number that is a clause: "what was it? Oh right, 316"
_INSTEAD: Final = r"\d,?\s(?:<<but>>|<<namely>>)\s\Z"  # between two numbers: "not 1111 but 7264"
_YEAR: Final = r"(?:19|20)\d\d"
_CLOSED: Final = r"\s?(?:[.,;!。，]|\Z)|\s<<as>>\s"  # the clause of a number
_YEAR_OR_TIME: Final = rf"{_YEAR}|(?:[01]\d|2[0-3])[0-5]\d"
_STATUS: Final = r"[1-5]0\d|4[12]\d|127|137|255"  # what a program answers with
_STREET: Final = (
    r" [A-Z]\w{1,20}(?: [A-Z]\w{1,20})? (?i:street|st|road|rd|avenue|ave|lane|drive|way|court|boulevard|place)\b"
)
_LONG_AGO: Final = r"(?:1[5-9]|20)\d\d"
_RANGE: Final = r"\d{2,3}\s?[-–]\s?\d{2,3}"
_TURNS: Final = r"\d{1,2}-\d{1,2}-\d{1,2}"  # of a dial
_SURE_DIGITS: Final = 4  # of a number that needs no word before it
_INDENT: Final = 12  # characters before the number of a line
_TWO_WORDS: Final = 44  # characters that two words take
_LINE: Final = 400  # characters of one
_BESIDE: Final = 30  # characters before
_BEHIND: Final = 15  # characters behind
_MOST_CODES: Final = 8  # numbers behind the same words: with more they count things


class Numbers:
    """Numbers that may be codes, with the rule of each; in three lists, for a text may hold many thousands."""

    def __init__(self) -> None:
        self._starts = array("q")
        self._ends = array("q")
        self._rules: list[Rule] = []

    def add(self, start: int, end: int, rule: Rule) -> None:
        """Add a number behind the others."""
        self._starts.append(start)
        self._ends.append(end)
        self._rules.append(rule)

    def __iter__(self) -> Iterator[Noun]:
        return zip(self._starts, self._ends, self._rules, strict=True)


class _Listed:
    """What the numbers behind the same words have in common."""

    def __init__(self) -> None:
        self._count = 0
        self._things = self._rising = True
        self._last = -1

    def add(self, code: str, rule: Rule) -> None:
        """Add the next number."""
        self._count += 1
        self._things = self._things and rule.check == "thing"
        value = int(code) if self._rising and code.isdecimal() else -1
        self._rising = value > self._last
        self._last = value

    def is_list(self) -> bool:
        """True if they name things: they are many, and in order if the words are for secrets."""
        return self._count > _MOST_CODES and (self._things or self._rising)


def unlisted(text: str, numbers: Numbers) -> Iterator[Noun]:
    """Yield numbers but for those of a list of things: "Locker 1000: free", "Pin 100: ground" and so on."""
    leads: defaultdict[tuple[str, ...], _Listed] = defaultdict(_Listed)
    for start, end, rule in numbers:
        leads[lead_of(text, start)].add(text[start:end], rule)
    lists = {words for words, found in leads.items() if found.is_list()}
    for number in numbers:
        if (not lists or lead_of(text, number[0]) not in lists) and not _is_of_line(text, *number[:2]):
            yield number


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


def lead_of(text: str, start: int) -> tuple[str, ...]:
    """Return the last words before a number in its line."""
    line = text[max(0, start - 32) : start].casefold().rpartition("\n")[2]
    return tuple(compiled(r"[^\W\d_]{1,24}|[:=]").findall(line)[-2:])


def is_code(sentence: Sentence, match: re.Match[str], rule: Rule, nouns: list[int]) -> bool:
    """True if a number is no amount, date or ordinal: nothing is counted by it."""
    text, words = sentence.text, load().words
    letters = sum(map(str.isalpha, match.group()))
    digits = sum(map(str.isdigit, match.group()))
    groups = len(compiled(r"\d+").findall(match.group()))
    exact = rule.check in {"code", "thing"}
    if (
        not 3 <= digits + letters <= 24
        or compiled(r"(?:19|20)\d\d-[01]\d-[0-3]\d").fullmatch(match.group())
        or (rule.check == "thing" and compiled(_STATUS).fullmatch(match.group()) and _only_codes(text, nouns))
        or compiled(_STREET).match(text, match.end())
        or is_elsewhere(text, *match.span())
        or (not exact and (letters or (digits == 3 and groups == 1)))
    ):
        return False
    lead, earlier = _words_before(text, match.start())
    changed = sentence.is_changed and (lead in _ONTO or compiled("<<onto>>").fullmatch(lead) is not None)
    behind = rule.check == "code" and any(text[end : match.start()] in {" ", ": "} for end in nouns)
    led = behind or (changed and rule.check == "code") or _is_led(text, match, nouns)
    if (letters > 1 or digits < 3) and not led:
        return False
    if not led and compiled(_YEAR).fullmatch(match.group()) and not compiled(_CLOSED).match(text, match.end()):
        return False
    after = compiled(r"[ ]?([^\W\d_]{1,20})").match(text, match.end())
    when = compiled(_YEAR_OR_TIME).fullmatch(match.group())
    if after:
        word = after.group(1).casefold()
        # "the PIN of the card 7382 note it"
        after_noun = rule.check == "code" and any(end <= match.start() for end in nouns)
        meant = after_noun and digits > 3 and (when is None or behind)
        sure = (led or meant) and (digits > 3 or groups > 2 or behind) and not match.group().endswith("00")
        if content.is_wide(word[0]):
            if word[0] in words["counters"]:
                return False
        elif word in words["counters"] or not (
            sure
            or content.is_joining(content.bare(word))
            or word in words["unlocks"]
            or compiled("<<done>>|<<but>>|<<as>>").fullmatch(word)
            or (
                _is_long(match.group())
                and word[-1] != "s"
                and any(after.start(1) < end <= after.end() for end in nouns)
            )
        ):
            return False
    if compiled(r"\d,? \Z").search(text, 0, match.start()) and when:
        return False
    plain = match.group().isalnum() and groups == 1
    typed = earlier in words["unlocks"] and lead in _INTO  # "punch in 0417"
    timed = when and lead in words["dated"] and not typed and not (led and rule.check == "code")
    if plain and not changed and (lead in words["named"] or timed):
        return False
    round_amount = digits < 5 and match.group().endswith("00") and lead not in words["unlocks"]
    counts = plain and ((digits == 3 and lead in words["number"]) or round_amount)
    return rule.check != "thing" or (digits < _PHONE and not counts and (led or _is_likely(sentence, match, nouns)))


def alike(text: str, found: list[Noun]) -> Iterator[Noun]:
    """Yield the other numbers of a sentence that have as many digits as a code in it: "7340 for me, 7341 for you"."""
    codes = {end - start: rule for start, end, rule in found if text[start:end].isdecimal() and end - start > 2}
    for match in compiled(r"(?<![\w.,:/€$£+-])\d{3,8}(?![\w%€$£-]|[.,:/]\d)").finditer(text) if codes else ():
        rule = codes.get(len(match.group()))
        after = compiled(r"[ ]?([^\W\d_]{1,20})").match(text, match.end())
        counted = after and after.group(1).casefold() in load().words["counters"]
        if rule and (*match.span(), rule) not in found and not counted and not _is_date(text, match):
            yield *match.span(), rule


def _is_date(text: str, match: re.Match[str]) -> bool:
    """True if a number is a year, or a time behind a word for one: "at 0630"."""
    before = compiled(r"([^\W\d_]{1,20})\s\Z").search(text, max(0, match.start() - 24), match.start())
    timed = before and before.group(1).casefold() in load().words["dated"]
    return bool(compiled(_YEAR_OR_TIME if timed else _YEAR).fullmatch(match.group()))


def is_elsewhere(text: str, start: int, end: int) -> bool:
    """True if a word beside a place says that a code is no secret: postal, error, voucher."""
    words = compiled(r"[^\W\d_]{1,40}").finditer(text, max(0, start - _BESIDE - 40), end + _BEHIND + 40)
    beside = {word.group().casefold() for word in words if start - _BESIDE <= word.start() < end + _BEHIND}
    return not load().words["elsewhere"].isdisjoint(beside)


def _only_codes(text: str, nouns: list[int]) -> bool:
    """True if a sentence speaks of codes and of nothing that is locked."""
    return all(
        compiled(r"(?i)(?:c[oó]d|kod|код|sms|смс|text)[\w ]{0,5}\Z").search(text, max(0, end - 12), end)
        for end in nouns
    )


def _words_before(text: str, place: int) -> tuple[str, str]:
    """Return the word before a place, and the one before it."""
    words = text[max(0, place - _TWO_WORDS) : place].removesuffix(" ").removesuffix(".").casefold().split()
    last = compiled(r"[^\W\d_]{1,20}\Z").search(words[-1]) if words else None
    return (last.group(), words[-2] if len(words) > 1 else "") if last else ("", "")


def _is_long(number: str) -> bool:
    """True if a number has the length of a code, and is no year and no range."""
    if sum(map(str.isdigit, number)) < _SURE_DIGITS or compiled(_LONG_AGO).fullmatch(number):
        return False
    return compiled(_RANGE).fullmatch(number) is None


def _is_likely(sentence: Sentence, match: re.Match[str], nouns: list[int]) -> bool:
    """True if a number that nothing leads to may be a code: a sentence speaks of codes, or begins with the thing.

    "Bike lock 4471." says a code, "I wait for lock 4471" a name.
    """
    text, place = sentence.text, match.start()
    if compiled(_TURNS).fullmatch(match.group()) and any(0 < place - end <= _BESIDE for end in nouns):
        return _words_before(text, place)[0] not in load().words["dated"]
    if not _is_long(match.group()) or content.is_wide(text[place - 1 : place]):
        return False
    if any(text[end:place] == " " for end in nouns):
        clause = compiled(_CLAUSE).search(text, max(0, place - 80), place)
        lead = clause[1].casefold().split() if clause else []
        words = load().words
        return bool(lead) and words["dated"].isdisjoint(lead) and words["named"].isdisjoint(lead)
    return sentence.has_code


def _is_led(text: str, match: re.Match[str], nouns: list[int]) -> bool:
    """True if a sentence says that a thing opens with a number, or the number is right behind the thing."""
    old = compiled(_LONG_AGO).fullmatch(match.group()) is not None
    before = text[max(0, match.start() - 80) : match.start()]
    if (
        not {"*", "#"}.isdisjoint(match.group())
        or compiled(_OPENED).search(before)
        or compiled(_OPENING).match(text, match.end())
        or (not old and compiled(_INSTEAD).search(before))
        or (not old and compiled(_ALONE).search(before) and compiled(_CLOSED).match(text, match.end()))
    ):
        return True
    words = load().words
    after = compiled(r"\s?([^\W\d_]{2,20})").match(text, match.end())
    verb = after.group(1).casefold() if after else ""
    closes = after and verb in words["has"] and compiled(_CLOSED).match(text, after.end())
    if closes or verb in words["unlocks"] or compiled("<<done>>").fullmatch(verb):
        return True
    said = list(compiled(r"[^\W\d_]+(?:['’][^\W\d_]+)?").finditer(before.casefold()))[-5:]
    begin = match.start() - len(before)
    for found in reversed(said):
        word = found.group()
        if word in words["unlocks"] or (word in words["code"] and not old):
            return True
        if any(begin + found.start() < end <= begin + found.end() for end in nouns):
            continue
        if word in words["leads"]:
            return word not in words["has"] or compiled(_CLOSED).match(text, match.end()) is not None
        if not content.is_joining(content.bare(word)) and word not in filler() | words["code"]:
            return False
    return False
