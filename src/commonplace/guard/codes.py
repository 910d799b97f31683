"""Decide which number near a noun for a secret is a code: no amount, no date, no name of a thing.

Owns what comes before and behind such a number; what else a sentence may hold is `said`.
"""

from __future__ import annotations

import re
from array import array
from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from commonplace.guard import values
from commonplace.guard.sentences import Sentence
from commonplace.guard.table import Rule, compiled, load
from commonplace.guard.values import filler
from commonplace.text import content

Noun = tuple[int, int, Rule]  # in a sentence

_PHONE: Final = 7  # digits of what nothing opens with
_OPENED: Final = (
    r"(?:[?？]|は|が|用|按|输入?|는|은|是|为|成|密码"
    r"|(?:号码|番号|コード|密码)[、，]|号码|番号|コード|\(|:|：|[^=!<>]=|→)\s?\Z"
)
_TO_A_NOUN: Final = r"(?:\s[^\W\d_]{1,6})?[,.]?\s(?:<<that>>\s(?:<<is>>\s)?|<<is>>\s)"
_OPENING: Final = r"\s?(?:で|を(?:入力|押)|に設定|打开|解锁|解除|再按|开|就开|로|으로)"
_OF: Final = (  # from a thing to its number: "the code of my card, "
    r"\w{0,6}(?: [A-Z]\w{1,12})?(?P<sign>(?: <<of>>(?: [^\W\d_]{1,16}){1,3})?,|['’]s|)[ ]{0,2}\Z"
)
_YEAR: Final = r"(?:19|20)\d\d"
_CLOSED: Final = r"\s?(?:[.,;!。，]|\Z)|\s<<as>>\s"  # the clause of a number
_YEAR_OR_TIME: Final = rf"{_YEAR}|(?:[01]\d|2[0-3])[0-5]\d"
_SENT: Final = r"\d{3} \d{3}"  # as a bank writes a code that works once
_STATUS: Final = r"[1-5]0\d|4[12]\d|127|137|255"  # what a program answers with
_STREET: Final = (
    r" [A-Z]\w{1,20}(?: [A-Z]\w{1,20})? (?i:street|st|road|rd|avenue|ave|lane|drive|way|court|boulevard|place)\b"
)
_CLAUSE: Final = (
    r"(?:\A|[.,;:!?(\n–—。，])[ *-]{0,4}((?:[^\W\d_’']{1,24}[ -]{1,2}){0,3}[^\W\d_]{1,24})[ ]?\Z"  # up to a number
)
_CODE_OF: Final = r"(?i)(?<!\w)<<code>>(?:\s[^\W\d_]{1,16}){1,4}\s\Z"
_INSTEAD: Final = r",?\s(?:<<but>>|<<namely>>)\s(?:<<now>>\s)?"  # between two numbers: "not 1111 but 7264"
_NAMELY: Final = r"(?i)[,–—]\s<<namely>>,?\s(?:<<whose>>\s)?\Z"
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
        leads[_lead(text, start)].add(text[start:end], rule)
    lists = {lead for lead, found in leads.items() if found.is_list()}
    yield from (number for number in numbers if not lists or _lead(text, number[0]) not in lists)


def _lead(text: str, start: int) -> tuple[str, ...]:
    """Return the last words before a number in its line."""
    line = text[max(0, start - 32) : start].casefold().rpartition("\n")[2]
    return tuple(compiled(r"[^\W\d_]{1,24}|[:=]").findall(line)[-2:])


def is_code(sentence: Sentence, match: re.Match[str], rule: Rule, nouns: list[int]) -> bool:
    """True if a number is no amount, date or ordinal: nothing is counted by it."""
    text, words = sentence.text, load().words
    digits = sum(char.isdigit() for char in match.group())
    groups = len(compiled(r"\d+").findall(match.group()))
    exact = rule.check in {"code", "thing"}
    if (
        not 3 <= digits <= 24
        or compiled(r"(?:19|20)\d\d-[01]\d-[0-3]\d").fullmatch(match.group())
        or (rule.check == "thing" and compiled(_STATUS).fullmatch(match.group()) and _only_codes(text, nouns))
        or compiled(_STREET).match(text, match.end())
        or is_elsewhere(text, *match.span())
        or (not exact and (any(map(str.isalpha, match.group())) or (digits == 3 and groups == 1)))
    ):
        return False
    led = _is_led(text, match, nouns, rule)
    if not led and compiled(_YEAR).fullmatch(match.group()) and not compiled(_CLOSED).match(text, match.end()):
        return False
    after = compiled(r"[ ]?([^\W\d_]{1,20})").match(text, match.end())
    when = compiled(_YEAR_OR_TIME).fullmatch(match.group())
    if after:
        word = after.group(1).casefold()
        behind = rule.check == "code" and any(text[end : match.start()] in {" ", ": "} for end in nouns)
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
            or compiled("<<done>>|<<but>>").fullmatch(word)
        ):
            return False
    before = compiled(r"([^\W\d_]{1,20})[.]?[ ]?\Z").search(text, max(0, match.start() - 24), match.start())
    lead = before.group(1).casefold() if before else ""
    if compiled(r"\d,? \Z").search(text, 0, match.start()) and when:
        return False
    plain = match.group().isalnum() and groups == 1
    changed = compiled(r"<<onto>>").fullmatch(lead) and sentence.is_changed
    timed = when and lead in words["dated"] and not (led and rule.check == "code")
    if plain and not changed and (lead in words["named"] or timed):
        return False
    round_amount = digits < 5 and match.group().endswith("00") and lead not in words["unlocks"]
    counts = plain and ((digits == 3 and lead in words["number"]) or round_amount)
    return rule.check != "thing" or (digits < _PHONE and led and not counts)


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
    beside = compiled(r"[^\W\d_]{1,40}").findall(text[max(0, start - _BESIDE) : end + _BEHIND].casefold())
    return not load().words["elsewhere"].isdisjoint(beside)


