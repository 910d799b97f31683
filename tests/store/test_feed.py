"""Whoever looks at the feed is told of every file that grew, and of few others."""

from __future__ import annotations

import fcntl
import itertools
import os
import random
from contextlib import ExitStack
from pathlib import Path

import pytest
from scopes import line, numbers, open_store

from commonplace.store.files.disk import Disk

PATH = "sessions/one.jsonl"


def test_the_feed_says_look_at_everything_when_it_cannot_know(tmp_path):
    """A lost, shorter, older or foreign feed never hides an append."""
    with open_store(tmp_path) as store:
        store.append(PATH, [line(1)])
        number, _ = store.feed(0)
        assert store.feed(number + 5)[1] is None
        assert store.feed(number - 3)[1] is None
        feed = tmp_path / ".commonplace" / "feed"
        feed.unlink()
        assert store.feed(number)[1] is None
        store.append(PATH, [line(2)])
        again, paths = store.feed(number)
        assert again != number
        assert paths is None
        assert store.feed(again)[1] == ()
        feed.write_bytes(b"feed 12 another-boot\n" + feed.read_bytes().split(b"\n", 1)[1])
        assert store.feed(again)[1] is None
        with open_store(tmp_path) as fresh:
            fresh.append(PATH, [line(3)])
            newest, paths = fresh.feed(again)
            assert paths is None
            assert fresh.feed(newest)[1] == ()


def test_a_reader_begins_a_feed_where_there_is_none_and_looks_at_everything_once(tmp_path):
    """Files that came without our own, or after a new start of the machine: not every question looks at all."""
    with open_store(tmp_path) as store:
        store.append(PATH, [line(1)])
    feed = tmp_path / ".commonplace" / "feed"
    for lost in (None, b"feed 12 another-boot\n"):
        feed.unlink() if lost is None else feed.write_bytes(lost)
        with open_store(tmp_path) as reader, open_store(tmp_path) as writer:
            number, paths = reader.feed(0)
            assert paths is None
            assert reader.feed(number) == (number, ())
            writer.append(PATH, [line(2)])
            assert reader.feed(number)[1] == (PATH,)
    feed.unlink()
    with open_store(tmp_path, read_only=True) as reader:
        assert reader.feed(0) == (0, None)
    assert not feed.exists()


class Reader:
    """Knows of each file what it held when the feed named it last."""

    def __init__(self, store):
        self.store = store
        self.number = 0
        self.known = {}
        self.looks_at_all = 0

    def look(self):
        self.number, named = self.store.feed(self.number)
        self.looks_at_all += named is None
        for path in [stat.path for stat in self.store.list()] if named is None else named:
            self.known[path] = numbers(self.store.read(path).data)


class Interrupted(Disk):
    """Has something else done before and after each of its calls."""

    others = staticmethod(lambda: None)

    def _between(self, call, *args):
        self.others()
        result = call(*args)
        self.others()
        return result

    def write(self, fd, data):
        return self._between(os.write, fd, data)

    def sync(self, fd):
        self._between(os.fdatasync, fd)

    def flock(self, fd, how):
        self._between(fcntl.flock, fd, how)


@pytest.mark.parametrize("seed", range(12))
def test_whoever_looks_after_an_append_finds_it(fast_path, monkeypatch, seed):
    """DESIGN 1: when `append` returns a search finds it, whoever else writes and looks at any moment between."""
    monkeypatch.setattr("commonplace.store.files.feed._LIMIT_BYTES", 700 if seed % 3 else 10**6)
    chance = random.Random(seed)
    disk = Interrupted()
    with ExitStack() as stack:
        stores = [stack.enter_context(open_store(fast_path, disk=disk if each < 2 else Disk())) for each in range(4)]
        quiet, readers = stores[2:], [Reader(store) for store in stores]
        if seed % 2:
            readers.append(Reader(stack.enter_context(open_store(fast_path, read_only=True))))
        acknowledged = {}
        count = itertools.count()

        def append(store, files):
            path, number = f"sessions/{chance.choice(files)}.jsonl", next(count)
            store.append(path, [line(number)], durable=chance.random() < 0.5)
            acknowledged.setdefault(path, set()).add(number)

        def look(reader):
            known = {path: set(each) for path, each in acknowledged.items()}
            reader.look()
            assert all(each <= set(reader.known.get(path, ())) for path, each in known.items())

        def others():  # on files of their own, which nobody waits for
            for _ in range(chance.randrange(3)):
                append(chance.choice(quiet), "xy") if chance.random() < 0.5 else look(chance.choice(readers[2:]))

        append(quiet[0], "abc")
        for _ in range(200):
            disk.others = others
            if chance.random() < 0.6:
                append(chance.choice(stores[:2]), "abc")
            else:
                look(chance.choice(readers))
        disk.others = lambda: None
        for reader in readers:
            look(reader)
        assert len(acknowledged) == 5
        assert all(reader.looks_at_all == 1 or seed % 3 for reader in readers)  # where the feed never began anew


