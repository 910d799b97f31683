"""The agent's tool of capped facts, as its document has it: six actions, two targets, one message back.

Every answer is `success` with a `message`, or an `error` that says what to do: the sizes of a full file,
the number of entries that words match. Nothing here promotes, approves or undoes.

Source: seed facts, "Memory Tool: Unified API".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from commonplace.changes.actors import Actor
from commonplace.changes.new_entries import CONFLICT
from commonplace.jobs.consolidators.condense import condense
from commonplace.layouts.codecs.edits import split_id
from commonplace.memory.scope import Scope
from commonplace.memory.tool import WAITS, Action, Parameter, Tool
from commonplace.operations import AddEntry, Operation, RemoveEntry, ReplaceEntry
from commonplace.recall.select import select
from commonplace.records import Hit, Outcome, Query, Topic
from commonplace.text.pieces import fingerprint, truncate

TARGETS: Final = ("user", "env")
FOUND: Final = 8  # results of a search
_LISTED: Final = 60  # memories a model chooses from, at most
_TEXT_CHARS: Final = 1200  # of one result


def tool(scopes: Sequence[Scope], actor: Actor, *, read_only: bool) -> Tool:
    """Make the tool over some scopes, for who speaks through it; what it writes goes to the first."""
    use = _Use(scopes, actor)
    return Tool(
        scopes[0].layout.tool,
        "Manage persistent memory across sessions.",
        (
            Parameter("target", "For add/replace/remove/consolidate", TARGETS),
            Parameter("content", "For add/replace"),
            Parameter("old_text", "Unique substring for replace/remove"),
            Parameter("query", "For search — facts + episodes"),
        ),
        (
            Action("add", "keep a new fact", ("target", "content"), (), writes=True, run=use.add),
            Action(
                "replace",
                "put content in place of a fact",
                ("target", "content", "old_text"),
                (),
                writes=True,
                run=use.replace,
            ),
            Action("remove", "take a fact away", ("target", "old_text"), (), writes=True, run=use.remove),
            Action(
                "consolidate", "merge facts that belong together", ("target",), (), writes=True, run=use.consolidate
            ),
            Action("read", "show all facts", (), (), writes=False, run=use.read),
            Action("search", "find facts and episodes", ("query",), (), writes=False, run=use.search),
        ),
        read_only=read_only,
    )


class _Use:
    """What the actions do."""

    def __init__(self, scopes: Sequence[Scope], actor: Actor) -> None:
        self._actor = actor
        self._scopes = scopes
        self._scope = scopes[0]

    def add(self, asked: Mapping[str, str]) -> dict[str, Any]:
        off = self._off(asked)
        return off or _answer(self._commit(AddEntry(path=self._path(asked), text=asked["content"])), "added")

    def replace(self, asked: Mapping[str, str]) -> dict[str, Any]:
        if off := self._off(asked):
            return off
        path, old, new = self._path(asked), asked["old_text"], asked["content"]
        outcome = self._commit(ReplaceEntry(path=path, target=old, text=new))
        # Trigger: another entry says the new text already. Then the old one only has to go.
        if outcome.status == "duplicate" and fingerprint(self._meant(path, old)) != fingerprint(new):
            outcome = self._commit(RemoveEntry(path=path, target=old))
        return _answer(outcome, "replaced")

    def remove(self, asked: Mapping[str, str]) -> dict[str, Any]:
        off = self._off(asked)
        return off or _answer(self._commit(RemoveEntry(path=self._path(asked), target=asked["old_text"])), "removed")

    def consolidate(self, asked: Mapping[str, str]) -> dict[str, Any]:
        if off := self._off(asked):
            return off
        scope, path = self._scope, self._path(asked)
        scope.door.look([path])
        outcome = condense(
            path,
            [entry for entry in scope.views.entries(path) if not entry.user_authored],
            door=scope.door,
            llm=scope.llm if scope.config.facts.llm_consolidate else None,
            config=scope.config,
            actor=self._actor,
        )
        if outcome.status == "unchanged":
            return {"success": True, "message": "nothing to merge"}
        return _answer(outcome, "consolidated")

    def read(self, asked: Mapping[str, str]) -> dict[str, Any]:
        if off := self._off(asked):
            return off
        parts = []
        for scope in self._scopes:
            for row in scope.layout.prompt:
                for place, layer in enumerate(map(scope.layout.layer, row.of)):
                    path = scope.layout.path_of(layer)
                    scope.door.look([path])
                    text = "\n§\n".join(record.text for record in scope.reader.told(scope.reader.records(path)))
                    if text or not place:
                        whose = " (this project)" if place else ""
                        parts.append(f"── {row.title}{whose} ──\n{text or '(empty)'}")
        return {"success": True, "message": "\n".join(parts)}

    def search(self, asked: Mapping[str, str]) -> dict[str, Any]:
        if off := self._off(asked):
            return off
        found = [text for scope in self._scopes for text in found_in(scope, asked["query"])]
        return {"success": True, "message": "\n\n".join(found[:FOUND]) or "nothing found"}

    def _off(self, asked: Mapping[str, str]) -> dict[str, Any] | None:
        if not self._scope.config.facts.enabled:
            return {"success": False, "error": "memory is switched off in the configuration (enabled)"}
        target = asked.get("target", "user")
        if target not in TARGETS:
            return {"success": False, "error": f"there is no target {target[:40]!r}; use user or env"}
        return None

    def _path(self, asked: Mapping[str, str]) -> str:
        return self._scope.layout.path_of(self._scope.layout.layer(asked["target"]))

    def _meant(self, path: str, words: str) -> str:
        texts = [record.text for record in self._scope.reader.records(path)]
        return next((text for text in texts if text == words.strip()), None) or next(
            (text for text in texts if words.strip() in text), ""
        )

    def _commit(self, operation: Operation) -> Outcome:
        return self._scope.commit([operation], actor=self._actor, reason="asked for by the agent")


def _answer(outcome: Outcome, done: str) -> dict[str, Any]:
    match outcome.status:
        case "applied" | "planned":
            hint = "; remove the one that no longer holds" if CONFLICT in outcome.reason else ""
            return {"success": True, "message": f"{done}: {outcome.reason}{hint}" if outcome.reason else done}
        case "duplicate" | "unchanged":
            return {"success": True, "message": "memory already says so"}
        case "pending":
            return {"success": True, "message": WAITS.format(reason=outcome.reason)}
        case _:
            return {"success": False, "error": outcome.reason or outcome.status}


def found_in(scope: Scope, question: str) -> list[str]:
    """Find facts and episodes for a question: chosen by the model, or in the order of our ranking.

    Where the model was asked and gave no answer of use, the newest episodes stand first, as in the original.
    """
    hits = scope.recall(Query(text=question, k=FOUND, layers=("documents", "topics")), now=scope.now(), explain=False)
    if scope.llm is None or not scope.config.facts.llm_search:
        return [_shown(hit) for hit in hits]
    memories = [*episodes(scope)[:_LISTED], *facts(scope)[:_LISTED]]
    chosen = select(
        question,
        [text for _, text in memories],
        llm=scope.llm,
        seconds=scope.config.model.timeout_seconds,
        model=scope.config.consolidation.model or None,
    )
    if chosen is not None:
        return [f"[{memories[place][0]}] {truncate(memories[place][1], _TEXT_CHARS, '…')}" for place in chosen]
    newest = [f"[{path}] {truncate(text, _TEXT_CHARS, '…')}" for path, text in episodes(scope)]
    return [*newest[:FOUND], *(_shown(hit) for hit in hits if hit.layer == "documents")]


def episodes(scope: Scope) -> list[tuple[str, str]]:
    """Give the episodes that may be recalled, the newest first: (path, text)."""
    found: list[tuple[str, str, str]] = []
    for _, path in scope.reader.files(lambda each: each.kind == "topics"):
        for record in scope.reader.told(scope.reader.records(path)):
            if isinstance(record, Topic):
                at = str(record.extra.get("created_at") or record.extra.get("createdAt") or "")
                found.append((at, path, record.body))
    return [(path, body) for _, path, body in sorted(found, reverse=True)]


def facts(scope: Scope) -> list[tuple[str, str]]:
    """Give the facts that stand: (file, text)."""
    return [
        (path, record.text)
        for _, path in scope.reader.files(lambda each: bool(scope.layout.part(each)))
        for record in scope.reader.told(scope.reader.records(path))
    ]


def _shown(hit: Hit) -> str:
    return f"[{split_id(hit.record)[0]}] {truncate(hit.text, _TEXT_CHARS, '…')}"
