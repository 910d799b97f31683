"""Transcripts: append-only, idempotent, one file for each id, and what is computed from them."""

from __future__ import annotations

import json
import sys
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commonplace import Memory, Message
from commonplace.changes import sessions, transcripts
from commonplace.changes.sessions import BUFFER_LINES
from commonplace.errors import GoneError, InputError, RecordNotFoundError
from commonplace.operations import MoveCursor, MoveWindow
from commonplace.testing import FixedClock
from commonplace.text.pieces import NAME_BYTES, decode_name, encode_name
from forking import started
from inside import scope_of
from marking import tries

NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=350) | st.sampled_from(
    ["telegram:12345", "a/b", "a:b", "a_b", "CON", "con", "a.", "a", "A", "a ", ".", "..", "../../etc", "%41", "Ａ", "é", "e\u0301",
     "漢" * 300, "x" * 300, "x" * 301, "LPT1", "aux.txt", "~", "%~", "%~empty"]
)  # fmt: skip


def opened(folder, clock=None, **options):
    options.setdefault("jobs", "worker")
    return Memory.open(folder, clock=clock or FixedClock("2026-11-20T10:00:00+00:00", step_seconds=1), **options)


class Words(str):
    """A caller's own kind of text, as template engines have."""

    __slots__ = ()


def said(*texts, **options):
    return [Message("user", text, **options) for text in texts]


@pytest.mark.slow
@settings(max_examples=tries(1000), deadline=None)
@given(st.lists(NAMES, min_size=2, max_size=6))
def test_different_ids_never_share_a_file(names):
    """Safety finding 12, F22: injective after NFC, safe on Windows and where case is folded."""
    import unicodedata

    files = {}
    for name in names:
        encoded = encode_name(name)
        normal = unicodedata.normalize("NFC", name)
        assert files.setdefault(encoded.casefold(), normal) == normal
        assert len(encoded) <= NAME_BYTES
        assert set(encoded) <= set("abcdefghijklmnopqrstuvwxyz0123456789_-%~ABCDEF")
        assert encoded.casefold() not in {"con", "prn", "aux", "nul", "com1", "lpt1"}
        assert decode_name(encoded) in {None, normal}


def test_a_callers_own_kind_of_text_is_kept_as_text(tmp_path):
    """House style, bad input: a text is a text, of whatever class; it is kept as what it says."""
    own = Message("tool", Words("zebra"), id=Words("one"), name=Words("page"), tools=(Words("web_fetch"),))
    with opened(tmp_path) as memory:
        assert [source.message for source in memory.append(Words("chat"), [own, own])] == ["one", "one"]
        assert [each.message.content for each in memory.sessions.read("chat")] == ["zebra"]
        assert memory.recall("zebra")[0].trust == "web"
    with opened(tmp_path) as again:
        kept = next(iter(again.sessions.read("chat"))).message
        assert (kept.id, kept.name, kept.tools) == ("one", "page", ("web_fetch",))


@pytest.mark.parametrize("name", ["telegram:1", "a/b", "CON", "a.", "日本", "x" * 300, "../../../etc/passwd", "%00"])
def test_any_id_is_kept_apart_and_found_again(tmp_path, name):
    with opened(tmp_path / "deep" / "root") as memory:
        memory.append(name, said("zebra"))
        memory.append(name + "x", said("other"))
        assert memory.sessions.state(name).id == name
        assert [m.text for m in memory.sessions.window(name)] == ["zebra"]
        assert {s.id for s in memory.sessions.list()} == {name, name + "x"}
        assert memory.read(memory.recall("zebra")[0].record).text == "zebra"
    kept = [p for p in tmp_path.rglob("*") if p.is_file()]
    assert all(p.is_relative_to(tmp_path / "deep" / "root") for p in kept)


@pytest.mark.parametrize(
    "name", ["", " ", "\n", "a\x00b", "a\nb", "\x1b[31m", "x" * 1001, "\u202egnp", "sk-ant-api03-" + "A" * 80]
)
def test_what_is_no_id_is_an_error(tmp_path, name):
    with opened(tmp_path) as memory:
        with pytest.raises(InputError):
            memory.append(name, said("zebra"))
        assert memory.sessions.list() == []


