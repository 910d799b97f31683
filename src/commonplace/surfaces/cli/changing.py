"""Commands that change memory, as a person: `remember`, `update`, `forget`, `undo` and `review`.

What they write counts as said by the user. Nothing here decides anything: the door does, and its
outcome becomes a line and an exit code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

import click

from commonplace.changes.actors import PERSON
from commonplace.errors import InputError, RecordNotFoundError
from commonplace.memory.doctor import LOG
from commonplace.memory.memory import Memory
from commonplace.records import Outcome, OutcomeStatus, Receipt, Source
from commonplace.store.files.erasing import is_others
from commonplace.surfaces.cli import drawing, instants, plain, sheets, terminal
from commonplace.surfaces.cli.opening import Place, printing
from commonplace.text.pieces import one_line

_CODES: Final[dict[OutcomeStatus, int]] = {"refused": 2, "over_cap": 4, "conflict": 4, "skipped": 1, "failed": 5}
_SAID: Final[dict[OutcomeStatus, str]] = {
    "applied": "done",
    "planned": "would be done",
    "unchanged": "nothing to do",
    "duplicate": "memory already says so",
    "refused": "refused",
    "pending": "waits for you; `commonplace review` shows it",
    "over_cap": "no room for it",
    "conflict": "memory was changed meanwhile; look and try again",
    "skipped": "not done",
    "failed": "the model did not do it",
}


reasoned: Final = click.option("--reason", default="", metavar="TEXT", help="For the log.")
_expecting: Final = click.option(
    "--expect", metavar="VERSION", help="Only if its file is still in this version, as `show --json` gives it."
)
_LISTED: Final = 20  # records that are shown before one is asked
_TEXT_COLUMNS: Final = 400  # of the text of each


def code_of(outcome: Outcome) -> int:
    """Return the exit code for what came of a change or a job."""
    return _CODES.get("failed" if outcome.fault else outcome.status, 0)


def settle(place: Place, memory: Memory, outcome: Outcome) -> None:
    """Print what came of a change and exit with its code."""
    code = code_of(outcome)
    if place.as_json:
        plain.show({"location": memory.location, "outcome": outcome})
    else:
        number = f", {_change(memory, outcome)}" if outcome.change is not None else ""
        reason = f": {terminal.line(outcome.reason)}" if outcome.reason not in {"", _SAID[outcome.status]} else ""
        said = f"{_SAID[outcome.status]}{number}{reason}"
        if code:
            terminal.note(terminal.bad("error: ") + said)
        else:
            terminal.out(said)
        for each in drawing.diff(outcome.diff):
            terminal.out(each)
        for record in outcome.records:
            terminal.out(terminal.faint(terminal.line(record)))
    if code:
        raise click.exceptions.Exit(code)


def _change(memory: Memory, done: Outcome | Receipt) -> str:
    """Return the number of a change, and its scope if that is not the first."""
    others = memory.scope[1:]
    return f"change {done.change}" + (f" of {terminal.line(done.scope)}" if done.scope in others else "")


@click.command("remember")
@click.argument("text", nargs=-1, required=True)
@click.option(
    "--kind", default="fact", show_default=True, metavar="KIND", help="What it is: fact, preference, decision…"
)
@click.option("--to", metavar="WHERE", help="A layer, a file or a scope of the chain, instead of where its kind goes.")
@click.option("--source", metavar="SESSION#MESSAGE", help="The message it rests on.")
@click.option("--from", "valid_from", metavar="DAY", help="First day on which it holds.")
@click.option("--until", metavar="DAY", help="Last day on which it holds.")
@_expecting
@reasoned
@printing
def remember_command(
    text: tuple[str, ...],
    *,
    kind: str,
    to: str | None,
    source: str | None,
    valid_from: str | None,
    until: str | None,
    expect: str | None,
    reason: str,
    place: Place,
) -> None:
    """Write one statement down, in your name."""
    with place.open(writes=True) as memory:
        outcome = memory.remember(
            " ".join(text),
            kind=kind,
            to=to,
            source=_source(memory, source),
            valid_from=instants.day(valid_from),
            expires=instants.day(until),
            expect=expect,
            reason=reason,
            actor=PERSON,
        )
        settle(place, memory, outcome)


def _source(memory: Memory, text: str | None) -> Source | None:
    if text is None:
        return None
    session, mark, message = text.rpartition("#")
    if not (mark and session and message):
        raise InputError(f"{text!r} names no message; write SESSION#MESSAGE, as `cli:main#m3`")
    memory.read(text)  # else the record would rest on nothing
    return Source(session, message)


@click.command("update")
@click.argument("record")
@click.argument("text", nargs=-1, required=True)
@_expecting
@reasoned
@printing
def update_command(
    record: str,
    text: tuple[str, ...],
    *,
    expect: str | None,
    reason: str,
    place: Place,
) -> None:
    """Replace the text of a RECORD by TEXT.

    RECORD is its id or words that it alone holds.
    """
    with place.open(writes=True) as memory:
        outcome = memory.update(record, " ".join(text), expect=expect, reason=reason, actor=PERSON)
        settle(place, memory, outcome)


@click.command("forget")
@click.argument("record", nargs=-1)
@click.option("--session", metavar="ID", help="Forget all of this session instead.")
@click.option("--every", is_flag=True, help="Forget every record and message that holds these words.")
@click.option("--whole-scope", is_flag=True, help="Forget all that this scope holds instead.")
@click.option("--aged", is_flag=True, help="Forget what is older than `retention` in the configuration lets it be.")
@click.option("--dry-run", is_flag=True, help="Only say what would be forgotten, and with --erase where it is.")
@click.option("--erase", is_flag=True, help="Take its words out of every file, for good; with --every old texts too.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@printing
def forget_command(
    record: tuple[str, ...],
    *,
    session: str | None,
    every: bool,
    whole_scope: bool,
    aged: bool,
    dry_run: bool,
    erase: bool,
    yes: bool,
    place: Place,
) -> None:
    """Hide a RECORD and keep it from coming back.

    RECORD is its id or words that it alone holds.
    With a message go the records that rest on it alone, and the sentences of others that use its words. With a
    record goes its line in a journal; what was said stays, unless --every forgets the messages with these words too.
    On a terminal the command shows all of it first and asks.
    """
    with place.open(writes=not dry_run) as memory:
        forget = partial(
            memory.forget,
            " ".join(record),
            session=session,
            every=every,
            whole_scope=whole_scope,
            aged=aged,
            erase=erase,
        )
        asks = terminal.can_ask() and not place.as_json
        if not (dry_run or yes):
            many = every or whole_scope or aged or session is not None
            _ask_to_forget(memory, forget, many=many, asks=asks)
        receipt = forget(dry_run=dry_run, actor=PERSON)
        if place.as_json:
            plain.show({"location": memory.location, "receipt": receipt})
        else:
            said = "would be forgotten" if dry_run else f"forgotten, {_change(memory, receipt)}"
            for line in _said(memory, receipt, said):
                terminal.out(line)
            for path, _ in receipt.left:
                why = "names of files stay there" if path.startswith(f"{LOG}/") else _why_left(str(place.folder), path)
                terminal.note(terminal.bad("error: ") + f"still in {terminal.line(path)}; {why}")
            if not receipt.forgotten and aged:
                terminal.out("nothing is older than it may be")
            elif not receipt.forgotten:
                terminal.note(terminal.bad("error: ") + f"not forgotten: {terminal.line(receipt.reason)}")
    if not receipt.forgotten and not aged:
        raise click.exceptions.Exit(2)


def _why_left(root: str, path: str) -> str:
    others = is_others(root, path)
    return "only its owner changes it" if others else "what was not forgotten says the same words there"


def _ask_to_forget(memory: Memory, forget: Callable[..., Receipt], *, many: bool, asks: bool) -> None:
    """Show what would go and ask; without a terminal more than one goes only with --yes, a record's line aside."""
    meant = forget(dry_run=True)
    count = len(meant.forgotten)
    said = [name for name, _ in meant.forgotten if name.startswith(f"{memory.sessions.folder}/")]
    if not (asks or many or (said and count > 1)):
        return
    if not asks:
        raise InputError(f"this forgets {count} records and messages; look with --dry-run, then say --yes", count=count)
    for line in _said(memory, meant, "would be forgotten"):
        terminal.note(line)
    click.confirm("Forget this?" if count == 1 else f"Forget these {count}?", abort=True, err=True)


