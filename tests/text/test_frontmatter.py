from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from commonplace.text import frontmatter
from marking import in_one_test, tries


def changed(text: str, changes: dict[str, object], newline: str = "\n") -> str:
    for start, end, new in reversed(frontmatter.edit(text, changes, newline)):
        text = text[:start] + new + text[end:]
    return text


@in_one_test(
    "written", ["no", "12:30", "1.10", "2026-11-21", "012", "1e3", "~", "null", "true", "0x1F", "1_000", ".inf", "+1"]
)
def test_what_yaml_would_misread_is_text(written):
    """Issue 3 and safety F27: `no`, `12:30` and `1.10` are text, plain in a file and written by us."""
    assert frontmatter.read(f"---\nkey: {written}\n---\nbody").values == {"key": written}
    made = frontmatter.render({"key": written})
    assert made == f'---\nkey: "{written}"\n---\n'
    assert frontmatter.read(made).values == {"key": written}


BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{here}: &{here} [{', '.join(['*' + before] * 9)}]\n" for before, here in zip("abcdefg", "bcdefgh", strict=True)
)


@in_one_test(
    ("block", "problem"),
    [
        (BOMB, "alias"),
        ("a: &a [*a]\n", "alias"),
        ("a: &a {b: *a}\n", "alias"),
        ("a: 1\nb: 2\na: 3\n", "'a' twice"),
        ("m:\n  k: 1\n  k: 2\n", "'k' twice"),
        ("a: !!python/object/apply:os.system [ls]\n", "tag"),
        ("a: !x y\n", "tag"),
        ("a: " + "[" * 500 + "]" * 500 + "\n", "deeper"),
        ("a: " + "x" * 9000 + "\n", "8192 bytes"),
        ("a: 'open\n", "not YAML"),
        ("a: b: c\n- d\n", "not YAML"),
        ("? [x]\n: y\na: b\n", ""),
        ("a: {[1]: 2}\n", "not text"),
        ("<<: {a: b}\n", "merge key"),
        ("a: \x07\n", "not YAML"),
        ("a: b\n--- x\n", "two documents"),
    ],
)
def test_a_block_that_is_not_safe_is_body_and_is_reported(block, problem):
    """Safety F27: bombs, cyclic aliases, tags, depth, duplicate keys; nothing is lost."""
    text = f"---\n{block}---\nbody\n"
    front = frontmatter.read(text)
    assert front.values == {}
    assert text[front.body :] == text
    assert problem in front.problem


@in_one_test("text", ["", "body", "---\n", "---\nno end", "---\njust words\n---\nbody", "----\na: b\n---\n"])
def test_a_text_without_keys_between_two_lines_has_no_front_matter(text):
    """A note that opens with a rule is a note."""
    assert frontmatter.read(text) == frontmatter.Front({}, 0)


def test_an_edit_touches_the_lines_of_its_keys_only():
    """Issue 3: unknown front matter, comments and odd spacing survive byte for byte."""
    text = (
        "---\r\n# made by hand\r\ntitle:   'Old'   # why\r\nodd : {x: [1,2]}\r\nlist:\r\n- a\r\n- b\r\n\r\n"
        "folded: >\r\n  one\r\n  two\r\n\r\nlast: x\r\n---\r\nbody: not a key\r\n"
    )
    assert changed(text, {"title": "New: one", "list": ["c"], "fresh": "no"}, "\r\n") == (
        '---\r\n# made by hand\r\ntitle:   "New: one"   # why\r\nodd : {x: [1,2]}\r\nlist: ["c"]\r\n\r\n'
        'folded: >\r\n  one\r\n  two\r\n\r\nlast: x\r\nfresh: "no"\r\n---\r\nbody: not a key\r\n'
    )


def test_a_key_without_a_value_gets_one():
    assert changed("---\na:\nb:\n---\n", {"a": "x", "b": "z"}) == "---\na: x\nb: z\n---\n"


def test_a_value_that_is_there_already_changes_no_byte():
    """Whatever way it is written."""
    text = "---\na: 'x'\nb: [p, \"q\"]\nc: |\n  line\n---\n"
    assert frontmatter.edit(text, {"a": "x", "b": ["p", "q"], "c": "line\n"}) == []


def test_a_text_without_front_matter_gets_a_block_on_top():
    assert changed("\ufeffbody\n", {"a": "x"}) == "\ufeff---\na: x\n---\n\nbody\n"


keys = st.sampled_from(["title", "name", "no", "a b", "x:y", "été", "tags", '"q"'])
scalars = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=25),
    st.sampled_from(
        ["a: b", "a #b", "- x", "[x]", "'", '"', "\n", " lead", "trail ", "\\", "|", "%x", "@y", "…", "\x85"]
    ),
)
values = st.one_of(scalars, st.lists(scalars, max_size=3), st.dictionaries(scalars, scalars, max_size=2))


@settings(max_examples=tries(80), deadline=None)
@given(st.dictionaries(keys, values, max_size=4))
def test_what_is_written_reads_back(written):
    """Any text as a value, quoted where a reader would misread it."""
    made = frontmatter.render(written)
    assert frontmatter.read(made + "body") == frontmatter.Front(written, len(made))


@settings(max_examples=tries(150), deadline=None)
@given(
    st.dictionaries(keys, values, min_size=1, max_size=4),
    st.dictionaries(keys, values, max_size=3),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["", "body", "---\n"]),
)
def test_an_edit_sets_its_keys_and_keeps_every_other(written, changes, newline, body):
    """Line-level edits, on files with either line break."""
    text = frontmatter.render(written, newline) + body
    new = changed(text, changes, newline)
    front = frontmatter.read(new)
    assert front.values == written | changes
    assert new[front.body :] == body
    for line in text.split(newline):
        name = next((key for key in changes if line.startswith((f"{key}:", json.dumps(key, ensure_ascii=False)))), None)
        assert name is not None or line in new


def test_a_colon_in_a_plain_text_is_read_as_it_was_meant():
    """Issue 21: models write `description: How to use jq: filters`, which is no YAML."""
    text = "---\nname: jq\ndescription: How to use jq: filters # and paths\ntype: reference\n---\nBody\n"
    front = frontmatter.read(text)
    assert front.values == {"name": "jq", "description": "How to use jq: filters # and paths", "type": "reference"}
    (edit,) = frontmatter.edit(text, {"description": "of jq"})
    assert text[: edit[0]] + edit[2] + text[edit[1] :] == text.replace("How to use jq: filters # and paths", "of jq")
