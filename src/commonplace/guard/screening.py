"""Screen a text: the one way from foreign text to text that may be stored.

Owns the order of the steps and the verdict. Screening keeps what a person wrote: hidden characters
become visible, secrets become markers, orders to a model are only noted.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, Literal

from commonplace.guard import injection, said, secrets, unicode, views
from commonplace.guard.markers import Marker, put
from commonplace.guard.screened import Finding, Screened, seal
from commonplace.records import Trust

Verdict = Literal["ok", "refuse", "quarantine"]

PASSES: Final = 2  # one finds everything, one proves it; more only where a marker brought two parts together
# Characters that reorder text or drive a terminal, and those that carry a hidden message; nobody types them.
_REFUSED: Final = frozenset({
    "nul", "escape", "carriage-return", "control", "delete", "c1-control", "bidi-embedding", "bidi-override",
    "bidi-isolate", "bidi-mark", "tag", "variation-selector", "surrogate",
})  # fmt: skip


def screen(text: str) -> Screened:
    """Screen a text; the findings' spans are places in the text returned, and screening that changes nothing."""
    findings: tuple[Finding, ...] = ()
    passes = 0
    known: said.Known = {}
    while True:
        text, findings = put(text, unicode.find(text), findings)
        seen = views.of(text)
        taken = secrets.find(text, seen, known)
        if not taken:
            break
        passes += 1
        seen = []  # it holds the text as it was, several times
        text, findings = put(text, taken if passes <= PASSES else _lines(text, taken), findings)
    return seal(text, findings + injection.find(seen))


@lru_cache(maxsize=4096)
def shown(text: str) -> str:
    """Return a text as it may enter the index or a prompt: a person's own file may hold what these must not."""
    return screen(text).text


def verdict(screened: Screened, *, explicit: bool, trust: Trust) -> Verdict:
    """Return what becomes of screened text.

    Args:
        screened: What `screen` made of the text as it came.
        explicit: A caller asked for this write; otherwise the text was captured as it went by.
        trust: How far the source of the words is trusted.

    Returns:
        `refuse` for an explicit write with a secret, or with characters that reorder or hide; `quarantine`
        for orders to a model that are not the user's own words; `ok` for all else. `reasons` names the classes.
    """
    if explicit and any(f.kind == "secret" or f.rule in _REFUSED for f in screened.findings):
        return "refuse"
    if trust != "user" and any(f.kind == "injection" for f in screened.findings):
        return "quarantine"
    return "ok"


def reasons(screened: Screened, *, explicit: bool, trust: Trust) -> tuple[str, ...]:
    """Return the classes that the verdict rests on, each once, in the order of the text; never the text itself."""
    match verdict(screened, explicit=explicit, trust=trust):
        case "refuse":
            named = (f.rule for f in screened.findings if f.kind == "secret" or f.rule in _REFUSED)
        case "quarantine":
            named = (f.rule for f in screened.findings if f.kind == "injection")
        case "ok":
            return ()
    return tuple(dict.fromkeys(named))


def _lines(text: str, taken: list[Marker]) -> list[Marker]:
    """Widen markers to whole lines: where each one lays open the next, the end comes at once."""
    widened: list[Marker] = []
    for marker in taken:
        start = text.rfind("\n", 0, marker.start) + 1
        end = text.find("\n", marker.end)
        end = len(text) if end < 0 else end
        if widened and start <= widened[-1].end:
            widened[-1] = widened[-1]._replace(end=max(end, widened[-1].end))
        else:
            widened.append(marker._replace(start=start, end=end))
    return widened


def encodable(text: str) -> Screened:
    """Return a text unscreened, but for what no file can hold; for a scope that chose raw transcripts."""
    return seal(text.encode("utf-8", "replace").decode())
