"""The documentation says what the code does; every example runs."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import re
from pathlib import Path

import click
import pytest

from commonplace.surfaces.cli import commands
from marking import in_one_test

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
PAGES_WITH_EXAMPLES = (
    "README.md",
    "docs/library.md",
    "docs/configuration.md",
    "docs/files.md",
    "docs/layouts/facts.md",
    "docs/layouts/graph.md",
    "docs/layouts/structured.md",
)


def page(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def generator():
    spec = importlib.util.spec_from_file_location("generate_docs", DOCS / "generate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", PAGES_WITH_EXAMPLES)
def test_every_example_runs(name, tmp_path, monkeypatch):
    """Issue 2: each public name has an example in the docs that runs as a test."""
    monkeypatch.chdir(tmp_path)
    text = page(name)
    namespace: dict[str, object] = {"__name__": "example"}
    for match in BLOCK.finditer(text):
        line = text.count("\n", 0, match.start(1))
        code = compile("\n" * line + match[1], name, "exec")
        exec(code, namespace)


def test_every_public_name_has_an_example():
    """House style: every public behaviour is shown."""
    text = page("docs/library.md")
    blocks = "\n".join(BLOCK.findall(text))
    package = importlib.import_module("commonplace")
    assert [name for name in package.__all__ if name not in blocks] == []
    methods = [name for name, _ in inspect.getmembers(package.Memory, callable) if not name.startswith("_")]
    missing = [name for name in methods if f".{name}(" not in blocks]
    assert missing == []


PUBLIC_MODULES = (
    "records", "guard.screened", "operations", "errors", "config", "memory.memory", "memory.aio", "testing",
    "store.protocol", "layouts.schema", "changes.review", "memory.tool", "memory.worker", "text.spans",
)  # fmt: skip


def public_classes() -> list[str]:
    found = []
    for name in PUBLIC_MODULES:
        module = importlib.import_module(f"commonplace.{name}")
        found += [
            each
            for each, value in vars(module).items()
            if inspect.isclass(value) and value.__module__ == module.__name__ and not each.startswith("_")
        ]
    for name in ("surfaces.evaluate", "models", "surfaces.importers"):
        module = importlib.import_module(f"commonplace.{name}")
        found += [each for each in module.__all__ if inspect.isclass(getattr(module, each))]
    return found


def test_every_public_class_is_in_the_glossary():
    """DESIGN 3: no synonyms; the glossary is tested against the public names."""
    text = page("docs/glossary.md")
    assert [name for name in public_classes() if f"`{name}`" not in text] == []


def test_the_glossary_names_no_class_that_is_not_there():
    """Document what the code does now."""
    known = set(public_classes())
    named = set(re.findall(r"`([A-Z]\w+)`", page("docs/glossary.md")))
    assert named - known == set()


def test_the_pages_made_from_the_code_are_up_to_date(generator):
    """Every knob with its default, every command with its options; `make docs` writes them again."""
    stale = [path.name for path, text in generator.pages().items() if path.read_text(encoding="utf-8") != text]
    assert stale == [], "run `make docs`"


def test_every_knob_says_what_it_means(generator):
    """House style: each field has one line with its meaning."""
    rows = re.findall(r"^\| `([\w.]+)` \| .* \| .* \| (.*) \|$", page("docs/configuration.md"), re.MULTILINE)
    assert len(rows) > 20
    assert [name for name, meaning in rows if not meaning.strip()] == []


def test_every_command_has_its_section_and_every_section_its_command():
    """docs/commands.md: all exist, and vice versa."""
    told = re.findall(r"<!-- options of (\S+) -->", page("docs/commands.md"))
    assert sorted(told) == sorted([*commands.COMMANDS, "every"])
    headings = re.findall(r"^## (\S+)$", page("docs/commands.md"), re.MULTILINE)
    assert [name for name in commands.COMMANDS if name not in headings] == []


def test_every_exit_code_is_told_as_it_is():
    """docs/commands.md has the exit codes of the command, in its words."""
    rows = re.findall(r"^\| (\d+) \| (.*) \|$", page("docs/commands.md"), re.MULTILINE)
    assert {int(code): meaning for code, meaning in rows} == commands.EXIT_CODES


def test_every_command_prints_json_or_says_why_not():
    """Issue 2: `--json` where they print data; the demo is for people."""
    root = commands.root_command
    without = [
        name
        for name in commands.COMMANDS
        if "--json" not in [opt for each in root.get_command(click.Context(root), name).params for opt in each.opts]
    ]
    assert without == ["demo"]


def test_every_json_key_of_a_command_is_documented():
    """The keys are part of the interface: each command's section tells them."""
    text = page("docs/commands.md")
    sections = dict(re.findall(r"^## (\S+)$\n(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE))
    assert [name for name in commands.COMMANDS if name != "demo" and "JSON: " not in sections[name]] == []


LINK = re.compile(r"\]\((?!https?:)([^)#\s]+)(?:#([^)\s]+))?\)")


@in_one_test("path", [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.glob("*.md"))], ids=lambda p: p.name)
def test_every_link_leads_somewhere(path):
    """A link inside the repository names a file that is there, and a heading that is in it."""
    for target, anchor in LINK.findall(path.read_text(encoding="utf-8")):
        found = (path.parent / target).resolve()
        assert found.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.*)$", found.read_text(encoding="utf-8"), re.MULTILINE)
            slugs = {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}
            assert anchor in slugs, f"{target}#{anchor}"


def test_the_picture_shows_the_demo():
    """README: a real picture of the terminal, made from the demo's output."""
    text = (DOCS / "demo.svg").read_text(encoding="utf-8")
    assert "make demo" in text
    assert "PostgreSQL" in text
    assert "/tmp/" not in text


def test_architecture_tells_every_module():
    """docs/architecture.md: as built."""
    text = page("docs/architecture.md")
    package = ROOT / "src" / "commonplace"
    rooms = {
        path.stem
        for path in package.iterdir()
        if path.suffix == ".py" or (path.is_dir() and path.name != "__pycache__")
    }
    assert sorted(room for room in rooms - {"__init__"} if f"`{room}`" not in text) == []
