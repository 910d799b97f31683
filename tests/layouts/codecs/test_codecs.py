from __future__ import annotations

import sys
import types
from datetime import UTC, datetime
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from layer_texts import runs

from commonplace.layouts.codecs import codec, documents, edits, items, merges, rewrites
from commonplace.layouts.codecs.edits import Effect
from commonplace.operations import AddEntry
from commonplace.text.spans import Keep
from growth import grows_like_its_input
from inside import forget_entries
from marking import in_one_test, slow_after

NOW = datetime(2026, 11, 21, 12, 30, tzinfo=UTC)
FILES = {"documents": "MEMORY.md", "journals": "2026-11-21.md", "topics": "a/b.md", "items": "items/semantic.jsonl"}
STYLES = {
    "documents": ["", "list", "paragraph", "separator"],
    "journals": ["history", "daily", "observations", "lines"],
    "topics": ["", "node", "memo", "okf"],
    "items": [""],
}
CASES = [(kind, style) for kind in FILES for style in STYLES[kind]]

LONG = {
    "paragraphs": "Some plain words that somebody said.\n\n",
    "items": "- a fact about something\n",
    "nested": "- a\n  b\n\n  c\n",
    "fences left open": "```\n\n",
    "comments left open": "<!--\n\n",
    "openers of an index": "<!-- commonplace:index -->\n",
    "headings": "## H\n\n",
    "separators": "fact\n§\n",
    "history": "\n## 2026-02-27T14:30:00.000Z\nA summary.\n",
    "daily": "[14:30] User: a | Assistant: b\n",
    "objects": '{"id":"x","content":"y"}\n',
    "links": "[[a [[b]] ](c ](d.md)\n",
    "spaces": "     \n",
    "one line": "word ",
}


@pytest.mark.parametrize(("kind", "style"), slow_after(4, CASES))
@settings(max_examples=runs(60), deadline=None)
@given(st.one_of(st.binary(max_size=200), st.text(max_size=60).map(lambda text: text.encode("utf-8", "replace"))))
def test_any_bytes_give_records_that_can_be_stored(kind, style, data):
    """Safety F09: no exception, no half character, ids that lead back to the file and are unique."""
    found = list(codec(kind).records(FILES[kind], data, style))
    for record in found:
        record.text.encode() if kind != "topics" else record.body.encode()
        assert edits.split_id(record.id)[0] == FILES[kind]
    assert len({record.id for record in found}) == len(found)


def work(function, *arguments) -> int:
    """Count the lines of Python that run: a measure of work that no clock disturbs."""
    count = 0

    def trace(frame, event, argument):
        nonlocal count
        count += 1
        return trace

    old = sys.gettrace()
    sys.settrace(trace)
    try:
        for _ in function(*arguments):
            pass
    finally:
        sys.settrace(old)
    return count


def _read_anew(kind, path, data, style):
    """Read records as one does who has not read the same bytes a moment ago."""
    forget_entries()
    return codec(kind).records(path, data, style)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "style"), CASES)
@in_one_test("line", LONG)
def test_twice_the_text_is_twice_the_work(kind, style, line):
    """Issue 3: 10 MB documents; nothing is read over and over."""
    small, large = ((LONG[line] * count).encode() for count in (60, 120))
    records = partial(_read_anew, kind)
    list(records(FILES[kind], large, style))  # what is compiled or kept in mind is so for both
    assert work(records, FILES[kind], large, style) <= 2.2 * work(records, FILES[kind], small, style) + 60


@pytest.mark.battery
@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "style"),
    [("documents", ""), ("documents", "paragraph"), ("journals", "history"), ("topics", ""), ("items", "")],
)
@pytest.mark.parametrize("line", LONG)
def test_a_long_file_is_read_in_linear_time(kind, style, line):
    """The same for what runs below Python: patterns and slices."""

    def read(chars: int) -> None:
        for _record in _read_anew(kind, FILES[kind], (LONG[line] * (chars // len(LONG[line]))).encode(), style):
            pass

    assert grows_like_its_input(read, 20_000)


@pytest.mark.slow
def test_a_document_of_ten_megabytes_is_read_and_edited():
    """Issue 3, bad input: 10 MB documents; every untouched byte is kept by position."""
    data = b"".join(b"- fact %06d about something or other, in so many words\n" % n for n in range(175_000))
    assert len(data) > 10_000_000 * 0.98
    effect = documents.add("MEMORY.md", data, "one more")
    assert effect.pieces == (Keep(0, len(data) - 1), "\n- one more", Keep(len(data) - 1, len(data)))
    assert (effect.gone, effect.successors) == ((), {})


@in_one_test(
    ("record", "parts"),
    [
        ("memory/MEMORY.md#0123456789ab", ("memory/MEMORY.md", "0123456789ab")),
        ("memory/C#.md#0123456789ab~12", ("memory/C#.md", "0123456789ab~12")),
        ("people/steve.md", ("people/steve.md", "")),
        ("notes/C#.md", ("notes/C#.md", "")),
        ("items/semantic.jsonl#a#b/../c", ("items/semantic.jsonl", "a#b/../c")),
    ],
)
def test_an_id_splits_into_its_path_and_its_key(record, parts):
    """DESIGN 5: path + fingerprint + ~n; items by their own id, topics by path."""
    assert edits.split_id(record) == parts


def test_an_operation_reaches_the_module_of_its_kind():
    effect = codec("documents").apply("M.md", None, AddEntry(path="M.md", text="x"), now=NOW)
    assert isinstance(effect, Effect)
    assert edits.assemble(b"", effect.pieces) == b"- x\n"


def test_nothing_here_sees_a_file_or_another_layer():
    """DESIGN 4: layers are pure, and a layer never imports another layer."""
    kinds = {"documents", "journals", "topics", "items"}
    for module in (
        documents,
        items,
        merges,
        rewrites,
        *(sys.modules[f"commonplace.layouts.codecs.{kind}"] for kind in kinds),
    ):
        names = vars(module)
        assert not {sys.modules.get(name) for name in ("os", "pathlib", "sqlite3", "time", "io")} & {
            value for value in names.values() if isinstance(value, types.ModuleType)
        }
        if module.__name__.rpartition(".")[2] in kinds:
            assert not (kinds - {module.__name__.rpartition(".")[2]}) & names.keys()
