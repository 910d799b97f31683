"""Find secrets in what machines print: fields of data and settings, XML, and columns of tables.

Owns what the value of a name is. The names are data in `rules/printed.toml`. From a name it looks at a bounded
stretch, so the work is linear.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator
from typing import Final

from commonplace.guard import several, tables, values
from commonplace.guard.table import Rule, compiled, load

Span = tuple[int, int]

_PAIR: Final = (
    r"[A-Za-z0-9_-]{0,14}[\"'`\]]{0,2}[ \t]{0,4}(?:=>|:=|[:=]|value=)(?:\s{0,4}|[ \t]{0,32})(?:\[\s{0,4})?"
    r"(?:\"([^\"\\\s]{512}|(?:[^\"\\\n]|\\.){1,512}(?=\"))|'([^'\\\s]{512}|(?:[^'\\\n]|\\.){1,512}(?='))"
    r"|([^\s\"'`,;&{}<>\[\]()，。、]{1,512}))"
)
_PLAIN: Final = 3  # the group of `_PAIR` without quotes
_ELEMENT: Final = (
    r"(?:[\w-]{0,14}|\s[^<>]{0,160})>\s{0,8}(?:</key>\s{0,8}<string>)?(?:<!\[CDATA\[)?"
    r"([^<>\[\]\s]{512}|[^<>\[\]\n]{3,512}?(?=(?:\]\]>)?\s{0,8}</))"
    r"|[\w-]{0,14}</key>\s{0,8}<string>([^<>\s]{512}|[^<>\n]{3,512}(?=</))"
)
_ENTRY: Final = (  # of a file of settings, named in an attribute; no text of a page
    r"(?i)<(?:\w{1,20}:)?(?:setting|prop(?:erty)?|param(?:eter)?|entry|item|var(?:iable)?|env|secret|credential|config|key|arg)"
    r"\s(?:[^<>]{0,80}\s)?(?:name|key|id)\s?=\s?[\"'][\w./:-]{0,60}\Z"
)
_HELD: Final = r"[\w-]{0,14}[\"'](?:\s[^<>]{0,80})?>\s{0,8}(?:<value>)?([^<>\n]{3,512}?)\s{0,8}</"
_CALLED: Final = (
    r"(?i)(?:\bvariable\s{1,4}\"|\b(?:name|key)[\"']?\s{0,4}[:=]\s{0,4}[\"']?|[{,]\s{0,40}\")[\w./-]{0,60}\Z"
)
_APART: Final = (  # the value of an object that names its secret in another field
    r"(?i)(?:[_-]?key)?(?:[_-]?\d{1,2})?(?:[\"']?\s{0,40}|\"\s{0,4}:\s{0,4}\{\s{0,40})"
    r"(?:,?\s{0,24}\"(?:type|sensitive|enabled)\"\s?:\s?[\w\"-]{1,20}){0,2},?\s{0,40}"
    r"(?:[\"']|\b)(?:value|secretstring)[\"']?\s{0,4}:\s{0,4}"
    r"(?:\"([^\"\\\s]{512}|(?:[^\"\\\s]|\\.){3,512}(?=\"))|'([^'\\\s]{3,512})'|([^\s\"'`,;{}<>\[\]()]{3,512})(?=\s|\Z))"
    r"|\"\s{0,4}\{[^{}]{0,400}?\n\s{0,40}default\s{0,20}=\s{0,4}\"([^\"\\\n]{3,512})\""
)
_GIVEN: Final = (
    r"(?i)\b\w{0,40}(?:define|set|put|add|store|values)\w{0,30}\s?\(\s{0,8}[\"'][\w./:-]{0,60}\Z"  # by a call of code
)
_ARGUMENT: Final = r"[\w-]{0,14}[\"']\s{0,4},\s{0,8}[\"']([^\"'\\\n]{3,512})[\"']"
_DIRECTIVE: Final = (  # which sets what the next word names
    r"(?:\n|\A|[+:-])[ \t]{0,8}(?:ENV|ARG|[sS]et[eE]nv|setx(?:[ \t]{1,4}/[mM])?|set\s-\w{1,3}|fastcgi_param|uwsgi_param"
    r"|passenger_env_var)[ \t]{1,4}[A-Z0-9_]{0,40}\Z"
)
_DIRECTED: Final = r"[A-Z0-9_]{0,14}[ \t]{1,4}[\"']?([^\s\"'=;]{3,512})[\"']?;?[ \t]{0,4}(?=\r?\n|\Z)"
_VALUE_ELEMENT: Final = (  # beside an element that has the name
    r"[\w.-]{0,14}</(?:name|key|param-name)>\s{0,40}<(?:value|param-value)>\s{0,8}([^<>\n]{3,512}?)\s{0,8}</"
)
_OPTION: Final = (  # of a command: `-e "db_password=…"`
    r"(?:\A|\s)-{1,2}(?:D|P|set(?:-string)?[ =](?:[\w.,=-]{0,80},)?|[a-z][\w-]{0,20}[ =][\"'])[\w.-]{0,40}\Z"
)
_HOLDS: Final = (
    r"[\w-]{0,14}\s(?:[^<>]{0,160}?\s)?value\s?=\s?[\"']([^\"'<>\n]{3,512})[\"']"  # an element, as an attribute
)
_METHOD: Final = r"(?i)(?:\.|(?<!re)(?<!off)set|with|use|type|enter|fill)_?\Z"  # which takes a value alone
_TAKEN: Final = r"\w{0,14}\(\s{0,8}[\"']([^\"'\\\n]{3,512})[\"']\s{0,8},?\s{0,8}\)"
_LOGGED: Final = r"(?:\A|[\s\"'])[\w.-]{1,40}=[^\s,]{1,80}[ \t]{1,4}[\w.-]{0,40}\Z"  # a line of `name=value`
_RECORD: Final = (
    r"\w{0,40}[{\[]\s{0,4}(?:[\w.-]{1,24}=[^\s,(){}\[\]]{0,38},\s{1,4}){0,8}[\w.-]{0,40}\Z"  # `Login{user=…, `
)
_RECORD_ON: Final = r"\s{0,4}(?:,\s{1,4}[\w.-]{1,24}=[^\s,(){}\[\]]{0,38}){0,8}\s{0,4}[}\]]"
_LOGGED_ON: Final = r"[ \t]{1,4}[\w.-]{1,40}=[^\s=]"
_SETTING: Final = r"(?:^|[\n?&;])[ \t]{0,40}(?:\w[\w.-]{0,40})?\Z|[{,]\s{0,8}[\"'][\w.-]{0,40}\Z"
_MARGIN: Final = (  # what tools print before a line: a file and a number, a container, a commit, signs
    r"(?:(?:\w:)?[\w./\\@-]{1,120}:|[\w./\\-]{1,120}?(?:-\d{1,6}-|\s{0,20}(?=[|│]))|[^\n(]{0,60}\([^()\n]{8,80}\))?"
    r"[\s\d+<>|│┃→:/*@~#!-]{0,40}+[\w.-]{0,40}"
)
_EXPORTED: Final = r"(?<![\w$%{(\[.,=])[A-Z][A-Z0-9_]{0,40}\Z"  # in a sentence: "set DB_PASSWORD=… before"
_QUERY: Final = r"[?&][\w.-]{0,40}\Z"  # of a URL, which a sentence may go on behind
_WORTHLESS: Final = (
    r"(?i)(?:\[[a-z]|\*{2}|•|x{3}|\.{3}|-{2}|_{2}|\$|%[({A-Z_]|\{\{|<|your|change_?me|example|placeholder|redacted|dummy|todo|tbd|insert|replace|⟦"
    r"|masked|hidden|secrets\.|(?:none|null|undefined|true|false|nil|n/?a|yes|no|string|str|int|integer|bool|boolean|pass|pwd|user|username|hunter|text|number|object|array"
    r"|required|optional|unknown|empty|file|path|password|passwort|passwd|secret|token|key|value|bearer|basic|header|cookie|query|body|env|vault)\Z"
    r"|https?://|[\w.]{1,40}\(|[a-z_.-]{0,40}passwor[dt][a-z_.-]{0,20}\Z)"
)
_TYPES: Final = r"(?i)(?:var)?char\b|text\b|bytes(?:\Z|\b)|optional\[|str(?:ing)?\b|integer\b|\w{1,40}\.\w{1,40}\("
_HEAD_OF_KEY: Final = 128  # characters that show if a machine made a value
_PLACES: Final = (
    (_GIVEN, _ARGUMENT),
    (_METHOD, _TAKEN),
    (_DIRECTIVE, _DIRECTED),
    (r"<(?:\w{1,20}:)?\Z", _HOLDS),
    (r"<(?:name|key|param-name)>[\w./:-]{0,80}\Z", _VALUE_ELEMENT),
)
_SHORT: Final = 8  # characters of a value that a machine made, where a constant names it
_IN_QUERY: Final = 12  # characters of one in a URL
_LONG_NOUN: Final = 6  # characters of a word for a secret that no other word holds
_BACK: Final = 48  # characters before a name that say what it is
_TAG: Final = 240  # characters of a tag of a form on each side of a name
_AHEAD: Final = 640  # characters behind it that its value may take
_STRING: Final = (  # behind a name, one with a quote where none ends it
    r"[\w-]{0,14}[\"'`\]]{0,2}\s{0,4}(?:=>|:=|[:=,])\s{0,8}"
    r"(?:\"(?![]},])[^\"\n]{0,512}\"|'(?![]},])[^'\n]{0,512}')(?!\s{0,8}(?:[]:;)>}]|,[\s\"'{[]|,?\Z)|\s{0,4}\n)"
)
_QUOTE: Final = r"\"|(?<!\w)'|'(?!\w)"
_NO_QUOTE: Final = "”"
_EDGES: Final = 2  # quotes behind a name that are none of its value's: the one of the name, and the value's first
_QUOTES: Final = 32  # that are looked at behind a name
_MOST_KNOWN: Final = 64  # places whose values are kept in mind


class Printed:
    """A text in which names of secrets are looked up, in order; the rows of a table are read once."""

    def __init__(self, text: str, escapes: Callable[[int], int] | None = None) -> None:
        """Read a text; of a decoded one `escapes` returns how often the character at a place was escaped."""
        self._text = text
        self._escapes = escapes
        self._tables = tables.Tables(text)
        self._known: dict[tuple[str, int, str], Span | None] = {}
        self._read: dict[str, int] = {}  # how far groups under one name were read, for each check

    def values(self, start: int, keyword: str, rule: Rule) -> Iterator[Span]:
        """Yield the values that the name at `start` has in data, settings, XML or a table."""
        end = start + len(keyword)
        about = compiled(values.ABOUT_IT).match(self._text, end)
        if about and not compiled(r"\s[\w:]{1,40}=").match(self._text, end):  # but for an attribute: `<Password Type="`
            return
        held = list(self._held(start, end, rule))
        if span := self._value(start, end, rule):
            yield span
        yield from held
        if span or held:
            return
        for first, last in self._tables.cells(start, end):
            if _is_secret(self._text[first:last], rule, plain=False):
                yield first, last

    def _held(self, start: int, end: int, rule: Rule) -> Iterator[Span]:
        """Yield the values of a list, a map or a block under a name; what one holds is not read again."""
        if rule.check == "code" or start < self._read.get(rule.check, 0):
            return
        words, stop = several.find(self._text, start, end)
        if stop > end:
            self._read[rule.check] = stop
        if words and not (rule.check == "chosen" and several.is_schema(self._text, end, stop)):
            for first, last, quoted in words:
                if _is_held(self._text[first:last], rule, plain=not quoted):
                    yield first, last

    def _value(self, start: int, end: int, rule: Rule) -> Span | None:
        """Return the value behind a name; where a text repeats itself, it is looked for once."""
        begin = max(0, start - _TAG)
        first, last = start - begin, end - begin
        text = self._text[begin:end] + self._behind(end)
        around = text, first, rule.check
        if around not in self._known:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[around] = (
                paired(text, first, last, rule)
                or _element(text, first, last, rule)
                or _apart(text, first, last, rule)
                or _given(text, first, last, rule)
            )
        known = self._known[around]
        return (begin + known[0], begin + known[1]) if known else None

    def _behind(self, end: int) -> str:
        """Return what is behind a name; in a string there, a quote that is escaped more than its first is none."""
        text = self._text[end : end + _AHEAD]
        if not self._escapes or not compiled(_STRING).match(text):
            return text
        parts: list[str] = []
        done = edges = depth = 0
        for match in itertools.islice(compiled(_QUOTE).finditer(text), _QUOTES):
            escapes = self._escapes(end + match.start())
            depth = depth if edges else escapes
            edges += escapes <= depth
            if edges > _EDGES:
                break
            if escapes > depth:
                parts += (text[done : match.start()], _NO_QUOTE)
                done = match.end()
        return "".join([*parts, text[done:]])


def is_worthless(value: str) -> bool:
    """True if a value is a placeholder, a variable or a type."""
    return bool(compiled(_WORTHLESS).match(value))


def is_label(value: str) -> bool:
    """True if a value is the name of a secret in some language, or says something of one: words on a form."""
    folded = value.casefold()
    if folded in values.described():
        return True
    words = compiled(r"[^\W\d_]{1,40}").findall(folded)
    if not compiled(r"\d").search(value) and any(
        noun in folded if len(noun) >= _LONG_NOUN or not noun.isascii() else noun in words for noun in _nouns()
    ):
        return True
    return " " in value and 2 * sum(map(values.is_said_of, words)) >= len(words)


@functools.cache
def _nouns() -> frozenset[str]:
    """Return the words for a password, in every language that is known."""
    return frozenset(
        keyword
        for rule in load().rules
        if rule.check in {"chosen", "password"} and not rule.near and rule.id == "password"
        for keyword in rule.keywords
    )


def paired(text: str, start: int, end: int, rule: Rule) -> Span | None:
    """Return the value that a name has behind a sign, as in data and settings."""
    match = compiled(_PAIR).match(text, end)
    if not match or not match.lastindex:
        return None
    first, last = match.span(match.lastindex)
    plain = match.lastindex == _PLAIN
    value = text[first:last]
    named = plain and text[first - 1] == "=" and compiled(_EXPORTED).search(text, max(0, start - _BACK), start)
    if named and not is_worthless(value) and "..." not in value and (rule.check == "chosen" or values.is_made(value)):
        return first, last
    logged = plain and text[first - 1] == "=" and not text[first - 2].isspace() and _is_logged(text, start, last)
    if plain and rule.check != "made" and not logged and not _is_setting(text, start, first, last):
        return None
    if plain and compiled(r"[\w.]{0,40}[({\[]|[，、]").match(text, last):
        return None  # a call in code
    in_query = plain and compiled(_QUERY).search(text, max(0, start - _BACK), start)
    if in_query and len(value) >= _IN_QUERY and values.is_made(value) and values.is_mixed_case(value):
        return None if is_worthless(value) else (first, last)
    if plain and not in_query and not logged and compiled(r"[ \t]{1,4}[^\s#/]").match(text, last):
        return None  # prose
    return (first, last) if _is_secret(value, rule, plain=plain) else None


def _is_setting(text: str, start: int, first: int, last: int) -> bool:
    """True if the name of a value opens its line, or all but what a tool prints before the line."""
    if compiled(_SETTING).search(text, max(0, start - _BACK), start):
        return True
    begin = text.rfind("\n", max(0, start - _TAG), start) + 1
    return (text[first - 1] == "=" or values.is_made(text[first:last])) and (
        compiled(_MARGIN).fullmatch(text, begin, start) is not None
    )


def _is_logged(text: str, start: int, last: int) -> bool:
    """True if a word is one of several `name=value` of a line, of a command's options, or of a record in brackets."""
    begin = max(0, start - _TAG)
    if compiled(_LOGGED_ON).match(text, last) or compiled(_LOGGED).search(text, begin, start):
        return True
    closes = compiled(_RECORD_ON).match(text, last)
    record = compiled(_RECORD).search(text, begin, start) if closes else None
    if closes and record and "," in record.group() + closes.group():
        return True
    return compiled(_OPTION).search(text, begin, start) is not None


