"""Screen a text: the one way from foreign text to text that may be stored.

Owns the order of the steps and the verdict. Screening keeps what a person wrote: hidden characters
become visible, secrets become markers, orders to a model are only noted.
"""

from __future__ import annotations

from typing import Final, Literal

from commonplace.guard import secrets, unicode
from commonplace.records import Finding, Screened, Trust, seal

Verdict = Literal["ok", "refuse", "quarantine"]

_PASSES: Final = 4


def screen(text: str) -> Screened:
    """Screen a text; screening what it returns changes nothing."""
    findings: tuple[Finding, ...] = ()
    for _ in range(_PASSES):
        shown, hidden = unicode.visible(text)
        text, taken = secrets.redact(shown)
        findings += hidden + taken
        if not taken:
            break
    return seal(text, findings)


_REFUSED_HIDDEN: Final = frozenset({
    "nul", "escape", "carriage-return", "control", "delete", "c1-control",
    "bidi-embedding", "bidi-override", "bidi-isolate", "bidi-mark", "tag", "variation-selector",
})  # fmt: skip


def verdict(screened: Screened, *, explicit: bool, trust: Trust) -> Verdict:
    """Say what becomes of screened text: `explicit` is a write someone asked for, else it was captured."""
    if explicit and any(f.kind == "secret" or f.rule in _REFUSED_HIDDEN for f in screened.findings):
        return "refuse"
    if trust != "user" and any(f.kind == "injection" for f in screened.findings):
        return "quarantine"
    return "ok"


def encodable(text: str) -> Screened:
    """Let a text through as it is, but for what no file can hold; for a scope that chose raw transcripts."""
    return seal(text.encode("utf-8", "replace").decode())
