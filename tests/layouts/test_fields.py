"""The fields of a layout: none is a switch of one layout that the engine asks for."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path
from typing import get_args, get_type_hints

import msgspec

import commonplace
from commonplace.jobs.consolidators import merge
from commonplace.jobs.consolidators.choice import CONSOLIDATORS
from commonplace.layouts.schema import Layout
from commonplace.memory.designs import LAYOUTS, parse
from commonplace.operations import Proposal

SOURCE = Path(commonplace.__file__).parent
DESIGNS = Path(__file__).parent / "designs"
ROWS = {
    "Layout": "layout",
    "Layer": "layer",
    "PromptSection": "row",
    "Job": "job",
    "Trigger": "trigger",
    "Action": "action",
    "AgentTool": "tool",
    "AddRule": "row",
    "Generated": "made",
    "Knobs": "config",
    "ScopeNames": "scopes",
}
"""How the engine calls a value of each kind."""


def set_fields(value: msgspec.Struct) -> set[tuple[str, str]]:
    """Return the fields that do not have their default, of a value and of the rows in it."""
    found: set[tuple[str, str]] = set()
    for field in msgspec.structs.fields(type(value)):
        held = getattr(value, field.name)
        default = field.default if field.default_factory is msgspec.NODEFAULT else field.default_factory()
        if held != default:
            found.add((type(value).__name__, field.name))
        for row in held if isinstance(held, tuple) else (held,):
            found |= set_fields(row) if isinstance(row, msgspec.Struct) else set()
    return found


def test_no_module_outside_layouts_asks_for_a_field_that_only_one_layout_sets():
    """Issue 18: over the six layouts that ship and the designs from outside; a field of one is read in `layouts` alone."""
    ours = [layout for name, layout in LAYOUTS.items() if name != "facts-flat"]
    theirs = [parse(path.read_text(encoding="utf-8"), path.name) for path in sorted(DESIGNS.glob("*.toml"))]
    users: dict[tuple[str, str], set[str]] = defaultdict(set)
    for layout in [*ours, *theirs]:
        for row in set_fields(layout):
            users[row].add(layout.name)
    lonely = {row for row, names in users.items() if len(names) == 1}
    assert lonely <= {("Knobs", "presets"), ("Knobs", "file"), ("ScopeNames", "forms"), ("ScopeNames", "default_name")}
    asked = [
        f"{path.relative_to(SOURCE)}: {match[0]}"
        for path in SOURCE.rglob("*.py")
        if path.relative_to(SOURCE).parts[0] != "layouts"
        for kind, field in sorted(lonely)
        for match in re.finditer(rf"(?<![a-z]){ROWS[kind]}\.{field}\b", path.read_text(encoding="utf-8"))
    ]
    assert asked == []


def test_every_kind_of_row_is_known_to_this_test():
    """A new kind of row is counted too."""
    assert {kind for kind, _ in set_fields(LAYOUTS["structured"]) | set_fields(LAYOUTS["graph"])} <= set(ROWS)


def test_a_layout_has_about_14_fields():
    """Issue 18."""
    assert len(msgspec.structs.fields(Layout)) <= 15


def test_every_consolidator_returns_a_proposal():
    """Issue 18: episodes, compaction, merge and condense too; none writes."""
    every = [*(each.propose for each in CONSOLIDATORS.values()), merge.propose]
    made = [propose for propose in every if propose.__module__.startswith("commonplace.")]  # other tests install some
    returned = [get_type_hints(propose)["return"] for propose in made]
    assert len(made) == 9
    assert [each for each in returned if Proposal not in (each, *get_args(each))] == []
