"""Find secrets that are said rather than pasted: "the password is …", "door code 1234", `API_KEY=…`.

Owns the grammar around a noun for a secret; the nouns of each language are data in
`rules/phrases.toml`. From a noun it looks at a bounded stretch on either side, so the work is linear.
What follows the noun is taken for a secret only if it looks like one: most sentences about passwords
hold none.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

from commonplace.guard.table import Rule

Span = tuple[int, int]

_REACH: Final = 90  # characters behind a noun in which its sign may stand
_BEFORE: Final = 70  # characters in front of a noun, for "… is my password"
_SENTENCE_END: Final = re.compile(r"[\n。]|[.!](?=\s)|\?(?=\s(?!\s?\d))")
_ABOUT_IT: Final = re.compile(  # what follows the noun in a name for something about a secret
    r"[ _-]?(?:hash|digest|field|reset|policy|length|manager|hint|file|path|url|uri|salt|column|input|store|prompt|min|max|count|type|id|name|arn|limit|usage|budget|s?[_ ]used)"
    r"(?![a-z])",
    re.IGNORECASE,
)
_SIGN: Final = re.compile(
    r"""["'`*_)\]]{0,3}\s{0,3}(?:=>|:=|->|={1,2}|[:：→—–?])\s{0,3}"""
    r"|(?:\b(?:is|was|are|equals|es|ist|lautet|war|est|était|è|é|era|jest|är|er|on|je|este|là|adalah|ialah|это)\b|['’]s\b)\s{0,2}[:=]?\s{0,3}"
    r"|(?:是|为|為|は|が|는|은|: )\s{0,3}[:：]?\s{0,3}"
    r"|\b(?:هي|هو|היא|הוא|είναι|ήταν)\s{1,3}"
    r"|\b(?:to|auf|a|en|in|na)\b\s{1,2}",
    re.IGNORECASE,
)
_SIGN_OF_CHANGE: Final = re.compile(r"\b(?:to|auf|a|en|in|na)\b\s{1,2}\Z", re.IGNORECASE)
_PLAIN_GAP: Final = re.compile(r"""["'`*_]{0,2}[\w\s,.'’()@*&?#+-]{0,90}\Z""")
_PLAIN_SIGN: Final = re.compile(r"(?:is|was|[:=→>]|['’]s)\s{0,3}\Z", re.IGNORECASE)
_CHANGE: Final = re.compile(
    r"\b(?:set|chang|updat|reset|switch|rotat|geänder|gesetzt|cambi|chang|ändern)", re.IGNORECASE
)
_MARK: Final = re.compile(r"\s{0,3}(?:=>|:=|->|={1,2}|[:：→])\s{0,3}|[\"'`]{1,3}\s{0,3}(?:=>|[:=])\s{0,3}")
_VALUE: Final = re.compile(
    r"""[*_]{0,2}(?:"([^"\n⟦]{3,128})"|'([^'\n⟦]{3,128})'|`([^`\n⟦]{3,128})`|“([^”\n⟦]{3,128})”|«\s?([^»\n⟦]{3,128}?)\s?»"""
    r"""|「([^」\n⟦]{3,128})」|([^\s"'`“”«»「」,;<>⟦⟧，。；、！？）（\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]{3,128}))"""
)
_DIGITS: Final = re.compile(r"[*#\"'`]{0,2}(\d{1,8}(?:[ -]\d{1,8}){0,5}[#*]?)(?![\w.%:/°€$]|,\d)")
_PLACE: Final = re.compile(
    r"\b(?:garage|door|gate|alarm|safe|building|lockbox|house|front|storage|shed|locker|elevator|lobby|keypad|vault|padlock|cabin|airbnb|key box|portail|puerta|tür)\b",
    re.IGNORECASE,
)
_RANDOM: Final = re.compile(r"[\"'`“]{0,2}([A-Za-z0-9+/_.~!@#$%^&*=-]{16,512})")
_SEED_WORDS: Final = re.compile(r"[\"'`“]{0,1}([a-z]{3,8}(?:[ ,]{1,2}[a-z]{3,8}){11,23})(?![a-z])", re.IGNORECASE)
_PLAIN_SIGN_BEHIND: Final = re.compile(r"(?:\bis\b|\bwas\b|[:=])\s{0,3}", re.IGNORECASE)
_PLAIN_WORDS: Final = re.compile(r"[A-Za-z]{3,12}(?:[ -][A-Za-z]{3,12}){2,7}(?![A-Za-z])")
_TRAILING: Final = ".?:)]}…*"

