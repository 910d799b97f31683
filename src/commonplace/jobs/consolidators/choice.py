"""The consolidators of a range, by the name under which a layout chooses one."""

from __future__ import annotations

from typing import Final, cast

from commonplace.jobs.consolidators import rewrite, summarise
from commonplace.jobs.consolidators.work import Consolidator, Work
from commonplace.jobs.rules import proposing
from commonplace.jobs.rules.memos import Known, Place, Targets
from commonplace.operations import Proposal

_ITEM_FIELDS: Final = {"text": "content", "kind": "type"}


def by_rules(work: Work) -> Proposal:
    """Propose without a model."""
    places: dict[str, Place] = {}
    for kind, path in work.places.items():
        items = path.endswith(".jsonl")
        places[kind] = Place(path=path, form="item" if items else "entry", fields=_ITEM_FIELDS if items else {})
    known = [Known(entry.id, entry.path, entry.text) for entry in work.view.entries]
    targets = cast("Targets", places)  # kinds a layout names beyond those of the rules are never asked for
    return proposing.propose(work.view.messages, session=work.session, zone=work.zone, targets=targets, existing=known)


CONSOLIDATORS: Final[dict[str, Consolidator]] = {
    "rules": by_rules,
    "summarise": summarise.propose,
    "rewrite": rewrite.propose,
}
