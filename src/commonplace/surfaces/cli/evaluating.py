"""The command that measures recall on one's own memory: `eval`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from commonplace.errors import InputError
from commonplace.memory.memory import Memory
from commonplace.surfaces import evaluate
from commonplace.surfaces.cli import drawing, terminal
from commonplace.surfaces.cli.opening import Place, printing
from commonplace.surfaces.evaluate import Case, Evaluation, Verdict


@click.command("eval")
@click.argument("file")
@click.option(
    "--at-least", type=click.FloatRange(0, 1), default=1.0, metavar="N", help="Share of the cases that has to pass."
)
@printing
def eval_command(file: str, *, at_least: float, place: Place) -> None:
    """Measure recall: does each question find what it should?

    The questions are in FILE, one case a line (JSONL). Exit code 1 when a case fails, or fewer pass than --at-least.
    """
    cases = _read(file)
    with place.open() as memory:
        found = evaluate.evaluate(memory, cases)
        figures = {
            "cases": len(cases),
            "passed": found.passed,
            "recall": found.recall,
            "milliseconds": round(found.milliseconds, 3),
        }
        value = {"location": memory.location, "file": file, "figures": figures, "cases": [*map(_data, found.verdicts)]}
        place.give(value, _drawn(memory, found))
    if found.passed < at_least:
        raise click.exceptions.Exit(1)


def _read(file: str) -> tuple[Case, ...]:
    try:
        data = Path(file).read_bytes()
        return evaluate.read(data.decode("utf-8"), file)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"{file}:{line}: this is not UTF-8", path=file, line=line) from None
    except OSError as error:
        raise InputError(f"{file!r} cannot be read: {error.strerror}", path=file) from None


def _data(verdict: Verdict) -> dict[str, Any]:
    return {
        "name": verdict.case.name,
        "question": verdict.case.question,
        "passed": verdict.passed,
        "ranks": verdict.ranks,
        "forbidden": verdict.forbidden,
        "hits": [{"record": hit.record, "score": hit.score, "text": hit.text} for hit in verdict.hits],
    }


def _drawn(memory: Memory, found: Evaluation) -> Iterator[str]:
    """Yield each case that failed with what was shown, then the figures."""
    for verdict in found.verdicts:
        if not verdict.passed:
            yield from _failed(memory, verdict)
    passed = sum(verdict.passed for verdict in found.verdicts)
    yield f"passed  {passed:,} of {terminal.count(len(found.verdicts), 'case')}"
    if found.recall is not None:
        yield f"recall  {found.recall:.3f} of what was expected"
    yield f"time    {found.milliseconds:.1f} ms a question"


def _failed(memory: Memory, verdict: Verdict) -> Iterator[str]:
    case = verdict.case
    yield f"{terminal.bad('✗')} {terminal.heading(terminal.line(case.question))}  {terminal.line(case.name)}"
    for target, rank in zip(case.expected, verdict.ranks, strict=True):
        missed = terminal.bad("missed") if rank is None else terminal.good(f"rank {rank}")
        yield f"   {missed}  {terminal.line(str(target))}"
    if verdict.forbidden:
        yield f"   {terminal.bad('forbidden')}  rank {', '.join(map(str, verdict.forbidden))}"
    for line in drawing.hits(memory, verdict.hits, case.question, ids=False, lines=2, margin=3):
        yield f"   {line}"