_CODE: Final = re.compile(
    r"[(){}\[\]<>|\\]|\$\{|\$\(|::|->|^[$%@][A-Za-z_]|^(?:process|os|self|this|config|env|settings|cfg)\.|^/|^https?:|^--"
)
_WORDLIKE: Final = re.compile(r"[^\W\d_]+(?:[-_.'’/][^\W\d_]+)*\Z")
_PLACEHOLDER: Final = re.compile(
    r"(?:x{3,}|\*{3,}|\.{3,}|•+|_+|-+|your|change_?me|example|placeholder|redacted|dummy|todo|tbd|insert|replace|"
    r"none|null|undefined|true|false|nil|n/a|test$|password|passwd|secret$|token$|string|str$|int$|bool|secrets\.|masked|hidden)",
    re.IGNORECASE,
)
_TERM: Final = re.compile(
    r"(?:sha-?\d+|md5|base\d\d|utf-?\d+|oauth\d?|o?auth2?|ipv\d|pbkdf2|argon2\w{0,2}|bcrypt|scrypt|\dfa|1password|mp\d|v?\d+(?:\.\d+)*[a-z]?|"
    r"\d+(?:st|nd|rd|th|h|m|s|d|ms|x|k|gb|mb|kb|min|hrs?|days?|am|pm|char\w*|bit|-\w+)|win(?:dows)?\d+|web\d|k8s|s3|ec2|wpa\d?\S*|"
    r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|\d{1,2}:\d\d(?::\d\d)?|\d+\+?|p\d|q\d|h\d|[a-z]\d{1,2})\Z",
    re.IGNORECASE,
)
_ADJECTIVE: Final = re.compile(
    r".*(?:ed|ing|ly|able|ible|ory|ary|ive|ent|less|ful|ous|ic|al|ish|ten|own|ese)\Z", re.IGNORECASE
)
_FUNCTION_WORDS: Final = frozenset("""
    a an and any are as at be been but by can cannot could do does for from had has have if in into is it its kept may must
    never no not of on or our please same set should so stored than that the their them then there they this to too until
    used very was were when which will with without would you your enter reset forgot forgotten required
    """.split())  # fmt: skip
_NOT_A_PASSWORD: Final = frozenset("""
    about above again all alright also always another around available away back bad below best better between blank both
    broken case changed clear clever complex confidential correct default different difficult direct done down each easy
    either elsewhere email empty enough even every everything exact expired false fair fine first fixed forever free from
    full funny generic gone good great green half hard here his hers impossible incorrect indeed insecure invalid inside just kept
    known last late later less like long longer lost lower mandatory many maybe mine missing more most much myself named
    near necessary needed neither never new nice none normal not nothing nowhere null obvious off okay old once only open
    optional other ours outside over part perfect plain please possible present private probably protected public pure
    quite random rather ready real really red required reset right safe same sane secret secure sensitive shared short
    simple since slow some something somewhere soon sorry stale still strange strong stupid such sufficient sure taken
    terrible text that their them then there these they this those though tight today together tomorrow tonight too totally
    trivial true twice ugly unclear under undefined unique unknown unless unsafe until unusual upper useless user username
    valid very visible wait weak weird well what when where whether which while white why with within without wrong yes
    yesterday your yours type text number object field input label value values string array boolean integer varchar char
    password passwords passcode credentials login account admin bearer basic digest body header query cookie session
    """.split())  # fmt: skip


def find(text: str, start: int, keyword: str, rule: Rule) -> Iterator[Span]:
    """Yield the spans of secrets said with the noun that stands at `start`."""
    end = start + len(keyword)
    if _ABOUT_IT.match(text, end):
        return
    match rule.check:
        case "password":
            yield from _password(text, start, end, rule)
        case "passphrase":
            span = _several_words(text, end)
            yield from [span] if span else _password(text, start, end, rule)
        case "code":
            yield from _code(text, end)
        case "place-code":
            if _PLACE.search(text, max(0, start - 40), min(len(text), end + 60)):
                yield from _code(text, end)
        case "random":
            yield from _random(text, start, end)
        case "words":
            yield from _seed_words(text, end)
        case "login":
            yield from _login(text, end)
        case _:
            raise ValueError(f"rule {rule.id!r} names an unknown check {rule.check!r}")


