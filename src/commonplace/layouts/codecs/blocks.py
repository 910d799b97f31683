"""Where the blocks of a Markdown text are: headings, list items, paragraphs, fences, comments.

Reads the parts of Markdown that notes are made of, in one pass over the lines; every character that
is not blank is in exactly one block. A fence or comment that is never closed is plain text, so that a
stray mark cannot swallow what is below it.
"""

from __future__ import annotations

import re
from typing import Final, Literal, NamedTuple

from commonplace.text import frontmatter
from commonplace.text.patterns import pattern

INDEX_OPEN: Final = "<!-- commonplace:index -->"
INDEX_CLOSE: Final = "<!-- /commonplace:index -->"

Kind = Literal["front", "heading", "index", "comment", "rule", "item", "fence", "text"]

_WORD: Final = pattern(r"\S")
_HEADING: Final = pattern(r"(#{1,6})(?:[ \t]|\Z)")
_FENCE: Final = pattern(r"(`{3,100})[^`]*\Z|(~{3,100})")
_ITEM: Final = pattern(r"( {0,3})([-*+]|\d{1,9}[.)])([ \t]+|\Z)")
_SETEXT: Final = pattern(r" {0,3}(?:=+|--+)[ \t]*\Z")
_INDEX_END: Final = pattern(rf"^{re.escape(INDEX_CLOSE)}[ \t]*\r?$", re.MULTILINE)
_CODE_COLUMNS: Final = 4  # CommonMark: this much indentation makes code, not a block of its own


class Block(NamedTuple):
    """One block: characters [start, end) from the head of its first line to before its last line break.

    `body` is where its words start. Continuation lines of an item are indented by `width` columns.
    """

    kind: Kind
    start: int
    body: int
    end: int
    width: int = 0
    title: str = ""
    level: int = 0


def scan(text: str, *, items: bool = True) -> list[Block]:
    """Find the blocks of a text, in order; without `items` a list is a paragraph like any other."""
    return _Scanner(text, items=items).run()


def dedent(line: str, columns: int) -> str:
    """Remove up to so many columns of white space from the head of a line."""
    width = at = 0
    while at < len(line) and width < columns and line[at] in " \t":
        width += 1 if line[at] == " " else _CODE_COLUMNS - width % _CODE_COLUMNS
        if width > columns:
            break
        at += 1
    return line[at:]


def _opening(line: str) -> str:
    """Return the kind of block that a non-blank line would open; empty for a paragraph."""
    body = line.lstrip(" ")
    if len(line) - len(body) >= _CODE_COLUMNS:
        return ""
    first = body[0]
    if first == "#":
        return "heading" if _HEADING.match(body) else ""
    if first in "`~":
        return "fence" if _FENCE.match(body) else ""
    if first == "<":
        return "comment" if body.startswith("<!--") else ""
    if first in "-*_" and not body.strip(first + " \t") and body.count(first) >= 3:
        return "rule"
    return "item" if _ITEM.match(body) else ""


def _interrupts(line: str) -> bool:
    """True if an item may be directly below a paragraph: not an empty one, and numbered from 1."""
    found = _ITEM.match(line)
    return bool(found and found[3] and (not found[2][0].isdigit() or int(found[2][:-1]) == 1))


def _fence_of(line: str) -> str:
    found = _FENCE.match(line.lstrip(" \t"))
    return (found[1] or found[2]) if found else ""


