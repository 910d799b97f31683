"""A version names what a file says now; a write that expects another one is refused and changes nothing."""

from __future__ import annotations

import asyncio

import pytest
from doors import DOC, files, opened, texts, write

from commonplace import AsyncMemory, Message
from commonplace.errors import GoneError, InputError, RecordNotFoundError, VersionConflictError
from commonplace.operations import AddEntry, PutTopic, RemoveEntry
from commonplace.store.protocol import MISSING
from inside import scope_of

SEMANTIC = "memory/items/semantic.jsonl"


def test_a_write_goes_through_with_the_version_that_was_read_and_with_no_other(tmp_path):
    """DESIGN 5: a write against a stale version is a conflict, never a silent overwrite."""
    with opened(tmp_path) as memory:
        record = memory.remember("one", kind="decision").records[0]
        version = memory.version(record)
        assert memory.update(record, "two", expect=version).status == "applied"
        before, stale = files(tmp_path), version
        version = memory.version(record)
        for call in (
            lambda: memory.update(record, "three", expect=stale),
            lambda: memory.remember("three", kind="decision", expect=stale),
            lambda: memory.apply([AddEntry(path=DOC, text="three")], reason="", expect={"MEMORY.md": stale}),
            lambda: memory.remember("three", kind="decision", expect=MISSING),
            lambda: memory.update(record, "three", expect=""),
        ):
            with pytest.raises(VersionConflictError, match="read it again") as caught:
                call()
            assert caught.value.found == memory.version(record)
            assert caught.value.path == DOC
        assert files(tmp_path) == before
        write(tmp_path, DOC, "- two\n- by hand\n")
        with pytest.raises(VersionConflictError):
            memory.update(record, "three", expect=version)
        assert memory.update(record, "three", expect=memory.version("MEMORY.md")).status == "applied"
        assert texts(memory, DOC) == ["three", "by hand"]


def test_a_version_is_asked_for_by_record_layer_path_or_words(tmp_path):
    with opened(tmp_path) as memory:
        assert memory.version("memory") == memory.version(DOC) == memory.version("MEMORY.md") == MISSING
        assert memory.version("memory/t.md") == memory.version("semantic") == MISSING
        record = memory.remember("one", kind="decision", expect=MISSING).records[0]
        asked = {memory.version(each) for each in ("memory", DOC, "MEMORY.md", record, "one")}
        assert asked == {scope_of(memory).store.version(DOC)}
        memory.update(record, "one and a half")
        assert memory.version(record) == memory.version(DOC)
        topic = memory.apply([PutTopic(path="t.md", title="T", body="x")], reason="").records[0]
        version = memory.version(topic)
        memory.update(topic, "y", expect=version)
        with pytest.raises(VersionConflictError):
            memory.update(topic, "z", expect=version)
        item = memory.remember("it failed", kind="failure").records[0]
        version = memory.version(item)
        memory.remember("it failed again", kind="failure", expect=version)
        with pytest.raises(VersionConflictError):
            memory.update(item, "it works", expect=version)
        memory.append("chat:1", [Message("user", "a heron flew by")])
        assert memory.version(memory.recall("a heron flew by")[0].record)


def test_a_version_of_nothing_is_an_error_in_words(tmp_path):
    with opened(tmp_path) as memory:
        record = memory.remember("one", kind="decision").records[0]
        memory.apply([RemoveEntry(path=DOC, target=record)], reason="")
        with pytest.raises(GoneError):
            memory.version(record)
        for wrong in (f"{DOC}#0123456789ab", "nothing like it", "../../etc/passwd", "", "a\x00b"):
            with pytest.raises(RecordNotFoundError):
                memory.version(wrong)
        for wrong in ("topics", None, 7):
            with pytest.raises(InputError):
                memory.version(wrong)


def test_a_chain_names_the_version_of_the_scope_that_will_be_written(tmp_path):
    with opened(tmp_path, scope="team") as team:
        team.apply([PutTopic(path="t.md", title="T", body="x")], reason="")
    with opened(tmp_path, scope=("mine", "team")) as memory:
        assert memory.version("memory") == MISSING
        assert memory.remember("mine", kind="decision", expect=MISSING).status == "applied"
        assert memory.version("t.md") == MISSING
        with pytest.raises(VersionConflictError):
            memory.remember("mine too", kind="decision", expect=MISSING)


def test_of_two_who_read_the_same_one_writes(tmp_path):
    """Two writers, each with the version it read: one is told to read again."""
    with opened(tmp_path) as one, opened(tmp_path) as other:
        record = one.remember("zero", kind="decision").records[0]
        seen = one.version(record), other.version(record)
        assert one.update(record, "one", expect=seen[0]).status == "applied"
        with pytest.raises(VersionConflictError):
            other.update(record, "other", expect=seen[1])
        assert texts(other, DOC) == ["one"]


def test_asyncio_asks_for_versions_alike(tmp_path):
    async def main():
        async with await AsyncMemory.open(tmp_path, jobs="worker") as memory:
            record = (await memory.remember("one", kind="decision")).records[0]
            version = await memory.version(record)
            add = AddEntry(path=DOC, text="two")
            assert (await memory.apply([add], reason="", expect={DOC: version})).status == "applied"
            with pytest.raises(VersionConflictError):
                await memory.update(record, "three", expect=version)

    asyncio.run(main())
