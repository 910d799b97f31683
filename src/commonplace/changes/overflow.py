"""Where entries go that a shown document has no room for: into another document, in the same change.

Nothing is refused for want of room where the layout says where entries go. An entry that is larger than the cap moves
first, then what was superseded or is over, then an entry that takes more than half of the room, then preferences,
then all else, the oldest first; what a person wrote follows, and standing instructions and safety matters stay. How
often recall gave an entry out is not counted, so that reading writes nothing: of two entries the older one moves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import msgspec

from commonplace.changes.parts import Parts
from commonplace.changes.payload import Added
from commonplace.changes.plan import Plan, files_of
from commonplace.errors import InputError
from commonplace.layouts.codecs.documents import Cap, cap_of
from commonplace.layouts.schema import Layer
from commonplace.operations import AddEntry, RemoveEntry
from commonplace.records import Problem, Record
from commonplace.text import content, times
from commonplace.text.likeness import decide
from commonplace.text.standing import is_standing

_SLACK = 2  # a layer that consolidations shorten is left to them up to so many times its cap
_COMMON = 16  # a word that more entries have does not make two of them speak of the same


class Overflow:
    """Keeps the shown documents of one scope inside their caps."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def relieve(self, plan: Plan) -> list[str]:
        """Move entries out of each document that the plan makes larger than its cap lets it be.

        An entry that had moved away and is corrected comes back first: what was spoken of just now is shown.

        Returns:
            A sentence for each entry that the plan adds and that moves on at once.
        """
        asked = {added.id: _path(added.id) for added in plan.added}
        self._bring_back(plan)
        for path, rope in list(plan.ropes.items()):
            layer = self._parts.layout.layer_of(path)
            if layer is None or not layer.overflow or not rope.changed or not plan.exists(path):
                continue
            cap = _most(layer, self._parts.config.limits)
            if cap is not None:
                self._relieve(plan, layer, path, cap)
        went = {path: _path(moved) for record, path in asked.items() if (moved := plan.successors.get(record))}
        return [f"{path} has no room for it: {to} keeps it, where recall finds it" for path, to in went.items()]

    def _bring_back(self, plan: Plan) -> None:
        """Move entries that were corrected where they had moved to back into the document that they came from."""
        corrected = {added.id for added in plan.added} & set(plan.successors.values())
        for path in list(plan.ropes):
            layer = self._parts.layout.layer_of(path)
            shown = [each for each in self._parts.layout.layers if layer is not None and each.overflow == layer.name]
            if layer is None or not shown or not corrected:
                continue
            for record in [each for each in plan.records(layer, path, plan.rope(path).data) if each.id in corrected]:
                section = getattr(record, "section", "")
                home = next((each for each in shown if self._parts.layout.title(each) == section), None)
                home = home or next((each for each in shown if each.style != "separator"), shown[0])
                under = "" if section == self._parts.layout.title(home) or home.style == "separator" else section
                self._move(plan, layer, record, path, to=home, section=under)

    def _relieve(self, plan: Plan, layer: Layer, path: str, cap: Cap) -> None:
        rope = plan.rope(path)
        # Trigger: an editor made the file too large. Its text stays, and what changes add to it moves on.
        theirs = cap.over(_text(rope.original)) > 0
        if theirs:
            cap = msgspec.structs.replace(cap, limit=cap.size(_text(rope.original)))
        if cap.over(_text(rope.data)) <= 0:
            return
        records = plan.records(layer, path, rope.data)
        ours = [each for each in records if not theirs or self._is_ours(plan, each)]
        for record in self._order(plan, ours, cap):
            try:
                section = getattr(record, "section", "") or self._parts.layout.title(layer)
                self._move(plan, layer, record, path, to=self._parts.layout.layer(layer.overflow), section=section)
            except InputError:
                continue  # it cannot be taken out without making others read otherwise
            if cap.over(_text(rope.data)) <= 0:
                return

    def _order(self, plan: Plan, records: Sequence[Record], cap: Cap) -> Iterator[Record]:
        """Yield the entries that may move, in the order in which they do."""
        made = {record.id: self._made(plan, record) for record in records}
        size = {record.id: cap.size(record.text) for record in records}
        movable = [
            record
            for record in records
            if size[record.id] > cap.limit or not is_standing(record.text, made[record.id].kind)
        ]
        old = superseded(movable)
        old |= {record.id for record in movable if self._is_over(plan, record)}
        age = {record.id: (self._age(plan, record), place) for place, record in enumerate(movable)}

        def order(record: Record) -> tuple[object, ...]:
            large, over_half = size[record.id] > cap.limit, 2 * size[record.id] > cap.limit
            # A question about a liking names it; where one lives matters to any.
            whose = made[record.id].person, made[record.id].kind != "preference"
            return not large, record.id not in old, not over_half, whose, age[record.id]

        yield from sorted(movable, key=order)

    def _is_over(self, plan: Plan, record: Record) -> bool:
        """True if an entry names a day that was still to come when it was written and is past now."""
        written = self._parts.ledger.written_at(record.id) or plan.at
        last = max((end for _, end in times.ranges(record.text, written)), default=written)
        return written < last <= plan.at

    def _is_ours(self, plan: Plan, record: Record) -> bool:
        """True if a change wrote an entry, not an editor."""
        if any(added.id == record.id for added in plan.added):
            return True
        made = self._parts.ledger.made(record.id)
        change = self._parts.ledger.change(made[0]) if made is not None else None
        return change is not None and "outside" not in change.kinds

    def _made(self, plan: Plan, record: Record) -> Added:
        """Return as what an entry was made: in this change, by an earlier one, or outside before the log."""
        for added in reversed(plan.added):
            if added.id == record.id:
                return added
        made = self._parts.ledger.made(record.id)
        if made is not None:
            return made[1]
        rank = self._parts.reader.rank(record.id)
        return Added(record.id, record.text, rank, person=rank == "user")

    def _age(self, plan: Plan, record: Record) -> int:
        if any(added.id == record.id for added in plan.added):
            return self._parts.ledger.newest + 1
        made = self._parts.ledger.made(record.id)
        return made[0] if made else 0

    def _move(self, plan: Plan, layer: Layer, record: Record, path: str, *, to: Layer, section: str) -> None:
        """Move an entry from one document into another, with everything known of it."""
        into = files_of(self._parts.layout, to, plan.at)
        made = self._made(plan, record)
        trust = self._parts.ledger.promoted(record.id) or made.trust
        taken = RemoveEntry(path=path, target=record.id)
        kept = AddEntry(
            path=into,
            text=record.text,
            section=section,
            kind=made.kind,
            sources=made.sources,
            quotes=made.quotes,
            trust=trust,
        )
        removal, addition = plan.work_out(taken, layer, path), plan.work_out(kept, to, into)
        moved = addition.duplicate or addition.added[0][0]
        removal = msgspec.structs.replace(removal, removed=(), successors={record.id: moved})
        plan.edit(taken, removal, path, trust=trust, person=made.person)
        plan.added = [added for added in plan.added if added.id != record.id]
        if not addition.duplicate:
            plan.edit(kept, addition, into, trust=trust, person=made.person)


