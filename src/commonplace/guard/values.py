"""What a value looks like by itself: made by a person or a machine, and no word, name, measure or address.

Owns the look of one word; what its sentence says of it is `said`.
"""

from __future__ import annotations

import functools
import itertools
import math
import re
from collections import Counter
from typing import Final

from commonplace.guard.table import Rule, compiled, load
from commonplace.text import content, everyday

LONG: Final = 5  # characters of a value that nothing but its noun points to
CJK: Final = "\u3040-\u30ff\u3400-\u9fff\uff66-\uff9f\uac00-\ud7a3"
TOKEN: Final = rf"[^\s,;，。、！？；：（）「」『』“”«»„‹›⟦⟧<>\"`|→{CJK}]{{2,128}}"
_HARD: Final = r"[!@#$%^&*+?~=_]"
_FILE: Final = (  # the path of a file of source or data
    r"[\w./\\@+~-]{0,120}\.(?:py|[jt]sx?|[cm]js|vue|go|rs|rb|c|h|cc|[ch]pp|cs|java|kts?|swift|php|lua|tf|md|txt|jsonl?|toml|ya?ml"
    r"|html?|s?css|pdf|jpe?g|png|gif|svg|[ct]sv|zip|gz|tar|sh|log|cfg|ini|conf|lock|exe|sql|xml|env|pem)"
)
PLACE: Final = (
    rf"(?i)\s{{0,8}}{_FILE}[:-]\d{{1,6}}[:-](?:\d{{1,4}}:)?"  # before a line that was found in it, as of `grep -n`
)
# What follows the noun in a name for something about a secret, `password_hash`, "password reset", or in a path.
ABOUT_IT: Final = (
    r"(?i)[ _-]?(?:hash|digest|field|reset|policy|length|manager|reviews?|reviewed(?!\s?[:：])|hint|file|path|url|uri"
    r"|salt|column|input|store|prompt|min|max|count|type|id|name|arn|limit|usage|budget|server|service|generator|vault|rotation"
    r"|managers|authentication|chiave|protection|dialog|screen|page|form"
    r"|(?<![ _-])(?:izers?|rs?)|s?[_ ]used(?!\sto))(?![a-z])"
    rf"|{_FILE}(?![\w/])|[\w./@-]{{0,120}}/[\w.@-]{{0,40}}:\d{{1,6}}[:-]"
)
NO_VALUE: Final = (
    # placeholders, addresses and paths
    r"(?i)(?:x{3}|\*{3}|\.{3}|[•_-]{2}|[$%{<]|your|change_?me\Z|example|placeholder|redacted|dummy|todo|tbd|insert"
    r"|replace"
    r"|[\w.+-]{1,64}@(?:[\w-]{1,64}\.|localhost\Z)|[a-z][a-z0-9+.-]{1,12}(?:://|%3A%2F)|www\.|[~.]{0,2}/|--"
    r"|[\w./-]{1,64}\.(?:com|org|net|io|de|fr|nl|pl|it|es|pt|br|uk|eu|us|co|me|ai|dev|app|info|local|example|test)\Z"
    rf"|{_FILE}(?:(?:[:(-]\d{{1,6}}(?:[:-]\d{{1,4}})?)?[:-]?\Z)|(?=[\w.@+~-]{{0,80}}[/\\]){_FILE}(?::|[(-]\d)"
    # names
    r"|(?-i:[A-Z][A-Z0-9]{0,40}(?:_[A-Z0-9]{1,40}){1,8}\Z|[a-z]{1,40}(?:_[a-z]{1,40}){1,8}\Z)"
    r"|(?-i:(?=[a-z.]{0,80}_)[a-z_]{1,40}(?:\.[a-z_]{1,40}){1,5}\Z)|[a-z_.-]{0,40}passwor[dt][a-z_.-]{0,20}\Z"
    r"|(?:secrets|vars|process|os|self|this|config|env|settings|cfg|req|request|res|response|args|params|opts|options|props|ctx)\.|[$%@][a-z_])"
)
TERM: Final = (  # words with digits that are names of techniques, measures, dates, versions
    r"(?i)(?:(?:ctrl|strg|alt|altgr|shift|umschalt|cmd|win|fn|option|maj|mayús|f\d\d?)(?:[+-][^\W_]{1,12}){1,3}"
    r"|#[0-9a-f]{3,8}|0x[0-9a-f]{1,16}|(?=[a-f]{0,7}\d)(?![a-f]{1,8}\d{1,8}\Z|\d{1,8}[a-f]{1,8}\Z)[0-9a-f]{7,8}|[0-9a-f]{40}|sha-?\d{1,3}|md5"
    r"|base\d\d(?:url)?|uuid-?v?\d|utf-?\d\d?|o?auth\d?|ipv\d|pbkdf2(?::\w{3,8})?|(?:us|eu|ap|sa|ca|me|af"
    r"|cn)-[a-z]{4,9}-\d|argon2\w{0,2}|\dfa|1password|mp\d|x?\d{2,3}_\d\d"
    r"|v?\d{1,6}(?:[.,:/-]\d{1,9}){0,5}[a-z]{0,2}|\d{1,3}(?:_\d{3}){1,4}|\d{1,6}(?:[a-zà-ÿ]{1,3}|<<counters>>)\.?|\d{1,3}-[a-zà-ÿ]{1,14}|[a-z]{1,4}-\d{1,3}"
    r"|(?-i:[A-Z]{2,8}-\d{1,3})|(?:step|phase|stage|round|level|class|group|sprint|covid|pbkdf|oauth|error|option|ticket"
    r"|issue|version|windows|debian|fedora|ubuntu)-\d{1,3}"
    r"|[a-z]{1,2}\d{2,3}k_[a-z]{3,7}|win(?:dows)?\d\d?|web\d|k8s"
    r"|[a-z][\w.-]{0,40}[=~<>!]=v?\d[\w.*]{0,20}|wpa\d?\S{0,9}|https?/[\d.]{1,5}|\d{1,2}[.:h]\d\d|(?!qwe|asd|zxc|qaz|abc)[a-z]{1,3}\d{1,4}"
    r"|gpt\S{1,20}|(?:iphone|ipad|python|node|gpt|galaxy|pixel|office|usb)-?\d{1,3})\Z"
)
CODE: Final = r"\.\*|[(){}\[\]|]|::|->"
_PARTICIPLE: Final = (
    r"(?i).{0,128}(?:ed|ing|\w{3}[^\Wf]ly|mente|[ií]s{1,3}im[ao]s?|ées?|[aeiy]ł[ae]m|ał[aoy]?|ił[aoy]?|[ao]ny|(?:[wsłt]a|[iez]o)ne|ejsz\w{1,3}|[её]е"
    r"|[её]н[аоы]?|[ая]н[аоы]?)\Z"
    r"|(?i:ge|be|ver)[a-z]{3,20}(?:t|en)\Z"
)
_PROCESS: Final = r"[^\W\d_]{0,128}(?:ed|ing|tion|ment)\Z"  # what a heading names: "Password Hashing"
# Capitals inside, as few names have: "ottersRcool", "MapleRedFox".
INNER: Final = r"(?=[^\W\d_]{8})(?:[a-z]{2,20}[A-Z]|(?:[A-Z][a-z]{1,12}){2}[A-Z])[^\W\d_]{0,20}"
_EDGES: Final = "\"'`*_~([{<.,;:!?)]}>…’‘"
_SIGNS: Final = 2
_REMEMBERED: Final = 512  # words that were looked at
_RANDOM: Final = 16  # characters of a value that a machine made


