"""`undo` without a number: the last change, once a person agreed on a terminal."""

import pytest

from commonplace import Memory
from marking import slow_after
from terminals import on_terminal


@pytest.mark.parametrize(
    ("answer", "left"), slow_after(1, [(b"y\n", ["Tea is green."]), (b"n\n", ["Tea is green.", "The gate is red."])])
)
def test_it_names_the_last_change_and_asks(tmp_path, answer, left):
    with Memory.open(tmp_path, jobs="worker") as memory:
        memory.remember("Tea is green.")
        memory.remember("The gate is red.")
    shown, _ = on_terminal(["undo", "--location", str(tmp_path)], answer)
    assert "change 2" in shown
    with Memory.open(tmp_path, jobs="worker") as memory:
        assert sorted(hit.text for hit in memory.recall("tea or gate")) == left


def test_without_a_terminal_it_names_the_number_to_give(run):
    """Issue 17: it only said that an argument was missing."""
    assert "nothing to undo" in run("undo").err
    run("remember", "The gate is red.")
    assert "'abc' is not a whole number." in run("undo", "abc").err
    refused = run("undo")
    assert refused.code == 2
    assert "`undo 1`" in refused.err


def test_the_log_and_the_undo_lead_with_a_change_of_memory(run):
    """Found in use: after a session's end both began with "window end"."""
    run("remember", "The gate is red.")
    run("record", "-s", "c:1", "Hello.")
    run("end", "c:1")
    run("remember", "The password is hunter2hunter2.")  # refused
    listed = run("log")
    assert "window" not in listed.out
    assert "left out" in listed.err
    assert "window" in run("log", "--all").out
    assert "`undo 1`" in run("undo").err


def test_a_request_to_forget_says_that_it_made_no_new_record(run):
    """Found in use: `no record came of it` was all that the first line said of a removal."""
    for said in ("I'm pregnant.", "Forget that I'm pregnant."):
        run("record", said)
        done = run("consolidate")
    assert done.out.startswith("applied: no new record\n")
    assert "asked to forget 1 record, taken out" in done.out
