"""Bad input: a typed error or a contained result, never another exception, nothing lost."""

from __future__ import annotations

import contextlib
import os
from datetime import date

import pytest
from doors import files, opened, texts, write
from hypothesis import example, given, settings
from hypothesis import strategies as st

from commonplace import Message, Query
from commonplace.changes.actors import PERSON
from commonplace.errors import CommonplaceError, InputError, RecordNotFoundError
from commonplace.operations import AddEntry, PutItem, PutTopic, RemoveEntry
from commonplace.records import Source
from inside import scope_of
from marking import in_one_test, slow_after, tries

DOC = "memory/MEMORY.md"
PATHS = [
    "../../etc/passwd", "/etc/passwd", "memory/../../x", "..", ".", "", "memory/", ".commonplace/key", "sessions/x.jsonl",
    "memory/.hidden.md", "memory/x\x00.md", "C:\\x.md", "memory\\x.md", "memory/a/../b.md", "memory//x.md",
    "memory/MEMORY.md#", "#", "memory/MEMORY.md#../x", "memory/x.md/", "file:///etc/passwd", "memory/\ud800.md", "x" * 5000,
]  # fmt: skip


@pytest.fixture
def deep(tmp_path):
    with opened(tmp_path / "deep" / "memory") as memory:
        memory.remember("kept", kind="decision")
        yield memory


@in_one_test("path", PATHS)
def test_ids_and_paths_that_are_none_reach_nothing(tmp_path, deep, path):
    """Issue 3: ids that are paths."""
    before = {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file() and ".commonplace" not in p.parts}
    for call in (
        lambda: deep.read(path),
        lambda: deep.why(path),
        lambda: deep.update(path, "x"),
        lambda: deep.forget(path),
        lambda: deep.promote(path),
        lambda: deep.remember("x", to=path),
        lambda: deep.apply([AddEntry(path=path, text="x")], reason=""),
        lambda: deep.apply([PutItem(path=path, id="x", data={})], reason=""),
        lambda: deep.review().approve(path),
    ):
        with pytest.raises(CommonplaceError):
            call()
    after = {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file() and ".commonplace" not in p.parts}
    assert after == before


BYTES = {
    "no utf-8": b"\xff\xfe- a\x80\n- b\n",
    "empty": b"",
    "utf-16": "- a\n- b\n".encode("utf-16"),
    "nul": b"- a\x00b\n- c\n",
    "only breaks": b"\n\n\r\n\r\r\n",
    "no end": b"- a\n- b",
    "controls": "- a\u202eb\u200bc\x1b[31m\n".encode(),
    "deep": b"".join(b"  " * n + b"- x%d\n" % n for n in range(300)),
    "one long line": b"- " + b"x" * 1_000_000 + b"\n",
    "open fence": b"- a\n```\n- b\n",
    "forged index": b"<!-- commonplace:index -->\n<!-- commonplace:index -->\n- a\n",
    "bomb": b"---\na: &a [x,x]\nb: &b [*a,*a]\nc: &c [*b,*b]\nd: [*c,*c]\n---\n- a\n",
}


@pytest.mark.parametrize("path", [DOC, "memory/topic.md", "memory/HISTORY-2026-11.md", "memory/2026-11-20.md",
                                  "memory/items/semantic.jsonl", "memory/facts/user.md"])  # fmt: skip
@pytest.mark.parametrize("name", slow_after(2, BYTES))
def test_any_bytes_in_a_file_are_read_and_kept(tmp_path, name, path):
    """Safety F09, F27: 0 exceptions; untouched bytes stay."""
    write(tmp_path, path, BYTES[name])
    with opened(tmp_path, layout="native") as memory:
        memory.sync()
        memory.context("s", "a b")
        memory.recall("a b")
        memory.log(None)
        memory.remember("something new", kind="decision")
        memory.remember("something else", kind="fact")
        memory.doctor()
        if path not in {DOC, "memory/facts/user.md"}:
            assert (tmp_path / path).read_bytes() == BYTES[name]
        else:
            left = BYTES[name].strip()
            assert not left or left.split(b"\n")[0] in (tmp_path / path).read_bytes()
        for change in memory.log(None):
            if change.actor != "outside":
                memory.undo(change.number)
        assert (tmp_path / path).read_bytes() == BYTES[name]


