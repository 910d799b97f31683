"""The verbs of the agent's tool: a closed set of functions that a layout's table of actions chooses from.

Each gets what the model gave, under our own names, and answers with `success` and a `message`, or an `error` that
says what to do. None approves, promotes, undoes or erases: that is a person's.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from commonplace.errors import InputError
from commonplace.guard import shown
from commonplace.jobs.running import Wanted
from commonplace.layouts.codecs.edits import split_id
from commonplace.layouts.codecs.topics import name_for
from commonplace.layouts.schema import Job
from commonplace.layouts.tree import ROOT, name_of
from commonplace.memory import item_verbs, topic_verbs, trees
from commonplace.memory.scope import Scope
from commonplace.memory.using import WAITS, Answer, Asked, Use, Verb, answer, changed, wished
from commonplace.operations import PutTopic, RemoveEntry, ReplaceEntry
from commonplace.recall.prompt.page import over, unverified
from commonplace.recall.prompt.renderers import JOINERS
from commonplace.recall.select import select
from commonplace.records import LAYERS, Hit, Outcome, Query, Record, Topic
from commonplace.text import dates
from commonplace.text.installed import Installed
from commonplace.text.pieces import encode_name, fingerprint, truncate

FOUND: Final = 8  # results of a search
_LISTED: Final = 60  # memories a model chooses from, at most
_MORE: Final = ("name", "superseded_by", "superseded_words")
_TEXT_CHARS: Final = 1200  # of one result


def add(use: Use, asked: Asked) -> Answer:
    """Write a statement down."""
    layer = use.layer(asked)
    if layer is not None:
        return answer(use.memory.remember(asked["content"], to=layer.name, actor=use.actor), "added")
    kind = use.targets.get(asked.get("target", ""), "fact")
    return answer(use.memory.remember(asked["content"], kind=kind, actor=use.actor), "remembered")


def replace(use: Use, asked: Asked) -> Answer:
    """Replace the text of a record."""
    layer, old, new = use.layer(asked), _meant(asked), asked["content"]
    if layer is None or layer.kind != "documents":
        return answer(use.memory.update(old, new, actor=use.actor), "replaced")
    path = use.scope.layout.path_of(layer)
    outcome = _commit(use, ReplaceEntry(path=path, target=old, text=new))
    # Trigger: another entry says the new text already. Then the old one only has to go.
    if outcome.status == "duplicate" and fingerprint(_text_of(use, path, old)) != fingerprint(new):
        outcome = _commit(use, RemoveEntry(path=path, target=old))
    return answer(outcome, "replaced")


def remove(use: Use, asked: Asked) -> Answer:
    """Remove an entry from a document; it may come back."""
    layer = use.layer(asked)
    if layer is None or layer.kind != "documents":
        raise InputError(f"say from where: target is {' or '.join(use.targets)}")
    path, words = use.scope.layout.path_of(layer), _meant(asked)
    use = wished(use, _text_of(use, path, words))
    return answer(_commit(use, RemoveEntry(path=path, target=words)), "removed")


def forget(use: Use, asked: Asked) -> Answer:
    """Forget a record for good."""
    meant = _meant(asked)
    planned = use.memory.forget(meant, dry_run=True, actor=use.actor)
    use = wished(use, *(text for _, text in planned.forgotten[:1]))
    receipt = use.memory.forget(meant, actor=use.actor)
    if receipt.review:
        return {"success": True, "message": WAITS.format(reason=receipt.reason)}
    if not receipt.forgotten:
        return {"success": False, "error": receipt.reason}
    return {"success": True, "message": "forgotten", "records": [record for record, _ in receipt.forgotten]}


def condense(use: Use, asked: Asked) -> Answer:
    """Merge the entries of a document that belong together; what a person wrote stays as it is."""
    layer, scope = use.layer(asked), use.scope
    if layer is None or layer.kind != "documents":
        raise InputError(f"say what to merge: target is {' or '.join(use.targets)}")
    scope.door.look([scope.layout.path_of(layer)])
    job = Job(name="condense", range="none", consolidator="condense", writes=(layer.name,))
    wanted = Wanted(cause="asked for", by_rules=not scope.config.merging.ask_model, actor=use.actor)
    outcome = scope.jobs.tidy(job, wanted)
    if outcome.status == "unchanged":
        return {"success": True, "message": "nothing to merge"}
    return answer(outcome, "consolidated")


def read(use: Use, asked: Asked) -> Answer:
    """Return one record, without what was forgotten."""
    found = use.memory.read(asked["id"])
    return {"success": True, "record": asked["id"], "text": shown(found.text), "trust": use.memory.why(found.id).trust}


def show(use: Use, _: Asked) -> Answer:
    """Return the documents of the prompt as they are now."""
    parts: list[str] = []
    for scope in use.scopes:
        for row in scope.layout.prompt:
            layers = [scope.layout.layer(name) for name in row.of] if row.renderer != "recall" else []
            for place, layer in enumerate(each for each in layers if each.kind == "documents"):
                path = scope.layout.path_of(layer)
                scope.door.look([path])
                text = JOINERS.get(row.renderer, "\n").join(
                    _marked(scope, record) for record in scope.reader.visible(scope.reader.records(path))
                )
                if text or not place:
                    whose = " (this project)" if place else ""
                    parts.append(f"── {row.title}{whose} ──\n{text or '(empty)'}")
    return {"success": True, "message": "\n".join(parts)}


def search(use: Use, asked: Asked) -> Answer:
    """Find records by a question; `kinds` names the kinds of layer to search, joined by commas."""
    wanted = [kind.strip() for kind in asked.get("kinds", "").split(",")]
    kinds = tuple(kind for kind in LAYERS if kind in wanted) or None
    hits = use.memory.recall(Query(text=asked["query"], k=int(asked.get("limit") or FOUND), layers=kinds))
    return {
        "success": True,
        "hits": [
            {"id": hit.record, "text": hit.text, "trust": hit.trust, "when": hit.at.isoformat() if hit.at else ""}
            | {name: said for name in _MORE if (said := getattr(hit, name))}
            for hit in hits
        ],
    }


def look_up(use: Use, asked: Asked) -> Answer:
    """Find what is noted, as text: chosen by the model, or in the order of our ranking."""
    found = [text for scope in use.scopes for text in found_in(scope, asked["query"])]
    return {"success": True, "message": "\n\n".join(found[:FOUND]) or "nothing found"}


def tree(use: Use, _: Asked) -> Answer:
    """Return the topics as a tree."""
    return {"success": True, "message": trees.around(use.scopes, "")[1]}


def expand(use: Use, asked: Asked) -> Answer:
    """Return a topic and what lies around it; the tree if none is named."""
    record, text = trees.around(use.scopes, asked.get("id", "").strip())
    return {"success": True, "record": record, "text": text} if record else {"success": True, "message": text}


def write(use: Use, asked: Asked) -> Answer:
    """Write a topic, a new one or the one of a name; what is not given stays as it is."""
    scope, wanted = use.scope, asked.get("id", "").strip().removesuffix(".md")
    layer = scope.layout.layer(scope.layout.targets["topic"])
    known = trees.of(scope)
    if wanted and (encode_name(wanted) != wanted or wanted.startswith("__")):
        raise InputError(f"{wanted!r} is no name of a topic; use letters, digits and hyphens")
    topic = known.find(wanted or asked.get("title", ""))
    if topic is None and not asked.get("title"):
        raise InputError("a new topic needs a title")
    taken = scope.layout.reserved(layer).union(f"{each}.md" for each in map(name_of, known.topics))
    name = wanted or name_for(asked["title"], taken).removesuffix(".md")
    parents = _names(asked.get("parents", ""))
    missing = next((each for each in parents if each != ROOT and known.find(each) is None), "")
    category = known.category(missing)
    if missing and not category:
        raise InputError(f"there is no topic {missing!r} to be under; ask without a name for the tree")
    put = PutTopic(
        path=topic.path if topic is not None else scope.layout.path_of(layer, topic=name, session=name),
        body=dates.dated(asked["content"], scope.now(), scope.config.zone, topic.body.split("\n") if topic else ()),
        title=asked.get("title", ""),
        description=dates.dated(asked.get("description", ""), scope.now(), scope.config.zone, ()),
        kind=asked.get("kind", ""),
        links=_names(asked.get("refs", "")),
        parents=() if category else parents,
        category=category,
    )
    return changed(use, [put], "written", asked.get("reason", ""))


VERBS: Final[Installed[Verb]] = Installed("commonplace.verbs", {
    "add": Verb(add, ("content",), ("target",), writes=True),
    "replace": Verb(replace, ("content",), ("target", "old_text", "id"), writes=True),
    "remove": Verb(remove, (), ("target", "old_text", "id"), writes=True),
    "forget": Verb(forget, (), ("old_text", "id"), writes=True),
    "condense": Verb(condense, ("target",), writes=True),
    "read": Verb(read, ("id",)),
    "show": Verb(show),
    "search": Verb(search, ("query",), ("kinds", "limit")),
    "add_item": Verb(
        item_verbs.add_item, ("content",), ("target", "layer", *item_verbs.FIELDS), writes=True
    ),
    "update_item": Verb(
        item_verbs.update_item, ("id",), ("content", "target", *item_verbs.FIELDS), writes=True
    ),
    "promote_item": Verb(item_verbs.promote_item, ("id",), ("layer",), writes=True),
    "expand_items": Verb(item_verbs.expand, ("section",), ("query", "limit")),
    "look_up": Verb(look_up, ("query",)),
    "tree": Verb(tree),
    "expand": Verb(expand, (), ("id",)),
    "write": Verb(
        write, ("content",), ("id", "title", "description", "kind", "parents", "refs", "reason"), writes=True
    ),
    "rename": Verb(topic_verbs.rename, ("id", "title"), writes=True),
    "merge": Verb(topic_verbs.merge, ("id", "into"), ("content",), writes=True),
    "remove_topic": Verb(topic_verbs.remove, ("id",), writes=True),
    "demote": Verb(topic_verbs.demote, ("old_text",), writes=True),
})  # fmt: skip
"""The verbs by name; an entry point of another package brings a `Verb`."""


def _commit(use: Use, operation: ReplaceEntry | RemoveEntry) -> Outcome:
    return use.memory.apply([operation], reason="asked for by the agent", actor=use.actor)


def _meant(asked: Asked) -> str:
    wanted = asked.get("id") or asked.get("old_text") or ""
    if not wanted.strip():
        raise InputError("say which record: its id, or old_text with words that only it holds")
    return wanted


def _text_of(use: Use, path: str, words: str) -> str:
    texts = [record.text for record in use.scope.reader.records(path)]
    exact = (text for text in texts if text == words.strip())
    return next(exact, "") or next((text for text in texts if words.strip() in text), "")


def found_in(scope: Scope, question: str) -> list[str]:
    """Return facts and episodes for a question: chosen by the model, or in the order of our ranking.

    If the model was asked and gave no answer of use, the newest episodes come first, as in the original.
    """
    hits = scope.recall(Query(text=question, k=FOUND, layers=("documents", "topics")), now=scope.now(), explain=False)
    if scope.llm is None or not scope.config.recall.model_chooses:
        return [_line(hit) for hit in hits]
    memories = [*_topics(scope)[:_LISTED], *list(_shown_records(scope))[:_LISTED]]
    chosen = select(
        question,
        [text for _, text in memories],
        llm=scope.llm,
        seconds=scope.config.model.timeout_seconds,
        model=scope.config.consolidation.model or None,
    )
    if chosen is not None:
        return [f"[{memories[place][0]}] {truncate(memories[place][1], _TEXT_CHARS, '…')}" for place in chosen]
    newest = [f"[{path}] {truncate(text, _TEXT_CHARS, '…')}" for path, text in _topics(scope)]
    return [*newest[:FOUND], *(_line(hit) for hit in hits if hit.layer == "documents")]


def _topics(scope: Scope) -> list[tuple[str, str]]:
    """Return the topics, the newest first: (path, text)."""
    found: list[tuple[str, str, str]] = []
    for _, path in scope.reader.files(lambda each: each.kind == "topics"):
        for record in scope.reader.visible(scope.reader.records(path)):
            if isinstance(record, Topic):
                at = str(record.extra.get("created_at") or record.extra.get("createdAt") or "")
                found.append((at, path, unverified(scope.reader.trust(record)) + record.body))
    return [(path, body) for _, path, body in sorted(found, reverse=True)]


def _shown_records(scope: Scope) -> Iterator[tuple[str, str]]:
    for _, path in scope.reader.files(lambda each: bool(scope.layout.part(each))):
        for record in scope.reader.visible(scope.reader.records(path)):
            yield path, _marked(scope, record)


def _marked(scope: Scope, record: Record) -> str:
    return unverified(scope.reader.trust(record)) + record.text


def _names(given: str) -> tuple[str, ...]:
    return tuple(name for each in given.split(",") if (name := each.strip()))


def _line(hit: Hit) -> str:
    old = f"({over(hit.superseded_words)}) " if hit.superseded_by else ""
    return f"[{split_id(hit.record)[0]}] {old}{unverified(hit.trust)}{truncate(hit.text, _TEXT_CHARS, '…')}"
