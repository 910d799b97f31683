"""Find what people say a secret is: "Voicemail PIN? It's still 3141.", "Sie lautet tannenzapfen", `pw=…`.

Owns one rule: near a noun for a secret, in its sentence, what looks like a value goes. A value has a digit, a sign or
an inner capital, is quoted, or is a plain word that follows the noun through `is`, `:` or `=` to the end of its clause
and describes nothing. The nouns and words of each language are data in `rules/said.toml`. A text is cut into
sentences of at most `_REACH` characters on either side of a noun, each of which is read once for each check, so
the work is linear.
"""

from __future__ import annotations

import functools
import itertools
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from commonplace.guard.table import Rule, compiled, load
from commonplace.text import content, everyday

Span = tuple[int, int]

_REACH: Final = 200  # characters on either side of a noun
_FAR: Final = 90  # characters between a noun and the last link that is looked at
_MOST_LINKS: Final = 3
_SHORTEST: Final = 4  # characters of a value that a link leads to
_LONG: Final = 5  # characters of a value that nothing but its noun points to
_LONG_NAME: Final = 11  # characters of the name of a thing that a noun for keys calls a token
_LONG_WORD: Final = 8  # characters of a word that a thing opens with
_PHONE: Final = 7  # digits of what nothing opens with
_CJK: Final = "\u3040-\u30ff\u3400-\u9fff\uff66-\uff9f\uac00-\ud7a3"
_SENTENCE_END: Final = r"\n|[。！？]|[.!][\"'”»)]{0,2}(?=\s{1,4}[A-ZÀ-ÞĄ-ŻА-Я0-9¿¡\"“„«]|\s{0,4}\Z)|\?(?=\s|\Z)"
_FIELD_EDGE: Final = r"[{,\[:]\s{0,8}\"(?P<opens>)|(?P<closes>)\"(?=\s{0,8}[,:}\]])"  # of a string of JSON
_TOKEN: Final = rf"[^\s,;，。、！？；：（）「」『』“”«»„‹›⟦⟧<>\"`|→{_CJK}]{{2,128}}"
_QUOTED: Final = (
    r"\"([^\"\n⟦]{3,80})\"|(?<![^\W_])'([^'\n⟦]{3,80})'(?![^\W_])|`([^`\n⟦]{3,80})`|“([^”\n⟦]{3,80})”|„([^“”\n⟦]{3,80})[“”]"
    r"|«\s?([^»\n⟦]{3,80}?)\s?»|「([^」\n⟦]{2,80})」|『([^』\n⟦]{2,80})』|‘([^’\n⟦]{3,80})’"
)
_NUMBER: Final = (
    rf"(?:(?<![\w.,:/=€$£¥#+-])|(?<=[{_CJK}：→(]))(?:\*?\d{{1,8}}(?:(?:\s?[-·・–]\s?|[ ])\d{{1,8}}){{0,6}}#?"
    rf"|\d{{2,6}}[A-Z]\d{{0,4}}|[A-Z]\d{{3,6}}[A-Z]?)(?![%€$£¥°-]|[.,:/]\d|(?![{_CJK}])\w)"
)
_SEVERAL: Final = r"(?:[^\W\d_]{1,24}[’'-]?[ ,]{1,2}){2,23}[^\W\d_]{1,24}"
_EDGES: Final = "\"'`*_~([{<.,;:!?)]}>…’‘"
_HARD: Final = r"[!@#$%^&*+?~=_]"
_FIELD: Final = r"[=:(\[{<]|.[^\n]{1,90}[\]}:=>]\Z|[ ,{]\"[^\n\"]{1,80}\"[:=]"
# What follows the noun in a name for something about a secret: `password_hash`, "password reset".
ABOUT_IT: Final = (
    r"(?i)[ _-]?(?:hash|digest|field|reset|policy|length|manager|hint|file|path|url|uri|salt|column|input|store|prompt"
    r"|min|max|count|type|id|name|arn|limit|usage|budget|s?[_ ]used)(?![a-z])"
)
_NO_VALUE: Final = (
    # placeholders, addresses and paths
    r"(?i)(?:x{3}|\*{3}|\.{3}|[•_-]{2}|[$%{<]|your|change_?me\Z|example|placeholder|redacted|dummy|todo|tbd|insert|replace"
    r"|[\w.+-]{1,64}@[\w-]{1,64}\.|[a-z][a-z0-9+.-]{1,12}(?:://|%3A%2F)|www\.|[~.]{0,2}/|--"
    r"|[\w./-]{1,64}\.(?:com|org|net|io|de|fr|nl|pl|it|es|pt|br|uk|eu|us|co|me|ai|dev|app|info|local|example|test|py|js|ts|tsx|go|rs|rb|c|h|cc"
    r"|cpp|java|md|txt|json|jsonl|toml|ya?ml|html?|css|pdf|jpe?g|png|gif|svg|csv|zip|gz|tar|sh|log|cfg|ini|conf|lock|exe|sql|xml|env|pem)\Z"
    # names
    r"|(?-i:[A-Z][A-Z0-9]{0,40}(?:_[A-Z0-9]{1,40}){1,8}\Z|[a-z]{1,40}(?:_[a-z]{1,40}){1,8}\d?\Z)"
    r"|(?:secrets|vars|process|os|self|this|config|env|settings|cfg)\.|[$%@][a-z_])"
)
_TERM: Final = (  # words with digits that are names of techniques, measures, dates, versions
    r"(?i)(?:#[0-9a-f]{3,8}|[0-9a-f]{7,8}|[0-9a-f]{40}|sha-?\d{1,3}|md5|base\d\d(?:url)?|uuid-?v?\d|utf-?\d\d?|o?auth\d?|ipv\d|pbkdf2|argon2\w{0,2}|\dfa|1password|mp\d|x?\d{2,3}_\d\d"
    r"|v?\d{1,9}(?:[.,:/-]\d{1,9}){0,5}[a-z]{0,2}|\d{1,9}[a-zà-ÿ]{1,14}\.?|\d{1,3}-[a-zà-ÿ]{1,14}|[a-z]{1,8}-\d{1,3}|win(?:dows)?\d\d?|web\d|k8s"
    r"|[a-z][\w.-]{0,40}[=~<>!]=v?\d[\w.*]{0,20}|wpa\d?\S{0,9}|https?/[\d.]{1,5}|\d{1,2}[.:h]\d\d|[a-z]{1,3}\d{1,4}|gpt\S{1,20}|(?:iphone|ipad|python|node|gpt|galaxy|pixel|office|usb)-?\d{1,3})\Z"
)
_CODE: Final = r"\.\*|[(){}\[\]|\\]|::|->"
_IS: Final = (
    r"(?:is|was|are|were|sind|sont|son|sono|são|zijn|są|be|being|remains|stays|reads|goes|means|ist|lautet|heißt|war|wäre|bleibt"
    r"|es|era|sería|sigue siendo|será|est|était|étant|sera|è|era|sarà|é|seria|foi|blijft|luidt|jest|brzmi|będzie"
    r"|była|było|är|là|adalah|ialah|это|هي|هو|היא|הוא|είναι)"
)
_MARKS: Final = r"\s{0,3}(?:=>|:=|->|={1,2}|[:：→])\s{0,3}|[\"'`]{1,3}\s{0,3}(?:=>|[:=])\s{0,3}"
_LINK: Final = (
    rf"(?i){_MARKS}|\s{{1,2}}[—–-]\s{{1,2}}|(?<=[\s,?])(?:c'est|{_IS})\s{{1,4}}|['’]s\s{{1,2}}"
    r"|[是为為叫はが는은]\s{0,2}"
)
_GOES_ON: Final = rf"(?i)(?:\s{_IS}|[:：=]|[は是])\s{{0,3}}\Z"  # a line whose sentence does
_WITH: Final = r"(?i)\b(?:with|con|com|avec|met|mit|z|ze|с|als|and|und|et|y|e|en|i)\s(?:\w{1,5}\s){0,2}\Z|[,;/]\s\Z"
_GAP: Final = (  # to a value right behind
    rf"\w{{0,4}}[\"'’)]{{0,2}}[ \u3000]{{1,2}}(?:(?:to|auf|a|en|in|na|para|naar)[ ])?|(?<=[{_CJK}])"
)
_CALLED: Final = (
    rf" ?[!,:]? {{1,2}}(?:(?:that's|c'est|voilà|ecco|éssa|eis|{_IS})\s){{1,2}}(?:[^\s.,;:!?]{{1,20}}\s){{0,4}}\Z"
)
_DESCRIBES: Final = (
    r"(?i).{0,128}(?:ed|ing|ly|able|ible|ory|ary|ive|ful|ous|less|igt|lich|isch|bar|los|ert|elt|ato|ata|uto|uta|ito|ita|oria"
    r"|ado|ada|ido|ida|ível|ável|toire|ée|lijk|(?<!.{9})(?:ent|ant|sé|ré|né|té|lé|gen|ten|nen|ny|na|ne|ty|ta|te|dig))\Z"
)
_PAIR: Final = (
    r"(?:[\w.@+-]{2,64}(?:\s?[/|]\s?|:(?=\S)|\s(?:and|und|et|y|e|en|i|и)\s|(?<=[^\W_])[和と])|\s(?:with|mit)\s)"
    rf"({_TOKEN})"
)
_ENDS: Final = r"[\"'”»’`*)\]]{0,3}\s{0,2}(?:[.,;!?)\n—–|、。，；！？）]|\Z|-\s|/\s|\()"
_OPENED: Final = r"(?:は|が|用|按|输入?|是|为|成|密码|号码|番号|コード|\(|:|：|=|→)\s?\Z"
_OPENING: Final = rf"\s(?:{_IS})\s|\s?(?:で|を(?:入力|押)|に設定|打开|解锁|解除|再按|开|就开|로|으로)"
_OPENS_WITH: Final = r"(?i)\b(?:with|mit|avec|con|com|met|hasłem)\s\Z"
_USER: Final = r"(?i)\b(?:user\w{0,4}|usuari\w|usuário|benutzer|utente|gebruiker|użytkownik|id)[ :=]{1,2}\Z"
_RANDOM: Final = 16  # characters of a value that a machine made