def over_caps(parts: Parts) -> Iterator[Problem]:
    """Yield the shown documents that hold more than they may, of what does not move: a person has to shorten them."""
    for layer in parts.layout.layers:
        cap = _most(layer, parts.config.limits) if layer.overflow else None
        path = parts.layout.path_of(layer) if cap is not None else ""
        if cap is not None and (over := cap.over(_text(parts.reader.data(path) or b""))) > 0:
            reason = (
                f"holds {cap.limit + over} {cap.unit} and may have {cap.limit}: standing instructions, safety matters "
                "or an edit made outside; shorten it, new entries of other kinds go where they are not shown"
            )
            yield Problem(kind="limit", path=path, reason=reason)


def _most(layer: Layer, limits: Mapping[str, int]) -> Cap | None:
    """Return how much a layer may hold before entries move; None if it has no cap."""
    cap = cap_of(layer, limits)
    return msgspec.structs.replace(cap, limit=cap.limit * _SLACK) if cap is not None and layer.compress else cap


def superseded(records: Sequence[Record]) -> set[str]:
    """Return the ids of the entries that a later one of the same document says otherwise.

    Only entries that share a word few others have are compared, so the work grows with their number, not its square.
    """
    words = [content.keywords(record.text) for record in records]
    holding: dict[str, list[int]] = {}
    for place, held in enumerate(words):
        for word in held:
            holding.setdefault(word, []).append(place)
    pairs = {pair for places in holding.values() if len(places) <= _COMMON for pair in combinations(places, 2)}
    return {
        records[old].id
        for old, new in pairs
        if 2 * len(words[old] & words[new]) >= min(len(words[old]), len(words[new]))
        and decide(records[old].text, records[new].text).kind == "supersedes"
    }


def _path(record: str) -> str:
    return record.partition("#")[0]


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")