def test_appending_again_changes_nothing(tmp_path):
    """Issue 2: idempotent on message id; metadata never changes."""
    with opened(tmp_path) as memory:
        first = memory.append("s", said("one", id="a"), agent="ada", kind="background")
        made = memory.sessions.state("s")
        data = (tmp_path / "sessions" / "s.jsonl").read_bytes()
        assert memory.append("s", said("one", id="a"), agent="bob") == first
        assert (tmp_path / "sessions" / "s.jsonl").read_bytes() == data
        memory.append("s", said("one", id="a") + said("two", id="b") + said("two", id="b"))
        state = memory.sessions.state("s")
        assert (state.messages, state.created_at, state.agent, state.kind) == (2, made.created_at, "ada", "background")
        assert (tmp_path / "sessions" / "s.jsonl").read_bytes().startswith(data)


def test_another_text_under_a_known_id_is_refused_by_name_and_nothing_is_kept(tmp_path):
    """Found in use: a host's counter began again, and its new messages were dropped without a word."""
    secret = "My key is sk-ant-api03-" + "aB3dE5gH7jK9" * 7
    with opened(tmp_path) as memory:
        first = memory.append("s", said("My flight leaves at 9:40.", id="1") + said(secret, id="2"))
        with pytest.raises(InputError, match="'1' with another text; give each message an id") as refused:
            memory.append("s", said("New.", id="3") + said("My allergy: penicillin.", id="1"))
        assert refused.value.data["places"] == (1,)
        with pytest.raises(InputError, match="'4' with another text"):
            memory.append("s", said("one", id="4") + said("two", id="4"))
        assert memory.append("s", said("My flight leaves at 9:40.", id="1") + said(secret, id="2")) == first
        assert memory.sessions.state("s").messages == 2
    with opened(tmp_path) as memory, pytest.raises(InputError, match="'1' with another text"):
        memory.append("s", said("My allergy: penicillin.", id="1"))


def test_an_erased_message_that_is_appended_again_changes_nothing(tmp_path):
    with opened(tmp_path) as memory:
        memory.append("s", said("My flight leaves at 9:40.", id="1") + said("Fine.", id="2"))
        memory.forget("s#1", erase=True)
        memory.append("s", said("My flight leaves at 9:40.", id="1") + said("Fine.", id="2"))
        assert [each.text for each in memory.sessions.read("s")] == ["Fine."]


def test_messages_without_an_id_are_numbered_past_what_is_taken(tmp_path):
    with opened(tmp_path) as memory:
        sources = memory.append("s", [Message("user", "a"), Message("user", "b", id="m2"), Message("user", "c")])
        sources += memory.append("s", said("d"))
        ids = [source.message for source in sources]
        assert len(set(ids)) == 4
        assert memory.sessions.state("s").messages == 4


@pytest.mark.slow
def test_two_processes_append_to_one_session(tmp_path):
    """Issue 2: two processes appending to one session, fifty messages each."""
    code = (
        "import sys\nfrom commonplace import Memory, Message\n"
        "m = Memory.open(sys.argv[1], jobs='worker')\n"
        "for n in range(50):\n"
        "    m.append('s', [Message('user', f'{sys.argv[2]} {n}', id=f'{sys.argv[2]}-{n}'), Message('user', 'both', id=f'both{n}')])\n"
    )
    with ExitStack() as stack:
        children = [stack.enter_context(started([sys.executable, "-c", code, tmp_path, name])) for name in "ab"]
        assert [child.wait(120) for child in children] == [0, 0]
    with opened(tmp_path) as memory:
        messages = list(memory.sessions.read("s"))
        assert [m.number for m in messages] == list(range(150))
        assert len({m.message.id for m in messages}) == 150
        for name in "ab":
            assert [m.text for m in messages if m.text.startswith(f"{name} ")] == [f"{name} {n}" for n in range(50)]
        assert memory.doctor().problems == ()


