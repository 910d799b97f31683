"""What importing commonplace costs: nothing heavy is loaded before it is used."""

from __future__ import annotations

import subprocess
import sys

import pytest

from commonplace import Memory, Message

HEAVY = ("yaml", "click", "filelock", "anthropic", "openai", "numpy", "asyncio", "concurrent.futures", "httpx")
NOT_FOR_A_COMMAND = (
    "yaml",
    "anthropic",
    "openai",
    "numpy",
    "asyncio",
    "commonplace.surfaces.importers",
    "commonplace.surfaces.cli.sample",
)


def loaded_after(statement: str, names: tuple[str, ...]) -> list[str]:
    program = f"import sys\n{statement}\nprint(*[name for name in {names!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, encoding="utf-8")
    return done.stdout.split()


@pytest.mark.parametrize("statement", ["import commonplace", "from commonplace import *"])
def test_importing_commonplace_loads_nothing_heavy(statement):
    """DESIGN 8: yaml, click and filelock are imported where they are used; extras even later."""
    assert loaded_after(statement, HEAVY) == []


def test_the_command_loads_no_importer_sample_or_extra():
    """DESIGN 8: a hook command starts within 120 ms."""
    assert loaded_after("import commonplace.surfaces.cli.commands", NOT_FOR_A_COMMAND) == []


FOR_CHANGES = (
    "commonplace.memory.changing",
    "commonplace.changes.door",
    "commonplace.jobs.runner",
    "commonplace.guard.gate",
    "commonplace.models",
    "commonplace.text.likeness",
    "ctypes",
    "shutil",
    "tempfile",
    "tomllib",
    "zoneinfo",
)


def commands(*calls: list[str]) -> str:
    runs = [
        f"with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()): main({call})"
        for call in calls
    ]
    return "\n".join(["import contextlib, io", "from commonplace.surfaces.cli import main", *runs])


def test_a_question_loads_nothing_that_changes_memory(tmp_path):
    """DESIGN 8: a hook command starts within 120 ms; the guard's rules (tomllib) are not needed to read either."""
    with Memory.open(tmp_path, jobs="worker") as memory:
        memory.append("telegram:42", [Message("user", "The kettle whistles in the morning.")])
        memory.remember("The kettle is red.")
    asked = commands(["-C", str(tmp_path), "recall", "kettle"])
    loaded_after(asked, ())  # brings the index up to the record, whose text is screened
    assert loaded_after(asked, FOR_CHANGES) == []
    wrote = commands(["-C", str(tmp_path), "remember", "The kettle is blue."])
    assert "commonplace.memory.changing" in loaded_after(wrote, FOR_CHANGES)


def test_an_append_loads_no_door_and_no_job(tmp_path):
    """A hook that records is as frequent as one that asks."""
    appended = (
        f"from commonplace import Memory, Message\nwith Memory.open({str(tmp_path)!r}, jobs='worker') as memory:\n"
        "    memory.append('telegram:42', [Message('user', 'The kettle whistles.')])"
    )
    assert not {"commonplace.memory.changing", "commonplace.guard.gate"} & {*loaded_after(appended, FOR_CHANGES)}
