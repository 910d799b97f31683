from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from layer_texts import runs

from commonplace.errors import InputError, RecordNotFoundError
from commonplace.layouts.codecs import edits, items
from commonplace.layouts.codecs.edits import Duplicate, Effect
from commonplace.operations import MoveCursor, PutItem, RemoveItem
from marking import in_one_test

NOW = datetime(2026, 11, 21, 12, 30, tzinfo=UTC)
PATH = "items/semantic.jsonl"


def put(data: bytes, name: str, **values: object) -> bytes:
    effect = items.put(PATH, items.live(data, name), name, values, NOW)
    return data if isinstance(effect, Duplicate) else grown(data, effect)


def grown(data: bytes, effect: Effect) -> bytes:
    return data + (b"\n" if data and not data.endswith(b"\n") else b"") + effect.append.encode() + b"\n"


def live(data: bytes) -> dict[str, dict[str, object]]:
    return {item.id.partition("#")[2]: item.data for item in items.records(PATH, data)}


def test_the_fingerprint_is_that_of_the_structured_design():
    """Seed systems 3.1, the vector measured there; case and white space do not matter."""
    assert items.item_fingerprint("PREFERENCE", "User prefers concise responses.") == "39e4d3b1173ccfcb2f38bf50"
    assert items.item_fingerprint("PREFERENCE", " user  PREFERS\r\nconcise\tresponses. ") == "39e4d3b1173ccfcb2f38bf50"


def test_the_last_line_of_an_id_wins_and_unknown_keys_stay():
    """DESIGN 5; seed structured: unknown keys were dropped on rewrite there."""
    data = put(b"", "a", type="FIX", title="T", content="one", x_tool={"deep": [1]}, salience=0.7)
    data = put(data, "a", content="two")
    (item,) = items.records(PATH, data)
    assert (item.id, item.text, item.kind, item.title, item.at) == (f"{PATH}#a", "two", "FIX", "T", NOW)
    assert item.data["x_tool"] == {"deep": [1]}
    assert item.data["fingerprint"] == items.item_fingerprint("FIX", "two")
    assert data.count(b"\n") == 2


def test_an_update_may_be_shorter_and_takes_its_fingerprint_along():
    """Seed structured 3.3.8: the shorter correction is the one that counts."""
    data = put(put(b"", "a", type="FIX", content="a long text"), "a", content="short")
    assert live(data)["a"]["content"] == "short"
    assert live(data)["a"]["fingerprint"] == items.item_fingerprint("FIX", "short")
    kept = put(b"", "t", type="TASK_STATE", content="x", fingerprint="f" * 24)
    assert live(put(kept, "t", salience=1))["t"]["fingerprint"] == "f" * 24


def test_the_same_values_again_are_a_duplicate():
    data = put(b"", "a", content="one")
    assert items.put(PATH, items.live(data, "a"), "a", {"content": "one"}, NOW) == Duplicate(f"{PATH}#a")


def test_a_removal_is_a_line_and_a_later_put_brings_the_id_back():
    """Seed structured 3.3.9: forget is durable, not undone by a decay pass."""
    data = put(b"", "a", content="one")
    effect = items.apply(PATH, data, RemoveItem(path=PATH, id="a"), now=NOW)
    assert effect.gone == (f"{PATH}#a",)
    data = grown(data, effect)
    assert live(data) == {}
    with pytest.raises(RecordNotFoundError):
        items.remove(PATH, items.live(data, "a"), "a", NOW)
    back = items.apply(PATH, data, PutItem(path=PATH, id="a", data={"content": "again"}), now=NOW)
    assert back.added == (f"{PATH}#a",)
    assert live(grown(data, back))["a"]["content"] == "again"


BAD = [
    b"{",
    b"null",
    b"[1]",
    b'{"id": 1, "content": NaN}',
    b"\xff\xfe",
    b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
    b"words",
]


@in_one_test("bad", BAD)
def test_a_malformed_line_stays_byte_for_byte_and_is_reported(bad):
    """Seed structured 3.3.10, through upserts and compaction."""
    data = put(b"", "a", content="1") + bad + b"\n"
    for count in range(4):
        data = put(data, "a", content=str(count + 2))
    contents = items.read(data)
    assert contents.malformed == ((2, data.index(b"\n") + 1),)
    assert items.is_due(contents.dead, len(contents.lines))
    compacted = edits.assemble(data, items.compact(data).pieces)
    assert compacted.split(b"\n")[0] == bad
    assert live(compacted) == live(data)
    assert items.read(compacted).dead == 0


