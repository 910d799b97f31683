"""Find secrets, and make the marker that replaces each.

Owns what counts as a secret; the kinds are data in `rules/secrets.toml` and `rules/said.toml`. Only
the secret goes, the words around it stay. The marker is `⟦secret:<rule>:<hash4>⟧`. `hash4` is 4 hex
digits of the SHA-256 of a machine-made secret, so that a person sees where the same key turned up
twice: 16 bits take 16 from the 80 or more that such a key has, and many keys share them, so nothing
found by them could be confirmed. A secret that a person chose (a PIN, a password, a card number) has
few enough candidates for 16 bits to pick the right one; its `hash4` is always `0000`.
"""

from __future__ import annotations

import hashlib
import itertools
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple

from commonplace.guard import keys, printed, said, values
from commonplace.guard.codes import Numbers, unlisted
from commonplace.guard.markers import Marker
from commonplace.guard.table import FLOOD, MOST_FOUND, STRETCH, Rule, compiled
from commonplace.guard.views import View

_CARD_SHAPE: Final = r"[0-9]{4}[ -]?[0-9]{4,6}[ -]?[0-9]{4}"
_CARD: Final = (
    r"(?:(?<![A-Za-z\d./+-])|(?<=%B))(?:[2-6]\d{3}([ -]?)\d{4}\1\d{4}\1\d{4}|3[47]\d{2}([ -]?)\d{6}\2\d{5}"
    r"|3[0689]\d{2}([ -]?)\d{6}\3\d{4})(?![A-Za-z\d_-]|\.\d)"
)
_BRAND: Final = r"4|5[0-8]|2[2-7]|3[05-9]|34|6[02-9]"  # what the numbers of cards begin with
_EXPIRY: Final = r"(?: (?:0[1-9]|1[0-2]) ?/ ?(?:20)?\d\d|/(?:0[1-9]|1[0-2])/?(?:20)?\d\d)"
_CARD_GOES_ON: Final = rf"(?:{_EXPIRY}(?: \d{{3,4}})?| \d{{3}}(?:{_EXPIRY})?)(?![\w/.-])"
_CLOSE: Final = 16  # characters between two such lines that go with them
_LONG: Final = 100  # characters of a secret that a rule may have cut off, for each looks at a bounded number
_HALF: Final = r"\r?\n[ \t]{0,8}([A-Za-z0-9_+/=.~-]{8,128})(?=[ \t]{0,8}(?:\r?\n|\Z))"  # of a key, in the next line
_BROKEN: Final = {"generic-secret", "password", "bearer-token"}  # kinds whose end no form of their own shows
_LONG_TOKEN: Final = 20  # characters of a key, of which fewer may be a name
_QUOTE_OPENS: Final = r"([\"'])[^\s\"']{0,64}\Z"
_ATTRIBUTE: Final = r"\s{0,8}[\w:.-]{1,40}\s?="
_NAMED: Final = r"(?i)key|token|secret|auth|pass|cred|\bpat\b|\bapi\b"


class Span(NamedTuple):
    """The place of a secret, and its rule; `human` is true if a person chose it."""

    start: int
    end: int
    rule: str
    human: bool


def find(text: str, seen: list[View], known: said.Known) -> list[Marker]:
    """List the secrets of a text in order, each with its marker; `seen` are its views, `known` is added to."""
    spans: list[Span] = []
    for view in seen:
        for span in itertools.chain.from_iterable(
            _bounded(_whole(found, view.text), view.text) for found in _found(view, known)
        ):
            start, end = view.span(span.start, span.end)
            spans.append(span._replace(start=start, end=end))
    return [_marker(text, span) for span in _bounded(_merged(spans), text)] if spans else []


def _whole(spans: Iterable[Span], text: str) -> Iterator[Span]:
    """Yield spans, each long one as far as its word goes; what one of them holds is not looked at again."""
    done = 0
    for span in spans:
        if span.end - span.start < _LONG or span.end <= done or span.rule == FLOOD:
            half = compiled(_HALF).match(text, span.end)
            broken = half and span.end > done and span.rule in _BROKEN and values.is_key(half[1])
            yield span._replace(end=half.end()) if half and broken else span
            continue
        stop = compiled(r"[^A-Za-z0-9_+/=.~%-]").search(text, span.end)
        done = stop.start() if stop else len(text)
        while done > span.end and text[done - 1] == ".":
            done -= 1
        yield span._replace(end=done)


