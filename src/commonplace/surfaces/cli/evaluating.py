"""The command that measures recall on one's own memory: `eval`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, cast

import click
import msgspec

from commonplace.errors import InputError
from commonplace.memory.memory import Memory
from commonplace.records import LAYERS, LayerName
from commonplace.surfaces import evaluate
from commonplace.surfaces.cli import drawing, plain, terminal
from commonplace.surfaces.cli.opening import Place, placed
from commonplace.surfaces.evaluate import (
    AT_LEAST,
    AT_MOST,
    Case,
    Evaluation,
    Figures,
    Shortfall,
    Target,
    Verdict,
)
from commonplace.surfaces.evaluate.cases import TOKENS, K

FILE_BYTES: Final = 20_000_000  # of a file of cases
MADE: Final = 50  # cases made from the memory where no file is given
FAILED_SHOWN: Final = 20
BAR_COLUMNS: Final = 20
_INSTEAD: Final = 2  # hits that are shown of a case that missed its answer


@click.command("eval")
@click.argument("file", required=False)
@click.option(
    "--made",
    type=click.IntRange(min=0, max=10_000),
    help=f"Most cases made from the memory itself.  [default: {MADE} without a FILE, else 0]",
)
@click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="Another one makes other cases.")
@click.option(
    "-k", "k", type=click.IntRange(min=1), metavar="N", help=f"Ranks looked at.  [default: as a case says, else {K}]"
)
@click.option(
    "--tokens",
    type=click.IntRange(min=1),
    metavar="N",
    help=f"Budget for an answer's words.  [default: as a case says, else {TOKENS}]",
)
@click.option("--layer", "layers", multiple=True, type=click.Choice(LAYERS), help="Where to look; repeatable.")
@click.option(
    "--at-least", multiple=True, metavar="[FIGURE=]N", help="Least share that passes, or least FIGURE; repeatable."
)
@click.option("--at-most", multiple=True, metavar="FIGURE=N", help="Highest FIGURE; repeatable.")
@click.option("--all", "every", is_flag=True, help="Show the cases that passed too.")
@click.option("--list", "listed", is_flag=True, help="Print the cases as JSON lines, fit for a FILE, and ask nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@placed
@click.pass_context
def eval_command(
    ctx: click.Context,
    file: str | None,
    *,
    made: int | None,
    seed: int,
    k: int | None,
    tokens: int | None,
    layers: tuple[str, ...],
    at_least: tuple[str, ...],
    at_most: tuple[str, ...],
    every: bool,
    listed: bool,
    as_json: bool,
    place: Place,
) -> None:
    """Measure recall on this memory: does each question find what it should?

    The questions are in FILE, one case a line (JSONL). Without one they are made from what was corrected in this
    memory and from the messages its records rest on. Exit code 1 when a figure misses its threshold; without any,
    when a case fails.
    """
    given = _read(file) if file is not None else ()
    least = _thresholds(at_least, AT_LEAST, "--at-least")
    most = _thresholds(at_most, AT_MOST, "--at-most")
    with place.open() as memory:
        wanted = made if made is not None else MADE * (file is None)
        named = {case.name for case in given}  # a file that began as a list of made cases has some of them
        made_now = evaluate.made(memory, limit=wanted, seed=seed) if wanted else ()
        own = [case for case in made_now if case.name not in named]
        cases = [_changed(case, k, tokens, cast("tuple[LayerName, ...]", layers)) for case in (*given, *own)]
        if not cases:
            _nothing(ctx, memory, as_json=as_json)
        if listed:
            _list(memory, file, cases, as_json=as_json)
            return
        found = evaluate.evaluate(memory, cases)
        short = found.below(least, most)
        if as_json:
            plain.show({"location": memory.location, "file": file, **_data(found, short)})
        else:
            for each in _drawn(memory, found, short, every=every):
                terminal.out(each)
    if short:
        ctx.exit(1)


def _list(memory: Memory, file: str | None, cases: Sequence[Case], *, as_json: bool) -> None:
    """Print the cases as the lines of a file of cases; as JSON, as one object that holds the same."""
    lines = [evaluate.line(case) for case in cases]
    if as_json:
        plain.show({"location": memory.location, "file": file, "cases": [json.loads(line) for line in lines]})
        return
    for line in lines:
        terminal.out(plain.printable(line))


def _nothing(ctx: click.Context, memory: Memory, *, as_json: bool) -> None:
    if as_json:
        plain.show({"location": memory.location, "file": None, **_data(Evaluation((), Figures(cases=0)), ())})
    else:
        terminal.note(
            "no case can be made from this memory: nothing in it was corrected or rests on a message; "
            "name a FILE of cases"
        )
    ctx.exit(1)


def _read(file: str) -> tuple[Case, ...]:
    path = Path(file)
    try:
        if "\0" in file:
            raise InputError(f"{file!r} is no file")
        with path.open("rb") as stream:
            data = stream.read(FILE_BYTES + 1)
        if len(data) > FILE_BYTES:
            raise InputError(f"{file!r} is over {FILE_BYTES} bytes; split it", path=file)
        return evaluate.read(data.decode("utf-8"), file)
    except OSError as error:
        raise InputError(f"{file!r} cannot be read: {error.strerror}", path=file) from None
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"{file}:{line}: this is not UTF-8", path=file, line=line) from None


def _thresholds(given: Sequence[str], known: tuple[str, ...], option: str) -> dict[str, float]:
    """Read thresholds as an option has them; a bare number is the share of the cases that pass."""
    found: dict[str, float] = {}
    for each in given:
        figure, mark, value = each.rpartition("=")
        figure = figure if mark or known is not AT_LEAST else "passed"
        if figure not in known:
            raise InputError(f"{option} {each!r} names no figure; write FIGURE=N with one of {', '.join(known)}")
        found[figure] = _threshold(figure, value)
    return found


def _threshold(figure: str, value: str) -> float:
    try:
        number = float(value)
    except ValueError:
        number = -1.0
    if figure in AT_LEAST and not 0 <= number <= 1:
        raise InputError(f"{figure} is a share from 0 to 1, not {value!r}")
    if not 0 <= number < float("inf"):
        raise InputError(f"{figure} is a number not below 0, not {value!r}")
    return number


def _changed(case: Case, k: int | None, tokens: int | None, layers: tuple[LayerName, ...]) -> Case:
    changes: dict[str, Any] = {"k": k, "tokens": tokens, "layers": layers or None}
    said = {name: value for name, value in changes.items() if value is not None}
    return msgspec.structs.replace(case, **said)


# --- JSON ---


def _data(found: Evaluation, short: Sequence[Shortfall]) -> dict[str, Any]:
    return {
        "figures": {name: getattr(found.figures, name) for name in Figures.__struct_fields__},
        "below": [{"figure": each.figure, "value": each.value, "limit": each.limit} for each in short],
        "cases": [_case(verdict) for verdict in found.verdicts],
    }


def _case(verdict: Verdict) -> dict[str, Any]:
    return {
        "name": verdict.case.name,
        "question": verdict.case.question,
        "passed": verdict.passed,
        "recall": verdict.recall,
        "ranks": verdict.ranks,
        "places": verdict.places,
        "superseded": verdict.superseded,
        "forbidden": verdict.forbidden,
        "unknown": verdict.unknown,
        "words": verdict.words,
        "tokens": verdict.tokens,
        "milliseconds": round(verdict.milliseconds, 3),
        "hits": [{"record": hit.record, "score": hit.score, "text": hit.text} for hit in verdict.hits],
    }


# --- for a person ---


def _drawn(memory: Memory, found: Evaluation, short: Sequence[Shortfall], *, every: bool) -> Iterator[str]:
    shown = found.verdicts if every else found.failed[:FAILED_SHOWN]
    for verdict in shown:
        yield from _told(memory, verdict)
    hidden = len(found.failed) - FAILED_SHOWN
    if hidden > 0 and not every:
        yield terminal.faint(f"… and {hidden:,} more that failed; --all shows every case")
    if shown:
        yield ""
    yield from _table(found)
    for each in short:
        yield terminal.bad("below: ") + each.sentence


def _told(memory: Memory, verdict: Verdict) -> Iterator[str]:
    mark = terminal.good("✓") if verdict.passed else terminal.bad("✗")
    asked, name = terminal.line(verdict.case.question), terminal.line(verdict.case.name)
    yield f"{mark} {terminal.heading(asked)}  {terminal.faint(name)}"
    for target, rank in zip(verdict.case.expected, verdict.ranks, strict=True):
        found = terminal.bad("missed") if rank is None else terminal.good(f"rank {rank}")
        yield f"   {found}  {_named(verdict, target)}"
    if verdict.passed:
        return
    if not verdict.hits:
        yield "   nothing was shown"
    words = terminal.wanted(verdict.case.question)
    for place, hit in zip(verdict.places, verdict.hits, strict=True):
        wrong = _wrong(verdict, place)
        if wrong:
            where = hit.sources[0].session if hit.layer == "sessions" and hit.sources else hit.record
            parts = [drawing.day(hit.at) if hit.at else "", terminal.line(where), drawing.speaker(memory, hit)]
            origin = terminal.accent(" · ".join(part for part in parts if part))
            yield f"   {terminal.warning(f'rank {place}')}  {wrong}: {origin}"
            yield from terminal.quote(hit.text, words, indent=6, lines=2)


def _wrong(verdict: Verdict, place: int) -> str:
    """Return what is wrong with the hit at a rank; the first hits count as shown instead of the answer."""
    if place in verdict.forbidden:
        return "forbidden"
    if place in verdict.superseded:
        return "superseded"
    missed = verdict.case.nothing or None in verdict.ranks
    return "instead" if missed and place <= _INSTEAD and place not in verdict.ranks else ""


def _named(verdict: Verdict, target: Target) -> str:
    said = terminal.cut(terminal.line(target.value), 60)
    others = f" or {terminal.count(len(target.choices) - 1, 'other')}" if target.any else ""
    gone = terminal.warning("  is not in memory") if target.value in verdict.unknown else ""
    return f"{target.kind} {terminal.accent(said)}{others}{gone}"


def _table(found: Evaluation) -> Iterator[str]:
    """Yield the figures: shares with a bar, then what is counted and timed."""
    all_of = found.figures
    ks = {verdict.case.k for verdict in found.verdicts if verdict.case.expected}
    budgets = {verdict.case.tokens for verdict in found.verdicts if verdict.case.expected}
    expecting = sum(bool(verdict.case.expected) for verdict in found.verdicts)
    silent = sum(verdict.case.nothing for verdict in found.verdicts)
    passed = all_of.cases - len(found.failed)
    shares = [
        ("passed", all_of.passed, f"{passed:,} of {terminal.count(all_of.cases, 'case')}"),
        (f"recall@{ks.pop()}" if len(ks) == 1 else "recall@k", all_of.recall, f"of {expecting:,} with an answer"),
        ("first hit", all_of.mrr, "one over its rank"),
        (
            "words",
            all_of.words,
            f"of the answer within {budgets.pop():,} tokens"
            if len(budgets) == 1
            else "of the answer within the budget",
        ),
        ("abstention", all_of.abstention, f"of {silent:,} without one"),
    ]
    for name, share, note in shares:
        if share is not None:
            drawn = terminal.good(terminal.bar(share, BAR_COLUMNS))
            yield f"{name:<11}  {share:>5.3f}  {drawn}  {terminal.faint(note)}"
    yield f"superseded   {terminal.count(all_of.superseded, 'case')} with an old value above the new"
    yield f"forbidden    {terminal.count(all_of.forbidden, 'case')} with what must not be shown"
    if all_of.abstained_wrongly:
        yield f"abstained    {terminal.count(all_of.abstained_wrongly, 'case')} with an answer and no hit"
    if all_of.tokens is not None and all_of.p50_ms is not None and all_of.p95_ms is not None:
        yield f"tokens       {all_of.tokens:,.0f} shown in a case, on average"
        yield f"latency      {all_of.p50_ms:.1f} ms at the median, {all_of.p95_ms:.1f} ms at p95"