def _said(memory: Memory, receipt: Receipt, said: str) -> Iterator[str]:
    """Yield the lines that say what goes and where it is, of many records only the first."""
    for name, text in receipt.forgotten[:_LISTED]:
        yield f"{said}: {terminal.cut(terminal.line(text), _TEXT_COLUMNS)}"
        yield terminal.faint(drawing.shown_id(memory, name))
    if len(receipt.forgotten) > _LISTED:
        yield f"and {len(receipt.forgotten) - _LISTED} more; --json lists all"
    left = {path for path, _ in receipt.left}
    for path, count in receipt.places:
        if path not in left:
            where = f"{terminal.line(path)}, {terminal.count(count, 'time')}"
            yield f"{'is in' if receipt.dry_run else 'erased from'} {where}"
    for path in receipt.unsearched[:_LISTED]:
        yield f"not searched: {terminal.line(path)}, which may hold it too"
    if len(receipt.unsearched) > _LISTED:
        yield f"not searched: {len(receipt.unsearched) - _LISTED} more; --json lists all"
    if receipt.scanned:
        yield f"{receipt.scanned} files below the memory's folder were searched; copies elsewhere were not"


def _last_change(memory: Memory, *, asks: bool) -> int:
    """Return the number of the last change of memory, once a person agreed to undo it."""
    last = next((each for each in memory.log(None) if each.paths and not drawing.is_bookkeeping(each)), None)
    if last is None:
        raise RecordNotFoundError("nothing was changed yet, so there is nothing to undo")
    said = f"change {last.number}: {', '.join(last.kinds)}" + (f", {one_line(last.reason)}" if last.reason else "")
    if not asks:
        raise InputError(f"say which change; the last is {terminal.line(said)} (`undo {last.number}`)")
    terminal.note(terminal.line(said))
    click.confirm(f"Undo change {last.number}?", abort=True, err=True)
    return last.number


