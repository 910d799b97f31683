"""Damaged and foreign input: one typed error or a named problem, and everything intact goes in (issue 2)."""

from __future__ import annotations

import gzip
import json
import random
import tracemalloc

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from import_samples import ANTHROPIC, CLAUDE, EXCHANGE, OPENAI, PI, RESPONSES, Import, lines, spoken, written

from commonplace.errors import InputError
from commonplace.records import Message
from commonplace.surfaces import importers
from commonplace.surfaces.importers import lines as line_reading
from commonplace.surfaces.importers import reading
from marking import tries


@pytest.mark.parametrize("data", [b"", b"\n\n  \r\n", b"\0" * 4096, b"\xef\xbb\xbf", gzip.compress(b"", mtime=0)])
def test_an_empty_file_is_refused_by_name(tmp_path, data):
    """Bad input: empty."""
    path = tmp_path / "empty.jsonl"
    path.write_bytes(data)
    with pytest.raises(InputError, match=r"empty.jsonl' is empty"):
        Import(path)


@pytest.mark.parametrize(
    "data",
    [
        b"Dear Ines,\nthe train leaves at six.\n",
        b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40,
        b"42\n[1, 2]\n",
        b'{"name": "package", "version": "1.0"}',
        b'{\n "name": "package"\n}\n',
        b"name,amount\na,1\n",
        '{"role": "user", "content": "hi"}'.encode("utf-16"),
        b"[]",
        b"{",
        b'{"a":' * 30_000,
        b"[" * 200_000,
    ],
)  # fmt: skip
def test_what_is_no_transcript_is_refused_with_the_known_formats(tmp_path, data):
    """Bad input: not a transcript at all, depth bombs included."""
    with pytest.raises(InputError, match="known are claude-code, pi, messages, exchange"):
        Import(written(tmp_path, data))


def test_a_path_that_cannot_be_read_is_an_input_error(tmp_path):
    """A folder or a missing file is told in one sentence."""
    with pytest.raises(InputError, match="cannot be read: No such file"):
        Import(tmp_path / "none.jsonl")
    with pytest.raises(InputError, match="cannot be read: Is a directory"):
        Import(tmp_path)
    with (tmp_path / "t").open("w+", encoding="utf-8") as text, pytest.raises(InputError, match="binary mode"):
        list(importers.read(text, on_problem=print))


def test_each_bad_line_is_named_with_file_line_and_reason_and_the_rest_goes_in(tmp_path):
    """Issue 2: unknown or damaged lines are counted and named."""
    good = lines(*CLAUDE).splitlines()
    deep = b'{"type":"user","uuid":"d","message":{"content":' + b"[" * 100_000 + b"]" * 100_000 + b"}}"
    bad = [
        b'{"type":"user","message":{"role"',
        b"not json at all",
        b'{"type":"mystery"}',
        b'{"type":"user","message":5}',
        b'{"type":"user","uuid":7,"message":{"content":"x"}}',
        b"[]",
        b"null",
        deep,
        b'{"type":"user","message":{"content":{"a":1}}}',
    ]
    data = b"\n".join([good[0], *bad, *good[1:]]) + b"\n"
    result = Import(written(tmp_path, data))
    assert [m.id for m in result.messages] == ["u1", "a1", "u2", "a2"]
    assert {p.path for p in result.problems} == {str(tmp_path / "chat.jsonl")}
    assert [(p.line, p.reason) for p in result.problems] == [
        (2, "this is not whole JSON"),
        (3, "this is not whole JSON"),
        (4, "unknown type 'mystery'"),
        (5, "a value has the wrong type: Expected `object`, got `int`"),
        (6, "a value has the wrong type: Expected `str | null`, got `int` - at `$.uuid`"),
        (7, "a value has the wrong type: Expected `object`, got `array`"),
        (8, "a value has the wrong type: Expected `object`, got `null`"),
        (9, "the JSON is nested too deep"),
        (10, "a value has the wrong type: Expected `str | array | null`, got `object`"),
    ]


