"""Topics: one file about one subject, with front matter, a body and links to others.

Three designs' fields are read and written: `node` (title, description, parents, refs, path, version,
epoch milliseconds), `memo` (name, description, type or metadata.type) and `okf` (type, title,
description); a topic of no style has title, description and type. An unknown key stays as it is.
Nothing here opens a file or asks the time.
"""

from __future__ import annotations

import posixpath
import re
import unicodedata
from collections.abc import Container, Iterable, Iterator, Mapping
from datetime import UTC, datetime, tzinfo
from typing import Any, Final

import msgspec

from commonplace.errors import InputError, PathError, RecordNotFoundError
from commonplace.guard import screen, written
from commonplace.guard.screened import instant
from commonplace.layouts.codecs import edits
from commonplace.layouts.codecs.edits import Duplicate, Effect, Splice
from commonplace.layouts.tree import name_of, texts
from commonplace.operations import Operation, PutTopic, RemoveTopic
from commonplace.records import Topic
from commonplace.text import content, frontmatter, validity
from commonplace.text.frontmatter import Front
from commonplace.text.patterns import pattern
from commonplace.text.pieces import NAME_BYTES, beginning, encode_name, one_line, plain_line

STYLES: Final = ("", "node", "memo", "okf")
LINE_CHARS: Final = 150  # seed memdir: one line of an index
_TITLE_CHARS: Final = 80
_MADE_CHARS: Final = 60

_WIKI: Final = pattern(r"\[\[([^\[\]\n]{1,200})\]\]")
_RELATIVE: Final = pattern(r"\]\(<?((?:[^()\s<>:#]|%3A){1,300}\.md)(?:#[^()\s<>]{0,300})?>?\)")
_MARKER: Final = pattern(r"⟦[^⟦⟧]{1,64}⟧")  # of the guard
_HEADING: Final = pattern(r"#{1,2}[ \t]+([^\n]+)")


class Parsed(msgspec.Struct, frozen=True):
    """One topic as read; `problem` says why its front matter was not, which is then part of the body."""

    topic: Topic
    problem: str = ""


class Pointer(msgspec.Struct, frozen=True):
    """What an index says of one topic; a higher `rank` stays longer where not all fit."""

    title: str
    path: str
    hook: str = ""
    rank: float = 0.0


def parse(path: str, data: bytes, style: str = "") -> Parsed:
    """Read one topic file; whatever its front matter is, it loads and nothing of it is lost."""
    text = edits.decode(data)
    front = frontmatter.read(text)
    return Parsed(_topic(path, text, front, style), front.problem)


def records(path: str, data: bytes, style: str = "", zone: tzinfo = UTC) -> Iterator[Topic]:  # noqa: ARG001 - one signature for all codecs
    """Yield the one topic of a file."""
    yield parse(path, data, style).topic


def put(path: str, data: bytes | None, operation: PutTopic, *, now: datetime, style: str = "") -> Effect | Duplicate:
    """Write a topic, line by line where it is there already: what is not named stays byte for byte.

    An empty title, description, kind or body leaves that of the file. The dates and the version of
    the style move only when something else does; a file without front matter stays without one as
    long as its title and body say all.

    Raises:
        InputError: The path is no topic's, there is nothing to say, or it would not read back.
    """
    check_path(path)
    old = parse(path, data, style) if data is not None else None
    text = edits.decode(data or b"")
    front = frontmatter.read(text)
    given = operation.body.lstrip()
    if (block := frontmatter.find(given)) is not None:
        given = given[block[2] :]  # who writes a topic anew may copy all of its file: the fields above hold
    words = edits.clean(given) if given.strip() else ""
    if words and operation.line is not None:
        words = _with_line(old.topic.body if old is not None else "", operation.line, words)
    named = _named(operation, old, front, style, words)
    if old is not None and not named and words in {"", old.topic.body}:
        return Duplicate(path)
    if old is None and not words and not operation.description:
        raise InputError(f"the topic {path!r} has no body and no description; say what it holds")
    newline = edits.newline_of(text)
    if old is None or front.values:
        named |= {key: value for key, value in _stamps(front, now, style).items() if key not in operation.front}
    try:
        splices = [Splice(*one) for one in frontmatter.edit(text, named, newline)]
    except UnicodeEncodeError as error:
        raise InputError("the topic holds half of a surrogate pair; send whole characters") from error
    if old is None:
        splices = [Splice(0, 0, splices[0].text + (words + "\n" if words else ""))]
    elif words and words != old.topic.body:
        splices.append(_body(text, front, words, newline))
    parts = edits.pieces(text, splices)
    _check_reading(path, edits.assemble(data or b"", parts), named, words, style)
    return Effect(pieces=parts, added=(path,) if old is None else ())