def is_described(value: str) -> bool:
    """True if a word is said of a secret and is none."""
    return value.casefold() in everyday.COMMON or is_said_of(value)


def is_said_of(value: str) -> bool:
    """True if a word describes a secret, or joins other words."""
    folded = value.casefold()
    return folded in described() or content.is_joining(content.bare(folded))


@functools.lru_cache(maxsize=_REMEMBERED)
def is_known(value: str) -> bool:
    """True if a word is a term, or is said of a secret and is none."""
    return compiled(TERM).match(value) is not None or is_described(value)


def is_done(value: str) -> bool:
    """True if a word has the look of a participle, or of a process that a heading names."""
    return compiled(_PARTICIPLE if value.islower() else _PROCESS).match(value) is not None


@functools.cache
def described() -> frozenset[str]:
    """Return the words that are said of a secret and are none."""
    return load().words["not_a_value"] | filler() | load().words["changes"]


@functools.cache
def filler() -> frozenset[str]:
    """Return the words between a link and a value: "is still"."""
    return load().words["filler"] | load().words["now"]


@functools.lru_cache(maxsize=_REMEMBERED)
def is_made(value: str) -> bool:
    """True if a word has what plain words have not: digits among letters, or a sign inside."""
    if compiled(NO_VALUE).match(value) or compiled(TERM).match(value) or compiled(CODE).search(value):
        return False
    if not (letter := compiled(r"[^\W\d_]").search(value)) and not value[:1].isdigit():
        return False
    digit = compiled(r"\d").search(value)
    if not digit and compiled(r"[A-Za-z_]{1,40}=[A-Za-z_.]{1,80}").fullmatch(value):
        return False  # names in code
    sign = compiled(_HARD).search(value, 1, len(value) - 1) and "'" not in value
    return (
        bool(letter and digit)
        or bool(compiled(r"[^\W\d_]{4,64}[$%#^&]").fullmatch(value))
        or bool(sign and (digit or compiled(r"[^\W\d_].{0,128}[^\W\d_]").search(value)))
    )


