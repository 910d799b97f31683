"""Every mistake in a layout, in a sentence each, before a memory is opened with it.

Pure: knows the schema, the codecs and the configuration. What jobs, prompts and tools can do is passed in.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final, Protocol, get_args, get_type_hints

import msgspec

from commonplace.config import Config
from commonplace.errors import ConfigError
from commonplace.layouts.codecs import entries, journals, topics
from commonplace.layouts.codecs.edits import Unit
from commonplace.layouts.schema import (
    FIELDS,
    NUMBER,
    AddRule,
    AgentTool,
    Generated,
    Job,
    Layer,
    LayerKind,
    Layout,
    PromptSection,
)
from commonplace.records import LayerName

_KINDS: Final = get_args(LayerKind)
_STYLES: Final = {"documents": entries.STYLES, "journals": journals.STYLES, "topics": topics.STYLES, "items": ("",)}
_NAME: Final = re.compile(r"[a-z][a-z0-9_-]{0,39}")
_FOLDER: Final = re.compile(r"(?:[\w-][\w .-]*(?:/[\w-][\w .-]*)*)?")
_LOCK: Final = re.compile(r"\.?[A-Za-z][\w-]{0,63}")
_TOOL: Final = re.compile(r"[a-zA-Z][a-zA-Z0-9_-]{0,63}")
_MOST_ROUNDS: Final = 20
_EVENTS: Final = frozenset({"reset", "compaction", "session_end", "manual"})
_RULES: Final[dict[str, tuple[LayerKind, ...]]] = {
    "merge": ("documents",),
    "label": ("documents", "items", "topics"),
    "mirror": ("journals",),
    "typed": ("items",),
    "reasoned": ("topics",),
    "once": ("topics",),
}
_SHOWS: Final[dict[str, LayerKind]] = {
    "text": "documents",
    "facts": "documents",
    "pointers": "documents",
    "notes": "journals",
    "days": "journals",
    "index": "topics",
    "tree": "topics",
    "surfaced": "topics",
    "standing": "topics",
    "items": "items",
}
"""The renderers that write one kind of layer."""
_OF_SESSION: Final = frozenset({"summary", "window", "buffer", "working", "changes"})
_ONE_ANSWER: Final = frozenset({"summarise", "rewrite", "episodes", "condense", "turns", "rules", "compact"})
_SORTS: Final = {bool: "true or false", int: "a whole number", float: "a number", str: "a text in quotes"}
STATED: Final = ("fact", "preference", "instruction", "constraint", "decision", "task", "environment", "failure", "fix")
"""The kinds of statement that the rules know."""
_SAMPLES: Final = {"date": "2026-01-02", "year": "2026", "month": "01"}
_NEEDS: Final = {"journals": ("date", "month", "year"), "topics": ("topic", "session")}


class Parameters(Protocol):
    """The parameters of a verb of the agent's tool: those it always needs, and those it may get."""

    @property
    def needs(self) -> tuple[str, ...]:
        """Always needed."""

    @property
    def takes(self) -> tuple[str, ...]:
        """Taken if given."""


class Summarises(Protocol):
    """A consolidator, of which a layout's check wants to know one thing."""

    @property
    def window(self) -> bool:
        """True if it summarises what leaves a window."""


class Abilities(msgspec.Struct, frozen=True, kw_only=True):
    """The names of the functions that a layout can choose: our own and those of other packages.

    `verbs` are those of the agent's tool, with the parameters of each.
    """

    consolidators: Mapping[str, Summarises]
    prompts: Collection[str]
    triggers: Collection[str]
    scope_triggers: Collection[str]
    renderers: Collection[str]
    forms: Collection[str]
    add_rules: Collection[str]
    verbs: Mapping[str, Parameters]


def mistakes(layout: Layout, abilities: Abilities) -> list[str]:
    """Return every mistake in a layout, a sentence each that names the field and what to write instead."""
    found = [
        *_names(layout),
        *(each for layer in layout.layers for each in _layer(layout, layer)),
        *_targets(layout),
        *_references(layout, abilities),
        *(each for job in layout.jobs for each in _job(layout, job, abilities)),
        *_knobs(layout),
    ]
    return list(dict.fromkeys(found))


