"""Which layout a folder is kept in: what it says itself, else by its files: another system's, or ours alone.

Looks at names and at the beginning of a few files; opens no memory.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Final

from commonplace.errors import ConfigError
from commonplace.memory.designs import LAYOUTS
from commonplace.store.files.machine import LAYOUT, layout_of
from commonplace.store.protocol import STATE
from commonplace.text.patterns import pattern

logger = logging.getLogger(__name__)

USERS: Final = "users"  # seed graph: a folder for each user
_FILES: Final = 500  # of a folder that are looked at by name
_OPENED: Final = 20  # of them that are opened
_HEAD_BYTES: Final = 4096
_HISTORY: Final = pattern(r"HISTORY(?:-\d{4}-\d{2})?\.md|history\.jsonl")
_DAY: Final = pattern(r"\d{4}-\d{2}-\d{2}\.md")
_VERSION: Final = pattern(r".+\.v\d+\.md")
_NOTE: Final = re.compile(rb"^\[\d\d:\d\d\] User: ", re.MULTILINE)
_LINK: Final = re.compile(rb"^\s*[-*] \[[^\]\n]+\]\([^)\n]+\.md\)", re.MULTILINE)
_FRONT: Final = re.compile(rb"\A(?:\xef\xbb\xbf)?---\r?\n(.*?)^---", re.DOTALL | re.MULTILINE)
_NODE: Final = re.compile(rb"^(?:parents|refs|path|createdAt):", re.MULTILINE)
_TYPED: Final = re.compile(rb"^\s*type:\s*[\"']?(?:user|feedback|project|reference)\b", re.MULTILINE)
_KODE: Final = re.compile(rb'\s*\{\s*"id":\s*"[^"]+",\s*"created_at":')
OURS: Final = b'{"type":"session"'
_OURS_IN: Final = ("sessions", "transcripts")
TRANSCRIPTS: Final = (".jsonl", ".json")
_CERTAIN, _HINT = 3, 1


def begun(location: str | os.PathLike[str]) -> str:
    """Return the layout that a folder was begun or adopted with, or that its files show beside our transcripts.

    Native where they do not say it: another system's folder is adopted, not opened.
    """
    folder = Path(location)
    if said := layout_of(os.fspath(folder)):
        return said
    if not _has_ours(folder) or (folder / STATE).is_dir():
        return "native"
    try:
        return kept_in(folder) or "native"
    except ConfigError as error:
        logger.warning("%s; it is opened as native", error)
        return "native"


def kept_in(folder: Path) -> str:
    """Return the layout that a folder without our own files is kept in, by the files; empty if there is no memory.

    Raises:
        ConfigError: The files do not say which it is.
    """
    found = ranked(folder)
    best = [name for name, _, weight in found if weight == found[0][2]]
    if (not best or best == ["facts"]) and not _has_ours(folder):
        return ""  # the native layout has files of facts too
    if len(best) == 1:
        return best[0]
    raise ConfigError(
        f"{str(folder)!r} has no {STATE}/, and its files do not say which layout it is kept in; name it with --layout: "
        f"{', '.join(sorted(LAYOUTS))}"
    )


def _has_ours(folder: Path) -> bool:
    """True if a folder has transcripts that we wrote."""
    files = ((folder / each / name) for each in _OURS_IN for name in names(folder / each) if name.endswith(".jsonl"))
    return any(head(file).startswith(OURS) for file in islice(files, _OPENED))


def ranked(folder: Path) -> list[tuple[str, str, int]]:
    """Return the layouts that a folder may be kept in, the likeliest first, each with its signs and their weight."""
    signs: dict[str, list[tuple[str, int]]] = {}
    for name, sign, weight in _signs(folder):
        signs.setdefault(name, []).append((sign, weight))
    found = [(name, ", ".join(sign for sign, _ in each), sum(w for _, w in each)) for name, each in signs.items()]
    return sorted(found, key=lambda each: -each[2])


def _signs(folder: Path) -> Iterator[tuple[str, str, int]]:
    """Yield (layout, the file that is a sign of it, how strong)."""
    mark = head(folder / LAYOUT).decode("utf-8", "replace").strip()
    # A folder that was opened before it was adopted says "native" too; without a mark no other package is searched.
    if mark not in {"", "native"} and mark in LAYOUTS:
        yield mark, LAYOUT, 100 * _CERTAIN
    elif (folder / STATE).is_dir():
        yield "native", f"{STATE}/", _HINT
    memory = folder / "memory"
    yield from _two_layer(memory)
    yield from _structured(memory)
    yield from graph_signs(folder, memory)
    yield from memdir_signs(folder)
    named = dict(reversed([*named_by(folder / "sessions")]))
    for layout, file in named.items():
        yield layout, f"sessions/{file}", _CERTAIN
    # The native layout has facts too.
    ours = (folder / STATE).is_dir() or (memory / "MEMORY.md").is_file() or "native" in named
    for file in ("facts/user.md", "facts/env.md", "episodes/index.json"):
        if (memory / file).is_file():
            yield "native" if ours else "facts", f"memory/{file}", _CERTAIN
    for file in ("user.md", "env.md", "index.json"):
        if (memory / file).is_file() and not (memory / "MEMORY.md").is_file():
            yield "facts-flat", f"memory/{file}", _CERTAIN


def named_by(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield (layout, file) for transcripts in a folder that only the program of that layout writes."""
    for name in islice((name for name in names(folder) if name.endswith(TRANSCRIPTS)), _OPENED):
        first = head(folder / name)
        if b'"_type"' in first:
            yield "two-layer", name
        elif name.endswith(".json") and _KODE.match(first):
            yield "facts-flat", name
        elif first.startswith(OURS):
            yield "native", name


