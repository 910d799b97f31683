"""Find secrets and put a marker in their place.

Owns what counts as a secret; the kinds are data in `rules/secrets.toml` and `rules/phrases.toml`. Only
the secret goes, the words around it stay. The marker is `⟦secret:<rule>:<hash4>⟧`. `hash4` is 4 hex
digits of the SHA-256 of a machine-made secret, so that a person sees where the same key turned up
twice: 16 bits take 16 from the 80 or more that such a key has, and many keys share them, so nothing
found by them could be confirmed. A secret that a person chose (a PIN, a password, a card number) has
few enough candidates for 16 bits to pick the right one; its `hash4` is always `0000` and tells nothing.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from commonplace.guard import phrases, table
from commonplace.records import Finding

_LONG_RUN: Final = re.compile(r"\S{15}|\d{4}[ -]\d{4,6}[ -]\d")
_STEMS: Final = (
    "pass", "pin", "code", "secret", "token", "key", "cred", "login", "log in", "sign in", "combination", "combo", "cvv", "cvc", "pwd", "pw",
    "otp", "phrase", "mnemonic", "seed", "psk", "contrase", "clave", "kennwort", "geheimzahl", "mot de", "mdp", "senha", "parola", "palavra",
    "wachtwoord", "haslo", "sifre", "adgangs", "salasana", "heslo", "lozinka", "geslo", "parool", "sandi", "codigo", "codice", "zugangs", "identif",
)  # fmt: skip
_MARKER: Final = re.compile(r"⟦secret:[a-z0-9-]{1,40}:[0-9a-f]{4}⟧")
_HIDDEN: Final = re.compile(r"(?:⟦U\+(?:00AD|034F|061C|180E|200[B-F]|20[26][0-9A-F]|FEFF|E0[0-9A-F]{3}|FE0[0-9A-F])⟧)+")
_CARD: Final = re.compile(
    r"(?<![\d.,/:_=&+-])(?<!\d )(?:[2-6]\d{3}([ -]?)\d{4}\1\d{4}\1\d{4}|3[47]\d{2}([ -]?)\d{6}\2\d{5}|3[0689]\d{2}([ -]?)\d{6}\3\d{4})(?![\w/-]|[.,]\d| \d)"
)
_KEY_BEGINS: Final = re.compile(
    r"-{4,5} ?BEGIN (?:[A-Z0-9]{1,20} ){0,4}(?:PRIVATE KEY(?: BLOCK)?|OpenVPN Static key V\d) ?-{4,5}|PuTTY-User-Key-File-\d:"
)
_KEY_ENDS: Final = re.compile(
    r"-{4,5} ?END (?:[A-Z0-9]{1,20} ){0,4}(?:PRIVATE KEY(?: BLOCK)?|OpenVPN Static key V\d) ?-{4,5}|Private-MAC: [0-9a-f]{40,64}"
)
_KEY_LINE: Final = re.compile(
    r"(?:[ \t\r\n>|]|\\[rn]){0,12}(?:[A-Za-z0-9+/]{16,}={0,2}|(?:Proc-Type|DEK-Info|Version|Comment|Encryption|Public-Lines|Private-Lines):[^\n\\]{0,100}"
    r"|=?[A-Za-z0-9+/]{1,64}={0,2}(?=\\n|\r?\n|\Z))"
)
_KEY_CHARS: Final = 65_536  # a private key is shorter; a closing line further off is another key's
_NAMED: Final = re.compile(r"key|token|secret|auth|pass|cred|\bpat\b|\bapi\b", re.IGNORECASE)


class Span(NamedTuple):
    """Where a secret stands, and of which rule; `human` says that a person chose it."""

    start: int
    end: int
    rule: str
    human: bool


def redact(text: str) -> tuple[str, tuple[Finding, ...]]:
    """Put a marker in place of each secret; the spans found are those of the markers in the text returned."""
    lowered = table.lower(text)
    if text.isascii() and not _LONG_RUN.search(text) and not any(stem in lowered for stem in _STEMS):
        return text, ()
    spans = _merge(_found(text, lowered))
    if not spans:
        return text, ()
    pieces: list[str] = []
    findings: list[Finding] = []
    done = length = 0
    for span in spans:
        marker = f"⟦secret:{span.rule}:{_hash4(text[span.start : span.end], human=span.human)}⟧"
        pieces += (text[done : span.start], marker)
        length += span.start - done
        findings.append(Finding("secret", span.rule, (length, length + len(marker))))
        length += len(marker)
        done = span.end
    pieces.append(text[done:])
    return "".join(pieces), tuple(findings)


def _found(text: str, lowered: str) -> Iterator[Span]:
    """Yield the secrets of a text, seen as it is and, where it hides characters, without those."""
    if "⟦" not in text:
        yield from _seen(text, lowered)
        return
    masked = _MARKER.sub(lambda match: "⟦" * len(match.group()), text)
    yield from _seen(masked, table.lower(masked))
    hidden = [match.span() for match in _HIDDEN.finditer(masked)]
    if not hidden:
        return
    joined = _HIDDEN.sub("", masked)
    starts: list[int] = []  # where each removed run stood in the joined text
    removed = [0]
    for start, end in hidden:
        starts.append(start - removed[-1])
        removed.append(removed[-1] + end - start)
    for span in _seen(joined, table.lower(joined)):
        start = span.start + removed[bisect_left(starts, span.start + 1)]
        end = span.end + removed[bisect_left(starts, span.end)]
        yield span._replace(start=start, end=end)


def _seen(text: str, lowered: str) -> Iterator[Span]:
    yield from _private_keys(text)
    for card in _CARD.finditer(text):
        if _is_card(card.group()):
            yield Span(*card.span(), "payment-card", human=True)
    done: dict[str, int] = {}
    for place, candidate in table.load("secrets", "phrases").candidates(text, lowered):
        rule = candidate.rule
        if place < done.get(rule.id, 0):
            continue
        if rule.kind == "phrase":
            spans = list(phrases.find(text, place, candidate.keyword, rule))
        else:
            spans = list(_matched(text, place, rule))
        for start, end in spans:
            done[rule.id] = end
            yield Span(start, end, rule.id, rule.human)


def _matched(text: str, place: int, rule: table.Rule) -> Iterator[tuple[int, int]]:
    pattern = rule.compiled()
    if not rule.back:
        match = pattern.match(text, place)
    else:
        low = max(0, place - rule.back)
        match = next(
            (found for at in range(low, place + 1) if (found := pattern.match(text, at)) and _edge(text, at)), None
        )
    if not match:
        return
    start, end = match.span(1 if pattern.groups else 0)
    if rule.check and not _CHECKS[rule.check](match, text[start:end]):
        return
    yield start, end


def _edge(text: str, at: int) -> bool:
    return at == 0 or not text[at - 1].isalnum()


def _is_mixed(_: re.Match[str], value: str) -> bool:
    return any(char.isdigit() for char in value) and any(char.isalpha() for char in value)


def _is_named(match: re.Match[str], value: str) -> bool:
    """Tell whether a vendor's name and a value have a word for a key between them, and the value is random."""
    return bool(_NAMED.search(match.string, match.start(), match.start(1))) and _is_mixed(match, value)


