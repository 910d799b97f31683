"""Commands that change memory, as a person: `remember`, `update`, `forget`, `undo` and `review`.

What they write counts as said by the user. Nothing here decides anything: the door does, and its
outcome becomes a line and an exit code.
"""

from __future__ import annotations

from typing import Final

import click

from commonplace.changes.actors import PERSON
from commonplace.errors import InputError
from commonplace.memory.memory import Memory
from commonplace.records import Outcome, OutcomeStatus, Receipt, Source
from commonplace.surfaces.cli import drawing, instants, plain, terminal
from commonplace.surfaces.cli.opening import Place, placed

_CODES: Final[dict[OutcomeStatus, int]] = {"refused": 2, "over_cap": 4, "conflict": 4, "skipped": 1}
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


def settle(ctx: click.Context, memory: Memory, outcome: Outcome, *, as_json: bool) -> None:
    """Print what came of a change and exit with its code."""
    code = _CODES.get(outcome.status, 0)
    if as_json:
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
        ctx.exit(code)


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
@click.option(
    "--expect", metavar="VERSION", help="Only if its file is still in this version, as `show --json` gives it."
)
@click.option("--reason", default="", metavar="TEXT", help="For the log.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@placed
@click.pass_context
def remember_command(
    ctx: click.Context,
    text: tuple[str, ...],
    *,
    kind: str,
    to: str | None,
    source: str | None,
    valid_from: str | None,
    until: str | None,
    expect: str | None,
    reason: str,
    as_json: bool,
    place: Place,
) -> None:
    """Write one statement down, in your name."""
    with place.open(writes=True) as memory:
        outcome = memory.remember(
            " ".join(text),
            kind=kind,
            to=to,
            source=_source(source),
            valid_from=instants.day(valid_from),
            expires=instants.day(until),
            expect=expect,
            reason=reason,
            actor=PERSON,
        )
        settle(ctx, memory, outcome, as_json=as_json)


def _source(text: str | None) -> Source | None:
    if text is None:
        return None
    session, mark, message = text.rpartition("#")
    if not (mark and session and message):
        raise InputError(f"{text!r} names no message; write SESSION#MESSAGE, as `cli:main#m3`")
    return Source(session, message)


@click.command("update")
@click.argument("record")
@click.argument("text", nargs=-1, required=True)
@click.option(
    "--expect", metavar="VERSION", help="Only if its file is still in this version, as `show --json` gives it."
)
@click.option("--reason", default="", metavar="TEXT", help="For the log.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@placed
@click.pass_context
def update_command(
    ctx: click.Context,
    record: str,
    text: tuple[str, ...],
    *,
    expect: str | None,
    reason: str,
    as_json: bool,
    place: Place,
) -> None:
    """Replace the text of a RECORD by TEXT; RECORD is its id or words that it alone holds."""
    with place.open(writes=True) as memory:
        outcome = memory.update(record, " ".join(text), expect=expect, reason=reason, actor=PERSON)
        settle(ctx, memory, outcome, as_json=as_json)


@click.command("forget")
@click.argument("record", nargs=-1, required=True)
@click.option("--dry-run", is_flag=True, help="Only say what would be forgotten, and where it is.")
@click.option("--erase", is_flag=True, help="Take its words out of every file, for good.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@placed
@click.pass_context
def forget_command(
    ctx: click.Context, record: tuple[str, ...], *, dry_run: bool, erase: bool, yes: bool, as_json: bool, place: Place
) -> None:
    """Hide a RECORD, named by its id or by words that it alone holds, and keep it from coming back.

    With a message go the records that rest on it alone, and the sentences of others that use its words. On a
    terminal the command shows all of it first and asks.
    """
    with place.open(writes=not dry_run) as memory:
        if not (dry_run or yes or as_json) and terminal.can_ask():
            meant = memory.forget(" ".join(record), dry_run=True, erase=erase)
            for name, text in meant.forgotten:
                terminal.note(f"{terminal.line(text)}  {terminal.faint(terminal.line(name))}")
            for path, count in meant.places:
                terminal.note(f"{count} times in {terminal.line(path)}")
            click.confirm("Forget this?", abort=True, err=True)
        receipt = memory.forget(" ".join(record), dry_run=dry_run, erase=erase, actor=PERSON)
        if as_json:
            plain.show({"location": memory.location, "receipt": receipt})
        else:
            said = "would be forgotten" if dry_run else f"forgotten, {_change(memory, receipt)}"
            for name, text in receipt.forgotten:
                terminal.out(f"{said}: {terminal.line(text)}")
                terminal.out(terminal.faint(terminal.line(name)))
            for path, count in receipt.places:
                terminal.out(f"{'is in' if dry_run else 'erased from'} {terminal.line(path)}, {count} times")
            for path, _ in receipt.left:
                terminal.note(terminal.bad("error: ") + f"still in {terminal.line(path)}")
            if not receipt.forgotten:
                terminal.note(terminal.bad("error: ") + f"not forgotten: {terminal.line(receipt.reason)}")
    if not receipt.forgotten:
        ctx.exit(2)


@click.command("undo")
@click.argument("change", type=click.IntRange(min=1))
@click.option("--reason", default="", metavar="TEXT", help="For the log.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@placed
@click.pass_context
def undo_command(ctx: click.Context, change: int, *, reason: str, as_json: bool, place: Place) -> None:
    """Undo a CHANGE, by its number in `commonplace log`; undoing the undo brings it back."""
    with place.open(writes=True) as memory:
        settle(ctx, memory, memory.undo(change, reason=reason, actor=PERSON), as_json=as_json)


@click.group("review", invoke_without_command=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@placed
@click.pass_context
def review_command(ctx: click.Context, *, as_json: bool, place: Place) -> None:
    """List what waits for a person; `approve`, `edit` or `reject` it."""
    ctx.obj = place
    if ctx.invoked_subcommand is not None:
        return
    with place.open() as memory:
        waiting = memory.review().list()
        if as_json:
            plain.show({"location": memory.location, "waiting": waiting})
            return
        for each in drawing.waiting(waiting):
            terminal.out(each)
        if not waiting:
            terminal.out("nothing waits for you")


@review_command.command("approve")
@click.argument("id")
@click.option("--reason", default="", metavar="TEXT", help="For the log.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@placed
@click.pass_context
def _approve(ctx: click.Context, id: str, *, reason: str, as_json: bool, place: Place) -> None:  # noqa: A002 - click's name for the argument
    """Do what waits under ID, in your name."""
    with place.open(writes=True) as memory:
        settle(ctx, memory, memory.review().approve(id, reason=reason), as_json=as_json)


@review_command.command("edit")
@click.argument("id")
@click.argument("text", nargs=-1, required=True)
@click.option("--reason", default="", metavar="TEXT", help="For the log.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@placed
@click.pass_context
def _edit(ctx: click.Context, id: str, text: tuple[str, ...], *, reason: str, as_json: bool, place: Place) -> None:  # noqa: A002 - as above
    """Do what waits under ID with TEXT as its words, in your name."""
    with place.open(writes=True) as memory:
        settle(ctx, memory, memory.review().approve(id, text=" ".join(text), reason=reason), as_json=as_json)


@review_command.command("reject")
@click.argument("id")
@click.option("--reason", default="", metavar="TEXT", help="For the log.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@placed
@click.pass_context
def _reject(ctx: click.Context, id: str, *, reason: str, as_json: bool, place: Place) -> None:  # noqa: A002 - as above
    """Remove what waits under ID from the queue; it stays in the log."""
    with place.open(writes=True) as memory:
        settle(ctx, memory, memory.review().reject(id, reason=reason), as_json=as_json)
