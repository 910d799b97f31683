"""Find secrets that are said rather than pasted: "the password is …", "door code 1234", `API_KEY=…`.

Owns the grammar around a noun for a secret; the nouns of each language are data in
`rules/phrases.toml`. From a noun it looks at a bounded stretch on either side, so the work is linear.
What follows the noun is taken for a secret only if it looks like one: most sentences about passwords
hold none.
"""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

from commonplace.guard.table import Rule, compiled, load

Span = tuple[int, int]

_REACH: Final = 90  # characters behind a noun in which its sign may stand
_BEFORE: Final = 70  # characters in front of a noun, for "… is my password"
_VALUES: Final = 2  # long values that are looked at for one noun
_SHORTEST: Final = 4  # characters of a password
_SENTENCE_END: Final = r"[\n。]|[.!](?=\s)|\?(?=\s(?!\s?\d))"
# What follows the noun in a name for something about a secret: `password_hash`, "password reset".
ABOUT_IT: Final = (
    r"(?i)[ _-]?(?:hash|digest|field|reset|policy|length|manager|hint|file|path|url|uri|salt|column|input|store|prompt"
    r"|min|max|count|type|id|name|arn|limit|usage|budget|s?[_ ]used)(?![a-z])"
)
_CHANGE_SIGN: Final = r"\b(?:to|auf|a|en|in|na)\b\s{1,2}"
_SIGN: Final = (
    r"""(?i)["'`*_)\]]{0,3}\s{0,3}(?:=>|:=|->|={1,2}|[:：→—–?])\s{0,3}"""
    r"|(?:\b(?:is|was|are|equals|es|ist|lautet|war|est|était|è|é|era|jest|är|er|on|je|este|là|adalah|ialah|это)\b|['’]s\b)"
    r"\s{0,2}[:=]?\s{0,3}"
    r"|[是为為はが는은]\s{0,3}[:：]?\s{0,3}"
    r"|\b(?:هي|هو|היא|הוא|είναι|ήταν)\s{1,3}"
    rf"|{_CHANGE_SIGN}"
)
_MARK: Final = r"\s{0,3}(?:=>|:=|->|={1,2}|[:：→])\s{0,3}|[\"'`]{1,3}\s{0,3}(?:=>|[:=])\s{0,3}"
_PLAIN_SIGN: Final = r"(?i)(?:\bis\b|\bwas\b|[:=→>]|['’]s)\s{0,3}"
_GAP: Final = r"""["'`*_]{0,2}[\w\s,.'’()@*&?#+-]{0,90}\Z"""  # between a noun and its sign: no other value
_CHANGE: Final = r"(?i)\b(?:set|chang|updat|reset|switch|rotat|geänder|gesetzt|cambi|ändern)"
_FIRST_GAP: Final = r"\w{0,4}[ \t]{1,3}"  # an ending of the noun ("salasanani"), and space
_NEXT_GAP: Final = r"\S{1,24}[ \t]{1,3}"
_SAID_SIGN: Final = (
    r"(?<=\s)(?:is|was|as|for|est|es|ist|è|é)\s(?:my|the|our|his|her|their|a|mi|la|mein|das|mon|le|minha)\s"
)
_VALUE: Final = (
    r"""[*_]{0,2}(?:"([^"\n⟦]{3,128})"|'([^'\n⟦]{3,128})'|`([^`\n⟦]{3,128})`|“([^”\n⟦]{3,128})”"""
    r"""|«\s?([^»\n⟦]{3,128}?)\s?»|「([^」\n⟦]{3,128})」"""
    r"""|([^\s"'`“”«»「」,;<>⟦⟧，。；、！？）（\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]{3,128}))"""
)
_UNQUOTED: Final = 7  # the group of `_VALUE` without quotes
_RANDOM: Final = r"[\"'`“]{0,2}([A-Za-z0-9+/_.~!@#$%^&*=-]{16,512})"
_PUBLIC: Final = r"(?i)publi(?:c|shable)[_ -]{0,2}\Z"
_SEED_WORDS: Final = r"(?i)[\"'`“]{0,1}([a-z]{3,8}(?:[ ,]{1,2}[a-z]{3,8}){11,23})(?![a-z])"
_PLAIN_WORDS: Final = r"[A-Za-z]{3,12}(?:[ -][A-Za-z]{3,12}){2,7}(?![A-Za-z])"
_PAIR: Final = r"(?:as |with )?[\w.@+-]{2,64}\s?[/:|]\s?(?=(\S{5,64}))"
_TRAILING: Final = ".?:)]}…*"
_HARD_SIGNS: Final = frozenset("!@#$%^&*+?~=")

