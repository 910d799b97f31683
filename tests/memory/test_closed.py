"""A closed memory: what was kept can be read from the transcripts, nothing else is done."""

from __future__ import annotations

import asyncio
import inspect
from datetime import UTC, datetime

import pytest

from commonplace import AsyncMemory, Memory, Message
from commonplace.errors import StoreError

CALLS = {
    "append": ("s", [Message("user", "late")]),
    "at": (datetime(2026, 1, 1, tzinfo=UTC),),
    "compact": ("s",),
    "consolidate": (),
    "dream": (),
    "context": ("s", "kettle"),
    "cost": (),
    "diff": (1,),
    "doctor": (),
    "scopes": (),
    "document": ("shown",),
    "end": ("s",),
    "failures": (),
    "flush": (),
    "forget": ("kettle",),
    "limits": (),
    "log": (),
    "note": ("daily", "late"),
    "promote": ("x",),
    "read": ("x",),
    "recall": ("kettle",),
    "reindex": (),
    "remember": ("The kettle is late.",),
    "reset": ("s",),
    "review": (),
    "rewrite": ("shown", "late"),
    "snapshot": (),
    "surface": ("s", "kettle"),
    "sync": (),
    "tool": (),
    "undo": (1,),
    "update": ("x", "late"),
    "version": ("x",),
    "why": ("x",),
}


@pytest.fixture
def closed(tmp_path):
    with Memory.open(tmp_path) as memory:
        memory.append("s", [Message("user", "The kettle is red.")])
        memory.remember("The kettle whistles.")
    return memory


def files_of(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_every_method_of_a_closed_memory_says_so_and_writes_nothing(closed, tmp_path):
    methods = {name for name, _ in inspect.getmembers(Memory, callable) if not name.startswith("_")}
    assert methods == {*CALLS, "apply", "open", "close"}
    before = files_of(tmp_path)
    for name, arguments in CALLS.items():
        with pytest.raises(StoreError, match="closed; open it again") as caught:
            getattr(closed, name)(*arguments)
        assert caught.value.path == str(tmp_path), name
    with pytest.raises(StoreError, match="closed; open it again"):
        closed.apply([], reason="late")
    assert files_of(tmp_path) == before


def test_what_was_said_can_still_be_read_after_a_close(closed, tmp_path):
    closed.close()
    assert [message.text for message in closed.sessions.read("s")] == ["The kettle is red."]
    assert (closed.scope, closed.location) == (("default",), str(tmp_path))


def test_a_tool_whose_memory_was_closed_says_so(tmp_path):
    with Memory.open(tmp_path) as memory:
        tool = memory.tool()
    assert "closed" in str(tool.call({"action": "recall", "query": "kettle"}))


def test_an_async_memory_that_was_closed_says_so(tmp_path):
    async def late():
        async with await AsyncMemory.open(tmp_path) as memory:
            await memory.append("s", [Message("user", "The kettle is red.")])
            tool = await memory.tool()
        assert "closed" in str(await tool.call({"action": "recall", "query": "kettle"}))
        assert await memory.sessions.exists("s")
        await memory.close()
        return await memory.recall("kettle")

    with pytest.raises(StoreError, match="closed; open it again"):
        asyncio.run(late())