def remove(path: str, data: bytes | None) -> Effect:
    """Remove a topic file.

    Raises:
        RecordNotFoundError: There is none.
    """
    if data is None:
        raise RecordNotFoundError(f"there is no topic {path!r}; search for its path", path=path)
    return Effect(delete=True, gone=(path,))


def apply(
    path: str,
    data: bytes | None,
    operation: Operation,
    *,
    now: datetime,
    style: str = "",
    zone: tzinfo = UTC,  # noqa: ARG001 - one signature for all codecs
) -> Effect | Duplicate:
    """Return the effect of one operation on a topic file (None as data if there is no file).

    Raises:
        InputError: The operation is none of topics.
    """
    match operation:
        case PutTopic():
            return put(path, data, operation, now=now, style=style)
        case RemoveTopic():
            return remove(path, data)
        case _:
            raise InputError(f"{type(operation).__name__} cannot be done to the topic {path!r}; put or remove it")


def check_path(path: str) -> None:
    """Check that a path can be a topic's.

    Raises:
        PathError: It leaves the folder, is hidden or reserved (`__…`), or is no `.md` file.
    """
    segments = path.split("/")
    bad = not path.endswith(".md") or not path.isprintable() or "\\" in path or path != path.strip()
    if bad or any(not segment or segment.startswith((".", "__")) or segment.endswith(" ") for segment in segments):
        raise PathError(f"{path!r} is no topic's path; use names like 'people/steve.md'", path=path)


def name_for(title: str, taken: Container[str] = ()) -> str:
    """Make a file name for a title: its words in lower case, no secret, and a number where the name is taken.

    Letters of any script stay as they are, so that a person can read the folder; what no file system is sure to keep
    is encoded.
    """
    folded = unicodedata.normalize("NFKC", _MARKER.sub(" ", screen(title).text)).casefold()
    parts = "".join(char if unicodedata.category(char)[0] in "LMN" else " " for char in folded).split()
    words = unicodedata.normalize("NFC", "-".join(parts)) or "topic"
    name, count = _file_name(words), 1
    while f"{name}.md" in taken:
        count += 1
        name = _file_name(f"{words}-{count}")
    return f"{name}.md"


def _file_name(words: str) -> str:
    encoded = encode_name(words)
    kept = not words.isascii() and len(words.encode("utf-8", "replace")) <= NAME_BYTES and screen(words).text == words
    return words if kept else encoded


def made_title(text: str) -> str:
    """Return the title of a topic that was given none: the first words of what it says."""
    return beginning(plain_line(text), _MADE_CHARS)


def title_of(path: str) -> str:
    """Return the name of a file as a title; empty if the name is still to be filled in."""
    stem = path.rpartition("/")[2].removesuffix(".md")
    return "" if "{" in stem else stem.replace("-", " ").replace("_", " ").capitalize()