_CODE: Final = (
    r"[(){}\[\]<>|\\]|::|->|^[$%@][A-Za-z_]|^(?:process|os|self|this|config|env|settings|cfg)\.|^/|^https?:|^--"
)
_WORDLIKE: Final = r"[^\W\d_]{1,128}(?:[-_.'’/][^\W\d_]{1,64}){0,16}\Z"
_PLACEHOLDER: Final = (
    r"(?i)(?:x{3}|\*{3}|\.{3}|[•_-]|your|change_?me|example|placeholder|redacted|dummy|todo|tbd|insert|replace"
    r"|masked|hidden|secrets\.|(?:none|null|undefined|true|false|nil|n/a|test|password|passwd|secret|token|string|str"
    r"|int|bool)\Z)"
)
_TERM: Final = (  # words with digits that are no passwords: names of techniques, measures, dates, versions
    r"(?i)(?:sha-?\d{1,3}|md5|base\d\d|utf-?\d\d?|o?auth\d?|ipv\d|pbkdf2|argon2\w{0,2}|\dfa|1password|mp\d"
    r"|v?\d{1,9}(?:\.\d{1,9}){0,5}[a-z]?|\d{1,9}(?:st|nd|rd|th|ms|gb|mb|kb|min|hrs?|days?|am|pm|char\w{0,8}|bit|-\w{1,12})"
    r"|win(?:dows)?\d\d?|web\d|k8s|s3|ec2|wpa\d?\S{0,9}|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|\d{1,2}:\d\d(?::\d\d)?|\d{1,9}\+"
    r"|[a-z]\d{1,2})\Z"
)
_ADJECTIVE: Final = r"(?i).{0,128}(?:ed|ing|ly|able|ible|ory|ary|ive|ent|less|ful|ous|ic|al|ish|ten|own|ese)\Z"


def find(text: str, start: int, keyword: str, rule: Rule) -> Iterator[Span]:
    """Yield the span of a secret said with the noun at `start`."""
    end = start + len(keyword)
    if compiled(ABOUT_IT).match(text, end):
        return
    match rule.check:
        case "password":
            span = _password(text, start, end, rule)
        case "passphrase":
            span = _several_words(text, end) or _password(text, start, end, rule)
        case "random":
            span = _random(text, start, end)
        case "words":
            span = _seed_words(text, end)
        case "login":
            span = _login(text, end)
        case _:
            raise ValueError(f"rule {rule.id!r} names an unknown check {rule.check!r}")
    if span:
        yield span


def looks_random(value: str) -> bool:
    """True if a value of 16 or more characters was made by a machine and is no path, name or version."""
    if compiled(_PLACEHOLDER).match(value) or compiled(_CODE).search(value) or entropy(value) < 3.0:
        return False
    parts = [part for part in re.split(r"[^A-Za-z0-9]+", value) if part]
    mixed = [part for part in parts if not part.isalpha() and not part.isdigit()]
    if not mixed:
        return any(part.isalpha() and not (part.islower() or part.isupper() or part.istitle()) for part in parts) and (
            any(part.isdigit() for part in parts)
        )
    return max(map(len, mixed)) >= 12 or sum(map(len, mixed)) >= 16


def entropy(text: str) -> float:
    """Measure Shannon's entropy of a text, in bits per character."""
    counts = Counter(text).values()
    return -sum(n / len(text) * math.log2(n / len(text)) for n in counts)


def _window(text: str, end: int) -> int:
    """Return the end of the stretch behind a noun: its sentence, its line, or the reach."""
    stop = compiled(_SENTENCE_END).search(text, end, end + _REACH)
    return stop.end() if stop else min(len(text), end + _REACH)


def _gaps(text: str, end: int, stop: int, count: int) -> Iterator[int]:
    """Yield the starts of the next words: a secret may follow its noun without a sign."""
    place = end
    for number in range(count):
        gap = compiled(_NEXT_GAP if number else _FIRST_GAP).match(text, place, stop)
        if not gap:
            return
        place = gap.end()
        yield place


def _places(text: str, end: int) -> Iterator[int]:
    """Yield where a value may start behind a noun: behind each sign, then right behind the noun."""
    stop = _window(text, end)
    signs = (sign.end() for sign in compiled(_SIGN).finditer(text, end, stop))
    return itertools.chain(signs, _gaps(text, end, stop, 1))


def _password(text: str, start: int, end: int, rule: Rule) -> Span | None:
    stop = _window(text, end)
    if rule.signs_only:
        sign = compiled(_MARK).match(text, end, stop)
        return _chosen(text, sign.end(), weak=rule.weak) if sign else None
    for sign in compiled(_SIGN).finditer(text, end, stop):
        gap = text[end : sign.start()]
        if not compiled(_GAP).match(gap):
            break
        changing = compiled(_CHANGE_SIGN).fullmatch(sign.group())
        if changing and not compiled(_CHANGE).search(text, max(0, start - 40), sign.start()):
            continue
        weak = rule.weak and not gap.strip(" \t\"'`*_") and bool(compiled(_PLAIN_SIGN).search(sign.group()))
        # "changed in 2023" holds no password, "changed to 2023" may.
        numbers = not changing or sign.group().lower().startswith("to")
        if span := _chosen(text, sign.end(), weak=weak and not changing, alone=not numbers):
            return span
    # Verbs come last in many languages, so the secret may stand a word or two behind its noun.
    for place in _gaps(text, end, stop, 1 if rule.weak else 3):
        if span := _chosen(text, place, weak=False, alone=True):
            return span
    return _said_before(text, start)


