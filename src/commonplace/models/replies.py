"""From a model's text to a proposal, a verdict or a ranking: the one place where answers are understood.

Small local models and large ones speak the same proposal: one JSON object with `journal` and
`operations`, where messages and records are called by the short numbers of the view. A value of the
wrong type is never made a string, and what cannot be used comes back as `Unusable` with the whole text.
Trust, ids of sources and anything else a model might claim beyond this are not read at all.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any, Final

from commonplace.models.protocol import Reply
from commonplace.models.reading import (
    Unusable,
    as_markdown,
    body,
    find,
    is_broken,
    quoted,
    read_json,
    says_none,
    says_unchanged,
    unfenced,
    usable_text,
)
from commonplace.operations import (
    AddEntry,
    AppendJournal,
    Edit,
    Proposal,
    PutItem,
    PutTopic,
    RemoveEntry,
    RemoveItem,
    RemoveTopic,
    ReplaceEntry,
    RewriteDocument,
    View,
)
from commonplace.records import Source
from commonplace.text.patterns import pattern

__all__ = ["Unusable", "parse_choice", "parse_proposal", "parse_ranking", "parse_two_layer", "proposal_schema"]

MAX_OPERATIONS: Final = 500  # of one reply; more is no answer about one range
UNKNOWN_SESSION: Final = "?"  # used where a model cites a message that is not in the view; the gate leaves the cite out

_KEYS: Final = ("journal", "operations", "read", "search")
_FIELDS: Final[dict[str, tuple[str, ...]]] = {
    "add": ("path", "section", "text"),
    "replace": ("path", "target", "text"),
    "remove": ("path", "target"),
    "rewrite": ("path", "text"),
    "journal": ("path", "text"),
    "put_topic": ("path", "title", "description", "body", "parents"),
    "remove_topic": ("path",),
    "put_item": ("path", "id", "kind", "title", "text"),
    "remove_item": ("path", "id"),
}
_MADE: Final[dict[str, type[Edit]]] = {
    "add": AddEntry,
    "replace": ReplaceEntry,
    "remove": RemoveEntry,
    "rewrite": RewriteDocument,
    "journal": AppendJournal,
    "put_topic": PutTopic,
    "remove_topic": RemoveTopic,
    "put_item": PutItem,
    "remove_item": RemoveItem,
}
_TEXTS: Final = ("text", "section", "kind", "at", "title", "description", "body", "id")
_NEEDED: Final = frozenset({"text", "body", "id"})
_LISTS: Final = frozenset({"parents"})
_NUMBER: Final = pattern(
    r"\s*[\[(#]?\s*(?:message|entry|record|no\.?|[mer#])?\s*#?(\d{1,9})\s*[\])]?\s*", re.IGNORECASE
)


def proposal_schema(
    kinds: Sequence[str] = ("add", "replace", "remove"), *, rounds: bool = False, typed: bool = False
) -> dict[str, Any]:
    """Return the JSON schema of a proposal with these kinds of operation, as strict servers want it.

    Every property is required and none is added: a field that does not apply is an empty string.

    Args:
        kinds: Of `add replace remove rewrite journal put_topic remove_topic put_item remove_item`.
        rounds: Whether the consolidator may ask to `read` and `search` before it is `done`.
        typed: Whether topics have a `kind`.
    """
    names = dict.fromkeys([*(name for kind in kinds for name in _FIELDS[kind]), *(["kind"] if typed else [])])
    cite = _object({"message": {"type": "integer"}, "quote": {"type": "string"}})
    texts = {"type": "array", "items": {"type": "string"}}
    fields = {name: texts if name in _LISTS else {"type": "string"} for name in names}
    operation = {"op": {"type": "string", "enum": list(kinds)}, **fields}
    properties: dict[str, Any] = {
        "journal": {"type": "string"},
        "operations": {
            "type": "array",
            "items": _object({**operation, "cites": {"type": "array", "items": cite}}),
        },
    }
    if rounds:
        properties |= {"read": texts, "search": texts, "done": {"type": "boolean"}}
    return _object(properties)


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


class _BadReplyError(Exception):
    """One value of an answer is not what it must be; its text is the reason."""


def parse_proposal(
    reply: Reply, *, view: View, prompt: str = "", default_path: str = "", journal_required: bool = True
) -> Proposal | Unusable:
    """Read a proposal, or return why it is none.

    Args:
        reply: As the model gave it.
        view: Its numbers become ids: messages sources, entries targets. A number that is not in it is
            kept as it is, for the gate to refuse.
        prompt: What was asked; an object that is in it is an echo and not an answer.
        default_path: Where an addition goes that names no path.
        journal_required: A range job needs its journal entry; a curating job may change nothing and say
            so with an empty list of operations.

    Returns:
        The proposal, or `Unusable`, with its journal where only that can be read. A reply that says in prose that
        there is nothing is an empty proposal. An operation that cannot be read is in `Proposal.unread` and costs the
        others nothing; if none can be read, the reply is unusable.
    """
    text = body(reply)
    if isinstance(text, Unusable):
        return text
    if says_none(text):
        return Proposal()
    answer = find(text, _KEYS, prompt=prompt)
    if isinstance(answer, Unusable) and (alone := _operations_alone(text)):
        answer = {"operations": alone}
    if isinstance(answer, Unusable):
        return _only_journal(answer, text, "journal", reply)
    try:
        proposal = _proposal(answer, view, default_path)
    except _BadReplyError as error:
        return Unusable(str(error), reply.text)
    wants_more = bool(proposal.read or proposal.search)
    says_something = proposal.journal or proposal.operations or wants_more
    if not says_something and (journal_required or "operations" not in answer):
        return Unusable("no journal entry: 'journal' is missing, blank or a placeholder", reply.text)
    return proposal


def _operations_alone(text: str) -> list[Any]:
    """Return the operations of a reply that holds nothing around them."""
    value = read_json(unfenced(text))
    listed = value if isinstance(value, list) else [value]
    return listed if all(isinstance(each, dict) and "op" in each for each in listed) else []


def _proposal(answer: dict[str, Any], view: View, default_path: str) -> Proposal:
    operations = answer.get("operations")
    if operations is None:
        operations = []
    if isinstance(operations, dict):
        operations = [operations]
    if not isinstance(operations, list) or len(operations) > MAX_OPERATIONS:
        raise _BadReplyError(f"'operations' is not a list of at most {MAX_OPERATIONS}")
    read: list[Edit] = []
    unread: list[tuple[str, str]] = []
    for number, value in enumerate(operations, 1):
        try:
            read.append(_operation(value, number, view, default_path))
        except _BadReplyError as error:
            unread.append((_stated(value), str(error)))
    if unread and not read:
        raise _BadReplyError(unread[0][1])
    return Proposal(
        journal=usable_text(answer.get("journal")) or "",
        operations=tuple(read),
        unread=tuple(unread),
        read=_texts(answer, "read"),
        search=_texts(answer, "search"),
        done=answer.get("done") is not False,
    )


def _stated(value: object) -> str:
    """Return what an operation that cannot be read would say; empty if that is no text."""
    if not isinstance(value, dict):
        return usable_text(value) or ""
    return next(filter(None, (usable_text(value.get(key)) for key in ("text", "body", "description", "title"))), "")


def _texts(answer: dict[str, Any], key: str) -> tuple[str, ...]:
    values = answer.get(key)
    texts = [v for v in (values if isinstance(values, list) else [values]) if isinstance(v, str)]
    return tuple(v for v in texts[:MAX_OPERATIONS] if v.strip() and not is_broken(v))


def _operation(value: object, number: int, view: View, default_path: str) -> Edit:
    if not isinstance(value, dict):
        raise _BadReplyError(f"operation {number} is {type(value).__name__}, not an object")
    kind = value.get("op")
    made = _MADE.get(kind.casefold()) if isinstance(kind, str) else None
    if made is None:
        raise _BadReplyError(f"operation {number} has no 'op' of {', '.join(_MADE)}")

    def text(key: str, *, need: bool = True) -> str:
        given = value.get(key)
        if given is None and not need:
            return ""
        if not isinstance(given, str) or is_broken(given):
            raise _BadReplyError(f"operation {number}: {key!r} is not text")
        if need and usable_text(given) is None:
            raise _BadReplyError(f"operation {number}: {key!r} is blank or a placeholder")
        return given

    names = made.__struct_fields__
    home = ""
    fields: dict[str, Any] = dict(zip(("sources", "quotes"), _cites(value, view), strict=True))
    if "target" in names:
        fields["target"], home = _target(value.get("target"), number, view)
    fields["path"] = text("path", need=False) or home or default_path
    if not (fields["path"] or "target" in names):
        raise _BadReplyError(f"operation {number}: 'path' is missing")
    fields |= {name: text(name, need=name in _NEEDED) for name in _TEXTS if name in names}
    fields |= {name: _texts(value, name) for name in ("links", "parents") if name in names}
    return made(**fields) if made is not PutItem else PutItem(data=_data(value, number, text), **fields)


def _data(value: dict[str, Any], number: int, text: Any) -> dict[str, Any]:
    """Return the fields of an item: `data` as it is, else its flat fields; one of them must be text."""
    data = value.get("data")
    if data is None:
        flat = {key: text(key, need=False) for key in ("kind", "title", "text")}
        data = {key: part for key, part in flat.items() if part}
        if tags := _texts(value, "tags"):
            data["tags"] = list(tags)
    if not isinstance(data, dict) or not any(usable_text(part) for part in data.values()):
        raise _BadReplyError(f"operation {number}: 'data' holds no text")
    if not _is_plain(data, 6):
        raise _BadReplyError(f"operation {number}: 'data' is nested too deep or holds broken text")
    return data


def _is_plain(value: object, depth: int) -> bool:
    if isinstance(value, str):
        return not is_broken(value)
    if isinstance(value, dict):
        return depth > 0 and all(_is_plain(k, 1) and _is_plain(v, depth - 1) for k, v in value.items())
    if isinstance(value, list):
        return depth > 0 and all(_is_plain(v, depth - 1) for v in value)
    return value is None or isinstance(value, (bool, int, float))


def _number(value: object) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    found = _NUMBER.fullmatch(value) if isinstance(value, str) else None
    return int(found.group(1)) if found else None


def _target(value: object, number: int, view: View) -> tuple[str, str]:
    """Turn a view number into the entry's id and path; other text stays, as an id or a substring."""
    called = _number(value)
    if called is not None and (entry := view.entry(called)):
        return entry.id, entry.path
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value), ""
    if not isinstance(value, str) or is_broken(value) or not value.strip():
        raise _BadReplyError(f"operation {number}: 'target' is neither a number nor text")
    home = next((entry.path for entry in view.entries if entry.id == value), "")
    return value, home