def links(path: str, body: str, listed: Iterable[str] = ()) -> tuple[str, ...]:
    """Return what a topic links to, each once: front matter first, then `[[name]]` and relative links.

    Relative links come as paths from the top; links to the topic itself and out of the tree are left out.
    """
    found = list(listed)
    for match in sorted([*_WIKI.finditer(body), *_RELATIVE.finditer(body)], key=lambda one: one.start()):
        target = match[1]
        if match[0].startswith("[["):
            target = target.partition("|")[0].partition("#")[0].strip()
        else:
            target = posixpath.normpath(posixpath.join(posixpath.dirname(path), target.replace("%20", " ")))
        if target and not target.startswith(("..", "/")):
            found.append(target)
    own = {path, path.removesuffix(".md"), name_of(path)}
    return tuple(dict.fromkeys(target for target in found if target not in own))


def index_line(pointer: Pointer) -> str:
    """Write one line of an index, at most about 150 characters of it."""
    named = beginning(pointer.title, _TITLE_CHARS)
    title = re.sub(r"([\[\]\\])", r"\\\1", named)
    path = re.sub(r"[\s()<>%]", lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode()), pointer.path)
    head = f"- [{title}]({path})"
    said = one_line(pointer.hook)
    if named.endswith("…"):  # a title that was cut from the same sentence: the hook goes on from there
        said = said.removeprefix(named[:-1]).lstrip()
    hook = beginning(said, max(20, LINE_CHARS - len(head) - 3))
    return f"{head} — {hook}" if hook else head


def _topic(path: str, text: str, front: Front, style: str) -> Topic:
    if style not in STYLES:
        raise InputError(f"no topic style {style!r}; use one of {', '.join(map(repr, STYLES))}")
    values = front.values
    body = edits.visible(text[front.body :]).replace("\r\n", "\n").strip()
    body = "\n".join(line if line.strip() else "" for line in body.split("\n"))
    heading = _HEADING.match(body) if style != "node" else None
    title = _text(values, "title") or _text(values, "name") or (heading[1].strip(" \t#") if heading else "")
    meta = values.get("metadata")
    kind = _text(values, "type") or (_text(meta, "type") if isinstance(meta, dict) else "")
    listed = [one for key in ("parents", "refs", "links") for one in texts(values.get(key))]
    return Topic(
        id=path,
        path=path,
        title=title or name_of(path),
        body=body,
        description=_text(values, "description"),
        kind=kind,
        links=links(path, body, listed),
        extra={key: value for key, value in values.items() if key not in {"title", "name", "description", "type"}},
    )


def _named(operation: PutTopic, old: Parsed | None, front: Front, style: str, words: str) -> dict[str, Any]:
    """Return the keys of the front matter that an operation changes; what was made of the body follows it."""
    had = front.values
    was = old.topic if old is not None else None
    changes: dict[str, Any] = {}
    title = one_line(operation.title) or (_title(was, words) if was is not None else title_of(operation.path))
    if title and (was is None or title != was.title):
        changes["name" if "name" in had or (style == "memo" and "title" not in had) else "title"] = title
    description = one_line(operation.description)
    said = was.description if was is not None else ""
    stays = was is not None and not _is_made(said, was.body) and not is_over(said, was.body, words)
    if not description and words and (said or (was is None and style == "memo")) and not stays:
        description = _hook(words, was.body if was is not None else "")  # seed memdir: by it a topic is chosen
    if description and (was is None or description != was.description):
        changes["description"] = description
    if operation.kind and (was is None or operation.kind != was.kind):
        meta = had.get("metadata")
        if isinstance(meta, dict) and "type" in meta and "type" not in had:
            changes["metadata"] = {**meta, "type": operation.kind}
        else:
            changes["type"] = operation.kind
    if operation.links:
        key = "refs" if style == "node" else "links"
        fresh = tuple(dict.fromkeys([*texts(had.get(key)), *operation.links]))
        if fresh != texts(had.get(key)):
            changes[key] = list(fresh)
    if operation.category:
        category = [part.strip() for part in operation.category.split("/") if part.strip()]
        if tuple(category) != texts(had.get("path")):
            changes["path"] = category
        if had.get("parents") and not operation.parents:
            changes["parents"] = []
    if operation.parents and texts(had.get("parents")) != tuple(operation.parents):
        changes["parents"] = list(operation.parents)
    for key, value in operation.front.items():
        if not key or not key.isprintable() or key != key.strip():
            raise InputError(f"{key!r} is no key of front matter; use a word")
        if had.get(key) != value:
            changes[key] = value
    return changes


