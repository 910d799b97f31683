"""Messages that a disk refuses: the reply goes on, one warning says so, and they are stored when they can be."""

from __future__ import annotations

import asyncio
import os
import subprocess
import tempfile
import threading
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from commonplace import AsyncMemory, Memory, Message
from commonplace.errors import InputError, StoreError, StoreFullError
from commonplace.store.files.disk import Disk
from commonplace.testing import FixedClock
from inside import has_threads

SOURCE = "issue 19, persistence fail-safe; DESIGN 1.2, 1.13"


@contextmanager
def refusing():
    """Refuse every write, as a disk without room does."""

    def write(*_: object) -> int:
        raise OSError(28, "No space left on device")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Disk, "write", write)
        yield


def opened(folder, **given) -> Memory:
    settings = {
        "layout": "structured",
        "jobs": "inline",
        "clock": FixedClock("2026-02-07T13:15:00+00:00", step_seconds=1),
    }
    return Memory.open(folder, **(settings | given))


def texts(memory: Memory, session: str = "web:1") -> list[str]:
    return [each.text for each in memory.sessions.read(session)]


def said(*contents: str) -> list[Message]:
    return [Message("assistant" if at % 2 else "user", content) for at, content in enumerate(contents)]


def warnings(caplog) -> list[str]:
    return [each.message for each in caplog.records if "not stored yet" in each.message]


def test_what_a_disk_refuses_waits_in_order_and_is_stored_once_by_the_next_call(tmp_path, caplog):
    """Issue 19: the answer says that it is not stored, the warning comes once, nothing is doubled."""
    with opened(tmp_path) as memory:
        assert len(memory.append("web:1", said("First.", "Yes."))) == 2
        with refusing():
            assert memory.append("web:1", said("I prefer tea.", "Noted.")) == []
            assert memory.append("web:2", said("Elsewhere.")) == []
            assert memory.append("web:1", said("I prefer cake.", "Noted.")) == []
            assert "First." in memory.context("web:9", "What was first?").text
        assert len(warnings(caplog)) == 1
        assert memory.recall("tea") == []
        assert len(memory.append("web:1", said("Last."))) == 1
        assert texts(memory) == ["First.", "Yes.", "I prefer tea.", "Noted.", "I prefer cake.", "Noted.", "Last."]
        assert texts(memory, "web:2") == ["Elsewhere."]
        at = [each.message.at for each in memory.sessions.read("web:1")]
        assert at == sorted(at)
        memory.flush()
        note = (tmp_path / "memory" / "2026-02-07.md").read_text(encoding="utf-8")
        assert note.count("I prefer tea.") == note.count("I prefer cake.") == 1


def test_a_message_that_waited_under_the_id_of_another_costs_only_itself(tmp_path):
    with opened(tmp_path) as memory:
        with refusing():
            memory.append("web:1", Message("user", "I prefer tea.", id="1"))
            memory.append("web:1", [Message("user", "I prefer cake.", id=own) for own in ("1", "2")])
        memory.flush()
        assert texts(memory) == ["I prefer tea.", "I prefer cake."]


@pytest.mark.parametrize("call", [lambda m: m.flush(), lambda m: m.context("web:1"), lambda m: m.close()])
def test_a_flush_a_context_and_a_close_store_what_waits(tmp_path, call):
    """Issue 19: what could not be written is written when it can be."""
    memory = opened(tmp_path)
    with refusing():
        memory.append("web:1", said("I prefer tea."))
    call(memory)
    memory.close()
    with opened(tmp_path, read_only=True) as memory:
        assert texts(memory) == ["I prefer tea."]


def test_what_waits_when_memory_closes_on_a_full_disk_is_said_to_be_lost(tmp_path):
    """DESIGN 1.13: memory never pretends; all else is closed."""
    memory = opened(tmp_path, scope=("session:web:1", "global"))
    with refusing():
        memory.append("web:1", said("I prefer tea."))
        with pytest.raises(StoreError, match="1 messages could not be stored"):
            memory.close()
    with pytest.raises(StoreError, match="closed"):
        memory.recall("tea")


def test_a_close_that_loses_messages_ends_the_threads_of_an_async_memory(tmp_path):
    """DESIGN 1.13: what is closed is closed, also if it raises."""

    async def talk() -> None:
        memory = await AsyncMemory.open(tmp_path, layout="structured", jobs="inline")
        with refusing():
            assert await memory.append("web:1", said("I prefer tea.")) == []
            with pytest.raises(StoreError, match="could not be stored"):
                await memory.close()
        assert not has_threads(memory)

    asyncio.run(talk())


