"""`commonplace demo`: what memory does, shown on a conversation of seven weeks or on a person's own.

A row of parts, each one function that is given the open memory and prints what it shows. A later part
is one more line in `PARTS`. Writes only into the demo's folder, which it marks as its own; a folder
without that mark is never emptied.
"""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable, Iterator
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
from commonplace.surfaces.cli import drawing, sample, terminal, writing
from commonplace.surfaces.cli.opening import Place, placed
from commonplace.text.patterns import pattern

FOLDER: Final = "demo-memory"
_MARK: Final = ".commonplace/demo"
QUESTION: Final = "What does Tomas have to know about the queue and the archive?"
BUDGET_TOKENS: Final = 450  # small enough that something has to be left out
HITS: Final = 2
_GUARD_SHOWN: Final = 3
_REMEMBERED_LINES: Final = 24
_CONTEXT_LINES: Final = 14
_WORDS: Final = pattern(r"[^\W_]+")
_LEAST_WORDS, _MOST_WORDS = 3, 6  # of what a person said that are asked for


class Shown(msgspec.Struct):
    """What the parts of the demo share."""

    memory: Memory
    folder: Path
    transcript: str | None
    session: str = ""

    @property
    def command(self) -> str:
        """The command as this person can type it here, with the demo's folder."""
        script = Path(sys.argv[0])
        try:
            name = "commonplace" if shutil.which("commonplace") else str(script.absolute().relative_to(Path.cwd()))
        except ValueError:
            name = "commonplace"
        folder = str(self.folder)
        return f"{name} -C {folder if ' ' not in folder else repr(folder)}"


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
        shown = Shown(memory, folder, transcript)
        terminal.out(
            f"{terminal.heading('commonplace')}  memory for AI agents that people can read, check and take back"
        )
        for number, (title, part) in enumerate(PARTS, 1):
            terminal.out(f"\n{terminal.heading(f'{number}  {title}')}")
            for each in part(shown):
                terminal.out(f"   {each}" if each else "")


def _fresh(folder: Path) -> Path:
    """Empty the demo's folder, if it is one, and mark it as the demo's."""
    try:
        if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
            raise InputError(f"{str(folder)!r} is no folder; name another with -C", path=str(folder))
        if folder.exists() and any(folder.iterdir()):
            if not (folder / _MARK).is_file():
                raise InputError(
                    f"{str(folder)!r} holds something that no demo made; name another folder with -C", path=str(folder)
                )
            shutil.rmtree(folder)
        (folder / _MARK).parent.mkdir(mode=0o700, parents=True)
        (folder / _MARK).write_text("The demo made this folder and empties it when it runs again.\n", encoding="utf-8")
    except OSError as error:
        raise StoreReadOnlyError(
            f"{str(folder)!r} cannot be written: {error.strerror}; name another folder with -C", path=str(folder)
        ) from None
    return folder


def _recording(shown: Shown) -> Iterator[str]:
    """Record the conversation and say what it is."""
    started = time.perf_counter()
    if shown.transcript is None:
        yield "Seven weeks with Marta, an engineer in Gothenburg; she and all the others are made up."
        for batch in sample.batches():
            shown.memory.append(batch.session_id, batch.messages)
    else:
        report = writing.take(shown.memory, shown.transcript)
        writing.tell(report, indent="   ")
        if report.error or not report.messages:
            raise click.exceptions.Exit(2)
    took = time.perf_counter() - started
    found = sorted(shown.memory.sessions.list(), key=lambda session: session.last_at or session.created_at)
    shown.session = max(found, key=lambda session: session.messages).id if found else ""
    table = list(drawing.sessions(shown.memory, found[-12:], margin=3))
    yield ""
    yield from (terminal.faint(line) if at == 0 else line for at, line in enumerate(table))
    if len(found) > 12:
        yield f"… and {len(found) - 12:,} earlier sessions"
    yield ""
    total = sum(session.messages for session in found)
    yield f"{terminal.count(total, 'message')} kept on disk in {took:.1f} s; no model, no key, no network"


def _guarding(shown: Shown) -> Iterator[str]:
    """Show what the guard redacted, and what came from the web."""
    every = list(_messages(shown.memory))
    secrets = [each for each in every if "⟦secret:" in each.text]
    web = [each for each in every if each.message.trust == "web"]
    orders = [each for each in web if any(one.kind == "injection" for one in guard.screen(each.text).findings)]
    if secrets:
        yield f"{terminal.count(len(secrets), 'message')} with a secret: it never reached the disk"
    else:
        yield "no message held a secret"
    for message in secrets[:_GUARD_SHOWN]:
        yield from _quoted(message, "secret")
    if web:
        yield f"{terminal.count(len(web), 'message')} of tools, such as pages, files and output: kept, never believed"
    else:
        yield "nothing came from a tool"
    for message in orders[:_GUARD_SHOWN]:
        yield from _quoted(message, _orders_of(message.text), mark="gives orders")
    for message in [] if orders else web[:1]:
        yield from _quoted(message)


def _orders_of(text: str) -> str:
    return " ".join(text[slice(*each.span)] for each in guard.screen(text).findings if each.kind == "injection")


def _messages(memory: Memory) -> Iterator[RecordedMessage]:
    for session in memory.sessions.list():
        yield from memory.sessions.read(session.id)


def _quoted(recorded: RecordedMessage, words: str = "", mark: str = "") -> Iterator[str]:
    message = recorded.message
    origin = f"{drawing.day(message.at)} · {terminal.line(recorded.session)} · {drawing.who(message)}"
    warned = drawing.trust_mark(message.trust or "user") + (terminal.warning(f", {mark}") if mark else "")
    yield f"  {terminal.accent(origin)}{warned}"
    yield from terminal.quote(recorded.text, terminal.wanted(words), indent=4, margin=4)


