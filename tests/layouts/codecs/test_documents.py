from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from layer_texts import documents as files
from layer_texts import entries, lines, runs

from commonplace.errors import InputError, RecordNotFoundError
from commonplace.layouts.codecs import blocks, documents, edits
from commonplace.layouts.codecs.documents import Cap
from commonplace.layouts.codecs.edits import Duplicate, Effect, Over
from marking import in_one_test

PATH = "MEMORY.md"
STYLES = st.sampled_from(["", "list", "paragraph", "separator"])


def after(data: bytes, effect: Effect | Duplicate) -> bytes:
    assert isinstance(effect, Effect)
    return edits.assemble(data, effect.pieces)


def texts(data: bytes, style: str = "") -> list[str]:
    return [entry.text for entry in documents.records(PATH, data, style)]


def pairs(data: bytes, style: str = "") -> list[tuple[str, str]]:
    return [(entry.text, entry.section.casefold()) for entry in documents.records(PATH, data, style)]


def is_insertion(old: bytes, new: bytes) -> bool:
    """Whether new is old with bytes put in at one place."""
    head = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    return any(new.endswith(old[at:]) and new.startswith(old[:at]) for at in range(head + 1))


@settings(max_examples=runs(150), deadline=None)
@given(files(), st.booleans())
def test_every_character_that_is_not_blank_is_in_one_block(data, items):
    """Nothing of a file is outside of the reader's sight (issue 3: byte-exact round trips)."""
    text = edits.decode(data)
    at = 1 if text.startswith("\ufeff") else 0
    for block in blocks.scan(text, items=items):
        assert text[at : block.start].strip() == ""
        assert at <= block.start <= block.body <= block.end
        at = block.end
    assert text[at:].strip() == ""


@settings(max_examples=runs(200), deadline=None)
@given(files(), entries, STYLES)
def test_an_added_text_reads_back_as_exactly_one_entry(data, text, style):
    """The brief of issue 3: parse(add(x)) gives one new entry, or the text is refused; nothing else moves."""
    before = texts(data, style)
    try:
        effect = documents.add(PATH, data, text, style=style)
    except InputError:
        assert style in {"paragraph", "separator"} or b"<!--" in data
        return
    if isinstance(effect, Duplicate):
        assert effect.id in {entry.id for entry in documents.records(PATH, data, style)}
        return
    new = after(data, effect)
    assert is_insertion(data, new)
    now = texts(new, style)
    place = next(i for i, entry in enumerate(documents.records(PATH, new, style)) if entry.id == effect.added[0])
    assert now[place] == edits.clean(text)
    assert now[:place] + now[place + 1 :] == before
    assert (effect.successors, effect.gone) == ({}, ())


@settings(max_examples=runs(150), deadline=None)
@given(files(), entries, st.sampled_from(["Facts", "Deep", "New", "C#", "under", "x <!-- y"]))
def test_a_text_added_to_a_section_stands_in_it(data, text, section):
    """AddEntry: at the end of a section, created when missing."""
    assume("-->" not in text)
    effect = documents.add(PATH, data, text, section=section)
    assume(isinstance(effect, Effect))
    new = after(data, effect)
    found = next(entry for entry in documents.records(PATH, new) if entry.id == effect.added[0])
    assert found.section.casefold() == section.casefold()
    assert found.text == edits.clean(text)
    assert is_insertion(data, new)


INDEX = f"{blocks.INDEX_OPEN}\n- [T](t.md)\n{blocks.INDEX_CLOSE}"


