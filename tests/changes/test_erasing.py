"""`forget --erase`: the text is gone from every byte under the root, and the log's chain still verifies."""

import contextlib
from pathlib import Path

import pytest

from commonplace import Memory, Message
from commonplace.store.files import erasing
from commonplace.store.files.disk import Disk

MARK = "quartz heron cellar"
TEXT = f"The spare key hangs behind the {MARK} sign"


def _made(root, *, extra=True):
    memory = Memory.open(root, jobs="inline")
    memory.append("cli:one", [Message("user", f"Remember this: {TEXT}."), Message("assistant", "Noted.")])
    memory.append("cli:one", [Message("user", "We walked by the river on Sunday.")])
    memory.remember(TEXT)
    memory.remember("The river path is closed in winter")
    memory.recall("spare key")
    memory.context("cli:one")
    if extra:
        (Path(root) / "exports").mkdir()
        (Path(root) / "exports" / "all.md").write_text(f"- {TEXT}\n- another line\n", encoding="utf-8")
    return memory


def _holding(root):
    return [path for path in erasing.files(str(root)) if MARK.encode() in (Path(root) / path).read_bytes()]


def test_a_dry_run_lists_every_place_and_changes_nothing(tmp_path):
    """Issue 22: after a dry run that lists every place."""
    with _made(tmp_path) as memory:
        before = _holding(tmp_path)
        receipt = memory.forget(TEXT, dry_run=True, erase=True)
        assert {path for path, _ in receipt.places} >= {p for p in before if ".sqlite" not in p}
        assert _holding(tmp_path) == before


def test_no_byte_under_the_root_holds_an_erased_text(tmp_path):
    """Issue 22: transcripts, records, payloads, index and seen files, exports; tested by searching every byte."""
    with _made(tmp_path) as memory:
        assert len(_holding(tmp_path)) >= 4
        hits = list(memory.recall(MARK, k=20))
        for hit in hits:
            memory.forget(hit.record, erase=True)
        assert _holding(tmp_path) == []
        assert memory.recall(MARK) == []
        assert any("river" in hit.text for hit in memory.recall("river"))
        assert [p for p in memory.doctor().problems if p.kind in {"log", "damage", "checksum"}] == []
    assert _holding(tmp_path) == []
    with Memory.open(tmp_path) as memory:
        assert memory.recall(MARK) == []
        assert any("river" in hit.text for hit in memory.recall("river"))
        assert "another line" in (tmp_path / "exports" / "all.md").read_text(encoding="utf-8")


class _KilledError(BaseException):
    pass


@pytest.mark.parametrize("step", range(1, 16))
def test_killed_at_any_step_the_next_open_finishes(tmp_path, monkeypatch, step):
    """Issue 22: killed at any step, the next open finishes it; the first step notes what is to go."""
    memory = _made(tmp_path)
    done = 0

    def counted(real):
        def step_of(*arguments, **named):
            nonlocal done
            done += 1
            if done > step:
                raise _KilledError
            return real(*arguments, **named)

        return step_of

    monkeypatch.setattr(Disk, "rename", counted(Disk.rename))
    monkeypatch.setattr(Disk, "unlink", counted(Disk.unlink))
    with contextlib.suppress(_KilledError):
        memory._scopes[0].store.erase([TEXT])
    monkeypatch.undo()
    assert done > step or _holding(tmp_path) == []
    assert step > 3 or done > step
    memory.close()
    with Memory.open(tmp_path) as again:
        assert list(again._scopes[0].store.verify_log()) == []
    assert _holding(tmp_path) == []