def _cites(value: dict[str, Any], view: View) -> tuple[tuple[Source, ...], tuple[str, ...]]:
    cites = value.get("cites")
    if cites is None:
        cites = [{"message": value["message"], "quote": value.get("quote")}] if "message" in value else []
    sources: list[Source] = []
    quotes: list[str] = []
    for cite in (cites if isinstance(cites, list) else [cites])[:MAX_OPERATIONS]:
        given = cite if isinstance(cite, dict) else {"message": cite, "quote": "" if _number(cite) else cite}
        called, quote = _number(given.get("message")), given.get("quote")
        quote = quote if isinstance(quote, str) else ""
        if called is not None or quote:
            found = view.message(called or 0)
            named = (found.session, found.message.id or found.id) if found else (UNKNOWN_SESSION, str(called or 0))
            sources.append(Source(*named))
            quotes.append(quote)
    return tuple(sources), tuple(quotes)


def parse_two_layer(reply: Reply, *, prompt: str = "") -> tuple[str, str | None] | Unusable:
    """Read the answer of the two-layer design: the journal entry, and the new long-term text or None.

    A reply that says in prose that there is nothing has neither.
    None says that memory stays as it is: the key is missing or blank, or the text says so. A list of lines, or an
    object of sections, is read as Markdown. Where only the journal entry can be read from a text that is no JSON, it
    is in `Unusable.journal`; a memory update never is.
    Source: seed two-layer, "3-tier JSON parsing".
    """
    text = body(reply)
    if isinstance(text, Unusable):
        return text
    if says_none(text):
        return "", None
    answer = find(text, ("history_entry", "memory_update"), prompt=prompt)
    if isinstance(answer, Unusable):
        return _only_journal(answer, text, "history_entry", reply)
    entry = answer.get("history_entry")
    journal = usable_text(" ".join(entry) if isinstance(entry, list) and as_markdown(entry) else entry)
    if journal is None:
        return Unusable("no journal entry: 'history_entry' is missing, blank or no text", reply.text)
    update = answer.get("memory_update")
    memory = "" if update is None else as_markdown(update)
    if memory is None:
        return Unusable(f"'memory_update' is {type(update).__name__}, not text", reply.text)
    if is_broken(memory):
        return Unusable("'memory_update' is not valid Unicode", reply.text)
    memory = unfenced(memory)
    return journal, None if usable_text(memory) is None or says_unchanged(memory) else memory