def entropy(text: str) -> float:
    """Measure Shannon's entropy of a text, in bits per character."""
    counts = Counter(text).values()
    return -sum(n / len(text) * math.log2(n / len(text)) for n in counts)


def _window(text: str, end: int) -> int:
    """Give the end of the stretch behind a noun: its sentence, its line, or the reach."""
    stop = _SENTENCE_END.search(text, end, end + _REACH)
    return stop.end() if stop else min(len(text), end + _REACH)


def _password(text: str, start: int, end: int, rule: Rule) -> Iterator[Span]:
    stop = _window(text, end)
    for sign in (_MARK if rule.signs_only else _SIGN).finditer(text, end, stop):
        changing = _SIGN_OF_CHANGE.search(sign.group())
        if changing and not _CHANGE.search(text, max(0, start - 40), sign.start()):
            continue
        gap = text[end : sign.start()]
        if not _PLAIN_GAP.match(gap):
            break
        direct = not gap.strip(" \t\"'`*_")
        span = _chosen(text, sign.end(), weak=direct and rule.weak and bool(_PLAIN_SIGN.search(sign.group())))
        if span:
            yield span
            return
        if rule.signs_only:
            return
    if rule.signs_only:
        return
    for place in _gaps(text, end, stop, 1 if rule.weak else 3):
        span = _chosen(text, place, weak=False, alone=True)
        if span:
            yield span
            return
    span = _said_before(text, start)
    if span:
        yield span


def _gaps(text: str, end: int, stop: int, count: int) -> Iterator[int]:
    """Yield the starts of the next words: the secret may follow its noun without a sign."""
    place = end
    for _ in range(count):
        gap = (
            re.compile(r"\w{0,4}[ \t]{1,3}").match(text, place, stop)
            if place == end
            else re.compile(r"\S{1,24}[ \t]{1,3}").match(text, place, stop)
        )
        if not gap:
            return
        place = gap.end()
        yield place


def _chosen(text: str, place: int, *, weak: bool, alone: bool = False) -> Span | None:
    """Give the span of a password at a place, where what stands there looks like one.

    `weak` takes a plain word at the end of its clause too; `alone` takes no plain number.
    """
    match = _VALUE.match(text, place)
    if not match or match.lastindex is None:
        return None
    start, end = match.span(match.lastindex)
    value = text[start:end]
    quoted = match.lastindex < 7
    if not quoted:
        value = value.rstrip(_TRAILING)
        end = start + len(value)
    if len(value) < 4 or _PLACEHOLDER.match(value) or value.casefold() in _NOT_A_PASSWORD:
        return None
    if quoted and " " in value:
        return (
            (start, end) if weak and not value.istitle() and len(value) <= 64 and not _looks_like_prose(value) else None
        )
    if _CODE.search(value) or len(set(value)) < 3:
        return None
    if value.isdecimal():
        return None if alone else (start, end)
    if _TERM.match(value):
        return None
    if _WORDLIKE.match(value):
        return (
            (start, end) if weak and _clause_ends(text, match.end(), quoted=quoted) and _unlikely_word(value) else None
        )
    return (start, end) if _mixed(value) else None


def _several_words(text: str, end: int) -> Span | None:
    """Find a passphrase of three to eight plain words that end their clause."""
    sign = _PLAIN_SIGN_BEHIND.search(text, end, end + _REACH)
    match = _PLAIN_WORDS.match(text, sign.end()) if sign else None
    if not match or not _clause_ends(text, match.end(), quoted=False) or _looks_like_prose(match.group()):
        return None
    return match.span()


def _looks_like_prose(value: str) -> bool:
    words = value.casefold().replace("-", " ").split()
    return len(words) > 8 or not _FUNCTION_WORDS.isdisjoint(words)


