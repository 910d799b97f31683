from __future__ import annotations

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from layer_texts import LINES, runs
from layer_texts import documents as files

from commonplace.changes.edits import Rope
from commonplace.layouts.codecs import blocks, documents, edits, merges, rewrites
from commonplace.layouts.codecs.blocks import INDEX_OPEN
from commonplace.layouts.codecs.edits import Effect

PATH = "MEMORY.md"
STYLES = st.sampled_from(["", "list", "paragraph", "separator"])


def texts(data: bytes, style: str = "") -> list[str]:
    return [entry.text for entry in documents.records(PATH, data, style)]


def ids(data: bytes, style: str = "") -> list[str]:
    return [entry.id for entry in documents.records(PATH, data, style)]


@settings(max_examples=runs(150), deadline=None)
@given(files(), st.lists(st.sampled_from(LINES), min_size=1, max_size=14), STYLES)
def test_a_rewrite_reads_as_the_new_text_says(data, lines, style):
    """Seed model conclusion 4: a whole document from a model is executed as edits and reaches its text."""
    assume(INDEX_OPEN.encode() not in data)
    text = "\n".join(lines)
    assume(text.strip())
    effect = rewrites.rewrite(PATH, data, text, style=style)
    new = edits.assemble(data, effect.pieces)
    kept = edits.decode(new).replace("\r\n", "\n").removeprefix("\ufeff").rstrip()
    assert kept == text.rstrip()
    old = edits.decode(data)
    if old.strip("\ufeff"):
        assert edits.decode(new)[len(edits.decode(new).rstrip()) :] == old[len(old.rstrip()) :]
    assert set(ids(new, style)) == (set(ids(data, style)) - set(effect.gone) - set(effect.successors)) | set(
        effect.added
    ) | set(effect.successors.values())


@settings(max_examples=runs(150), deadline=None)
@given(files(), files(), STYLES)
def test_every_old_entry_is_kept_replaced_or_gone(before, after, style):
    """A shrink guard judges by it; and every new entry was there, takes the place of another, or is added."""
    effect = rewrites.compare(PATH, before, after, style=style)
    assert edits.assemble(before, effect.pieces) == after
    old, new = set(ids(before, style)), set(ids(after, style))
    assert old - new == {*effect.successors, *effect.gone}
    assert new - old >= set(effect.added)
    assert new - old - set(effect.added) <= set(effect.successors.values())
    assert len(set(effect.successors.values())) == len(effect.successors)


def test_a_rewrite_touches_only_the_lines_that_differ():
    """DESIGN 7: a whole-document rewrite is executed as a diff."""
    data = b"# Memory\r\n\r\n- likes tea\r\n- OS: Ubuntu 22.04\r\n- has a dog\r\n- plays chess\r\n"
    effect = rewrites.rewrite(PATH, data, "# Memory\n\n- likes tea\n- OS: Ubuntu 24.04\n- plays chess\n- is 40")
    assert [piece for piece in effect.pieces if isinstance(piece, str)] == ["- OS: Ubuntu 24.04\r\n", "- is 40\r\n"]
    assert (len(effect.successors), len(effect.gone), len(effect.added)) == (1, 1, 1)
    old = ids(data)
    assert list(effect.successors) == [old[1]]
    assert effect.gone == (old[2],)


def test_a_text_that_says_the_same_changes_nothing():
    """Two-layer: "if nothing new, return existing content unchanged", often without the last line break."""
    data = "\ufeff# Memory\r\n\r\n- one\r\n\r\n".encode()
    assert edits.assemble(data, rewrites.rewrite(PATH, data, "# Memory\n\n- one").pieces) == data


def test_a_rewrite_leaves_the_generated_index():
    """A model is not shown the block and cannot drop it."""
    data = documents_with_index("- one\n")
    new = edits.assemble(data, rewrites.rewrite(PATH, data, "- two").pieces)
    assert texts(new) == ["two"]
    assert [block.kind for block in blocks.scan(new.decode())] == ["item", "index"]


def documents_with_index(text: str) -> bytes:
    data = text.encode()
    return edits.assemble(data, documents.replace_index(PATH, data, ["- [A](a.md)"]).pieces)


def test_moved_entries_keep_their_ids():
    """An outside edit that only sorts a list loses no id."""
    effect = rewrites.compare(PATH, b"- a\n- b\n- c\n", b"- c\n- a\n- b\n")
    assert (effect.successors, effect.gone, effect.added) == ({}, (), ())


def test_an_entry_is_followed_by_the_one_that_came_for_it():
    """The one in its place that is about the same, or one that says nearly the same in another; no other one."""
    before = (
        b"- Julia is vegetarian; her kids are not.\n- has a dog\n- Jonas (7) and Mila (4) go to school\n- likes tea\n"
    )
    after = (
        b"- Julia eats fish again; mostly vegetarian.\n- Jonas (8) and Mila (4) go to school\n- has a dog\n- is 40\n"
    )
    effect = rewrites.compare(PATH, before, after)
    old, new = ids(before), ids(after)
    assert effect.successors == {old[0]: new[0], old[2]: new[1]}
    assert (effect.gone, effect.added) == ((old[3],), (new[3],))


words = st.sampled_from(["tea", "dog", "chess", "Kyiv", "Go 1.25", "dark mode", "42", "日本"])


