"""Items that grew dead lines are written anew without them, and every change can still be taken back."""

from __future__ import annotations

import pytest
from doors import files, opened, write
from hypothesis import given, settings
from hypothesis import strategies as st

from commonplace.errors import UndoConflictError
from commonplace.layouts.codecs import items
from commonplace.operations import PutItem, RemoveItem
from inside import scope_of
from marking import tries

PATH = "memory/items/semantic.jsonl"


def put(memory, name, text):
    return memory.apply([PutItem(path=PATH, id=name, data={"content": text})], reason="").change


def contents(memory):
    return {record.id.partition("#")[2]: record.text for record in scope_of(memory).reader.records(PATH)}


def test_a_file_with_a_third_of_dead_lines_is_written_anew(tmp_path):
    """Issue 3, DESIGN 5: the last line of an id wins, compaction when a third is dead."""
    own = b'{"id":"own","content":"by hand","odd":1.10}\n{not json\n'
    write(tmp_path, PATH, own)
    with opened(tmp_path) as memory:
        memory.sync()
        for name in "abcdef":
            put(memory, name, f"{name} one")
        for name in "abc":
            put(memory, name, f"{name} two")
        lines = (tmp_path / PATH).read_bytes().splitlines()
        assert len(lines) == 11  # three of eleven are dead
        last = put(memory, "d", "d two")
        data = (tmp_path / PATH).read_bytes()
        assert data.startswith(own)
        assert len(data.splitlines()) == 8
        assert items.read(data).dead == 0
        assert contents(memory) == {"own": "by hand", "e": "e one", "f": "f one"} | {n: f"{n} two" for n in "abcd"}
        memory.forget(f"{PATH}#e")
        assert memory.recall("e one", layers=["items"]) == [] or "e one" not in {h.text for h in memory.recall("e one")}
        assert memory.undo(memory.log()[0].number).status == "applied"
        assert memory.undo(last).status == "applied"
        assert contents(memory)["d"] == "d one"
        assert contents(memory)["e"] == "e one"
        assert [problem.line for problem in memory.doctor().problems] == [2]  # what is no JSON was there before


def test_nothing_is_left_of_a_file_but_what_was_dead(tmp_path):
    with opened(tmp_path) as memory:
        put(memory, "a", "one")
        write(tmp_path, "memory/items/procedural.jsonl", b"")
        memory.sync()
        memory.forget(f"{PATH}#a")
        assert contents(memory) == {}
        put(memory, "b", "two")
        assert len((tmp_path / PATH).read_bytes().splitlines()) == 1
        memory.remember("it failed", kind="failure")
        memory.sync()
        assert [change.kinds for change in memory.log(None) if change.actor == "outside"] == [("outside",)]


def test_a_change_is_taken_back_from_under_a_compaction(tmp_path):
    """What an older change had replaced comes back, though its line was left out since."""
    with opened(tmp_path) as memory:
        for name in "abcd":
            put(memory, name, f"{name} one")
        second = put(memory, "a", "a two")
        put(memory, "b", "b two")
        put(memory, "c", "c two")
        assert b"a one" not in (tmp_path / PATH).read_bytes()
        undo = memory.undo(second).change
        assert contents(memory) == {"a": "a one", "b": "b two", "c": "c two", "d": "d one"}
        memory.undo(undo)
        assert contents(memory)["a"] == "a two"
        third = put(memory, "a", "a three")
        with pytest.raises(UndoConflictError) as caught:
            memory.undo(second)
        assert caught.value.change <= third
        assert contents(memory)["a"] == "a three"


def test_the_undo_of_an_item_names_the_change_that_took_its_place(tmp_path):
    """It had taken out the older line, which nothing shows, and said `applied`."""
    with opened(tmp_path) as memory:
        first = put(memory, "a", "a one")
        put(memory, "b", "b one")
        second = put(memory, "a", "a two")
        put(memory, "c", "c one")
        with pytest.raises(UndoConflictError) as caught:
            memory.undo(first)
        assert caught.value.change == second
        assert contents(memory) == {"a": "a two", "b": "b one", "c": "c one"}


DEEDS = st.lists(
    st.one_of(
        st.tuples(st.just("put"), st.sampled_from("abcd"), st.integers(0, 3)),
        st.tuples(st.just("remove"), st.sampled_from("abcd"), st.just(0)),
        st.tuples(st.just("undo"), st.just(""), st.integers(0, 5)),
    ),
    max_size=20,
)


@pytest.mark.slow
@settings(max_examples=tries(40), deadline=None)
@given(DEEDS)
def test_items_agree_with_a_mapping_through_compactions_and_undos(tmp_path_factory, deeds):
    """An undo changes the items of its change and no other, or says what stands in its way."""
    folder = tmp_path_factory.mktemp("items")
    with opened(folder) as memory:
        model, before, touched = {}, {}, {}
        for deed, name, number in deeds:
            was = dict(model)
            if deed == "put":
                done = memory.apply([PutItem(path=PATH, id=name, data={"content": f"{name}{number}"})], reason="")
                if done.status != "applied":
                    continue
                model[name] = f"{name}{number}"
                change = done.change
            elif deed == "remove":
                if name not in model:
                    continue
                change = memory.apply([RemoveItem(path=PATH, id=name)], reason="").change
                del model[name]
            else:
                log = memory.log(None)
                if number >= len(log):
                    continue
                change = log[number]
                try:
                    done = memory.undo(change.number)
                except UndoConflictError:
                    assert contents(memory) == model
                    continue
                if done.status != "applied":
                    assert contents(memory) == model
                    continue
                for each in touched[change.number]:
                    assert contents(memory).get(each) == before[change.number].get(each)
                model = contents(memory)
                assert {k: v for k, v in model.items() if k not in touched[change.number]} == {
                    k: v for k, v in was.items() if k not in touched[change.number]
                }
                change = done.change
            before[change] = was
            touched[change] = {key for key in {*was, *model} if was.get(key) != model.get(key)}
            assert contents(memory) == model
            data = files(folder).get(PATH, b"")
            assert deed == "undo" or not model or not items.is_due((read := items.read(data)).dead, len(read.lines))
        assert memory.doctor().problems == ()
        number = len(memory.log(None))
    (folder / ".commonplace" / "seen.sqlite").unlink(missing_ok=True)
    with opened(folder) as memory:  # the log alone tells what memory wrote from what a person did
        memory.sync()
        assert len(memory.log(None)) == number
