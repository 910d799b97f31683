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
import re
from collections.abc import Iterable, Iterator
from typing import Final

from commonplace.guard import values
from commonplace.guard.codes import Noun, is_code, is_elsewhere
from commonplace.guard.table import Rule, compiled, load
from commonplace.guard.values import ABOUT_IT
from commonplace.text import content

Span = tuple[int, int]

_REACH: Final = 200  # characters on either side of a noun
_FAR: Final = 90  # characters between a noun and the last link that is looked at
_MOST_LINKS: Final = 3
_SHORTEST: Final = 4  # characters of a value that a link leads to
_LONG: Final = 5  # characters of a value that nothing but its noun points to
_LONG_NUMBER: Final = 8  # digits of a number that is no code
_LONG_NAME: Final = 11  # characters of the name of a thing that a noun for keys calls a token
_LONG_WORD: Final = 8  # characters of a word that a thing opens with
_CJK: Final = "\u3040-\u30ff\u3400-\u9fff\uff66-\uff9f\uac00-\ud7a3"
_SENTENCE_END: Final = (
    r"\n|[。！？]|(?<! [Nn][or])(?<! n)[.!][\"'”»)]{0,2}(?=\s{1,4}[A-ZÀ-ÞĄ-ŻА-Я0-9¿¡\"“„«]|\s{0,4}\Z)|\?(?=\s|\Z)"
)
_IT_IS: Final = r"(?i)[.!]\s{1,2}<<it>>\s"  # the next sentence speaks of the same: "You need the gate code. It's 4471."
# A sentence about the one before: "A fox under the moon. That is the passphrase."
_THAT_IS: Final = r"(?i)(?:<<that>>\s<<is>>|(?:that|it)['’]s|c['’]est)\s"
_FIELD_EDGE: Final = r"[{,\[:]\s{0,8}\"(?P<opens>)|(?P<closes>)\"(?=\s{0,8}[,:}\]])"  # of a string of JSON
_TOKEN: Final = rf"[^\s,;，。、！？；：（）「」『』“”«»„‹›⟦⟧<>\"`|→{_CJK}]{{2,128}}"
_QUOTED: Final = (
    r"\"([^\"\n⟦]{3,80})\"|(?<![^\W_])'([^'\n⟦]{3,80})'(?![^\W_])|`([^`\n⟦]{3,80})`|“([^”\n⟦]{3,80})”"
    r"|„([^“”\n⟦]{3,80})[“”]"
    r"|«\s?([^»\n⟦]{3,80}?)\s?»|「([^」\n⟦]{2,80})」|『([^』\n⟦]{2,80})』|‘([^’\n⟦]{3,80})’"
)
_NUMBER: Final = (
    rf"(?:(?<![\w.,:/=€$£¥#+-])|(?<=[{_CJK}：→(])|(?<=[{_CJK}]:))"
    rf"(?:\*?\d{{1,8}}(?:(?:\s?[-·・–#→]\s?|[ ])\d{{1,8}}){{0,6}}#?"
    rf"|\d{{2,6}}[A-ZА-Я]\d{{0,4}}|\d[A-ZА-Я]\d{{2,4}}|[A-ZА-Я]\d{{3,6}}[A-Z]?)(?![%€$£¥°-]|[.,:/]\d|(?![{_CJK}])\w)"
)
_ONE: Final = r"(?:<<digits>>|(?:\d{1,3}[ -](?:\w{1,4} ){0,2})?<<turns>>(?:[ -]\d{1,3})?)"
_DIGIT_WORDS: Final = rf"(?i)(?<!\w){_ONE}(?:[ ,-]{{1,2}}{_ONE}){{2,8}}(?!\w)"
_PERSONAL: Final = (  # a number that a state gives to a person
    r"(?<![A-Za-zÀ-ÿ\d.,/€$£+-])(?:(?:[A-Z]{1,4}[ -]?)?\d{1,20}(?:(?:\s?[-./]\s?|[ ])\d{1,12}){0,8}(?:[ -]?[A-Z]\d?)?"
    r"|[A-Za-z\d]{8,18})(?![A-Za-zÀ-ÿ\d%€])"
)
_CALL: Final = r"(?i)(?:phone|\btel|call|ring|fax|hotline|mobile|handy|anruf|télé|電話|电话|전화|тел)[^\d\n]{0,12}\Z"
_CAPITAL: Final = r"[A-ZÀ-ÞĄ-ŻА-Я][^\W\d_]{1,24}"
_NAMES: Final = rf"{_CAPITAL}(?:\s(?:[^\W\d_]{{1,3}}\s)?{_CAPITAL}){{0,3}}"
_ANSWERED: Final = (
    rf"(?i:\b<<answered>>\s(?:<<always>>\s)?)(?:[«\"“„]\s?)?({_NAMES})|\s({_NAMES})(?:\s(?:in|ein|an))?\s<<as>>\s"
    rf"|\s({_NAMES})\s<<done>>\b"
)
_SURE: Final = r"[A-Z][a-z]{2,64}[._][A-Z][a-z]{2,64}\Z|(?=.{0,7}\d)(?=.{0,7}[a-fA-F])[0-9a-fA-F]{7,8}\Z"  # a hash
_SEVERAL: Final = r"(?:[^\W\d_]{1,24}[’'-]?[ ,]{1,2}){2,23}[^\W\d_]{1,24}"
_FIELD: Final = r"[=:(\[{<]|.[^\n]{1,90}[\]}:=>]\Z|[ ,{]\"[^\n\"]{1,80}\"[:=]"
_MARKS: Final = r"\s{0,3}(?:=>|:=|->|={1,2}|[:：→])\s{0,3}|[\"'`]{1,3}\s{0,3}(?:=>|[:=])\s{0,3}"
_LINK: Final = (
    rf"(?i){_MARKS}|\s?\?\s{{1,2}}|\s{{1,2}}[—–-]\s{{1,2}}|(?<=[\s,?])(?:c'est|<<is>>)\s{{1,4}}|['’]s\s{{1,2}}"
    r"|(?:成了?|[是为為叫はが는은])\s{0,2}|,\s(?=<<now>>\s)"
    r"|,\s(?=(?-i:[a-zà-ÿą-żа-я]{5,40}),\s(?!(?:<<and>>|or|of|oder|ou|o|lub|или)\s))"  # "my password, osprey, is"
)
_OTHER: Final = (  # what follows is said of something else: "I changed the password, and now the printer is"
    r"(?i)\s(?:<<and>>|<<but>>)\s(?:\w{1,8}\s){0,2}(?!the\s\w{1,12}\sones?\b)<<whose>>\b"
)
_GOES_ON: Final = r"(?i)(?:\s<<is>>|[:：=]|[は是])\s{0,3}\Z"  # a line whose sentence does
_WITH: Final = (
    r"(?i)\b(?<!⟦\s)(?:<<with>>|<<and>>|als)\s(?:\w{1,5}\s){0,2}\Z|[,;/]\s\Z|\b<<have>>\s(?:<<whose>>\s)?\Z"
    r"|\b(?:default|temporary|temp|initial)\s\Z|\b<<used>>\sde\s\Z"
)
_GAP: Final = (  # to a value right behind
    rf"\w{{0,4}}[\"'’)]{{0,2}}[ \u3000]{{1,2}}(?:(?:to|auf|a|en|in|na|para|naar)[ ])?|(?<=[{_CJK}])"
)
_CALLED: Final = (
    r"(?i:(?: ?[!.,:;] {1,2}(?:<<that>>|<<is>>)| {1,2}(?:<<is>>|c['’]est))\s(?:(?:<<that>>|<<is>>)\s)?"
    r"(?:<<besides>>\s)?(?:<<whose>>\s(?:(?!(?:<<with>>|for|of|who|one|für|pour|para|per)\s)[^\s.,;:!?]{1,20}\s){0,3})?)\Z"
)
_PARTICIPLE: Final = (
    r"(?i).{0,128}(?:ed|ing|ées?|ał[aoy]?|ił[aoy]?|[ao]ny|[ao]ne|ejsz\w{1,3}|[её]е"
    r"|[её]н[аоы]?|[ая]н[аоы]?)\Z"
    r"|(?i:ge|be|ver)[a-z]{3,20}(?:t|en)\Z"
)
_PROCESS: Final = r"[^\W\d_]{0,128}(?:ed|ing|tion|ment)\Z"  # what a heading names: "Password Hashing"
_AS: Final = (  # the words behind a value that is said to be used as one: "Use marlinspike as the guest password"
    rf"(?i)(?<!\S)({_TOKEN})\s<<as>>\s(?:<<whose>>\s)?(?:(?!(?:a|of|de)\s)[^\s.,;:!?]{{1,20}}\s)?\Z"
)
_IDIOM: Final = (  # of success, of a language
    r"(?i)(?<=\bla )clave\s(?:es|era|está|fue|del?\s(?:éxito|asunto|todo|problema|felicidad)\s\w{2,5})\s"
    r"|(?<=palabra )clave\b"
)
_AS_FRONT: Final = r"(?i)(?<!\w)(?<!⟦\s)<<as>>\s(?:<<whose>>\s)?\Z"
_VERBS: Final = rf"\w{{0,3}}(?:\s[^\s.,;:!?]{{1,20}}){{1,8}}?\s(?={_TOKEN}(?:\s<<done>>)?(?:[.,!]|\Z))"
_CHANGED: Final = (
    r"(?i)\w{0,3}(?:(?:\s(?!(?:from|to)\s)<<of>>\s\S{1,20}(?:\s(?!to\s)\S{1,20})?)?"
    r"\s(?:to|a|para|naar|na|на|from(?=\s\S{1,40}\sto\s))|(?:\s[^\s.,;:!?]{1,16}){0,4}?\sauf|\s<<done>>\sin)\s"
)
_NOMINAL: Final = (  # Russian has no word for `is`: "Пароль от почты одуванчик"
    r"(?i)(?:\s(?:от|для|на|во?|к|у)\s(?:(?!(?:от|для|на|во?|к|у|не)\s)[^\W\d_]{1,20}){1}"
    r"(?:\s(?!(?:от|для|на|во?|к|у|не)\s)[^\W\d_]{1,20})??){1,3}\s"
)
_PAIR: Final = (
    r"(?:[\w.@+-]{2,64}(?:\s?[/|]\s?|:(?=\S)|\s<<and>>\s|(?<=[^\W_])[和と])|\s<<with>>\s)"
    rf"(?=({_TOKEN}))"
)
_ENDS: Final = r"[\"'”»’`*)\]]{0,3}\s{0,2}(?:[.,;!?)\n—–|、。，；！？）]|\Z|-\s|/\s|(?<=\s)\()"
_CHANGE_ENDS: Final = rf"{_ENDS}|\s(?:<<done>>|to)\b"
_OPENS_WITH: Final = r"(?i)\b(?:<<with>>|hasłem)\s\Z"
_USED: Final = r"(?i)(?:\b<<used>>\s(?:\w{1,8}\s)?|用|で\s?)\Z"  # "I use Sunrise1987 for everything"
_USER: Final = r"(?i)\b(?:user\w{0,4}|usuari\w|usuário|benutzer|utente|gebruiker|użytkownik|id)[ :=]{1,2}\Z"
_IN_DATA: Final = r"[-_=(\[]|\.\w|[\"']\s?:"  # behind a name that is no word
_NO_WORD: Final = r"\d|[^\W\d_][!@#$%^&*+~=][^\W\d_]"  # in what such nouns speak of
_MADE_ALONE: Final = frozenset({"key", "thing", "person", "login", "reuse"})
_MOST_KNOWN: Final = 64  # sentences whose values are kept in mind