@settings(max_examples=runs(100), deadline=None)
@given(
    st.lists(st.tuples(words, words), max_size=6, unique=True),
    st.lists(st.integers(0, 5), max_size=3, unique=True),
    st.lists(st.integers(0, 5), max_size=3, unique=True),
    st.sampled_from(["", "list", "separator"]),
)
def test_a_merge_holds_what_both_sides_did(start, we_remove, they_remove, style):
    """Issue 3: an edit outside that races a commit is merged by entry; no edit of either side is lost."""
    base = b""
    for one, other in start:
        base = edit(base, documents.add(PATH, base, f"{one} and {other}", style=style))
    count = len(texts(base, style))
    ours, theirs = base, base
    for place in sorted(they_remove, reverse=True):
        if place < count:
            theirs = edit(theirs, documents.remove(PATH, theirs, ids(theirs, style)[place], style=style))
    for place in sorted(we_remove, reverse=True):
        if place < count:
            ours = edit(ours, documents.remove(PATH, ours, ids(ours, style)[place], style=style))
    ours = edit(ours, documents.add(PATH, ours, "we added this", style=style))
    theirs = edit(theirs, documents.add(PATH, theirs, "theirs is new too", style=style))
    merged = merges.merge3(PATH, base, theirs, ours, style=style)
    assert merged is not None
    gone = {texts(base, style)[place] for place in [*we_remove, *they_remove] if place < count}
    left = [text for text in texts(base, style) if text not in gone]
    assert [text for text in texts(merged.data, style) if " and " in text] == left
    assert {"we added this", "theirs is new too"} <= set(texts(merged.data, style))
    assert merged.conflicts == ()


def edit(data: bytes, effect: object) -> bytes:
    return edits.assemble(data, effect.pieces) if isinstance(effect, Effect) else data


def test_where_both_changed_an_entry_theirs_stands_and_ours_is_told():
    """DESIGN 5: other content is an outside edit; it wins, ours goes to review."""
    base = b"- likes green tea\n- has a dog\n- is tall\n"
    theirs = base.replace(b"green", b"black")
    ours = base.replace(b"green", b"white").replace(b"a dog", b"two dogs").replace(b"- is tall\n", b"")
    merged = merges.merge3(PATH, base, theirs, ours)
    assert merged.data == b"- likes black tea\n- has two dogs\n"
    assert merged.conflicts == ("likes white tea",)


def test_a_removal_of_what_they_changed_is_a_conflict():
    """The person who edits an entry wants it; our removal gives way."""
    base = b"- likes green tea\n- x\n"
    merged = merges.merge3(PATH, base, base.replace(b"green", b"black"), b"- x\n")
    assert merged.data == b"- likes black tea\n- x\n"
    assert merged.conflicts == ("",)


def test_the_same_edit_on_both_sides_is_made_once():
    base = b"- one\n"
    both = b"- one\n- two\n"
    merged = merges.merge3(PATH, base, both, both)
    assert (merged.data, merged.conflicts) == (both, ())


def test_a_new_section_comes_with_its_entries():
    """AddEntry makes a section when missing, in a race too."""
    base = b"# Memory\n\n- one\n"
    ours = edit(base, documents.add(PATH, base, "likes tea", section="Likes"))
    ours = edit(ours, documents.add(PATH, ours, "likes rain", section="Likes"))
    merged = merges.merge3(PATH, base, base + b"- two\n", ours)
    assert merged.data == b"# Memory\n\n- one\n- two\n\n## Likes\n\n- likes tea\n- likes rain\n"


def test_a_new_entry_stands_below_the_neighbour_it_had():
    base = b"- a\n- b\n"
    merged = merges.merge3(PATH, base, b"- a\n- b\n- c\n", b"- a\n- new\n- b\n")
    assert merged.data == b"- a\n- new\n- b\n- c\n"


def test_a_new_index_is_taken_over():
    base = documents_with_index("- one\n")
    theirs = base.replace(b"- one\n", b"- one\n- two\n")
    ours = edit(base, documents.replace_index(PATH, base, ["- [B](b.md)"]))
    merged = merges.merge3(PATH, base, theirs, ours)
    assert texts(merged.data) == ["one", "two"]
    assert b"- [B](b.md)" in merged.data
    assert b"- [A](a.md)" not in merged.data


def test_a_change_of_ours_to_headings_is_left_to_a_person():
    """Structure is not ours to guess at."""
    assert merges.merge3(PATH, b"# A\n\n- x\n", b"# A\n\n- x\n- y\n", b"# B\n\n- x\n") is None


@settings(max_examples=runs(100), deadline=None)
@given(files(), files(), files(), STYLES)
def test_a_merge_never_fails_and_never_drops_their_bytes_unasked(base, theirs, ours, style):
    """Whatever the three are: a merge, or a person's turn; their entries we did not touch all stay."""
    merged = merges.merge3(PATH, base, theirs, ours, style=style)
    if merged is None:
        return
    known = set(texts(base, style))
    stays = [text for text in texts(theirs, style) if text not in known]
    assert [text for text in texts(merged.data, style) if text in set(stays)] == stays


@settings(max_examples=runs(100), deadline=None)
@given(files(), st.data())
def test_two_edits_of_one_file_are_one_write_against_its_first_bytes(data, draw):
    """Two operations on one file in one commit are one write against the bytes as they were."""
    rope = Rope(data)
    for text in ("first\n\nnew", "second"):
        found = ids(rope.data)
        if found and draw.draw(st.booleans()):
            step = documents.remove(PATH, rope.data, found[draw.draw(st.integers(0, len(found) - 1))])
        else:
            step = documents.add(PATH, rope.data, text)
        assume(isinstance(step, Effect))
        after = edits.assemble(rope.data, step.pieces)
        rope.edit(step.pieces)
        assert rope.data == after
    assert edits.assemble(data, rope.pieces) == rope.data
