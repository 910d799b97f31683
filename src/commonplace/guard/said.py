"""Find what people say a secret is: "Voicemail PIN? It's still 3141.", "Sie lautet tannenzapfen", `pw=…`.

Owns one rule: near a noun for a secret, in its sentence, what looks like a value goes. A value has a digit, a sign or
an inner capital, is quoted, or is a plain word that follows the noun through `is`, `:` or `=` to the end of its clause
and describes nothing. The nouns and words of each language are data in `rules/said.toml`. A text is cut into
sentences of at most `_REACH` characters on either side of a noun, each of which is read once for each check, so
the work is linear.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator
from typing import Final

from commonplace.guard import values
from commonplace.guard.codes import IS_ONE, Lead, Noun, Numbers, codes, is_dated, is_elsewhere, lead_of
from commonplace.guard.linked import linked
from commonplace.guard.sentences import Sentence, Span
from commonplace.guard.table import STRETCH, Rule, compiled, load
from commonplace.guard.values import ABOUT_IT
from commonplace.text import content

_REACH: Final = 200  # characters on either side of a noun
_MOST_SAID: Final = 16  # secrets in one stretch
_LINK: Final = 32  # characters that a word for "is" and the blanks behind it take
_WORD_INNER: Final = rf"(?<!\S){values.INNER}(?=[.,!?:]?(?:\s|\Z))"
_LONG_WORD: Final = 8  # characters of a word that a thing opens with
_SENTENCE_END: Final = (  # patterns that begin with a set of signs are searched for several times as fast
    r"[\n。！？.!?](?:(?<=[\n。！？])|(?<=[.!])(?<! [Nn][or][.!])(?<!\W[^\W\d_][.!])(?<!\.\.\.)[\"'”»)]{0,2}"
    r"(?=\s{1,4}[A-ZÀ-ÞĄ-ŻА-Я0-9¿¡\"“„«]|\s{0,4}\Z)|(?<=\?)(?=\s|\Z))"
)
# The next sentence speaks of the same: "You need the gate code. It's 4471.", "My secret question: school. Answer: …"
_IT_IS: Final = (
    r"(?i)[.!]\s{1,2}(?:(?:[^\W\d_]{1,12}\s)?<<it>>\s|(?:\w{1,20}['’]s\s)?<<reply>>\s?[:：]"
    r"|[^\W\d_]{4,40}(?:\s[^\W\d_]{3,40}){0,2},\s<<that>>\s)"
)
# The next sentence is nothing but a number or a word with one: "The PIN is new. 4471."
_ALONE: Final = (
    r"(?i)[.!。！]{1,3}\s{0,2}(?:\d{1,2}\s(?:[RL]\b|<<sides>>)"
    r"|(?=[^\W\d_]{1,40}\d|\d{1,20}[^\W\d_])[^\s.,:;/()]{6,40}(?:[.!]?\s{0,4}\Z|[.!]?\n)"
    r"|(?:\d{4,8}|\d(?:[ -]\d){2,7})(?:[.,;!。，！]|\s{0,4}\Z|\s<<now>>\b))"
)
# A sentence about the one before: "A fox under the moon. That is the passphrase."
_THAT_IS: Final = r"(?i)(?:<<that>>\s<<is>>|(?:that|it)['’]?s|c['’]est)\s"
_FIELD_EDGE: Final = r"[{,\[:]\s{0,8}\"(?P<opens>)|(?P<closes>)\"(?=\s{0,8}[,:}\]])"  # of a string of JSON
_REFERS: Final = (
    r"(?i)\w{0,4}[\"'”»]?(?:\s?[:：]|\s<<is>>)\s?<<see>>(?!\w)|[:：][找见問问]"  # to a place: "Password: see the vault"
)
_MANAGER: Final = (  # of passwords
    r"(?i)(?:gestionnaire|gestore?|gerenciador|menedżer\w{0,2}|менеджер\w{0,2}) (?:de |di )?\Z"
)
_QUOTED: Final = (
    r"[\"'`“„«「『‘](?:(?<=\")([^\"\n⟦]{3,80})\"|(?<=')(?<![^\W\d_]')([^'\n⟦]{3,80})'(?![^\W\d_])|(?<=`)([^`\n⟦]{3,80})`"
    r"|(?<=“)([^”\n⟦]{3,80}|[\u3400-\u9fff]{2})”|(?<=„)([^“”\n⟦]{3,80})[“”]|(?<=«)\s?([^»\n⟦]{3,80}?)\s?»"
    r"|(?<=「)([^」\n⟦]{2,80})」|(?<=『)([^』\n⟦]{2,80})』|(?<=‘)([^’\n⟦]{3,80})’)"
)
_NAME_OPENS: Final = r"[\"'][\w.-]{1,60}\Z"
_UNDER: Final = (  # where it is kept
    r"(?i)(?<!\w)(?:under|in|unter|sous|dans|bajo|en|sotto|sob|em|onder|pod|w|под|в)\s(?:<<whose>>\s)?\Z"
)
_SAID: Final = (
    r"(?i)(?:<<is>>|\b<<answered>>|['’]s|c['’]est|[:：は是])\s{0,2}(?:(?:<<filler>>|<<now>>)[\s,]{1,2}){0,3}\Z"
)
_GROUPS: Final = (  # as an authenticator shows a key
    r"(?<![\w-])(?=[A-Z ]{0,24}\d)(?=[\d ]{0,24}[A-Z])[A-Z\d]{4}(?: [A-Z\d]{4}){2,15}(?: [A-Z\d]{1,3})?(?![\w-])"
)
_SERIAL: Final = (  # fewer groups of digits are a telephone number
    r"(?<![\w-])(?:\d{4,8}-){3,9}\d{4,8}(?![\w-])|(?<![\w-])(?=[A-Z-]{0,40}\d)(?=[\d-]{0,40}[A-Z])(?:[A-Z\d]{4,8}-){2,9}[A-Z\d]{4,8}(?![\w-])"
)
_ONE: Final = r"(?:<<digits>>|(?:\d{1,3}[ -](?:\w{1,4} ){0,2})?<<turns>>(?:[ -]\d{1,3})?)"
_DIGIT_WORDS: Final = rf"(?i)(?<!\w){_ONE}(?:[ ,-]{{1,2}}{_ONE}){{2,8}}(?!\w)"
_WIDE_DIGITS: Final = (
    r"(?<![零〇一二三四五六七八九])[零〇一二三四五六七八九]{4,8}(?![零〇一二三四五六七八九十百千万年月])"
)
_FIELD: Final = r"[=:(\[{<]|.[^\n]{1,90}[\]}:=>]\Z|[ ,{]\"[^\n\"]{1,80}\"[:=]"
_GOES_ON: Final = r"(?i)(?:\s<<is>>|[:：=]|[は是])\s{0,3}\Z"  # a line whose sentence does
_TURN: Final = (  # of a dial: "right 38, left 12", "38 R, 12 L", and its numbers alone: "12, 44, 9"
    r"(?i)(?<!\w)<<sides>>(?:\s(?:to|auf|bis|na|do|до|jusqu['’]à|à|al?|fino|at?)){0,2}\s(\d{1,3})(?![\w.])"
    r"|[左右](?:[へに转到至]|回し?て?){0,2}\s?(\d{1,3})(?!\d)|(?<![\w.,])(\d{1,3})\s?(?:(?:a|à|to|nach|naar|na|w)\s)?(?:<<sides>>|[RL])(?!\w)"
)
_NEXT: Final = (  # of the numbers of a dial: "71, then 05, then 33"
    r"(?:(?:[,;]\s|\s(?=[^\W\d_]))(?:(?:<<turns>>|<<and>>|<<onto>>)\s){0,3}|[,，、先再最后後然左右转轉到动至圈]{1,8}\s?)"
)
_SERIES: Final = rf"(?i)(?<![a-z\d_.,:/-])\d{{1,2}}(?:{_NEXT}\d\d){{1,3}}{_NEXT}\d{{1,2}}(?![a-z\d_%€$]|[.,:/]\d)"
_PAIR: Final = (
    r"(?:[\w.@+-]{2,64}(?:\s?[/|]\s?|:(?=\S)|,?\s(?:<<and>>|<<turns>>|plus)\s|(?<=[^\W_])[和と])|\s<<with>>\s"
    r"|(?<!\w)(?:<<used>>|<<gives>>)\s(?:[^\W\d_]{1,6}\s){0,2}|[输填打]入?)"
    rf"(?=({values.TOKEN}))"
)
_USER: Final = r"(?i)\b(?:user\w{0,4}|usuari\w|usuário|benutzer|utente|gebruiker|użytkownik|id)[ :=]{1,2}\Z"
_A_GOOD: Final = r"(?i)\s(?:an?|ein|een|una?|uma?|to)\s"  # behind a question's `is` and what is quoted
_NAMED_SO: Final = r"(?i)\s<<as>>\s|(?:\s[^\W\d_]{2,12})?[,.]?\s(?:<<it>>|<<that>>\s<<is>>)\s"  # behind what is quoted
_CLAUSE_EDGE: Final = r"[,.;:!?–—](?:\s|\Z)|[、。，]"
_IN_DATA: Final = r"[-_=(\[]|\.\w|[\"']\s?:"  # behind a name that is no word
_CODE: Final = (  # in a sentence
    r"[A-Za-z_][({\[]|[=;]\s{0,4}\Z|\s(?:[/*+]{1,2}|==)\s|=\s?[\[({\"]|\n\s{0,8}-|ssh -i"
)
_THING: Final = (  # names of things, tickets, amounts, and models: "Xbox360", "ChatGPT4o", "June2024", "BMW320d"
    r"[A-Z][A-Z\d-]{0,40}|.{0,128}[/'].{0,128}|(?![a-z]{3,9}\d{1,4}\Z)[a-z\d]{1,11}|[a-z]{1,40}(?:_[a-z\d]{1,40}){1,8}"
    r"|[A-Za-z][a-z]{0,20}[A-Z]{0,4}\d{1,3}[a-z]?|[A-Z][A-Za-zÀ-ÿ]{0,20}\d{1,4}[a-z]{0,4}|\D{0,128}\d?\D{0,128}"
)
_DOTTED: Final = r"[A-ZÀ-Þ][a-zß-ÿ]{2,40}(?:\.[A-ZÀ-Þ][a-zß-ÿ]{2,40}){1,3}"
_NO_WORD: Final = r"\d|[^\W\d_][!@#$%^&*+~=][^\W\d_]|[^\W\d_]{4}[$%#^&]"  # in what such nouns speak of
_MADE_ALONE: Final = frozenset({"key", "serial", "thing", "login", "account"})
_MOST_KNOWN: Final = 512  # sentences whose values are kept in mind

Known = dict[tuple[str, tuple[tuple[int, str], ...]], list[Noun]]
"""What sentences that were read hold: for one screening, which reads what it made of a text again."""


def find(text: str, nouns: Iterable[tuple[int, str, Rule]], numbers: Numbers, known: Known) -> Iterator[Noun]:
    """Yield the secrets that are said with nouns, given by place in order, and the rule of each; add the numbers."""
    sentence: list[Noun] = []
    begin = end = 0
    read = _Reader(numbers, known)
    for place, noun, rule in nouns:
        behind = place + len(noun)
        if place >= end:
            yield from read(text[begin:end], begin, sentence)
            sentence = []
            if read.is_full(place):
                yield *_line(text, max(end, place - _REACH), place, behind), rule
                continue
        if compiled(ABOUT_IT).match(text, behind) or not (rule.check == "key" or _is_noun(text, place, behind, rule)):
            continue
        if not sentence:
            begin, end = _sentence(text, end, place, behind)
            found_in = compiled(values.PLACE).match(text, begin, place)
            begin = found_in.end() if found_in else begin
        sentence.append((place - begin, min(behind, end) - begin, rule))
    yield from read(text[begin:end], begin, sentence)


def _line(text: str, low: int, start: int, end: int) -> Span:
    """Return the line of a noun from a place on, with the next one where it is at the end of its own."""
    stop = text.find("\n", end + _LINK, end + _REACH)
    return max(low, text.rfind("\n", low, start) + 1), stop if stop >= 0 else min(len(text), end + _REACH)


class _Reader:
    """Read sentences, each that a text repeats once; behind too many secrets a stretch is full: lines go as a whole."""

    def __init__(self, numbers: Numbers, known: Known) -> None:
        self._numbers = numbers
        self._known = known
        self._stretch = self._count = 0
        self._leads: set[Lead] = set()

    def is_full(self, place: int) -> bool:
        """True if the stretch of a place has too many secrets to look for more."""
        return self._count > _MOST_SAID and place // STRETCH == self._stretch

    def __call__(self, text: str, begin: int, nouns: list[Noun]) -> Iterator[Noun]:
        """Yield the places of values in a sentence that begins at a place, and the rule of each."""
        if begin // STRETCH != self._stretch:
            self._stretch, self._count = begin // STRETCH, 0
            self._leads.clear()
        key = text, tuple((end, rule.check) for _, end, rule in nouns)
        if key not in self._known:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[key] = list(values_in(text, nouns)) if nouns else []
        for start, end, rule in self._known[key]:
            found = begin + start, begin + end, rule
            if rule.check in {"thing", "code"}:
                lead = lead_of(text, start)
                self._numbers.add(*found, lead)
                self._count += lead not in self._leads  # the numbers of a list are behind the same words
                self._leads.add(lead)
            else:
                self._count += 1
                yield found


def values_in(text: str, nouns: list[Noun]) -> Iterator[Noun]:
    """Yield what looks like a value in a sentence with nouns for secrets."""
    sentence = Sentence(text)
    if (
        all(rule.check in _MADE_ALONE for _, _, rule in nouns)
        and not compiled(_NO_WORD).search(text)
        and not (any(rule.check == "thing" for _, _, rule in nouns) and sentence.counts)
        and not (sentence.is_wide and compiled(_WIDE_DIGITS).search(text))
    ):
        return
    nouns = [noun for noun in nouns if _counts(sentence, noun)]
    if any(rule.check == "code" for *_, rule in nouns):  # what a thing opens with is a code
        nouns = [noun for noun in nouns if noun[2].check != "thing"]
    swept: set[str] = set()
    found: dict[Span, Rule] = {}
    for start, end, rule in nouns:
        spans = linked(sentence, start, end, rule)
        if rule.check not in swept:
            swept.add(rule.check)
            ends = [last for _, last, each in nouns if each.check == rule.check]
            spans = itertools.chain(spans, _swept(sentence, rule, ends))
        for first, last in spans:
            # The name of a field is no value, whatever words it is made of, nor is that of a call.
            field = (text[max(0, first - 1) : first], text[last : last + 2]) == ('"', '":')
            if not field and text[last : last + 2] != "()" and not values.is_address(text, first, last):
                found.setdefault((first, last), rule)
    yield from ((*span, rule) for span, rule in found.items())


def _counts(sentence: Sentence, noun: Noun) -> bool:
    """True if a noun means a secret among the words of its sentence: not a postal code, nor that of an error."""
    start, end, rule = noun
    if rule.check in {"password", "phrase"} and sentence.holds("slogan"):
        return False
    if compiled(_REFERS).match(sentence.text, end) or (rule.near and not sentence.holds(rule.near)):
        return False
    return rule.check not in {"thing", "code"} or not is_elsewhere(sentence, start, end)


def _sentence(text: str, done: int, start: int, end: int) -> Span:
    """Return the sentence of a noun, with the next one where this one asks; in JSON no more than its string."""
    low, high = max(done, start - _REACH), min(len(text), end + _REACH)
    if high < len(text) and (blank := text.rfind(" ", end, high)) > 0:  # no word is cut in two
        high = blank
    quotes = list(compiled(_FIELD_EDGE).finditer(text, low, start)) if '"' in text[low:start] else []
    if quotes and quotes[-1].lastgroup == "opens":
        low = quotes[-1].end()
        closing = compiled(_FIELD_EDGE).search(text, start, high)
        high = closing.start() if closing else high
    begin = low
    if stops := list(compiled(_SENTENCE_END).finditer(text, low, start)):
        # A question and what follows it are one: "Voicemail PIN? It's still 3141."
        stop = stops[-1]
        spaced = stop.end() + (text[stop.end() : stop.end() + 1] == " ")
        of_it = text[stop.start()] in "?？" or compiled(_THAT_IS).match(text, spaced, start)
        begin = stop.end() if not of_it else stops[-2].end() if len(stops) > 1 else low
    for stop in compiled(_SENTENCE_END).finditer(text, end, high):
        over = compiled(_GOES_ON).search(text, max(end, stop.start() - _LINK), stop.start())
        goes_on = over or any(compiled(pattern).match(text, stop.start()) for pattern in (_IT_IS, _ALONE))
        if text[stop.start()] not in "?？" and not goes_on:
            return begin, max(stop.start(), min(end, high))
    opened = text.count('"', begin, high) % 2  # what is quoted is not cut in two
    return begin, max(end, text.rfind('"', begin, high)) if opened and high < len(text) else high


def _is_noun(text: str, start: int, end: int, rule: Rule) -> bool:
    """True if a noun is a word of a sentence, not a part of a name such as `checkPassword` or "1Password"."""
    if rule.check == "password" and compiled(_MANAGER).search(text, max(0, start - 24), start):
        return False
    if text[start - 1 : start] in {"_", "1"} or (
        rule.check == "thing"
        and compiled(r"(?i)(?:[!/\\@#&=.]|\bp\.?\s?o\.?\s|\bports? (?:of|on) (?:[\w-]+ ){1,3})\Z").search(
            text, max(0, start - 48), start
        )
    ):
        return False
    if rule.check == "thing" and compiled(_IN_DATA).match(text, end):
        return False
    inside = start > 0 and text[start - 1].isascii() and text[start - 1].isalpha()
    if compiled(r"(?i)(?:en|de)code\(").match(text, max(0, start - 2), end + 1):
        return False  # of a call in code
    if (text[end - 1].isascii() and compiled(r"[a-z]{0,2}[A-Z]|\d").match(text, end)) or (
        not rule.whole and values.is_mixed_case(text[start + (not inside) : end])
    ):
        return False
    return not (inside and text[start].isupper() and text[start - 1].islower())


def _swept(sentence: Sentence, rule: Rule, nouns: list[int]) -> Iterator[Span]:
    """Yield what looks like a value anywhere in a sentence; `nouns` are the ends of the rule's nouns."""
    text = sentence.text
    match rule.check:
        case "key":
            yield from (span for span in sentence.tokens if values.is_key(text[slice(*span)]))
            yield from (match.span() for match in compiled(_GROUPS).finditer(text))
            yield from _likely(sentence, rule)
            return
        case "login" | "account":
            pairs = compiled(_PAIR).finditer(text) if rule.check == "login" else ()
            second = (values.stripped(text, *match.span(1)) for match in pairs)
            dotted = compiled(_DOTTED)
            yield from (span for span in second if values.is_made(text[slice(*span)]) or dotted.fullmatch(text, *span))
            yield from _likely(sentence, rule)
            return
        case "code" | "thing":
            if sentence.counts:
                yield from (match.span() for match in compiled(_DIGIT_WORDS).finditer(text))
            turns = [match.span(match.lastindex or 0) for match in compiled(_TURN).finditer(text)]
            yield from turns if len(turns) > 1 else ()
            if rule.check == "code" or sentence.holds("turns"):
                series = (match.span() for match in compiled(_SERIES).finditer(text))
                turned = sentence.holds("turns") and sentence.holds("unlocks")  # "turn it to 12, then 38, then 5"
                yield from (span for span in series if turned or not is_dated(text, span[0]))
        case "serial":
            yield from (match.span() for match in compiled(_SERIAL).finditer(text))
            return
        case "sign":
            return
    if sentence.is_wide:
        yield from (match.span() for match in compiled(_WIDE_DIGITS).finditer(text))
    yield from codes(sentence, rule, nouns)
    thing = rule.check == "thing"
    for start, stop in sentence.made:
        if rule.check == "password" and compiled(r"[A-Z]{2,6}-\d{2,6}").fullmatch(text, start, stop):
            continue  # the number of a ticket
        named = text[stop : stop + 3] == " = " or compiled(_USER).search(text, max(0, start - 16), start)
        opens = not thing or (stop - start >= _LONG_WORD and _opens_with(text, start))
        if opens and not named:
            yield start, stop
    if rule.check in {"password", "phrase"}:
        inner = (match.span() for match in compiled(_WORD_INNER).finditer(text))
        yield from (span for span in inner if _is_given(text, *span, nouns))
    yield from _quoted(sentence, rule, nouns) if not thing else ()