def find(text: str, nouns: Iterable[tuple[int, str, Rule]]) -> Iterator[tuple[int, int, Rule]]:
    """Yield the secrets that are said with nouns, given by place in order, and the rule of each."""
    sentence: list[tuple[int, int, Rule]] = []
    begin = end = 0
    for place, noun, rule in nouns:
        behind = place + len(noun)
        if compiled(ABOUT_IT).match(text, behind) or not (rule.check == "key" or _is_noun(text, place, behind, rule)):
            continue
        if place >= end:
            yield from _read(text[begin:end], begin, sentence)
            begin, end = _sentence(text, end, place, behind)
            sentence = []
        sentence.append((place - begin, min(behind, end) - begin, rule))
    yield from _read(text[begin:end], begin, sentence)


def _read(text: str, begin: int, nouns: list[tuple[int, int, Rule]]) -> Iterator[tuple[int, int, Rule]]:
    """Yield what looks like a value in a sentence with nouns for secrets."""
    words = set(compiled(r"[^\W\d_]{1,40}").findall(text.casefold())) if nouns else set()
    other = not words.isdisjoint(load().words["elsewhere"])  # a postal code, a voucher
    swept: set[str] = set()
    tokens = list(_tokens(text)) if nouns else []
    made: list[Span] | None = None
    for start, end, rule in nouns:
        if rule.near and words.isdisjoint(near := load().words[rule.near]) and not _has_wide(text, near):
            continue
        if other and rule.check in {"thing", "code"}:
            continue
        spans = _linked(text, start, end, rule)
        if rule.check not in swept:
            swept.add(rule.check)
            ends = [last for _, last, each in nouns if each.check == rule.check]
            if made is None and rule.check not in {"key", "login", "sign"}:
                made = [span for span in tokens if span[1] - span[0] >= _LONG and _is_value(text[slice(*span)])]
            spans = itertools.chain(spans, _swept(text, rule, ends, (tokens, made or []), other=other))
        for first, last in spans:
            # The name of a field is no value, whatever words it is made of.
            if (text[max(0, first - 1) : first], text[last : last + 2]) != ('"', '":'):
                yield begin + first, begin + last, rule


