"""What the tests of the two-layer layout share: an open memory, conversations, replies of the model."""

from __future__ import annotations

import json
import threading
from pathlib import Path

from commonplace import Memory, Message
from commonplace.testing import FixedClock, ScriptedLLM

START = "2026-02-27T14:30:00+00:00"
SESSION = "telegram:1"
WAIT = 60.0  # seconds that a test waits for another thread before it fails


def opened(root: Path, llm=None, **rest) -> Memory:
    """Open a two-layer memory whose jobs run when asked for."""
    given = {"clock": FixedClock(START, step_seconds=0.001), "jobs": "inline", **rest}
    return Memory.open(root, layout="two-layer", llm=llm, **given)


def exchanges(
    count: int, *, start: int = 1, text: str = "I want to tell you about day {n} in the garden"
) -> list[Message]:
    """Make so many pairs of a user message and its reply."""
    found = []
    for n in range(start, start + count):
        found += [Message("user", text.format(n=n)), Message("assistant", f"Thank you for day {n}.")]
    return found


def reply(history: str = "[2026-02-27 14:30] The user spoke of the garden.", memory: str | None = None) -> str:
    """Write what the model answers: the two keys of the document."""
    return json.dumps({"history_entry": history, "memory_update": "" if memory is None else memory})


def model(*replies) -> ScriptedLLM:
    """Script a model: replies in order, one function for ever, or one that leaves memory as it is for ever."""
    if not replies or callable(replies[0]):
        return ScriptedLLM(list(replies) or [reply()], repeat=True)
    return ScriptedLLM(list(replies))


def memory_text(root: Path) -> str:
    """Read MEMORY.md as it is on disk; empty where there is none."""
    path = root / "memory" / "MEMORY.md"
    return path.read_text(encoding="utf-8") if path.exists() else ""


def write_memory(root: Path, text: str | bytes) -> None:
    """Write MEMORY.md as a person or their system does."""
    path = root / "memory" / "MEMORY.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)


def history(root: Path, month: str = "") -> str:
    """Read HISTORY.md, or the file of one month; empty where there is none."""
    path = root / "memory" / (f"HISTORY-{month}.md" if month else "HISTORY.md")
    return path.read_text(encoding="utf-8") if path.exists() else ""


def theirs(root: Path) -> dict[str, tuple[bytes, int]]:
    """Give every file outside our own folders: its bytes and when it was written."""
    return {
        path.relative_to(root).as_posix(): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in sorted(root.rglob("*"))
        if path.is_file() and path.relative_to(root).parts[0] not in {".commonplace", "transcripts"}
    }


class Hanging:
    """A prompt function that answers only when it is let go; `asked` says that it was called."""

    def __init__(self, answer: str) -> None:
        self.answer = answer
        self.asked = threading.Event()
        self.go = threading.Event()
        self.done = threading.Event()

    def __call__(self, message: str, options: dict) -> dict:
        self.asked.set()
        self.go.wait(WAIT)
        self.done.set()
        return {"content": self.answer}


def in_thread(work) -> threading.Thread:
    """Run something in a thread of its own."""
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread
