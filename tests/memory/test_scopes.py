"""Scopes: chains, fair share, and walls between them."""

from __future__ import annotations

import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commonplace import Memory, Message
from commonplace.errors import InputError, RecordNotFoundError, ScopeError
from commonplace.testing import FixedClock
from marking import in_one_test, slow_after


def opened(folder, scope="default", **options):
    options.setdefault("jobs", "worker")
    return Memory.open(folder, scope=scope, clock=FixedClock("2026-11-20T10:00:00+00:00", step_seconds=1), **options)


@pytest.mark.parametrize("layout", slow_after(2, ["native", "two-layer", "graph", "structured", "memdir", "facts"]))
def test_who_only_reads_makes_no_scope_and_finds_what_is_written_later(tmp_path, layout):
    """DESIGN 6: nothing but an explicit write or `init` makes a memory."""
    with opened(tmp_path / "m", "task:ann", layout=layout) as memory:
        memory.recall("tea")
        memory.context(query="tea")
        memory.sessions.list()
        memory.log()
        list(memory.review())
        assert memory.doctor().ok
        assert list(tmp_path.iterdir()) == []
        memory.append("chat:1", [Message("user", "The tea is green.")])
        assert [hit.text for hit in memory.recall("tea")] == ["The tea is green."]
        memory.remember("Ann likes black tea.")
        assert len(memory.recall("tea")) == 2
    with opened(tmp_path / "m", "task:ann", layout=layout) as memory:
        assert len(memory.recall("tea")) == 2


@in_one_test(
    "scope",
    [
        "",
        " ",
        "a/b",
        "..",
        ".",
        ".hidden",
        "a\\b",
        "a\nb",
        "a\x00",
        "x" * 201,
        (),
        ("a", "a"),
        ("a", ""),
        (7,),
        7,
        None,
    ],
)
def test_what_is_no_scope_is_an_error(tmp_path, scope):
    """Issue 3: malformed scope is an error."""
    with pytest.raises(ScopeError):
        opened(tmp_path, scope)


def test_each_scope_has_a_folder_of_its_own(tmp_path):
    for scope in ("default", "user:42", "User:42", "CON", "日本"):
        with opened(tmp_path, scope) as memory:
            memory.remember(f"marker of {scope}", kind="decision")
            assert memory.location.startswith(str(tmp_path))
    found = sorted(p for p in tmp_path.rglob("MEMORY.md"))
    assert len(found) == 5
    assert len({str(p).casefold() for p in found}) == 5
    assert (tmp_path / "memory" / "MEMORY.md").exists()


SCOPES = st.sampled_from(["default", "user:1", "user:2", "a", "A", "user:1x"])
DEEDS = st.lists(
    st.tuples(SCOPES, st.sampled_from(["remember", "append", "topic", "forget", "undo", "delete"]), st.integers(0, 5)),
    max_size=25,
)


@settings(max_examples=300 if os.environ.get("COMMONPLACE_BATTERY") == "full" else 5, deadline=None)
@given(DEEDS)
def test_two_scopes_never_see_each_other(tmp_path_factory, deeds):
    """Safety T9, property: whatever is done in one scope, no other shows, finds, lists or takes any of it back."""
    folder = tmp_path_factory.mktemp("walls")
    memories = {}
    try:
        for scope, deed, number in deeds:
            memory = memories.setdefault(scope, opened(folder, scope))
            mark = f"zq{sorted(['default', 'user:1', 'user:2', 'a', 'A', 'user:1x']).index(scope)}qz"
            match deed:
                case "remember":
                    memory.remember(f"{mark} number {number}", kind="decision")
                case "append":
                    memory.append(f"chat:{number}", [Message("user", f"{mark} said {number}")])
                case "topic":
                    memory.remember(f"{mark} topic {number}", kind="topic")
                case "forget":
                    for hit in memory.recall(mark, k=1):
                        memory.forget(hit.record)
                case "undo":
                    for change in memory.log(1):
                        memory.undo(change.number)
                case "delete":
                    for session in memory.sessions.list()[:1]:
                        memory.sessions.delete(session.id)
        marks = {
            scope: f"zq{n}qz" for n, scope in enumerate(sorted(["default", "user:1", "user:2", "a", "A", "user:1x"]))
        }
        for scope, memory in memories.items():
            others = [mark for name, mark in marks.items() if name != scope]
            seen = [memory.context("chat:0", " ".join(others)).text, memory.snapshot().text]
            seen += [hit.text for mark in others for hit in memory.recall(mark, k=50)]
            seen += [change.diff + change.reason for change in memory.log(None)]
            seen += [m.text for s in memory.sessions.list() for m in memory.sessions.read(s.id)]
            seen += [str(waiting) for waiting in memory.review()]
            assert not any(mark in text for mark in others for text in seen)
            assert memory.doctor().ok
    finally:
        for memory in memories.values():
            memory.close()


