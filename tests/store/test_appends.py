"""Lines go in at the end, whole, once, whoever else writes."""

from __future__ import annotations

import json
import os
import pathlib
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scopes import line, numbers, open_store

from commonplace.config import StoreConfig
from commonplace.errors import InputError, StoreBusyError
from commonplace.guard.screened import seal
from forking import in_child
from inside import append_within, holds_any
from marking import tries

PATH = "sessions/one.jsonl"


def test_appended_lines_are_read_back_in_order_and_noted_in_the_feed(tmp_path):
    """Issue 2, store on files."""
    with open_store(tmp_path) as store:
        store.append(PATH, [line(1)])
        first, paths = store.appended(None)
        assert paths is None
        store.append(PATH, [line(2)])
        store.append("items/a.jsonl", [line(3)], durable=False)
        second, paths = store.appended(first)
        assert paths == (PATH, "items/a.jsonl")
        store.append(PATH, [line(4)])
        assert numbers(store.read(PATH).data) == [1, 2, 4]
        newest, paths = store.appended(second)
        assert paths == (PATH,)
        assert store.appended(newest) == (newest, ())
        assert set(store.appended(first)[1]) == {PATH, "items/a.jsonl"}


def test_what_is_made_belongs_to_its_owner_alone(tmp_path):
    """Safety notes: key files 0644 in the wild."""
    os.umask(0)
    try:
        with open_store(tmp_path / "scope") as store:
            store.append(PATH, [line(1)])
            store.commit({}, {}, [])
            store.lease("dream", 10)
    finally:
        os.umask(0o022)
    for folder, _, files in os.walk(tmp_path / "scope"):
        assert Path(folder).stat().st_mode & 0o777 == 0o700, folder
        for name in files:
            assert Path(folder, name).stat().st_mode & 0o777 == 0o600, name


def test_a_torn_last_line_costs_only_itself_at_every_byte(fast_path):
    """Safety battery F08; finding 1: the torn tail eats the next acknowledged record."""
    whole = json.dumps({"n": 2, "pad": "é" * 20}, ensure_ascii=False).encode() + b"\n"
    with open_store(fast_path) as store:
        for cut in range(len(whole) + 1):
            path = f"sessions/{cut}.jsonl"
            store.append(path, [line(1)], durable=False)
            with (fast_path / path).open("ab") as file:
                file.write(whole[:cut])
            store.append(path, [line(3)], durable=False)
            # Torn just before its line break, a line is whole all the same.
            kept = [1, 2, 3] if cut >= len(whole) - 1 else [1, 3]
            assert numbers(store.read(path).data) == kept


@pytest.mark.parametrize("tail", [b"\0" * 500, b"{}", b"\xff\xfe", b'{"n": 9}\r', b"x" * 100_000])
def test_a_damaged_tail_stays_one_bad_line(tmp_path, tail):
    """Safety battery F08: NUL tail, glued lines, CRLF."""
    with open_store(tmp_path) as store:
        store.append(PATH, [line(1)])
        with (tmp_path / PATH).open("ab") as file:
            file.write(tail)
        store.append(PATH, [line(2)])
        data = store.read(PATH).data
        assert tail + b"\n" in data
        assert [each for each in numbers(data) if each != 9] == [1, 2]


def test_a_line_break_inside_a_line_is_refused(tmp_path):
    """Each line is given without its newline."""
    with open_store(tmp_path) as store:
        with pytest.raises(InputError):
            store.append(PATH, [line(1), seal("two\nlines")])
        assert store.read(PATH) is None


def test_text_that_was_not_screened_is_refused(tmp_path):
    """DESIGN 1.3: no path can skip the guard."""
    with open_store(tmp_path) as store, pytest.raises(TypeError):
        store.append(PATH, ["plain"])


def test_a_line_over_the_limit_is_refused(tmp_path):
    """Safety battery F20: the line cap names its limit."""
    with open_store(tmp_path, config=StoreConfig(max_line_bytes=100)) as store:
        with pytest.raises(InputError) as caught:
            store.append(PATH, [line(1, 200)])
        assert caught.value.limit_bytes == 100
        assert store.read(PATH) is None


