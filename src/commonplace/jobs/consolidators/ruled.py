"""The consolidator that asks no model: what plain statements of a person say, put where the layout wants it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, cast

import msgspec

from commonplace.jobs.consolidators.work import Work
from commonplace.jobs.rules import proposing
from commonplace.jobs.rules.memos import Known, Targets
from commonplace.operations import Proposal, ViewEntry

_ITEM_FIELDS: Final = {"text": "content", "kind": "type"}


def propose(work: Work) -> Proposal:
    """Propose without a model."""
    places = {
        kind: msgspec.structs.replace(place, fields=_ITEM_FIELDS) if place.form == "item" else place
        for kind, place in work.places.items()
    }
    targets = cast("Targets", places)  # kinds a layout names beyond those of the rules are never asked for
    at = next((each.message.at for each in reversed(work.view.messages) if each.message.at), None)
    return proposing.propose(
        work.view.messages, session=work.session, zone=work.zone, targets=targets, existing=known(work.view.entries),
        only_noted=work.only_noted, journal=work.file("journal", at), people=work.people, earlier=work.view.earlier,
    )  # fmt: skip


def known(entries: Iterable[ViewEntry]) -> list[Known]:
    """Return the entries of a view as the rules know them."""
    return [
        Known(entry.id, entry.path, entry.text, title, entry.by_hand or entry.said, entry.sources, entry.quotes, about)
        for entry in entries
        for title, about in [_headed(entry)]
    ]


def _headed(entry: ViewEntry) -> tuple[str, str]:
    title, _, description = entry.section.partition(": ") if entry.id == entry.path else ("", "", "")
    return title, description
