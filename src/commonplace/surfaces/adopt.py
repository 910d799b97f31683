"""Adopt the memory of another system in its folder: recognise it, open it in place, read its transcripts.

Nothing of that system is written, moved or renamed: adopting adds `.commonplace/` with our index and log and, for
a layout whose transcripts are ours, a folder of them. The system is recognised by its files alone.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import tzinfo
from itertools import chain
from pathlib import Path
from typing import Any, Final

import msgspec

from commonplace.config import Clock, Config
from commonplace.errors import CommonplaceError, InputError
from commonplace.layouts import knobs
from commonplace.layouts.schema import RANGES, Layout
from commonplace.memory import designs, recognising
from commonplace.memory.designs import LAYOUTS
from commonplace.memory.memory import Memory
from commonplace.operations import EndSession, MoveCursor
from commonplace.records import Message
from commonplace.store.files.machine import LAYOUT
from commonplace.surfaces import importers
from commonplace.surfaces.importers import agent_session, neoclaw
from commonplace.surfaces.importers.batches import plain_session
from commonplace.text.patterns import pattern
from commonplace.text.pieces import decode_name

_WORKSPACE: Final = "workspace"  # seed two-layer: its name; `sessions` lies beside it
_WORKSPACE_ID: Final = ".nanobot/workspace-id"  # nanobot from 0.3: names the folder in `sessions` that is its own
_ID: Final = pattern(r"[0-9a-f]{32}")


class Adopted(msgspec.Struct, frozen=True, kw_only=True):
    """What was taken over: as which layout and why, and what was read of their transcripts."""

    location: str
    layout: str
    why: str
    files: int = 0
    sessions: int = 0
    messages: int = 0
    problems: tuple[importers.Problem, ...] = ()


def recognise(path: str | os.PathLike[str]) -> list[tuple[str, str]]:
    """Return the systems that a directory may belong to, the likeliest first, each with the files that show it."""
    given = Path(path)
    return [(name, why) for name, why, _ in recognising.ranked(_workspace(given) if given.is_dir() else given)]


def adopt(
    path: str | os.PathLike[str],
    *,
    layout: str | None = None,
    config: Config | Mapping[str, Any] | None = None,
    clock: Clock | None = None,
) -> Adopted:
    """Open the memory of another system in place and read the transcripts it left; doing it again adds what is new.

    Args:
        path: The directory that holds their `memory` folder, or is their memory if it has none. Of the two-layer
            design, which keeps sessions beside its workspace, also the folder of sessions or the one above both.
        layout: What it is; recognised from its files when None.
        config: Knobs, as for `Memory.open`.
        clock: Gives the time now; the system's where not given.

    Raises:
        InputError: It is no directory, is not recognised, or may belong to several systems.
        ConfigError: There is no layout of this name.
        StoreError: Our own files cannot be written there.
    """
    folder = _workspace(Path(path))
    name, why = (layout, "named by the caller") if layout is not None else _decided(folder)
    found = designs.named(name)
    theirs = _written_by_theirs(found, folder)
    if (folder / LAYOUT).exists():  # nothing is written in another layout than this
        (folder / LAYOUT).write_text(f"{name}\n", encoding="utf-8")
    problems: list[importers.Problem] = []
    if (Path(path) / LAYOUT).exists() and not folder.samefile(path):
        problems.append(importers.Problem(str(path), 0, APART.format(folder=folder)))
    with Memory.open(folder, layout=theirs, config=config, clock=clock, jobs="worker") as memory:
        memory.sync()
        jobs = [job.name for job in found.jobs if job.range in RANGES]
        reading = _Reading(memory, jobs, knobs.settled(found, config).zone, problems.append)
        taken = [reading.take(file) for file in _transcripts(folder, found.their_sessions, name)]
        if found.their_sessions and found.their_sessions != found.sessions:
            taken += _own(folder, found.their_sessions, reading)
        scopes = memory.scopes()
    for scope in scopes:
        with Memory.open(folder, layout=theirs, scope=scope, config=config, clock=clock, jobs="worker") as memory:
            memory.sync()
    (folder / LAYOUT).write_text(f"{name}\n", encoding="utf-8")
    homes = [folder / found.scopes.folder(scope) for scope in scopes]
    return Adopted(
        location=str(folder),
        layout=name,
        why=why,
        files=sum(found.layer_of(file) is not None for home in homes for file in _below(home, found.memory)),
        sessions=sum(messages is not None for messages in taken),
        messages=sum(messages or 0 for messages in taken),
        problems=tuple(problems),
    )


def _written_by_theirs(layout: Layout, folder: Path) -> Layout:
    """Return the layout to adopt a folder with: what lies there was written by the tools of the other system's agent.

    Not so in a folder that was adopted or begun before: what is new there has a log, which tells who wrote it.
    """
    if not layout.their_sessions or (folder / LAYOUT).exists():
        return layout
    return msgspec.structs.replace(layout, agent_edits_files=True)


def _workspace(given: Path) -> Path:
    """Return the directory that holds the memory: the one in the one given, that itself, the one above it or beside it.

    Raises:
        InputError: There is no such directory.
    """
    if not given.is_dir():
        what = "is a file" if given.exists() else "is not there"
        raise InputError(f"{str(given)!r} {what}, so no memory is recognised; name its directory", path=str(given))
    if given.name == recognising.USERS and any(recognising.graph_signs(given.parent, given.parent / "memory")):
        return given.parent
    inside = sum(weight for _, _, weight in recognising.memdir_signs(given / "memory"))
    if inside > max((weight for _, _, weight in recognising.ranked(given)), default=0):
        return given / "memory"
    home = given.resolve().parent.parent if _ID.fullmatch(given.resolve().name) else given.resolve().parent
    above = (home, home / _WORKSPACE) if _has_theirs(given) else ()
    return next((each for each in (given / _WORKSPACE, given, *above) if (each / "memory").is_dir()), given)


def _transcripts(folder: Path, theirs: str, layout: str) -> list[Path]:
    """Return the transcripts of the other system: in the directory, beside it, and in its own folder there."""
    if not theirs:
        return []
    beside = folder.resolve().parent / theirs
    own = recognising.head(folder / _WORKSPACE_ID).decode("ascii", "replace").strip()
    others = [beside, *([beside / own] if _ID.fullmatch(own) else [])]
    folders = [folder / theirs]
    folders += [each for each in others if any(name == layout for name, _ in recognising.named_by(each))]
    return [
        each / name
        for each in folders
        for name in recognising.names(each)
        if name.endswith(recognising.TRANSCRIPTS) and not recognising.head(each / name).startswith(recognising.OURS)
    ]


def _own(folder: Path, theirs: str, reading: _Reading) -> Iterator[int]:
    """Import what the native layout kept among the other's transcripts; yield the new messages of each session."""
    kept = [
        name
        for name in recognising.names(folder / theirs)
        if recognising.head(folder / theirs / name).startswith(recognising.OURS)
    ]
    if not kept:
        return
    memory = reading.memory
    with Memory.open(folder, layout="native", read_only=True, jobs="worker") as ours:
        for name in kept:
            if not (session := decode_name(name.removesuffix(".jsonl"))):
                continue
            known = memory.sessions.state(session).messages if memory.sessions.exists(session) else 0
            said = [each.message for each in ours.sessions.read(session)]
            keep(memory, session, said, reading.on_problem, str(folder / theirs / name))
            yield memory.sessions.state(session).messages - known