@settings(max_examples=runs(200), deadline=None)
@example("", "", ["# Memory"], True, "\n", "one")
@example("\ufeff", "---\nname: x\n---", ["Memory\n======"], True, "\r\n", "one")
@given(
    st.sampled_from(["", "\ufeff"]),
    st.sampled_from(["", "---\nname: x\n---", "---\n---"]),
    st.lists(st.sampled_from(["# Memory", "## Topics", "Memory\n======", "<!-- note -->", "***"]), max_size=3),
    st.booleans(),
    st.sampled_from(["\n", "\n\n", "\r\n"]),
    entries,
)
def test_a_first_entry_stands_below_the_title_and_above_the_index(mark, front, structure, has_index, newline, text):
    """Issue 3: a document with a heading and the generated index only; heading, index or front matter alone."""
    assume("<!--" not in text)
    parts = [front] * bool(front) + structure + [INDEX] * has_index
    data = (
        mark + "".join(part.replace("\n", "\r\n" if "\r" in newline else "\n") + newline for part in parts)
    ).encode()
    assume(not texts(data))
    new = after(data, documents.add(PATH, data, text))
    placed = documents.parse(PATH, new)
    assert [one.entry.text for one in placed] == [edits.clean(text)]
    found = blocks.scan(edits.decode(data))
    heads = [block for block in found if block.kind == "heading"]
    if heads:
        assert placed[0].start >= len(edits.decode(data)[: heads[0].end].encode())
    if has_index:
        assert placed[0].start < new.index(blocks.INDEX_OPEN.encode())
    if front and found and found[0].kind == "front":
        assert placed[0].start >= len(edits.decode(data)[: found[0].end].encode())
    assert is_insertion(data, new)


@settings(max_examples=runs(150), deadline=None)
@given(files(), entries, STYLES, st.data())
def test_a_replaced_entry_changes_alone(data, text, style, draw):
    """Model equality of replace: one entry differs, every other and all structure stay."""
    found = list(documents.records(PATH, data, style))
    assume(found)
    place = draw.draw(st.integers(0, len(found) - 1))
    try:
        effect = documents.replace(PATH, data, found[place].id, text, style=style)
    except InputError:
        assert style in {"paragraph", "separator"} or b"<!--" in data
        return
    if isinstance(effect, Duplicate):
        return
    now = pairs(after(data, effect), style)
    wanted = pairs(data, style)
    wanted[place] = (edits.clean(text), wanted[place][1])
    assert now == wanted
    placed = documents.parse(PATH, data, style)[place]
    new = after(data, effect)
    assert new.startswith(data[: placed.start])
    assert new.endswith(data[placed.end :])


@settings(max_examples=runs(200), deadline=None)
@given(files(), STYLES, st.data())
def test_a_removed_entry_leaves_the_others_in_order(data, style, draw):
    """Seed facts 5.3.4: order is kept; nothing but the entry and blank lines beside it goes."""
    found = list(documents.records(PATH, data, style))
    assume(found)
    place = draw.draw(st.integers(0, len(found) - 1))
    effect = documents.remove(PATH, data, found[place].id, style=style)
    wanted = pairs(data, style)
    del wanted[place]
    assert pairs(after(data, effect), style) == wanted
    assert len(effect.gone) == 1
    placed = documents.parse(PATH, data, style)[place]
    kept = [(piece.start, piece.end) for piece in effect.pieces if not isinstance(piece, str)]
    lost = [(one[1], two[0]) for one, two in pairwise([(0, 0), *kept, (len(data), len(data))]) if one[1] < two[0]]
    for start, end in lost:
        beside = data[start : max(start, min(end, placed.start))] + data[min(end, max(start, placed.end)) : end]
        assert style == "separator" or not beside.strip()