def _only_journal(answer: Unusable, text: str, key: str, reply: Reply) -> Unusable:
    journal = quoted(text, key) if answer.reason.startswith("the reply has no object") else None
    return Unusable(answer.reason, reply.text, journal or "")


def parse_choice(reply: Reply, choices: Sequence[str]) -> str | None:
    """Read a verdict of one word; None unless the answer is that word and no other.

    The first or the last line may hold it alone, also behind `Answer:`, in quotes, as one JSON value, or with its
    reason behind a colon or dash; a word inside prose decides nothing ("do not merge" is no merge).
    Source: seed facts, merge judge.
    """
    text = body(reply)
    if isinstance(text, Unusable) or len(text) > 20_000:
        return None
    if isinstance(decoded := read_json(text), dict) and len(decoded) <= 3:
        values = {v.strip().casefold() for v in decoded.values() if isinstance(v, str)}
        named = [choice for choice in choices if choice.casefold() in values]
        return named[0] if len(named) == 1 else None
    lines = [line for line in text.splitlines() if line.strip()]
    words = {word for line in (lines[0], lines[-1]) for word in (_bare(line), _reasoned(line))}
    named = [choice for choice in choices if choice.casefold() in words]
    return named[0] if len(named) == 1 else None


_ANSWER: Final = pattern(
    r"\A\W*(?:(?:the |my )?(?:final )?(?:answer|verdict|decision|outcome|choice|result|ranking|order))"
    r"(?:\s+is)?\W*[:=]?\s*",
    re.IGNORECASE,
)
_REASONED: Final = pattern(r"\A\W*(\w{2,20})[\"'`*_]{0,3}(?:[:.]\s|\s[-–—]\s|\s\()")