def _sentence(text: str, done: int, start: int, end: int) -> Span:
    """Return the sentence of a noun, with the next one where this one asks; in JSON no more than its string."""
    low, high = max(done, start - _REACH), min(len(text), end + _REACH)
    quotes = list(compiled(_FIELD_EDGE).finditer(text, low, start)) if '"' in text[low:start] else []
    if quotes and quotes[-1].lastgroup == "opens":
        low = quotes[-1].end()
        closing = compiled(_FIELD_EDGE).search(text, start, high)
        high = closing.start() if closing else high
    begin = asked = low
    for stop in compiled(_SENTENCE_END).finditer(text, low, start):
        # A question and what follows it are one: "Voicemail PIN? It's still 3141."
        begin, asked = (asked, stop.end()) if text[stop.start()] in "?？" else (stop.end(), stop.end())
    for stop in compiled(_SENTENCE_END).finditer(text, end, high):
        over = text[stop.start()] == "\n" and compiled(_GOES_ON).search(text, end, stop.start())
        if text[stop.start()] not in "?？" and not over:
            return begin, max(stop.start(), min(end, high))
    return begin, high


def _is_noun(text: str, start: int, end: int, rule: Rule) -> bool:
    """True if a noun is a word of a sentence, not a part of a name in code such as `checkPassword` or `box-shadow`."""
    if text[start - 1 : start] == "_" or (rule.check == "thing" and text[end : end + 1] in {"-", "_"}):
        return False
    inside = start > 0 and text[start - 1].isascii() and text[start - 1].isalpha()
    if (text[end - 1].isascii() and compiled(r"[a-z]{0,2}[A-Z]|\d").match(text, end)) or _is_mixed_case(
        text[start + (not inside) : end]
    ):
        return False
    return not (inside and text[start].isupper() and text[start - 1].islower())


