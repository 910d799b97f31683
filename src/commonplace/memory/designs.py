"""Layouts by name, as a value, or from a TOML file: checked before a memory is opened with one.

Other packages add layouts and consolidators through the entry points `commonplace.layouts` and
`commonplace.consolidators`. A TOML file only chooses among what is installed: it names no code and no path
outside the memory.
"""

from __future__ import annotations

from typing import Final, get_args, get_type_hints

import msgspec

from commonplace.changes.add_rules import ADD_RULES
from commonplace.changes.generated import FORMS
from commonplace.errors import ConfigError
from commonplace.jobs import triggers
from commonplace.jobs.consolidators import rounds
from commonplace.jobs.consolidators.choice import CONSOLIDATORS
from commonplace.layouts import check, facts, graph, memdir, native, structured, two_layer
from commonplace.layouts.schema import Job, Layer, Layout, PromptSection
from commonplace.memory.tool_verbs import VERBS
from commonplace.recall.prompt.renderers import RENDERERS
from commonplace.store import texts
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


def kept_as(layout: Layout | str) -> str:
    """Return what a folder says of its layout, so that it can be resolved in any folder."""
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
    try:
        return msgspec.toml.decode(text, type=Layout)
    except msgspec.ValidationError as error:
        raise ConfigError(f"{name} is no layout: {_plain(str(error))}", layout=name) from None
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise ConfigError(f"{name} is no TOML: {error}", layout=name) from None


def _plain(sentence: str) -> str:
    """Turn the path in an error of the decoder into the name of a field, and say which values it may have."""
    message, at, path = sentence.partition(" - at `$.")
    table, _, field = path.rstrip("`").rpartition(".")
    if message.startswith("Invalid enum value"):
        row = {"layers": Layer, "prompt": PromptSection, "jobs": Job}[table.partition("[")[0]]
        message += f"; use one of {', '.join(get_args(get_type_hints(row)[field]))}"
    return f"{path.rstrip('`')}: {message}" if at else message
