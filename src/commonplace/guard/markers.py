"""What stands in a screened text for what was taken out of it.

Owns the replacing and the arithmetic of places: a finding's span is always one in the text as it is
stored.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from commonplace.records import Finding

SECRET: Final = r"⟦secret:[a-z0-9-]{1,40}:[0-9a-f]{4}⟧"  # noqa: S105 - the shape of a marker
"""How the marker of a secret reads."""

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
    """Put markers, in order and apart, into a text; give the findings of both, placed in the new text."""
    if not markers:
        return text, earlier
    pieces: list[str] = []
    findings: list[Finding] = []
    ends: list[int] = []  # where each marker's old text ended, and by how much what follows moves
    moves: list[int] = []
    done = length = 0
    for marker in markers:
        pieces += (text[done : marker.start], marker.shown)
        length += marker.start - done
        findings.append(Finding(marker.kind, marker.rule, (length, length + len(marker.shown))))
        length += len(marker.shown)
        done = marker.end
        ends.append(done)
        moves.append(length - done)
    pieces.append(text[done:])

    def moved(place: int) -> int:
        at = bisect_right(ends, place)
        shift = moves[at - 1] if at else 0
        if at < len(markers) and markers[at].start < place:
            return markers[at].start + shift  # swallowed by a marker: it stands for that place
        return place + shift

    for finding in earlier:
        start, end = finding.span
        findings.append(Finding(finding.kind, finding.rule, (moved(start), moved(end - 1) + 1)))
    findings.sort(key=lambda finding: finding.span)
    return "".join(pieces), tuple(findings)
