"""A change is one line in the log and all of its writes, or nothing."""

from __future__ import annotations

import threading
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scopes import ITEMS, A, B, FailingDisk, clock, document, line, numbers, open_store, round_of, state_of

from commonplace.config import StoreConfig
from commonplace.errors import InputError, StoreBusyError, VersionConflictError
from commonplace.guard.screened import seal
from commonplace.store.protocol import MISSING, Append, Delete, Put
from commonplace.text.spans import Keep
from inside import commits_of
from marking import tries

pytestmark = pytest.mark.battery


def test_a_change_replaces_appends_and_deletes_in_one_step(tmp_path):
    """DESIGN 5, store protocol."""
    with open_store(tmp_path) as store:
        first = store.commit({"actor": "agent"}, {"reason": seal("weil")}, round_of(1))
        assert (first.number, first.header["actor"], first.payload["reason"]) == (1, "agent", "weil")
        old = store.read(A)
        store.commit({}, {}, [Put(A, (Keep(0, 2), seal("neu\n"))), Delete(B), Append(ITEMS, (line(2),))],
                     expect={A: old.version, B: store.version(B), "none.md": MISSING})  # fmt: skip
        assert store.read(A).data == b"1\nneu\n"
        assert store.read(B) is None
        assert store.version(B) == MISSING
        assert numbers(store.read(ITEMS).data) == [1, 2]
        assert [each.number for each in store.since(0)] == [1, 2]
        assert [each.number for each in store.since(1)] == [2]
        assert list(store.since(2)) == []
        assert store.change_number() == 2
        assert store.verify_log() == ()


def test_a_stale_version_changes_nothing(tmp_path):
    """DESIGN 5: VersionConflict, never a silent overwrite; also for files that are only read."""
    with open_store(tmp_path) as store:
        store.commit({}, {}, round_of(1))
        stale = {A: store.version(A), ITEMS: store.version(ITEMS)}
        store.append(ITEMS, [line(2)])
        for expect in ({A: MISSING}, {ITEMS: stale[ITEMS]}, {"none.md": "x"}):
            with pytest.raises(VersionConflictError):
                store.commit({}, {}, round_of(2), expect=expect)
        assert state_of(store) == (1, 1, [1, 2])
        assert store.change_number() == 1
        assert not list((tmp_path / "memory").glob(".*"))


def test_a_change_that_is_not_well_formed_is_refused(tmp_path):
    """Typed errors before anything happens."""
    with open_store(tmp_path) as store:
        for writes in ([Put(A, (Keep(0, 1),))], [Delete(A), Put(A, ())], [Append(ITEMS, (seal("a\nb"),))]):
            with pytest.raises(InputError):
                store.commit({}, {}, writes)
        for header in ({"number": 1}, {"prev": "x"}, {"files": []}):
            with pytest.raises(InputError):
                store.commit(header, {}, [])
        with pytest.raises(InputError):
            store.commit({}, {"writes": []}, [])
        for header, payload in (({"a": "not screened; too long " * 9}, {}), ({}, {"text": "über"})):
            with pytest.raises(TypeError):
                store.commit(header, payload, round_of(1))
        assert store.change_number() == 0
        assert store.list() == []


def test_a_commit_inside_locked_is_a_mistake_that_is_named(tmp_path):
    """The scope's lock comes before any file's; the other order could wait for ever."""
    with open_store(tmp_path) as store, store.locked("sessions/a.jsonl"), pytest.raises(RuntimeError):
        store.commit({}, {}, [])


def test_appends_and_commits_to_one_file_keep_both(fast_path):
    """A commit's lines and direct appends share one lock."""
    path = "sessions/a.jsonl"
    with open_store(fast_path) as store, open_store(fast_path) as other:

        def appends():
            for each in range(100):
                other.append(path, [line(1000 + each)], durable=False)

        thread = threading.Thread(target=appends)
        thread.start()
        for each in range(100):
            store.commit({}, {}, [Append(path, (line(each),))], durable=False)
        thread.join()
        found = numbers(store.read(path).data)
        assert [n for n in found if n < 1000] == list(range(100))
        assert [n for n in found if n >= 1000] == list(range(1000, 1100))


