"""What the verbs of memory come to: plain requests turned into operations, and the agent's tool.

Between the face of memory and the door: reads the layout's targets, never a file.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from datetime import date, datetime
from typing import Any

import msgspec

from commonplace.changes.plan import files_of, resolve
from commonplace.errors import InputError, require_text
from commonplace.guard.screened import instant
from commonplace.layouts.codecs.edits import split_id
from commonplace.layouts.codecs.items import item_fingerprint
from commonplace.layouts.codecs.topics import made_title, name_for, title_of
from commonplace.layouts.schema import Layer, LayerKind
from commonplace.memory.chain import Chain
from commonplace.memory.scope import Scope
from commonplace.operations import AddEntry, AppendJournal, Edit, PutItem, PutTopic, ReplaceEntry, RewriteDocument
from commonplace.records import (
    LAYERS,
    TRUST_RANK,
    Hit,
    Item,
    LayerName,
    Query,
    Record,
    RecordedMessage,
    Source,
    Topic,
    Trust,
)
from commonplace.text import validity
from commonplace.text.patterns import pattern

logger = logging.getLogger(__name__)

_LISTED = pattern(r"\A[-*•][ \t]+(?=[^\W\d].*\Z)")  # the mark of a list before one statement, which has its own


def named(hits: Iterable[Hit]) -> list[Hit]:
    """Return hits with the id that people and models see: a message is `session#message`."""
    return [
        msgspec.structs.replace(hit, record=f"{hit.sources[0].session}#{hit.sources[0].message}")
        if hit.layer == "sessions"
        else hit
        for hit in hits
    ]


def asked(query: str | Query, k: int, layers: Iterable[LayerName] | None) -> Query:
    """Read a question as it was put into a query.

    Raises:
        InputError: It is no text, a layer is unknown, `k` is below 1, `as_of` has no zone, or a limit is no number.
    """
    found = query if isinstance(query, Query) else Query(text=query, k=k)
    require_text(found.text, "a question")
    if isinstance(layers, str) or not isinstance(layers, Iterable | None):
        raise InputError("layers are names in a list or tuple")
    if layers is not None:
        found = msgspec.structs.replace(found, layers=tuple(layers))
    try:
        checked = msgspec.convert({**msgspec.structs.asdict(found), "layers": None}, Query)
    except msgspec.ValidationError as error:  # annotations do not hold at run time
        raise InputError(f"this cannot be asked: {error}") from None
    found = msgspec.structs.replace(checked, layers=found.layers)
    unknown = [layer for layer in found.layers or () if layer not in LAYERS]
    if unknown:
        raise InputError(f"there is no layer {unknown[0]!r}; choose from {', '.join(LAYERS)}")
    if found.as_of is not None:
        require_aware(found.as_of)
    if found.k < 1:
        raise InputError(f"k is at least 1, not {found.k}")
    return found


def remember(
    scope: Scope,
    text: str,
    *,
    kind: str,
    to: str | None,
    source: Source | None,
    trust: Trust | None,
    valid_from: date | None,
    expires: date | None,
) -> Edit:
    """Make the operation that writes one statement down where the layout wants it."""
    require_text(text, "what to remember")
    require_text(kind, "a kind")
    if not text.strip():
        raise InputError("there is nothing to remember; say it in a sentence")
    _require_provenance(source, trust, valid_from, expires)
    if validity.is_over(validity.mark(None, expires), today := scope.now().date()):
        raise InputError(f"its last day, {expires:%Y-%m-%d}, is over and today is {today}: it would never be given out")
    if valid_from and validity.is_over(validity.mark(None, expires), valid_from):
        raise InputError(f"its last day, {expires:%Y-%m-%d}, is before its first, {valid_from:%Y-%m-%d}")
    layer, path = _target(scope, kind, to)
    sources = (source,) if source else ()
    stated = _LISTED.sub("", text.strip()) if layer.kind in {"documents", "items"} else text.strip()
    dated = stated + validity.mark(valid_from, expires)
    match layer.kind:
        case "documents":
            return AddEntry(path=path, text=dated, kind=kind, sources=sources, trust=trust)
        case "journals":
            return AppendJournal(path=path, text=dated, sources=sources, trust=trust)
        case "topics":
            if path:  # a topic that the caller names: the statement is added to what it says
                known = next((each for each in scope.reader.records(path) if isinstance(each, Topic)), None)
                said = known.body.rstrip().split("\n") if known is not None else []
                body = "\n".join(said if dated in said else [*said, dated])
                title, kind = ("", "") if known is not None else (title_of(path), kind)
                return PutTopic(path=path, title=title, body=body, kind=kind, sources=sources, trust=trust)
            title = made_title(text)
            taken = {each.rsplit("/", 1)[-1] for _, each in scope.reader.files(lambda each: each.kind == "topics")}
            taken |= scope.layout.reserved(layer)
            name = scope.layout.path_of(layer, topic=name_for(title, taken).removesuffix(".md"))
            return PutTopic(path=name, title=title, body=dated, kind=kind, sources=sources, trust=trust)
        case "items":
            data: dict[str, Any] = {"type": kind.upper(), "content": dated}
            if valid_from:
                data["validFrom"] = valid_from.isoformat()
            if expires:
                data["expires"] = expires.isoformat()
            name = item_fingerprint(kind.upper(), stated)
            return PutItem(path=path, id=name, data=data, sources=sources, trust=trust)


def _require_provenance(source: Any, trust: Any, *days: Any) -> None:
    """Make sure of the form of what a caller says of a memory; annotations do not hold at run time."""
    if trust is not None and trust not in tuple(TRUST_RANK):
        raise InputError(f"there is no trust {trust!r}; use one of {', '.join(TRUST_RANK)}", trust=trust)
    for day in days:
        if not isinstance(day, date | None):
            raise InputError(f"the first and the last day are dates, not {type(day).__name__}")
    if not isinstance(source, Source | None):
        raise InputError(f"a source is Source(session, message), not {type(source).__name__}")
    try:
        msgspec.convert(source and msgspec.structs.asdict(source), Source | None)
    except msgspec.ValidationError as error:
        raise InputError(f"this is no source: {error}") from None


def require_aware(instant: object) -> None:
    """Make sure that an instant says in which zone it is.

    Raises:
        InputError: It has no zone, or is none.
    """
    if not isinstance(instant, datetime) or instant.tzinfo is None:
        raise InputError("an instant is a datetime with its zone: datetime(2026, 3, 1, tzinfo=UTC)", at=instant)


def window_size(keep: int | None) -> int | None:
    """Read how many messages a window keeps.

    Raises:
        InputError: It is no number, or below 0.
    """
    given: object = keep
    if given is not None and (not isinstance(given, int) or isinstance(given, bool) or given < 0):
        raise InputError(f"a window keeps a number of messages, 0 or more, not {given!r}", keep=keep)
    return keep


def _target(scope: Scope, kind: str, to: str | None) -> tuple[Layer, str]:
    targets = scope.layout.targets
    if to is None and kind not in targets:
        raise InputError(f"there is no kind {kind!r}; use one of {', '.join(targets)}", kind=kind)
    return _place(scope, targets[kind] if to is None else to, scope.now())


def _place(scope: Scope, name: str, at: datetime) -> tuple[Layer, str]:
    """Return the layer that a layer's name or a path means, and its file; no file of a layer of topics."""
    require_text(name, "a layer or a path")
    layout = scope.layout
    layer = next((each for each in layout.layers if each.name == name), None)
    if layer is None:
        return resolve(layout, name)
    return layer, "" if "{topic}" in layer.path else files_of(layout, layer, at)