def test_threads_append_side_by_side(fast_path):
    """Safety battery F17: 32 threads."""
    with open_store(fast_path) as store:
        gate = threading.Barrier(32)

        def work(start):
            gate.wait()
            for each in range(10):
                store.append(PATH, [line(start + each)], durable=False)

        threads = [threading.Thread(target=work, args=(10 * i,)) for i in range(32)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(numbers(store.read(PATH).data)) == list(range(320))


def test_read_then_append_is_one_step_inside_locked(fast_path):
    """A session reads its tail, numbers what is new and appends without anybody between."""
    with open_store(fast_path) as store, open_store(fast_path) as other:

        def work(mine):
            for _ in range(25):
                with mine.locked(PATH):
                    found = mine.read(PATH)
                    mine.append(PATH, [line(len(numbers(found.data)) if found else 0)], durable=False)

        threads = [threading.Thread(target=work, args=(mine,)) for mine in (store, other) * 4]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert numbers(store.read(PATH).data) == list(range(200))


def test_locked_is_reentrant_and_leaves_no_empty_file(tmp_path):
    """A session that turns out to have nothing new leaves no trace."""
    with open_store(tmp_path) as store:
        with store.locked(PATH), store.locked(PATH):
            assert (tmp_path / PATH).exists()
        assert not (tmp_path / PATH).exists()
        with store.locked(PATH):
            store.append(PATH, [line(1)])
        assert numbers(store.read(PATH).data) == [1]


def test_a_held_file_makes_others_wait_and_then_say_so(tmp_path):
    """Safety notes 2.3: polled with a deadline."""
    with open_store(tmp_path) as store:
        hasty = open_store(tmp_path, config=StoreConfig(lock_wait_seconds=0.05))
        with store.locked(PATH), pytest.raises(StoreBusyError):
            hasty.append(PATH, [line(1)])
        hasty.append(PATH, [line(1)])
        assert numbers(store.read(PATH).data) == [1]


def test_a_forked_child_with_a_store_of_its_own_waits_for_its_parent(tmp_path):
    """Safety battery F17: no shared locks after a fork."""
    with open_store(tmp_path) as store:
        store.append(PATH, [line(0)])
        with store.locked(PATH):
            status = in_child(lambda: 7 if _is_busy(open_store(tmp_path)) else 0)
            assert os.WEXITSTATUS(status) == 7
            store.append(PATH, [line(1)])
            with pytest.raises(StoreBusyError):  # the child's end did not free the parent's lock
                open_store(tmp_path, config=StoreConfig(lock_wait_seconds=0.02)).append(PATH, [line(9)])
        assert in_child(lambda: open_store(tmp_path).append(PATH, [line(2)]) and 0) == 0
        store.append(PATH, [line(3)])
        assert numbers(store.read(PATH).data) == [0, 1, 2, 3]
        before, _ = store.appended(None)
        store.append(PATH, [line(4)])
        assert store.appended(before)[1] == (PATH,)


def _is_busy(store) -> bool:
    append_within(store, 0.02)
    try:
        store.append(PATH, [line(5)])
    except StoreBusyError:
        return True
    return False


def test_a_file_replaced_or_taken_away_from_outside_is_noticed(tmp_path):
    """An open descriptor is no proof of what stands at the path."""
    with open_store(tmp_path) as store:
        store.append(PATH, [line(1)])
        (tmp_path / "fresh").write_bytes(b'{"n": 10}\n')
        pathlib.Path(tmp_path / "fresh").replace(tmp_path / PATH)
        store.append(PATH, [line(2)])
        assert numbers(store.read(PATH).data) == [10, 2]
        (tmp_path / PATH).unlink()
        store.append(PATH, [line(3)])
        assert numbers(store.read(PATH).data) == [3]
        pathlib.Path(tmp_path / "sessions").rename(tmp_path / "elsewhere")
        store.append(PATH, [line(4)])
        assert numbers(store.read(PATH).data) == [4]


def test_a_reader_gets_part_of_a_file_with_the_version_of_the_whole(tmp_path):
    """DESIGN 5: the version of an append-only file is its length and last line."""
    with open_store(tmp_path) as store:
        store.append(PATH, [line(1), line(2, 9000)])
        whole = store.read(PATH)
        part = store.read(PATH, 3, 10)
        assert part.data == whole.data[3:10]
        assert part.version == whole.version == store.version(PATH)
        assert whole.version.startswith(f"{len(whole.data)}:")
        store.append(PATH, [line(3)])
        assert store.version(PATH) != whole.version


@settings(max_examples=tries(100), deadline=None)
@given(texts=st.lists(st.text(st.characters(exclude_characters="\n"), max_size=40), max_size=6))
def test_any_lines_are_read_back_as_they_were_given(tmp_path_factory, texts):
    """Round trip; a lone surrogate comes back as its escape."""
    with open_store(tmp_path_factory.mktemp("scope")) as store:
        store.append(PATH, [seal(text) for text in texts], durable=False)
        found = store.read(PATH)
        expected = b"".join(text.encode("utf-8", "backslashreplace") + b"\n" for text in texts)
        assert (found.data if found else b"") == expected


def test_a_store_between_two_appends_has_no_file_open(fast_path):
    """Issue 15: open, use, close; a process may serve any number of sessions."""
    with open_store(fast_path) as store:
        for each in range(20):
            store.append(f"sessions/{each}.jsonl", [line(each)], durable=False)
        store.appended(None)
        open_files = [os.path.realpath(link) for link in Path("/proc/self/fd").iterdir()]
    assert [path for path in open_files if path.startswith(str(fast_path))] == []


def test_threads_append_to_many_files_each_line_once(fast_path):
    """Safety battery F17: each file has one writer at a time, whichever thread it is."""
    store = open_store(fast_path)
    failed = []

    def work(first):
        try:
            for each in range(60):
                with store.locked(f"sessions/{(first + each * 7) % 5}.jsonl") as held:
                    held.append([line(first * 1000 + each)], durable=False)
                assert not holds_any(store)
        except BaseException as error:
            failed.append(error)
            raise

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        threads = [threading.Thread(target=work, args=(first,)) for first in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert failed == []
    said = [n for each in range(5) for n in numbers(store.read(f"sessions/{each}.jsonl").data)]
    assert sorted(said) == sorted(first * 1000 + each for first in range(8) for each in range(60))