def test_a_compacted_file_of_lines_keeps_what_is_appended_meanwhile(fast_path):
    """Compaction replaces the file under appenders that hold it open; none of their lines is lost."""
    with open_store(fast_path) as store, open_store(fast_path) as other:
        store.append(ITEMS, [line(0)])

        def appends():
            for each in range(1, 200):
                other.append(ITEMS, [line(each)], durable=False)

        thread = threading.Thread(target=appends)
        thread.start()
        refused = 0
        while thread.is_alive():
            old = store.read(ITEMS)
            try:
                store.commit(
                    {}, {}, [Put(ITEMS, (Keep(0, len(old.data)),))], expect={ITEMS: old.version}, durable=False
                )
            except VersionConflictError:
                refused += 1
        thread.join()
        assert numbers(store.read(ITEMS).data) == list(range(200))


def test_threads_and_stores_commit_in_a_row(fast_path):
    """Safety battery F17: 32 threads, consecutive numbers."""
    with open_store(fast_path) as one, open_store(fast_path) as two:

        def work(store):
            for _ in range(4):
                store.commit({}, {}, [Append(ITEMS, (line(1),))], durable=False)

        threads = [threading.Thread(target=work, args=(store,)) for store in (one, two) * 16]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [each.number for each in one.since(0)] == list(range(1, 129))
        assert two.verify_log() == ()


def test_a_busy_scope_is_named_after_the_wait(tmp_path):
    """Safety notes 2.3: polled, then StoreBusyError; a reader does not wait for the writer of one file."""
    with open_store(tmp_path) as store:
        store.commit({}, {}, round_of(1))
        hasty = open_store(tmp_path, config=StoreConfig(lock_wait_seconds=0.05))
        with commits_of(store).locked():
            with pytest.raises(StoreBusyError):
                hasty.commit({}, {}, round_of(2))
            assert state_of(hasty) == (1, 1, [1])


def test_readers_beside_a_writer_that_stopped_in_a_commit_see_its_change_whole(tmp_path):
    """DESIGN 6, issue 23: once it is logged a change is done; nobody waits for its writer, or sees half of it."""
    half, go_on = threading.Event(), threading.Event()
    disk = FailingDisk(0, None)
    with open_store(tmp_path, disk=disk) as writer, open_store(tmp_path) as reader:
        writer.commit({}, {}, round_of(1))
        real = disk.exchange

        def stops_once(*args, **options):
            result = real(*args, **options)
            half.set()
            go_on.wait(60)
            return result

        disk.exchange = stops_once
        committing = threading.Thread(target=writer.commit, args=({}, {}, round_of(2)))
        committing.start()
        assert half.wait(60)
        assert state_of(reader) == (2, 2, [1, 2])
        assert reader.read(B).data.startswith(b"2\n")
        assert not (tmp_path / B).read_bytes().startswith(b"2\n")
        assert reader.change_number() == 2
        assert [each.number for each in reader.since(1)] == [2]
        go_on.set()
        committing.join()
        assert state_of(reader) == (2, 2, [1, 2])


def test_the_log_goes_on_in_a_new_file_each_month(tmp_path):
    """DESIGN 5: monthly JSONL; a clock that goes back does not reorder it."""
    now = [clock()]
    with open_store(tmp_path, clock=lambda: now[0]) as store:
        for step in (0, 40, -100, 80, -365):
            now[0] += timedelta(days=step)
            store.commit({}, {}, [Append(ITEMS, (line(1),))])
        assert sorted(path.name for path in (tmp_path / ".commonplace" / "log").iterdir()) == [
            "2026-11.jsonl", "2026-12.jsonl",
        ]  # fmt: skip
        assert [each.number for each in store.since(0)] == [1, 2, 3, 4, 5]
        assert [each.number for each in store.since(1)] == [2, 3, 4, 5]
        assert store.verify_log() == ()
    with open_store(tmp_path) as store:
        assert store.commit({}, {}, []).number == 6
        assert store.verify_log() == ()


def test_any_change_can_be_found_in_a_long_log(fast_path):
    """`since` halves the file instead of reading it from the start."""
    with open_store(fast_path) as store:
        for each in range(1, 161):
            store.commit({}, {"text": seal("z" * (each * 37 % 3000))}, [], durable=False)
        for number in (0, 1, 2, 63, 64, 65, 120, 158, 159):
            assert [each.number for each in store.since(number)] == list(range(number + 1, 161))
        assert list(store.since(160)) == list(store.since(999)) == []