def _said_before(text: str, start: int) -> Span | None:
    """Find the password in "… is my wifi password" and "use … as the password"."""
    low = max(0, start - _BEFORE)
    before = text[low:start]
    signs = list(compiled(_SAID_SIGN).finditer(before))
    if not signs:
        return None
    between = before[signs[-1].end() :]
    if len(between.split()) > 3 or compiled(_SENTENCE_END).search(between):
        return None
    word = compiled(r"(?<!\S)(\S{4,64})\s{1,2}\Z").search(before[: signs[-1].start()])
    if not word or (word.start(1) == 0 and low > 0):
        return None
    span = _chosen(text, low + word.start(1), weak=False, alone=True)
    return span if span and span[1] <= low + signs[-1].start() else None


def _chosen(text: str, place: int, *, weak: bool, alone: bool = False) -> Span | None:
    """Return the span of a password at a place; None if the text there does not look like one.

    `weak` takes a plain word at the end of its clause too; `alone` takes no plain number.
    """
    match = compiled(_VALUE).match(text, place)
    if not match or not match.lastindex:
        return None
    start, end = match.span(match.lastindex)
    value = text[start:end]
    quoted = match.lastindex < _UNQUOTED
    if not quoted:
        value = value.rstrip(_TRAILING)
        end = start + len(value)
    if len(value) < _SHORTEST or compiled(_PLACEHOLDER).match(value) or _is_said_of(value):
        return None
    if quoted and " " in value:
        chosen = weak and not value.istitle() and not _is_prose(value)
    elif compiled(_CODE).search(value) or len(set(value)) < 3:
        chosen = False
    elif value.isdecimal():
        chosen = not alone
    elif compiled(_TERM).match(value):
        chosen = False
    elif compiled(_WORDLIKE).match(value):
        chosen = weak and (quoted or _ends_clause(text, match.end())) and _is_unlikely_word(value)
    else:
        chosen = _is_mixed(value)
    return (start, end) if chosen else None


def _is_mixed(value: str) -> bool:
    digits = any(char.isdigit() for char in value)
    letters = any(char.isalpha() for char in value)
    return (digits and letters) or (not _HARD_SIGNS.isdisjoint(value) and (letters or digits))


def _is_said_of(value: str) -> bool:
    return value.casefold() in load().words["not_a_password"]


def _is_prose(value: str) -> bool:
    words = value.casefold().replace("-", " ").split()
    return len(words) > 8 or not load().words["function"].isdisjoint(words)


def _is_unlikely_word(value: str) -> bool:
    """True if a plain word can hardly be said of a password itself, as "required" and "wrong" can."""
    return len(value) > _SHORTEST and value.isascii() and value.isalpha() and not compiled(_ADJECTIVE).match(value)


def _ends_clause(text: str, end: int) -> bool:
    return end >= len(text) or text[end] in "\n,;.!)" or text[end - 1] in ".!,;"


def _several_words(text: str, end: int) -> Span | None:
    """Find a passphrase of three to eight plain words that end their clause."""
    sign = compiled(_PLAIN_SIGN).search(text, end, end + _REACH)
    match = compiled(_PLAIN_WORDS).match(text, sign.end()) if sign else None
    if not match or not _ends_clause(text, match.end()) or _is_prose(match.group()):
        return None
    return match.span()


def _random(text: str, start: int, end: int) -> Span | None:
    """Find a machine-made value assigned to a name such as `api_key`."""
    if compiled(_PUBLIC).search(text, max(0, start - 14), start):
        return None
    values = (match for place in _places(text, end) if (match := compiled(_RANDOM).match(text, place)))
    for match in itertools.islice(values, _VALUES):
        if looks_random(match.group(1)):
            return match.span(1)
    return None


def _seed_words(text: str, end: int) -> Span | None:
    for sign in compiled(_SIGN).finditer(text, end, min(len(text), end + 40)):
        if match := compiled(_SEED_WORDS).match(text, sign.end()):
            return match.span(1)
    return None


def _login(text: str, end: int) -> Span | None:
    """Find the password of a pair such as "credentials: admin/…"."""
    for place in _places(text, end):
        pair = compiled(_PAIR).match(text, place)
        if pair and (span := _chosen(text, pair.start(1), weak=False, alone=True)):
            return span
    return None