def find(text: str, nouns: Iterable[tuple[int, str, Rule]], numbers: list[Noun]) -> Iterator[Noun]:
    """Yield the secrets that are said with nouns, given by place in order, and the rule of each; list the numbers."""
    sentence: list[Noun] = []
    begin = end = 0
    read = _Reader(numbers)
    for place, noun, rule in nouns:
        behind = place + len(noun)
        if compiled(ABOUT_IT).match(text, behind) or not (rule.check == "key" or _is_noun(text, place, behind, rule)):
            continue
        if place >= end:
            yield from read(text[begin:end], begin, sentence)
            begin, end = _sentence(text, end, place, behind)
            sentence = []
        sentence.append((place - begin, min(behind, end) - begin, rule))
    yield from read(text[begin:end], begin, sentence)


class _Reader:
    """Read sentences; of those that a text repeats, each is read once."""

    def __init__(self, numbers: list[Noun]) -> None:
        self._numbers = numbers
        self._known: dict[tuple[str, tuple[tuple[int, str], ...]], list[Noun]] = {}

    def __call__(self, text: str, begin: int, nouns: list[Noun]) -> Iterator[Noun]:
        """Yield the places of values in a sentence that begins at a place, and the rule of each."""
        key = text, tuple((end, rule.check) for _, end, rule in nouns)
        if key not in self._known:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[key] = list(values_in(text, nouns)) if nouns else []
        for start, end, rule in self._known[key]:
            found = begin + start, begin + end, rule
            if rule.check in {"thing", "code"}:
                self._numbers.append(found)
            else:
                yield found


