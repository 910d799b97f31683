"""`commonplace demo`: what memory does, shown on a conversation of seven weeks or on a person's own.

Each part is a function that is given the open memory and yields what it shows. Writes only into the demo's folder,
which it marks as its own; a folder without that mark is never emptied.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import click
import msgspec

from commonplace import guard
from commonplace.changes.actors import PERSON
from commonplace.errors import InputError, StoreReadOnlyError
from commonplace.memory.memory import Memory
from commonplace.operations import ReplaceEntry
from commonplace.records import RecordedMessage, Source
from commonplace.store.files.disk import make_folders
from commonplace.surfaces.cli import drawing, sample, terminal, writing
from commonplace.surfaces.cli.opening import Place, placed

FOLDER: Final = "demo-memory"
_MARK: Final = ".commonplace/demo"
QUESTION: Final = "What does Tomas have to know about the queue and the archive?"
BUDGET_TOKENS: Final = 450  # small enough that something has to be left out
HITS: Final = 2
_SESSIONS: Final = 12
_REMEMBERED_LINES: Final = 24
_CONTEXT_LINES: Final = 14
_ASKED: Final = 5  # words of what a person said that are asked for


@click.command("demo")
@click.argument("transcript", required=False)
@placed
def demo_command(transcript: str | None, *, place: Place) -> None:
    """Show what memory does, on a sample or on your TRANSCRIPT.

    Everything is written to ./demo-memory (or the folder given with -C), which starts fresh each time.
    """
    if transcript is not None and not Path(transcript).is_file():
        raise InputError(f"{transcript!r} is no file; name a transcript", path=transcript)
    folder = _fresh(Path(place.location or FOLDER).expanduser())
    with msgspec.structs.replace(place, location=str(folder)).open(writes=True) as memory:
        terminal.out(
            f"{terminal.heading('commonplace')}  memory for AI agents that people can read, check and take back"
        )
        parts = PARTS if transcript is None else {title: part for title, part in PARTS.items() if part in _OWN}
        for number, (title, part) in enumerate(parts.items(), 1):
            terminal.out(f"\n{terminal.heading(f'{number}  {title}')}")
            for each in part(memory, transcript):
                terminal.out(f"   {each}" if each else "")


def _fresh(folder: Path) -> Path:
    """Empty the demo's folder, if it is one, and mark it as the demo's."""
    try:
        if folder.exists() and any(folder.iterdir()):
            if not (folder / _MARK).is_file():
                raise InputError(
                    f"{str(folder)!r} holds something that no demo made; name another folder with -C", path=str(folder)
                )
            shutil.rmtree(folder)
        make_folders(str((folder / _MARK).parent))
        (folder / _MARK).write_text("The demo made this folder and empties it when it runs again.\n", encoding="utf-8")
    except OSError as error:
        raise StoreReadOnlyError(
            f"{str(folder)!r} cannot be written: {error.strerror}; name another folder with -C", path=str(folder)
        ) from None
    return folder


def _recording(memory: Memory, transcript: str | None) -> Iterator[str]:
    """Record the conversation and say what it is."""
    started = time.perf_counter()
    if transcript is None:
        yield "Seven weeks with Marta, an engineer in Gothenburg; she and all the others are made up."
        for batch in sample.batches():
            memory.append(batch.session_id, batch.messages)
    else:
        report = writing.take(memory, transcript)
        writing.tell(report, indent="   ")
        if report.error or not report.messages:
            raise click.exceptions.Exit(2)
    took = time.perf_counter() - started
    found = sorted(memory.sessions.list(), key=lambda session: session.last_at or session.created_at)
    yield ""
    yield from drawing.sessions(memory, found[-_SESSIONS:])
    yield ""
    total = sum(session.messages for session in found)
    yield f"{terminal.count(total, 'message')} kept on disk in {took:.1f} s; no model, no key, no network"


def _guarding(memory: Memory, _: str | None) -> Iterator[str]:
    """Show what the guard redacted, and what came from the web."""
    every = [message for session in memory.sessions.list() for message in memory.sessions.read(session.id)]
    secrets = [each for each in every if "⟦secret:" in each.text]
    web = [each for each in every if each.message.trust == "web"]
    yield f"{terminal.count(len(secrets), 'message')} with a secret: it never reached the disk"
    for message in secrets:
        yield from _quoted(message, "secret")
    yield f"{terminal.count(len(web), 'message')} of tools, such as pages, files and output: kept, never believed"
    for message in web:
        if orders := [each.span for each in guard.screen(message.text).findings if each.kind == "injection"]:
            yield from _quoted(message, " ".join(message.text[slice(*span)] for span in orders))


def _quoted(recorded: RecordedMessage, words: str) -> Iterator[str]:
    message = recorded.message
    origin = f"{drawing.day(message.at)} · {terminal.line(recorded.session)} · {drawing.who(message)}"
    yield f"  {terminal.accent(origin)}{drawing.trust_mark(message.trust or 'user')}"
    yield from terminal.quote(recorded.text, terminal.wanted(words), indent=4, margin=4)


def _recalling(memory: Memory, _: str | None) -> Iterator[str]:
    """Answer questions with the messages that were said."""
    answered = 0
    for question, answers in sample.QUESTIONS:
        found = memory.recall(question, k=HITS)
        right = [bool(set(answers) & {source.message for source in hit.sources}) for hit in found]
        answered += any(right)
        yield terminal.heading(f"? {question}")
        yield from drawing.hits(memory, found, question, ids=False, lines=3, right=right, margin=3)
        yield ""
    yield f"{terminal.good('✓')} the message that answers: shown {answered} times of {len(sample.QUESTIONS)}"


def _consolidating(memory: Memory, _: str | None) -> Iterator[str]:
    """Turn the conversation into memory by rules, and say what came of it."""
    started = time.perf_counter()
    outcome = memory.consolidate()
    took = time.perf_counter() - started
    lines = list(drawing.remembered(memory, outcome.records, journals=False, margin=3))
    yield from lines[:_REMEMBERED_LINES]
    if len(lines) > _REMEMBERED_LINES:
        yield f"… and more; {terminal.accent('memory/')} holds all of it"
    yield ""
    calls = sum(total.calls for total in memory.cost().values())
    yield f"{terminal.count(len(outcome.records), 'record')}; cost: {terminal.count(calls, 'model call')}, {took:.1f} s"
    yield from drawing.waiting(memory.review().list())


def _correcting(memory: Memory, _: str | None) -> Iterator[str]:
    """Write a memory down, correct it, explain it, take the correction back and bring it in again."""
    said = Source("cli:lantern-kickoff", "s01m05")
    first = memory.remember("The station in Malmö has 14 gauges.", source=said, actor=PERSON)
    corrected = ReplaceEntry(
        path=first.records[0].partition("#")[0],
        target=first.records[0],
        text="The station in Malmö has 17 gauges.",
        sources=(Source("cli:lantern-deadline", "s03m05"),),
    )
    second = memory.apply([corrected], reason="Marta corrected it", actor=PERSON)
    for done, title in ((first, "remember"), (second, "update")):
        yield terminal.heading(title)
        yield from (f"  {line}" for line in drawing.diff(done.diff))
    yield terminal.heading("why")
    yield from (f"  {line}".rstrip() for line in drawing.trail(memory, memory.why(second.records[0]), margin=5))
    undone = memory.undo(second, reason="only to show it")
    yield terminal.heading("undo") + terminal.faint("  and undo of the undo")
    yield from (f"  {line}" for line in drawing.diff(undone.diff))
    memory.undo(undone, reason="the correction was right")
    yield terminal.heading("log")
    for change in memory.log(5):
        yield f"  {next(drawing.change(change))}"


def _building(memory: Memory, transcript: str | None) -> Iterator[str]:
    """Show what would enter the prompt and what it costs."""
    question = QUESTION if transcript is None else _said(memory)
    context = memory.context(None, question, tokens=BUDGET_TOKENS)
    yield f"? {question}"
    yield from drawing.budget(memory, context)
    yield ""
    lines = terminal.safe(context.text).splitlines()
    for each in lines[:_CONTEXT_LINES]:
        yield terminal.faint("│ ") + terminal.cut(each, terminal.columns() - 6)
    if len(lines) > _CONTEXT_LINES:
        yield terminal.faint(f"│ … {len(lines) - _CONTEXT_LINES} more lines")


def _said(memory: Memory) -> str:
    """Return the first words of what a person said, to be asked for."""
    every = (message for session in memory.sessions.list() for message in memory.sessions.read(session.id))
    words = (message.text.split()[:_ASKED] for message in every if message.message.trust == "user")
    asked = next((each for each in words if len(each) == _ASKED), ["what", "did", "we", "decide"])
    return terminal.line(" ".join(asked))


def _files(memory: Memory, transcript: str | None) -> Iterator[str]:
    """Show the folder, as it is when the memory is closed, and what to try on it."""
    question = sample.QUESTIONS[-1][0] if transcript is None else _said(memory)
    memory.close()
    folder = Path(memory.location)
    yield f"{terminal.accent(str(folder.resolve()))}: yours to read, search, edit and delete"
    yield ""
    yield from drawing.files(folder)
    yield ""
    script, here = Path(sys.argv[0]).absolute(), Path.cwd()
    below = script.is_relative_to(here) and not shutil.which("commonplace")
    name = str(script.relative_to(here)) if below else "commonplace"
    command = f"{name} -C {shlex.quote(os.path.relpath(folder))}"
    yield f"{command} recall {question!r}"
    yield f"{command} context -q {question!r}"
    yield f"{command} remember 'Lars is the new contact'"
    yield f"{command} log"
    yield f"{name} demo TRANSCRIPT" + terminal.faint("   the same with your own conversation")


PARTS: Final = {
    "A conversation is recorded": _recording,
    "The guard looks at every text before it is stored": _guarding,
    "It is found again": _recalling,
    "What is worth remembering is kept, by rules alone": _consolidating,
    "It is written down, corrected, explained and taken back": _correcting,
    "What would enter the prompt": _building,
    "Where it is": _files,
}
"""The demo in order: a title, and what prints below it."""
_OWN: Final = {_recording, _guarding, _consolidating, _building, _files}  # what a person's own transcript can show
