"""Memory as people see it: hits with their origin, a context's budget, sessions, the files of a folder.

Yields lines; prints nothing. What a hit does not carry (who spoke) is looked up in its session.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from commonplace.errors import CommonplaceError, GoneError
from commonplace.jobs.failures import Failure
from commonplace.memory.memory import Memory
from commonplace.recall.prompt import page
from commonplace.records import (
    TRUST_RANK,
    Change,
    Context,
    Dropped,
    Hit,
    Message,
    Outcome,
    Quote,
    Session,
    Source,
    Trail,
    Waiting,
)
from commonplace.surfaces.cli import sheets, terminal

if TYPE_CHECKING:
    from commonplace.surfaces.importers import Problem

BAR_COLUMNS: Final = 40
_BEGUN_COLUMNS: Final = 40
_BEGUN_MESSAGES: Final = 6  # looked at for the first words of the user
DROPPED_SHOWN: Final = 8
_BOOKKEEPING: Final = frozenset(["cursor", "hold", "window", "end"])  # kinds of changes that change no memory
_NEWEST: Final = 20  # changes among which one that was just made is looked for
FILES_SHOWN: Final = 24


def day(at: datetime | None) -> str:
    """Write the day of an instant."""
    return at.strftime("%Y-%m-%d") if at else "undated"


def minute(at: datetime | None) -> str:
    """Write an instant to the minute, in the zone it carries."""
    return at.strftime("%Y-%m-%d %H:%M") if at else "undated"


def speaker(memory: Memory, hit: Hit) -> str:
    """Return who spoke a hit's words: role and name; empty if it is no message or cannot be found."""
    if hit.layer != "sessions" or not hit.sources:
        return ""
    try:
        message = memory.sessions.message(hit.sources[0].session, hit.sources[0].message).message
    except CommonplaceError:
        return ""
    return who(message)


def shown_id(memory: Memory, record: str) -> str:
    """Return the id of a record for a person: a message is `session#message`."""
    path, mark, message = record.rpartition("#")
    session = memory.sessions.id_of(path) if mark and path.startswith(f"{memory.sessions.folder}/") else None
    return terminal.line(f"{session}#{message}" if session else record)


def _place(source: Source) -> str:
    return f"{source.session}#{source.message}"


def who(message: Message) -> str:
    """Return who speaks: the role, and the name or the tools."""
    detail = message.name or (", ".join(message.tools) if message.role == "tool" else "")
    return terminal.line(f"{message.role} {detail}".strip())


def trust_mark(trust: str) -> str:
    """Warn of text that no one vouches for."""
    if TRUST_RANK.get(trust, 0) >= TRUST_RANK["agent"]:
        return ""
    return terminal.warning(f"  from {trust}, unverified")


def hits(
    memory: Memory,
    found: Sequence[Hit],
    query: str,
    *,
    ids: bool = True,
    lines: int = 4,
    right: Sequence[bool] = (),
    margin: int = 0,
) -> Iterator[str]:
    """Yield hits with where they come from, the asked words marked; `right` says which are known to answer."""
    words = terminal.wanted(query)
    for number, hit in enumerate(found, 1):
        where = hit.sources[0].session if hit.sources else hit.record.partition("#")[0]
        parts = [day(hit.at) if hit.at else "", terminal.line(where), speaker(memory, hit)]
        origin = " · ".join(part for part in parts if part)
        answers = terminal.good(" ✓") if right[number - 1 : number] == [True] else ""
        over = terminal.warning(f"  {terminal.line(page.over(hit.superseded_words))}") if hit.superseded_by else ""
        marks = trust_mark(hit.trust) + over
        yield f"{terminal.heading(str(number))}  {terminal.accent(origin)}{marks}{answers}"
        yield from terminal.quote(hit.text, words, lines=lines, margin=margin)
        if ids:
            yield "   " + terminal.faint(shown_id(memory, hit.record))
        if hit.why:
            yield "   " + terminal.faint(
                f"score {hit.score:.2f}: " + ", ".join(f"{name} {_figure(value)}" for name, value in hit.why.items())
            )


def _figure(value: float | str) -> str:
    return f"{value:.2f}" if isinstance(value, float) else terminal.line(str(value))


def budget(memory: Memory, context: Context) -> Iterator[str]:
    """Yield what a context's token budget is spent on by section, and what did not fit, with the reason."""
    yield terminal.heading(f"{context.tokens:,} of {context.budget:,} tokens")
    rows: list[tuple[str, str, int]] = [
        (section.part, terminal.line(section.title), section.tokens) for section in context.sections
    ]
    around = context.tokens - sum(tokens for _, _, tokens in rows)
    rows += [("", "fences and notes", around)] if rows and around > 0 else []
    rows.append(("", "free", max(0, context.budget - context.tokens)))
    cells = [
        (part, title, f"{tokens:,}", terminal.bar(tokens / max(context.budget, 1), BAR_COLUMNS))
        for part, title, tokens in rows
    ]
    yield from (f"  {line}" for line in terminal.table(cells, right=[2]))
    yield from (f"  {terminal.warning(terminal.line(each))}" for each in context.warnings)
    yield from _dropped(memory, context.dropped)