def test_damaged_lines_cost_only_themselves_and_are_named(tmp_path):
    with opened(tmp_path) as memory:
        memory.append("s", said(*(f"message {n}" for n in range(6))))
    path = tmp_path / "sessions" / "s.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    lines[2] = lines[2].replace(b"message 1", b"message X")
    lines[4] = b'{"type":"message","n":3\n'
    lines.insert(3, b"\xff\xfe\x00 no json\n")
    lines.append(
        b'{"type":"message","n":99999999999,"id":"z","role":"user","at":"2026-01-01T00:00:00Z","content":"x","trust":"user"}\n'
    )
    lines.append(
        b'{"type":"message","n":-1,"id":"y","role":"user","at":"2026-01-01T00:00:00Z","content":"x","trust":"user"}\n'
    )
    lines.append(b"[" * 100_000 + b"\n")
    lines.append(b'{"type":"message","n":6,"torn')
    path.write_bytes(b"".join(lines))
    with opened(tmp_path) as memory:
        read = [m.text for m in memory.sessions.read("s")]
        assert read == ["message 0", "message 2", "message 4", "message 5", "x", "x"]  # the last two in no order
        found = [p.line for p in memory.doctor().problems if p.kind == "damaged"]
        assert found == [3, 4, 6, 9, 11, 12]
        memory.append("s", said("walrus"))
        assert [m.text for m in memory.sessions.read("s")][-1] == "walrus"
        assert memory.recall("walrus")[0].text == "walrus"
        before = path.read_bytes()
        memory.doctor(fix=True)
        assert path.read_bytes() == before


def test_a_clock_that_goes_back_and_a_change_of_the_hour_reorder_nothing(tmp_path):
    """Safety F16."""
    clock = FixedClock("2026-10-25T00:30:00+00:00")
    with opened(tmp_path, clock) as memory:
        zone = ZoneInfo("Europe/Berlin")
        twice = datetime(2026, 10, 25, 2, 30, tzinfo=zone)
        memory.append("s", [Message("user", "first", at=twice), Message("user", "second", at=twice.replace(fold=1))])
        clock.advance(days=-400)
        memory.append("s", said("third"))
        memory.append("s", [Message("user", "fourth", at=datetime(1970, 1, 1, tzinfo=timezone(timedelta(hours=-11))))])
        assert [m.text for m in memory.sessions.read("s")] == ["first", "second", "third", "fourth"]
        gap = [m.message.at for m in memory.sessions.read("s", 0, 2)]
        assert gap[1] - gap[0] == timedelta(hours=1)
        memory.remember("a note", to="daily")
        memory.context("s", "first")
        assert len(memory.recall("first second third fourth", k=4)) == 4
        with pytest.raises(InputError):
            memory.append("s", [Message("user", "no zone", at=datetime(2026, 1, 1))])


def test_window_buffer_and_cursors_are_computed(tmp_path):
    with opened(tmp_path) as memory:
        sessions = memory.sessions
        memory.append("s", [Message("user", f"question {n}\nmore ```code\nx``` " + "y" * 300) for n in range(30)])
        memory.append("s", [Message("assistant", "", tools=("ls",)), Message("tool", "files", tools=("ls",))])
        assert len(sessions.window("s")) == 32
        buffer = sessions.buffer("s")
        assert len(buffer) == BUFFER_LINES
        assert buffer[-1].endswith("  agent  ls")
        assert all("\n" not in line and "code" in line for line in buffer[:-1])
        memory.apply([MoveWindow(session="s", to=30, why="compact", summary="it began"),
                      MoveCursor(session="s", name="rules", to=20)], reason="")  # fmt: skip
        state = sessions.state("s")
        assert (state.window_start, state.cursors, sessions.summary("s")) == (30, {"rules": 20}, "it began")
        assert len(sessions.window("s")) == 2
        assert "it began" in memory.context("s").volatile
        assert len(list(sessions.read("s"))) == 32
        assert [m.number for m in sessions.read("s", 5, 8)] == [5, 6, 7]
        assert list(sessions.read("s", 40)) == list(sessions.read("s", 5, 5)) == []


def test_a_recap_of_several_days_names_each_day_once(tmp_path):
    """`08:00` under `08:00` says nothing where they are days apart; one day's lines are as the seed has them."""
    with opened(tmp_path) as memory:
        for day in (2, 2, 4, 5):
            memory.append("s", [Message("user", f"said on {day}", at=datetime(2026, 7, day, 8, tzinfo=UTC))])
        lines = memory.sessions.buffer("s")
        heads = [line.partition("  ")[0] for line in lines]
        assert heads == ["2026-07-02 08:00", "08:00", "2026-07-04 08:00", "2026-07-05 08:00"]
        assert memory.sessions.buffer("s", 1) == ('08:00  user   "said on 5"',)
        memory.compact("s", keep=1)
        assert memory.sessions.summary("s").startswith('2026-07-02 08:00  user   "said on 2"')


