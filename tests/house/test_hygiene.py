"""The repository speaks of the project alone."""

from __future__ import annotations

import re
import subprocess
import tomllib
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# Put together from pieces so that this file does not find itself.
MACHINE = re.compile(
    "|".join(("/" + "work/", "/" + "root/", "/tmp/" + "team", r"/home/(?!user\b|you\b|me\b|ada\b)\w+/"))
)
REGISTRY = re.compile(
    "|".join((r"--(extra-)?index" + "-url", "files.python" + r"hosted", r"simple/\s*$", "pypi" + r"\.org/simple"))
)
SECRET = re.compile(r"-----BEGIN (RSA |EC |OPENSSH )?PRIVATE KEY-----\n[A-Za-z0-9+/]{60}")


def tracked() -> list[Path]:
    try:
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not a git checkout")
    return [ROOT / name for name in listed.stdout.decode("utf-8").split("\0") if name]


@cache
def texts() -> list[tuple[Path, str]]:
    found = []
    for path in tracked():
        if path.is_file():
            data = path.read_bytes()
            if b"\0" not in data[:4096]:
                found.append((path, data.decode("utf-8", "replace")))
    return found


@pytest.mark.parametrize("pattern", [MACHINE, REGISTRY, SECRET], ids=["machine", "registry", "key"])
def test_no_tracked_file_names_a_machine_a_registry_or_a_key(pattern):
    """The requirements are locked by hash without addresses; paths of a build machine say nothing to a reader."""
    found = [
        f"{path.relative_to(ROOT)}:{text.count(chr(10), 0, match.start()) + 1}: {match.group()!r}"
        for path, text in texts()
        for match in pattern.finditer(text)
        if path != Path(__file__)
    ]
    assert found == []


def test_no_tracked_file_is_larger_than_a_megabyte():
    """A repository holds sources; data and pictures stay small."""
    assert [str(path) for path in tracked() if path.is_file() and path.stat().st_size > 1_000_000] == []


def test_every_lint_exception_gives_its_reason():
    """House style: every ignore has its reason on the same line."""
    bare = re.compile(
        r"#\s*noqa(?::\s*[A-Z]+\d+(?:\s*,\s*[A-Z]+\d+)*)?\s*$|#\s*type:\s*ignore(?:\[[\w, -]+\])?\s*$", re.MULTILINE
    )
    found = [
        f"{path.relative_to(ROOT)}:{text.count(chr(10), 0, match.start()) + 1}"
        for path, text in texts()
        if path.suffix == ".py" and path.is_relative_to(ROOT / "src")
        for match in bare.finditer(text)
    ]
    assert found == []


def test_the_licence_is_apache_2():
    """The licence stands once, whole."""
    text = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert "Apache License" in text
    assert "Version 2.0, January 2004" in text
    assert "END OF TERMS AND CONDITIONS" in text


def test_what_runs_needs_only_what_the_project_depends_on():
    """`make demo` installs what is needed at run time, in the versions that the tests run with."""
    pin = re.compile(r"^([a-z0-9-]+)==(\S+)", re.MULTILINE)
    run, all_of = (dict(pin.findall((ROOT / f"requirements{name}.txt").read_text("utf-8"))) for name in ("-run", ""))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert {*run} >= {re.split(r"[^a-z0-9-]", each.lower())[0] for each in project["dependencies"]}
    assert run.items() <= all_of.items()
    assert "pytest" not in run