def _dropped(memory: Memory, dropped: Sequence[Dropped]) -> Iterator[str]:
    if not dropped:
        return
    yield f"  left out: {terminal.count(len(dropped), 'record')}"
    for each in dropped[:DROPPED_SHOWN]:
        cost = f", {terminal.count(each.tokens, 'token')}" if each.tokens else ""
        yield f"    {shown_id(memory, each.record)}: {terminal.warning(terminal.line(each.reason))}{cost}"
    if len(dropped) > DROPPED_SHOWN:
        yield f"    … and {len(dropped) - DROPPED_SHOWN} more"


def sessions(memory: Memory, found: Sequence[Session]) -> Iterator[str]:
    """Yield sessions as a table: id, messages, last day, state, and what the user began with."""
    rows = [
        (
            terminal.cut(terminal.line(session.id), 44),
            f"{session.messages:,}",
            minute(session.last_at or session.created_at),
            _state(session),
            terminal.cut(_begun(memory, session), _BEGUN_COLUMNS),
        )
        for session in found
    ]
    yield from terminal.table([("session", "messages", "last", "", "begins with"), *rows], right=[1]) if rows else ()


def _begun(memory: Memory, session: Session) -> str:
    first = memory.sessions.read(session.id, 0, _BEGUN_MESSAGES)
    return next((terminal.line(each.text) for each in first if each.message.role == "user"), "")


def _state(session: Session) -> str:
    parts = [terminal.line(session.kind)] if session.kind != "foreground" else []
    if session.agent != "main":
        parts.append(f"agent {terminal.line(session.agent)}")
    if session.window_start:
        parts.append(f"window from {session.window_start}")
    if session.ended:
        parts.append("ended")
    return ", ".join(parts)


def is_bookkeeping(done: Change) -> bool:
    """True if a change only says how far a session was read, or that it ended or goes on from somewhere."""
    return _BOOKKEEPING.issuperset(done.kinds)


def change(done: Change, *, whole: bool = False) -> Iterator[str]:
    """Yield one change of the log: its number, when, who, what and where, and a line of what it wrote, or all."""
    undone = terminal.warning(f"  undone by {done.undone_by}") if done.undone_by is not None else ""
    undoes = f"  undoes {done.undoes}" if done.undoes is not None else ""
    head = (
        f"{terminal.heading(str(done.number))}  {minute(done.at)}  {terminal.line(done.actor)}  {', '.join(done.kinds)}"
    )
    yield f"{head}{undoes}{undone}"
    if done.reason:
        yield f"   {terminal.line(done.reason)}"
    if done.paths:
        yield "   " + terminal.accent(", ".join(terminal.line(path) for path in done.paths))
    if done.erased:
        yield "   " + terminal.faint("its texts were erased")
    if whole:
        yield from diff(done.diff)
    elif words := _first_words(done.diff):
        yield "   " + terminal.cut(terminal.line(words), terminal.columns() - 4)


def _first_words(diff: str) -> str:
    """Return the first line with words that came, else that went."""
    lines = [
        line for line in diff.splitlines() if not line.startswith(("--- ", "+## ")) and any(map(str.isalnum, line))
    ]
    return next((line for sign in "+-" for line in lines if line.startswith(sign)), "")


def diff(text: str) -> Iterator[str]:
    """Yield a diff by line, what came green and what went red."""
    for each in terminal.safe(text).splitlines():
        if each.startswith("--- "):
            yield terminal.accent(each)
        elif each.startswith("+"):
            yield terminal.good(each)
        elif each.startswith("-"):
            yield terminal.removed(each)
        else:
            yield terminal.faint(each)


def trail(memory: Memory, found: Trail, *, margin: int = 0) -> Iterator[str]:
    """Yield why a record is there: what it says, its changes, and what was said; `margin` as for `hits`."""
    name = shown_id(memory, found.record)
    quotes = [each for each in found.quotes if terminal.line(_place(each.source)) != name]  # a message is its own
    yield from terminal.quote(found.text, indent=0, lines=8, margin=margin)
    yield terminal.faint(f"{name}, trust {found.trust}")
    if found.steps:
        yield ""
        yield terminal.heading("how it came to be")
    for step in found.steps:
        reason = f": {terminal.line(step.reason)}" if step.reason else ""
        yield f"   change {step.change}  {minute(step.at)}  {terminal.line(step.actor)}{reason}"
        yield from terminal.quote(step.text, indent=6, lines=3, margin=margin)
    if quotes:
        yield ""
        yield terminal.heading("what it rests on")
    for quoted in quotes:
        yield from _quoted(quoted, margin)


