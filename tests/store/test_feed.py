"""Whoever looks at the feed is told of every file that grew, and of few others."""

from __future__ import annotations

import errno
import fcntl
import itertools
import os
import random
from contextlib import ExitStack

import pytest
from scopes import line, numbers, open_store

from commonplace.store.files.disk import Disk
from marking import slow_after

PATH = "sessions/one.jsonl"


def test_a_reader_looks_at_everything_when_the_feed_cannot_know(tmp_path):
    """A feed that is lost, shorter, begun anew or not there never hides an append."""
    feed = tmp_path / ".commonplace" / "feed"
    with open_store(tmp_path) as store:
        store.append(PATH, [line(1)])
        mark, paths = store.appended(None)
        assert paths is None
        assert store.appended(mark) == (mark, ())
        kept = feed.read_bytes()
        for changed in (b"", kept[:-3], kept[::-1]):
            feed.write_bytes(changed)
            assert store.appended(mark)[1] is None
        feed.unlink()
        again, paths = store.appended(mark)
        assert paths is None
        assert store.appended(again) == (again, ())
        store.append(PATH, [line(2)])
        assert store.appended(again)[1] == (PATH,)
        feed.unlink()
        store.append(PATH, [line(3)])
        assert store.appended(again)[1] is None
    feed.unlink()
    with open_store(tmp_path, read_only=True) as reader:
        assert reader.appended(None) == (None, None)
    assert not feed.exists()


class Reader:
    """Knows of each file what it held when the feed named it last."""

    def __init__(self, store):
        self.store = store
        self.mark = None
        self.known = {}
        self.looks_at_all = 0

    def look(self):
        self.mark, named = self.store.appended(self.mark)
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


@pytest.mark.parametrize("seed", slow_after(1, range(12)))
def test_whoever_looks_after_an_append_finds_it(fast_path, monkeypatch, seed):
    """DESIGN 1: when `append` returns a search finds it, whoever else writes and looks at any moment between."""
    monkeypatch.setattr("commonplace.store.files.feed.LIMIT_BYTES", 700 if seed % 3 else 10**6)
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
        for _ in range(100):
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


@pytest.mark.parametrize("looked", [False, True])
def test_half_a_line_of_a_dead_writer_hides_no_other(tmp_path, looked):
    """Safety notes 2.2: a torn tail costs only itself."""
    with open_store(tmp_path) as store:
        store.append(PATH, [line(0)])
        mark, _ = store.appended(None)
        for _ in range(2):
            with (tmp_path / ".commonplace" / "feed").open("ab") as feed:
                feed.write(b"\n0123456789ab sess")
            if looked:
                mark, _ = store.appended(mark)
            store.append(PATH, [line(1)])
            mark, named = store.appended(mark)
            assert PATH in named


def test_a_feed_that_cannot_be_written_is_taken_away(tmp_path):
    """An append that is not noted must not be hidden: whoever asks looks at everything."""
    store = open_store(tmp_path, disk=NoFeed())
    store.append(PATH, [line(0)])
    with open_store(tmp_path) as other:
        other.append(PATH, [line(1)])
        mark, _ = other.appended(None)
        store.append(PATH, [line(2)])
        assert other.appended(mark)[1] is None
        assert numbers(other.read(PATH).data) == [0, 1, 2]


class NoFeed(Disk):
    def open(self, path, flags, mode=0o600, *, dir_fd=None):
        if path.endswith("/feed"):
            raise OSError(errno.ENOSPC, "full", path)
        return super().open(path, flags, mode, dir_fd=dir_fd)


def test_a_long_feed_begins_anew(tmp_path, monkeypatch):
    """The feed is bounded; readers of the old one look at everything once."""
    monkeypatch.setattr("commonplace.store.files.feed.LIMIT_BYTES", 300)
    with open_store(tmp_path) as store, open_store(tmp_path) as other:
        mark, looked_at_all, noted = None, 0, 0
        for each in range(100):
            writer = store if each % 3 else other
            path = f"sessions/{each}.jsonl"
            writer.append(path, [line(each)], durable=False)
            mark, paths = store.appended(mark)
            looked_at_all += paths is None
            noted += paths is not None and path in paths
        assert noted + looked_at_all == 100
        assert 2 < looked_at_all < 25
        feed = tmp_path / ".commonplace" / "feed"
        assert not feed.exists() or feed.stat().st_size < 400