def keep(
    memory: Memory,
    session: str,
    messages: Sequence[Message],
    on_problem: Callable[[importers.Problem], None],
    path: str,
) -> None:
    """Append what was read of a file; of a message that the session has with another text, that one stays."""
    try:
        memory.append(session, messages)
    except InputError as error:
        places = error.data.get("places", ())
        if not places:
            raise
        for at in places:
            reason = f"message {messages[at].id!r} of {session!r} is there with another text, which stays"
            on_problem(importers.Problem(path, 0, reason))
        memory.append(session, [each for at, each in enumerate(messages) if at not in places])


def _has_theirs(folder: Path) -> bool:
    """True if a folder, or one in it that is a workspace's own, holds transcripts of a program that is known."""
    folders = [folder, *(folder / name for name in recognising.names(folder) if _ID.fullmatch(name))]
    return any(LAYOUTS[layout].their_sessions for each in folders for layout, _ in recognising.named_by(each))


def _decided(folder: Path) -> tuple[str, str]:
    found = recognising.ranked(folder)
    if not found:
        above = recognising.ranked(folder.parent) if folder.name == "memory" else []
        hint = f"adopt {str(folder.parent)!r}, which holds it" if above else "name its layout if it is one"
        raise InputError(f"{str(folder)!r} is no memory that is recognised; {hint}", path=str(folder))
    best = [each for each in found if each[2] == found[0][2]]
    if len(best) > 1:
        names = " or ".join(f"{name} ({why})" for name, why, _ in best)
        raise InputError(f"{str(folder)!r} may be {names}; say which layout it is", path=str(folder))
    return best[0][:2]


class _Reading(msgspec.Struct, frozen=True):
    """Reads another system's transcripts: into which memory, for which jobs, in which zone times without one are."""

    memory: Memory
    jobs: Sequence[str]
    zone: tzinfo
    on_problem: Callable[[importers.Problem], None]

    def take(self, file: Path) -> int | None:
        """Read one transcript and return the number of new messages; None if it is none."""
        memory = self.memory
        try:
            stem = plain_session(file.stem)
            data = file.read_bytes()
            theirs = agent_session.head(data)
            head = theirs or neoclaw.head(data, stem, self.zone)
            form = agent_session.NAME if theirs else neoclaw.NAME if head else None
            session = head.key if head else stem
            fresh = begun(memory, head) if head else not memory.sessions.exists(session)
            batches = importers.read(file, format=form, on_problem=self.on_problem, zone=self.zone)
            first = next(batches, None)
            before = memory.sessions.get_or_create(session).messages
            for batch in chain([first] if first else [], batches):
                keep(memory, session, batch.messages, self.on_problem, str(file))
        except (InputError, OSError) as error:
            if isinstance(error, CommonplaceError) and not isinstance(error, InputError):
                raise
            self.on_problem(importers.Problem(str(file), 0, str(error)))
            return None
        after = memory.sessions.state(session).messages
        if fresh and head and head.done:
            done = min(head.done, after)
            cursors = [MoveCursor(session=session, name=job, to=done) for job in self.jobs]
            memory.apply(cursors, reason="consolidated by the system it was adopted from")
        if fresh and head and head.ended:
            memory.apply([EndSession(session=session)], reason=ENDED)
        return after - before


APART: Final = "a memory was begun here before; what it holds stays in it and is not in that of {folder}"
ENDED: Final = "ended in the system that it comes from"


def begun(memory: Memory, head: importers.Head) -> bool:
    """Make a session with what a file says of it; False if it is there already, which changes nothing of it."""
    if memory.sessions.exists(head.key):
        return False
    memory.sessions.get_or_create(head.key, created_at=head.created_at)
    if head.paused or head.metadata:
        memory.sessions.describe(head.key, paused=head.paused, metadata=head.metadata)
    return True


def _below(folder: Path, memory: str) -> Iterator[str]:
    for file in (folder / memory).rglob("*"):
        if file.is_file():
            yield file.relative_to(folder).as_posix()