def _two_layer(memory: Path) -> Iterator[tuple[str, str, int]]:
    if history := next((n for n in names(memory) if _HISTORY.fullmatch(n)), ""):
        yield "two-layer", f"memory/{history}", _CERTAIN
    if (memory / "MEMORY.md").is_file():
        yield "two-layer", "memory/MEMORY.md", _HINT


def _structured(memory: Path) -> Iterator[tuple[str, str, int]]:
    days = [n for n in names(memory) if _DAY.fullmatch(n)]
    if day := next((n for n in days[-_OPENED:] if _NOTE.search(head(memory / n))), ""):
        yield "structured", f"memory/{day}", _CERTAIN
    for file in ("items/semantic.jsonl", "items/procedural.jsonl", "items/episodic"):
        if (memory / file).exists():
            yield "structured", f"memory/{file}", _CERTAIN
    if (memory / "MEMORY.md").is_file():
        yield "structured", "memory/MEMORY.md", _HINT


def graph_signs(folder: Path, memory: Path) -> Iterator[tuple[str, str, int]]:
    """Yield the signs of the graph layout in a folder and its folder of nodes."""
    for name in islice((n for n in names(memory) if n.endswith(".md")), _OPENED):
        front = _FRONT.match(head(memory / name))
        if front and _NODE.search(front[1]):
            yield "graph", f"memory/{name}", _CERTAIN
            break
    if version := next((n for n in names(memory) if _VERSION.fullmatch(n)), ""):
        yield "graph", f"memory/{version}", _HINT
    if ours := next((n for n in names(memory / "history") if _HISTORY.fullmatch(n)), ""):
        yield "graph", f"memory/history/{ours}", _CERTAIN + _HINT  # its transcripts are as those of the native layout
    if own := next((n for n in ("SOUL.md", "TOOLS.md") if (folder / n).is_file()), ""):
        yield "graph", own, _HINT
    for user in islice(names(folder / USERS), _OPENED):
        for _, sign, weight in graph_signs(folder / USERS / user, folder / USERS / user / "memory"):
            yield "graph", f"{USERS}/{user}/{sign}", weight
            return


def memdir_signs(folder: Path) -> Iterator[tuple[str, str, int]]:
    """Yield the signs of the memdir layout in a folder."""
    if _LINK.search(head(folder / "MEMORY.md")):
        yield "memdir", "MEMORY.md", _CERTAIN
    if (folder / ".consolidate-lock").exists():
        yield "memdir", ".consolidate-lock", _CERTAIN
    for name in islice((n for n in names(folder) if n.endswith(".md") and n != "MEMORY.md"), _OPENED):
        front = _FRONT.match(head(folder / name))
        if front and _TYPED.search(front[1]):
            yield "memdir", name, _CERTAIN
            return


def names(folder: Path) -> list[str]:
    """Return the names in a folder, of a very large one only some; none if it is no folder."""
    try:
        with os.scandir(folder) as entries:
            return sorted(entry.name for entry in islice(entries, _FILES))
    except (OSError, ValueError):  # or a name that no folder can have
        return []


def head(file: Path) -> bytes:
    """Return the beginning of a file; empty if it cannot be read."""
    try:
        if not file.is_file():  # a pipe would wait for who writes
            return b""
        with file.open("rb") as stream:
            return stream.read(_HEAD_BYTES)
    except (OSError, ValueError):
        return b""