def _likely(sentence: Sentence, rule: Rule) -> Iterator[Span]:
    """Yield what looks made near a noun that also means other things: no name of a thing, and not in code."""
    text = sentence.text
    for start, stop in () if compiled(_CODE).search(text) else sentence.made:
        named = compiled(_USER).search(text, max(0, start - 16), start) or compiled(_THING).fullmatch(text, start, stop)
        if not named or (rule.check != "key" and _is_chosen(text, start, stop)):
            yield start, stop


def _is_chosen(text: str, start: int, stop: int) -> bool:
    """True if what looks made is no name of a thing, or is said to be it."""
    value = text[start:stop]
    said = compiled(_SAID).search(text, max(0, start - 40), start)
    return values.is_signed(value) or bool(said and values.is_chosen(value))


def _is_given(text: str, start: int, end: int, nouns: list[int]) -> bool:
    """True if a word is right behind a noun or before "that's the password", or is typed or changed to."""
    typed = text[start].islower() and compiled(r"(?i)(?:<<used>>|<<gives>>|\s<<onto>>)\s\Z").search(
        text, max(0, start - 24), start
    )
    return bool(typed or compiled(_NAMED_SO).match(text, end)) or any(text[last:start] == " " for last in nouns)


def _opens_with(text: str, start: int) -> bool:
    """True if the word before a place says that something is opened or typed with what is there."""
    before = text[max(0, start - 24) : start]
    word = compiled(r"([^\W\d_]{1,20}\s|[用按输打入填])\Z").search(before.casefold())
    verb = word[1].rstrip() if word else ""
    joined = compiled(r"(?i)\b<<with>>\s\Z").search(before) is not None
    return joined or content.is_wide(verb[:1]) or verb in load().words["unlocks"]