def test_a_line_whose_only_fault_is_a_bad_byte_is_read():
    """Safety F09: a replacement view, the bytes stay."""
    assert live(b'{"id":"a","content":"caf\xe9"}\n')["a"]["content"] == "caf\ufffd"


def test_a_line_without_an_id_has_one_of_its_own():
    """Other systems' lines are found too; numbers are ids as text."""
    found = live(
        b'\xef\xbb\xbf{"content":"x"}\r\n\r\n{"id":7,"text":"y","createdAt":1708000000000}\n{"id":true,"summary":"z"}'
    )
    assert sorted(len(name) for name in found) == [1, 12, 12]
    records = list(items.records(PATH, b'{"id":7,"text":"y","createdAt":1708000000000}'))
    assert records[0].at == datetime(2024, 2, 15, 12, 26, 40, tzinfo=UTC)


def test_an_id_that_is_a_path_is_only_a_name():
    """Issue 3: ids that are paths; it stands in the line, never in a path."""
    data = put(b"", "../../x#000000000000", content="one")
    (item,) = items.records(PATH, data)
    assert edits.split_id(item.id) == (PATH, "../../x#000000000000")


@in_one_test("name", ["", " a", "a\nb", "\x00"])
def test_an_id_must_be_one_line_of_printable_characters(name):
    with pytest.raises(InputError):
        items.put(PATH, None, name, {"content": "x"}, NOW)


@in_one_test("value", [float("nan"), float("inf"), "\ud800", {1, 2}, object()])
def test_a_value_without_a_place_in_json_is_refused(value):
    with pytest.raises(InputError, match="JSON"):
        items.put(PATH, None, "a", {"content": value}, NOW)


def test_what_items_cannot_do_is_refused():
    with pytest.raises(InputError):
        items.apply(PATH, b"", MoveCursor(session="s", name="n", to=1), now=NOW)


values = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(-(2**53), 2**53), st.floats(allow_nan=False, allow_infinity=False),
        st.text(st.characters(exclude_categories=["Cs"]), max_size=12), st.sampled_from(["\u2028", "\x85", "\n", "no"]),
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text("abc"), inner, max_size=3)),
    max_leaves=6,
)  # fmt: skip
objects = st.dictionaries(st.sampled_from(["content", "type", "title", "tags", "x"]), values, max_size=4)
steps = st.lists(
    st.one_of(
        st.tuples(st.just("put"), st.sampled_from("abc"), objects),
        st.tuples(st.just("remove"), st.sampled_from("abc"), st.just({})),
        st.tuples(st.just("junk"), st.sampled_from([*BAD, b"", b"  "]), st.just({})),
        st.tuples(st.just("compact"), st.just("a"), st.just({})),
    ),
    max_size=14,
)


@settings(max_examples=runs(100), deadline=None)
@given(steps)
def test_many_edits_agree_with_a_mapping(todo):
    """Issue 3: append, last line wins, removal and compaction against a plain model; junk is kept."""
    data, model, junk = b"", {}, []
    for action, name, new in todo:
        if action == "junk":
            data += name + b"\n"
            junk += [name] if name.strip() else []
        elif action == "compact":
            data = edits.assemble(data, items.compact(data).pieces)
        elif action == "put":
            data = put(data, name, **new)
            model[name] = {**model.get(name, {}), **new}
        elif name in model:
            data = grown(data, items.remove(PATH, items.live(data, name), name, NOW))
            del model[name]
        ours = {"id", "createdAt", "updatedAt", "fingerprint"}
        found = live(data)
        assert {key: {k: v for k, v in item.items() if k not in ours} for key, item in found.items()} == model
        assert [data[at:].split(b"\n")[0] for _line, at in items.read(data).malformed] == junk
        for line in data.decode("utf-8", "replace").split("\n"):
            assert line.splitlines() in ([], [line]) or line.encode() in BAD


def test_every_line_is_one_json_object_for_other_readers():
    data = put(b"", "a", content="x\u2028y\x85z\nw")
    assert [json.loads(line)["content"] for line in data.decode().splitlines()] == ["x\u2028y\x85z\nw"]