@settings(max_examples=runs(60), deadline=None)
@given(st.data())
def test_many_edits_agree_with_a_list_of_texts(data):
    """Issue 3: add, replace and remove against a plain model."""
    style = data.draw(st.sampled_from(["", "list", "separator"]))
    stored, model = b"", []
    for _ in range(12):
        action = data.draw(st.sampled_from(["add", "add", "replace", "remove"]))
        text = data.draw(entries)
        try:
            if action == "add":
                effect = documents.add(PATH, stored, text, style=style)
                if isinstance(effect, Effect):
                    model.append(edits.clean(text))
            elif model:
                place = data.draw(st.integers(0, len(model) - 1))
                target = documents.parse(PATH, stored, style)[place].entry.id
                if action == "remove":
                    effect = documents.remove(PATH, stored, target, style=style)
                    del model[place]
                else:
                    effect = documents.replace(PATH, stored, target, text, style=style)
                    if isinstance(effect, Effect):
                        model[place] = edits.clean(text)
            else:
                continue
        except InputError:
            assert style == "separator" or "-->" in text
            continue
        if isinstance(effect, Effect):
            stored = after(stored, effect)
        assert texts(stored, style) == model


def test_a_line_of_the_separator_is_refused_in_a_separated_document():
    """The text would read back as two entries; the error says what to leave out."""
    with pytest.raises(InputError, match="leave out lines"):
        documents.add("facts/user.md", b"a", "one\n§\ntwo", style="separator")


def test_the_separator_style_is_the_one_of_the_facts_design():
    """Seed facts 5.1: entries joined by a separator line, the file trimmed."""
    stored = b""
    for text in ("Uses Go 1.25", "Likes tea", "Lives in Kyiv"):
        stored = after(stored, documents.add("facts/user.md", stored, text, style="separator"))
    assert stored.decode() == "Uses Go 1.25\n§\nLikes tea\n§\nLives in Kyiv"
    stored = after(stored, documents.remove("facts/user.md", stored, "tea", style="separator"))
    assert stored.decode() == "Uses Go 1.25\n§\nLives in Kyiv"
    assert documents.add("facts/user.md", stored, "Uses  Go 1.25", style="separator") == Duplicate(
        "facts/user.md#" + documents.parse("facts/user.md", stored, "separator")[0].entry.id.rpartition("#")[2]
    )


def test_a_target_that_two_entries_match_names_the_count_and_shows_both():
    """Seed facts 5.3.2: replace with an ambiguous text is an error naming 2; none is an error too."""
    data = b"- likes green tea\n- likes black tea\n"
    with pytest.raises(InputError, match="2 entries") as caught:
        documents.replace(PATH, data, "tea", "x")
    assert "green" in str(caught.value)
    assert "black" in str(caught.value)
    with pytest.raises(RecordNotFoundError, match="no entry"):
        documents.remove(PATH, data, "coffee")
    with pytest.raises(RecordNotFoundError, match="read it again"):
        documents.remove(PATH, data, f"{PATH}#0123456789ab")
    with pytest.raises(InputError, match="empty"):
        documents.remove(PATH, data, "  ")


def test_the_whole_text_of_an_entry_wins_over_a_part_of_another():
    """An agent names the entry it means by its text."""
    data = b"- tea\n- green tea\n"
    assert after(data, documents.remove(PATH, data, "tea")) == b"- green tea\n"


def test_a_cap_states_what_is_what_would_be_and_the_most():
    """Seed facts 5.3.3: chars are code points; 1,500 Chinese characters fit a cap of 1,500."""
    assert Cap(1500, "chars").check("", "界" * 1500) is None
    assert Cap(1500, "chars").check("a", "界" * 1501) == Over(1, 1501, 1500, "chars")
    assert Cap(1500, "bytes").check("", "界" * 501) == Over(0, 1503, 1500, "bytes")
    assert Cap(10, "tokens").check("", "界" * 11) == Over(0, 11, 10, "tokens")


def test_a_document_over_its_cap_may_still_shrink():
    """Else it could never be brought below the cap step by step."""
    assert Cap(3, "chars").check("123456", "12345") is None
    assert Cap(3, "chars").check("123456", "123456") == Over(6, 6, 3, "chars")


def test_a_cap_does_not_count_the_generated_index():
    """The index has its own limits."""
    index = f"{blocks.INDEX_OPEN}\n- [a](a.md)\n{blocks.INDEX_CLOSE}\n"
    assert Cap(5, "chars").check("", f"- abc\n\n{index}") is None


