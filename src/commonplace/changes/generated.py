"""What is made from topics in every change that moves one of them: index blocks and lists of rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Protocol

from commonplace.changes.listing import TopicIndex
from commonplace.changes.parts import Parts
from commonplace.changes.plan import Plan
from commonplace.changes.topic_rows import TopicRows
from commonplace.layouts.schema import Generated
from commonplace.text.installed import Installed


class Maker(Protocol):
    """Keeps one generated file in step."""

    document: str
    """The file, if an edit of topics from outside has it made again; else empty."""

    def lists(self, path: str) -> bool:
        """True if the file has a line for this topic."""

    def refresh(self, plan: Plan) -> str:
        """Bring the file up to the topics as planned, if the plan moves any; say what a person should know of it."""

    def renew(self, plan: Plan) -> None:
        """Bring the file up to the topics as they are; one that is not there is not made."""


FORMS: Final[Installed[Callable[[Parts, Generated], Maker]]] = Installed(
    "commonplace.forms", {"index": TopicIndex, "rows": TopicRows}
)
"""What can be generated, by name; an entry point of another package brings more."""


class GeneratedFiles:
    """The generated files of one scope."""

    def __init__(self, parts: Parts) -> None:
        layout = parts.layout
        self._makers = [FORMS[made.form](parts, made) for made in layout.generated]
        self.documents = [maker.document for maker in self._makers if maker.document]
        """The files that an edit of topics from outside has made again."""

    def lists(self, path: str) -> bool:
        """True if one of `documents` has a line for this topic."""
        return any(maker.document and maker.lists(path) for maker in self._makers)

    def refresh(self, plan: Plan) -> list[str]:
        """Bring every file up to the topics as planned; say what a person should know of them."""
        return [said for maker in self._makers if (said := maker.refresh(plan))]

    def renew(self, plan: Plan) -> None:
        """Update the files that exist to the topics as they are."""
        for maker in self._makers:
            maker.renew(plan)
