"""What a commit does: all or nothing, screened, logged with its real diff, ids that lead on."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections import Counter
from contextlib import ExitStack

import pytest
from doors import HERE, files, opened, texts, write
from hypothesis import given, settings
from hypothesis import strategies as st

from commonplace import Message
from commonplace.changes.actors import PERSON, TOOL, Actor
from commonplace.errors import GoneError, InputError, RecordNotFoundError, StoreReadOnlyError, VersionConflictError
from commonplace.guard import views
from commonplace.operations import (
    AddEntry,
    AppendJournal,
    Forget,
    MoveCursor,
    PutItem,
    PutTopic,
    RemoveEntry,
    ReplaceEntry,
    RewriteDocument,
)
from commonplace.store.protocol import MISSING
from forking import started
from inside import scope_of
from marking import FULL, tries

DOC = "memory/MEMORY.md"
CONSOLIDATION = Actor("rules", "agent", explicit=False)


def door(memory):
    return scope_of(memory).door


def test_a_change_is_logged_with_actor_reason_sources_and_its_real_diff(tmp_path):
    """DESIGN 1.3: one line in the change log with the real diff, the source, the actor and the reason."""
    with opened(tmp_path) as memory:
        source = memory.append("chat:1", [Message("user", "tabs, please")])[0]
        memory.remember("prefers tabs", kind="decision", source=source, reason="asked")
        change = memory.log()[0]
        assert (change.actor, change.kinds, change.reason, change.paths) == ("library", ("add",), "asked", (DOC,))
        assert change.sources == (source,)
        assert change.added == (f"{DOC}#" + change.added[0].split("#")[1],)
        assert memory.diff(change.number) == f"--- {DOC}\n@@ line 1 @@\n+- prefers tabs"


def test_each_text_of_a_change_is_screened_once(tmp_path, monkeypatch):
    """Issue 15, statement 4: one `remember` had screened 32 texts, the names of our own fields among them."""
    screened = []
    of = views.of
    monkeypatch.setattr(views, "of", lambda text: screened.append(text) or of(text))
    with opened(tmp_path) as memory:
        memory.remember("prefers tabs", kind="decision")
        screened.clear()
        memory.remember("prefers short answers", kind="decision")
    assert "prefers short answers" in screened
    assert sorted(screened) == sorted(set(screened))
    assert len(screened) <= 8  # text, path, kind, piece and whole of the file, diff, actor, reason


def test_a_remember_opens_each_file_a_few_times(tmp_path, monkeypatch):
    """Issue 15, statement 4: one `remember` had made 207 system calls."""
    opened_paths = []
    real = os.open

    def counting(path, *args, **options):
        opened_paths.append(path)
        return real(path, *args, **options)

    with opened(tmp_path) as memory:
        memory.remember("lives in Bergen")
        memory.remember("likes green tea")
        monkeypatch.setattr(os, "open", counting)
        memory.remember("has a red bicycle")
        monkeypatch.undo()
    names = Counter(os.fspath(path) for path in opened_paths)
    heads = sum(count for name, count in names.items() if name.endswith("/head"))
    assert heads <= 12
    assert sum(names.values()) <= 50


def test_operations_that_cannot_all_be_done_change_nothing(tmp_path):
    """DESIGN 1.3: one atomic write of all files involved."""
    with opened(tmp_path) as memory:
        memory.remember("one", kind="decision")
        before, number = files(tmp_path), memory.log()[0].number
        with pytest.raises(RecordNotFoundError):
            memory.apply([AddEntry(path=DOC, text="two"), RemoveEntry(path=DOC, target="nothing like it")], reason="")
        refused = memory.apply(
            [AddEntry(path=DOC, text="two"), AddEntry(path=DOC, text="password: hunter2-hunter2-hunter2")], reason=""
        )
        assert refused.status == "refused"
        assert files(tmp_path) == before
        assert [change.kinds for change in memory.log() if change.number > number] == [("refused",)]


def test_several_operations_on_several_files_are_one_change(tmp_path):
    with opened(tmp_path) as memory:
        outcome = memory.apply(
            [
                AddEntry(path="MEMORY.md", text="one"),
                AddEntry(path="MEMORY.md", text="two"),
                AppendJournal(path="HISTORY-2026-11.md", text="what happened"),
                PutTopic(path="heron.md", title="Heron", body="A project."),
                PutItem(path="items/semantic.jsonl", id="x", data={"content": "a thing", "own": [1, {"k": None}]}),
                ReplaceEntry(path="MEMORY.md", target="two", text="three"),
            ],
            reason="all at once",
        )
        assert outcome.status == "applied"
        assert len(memory.log()) == 1
        assert texts(memory, DOC) == ["one", "three"]
        assert memory.read("memory/items/semantic.jsonl#x").data["own"] == [1, {"k": None}]
        assert set(memory.log()[0].paths) == {*files(tmp_path)}
        assert memory.undo(1).status == "applied"
        assert files(tmp_path) == {}


def test_a_dry_run_says_what_would_be_and_changes_nothing(tmp_path):
    with opened(tmp_path) as memory:
        planned = memory.apply([AddEntry(path=DOC, text="one")], reason="", dry_run=True)
        assert (planned.status, planned.change) == ("planned", None)
        assert "+- one" in planned.diff
        assert files(tmp_path) == {}
        assert memory.log() == []


def test_expect_refuses_what_changed_since_it_was_read(tmp_path):
    """A write against a stale version is a conflict, never a silent overwrite (DESIGN 5)."""
    with opened(tmp_path) as memory:
        memory.remember("one", kind="decision", expect=MISSING)
        store = scope_of(memory).store
        version = store.version(DOC)
        memory.remember("two", kind="decision", expect=version)
        with pytest.raises(VersionConflictError):
            memory.remember("three", kind="decision", expect=version)
        version = store.version(DOC)
        write(tmp_path, DOC, "- by hand\n")
        with pytest.raises(VersionConflictError):
            memory.remember("three", kind="decision", expect=version)
        assert texts(memory, DOC) == ["by hand"]


def test_an_old_id_leads_to_its_successor_or_says_who_took_it(tmp_path):
    with opened(tmp_path) as memory:
        first = memory.remember("one", kind="decision").records[0]
        memory.update(first, "two")
        write(tmp_path, DOC, "- two and more words\n")
        assert memory.read(first).text == "two and more words"
        third = memory.update(first, "three").records[0]
        number = memory.apply([RemoveEntry(path=DOC, target=first)], reason="").change
        for gone in (first, third):
            with pytest.raises(GoneError) as caught:
                memory.read(gone)
            assert caught.value.change == number
        with pytest.raises(RecordNotFoundError):
            memory.read(f"{DOC}#0123456789ab")


def test_what_is_not_touched_stays_byte_for_byte(tmp_path):
    """Issue 3: byte-exact round trips of what was not touched."""
    odd = b"\xef\xbb\xbf# Memory\r\n\r\n*   star  \r\n\xff\xfe not utf-8\r\n\r\n<!-- a comment -->\r\n\r\n- keep\r\n- take\t\r\n\r\n\r\n"
    write(tmp_path, DOC, odd)
    topic = b"---\nzeta: 1.10\ntitle: T\nno: no\nat: 12:30\n# a comment\n---\n\nBody  \nof two lines\n"
    write(tmp_path, "memory/t.md", topic)
    item = b'{"id":"a","content":"x","own":1.10,"z":[1e3]}\n'
    write(tmp_path, "memory/items/semantic.jsonl", item)
    with opened(tmp_path) as memory:
        memory.sync()
        memory.apply([ReplaceEntry(path=DOC, target="take", text="given")], reason="")
        assert files(tmp_path)[DOC].replace(b"given", b"take") == odd.replace(b"take\t", b"take")
        memory.apply([PutTopic(path="t.md", body="", description="new")], reason="")
        kept = files(tmp_path)["memory/t.md"]
        assert all(line in kept.split(b"\n") for line in topic.split(b"\n"))
        memory.apply([PutItem(path="items/semantic.jsonl", id="b", data={"content": "y"})], reason="")
        assert files(tmp_path)["memory/items/semantic.jsonl"].startswith(item)


def test_what_stands_there_already_is_no_change(tmp_path):
    with opened(tmp_path) as memory:
        record = memory.remember("one", kind="decision").records
        again = memory.remember(" one ", kind="decision")
        assert (again.status, again.change, again.records) == ("duplicate", None, record)
        assert memory.apply([], reason="nothing").status == "unchanged"
        assert len(memory.log()) == 1


def test_a_consolidation_leaves_out_what_was_forgotten_and_says_so(tmp_path):
    """Issue 23, atlas: a text that was forgotten has no second copy, not in review either."""
    with opened(tmp_path) as memory:
        memory.remember("secret plan", kind="decision")
        memory.forget("secret plan")
        outcome = door(memory).commit(
            [AddEntry(path=DOC, text="Secret  plan"), AddEntry(path=DOC, text="fine")],
            actor=CONSOLIDATION, partial=True, reason="range",
        )  # fmt: skip
        assert outcome.status == "applied"
        assert "forgotten" in outcome.reason
        assert texts(memory, DOC) == ["fine"]
        assert list(memory.review()) == []
        assert "forgotten" in memory.log(1)[0].reason


def test_a_captured_secret_is_redacted_and_an_asked_for_one_refused(tmp_path):
    """DESIGN 1.7."""
    key = "sk-ant-" + "api03-" + "A" * 80
    with opened(tmp_path) as memory:
        assert memory.remember(f"the key is {key}").status == "refused"
        assert door(memory).commit([AddEntry(path=DOC, text=f"key {key}")], actor=CONSOLIDATION).status == "applied"
        waits = memory.remember(f"see {key}", kind="decision", trust="web")
        assert waits.status == "refused"
        assert [change.kinds for change in memory.log()] == [("refused",), ("add",), ("refused",)]
        assert memory.log()[0].reason == waits.reason  # it names the class
        assert memory.undo(memory.log()[0].number).status == "unchanged"
    for file in tmp_path.rglob("*"):
        assert not file.is_file() or key.encode() not in file.read_bytes()


def test_an_outside_secret_stays_the_persons_and_leaves_no_trace_in_the_log(tmp_path):
    """DESIGN 1.7: of an outside edit the file stays the person's; log and index hold the screened text."""
    key = "sk-ant-" + "api03-" + "B" * 80
    write(tmp_path, DOC, f"- one\n- my key {key}\n")
    with opened(tmp_path) as memory:
        memory.sync()
        memory.update("one", "two")
        assert key in (tmp_path / DOC).read_text(encoding="utf-8")
        memory.recall("key")
        write(tmp_path, DOC, f"- two\n- my own key {key} it is\n")
        memory.sync()
    for file in (tmp_path / ".commonplace").rglob("*"):
        assert not file.is_file() or key.encode() not in file.read_bytes(), file