def require(layout: Layout, abilities: Abilities) -> None:
    """Make sure that a layout can be used.

    Raises:
        ConfigError: It cannot; the error has one sentence for each mistake, also as `mistakes`.
    """
    found = mistakes(layout, abilities)
    if found:
        raise ConfigError(f"the layout {layout.name!r} cannot be used: {' '.join(found)}", mistakes=tuple(found))


def _one_of(field: str, value: object, known: Collection[object]) -> Iterator[str]:
    if value not in known:
        yield f"{field} is {value!r}; use one of {', '.join(sorted(map(repr, known)))}."


def _each_of(field: str, values: Iterable[object], known: Collection[object]) -> Iterator[str]:
    for value in values:
        yield from _one_of(field, value, known)


def _layers(layout: Layout) -> list[str]:
    return [layer.name for layer in layout.layers]


def _knobs_of(layout: Layout, field: str, paths: Iterable[str]) -> Iterator[str]:
    for path in paths:
        if path and _knob(layout, path) is None:
            yield f"{field} names the knob {path!r}; there is none, docs/configuration.md lists them."


def _names(layout: Layout) -> Iterator[str]:
    if not _NAME.fullmatch(layout.name):
        yield f"name is {layout.name!r}; use lower-case letters, digits and hyphens, such as 'my-notes'."
    for table, names in (
        ("layers", [each.name for each in layout.layers]),
        ("jobs", [each.name for each in layout.jobs]),
    ):
        for name in sorted({name for name in names if names.count(name) > 1}):
            yield f"{table} has {name!r} more than once; give each its own name."
        for name in names:
            if not _NAME.fullmatch(name):
                yield f"{table} has the name {name!r}; use lower-case letters, digits, hyphens and underscores."
    if not layout.layers:
        yield "layers is empty; a layout has at least one layer, such as a document 'NOTES.md'."
    for field in ("memory", "sessions"):
        folder = getattr(layout, field)
        if not _FOLDER.fullmatch(folder) or _leaves(folder) or (field == "sessions" and not folder):
            yield f"{field} is {folder!r}; use the name of a folder inside the memory, such as {field!r}."
    for field, path in (("their_sessions", layout.their_sessions), ("config.file", layout.config.file)):
        if _leaves(path):
            yield f"{field} is {path!r}; use a path inside the memory, such as 'preferences/config.json'."
    if layout.sessions == layout.memory:
        yield f"sessions and memory are both {layout.memory!r}; keep transcripts in a folder of their own."
    folder = layout.scopes.path
    if not re.fullmatch(r"[^{}]+/[^{}/]*\{scope\}[^{}]*", folder) or _leaves(folder):
        yield f"scopes.path is {folder!r}; write a folder inside the memory with {{scope}} in it: 'scopes/{{scope}}'."


def _leaves(path: str) -> bool:
    """True if a path could lead out of the memory, or into the folder of our own files."""
    parts = {part.casefold() for part in path.split("/")}
    odd = path.startswith(("/", "~")) or any(char in path for char in "\\:\0")
    return odd or not parts.isdisjoint({"..", ".commonplace", ".git"})


