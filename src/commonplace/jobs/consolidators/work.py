"""What every consolidator is given, and what it gives back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, tzinfo

import msgspec

from commonplace.changes.plan import files_of
from commonplace.config import Config
from commonplace.jobs.rules.memos import Known, Place
from commonplace.layouts.schema import Job, Layer, Layout
from commonplace.models.protocol import LLM
from commonplace.models.reading import Unusable
from commonplace.operations import Edit, Proposal, View, ViewEntry
from commonplace.records import Record


class Answer(msgspec.Struct, frozen=True):
    """What was found for one thing that a consolidator asked to read or search: lines, each with its number."""

    asked: str
    lines: tuple[str, ...]


class Work(msgspec.Struct, frozen=True, kw_only=True):
    """One range of one session, with what may be touched and within which limits.

    `view.messages` is the range. `places` says where a memory of which kind goes; a layer that takes no kind is
    there under its own name. `seconds` is what is left of the deadline. `documents` are the texts of the documents
    it may rewrite, by path; of a long one only its end. `model` is asked in place of the one of `llm`. `rounds` is how
    often it may still ask to read and search; `answers` is what it was given, `proposed` what it proposed so far.
    `listed` is the view before anything was asked for, `view` what the numbers of all of it mean. `records` gives the
    records of a file that may enter a prompt, `topics` those of a layer, `only_noted` what the rules noted in the
    journal alone. `at` is now. `people` are those who spoke in its session and in those that its entries rest on; none
    if the memory has an owner. `reads` are files to read first. `summary` replaces what was said before the messages of
    a window.
    """

    session: str
    view: View
    listed: View
    places: Mapping[str, Place]
    default_path: str
    zone: tzinfo
    seconds: float
    message_tokens: int
    max_tokens: int
    layout: Layout
    at: datetime
    cause: str = ""
    documents: Mapping[str, str] = {}
    llm: LLM | None = None
    model: str | None = None
    job: Job
    foreground: bool = True
    config: Config
    records: Callable[[str], Sequence[Record]]
    only_noted: Callable[[], Sequence[Known]] = tuple
    topics: Callable[[str], Sequence[ViewEntry]] = lambda _: ()
    rounds: int = 0
    answers: tuple[Answer, ...] = ()
    proposed: tuple[Edit, ...] = ()
    reads: tuple[str, ...] = ()
    people: frozenset[str] = frozenset()
    summary: str = ""

    def file(self, kind: str, at: datetime | None) -> str:
        """Return the file that takes what is stated of a kind at an instant; empty if the layout has none."""
        name = self.layout.targets.get(kind, "")
        when = (at or self.at).astimezone(self.zone)
        return files_of(self.layout, self.layout.layer(name), when) if name else ""

    def items(self, kind: str) -> Layer | None:
        """Return the layer of items that takes what is stated of a kind; None if it is none."""
        layer = self.layout.layer(self.layout.targets[kind]) if kind in self.layout.targets else None
        return layer if layer is not None and layer.kind == "items" else None


class Consolidator(msgspec.Struct, frozen=True):
    """A function that turns a range into a proposal, or says why it cannot.

    It raises only ModelError. If `Work.llm` is None it does what it can without a model. `asks` says whether it may
    ask one: what never does is done before the next context. `rewrites` has it given the texts of documents, and its
    ranges done one after the other. `window` says that it summarises what leaves a window.
    """

    propose: Callable[[Work], Proposal | Unusable]
    asks: bool = True
    rewrites: bool = False
    window: bool = False