_CHECKS: Final[dict[str, Callable[[re.Match[str], str], bool]]] = {"mixed": _is_mixed, "named": _is_named}


def _is_card(digits: str) -> bool:
    """Check the number's last digit (Luhn) and that it is no run of one digit."""
    numbers = [int(char) for char in digits if char.isdigit()]
    doubled = [number * 2 - 9 if number > 4 else number * 2 for number in numbers[-2::-2]]
    return (sum(numbers[-1::-2]) + sum(doubled)) % 10 == 0 and len(set(numbers)) > 2


def _private_keys(text: str) -> Iterator[Span]:
    """Yield whole key blocks; one without its end goes as far as its lines look like a key's."""
    ends = (
        [match.span() for match in _KEY_ENDS.finditer(text)]
        if "PRIVATE KEY" in text or "Key-File" in text or "Static key" in text
        else None
    )
    if ends is None:
        return
    begins = list(_KEY_BEGINS.finditer(text))
    for number, begin in enumerate(begins):
        following = begins[number + 1].start() if number + 1 < len(begins) else len(text)
        at = bisect_left(ends, (begin.end(), 0))
        if at < len(ends) and ends[at][1] <= min(following, begin.end() + _KEY_CHARS):
            end = ends[at][1]
        else:
            end = begin.end()
            while end < following and (line := _KEY_LINE.match(text, end, following)):
                end = line.end()
        yield Span(begin.start(), end, "private-key", human=False)


def _merge(spans: Iterator[Span]) -> list[Span]:
    """Join overlapping spans; the first and longest names the whole, and one a person chose keeps it unhashed."""
    merged: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.start, -span.end, span.human)):
        if merged and span.start < merged[-1].end:
            before = merged[-1]
            merged[-1] = before._replace(end=max(before.end, span.end))
        else:
            merged.append(span)
    return merged


def _hash4(secret: str, *, human: bool) -> str:
    return "0000" if human else hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()[:4]
