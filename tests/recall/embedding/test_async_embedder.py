"""What the async memory does while an embedder is slow."""

from __future__ import annotations

import asyncio

from meanings import Held

from commonplace import AsyncMemory, Memory, Message


def test_a_slow_embedder_holds_up_no_append_of_the_async_memory(tmp_path):
    """DESIGN 1.9: what may wait for a model runs in a pool of its own."""
    embedder = Held("automobile")

    async def main():
        async with await AsyncMemory.open(tmp_path, embedder=embedder, jobs="worker") as memory:
            await memory.append("s", [Message("user", "automobile")])
            slow = [asyncio.create_task(memory.sync()) for _ in range(4)]
            await asyncio.to_thread(embedder.inside.wait, 60)
            await asyncio.wait_for(memory.append("s", [Message("user", "quick")]), 30)
            waiting = not any(task.done() for task in slow)
            embedder.release.set()
            await asyncio.gather(*slow)
            return waiting

    assert asyncio.run(main())


def test_whether_an_embedder_may_be_waited_for_is_asked_of_the_memory(tmp_path):
    """However it was named: as an argument or in any form of configuration."""
    named = "openai:embed-test@http://127.0.0.1:9/v1"

    async def pool(**given):
        async with await AsyncMemory.open(tmp_path, jobs="worker", **given) as memory:
            return "models" if memory._asking is memory._models else "store"

    assert asyncio.run(pool()) == "store"
    assert asyncio.run(pool(embedder=named)) == "models"
    assert asyncio.run(pool(config={"recall.embedder": named})) == "models"
    assert asyncio.run(pool(embedder="", config={"recall.embedder": named})) == "store"
    assert asyncio.run(pool(embedder=named, read_only=True)) == "store"
    with Memory.open(tmp_path, embedder=named, jobs="worker") as memory:
        wrapped = AsyncMemory(memory)
        assert wrapped._asking is wrapped._models