def test_clearing_moves_the_window_and_undo_opens_it(tmp_path):
    with opened(tmp_path) as memory:
        memory.append("s", said("heron", "two"))
        change = memory.sessions.clear("s").change
        assert memory.sessions.window("s") == ()
        assert memory.sessions.clear("s").status == "unchanged"
        memory.append("s", said("three"))
        assert [m.text for m in memory.sessions.window("s")] == ["three"]
        assert memory.recall("heron")[0].text == "heron"
        memory.undo(change)
        assert [m.text for m in memory.sessions.window("s")] == ["heron", "two", "three"]
        with pytest.raises(RecordNotFoundError):
            memory.sessions.clear("none")


def test_a_deleted_session_is_gone_everywhere_until_undone(tmp_path):
    with opened(tmp_path) as memory:
        memory.append("gone", [*said("my tea is green", id="m0"), *said("and my cup is blue")])
        memory.append("kept", said("the tea of the other"))
        record = memory.recall("green tea")[0].record
        change = memory.sessions.delete("gone").change
        assert [s.id for s in memory.sessions.list()] == ["kept"]
        assert memory.sessions.count() == 1
        assert {hit.sources[0].session for hit in memory.recall("tea cup green", k=20)} == {"kept"}
        with pytest.raises(GoneError):
            memory.read(record)
        assert memory.sessions.window("gone") == ()
        assert memory.sessions.buffer("gone") == ()
        assert list(memory.sessions.read("gone")) == []
        assert "green" not in memory.context("gone", "green tea").text
        assert memory.sessions.delete("gone").status == "unchanged"
        memory.append("gone", said("my tea is green", id="m0"))
        assert [s.id for s in memory.sessions.list()] == ["kept"]
        memory.append("gone", said("a new beginning"))
        assert memory.sessions.count() == 2
        assert [m.text for m in memory.sessions.window("gone")] == ["a new beginning"]
        memory.undo(change)
        assert len(memory.sessions.window("gone")) == 3
        assert memory.recall("green tea")[0].record == record
        with pytest.raises(RecordNotFoundError):
            memory.sessions.delete("none")


def test_a_big_and_odd_message_is_kept_whole(tmp_path):
    with opened(tmp_path) as memory:
        big = "word " * 40_000
        memory.append("s", said(big, "", "nul \x00 here", "\ud800 half"))
        messages = list(memory.sessions.read("s"))
        assert messages[0].text == big
        assert messages[1].text == ""
        assert "\x00" not in messages[2].text
        assert len(messages) == 4
        with pytest.raises(InputError):
            memory.append("s", [Message("user", 7)])
        with pytest.raises(InputError):
            memory.append("s", [Message("nobody", "x")])
        with pytest.raises(InputError):
            memory.append("s", [{"role": "nobody", "content": "x"}])
        with pytest.raises(InputError):
            memory.append("s", ["x"])
        for line in (tmp_path / "sessions" / "s.jsonl").read_bytes().splitlines():
            json.loads(line)


def test_a_session_is_listed_and_found_though_its_head_line_is_damaged(tmp_path):
    """Issue 23.4: one flipped bit in the first line of a transcript hid the session from the list."""
    with Memory.open(tmp_path, jobs="worker") as memory:
        memory.append("chat:A", [Message("user", "The rope hangs on hook 7.", id="a")])
    path = next((tmp_path / "sessions").iterdir())
    path.write_bytes(b"[" + path.read_bytes()[1:])
    with Memory.open(tmp_path, jobs="worker") as memory:
        assert [(s.id, s.messages) for s in memory.sessions.list()] == [("chat:A", 1)]
        assert [hit.record for hit in memory.recall("rope")] == ["chat:A#a"]
        assert {problem.line for problem in memory.doctor().problems} == {1}
        memory.append("chat:A", [Message("user", "And the anchor?", id="b")])
        assert [s.messages for s in memory.sessions.list()] == [2]