def test_a_message_with_an_id_that_waits_and_is_given_again_is_stored_once(tmp_path):
    """Issue 19: nothing is doubled."""
    with opened(tmp_path) as memory:
        message = Message("user", "I prefer tea.", id="a")
        with refusing():
            assert memory.append("web:1", message) == []
        assert [each.message for each in memory.append("web:1", message)] == ["a"]
        assert texts(memory) == ["I prefer tea."]


def test_what_waits_is_checked_at_once_and_has_a_bound(tmp_path):
    """Issue 19: a message that no disk would take, and too many of them, raise as they always do."""
    with opened(tmp_path, config={"store.unstored_messages": 3}) as memory:
        with refusing():
            assert memory.append("web:1", said("One.", "Two.")) == []
            for wrong in (Message("king", "x"), Message("user", 5)):
                with pytest.raises(InputError):
                    memory.append("web:1", [wrong])
            with pytest.raises(StoreFullError, match="2 messages wait"):
                memory.append("web:1", said("Three.", "Four."))
            with pytest.raises(StoreFullError, match="2 messages wait"):
                memory.append("web:2", said("Three.", "Four."))
        memory.flush()
        assert texts(memory) == ["One.", "Two."]


def test_a_layout_that_does_not_ask_for_it_raises_as_before(tmp_path):
    """DESIGN 1.2: an append that returns sources is on disk; one that cannot raises."""
    with opened(tmp_path, layout="native") as memory, refusing(), pytest.raises(StoreFullError):
        memory.append("web:1", said("I prefer tea."))


@pytest.mark.slow
def test_threads_that_append_while_a_disk_refuses_lose_and_double_nothing(tmp_path):
    """Issue 19: nothing is lost while the process lives."""
    with opened(tmp_path) as memory:
        memory.append("web:1", said("First."))

        def talk(name: int) -> None:
            for number in range(3):
                memory.append(f"web:{name}", said(f"{name} says {number}."))

        def all_talk() -> None:
            threads = [threading.Thread(target=talk, args=(name,)) for name in range(3)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

        with refusing():
            all_talk()
        all_talk()
        memory.flush()
        for name in range(3):
            wanted = [f"{name} says {number}." for number in range(3)] * 2
            assert texts(memory, f"web:{name}") == (["First."] if name == 1 else []) + wanted


def test_a_folder_that_really_denies_costs_no_reply(tmp_path):
    """Issue 19: a denied folder. Root may write everywhere, so this is done as another user."""
    folder = Path(tempfile.mkdtemp(dir="/tmp"))
    Path(folder).chmod(0o555)
    root = os.geteuid() == 0
    try:
        if root:
            os.seteuid(65534)
        memory = opened(folder / "new")
        assert memory.append("web:1", said("I prefer tea.", "Noted.")) == []
        assert memory.context("web:1", "What do I prefer?").text == ""
        if root:
            os.seteuid(0)
        Path(folder).chmod(0o777)
        if root:
            os.seteuid(65534)
        memory.flush()
        assert texts(memory) == ["I prefer tea.", "Noted."]
        assert "tea" in memory.context("web:2", "What do I prefer?").text
        memory.close()
    finally:
        if root:
            os.seteuid(0)
        subprocess.run(["rm", "-rf", str(folder)], check=False)


def test_a_file_system_that_is_really_full_costs_no_reply(tmp_path):
    """Issue 19: a full disk, from the first call on."""
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", tmp_path], check=False)
    if mounted.returncode:
        pytest.skip("cannot mount a small file system (needs root)")
    try:
        full = tmp_path / "full"
        with full.open("wb", 0) as file, suppress(OSError):
            while file.write(b"x" * 4096):
                pass
        memory = opened(tmp_path / "memory")
        for number in range(3):
            assert memory.append("web:1", said(f"I prefer tea {number}.", "Noted.")) == []
            assert memory.context("web:1", "What do I prefer?").text == ""
        memory.flush()
        full.unlink()
        memory.append("web:1", said("Thanks.", "Noted."))
        memory.flush()
        assert texts(memory)[::2] == ["I prefer tea 0.", "I prefer tea 1.", "I prefer tea 2.", "Thanks."]
        assert "tea 1" in memory.context("web:2", "What do I prefer?").text
        assert memory.doctor().problems == ()
        memory.close()
    finally:
        subprocess.run(["umount", "-l", tmp_path], check=False)
