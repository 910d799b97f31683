from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from layer_texts import documents as files
from layer_texts import entries, runs

from commonplace.errors import InputError, PathError, RecordNotFoundError
from commonplace.layouts.codecs import edits, topics
from commonplace.layouts.codecs.edits import Duplicate, Effect
from commonplace.layouts.codecs.topics import Pointer
from commonplace.operations import AddEntry, PutTopic, RemoveTopic
from marking import in_one_test

NOW = datetime(2026, 11, 21, 12, 30, tzinfo=UTC)
PATH = "people/steve.md"
STYLES = st.sampled_from(["", "node", "memo", "okf"])


def put(data: bytes | None, style: str = "", **fields: object) -> bytes:
    effect = topics.put(PATH, data, PutTopic(path=PATH, **{"body": "", **fields}), now=NOW, style=style)
    assert isinstance(effect, Effect)
    return edits.assemble(data or b"", effect.pieces)


def test_a_new_topic_has_quoted_what_yaml_would_misread():
    """Issue 3: `no`, `12:30` and `1.10` as text, for every other reader of the file too."""
    made = put(None, title="no", description="12:30", kind="project", body="At 1.10.", front={"version": "1.10"})
    assert made.decode() == (
        '---\ntitle: "no"\ndescription: "12:30"\ntype: project\nversion: "1.10"\n'
        'createdAt: "2026-11-21T12:30:00.000Z"\nupdatedAt: "2026-11-21T12:30:00.000Z"\n---\n\nAt 1.10.\n'
    )
    topic = topics.parse(PATH, made).topic
    assert (topic.title, topic.description, topic.kind, topic.body) == ("no", "12:30", "project", "At 1.10.")


def test_a_node_has_the_fields_of_the_graph_design():
    """Seed graph: epoch milliseconds, and a version that moves with a real change only."""
    made = put(None, "node", title="Steve", description="Friend", body="Knows [[ann]].", front={"parents": "people"})
    assert made.decode() == (
        "---\ntitle: Steve\ndescription: Friend\nparents: people\ncreatedAt: 1795264200000\n"
        "updatedAt: 1795264200000\nversion: 1\n---\n\nKnows [[ann]].\n"
    )
    assert topics.parse(PATH, made, "node").topic.links == ("people", "ann")
    same = topics.put(PATH, made, PutTopic(path=PATH, title="Steve", body="Knows [[ann]]."), now=NOW, style="node")
    assert same == Duplicate(PATH)
    assert b"version: 2\n" in put(made, "node", body="Knows [[ann]] and [[bob]].")


def test_the_path_of_an_old_node_stays_as_it_is():
    """Seed graph 2.4.1: a round trip keeps `path` and adds nothing the old reader rejects."""
    data = b'---\ntitle: "Steve"\npath: ["people", "steve"]\ncreatedAt: 1708000000000\nupdatedAt: 1708000000000\n---\n\nOld.\n'
    new = put(data, "node", body="New.")
    assert b'path: ["people", "steve"]\ncreatedAt: 1708000000000\nupdatedAt: 1795264200000\nversion: 1\n' in new
    assert topics.parse(PATH, data, "node").topic.extra["path"] == ["people", "steve"]


def test_a_memo_is_edited_by_line():
    """Seed memdir: name, description, type or metadata.type; unknown keys and comments stay."""
    data = b"---\nname: user-role # short\nmetadata:\n  type: user\n  pinned: yes\nx-tool: {a: [1]}\n---\nBody\n"
    topic = topics.parse(PATH, data, "memo").topic
    assert (topic.title, topic.kind) == ("user-role", "user")
    assert put(data, "memo", title="role", kind="feedback", description="who") == (
        b"---\nname: role # short\n"
        b'metadata: {"type": "feedback", "pinned": "yes"}\nx-tool: {a: [1]}\ndescription: who\n---\nBody\n'
    )
    assert put(None, "memo", title="Use real DB", kind="feedback", body="No mocks.").decode() == (
        "---\nname: Use real DB\ndescription: No mocks.\ntype: feedback\n---\n\nNo mocks.\n"
    )


def test_a_file_without_front_matter_stays_without():
    """A person's plain note is not dressed up."""
    data = b"# Steve\r\n\r\nA friend.\r\n"
    assert topics.parse(PATH, data).topic.title == "Steve"
    assert put(data, title="Steve", body="# Steve\n\nA good friend.") == b"# Steve\r\n\r\nA good friend.\r\n"


def test_broken_front_matter_loads_as_body_with_the_file_name_as_title():
    """Seed graph: unparsable front matter makes the whole file the body, the title is the id."""
    data = b"---\na: 1\na: 2\n---\nText\n"
    parsed = topics.parse(PATH, data, "node")
    assert parsed.topic.title == "steve"
    assert parsed.topic.body == data.decode().strip()
    assert "twice" in parsed.problem


def test_links_come_from_front_matter_wiki_marks_and_relative_paths():
    """Seed graph 2.4.3: no duplicates, none to itself; out of the tree is no link."""
    body = "See [[n2]] and [[n3|three]], [x](../b.md#y) [[steve]] [o](../../out.md) [w](https://a.b/c.md) [[n2#h]]"
    assert topics.links(PATH, body, ["n2", "n3"]) == ("n2", "n3", "b.md")


@in_one_test(
    "path",
    ["../../x.md", "/etc/x.md", "a/../b.md", "__root__.md", "a//b.md", ".hidden.md", "a\\b.md", "x.txt", "a\x00.md", "", "a /b.md", "x.md "],
)  # fmt: skip
def test_an_id_that_is_a_path_out_of_the_folder_is_refused(path):
    """Seed graph 2.4.11, issue 3: nothing on disk."""
    with pytest.raises(PathError):
        topics.put(path, None, PutTopic(path=path, body="x"), now=NOW)