def test_a_checkpoint_moves_by_count_and_at_closing(tmp_path):
    """DESIGN 5: every 100 changes or 5 s."""
    config = StoreConfig(checkpoint_changes=10, checkpoint_seconds=9999)
    with open_store(tmp_path, config=config) as store:
        seen = []
        for each in range(1, 26):
            store.commit({}, {}, [Append(ITEMS, (line(each),))], durable=False)
            seen.append(commits_of(store).state.checkpoint().number)
        assert seen == [0] * 9 + [10] * 10 + [20] * 6
    assert commits_of(store).state.checkpoint().number == 25
    with open_store(tmp_path, config=StoreConfig(checkpoint_seconds=0)) as store:
        store.commit({}, {}, [])
        assert commits_of(store).state.checkpoint().number == 26


def test_an_erased_change_keeps_its_header_and_its_place(tmp_path):
    """DESIGN 5: erase replaces payloads only, so the chain verifies."""
    with open_store(tmp_path) as store:
        for each in range(1, 4):
            store.commit({"actor": "user"}, {"reason": seal(f"marker-{each}")}, [Put(A, (document(each),))])
        other = open_store(tmp_path)
        assert other.change_number() == 3
        for _ in range(2):
            store.erase({2: {"reason": "left"}, 99: {}}, lambda _, data: data)
            assert [each.erased for each in other.since(0)] == [False, True, False]
            assert [each.payload.get("kept") for each in other.since(0)] == [None, {"reason": "left"}, None]
        assert other.commit({}, {}, []).number == 4
        assert store.verify_log() == ()
        log = (tmp_path / ".commonplace" / "log" / "2026-11.jsonl").read_bytes()
        assert b"marker-2" not in log
        assert log.count(b"marker") == 2


def test_a_store_that_only_reads_leaves_no_trace(tmp_path):
    """Reading a folder that is nobody's store yet writes nothing."""
    (tmp_path / "MEMORY.md").write_bytes(b"by hand\n")
    with open_store(tmp_path) as store:
        assert store.read("MEMORY.md").data == b"by hand\n"
        assert [stat.path for stat in store.list()] == ["MEMORY.md"]
        assert store.read("none.md") is None
        assert (store.change_number(), list(store.since(0)), store.verify_log(), store.conflicts()) == (0, [], (), ())
    assert [path.name for path in tmp_path.iterdir()] == ["MEMORY.md"]


def test_bytes_that_are_no_utf_8_are_kept_as_they_are(tmp_path):
    """Safety battery F09: byte-identical round trip of untouched parts."""
    raw = b"\xff\xfe ok \xe9\n" + bytes(range(256)) + b"\n"
    (tmp_path / "x.md").write_bytes(raw)
    with open_store(tmp_path) as store:
        store.commit({}, {}, [Put("x.md", (Keep(0, len(raw)), seal("neu\n")))])
        assert store.read("x.md").data == raw + b"neu\n"
        text = raw.decode("utf-8", "surrogateescape")
        store.commit({}, {}, [Put("y.md", (seal(text),))])
        assert store.read("y.md").data == raw
        assert next(iter(store.since(1))).payload["writes"] == [[text]]
        assert store.verify_log() == ()


pieces = st.lists(
    st.one_of(st.tuples(st.integers(0, 60), st.integers(0, 60)), st.text(st.characters(codec="utf-8"), max_size=12)),
    max_size=6,
)


@settings(max_examples=tries(100), deadline=None)
@given(base=st.binary(max_size=60), edits=st.lists(pieces, max_size=4))
def test_any_pieces_make_what_they_say_and_the_log_can_make_it_again(tmp_path_factory, base, edits):
    """Round trip: replaying the log over the first bytes gives the last."""
    root = tmp_path_factory.mktemp("scope")
    (root / "x.md").write_bytes(base)
    from commonplace.store.files.changelog import render

    with open_store(root) as store:
        data = replayed = base
        for edit in edits:
            made = [
                seal(each) if isinstance(each, str) else Keep(min(*each, len(data)), min(max(each), len(data)))
                for each in edit
            ]
            expected = b"".join(data[p.start : p.end] if isinstance(p, Keep) else p.text.encode() for p in made)
            logged = store.commit({}, {}, [Put("x.md", tuple(made))], durable=False)
            replayed = render(logged.payload["writes"][0], replayed)
            assert store.read("x.md").data == expected == replayed
            data = expected
        assert store.verify_log() == ()
