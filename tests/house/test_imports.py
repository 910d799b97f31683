"""What importing commonplace costs: nothing heavy of others is loaded before it is used."""

from __future__ import annotations

import subprocess
import sys

import pytest

import commonplace

HEAVY = ("yaml", "anthropic", "openai", "numpy", "asyncio", "httpx", "importlib.metadata")


def loaded_after(statement: str, names: tuple[str, ...]) -> list[str]:
    program = f"import sys\n{statement}\nprint(*[name for name in {names!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, encoding="utf-8")
    return done.stdout.split()


@pytest.mark.parametrize(
    ("statement", "names"),
    [
        ("import commonplace", (*HEAVY, "click")),
        ("from commonplace import *", (*HEAVY, "click")),
        ("import commonplace.surfaces.cli.commands", HEAVY),
    ],
)
def test_importing_commonplace_loads_no_extra_and_nothing_heavy(statement, names):
    """Issue 15: extras of others stay lazy, and what costs tens of milliseconds; click is the command's alone."""
    assert loaded_after(statement, names) == []


def test_the_public_names_can_be_imported_from_commonplace():
    """Issue 15: hosts write `from commonplace import adopt, importers, snapshots, Reply, Request`."""
    names = [
        "AsyncMemory",
        "Config",
        "Layout",
        "Memory",
        "Message",
        "Query",
        "Reply",
        "Request",
        "Worker",
        "adopt",
        "importers",
        "snapshots",
    ]
    assert commonplace.__all__ == names
    assert [name for name in names if not hasattr(commonplace, name)] == []
