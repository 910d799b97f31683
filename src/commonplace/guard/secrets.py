"""Find secrets and put a marker in their place.

Owns what counts as a secret; the kinds are data in `rules/secrets.toml`. Only the secret goes, the
words around it stay. The marker is `⟦secret:<rule>:<hash4>⟧`. `hash4` is 4 hex digits of the SHA-256 of
a machine-made secret, so that a person sees where the same key turned up twice: 16 bits of a hash
narrow a key of 80 bits or more by nothing that helps a search, and cannot be turned around. A secret
that a person chose (a PIN, a password, a card number) could be guessed and then confirmed by 16 bits,
so its `hash4` is always `0000` and tells nothing.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from typing import Final

from commonplace.guard import table
from commonplace.records import Finding

_LONG_RUN: Final = re.compile(r"\S{16}")
_STEMS: Final = ("passw", "private key")
_MARKER: Final = re.compile(r"⟦secret:([a-z0-9-]{1,40}):[0-9a-f]{4}⟧")
_PRIVATE_KEY: Final = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_END_OF_KEY: Final = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_KEY_LINES: Final = re.compile(r"[A-Za-z0-9+/=\s\\]{0,65536}")


def redact(text: str) -> tuple[str, tuple[Finding, ...]]:
    """Put a marker in place of each secret; the spans found are those of the markers in the text returned."""
    lowered = table.lower(text)
    if not _LONG_RUN.search(text) and not any(stem in lowered for stem in _STEMS):
        return text, ()
    spans = _merge(_found(text, lowered))
    if not spans:
        return text, ()
    pieces: list[str] = []
    findings: list[Finding] = []
    done = length = 0
    for start, end, rule, human in spans:
        marker = f"⟦secret:{rule}:{_hash4(text[start:end], human=human)}⟧"
        pieces += (text[done:start], marker)
        length += start - done
        findings.append(Finding("secret", rule, (length, length + len(marker))))
        length += len(marker)
        done = end
    pieces.append(text[done:])
    return "".join(pieces), tuple(findings)


def _found(text: str, lowered: str) -> list[tuple[int, int, str, bool]]:
    kept = [match.span() for match in _MARKER.finditer(text)]
    spans: list[tuple[int, int, str, bool]] = []
    for match in _PRIVATE_KEY.finditer(text):
        closing = _END_OF_KEY.search(text, match.end(), match.end() + 65536)
        end = closing.end() if closing else match.end() + len(_KEY_LINES.match(text, match.end()).group().rstrip())  # type: ignore[union-attr]
        spans.append((match.start(), end, "private-key", False))
    done: dict[str, int] = {}
    for place, rules in table.load("secrets").hits(lowered):
        after_word = place > 0 and text[place - 1].isalnum()
        for rule in rules:
            if (after_word and not rule.inside) or place < done.get(rule.id, 0):
                continue
            found = rule.compiled().match(text, place)
            if not found:
                continue
            span = found.span(found.re.groups and 1)
            if rule.entropy and entropy(text[span[0] : span[1]]) < rule.entropy:
                continue
            done[rule.id] = span[1]
            spans.append((*span, rule.id, rule.human))
    return [span for span in spans if not any(span[0] < end and start < span[1] for start, end in kept)]


def _merge(spans: list[tuple[int, int, str, bool]]) -> list[tuple[int, int, str, bool]]:
    """Join overlapping spans; the longest names the whole, and one a person chose keeps the whole unhashed."""
    merged: list[tuple[int, int, str, bool]] = []
    for start, end, rule, human in sorted(spans, key=lambda span: (span[0], -span[1])):
        if merged and start < merged[-1][1]:
            before = merged[-1]
            merged[-1] = (before[0], max(before[1], end), before[2], before[3])
        else:
            merged.append((start, end, rule, human))
    return merged


def entropy(text: str) -> float:
    """Measure Shannon's entropy of a text, in bits per character."""
    counts = Counter(text).values()
    return -sum(n / len(text) * math.log2(n / len(text)) for n in counts)


def _hash4(secret: str, *, human: bool) -> str:
    return "0000" if human else hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()[:4]
