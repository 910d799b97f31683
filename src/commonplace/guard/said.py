"""Find what people say a secret is: "Voicemail PIN? It's still 3141.", "Sie lautet tannenzapfen".

Owns the rule for a sentence with a noun for a secret: whatever in it looks like a value goes, in any order. A
value has a digit, a sign or an inner capital, is quoted, or follows the noun through `is`, `:` or `=` to the end
of the clause and describes nothing. Nouns and words of each language are data in `rules/said.toml`. A sentence is
looked at once for each rule, and no further than `_REACH`, so the work is linear.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterator
from typing import Final

from commonplace.guard.table import Rule, compiled, load

Span = tuple[int, int]

_REACH: Final = 200  # characters on either side of a noun
_FAR: Final = 90  # characters between a noun and the last link that is looked at
_MOST_LINKS: Final = 3
_CJK: Final = "\u3040-\u30ff\u3400-\u9fff\uff66-\uff9f\uac00-\ud7a3"
_SENTENCE_END: Final = r"\n|[。！？]|[.!][\"'”»)]{0,2}(?=\s{1,4}[A-ZÀ-ÞĄ-Ż0-9¿¡\"“„«]|\s{0,4}\Z)|\?(?=\s|\Z)"
_TOKEN: Final = rf"[^\s,;，。、！？；：（）「」『』“”«»„‹›⟦⟧<>\"`|→{_CJK}]{{2,128}}"
_QUOTED: Final = (
    r"\"([^\"\n⟦]{3,80})\"|(?<![^\W_])'([^'\n⟦]{3,80})'(?![^\W_])|`([^`\n⟦]{3,80})`|“([^”\n⟦]{3,80})”|„([^“”\n⟦]{3,80})[“”]"
    r"|«\s?([^»\n⟦]{3,80}?)\s?»|「([^」\n⟦]{2,80})」|『([^』\n⟦]{2,80})』|‘([^’\n⟦]{3,80})’"
)
_NUMBER: Final = (
    r"(?<![\w.,:/=€$£¥#+-])\d{1,8}(?:(?:\s?[-·・–]\s?|[ ])\d{1,8}){0,6}(?![\w%€$£¥°]|[.,:/]\d)"
    rf"|(?<=[{_CJK}])\d{{1,8}}(?:[-·・]\d{{1,8}}){{0,6}}(?![A-Za-z%€$£¥°]|[.,:/]\d)"
    rf"|(?<=[：→(])\d{{3,12}}(?![\w%€$£¥°]|[.,:/]\d)"
    r"|(?<![\w.,:/-])(?:\d{2,6}[A-Z]\d{0,4}|[A-Z]\d{3,6}[A-Z]?)(?![\w-])"
)
_MANY_WORDS: Final = r"(?:[^\W\d_]{1,24}[’'-]?[ ,]{1,2}){2,23}[^\W\d_]{1,24}"
_EDGES: Final = "\"'`*_~([{<.,;:!?)]}>…’‘"
_TURNS: Final = (
    r"(?i)\b(?:left|right|links|rechts|gauche|droite|izquierda|derecha|esquerda|direita|roda|volta|gira|sinistra|destra"
    r"|lewo|prawo)\b|[左右]"
)
_OWNERS: Final = (
    r"\b(?:for|user|username|usuario|usuário|benutzer|utilisateur|utente|gebruiker|użytkownik|für|para|pour|per|voor|dla"
    r"|version)"
)
_HARD: Final = frozenset("!@#$%^&*+?~=_")
_ADDRESS: Final = (
    r"(?i)[\w.+-]{1,64}@[\w-]{1,64}\.|[a-z][a-z0-9+.-]{1,12}(?:://|%3A%2F)|www\.|[~.]{0,2}/|--"
    r"|[\w./-]{1,64}\.(?:com|org|net|io|de|fr|nl|pl|it|es|pt|br|uk|eu|us|co|me|ai|dev|app|info|local|example|test|py|js|ts|tsx|go|rs|rb|c|h|cc"
    r"|cpp|java|md|txt|json|jsonl|toml|ya?ml|html?|css|pdf|jpe?g|png|gif|svg|csv|zip|gz|tar|sh|log|cfg|ini|conf|lock|exe|sql|xml|env|pem)\Z"
)
_FIELD: Final = r"[=:(\[{<]|.[^\n]{1,90}[\]}:=>]\Z|[ ,{]\"[^\n\"]{1,80}\"[:=]"
_NAME: Final = (
    r"[A-Z][A-Z0-9]{0,40}(?:_[A-Z0-9]{1,40}){1,8}\Z|[a-z]{1,40}(?:_[a-z]{1,40}){1,8}\d?\Z|(?:secrets|env|vars)\."
)
_TERM: Final = (
    r"(?i)(?:#[0-9a-f]{3,8}|[0-9a-f]{7,12}|[0-9a-f]{40}|sha-?\d{1,3}|md5|base\d\d(?:url)?|uuid-?v?\d|utf-?\d\d?|o?auth\d?|ipv\d|pbkdf2|argon2\w{0,2}|\dfa|1password|mp\d|x?\d{2,3}_\d\d"
    r"|v?\d{1,9}(?:[.,:/-]\d{1,9}){0,5}[a-z]{0,2}|\d{1,9}-?[a-zà-ÿ]{1,14}\.?|[a-z]{1,12}-\d{1,3}|win(?:dows)?\d\d?|web\d|k8s"
    r"|wpa\d?\S{0,9}|\d{1,2}[.:h]\d\d|[a-z]{1,3}\d{1,4}|gpt\S{1,20}|(?:iphone|ipad|python|node|gpt|galaxy|pixel|office|usb)-?\d{1,3})\Z"
)
_PLACEHOLDER: Final = (
    r"(?i)(?:x{3}|\*{3}|\.{3}|[•_-]{2}|[$%{<]|your|change_?me\Z|example|placeholder|redacted|dummy|todo|tbd|insert"
    r"|replace)"
)
_CODE: Final = r"\.\*|[(){}\[\]|\\]|::|->|^[$%@][A-Za-z_]|^(?:process|os|self|this|config|env|settings|cfg)\."
_LONG: Final = 5  # characters of a value that nothing but its noun points to

_IS: Final = (
    r"(?:is|was|are|were|sind|sont|son|sono|são|zijn|są|be|being|remains|stays|reads|goes|means|ist|lautet|heißt|war|wäre|bleibt"
    r"|es|era|sería|sigue siendo"
    r"|será|est|était|étant|sera|è|era|sarà|é|seria|foi|são|blijft|luidt|to|jest|brzmi|będzie|była|było)"
)
_SIGNS: Final = r"\s{0,3}(?:=>|:=|->|={1,2}|[:：→])\s{0,3}|\s{1,2}[—–-]\s{1,2}"
_CALLED: Final = (
    r"(?:(?:is|was|ist|lautet|es|era|est|c'est|è|é|is|to|jest|voilà|that's|that is|ecco|eis|éssa é|é essa) ){1,2}"
    r"(?:(?:my|our|the|mein|meine|unser|das|die|mi|la|nuestra|ma|mon|notre|le|mia|a|minha|nossa|mijn|ons|het|de|moje"
    r"|nasze) )"
    r"(?:[^\s.,;:!?]{1,20} ){0,3}[^\s.,;:!?]{0,24}"
)
_LINKS: Final = {
    False: rf"(?i){_SIGNS}|(?<=[\s,]){_IS}\s{{1,2}}|['’]s\s{{1,2}}|(?:[是为為]|は|が)\s{{0,2}}",
    True: rf"(?i){_SIGNS}|(?<=[\s,]){_IS}\s{{1,2}}|['’]s\s{{1,2}}|(?:[是为為叫]|は|が)\s{{0,2}}"
    r"|,\s(?=(?:{filler})\s)",
}
_DESCRIBES: Final = (
    r"(?i)(?:ed|ing|ly|able|ible|ory|ary|ive|ful|ous|less|ent|ant|igt|lich|isch|bar|los|ert|elt|ato|ata|uto|uta|ito|ita|oria"
    r"|ado|ada|ido|ida|ível|ável|ible|toire|sé|ré|né|té|lé|ée|gen|ten|nen|ny|na|ne|ty|ta|te|ane|ony|ona|dig|lijk)\Z"
)


def words_in(sentence: str) -> set[str]:
    """Return the words of a sentence, folded."""
    return set(compiled(r"[^\W\d_]{2,40}").findall(sentence.casefold()))


def is_noun(text: str, start: int, end: int) -> bool:
    """True if a noun is a word of a sentence, not a part of a name in code such as `getApiKeyFor`."""
    if compiled(r"[a-z]{0,2}[A-Z]").match(text, end) or _is_mixed_case(text[start:end]):
        return False
    return not (text[start].isupper() and start > 0 and text[start - 1].isascii() and text[start - 1].islower())


def sentence(text: str, start: int, end: int) -> Span:
    """Return the sentence of a noun, with the next one where this one asks or only announces."""
    low, high = max(0, start - _REACH), min(len(text), end + _REACH)
    begin = asked = low
    for stop in compiled(_SENTENCE_END).finditer(text, low, start):
        # A question and what follows it are one: "Voicemail PIN? It's still 3141."
        begin, asked = (asked, stop.end()) if text[stop.start()] in "?？" else (stop.end(), stop.end())
    for stop in compiled(_SENTENCE_END).finditer(text, end, high):
        if text[stop.start()] not in "?？":
            return begin, stop.start()
    return begin, high


def swept(text: str, begin: int, end: int, rule: Rule) -> Iterator[Span]:
    """Yield what looks like a value anywhere in the sentence of a noun."""
    words = load().words
    for match in compiled(_QUOTED).finditer(text, begin, end) if rule.check != "key" else ():
        span = match.span(match.lastindex or 0)
        # Behind a sign of code or data it is an argument or a field.
        plain = "?" not in text[begin : end + 1] and not compiled(_FIELD).match(
            text, max(0, match.start() - 1), match.end() + 2
        )
        if _is_quotable(text[slice(*span)], rule, plain=plain):
            yield span
    if rule.check != "word" and words["elsewhere"].isdisjoint(words_in(text[begin:end])):
        if rule.check == "code":
            yield from _dialled(text, begin, end)
        for match in compiled(_NUMBER).finditer(text, begin, end):
            if _is_code(text, match, begin, end, rule):
                yield match.span()
    digits = 2 if rule.near else 1
    for match in compiled(_TOKEN).finditer(text, begin, end):
        start, stop = _stripped(text, *match.span())
        value = text[start:stop]
        if text[start - 1 : start] == "#":
            continue  # a colour or a number of an issue
        if "=" in value and not value.startswith("="):
            start += value.index("=") + 1
            value = text[start:stop]
        elif ":" in value and not value.startswith(":"):
            start += value.index(":") + 1
            value = text[start:stop]
        if compiled(rf"(?i)(?:{_OWNERS})[ :=]{{1,2}}\Z").search(text, max(begin, start - 16), start):
            continue
        if len(value) >= _LONG and _is_made(value, digits) and value.casefold() not in described():
            yield start, stop


def _dialled(text: str, begin: int, end: int) -> Iterator[Span]:
    """Yield digits that are written as words, and the numbers of a dial that is turned."""
    yield from (match.span() for match in _digit_words().finditer(text, begin, end))
    if compiled(_TURNS).search(text, begin, end):
        numbers = [
            match.span() for match in compiled(r"(?<![\d.,])\d{1,2}(?![\d%€$]|[.,]\d)").finditer(text, begin, end)
        ]
        yield from numbers if len(numbers) >= 3 else ()


@functools.cache
def _digit_words() -> re.Pattern[str]:
    return re.compile(rf"(?i)(?<![^\W_])(?:{words_of('digits')})(?:[ -,](?:{words_of('digits')})){{2,8}}(?![^\W_])")


def linked(text: str, start: int, end: int, rule: Rule) -> Iterator[Span]:
    """Yield the value that a noun is said to have, through a link, to the end of its clause."""
    high = min(len(text), end + _REACH)
    stop = compiled(_SENTENCE_END).search(text, end, high)
    high = stop.start() if stop and text[stop.start()] not in "?？" else high
    if span := _beside(text, end, high, rule) or _before(text, start, rule):
        yield span
        return
    links = _link(words=rule.check == "word").finditer(text, end, min(high, end + _FAR))
    for match in itertools.islice(links, _MOST_LINKS):
        if compiled(r"[.!;:=→]|\d").search(text, end, match.start()):
            return
        if span := _value(text, match.end(), high, rule):
            yield span
            return


def _beside(text: str, end: int, high: int, rule: Rule) -> Span | None:
    """Return the value right behind its noun: in brackets, with a sign inside, or after a noun without spaces."""
    if rule.check == "code" and (
        token := compiled(r"[ ](\d{4,8}|\d{2,4}(?:[ -]\d{2,4}){1,3})(?![\w.,:/%-]*\d|[\w%€$])").match(text, end, high)
    ):
        return token.span(1)
    if (
        rule.check in {"password", "word"}
        and (token := compiled(r"[\w ]{0,12}[ ]\(([^\s()⟦]{4,40})\)").match(text, end, high))
        and _is_said(token.group(1), described())
    ):
        return token.span(1)
    if rule.check in {"password", "word"} and (
        token := compiled(r"[^\s,;.:]{0,3}, ([^\W\d_]{5,30}),\s").match(text, end, high)
    ):
        return token.span(1) if _is_said(token.group(1), described()) and not token.group(1).endswith("ly") else None
    token = compiled(rf"(?:\w{{0,4}}[ ]|(?<=[{_CJK}]))({_TOKEN})").match(text, end, high)
    if not token:
        return None
    begin, stop = _stripped(text, *token.span(1))
    value = text[begin:stop]
    if len(value) < _LONG or value.casefold() in described():
        return None
    if rule.check == "password" and text[end : end + 1].isascii() is not False and begin == end and value.isascii():
        return (begin, stop) if _is_said(value, described()) else None
    inside = value[1:-1]
    signed = "." in inside or "_" in inside or ("-" in inside and _is_made(value)) or _is_made(value)
    plain = compiled(_ADDRESS).match(value) or compiled(_NAME).match(value) or compiled(_PLACEHOLDER).match(value)
    return (begin, stop) if signed and not plain and not compiled(_CODE).search(value) and rule.check != "key" else None


def _before(text: str, start: int, rule: Rule) -> Span | None:
    """Return the words that a sentence begins with and says to be the secret: "A fox under the moon: that is my …"."""
    if rule.check not in {"password", "word"}:
        return None
    low = max(0, start - _FAR)
    words = r"[^\s,;.:!?()\"]{4,40}" if rule.check == "password" else r"[^\W\d_]{1,24}(?: [^\W\d_]{1,24}){0,8}"
    found = compiled(rf"(?:\A|[\n.!?:,] {{0,2}}|\n)({words})(?:[!,]? {{0,2}}[:,]|[!]?) {_CALLED}\Z").search(
        text[low:start]
    )
    if (
        not found
        or (found.start() == 0 and low > 0)
        or not (" " in found.group(1) or _is_said(found.group(1), described()))
    ):
        return None
    return low + found.start(1), low + found.end(1)


def _is_said(value: str, described: frozenset[str]) -> bool:
    return (
        value.casefold() not in described
        and not compiled(_DESCRIBES).search(value)
        and not compiled(_CODE).search(value)
        and not compiled(_ADDRESS).match(value)
        and not compiled(_PLACEHOLDER).match(value)
        and not compiled(_TERM).match(value)
    )


def _value(text: str, start: int, high: int, rule: Rule) -> Span | None:
    """Return the plain words behind a link, where they end their clause and describe nothing."""
    match = _fillers().match(text, start, high)
    start = match.end() if match else start
    several = compiled(_MANY_WORDS).match(text, start, high) if rule.check == "word" else None
    if (
        several
        and _ends(text, several.end())
        and load().words["function"].isdisjoint(several.group().casefold().split()[:1])
    ):
        return several.span()
    token = compiled(_TOKEN).match(text, start, high)
    if not token:
        cjk = compiled(rf"[{_CJK}]{{2,10}}(?=[，。、！!,.]|\Z|に|で)").match(text, start, high)
        return cjk.span() if cjk and rule.check == "word" else None
    begin, end = _stripped(text, *token.span())
    value = text[begin:end]
    if len(value) < 4 or not _ends(text, end) or value.casefold() in described() or value.isdecimal():
        return None
    if compiled(_PLACEHOLDER).match(value) or compiled(_CODE).search(value) or compiled(_TERM).match(value):
        return None
    if compiled(_ADDRESS).match(value) and not _is_mixed_case(value):
        return None
    if rule.check in {"key", "code"}:
        return (begin, end) if _is_made(value) else None
    if value.isalpha() and compiled(_DESCRIBES).search(value):
        return None
    return begin, end


@functools.cache
def _link(*, words: bool) -> re.Pattern[str]:
    return re.compile(_LINKS[words].replace("{filler}", words_of("filler")))


@functools.cache
def _fillers() -> re.Pattern[str]:
    return re.compile(rf"(?i)(?:(?:{words_of('filler')})[\s,]{{1,2}}){{0,3}}")


@functools.cache
def described() -> frozenset[str]:
    """Return the words that are said of a secret and are none."""
    words = load().words
    return words["not_a_value"] | words["not_a_password"] | words["beside"] | words["filler"] | words["function"]


def words_of(name: str) -> str:
    """Return the words of a list as alternatives of a pattern, longest first."""
    return "|".join(re.escape(word) for word in sorted(load().words[name], key=len, reverse=True))


def _ends(text: str, end: int) -> bool:
    return end >= len(text) or bool(
        compiled(r"[\"'”»’`*)\]]{0,3}\s{0,2}(?:[.,;!?)\n—–|、。，；！？）]|\Z|-\s)").match(text, end)
    )


def _stripped(text: str, start: int, end: int) -> Span:
    while start < end and text[start] in _EDGES:
        start += 1
    while end > start and text[end - 1] in _EDGES:
        end -= 1
    return start, end


def _is_quotable(value: str, rule: Rule, *, plain: bool) -> bool:
    if compiled(_PLACEHOLDER).match(value) or compiled(_CODE).search(value):
        return False
    folded = value.casefold()
    if folded in described() or compiled(_ADDRESS).match(value):
        return False
    if " " in value:
        return rule.check == "word" or (len(value.split()) <= 8 and _is_made(value.replace(" ", "")))
    return _is_made(value) or (plain and rule.check in {"word", "password"} and not compiled(_NAME).match(value))


def _is_mixed_case(value: str) -> bool:
    return any(low.islower() and high.isupper() for low, high in itertools.pairwise(value))


def _is_made(value: str, least: int = 1) -> bool:
    """True if a word has what plain words have not: digits among letters, or a sign inside."""
    if compiled(_PLACEHOLDER).match(value) or compiled(_ADDRESS).match(value) or compiled(_CODE).search(value):
        return False
    if compiled(_TERM).match(value) or compiled(_NAME).match(value):
        return False
    letters = sum(char.isalpha() for char in value)
    digits = sum(char.isdigit() for char in value)
    signs = sum(char in _HARD for char in value[1:-1])
    return bool(letters and digits >= least) or bool(signs and (letters > 1 or digits) and "'" not in value)


def _is_code(text: str, match: re.Match[str], begin: int, end: int, rule: Rule) -> bool:
    """True if a number is no amount, date or ordinal: nothing is counted by it."""
    digits = [char for char in match.group() if char.isdigit()]
    groups = len(re.split(r"\D+", match.group()))
    if (
        not 3 <= len(digits) <= 24
        or (rule.check == "key" and groups == 1)
        or compiled(r"(?:19|20)\d\d-[01]\d-[0-3]\d").fullmatch(match.group())
        or (rule.check != "code" and any(map(str.isalpha, match.group())))
        or (len(digits) == 3 and rule.check != "code" and groups == 1)
    ):
        return False
    after = compiled(r"[ ]?([^\W\d_]{1,20})").match(text, match.end(), end)
    if after and after.group(1).casefold() not in load().words["beside"]:
        cjk = re.match(f"[{_CJK}]", after.group(1))
        if not cjk or after.group(1)[0] in load().words["counters"]:
            return False
    before = compiled(r"([^\W\d_]{1,20})[.]?[ ]?\Z").search(text[max(begin, match.start() - 24) : match.start()])
    return groups > 1 or not (before and before.group(1).casefold() in load().words["dated"])