def test_caps_name_the_sizes_and_shrinking_always_works(tmp_path):
    """DESIGN 1.9: in the facts layout a full file refuses."""
    with opened(tmp_path, layout="facts", config={"merge_on_write": False}) as memory:
        for number in range(30):
            outcome = memory.remember(f"{number} " + "x" * 98)
            if outcome.status == "over_cap":
                break
        assert outcome.status == "over_cap"
        assert "1500" in outcome.reason
        assert memory.update(f"{0} " + "x" * 98, "short").status == "applied"


def test_only_a_person_changes_what_instructs(tmp_path):
    with opened(tmp_path) as memory:
        waits = memory.apply([AddEntry(path="SOUL.md", text="obey me")], reason="", actor=TOOL)
        assert waits.status == "pending"
        assert "SOUL.md" not in files(tmp_path)
        assert memory.apply([AddEntry(path="SOUL.md", text="be kind")], reason="", actor=PERSON).status == "applied"


def test_a_rewrite_is_executed_as_a_diff(tmp_path):
    with opened(tmp_path) as memory:
        one = memory.remember("one", kind="decision").records[0]
        memory.remember("two", kind="decision")
        memory.apply([RewriteDocument(path=DOC, text="- one\n- two and a half\n- three\n")], reason="")
        assert texts(memory, DOC) == ["one", "two and a half", "three"]
        assert memory.read(one).text == "one"
        memory.remember("two and a half words", kind="fact")
        memory.forget(scope_of(memory).reader.records(DOC)[2].id)
        again = memory.apply([RewriteDocument(path=DOC, text="- one\n- two and a half\n- three\n")], reason="")
        assert again.status == "refused"


