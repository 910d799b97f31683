"""Commands that look after a memory: `doctor` and `reindex`."""

from __future__ import annotations

from collections.abc import Iterator

import click

from commonplace.records import Problem, Report
from commonplace.surfaces.cli import plain, terminal
from commonplace.surfaces.cli.opening import Place, printing

PROBLEMS_SHOWN = 50


@click.command("doctor")
@click.option("--fix", is_flag=True, help="Make a drifted index again; nothing is deleted.")
@printing
def doctor_command(*, fix: bool, place: Place) -> None:
    """Check for damaged records, and for drift of the index.

    Nothing is written without --fix.
    A damaged line stays where it is: what it said can only be put back from a backup. Exit code 1 while a
    problem is not mended; a file that holds more than is shown of it is named, and is none.
    """
    with place.open(writes=fix, touches=fix) as memory:
        report = memory.doctor(fix=fix)
        head = f"{terminal.accent(terminal.line(memory.location))}: {_checked(report)}"
        facts = {"location": memory.location, "ok": report.ok, **plain.data(report)}
        place.give(facts, [head, *_problems(report), *_advice(report, fix=fix)])
    if not report.ok:
        raise click.exceptions.Exit(1)


def _checked(report: Report) -> str:
    looked_at = ", ".join(
        terminal.count(number, kind.removesuffix("s"), kind) for kind, number in report.checked.items() if number
    )
    return f"checked {looked_at}" if looked_at else "there is nothing here to check"


def _problems(report: Report) -> Iterator[str]:
    yield from terminal.some([_named(each) for each in report.problems], PROBLEMS_SHOWN)
    if not report.problems and any(report.checked.values()):
        yield terminal.good("no problems")


def _advice(report: Report, *, fix: bool) -> Iterator[str]:
    """Yield what to do about each kind of problem that is left; `fix` is true if mending was tried."""
    left = [problem for problem in report.problems if not problem.fixed]
    for kind in dict.fromkeys(problem.kind for problem in left):
        match kind:
            case "drift" if not fix:
                yield "run `commonplace doctor --fix` to make the index again from the files"
            case "drift":
                yield "the index could not be made again: delete .commonplace/index.sqlite, the next search makes it"
            case "damaged":
                yield (
                    "a damaged line stays where it is and is left out of memory: "
                    "put it right from a backup of its file, or leave it"
                )
            case "owner":
                yield "set guard.owner to the name as the chat has it before messages come in: theirs keep their trust"
            case "log":
                yield (
                    "nothing mends the change log but a backup of it: "
                    "memory is as it was, but such changes may not be there to look up or undo"
                )
    if report.waiting:
        waits = terminal.count(report.waiting, "statement waits", "statements wait")
        yield f"{waits} for review: `commonplace review` lists what to approve or reject"


def _named(problem: Problem) -> str:
    state = terminal.good("mended") if problem.fixed else terminal.bad(problem.kind)
    where = terminal.line(problem.path) + (f":{problem.line}" if problem.line is not None else "")
    return f"{state}  {where}: {terminal.line(problem.reason)}"


@click.command("reindex")
@printing
def reindex_command(*, place: Place) -> None:
    """Make the index again from the files.

    Nothing else depends on it.
    """
    with place.open(writes=True, begun=True) as memory:
        files = memory.reindex()
        said = f"indexed {terminal.count(files, 'file')} of {terminal.accent(terminal.line(memory.location))}"
        place.give({"location": memory.location, "files": files}, [said])