def values_in(text: str, nouns: list[Noun]) -> Iterator[Noun]:
    """Yield what looks like a value in a sentence with nouns for secrets."""
    if all(rule.check in _MADE_ALONE for _, _, rule in nouns) and not compiled(_NO_WORD).search(text):
        return
    tokens = list(_tokens(text))
    if all(rule.check == "key" for _, _, rule in nouns) and not any(_may_be_key(text, *token) for token in tokens):
        return
    words = set(compiled(r"[^\W\d_]{1,40}").findall(text.casefold()))
    nouns = [noun for noun in nouns if _counts(text, noun, words)]
    swept: set[str] = set()
    made: list[Span] | None = None
    for (start, end, rule), stop in zip(nouns, _stops(text, nouns), strict=True):
        spans = _linked(text, start, end, stop, rule)
        if rule.check not in swept:
            swept.add(rule.check)
            ends = [last for _, last, each in nouns if each.check == rule.check]
            if made is None and rule.check not in {"key", "login", "sign"}:
                made = [span for span in tokens if span[1] - span[0] >= _LONG and values.is_value(text[slice(*span)])]
            spans = itertools.chain(spans, _swept(text, rule, ends, (tokens, made or [])))
        for first, last in spans:
            # The name of a field is no value, whatever words it is made of.
            field = (text[max(0, first - 1) : first], text[last : last + 2]) == ('"', '":')
            if not field and not values.is_address(text, first, last):
                yield first, last, rule