def _quoted(sentence: Sentence, rule: Rule, nouns: list[int]) -> Iterator[Span]:
    """Yield what is quoted in a sentence; in code, behind a sign of data and in backticks plain words are none."""
    text, changed = sentence.text, sentence.is_changed
    if not (quoted := list(compiled(_QUOTED).finditer(text))):
        return
    code = compiled(r"[A-Za-z_][({\[]|[=;]\s{0,4}\Z").search(text)
    listed = any(
        text[last : last + 1] in {'"', "'"} and compiled(_NAME_OPENS).search(text, max(0, last - 62), last)
        for last in nouns
    )  # in quotes of its own, a noun is a name in code, and so are the words beside it
    for match in quoted:
        span = match.span(match.lastindex or 0)
        field = compiled(_FIELD).match(text, max(0, match.start() - 1), match.end() + 2)
        named = not changed and compiled(_UNDER).search(text, max(0, match.start() - 24), match.start())
        plain = not (code or listed or field or named) and match.group()[0] != "`"
        said = plain and _is_said(text, match, nouns)
        open_word = plain and (said or "?" not in text or _is_stated(text, match, nouns))
        inside = any(span[0] < last <= span[1] for last in nouns)
        if not inside and values.is_quotable(text[slice(*span)], rule, plain=open_word, said=said):
            yield span


