"""AsyncMemory has the methods of Memory, with the same arguments."""

from __future__ import annotations

import asyncio
import inspect

import pytest

from commonplace import AsyncMemory, Memory, Message
from commonplace.changes.review import Queue
from commonplace.memory.aio import AsyncQueue, AsyncTool
from commonplace.memory.tool import Tool

ANSWERS = {"Queue": "AsyncQueue", "Tool": "AsyncTool", "Sessions": "AsyncSessions"}
HELD_BY_BOTH = {"name", "description"}


def public(kind: type) -> dict[str, object]:
    parts = [vars(each) for each in reversed(kind.__mro__) if each.__module__.startswith("commonplace")]
    return {name: value for part in parts for name, value in part.items() if not name.startswith("_")}


@pytest.mark.parametrize(("sync", "other"), [(Memory, AsyncMemory), (Queue, AsyncQueue), (Tool, AsyncTool)])
def test_the_same_methods_with_the_same_arguments(sync, other):
    """House style: `AsyncMemory` is the same methods; a test compares the signatures."""
    assert sorted(public(sync)) == sorted(public(other))
    for name, value in public(sync).items():
        twin = public(other)[name]
        assert isinstance(value, property) is isinstance(twin, property), name
        if isinstance(value, property):
            continue
        function, twin = (getattr(each, "__func__", each) for each in (value, twin))
        assert inspect.signature(function).parameters == inspect.signature(twin).parameters, name
        answer = inspect.signature(function).return_annotation
        assert inspect.signature(twin).return_annotation in {answer, ANSWERS.get(answer)}, name
        assert inspect.iscoroutinefunction(twin) or name in {"schema", "schemas"}, name


def test_appends_at_the_same_time_are_all_kept(tmp_path):
    """Threads below: 50 awaits at once lose nothing."""

    async def main() -> int:
        async with await AsyncMemory.open(tmp_path) as memory:
            await asyncio.gather(*(memory.append("s", [Message("user", f"word{n}", id=f"i{n}")]) for n in range(50)))
            assert len(await memory.sessions.read("s")) == 50
            return (await memory.sessions.state("s")).messages

    assert asyncio.run(main()) == 50


def test_errors_pass_through_and_close_may_be_called_twice(tmp_path):
    """The same errors as Memory."""

    async def main() -> None:
        memory = await AsyncMemory.open(tmp_path)
        with pytest.raises(LookupError):
            await memory.sessions.state("nobody")
        await memory.close()
        await memory.close()

    asyncio.run(main())