def _title(was: Topic, words: str) -> str:
    """Return the new title of a topic whose title was made of its text; empty if it stays."""
    old, new = (made_title(next(iter(body.splitlines()), "")) for body in (was.body, words))
    return new if was.title in {old, made_title(was.body)} and old not in map(made_title, words.splitlines()) else ""


def is_over(said: str, before: str, after: str) -> bool:
    """True if what is said of a text has left it: all of the words, all of the names that it had, or a number."""
    old, new = (content.firm(body).union(content.words(body)) for body in (before, after))
    words, firm = content.content(said), content.firm(said)
    gone = firm & (old - new)
    return (bool(words) and words <= old - new) or (bool(gone) and (gone == firm or any(map(str.isdigit, gone))))


def _hook(body: str, before: str = "") -> str:
    """Return the beginning of a body; of a list what is not in the body before it, then its newest lines first.

    What holds for some days only is left out if there is more.
    """
    lines = body.splitlines()
    if all(line.startswith("- ") for line in lines):
        known = before.splitlines()
        lines = [line for line in reversed(lines) if not validity.has_end(line)] or lines[::-1]
        lines.sort(key=lambda line: line in known)
    return beginning(plain_line("\n".join(lines)), LINE_CHARS)


def _is_made(said: str, body: str) -> bool:
    """True if a description was made from a body: it begins as the body, or as a line of a list that is its body."""
    lines = body.splitlines()
    starts = map(plain_line, lines) if all(line.startswith("- ") for line in lines) else [_hook(body)]
    bare = said.removesuffix("…")
    return not said or any(bare.startswith(each) or each.startswith(bare) for each in starts if each)


def _with_line(body: str, before: str, line: str) -> str:
    """Return a body with a line in the place of another, or at its end."""
    found = next((each for each in written.read(body) if before and each.text == before), None)
    if found is None:
        return "\n".join(part for part in (body, f"- {line}") if part)
    return body.replace(found.raw, found.raw.replace(before, line, 1), 1)


def _stamps(front: Front, now: datetime, style: str) -> dict[str, Any]:
    """Return the dates and the version that a real change sets, as the style writes them."""
    had = front.values
    if style == "memo":
        return {"modified": instant(now)} if "modified" in had else {}
    stamp: Any = round(now.timestamp() * 1000) if style == "node" else instant(now)
    stamps: dict[str, Any] = {"updatedAt": stamp}
    if not had:
        stamps = {"createdAt": stamp, "updatedAt": stamp}
    if style == "node":
        version = _text(had, "version")
        stamps["version"] = int(version) + 1 if version.isascii() and version.isdigit() and len(version) < 10 else 1
    return stamps


def _body(text: str, front: Front, words: str, newline: str) -> Splice:
    """Replace the body, with the blank lines around it kept."""
    inside = text[front.body :]
    end = front.body + len(inside.rstrip())
    start = min(end, front.body + len(inside) - len(inside.lstrip()))
    if start == end == front.body:  # there was no body: one line break ends the new one
        return Splice(len(text), len(text), words.replace("\n", newline) + newline)
    return Splice(start, end, words.replace("\n", newline))


def _check_reading(path: str, data: bytes, named: Mapping[str, Any], words: str, style: str) -> None:
    after = parse(path, data, style)
    if after.problem:
        raise InputError(f"the topic {path!r} would not read back: {after.problem}; shorten or simplify its fields")
    front = frontmatter.read(edits.decode(data)).values
    missing = next((key for key in named if key not in front), None)
    if missing is not None or (words and after.topic.body != words):
        raise InputError(f"the topic {path!r} would not read back; begin its body with plain words")


def _text(values: Mapping[str, Any], key: str) -> str:
    value = values.get(key)
    return one_line(edits.visible(value)) if isinstance(value, str) else ""
