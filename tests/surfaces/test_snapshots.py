"""Snapshot files: for their owner alone, gone afterwards, and nothing but text when read."""

from __future__ import annotations

import stat
from datetime import UTC, datetime
from pathlib import Path

import pytest

from commonplace.errors import InputError
from commonplace.records import Snapshot
from commonplace.surfaces import snapshots

TAKEN = Snapshot(text="── User Profile ──\nPlays the cello", at=datetime(2026, 5, 19, tzinfo=UTC), scope=("default",))


def test_a_file_holds_the_snapshot_for_its_owner_and_is_gone_even_after_an_error(tmp_path):
    """Seed model 5.3, scenario 15."""
    seen = []

    def use() -> None:
        with snapshots.file(TAKEN, str(tmp_path)) as path:
            seen.append(path)
            assert snapshots.read(path) == TAKEN
            assert stat.S_IMODE(Path(path).stat().st_mode) == 0o600
            raise RuntimeError("the sub-agent died")

    with pytest.raises(RuntimeError):
        use()
    assert list(tmp_path.iterdir()) == []
    assert snapshots.block(TAKEN) == "# Memory Context (read-only)\n── User Profile ──\nPlays the cello"
    assert snapshots.block(Snapshot(text="", at=TAKEN.at, scope=())) == ""


@pytest.mark.parametrize("data", [b"", b"{}", b"[]", b"\xff\xfe", b'{"text": 1}', b"x" * 1_000_001])
def test_what_is_no_snapshot_is_refused(tmp_path, data):
    """A foreign file is never a prompt."""
    path = tmp_path / "x.json"
    path.write_bytes(data)
    with pytest.raises(InputError):
        snapshots.read(str(path))


@pytest.mark.parametrize("path", ["missing.json", "", "a\0b"])
def test_a_path_that_cannot_be_read_is_an_input_error(tmp_path, monkeypatch, path):
    """No traceback for a wrong argument."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError):
        snapshots.read(path)


def test_the_text_of_a_file_is_screened_again(tmp_path):
    """A snapshot file may have been written by anybody."""
    path = tmp_path / "x.json"
    path.write_text(
        '{"text": "key ghp_' + "aB3dE6gH9jK2mN5pQ8sT1vW4xY7z" * 2 + '", "at": "2026-05-19T00:00:00Z", "scope": []}',
        encoding="utf-8",
    )
    assert "ghp_" not in snapshots.read(str(path)).text