def _layer(layout: Layout, layer: Layer) -> Iterator[str]:
    at = f"layers.{layer.name}"
    yield from _one_of(f"{at}.kind", layer.kind, _KINDS)
    if not layer.path or _leaves(layer.path) or layer.path.endswith("/"):
        yield f"{at}.path is {layer.path!r}; use a file inside the memory folder, such as 'MEMORY.md'."
    if any(other.path.casefold() == layer.path.casefold() for other in layout.layers if other is not layer):
        yield f"{at}.path is {layer.path!r}, as another layer's is; two layers cannot share a file."
    yield from _taken(layout, layer, at)
    fields = re.findall(r"\{(\w*)\}", layer.path)
    for name in fields:
        yield from _one_of(f"{at}.path, a field in braces,", name, FIELDS)
    if not set("{}%*?").isdisjoint(re.sub(r"\{\w*\}", "", layer.path)):
        yield f"{at}.path is {layer.path!r}; a field is one name in braces, such as {{date}}."
    suffix = ".jsonl" if layer.kind == "items" or layer.style == journals.LINES else ".md"
    if layer.kind in _KINDS and not layer.path.endswith(suffix):
        yield f"{at}.path is {layer.path!r}; a file of {layer.kind} ends in {suffix}."
    if layer.kind == "topics" and not set(_NEEDS["topics"]) & set(fields):
        yield f"{at}.path is {layer.path!r}; topics are one file each, so it holds {{topic}} or {{session}}."
    if layer.kind in {"journals", "items"} and "month" in fields and not {"year", "date"} & set(fields):
        yield f"{at}.path is {layer.path!r}, one file for this month of every year; add {{year}}."
    if layer.style == "daily" and layer.kind == "journals" and "date" not in fields:
        yield f"{at}.style is 'daily', which writes the time alone, so its path needs {{date}}; or use 'history'."
    if layer.types and layer.kind not in {"topics", "items"}:
        yield f"{at}.types is of no use here; only topics and items say in their files what they are."
    for kind in layer.types:
        if kind != "topic" and kind not in layout.targets:
            yield f"{at}.types has {kind!r}; add it to targets too, so that there are statements of this kind."
    if layer.kind == "documents" and {"topic", "session"} & set(fields):
        yield f"{at}.path is {layer.path!r}; a document is one file: make {layer.name} a layer of topics."
    if layer.kind in _STYLES:
        yield from _one_of(f"{at}.style", layer.style, _STYLES[layer.kind])
    if not math.isfinite(layer.weight) or not 0 <= layer.weight <= 10:
        yield f"{at}.weight is {layer.weight}; use a number from 0 (kept out of recall) to 10."
    yield from _cap(layout, layer, at)


def _taken(layout: Layout, layer: Layer, at: str) -> Iterator[str]:
    """Yield that a layer's files are those of a layer before it, transcripts, or another scope's."""
    path = f"{layout.memory}/{layer.path}" if layout.memory else layer.path
    for field, folder in (("sessions", layout.sessions), ("scopes.path", layout.scopes.path.partition("{scope}")[0])):
        if folder and path.startswith(f"{folder.rstrip('/')}/"):
            yield f"{at}.path is {layer.path!r}, in the folder of {field}; use another folder."
    sample = re.sub(r"\{(\w*)\}", lambda field: _SAMPLES.get(field[1], "x"), path)
    known = {field for each in layout.layers for field in re.findall(r"\{(\w*)\}", each.path)} <= FIELDS.keys()
    before = layout.layer_of(sample) if known else None
    if before is not None and before is not layer and before.path.casefold() != layer.path.casefold():
        yield f"{at}.path is {layer.path!r}, which {before.name!r} has too; put {layer.name!r} before it in layers."


def _cap(layout: Layout, layer: Layer, at: str) -> Iterator[str]:
    number, _, unit = layer.cap.partition(" ")
    if layer.cap and not (number.isascii() and number.isdigit() and int(number) and unit in get_args(Unit)):
        yield f"{at}.cap is {layer.cap!r}; use a number and a unit, such as '1500 chars', '8192 bytes' or '400 tokens'."
    for field in ("cap", "overflow", "compress"):
        if getattr(layer, field) and layer.kind != "documents":
            yield f"{at}.{field} is of no use here; only documents have a cap."
        elif getattr(layer, field) and not layer.cap:
            yield f"{at}.{field} needs a cap, such as '1500 chars'."
    yield from _other_layer(layout, f"{at}.overflow", layer.overflow, "documents")
    if layer.overflow and any(
        each.name == layer.overflow and (layout.part(each) or each.cap) for each in layout.layers
    ):
        yield f"{at}.overflow is {layer.overflow!r}; name a layer that is neither shown nor capped."


def _other_layer(layout: Layout, field: str, name: str, *kinds: str) -> Iterator[str]:
    if not name:
        return
    other = next((each for each in layout.layers if each.name == name), None)
    if other is None:
        yield from _one_of(field, name, _layers(layout))
    elif other.kind not in kinds:
        yield f"{field} is {name!r}, a layer of {other.kind}; it names a layer of {' or '.join(kinds)}."