@pytest.mark.slow
@pytest.mark.battery
def test_a_flipped_bit_anywhere_in_a_transcript_costs_one_message_or_the_two_it_joins(tmp_path):
    """Issue 23.4: every byte of a transcript, one of its bits flipped."""
    with Memory.open(tmp_path, jobs="worker") as memory:
        memory.append("s", [Message("user", f"word {n}", id=f"a{n}") for n in range(3)])
        memory.append("t", [Message("user", "elsewhere")])
    path = tmp_path / "sessions" / "s.jsonl"
    whole = path.read_bytes()
    said = [f"word {n}" for n in range(3)]
    for at in range(len(whole)):
        flipped = bytearray(whole)
        flipped[at] ^= 1 << at % 7
        path.write_bytes(flipped)
        with Memory.open(tmp_path, jobs="worker") as memory:
            assert sorted(session.id for session in memory.sessions.list()) == ["s", "t"]
            read = [message.text for message in memory.sessions.read("s")]
        lost = 2 if whole[at] == ord("\n") else 1
        assert set(read) <= set(said)
        assert len(read) >= len(said) - lost, at


@pytest.mark.battery
def test_messages_out_of_their_order_are_read_where_they_are(tmp_path):
    """Issue 23.10: of a transcript whose lines were merged or moved by hand most messages could not be read."""
    with Memory.open(tmp_path, jobs="worker") as memory:
        memory.append("s", [Message("user", f"word {n}", id=f"a{n}") for n in range(6)])
    path = tmp_path / "sessions" / "s.jsonl"
    head, *lines = path.read_bytes().splitlines(keepends=True)
    moved = [lines[n] for n in (3, 1, 5, 0, 0, 4, 2)]
    path.write_bytes(b"".join([*moved[:4], head, *moved[4:]]))
    with Memory.open(tmp_path, jobs="worker") as memory:
        read = list(memory.sessions.read("s"))
        assert [message.text for message in read] == [f"word {n}" for n in (3, 1, 5, 0, 4, 2)]
        assert [message.number for message in read] == list(range(6))
        assert [memory.sessions.message("s", f"a{n}").text for n in range(6)] == [f"word {n}" for n in range(6)]
        memory.append("s", [Message("user", "word 6", id="a6"), Message("user", "word 0", id="a0")])
        assert [message.text for message in memory.sessions.read("s", 5)] == ["word 2", "word 6"]
        assert {problem.kind for problem in memory.doctor().problems} == {"damaged"}


def test_of_a_window_without_end_the_last_part_is_live(tmp_path, monkeypatch):
    """Issue 23.7: each context of a session that nobody consolidates read all of its transcript into memory."""
    monkeypatch.setattr(sessions, "WINDOW_BYTES", 2000)
    with Memory.open(tmp_path, jobs="worker") as memory:
        memory.append("s", [Message("user", f"word {n}", id=f"a{n}") for n in range(60)])
        live = [message.text for message in memory.sessions.window("s")]
        assert live == [f"word {n}" for n in range(60 - len(live), 60)]
        assert 10 < len(live) < 20
        memory.compact("s", keep=2)
        assert [message.text for message in memory.sessions.window("s")] == ["word 58", "word 59"]


def test_whose_words_a_text_uses_is_told_from_a_bounded_part_of_its_session(tmp_path, monkeypatch):
    """Issue 23.7: each range was judged by all that was said before it, so a long session cost its square."""
    monkeypatch.setattr(sessions, "HEARD_MESSAGES", 8)
    with Memory.open(tmp_path, jobs="worker") as memory:
        memory.append("s", [Message("user", f"word {n}", id=f"a{n}") for n in range(30)])
        heard = scope_of(memory).sessions.heard
        assert [message.number for message in heard("s")] == list(range(22, 30))
        assert [message.number for message in heard("s", 5)] == list(range(5))
        memory.reset("s")
        memory.append("s", said("anew"))
        assert [message.text for message in heard("s")] == ["anew"]


@pytest.mark.battery
@pytest.mark.parametrize("piece", [1000, 4 << 20])
def test_a_transcript_is_read_a_piece_at_a_time(tmp_path, monkeypatch, piece):
    """Issue 23.7: a transcript of 2 GB took 5.7 GB of memory."""
    monkeypatch.setattr(transcripts, "PART_BYTES", piece)
    said = [Message("user", f"word{n} " * (n % 40 + 1), id=f"m{n}") for n in range(120)]
    with Memory.open(tmp_path, jobs="worker") as memory:
        memory.append("s", said[:100])
    with Memory.open(tmp_path, jobs="worker") as memory:
        store, read = scope_of(memory).store, []
        whole = store.read

        def noted(path, start=0, end=None):
            blob = whole(path, start, end)
            read.append(len(blob.data) if blob else 0)
            return blob

        monkeypatch.setattr(store, "read", noted)
        memory.append("s", said[100:])
        assert [message.text for message in memory.sessions.read("s")] == [message.content for message in said]
        assert [message.message.id for message in memory.sessions.read("s", 30, 60)] == [m.id for m in said[30:60]]
        assert memory.sessions.state("s").messages == len(memory.sessions.window("s")) == 120
        assert max(read) <= piece + 500  # and one line