def _counts(text: str, noun: Noun, words: set[str]) -> bool:
    """True if a noun means a secret among the words of its sentence: not a postal code, nor that of an error."""
    start, end, rule = noun
    if rule.near and words.isdisjoint(near := load().words[rule.near]) and not _has_wide(text, near):
        return False
    return rule.check not in {"thing", "code"} or not is_elsewhere(text, start, end)


def _stops(text: str, nouns: list[Noun]) -> list[int]:
    """List how far each noun is linked: to the next one of its kind, which finds what is behind that."""
    following: dict[str, int] = {}
    stops: list[int] = []
    for start, end, rule in reversed(nouns):
        stop = following.get(rule.check, len(text))
        stops.append(stop if stop >= end else len(text))
        following[rule.check] = start
    return stops[::-1]


def _may_be_key(text: str, start: int, end: int) -> bool:
    """True if a word has a sign or a digit and the length of a key."""
    return end - start > _LONG and bool(compiled(r"[^a-zA-Z]").search(text, start, end))


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
        spaced = stop.end() + (text[stop.end() : stop.end() + 1] == " ")
        of_it = text[stop.start()] in "?？" or compiled(_THAT_IS).match(text, spaced, start)
        begin, asked = (asked if of_it else stop.end()), stop.end()
    for stop in compiled(_SENTENCE_END).finditer(text, end, high):
        over = text[stop.start()] == "\n" and compiled(_GOES_ON).search(text, end, stop.start())
        if text[stop.start()] not in "?？" and not over and not compiled(_IT_IS).match(text, stop.start()):
            return begin, max(stop.start(), min(end, high))
    return begin, high