def _recalling(shown: Shown) -> Iterator[str]:
    """Answer questions with the messages that were said."""
    if shown.transcript is not None:
        yield "ask it something that was said:"
        yield f"{shown.command} recall {_said(shown.memory)!r}"
        return
    first = among = 0
    for question, answers in sample.QUESTIONS:
        found = shown.memory.recall(question, k=HITS)
        right = [bool(set(answers) & {source.message for source in hit.sources}) for hit in found]
        first += right[:1] == [True]
        among += any(right)
        yield terminal.heading(f"? {question}")
        yield from drawing.hits(shown.memory, found, question, ids=False, lines=3, right=right, margin=3)
        yield ""
    asked = len(sample.QUESTIONS)
    yield f"{terminal.good('✓')} the message that answers: first {first} times of {asked}, shown {among} of {asked}"


def _said(memory: Memory) -> str:
    """Return the first words of what a person said, to be asked for."""
    for message in _messages(memory):
        words = _WORDS.findall(message.text) if message.message.trust == "user" else []
        if len(words) >= _LEAST_WORDS:
            return terminal.line(" ".join(words[:_MOST_WORDS]))
    return "what did we decide"


def _consolidating(shown: Shown) -> Iterator[str]:
    """Turn the conversation into memory by rules, and say what came of it and what it cost."""
    started = time.perf_counter()
    outcome = shown.memory.consolidate()
    took = time.perf_counter() - started
    lines = list(drawing.remembered(shown.memory, outcome.records, journals=False, margin=3))
    yield from lines[:_REMEMBERED_LINES]
    if len(lines) > _REMEMBERED_LINES:
        yield f"… and more; {terminal.accent('memory/')} holds all of it"
    journal = sum("/HISTORY" in record for record in outcome.records)
    facts = len(outcome.records) - journal
    yield ""
    yield f"{terminal.count(facts, 'record')} and {terminal.count(journal, 'journal entry', 'journal entries')}"
    held = shown.memory.review().list()
    if held:
        yield f"{terminal.count(len(held), 'operation')} held for a person:"
        yield from list(drawing.waiting(held))[:_REMEMBERED_LINES]
    else:
        yield "nothing is held for a person; what a guess, a question or a web page said is not believed"
    calls = sum(total.calls for total in shown.memory.cost().values())
    yield f"cost: {terminal.count(calls, 'model call')}, {took:.1f} s; silence is better than junk"


def _correcting(shown: Shown) -> Iterator[str]:
    """Write a memory down, correct it, explain it, take the correction back and bring it in again."""
    memory = shown.memory
    if shown.transcript is not None:
        yield "`remember`, `update`, `why` and `undo` do this with what you write down yourself"
        return
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
    if second.change is not None:
        undone = memory.undo(second.change, reason="only to show it")
        yield terminal.heading("undo") + terminal.faint("  and undo of the undo")
        yield from (f"  {line}" for line in drawing.diff(undone.diff))
        if undone.change is not None:
            memory.undo(undone.change, reason="the correction was right")
    yield terminal.heading("log")
    for change in memory.log(5):
        yield from (f"  {line}" for line in list(drawing.change(change))[:1])


def _building(shown: Shown) -> Iterator[str]:
    """Show what would enter the prompt and what it costs."""
    question = QUESTION if shown.transcript is None else None
    context = shown.memory.context(None, question, tokens=BUDGET_TOKENS)
    yield f"? {question}" if question else "without a question nothing is recalled"
    yield from drawing.budget(shown.memory, context)
    yield ""
    lines = terminal.safe(context.text).splitlines()
    for each in lines[:_CONTEXT_LINES]:
        yield terminal.faint("│ ") + terminal.cut(each, terminal.columns() - 6)
    if len(lines) > _CONTEXT_LINES:
        yield terminal.faint(f"│ … {len(lines) - _CONTEXT_LINES} more lines")


def _files(shown: Shown) -> Iterator[str]:
    """Show the folder, as it is when the memory is closed."""
    shown.memory.close()
    yield f"{terminal.accent(str(shown.folder.resolve()))}: yours to read, search, edit and delete"
    yield ""
    yield from drawing.files(shown.folder)


def _next(shown: Shown) -> Iterator[str]:
    """Yield commands to try on what was recorded."""
    command = shown.command
    question = sample.QUESTIONS[-1][0] if shown.transcript is None else _said(shown.memory)
    yield f"{command} recall --why {question!r}"
    yield f"{command} sessions"
    if shown.session:
        yield f"{command} show {terminal.line(shown.session)}"
    yield f"{command} context -q {question!r}"
    yield f"{command} record 'I drink green tea now' --session cli:me"
    yield f"{command} remember 'Lars is the new contact'"
    yield f"{command} log"
    if shown.transcript is None:
        yield "make demo TRANSCRIPT=path" + terminal.faint("   the same with your own transcript")


PARTS: Final[tuple[tuple[str, Callable[[Shown], Iterator[str]]], ...]] = (
    ("A conversation is recorded", _recording),
    ("The guard looks at every text before it is stored", _guarding),
    ("It is found again", _recalling),
    ("What is worth remembering is kept, by rules alone", _consolidating),
    ("It is written down, corrected, explained and taken back", _correcting),
    ("What would enter the prompt", _building),
    ("Where it is", _files),
    ("Try", _next),
)
"""The demo in order: a title, and what prints below it."""
