"""Run commands in this process, in a folder of their own, with nothing of the machine's environment."""

from __future__ import annotations

import io
import json
import os
import sys
from dataclasses import dataclass

import pytest

from commonplace.surfaces import cli


@dataclass
class Done:
    """What a command did: its exit code and what it printed."""

    code: int
    out: str
    err: str

    @property
    def data(self):
        return json.loads(self.out)


@pytest.fixture
def here(tmp_path, monkeypatch):
    folder = tmp_path / "a folder with spaces and ümläute"
    folder.mkdir()
    monkeypatch.chdir(folder)
    for name in [name for name in os.environ if name.startswith("COMMONPLACE_") or name in {"FORCE_COLOR", "NO_COLOR"}]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("COLUMNS", "100")
    return folder


@pytest.fixture
def run(here, capsys, monkeypatch):
    def command(*arguments: str, stdin: bytes | None = None) -> Done:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin or b""), encoding="utf-8"))
        with pytest.raises(SystemExit) as stopped:
            cli.main(list(arguments))
        captured = capsys.readouterr()
        return Done(stopped.value.code, captured.out, captured.err)

    return command