def _is_noun(text: str, start: int, end: int, rule: Rule) -> bool:
    """True if a noun is a word of a sentence, not a part of a name in code such as `checkPassword` or `box-shadow`."""
    if text[start - 1 : start] == "_" or (
        rule.check == "thing"
        and compiled(r"(?i)(?:[!/\\@#&=.]|\bp\.?\s?o\.?\s)\Z").search(text, max(0, start - 6), start)
    ):
        return False
    if rule.check == "thing" and compiled(_IN_DATA).match(text, end):
        return False
    inside = start > 0 and text[start - 1].isascii() and text[start - 1].isalpha()
    if (text[end - 1].isascii() and compiled(r"[a-z]{0,2}[A-Z]|\d").match(text, end)) or values.is_mixed_case(
        text[start + (not inside) : end]
    ):
        return False
    return not (inside and text[start].isupper() and text[start - 1].islower())


def _swept(text: str, rule: Rule, nouns: list[int], words: tuple[list[Span], list[Span]]) -> Iterator[Span]:
    """Yield what looks like a value anywhere in a sentence.

    `nouns` are the ends of the rule's nouns, `words` all words of the sentence and those that look made.
    """
    tokens, made = words
    match rule.check:
        case "key":
            yield from (span for span in tokens if values.is_key(text[slice(*span)]))
            return
        case "login":
            pairs = (values.stripped(text, *match.span(1)) for match in compiled(_PAIR).finditer(text))
            yield from (span for span in pairs if values.is_made(text[slice(*span)]))
            return
        case "person":
            for match in compiled(_PERSONAL).finditer(text):
                called = compiled(_CALL).search(text, max(0, match.start() - 24), match.start())
                if not called and values.is_personal(match.group()):
                    yield match.span()
            return
        case "code" | "thing":
            yield from (match.span() for match in compiled(_DIGIT_WORDS).finditer(text))
        case "sign":
            return
        case "reuse":
            yield from (
                span
                for span in made
                if compiled(_USED).search(text, max(0, span[0] - 24), span[0])
                or text[span[1] :].lstrip().startswith("を使")
            )
            return
    numbers = compiled(_NUMBER).finditer(text)
    yield from (match.span() for match in numbers if is_code(text, match, rule, nouns))
    thing = rule.check == "thing"
    for start, stop in made:
        known = text[start - 1 : start] == "#" or compiled(_USER).search(text, max(0, start - 16), start)
        named = text[stop : stop + 3] == " = " or (rule.check == "code" and text[start : stop - 1].isalpha())
        opens = not thing or (stop - start >= _LONG_WORD and _opens_with(text, start))
        if opens and not (known or named):
            yield start, stop
    yield from _quoted(text, rule, nouns) if not thing else ()


def _opens_with(text: str, start: int) -> bool:
    """True if the word before a place says that something is opened or typed with what is there."""
    before = text[max(0, start - 24) : start]
    word = compiled(r"([^\W\d_]{1,20}\s|[用按输打入])\Z").search(before.casefold())
    return bool(compiled(_OPENS_WITH).search(before)) or bool(word and word[1].rstrip() in load().words["unlocks"])


def _quoted(text: str, rule: Rule, nouns: list[int]) -> Iterator[Span]:
    """Yield what is quoted in a sentence; in code, behind a sign of data and in backticks plain words are none."""
    code = compiled(r"\?|\w[({\[]|[=;]\s{0,4}\Z").search(text)
    for match in compiled(_QUOTED).finditer(text):
        span = match.span(match.lastindex or 0)
        field = compiled(_FIELD).match(text, max(0, match.start() - 1), match.end() + 2)
        plain = not code and not field and match.group()[0] != "`"
        inside = any(span[0] < last <= span[1] for last in nouns)
        if not inside and values.is_quotable(text[slice(*span)], rule, plain=plain):
            yield span


def _tokens(text: str) -> Iterator[Span]:
    """Yield the words of a sentence that may be values: without signs at the edges, or a name and `=` before."""
    for match in compiled(_TOKEN).finditer(text):
        start, stop = values.stripped(text, *match.span())
        if sign := compiled(r".[^=:]{0,40}[=:]").match(text, start, stop):
            start, stop = values.stripped(text, sign.end(), stop)
        yield start, stop