def _targets(layout: Layout) -> Iterator[str]:
    names = {layer.name: layer for layer in layout.layers}
    for kind, name in layout.targets.items():
        if name not in names:
            yield from _one_of(f"targets.{kind}", name, names)
        elif kind == "journal" and names[name].kind != "journals":
            yield f"targets.journal is {name!r}, a layer of {names[name].kind}; it names a layer of journals."
        elif kind == "topic" and names[name].kind != "topics":
            yield f"targets.topic is {name!r}, a layer of {names[name].kind}; it names a layer of topics."
        elif kind not in {"journal", "topic", "failure"} and names[name].kind == "journals":
            yield f"targets.{kind} is {name!r}, a layer of journals; statements go to documents, items or topics."
    for kind in layout.targets:
        if kind.endswith("s") and (one := kind.removesuffix("s")) in {*STATED, "journal", "topic"}:
            yield f"targets has {kind!r}, which nothing is called; write {one!r}."
    if "fact" not in layout.targets:
        yield "targets has no 'fact'; say which layer takes a plain fact, as `remember` needs it."


def _references(layout: Layout, abilities: Abilities) -> Iterator[str]:
    for row in layout.prompt:
        yield from _section(layout, row, abilities)
    for rule in layout.add:
        yield from _add_rule(layout, rule, abilities)
    for made in layout.generated:
        yield from _generated(layout, made, abilities)
    yield from _tool(layout, abilities)


def _section(layout: Layout, row: PromptSection, abilities: Abilities) -> Iterator[str]:
    at = f"prompt.{row.title.strip() or row.renderer}"
    yield from _one_of(f"{at}.renderer", row.renderer, abilities.renderers)
    yield from _one_of(f"{at}.part", row.part, get_args(get_type_hints(PromptSection)["part"]))
    if row.unless and row.unless not in {each.title for each in layout.prompt[: layout.prompt.index(row)]}:
        yield f"{at}.unless is {row.unless!r}; name the title of a section that comes before it."
    if not row.title.strip():
        yield f"{at}.title is empty; give the section a heading, such as 'Memory'."
    yield from _each_of(f"{at}.of", row.of, get_args(LayerName) if row.renderer == "recall" else _layers(layout))
    wanted = _SHOWS.get(row.renderer)
    for layer in (each for each in layout.layers if each.name in row.of and row.renderer != "recall"):
        if wanted and layer.kind != wanted:
            yield f"{at}.renderer is {row.renderer!r}, which shows {wanted}; {layer.name!r} is a layer of {layer.kind}."
        elif row.renderer in {"entries", "facts"} and {"topic", "session"} & set(re.findall(r"\{(\w*)\}", layer.path)):
            yield f"{at}.of has {layer.name!r}, which is many files; show them with the renderer 'tree' or 'index'."
    if row.renderer in _OF_SESSION and row.of:
        yield f"{at}.of is of no use here; the renderer {row.renderer!r} writes of the session."
    if row.renderer in {"entries", "recall", *_SHOWS} and not row.of:
        yield f"{at}.of is empty; name what the renderer {row.renderer!r} writes."
    if row.renderer in {"recall", "surfaced"} and row.part != "volatile":
        yield f"{at}.part is {row.part!r}; what is chosen by the question is 'volatile'."
    listed = [each for each in layout.generated if each.form == "index"]
    if row.renderer == "index" and not any({*each.of} & {*row.of} for each in listed):
        yield f"{at}.renderer is 'index', but generated has no index of {', '.join(row.of)}; add one."
    if row.renderer == "pointers" and not any(each.into in row.of for each in listed):
        yield f"{at}.renderer is 'pointers', but generated has no index that goes into {', '.join(row.of)}; add one."
    if row.head.count("{") != len(re.findall(r"\{(?:percent|used|limit)\}", row.head)):
        yield f"{at}.head is {row.head!r}; its fields are {{percent}}, {{used}} and {{limit}}."
    yield from _knobs_of(layout, at, (*row.when.split("+"), row.limit))


