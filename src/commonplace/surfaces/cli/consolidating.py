"""Commands around consolidation: `consolidate`, `dream`, `status` and `cost`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal, cast

import click

from commonplace.memory.memory import Memory
from commonplace.records import Outcome
from commonplace.surfaces.cli import drawing, terminal
from commonplace.surfaces.cli.changing import code_of
from commonplace.surfaces.cli.opening import Place, modelled, printing, scopes_of, still_due

BAR_COLUMNS: Final = 24
_MODEL_FAILED, _OVER_LIMIT = 5, 4  # exit codes of `status`


@click.command("consolidate")
@click.argument("session", required=False)
@modelled
@click.option("--dry-run", is_flag=True, help="Only show what would be written.")
@printing
def consolidate_command(session: str | None, *, model: str | None, dry_run: bool, place: Place) -> None:
    """Turn what was said since the last time into memory.

    What was said in one SESSION, or in all.
    """
    with still_due(), place.open(writes=not dry_run, begun=True, model=model or None) as memory:
        if session is not None:
            memory.sessions.state(session)  # an unknown name is an error, not nothing to do
        outcome = memory.consolidate(session, dry_run=dry_run)
        _show(place, memory, outcome, dry_run=dry_run, nothing="nothing was said since the last time")


@click.command("dream")
@click.argument("job", required=False, default="")
@modelled
@click.option("--dry-run", is_flag=True, help="Only show what would change.")
@printing
def dream_command(job: str, *, model: str | None, dry_run: bool, place: Place) -> None:
    """Tidy memory now.

    Run the JOB of this layout that works on all of it, or every such job.
    """
    with place.open(writes=not dry_run, begun=True, model=model or None) as memory:
        outcome = memory.dream(job, dry_run=dry_run)
        _show(place, memory, outcome, dry_run=dry_run, nothing="there was nothing to tidy")


def _show(place: Place, memory: Memory, outcome: Outcome, *, dry_run: bool, nothing: str) -> None:
    """Print what came of a job and exit with its code."""
    lines = drawing.diff(outcome.diff) if dry_run and outcome.diff else _done(memory, outcome, nothing)
    place.give({"location": memory.location, "outcome": outcome}, lines)
    if outcome.status == "failed" and not place.as_json:
        terminal.note(terminal.bad("error: ") + f"the model did not do it: {terminal.line(outcome.reason)}")
    if outcome.status != "skipped" and (code := code_of(outcome)):  # nothing to do is no failure of a job
        raise click.exceptions.Exit(code)


def _done(memory: Memory, outcome: Outcome, nothing: str) -> Iterator[str]:
    if outcome.status in {"skipped", "unchanged"}:
        yield nothing
    elif outcome.status != "failed":
        found = terminal.count(len(outcome.records), "record") if outcome.records else "no new record"
        yield f"{outcome.status}: {found}"
        if outcome.reason:
            yield terminal.line(outcome.reason)
        yield from drawing.remembered(memory, outcome.records)
        yield from drawing.taken_away(memory, outcome)
        if outcome.review:
            yield f"{terminal.count(len(outcome.review), 'operation')} held; `commonplace review` shows them"


@click.command("status")
@printing
def status_command(*, place: Place) -> None:
    """Show what this memory holds, what is due and what waits.

    Exit code 5 if a model failed, 4 if a document is over a limit.
    """
    with place.open(begun=True) as memory:
        facts = status(memory)
    lines = (
        f"{terminal.faint(terminal.pad(name.replace('_', ' '), 18))}  {_said(each)}"
        for name, value in facts.items()
        for each in (value or [0] if isinstance(value, list) else [value])
    )
    place.give(facts, lines)
    if facts["failed"] or facts["over_limits"]:
        raise click.exceptions.Exit(_MODEL_FAILED if facts["failed"] else _OVER_LIMIT)


def _said(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_said(each)}" for name, each in value.items() if each) or "0"
    return f"{value:,}" if isinstance(value, int) else terminal.line(str(value))


def status(memory: Memory) -> dict[str, Any]:
    """Return the facts of a memory, by name."""
    sessions = memory.sessions.list()
    scope = scopes_of(memory)[0]
    jobs = [runner.name for runner in scope.jobs.runners]
    reader = scope.reader
    held = Counter(layer.name for layer, path in reader.files() for _ in reader.visible(reader.records(path)))
    newest = memory.log(1)
    spent = memory.cost("model").values()
    return {
        "location": memory.location,
        "scope": " > ".join(memory.scope),
        "other_scopes": [name for name in memory.scopes() if name not in memory.scope],
        "layout": scope.layout.name,
        "sessions": len(sessions),
        "messages": sum(session.messages for session in sessions),
        "not_consolidated": sum(s.messages - min(s.cursors.get(job, 0) for job in jobs) for s in sessions)
        if jobs
        else 0,
        "records": {layer.name: held[layer.name] for layer in scope.layout.layers},
        "changes": newest[0].number if newest else 0,
        "waiting": len(memory.review().list()),
        "over_limits": [f"{each.path}: {each.reason}" for each in memory.limits()],
        "failed": [drawing.failure(each) for each in memory.failures()],
        "held": [drawing.held(s.id, job, start) for s in sessions for job, start, _ in scope.sessions.held(s.id)],
        "model_calls": sum(total.calls for total in spent),
        "model_tokens": sum(total.tokens for total in spent),
    }


@click.command("cost")
@click.option(
    "--by", type=click.Choice(["day", "purpose", "model"]), default="day", show_default=True, help="What to sum by."
)
@printing
def cost_command(*, by: str, place: Place) -> None:
    """Show what calls of models took."""
    with place.open(begun=True) as memory:
        totals = memory.cost(cast('Literal["day", "purpose", "model"]', by))
        lines = _totals(totals) if totals else ["no model was called"]
        place.give({"location": memory.location, "by": by, "totals": totals}, lines)
    if not totals:
        raise click.exceptions.Exit(1)


def _totals(totals: Mapping[str, Any]) -> Iterator[str]:
    """Yield one line a group: its calls, tokens and money, with a bar of its tokens."""
    most = max((total.tokens for total in totals.values()), default=0) or 1
    rows = [
        (
            terminal.cut(terminal.line(name), 30),
            terminal.count(total.calls, "call"),
            f"{total.tokens:,} tokens",
            f"{total.money:.2f}" + (f", {terminal.count(total.unpriced, 'call')} unpriced" if total.unpriced else ""),
            f"{total.failed} failed" if total.failed else "",
            terminal.bar(total.tokens / most, BAR_COLUMNS),
        )
        for name, total in totals.items()
    ]
    yield from terminal.table(rows, right=[1, 2, 3])
