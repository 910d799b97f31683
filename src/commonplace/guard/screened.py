"""Screened text: the one value with a secret. Only the guard can make it, and a store takes nothing else.

Owns how a stored line is put together from screened parts, so that no text reaches a file unseen.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from operator import methodcaller
from typing import Any, Final, Literal

import msgspec


class Finding(msgspec.Struct, frozen=True):
    """What the guard saw in a text: its class and rule, and where; never the text itself."""

    kind: Literal["secret", "unicode", "injection"]
    rule: str
    span: tuple[int, int]


line_bytes: Final[Callable[[str], bytes]] = methodcaller("encode", "utf-8", "backslashreplace")
"""Encodes one stored line; a lone surrogate becomes its JSON escape."""

_STRUCTURAL_CHARS: Final = 120
_STRUCTURAL: Final = re.compile(r"[\x20-\x7e\n\t§]*\Z")
_LONG_RUN: Final = re.compile(r"[A-Za-z0-9+/_=-]{41,}")
_SEAL: Final = object()
_ENDED: Final = b'%b,"h":"%08x"}'  # a line that is one JSON object without its last brace, and its checksum


class Screened:
    """Text that passed the guard; `findings` tell what was redacted or made visible.

    Only `guard.screen` makes one from foreign text; joining screened parts keeps them screened.
    """

    __slots__ = ("findings", "text")

    def __init__(self, text: str, findings: tuple[Finding, ...] = (), *, _seal: object = None) -> None:
        if _seal is not _SEAL:
            raise TypeError("Screened text is made by guard.screen only")
        self.text = text
        self.findings = findings

    def __repr__(self) -> str:
        return f"Screened({self.text!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Screened) and other.text == self.text

    def __hash__(self) -> int:
        return hash(self.text)

    @property
    def secrets(self) -> tuple[str, ...]:
        """The classes of secret that were redacted, each once, in order."""
        return tuple(dict.fromkeys(f.rule for f in self.findings if f.kind == "secret"))


def seal(text: str, findings: tuple[Finding, ...] = ()) -> Screened:
    """Make screened text; for the guard alone (a test holds every other module to that)."""
    # The encoders take no other kind of text than `str` itself.
    return Screened(text if type(text) is str else str.__str__(text), findings, _seal=_SEAL)


def structural(text: str) -> bool:
    """True if a text is plain enough to be in a stored line unscreened: short, ASCII, no long run."""
    short = len(text) <= _STRUCTURAL_CHARS
    return short and _STRUCTURAL.match(text) is not None and not _LONG_RUN.search(text)


def join(parts: Sequence[Screened | str]) -> Screened:
    """Join screened parts with structural text between them.

    Raises:
        TypeError: A plain `str` part is more than structure: over 120 characters, not printable
            ASCII, or with a run that could be a key. Screen it first.
    """
    texts: list[str] = []
    findings: list[Finding] = []
    for part in parts:
        if isinstance(part, Screened):
            texts.append(part.text)
            findings.extend(part.findings)
        elif structural(part):
            texts.append(part)
        else:
            raise TypeError("text between screened parts must be structure; screen it first")
    return seal("".join(texts), tuple(findings))


def json_line(values: Mapping[str, Any], *, checksum: bool = False) -> Screened:
    """Encode one JSON object whose every text is screened or structural, on one line, no newline.

    With `checksum`, the last key is `h`: the CRC-32, as 8 hex digits, of the line before `,"h"`.
    Leaves may be Screened, int, float, bool, None, datetime, structural `str`, and lists or mappings
    of these; keys are structural.
    """
    findings: list[Finding] = []
    plain = _plain(values, findings)
    line = json.dumps(plain, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    if checksum:
        line = _ENDED % (line[:-1], zlib.crc32(line[:-1]))
    return seal(line.decode("utf-8", "surrogatepass"), tuple(findings))


def _plain(value: Any, findings: list[Finding]) -> Any:
    """Return a value as the encoder takes it; note what the guard found in it."""
    match value:
        case None | bool() | int() | float():
            return value
        case Screened():
            findings.extend(value.findings)
            return value.text
        case str():
            if not structural(value):
                raise TypeError("a text in a stored line must be screened first")
            return value
        case datetime():
            return instant(value)
        case Mapping():
            return {str(_plain(key, findings)): _plain(item, findings) for key, item in value.items()}
        case list() | tuple():
            return [_plain(item, findings) for item in value]
    raise TypeError(f"{type(value).__name__} cannot be in a stored line")


def instant(at: datetime) -> str:
    """Write an instant as ISO 8601 in UTC with milliseconds and `Z`."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
