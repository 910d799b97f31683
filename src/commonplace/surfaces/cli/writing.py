"""Commands that put messages in: `record` and `import`."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import BinaryIO, Final, cast, get_args

import click
import msgspec

from commonplace.changes.transcripts import checksum
from commonplace.errors import CommonplaceError, InputError
from commonplace.memory import recognising
from commonplace.memory.memory import Memory
from commonplace.operations import EndSession
from commonplace.records import Message, Role, Trust, lowest_trust
from commonplace.store.protocol import STATE
from commonplace.surfaces import adopt, importers
from commonplace.surfaces.cli import drawing, instants, plain, terminal
from commonplace.surfaces.cli.opening import Place, printing, scopes_of

SESSION: Final = "cli:main"
PROBLEMS_SHOWN: Final = 20  # lines named for one file; the total is always said
_TRANSCRIPTS: Final = (".jsonl", ".json", ".jsonl.gz", ".json.gz")


@click.command("record")
@click.argument("text", nargs=-1)
@click.option("-s", "--session", default=SESSION, show_default=True, metavar="ID", help="Session it belongs to.")
@click.option("--role", type=click.Choice(get_args(Role)), default="user", show_default=True, help="Who says it.")
@click.option("--name", metavar="NAME", help="Name of the speaker.")
@click.option("--at", metavar="INSTANT", help="When it was said, ISO 8601; local time where no zone is given.")
@click.option("--id", "message_id", metavar="ID", help="Id of the message; recording it again changes nothing.")
@printing
def record_command(  # noqa: PLR0917 - click passes options by name
    text: tuple[str, ...],
    session: str,
    role: str,
    name: str | None,
    at: str | None,
    message_id: str | None,
    *,
    place: Place,
) -> None:
    """Record one message, given as TEXT or on standard input."""
    content = " ".join(text) if text and text != ("-",) else _standard_input()
    if not content.strip():
        raise InputError("there is nothing to record; give a text, or send one on standard input")
    message = Message(cast("Role", role), content, name=name, id=message_id, at=instants.instant(at))
    with place.open(writes=True) as memory:
        before = _messages_in(memory, session)
        sources = memory.append(session, [message])
        new = _messages_in(memory, session) > before
        if place.as_json:
            plain.show({"location": memory.location, "new": new, "sources": sources})
        elif sources:  # else the disk refused it, and closing says so
            what = "recorded" if new else "was there already"
            terminal.out(f"{what}: message {terminal.line(sources[0].message)} of {terminal.line(session)}")


def _standard_input() -> str:
    if sys.stdin is None or sys.stdin.isatty():
        raise InputError("there is nothing to record; give a text, or send one on standard input")
    data = sys.stdin.buffer.read()
    try:
        return data.decode("utf-8").removesuffix("\n")
    except UnicodeDecodeError:
        terminal.note(terminal.warning("warning: ") + "the text is not UTF-8; what could not be read was replaced")
        return data.decode("utf-8", "replace").removesuffix("\n")


def _messages_in(memory: Memory, session: str) -> int:
    return memory.sessions.state(session).messages if memory.sessions.exists(session) else 0


class Imported(msgspec.Struct):
    """What came of one file: counts, and the lines that could not be taken as they are."""

    path: str
    messages: int = 0
    new: int = 0
    sessions: int = 0
    skipped: int = 0
    problems: int = 0
    named: list[importers.Problem] = msgspec.field(default_factory=list)
    error: str = ""


@click.command("import")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option(
    "--format",
    "kind",
    metavar="NAME",
    help=f"Format, found from the content if not given: {importers.KNOWN}.",
)
@click.option(
    "--trust",
    type=click.Choice(["agent", "tool", "web"]),
    help="Trust no message more than this: what others wrote is no word of yours.",
)
@printing
def import_command(paths: tuple[str, ...], kind: str | None, *, trust: Trust | None, place: Place) -> None:
    """Import transcripts: files, folders, or - for standard input.

    Of a folder every .json and .jsonl below it is read, gzipped or not. Importing again changes nothing. Lines that
    cannot be taken are named and everything else goes in. What lies in a
    folder and is commonplace's own, of this memory, a transcript of another or in a .commonplace, is left out.
    """
    files = [(file, path) for path in paths for file in _files(path)]
    done: list[Imported] = []
    seen: set[str] = set()
    with place.open(writes=True) as memory:
        own = _own(memory)
        taken = [file for file, path in files if file == path or not _is_ours(file, path, own)]
        left_out = len(files) - len(taken)
        if left_out:
            terminal.note(f"left out: {terminal.count(left_out, 'file')} of commonplace itself; copy its transcripts")
        for file in taken:
            report = take(memory, file, kind, trust=trust, seen=seen)
            done.append(report)
            if not place.as_json:
                tell(report)
        if place.as_json:
            plain.show({"location": memory.location, "files": done, "left_out": left_out, "total": _total(done, seen)})
        elif len(done) > 1:
            terminal.out(summary(_total(done, seen)))
    if any(report.error for report in done):
        raise click.exceptions.Exit(2)


def _files(path: str) -> Iterator[str]:
    if path == "-" or not Path(path).is_dir():
        yield path
        return
    found = sorted(str(file) for file in Path(path).rglob("*") if file.name.endswith(_TRANSCRIPTS) and file.is_file())
    if not found:
        raise InputError(f"{path!r} holds no .json, .jsonl or .gz of them; name a transcript", path=path)
    yield from found


def _own(memory: Memory) -> list[Path]:
    """List the folders that hold the transcripts and the records of the memory that is written to."""
    layout = scopes_of(memory)[0].layout
    return [Path(memory.location, folder) for folder in (layout.sessions, layout.memory) if folder]


def _is_ours(file: str, folder: str, own: list[Path]) -> bool:
    """True if a file that was found below a folder is a file of ours, not a transcript."""
    place = Path(file).resolve()
    below = (Path(folder).resolve().name, *Path(file).relative_to(folder).parts)
    known = STATE in below or any(place.is_relative_to(each) for each in own)
    return known or checksum(recognising.head(place).partition(b"\n")[0]) is True  # of another memory


def take(
    memory: Memory, path: str, kind: str | None = None, *, trust: Trust | None = None, seen: set[str] | None = None
) -> Imported:
    """Import one file, its messages trusted at most as far as given; an error is put into the report.

    The other files go in all the same. The names of its sessions are added to `seen`.
    """
    report = Imported(path)
    sessions: set[str] = set()

    def on_problem(problem: importers.Problem) -> None:
        report.problems += 1
        if len(report.named) < PROBLEMS_SHOWN:
            report.named.append(problem)

    def on_skipped(_: importers.Problem) -> None:
        report.skipped += 1

    def on_head(head: importers.Head) -> None:
        if adopt.begun(memory, head) and head.ended:
            ended.append(EndSession(session=head.key))

    ended: list[EndSession] = []
    try:
        source: Path | BinaryIO = sys.stdin.buffer if path == "-" else Path(path)
        for batch in importers.read(source, format=kind, on_problem=on_problem, on_skipped=on_skipped, on_head=on_head):
            before = _messages_in(memory, batch.session_id)
            messages = [_lowered(each, trust) for each in batch.messages]
            adopt.keep(memory, batch.session_id, messages, on_problem, path)
            report.messages += len(messages)
            report.new += _messages_in(memory, batch.session_id) - before
            sessions.add(batch.session_id)
        if ended:
            memory.apply(ended, reason=adopt.ENDED)
    except InputError as error:
        report.error = str(error)
    except CommonplaceError:
        if report.messages:
            terminal.note(f"{terminal.line(path)}: {report.new} new messages are kept; run the import again to go on")
        raise
    kept = {session for session in sessions if memory.sessions.exists(session)}
    report.sessions = len(kept)
    if seen is not None:
        seen |= kept
    return report


def _lowered(message: Message, most: Trust | None) -> Message:
    if most is None:
        return message
    return msgspec.structs.replace(message, trust=lowest_trust([message.trust or most, most]))


def tell(report: Imported, indent: str = "") -> None:
    """Print what came of one file: counts on stdout, problems on stderr."""
    name = terminal.line("standard input" if report.path == "-" else report.path)
    if report.error:
        terminal.note(terminal.bad("error: ") + terminal.line(report.error))
    if report.messages or not report.error:
        counts = _total([report]) | Counter(sessions=report.sessions)
        terminal.out(f"{indent}{terminal.accent(name)}: {summary(counts)}")
    if not (report.messages or report.error):
        terminal.note("  no line of it is a message; `commonplace import --help` names the formats")
    for problem in report.named:
        terminal.note(f"  {drawing.untaken(problem)}")
    if report.problems > len(report.named):
        terminal.note(f"  … and {report.problems - len(report.named):,} more, {report.problems:,} in all")


def _total(reports: list[Imported], sessions: Collection[str] = ()) -> Counter[str]:
    total = Counter(messages=0, new=0, sessions=len(sessions), skipped=0, problems=0)
    for report in reports:
        total.update(messages=report.messages, new=report.new, skipped=report.skipped, problems=report.problems)
    return total


def summary(total: Counter[str]) -> str:
    """Return counts in one line: `1,204 messages in 3 sessions, 1,204 new; 2 problems`."""
    said = f"{terminal.count(total['messages'], 'message')} in {terminal.count(total['sessions'], 'session')}"
    said += f", {total['new']:,} new"
    if total["skipped"]:
        said += f"; {terminal.count(total['skipped'], 'line')} without a message"
    if total["problems"]:
        said += "; " + terminal.warning(terminal.count(total["problems"], "problem"))
    return said