def _bounded(spans: Iterable[Span], text: str) -> Iterator[Span]:
    """Yield spans; behind too many in a stretch, the line of each, and lines close to each other as one."""
    stretch = count = done = 0
    lines: Span | None = None
    for span in spans:
        if span.end <= done:
            continue
        begin = max(span.start, done)
        if begin // STRETCH != stretch:
            stretch, count = begin // STRETCH, 0
        count += 1
        if lines and (count <= MOST_FOUND or text.rfind("\n", done, begin) > done + _CLOSE):
            yield lines
            lines = None
        if count <= MOST_FOUND:
            yield span._replace(start=begin)
            continue
        edge = min(len(text), (stretch + 1) * STRETCH)
        begin = lines.start if lines else max(done, text.rfind("\n", stretch * STRETCH, begin) + 1)
        stop = text.find("\n", span.end, edge)
        done = max(span.end, stop if stop >= 0 else edge)
        lines = Span(begin, done, FLOOD, human=True)
    if lines:
        yield lines


def _marker(text: str, span: Span) -> Marker:
    secret = text[span.start : span.end].encode("utf-8", "surrogatepass")
    hash4 = "0000" if span.human else hashlib.sha256(secret).hexdigest()[:4]
    return Marker(span.start, span.end, f"⟦secret:{span.rule}:{hash4}⟧", "secret", span.rule)


def _found(view: View, known: said.Known) -> Iterator[Iterator[Span]]:
    """Yield what each way of looking finds, each in order."""
    text = view.text
    yield from (_keys(spans) for spans in keys.find(text))
    if compiled(_CARD_SHAPE).search(text):
        yield _cards(text)
    yield (Span(place, min(len(text), place + STRETCH), FLOOD, human=True) for place in view.tries.floods)
    if not view.tries:
        return
    yield _at_keywords(view)
    nouns = ((place, seen.keyword, seen.rule) for place, seen in view.tries if seen.rule.kind == "said")
    numbers = Numbers()
    yield (
        Span(start, end, rule.id, human=True)
        for start, end, rule in said.find(text, nouns, numbers, known)
        if not compiled(_ATTRIBUTE).fullmatch(text, start, end)  # a name between the quotes of two others
    )
    yield (Span(start, end, rule.id, human=True) for start, end, rule in unlisted(text, numbers))


def _keys(spans: Iterator[tuple[int, int]]) -> Iterator[Span]:
    return (Span(start, end, "private-key", human=False) for start, end in spans)


def _at_keywords(view: View) -> Iterator[Span]:
    text = view.text
    done: dict[str, int] = {}
    names = printed.Printed(text, view.escapes if view.decoded else None)
    for place, candidate in view.tries:
        rule = candidate.rule
        # A place inside what this rule has found already is not looked at again: the work stays linear.
        if rule.kind == "said" or place < done.get(rule.id, 0):
            continue
        if rule.kind == "printed":
            yield from (Span(*span, rule.id, human=True) for span in names.values(place, candidate.keyword, rule))
            continue
        for start, end in _matched(text, place, rule):
            done[rule.id] = end
            yield Span(start, end, rule.id, rule.human)


def _matched(text: str, place: int, rule: Rule) -> Iterator[tuple[int, int]]:
    pattern = compiled(rule.pattern)
    match = pattern.match(text, place) if not rule.back else _matched_around(pattern, text, place, rule.back)
    if not match:
        return
    start, end = match.span(1 if pattern.groups else 0)
    if rule.id.startswith("command-"):
        end = _quote_end(text, start, end)
    value = text[start:end]
    if value.strip("⟦") and (not rule.check or _CHECKS[rule.check](match, value)):  # a marker is none
        yield start, end