def _mixed(value: str) -> bool:
    digits = sum(char.isdigit() for char in value)
    letters = sum(char.isalpha() for char in value)
    signs = len(value) - digits - letters
    hard_signs = sum(char in "!@#$%^&*+?~=" for char in value)
    return bool(
        (digits and letters) or (hard_signs and letters) or (digits >= 4 and signs and not letters and hard_signs)
    )


def _clause_ends(text: str, end: int, *, quoted: bool) -> bool:
    return quoted or end >= len(text) or text[end] in "\n,;.!)" or text[end - 1] in ".!,;"


def _unlikely_word(value: str) -> bool:
    """Tell whether a plain word can hardly be said of a password itself ("required", "wrong")."""
    return len(value) >= 5 and "_" not in value and "." not in value and not _ADJECTIVE.match(value) and value.isascii()


def _said_before(text: str, start: int) -> Span | None:
    """Find the password in "… is my wifi password" and "use … as the password"."""
    low = max(0, start - _BEFORE)
    before = text[low:start]
    sign = None
    for sign in re.finditer(
        r"(?<=\s)(?:is|was|as|for|est|es|ist|est|è|é)\s(?:my|the|our|his|her|their|a|mi|la|mein|das|mon|le|minha)\s",
        before,
    ):
        pass
    if sign is None or len(before[sign.end() :].split()) > 3 or _SENTENCE_END.search(before, sign.end()):
        return None
    word = re.search(r"(\S{4,64})\s{1,2}\Z", before[: sign.start()])
    if not word or (word.start(1) == 0 and low > 0):
        return None
    span = _chosen(text, low + word.start(1), weak=False, alone=True)
    return span if span and span[1] <= low + sign.start() else None


def _code(text: str, end: int) -> Iterator[Span]:
    """Find a numeric code behind its noun, with or without a sign."""
    stop = _window(text, end)
    for place in (*(sign.end() for sign in _SIGN.finditer(text, end, stop)), *_gaps(text, end, stop, 1)):
        match = _DIGITS.match(text, place)
        if match and 3 <= sum(char.isdigit() for char in match.group(1)) <= 12 and _SIGN.search(text, end, place + 1):
            yield match.span(1)
            return
        if match and 4 <= sum(char.isdigit() for char in match.group(1)) <= 12:
            yield match.span(1)
            return


def _random(text: str, start: int, end: int) -> Iterator[Span]:
    """Find a machine-made value assigned to a name such as `api_key`."""
    if text[max(0, start - 12) : start].lower().rstrip("_- ").endswith(("public", "publishable")):
        return
    stop = _window(text, end)
    places = [sign.end() for sign in _SIGN.finditer(text, end, stop)]
    for place in (*places, *_gaps(text, end, stop, 1)):
        match = _RANDOM.match(text, place)
        if match and looks_random(match.group(1)):
            yield match.span(1)
            return


def looks_random(value: str) -> bool:
    """Tell whether a value of 16 or more characters was made by a machine and is no path, name or version."""
    if _PLACEHOLDER.match(value) or _CODE.search(value) or entropy(value) < 3.0:
        return False
    parts = [part for part in re.split(r"[^A-Za-z0-9]+", value) if part]
    if all(part.isalpha() and (part.islower() or part.isupper() or part.istitle()) or part.isdigit() for part in parts):
        return False
    mixed = [part for part in parts if any(c.isdigit() for c in part) and any(c.isalpha() for c in part)]
    longest = max((len(part) for part in mixed), default=0)
    return longest >= 12 or sum(map(len, mixed)) >= 16


def _seed_words(text: str, end: int) -> Iterator[Span]:
    stop = min(len(text), end + 40)
    for sign in _SIGN.finditer(text, end, stop):
        match = _SEED_WORDS.match(text, sign.end())
        if match:
            yield match.span(1)
            return


def _login(text: str, end: int) -> Iterator[Span]:
    """Find the password of a pair such as "credentials: admin/…"."""
    stop = _window(text, end)
    for place in (*(sign.end() for sign in _SIGN.finditer(text, end, stop)), *_gaps(text, end, stop, 1)):
        pair = re.compile(r"[\w.@+-]{2,64}\s?[/:|]\s?(?=(\S{5,64}))").match(text, place)
        if pair:
            span = _chosen(text, pair.start(1), weak=False, alone=True)
            if span:
                yield span
                return
