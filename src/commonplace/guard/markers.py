"""Markers in a screened text in place of what was removed.

Owns the replacing and the arithmetic of places: a finding's span is always one in the text as it is
stored.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from commonplace.guard.screened import Finding

SECRET: Final = r"⟦secret:[a-z0-9-]{1,40}:[0-9a-f]{4}⟧"  # noqa: S105 - the shape of a marker
"""How the marker of a secret reads."""

ERASED: Final = "⟦erased⟧"
"""What stands in the place of an erased text."""

INVISIBLE: Final = (
    r"(?:⟦U\+(?:00AD|034F|061C|115F|1160|3164|FFA0|180E|200[B-F]|20[26][0-9A-F]|FEFF|E0[0-9A-F]{3}|FE0[0-9A-F])⟧)+"
)
"""How characters that show nothing read; a control byte is not among them, since it parts two words."""


class Marker(NamedTuple):
    """A text to put in place of [start, end)."""

    start: int
    end: int
    shown: str
    kind: Literal["secret", "unicode"]
    rule: str


def put(text: str, markers: Sequence[Marker], earlier: tuple[Finding, ...]) -> tuple[str, tuple[Finding, ...]]:
    """Insert markers, in order and apart, into a text; return it with the findings of both, placed in the new text."""
    if not markers:
        return text, earlier
    pieces: list[str] = []
    spans: list[tuple[int, int]] = []
    done = length = 0
    for marker in markers:
        pieces += (text[done : marker.start], marker.shown)
        length += marker.start - done
        spans.append((length, length + len(marker.shown)))
        length += len(marker.shown)
        done = marker.end
    pieces.append(text[done:])
    findings = [Finding(marker.kind, marker.rule, span) for marker, span in zip(markers, spans, strict=True)]
    ends = [marker.end for marker in markers]
    for finding in earlier:
        start, end = finding.span
        at = bisect_right(ends, start)
        if at < len(markers) and markers[at].start < end:
            span = spans[at]  # swallowed: the marker is in that place now
        else:
            move = spans[at - 1][1] - ends[at - 1] if at else 0
            span = (start + move, end + move)
        findings.append(Finding(finding.kind, finding.rule, span))
    findings.sort(key=lambda finding: finding.span)
    return "".join(pieces), tuple(findings)
