"""Memory against a plain model: whatever happens to it in whatever order, both say the same."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections import Counter
from pathlib import Path

import hypothesis.strategies as st
import pytest
from doors import FULL, files, opened, texts, write
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from commonplace import Message
from commonplace.changes.actors import PERSON
from commonplace.errors import CommonplaceError, UndoConflictError
from commonplace.guard import fold
from commonplace.operations import PutTopic, RemoveEntry, RemoveTopic
from commonplace.store.files import replace
from commonplace.store.files.disk import Disk
from commonplace.testing import FixedClock
from forking import in_child
from inside import made_by, scope_of

DOC, FACTS, ITEMS = "memory/MEMORY.md", "memory/facts/user.md", "memory/items/procedural.jsonl"
SEAMS = ("open", "write", "pwrite", "sync", "sync_all", "rename", "exchange", "rename_new", "unlink", "truncate")
TOPICS = [f"memory/{name}.md" for name in "abcd"]
KINDS = {"decision": DOC, "fact": FACTS, "failure": ITEMS}
BLOCK = re.compile(rb"<!-- commonplace:index -->\n.*?<!-- /commonplace:index -->\n", re.DOTALL)
WORDS = st.sampled_from(["tea", "Bern", "the lock", "Zürich", "naïve", "日本語", "a much longer line of words to keep"])
TEXTS = st.builds("{} {}".format, WORDS, st.integers(0, 9))
KIND = st.sampled_from(sorted(KINDS))


class Everything(RuleBasedStateMachine):
    """Adds, replaces, removes, outside edits, kills, undo, reindex, forgetting and approval."""

    @initialize()
    def begin(self):
        shared = Path("/dev/shm")
        self.folder = Path(
            tempfile.mkdtemp(prefix="commonplace-test-", dir=shared if os.access(shared, os.W_OK) else None)
        )
        self.clock = FixedClock("2026-11-20T10:00:00+00:00", step_seconds=1)
        self.memory = opened(self.folder, clock=self.clock)
        self.entries = {DOC: [], FACTS: [], ITEMS: []}
        self.topics = {}
        self.forbidden = Counter()
        self.before = {}  # change: files before it
        self.after = {}
        self.buried = {}  # change: what it forbids, and what it allows again
        self.undoes = {}
        self.untrusted = set()
        self.instants = []
        self.number = 0
        self.said = 0

    def teardown(self):
        if hasattr(self, "memory"):
            try:
                report = self.memory.doctor()
                assert report.problems == ()
                self.memory.reindex()
                for path, kept in self.entries.items():
                    for text in kept[:2]:
                        found = self.memory.recall(text, k=50, layers=("documents", "items"))
                        assert any(hit.text == text for hit in found), (path, text)
            finally:
                self.memory.close()
                shutil.rmtree(self.folder, ignore_errors=True)

    # --- what the model says of a change ---

    def done(self, was, *, buries=(), lifts=(), undoes=None):
        """Note what changes there are by now, the newest with what it did to the files."""
        newest = scope_of(self.memory).store.change_number()
        buries, lifts = list(buries), list(lifts)
        for number in range(self.number + 1, newest + 1):
            self.before[number], self.after[number] = was, files(self.folder)
            self.buried[number] = (Counter(), Counter())
            self.undoes[number] = None
        if newest > self.number:
            self.buried[newest] = (Counter(map(fold, buries)), Counter(map(fold, lifts)))
            self.undoes[newest] = undoes
            self.forbidden += Counter(map(fold, buries))
            self.forbidden -= Counter(map(fold, lifts))
        self.number = newest

    def is_forbidden(self, text):
        return self.forbidden[fold(text)] > 0

    def choose(self, data, *paths):
        kept = [(path, text) for path in paths for text in self.entries[path]]
        return data.draw(st.sampled_from(kept)) if kept else (None, None)

    def id_of(self, path, text):
        return next(r.id for r in scope_of(self.memory).reader.records(path) if r.text == text)

    # --- rules ---

    @rule(text=TEXTS, kind=KIND)
    def add(self, text, kind):
        was, path = files(self.folder), KINDS[kind]
        outcome = self.memory.remember(text, kind=kind)
        if self.is_forbidden(text):
            assert outcome.status == "refused"
            assert "forgotten" in outcome.reason
        elif text in self.entries[path]:
            assert outcome.status == "duplicate"
        else:
            assert outcome.status == "applied"
            self.entries[path].append(text)
        self.done(was)

    @rule(data=st.data(), text=TEXTS)
    def replace(self, data, text):
        path, old = self.choose(data, DOC, FACTS)
        if old is None:
            return
        was = files(self.folder)
        record = self.id_of(path, old)
        outcome = self.memory.update(record, text)
        if text in self.entries[path]:
            assert outcome.status in {"duplicate", "refused"}
        elif self.is_forbidden(text):
            assert outcome.status == "refused"
        else:
            assert outcome.status == "applied"
            self.entries[path][self.entries[path].index(old)] = text
            assert self.memory.read(record).text == text
        self.done(was)

    @rule(data=st.data())
    def remove(self, data):
        path, old = self.choose(data, DOC, FACTS)
        if old is None:
            return
        was, record = files(self.folder), self.id_of(path, old)
        assert self.memory.apply([RemoveEntry(path=path, target=record)], reason="").status == "applied"
        self.entries[path].remove(old)
        with pytest.raises(CommonplaceError):
            self.memory.read(record)
        self.done(was)

    @rule(data=st.data())
    def forget(self, data):
        path, old = self.choose(data, DOC, FACTS, ITEMS)
        if old is None:
            return
        was, record = files(self.folder), self.id_of(path, old)
        reader = scope_of(self.memory).reader  # what the journal keeps of the web goes with what says the same
        journals = sorted(each for each in was if each.startswith("memory/HISTORY-"))
        noted = [each for path in journals for each in reader.visible(reader.records(path)) if each.text == old]
        receipt = self.memory.forget(record)
        assert receipt.forgotten == ((record, old), *((each.id, old) for each in noted))
        self.entries[path].remove(old)
        self.done(was, buries=[old])

    @rule(name=st.sampled_from("abc"), text=TEXTS)
    def put_topic(self, name, text):
        was, path = files(self.folder), f"memory/{name}.md"
        outcome = self.memory.apply([PutTopic(path=path, title=f"On {name}", body=text)], reason="")
        if self.is_forbidden(text) or (self.is_forbidden(f"On {name}\n{text}")):
            assert outcome.status == "refused"
        elif self.topics.get(path) == text:
            assert outcome.status == "duplicate"
        else:
            assert outcome.status == "applied"
            self.topics[path] = text
        self.done(was)

    @precondition(lambda self: self.topics)
    @rule(data=st.data())
    def remove_topic(self, data):
        was, path = files(self.folder), data.draw(st.sampled_from(sorted(self.topics)))
        assert self.memory.apply([RemoveTopic(path=path)], reason="").status == "applied"
        del self.topics[path]
        self.done(was)

    @rule(text=TEXTS, data=st.data(), how=st.sampled_from(["add", "remove", "replace"]))
    def edit_outside(self, text, data, how):
        was = files(self.folder)
        kept = self.entries[DOC]
        body = was.get(DOC, b"# Memory\n").decode()
        if how == "add" and text not in kept:
            body = (
                body.replace("# Memory\n", f"# Memory\n\n- {text}\n", 1)
                if "# Memory\n" in body
                else f"- {text}\n{body}"
            )
            write(self.folder, DOC, body)
            kept.insert(0, text)
        elif how != "add" and kept:
            old = data.draw(st.sampled_from(kept))
            lines = body.split("\n")
            at = lines.index(f"- {old}")
            if how == "remove" or text in kept:
                del lines[at]
                kept.remove(old)
            else:
                lines[at] = f"- {text}"
                kept[kept.index(old)] = text
            write(self.folder, DOC, "\n".join(lines))
        else:
            return
        stands = texts(self.memory, DOC)
        assert sorted(stands) == sorted(kept)
        kept[:] = stands
        self.memory.sync()
        change = self.memory.log(1)[0]
        assert change.actor == "outside"
        self.done(was)

    @precondition(lambda self: self.topics)
    @rule(text=TEXTS, data=st.data(), how=st.sampled_from(["change", "make", "delete"]))
    def edit_topics_outside(self, text, data, how):
        """What a person does to topic files is in the generated index after a sync."""
        was = files(self.folder)
        path = data.draw(st.sampled_from(sorted(self.topics)))
        if how == "delete":
            (self.folder / path).unlink()
            del self.topics[path]
        elif how == "change" and text != self.topics[path]:
            body = was[path].decode()
            write(self.folder, path, body[: body.rindex(self.topics[path])] + text + "\n")
            self.topics[path] = text
        elif how == "make" and "memory/d.md" not in self.topics:
            write(self.folder, "memory/d.md", f"{text}\n")
            self.topics["memory/d.md"] = text
        else:
            return
        self.memory.sync()
        assert self.memory.log(1)[0].actor in {"outside", "upkeep"}
        self.done(was)

    @rule(text=TEXTS, kind=st.sampled_from(["decision", "fact"]), at=st.integers(1, 60))
    def kill_a_writer(self, text, kind, at):
        """A child dies at its n-th step into a file; what it did is whole or nothing."""
        was, path = files(self.folder), KINDS[kind]
        in_child(lambda: self._die_in(text, kind, at))
        self.clock.advance(60)  # the child's clock went on without ours
        now = texts(self.memory, path)
        if now != self.entries[path]:
            assert now == [*self.entries[path], text]
            assert not self.is_forbidden(text)
            self.entries[path].append(text)
        self.done(was)
        assert all(
            change.actor != "outside"
            for change in self.memory.log(1)[: self.memory.log(1) != []]
            if self.before.get(change.number) is was
        )

    def _die_in(self, text, kind, at):
        count = 0

        def counted(name):
            real = getattr(Disk(), name)

            def call(_, *args, **options):
                nonlocal count
                count += 1
                if count == at:
                    os._exit(9)
                return real(*args, **options)

            return call

        for name in SEAMS:
            if hasattr(Disk, name):
                setattr(Disk, name, counted(name))
        opened(self.folder, clock=self.clock).remember(text, kind=kind)

    @precondition(lambda self: self.number)
    @rule(data=st.data())
    def undo(self, data):
        number = data.draw(st.integers(max(1, self.number - 6), self.number))
        was = files(self.folder)
        change = next(c for c in self.memory.log(None) if c.number == number)
        try:
            outcome = self.memory.undo(number)
        except UndoConflictError as error:
            later = next(c for c in self.memory.log(None) if c.number == error.change)
            assert later.number > number
            assert set(later.paths) & set(change.paths)
            assert files(self.folder) == was
            return
        if outcome.status == "refused":  # only a person takes a person's file away
            assert change.actor == "outside"
            assert any(path not in self.before[number] for path in change.paths)
            assert files(self.folder) == was
            return
        if outcome.status == "unchanged":
            assert change.undone_by is not None or "left nothing" in outcome.reason
            assert files(self.folder) == was
            self.done(was)
            return
        now = files(self.folder)
        between = [c for c in self.memory.log(None) if number < c.number < outcome.change]
        for path in {*self.before[number], *self.after[number]}:
            if path not in {p for c in between for p in c.paths}:
                wanted = self.before[number].get(path) if path in change.paths else was.get(path)
                assert without_index(now.get(path)) == without_index(wanted), path
                assert now.get(path) == wanted or any(p in TOPICS for p in change.paths), path
        buries = [] if self.undoes[number] else [a.text for a in self._added(number)]
        plus, minus = self.buried[number]
        self._read_again()
        self.done(was, buries=[*buries, *minus.elements()], lifts=plus.elements(), undoes=number)

    def _added(self, number):
        ledger = scope_of(self.memory).ledger
        ledger.catch_up()
        return made_by(ledger, number)

    def _read_again(self):
        """Take what the files say: what undo must do to them was checked before."""
        for path in self.entries:
            self.entries[path] = texts(self.memory, path)
        records = scope_of(self.memory).reader
        self.topics = {p: records.records(p)[0].body for p in TOPICS if records.records(p)}

    @rule(text=TEXTS, approve=st.booleans())
    def from_the_web(self, text, approve):
        """Text of the web is kept aside, in the journal; a person who says the same has it shown, or does not."""
        if text in self.entries[DOC] or self.is_forbidden(text):
            return
        was = files(self.folder)
        assert self.memory.remember(text, kind="decision", trust="web").status == "applied"
        assert texts(self.memory, DOC) == self.entries[DOC]
        self.done(was)
        was = files(self.folder)
        if approve:
            assert self.memory.remember(text, kind="decision", actor=PERSON).status == "applied"
            self.entries[DOC].append(text)
            self.done(was)

    @rule()
    def say(self):
        self.said += 1
        self.memory.append("chat:1", [Message("user", f"message number {self.said}")])
        assert self.memory.sessions.state("chat:1").messages == self.said

    @rule()
    def reindex(self):
        self.memory.reindex()

    @rule()
    def reopen(self):
        self.memory.close()
        self.memory = opened(self.folder, clock=self.clock)

    @rule()
    def lose_what_is_derived(self):
        """Every index can be deleted."""
        self.memory.close()
        for name in ("seen.sqlite", "index.sqlite"):
            (self.folder / ".commonplace" / name).unlink(missing_ok=True)
        number = self.number
        self.memory = opened(self.folder, clock=self.clock)
        self.memory.sync()
        assert scope_of(self.memory).store.change_number() == number

    @rule()
    def remember_the_moment(self):
        if self.number:
            self.instants.append((self.clock(), files(self.folder)))

    @precondition(lambda self: self.instants)
    @rule(data=st.data())
    def look_back(self, data):
        at, then = data.draw(st.sampled_from(self.instants))
        past = self.memory.at(at)
        store = scope_of(past).store
        assert {s.path: store.read(s.path).data for s in store.list("memory")} == then
        past.close()

    @invariant()
    def the_files_say_what_the_model_says(self):
        if not hasattr(self, "memory"):
            return
        for path, kept in self.entries.items():
            assert texts(self.memory, path) == kept, path
            for record in scope_of(self.memory).reader.records(path):
                assert self.memory.why(record.id).text == record.text
                assert scope_of(self.memory).ledger.current(path).get(record.id) == record.text, record
        for path, body in self.topics.items():
            assert self.memory.read(path).body == body
        index = texts_of_index(files(self.folder).get(DOC, b""))
        assert sorted(index) == sorted(path.removeprefix("memory/") for path in self.topics)


def without_index(data):
    """Give a file without its generated block, which follows the topics, not the bytes before a change."""
    return data and BLOCK.sub(b"", data)


def texts_of_index(data):
    lines = data.decode().split("\n")
    if "<!-- commonplace:index -->" not in lines:
        return []
    inside = lines[lines.index("<!-- commonplace:index -->") + 1 : lines.index("<!-- /commonplace:index -->")]
    return [line.partition("](")[2].partition(")")[0] for line in inside]


@pytest.mark.battery
@pytest.mark.timeout(7200 if FULL else 600)
@pytest.mark.parametrize(
    "runs",
    [1000, 1000] if FULL else [4, pytest.param(60, marks=pytest.mark.slow)],
    ids=["one half", "other half"] if FULL else ["few", "all"],
)
def test_memory_does_what_the_model_does(monkeypatch, runs):
    """Issue 3, safety F29: 4 runs of 30 steps, then 60, 2,000 of 50 in the battery, half of them on each core."""
    monkeypatch.setattr(replace, "QUIET_SECONDS", 0.001)
    from hypothesis.stateful import run_state_machine_as_test

    run_state_machine_as_test(
        Everything,
        settings=settings(
            max_examples=runs,
            stateful_step_count=50 if FULL else 30,
            deadline=None,
            derandomize=not FULL,
            database=None,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.generate, *([Phase.shrink] if FULL else [])],
        ),
    )