YAML = {
    "bomb": "---\na: &a [x,x,x,x,x,x,x,x]\n"
    + "".join(f"b{n}: &b{n} [*a,*a,*a,*a,*a,*a,*a,*a]\n" for n in range(30))
    + "---\nbody\n",
    "cycle": "---\na: &a\n  b: *a\n---\nbody\n",
    "deep": "---\na: " + "[" * 3000 + "\n---\nbody\n",
    "tag": "---\na: !!python/object/apply:os.system ['true']\n---\nbody\n",
    "double": "---\ntitle: One\ntitle: Two\n---\nbody\n",
    "texts": "---\ntitle: no\ndescription: 12:30\nversion: 1.10\ndate: 2026-01-01\noctal: 012\n---\nbody\n",
    "open": "---\ntitle: never closed\n",
    "big": "---\nx: " + "y" * 100_000 + "\n---\nbody\n",
}


@pytest.mark.parametrize("name", slow_after(3, sorted(YAML)))
def test_front_matter_of_any_kind_is_contained(tmp_path, name):
    """Issue 3: YAML bombs and cyclic aliases, duplicate keys; `no`, `12:30`, `1.10` are texts."""
    write(tmp_path, "memory/t.md", YAML[name])
    with opened(tmp_path) as memory:
        memory.sync()
        topic = memory.read("memory/t.md")
        assert "body" in topic.body or name == "open"
        if name == "texts":
            assert (topic.title, topic.description, topic.extra["version"], topic.extra["octal"]) == (
                "no",
                "12:30",
                "1.10",
                "012",
            )
        assert (tmp_path / "memory" / "t.md").read_text(encoding="utf-8") == YAML[name]
        try:
            memory.apply([PutTopic(path="t.md", body="other", description="d")], reason="")
        except InputError:
            assert (tmp_path / "memory" / "t.md").read_text(encoding="utf-8") == YAML[name]
        else:
            memory.undo(memory.log()[0].number)
            assert (tmp_path / "memory" / "t.md").read_text(encoding="utf-8") == YAML[name]


def test_two_topics_with_one_name_stay_two(tmp_path):
    with opened(tmp_path) as memory:
        first = memory.remember("One name", kind="topic").records[0]
        second = memory.apply([PutTopic(path="deep/one-name.md", title="One name", body="Other.")], reason="").records[
            0
        ]
        third = memory.remember("One name!", kind="topic").records[0]
        assert len({first, second, third}) == 3
        shown = memory.context().stable
        assert shown.count("[One name]") == 2
        assert "(deep/one-name.md)" in shown
        memory.forget(second)
        assert memory.read(first).body == "One name"


@pytest.mark.battery
@pytest.mark.parametrize("entries", slow_after(1, [100, 10_000]))
def test_a_document_of_ten_megabytes_is_edited(tmp_path, entries):
    """Issue 3: 10 MB documents, and a small one of the kind."""
    big = "# Memory\n\n" + "".join(f"- entry number {n} of {'many words ' * 90}\n" for n in range(entries))
    assert len(big) > 1000 * entries
    write(tmp_path, DOC, big)
    with opened(tmp_path) as memory:
        memory.sync()
        change = memory.apply([AddEntry(path=DOC, text="the new one")], reason="").change
        assert memory.context().tokens <= 2000
        memory.undo(change)
        assert (tmp_path / DOC).read_text(encoding="utf-8") == big