def _tool(layout: Layout, abilities: Abilities) -> Iterator[str]:
    tool = layout.tool
    places = [*layout.targets, *(layer.name for layer in layout.layers)]
    names = [each.name for each in tool.actions]
    for name in (tool.name, *names):
        if not _TOOL.fullmatch(name):
            yield f"tool has the name {name!r}; use letters, digits, _ and -, as models' tools are called."
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"tool.actions has {name!r} more than once; give each its own name."
    if not names:
        yield "tool.actions is empty; leave out the tool to get the usual five."
    for each in tool.actions:
        at = f"tool.actions.{each.name}"
        yield from _one_of(f"{at}.verb", each.verb, abilities.verbs)
        verb = abilities.verbs.get(each.verb)
        parameters = (*verb.needs, *verb.takes) if verb else ()
        for field in ("needs", "names", "fixed") if verb else ():
            yield from _each_of(f"{at}.{field}", getattr(each, field), parameters)
        needed = (*verb.needs, *each.needs) if verb else ()
        for seen in ((tool.names | each.names).get(name, name) for name in needed if name not in each.fixed):
            if seen not in tool.parameters:
                yield f"tool.parameters has no {seen!r}, which {at} needs; say there what it means."
        target = each.fixed.get("target")
        if target and target not in tool.targets:
            yield from _one_of(f"{at}.fixed.target", target, places)
    known = {name for each in abilities.verbs.values() for name in (*each.needs, *each.takes)}
    yield from _each_of("tool.names", tool.names, known)
    taken = {
        *known,
        *AgentTool().parameters,
        *tool.names.values(),
        *(n for each in tool.actions for n in each.names.values()),
    }
    for name in sorted(tool.parameters.keys() - taken):
        yield f"tool.parameters has {name!r}, which no action takes; names says which parameter of a verb it is."
    for word, name in tool.targets.items():
        yield from _one_of(f"tool.targets.{word}", name, places)


def _add_rule(layout: Layout, rule: AddRule, abilities: Abilities) -> Iterator[str]:
    at = f"add.{rule.rule}"
    yield from _one_of(f"{at}.rule", rule.rule, abilities.add_rules)
    for name in rule.of:
        yield from _other_layer(layout, f"{at}.of", name, *_RULES.get(rule.rule, _KINDS))
    if not rule.of:
        yield f"{at}.of is empty; name the layers that it is for."
    if rule.rule == "mirror" and len(rule.of) == 1:
        yield f"{at}.of is one journal; name first the one that is written, then those that get the same."


def _generated(layout: Layout, made: Generated, abilities: Abilities) -> Iterator[str]:
    at = f"generated.{made.form}"
    yield from _one_of(f"{at}.form", made.form, abilities.forms)
    for name in made.of:
        yield from _other_layer(layout, f"{at}.of", name, "topics")
    if not made.of:
        yield f"{at}.of is empty; name the layers of topics that it is made from."
    if made.form == "index":
        if not made.into:
            yield f"{at}.into is empty; name the document that takes the index."
        yield from _other_layer(layout, f"{at}.into", made.into, "documents")
    elif made.into and made.form == "rows":
        yield f"{at}.into is of no use here; rows are beside their topics."


