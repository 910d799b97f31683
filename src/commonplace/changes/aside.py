"""Where a statement goes that may not always be shown: to a layer that recall covers, with its trust.

The journal takes it; a layout without one has a topic for such statements. Pure but for reading that topic.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final

from commonplace.changes.plan import files_of
from commonplace.changes.reader import Reader
from commonplace.layouts.schema import Layout
from commonplace.operations import AddEntry, AppendJournal, Edit, PutTopic
from commonplace.records import Topic, Trust, lowest_trust

UNVERIFIED: Final = "+unverified"
"""The name of the topic; no session and no topic of another can have it."""


def aside(operation: AddEntry, trust: Trust, layout: Layout, reader: Reader, at: datetime) -> Edit | None:
    """Return the operation that keeps an entry where recall finds it; None if the layout has no such place."""
    journal = layout.targets.get("journal", "")
    if journal:
        path = files_of(layout, layout.layer(journal), at)
        return AppendJournal(path=path, text=operation.text, sources=operation.sources, trust=trust)
    layer = next((layer for layer in layout.layers if layer.kind == "topics" and not layer.person_only), None)
    if layer is None:
        return None
    path = layout.path_of(layer, session=UNVERIFIED, topic=UNVERIFIED, category=UNVERIFIED)
    known = next((record for record in reader.records(path) if isinstance(record, Topic)), None)
    body = f"{known.body.rstrip()}\n- {operation.text}\n" if known else f"- {operation.text}\n"
    trusts = [trust, reader.trust(known)] if known else [trust]
    return PutTopic(
        path=path,
        title="Unverified",
        description="What was read, not said; a person has to confirm it",
        body=body,
        sources=operation.sources,
        trust=lowest_trust(trusts),
    )