def test_a_file_is_noted_once_until_somebody_looks(tmp_path):
    """Issue 7: what nobody read yet is not said again; a look, of whichever process, is one byte."""
    feed = tmp_path / ".commonplace" / "feed"
    with open_store(tmp_path) as store, open_store(tmp_path) as other:
        store.append(PATH, [line(0)])
        seen, _ = other.feed(0)
        sizes = []
        for each in range(6):
            store.append(f"sessions/{each % 2}.jsonl", [line(each)])
            sizes.append(feed.stat().st_size)
        assert sizes[0] < sizes[1] == sizes[5]
        seen, paths = other.feed(seen)
        assert paths == ("sessions/0.jsonl", "sessions/1.jsonl")
        assert feed.stat().st_size == sizes[5] + 1
        assert other.feed(seen) == (seen, ())
        assert store.feed(store.feed(0)[0])[1] == ()
        assert feed.stat().st_size == sizes[5] + 1
        store.append("sessions/1.jsonl", [line(7)])
        with open_store(tmp_path, read_only=True) as reader:
            size = feed.stat().st_size
            assert [reader.feed(seen)[1] for _ in range(2)] == [("sessions/1.jsonl",)] * 2
            assert feed.stat().st_size == size


@pytest.mark.parametrize("looked", [False, True])
def test_half_a_line_of_a_dead_writer_hides_no_other(tmp_path, looked):
    """Safety notes 2.2: a torn tail costs only itself."""
    with open_store(tmp_path) as store:
        store.append(PATH, [line(0)])
        seen, _ = store.feed(0)
        for each in range(2):
            with (tmp_path / ".commonplace" / "feed").open("ab") as feed:
                feed.write(b"sess")
            if looked:
                seen, _ = store.feed(seen)
            with ExitStack() as opened:
                writer = store if each else opened.enter_context(open_store(tmp_path))
                writer.append(PATH, [line(1)])
            seen, named = store.feed(seen)
            assert PATH in named


def test_a_feed_that_goes_while_it_begins_holds_nobody_up(tmp_path, monkeypatch):
    """Another process takes the feed away when it could not write to it, at any moment."""
    feed = tmp_path / ".commonplace" / "feed"
    with open_store(tmp_path) as store:
        store.append(PATH, [line(0)])
        feed.unlink()
        with monkeypatch.context() as patched:
            patched.setattr(os, "replace", lambda old, new: (Path(old).rename(new), Path(new).unlink()))
            assert store.feed(0)[1] is None
        assert not feed.exists()
        store.append(PATH, [line(1)])
        assert store.feed(0)[1] is None


def test_the_feed_begins_anew_when_it_is_long(tmp_path, monkeypatch):
    """The feed is bounded; readers of the old one look at everything once."""
    monkeypatch.setattr("commonplace.store.files.feed._LIMIT_BYTES", 300)
    with open_store(tmp_path) as store, open_store(tmp_path) as other:
        seen, looked_at_all, noted = 0, 0, 0
        for each in range(100):
            writer = store if each % 3 else other
            path = f"sessions/{each}.jsonl"
            writer.append(path, [line(each)], durable=False)
            seen, paths = store.feed(seen)
            looked_at_all += paths is None
            noted += paths is not None and path in paths
        assert noted + looked_at_all == 100
        assert 2 < looked_at_all < 20
        assert (tmp_path / ".commonplace" / "feed").stat().st_size < 400
