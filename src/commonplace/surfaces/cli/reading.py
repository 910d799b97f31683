"""Commands that read: `recall`, `context`, `sessions` and `show`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, cast

import click

from commonplace.errors import InputError, PathError, RecordNotFoundError
from commonplace.memory import trees
from commonplace.memory.memory import Memory
from commonplace.records import LAYERS, LayerName, RecordedMessage, Trust
from commonplace.surfaces import snapshots
from commonplace.surfaces.cli import drawing, instants, plain, terminal
from commonplace.surfaces.cli.opening import Place, printing, scopes_of

_BEGIN: Final = re.compile(r"[0-9a-f]{4,12}(?:~\d+)?")  # of the part of a record's id after the #
SHOWN_BYTES: Final = 10_000_000  # of one file; a longer one is for other tools


@click.command("recall")
@click.argument("query", nargs=-1, required=True)
@click.option("-k", "k", type=click.IntRange(min=1), default=8, show_default=True, help="Most hits wanted.")
@click.option("--layer", "layers", multiple=True, type=click.Choice(LAYERS), help="Where to look; repeatable.")
@click.option("--why", is_flag=True, help="Say what each score is made of.")
@printing
def recall_command(
    query: tuple[str, ...],
    k: int,
    layers: tuple[str, ...],
    *,
    why: bool,
    place: Place,
) -> None:
    """Find what was said or noted; the best first."""
    asked = " ".join(query)
    with place.open() as memory:
        found = memory.recall(asked, k=k, layers=cast("tuple[LayerName, ...]", layers) or None, explain=why)
        value = {"location": memory.location, "query": asked, "hits": found}
        place.give(value, drawing.hits(memory, found, asked))
        if not (found or place.as_json):
            _nothing(memory, place, "nothing fits")
    if not found:
        raise click.exceptions.Exit(1)


def _nothing(memory: Memory, place: Place, said: str) -> None:
    if missing := place.missing(memory):
        said = missing
    elif others := [] if place.scope else [each for each in memory.scopes() if each not in memory.scope]:
        said += f" in the scope {memory.scope[0]}; --scope names another, as {terminal.line(', '.join(others))}"
    terminal.note(said)


@click.command("context")
@click.option(
    "-s", "--session", metavar="ID", help="Session that goes on; its live messages are yours to send, and left out."
)
@click.option("-q", "--query", metavar="TEXT", help="What the user just asked.")
@click.option("--tokens", type=click.IntRange(min=1), help="The whole budget.  [default: as configured]")
@click.option("--memory-snapshot", "snapshot", metavar="FILE", help="Print the read-only block of a snapshot instead.")
@printing
def context_command(
    session: str | None,
    query: str | None,
    tokens: int | None,
    *,
    snapshot: str | None,
    place: Place,
) -> None:
    """Print what would enter the prompt.

    On stderr it draws how the token budget is spent.

    With --memory-snapshot no memory is opened: the file is all that a sub-agent sees.
    """
    if snapshot is not None:
        taken = snapshots.read(snapshot)
        text = snapshots.block(taken)
        place.give({"snapshot": snapshot, "at": taken.at, "text": text}, [terminal.safe(text)])
        return
    with place.open(begun=True) as memory:
        found = memory.context(session, query, tokens=tokens)
        if place.as_json:
            plain.show({"location": memory.location, **plain.context(found)})
            return
        for each in drawing.budget(memory, found):
            terminal.note(each)
        if session and memory.sessions.exists(session) and (live := memory.sessions.window(session)):
            terminal.note(f"  left out for you to send: {terminal.count(len(live), 'live message')} of the session")
        if found.text:
            terminal.note("")
            terminal.out(terminal.safe(found.text))


@click.command("sessions")
@printing
def sessions_command(*, place: Place) -> None:
    """List the sessions, the most recently used first."""
    with place.open() as memory:
        found = memory.sessions.list()
        lines = (terminal.faint(each) if at == 0 else each for at, each in enumerate(drawing.sessions(memory, found)))
        place.give({"location": memory.location, "sessions": found}, lines)
        if not (found or place.as_json):
            _nothing(memory, place, "there are no sessions")
    if not found:
        raise click.exceptions.Exit(1)


@click.command("show")
@click.argument("id", required=False)
@click.option("--tree", is_flag=True, help="Show the topics as a tree; with ID that topic and what lies around it.")
@click.option("--tokens", type=click.IntRange(min=1), default=trees.TOKENS, show_default=True, help="Of a tree.")
@click.option("--at", metavar="INSTANT", help="As it was then, ISO 8601; local time where no zone is given.")
@printing
def show_command(id: str | None, *, tree: bool, tokens: int, at: str | None, place: Place) -> None:  # noqa: A002 - click names it as the argument
    """Show a session, a record or a file, by its ID.

    ID is the id of a session, a record as `recall` prints it or what its part after the # begins with, or the path of
    a file below the location.
    """
    instant = instants.instant(at)
    if id is None and not tree:
        raise click.UsageError("say what to show: an ID, or --tree")
    with place.open() as memory:
        then = memory if instant is None else memory.at(instant)
        if tree or id is None:
            found, lines = _tree(then, id, tokens)
        else:
            found, lines = _found(then, id, past=instant is not None)
        place.give({"location": memory.location, **found}, lines)


def _is_session(memory: Memory, wanted: str) -> bool:
    try:
        return memory.sessions.exists(wanted)
    except PathError:
        if (Path(memory.location) / wanted).is_file():  # the sessions lead out of the memory, but this is another file
            return False
        raise


def _found(memory: Memory, wanted: str, *, past: bool) -> tuple[dict[str, Any], Iterator[str]]:
    path, mark, part = wanted.rpartition("#")
    if mark:
        session = _session_at(memory, path)
        if session is not None:
            message = memory.sessions.message(session, part)
            return _messages(memory, "record", [message])
        version = _version(memory, wanted, past=past)
        record = memory.read(wanted)
        return {"record": record, **version}, iter(
            [*terminal.safe(record.text).splitlines(), terminal.faint(terminal.line(record.id))]
        )
    if wanted.strip() and _is_session(memory, wanted):
        messages = list(memory.sessions.read(wanted))
        found, lines = _messages(memory, "messages", messages)
        return {"session": memory.sessions.state(wanted), **found}, lines
    if not past and _BEGIN.fullmatch(wanted) and not (Path(memory.location) / wanted).exists():
        return _found(memory, memory.why(wanted).record, past=past)
    version = _version(memory, wanted, past=past)
    text = _past_file(memory, wanted) if past else _file(memory, wanted)
    return {"path": wanted, "text": text, **version}, iter(terminal.safe(text).splitlines())


def _tree(memory: Memory, name: str | None, tokens: int) -> tuple[dict[str, Any], Iterator[str]]:
    text = trees.around(scopes_of(memory), name or "", tokens)[1]
    return {"tree": text}, iter(terminal.safe(text).splitlines())


def _version(memory: Memory, wanted: str, *, past: bool) -> dict[str, str]:
    """Return the version to give to `--expect`, if there is one: not of the past, and not of what is no memory."""
    try:
        return {} if past else {"version": memory.version(wanted)}
    except (InputError, RecordNotFoundError):
        return {}


def _session_at(memory: Memory, place: str) -> str | None:
    """Return the session of an id, or of the path of its transcript; None if there is none."""
    return next((s.id for s in memory.sessions.list() if place in {s.id, memory.sessions.path(s.id)}), None)


def _messages(memory: Memory, name: str, messages: list[RecordedMessage]) -> tuple[dict[str, Any], Iterator[str]]:
    """Return messages of one session with how far each is trusted, as data and as lines."""
    ranks = scopes_of(memory)[0].reader.trust_of_parts([(each, (0, len(each.text))) for each in messages])
    ranked = list(zip(messages, ranks, strict=True))
    data = [_message(*each) for each in ranked]
    return {name: data[0] if name == "record" else data}, _lines(ranked)


def _message(recorded: RecordedMessage, rank: Trust) -> dict[str, Any]:
    return {
        "record": recorded.id,
        "session": recorded.session,
        "number": recorded.number,
        **plain.data(recorded.message),
        "trust": rank,
    }


def _lines(ranked: list[tuple[RecordedMessage, Trust]]) -> Iterator[str]:
    for each, rank in ranked:
        message = each.message
        head = f"{drawing.minute(message.at)} · {drawing.who(message)} · {terminal.line(message.id or '')}"
        yield terminal.accent(head) + drawing.trust_mark(rank)
        yield from ("   " + line for line in terminal.safe(message.content).splitlines() or [""])


def _past_file(memory: Memory, path: str) -> str:
    blob = scopes_of(memory)[0].store.read(path)
    if blob is None:
        raise RecordNotFoundError(f"there was no session, record or file {path!r} then", record=path)
    return blob.data.decode("utf-8", "replace")


def _file(memory: Memory, path: str) -> str:
    root = Path(memory.location).resolve()
    if not path or "\0" in path:
        raise InputError("an id is a session, a record or the path of a file; `commonplace sessions` lists sessions")
    file = (root / path).resolve()
    if not file.is_relative_to(root):
        raise PathError(f"{path!r} is not inside {memory.location!r}; name a file below it", path=path)
    try:
        if file.is_file():
            with file.open("rb") as stream:
                data = stream.read(SHOWN_BYTES + 1)
            if len(data) > SHOWN_BYTES:
                raise InputError(f"{path!r} is over {SHOWN_BYTES} bytes; open it with another program", path=path)
            return data.decode("utf-8", "replace")
    except OSError as error:
        raise InputError(f"{path!r} cannot be read: {error.strerror}", path=path) from None
    raise RecordNotFoundError(
        f"there is no session, record or file {path!r}; `commonplace sessions` and `commonplace recall` print ids",
        record=path,
    )
