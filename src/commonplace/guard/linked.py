"""Find the value that a sentence joins to a noun for a secret: behind `is`, `:` or `=`, right behind it, before it.

Owns what words may be between the two, and where the value ends; what a value looks like by itself is `values`.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterator
from typing import Final

from commonplace.guard import values
from commonplace.guard.sentences import Sentence, Span
from commonplace.guard.table import Rule, compiled, load
from commonplace.text import content

_FAR: Final = 90  # characters between a noun and the last link that is looked at
_MOST_LINKS: Final = 3
_MOST_FILLERS: Final = 3  # words between a link and a value
_SHORTEST: Final = 4  # characters of a value that a link leads to
_LONG_NUMBER: Final = 8  # digits of a number that is no code
_MADE_NUMBER: Final = 15  # digits of a number that a machine made
_LONG_NAME: Final = 11  # characters of the name of a thing that a noun for keys calls a token
_CAPITAL: Final = r"[A-ZÀ-ÞĄ-ŻА-Я][^\W\d_]{0,24}(?:(?<=\w)['’-][^\W\d_]{1,24}|(?<=\w\w))"
_NAMES: Final = rf"(?:[^\W\d_]{{2,10}} )?{_CAPITAL}(?:\s(?:[^\W\d_]{{1,3}}\s)?{_CAPITAL}){{0,3}}(?: [^\W\d_]{{2,16}})?"
_SURE: Final = r"[A-Z][a-z]{2,64}[._][A-Z][a-z]{2,64}\Z|(?=.{0,7}\d)(?=.{0,7}[a-fA-F])[0-9a-fA-F]{7,8}\Z"  # a hash
_OF_CODE: Final = (  # a name with underscores
    r"(?:\A|_)(?:pass|pw|token|key|secret|auth|api|db|user|name|id|env|var|value|config|data|code|hash|text|field|input)"
)
_SEVERAL: Final = r"(?:[^\W\d_]{1,24}(?:[’'-][^\W\d_]{0,4})?[ ,]{1,2}){2,23}[^\W\d_]{1,24}"
_THE_WORD: Final = (
    r"(?i)(?:(?:the|das|het|le|la|il|a)\s)?(?:word|wort|woord|mot|palabra|parola|palavra|ordet|słowo|слово)\s"
)
_MARKS: Final = r"\s{0,3}(?:=>|:=|->|={1,2}|[:：→])\s{0,3}|[\"'`]{1,3}\s{0,3}(?:=>|[:=])\s{0,3}"
_ENDS: Final = (
    r"[\"'”»’`*)\]]{0,3}\s{0,2}(?:[.,;!?)\n—–|、。，；！？）]|\Z|-\s|/\s|(?<=\s)\(|<<but>>\s"
    r"|<<and>>\s|(?<=\s)[^\W\d_]{2,12}\s?[:=]|(?:k{3,}|(?:ha|ja|ah|rs|хa|ха){2,}\w?|lol|mdr|xd)\b|[\U0001f300-\U0001faff])"
)
_LINK: Final = (
    rf"(?i){_MARKS}|\s?\?\s{{1,2}}|\s{{1,2}}[—–-]\s{{1,2}}|(?<=[\s,?])(?:c(?:['’]?est)?|<<is>>)\s{{1,4}}"
    r"|['’]s\s{1,2}|(?:成了?|[是为為叫はが는은])\s{0,2}|[,–—-]?\s<<namely>>,?\s|,\s(?=<<now>>\s)"
    r"|,\s(?=(?-i:[a-zà-ÿą-żа-я]{5,40}),\s"  # "my password, osprey, is"
    r"(?!(?:<<and>>|or|of|oder|ou|o|lub|или)\s(?:\S{1,30}\s){0,2}\S{1,30}(?:[.,;!?]|\Z)))"  # but no list
)
_LINK_POLISH: Final = rf"{_LINK}|(?<=\s)to\s{{1,2}}"
_LINK_CHANGED: Final = rf"{_LINK}|(?<=\s)<<onto>>\s{{1,2}}"  # "I changed the password to bluefish"
_BEFORE: Final = (  # up to a noun: "bluefish is the password", "bluefish, that's the password", "bluefish as password"
    r"(?i)(?:\s(?P<as><<as>>)|[,.:]?\s(?:<<it>>|<<that>>\s<<is>>|<<is>>))\s(?:<<whose>>\s)?(?:[^\W\d_]{2,16}\s)?\Z"
)
_COMPOUND: Final = r"-|\s(?!<<done>>)[^\W\d_]{3,24}(?:[.,!?]|\Z)"  # behind the noun: "the password person"
_OTHER: Final = (  # what follows is said of something else: "I changed the password, and now the printer is"
    r"(?i)\s(?:<<and>>|<<but>>)\s(?:\w{1,8}\s){0,2}(?!the\s\w{1,12}\sones?\b)<<whose>>\b"
)
_WITH: Final = (
    r"(?i)\b(?<!⟦\s)(?:<<with>>|<<and>>|<<called>>)\s(?:\w{1,5}\s){0,2}\Z|[,;/]\s\Z|\b<<used>>\sde\s\Z"
    r"|\b(?:default|temporary|temp|initial)\s\Z"
)
_GAP: Final = (  # to a value right behind
    rf"\w{{0,4}}[\"'’)]{{0,2}}[ \u3000]{{1,2}}(?:(?:to|auf|a|en|in|na|para|naar)[ ])?|(?<=[{values.CJK}])"
)
_IDIOM: Final = (  # of success, of a language
    r"(?i)(?<=\bla )clave\s(?:es|era|está|fue|del?\s(?:éxito|asunto|todo|problema|felicidad)\s\w{2,5})\s"
    r"|(?<=palabra )clave\b"
)
_CLOSED: Final = (  # behind a value
    rf"(?:\s(?:<<now>>|<<day>>|<<filler>>|<<done>>|sein)(?=[.,!]|\Z))?(?:{_ENDS})|\s(?:\w{{1,8}}\s){{0,3}}<<spelt>>\b"
    rf"|(?=[{values.CJK}])"
)
_FEW: Final = (
    r"[^\W\d_]{2,24}(?:[ -](?:[^\W\d_]{2,24}|\d{1,4}[a-z]{0,2})){1,5}(?!\w)"
    rf"(?={_ENDS})(?!,\s<<namely>>)"
)


def linked(sentence: Sentence, start: int, end: int, rule: Rule) -> Iterator[Span]:
    """Yield the value of a noun: behind it, or behind a link, to the end of its clause."""
    text = sentence.text
    if rule.check not in {"password", "sign", "phrase", "key", "code"}:
        return
    if rule.check in {"password", "phrase"} and (before := _before(sentence, start, end)):
        yield before
        return
    signs = rule.check == "sign" or compiled(_IDIOM).match(text, start)
    gap = compiled(_GAP).match(text, end)
    with_it = not text[start].isascii() or bool(compiled(_WITH).search(text, max(0, start - 24), start))
    if span := _value(text, gap.end(), rule, plain=with_it and not signs) if gap else None:
        yield span
        return
    pattern = _LINK_POLISH if sentence.is_polish else _LINK_CHANGED if sentence.is_changed else _LINK
    links = compiled(pattern).finditer(text, end, end + _FAR)
    for match in itertools.islice(links, _MOST_LINKS):
        if compiled(r"[.!;:=→]|\b\d+\b").search(text, end, match.start()):
            return
        if compiled(r"(?i)\s<<when>>\s.*\s<<onto>>\s{1,2}\Z").search(text, end, match.end()):
            continue
        name = text[end : match.start()].strip()
        if match[0][0] in "'’" and name and name.split()[-1].casefold() not in {"it", "that"}:
            continue  # a person's
        if (match[0] == ":" and name.isascii() and name.isalpha()) or (
            match[0][0] == "," and not {",", "("}.isdisjoint(name)
        ):
            return  # within a name, such as that of a session, or in a list
        marked = compiled(_MARKS).fullmatch(match[0]) is not None
        plain = marked or not (signs or compiled(_OTHER).search(text, end, match.start()))
        span = _value(text, match.end(), rule, plain=plain)
        described = marked and compiled(r"(?i)\s<<is>>\s").search(
            text, end, match.start()
        )  # "it is personal: rewrite …"
        if not span and plain and rule.check in {"password", "phrase"} and not (rule.near or described):
            span = _several(text, _past_fillers(text, match.end()), marked=marked or rule.check == "phrase")
        if span and not ("?" in match[0] and text[span[1] : span[1] + 1] == "?"):
            yield span
            return


def _before(sentence: Sentence, start: int, end: int) -> Span | None:
    """Return the plain words that a link joins to the noun behind it: their clause, or those before `as`."""
    text = sentence.text
    link = compiled(_BEFORE).search(text, max(0, start - _FAR), start)
    to = link and link.group().split()[:1] == ["to"] and not sentence.is_polish  # "limit access to passwords"
    if not link or to or compiled(_COMPOUND).match(text, end):
        return None
    first = last = link.start()
    for word in reversed([*compiled(r"[^\s.,;:!?()⟦⟧\"]{1,40}").finditer(text, max(0, last - _FAR), last)]):
        if text[word.end() : first].strip() or _is_said(word.group()):
            break
        first = word.start()
    opens = r"(?i)(?<!\w)<<whose>>\s\Z" if link["as"] else r"[^.,;:!?(\s]\s?\Z"
    return (first, last) if first < last and not compiled(opens).search(text[:first]) else None


def _is_said(word: str) -> bool:
    """True if a word is no value: known, a participle, or one for saying and using."""
    said = values.is_known(word) or values.is_done(word) or compiled(values.NO_VALUE).match(word)
    return bool(said) or compiled(r"(?i)<<used>>|<<gives>>|<<done>>|<<is>>").fullmatch(word) is not None


def _value(text: str, start: int, rule: Rule, *, plain: bool) -> Span | None:
    """Return the value at a place; where `plain`, also words that end their clause and describe nothing."""
    if not plain:
        return _word(text, start, rule, plain=False)
    marked = text[start - 2 : start].strip() in {":", "=", "："}
    begin = _past_fillers(text, start)
    if rule.check == "phrase" and (several := compiled(_SEVERAL).match(text, begin)):
        first = _first_of(text, several, named=marked)
        if compiled(_ENDS).match(text, several.end()) and " " in text[first : several.end()]:
            return first, several.end()
    return _word(text, begin, rule, plain=True)


def _word(text: str, start: int, rule: Rule, *, plain: bool) -> Span | None:
    """Return the word at a place that is a value, or the name of a person or thing that answers a question."""
    if rule.near and plain and (names := compiled(_NAMES).match(text, start)):  # "Mrs Hill", "juf Els"
        return names.span() if compiled(_ENDS).match(text, names.end()) else None
    token = compiled(values.TOKEN).match(text, start)
    if not token:
        return _wide(text, start, rule, plain=plain)
    begin, end = values.stripped(text, *token.span())
    value = text[begin:end]
    number = value.isdecimal() and len(value) > (_LONG_NUMBER if rule.check != "key" else _MADE_NUMBER)
    named = number or (rule.check != "key" and compiled(_SURE).match(value))
    if not named and (len(value) < _SHORTEST or value.isdecimal() or values.is_known(value)):
        return None
    # A short token that is not said to be the value is the name of a thing: "token zq3 is in the drawer".
    long = rule.check != "key" or len(value) > (values.LONG if plain else _LONG_NAME)
    if named or (values.is_made(value) and long):
        return begin, end
    if rule.check in {"password", "phrase"} and compiled(values.INNER).fullmatch(text, begin, end):
        return begin, end
    if not plain or rule.check in {"key", "code"} or compiled(values.CODE).search(value):
        return None
    if compiled(r"\w{2,64}[._]\w{2,64}").match(value) and text[start - 2 : start].strip() not in {":", "="}:
        spoken = "_" in value and value.islower() and not compiled(_OF_CODE).search(value)
        return (begin, end) if spoken or not compiled(values.NO_VALUE).match(value) else None
    closed = compiled(_CLOSED).match(text, end)
    described = compiled(values.NO_VALUE).match(value) or (value.isalpha() and values.is_done(value))
    return (begin, end) if closed and not described else None


def _several(text: str, start: int, *, marked: bool) -> Span | None:
    """Return the few words at a place that end their clause and describe nothing; `marked` by a sign before.

    With a number among them they may begin with any word that describes nothing: "gravel pudding 9 swans".
    """
    few = compiled(_FEW).match(text, start)
    if not few:
        return None
    each = few.group().casefold().replace("-", " ").split()
    judged = each if few.group().replace(" ", "").replace("-", "").isalpha() else each[:1]
    said = sum(values.is_described(word) or values.is_done(word) for word in judged)
    joins = any(content.is_joining(content.bare(word)) for word in judged)
    plain = not joins and said <= (len(each) // 4 if marked else 0)
    return few.span() if plain and _counting().isdisjoint(each) else None


@functools.cache
def _counting() -> frozenset[str]:
    words = load().words
    return (words["counters"] | words["dated"] | words["leads"] | words["unlocks"]) - words["of"]


def _wide(text: str, start: int, rule: Rule, *, plain: bool) -> Span | None:
    """Return the value at a place in a script without spaces: with digits behind it, or a phrase."""
    wide = compiled(rf"(?![の的])[{values.CJK}]{{2,10}}(?=[，。、！!,.]|\Z|に|で)").match(text, start)
    said = rule.check == "password" and compiled(r"(?<=[是为為:：=叫成は])\s?[\u3400-\u9fff]+(?:[，。！!,.]|\Z)").match(
        text, start
    )
    if not wide or not plain or not (rule.check == "phrase" or rule.near or said):
        return None
    return None if wide.group().lstrip("はがを是").startswith(_described_wide()) else wide.span()


def _past_fillers(text: str, start: int) -> int:
    """Return the place behind words that may be between a link and a value: "is still just the word …"."""
    for _ in range(_MOST_FILLERS):
        word = compiled(r"([^\s,]{1,24})[\s,]{1,2}").match(text, start)
        if not word or word[1].casefold() not in values.filler():
            break
        start = word.end()
    word = compiled(_THE_WORD).match(text, start)
    return word.end() if word else start


@functools.cache
def _described_wide() -> tuple[str, ...]:
    return tuple(word for word in values.described() if content.is_wide(word[0]))


def _first_of(text: str, several: re.Match[str], *, named: bool) -> int:
    """Return where words begin that may be a secret: "it is long and silly, four donkeys in the snow"."""
    begin = several.start()
    if named and several.group().count(" ") >= 4 and "," not in several.group():
        return begin
    for part in compiled(r"([^\s,]+)(?: ([^\s,]+))?[^,]*(?:, |\Z)").finditer(text, begin, several.end()):
        first = part[1].casefold()
        if "'" in first or (part[2] or "").casefold() in load().words["counters"]:
            continue  # "we've never used it", "four words or six"
        joins = content.is_joining(content.bare(first)) and first not in load().words["digits"]
        said = first in values.described() or compiled(r".{0,40}(?:[^e]ed|ing)\Z").match(first)
        if not joins and (named or not said):
            return part.start()
    return several.end()