def _apart(text: str, start: int, end: int, rule: Rule) -> Span | None:
    """Return the value of an object whose name, in a field of its own, ends with a word for a secret."""
    match = compiled(_APART).match(text, end)
    if not match or not match.lastindex or not compiled(_CALLED).search(text, max(0, start - 2 * _BACK), start):
        return None
    span = match.span(match.lastindex)
    value = text[slice(*span)]
    if rule.check == "made" and text[start:end].isupper() and len(value) >= _SHORT and values.is_made(value):
        return span
    return span if _is_secret(value, rule, plain=match.lastindex == _PLAIN) else None


def _given(text: str, start: int, end: int, rule: Rule) -> Span | None:
    """Return the value that a call, a directive or an element beside it gives a name."""
    for before, behind in _PLACES:
        match = compiled(behind).match(text, end)
        if match and compiled(before).search(text, max(0, start - _TAG), start):
            return match.span(1) if _is_secret(match[1], rule, plain=False) else None
    return None


def _element(text: str, start: int, end: int, rule: Rule) -> Span | None:
    """Return what is in an element of XML that is called so, or in an entry of settings."""
    if "<" not in text[max(0, start - _TAG) : start]:
        return None
    entry = compiled(_ENTRY).search(text, max(0, start - _TAG), start)
    if not entry and "<" not in text[max(0, start - 30) : start]:
        return None
    match = compiled(_HELD if entry else _ELEMENT).match(text, end)
    if not match or not match.lastindex or (rule.check == "made" and text[end : end + 1].isspace()):
        return None  # `<code class="">` is no code
    span = match.span(match.lastindex)
    return span if _is_secret(text[slice(*span)], rule, plain=False) else None