def _is_stated(text: str, quoted: re.Match[str], nouns: list[int]) -> bool:
    """True if the clause of what is quoted has a noun and asks nothing: "I set 'osprey' as the PIN, who knows it?"."""
    before = [0, *(edge.end() for edge in compiled(_CLAUSE_EDGE).finditer(text, 0, quoted.start()))]
    edge = compiled(_CLAUSE_EDGE).search(text, quoted.end())
    end = edge.start() if edge else len(text)
    asks = compiled(r"(?i)\b<<is>>\s\Z").search(text, before[-1], quoted.start())  # "How often is 'osprey' used as …"
    until = quoted.start() if asks else end
    return "?" not in text[quoted.end() : end + 1] and any(before[-1] < last <= until for last in nouns)


def _is_said(text: str, quoted: re.Match[str], nouns: list[int]) -> bool:
    """True if what is quoted is right behind a noun, `is` or `I put`, or before `as`: "Is … a good password?"."""
    start = quoted.start()
    asked = compiled(r"(?i)(?:<<is>>|czy)\s\Z").search(text[:start])
    if compiled(_A_GOOD if asked else _NAMED_SO).match(text, quoted.end()) or any(
        compiled(r"\w{0,4},?[ \u3000]?\Z").match(text, last, start) for last in nouns if last <= start
    ):
        return True
    named = any(compiled(IS_ONE).fullmatch(text, quoted.end(), end) for end in nouns)
    named = named or compiled(r"(?i)(?<!\w)<<used>>\s<<as>>\s").search(text, 0, start) is not None
    if named or compiled(r"(?i)(?<!\w)<<used>>\s\Z").search(text, max(0, start - 24), start):
        return True
    return "?" not in text and bool(compiled(_SAID).search(text, max(0, start - 40), start))
