"""Commands on a session's live window and on trust: `compact`, `reset`, `end` and `promote`."""

from __future__ import annotations

import click

from commonplace.surfaces.cli.changing import reasoned, settle
from commonplace.surfaces.cli.opening import Place, modelled, printing, still_due


@click.command("compact")
@click.argument("session")
@click.option("--keep", type=click.IntRange(min=0), metavar="N", help="How many messages stay live.")
@modelled
@printing
def compact_command(session: str, *, keep: int | None, model: str | None, place: Place) -> None:
    """Shorten the live window of a SESSION, with a summary.

    The summary is of what leaves the window; nothing is deleted.
    """
    with still_due(), place.open(writes=True, model=model or None) as memory:
        memory.sessions.state(session)
        settle(place, memory, memory.compact(session, keep))


@click.command("reset")
@click.argument("session")
@click.option("--now", is_flag=True, help="Do not wait for a model: empty the window at once, the range stays due.")
@modelled
@printing
def reset_command(session: str, *, now: bool, model: str | None, place: Place) -> None:
    """Consolidate a SESSION, then empty its live window.

    The transcript stays.
    """
    with place.open(writes=True, model=model or None) as memory:
        memory.sessions.state(session)
        settle(place, memory, memory.reset(session, now=now))


@click.command("end")
@click.argument("session")
@modelled
@printing
def end_command(session: str, *, model: str | None, place: Place) -> None:
    """Consolidate a SESSION and mark it as ended.

    A new message opens it again.
    """
    with place.open(writes=True, model=model or None) as memory:
        memory.sessions.state(session)
        settle(place, memory, memory.end(session, now=False))


@click.command("promote")
@click.argument("record")
@reasoned
@printing
def promote_command(record: str, *, reason: str, place: Place) -> None:
    """Vouch for a RECORD that came from a tool or the web.

    From then on it counts as yours.
    """
    with place.open(writes=True) as memory:
        settle(place, memory, memory.promote(record, reason=reason))
