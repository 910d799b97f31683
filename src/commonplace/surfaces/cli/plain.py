"""What `--json` prints: one JSON value on stdout, with stable keys.

The keys are those of `records`, in their order, and are part of the interface (docs/commands.md). The
text is safe on a terminal: hidden characters are written as JSON escapes, which changes no value. Bytes of a path or
argument that were no UTF-8 are shown as on a terminal: no JSON that is valid Unicode has them.
"""

from __future__ import annotations

import json
import unicodedata
from typing import Any

import msgspec

from commonplace import guard
from commonplace.records import Context
from commonplace.surfaces.cli import terminal


def show(value: Any) -> None:
    """Print any values of ours as JSON, indented, hidden characters escaped."""
    terminal.out(printable(json.dumps(data(value), ensure_ascii=False, indent=2)))


def printable(text: str) -> str:
    """Write the hidden characters of a JSON text as escapes, which changes no value, and halves of one as a mark."""
    return text if text.isascii() else "".join(_escaped(char) for char in text)


def data(value: Any) -> Any:
    """Turn values of ours into plain JSON data; instants as ISO 8601."""
    return msgspec.to_builtins(value, str_keys=True)


def _escaped(char: str) -> str:
    category = "" if char.isascii() else unicodedata.category(char)
    if category == "Cs":
        return guard.show(char)
    if category not in {"Cc", "Cf", "Co", "Zl", "Zp"}:
        return char
    units = char.encode("utf-16-be")
    return "".join(f"\\u{int.from_bytes(units[at : at + 2], 'big'):04x}" for at in range(0, len(units), 2))


def context(found: Context) -> dict[str, Any]:
    """Return a context as data: both parts, and what was spent where."""
    return {"stable": found.stable, "volatile": found.volatile, **found.diagnostics}