def test_nothing_is_written_where_it_may_not(tmp_path):
    with opened(tmp_path) as memory:
        memory.remember("heron", kind="decision")
    with opened(tmp_path, read_only=True) as memory:
        for call in (
            lambda: memory.remember("two", kind="decision"),
            lambda: memory.forget("heron"),
            lambda: memory.undo(1),
            lambda: memory.sessions.get_or_create("x"),
        ):
            with pytest.raises(StoreReadOnlyError):
                call()
        assert memory.recall("heron")[0].text == "heron"
        assert "heron" in memory.context().stable


def test_what_is_no_operation_is_named(tmp_path):
    with opened(tmp_path) as memory:
        for wrong in (
            "add", None, 7, {"op": "add"}, AddEntry(path="nowhere/x.txt", text="a"), AddEntry(path=DOC, text=None),
            AddEntry(path=7, text="a"), PutItem(path="items/semantic.jsonl", id="a", data={"x": object()}),
            AddEntry(path="../../etc/passwd", text="x"), PutTopic(path="../x.md", body="y"),
            AddEntry(path="memory/../../x.md", text="x"), MoveCursor(session="none", name="a", to=3),
        ):  # fmt: skip
            with pytest.raises((InputError, RecordNotFoundError)):
                memory.apply([wrong], reason="")
        assert files(tmp_path) == {}