def test_links_and_special_files_are_none_of_memory(tmp_path):
    """Safety F21: symlinks out, FIFOs, folders where files belong."""
    outside = tmp_path / "outside.md"
    outside.write_text("- a secret of another\n", encoding="utf-8")
    root = tmp_path / "root"
    (root / "memory" / "facts").mkdir(parents=True)
    (root / "memory" / "MEMORY.md").symlink_to(outside)
    (root / "memory" / "linked").symlink_to(tmp_path)
    os.mkfifo(root / "memory" / "pipe.md")
    (root / "memory" / "facts" / "user.md").mkdir()
    with opened(root) as memory:
        memory.sync()
        assert "secret" not in memory.context("s", "secret").text
        assert memory.recall("secret") == []
        for kind in ("decision", "fact"):
            with pytest.raises(CommonplaceError):
                memory.remember("through it", kind=kind)
        with pytest.raises(CommonplaceError):
            memory.apply([PutTopic(path="pipe.md", body="x")], reason="")
        with pytest.raises(CommonplaceError):
            memory.apply([PutTopic(path="linked/x.md", body="x")], reason="")
        assert memory.remember("elsewhere", kind="environment").status == "applied"
    assert outside.read_text(encoding="utf-8") == "- a secret of another\n"
    assert not (tmp_path / "x.md").exists()


ODD = st.none() | st.integers() | st.text(max_size=20) | st.binary(max_size=5) | st.lists(st.integers(), max_size=2)


@pytest.mark.slow
@settings(max_examples=tries(60), deadline=None)
@given(
    ODD, st.sampled_from(["remember", "update", "forget", "read", "recall", "why", "append", "undo", "diff", "promote"])
)
@example([], "append")
def test_odd_arguments_raise_our_errors_or_nothing(tmp_path_factory, odd, verb):
    with opened(tmp_path_factory.mktemp("odd")) as memory:
        memory.remember("one", kind="decision")
        calls = {
            "remember": lambda: memory.remember(odd),
            "update": lambda: memory.update("one", odd),
            "forget": lambda: memory.forget(odd),
            "read": lambda: memory.read(odd),
            "recall": lambda: memory.recall(odd),
            "why": lambda: memory.why(odd),
            "append": lambda: memory.append(odd, [Message("user", "x")]),
            "undo": lambda: memory.undo(odd),
            "diff": lambda: memory.diff(odd),
            "promote": lambda: memory.promote(odd),
        }
        with contextlib.suppress(CommonplaceError):
            calls[verb]()
        assert texts(memory, DOC)[:1] == ["one"] or verb in {"update", "forget"}


def test_questions_of_any_kind_find_something_or_nothing(tmp_path):
    with opened(tmp_path) as memory:
        memory.remember("likes tea", kind="decision")
        for question in (
            '"',
            "AND OR NOT",
            "tea*",
            "a:b",
            "\x00",
            "((((",
            "tea" * 30_000,
            "\ud800",
            "",
            " ",
            "-tea",
            "NEAR(tea, 2)",
        ):
            memory.recall(question)
            memory.context("s", question)
        with pytest.raises(InputError):
            memory.recall(Query(text="tea", k=0))
        with pytest.raises(InputError):
            memory.recall("tea", layers=["nowhere"])


def test_a_removal_that_several_fit_names_them(tmp_path):
    with opened(tmp_path) as memory:
        memory.remember("likes tea", kind="decision")
        memory.remember("likes milk", kind="decision")
        with pytest.raises(InputError, match="2"):
            memory.apply([RemoveEntry(path=DOC, target="likes")], reason="")
        with pytest.raises(InputError):
            memory.forget("likes")
        with pytest.raises(RecordNotFoundError):
            memory.forget("nothing like it")
        assert len(files(tmp_path)) == 1


@pytest.mark.parametrize("number", [True, False, "1", 1.0, None, [1]])
def test_a_change_that_is_no_number_is_bad_input_and_changes_nothing(tmp_path, number):
    """Bug: `undo(True)` took change 1 back and logged a line that no later open could read."""
    with opened(tmp_path) as memory:
        memory.remember("Ada lives in Oslo.", kind="decision")
        for call in (memory.undo, memory.diff):
            with pytest.raises(InputError, match="a change is a number"):
                call(number)
        assert [change.number for change in memory.log()] == [1]


