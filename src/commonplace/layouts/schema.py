"""Layouts: the five designs and our own, as data over one engine.

A layout says where each layer lives, how its text is read, what caps it, what enters the prompt
unasked and in which order, when jobs are due, and which tool the agent gets. It holds no code of its
own: what one layout alone needs is a named strategy in the stage that runs it, chosen here by name.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from functools import lru_cache
from typing import Final, Literal

import msgspec

from commonplace.records import LayerName, Trust

LayerKind = Literal["documents", "journals", "topics", "items"]

FIELDS: Final = {
    "year": r"\d{4}",
    "month": r"\d{2}",
    "date": r"\d{4}-\d{2}-\d{2}",
    "session": r"[^/]+",
    "project": r"[^/]+",
    "topic": r"[^/.][^/]*(?:/[^/.][^/]*)*",
}
"""What may stand in braces in the path of a layer, and what it matches in the name of a file."""


class Layer(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One layer of a layout: where its files are and what they are for.

    `path` is relative to the memory folder and may hold `{year} {month} {date} {session} {topic}`.
    `style` names how the codec of its kind reads it. `shown` says in which part of a context it
    stands unasked, `title` its heading there. `cap` says how much it may hold, as `1500 chars`, `8192 bytes`
    or `400 tokens`; the config's `limits` may give another number for a layer's name. Past the cap entries
    move to the document that `overflow` names; without one the edit is refused. `compress` has a
    consolidation asked to shorten the layer past its cap, and lets entries move only past twice the cap.
    `mirror` names a layer that gets every entry of a journal too. `listed` says that
    its topics stand in the generated index. `weight` scales its records in recall; 0 keeps them out.
    `person_only` keeps everyone but a person from changing it.
    `verbatim` shows a document as it is written, not as a list of its entries. `recall_from` is the least
    trust that recall gives out unasked; what is below waits for a person. `overrides` names the layer
    that this one goes before where both speak of the same.
    """

    name: str
    kind: LayerKind
    path: str
    style: str = ""
    shown: Literal["stable", "volatile", ""] = ""
    title: str = ""
    cap: str = ""
    overflow: str = ""
    compress: bool = False
    mirror: str = ""
    listed: bool = True
    weight: float = 1.0
    person_only: bool = False
    verbatim: bool = False
    recall_from: Trust = "web"
    overrides: str = ""


class Trigger(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """When a job is due.

    `when` names predicates, joined by `+` if all must hold; `over` names the knobs of the configuration's
    `consolidation` that they are compared with, in the same order.
    """

    when: str
    over: str = ""


class Job(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One job of a layout: when it is due, what it reads, who does it, and what happens if that fails.

    Attributes:
        name: Also the name of its cursor.
        consolidator: The function that turns the range into a proposal, by its name. Without a model the rules
            do it. Of a job on the window: `compact` has a model write a summary, nothing leaves none.
        triggers: It is due if one of them holds.
        range: `open` is what lies between the cursor and the end of a session, cut into parts; `session` all of
            it; `window` the part of the live window that leaves it.
        failure: `again` tries later and then takes the rules; `raw` writes a raw entry at the first failure.
        together: Short ranges of several sessions share a model call.
        alone: The jobs of all sessions run one after the other.
        keep: Of a job on the window: the knob that says how much of it stays, as messages or as a share.
    """

    name: str
    consolidator: str = ""
    triggers: tuple[Trigger, ...] = ()
    range: Literal["open", "session", "window"] = "open"
    failure: Literal["again", "raw"] = "again"
    together: bool = False
    alone: bool = False
    keep: Literal["keep_messages", "keep_share"] = "keep_messages"


class Layout(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One layout, whole.

    `memory` and `sessions` are folders below a scope's root; `scopes` is where scopes other than `default`
    have theirs. `targets` says which layer takes a memory of which kind. `index_of` names the document that
    carries the generated index of topics, if any. `recap` puts the live window into the context.
    `agent_edits_files` says that the agent has
    a file tool, so that an outside edit ranks `agent`. `config_names` maps the knobs of the layout's own
    document to ours (several joined by `+`), with the factor to our unit; `defaults` are its own values for
    knobs that stand at ours. `their_sessions` is the folder of transcripts that the system it comes from
    wrote; adopting reads them. `block` names how the shown layers are written into a prompt. `rows_of`
    names the topics whose `index.json` is kept in step. `merge_on_write` holds a new entry against those
    that are there. `tool` is what the agent's tool is called, `actions` which set of actions it has.
    """

    name: str
    layers: tuple[Layer, ...]
    targets: dict[str, str]
    memory: str = "memory"
    sessions: str = "sessions"
    scopes: str = "scopes/{scope}"
    index_of: str = ""
    recalls: tuple[LayerName, ...] = ("sessions", "documents", "journals", "topics", "items")
    recap: bool = False
    agent_edits_files: bool = False
    config_names: dict[str, tuple[str, float]] = msgspec.field(default_factory=dict)
    defaults: dict[str, int | float] = msgspec.field(default_factory=dict)
    their_sessions: str = ""
    jobs: tuple[Job, ...] = ()
    block: Literal["sections", "capped"] = "sections"
    rows_of: str = ""
    merge_on_write: bool = False
    tool: str = "memory"
    actions: Literal["records", "capped"] = "records"

    def job(self, *ranges: str) -> Job | None:
        """Return the first job on one of these kinds of range; None if the layout has none."""
        return next((job for job in self.jobs if job.range in ranges), None)

    def layer(self, name: str) -> Layer:
        """Give a layer by its name; KeyError where the layout has none of it."""
        return next(layer for layer in self.layers if layer.name == name)

    def layer_of(self, path: str) -> Layer | None:
        """Say which layer a stored file belongs to; None for what is no memory."""
        prefix = f"{self.memory}/" if self.memory else ""
        if not path.startswith(prefix):
            return None
        inside = path[len(prefix) :]
        return next((layer for layer in self.layers if _is_of(layer.path, inside)), None)

    def path_of(self, layer: Layer, **fields: str) -> str:
        """Give the stored path of a layer's file, its fields filled in."""
        inside = layer.path.format(**fields)
        return f"{self.memory}/{inside}" if self.memory else inside


def for_project(layout: Layout, project: str) -> Layout:
    """Give a layout with the files of one project; without a project it has none of such files.

    A project is any text that names it: an id, its git common directory, or its path.
    """
    name = hashlib.sha256(unicodedata.normalize("NFC", project).encode("utf-8", "surrogatepass")).hexdigest()[:16]
    bound = tuple(
        msgspec.structs.replace(layer, path=layer.path.replace("{project}", name))
        for layer in layout.layers
        if project or "{project}" not in layer.path
    )
    return msgspec.structs.replace(layout, layers=bound) if bound != layout.layers else layout


def _is_of(template: str, path: str) -> bool:
    """Say whether a stored path is one that a layer's path stands for; most are told apart without a pattern."""
    head, field, rest = template.partition("{")
    if not field:
        return path == template
    if not path.startswith(head) or not path.endswith(rest.rpartition("}")[2]):
        return False
    return pattern(template).fullmatch(path) is not None


@lru_cache(maxsize=256)
def pattern(path: str) -> re.Pattern[str]:
    """Compile a layer's path with its fields to a pattern for stored paths."""
    pieces = re.split(r"\{(\w+)\}", path)
    return re.compile("".join(FIELDS[piece] if i % 2 else re.escape(piece) for i, piece in enumerate(pieces)))
