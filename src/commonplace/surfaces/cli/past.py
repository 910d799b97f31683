"""Commands that look back: `why`, `log` and `diff`."""

from __future__ import annotations

import click

from commonplace.surfaces.cli import drawing, terminal
from commonplace.surfaces.cli.opening import Place, printing


@click.command("why")
@click.argument("record")
@printing
def why_command(record: str, *, place: Place) -> None:
    """Show why a RECORD is there.

    Shows the changes that made it, and the messages it rests on, quoted. RECORD is its id or words that it alone holds.
    """
    with place.open() as memory:
        trail = memory.why(record)
        place.give({"location": memory.location, "trail": trail}, drawing.trail(memory, trail))


@click.command("log")
@click.option("-n", "limit", type=click.IntRange(min=1), default=50, show_default=True, help="Most changes shown.")
@click.option("--diff", "with_diff", is_flag=True, help="Show what each change did to the files.")
@click.option("--all", "with_all", is_flag=True, help="Also how far sessions were read, and which ended or were reset.")
@printing
def log_command(*, limit: int, with_diff: bool, with_all: bool, place: Place) -> None:
    """List the changes of memory, the newest first."""
    with place.open(begun=True) as memory:
        logged = memory.log(None)
        kept = [each for each in logged if with_all or not drawing.is_bookkeeping(each)]
        changes = kept[:limit]
        lines = (line for change in changes for line in drawing.change(change, whole=with_diff))
        place.give({"location": memory.location, "changes": changes}, lines)
        if not logged and not place.as_json:
            terminal.note("nothing was changed yet")
        elif (left_out := len(logged) - len(kept)) and not place.as_json:
            what = terminal.count(left_out, "change")
            terminal.note(f"left out: {what} to what was read, ended or reset; --all lists them")
    if not changes:
        raise click.exceptions.Exit(1)


@click.command("diff")
@click.argument("change", type=click.IntRange(min=1))
@printing
def diff_command(change: int, *, place: Place) -> None:
    """Show what a CHANGE did to the files, line by line."""
    with place.open() as memory:
        text = memory.diff(change)
        place.give({"location": memory.location, "change": change, "diff": text}, drawing.diff(text))
        if not (text or place.as_json):
            terminal.note(f"change {change} changed no text; `commonplace log --all` says what it did")