@pytest.mark.parametrize("undoes", [True, "first", ["x"]])
def test_a_logged_line_that_says_what_cannot_be_read_costs_itself_only(tmp_path, undoes):
    """Bug: after one line with `undoes: true` nothing could be asked or changed any more."""
    with opened(tmp_path) as memory:
        memory.remember("Ada lives in Oslo.", kind="decision")
        door = scope_of(memory).door
        plan = door.plan()
        plan.restore(DOC, None)
        with contextlib.suppress(CommonplaceError):  # it is committed, whatever its writer makes of it
            door.write(plan, actor=PERSON, reason="", undoes=undoes)
    with opened(tmp_path) as memory:
        memory.remember("Ada sails.", kind="decision")
        assert texts(memory, DOC) == ["Ada sails."]
        assert memory.recall("sails")
        assert "sails" in memory.context().stable
        assert memory.undo(3).status == "applied"
        changes = {change.number: change for change in memory.log()}
        assert changes[1].undone_by is None
        assert 2 not in changes
        assert [(found.kind, found.path) for found in memory.doctor().problems] == [("log", "change 2")]


ODD_MESSAGES = [
    {"id": 5}, {"id": b"x"}, {"id": []}, {"name": 5}, {"tools": 5}, {"tools": "grep"}, {"tools": ("grep", 5)}, {"tools": None},
    {"trust": "nobody"}, {"trust": 5}, {"trust": []}, {"at": "2026-11-20"}, {"at": date(2026, 11, 20)},
]  # fmt: skip


@pytest.mark.parametrize("role", ["user", "tool"])
@pytest.mark.parametrize("odd", ODD_MESSAGES, ids=str)
def test_a_message_that_is_not_well_formed_is_refused_whole(tmp_path, odd, role):
    """Bug: an AttributeError, TypeError or KeyError came from deep inside instead of the promised InputError."""
    with opened(tmp_path) as memory:
        with pytest.raises(InputError):
            memory.append("s", [Message("user", "well formed"), Message(role, "x", **odd)])
        assert memory.sessions.list() == []


ODD_MEMORIES = [
    {"trust": "nobody"}, {"trust": 5}, {"trust": []}, {"source": 5}, {"source": Source(5, "m0")}, {"source": Source("s", None)},
    {"valid_from": 5}, {"valid_from": "2026-11-20"}, {"expires": 5}, {"kind": []}, {"to": 5}, {"reason": 5}, {"reason": None},
]  # fmt: skip


@pytest.mark.parametrize("odd", ODD_MEMORIES, ids=str)
def test_what_is_said_of_a_memory_and_is_not_well_formed_is_bad_input(tmp_path, odd):
    """Bug: as above, from `remember`."""
    with opened(tmp_path) as memory:
        with pytest.raises(InputError):
            memory.remember("Ada lives in Oslo.", **odd)
        assert memory.log() == []


@pytest.mark.parametrize("keep", [-1, True, 1.5, "1", []])
def test_a_window_keeps_a_number_of_messages(tmp_path, keep):
    """Bug: `compact(keep=-1)` was an IndexError."""
    with opened(tmp_path) as memory:
        memory.append("s", [Message("user", "hello")])
        with pytest.raises(InputError, match="a window keeps a number of messages"):
            memory.compact("s", keep=keep)


def test_what_is_no_instant_limit_or_name_is_bad_input(tmp_path):
    with opened(tmp_path) as memory:
        for call in (
            lambda: memory.at("2026-11-20"),
            lambda: memory.note("history", "x", at=5),
            lambda: memory.log("all"),
            lambda: memory.document(5),
            lambda: memory.undo(1, reason=5),
        ):
            with pytest.raises(InputError):
                call()