def test_invalid_utf8_nul_and_half_characters_are_replaced_and_named(tmp_path):
    """Bad input: the words around a bad byte are kept."""
    data = b"\n".join(
        [
            lines(EXCHANGE[0]).strip().replace(b"early", b"ea\xff\xferly"),
            lines({**EXCHANGE[0], "id": "m2"}).strip().replace(b"early", b"ea\x00r\x1bly"),
            lines({**EXCHANGE[0], "id": "m3"}).strip().replace(b"early", rb"ea\ud83drly"),
            b"\0\0\0" + lines({**EXCHANGE[0], "id": "m4"}).strip(),
            lines({**EXCHANGE[0], "id": "m5"}).strip().replace(b"early", rb"ea\u0000rly"),
        ]
    )
    result = Import(written(tmp_path, data))
    assert [m.content for m in result.messages] == [
        "I take the ea\ufffd\ufffdrly train",
        "I take the ea\0r\x1bly train",
        "I take the ea\ufffdrly train",
        "I take the early train",
        "I take the ea\0rly train",
    ]
    assert [(p.line, p.kept, p.reason) for p in result.problems] == [
        (1, True, "invalid UTF-8 was replaced"),
        (2, True, "control or half characters in a text were replaced"),
        (3, True, "control or half characters in a text were replaced"),
        (4, True, "NUL bytes were left out"),
    ]


@pytest.mark.slow
def test_a_ten_megabyte_message_goes_in_whole(tmp_path):
    """Bad input: a 10 MB line, in the middle and as the only one."""
    long = {**EXCHANGE[0], "id": "m9", "text": "word " * 2_000_000}
    assert len(Import(written(tmp_path, lines(EXCHANGE[0], long, EXCHANGE[1]))).messages) == 3
    assert len(Import(written(tmp_path, lines(long))).messages[0].content) == 10_000_000


def test_a_line_that_is_too_long_costs_only_itself(tmp_path, monkeypatch):
    """Memory is bounded by the longest line that is taken."""
    monkeypatch.setattr(line_reading, "LINE_BYTES", 2000)
    long = {**EXCHANGE[0], "id": "m9", "text": "w" * 600_000}
    result = Import(written(tmp_path, lines(EXCHANGE[0], long, EXCHANGE[1])))
    assert [m.id for m in result.messages] == ["m1", "m2"]
    assert [(p.line, p.kept) for p in result.problems] == [(2, False)]


def test_a_document_over_the_bound_is_refused_with_advice(tmp_path, monkeypatch):
    """A JSON document is read whole; a larger one must come as JSONL."""
    monkeypatch.setattr(reading, "DOCUMENT_BYTES", 1000)
    with pytest.raises(InputError, match="write it as JSONL"):
        Import(written(tmp_path, json.dumps(OPENAI * 10, indent=1).encode()))


@pytest.mark.parametrize("name", ["bomb.jsonl.gz", "long.jsonl"])
def test_a_file_that_unfolds_to_more_than_the_bound_is_refused_by_name(tmp_path, monkeypatch, name):
    """Issue 22: an import has a total bound; nothing of the file goes in."""
    monkeypatch.setattr(line_reading, "TOTAL_BYTES", 200_000)
    path = written(tmp_path, lines(*EXCHANGE) * 4000, name)
    batches = []
    with pytest.raises(InputError, match=name):
        batches.extend(reading.read(path, on_problem=lambda _: None))
    assert batches == []