def is_address(text: str, start: int, end: int) -> bool:
    """True if a word is a part of an address, or a version of something: `actions/login@v1`."""
    before = text[max(0, start - 130) : start]
    inside = (":" in before or "box" in before.casefold()) and compiled(
        r"(?:(?:://|\barn:)[^\s\"']{0,120}|\b(?:[0-9A-Fa-f]{2}:){1,5}|(?i:\bp\.?\s?o\.?\sbox\s))\Z"
    ).search(text, max(0, start - 130), start)
    return bool(inside) or compiled(r"[\w./-]{1,64}@v\d[\w.]{0,12}").fullmatch(text, start, end) is not None


def is_value(value: str) -> bool:
    """True if a word looks made and is not said of secrets."""
    return is_made(value) and not is_described(value)


def is_signed(value: str) -> bool:
    """True if a value has letters around a sign that no name has, and a digit."""
    cased = r"(?=.{0,64}[a-z])(?=.{0,64}[A-Z])"
    signed = compiled(rf"(?=.{{0,64}}\d)(?:.{{0,64}}[^\W_][!#$%&*?][^\W_]|{cased}.{{0,64}}[^\W_][~@][^\W_])")
    return signed.match(value) is not None and (len(compiled(r"[^\W\d_]").findall(value)) >= LONG)


def is_chosen(value: str) -> bool:
    """True if a made word is no name of a thing: both cases, two digits, and a sign or a letter behind a digit.

    Beside a rarer sign, one digit will do.
    """
    cases = compiled(r"(?=.{0,128}[a-zß-ÿ]).{0,128}[A-ZÀ-Þ]").match(value)
    digits = len(compiled(r"\d").findall(value))
    return bool(cases) and (
        (digits > 1 and compiled(r"[._-]|\d[a-z]").search(value) is not None)
        or (digits > 0 and len(value) > LONG and compiled(r"[^\W_][_~=+@.][^\W_]").search(value) is not None)
    )


def stripped(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a span without signs at its edges that belong to the sentence."""
    while start < end and text[start] in _EDGES:
        start += 1
    while start < end and text[end - 1] in _EDGES:
        end -= 1
    return start, end


def is_quotable(value: str, rule: Rule, *, plain: bool, said: bool) -> bool:
    """True if what is quoted near a noun may be its value; where `plain`, also a word, where `said`, also several."""
    if (
        value.isspace()
        or compiled(NO_VALUE).match(value)
        or compiled(CODE).search(value)
        or value.casefold() in described()
    ):
        return False
    if " " in value:
        words = value.split()
        if rule.check == "phrase" or (said and rule.check == "password" and not is_said_of(words[-1].rstrip(".!"))):
            return True
        return len(words) <= 8 and is_made(value.replace(" ", ""))
    return is_made(value) or (plain and rule.check in {"phrase", "password"})


def is_mixed_case(value: str) -> bool:
    """True if a capital follows a small letter."""
    return not value[1:].islower() and any(low.islower() and high.isupper() for low, high in itertools.pairwise(value))


def is_key(value: str) -> bool:
    """True if a value was made by a machine: it is long, or a part of it mixes letters and digits."""
    if looks_random(value) or compiled(r"\d{5,8}(?:-\d{5,8}){1,9}").fullmatch(value):
        return True
    if len(value) >= 12 and is_mixed_case(value) and len(compiled(r"\d+").findall(value)) > 1 and is_made(value):
        return True
    parts = compiled(r"[._-]").split(value)
    if len(value) < 10 or len(parts) < 2 or sum(map(str.isdigit, value)) < 2 or not is_made(value):
        return False
    mixed = any(not part.isalpha() and not part.isdecimal() for part in parts)
    return mixed or (len(parts) > 2 and any(map(str.isupper, value)))


def is_drawn(value: str) -> bool:
    """True if a value was drawn from letters, digits and the signs on their keys."""
    return (
        bool(compiled(r"[A-Za-z0-9!@#$%^&*(_=+)-]{32,128}").fullmatch(value))
        and len({*value} & {*"!@#$%^&*(=+)"}) > _SIGNS
        and len(compiled(r"\d").findall(value)) > _SIGNS
        and entropy(value) > 4.0
    )


@functools.lru_cache(maxsize=256)
def looks_random(value: str) -> bool:
    """True if a value of 16 or more characters was made by a machine and is no path, name or version."""
    if len(value) < _RANDOM or compiled(NO_VALUE).match(value) or compiled(CODE).search(value) or entropy(value) < 3.0:
        return False
    parts = [part for part in re.split(r"[^A-Za-z0-9]+", value) if part]
    mixed = [part for part in parts if not part.isalpha() and not part.isdigit()]
    if not mixed:
        return any(part.isalpha() and not (part.islower() or part.isupper() or part.istitle()) for part in parts) and (
            any(part.isdigit() for part in parts)
        )
    return max(map(len, mixed)) >= 12 or sum(map(len, mixed)) >= _RANDOM


def entropy(text: str) -> float:
    """Measure Shannon's entropy of a text, in bits per character."""
    counts = Counter(text).values()
    return -sum(n / len(text) * math.log2(n / len(text)) for n in counts)
