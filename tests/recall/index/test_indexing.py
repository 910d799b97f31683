"""The index follows the files, whatever happens to either."""

from __future__ import annotations

import os
import sqlite3

import pytest
from indexed_scope import Scope, lines_as_rows

from commonplace import Message
from commonplace.guard.screened import seal
from commonplace.recall.index.sqlite import SCHEMA, SqliteIndex
from commonplace.store.protocol import Put
from inside import database_of
from marking import slow_after

SESSIONS = {
    "telegram:1": ["My sister Ada moved to Lisbon", "The pipeline failed because the token expired", "Lunch at noon?"],
    "cli:2": ["Ada likes black tea", "We deploy on Fridays, never on Mondays", "数据库的密码在保险箱里"],
}
QUESTIONS = ("Where did Ada move?", "why did the pipeline fail", "deploy", "数据库密码", "token tea lunch")


@pytest.fixture
def told(scope):
    for session, texts in SESSIONS.items():
        scope.say(session, *texts)
    return scope


def answers(scope):
    return {question: [(hit.record, hit.text, hit.score) for hit in scope.recall(question)] for question in QUESTIONS}


def test_what_was_just_said_is_found(scope):
    """DESIGN 1.2: when append returns, a search finds it."""
    for number in range(20):
        scope.say("s", f"the marker word is zebra{number}")
        assert scope.texts(f"zebra{number}") == [f"the marker word is zebra{number}"]


def test_a_rebuilt_index_gives_the_same_hits_in_the_same_order(told):
    """DESIGN 1.1: every index can be deleted."""
    before = answers(told)
    told.indexing.rebuild()
    assert answers(told) == before


def test_an_index_grown_message_by_message_ranks_like_one_made_at_once(tmp_path):
    """DESIGN 1.10: same input, same bytes."""
    grown, made = Scope(tmp_path / "a"), Scope(tmp_path / "b")
    for session, texts in SESSIONS.items():
        messages = [Message("user", text, id=f"m{number}") for number, text in enumerate(texts)]
        for message in messages:
            grown.say(session, message)
            grown.recall("anything")
        made.say(session, *messages)
    assert answers(grown) == answers(made)
    grown.close()
    made.close()


def damage_nothing(path):
    pass


def delete(path):
    path.unlink()


def delete_all(path):
    for each in path.parent.glob("index.sqlite*"):
        each.unlink()


def zero_header(path):
    with path.open("r+b") as file:
        file.write(bytes(100))