@click.command("undo")
@click.argument("change", type=click.IntRange(min=1), required=False)
@reasoned
@printing
def undo_command(change: int | None, *, reason: str, place: Place) -> None:
    """Undo a CHANGE, by its number in `commonplace log`.

    Without a number it names the last change and, on a terminal, asks. Undoing the undo brings it back.
    """
    with place.open(writes=True) as memory:
        change = change or _last_change(memory, asks=terminal.can_ask() and not place.as_json)
        settle(place, memory, memory.undo(change, reason=reason, actor=PERSON))


@click.group("review", invoke_without_command=True)
@printing
@click.pass_context
def review_command(ctx: click.Context, *, place: Place) -> None:
    """List what waits for you; `approve`, `edit` or `reject` it."""
    ctx.obj = place
    if ctx.invoked_subcommand is not None:
        return
    with place.open() as memory:
        waiting = memory.review().list()
        lines = drawing.waiting(waiting) if waiting else ["nothing waits for you"]
        place.give({"location": memory.location, "waiting": waiting}, lines)


@review_command.command("approve")
@click.argument("id")
@reasoned
@printing
def _approve(id: str, *, reason: str, place: Place) -> None:  # noqa: A002 - click's name for the argument
    """Do what waits under ID, in your name."""
    with place.open(writes=True) as memory:
        settle(place, memory, memory.review().approve(id, reason=reason))


@review_command.command("edit")
@click.argument("id", default="")
@click.argument("text", nargs=-1)
@reasoned
@printing
def _edit(id: str, text: tuple[str, ...], *, reason: str, place: Place) -> None:  # noqa: A002 - as above
    """Do what waits under ID with TEXT as its words, in your name; without them decide on all in your editor."""
    with place.open(writes=True) as memory:
        queue = memory.review()
        if text:
            settle(place, memory, queue.approve(id, text=" ".join(text), reason=reason))
            return
        waiting = (queue.get(id),) if id else queue.list()
        edited = click.edit(sheets.written(waiting), extension=".md") if waiting else None
        decisions = sheets.decided(edited or "", waiting)
        codes = [0]
        for each in decisions:
            approved = each.verb == "approve"
            done = partial(queue.approve, text=each.text) if approved else queue.reject
            try:
                settle(place, memory, done(each.id, reason=reason))
            except click.exceptions.Exit as refused:  # the others are decided all the same
                codes.append(refused.exit_code)
        if not decisions:
            terminal.out("nothing was decided" if waiting else "nothing waits for you")
        raise click.exceptions.Exit(max(codes))


@review_command.command("reject")
@click.argument("id")
@reasoned
@printing
def _reject(id: str, *, reason: str, place: Place) -> None:  # noqa: A002 - as above
    """Remove what waits under ID from the queue; it stays in the log."""
    with place.open(writes=True) as memory:
        settle(place, memory, memory.review().reject(id, reason=reason))
