"""The consolidator that asks no model: what plain statements of a person say, put where the layout wants it."""

from __future__ import annotations

from typing import Final, cast

from commonplace.jobs.consolidators.work import Work
from commonplace.jobs.rules import proposing
from commonplace.jobs.rules.memos import Known, Place, Targets
from commonplace.operations import Proposal

_ITEM_FIELDS: Final = {"text": "content", "kind": "type"}


def propose(work: Work) -> Proposal:
    """Propose without a model."""
    places: dict[str, Place] = {}
    for kind, path in work.places.items():
        items = path.endswith(".jsonl")
        places[kind] = Place(path=path, form="item" if items else "entry", fields=_ITEM_FIELDS if items else {})
    known = [Known(entry.id, entry.path, entry.text) for entry in work.view.entries]
    targets = cast("Targets", places)  # kinds a layout names beyond those of the rules are never asked for
    return proposing.propose(work.view.messages, session=work.session, zone=work.zone, targets=targets, existing=known)