class _Scanner:
    def __init__(self, text: str, *, items: bool) -> None:
        self.text = text
        self.items = items
        self.blocks: list[Block] = []
        self.unclosed: dict[str, int] = {}  # a closing mark that was looked for in vain, and its least length
        self.index_at = (0, -1)
        self.comment_at = (0, -1)  # between these places the next comment ends at the second

    def run(self) -> list[Block]:
        text, at = self.text, 1 if self.text.startswith("\ufeff") else 0
        front = frontmatter.find(text)
        if front is not None:
            self.blocks.append(Block("front", at, front[0], front[1] + 3))
            at = front[2]
        while found := _WORD.search(text, at):
            at = self.block(max(text.rfind("\n", at, found.start()) + 1, at))
        return self.blocks

    def line(self, at: int) -> tuple[str, int]:
        """Return the line at a place without its break, and where the next one starts."""
        stop = self.text.find("\n", at)
        line, after = (self.text[at:], len(self.text)) if stop < 0 else (self.text[at:stop], stop + 1)
        return line.removesuffix("\r"), after

    def add(self, kind: Kind, start: int, end: int, title: str = "", level: int = 0) -> None:
        self.blocks.append(Block(kind, start, start, end, 0, title, level))

    def block(self, at: int) -> int:
        """Read the block that starts at a non-blank line; return where it ends."""
        line, after = self.line(at)
        match self.opens(at, line):
            case "heading":
                return self.heading(at, line, after)
            case "rule":
                self.add("rule", at, at + len(line))
                return after
            case "fence":
                return self.closed("fence", at, self.fence_end(after, line))
            case "comment":
                return self.comment(at, line)
            case "item":
                return self.item(at, line, after)
            case _:
                return self.paragraph(at, line, after)

    def opens(self, at: int, line: str) -> str:
        """Return the kind of block that a line opens here; a fence or comment without an end opens none."""
        kind = _opening(line)
        if kind == "fence" and self.fence_end(at + len(line), line) < 0:
            return ""
        if kind == "comment" and self.comment_end(at) < 0:
            return ""
        return "" if kind == "item" and not self.items else kind

    def fence_end(self, after: int, line: str) -> int:
        """Find the end of the line that closes a fence, or -1."""
        mark = _fence_of(line)
        if len(mark) >= self.unclosed.get(mark[0], 1 << 30):
            return -1
        closing = re.compile(rf"^ {{0,3}}{mark}{mark[0]}*[ \t]*\r?$", re.MULTILINE).search(self.text, after)
        if closing is None:
            self.unclosed[mark[0]] = len(mark)
            return -1
        return closing.end()

    def comment_end(self, at: int) -> int:
        """Find where a comment closes, or -1; one that another opens in is not closed."""
        if not self.comment_at[0] <= at <= self.comment_at[1]:
            found = self.text.find("-->", at)
            self.comment_at = (at, found if found >= 0 else len(self.text))
        end = self.comment_at[1]
        return -1 if end == len(self.text) or self.text.find("<!--", at + 4, end) >= 0 else end

    def index_end(self, at: int) -> int:
        """Find where the generated index closes, or -1; one that another opens in is not closed."""
        if not self.index_at[0] <= at <= self.index_at[1]:
            found = _INDEX_END.search(self.text, at)
            self.index_at = (at, found.start() if found else len(self.text))
        end = self.index_at[1]
        if end == len(self.text) or self.text.find("\n" + INDEX_OPEN, at, end) >= 0:
            return -1
        return end + len(INDEX_CLOSE)

    def closed(self, kind: Kind, at: int, end: int) -> int:
        """Note a block whose last line ends at `end`; returns where the next line starts."""
        after = end + 1 if self.text.startswith("\n", end) else end
        self.add(kind, at, end - 1 if self.text[end - 1] == "\r" else end)
        return after

    def heading(self, at: int, line: str, after: int) -> int:
        body = line.strip()
        level = len(body) - len(body.lstrip("#"))
        title = body[level:].strip()
        bare = title.rstrip("#")
        if not bare or bare[-1] in " \t":
            title = bare.strip()
        self.add("heading", at, at + len(line), title, level)
        return after

    def comment(self, at: int, line: str) -> int:
        """Read a comment; the generated index is one block, text behind a comment makes it a paragraph."""
        if line.rstrip() == INDEX_OPEN:
            end = self.index_end(at + len(line))
            if end >= 0:
                return self.closed("index", at, end)
        closing = self.comment_end(at) + len("-->")
        rest, after = self.line(closing)
        self.add("text" if rest.strip() else "comment", at, closing + len(rest))
        return after

    def item(self, at: int, line: str, after: int) -> int:
        """Read a list item with its nested lines and its continuation lines."""
        found = _ITEM.match(line)
        assert found is not None  # noqa: S101 - the caller saw that the line opens an item
        indent, marker = len(found[1]), len(found[1]) + len(found[2])
        columns = len((" " * marker + found[3]).expandtabs(4)) - marker
        width = marker + (columns if 1 <= columns <= _CODE_COLUMNS and found.end() < len(line) else 1)
        body = at + (found.end() if columns <= _CODE_COLUMNS else marker + 1)
        threshold, end = min(width, indent + 2), at + len(line)
        fence = _fence_of(line[found.end() :])
        while start := _WORD.search(self.text, after):
            begin = max(self.text.rfind("\n", after, start.start()) + 1, after)
            following, next_line = self.line(begin)
            inside = following.lstrip(" \t")
            if len(following[: len(following) - len(inside)].expandtabs(4)) >= threshold:
                if not fence:
                    fence = _fence_of(inside)
                elif inside.startswith(fence) and not inside.strip(fence[0] + " \t"):
                    fence = ""
            elif begin > after or fence or self.opens(begin, following):
                break
            end, after = begin + len(following), next_line
        self.blocks.append(Block("item", at, min(body, end), end, width))
        return after

    def paragraph(self, at: int, line: str, after: int) -> int:
        """Read lines up to a blank one or to one that opens another block; one underlined is a heading."""
        end = at + len(line)
        while after < len(self.text):
            following, next_line = self.line(after)
            if not following.strip():
                break
            if end == at + len(line) and _SETEXT.match(following):
                self.add("heading", at, after + len(following), line.strip(), 1 if "=" in following else 2)
                return next_line
            kind = self.opens(after, following)
            if kind and (kind != "item" or _interrupts(following)):
                break
            end, after = after + len(following), next_line
        self.add("text", at, end)
        return after
