"""Issue 7, time: what a question dates, in the zone of the user; what it asks of a time and of nothing else."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from commonplace import Config, Memory, Message, Query
from commonplace.errors import InputError
from commonplace.operations import PutItem
from commonplace.testing import FixedClock
from marking import slow_after

NOW = "2026-11-22T12:00:00+00:00"  # a Sunday


def instant(text):
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def said(memory, session, text, at, role="user"):
    memory.append(session, [Message(role, text, at=instant(at))])


@pytest.fixture
def memory(tmp_path):
    with Memory.open(tmp_path, jobs="worker", clock=FixedClock(NOW)) as memory:
        for number in range(30):
            said(memory, "talk", f"Number {number} of the shelves and lamps we ordered.", f"2026-0{number % 9 + 1}-12")
        said(memory, "zoo", "Yesterday I was at the zoo.", "2026-03-03T10:00")
        said(memory, "pizza", "We had pizza with Giovanni.", "2026-11-21T10:00")
        said(memory, "pizza", "Sounds tasty!", "2026-11-21T10:01", role="assistant")
        said(memory, "dentist", "The dentist visit went well.", "2026-10-10T10:00")
        said(memory, "again", "The dentist visit was painful.", "2026-11-19T10:00")
        yield memory


def texts(hits):
    return [hit.text for hit in hits]


@pytest.mark.parametrize(
    "question",
    [
        "What did we talk about yesterday?",
        "What did I do on November 21, 2026?",
        "昨天说了什么",
        "what happened on Saturday",
    ],
)
def test_a_question_that_asks_only_for_a_time_gives_what_was_said_then(memory, question):
    assert texts(memory.recall(question)) == ["We had pizza with Giovanni.", "Sounds tasty!"]


def test_what_was_said_then_stands_by_role_and_length_and_then_by_the_latest(memory):
    for at in ("08:00", "09:00"):
        said(memory, "later", f"At {at} I wrote down at some length what the plumber had told me about the pipes, all of "
             "it, so that nobody has to ask him again.", f"2026-11-20T{at}")  # fmt: skip
    said(memory, "later", "Fine.", "2026-11-20T10:00")
    found = memory.recall("what was discussed on 2026-11-20?", explain=True)
    assert [hit.text[:8] for hit in found] == ["At 09:00", "At 08:00", "Fine."]
    assert [round(hit.why["said then"], 2) for hit in found] == [1.0, 1.0, 0.08]


def test_where_nothing_was_said_then_the_words_are_asked_as_ever(memory):
    assert texts(memory.recall("what about number 7 in 2019"))[0].startswith("Number 7 ")
    assert memory.recall("what did we discuss in 2019") == []


def test_a_question_that_asks_for_more_is_not_answered_by_its_time_alone(memory):
    """A range only raises: never a hard filter."""
    assert texts(memory.recall("Who was at the zoo, yesterday?"))[0] == "Yesterday I was at the zoo."


def test_records_dated_then_are_given_too_and_layers_are_kept_to(tmp_path):
    with Memory.open(tmp_path, layout="two-layer", jobs="worker", clock=FixedClock(NOW)) as memory:
        memory.note("history", "The roof was mended.", at=instant("2026-11-21T09:00"))
        said(memory, "pizza", "We had pizza with Giovanni.", "2026-11-21T10:00")
        question = "what happened yesterday"
        assert {hit.layer for hit in memory.recall(question)} == {"journals", "sessions"}
        assert {hit.layer for hit in memory.recall(question, layers=["journals"])} == {"journals"}
        assert "mended" in memory.recall(question, layers=["journals"])[0].text


def test_as_of_holds_for_what_was_said_then(memory):
    asked = Query(text="what did we talk about in November 2026", as_of=instant("2026-11-20T00:00"))
    assert texts(memory.recall(asked)) == ["The dentist visit was painful."]


@pytest.mark.parametrize(
    ("question", "first"),
    slow_after(
        3,
        [
            ("dentist visit before November 19", "well"),
            ("dentist visit until October 31", "well"),
            ("dentist visit since November 15", "painful"),
            ("dentist visit after November 1", "painful"),
            ("dentist visit in the last 5 days", "painful"),
            ("dentist visit on Thursday", "painful"),
        ],
    ),
)
def test_the_side_of_a_time_is_the_one_that_was_asked_for(memory, question, first):
    best, other = memory.recall(question)[:2]
    assert first in best.text
    assert best.score > other.score


def test_today_is_that_of_the_configured_zone(tmp_path):
    """At 03:00 UTC it is noon of the 22nd in Tokyo; what was said at 18:00 UTC the day before was said that day."""
    clock = FixedClock("2026-11-22T03:00:00+00:00")
    with Memory.open(tmp_path, jobs="worker", clock=clock, config=Config(timezone="Asia/Tokyo")) as memory:
        said(memory, "a", "The kettle arrived.", "2026-11-21T18:00")
        said(memory, "b", "The lamp arrived.", "2026-11-21T10:00")
        assert texts(memory.recall("what happened today")) == ["The kettle arrived."]
        assert texts(memory.recall("what happened yesterday")) == ["The lamp arrived."]


def test_as_of_leaves_out_records_that_were_written_down_later(tmp_path):
    clock = FixedClock(NOW)
    with Memory.open(tmp_path, jobs="worker", clock=clock) as memory:
        memory.remember("The dog is called Bello.")
        clock.advance(3600)
        memory.remember("The dog is fed at noon.")
        for as_of, known in (("2020-01-01", []), ("2026-11-22T12:30", ["Bello"]), ("2026-11-23", ["Bello", "noon"])):
            found = texts(memory.recall(Query(text="dog called fed noon", as_of=instant(as_of))))
            assert sorted(word for word in ("Bello", "noon") if any(word in text for text in found)) == known


def test_a_record_is_found_by_its_tags(tmp_path):
    """Issue 15, statement 4: records had been indexed without their tags, so no query with tags found anything."""
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "kettle.md").write_text(
        "---\ntitle: Kettle\ntags: [kitchen, Über uns, c++]\n---\nThe kettle is red.\n", encoding="utf-8"
    )
    (tmp_path / "memory" / "lamp.md").write_text("---\ntitle: Lamp\ntags: hall\n---\nNo kettle.\n", encoding="utf-8")
    with Memory.open(tmp_path, jobs="worker") as memory:
        memory.append("s", [Message("user", "the kettle whistles")])
        item = PutItem(path="items/semantic.jsonl", id="k", data={"content": "A kettle boils.", "tags": ["kitchen"]})
        assert memory.apply([item], reason="noted").ok

        def found(*tags):
            return sorted(hit.record.partition("/")[2] for hit in memory.recall(Query(text="kettle", tags=tags)))

        assert found("kitchen") == ["items/semantic.jsonl#k", "kettle.md"]
        assert found("Kitchen", "über uns") == ["kettle.md"]
        assert found("hall") == ["lamp.md"]
        assert (found("c++"), found("c#"), found("c")) == (["kettle.md"], [], [])
        assert found("kitchen", "hall") == []


@pytest.mark.parametrize(
    "asked",
    slow_after(
        3,
        [
            Query(text="kettle", as_of=datetime(2026, 1, 1)),
            Query(text="kettle", as_of="2026-10-25"),
            Query(text="kettle", k=1.5),
            Query(text="kettle", tags="x"),
            Query(text="kettle", layers=("nosuch",)),
        ],
    ),
)
def test_limits_that_make_no_sense_are_refused(memory, asked):
    with pytest.raises(InputError):
        memory.recall(asked)


@pytest.mark.parametrize("limits", [{"k": "3"}, {"k": None}, {"k": True}, {"layers": "sessions"}, {"layers": 5}])
def test_arguments_that_make_no_sense_are_refused(memory, limits):
    with pytest.raises(InputError):
        memory.recall("kettle", **limits)


def test_a_short_text_that_is_only_set_otherwise_comes_once(tmp_path):
    """Issue 7: near-identical passages once; what changes the meaning does not count as setting."""
    said = [
        "The invoice is paid",
        "The invoice is paid.",
        "the invoice is paid!",
        '"The invoice is paid"',
        "- The invoice is paid",
    ]
    others = ["The invoice is paid?", "The invoice of -5 is paid", "The invoice of 5 is paid"]
    with Memory.open(tmp_path, jobs="worker") as memory:
        for number, text in enumerate([*said, *others]):
            memory.append(f"s{number}", [Message("user", text)])
        found = memory.recall("invoice paid")
    assert [len(hit.sources) for hit in found] == [len(said), 1, 1, 1]
    assert {hit.text for hit in found[1:]} == {*others}


@pytest.mark.parametrize("layout", ["native", "two-layer", "memdir"])
def test_a_record_is_dated_by_the_last_message_that_it_rests_on(tmp_path, layout):
    """Found in use: of a conversation of 2024 that was read in today, each hit but the message itself was of today."""
    with Memory.open(tmp_path, layout=layout, jobs="inline", clock=FixedClock(NOW)) as memory:
        said(memory, "old", "I play the cello in the Lewes orchestra.", "2024-03-02T10:00")
        said(memory, "old", "Nice.", "2024-03-02T10:01", role="assistant")
        memory.consolidate("old")
        kept = memory.remember("The cello is from Cremona.").records[0]
        hits = memory.recall("cello orchestra")
        made = [hit for hit in hits if hit.layer in {"documents", "topics"} and hit.record != kept]
        assert {hit.at.date().isoformat() for hit in made} == {"2024-03-02"}
        assert [hit.at for hit in memory.recall("Cremona") if hit.record == kept] == [instant("2026-11-22T12:00")]


def test_a_topic_that_is_put_before_the_agent_says_how_long_ago_it_was_said(tmp_path):
    """Found in use: `written today` of what was said years ago."""
    with Memory.open(tmp_path, layout="memdir", jobs="inline", clock=FixedClock(NOW)) as memory:
        said(memory, "old", "I play the cello in the Lewes orchestra.", "2026-10-13T10:00")
        said(memory, "old", "Nice.", "2026-10-13T10:01", role="assistant")
        memory.consolidate("old")
        assert "written 40 days ago" in memory.context("new", "Do I play the cello?").text