def _linked(text: str, start: int, end: int, stop: int, rule: Rule) -> Iterator[Span]:
    """Yield the value of a noun: behind it, or behind a link before `stop`, to the end of its clause."""
    if rule.check in {"thing", "person", "reuse"}:
        return
    if rule.check == "login":
        yield from filter(None, [_before(text, start, rule)])
        return
    if rule.near and (
        answer := compiled(_ANSWERED).search(text, start, stop)
        or compiled(_ANSWERED).search(text, max(0, start - _FAR), start)
        or compiled(rf"(?:\A|[.!?]\s)({_NAMES}){_CALLED}").search(text, 0, start)
    ):
        yield answer.span(answer.lastindex or 1)
        return
    if rule.check in {"password", "phrase"} and not rule.near and (span := _placed(text, start, end, rule)):
        yield span
        return
    signs = rule.check == "sign" or bool(compiled(_IDIOM).match(text, start))
    gap = compiled(_GAP).match(text, end)
    short = text[start:end].casefold() in {"pw", "psw", "mdp"}
    plain = not signs and (
        short or not text[start].isascii() or bool(compiled(_WITH).search(text, max(0, start - 24), start))
    )
    if (span := _value(text, gap.end(), rule, plain=plain) if gap else None) or (span := _before(text, start, rule)):
        yield span
        return
    polish = bool(compiled(r"(?i)[ąćęłńśźż]|\b(?:klucz|fraza)").search(text))
    links = compiled(rf"{_LINK}|(?<=\s)to\s{{1,2}}" if polish else _LINK).finditer(text, end, min(stop, end + _FAR))
    for match in itertools.islice(links, _MOST_LINKS):
        if compiled(r"[.!;:=→]|\d").search(text, end, match.start()):
            return
        it = compiled(r"(?i)\b(?:it|that)\Z").search(text, end, match.start())
        if match[0][0] in "'’" and match.start() > end and not it:
            continue  # a person's
        if match[0][0] == "," and compiled(r"[,(]").search(text, end, match.start()):
            return  # a list
        if match[0] == ":" and text[end : match.start()].strip().isalpha():
            return  # within a name, such as that of a session
        asked = compiled(r", {1,2}([^\W\d_]{2,9})[^,]{0,80}\Z").search(text, end, match.end())
        if asked and asked.group(1).casefold() in load().words["asks"]:
            return  # the next clause is a question about something else
        other = compiled(_OTHER).search(text, end, match.start())
        plain = not (signs or other) or bool(compiled(_MARKS).fullmatch(match[0]))
        if (span := _value(text, match.end(), rule, plain=plain)) and not (
            "?" in match[0] and text[span[1] : span[1] + 1] == "?"
        ):
            yield span
            return


def _placed(text: str, start: int, end: int, rule: Rule) -> Span | None:
    """Return the word that a sentence says to be a password without a link: "Use marlinspike as the password"."""
    found = compiled(_AS).search(text, max(0, start - _FAR), start)
    owned = found and compiled(r"(?i)(?<!\w)<<whose>>\s\Z").search(text, 0, found.start(1))
    if found and not owned and not compiled(r"\w").match(text, end):
        first, last = values.stripped(text, *found.span(1))
        return (first, last) if _is_plain(text[first:last]) else None
    front = compiled(_AS_FRONT).search(text, max(0, start - 16), start)
    if front and (found := compiled(_VERBS).match(text, end)):
        return _value(text, found.end(), rule, plain=True, ends=_CHANGE_ENDS)
    if "\u0400" <= text[start] <= "\u04ff" and (found := compiled(_NOMINAL).match(text, end)):
        return _value(text, found.end(), rule, plain=True)
    words = compiled(r"[^\W\d_]{2,40}").findall(text.casefold())
    if not load().words["changes"].isdisjoint(words) and (found := compiled(_CHANGED).match(text, end)):
        return _value(text, found.end(), rule, plain=True, ends=_CHANGE_ENDS)
    return None


def _is_plain(value: str) -> bool:
    """True if a word may be a password though nothing but its place says so."""
    known = len(value) < _LONG or values.is_known(value) or compiled(values.NO_VALUE).match(value)
    return not known and not compiled(_PARTICIPLE if value.islower() else _PROCESS).match(value)