def _is_secret(value: str, rule: Rule, *, plain: bool) -> bool:
    if rule.check == "made" and not plain and values.is_drawn(value):
        return True
    if is_worthless(value) or compiled(_TYPES).match(value):
        return False
    match rule.check:
        case "drawn":
            return False  # but in a list
        case "code":
            return bool(compiled(r"\d{3,12}\Z").match(value))
        case "made":
            head = value[:_HEAD_OF_KEY]
            return len(value) >= 16 and " " not in value and (values.looks_random(head) or _is_encoded(head))
        case _:
            if plain and (
                compiled(r"[A-Za-z_][\w]{0,60}(?:\.[A-Za-z_]\w{0,60}){1,6}\Z").match(value) or value.isdecimal()
            ):
                return False
            return len(value) >= 3 and not value.endswith(":") and not is_label(value)


def _is_held(value: str, rule: Rule, *, plain: bool) -> bool:
    """True if a word of a group is one of its secrets: it looks made, or is a plain word in quotes."""
    if is_worthless(value) or not values.is_made(value.replace(" ", "")):
        word = " " not in value and value.isalpha() and not values.is_described(value)
        return rule.check == "chosen" and word and not plain and _is_secret(value, rule, plain=plain)
    match rule.check:
        case "made":
            return values.is_key(value) or _is_drawn(value) or _is_secret(value, rule, plain=plain)
        case "drawn":
            return bool(compiled(r"[\w-]{6,40}\Z").match(value))
        case _:
            return not is_label(value)


def _is_drawn(value: str) -> bool:
    """True if a short value mixes both cases and digits more than once."""
    return bool(
        compiled(r"(?=\w{10,64}\Z)(?=.{0,64}[a-z])(?=.{0,64}[A-Z])(?:[A-Za-z]{1,16}\d{1,8}){2}\w{4,64}\Z").match(value)
    )


def _is_encoded(value: str) -> bool:
    """True if a value is Base64 of something: both cases and a digit or padding, no word."""
    return bool(compiled(r"[A-Za-z0-9+/_%.-]{16,4096}={0,2}\Z").match(value)) and (
        any(low.islower() and high.isupper() for low, high in itertools.pairwise(value))
        and any(char.isdigit() or char in "=+/" for char in value)
        and not compiled(r"(?:[a-z]{2,30}[A-Z]?){2,9}\Z|[\w-]{1,40}(?:[./][\w-]{1,40}){1,9}\Z").match(value)
    )
