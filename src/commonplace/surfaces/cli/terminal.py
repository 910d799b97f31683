"""Drawing on a terminal: colours, columns and quotes; plain text wherever colours are not wanted.

Knows nothing of memory. Every foreign text passes `safe`, so that no stored byte can move the cursor
or hide a word. Colours are dropped by `click.echo` where the output is no terminal, and where NO_COLOR
is set.
"""

from __future__ import annotations

import os
import re
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Final

import click

from commonplace import guard
from commonplace.text import content
from commonplace.text.content import Vocabulary
from commonplace.text.patterns import pattern
from commonplace.text.pieces import one_line

MAX_COLUMNS: Final = 100
_WORD: Final = pattern(r"\w+")
_NO_WORDS: Final = Vocabulary()


def columns() -> int:
    """Return how wide to draw: as COLUMNS says, else the terminal, at most 100 columns; 100 in a pipe."""
    try:  # as shutil does it, of which the import alone would be a tenth of a command
        wide = int(os.environ.get("COLUMNS", "0")) or os.get_terminal_size(1).columns
    except (ValueError, OSError):
        wide = 0
    return max(40, min(MAX_COLUMNS, wide or MAX_COLUMNS))


def safe(text: str) -> str:
    """Make foreign text printable, line breaks kept."""
    return guard.show(text)


def line(text: str) -> str:
    """Make foreign text printable on one line."""
    return guard.show(one_line(text))


class UnwrittenError(OSError):
    """What a command says cannot be written where it goes."""


def out(text: str = "") -> None:
    """Print one line of output.

    Raises:
        UnwrittenError: It cannot be written.
    """
    _print(text, err=False)


def note(text: str) -> None:
    """Print one line beside the output, on stderr.

    Raises:
        UnwrittenError: It cannot be written.
    """
    _print(text, err=True)


def _print(text: str, *, err: bool) -> None:
    try:
        click.echo(text, err=err)
    except OSError as error:
        raise UnwrittenError(error.errno, error.strerror) from error


heading = partial(click.style, bold=True)  # a heading
faint = partial(click.style, dim=True)  # what is there to be looked up, not read
good = partial(click.style, fg="green")  # what went as it should
warning = partial(click.style, fg="yellow")  # what a person should notice
bad = partial(click.style, fg="red", bold=True)  # what failed
removed = partial(click.style, fg="red")  # what went
accent = partial(click.style, fg="cyan")  # names: sessions, files, commands


def width_of(text: str) -> int:
    """Count the columns a plain text takes."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(char) or char in "\u200d\ufe0e\ufe0f"
        else 2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in text
    )  # fmt: skip


def pad(text: str, size: int, *, right: bool = False) -> str:
    """Fill a plain text with spaces up to a number of columns."""
    space = " " * max(0, size - width_of(text))
    return space + text if right else text + space


def cut(text: str, size: int) -> str:
    """Cut a plain text to a number of columns, with `…` where something is missing."""
    if width_of(text) <= size:
        return text
    kept: list[str] = []
    left = size - 1
    for char in text:
        left -= width_of(char)
        if left < 0:
            break
        kept.append(char)
    return "".join(kept).rstrip() + "…"


def wrap(text: str, size: int) -> list[str]:
    """Break a plain text into lines of at most `size` columns, at spaces where there are any."""
    lines = [""]
    for word in text.split():
        if width_of(lines[-1]) + bool(lines[-1]) + width_of(word) <= size:
            lines[-1] += f" {word}" if lines[-1] else word
            continue
        lines += [""] if lines[-1] else []
        for char in word:
            lines += [""] if width_of(lines[-1]) + width_of(char) > size else []
            lines[-1] += char
    return lines


def wanted(query: str) -> Vocabulary:
    """Return the words of a query that are worth marking."""
    return Vocabulary(content.content(query))


def marked(text: str, words: Vocabulary) -> str:
    """Style the words of a plain text that a query asked for, in any of their forms."""

    def styled(found: re.Match[str]) -> str:
        asked = any(words.holds(part) for part in content.words(found[0]))
        return click.style(found[0], bold=True, underline=True) if asked else found[0]

    return _WORD.sub(styled, text)


def quote(
    text: str, words: Vocabulary = _NO_WORDS, *, indent: int = 3, lines: int = 4, margin: int = 0
) -> Iterator[str]:
    """Yield a foreign text as indented lines with the asked words marked; `…` replaces what is left out.

    Of a long text those lines are shown that hold most of the asked words. `margin` columns are kept free, for a
    caller that indents the lines further.
    """
    size = columns() - indent - margin
    wrapped = wrap(line(text), size)
    first = _best(wrapped, words, lines)
    shown = wrapped[first : first + lines]
    if first:
        shown[0] = cut(f"… {shown[0]}", size)
    if len(wrapped) > first + lines:
        shown[-1] = f"{cut(shown[-1], size - 2).removesuffix('…').rstrip()} …"
    for each in shown:
        yield " " * indent + marked(each, words)


def _best(wrapped: Sequence[str], words: Vocabulary, lines: int) -> int:
    """Return where the lines begin that hold most of the words: at the beginning if none hold more."""
    found = [{asked for part in content.words(each) for asked in words.like(part)} for each in wrapped]
    held = [len(set().union(*found[at : at + lines])) for at in range(max(1, len(wrapped) - lines + 1))]
    most = max(held)
    best = [at for at, count in enumerate(held) if count == most]
    return best[0] and best[min(lines // 2, len(best) - 1)]  # with a line or two before what was found


def bar(share: float, size: int) -> str:
    """Draw a share of one as a bar of at most `size` columns; anything above nothing is seen."""
    return "█" * max(share > 0, min(size, round(share * size)))


def table(rows: Sequence[Sequence[str]], right: Iterable[int] = ()) -> list[str]:
    """Lay plain cells out in columns; the columns named in `right` are set to the right."""
    if not rows:
        return []
    sizes = [max(width_of(row[at]) for row in rows) for at in range(len(rows[0]))]
    to_right = set(right)
    return [
        "  ".join(pad(cell, sizes[at], right=at in to_right) for at, cell in enumerate(row)).rstrip() for row in rows
    ]


def some(lines: Sequence[str], most: int) -> list[str]:
    """Return lines below a heading, of many only the first ones with how many there are."""
    more = [f"… {len(lines):,} in all; --json lists every one"] if len(lines) > most else []
    return [f"  {each}" for each in (*lines[:most], *more)]


def count(number: int, noun: str, plural: str = "") -> str:
    """Write a number with its noun: `1 message`, `2,310 messages`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def can_ask() -> bool:
    """True if a person can answer a question."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()