def test_a_transcript_is_read_once_for_an_append_and_for_what_is_asked_of_it(tmp_path, monkeypatch):
    """Issue 23.7: a transcript of 2 GB was read and held twice."""
    with Memory.open(tmp_path, jobs="worker") as memory:
        memory.append("s", [Message("user", f"word {n}") for n in range(20)])
    real, read = transcripts.State.take, []
    monkeypatch.setattr(
        transcripts.State, "take", lambda self, data, base: read.append(len(data)) or real(self, data, base)
    )
    with Memory.open(tmp_path, jobs="worker") as memory:
        memory.append("s", [Message("user", "word 20")])
        assert memory.sessions.state("s").messages == 21
        assert len(memory.sessions.window("s")) == 21
    assert sum(read) == (tmp_path / "sessions" / "s.jsonl").stat().st_size


def test_a_line_that_is_there_twice_is_one_message_and_a_mark_before_the_text_costs_nothing(tmp_path):
    """Issue 23: an editor saved the file with a byte order mark; a sync tool wrote a line twice."""
    with Memory.open(tmp_path, jobs="worker") as memory:
        memory.append("s", [Message("user", f"word{n}", id=f"m{n}") for n in range(3)])
    file = tmp_path / "sessions/s.jsonl"
    first, *rest = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"\xef\xbb\xbf" + first + b"".join(line + line for line in rest))
    with Memory.open(tmp_path, jobs="worker") as memory:
        assert [message.text for message in memory.sessions.read("s")] == ["word0", "word1", "word2"]
        assert len(memory.doctor().problems) >= 3
        memory.append("s", [Message("user", "word3", id="m3")])
        assert [message.text for message in memory.sessions.read("s")] == ["word0", "word1", "word2", "word3"]


def test_a_raw_transcript_keeps_what_was_said_where_only_a_person_reads_it(tmp_path):
    """DESIGN 1.11: a scope may choose raw transcripts; index, prompts and exports hold the screened text only."""
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    said = f"Always use the deploy token {key} for the harbour server."
    path = tmp_path / "sessions" / "s.jsonl"
    with Memory.open(tmp_path, config={"guard.raw_transcripts": True}, jobs="inline") as memory:
        memory.append("s", [Message("user", said, id="a"), Message("user", "The harbour is red.", id="b")])
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        assert [line.get("raw") for line in lines[1:]] == [said, None]
        memory.reset("s")
        shown = memory.context("t", "harbour deploy token").text + str(memory.review().list())
        found = [hit.text for hit in memory.recall("harbour deploy token")]
        read = [message.text for message in memory.sessions.read("s")]
        assert "⟦secret:github-token" in shown + found[0] + read[0]
        assert key not in shown + "".join(found + read)
        holding = [file for file in tmp_path.rglob("*") if file.is_file() and key.encode() in file.read_bytes()]
        assert holding == [path]
        assert key.lower().encode() not in (tmp_path / ".commonplace" / "index.sqlite").read_bytes()
        memory.forget("sessions/s.jsonl#a", erase=True)
        assert key.encode() not in path.read_bytes()
        assert [hit.text for hit in memory.recall("harbour")] == ["The harbour is red."]
        assert memory.doctor().ok


@pytest.mark.parametrize("at", ["2026-03-01T10:00:00Z", datetime(2026, 3, 1)])
def test_a_time_that_is_no_datetime_with_a_zone_is_refused_with_its_form(tmp_path, at):
    """Issue 17: the error asked for a zone of a text that had one."""
    with opened(tmp_path) as memory, pytest.raises(InputError, match=r"datetime\(2026, 3, 1, tzinfo=UTC\)"):
        memory.append("s", [Message("user", "tea", at=at)])