def _swept(
    text: str, rule: Rule, nouns: list[int], words: tuple[list[Span], list[Span]], *, other: bool
) -> Iterator[Span]:
    """Yield what looks like a value anywhere in a sentence.

    `nouns` are the ends of the rule's nouns, `words` all words of the sentence and those that look made.
    """
    tokens, made = words
    match rule.check:
        case "key":
            yield from (span for span in tokens if _is_key(text[slice(*span)]))
            return
        case "login":
            pairs = (_stripped(text, *match.span(1)) for match in compiled(_PAIR).finditer(text))
            yield from (span for span in pairs if _is_made(text[slice(*span)]))
            return
        case "code":
            yield from (match.span() for match in _digit_words().finditer(text))
        case "sign":
            return
    numbers = compiled(_NUMBER).finditer(text) if not other else ()
    yield from (match.span() for match in numbers if _is_code(text, match, rule, nouns))
    thing = rule.check == "thing"
    for start, stop in made:
        known = text[start - 1 : start] == "#" or compiled(_USER).search(text, max(0, start - 16), start)
        opens = not thing or (
            stop - start >= _LONG_WORD and compiled(_OPENS_WITH).search(text, max(0, start - 16), start)
        )
        if opens and not known:
            yield start, stop
    yield from _quoted(text, rule, nouns) if not thing else ()


def _quoted(text: str, rule: Rule, nouns: list[int]) -> Iterator[Span]:
    """Yield what is quoted in a sentence; in code, behind a sign of data and in backticks plain words are none."""
    code = compiled(r"\?|\w[({\[]|[=;]\s{0,4}\Z").search(text)
    for match in compiled(_QUOTED).finditer(text):
        span = match.span(match.lastindex or 0)
        field = compiled(_FIELD).match(text, max(0, match.start() - 1), match.end() + 2)
        plain = not code and not field and match.group()[0] != "`"
        inside = any(span[0] < last <= span[1] for last in nouns)
        if not inside and _is_quotable(text[slice(*span)], rule, plain=plain):
            yield span


def _tokens(text: str) -> Iterator[Span]:
    """Yield the words of a sentence that may be values: without signs at the edges, or a name and `=` before."""
    for match in compiled(_TOKEN).finditer(text):
        start, stop = _stripped(text, *match.span())
        if sign := compiled(r".[^=:]{0,40}[=:]").match(text, start, stop):
            start = sign.end()
        yield start, stop


@functools.cache
def _digit_words() -> re.Pattern[str]:
    digits = "|".join(sorted(load().words["digits"], key=len, reverse=True))
    return re.compile(rf"(?i)(?<!\w)(?:{digits})(?:[ -,](?:{digits})){{2,8}}(?!\w)")


def _linked(text: str, start: int, end: int, rule: Rule) -> Iterator[Span]:
    """Yield the value that a noun is said to have: behind it, or behind a link, to the end of its clause."""
    if rule.check in {"thing", "login"}:
        return
    signs = rule.check == "sign"
    gap = compiled(_GAP).match(text, end)
    plain = not signs and (not text[start].isascii() or bool(compiled(_WITH).search(text, max(0, start - 24), start)))
    if (span := _value(text, gap.end(), rule, plain=plain) if gap else None) or (span := _before(text, start, rule)):
        yield span
        return
    polish = not text[start:end].isascii() or text[start : start + 5] in {"klucz", "fraza"}
    link = _MARKS if signs else rf"{_LINK}|(?<=\s)to\s{{1,2}}" if polish else _LINK
    links = compiled(link).finditer(text, end, min(len(text), end + _FAR))
    for match in itertools.islice(links, _MOST_LINKS):
        if compiled(r"[.!;:=→]|\d").search(text, end, match.start()):
            return
        if match[0] == ":" and text[end : match.start()].strip().isalpha():
            return  # within a name, such as that of a session
        if span := _value(text, match.end(), rule, plain=True):
            yield span
            return