def _before(text: str, start: int, rule: Rule) -> Span | None:
    """Return the words that a sentence begins with and says to be the secret: "A fox under the moon: that is my …"."""
    if rule.check not in {"password", "phrase"}:
        return None
    words = r"[^\s,;.:!?()\"⟦⟧]{4,40}" if rule.check == "password" else r"[^\W\d_]{1,24}(?: [^\W\d_]{1,24}){0,8}"
    found = compiled(rf"(?:\A|[.!?:,]\s|\b(?:it's|it is|c'est|es ist)\s)({words}){_CALLED}").search(
        text, max(0, start - _FAR), start
    )
    if found and (" " in found.group(1) or not values.is_described(found.group(1))):
        return found.span(1)
    return None


def _value(text: str, start: int, rule: Rule, *, plain: bool, ends: str = _ENDS) -> Span | None:
    """Return the value at a place; where `plain`, also words that end their clause and describe nothing."""
    if plain and (fillers := compiled(r"(?i)(?:(?:<<filler>>|<<now>>)[\s,]{1,2}){0,3}").match(text, start)):
        start = fillers.end()
    if rule.check == "phrase" and plain and (several := compiled(_SEVERAL).match(text, start)):
        begin = _first_of(text, several, named=text[start - 2] in ":=")
        alone = compiled(r"[^\s,]+, (?:[^\s,]+,? ){2,}").match(text, begin, several.end())  # a word, then a clause
        if compiled(_ENDS).match(text, several.end()) and " " in text[begin : several.end()] and not alone:
            return begin, several.end()
    if rule.near and plain and (names := compiled(_NAMES).match(text, start)):
        return names.span() if compiled(_ENDS).match(text, names.end()) else None
    token = compiled(_TOKEN).match(text, start)
    if not token:
        wide = compiled(rf"[{_CJK}]{{2,10}}(?=[，。、！!,.]|\Z|に|で)").match(text, start)
        apt = (
            wide
            and plain
            and (rule.check == "phrase" or rule.near)
            and not wide.group().lstrip("はがを是").startswith(_described_wide())
        )
        return wide.span() if wide and apt else None
    begin, end = values.stripped(text, *token.span())
    value = text[begin:end]
    named = rule.check != "key" and (compiled(_SURE).match(value) or (value.isdecimal() and len(value) > _LONG_NUMBER))
    if not named and (len(value) < _SHORTEST or value.isdecimal() or values.is_known(value)):
        return None
    # A short token that is not said to be the value is the name of a thing: "token zq3 is in the drawer".
    long = rule.check != "key" or len(value) > (_LONG if plain else _LONG_NAME)
    if named or (values.is_made(value) and long):
        return begin, end
    if not plain or rule.check in {"key", "code"} or compiled(values.CODE).search(value):
        return None
    if compiled(r"\w{2,64}[._]\w{2,64}").match(value) and text[start - 2 : start].strip() not in {":", "="}:
        return None if compiled(values.NO_VALUE).match(value) else (begin, end)
    closed = compiled(rf"(?:\s<<now>>(?=[.,!]|\Z))?(?:{ends})|(?=[{_CJK}])").match(text, end) and not compiled(
        values.NO_VALUE
    ).match(value)
    described = value.isalpha() and compiled(_PARTICIPLE if value.islower() else _PROCESS).match(value)
    return (begin, end) if closed and not described else None


@functools.cache
def _described_wide() -> tuple[str, ...]:
    return tuple(word for word in values.described() if content.is_wide(word[0]))


def _first_of(text: str, several: re.Match[str], *, named: bool) -> int:
    """Return where words begin that may be a secret: "it is long and silly, four donkeys in the snow"."""
    begin = several.start()
    for part in compiled(r"([^\s,]+)[^,]*(?:, |\Z)").finditer(text, begin, several.end()):
        first = part[1].casefold()
        joins = content.is_joining(content.bare(first)) and first not in load().words["digits"]
        said = not named and (first in values.described() or compiled(r".{0,40}(?:[^e]ed|ing)\Z").match(first))
        if not joins and not said:
            return part.start()
    return several.end()


def _has_wide(text: str, words: frozenset[str]) -> bool:
    """True if a text holds one of some words in a script without spaces."""
    return not text.isascii() and any(word in text for word in words if content.is_wide(word))
