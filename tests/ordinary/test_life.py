"""Three years of ordinary use: nothing fills up, what was said is found, what was superseded is not shown.

The life is made up, and its faithful replies were written from the transcripts alone. A month of it runs in every test
run, the whole of it in the battery. Work is counted in calls of functions, never in time.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from statistics import median

import life
import living
import pytest

from commonplace import Memory, Message
from commonplace.operations import AddEntry, AppendJournal, ReplaceEntry
from commonplace.testing import FixedClock
from marking import only_in_battery, slow_after

WEEK, MONTH, YEARS = 8, 28, 1000  # sessions
FLAT = 1.2
FOUND = {"rules": 0.93, "model": 0.98}  # of the facts that hold, by their question; the rest shares no word with it
OUTDATED = 0.02  # of the facts that were replaced, the share that is shown still
TOLD = life.life(7)
CASES = [("native", "model"), ("two-layer", "rules"), ("native", "rules"), ("two-layer", "model")]


def opened(folder: Path, layout: str, who: str, clock: FixedClock) -> Memory:
    llm = living.model(TOLD) if who == "model" else None
    return Memory.open(folder, layout=layout, clock=clock, jobs="worker", llm=llm)


def settled(memory: Memory, folder: Path, figures: living.Figures, sessions: list[life.Session]) -> float:
    """Assert what holds after any stretch of life, and return the share of facts that recall finds."""
    assert figures.refused == []
    assert figures.over == []
    shown = memory.context()
    assert shown.tokens <= shown.budget
    until = max(session.at for session in sessions)
    assert len(living.outdated(shown.stable, TOLD, until)) <= OUTDATED * len(TOLD.superseded(until))
    assert [each for each in memory.doctor().problems if each.kind != "limit"] == []
    months = len({f"{session.at:%Y-%m}" for session in sessions})
    files = {name: count for name, count in living.sizes(folder).items() if name not in {"sessions", "transcripts"}}
    assert max(files.values()) <= 2 * months + 13
    hit, missed = living.found(memory, TOLD, until)
    return len(hit) / max(1, len(hit) + len(missed))


@pytest.mark.parametrize(
    ("layout", "who", "long"),
    slow_after(2, [(*CASES[0], WEEK), (*CASES[1], MONTH), *((*CASES[n], MONTH) for n in (0, 2, 3))]),
)
def test_a_month_of_life(tmp_path: Path, layout: str, who: str, long: int) -> None:
    """Issue 17."""
    sessions = TOLD.sessions[:long]
    clock = FixedClock(sessions[0].at)
    with opened(tmp_path, layout, who, clock) as memory:
        figures = living.live(memory, clock, TOLD, sessions)
        assert settled(memory, tmp_path, figures, sessions) >= 0.8


@pytest.mark.slow
def test_the_clock_goes_back_a_year_in_the_middle(tmp_path: Path) -> None:
    """Issue 17, bad input: nothing is lost or refused, and what is said later still replaces what was said before."""
    sessions = TOLD.sessions[:MONTH]
    middle = sessions[MONTH // 2].at

    def back(at: datetime) -> datetime:
        return at - timedelta(days=365) if at >= middle else at

    clock = FixedClock(sessions[0].at)
    with opened(tmp_path, "native", "rules", clock) as memory:
        figures = living.live(memory, clock, TOLD, sessions, back=back)
        assert settled(memory, tmp_path, figures, sessions) >= 0.8
        assert memory.sessions.count() == MONTH


@pytest.mark.slow
@pytest.mark.usefixtures("unswept")
def test_an_entry_costs_the_same_however_long_the_history_is(tmp_path: Path) -> None:
    """Issue 17: what is added to a journal is read by itself; the one of the two-layer layout never ends."""
    work: list[int] = []
    for long in (20, 160):
        clock = FixedClock(TOLD.sessions[0].at)
        with Memory.open(tmp_path / str(long), layout="two-layer", clock=clock, jobs="worker") as memory:
            entries = [f"On day {number} we spoke of the harbour and of boat {number}." for number in range(long)]
            memory.apply([AppendJournal(path="memory/HISTORY.md", text=text) for text in entries], reason="")
            memory.context()
            memory.recall("Did the ferry leave late?")  # what is made once a process
            clock.advance(hours=1)
            _, added = living.calls(
                lambda: memory.remember("The ferry left late.", kind="journal"),
                counted=True,
            )
            _, shown = living.calls(memory.context, counted=True)
            hits, found = living.calls(lambda: memory.recall("Did the ferry leave late?"), counted=True)
            assert hits[0].text == "The ferry left late."
            work.append(added + shown + found)
    assert work[1] <= 1.1 * work[0], work


@pytest.mark.slow
@pytest.mark.usefixtures("unswept")
def test_a_line_that_is_shown_costs_the_same_however_many_are_shown(tmp_path: Path) -> None:
    """Issue 17: a context grows with what it shows, until its budget is full; what is not shown costs it nothing."""
    work: list[int] = []
    for lines in (20, 40, 80):
        clock = FixedClock(TOLD.sessions[0].at)
        with Memory.open(tmp_path / str(lines), layout="two-layer", clock=clock, jobs="worker") as memory:
            texts = [f"Boat {number} is at pier {number}." for number in range(lines)]
            memory.apply([AddEntry(path="memory/MEMORY.md", text=text) for text in texts], reason="")
            memory.context()
            shown, calls = living.calls(memory.context, counted=True)
            assert shown.stable.count("- Boat ") == lines
            work.append(calls)
    assert (work[2] - work[1]) / 40 <= 1.1 * (work[1] - work[0]) / 20, work


@pytest.mark.slow
@pytest.mark.usefixtures("unswept")
def test_as_many_lines_cost_the_same_after_many_changes(tmp_path: Path) -> None:
    """Issue 17: what a context shows decides its cost, not the changes, journal and sessions behind it."""
    work: list[int] = []
    for changes in (3, 25):
        clock = FixedClock(TOLD.sessions[0].at)
        with Memory.open(tmp_path / str(changes), layout="two-layer", clock=clock, jobs="worker") as memory:
            texts = [f"Boat {number} is at pier {number}." for number in range(40)]
            memory.apply([AddEntry(path="memory/MEMORY.md", text=text) for text in texts], reason="")
            for number in range(changes):
                replaced = ReplaceEntry(
                    path="memory/MEMORY.md", target="Boat 7 is", text=f"Boat 7 is at pier {number}."
                )
                told = AppendJournal(path="memory/HISTORY.md", text=f"On day {number} boat 7 was moved.")
                assert memory.apply([replaced, told], reason="").status == "applied"
                memory.append(f"cli:{number}", Message("user", f"Boat 7 is at pier {number}.", at=clock()))
                clock.advance(hours=1)
            memory.context()
            shown, calls = living.calls(memory.context, counted=True)
            assert shown.stable.count("- Boat ") == 40
            work.append(calls)
    assert work[1] <= 1.05 * work[0], work


@only_in_battery
@pytest.mark.slow
@pytest.mark.battery
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(("layout", "who"), CASES)
def test_three_years_of_life(tmp_path: Path, layout: str, who: str, record_property: pytest.RecordProperty) -> None:
    """Issue 17: the last month of year three costs what the last month of year one did, for as much as is shown.

    Two-layer has its model rewrite all it shows, and shows all it knows: it is not full after three years.
    """
    sessions = TOLD.sessions[:YEARS]
    clock = FixedClock(sessions[0].at)
    months = [range(end - MONTH, end) for end in (YEARS // 3, 2 * YEARS // 3, YEARS)]
    with opened(tmp_path, layout, who, clock) as memory:
        figures = living.live(memory, clock, TOLD, sessions, counted={place for month in months for place in month})
        share = settled(memory, tmp_path, figures, sessions)
    record_property("found", share)
    assert share >= FOUND[who]
    shown = [median(figures.shown[place] for place in month) for month in months]
    record_property("shown", shown)
    works = {"contexts": figures.contexts, "consolidations": figures.consolidations}
    grown: dict[str, float] = {}
    for name, counted in works.items():
        work = [median(counted[place] for place in month) for month in months]
        record_property(name, work)
        grown[name] = work[-1] / work[0]
    assert max(grown.values()) <= FLAT * max(1, shown[-1] / shown[0]), (grown, shown)


@pytest.mark.parametrize("layout", ["native", "two-layer"])
def test_what_was_corrected_by_hand_is_not_undone_by_an_older_message(tmp_path: Path, layout: str) -> None:
    """Issue 17.2: what was said later holds, whenever its message is read."""
    clock = FixedClock(TOLD.sessions[0].at)
    with Memory.open(tmp_path, layout=layout, clock=clock, jobs="worker") as memory:
        for session, said in (("a", "I live in Bergen."), ("b", "I live in Oslo now.")):
            memory.append(session, Message("user", said, at=clock()))
            clock.advance(hours=1)
            if session == "a":
                memory.end("a", now=False)
        found = memory.recall("User lives in Bergen", layers=["documents"])[0]
        assert memory.update(found.record, "User lives in Trondheim.").status == "applied"
        memory.end("b", now=False)
        assert "Trondheim" in memory.context().stable
        assert "Oslo" not in memory.context().stable
        clock.advance(hours=1)
        memory.append("c", Message("user", "I live in Tromsø now.", at=clock()))
        memory.end("c", now=False)
        assert "Tromsø" in memory.context().stable
        assert "Trondheim" not in memory.context().stable
