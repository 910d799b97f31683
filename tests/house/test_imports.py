"""What importing commonplace costs: nothing heavy is loaded before it is used."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("yaml", "click", "filelock", "anthropic", "openai", "numpy", "asyncio", "concurrent.futures", "httpx")
NOT_FOR_A_COMMAND = (
    "yaml",
    "anthropic",
    "openai",
    "numpy",
    "asyncio",
    "commonplace.importers",
    "commonplace.cli.sample",
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
    assert loaded_after("import commonplace.cli", NOT_FOR_A_COMMAND) == []
