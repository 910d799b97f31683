"""A real ext4 whose power is cut: what its device holds while the writer has not been given time to write it back."""

from __future__ import annotations

import pathlib
import shutil
import subprocess
from contextlib import ExitStack, closing

import pytest
from scopes import ITEMS, A, B, line, numbers, open_store, round_of, together

from commonplace.store.files import commits, locks, state
from marking import FULL

pytestmark = pytest.mark.battery

BLOCKS = 24_000  # of 1 KiB


def run(*command: object) -> bool:
    return subprocess.run([*map(str, command)], check=False, capture_output=True).returncode == 0


class Device:
    """A file system in a file, mounted; a copy of the file is the disk after the power went."""

    def __init__(self, folder) -> None:
        self.image, self.at = folder / "image", folder / "at"
        self.at.mkdir()
        with self.image.open("wb") as file:
            file.truncate(BLOCKS * 1024)
        made = shutil.which("mkfs.ext4") and run("mkfs.ext4", "-q", "-F", self.image)
        if not made or not run("mount", "-o", "loop", self.image, self.at):
            pytest.skip("cannot make and mount an ext4 image (needs root and mkfs.ext4)")

    def cut(self, folder) -> Device:
        """Copy what is on the device now and mount the copy, as a machine does that starts again."""
        folder.mkdir()
        other = Device.__new__(Device)
        other.image, other.at = folder / "image", folder / "at"
        other.at.mkdir()
        shutil.copyfile(self.image, other.image)
        assert run("mount", "-o", "loop", other.image, other.at)
        return other

    def close(self) -> None:
        run("umount", self.at)


@pytest.mark.slow
def test_a_cut_of_a_real_ext4_loses_nothing_that_was_acknowledged(tmp_path, monkeypatch):
    """Issue 23.1: for up to 30 s after a change a real ext4 left its documents empty."""
    with ExitStack() as mounted:
        mounted.callback((device := Device(tmp_path)).close)
        store = open_store(device.at / "scope")
        for number in range(1, 13 if FULL else 5):
            store.commit({}, {}, round_of(number, 3000))
            store.append("sessions/a.jsonl", [line(number)])  # its sync writes the journal: all names, no other bytes
            after = device.cut(tmp_path / f"cut-{number}")
            with closing(after), monkeypatch.context() as machine:
                for module in (locks, state, commits):
                    machine.setattr(module, "boot_id", lambda: "the-next-boot")
                with open_store(after.at / "scope") as found:
                    blobs = together(found, [A, B, ITEMS, "sessions/a.jsonl"])
                    assert [blobs[path].data[:3] for path in (A, B)] == [f"{number}\n".encode().ljust(3, b"y")] * 2
                    assert (
                        numbers(blobs[ITEMS].data)
                        == numbers(blobs["sessions/a.jsonl"].data)
                        == list(range(1, number + 1))
                    )
                    assert (found.verify_log(), found.conflicts()) == ((), ())
                    found.commit({}, {}, round_of(number + 1))
            pathlib.Path(after.image).unlink()
        store.close()