def _before(text: str, start: int, rule: Rule) -> Span | None:
    """Return the words that a sentence begins with and says to be the secret: "A fox under the moon: that is my …"."""
    if rule.check not in {"password", "phrase"}:
        return None
    words = r"[^\s,;.:!?()\"]{4,40}" if rule.check == "password" else r"[^\W\d_]{1,24}(?: [^\W\d_]{1,24}){0,8}"
    found = compiled(rf"(?:\A|[.!?:,]\s)({words}){_CALLED}").search(text, max(0, start - _FAR), start)
    if found and (" " in found.group(1) or not _is_described(found.group(1))):
        return found.span(1)
    return None


def _value(text: str, start: int, rule: Rule, *, plain: bool) -> Span | None:
    """Return the value at a place; where `plain`, also words that end their clause and describe nothing."""
    for _ in range(3):
        word = compiled(r"[^\W\d_']{1,16}[\s,]{1,2}").match(text, start)
        if not plain or not word or word.group().strip(" ,").casefold() not in load().words["filler"]:
            break
        start = word.end()
    if rule.check == "phrase" and plain and (several := compiled(_SEVERAL).match(text, start)):
        first = several.group().casefold().split()[0]
        if compiled(_ENDS).match(text, several.end()) and not content.is_joining(content.bare(first)):
            return several.span()
    token = compiled(_TOKEN).match(text, start)
    if not token:
        wide = compiled(rf"[{_CJK}]{{2,10}}(?=[，。、！!,.]|\Z|に|で)").match(text, start)
        return wide.span() if wide and plain and (rule.check == "phrase" or rule.near) else None
    begin, end = _stripped(text, *token.span())
    value = text[begin:end]
    if len(value) < _SHORTEST or value.isdecimal() or compiled(_TERM).match(value) or _is_described(value):
        return None
    named = rule.check != "key" and compiled(r"[A-Z][a-z]{2,64}[._][A-Z][a-z]{2,64}\Z").match(value)
    # A short token that is not said to be the value is the name of a thing: "token zq3 is in the drawer".
    long = rule.check != "key" or len(value) > (_LONG if plain else _LONG_NAME)
    if named or (_is_made(value) and long):
        return begin, end
    if not plain or rule.check in {"key", "code"} or compiled(_CODE).search(value):
        return None
    if compiled(r"\w{2,64}[._]\w{2,64}").match(value) and text[start - 2 : start].strip() not in {":", "="}:
        return None if compiled(_NO_VALUE).match(value) else (begin, end)
    ends = compiled(rf"{_ENDS}|(?=[{_CJK}])").match(text, end) and not compiled(_NO_VALUE).match(value)
    return (begin, end) if ends and not (value.isalpha() and compiled(_DESCRIBES).match(value)) else None


def _is_described(value: str) -> bool:
    """True if a word is said of a secret and is none."""
    folded = value.casefold()
    return folded in described() or folded in everyday.COMMON or content.is_joining(content.bare(folded))


@functools.cache
def described() -> frozenset[str]:
    """Return the words that are said of a secret and are none."""
    return load().words["not_a_value"] | load().words["filler"]


def _stripped(text: str, start: int, end: int) -> Span:
    """Return a span without signs at its edges that belong to the sentence."""
    while start < end and text[start] in _EDGES:
        start += 1
    while start < end and text[end - 1] in _EDGES:
        end -= 1
    return start, end


def _is_quotable(value: str, rule: Rule, *, plain: bool) -> bool:
    if compiled(_NO_VALUE).match(value) or compiled(_CODE).search(value) or value.casefold() in described():
        return False
    if " " in value:
        return rule.check == "phrase" or (len(value.split()) <= 8 and _is_made(value.replace(" ", "")))
    return _is_made(value) or (plain and rule.check in {"phrase", "password"})


def _is_value(value: str) -> bool:
    return _is_made(value) and not _is_described(value)


def _is_mixed_case(value: str) -> bool:
    return any(low.islower() and high.isupper() for low, high in itertools.pairwise(value))


