"""Make the texts of operations storable: each text screened, what it holds judged by who asks.

Owns the walk over an operation's texts; which findings refuse and which quarantine is the guard's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from commonplace.changes import payload
from commonplace.errors import InputError
from commonplace.guard import Verdict, screen, verdict
from commonplace.guard.screened import Finding, Screened, structural
from commonplace.operations import OPERATIONS, Operation
from commonplace.records import Trust
from commonplace.text import content

_NAMES: Final = frozenset({"op", "path", "id", "session", "message", "name", "record", "why", "to", "at", "trust"})
_PLAIN: Final = frozenset({"id", "trust"})
_OPERATION: Final[Any] = Operation
_OWN: Final = frozenset(
    {kind.__struct_config__.tag for kind in OPERATIONS}
    | {"op", *(name for kind in (*OPERATIONS, *payload.STORED) for name in kind.__struct_fields__)}
)
"""Names of our own: whoever wrote them, they need no screening."""
_ORDER: Final[tuple[Verdict, ...]] = ("ok", "quarantine", "refuse")


class Judged(msgspec.Struct, frozen=True):
    """An operation with screened texts, what becomes of it, and the classes of what the guard found.

    `odd` are the words that read like orders to a model, of an explicit write with all that their lines say, and the
    sentences with characters that are not seen.
    """

    operation: Any
    verdict: Verdict
    classes: tuple[str, ...]
    odd: tuple[str, ...] = ()
    hidden: bool = False  # some characters are not seen


def judge(operation: Operation, *, explicit: bool, trust: Trust, screen: Callable[[str], Screened] = screen) -> Judged:
    """Screen every text of an operation.

    Args:
        operation: As it was asked for.
        explicit: Someone asked for this very text, so a secret refuses it instead of being redacted.
        trust: How far its texts are trusted.
        screen: The guard's, or one that remembers what it screened.

    Raises:
        InputError: A path, id or name of it holds control characters or a secret.
    """
    verdicts: list[Verdict] = ["ok"]
    classes: dict[str, None] = {}
    hidden: list[Finding] = []
    odd: list[str] = []

    def clean(value: Any, name: str) -> Any:
        if isinstance(value, str):
            if value in _OWN:
                return value
            screened = screen(value)
            if name in _NAMES and screened.text != value:
                raise InputError(f"{name} holds control characters or a secret; use a plain name", field=name)
            if name not in _NAMES:
                verdicts.append(verdict(screened, explicit=explicit, trust=trust))
            classes.update(dict.fromkeys(finding.rule for finding in screened.findings))
            unseen = [finding for finding in screened.findings if finding.kind == "unicode"]
            hidden.extend(unseen)
            odd.extend(content.sentences(screened.text) if unseen else ())
            for start, end in (each.span for each in screened.findings if each.kind == "injection"):
                odd.append(_lines_of(screened.text, start, end) if explicit else screened.text[start:end])
            return screened.text
        if isinstance(value, Mapping):
            return {clean(str(key), ""): clean(item, str(key)) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [clean(item, "") for item in value]
        return value

    try:
        cleaned = msgspec.convert(clean(msgspec.to_builtins(operation), ""), _OPERATION)
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{type(operation).__name__} is not well formed: {error}") from error
    return Judged(cleaned, max(verdicts, key=_ORDER.index), tuple(classes), tuple(odd), bool(hidden))


def _lines_of(text: str, start: int, end: int) -> str:
    """Return the lines of a text that a part of it is in."""
    return text[text.rfind("\n", 0, start) + 1 : end] + text[end:].partition("\n")[0]


def sealed(value: Any, name: str = "", *, screen: Callable[[str], Screened] = screen) -> Any:
    """Return values as plain data with every text in it screened, ready for a stored line.

    Names of our own, and ids and levels of trust in plain ASCII, pass as they are: the line itself holds them
    to structure.
    """
    if isinstance(value, str):
        return value if value in _OWN or (name in _PLAIN and structural(value)) else screen(value)
    if isinstance(value, msgspec.Struct):
        value = msgspec.to_builtins(value)
    if isinstance(value, Mapping):
        return {sealed(str(key), screen=screen): sealed(item, str(key), screen=screen) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [sealed(item, screen=screen) for item in value]
    return value


def text_of(value: Any) -> Screened:
    """Encode plain data as one screened JSON text."""
    return screen(msgspec.json.encode(value).decode())