def _bare(line: str) -> str:
    return _ANSWER.sub("", line).strip(" \t\"'`*_.,;:!()[]{}<>-").casefold()


def _reasoned(line: str) -> str:
    """Return the word that a line begins with, if a mark parts it from what follows."""
    found = _REASONED.match(_ANSWER.sub("", line))
    return found.group(1).casefold() if found else ""


_LISTED: Final = pattern(
    r"(?m)^\s*(?:\d{1,3}[.)]\s+)?(?:\*\*)?(?:memor(?:y|ies)|entry|no\.?|number|item)?\s*[\[(#]\s*(\d{1,9})\s*[\])]?"
)
_RUN: Final = pattern(
    r"(?<![\w.:/])(?<!\w-)\[?#?\d{1,9}\]?(?:(?:\s*[,;>→&]\s*|\s+)(?:(?:and|then|und|dann|et|puis|y|e|i|и)\s+)?\[?#?\d{1,9}\]?)*(?![\w:/-]|\.\d)"
)


def parse_ranking(reply: Reply, n: int) -> tuple[int, ...] | None:
    """Return the list of numbers below `n` in a reply, best first; () for `none`, None if there is no such list.

    Read are a bare list, the one list of numbers in a sentence, and lines that each name one in brackets; numbers
    outside 0..n-1 and repeats are left out. Prose with numbers here and there is no list.
    Source: seed facts, episode ranking.
    """
    text = body(reply)
    if isinstance(text, Unusable) or len(text) > 200_000:
        return None
    if text.strip() == "[]" or says_none(bare := _ANSWER.sub("", text)) or _NONE_OF.fullmatch(bare):
        return ()
    listed = [int(match.group(1)) for match in _LISTED.finditer(text)]
    if len(listed) > 1 and len(listed) == len([line for line in text.splitlines() if _NUMBER_IN.search(line)]):
        numbers = listed
    else:
        runs = [match.group() for match in _RUN.finditer(text)]
        if len(runs) != 1 or len(_NUMBER_IN.findall(runs[0])) != len(_NUMBER_IN.findall(text)):
            return None
        numbers = [int(number) for number in _NUMBER_IN.findall(runs[0])]
    kept = tuple(dict.fromkeys(number for number in numbers if number < n))
    return kept or None


_NONE_OF: Final = pattern(r"\W*(?:none|keine|aucun|ningun|nessun|nenhum)\w{0,2}\b[^\n\d]{0,160}", re.IGNORECASE)
_NUMBER_IN: Final = pattern(r"\d{1,9}")


SELECTED: Final = "selected_memories"
"""The key of a list of names; source: seed memdir."""


def parse_names(reply: Reply, names: Collection[str], *, prompt: str) -> list[str]:
    """Read a list of names under `selected_memories`; those that are not among `names` are left out."""
    text = body(reply)
    answer = text if isinstance(text, Unusable) else find(text, (SELECTED,), prompt=prompt)
    given = [] if isinstance(answer, Unusable) else answer[SELECTED]
    found = [name.strip() for name in given if isinstance(name, str)] if isinstance(given, list) else []
    return [name for name in dict.fromkeys(found) if name in names]
