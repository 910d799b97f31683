"""One item among many is found, changed and noticed without reading the others."""

from __future__ import annotations

import json

import pytest
from doors import opened

from commonplace.operations import PutItem, RemoveItem
from inside import scope_of

PATH = "memory/items/semantic.jsonl"


def put(memory, name, text, **data):
    return memory.apply([PutItem(path=PATH, id=name, data={"content": text} | data)], reason="")


def filled(folder, count):
    with opened(folder) as memory:
        found = [PutItem(path=PATH, id=f"n{n}", data={"content": f"fact {n} " + "x" * 200}) for n in range(count)]
        memory.apply(found, reason="")


def read_for_one(folder, monkeypatch, work) -> int:
    """Return how many bytes of the file are read for a second change, when the first has read it."""
    read = 0
    with opened(folder) as memory:
        work(memory, 0)
        store = scope_of(memory).store
        real = type(store).read

        def counting(self, path, start=0, end=None):
            nonlocal read
            blob = real(self, path, start, end)
            read += len(blob.data) if blob is not None and path == PATH else 0
            return blob

        with monkeypatch.context() as patched:
            patched.setattr(type(store), "read", counting)
            work(memory, 1)
    return read


@pytest.mark.slow
@pytest.mark.parametrize("name", ["new", "n3"])
def test_a_change_of_one_item_reads_as_much_of_a_small_file_as_of_a_large_one(tmp_path, monkeypatch, name):
    """Issue 19, bench: one turn with 1k and 100k items; here in bytes read of the file."""
    sizes = []
    for count in (50, 200):
        folder = tmp_path / str(count)
        filled(folder, count)
        sizes.append(read_for_one(folder, monkeypatch, lambda memory, n: put(memory, name, f"said {n}")))
    assert 0 < sizes[0] < 20_000
    assert sizes[1] <= sizes[0] * 1.1


def test_an_upsert_adds_a_line_and_leaves_the_others_as_they_are(tmp_path):
    """Issue 19: `semantic.jsonl` is not rewritten for one upsert."""
    filled(tmp_path, 50)
    before, inode = (tmp_path / PATH).read_bytes(), (tmp_path / PATH).stat().st_ino
    with opened(tmp_path) as memory:
        assert put(memory, "n7", "said anew").status == "applied"
        assert put(memory, "n7", "said anew").status == "duplicate"
    after = (tmp_path / PATH).read_bytes()
    assert after.startswith(before)
    assert (tmp_path / PATH).stat().st_ino == inode
    assert [json.loads(line)["content"] for line in after[len(before) :].splitlines()] == ["said anew"]


def test_two_that_write_the_same_file_see_each_others_items(tmp_path):
    """Issue 19: two processes on one directory."""
    with opened(tmp_path) as one, opened(tmp_path) as other:
        put(one, "a", "first")
        put(other, "b", "second")
        assert put(one, "b", "second").status == "duplicate"
        assert other.apply([RemoveItem(path=PATH, id="a")], reason="").status == "applied"
        assert put(one, "a", "first").status == "applied"
        assert one.log(None)[0].kinds == ("put_item",)
        assert not any("outside" in change.kinds for change in one.log(None))


def test_an_edit_outside_is_noticed_and_logged_with_what_it_replaced(tmp_path):
    """Issue 19, bad input: foreign lines survive; DESIGN 1.1: an edit made outside is noticed and wins."""
    with opened(tmp_path) as memory:
        put(memory, "a", "first words")
        put(memory, "b", "second words")
        text = (tmp_path / PATH).read_text(encoding="utf-8")
        (tmp_path / PATH).write_text(text.replace("first words", "other words") + "{broken\n", encoding="utf-8")
        assert put(memory, "c", "third").status == "applied"
        assert memory.read(f"{PATH}#a").text == "other words"
        outside = next(change for change in memory.log(None) if "outside" in change.kinds)
        assert "-" in outside.diff
        assert "first words" in outside.diff
        assert b"{broken\n" in (tmp_path / PATH).read_bytes()


def test_several_changes_of_one_item_in_one_change_end_as_the_last_says(tmp_path):
    """Issue 19: each operation sees what those before it did."""
    with opened(tmp_path) as memory:
        made = [
            PutItem(path=PATH, id="a", data={"content": "one", "tags": ["x"]}),
            PutItem(path=PATH, id="a", data={"content": "two"}),
            PutItem(path=PATH, id="b", data={"content": "three"}),
            RemoveItem(path=PATH, id="b"),
        ]
        assert memory.apply(made, reason="").status == "applied"
        found = memory.read(f"{PATH}#a")
        assert (found.text, found.data["tags"]) == ("two", ["x"])
        assert memory.undo(memory.log(None)[0].number).status == "applied"
        assert not (tmp_path / PATH).exists() or not (tmp_path / PATH).read_bytes()


@pytest.mark.slow
def test_a_search_takes_in_what_was_added_to_items_without_reading_the_others(tmp_path, monkeypatch):
    """Issue 19: the index learns one item among many from the lines that were added."""

    def written_and_found(memory, number):
        put(memory, "n3", f"the heron number {number} stands in the reeds")
        assert memory.recall(f"heron {number}", layers=["items"])[0].text.startswith(f"the heron number {number}")

    sizes = []
    for count in (50, 200):
        folder = tmp_path / str(count)
        filled(folder, count)
        with opened(folder) as memory:
            memory.recall("heron")
        sizes.append(read_for_one(folder, monkeypatch, written_and_found))
    assert sizes[1] <= sizes[0] * 1.5


def test_a_search_finds_what_items_say_now_and_nothing_that_is_gone(tmp_path):
    """The lines that were added are the index's only news: changed, removed, put back."""
    filled(tmp_path, 30)
    with opened(tmp_path) as memory:
        assert memory.recall("heron") == []
        put(memory, "n3", "a heron in the reeds", tags=["birds"])
        assert [hit.record for hit in memory.recall("heron", layers=["items"])] == [f"{PATH}#n3"]
        put(memory, "n3", "an otter in the reeds")
        assert memory.recall("heron", layers=["items"]) == []
        assert [hit.record for hit in memory.recall("otter", layers=["items"])] == [f"{PATH}#n3"]
        removed = memory.apply([RemoveItem(path=PATH, id="n3")], reason="")
        assert memory.recall("otter", layers=["items"]) == []
        memory.undo(removed)
        assert [hit.record for hit in memory.recall("otter", layers=["items"])] == [f"{PATH}#n3"]
        assert memory.doctor().problems == ()
        memory.reindex()
        assert [hit.record for hit in memory.recall("otter", layers=["items"])] == [f"{PATH}#n3"]