@pytest.mark.slow
@pytest.mark.parametrize("line", [b"\n", lines(EXCHANGE[0])], ids=["newlines", "one message"])
def test_gzip_that_unfolds_as_no_transcript_does_is_refused_by_name(tmp_path, monkeypatch, line):
    """Issue 22: 1.2 MB of newlines, and one message a million times, were read for minutes."""
    monkeypatch.setattr(line_reading, "FOLDED_BYTES", 20_000)
    path = tmp_path / "bomb.jsonl.gz"
    path.write_bytes(gzip.compress(lines(EXCHANGE[0]) + line * (400_000 // len(line))))
    batches = []
    with pytest.raises(InputError, match=r"bomb\.jsonl\.gz' holds more than"):
        batches.extend(reading.read(path, on_problem=lambda _: None))
    assert batches == []
    monkeypatch.undo()
    assert {m.id for m in Import(path).messages} == {"m1"}  # small enough to be read all the same


@pytest.mark.parametrize("cut", [20, 200, 700])
def test_a_gzip_file_that_ends_too_early_gives_what_it_holds(tmp_path, cut):
    """Bad input: truncated gzip."""
    noise = random.Random(7)
    talk = [{**EXCHANGE[0], "id": f"m{n}", "text": noise.randbytes(30).hex()} for n in range(60)]
    path = tmp_path / "talk.jsonl.gz"
    path.write_bytes(gzip.compress(lines(*talk))[:-cut])
    result = Import(path)
    assert len(result.messages) >= 40
    assert [m.id for m in result.messages] == [f"m{n}" for n in range(len(result.messages))]
    assert result.problems[-1].reason == "the gzip data ends too early"


def test_gzip_damage_in_the_middle_keeps_what_stands_before(tmp_path):
    """Bad input: a flipped byte in compressed data."""
    noise = random.Random(8)
    talk = [{**EXCHANGE[0], "id": f"m{n}", "text": noise.randbytes(30).hex()} for n in range(4000)]
    data = bytearray(gzip.compress(lines(*talk)))
    middle = len(data) // 2
    data[middle : middle + 40] = bytes(40)
    path = tmp_path / "talk.jsonl.gz"
    path.write_bytes(bytes(data))
    result = Import(path)
    assert len(result.messages) >= 1500
    assert any("gzip" in p.reason for p in result.problems)


def test_gzip_members_one_after_another_are_all_read(tmp_path):
    """A log that is zipped in pieces is one file."""
    path = tmp_path / "talk.jsonl.gz"
    path.write_bytes(b"".join(gzip.compress(lines(entry)) for entry in EXCHANGE))
    assert len(Import(path).messages) == 2


def test_a_damaged_document_is_refused_by_name(tmp_path):
    """Bad input: truncated JSON."""
    text = json.dumps({"messages": OPENAI}, indent=1)
    with pytest.raises(InputError, match="is not a transcript that is known"):
        Import(written(tmp_path, text[: text.index("Rain at 12")].encode()))


def test_a_first_line_that_is_torn_does_not_make_the_file_a_document(tmp_path):
    """A log whose head was cut off is still read line by line."""
    result = Import(written(tmp_path, lines(*CLAUDE)[5:]))
    assert [m.id for m in result.messages] == ["a1", "u2", "a2"]
    assert [p.line for p in result.problems] == [1]


def test_a_problem_never_quotes_the_text(tmp_path):
    """DESIGN 1.7: no secret reaches a log through an error."""
    secret = "hunter2-" + "s3cr3t"
    damaged = [
        {**EXCHANGE[0], "time": secret},
        {**EXCHANGE[0], "tools": secret},
        {**EXCHANGE[0], "role": secret},
        {**EXCHANGE[0], "trust": secret},
    ]
    data = lines(EXCHANGE[0], *damaged) + f'{{"type":"message","text":"{secret}'.encode()
    result = Import(written(tmp_path, data))
    assert len(result.problems) == 5
    assert not any(secret in problem.reason for problem in result.problems)


SAMPLES = {
    "claude": lines(*[{**entry, "uuid": f"n{n}"} for n, entry in enumerate(CLAUDE * 3)]),
    "pi": lines(PI[0], *[{**entry, "id": f"n{n}"} for n, entry in enumerate(PI[1:] * 3)]),
    "openai": lines(*[{**entry, "id": f"n{n}"} for n, entry in enumerate(OPENAI * 3)]),
    "exchange": lines(*[{**entry, "id": f"n{n}"} for n, entry in enumerate(EXCHANGE[:2] * 6)]),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(SAMPLES))
@settings(max_examples=tries(60), deadline=None)
@given(data=st.data())
def test_mutated_bytes_cost_only_the_lines_they_stand_in(tmp_path_factory, name, data):
    """Property: never another error than InputError, and all intact lines are kept."""
    whole = SAMPLES[name]
    places = data.draw(st.lists(st.integers(0, len(whole) - 1), max_size=6), label="places")
    values = data.draw(st.lists(st.integers(0, 255), min_size=len(places), max_size=len(places)), label="values")
    mutated = bytearray(whole)
    for place, value in zip(places, values, strict=True):
        mutated[place] = value
    folder = tmp_path_factory.mktemp("fuzz")
    before = {line: index for index, line in enumerate(whole.split(b"\n")) if line}
    intact = [before[line] for line in bytes(mutated).split(b"\n") if line in before]
    expected = {m.id for n in intact for m in _alone(folder, name, whole.split(b"\n")[n])}
    result = Import(written(folder, bytes(mutated)))
    assert expected <= {m.id for m in result.messages}
    assert all(msgspec.json.encode(m) for m in result.messages)


def _alone(folder, name: str, line: bytes) -> list[Message]:
    kind = {"claude": "claude-code", "openai": "messages"}.get(name, name)
    return Import(written(folder, line, "alone.jsonl"), format=kind).messages


@pytest.mark.parametrize("values", [CLAUDE, PI, OPENAI, RESPONSES, EXCHANGE, [ANTHROPIC]])
@settings(max_examples=tries(40), deadline=None)
@given(seed=st.integers(0, 2**32))
def test_wrong_types_anywhere_are_named_and_never_raise(tmp_path_factory, values, seed):
    """Property: any value of any line replaced by any other JSON value."""
    chance = random.Random(seed)
    strange = [None, True, -1, 1e300, "", "x", [], [[]], {}, {"type": 5}, [{"type": "text"}], [None], "\ud800"]
    changed = [_swapped(value, chance, strange) for value in values]
    folder = tmp_path_factory.mktemp("types")
    data = b"".join(json.dumps(value).encode() + b"\n" for value in changed)
    for document in (data, json.dumps(changed).encode()):
        try:
            result = Import(written(folder, document))
        except InputError:
            continue
        assert all(message.content.strip() and message.id for message in result.messages)
        assert all(msgspec.json.encode(message) for message in result.messages)


def _swapped(value: object, chance: random.Random, strange: list[object]) -> object:
    if chance.random() < 0.12:
        return chance.choice(strange)
    if isinstance(value, dict):
        return {key: _swapped(item, chance, strange) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_swapped(item, chance, strange) for item in value]
    return value


@settings(max_examples=tries(120), deadline=None)
@given(data=st.binary(max_size=400))
def test_random_bytes_are_refused_or_read_but_never_crash(tmp_path_factory, data):
    """Property: any file."""
    folder = tmp_path_factory.mktemp("noise")
    for content in (data, b"\x1f\x8b" + data, b"[" + data, b'{"role":"user","content":"x"}\n' + data):
        try:
            Import(written(folder, content))
        except InputError:
            continue


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["pi", "claude", "exchange"])
def test_memory_does_not_grow_with_the_file(tmp_path, kind):
    """Issue 2: a 1 GB transcript in bounded memory; not half of the lines added adds to the peak.

    The guard remembers the words that it saw last, up to a bound, so each file is read once before it is measured:
    else the tests before this one decide when that grows.
    """
    peaks, sizes = [], []
    for size in (1000, 3000):
        path = tmp_path / f"{kind}{size}.jsonl"
        with path.open("wb") as file:
            for number in range(size):
                file.write(_long_line(kind, number))
        assert sum(len(batch.messages) for batch in importers.read(path, on_problem=print)) == size
        tracemalloc.start()
        count = sum(len(batch.messages) for batch in importers.read(path, on_problem=print))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        sizes.append(path.stat().st_size)
        assert count == size
    assert peaks[1] - peaks[0] < (sizes[1] - sizes[0]) / 2
    assert peaks[1] < 20_000_000


def _long_line(kind: str, number: int) -> bytes:
    words = f"message {number} " * 40
    match kind:
        case "pi":
            return lines({**PI[1], "message": {"role": "user", "content": words}})
        case "claude":
            call = {"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {"command": words}}
            return lines(spoken("assistant", [call], f"a{number}"))
        case _:
            return lines({**EXCHANGE[0], "id": f"m{number}", "text": words})


@pytest.mark.slow
def test_batches_are_bounded_in_messages_and_bytes(tmp_path):
    """At most 500 messages or about 4 MB are held before they are handed on."""
    many = Import(written(tmp_path, lines(*[{**EXCHANGE[0], "id": f"m{n}"} for n in range(1200)])))
    assert [len(batch.messages) for batch in many.batches] == [500, 500, 200]
    large = Import(written(tmp_path, lines(*[{**EXCHANGE[0], "id": f"m{n}", "text": "w " * 10**6} for n in range(5)])))
    assert [len(batch.messages) for batch in large.batches] == [2, 2, 1]
