"""The command that measures recall on one's own memory: `eval`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import click
import msgspec

from commonplace.errors import InputError
from commonplace.memory.memory import Memory
from commonplace.surfaces import evaluate
from commonplace.surfaces.cli import drawing, plain, terminal
from commonplace.surfaces.cli.opening import Place, printing
from commonplace.surfaces.evaluate import Case, Evaluation, Verdict

MADE: Final = 50  # cases made from the memory where no file is given
FAILED_SHOWN: Final = 20
BAR_COLUMNS: Final = 20
_INSTEAD: Final = 2  # hits that are shown of a case that missed its answer


@click.command("eval")
@click.argument("file", required=False)
@click.option("-k", "k", type=click.IntRange(min=1), metavar="N", help="Ranks looked at.  [default: as a case says]")
@click.option(
    "--at-least", type=click.FloatRange(0, 1), default=1.0, metavar="N", help="Share of the cases that has to pass."
)
@click.option("--all", "every", is_flag=True, help="Show the cases that passed too.")
@click.option("--list", "listed", is_flag=True, help="Print the cases as JSON lines, fit for a FILE, and ask nothing.")
@printing
@click.pass_context
def eval_command(
    ctx: click.Context,
    file: str | None,
    *,
    k: int | None,
    at_least: float,
    every: bool,
    listed: bool,
    as_json: bool,
    place: Place,
) -> None:
    """Measure recall: does each question find what it should?

    The questions are in FILE, one case a line (JSONL). Without one they are made from what was corrected in this
    memory and from the messages its records rest on. Exit code 1 when a case fails, or fewer pass than --at-least.
    """
    given = _read(file) if file is not None else None
    with place.open() as memory:
        cases = given if given is not None else evaluate.made(memory, limit=MADE)
        if k is not None:
            cases = tuple(msgspec.structs.replace(case, k=k) for case in cases)
        if listed:
            for case in cases:
                terminal.out(plain.printable(evaluate.line(case)))
            return
        found = evaluate.evaluate(memory, cases)
        value = {"location": memory.location, "file": file, **_data(found)}
        plain.give(value, _drawn(memory, found, every=every) if cases else (), as_json=as_json)
        if not (cases or as_json):
            terminal.note("no case can be made: nothing here was corrected or rests on a message; name a FILE of cases")
    if not cases or (found.figures.passed or 0.0) < at_least:
        ctx.exit(1)


def _read(file: str) -> tuple[Case, ...]:
    try:
        data = Path(file).read_bytes()
        return evaluate.read(data.decode("utf-8"), file)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"{file}:{line}: this is not UTF-8", path=file, line=line) from None
    except OSError as error:
        raise InputError(f"{file!r} cannot be read: {error.strerror}", path=file) from None


def _data(found: Evaluation) -> dict[str, Any]:
    return {"figures": found.figures, "cases": [_case(verdict) for verdict in found.verdicts]}


def _case(verdict: Verdict) -> dict[str, Any]:
    return {
        "name": verdict.case.name,
        "question": verdict.case.question,
        "passed": verdict.passed,
        "recall": verdict.recall,
        "ranks": verdict.ranks,
        "superseded": verdict.superseded,
        "forbidden": verdict.forbidden,
        "milliseconds": round(verdict.milliseconds, 3),
        "hits": [{"record": hit.record, "score": hit.score, "text": hit.text} for hit in verdict.hits],
    }


def _drawn(memory: Memory, found: Evaluation, *, every: bool) -> Iterator[str]:
    for verdict in found.verdicts if every else found.failed[:FAILED_SHOWN]:
        yield from _result(memory, verdict)
    hidden = len(found.failed) - FAILED_SHOWN
    if hidden > 0 and not every:
        yield terminal.faint(f"… and {hidden:,} more that failed; --all shows every case")
    yield from _table(found)


def _result(memory: Memory, verdict: Verdict) -> Iterator[str]:
    mark = terminal.good("✓") if verdict.passed else terminal.bad("✗")
    asked, name = terminal.line(verdict.case.question), terminal.line(verdict.case.name)
    yield f"{mark} {terminal.heading(asked)}  {terminal.faint(name)}"
    for target, rank in zip(verdict.case.expected, verdict.ranks, strict=True):
        found = terminal.bad("missed") if rank is None else terminal.good(f"rank {rank}")
        others = f" or {terminal.count(len(target.choices) - 1, 'other')}" if target.any else ""
        yield f"   {found}  {target.kind} {terminal.accent(terminal.cut(terminal.line(target.value), 60))}{others}"
    if verdict.passed:
        return
    if not verdict.hits:
        yield "   nothing was shown"
    words = terminal.wanted(verdict.case.question)
    for rank, hit in enumerate(verdict.hits, 1):
        wrong = _wrong(verdict, rank)
        if wrong:
            where = hit.sources[0].session if hit.layer == "sessions" and hit.sources else hit.record
            parts = [drawing.day(hit.at) if hit.at else "", terminal.line(where), drawing.speaker(memory, hit)]
            origin = terminal.accent(" · ".join(part for part in parts if part))
            yield f"   {terminal.warning(f'rank {rank}')}  {wrong}: {origin}"
            yield from terminal.quote(hit.text, words, indent=6, lines=2)


def _wrong(verdict: Verdict, rank: int) -> str:
    """Return what is wrong with the hit at a rank; the first hits count as shown instead of the answer."""
    if rank in verdict.forbidden:
        return "forbidden"
    if rank in verdict.superseded:
        return "superseded"
    missed = verdict.case.nothing or None in verdict.ranks
    return "instead" if missed and rank <= _INSTEAD and rank not in verdict.ranks else ""


def _table(found: Evaluation) -> Iterator[str]:
    """Yield the figures: shares with a bar, then what is counted and timed."""
    all_of = found.figures
    expecting = sum(bool(verdict.case.expected) for verdict in found.verdicts)
    silent = sum(verdict.case.nothing for verdict in found.verdicts)
    passed = all_of.cases - len(found.failed)
    shares = [
        ("passed", all_of.passed, f"{passed:,} of {terminal.count(all_of.cases, 'case')}"),
        ("recall", all_of.recall, f"of {expecting:,} with an answer"),
        ("first hit", all_of.mrr, "one over its rank"),
        ("abstention", all_of.abstention, f"of {silent:,} without one"),
    ]
    for name, share, note in shares:
        if share is not None:
            drawn = terminal.good(terminal.bar(share, BAR_COLUMNS))
            yield f"{name:<11}  {share:>5.3f}  {drawn}  {terminal.faint(note)}"
    yield f"superseded   {terminal.count(all_of.superseded, 'case')} with an old value above the new"
    yield f"forbidden    {terminal.count(all_of.forbidden, 'case')} with what must not be shown"
    yield f"latency      {all_of.p50_ms:.1f} ms at the median, {all_of.p95_ms:.1f} ms at p95"