def test_reads_follow_the_chain_and_writes_go_to_the_first(tmp_path):
    with opened(tmp_path, "project:x") as shared:
        shared.remember("the project ships in May", kind="decision")
        record = shared.remember("uses tabs", kind="fact").records[0]
        shared.append("chat:p", [Message("user", "the deadline of the project is May")])
    with opened(tmp_path, ("user:42", "project:x")) as memory:
        mine = memory.remember("prefers tea", kind="fact").records[0]
        assert memory.read(mine).text == "prefers tea"
        assert memory.read(record).text == "uses tabs"
        assert {hit.text for hit in memory.recall("tea tabs project", k=9)} >= {"prefers tea", "uses tabs"}
        shown = memory.context("chat:1", "deadline").text
        assert "prefers tea" in shown
        assert "the project ships in May" in shown
        assert "deadline" in shown
        memory.remember("everyone uses zsh", kind="environment", to="project:x")
        for change in (
            lambda: memory.update(record, "uses spaces"),
            lambda: memory.forget("the project ships in May"),
            lambda: memory.forget("ships in May", every=True),
            lambda: memory.promote(record),
        ):
            with pytest.raises(
                InputError, match="of scope 'project:x', and only 'user:42' is written here; open scope"
            ):
                change()
        assert memory.scope == ("user:42", "project:x")
    with opened(tmp_path, "project:x") as shared:
        assert "uses tabs" in shared.context().stable
        assert "ships in May" in shared.context().stable
        assert "zsh" in shared.context().stable
        assert "tea" not in shared.context().text
    with opened(tmp_path, "user:42") as alone:
        assert "tabs" not in alone.context().text
        with pytest.raises(RecordNotFoundError):
            alone.read(record)


def test_no_call_widens_the_chain(tmp_path):
    """DESIGN 5: bound at open and never widened by a call."""
    with opened(tmp_path, "other") as other:
        record = other.remember("a private matter", kind="decision").records[0]
        path = other.location
    with opened(tmp_path, "user:42") as memory:
        for to in ("other", "../other/memory/MEMORY.md", f"{path}/memory/MEMORY.md"):
            with pytest.raises(ValueError, match=r"layer|leave|path"):
                memory.remember("intruding", to=to)
        with pytest.raises(RecordNotFoundError):
            memory.read(record)
    with opened(
        tmp_path
    ) as memory:  # the default scope is the location itself: the folders of others are none of its memory
        assert memory.recall("private matter") == []
        assert "private" not in memory.context(None, "private matter").text
        memory.sync()
        assert memory.log() == []


@pytest.mark.parametrize(("said", "places"), [(2, 2), (30, 3)])
def test_each_scope_of_a_chain_gets_places_among_the_hits(tmp_path, said, places):
    """Issue 16: a shared scope has at most 30 % of the hits, its own places while it has something to say."""
    for scope, count in (("a", 30), ("b", said)):
        with opened(tmp_path, scope) as memory:
            memory.append(
                f"chat:{scope}", [Message("user", f"tea of {scope} number {n} is green") for n in range(count)]
            )
    with opened(tmp_path, ("a", "b")) as memory:
        hits = memory.recall("green tea", k=10)
        assert sum("of b" in hit.text for hit in hits) == places
        assert len(hits) == 10