def cut(path):
    os.truncate(path, path.stat().st_size // 2 // 4096 * 4096)


def replace_by_text(path):
    path.write_bytes(b"not a database, just a text that is long enough to be read as a header" * 9)


def newer(path):
    with sqlite3.connect(path) as db:
        db.execute(f"PRAGMA user_version={SCHEMA + 1}")
    db.close()


def older(path):
    with sqlite3.connect(path) as db:
        db.execute("DROP TABLE slots")
        db.execute(f"PRAGMA user_version={SCHEMA - 1}")
    db.close()


DAMAGES = [damage_nothing, delete, delete_all, zero_header, cut, replace_by_text, newer, older]


@pytest.mark.parametrize("damage", slow_after(3, DAMAGES))
def test_an_index_damaged_while_closed_still_answers(told, damage, caplog):
    """Issue 2: damaged or deleted it is rebuilt while search still answers; issue 7: so is one of a newer version."""
    before = answers(told)
    path = told.index_path
    told.index.close()
    damage(path)
    again = Scope(told.folder)
    assert answers(again) == before
    assert again.differences() == []
    again.close()


@pytest.mark.parametrize("damage", [delete, delete_all, zero_header, cut, replace_by_text])
def test_an_index_damaged_while_open_still_answers(told, damage, caplog):
    """Issue 2: the same while it is in use."""
    before = answers(told)
    damage(told.index_path)
    told.say("cli:3", "a new word: heliotrope")
    assert told.texts("heliotrope") == ["a new word: heliotrope"]
    found = answers(told)
    assert {q: [hit[0] for hit in hits] for q, hits in found.items()} == {
        q: [hit[0] for hit in hits] for q, hits in before.items()
    }


def test_every_flipped_page_leaves_answers_or_is_found_by_check(told, tmp_path, caplog):
    """Issue 2: whichever page is damaged, a search ends in an answer."""
    before = answers(told)
    database_of(told.index).execute("PRAGMA wal_checkpoint(TRUNCATE)")
    whole = told.index_path.read_bytes()
    told.index.close()
    for page in range(0, len(whole) // 4096, max(1, len(whole) // 4096 // 12)):
        flipped = bytearray(whole)
        for at in range(page * 4096 + 40, page * 4096 + 4000, 7):
            flipped[at] ^= 0xA5
        delete_all(told.index_path)
        told.index_path.write_bytes(flipped)
        again = Scope(told.folder)
        found = answers(again)  # no error, whatever the page held
        if found != before:
            assert again.differences() != []
            again.indexing.rebuild()
            assert answers(again) == before
        again.close()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_where_nothing_may_be_written_the_index_is_in_memory(told):
    """DESIGN 8."""
    told.index.close()
    delete_all(told.index_path)
    told.index_path.parent.chmod(0o500)
    try:
        again = Scope(told.folder)
        assert again.texts("heliotrope token") == ["The pipeline failed because the token expired"]
        again.close()
    finally:
        told.index_path.parent.chmod(0o700)


def test_a_path_that_cannot_hold_a_file_gives_an_index_in_memory(tmp_path):
    (tmp_path / "file").write_text("x", encoding="utf-8")
    index = SqliteIndex(tmp_path / "file" / "index.sqlite")
    assert index.path is None
    index.close()


def test_a_rewritten_transcript_is_indexed_as_it_now_is(told):
    """DESIGN 1.1: an edit made outside wins."""
    told.recall("x")
    path = told.folder / "sessions" / "cli%3A2.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join(lines[:2]), encoding="utf-8")
    told.indexing.catch_up(sweep=True)
    assert told.texts("deploy on Fridays") == []
    assert told.texts("black tea") == ["Ada likes black tea"]
    assert told.differences() == []


def test_an_edit_of_the_same_length_is_noticed(told):
    """DESIGN 1.1: the tree is compared at sync."""
    told.indexing.catch_up(sweep=True)
    path = told.folder / "sessions" / "cli%3A2.jsonl"
    data = path.read_bytes()
    path.write_bytes(data.replace(b"Fridays", b"Sundays"))
    os.utime(path, ns=(1, 1))
    told.indexing.catch_up(sweep=True)
    assert told.texts("Fridays") == []


def test_a_damaged_line_costs_only_itself(told):
    """Issue 2: unknown or damaged lines are left out."""
    path = told.folder / "sessions" / "cli%3A2.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    lines[2] = b'{"type":"message","n":1,"content":"half a li\n'
    path.write_bytes(b"".join(lines))
    told.indexing.catch_up(sweep=True)
    assert told.texts("black tea") == ["Ada likes black tea"]
    assert told.texts("Fridays") == []
    assert told.texts("保险箱") == ["数据库的密码在保险箱里"]


def test_a_torn_tail_waits_for_its_end(told):
    """Safety notes 2.1: a torn last line costs only itself."""
    path = told.folder / "sessions" / "cli%3A2.jsonl"
    whole = path.read_bytes()
    for cut_at in range(1, 60, 7):
        path.write_bytes(whole[:-cut_at])
        told.indexing.catch_up(sweep=True)
        assert told.texts("保险箱") == []
        path.write_bytes(whole)
        told.indexing.catch_up(sweep=True)
        assert told.texts("保险箱") == ["数据库的密码在保险箱里"]


def test_a_deleted_transcript_is_no_longer_found(told):
    told.recall("x")
    (told.folder / "sessions" / "cli%3A2.jsonl").unlink()
    told.indexing.catch_up(sweep=True)
    assert told.texts("Fridays") == []


def test_rows_that_lead_nowhere_are_cleared_away(scope):
    """A contentless table keeps the words of a rewritten transcript; too many of them make it anew."""
    scope.say("s", *(f"message {number} about turtles" for number in range(40)))
    path = scope.folder / "sessions" / "s.jsonl"
    for _ in range(4):
        scope.indexing.catch_up(sweep=True)
        lines = path.read_bytes().splitlines(keepends=True)
        path.write_bytes(b"".join(lines[:-1]))
        os.utime(path, ns=(1, 1))
    scope.indexing.catch_up(sweep=True)
    assert scope.index.rows() <= 60
    assert len(scope.recall("turtles", k=100)) == 36


def test_other_files_are_indexed_as_records_and_replaced_whole(tmp_path):
    """Brief: per path, all rows are replaced when its version changed."""
    scope = Scope(tmp_path / "m", records=lines_as_rows)
    put(scope, "memory/MEMORY.md", "- Ada prefers green tea\n- The server is called moss\n")
    assert scope.texts("green tea") == ["Ada prefers green tea"]
    put(scope, "memory/MEMORY.md", "- Ada prefers white tea\n")
    scope.indexing.notice(["memory/MEMORY.md"])
    assert scope.texts("green") == []
    assert scope.texts("white tea") == ["Ada prefers white tea"]
    assert scope.texts("moss server") == []
    (scope.folder / "memory" / "MEMORY.md").unlink()
    scope.indexing.catch_up(sweep=True)
    assert scope.texts("white tea") == []
    assert scope.differences() == []
    scope.close()


def put(scope, path, text):
    scope.store.commit({"kind": "test"}, {}, [Put(path, (seal(text),))])


@pytest.mark.slow
def test_a_session_of_many_messages_fills_several_slots(scope):
    scope.say("s", *(f"note {number} has word w{number}" for number in range(1300)))
    assert scope.texts("w0") == ["note 0 has word w0"]
    assert scope.texts("w777") == ["note 777 has word w777"]
    assert scope.texts("w1299") == ["note 1299 has word w1299"]
    assert len(scope.index.shelf().slots) == 3


@pytest.mark.slow
def test_a_message_of_ten_megabytes_is_found_by_its_last_words(scope):
    """Issue 7, bad input: a scope of one message of 1 MB, and of 10."""
    scope.say("s", "filler sentence number one stands here. " * 250_000 + "The password hint is marmalade.")
    hits = scope.recall("marmalade hint")
    assert len(hits) == 1
    assert "marmalade" in hits[0].text
    assert len(hits[0].text) <= 600
    assert hits[0].sources[0].span[1] > 36 * 250_000


@pytest.mark.slow
def test_the_index_keeps_no_copy_of_what_was_said(scope):
    """Issue 7: index bytes; the text is read back from the transcript."""
    scope.say("s", *(f"the quick brown fox number {number} jumps over the lazy dog again" for number in range(2000)))
    scope.recall("fox")
    database_of(scope.index).execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert b"brown fox number" not in scope.index_path.read_bytes()
    transcript = (scope.folder / "sessions" / "s.jsonl").stat().st_size
    assert scope.index_path.stat().st_size <= transcript
