"""A message is called `session#message` in every answer, and is taken back by that name and by its path."""

import pytest

from commonplace import Memory, Message


@pytest.mark.parametrize("layout", ["native", "memdir"])
def test_a_message_is_named_by_its_session(tmp_path, layout):
    """DESIGN 6: the agent's tool and `Hit.record` gave the path of the transcript."""
    with Memory.open(tmp_path, layout=layout, jobs="worker") as memory:
        memory.append("telegram:42", [Message("user", "The heron waits at the weir.", id="m0")])
        (hit,) = memory.recall("heron")
        tool = memory.tool("telegram:43")
        (found,) = tool.call({"action": "search", "query": "heron"})["hits"]
        assert hit.record == found["id"] == "telegram:42#m0"
        if layout == "native":  # the tool of memdir reads no single record
            assert tool.call({"action": "read", "id": found["id"]})["text"] == "The heron waits at the weir."
        path = f"{memory.sessions.folder}/telegram%3A42.jsonl#m0"
        assert memory.read(hit.record) == memory.read(path)
        assert memory.why(hit.record).record == memory.why(path).record
        memory.forget(hit.record)
        assert memory.recall("heron") == []
