"""What the async memory does while an embedder is slow."""

from __future__ import annotations

import asyncio

from meanings import Held

from commonplace import AsyncMemory, Message


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
