"""What of one scope enters a prompt unasked: the sections that its layout lists, in their order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from commonplace.changes.parts import Parts
from commonplace.config import knob
from commonplace.layouts.codecs.documents import cap_of
from commonplace.layouts.schema import PromptSection
from commonplace.recall.prompt.filling import Draft, Shown
from commonplace.recall.prompt.frozen import Frozen
from commonplace.recall.prompt.page import Page, paths_of
from commonplace.recall.prompt.renderers import JOINERS, RENDERERS
from commonplace.recall.surfacing import Surfacing

_SNAPSHOT_PARTS: Final = ("stable",)


class Sections:
    """Writes what a scope shows unasked."""

    def __init__(self, parts: Parts, surfacing: Surfacing) -> None:
        self._parts = parts
        self._surfacing = surfacing
        self._frozen = Frozen(parts)
        self._rows = [row for row in parts.layout.prompt if row.renderer != "recall"]
        self._renderers = {row.renderer: RENDERERS[row.renderer] for row in self._rows}

    def look(self) -> None:
        """Notice edits made outside in the files that are shown."""
        self._parts.drift.glance(paths_of(Page(self._parts), self._rows))

    def drafts(self, session: str | None, question: str = "") -> tuple[Draft, ...]:
        """Return the sections for a session and a question, as they enter its prompt; none of a foreign memory."""
        if not self._parts.config.enabled or self._parts.foreign:
            return ()
        self.look()
        self._parts.ledger.catch_up()
        exists = session is not None and self._parts.sessions.exists(session)
        found: tuple[Shown, ...] = ()
        if any(row.renderer == "surfaced" and self._is_on(row) for row in self._rows):
            found = tuple(self._surfacing.attached(session, question))
        page = Page(self._parts, session if exists else None, question, surfaced=found)
        frozen = page
        if session is not None and (rows := [row for row in self._rows if row.part == "frozen" and self._is_on(row)]):
            frozen = msgspec.structs.replace(page, past=self._frozen.texts(session, paths_of(page, rows)))
        return tuple(self._made(page, frozen))

    def always_shown(self) -> tuple[Draft, ...]:
        """Return the sections that are always shown as they are now, for a reader that has no session."""
        if self._parts.foreign:
            return ()
        page = Page(self._parts)
        return tuple(draft for draft in self._made(page, page) if draft.part in _SNAPSHOT_PARTS)

    def thaw(self, session: str) -> None:
        """Begin the frozen sections of a session again with its next prompt."""
        self._frozen.thaw(session)

    def _is_on(self, row: PromptSection) -> bool:
        return all(knob(self._parts.config, name) for name in row.when.split("+") if name)

    def _made(self, page: Page, frozen: Page) -> Iterator[Draft]:
        heads: set[str] = set()
        shown: set[str] = set()
        for row in self._rows:
            own = frozen if row.part == "frozen" or not row.of else page
            wanted = self._is_on(row) and row.unless not in shown
            entries = tuple(self._renderers[row.renderer](own, row)) if wanted else ()
            if not entries:
                continue
            shown.add(row.title)
            heading = row.heading
            if row.head and row.head not in heads:
                heads.add(row.head)
                heading = f"{self._head(own, row.head)}\n{heading or f'## {row.title}'}"
            limit = int(knob(self._parts.config, row.limit)) if row.limit else 0
            yield Draft(
                row.title,
                "stable" if row.part in {"stable", "frozen"} else "volatile",
                entries,
                limit,
                heading=heading,
                joiner=JOINERS.get(row.renderer, "\n"),
                live=row.part == "live",
            )

    def _head(self, page: Page, head: str) -> str:
        """Return a head with its fields filled in: how full the capped layers of its sections are."""
        used = most = 0
        for row in self._rows:
            for place, layer in enumerate(page.layers(row) if row.head == head else ()):
                text = page.data(page.path(layer)).decode("utf-8", "replace")
                cap = cap_of(layer, self._parts.config.limits)
                if cap is not None and (text.strip() or not place):  # one that goes before others counts if it is used
                    used += cap.size(text)
                    most += cap.limit
        return head.format(percent=round(100 * used / most) if most else 0, used=used, limit=most)


def headless(drafts: Sequence[Draft]) -> list[Draft]:
    """Return sections without the lines above their own heading."""
    return [msgspec.structs.replace(draft, heading=draft.heading.rpartition("\n")[2]) for draft in drafts]