def document(scope: Scope, name: str) -> str:
    """Return the whole text of a document; bytes that are no UTF-8 show as `U+FFFD`.

    Raises:
        InputError: The layout has no document of that name.
    """
    path = _of_kind(scope, name, "documents", scope.now())
    return scope.reader.text(path).encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def rewrite(scope: Scope, name: str, text: str) -> Edit:
    """Make the operation that lets a document read as given."""
    return RewriteDocument(path=_of_kind(scope, name, "documents", scope.now()), text=text)


def note(scope: Scope, name: str, text: str, at: datetime | None) -> Edit:
    """Make the operation that appends an entry to the journal of its instant."""
    if at is not None:
        require_aware(at)
    when = at.astimezone(scope.zone) if at else scope.now()
    return AppendJournal(path=_of_kind(scope, name, "journals", when), text=text, at=instant(when))


def _of_kind(scope: Scope, name: str, kind: LayerKind, at: datetime) -> str:
    layer, path = _place(scope, name, at)
    if layer.kind != kind:
        names = ", ".join(each.name for each in scope.layout.layers if each.kind == kind)
        raise InputError(f"{name!r} holds {layer.kind}; of {kind} there are {names}", layer=name)
    return path


def update(record: Record, text: str) -> Edit:
    """Make the operation that puts a new text in place of a record."""
    require_text(text, "the new text")
    if not text.strip():
        raise InputError("the new text is empty; forget the record instead")
    match record:
        case RecordedMessage():
            raise InputError("a message is kept as it was said; remember what is right instead", record=record.id)
        case Topic(path=path):
            return PutTopic(path=path, body=text)
        case Item(path=path, data=data):
            changed = {key: value for key, value in data.items() if key not in {"fingerprint", "updatedAt"}}
            return PutItem(path=path, id=record.id.split("#", 1)[1], data=changed | {"content": text})
        case _:
            return ReplaceEntry(path=record.path, target=record.id, text=text)


def version(chain: Chain, wanted: str) -> str:
    """Return the version of a record's file, or of a file itself by its layer or path.

    Raises:
        RecordNotFoundError: There is no such record.
        InputError: The layer has many files, or several records hold the words.
    """
    require_text(wanted, "a record or a path")
    try:
        layer, path = (None, "") if "#" in wanted else _target(chain.first, "", wanted)
    except InputError:
        layer, path = None, ""  # words, as `update` takes them
    if layer is None:
        scope, record = chain.one_record(wanted)
        return scope.store.version(split_id(record.id)[0])
    if not path:
        raise InputError(f"{wanted!r} is many files; name one of them by its path", layer=wanted)
    return chain.first.store.version(path)
