"""The conversation that the demo records: one engineer, ten sessions, seven weeks.

Owns the loading of `sample.jsonl` (the exchange format) and five questions with the messages that answer
them. The people in it are made up. The key that one of them pastes is put together here, so that no file of the
repository holds a text that looks like one.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from importlib.resources import files
from typing import Final, NoReturn

from commonplace.errors import DamagedError
from commonplace.surfaces import importers
from commonplace.surfaces.importers import Batch, Problem

_PLACEHOLDER: Final = b"{{fake-key}}"
PASTED_KEY: Final = "sk-" + "demo" + "0123456789abcdef" + "DEMO"
"""What is in the conversation where a key was pasted; made up, and shaped so that the guard redacts it."""

QUESTIONS: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    ("Why did we choose PostgreSQL over Kafka for Lantern?", ("s02m05", "s02m03")),
    ("How many gauges are really at the station in Malmö?", ("s03m05",)),
    ("What was the fix for the worker deadlock?", ("s04m14", "s04m04")),
    ("Do I still drink coffee in the morning?", ("s05m01",)),
    ("What time is our stand-up these days?", ("s07m08", "s07m09")),
)
"""Each question with the ids of the messages that answer it, the best first; ids are unique in the sample."""


def batches() -> Iterator[Batch]:
    """Yield the sample's messages, session by session, in the order of their time.

    Raises:
        DamagedError: The file that came with the package was changed.
    """
    data = files("commonplace.surfaces.cli").joinpath("sample.jsonl").read_bytes()
    whole = data.replace(_PLACEHOLDER, PASTED_KEY.encode())
    return importers.read(io.BytesIO(whole), format="exchange", on_problem=_refuse)


def _refuse(problem: Problem) -> NoReturn:
    raise DamagedError(f"line {problem.line} of the demo's sample: {problem.reason}; reinstall commonplace")
