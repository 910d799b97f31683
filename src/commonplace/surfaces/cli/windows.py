"""Commands on a session's live window and on trust: `compact`, `reset`, `end` and `promote`."""

from __future__ import annotations

import click

from commonplace.surfaces.cli.changing import settle
from commonplace.surfaces.cli.opening import Place, modelled, printing, still_due


@click.command("compact")
@click.argument("session")
@click.option("--keep", type=click.IntRange(min=0), metavar="N", help="How many messages stay live.")
@modelled
@printing
@click.pass_context
def compact_command(
    ctx: click.Context, session: str, *, keep: int | None, model: str | None, as_json: bool, place: Place
) -> None:
    """Shorten the live window of a SESSION, with a summary.

    The summary is of what leaves the window; nothing is deleted.
    """
    with still_due(), place.open(writes=True, model=model or None) as memory:
        memory.sessions.state(session)
        settle(ctx, memory, memory.compact(session, keep), as_json=as_json)


@click.command("reset")
@click.argument("session")
@click.option("--now", is_flag=True, help="Do not wait for a model: empty the window at once, the range stays due.")
@modelled
@printing
@click.pass_context
def reset_command(
    ctx: click.Context, session: str, *, now: bool, model: str | None, as_json: bool, place: Place
) -> None:
    """Consolidate a SESSION, then empty its live window.

    The transcript stays.
    """
    with still_due(), place.open(writes=True, model=model or None) as memory:
        memory.sessions.state(session)
        settle(ctx, memory, memory.reset(session, now=now), as_json=as_json)


@click.command("end")
@click.argument("session")
@modelled
@printing
@click.pass_context
def end_command(ctx: click.Context, session: str, *, model: str | None, as_json: bool, place: Place) -> None:
    """Consolidate a SESSION and mark it as ended.

    A new message opens it again.
    """
    with still_due(), place.open(writes=True, model=model or None) as memory:
        memory.sessions.state(session)
        settle(ctx, memory, memory.end(session, now=False), as_json=as_json)


@click.command("promote")
@click.argument("record")
@click.option("--reason", default="", metavar="TEXT", help="For the log.")
@printing
@click.pass_context
def promote_command(ctx: click.Context, record: str, *, reason: str, as_json: bool, place: Place) -> None:
    """Vouch for a RECORD that came from a tool or the web.

    From then on it counts as yours.
    """
    with place.open(writes=True) as memory:
        settle(ctx, memory, memory.promote(record, reason=reason), as_json=as_json)