def test_the_index_block_is_replaced_whole_and_holds_no_entries():
    """DESIGN 5: long-term text and a managed, generated index block."""
    data = b"# Memory\n\n- mine\n"
    made = after(data, documents.replace_index(PATH, data, ["- [A](a.md)", "- [B](b.md)"]))
    assert made.startswith(data)
    assert texts(made) == ["mine"]
    again = documents.replace_index(PATH, made, ["- [A](a.md)", "- [B](b.md)"])
    assert after(made, again) == made
    fewer = after(made, documents.replace_index(PATH, made, ["- [B](b.md)"]))
    assert fewer.decode() == f"# Memory\n\n- mine\n\n{blocks.INDEX_OPEN}\n- [B](b.md)\n{blocks.INDEX_CLOSE}\n"
    added = after(fewer, documents.add(PATH, fewer, "also mine"))
    assert added.decode().startswith("# Memory\n\n- mine\n- also mine\n\n<!--")


@settings(max_examples=runs(100), deadline=None)
@given(files(), st.lists(st.sampled_from(["- [A](a.md)", "- [B](b.md) — é"]), min_size=1))
@example("\ufeff ".encode(), ["- [A](a.md)"])
def test_replacing_the_index_leaves_every_entry(data, index):
    """The block is generated; what people wrote is not touched."""
    before = documents.parse(PATH, data)
    effect = documents.replace_index(PATH, data, index)
    assert [one.entry.text for one in documents.parse(PATH, after(data, effect))] == [one.entry.text for one in before]
    assert effect.gone == effect.added == ()


def test_an_unclosed_fence_or_comment_swallows_nothing():
    """A stray mark in a hand-edited file costs only its own line."""
    data = b"```\nopen\n\n- a\n\n<!-- also open\n\n- b\n"
    assert texts(data) == ["```\nopen", "a", "<!-- also open", "b"]


def test_equal_entries_have_ids_of_their_own():
    """DESIGN 5: path, fingerprint, and ~n for the nth equal text."""
    ids = [entry.id for entry in documents.records(PATH, b"- a\n- b\n- a\n")]
    assert ids[2] == ids[0] + "~2"
    effect = documents.remove(PATH, b"- a\n- b\n- a\n", ids[0])
    assert (effect.gone, effect.successors) == ((ids[2],), {})


def test_a_replacement_names_the_successor():
    """DESIGN 5: each replacement logs old to new."""
    data = b"- OS: Ubuntu 22.04\n- other\n"
    old = next(iter(documents.records(PATH, data))).id
    effect = documents.replace(PATH, data, "22.04", "OS: Ubuntu 24.04")
    assert list(effect.successors) == [old]
    assert after(data, effect) == b"- OS: Ubuntu 24.04\n- other\n"


def test_bytes_that_are_no_utf8_show_as_a_mark_and_stay_on_disk():
    """Safety F09: replacement view, original bytes until the entry itself is edited."""
    data = b"- caf\xe9\n- ok\n"
    assert texts(data) == ["caf\ufffd", "ok"]
    assert after(data, documents.add(PATH, data, "new")) == data + b"- new\n"


@in_one_test("text", ["", "   \n", "\ufeff", "\ud800"])
def test_a_text_that_says_nothing_is_refused(text):
    with pytest.raises(InputError):
        documents.add(PATH, b"", text)


@settings(max_examples=runs(100), deadline=None)
@given(lines.map("\n".join), st.sampled_from(["", "list", "paragraph", "separator"]))
def test_windows_files_read_as_others_and_keep_their_line_breaks(text, style):
    """Byte-exact round trips, CRLF files included."""
    windows = text.replace("\n", "\r\n").encode()
    assert texts(windows, style) == texts(text.encode(), style)
    assume("\n" in text)
    effect = documents.add(PATH, windows, "brand\nnew", style=style)
    assert b"\n" not in after(windows, effect).replace(b"\r\n", b"")