def _matched_around(pattern: re.Pattern[str], text: str, place: int, back: int) -> re.Match[str] | None:
    """Match from the start of the word that a keyword is in or behind, at most `back` before it."""
    for start in range(max(0, place - back), place + 1):
        if (start == 0 or not text[start - 1].isalnum()) and (match := pattern.match(text, start)):
            return match
    return None


def _quote_end(text: str, start: int, end: int) -> int:
    """Return the end of the word of a command line: behind a quote it goes on over blanks to the next one."""
    opens = compiled(_QUOTE_OPENS).search(text, max(0, start - 66), start) if text[end : end + 1] == " " else None
    closes = compiled(r"[^\"'\n]{0,64}([\"'])").match(text, end) if opens else None
    return closes.start(1) if opens and closes and closes[1] == opens[1] else end


def _is_mixed(_: re.Match[str], value: str) -> bool:
    return any(char.isdigit() for char in value) and any(char.isalpha() for char in value)


def _is_named(match: re.Match[str], value: str) -> bool:
    """True if a word for a key is between a vendor's name and a value that a machine made."""
    return bool(compiled(_NAMED).search(match.string, match.start(), match.start(1))) and _is_mixed(match, value)


def _is_meant(_: re.Match[str], value: str) -> bool:
    """True if a value is not a placeholder word, as in `user:password@host`."""
    return not value.isdecimal() and not printed.is_worthless(value)


def _is_login(match: re.Match[str], value: str) -> bool:
    """True if a value in a header looks like Base64: a digit, or a capital behind a small letter."""
    return _is_mixed(match, value) or values.is_mixed_case(value)


def _is_short(match: re.Match[str], value: str) -> bool:
    """True if a short value has letters and digits, and is no placeholder."""
    return _is_mixed(match, value) and not printed.is_worthless(value)


def _is_random(_: re.Match[str], value: str) -> bool:
    return values.looks_random(value)


def _is_token(match: re.Match[str], value: str) -> bool:
    """True if the user in a URL is a key: long, or with capitals inside or signs that no name has."""
    made = len(value) >= _LONG_TOKEN or values.is_mixed_case(value) or compiled(r"[^\w.%~-]").search(value)
    return bool(made) and _is_mixed(match, value) and not printed.is_worthless(value)


_CHECKS: Final[dict[str, Callable[[re.Match[str], str], bool]]] = {
    "mixed": _is_mixed,
    "named": _is_named,
    "meant": _is_meant,
    "login": _is_login,
    "short": _is_short,
    "random": _is_random,
    "token": _is_token,
}


def _cards(text: str) -> Iterator[Span]:
    """Yield the numbers of cards; beside another number, only with their expiry or check code, or in a row of cards."""
    done = -1  # the end of the last card and of what goes with it
    for card in compiled(_CARD).finditer(text):
        start, end = card.span()
        joined = start == done + 1
        if not _is_card(card.group()) or (not joined and compiled(r"\d \Z").search(text, max(0, start - 2), start)):
            continue
        behind = compiled(_CARD_GOES_ON).match(text, end)
        stop = behind.end() if behind else end
        if compiled(r"/| \d").match(text, stop):
            following = compiled(_CARD).match(text, stop + 1)
            if text[stop] == "/" or not following or not _is_card(following.group()):
                continue
        if (joined or stop > end) and not compiled(_BRAND).match(card.group()):
            continue
        done = stop
        yield Span(start, end, "payment-card", human=True)


def _is_card(number: str) -> bool:
    """True if a number passes Luhn's check; one of a single digit is none."""
    digits = [int(char) for char in number if char.isdigit()]
    doubled = [digit * 2 - 9 if digit > 4 else digit * 2 for digit in digits[-2::-2]]
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0 and len(set(digits)) > 1


def _merged(spans: list[Span]) -> Iterator[Span]:
    """Join overlapping spans; the first and longest names the whole, and one a person chose keeps it unhashed."""
    spans.sort(key=lambda span: (span.start, -span.end, span.human))
    joined = spans[0]
    for span in spans[1:]:
        if span.start < joined.end or (span.start == joined.end and span.rule == joined.rule == FLOOD):
            joined = joined._replace(end=max(joined.end, span.end), human=joined.human and span.human)
        else:
            yield joined
            joined = span
    yield joined