def _is_made(value: str) -> bool:
    """True if a word has what plain words have not: digits among letters, or a sign inside."""
    if compiled(_NO_VALUE).match(value) or compiled(_TERM).match(value) or compiled(_CODE).search(value):
        return False
    if not (letter := compiled(r"[^\W\d_]").search(value)) and not value[:1].isdigit():
        return False
    digit = compiled(r"\d").search(value)
    sign = compiled(_HARD).search(value, 1, len(value) - 1) and "'" not in value
    return bool(letter and digit) or bool(sign and (digit or compiled(r"[^\W\d_].{0,128}[^\W\d_]").search(value)))


def _is_code(text: str, match: re.Match[str], rule: Rule, nouns: list[int]) -> bool:
    """True if a number is no amount, date or ordinal: nothing is counted by it."""
    words = load().words
    digits = sum(char.isdigit() for char in match.group())
    groups = len(compiled(r"\d+").findall(match.group()))
    exact = rule.check in {"code", "thing"}
    if (
        not 3 <= digits <= 24
        or compiled(r"(?:19|20)\d\d-[01]\d-[0-3]\d").fullmatch(match.group())
        or (not exact and (any(map(str.isalpha, match.group())) or (digits == 3 and groups == 1)))
    ):
        return False
    led = _is_led(text, match, nouns)
    after = compiled(r"[ ]?([^\W\d_]{1,20})").match(text, match.end())
    if after:
        word, sure = after.group(1).casefold(), led and digits > 3
        if content.is_wide(word[0]):
            if word[0] in words["counters"] and not sure:
                return False
        elif word in words["counters"] or not (
            sure or content.is_joining(content.bare(word)) or word in words["unlocks"]
        ):
            return False
    before = compiled(r"[^\W\d_]{1,20}(?=[.]?[ ]?\Z)").search(text[max(0, match.start() - 24) : match.start()])
    lead = before.group().casefold() if before else ""
    year = compiled(r"(?:19|20)\d\d").fullmatch(match.group())
    if year and compiled(r"\d,? \Z").search(text, 0, match.start()):
        return False
    if groups == 1 and (
        lead in words["dated"] or (year and lead in words["years"]) or (digits == 3 and lead[1:3] == "um")
    ):
        return False
    return rule.check != "thing" or (digits < _PHONE and led)


def _is_led(text: str, match: re.Match[str], nouns: list[int]) -> bool:
    """True if a sentence says that a thing opens with a number, or the number is right behind the thing."""
    before = text[max(0, match.start() - 48) : match.start()]
    if (
        not {"*", "#"}.isdisjoint(match.group())
        or compiled(_OPENED).search(before)
        or compiled(_OPENING).match(text, match.end())
    ):
        return True
    if any(compiled(r"\w{0,6}[ ,]{0,2}").fullmatch(text, end, match.start()) for end in nouns if end <= match.start()):
        return True
    words = load().words
    after = compiled(r"\s?([^\W\d_]{2,20})").match(text, match.end())
    if after and after.group(1).casefold() in words["unlocks"]:
        return True
    for word in reversed(compiled(r"[^\W\d_]+(?:['’][^\W\d_]+)?").findall(before.casefold())[-3:]):
        if word in words["leads"] or word in words["unlocks"]:
            return True
        if not content.is_joining(content.bare(word)) and word not in words["filler"]:
            return False
    return False


def _is_key(value: str) -> bool:
    """True if a value was made by a machine: it is long, or a part of it mixes letters and digits."""
    if looks_random(value) or compiled(r"\d{5,8}(?:-\d{5,8}){1,9}").fullmatch(value):
        return True
    parts = compiled(r"[._-]").split(value)
    if len(value) < 10 or len(parts) < 2 or sum(map(str.isdigit, value)) < 2 or not _is_made(value):
        return False
    mixed = any(not part.isalpha() and not part.isdecimal() for part in parts)
    return mixed or (len(parts) > 2 and any(map(str.isupper, value)))


def looks_random(value: str) -> bool:
    """True if a value of 16 or more characters was made by a machine and is no path, name or version."""
    if (
        len(value) < _RANDOM
        or compiled(_NO_VALUE).match(value)
        or compiled(_CODE).search(value)
        or entropy(value) < 3.0
    ):
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


def _has_wide(text: str, words: frozenset[str]) -> bool:
    """True if a text holds one of some words in a script without spaces."""
    return not text.isascii() and any(word in text for word in words if content.is_wide(word))