def _job(layout: Layout, job: Job, abilities: Abilities) -> Iterator[str]:
    at = f"jobs.{job.name}"
    for field in ("range", "failure"):
        yield from _one_of(f"{at}.{field}", getattr(job, field), get_args(get_type_hints(Job)[field]))
    window = job.range == "window"
    if window and sum(each.range == "window" for each in layout.jobs) > 1:
        yield f"{at} is the second job on the window; a layout has one."
    if job.consolidator or not window:
        yield from _one_of(f"{at}.consolidator", job.consolidator, abilities.consolidators)
    made = abilities.consolidators.get(job.consolidator)
    if made is not None and made.window != window:
        suits = "summarises what leaves a window" if made.window else "reads ranges of messages"
        yield f"{at}.consolidator is {job.consolidator!r}, which {suits}; its range is {job.range!r}."
    if job.failure == "raw" and "journal" not in layout.targets:
        yield f"{at}.failure is 'raw', but targets has no 'journal' that takes the raw entry; add one or use 'again'."
    yield from _each_of(f"{at}.writes", job.writes, _layers(layout))
    written = [layer for layer in layout.layers if layer.name in job.writes]
    if job.consolidator == "episodes" and not any("{session}" in layer.path for layer in written):
        yield f"{at}.consolidator is 'episodes'; have it write a layer of topics that has {{session}} in its path."
    if any(layer.kind == "journals" for layer in written):
        yield f"{at}.writes names a journal; what happened goes to the journal of targets by itself."
    if job.lock and (job.range != "none" or not _LOCK.fullmatch(job.lock)):
        yield f"{at}.lock is {job.lock!r}; it is the name of a file such as '.lock', of a job with the range 'none'."
    if job.yields and job.range in {"none", "window"}:
        yield f"{at}.yields is of no use here; only a job on what was said passes over what the agent wrote."
    if not 0 <= job.rounds <= _MOST_ROUNDS:
        yield f"{at}.rounds is {job.rounds}; use 0 (one answer) to {_MOST_ROUNDS}."
    yield from _each_of(f"{at}.omits", job.omits, layout.targets)
    if job.rounds and job.consolidator in _ONE_ANSWER:
        yield f"{at}.rounds is {job.rounds}, but {job.consolidator!r} gives one answer; use the consolidator 'rounds'."
    if job.prompt and "\n" not in job.prompt and job.prompt not in abilities.prompts:
        ours = ", ".join(sorted(map(repr, abilities.prompts)))
        yield f"{at}.prompt is {job.prompt!r}; use one of {ours}, or a text of several lines."
    if job.range == "none" and (job.failure == "raw" or job.together):
        yield f"{at} has the range 'none', so failure and together are of no use; leave them out."
    known = abilities.scope_triggers if job.range == "none" else abilities.triggers
    yield from _knobs_of(layout, f"{at}.when", job.when.split("+"))
    for trigger in job.triggers:
        yield from _each_of(f"{at}.triggers.when", trigger.names, known)
        for limit in trigger.limits:
            if not NUMBER.fullmatch(limit) and limit not in Config().consolidation.__struct_fields__:
                yield f"{at}.triggers.over is {limit!r}; use a number, or a knob of consolidation such as 'turns'."
        wanted = sum(name not in _EVENTS for name in trigger.names)
        if len(trigger.limits) != wanted:
            counts = ("no limit; leave it out", "one limit, such as 6", f"{wanted} limits, one each, such as '24+600'")
            yield f"{at}.triggers.over is {trigger.over!r}; {trigger.when!r} has {counts[min(wanted, 2)]}."


def _knobs(layout: Layout) -> Iterator[str]:
    for name, (paths, factor) in layout.config.names.items():
        yield from _knobs_of(layout, f"config.names.{name}", paths.split("+"))
        if not math.isfinite(factor) or factor <= 0:
            yield f"config.names.{name} has the factor {factor}; use a number above 0."
    for name, preset in layout.config.presets.items():
        yield from _knobs_of(layout, f"config.presets.{name}", preset)
    for path, value in layout.config.defaults.items():
        knob = _knob(layout, path)
        if knob is None:
            yield from _knobs_of(layout, "config.defaults", [path])
        elif isinstance(value, bool) != isinstance(knob, bool) or not isinstance(value, type(knob) | int):
            yield f"config.defaults.{path} is {value!r}; write {_SORTS[type(knob)]}, such as {knob!r}."
        elif not isinstance(value, str) and value < 0:
            yield f"config.defaults.{path} is {value!r}; no knob is below 0."


def _knob(layout: Layout, path: str) -> object:
    if path in {f"limits.{layer.name}" for layer in layout.layers if layer.cap}:
        return 1
    found: object = Config()
    for part in path.split("."):
        if not isinstance(found, msgspec.Struct) or part not in found.__struct_fields__:
            return None
        found = getattr(found, part)
    return None if isinstance(found, msgspec.Struct) else found
