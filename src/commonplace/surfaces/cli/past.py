"""Commands that look back: `why`, `log` and `diff`."""

from __future__ import annotations

import click

from commonplace.surfaces.cli import drawing, plain, terminal
from commonplace.surfaces.cli.opening import Place, printing


@click.command("why")
@click.argument("record")
@printing
def why_command(record: str, *, as_json: bool, place: Place) -> None:
    """Show why a RECORD is there: the changes that made it, and the messages it rests on, quoted.

    RECORD is its id or words that it alone holds.
    """
    with place.open() as memory:
        trail = memory.why(record)
        if as_json:
            plain.show({"location": memory.location, "trail": trail})
            return
        for each in drawing.trail(memory, trail):
            terminal.out(each)


@click.command("log")
@click.option("-n", "limit", type=click.IntRange(min=1), default=50, show_default=True, help="Most changes shown.")
@click.option("--diff", "with_diff", is_flag=True, help="Show what each change did to the files.")
@printing
@click.pass_context
def log_command(ctx: click.Context, *, limit: int, with_diff: bool, as_json: bool, place: Place) -> None:
    """List the changes of memory, the newest first."""
    with place.open() as memory:
        changes = memory.log(limit)
        if as_json:
            plain.show({"location": memory.location, "changes": changes})
        else:
            for change in changes:
                for each in drawing.change(change):
                    terminal.out(each)
                for each in drawing.diff(change.diff) if with_diff else ():
                    terminal.out(each)
            if not changes:
                terminal.note("nothing was changed yet")
    if not changes:
        ctx.exit(1)


@click.command("diff")
@click.argument("change", type=click.IntRange(min=1))
@printing
def diff_command(change: int, *, as_json: bool, place: Place) -> None:
    """Show what a CHANGE did to the files, line by line."""
    with place.open() as memory:
        text = memory.diff(change)
        if as_json:
            plain.show({"location": memory.location, "change": change, "diff": text})
            return
        for each in drawing.diff(text):
            terminal.out(each)