def _quoted(quoted: Quote, margin: int) -> Iterator[str]:
    speaks = f"{quoted.role} {quoted.name}" if quoted.name else quoted.role
    parts = (day(quoted.at), speaks, _place(quoted.source))
    yield "   " + terminal.accent(" · ".join(terminal.line(part) for part in parts if part))
    yield from terminal.quote(quoted.text, indent=6, lines=4, margin=margin)


def taken_away(memory: Memory, outcome: Outcome) -> Iterator[str]:
    """Yield what a change took away, as the change log says: each topic, where it went, and what it said."""
    log = memory.log(_NEWEST)
    change = next((each for each in log if each.number == outcome.change), None)
    gone = [path for path in (change.removed if change else ()) if path.endswith(".md")]
    for path in gone:
        try:
            where = f"its words are in {memory.read(path).id}"
        except GoneError:
            where = f"`commonplace undo {outcome.change}` brings it back"
        yield f"{terminal.warning('deleted')}  {terminal.line(path)}: {terminal.line(where)}"
        parts = f"\n{change.diff if change else ''}".split("\n--- ")
        for part in parts:
            if part.partition("\n")[0] == path:
                yield from (
                    f"  {terminal.bad(terminal.line(line))}" for line in part.split("\n") if line.startswith("-")
                )


def remembered(memory: Memory, records: Sequence[str], *, journals: bool = True, margin: int = 0) -> Iterator[str]:
    """Yield records by file, each with the messages it rests on."""
    path = ""
    for record in sorted(records, key=lambda each: each.partition("#")[0]):
        try:
            found = memory.why(record)
        except CommonplaceError:
            continue  # replaced or moved by a later range of the same run
        file = found.record.partition("#")[0]
        if not journals and "/HISTORY" in file:
            continue
        if file != path:
            path = file
            yield terminal.accent(terminal.line(path))
        yield from terminal.quote(found.text, indent=2, lines=3, margin=margin)
        said = ", ".join(_place(quoted.source) for quoted in found.quotes)
        yield "    " + terminal.faint(terminal.line(f"from {said}" if said else "no message")) + trust_mark(found.trust)


def waiting(queue: Sequence[Waiting]) -> Iterator[str]:
    """Yield what waits for a person: its id, why it waits, what goes and comes, and the words it rests on."""
    for each in queue:
        head = f"{terminal.heading(terminal.line(each.id))}  {minute(each.at)}  {terminal.warning(each.state)}"
        yield f"{head}  {terminal.line(each.actor)}".rstrip()
        yield f"   {terminal.line(each.reason)}"
        operation = each.operation
        where = operation.get("path") or operation.get("record") or ""
        yield f"   {terminal.accent(terminal.line(str(operation.get('op', ''))))} {terminal.line(str(where))}".rstrip()
        said = sheets.words(each)
        moved = each.state in {"conflicted", "overtaken"}
        if moved or not each.theirs:
            yield from terminal.quote(said, indent=3, lines=4)
        if moved:
            yield f"   {terminal.accent('is there now' if each.theirs else 'nothing is in its place now')}"
            yield from terminal.quote(each.theirs, indent=3, lines=4)
        elif each.theirs:
            for mark, line in sheets.edited(each):
                first, *rest = terminal.quote(line, indent=5, lines=4)
                yield from (f"   {mark}{first[4:]}", *rest)
        for quote in each.quotes:
            yield from _quoted(quote, 0)


def files(root: Path) -> Iterator[str]:
    """Yield the files of a memory, those that a person reads each with its size."""
    every = (path.relative_to(root) for path in root.rglob("*") if path.is_file())
    found = sorted(path for path in every if path.parts[0] != ".commonplace")
    for path in found[:FILES_SHOWN]:
        yield f"{terminal.line(str(path))}  {terminal.faint(f'{(root / path).stat().st_size:,} bytes')}"
    if len(found) > FILES_SHOWN:
        yield f"… and {len(found) - FILES_SHOWN:,} more"
    yield f".commonplace/  {terminal.faint('ours: change log, index, state')}"


def untaken(problem: Problem) -> str:
    """Return in words what an import could not take as it is."""
    where = terminal.line(problem.path) + (f":{problem.line}" if problem.line else "")
    return f"{where}: {terminal.line(problem.reason)}" + (terminal.faint(" (kept)") if problem.kept else "")


def held(session: str, job: str, start: int) -> str:
    """Return a range in words that is not due, because neither a model nor the rules can do it or it was undone."""
    return f"{session}, {job}, from message {start}; `commonplace consolidate {session}` reads it again"


def failure(each: Failure) -> str:
    """Return a failure in words: which job, of whose range, why, and when it is tried again."""
    whose = f"{each.session}, {each.job}, from message {each.start}" if each.session else each.job
    return f"{whose}: {each.why}; {each.when}"
