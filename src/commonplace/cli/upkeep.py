"""Commands that look after a memory: `doctor` and `reindex`."""

from __future__ import annotations

import click

from commonplace.cli import plain, terminal
from commonplace.cli.opening import Place, placed
from commonplace.records import Problem, Report

PROBLEMS_SHOWN = 50


@click.command("doctor")
@click.option("--fix", is_flag=True, help="Mend what can be mended; a damaged record is copied to quarantine first.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@placed
@click.pass_context
def doctor_command(ctx: click.Context, *, fix: bool, as_json: bool, place: Place) -> None:
    """Look for damaged records and for drift between files and index; write nothing without --fix."""
    with place.open(writes=fix, touches=fix) as memory:
        report = memory.doctor(fix=fix)
        if as_json:
            plain.show(
                {"location": memory.location, "ok": report.ok, "checked": report.checked, "problems": report.problems}
            )
        else:
            terminal.out(f"{terminal.accent(terminal.line(memory.location))}: {_checked(report)}")
            _tell(report)
    if not report.ok:
        ctx.exit(1)


def _checked(report: Report) -> str:
    looked_at = ", ".join(
        terminal.count(number, kind.removesuffix("s"), kind) for kind, number in report.checked.items() if number
    )
    return f"checked {looked_at}" if looked_at else "there is nothing here to check"


def _tell(report: Report) -> None:
    for problem in report.problems[:PROBLEMS_SHOWN]:
        state = terminal.good("mended") if problem.fixed else terminal.bad(problem.kind)
        terminal.out(f"  {state}  {_where(problem)}: {terminal.line(problem.reason)}")
    if len(report.problems) > PROBLEMS_SHOWN:
        terminal.out(f"  … {len(report.problems):,} in all; --json lists every one")
    if not report.problems:
        terminal.out(terminal.good("no problems"))
    elif not report.ok:
        terminal.out("run `commonplace doctor --fix` to mend what can be mended; nothing is deleted")


def _where(problem: Problem) -> str:
    return terminal.line(problem.path) + (f":{problem.line}" if problem.line is not None else "")


@click.command("reindex")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@placed
def reindex_command(*, as_json: bool, place: Place) -> None:
    """Make the index again from the files; nothing else depends on it."""
    with place.open(writes=True) as memory:
        files = memory.reindex()
        if as_json:
            plain.show({"location": memory.location, "files": files})
        else:
            terminal.out(
                f"indexed {terminal.count(files, 'file')} of {terminal.accent(terminal.line(memory.location))}"
            )
