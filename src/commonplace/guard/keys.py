"""Find private keys: whole blocks, and what is left of one that was cut, quoted, numbered or searched through.

Owns what a line of a key looks like. Lines of other blocks (a certificate, a signature, a public key) are none.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left
from collections.abc import Iterator
from typing import Final

from commonplace.guard import values
from commonplace.guard.table import compiled

Span = tuple[int, int]

_KEY: Final = r"(?:[A-Z0-9]{1,20} ){0,4}(?:PRIVATE KEY(?: BLOCK)?|OpenVPN Static key V\d)"
_BEGINS: Final = rf"-{{4,5}} ?BEGIN {_KEY} ?-{{4,5}}|PuTTY-User-Key-File-\d:"
_ENDS: Final = rf"-{{4,5}} ?END {_KEY} ?-{{4,5}}|Private-MAC: [0-9a-f]{{40,64}}"
_OTHER: Final = r"-{4,5} ?(?:BEGIN|END) [A-Z0-9 ]{3,60}-{4,5}"
_BEFORE: Final = (  # the name of a file and a number, as of `grep -n`
    r"(?:[ \t\r\n>|+]|\\[rn]){0,12}(?:(?:[\w./-]{1,60}[:-])?\d{1,5}[:\t-][ \t]{0,4})?"
)
_QUOTED: Final = (  # a line of source, with what joins it to the one before; the last one may be cut off
    r"[\s\"'`,.&\\#*>|_+-]{0,60}(?:(?:[\w./-]{1,60}[:-])?\d{1,5}[:\t-][ \t]{0,40})?[\"'`]"
    r"(?:[A-Za-z0-9+/]{40,8192}={0,2}|[A-Za-z0-9+/]{1,64}(?=\Z|\"\s?\}))"
)
_LINE: Final = (
    rf"{_QUOTED}|{_BEFORE}(?:[A-Za-z0-9+/]{{16,8192}}={{0,2}}"
    r"|(?:Proc-Type|DEK-Info|Version|Comment|Encryption|Public-Lines|Private-Lines):[^\n\\]{0,100}"
    r"|=?[A-Za-z0-9+/]{1,64}={0,2}(?=\\n|\r?\n|\Z))"
)
_BODY: Final = r"(?<![A-Za-z0-9+/])(?:MII[A-Za-z0-9+/]{53,8192}|b3BlbnNzaC1rZXktdjE[A-Za-z0-9+/]{16,8192})={0,2}"
_MIDDLE: Final = r"(?<![A-Za-z0-9+/=])(?:[A-Za-z0-9+/]{64}|[A-Za-z0-9+/]{70})(?![A-Za-z0-9+/=])"
_NEXT: Final = rf"\n{_BEFORE}[A-Za-z0-9+/]{{64}}"  # what is quickly found of it
_LAST: Final = r"(?:\A|[\s>|+:-])[A-Za-z0-9+/]{1,76}={0,2}[ \t\r]{0,4}\Z"
_PUBLIC_HEAD: Final = r"(?:CERTIFICATE|PUBLIC KEY|REQUEST|CRL|PKCS7) ?-{4,5}\s{0,8}"
_LINES: Final = 100
_CHARS: Final = 65_536  # a private key is shorter; a closing line further off is another key's
_FEWEST: Final = 3  # lines of the same length, one below the other, of a key without head and foot
_AROUND: Final = 240  # characters around them that may say what they are
_ENTROPY: Final = 4.5  # bits a character


def find(text: str) -> Iterator[Iterator[Span]]:
    """Yield what each way of looking finds, each in order."""
    if "PRIVATE KEY" in text or "PuTTY-User-Key-File" in text or "OpenVPN Static key" in text:
        yield _blocks(text)
        yield _tails(text)
    if "MII" in text or "b3BlbnNzaC1rZXktdjE" in text:
        yield _bodies(text)
    if compiled(_NEXT).search(text):
        yield _middles(text)


def _blocks(text: str) -> Iterator[Span]:
    """Yield whole key blocks; one without its end goes as far as its lines look like a key's."""
    ends = [match.span() for match in compiled(_ENDS).finditer(text)]
    nexts = (match.start() for match in itertools.islice(compiled(_BEGINS).finditer(text), 1, None))
    whole = (0, 0)
    for begin in compiled(_BEGINS).finditer(text):
        following = next(nexts, len(text))
        at = bisect_left(ends, (begin.end(), 0))
        if at < len(ends) and ends[at][1] <= min(following, begin.end() + _CHARS):
            end = ends[at][1]
        else:
            end = begin.end()
            while line := compiled(_LINE).match(text, end, following):
                end = line.end()
        if begin.start() == whole[1]:
            whole = (whole[0], end)
            continue
        if whole[1]:
            yield whole
        whole = begin.start(), end
    if whole[1]:
        yield whole


def _tails(text: str) -> Iterator[Span]:
    """Yield the lines before the end of a key, which are its own wherever it begins."""
    for end in compiled(_ENDS).finditer(text):
        start = end.start()
        for _ in range(_LINES):
            above = text.rfind("\n", max(0, start - 1 - _AROUND), max(0, start - 1)) + 1
            if above >= start or not compiled(_LAST).search(text[above:start].rstrip("\n")):
                break
            start = above
        if start < end.start():
            yield start, end.start()


def _bodies(text: str) -> Iterator[Span]:
    """Yield what reads as the first lines of a private key whose head is missing."""
    done = 0
    for match in compiled(_BODY).finditer(text):
        headed = compiled(_PUBLIC_HEAD).search(text, max(0, match.start() - 48), match.start())
        if match.start() >= done and not headed:
            done, _ = _lines_from(text, match.end())
            yield match.start(), done


def _middles(text: str) -> Iterator[Span]:
    """Yield lines as long as a key's, one below the other, that are of no other block."""
    done = 0
    for match in compiled(_MIDDLE).finditer(text):
        if match.start() < done or values.entropy(match.group()) < _ENTROPY:
            continue
        done, lines = _lines_from(text, match.end())
        if lines + 1 >= _FEWEST and not _is_public(text, match.start(), done):
            yield match.start(), done


def _is_public(text: str, start: int, end: int) -> bool:
    """True if the nearest line that opens or closes a block, around some lines, is not of a private key."""
    before = [m.group() for m in compiled(_OTHER).finditer(text, max(0, start - _AROUND), start)]
    behind = compiled(_OTHER).search(text, end, end + _AROUND)
    named = (before[-1] if before and "BEGIN" in before[-1] else "") or (behind.group() if behind else "")
    return bool(named) and "PRIVATE" not in named


def _lines_from(text: str, end: int) -> tuple[int, int]:
    """Return the end of the lines of a key that go on from a place, and how many they are."""
    for count in range(_LINES):
        line = compiled(_LINE).match(text, end)
        if not line:
            return end, count
        end = line.end()
    return end, _LINES