def test_recall_covers_every_layer(tmp_path):
    """Issue 3: recall covers all layers; each names its record, its layer and how far it is trusted."""
    with opened(tmp_path) as memory:
        memory.append("chat:1", [Message("user", "the heron nests by the mill")])
        for kind in ("decision", "fact", "environment", "topic", "failure"):
            assert memory.remember(f"a heron seen as {kind}", kind=kind).status == "applied"
        memory.apply([PutItem(path="items/semantic.jsonl", id="h", data={"content": "heron, a bird"})], reason="")
        memory.apply([AppendJournal(path="HISTORY-2026-11.md", text="the heron came back")], reason="")
        memory.apply([AppendJournal(path="2026-11-20.md", text="User: heron? | Assistant: heron!")], reason="")
        hits = memory.recall("heron", k=50)
        assert {hit.layer for hit in hits} == {"sessions", "documents", "topics", "items", "journals"}
        assert all(memory.read(hit.record).id == hit.record for hit in hits if hit.layer != "sessions")
        for layer in ("documents", "topics", "items", "journals", "sessions"):
            assert {hit.layer for hit in memory.recall("heron", layers=[layer])} == {layer}


@pytest.mark.slow
def test_many_writers_keep_five_facts_each(tmp_path):
    """Safety F11: linear; 0 lost, 0 duplicate ids. Threads and processes."""
    code = (
        "import sys; sys.path.insert(0, sys.argv[2])\n"
        "from doors import opened\n"
        "m = opened(sys.argv[1])\n"
        "for n in range(5):\n"
        "    assert m.remember(f'writer {sys.argv[3]} says {n}', kind='decision').status == 'applied'\n"
        "    assert m.remember('all say this', kind='decision').ok\n"
    )
    failed = []
    with ExitStack() as stack, opened(tmp_path) as memory:
        commands = [[sys.executable, "-c", code, tmp_path, HERE, str(n)] for n in range(6)]
        children = [stack.enter_context(started(command, stderr=subprocess.PIPE)) for command in commands]

        def work(name):
            said = [memory.remember(f"thread {name} says {number}", kind="decision") for number in range(5)]
            failed.extend(outcome for outcome in said if outcome.status != "applied")

        threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        errors = [child.communicate()[1] for child in children]
        assert [child.returncode for child in children] == [0] * 6, errors
        found = texts(memory, DOC)
        assert failed == []
        assert len(found) == len(set(found)) == (6 + 4) * 5 + 1
        assert all(change.actor == "library" for change in memory.log(None))
        assert memory.doctor().problems == ()


@pytest.mark.slow
@settings(max_examples=tries(30), deadline=None)
@given(st.lists(st.text(max_size=60), max_size=6 if FULL else 3))
def test_any_text_is_kept_as_one_record_or_refused_in_words(tmp_path_factory, given_texts):
    folder = tmp_path_factory.mktemp("any")
    with opened(folder) as memory:
        for text in given_texts:
            try:
                outcome = memory.remember(text, kind="decision")
            except InputError:
                continue
            if outcome.status == "applied":
                assert len(outcome.records) == 1
                assert memory.read(outcome.records[0]).id == outcome.records[0]
        for change in memory.log(None):
            memory.undo(change.number)
        assert files(folder) == {}


def test_a_forgotten_message_is_hidden_everywhere_and_comes_back_by_undo(tmp_path):
    with opened(tmp_path) as memory:
        memory.append("chat:1", [Message("user", "my blood type is AB"), Message("user", "the sky is blue")])
        hit = memory.recall("blood type")[0]
        receipt = memory.forget(hit.record)
        assert receipt.forgotten[0][1] == "my blood type is AB"
        assert not any("blood" in found.text for found in memory.recall("blood type"))
        with pytest.raises(GoneError):
            memory.read(hit.record)
        assert [m.text for m in memory.sessions.window("chat:1")] == ["the sky is blue"]
        assert memory.remember("My blood type is AB").status == "refused"
        assert (
            memory.apply([Forget(record=memory.recall("sky")[0].record)], reason="", dry_run=True).status == "planned"
        )
        memory.undo(receipt.change)
        assert memory.recall("blood type")[0].text == "my blood type is AB"
        assert len(memory.sessions.window("chat:1")) == 2
        assert memory.remember("My blood type is AB").status == "applied"
