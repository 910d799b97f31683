"""What `Memory.open` is given is checked before anything is made of it."""

from __future__ import annotations

import os
from typing import Any

import pytest

from commonplace import Config, Memory, Message
from commonplace.config import RecallConfig
from commonplace.errors import ConfigError, InputError, StoreError, StoreReadOnlyError


@pytest.mark.parametrize("jobs", ["inlin", "", None, ["thread"]])
def test_an_unknown_way_to_run_jobs_is_refused_with_those_there_are(tmp_path, jobs: Any):
    """Found in use: with a mistyped `jobs` no job ever ran, and nothing said so."""
    with pytest.raises(ConfigError, match="use one of thread, inline, worker"):
        Memory.open(tmp_path, jobs=jobs)
    assert list(tmp_path.iterdir()) == []


def test_an_empty_location_is_not_the_current_folder(tmp_path, monkeypatch):
    """Found in use: `Memory.open("")` wrote where the program happened to run."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="the location is empty"):
        Memory.open("")


@pytest.mark.parametrize("config", [{"recall.floor": 7.0}, Config(recall=RecallConfig(floor=-1.0))])
def test_a_share_beyond_all_is_refused(tmp_path, config):
    """Found in use: with `recall.floor = 7.0` recall found nothing, and nothing said so."""
    with pytest.raises(ConfigError, match=r"recall\.floor"):
        Memory.open(tmp_path, config=config)


def test_a_folder_that_cannot_be_made_is_named():
    """Found in use: the error named a transcript in it that nobody had heard of."""
    with (
        Memory.open("/proc/none/memory", jobs="worker") as memory,
        pytest.raises(StoreError, match="/proc/none/memory"),
    ):
        memory.append("s", Message("user", "Hello."))


def test_a_folder_that_may_not_be_written_is_not_called_open_for_reading(tmp_path, monkeypatch):
    """Found in use: "is open for reading only" sounds as if the caller had asked for it."""
    monkeypatch.setattr(os, "access", lambda *_: False)
    with Memory.open(tmp_path, jobs="worker") as memory, pytest.raises(StoreReadOnlyError, match="may not be written"):
        memory.append("s", Message("user", "Hello."))
