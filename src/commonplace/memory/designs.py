"""Layouts by name, as a value, or from a TOML file: checked before a memory is opened with one.

Other packages add layouts and consolidators through the entry points `commonplace.layouts` and
`commonplace.consolidators`. A TOML file only chooses among what is installed: it names no code and no path
outside the memory.
"""

from __future__ import annotations

import re
from typing import Any, Final, get_args, get_type_hints

import msgspec

from commonplace.changes.add_rules import ADD_RULES
from commonplace.changes.generated import FORMS
from commonplace.errors import ConfigError
from commonplace.jobs import triggers
from commonplace.jobs.consolidators import rounds
from commonplace.jobs.consolidators.choice import CONSOLIDATORS
from commonplace.layouts import check, facts, graph, memdir, native, structured, two_layer
from commonplace.layouts.schema import (
    Action,
    AddRule,
    AgentTool,
    Generated,
    Job,
    Knobs,
    Layer,
    Layout,
    PromptSection,
    ScopeNames,
    Trigger,
)
from commonplace.memory.tool_verbs import VERBS
from commonplace.recall.prompt.renderers import RENDERERS
from commonplace.store import texts
from commonplace.store.files.machine import layout_of
from commonplace.text.installed import Installed

_SHIPPED: Final = (
    native.LAYOUT,
    two_layer.LAYOUT,
    structured.LAYOUT,
    facts.LAYOUT,
    facts.FLAT,
    graph.LAYOUT,
    memdir.LAYOUT,
)
LAYOUTS: Final[Installed[Layout]] = Installed("commonplace.layouts", {each.name: each for each in _SHIPPED})
"""The layouts that ship with the package, and those that other packages bring."""

ABILITIES: Final = check.Abilities(
    consolidators=CONSOLIDATORS,
    prompts=rounds.PROMPTS,
    triggers=triggers.PREDICATES,
    scope_triggers=triggers.SCOPE_PREDICATES,
    renderers=RENDERERS,
    forms=FORMS,
    add_rules=ADD_RULES,
    verbs=VERBS,
)
"""What a layout can choose."""

_ROWS: Final[dict[str, type[msgspec.Struct]]] = {
    "layers": Layer, "prompt": PromptSection, "jobs": Job, "triggers": Trigger, "add": AddRule, "generated": Generated,
    "tool": AgentTool, "actions": Action, "config": Knobs, "scopes": ScopeNames,
}  # fmt: skip
_FILE_BYTES: Final = 200_000


def named(name: str) -> Layout:
    """Return the layout of a name.

    Raises:
        ConfigError: There is none of that name.
    """
    if name not in LAYOUTS:
        known = ", ".join(sorted(LAYOUTS))
        raise ConfigError(
            f"there is no layout {str(name)[:80]!r}; use one of {known}, or a file that ends in .toml", layout=name
        )
    found = LAYOUTS[name]
    if any(found is each for each in _SHIPPED):
        return found
    if not isinstance(found, Layout):
        raise ConfigError(f"the entry point {name!r} gives {type(found).__name__}, not a Layout", layout=name)
    check.require(found, ABILITIES)
    return found


def resolve(layout: Layout | str) -> Layout:
    """Return a layout that can be used: a value, the one of a name, or what a TOML file holds.

    Raises:
        ConfigError: There is no such layout, or it has mistakes; the error names each.
    """
    if isinstance(layout, str) and not layout.endswith(".toml"):
        return named(layout)
    found = layout if isinstance(layout, Layout) else parse(texts.read(str(layout)), str(layout))
    check.require(found, ABILITIES)
    return found


def kept_as(layout: Layout | str, design: Layout | None = None, location: str = "") -> str:
    """Return what a folder says of its layout, so that it can be resolved in any folder.

    A variant of the layout that a folder is kept in, with the same layers, is that one.
    """
    kept = layout_of(location) if location else ""
    if design is not None and LAYOUTS.is_at_hand(kept) and LAYOUTS[kept].layers == design.layers:
        return kept
    if isinstance(layout, Layout):
        return layout.name
    return texts.absolute(layout) if layout.endswith(".toml") else layout


def mistakes(layout: Layout) -> list[str]:
    """Return every mistake in a layout, a sentence each; nothing if memory can be opened with it."""
    return check.mistakes(layout, ABILITIES)


def parse(text: str, name: str) -> Layout:
    """Read a layout from TOML; whether it can be used is not yet checked.

    Raises:
        ConfigError: It is no TOML, or a field has a name or type that a layout does not have.
    """
    if len(text) > _FILE_BYTES:
        raise ConfigError(f"{name} holds {len(text)} characters; a layout has at most {_FILE_BYTES}")
    text = text.removeprefix("\ufeff")
    try:
        return msgspec.toml.decode(text, type=Layout)
    except msgspec.ValidationError as error:
        raise ConfigError(f"{name} is no layout: {_plain(str(error), text)}", layout=name) from None
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise ConfigError(f"{name} is no TOML: {error}", layout=name) from None


def _plain(sentence: str, text: str) -> str:
    """Return an error of the decoder as the name of a field, what is wrong with it, and what to write instead."""
    message, at, path = sentence.partition(" - at `$.")
    path = path.rstrip("`")
    table, _, field = path.rpartition(".")
    got = message.rpartition("got ")[2].strip("`")
    if message.startswith("Invalid enum value"):
        message += f"; use one of {', '.join(get_args(get_type_hints(_row(table))[field]))}"
    elif "unknown field" in message:
        message += f"; its fields are {', '.join(_row(path).__struct_fields__)}"
    elif message.startswith("Expected `array`"):
        one = {"object": f"[[{path}]], with two brackets on each side", "str": f'{field or path} = ["..."]'}
        message += f"; write {one[got]}" if got in one else ""
    elif message.startswith("Expected `object`") and got == "array":
        message += f"; write [{path}], with one bracket on each side" if path in Layout.__struct_fields__ else ""
    elif message.startswith("Expected `str`") and got in {"int", "float"}:
        message += "; write it in quotes"
    elif message.startswith(("Expected `float`", "Expected `int`", "Expected `bool`")) and got == "str":
        message += "; write it without quotes" + (", as true or false" if "bool" in message else "")
    return f"{_called(path, msgspec.toml.decode(text))}: {message}" if at else message


def _called(path: str, data: Any) -> str:
    """Return a path of the decoder with the name of a row in place of its number: `layers.notes.kind`."""
    found = re.match(r"(?:(\w+)\.)?(\w+)\[(\d+)\]", path)
    if found is None:
        return path
    row = (data[found[1]] if found[1] else data)[found[2]][int(found[3])]
    names = (row[key] for key in ("name", "title", "rule", "form") if isinstance(row, dict) and key in row)
    return f"{found.group().partition('[')[0]}.{next(names, int(found[3]) + 1)}{path[found.end() :]}"


def _row(path: str) -> type[msgspec.Struct]:
    """Return the table that a path of the decoder names: `jobs[0].triggers[1]` is a trigger."""
    return _ROWS.get(path.rpartition(".")[2].partition("[")[0], Layout)
