"""Which change is meant in a chain of scopes, each of which numbers its own."""

from __future__ import annotations

import asyncio

import pytest
from doors import opened

from commonplace import AsyncMemory
from commonplace.errors import InputError, RecordNotFoundError
from commonplace.records import Outcome


@pytest.fixture
def lunch(tmp_path):
    """A record of the team's scope, which that scope's only change made."""
    with opened(tmp_path, scope="team") as team:
        return team.remember("Team lunch is at noon.", kind="decision").records[0]


@pytest.fixture
def chained(tmp_path, lunch):
    """A chain whose first scope has two changes of its own."""
    with opened(tmp_path, scope=["u:1", "team"]) as memory:
        memory.remember("Ada lives in Oslo.", kind="decision")
        memory.remember("Ada sails on Sundays.", kind="decision")
        yield memory


def test_what_a_call_returned_is_taken_back_in_the_scope_it_was_made_in(chained, lunch):
    """Bug: `undo(fixed.change)` took back change 2 of the first scope, where `fixed` was change 2 of the second."""
    fixed = chained.remember("Team lunch is at one.", to="team", kind="decision")
    assert (fixed.change, fixed.scope) == (2, "team")
    assert "+- Team lunch is at one." in chained.diff(fixed)
    undone = chained.undo(fixed)
    assert (undone.status, undone.change, undone.scope) == ("applied", 3, "team")
    assert "Team lunch is at one." not in chained.context().stable
    assert "Ada sails on Sundays." in chained.context().stable
    assert chained.undo(undone).status == "applied"
    assert "Team lunch is at one." in chained.context().stable


def test_a_receipt_and_a_change_of_the_log_name_their_scope(chained, lunch):
    receipt = chained.forget("Ada lives in Oslo.")
    assert (receipt.change, receipt.scope) == (3, "u:1")
    assert chained.undo(receipt).scope == "u:1"
    with pytest.raises(InputError, match="this is of scope 'team'"):
        chained.forget(lunch)
    newest = chained.log()[2]
    assert (newest.number, newest.scope) == (2, "u:1")
    assert "Ada sails" in chained.diff(newest)
    assert chained.undo(newest).scope == "u:1"
    assert "Ada sails" not in chained.context().stable


def test_a_number_that_was_given_out_for_two_scopes_is_not_guessed_at(chained, tmp_path, lunch):
    """Bug: as above; whoever kept only the number is told."""
    number = chained.remember("Team lunch is at one.", to="team", kind="decision").change
    for call in (chained.undo, chained.diff):
        with pytest.raises(InputError, match=r"'u:1' and 'team' number their changes each for itself, so 2"):
            call(number)
    assert len(chained.log()) == 2
    assert "Team lunch is at one." in chained.context().stable
    with opened(tmp_path, scope="team") as team:
        assert team.undo(number).status == "applied"


def test_a_number_that_was_given_out_for_another_scope_alone_is_enough(tmp_path, lunch):
    with opened(tmp_path, scope=["u:2", "team"]) as chained:
        number = chained.remember("Team lunch is at one.", to="team", kind="decision").change
        assert chained.undo(number).scope == "team"
        assert chained.read(lunch).text == "Team lunch is at noon."


def test_a_number_is_that_of_the_first_scope_whatever_others_have_done(chained, tmp_path):
    """DESIGN, public names: `memory.undo(change_id)`."""
    with opened(tmp_path, scope="team") as team:
        for word in ("one", "two", "three"):
            team.remember(f"Team lunch has course {word}.", kind="decision")
    assert chained.undo(2).scope == "u:1"
    with pytest.raises(RecordNotFoundError):
        chained.undo(9)


def test_what_made_no_change_or_one_elsewhere_is_bad_input(chained, tmp_path):
    same = chained.remember("Ada lives in Oslo.", kind="decision")
    assert same.change is None
    with pytest.raises(InputError, match="nothing was changed here"):
        chained.undo(same)
    with opened(tmp_path, scope="other") as other:
        elsewhere = other.remember("Far away.", kind="decision")
    with pytest.raises(InputError, match="scope 'other'; open that scope"):
        chained.undo(elsewhere)


def test_what_review_returned_is_of_the_first_scope(chained):
    """`Queue` is of the scope that takes writes, and names none."""
    chained.update("Ada lives in Oslo.", "Ada lives in Bergen.")
    assert chained.undo(Outcome(status="applied", change=3)).scope == "u:1"


def test_the_asynchronous_memory_takes_the_same(tmp_path, lunch):
    async def main():
        async with await AsyncMemory.open(tmp_path, scope=["u:1", "team"], jobs="worker") as memory:
            fixed = await memory.remember("Team lunch is at one.", to="team", kind="decision")
            assert "+- Team lunch is at one." in await memory.diff(fixed)
            return (await memory.undo(fixed)).scope

    assert asyncio.run(main()) == "team"


def test_words_that_two_scopes_hold_are_told_with_their_scopes(chained, tmp_path, lunch):
    """Bug: the advice was to name one by its id, and gave the same id twice."""
    same = chained.remember("Team lunch is at noon.", kind="decision").records[0]
    assert same == lunch
    with pytest.raises(InputError, match=f"open that scope alone: {lunch} of 'u:1', {lunch} of 'team'"):
        chained.forget("Team lunch is at noon.")
    assert chained.forget(lunch).scope == "u:1"
    with opened(tmp_path, scope="team") as team:
        assert team.forget("Team lunch is at noon.").forgotten
