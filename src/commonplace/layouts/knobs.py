"""Knobs under the names that a layout's own document gives them, and a layout's own defaults.

Turns what a caller passed as configuration into the one `Config`. Reads no file and no environment.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Final

import msgspec

from commonplace.config import Config, knob
from commonplace.errors import ConfigError
from commonplace.layouts.codecs.documents import cap_of
from commonplace.layouts.schema import Job, Layout

_MEMORY_BYTES: Final = "limits.memory_bytes"  # of MEMORY.md by its unit; without effect in a layout without that file
_SHARES: Final = (
    "recall.floor", "recall.flood_share", "recall.vector_floor", "context.stable_share", "gate.shrink_share",
    "consolidation.keep_share", "items.promotion_confidence", "items.detail_score",
)  # fmt: skip
_LARGEST: Final = 1e12  # beyond it a number is a slip, and no wait or size can be made of it


def settled(
    layout: Layout, config: Config | Mapping[str, Any] | None, read: Callable[[str], str] | None = None
) -> Config:
    """Return the knobs of a memory: as given, and the layout's own default for each knob that has our default.

    Args:
        layout: Says which names its document uses and which defaults it has.
        config: Knobs; a mapping is read by `configured`.
        read: Returns the text of a file of the memory; the configuration of the system that the layout comes from
            goes before our defaults.

    Raises:
        ConfigError: As for `configured`.
    """
    given = config if isinstance(config, Config) else configured(layout, config or {})
    flat = expanded(layout, config) if isinstance(config, Mapping) else {}
    named = {path for name in flat for path in _target(layout, name).split("+")}
    caps = {layer.name: cap.limit for layer in layout.layers if (cap := cap_of(layer, given.limits)) is not None}
    unknown = sorted(set(given.limits) - set(caps))
    if unknown:
        names = ", ".join(sorted(caps)) or "none"
        raise ConfigError(f"no layer {unknown[0]!r} of the layout {layout.name!r} has a cap; these have: {names}")
    for job, prompt in given.prompts.items():
        if "\n" not in prompt or job not in {each.name for each in layout.jobs}:
            names = ", ".join(each.name for each in layout.jobs) or "none"
            raise ConfigError(f"prompts.{job} gives a job instructions of several lines; {layout.name!r} has: {names}")
    for path in _SHARES:
        if not 0 <= _get(given, path) <= 1:
            raise ConfigError(f"{path} is a share from 0 to 1, not {_get(given, path)}", name=path)
    given = msgspec.structs.replace(given, limits=caps)
    theirs = read(layout.config.file) if read is not None and layout.config.file else ""
    for name, value in from_original(layout, theirs).items():
        paths = [path for path in _target(layout, name).split("+") if _get(given, path) == _get(Config(), path)]
        for path in [path for path in paths if path not in named]:
            given = _put(given, path, _get(configured(layout, {name: value}), path))
    for path, value in layout.config.defaults.items():
        if path not in named and _get(given, path) == _get(Config(), path):
            given = _put(given, path, value)
    return given


def jobs_of(layout: Layout, config: Config) -> tuple[Job, ...]:
    """Return the jobs that a configuration leaves on, with its own instructions for them."""
    wanted = (job for job in layout.jobs if all(knob(config, name) for name in job.when.split("+") if name))
    from_original = (msgspec.structs.replace(job, prompt=config.prompts.get(job.name, job.prompt)) for job in wanted)
    return tuple(from_original) if config.enabled else ()


def configured(layout: Layout, mapping: Mapping[str, Any]) -> Config:
    """Return the knobs of a mapping of the document's names, or of ours with a dot (`consolidation.recap_tokens`).

    A name that is left out, or is None, keeps its default: part of a configuration switches nothing off.

    Raises:
        ConfigError: A name is unknown (the error gives the known ones), or a value cannot be used.
    """
    config = Config()
    for name, value in expanded(layout, mapping).items():
        if value is None:
            continue
        factor = layout.config.names[name][1] if name in layout.config.names else 1.0
        for path in filter(None, _target(layout, name).split("+")):
            config = _put(config, path, _value(name, value, _get(config, path), factor))
    return config


def expanded(layout: Layout, mapping: Mapping[str, Any]) -> dict[str, Any]:
    """Return a configuration as names and values: sections written out, the values of a preset before all others.

    Raises:
        ConfigError: There is no such preset.
    """
    flat = _flat(mapping)
    chosen = [flat.pop(name) for name in list(flat) if name.rpartition(".")[2] == "preset" and layout.config.presets]
    values: dict[str, Any] = {}
    for preset in chosen:
        if preset not in layout.config.presets:
            raise ConfigError(f"there is no preset {str(preset)[:40]!r}; use one of {', '.join(layout.config.presets)}")
        values |= layout.config.presets[preset]
    return values | flat


def _flat(mapping: Mapping[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in mapping.items():
        section = value if isinstance(value, Mapping) and "." not in str(name) else {}
        flat |= {f"{name}.{inner}": each for inner, each in section.items()} if section else {str(name): value}
    return flat


def from_original(layout: Layout, text: str) -> dict[str, Any]:
    """Return what a configuration of the original system says of memory; nothing if it is none.

    Other names and unusable values are left out: the file is that system's own, and holds much else.
    """
    try:
        found = msgspec.json.decode(text)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return {}
    flat = _flat(found) if isinstance(found, dict) else {}
    kept: dict[str, Any] = {}
    for name in layout.config.names.keys() & flat.keys():
        with suppress(ConfigError):
            configured(layout, {name: flat[name]})
            kept[name] = flat[name]
    return kept


def _target(layout: Layout, name: str) -> str:
    if name in layout.config.names:
        return layout.config.names[name][0]
    section, _, knob = str(name).partition(".")
    if name == _MEMORY_BYTES:
        return "limits.memory" if "memory" in _capped(layout) else ""
    if section == "prompts" or (section == "limits" and knob in _capped(layout)):
        return str(name)
    if knob in getattr(getattr(Config(), section, None), "__struct_fields__", ()) or (
        not knob
        and section in Config.__struct_fields__
        and not isinstance(_get(Config(), section), msgspec.Struct | dict)
    ):
        return str(name)
    known = ", ".join(layout.config.names) or "none of its own"
    raise ConfigError(
        f"the layout {layout.name!r} knows no {str(name)[:80]!r}; its names are {known}, and ours are written "
        "`section.knob`, as docs/configuration.md lists them",
        name=name,
    )


def _value(name: str, value: Any, default: Any, factor: float) -> Any:
    if isinstance(default, bool) or not isinstance(default, int | float):
        try:
            return msgspec.convert(value, type(default))
        except msgspec.ValidationError:
            raise ConfigError(f"{name!r} is {type(value).__name__}, not {type(default).__name__}", name=name) from None
    may_be_zero = "." in name and not name.startswith("limits.")  # a size in a document's words is never 0
    usable = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < _LARGEST
    if not usable or (value == 0 and not may_be_zero):
        least = "0 or more" if may_be_zero else "above 0"
        raise ConfigError(f"{name!r} is a number {least}, not {str(value)[:40]!r}", name=name)
    return type(default)(value * factor) or type(default)(value > 0)


def _capped(layout: Layout) -> set[str]:
    """Return the names of the layers that have a cap, for which a configuration may give another number."""
    return {layer.name for layer in layout.layers if layer.cap}


def _get(config: Config, path: str) -> Any:
    found: Any = config
    for part in path.split("."):
        missing: int | str = "" if path.startswith("prompts.") else 0
        found = found.get(part, missing) if isinstance(found, dict) else getattr(found, part)
    return found


def _put(config: Config, path: str, value: Any) -> Config:
    section, _, knob = path.partition(".")
    if not knob:
        return msgspec.structs.replace(config, **{section: value})
    before = getattr(config, section)
    inner = {**before, knob: value} if isinstance(before, dict) else msgspec.structs.replace(before, **{knob: value})
    return msgspec.structs.replace(config, **{section: inner})