def test_a_topic_that_would_not_read_back_is_refused():
    """A field may not push the front matter over its limit."""
    with pytest.raises(InputError, match="8192"):
        put(None, body="x", description="y" * 9000)
    with pytest.raises(InputError, match="no body"):
        put(None, title="only a title")
    with pytest.raises(InputError, match="no key"):
        put(None, body="x", front={"a\nb": "c"})
    with pytest.raises(InputError, match="surrogate"):
        put(None, body="x", title="\ud800")


def test_a_topic_is_taken_away_whole():
    effect = topics.apply(PATH, b"text\n", RemoveTopic(path=PATH), now=NOW)
    assert (effect.delete, effect.gone) == (True, (PATH,))
    with pytest.raises(RecordNotFoundError):
        topics.apply(PATH, None, RemoveTopic(path=PATH), now=NOW)
    with pytest.raises(InputError):
        topics.apply(PATH, b"", AddEntry(path=PATH, text="x"), now=NOW)


@settings(max_examples=runs(150), deadline=None)
@given(files(), entries, STYLES)
def test_a_new_body_reads_back_and_leaves_the_front_matter(data, body, style):
    """Byte-exact round trips: unknown front matter, CRLF, byte order mark, bad bytes."""
    try:
        effect = topics.put(PATH, data, PutTopic(path=PATH, body=body), now=NOW, style=style)
    except InputError:
        assert body.lstrip("\ufeff \n\r\t").startswith("---")
        return
    if isinstance(effect, Duplicate):
        return
    new = edits.assemble(data, effect.pieces)
    before, after = topics.parse(PATH, data, style), topics.parse(PATH, new, style)
    assert after.topic.body == edits.clean(body)
    assert after.topic.description == before.topic.description
    stamped = {"updatedAt", "createdAt", "version"}
    assert {key: value for key, value in after.topic.extra.items() if key not in stamped} == before.topic.extra


@settings(max_examples=runs(100), deadline=None)
@given(files(), st.text(st.characters(exclude_categories=["Cs"]), max_size=30), STYLES)
def test_a_new_title_reads_back_and_leaves_the_body(data, title, style):
    wanted = " ".join(title.split())
    assume(wanted)
    before = topics.parse(PATH, data, style)
    effect = topics.put(PATH, data, PutTopic(path=PATH, body="", title=title), now=NOW, style=style)
    if isinstance(effect, Duplicate):
        assert before.topic.title == wanted
        return
    after = topics.parse(PATH, edits.assemble(data, effect.pieces), style)
    assert after.topic.title == wanted
    assert after.topic.body == before.topic.body


def test_a_description_that_was_made_has_the_newest_line_of_a_list_first():
    """Issue 19: the index showed the oldest statements of a topic for good."""
    made = put(None, "memo", title="Job", body="- Likes tea.\n- Works at Siemens.")
    assert b"description: Works at Siemens. Likes tea.\n" in made
    made = put(made, "memo", body="- Likes tea.\n- Works at Bosch.\n- Has a cat.")
    assert b"description: Has a cat. Works at Bosch. Likes tea.\n" in made
    made = put(made, "memo", body="- Drinks tea.\n- Works at Bosch.\n- Has a cat.")
    assert b"description: Drinks tea. Has a cat. Works at Bosch.\n" in made
    given = put(made, "memo", description="what Ann does")
    assert b"description: what Ann does\n" in put(given, "memo", body="- Drinks tea.\n- Has a dog.")


def test_an_index_line_is_a_link_with_a_hook():
    """Seed memdir: `- [Title](file.md) — hook`, about 150 characters."""
    assert topics.index_line(Pointer("User role", "user_role.md", "data scientist")) == (
        "- [User role](user_role.md) — data scientist"
    )
    line = topics.index_line(Pointer("a [b]\nc", "x (1).md", "word " * 100))
    assert line.startswith("- [a \\[b\\] c](x%20%281%29.md) — word word")
    assert line.endswith(" word…")
    assert len(line) <= 150 < len(line) + len(" word")


def test_a_title_makes_a_file_name_that_is_free():
    assert topics.name_for("User Role!") == "user-role.md"
    assert topics.name_for("User role", {"user-role.md", "user-role-2.md"}) == "user-role-3.md"
    assert topics.name_for("../../x") == "x.md"
    assert topics.name_for("…") == "topic.md"
    assert topics.name_for("con") == "%63on.md"


@in_one_test(
    ("title", "name"),
    [
        ("Rückgabe & Größe", "rückgabe-grösse.md"),
        ("テストのデータベース", "テストのデータベース.md"),
        ("ＡＢＣ　全角", "abc-全角.md"),
        ("हिन्दी में", "हिन्दी-में.md"),
        ("Cafe\u0301", "café.md"),
        ("한국어 \u3164", "한국어.md"),  # an invisible letter
    ],
)
def test_a_file_name_keeps_the_letters_of_any_script(title, name):
    """Issue 21: tried as a user would; a folder of Japanese notes could not be read."""
    assert topics.name_for(title) == name
    assert len(topics.name_for(title * 60).encode()) <= 200
    assert topics.name_for(title, {name}).endswith("-2.md")


def test_a_body_that_is_a_whole_file_gives_no_second_front_matter():
    """Issue 20: what models write; the file would say two titles."""
    made = put(None, title="Ann", body="---\ntitle: Anne\n---\n\n- Ann paints.")
    assert (made.count(b"---\n"), made.endswith(b"---\n\n- Ann paints.\n")) == (2, True)
    assert topics.parse(PATH, made).topic.title == "Ann"