def _only_codes(text: str, nouns: list[int]) -> bool:
    """True if a sentence speaks of codes and of nothing that is locked."""
    return all(
        compiled(r"(?i)(?:c[oó]d|kod|код|sms|смс|text)[\w ]{0,5}\Z").search(text, max(0, end - 12), end)
        for end in nouns
    )


def _is_behind_code(words: list[str]) -> bool:
    """True if words end with one for a code, and with no others than those that describe or join."""
    for word in reversed(words):
        if word in load().words["code"]:
            return True
        if not values.is_said_of(word) and word not in load().words["leads"]:
            return False
    return False


def _is_led(text: str, match: re.Match[str], nouns: list[int], rule: Rule) -> bool:
    """True if a sentence says that a thing opens with a number, or the number is right behind the thing."""
    before = text[max(0, match.start() - 80) : match.start()]
    if (
        not {"*", "#"}.isdisjoint(match.group())
        or compiled(r"\d(?:-\d){3,7}").fullmatch(match.group())
        or compiled(_OPENED).search(before)
        or compiled(_OPENING).match(text, match.end())
        or (compiled(_SENT).fullmatch(match.group()) and _only_codes(text, nouns))
    ):
        return True
    if compiled(_TO_A_NOUN).match(text, match.end()) and any(end > match.end() for end in nouns):
        return True
    closing = compiled(r"[^\W\d_],\s\Z").search(before) and compiled(r"\s?(?:[.!]|\Z)").match(text, match.end())
    if closing and any(end <= match.start() for end in nouns) and not compiled(_YEAR).fullmatch(match.group()):
        return True  # "The key box is left of the door, 3907."
    instead = compiled(rf"\d{_INSTEAD}\Z").search(before) or compiled(rf"{_INSTEAD}\d").match(text, match.end())
    if instead and not compiled(_YEAR).fullmatch(match.group()):
        return True
    if compiled(_NAMELY).search(before) and compiled(_CLOSED).match(text, match.end()):
        return True
    words = load().words
    ends = compiled(r"\s{0,2}(?:[.,;!()\n。，！]|[–—-]\s|\Z|<<done>>(?!\w))").match(text, match.end())
    if ends and len(match.group()) > 3 and compiled(_CODE_OF).search(before):
        return True  # "The code of the answering machine 4004."
    behind = [compiled(_OF).match(text, end, match.start()) for end in nouns if end <= match.start()]
    if any(found and (found["sign"] or rule.check == "code") for found in behind):
        return True
    # "Bike lock 4471." and "the code 4471" say a code, "Slot 4471 is free" and "I wait for lock 4471" a name.
    if any(behind) and (clause := compiled(_CLAUSE).search(before)):
        lead = clause.group(1).casefold().split()
        if not words["unlocks"].isdisjoint(lead) or (
            ends and len(match.group()) > 3 and words["dated"].isdisjoint(lead) and words["named"].isdisjoint(lead)
        ):
            return True
    said = list(compiled(r"[^\W\d_]+(?:['’][^\W\d_]+)?").finditer(before.casefold()))[-5:]
    last = [found.group() for found in said]
    if any(behind) and last and last[-1] in words["code"] and content.is_joining(content.bare(last[-2:][0])):
        return True
    if len(nouns) > 1 and _is_behind_code(last):
        return True  # "the medicine cabinet: the code has changed to 3719"
    after = compiled(r"\s?([^\W\d_]{2,20})").match(text, match.end())
    verb = after.group(1).casefold() if after else ""
    if (
        verb in words["unlocks"]
        or compiled("<<done>>").fullmatch(verb)
        or (verb in words["has"] and compiled(_CLOSED).match(text, after.end() if after else match.end()))
    ):
        return True
    begin = match.start() - len(before)
    for found in reversed(said):
        word = found.group()
        if any(begin + found.start() < end <= begin + found.end() for end in nouns):
            continue
        if word in words["leads"] or word in words["unlocks"]:
            return word not in words["has"] or bool(ends)
        if not content.is_joining(content.bare(word)) and word not in filler() | words["code"]:
            return False
    return False
