"""Issue 22: an optional age limits a layer, and what will go is listed first; what waits long expires."""

import msgspec
import pytest

from commonplace import Config, Memory, Message
from commonplace.changes.actors import PERSON, TOOL
from commonplace.errors import InputError, RecordNotFoundError
from commonplace.testing import FixedClock


@pytest.fixture
def clock():
    return FixedClock("2026-01-01T12:00:00+00:00")


def test_what_is_older_than_its_layer_keeps_it_is_listed_and_then_goes(tmp_path, clock):
    """Old and young of a journal, a document and the transcripts; a layer without an age keeps all."""
    with Memory.open(
        tmp_path, jobs="worker", clock=clock, config=Config(retention={"history": 30, "sessions": 30})
    ) as memory:
        memory.append("old:1", [Message("user", "We painted the shed in ochre.", id="a")])
        memory.append("both:1", [Message("user", "The kayak got a new rudder.", id="b")])
        memory.note("history", "They painted the shed in ochre.")
        memory.remember("Lunch is at noon.", kind="decision")
        clock.advance(days=40)
        memory.append("both:1", [Message("user", "The kayak is for sale now.", id="c")])
        memory.note("history", "They sell the kayak.")
        listed = memory.forget(aged=True, dry_run=True)
        texts = sorted(text for _, text in listed.forgotten)
        assert texts == [
            "The kayak got a new rudder.", "They painted the shed in ochre.", "We painted the shed in ochre."
        ]  # fmt: skip
        assert memory.recall("ochre shed")
        assert set(memory.forget(aged=True, erase=True).forgotten) == set(listed.forgotten)
        assert not memory.recall("ochre shed")
        assert memory.recall("kayak for sale")
        assert memory.recall("lunch noon")
        assert memory.forget(aged=True).forgotten == ()
    assert b"ochre" not in b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


def test_what_rests_on_an_aged_message_stays_and_may_be_said_again(tmp_path, clock):
    """Retention of transcripts is no forgetting: it had taken the facts of a month along."""
    config = Config(retention={"sessions": 30, "history": 30})
    with Memory.open(tmp_path, jobs="worker", clock=clock, config=config) as memory:
        memory.append("old:1", [Message("user", "I live in Bergen."), Message("assistant", "Good.")])
        memory.append("both:1", [Message("user", "My sister is called Eva.", id="b"), Message("assistant", "Good.")])
        memory.consolidate("old:1")
        memory.consolidate("both:1")
        clock.advance(days=40)
        memory.append("both:1", [Message("user", "The kayak is for sale now.")])
        facts = memory.context(None).stable
        assert "Bergen" in facts
        assert "Eva" in facts
        receipt = memory.forget(aged=True)
        assert len(receipt.forgotten) >= 4
        assert memory.context(None).stable == facts
        assert "Bergen" in memory.context().text
        assert "Eva" in memory.context().text
        assert not memory.recall("Bergen Eva", layers=("sessions", "journals"))
        memory.append("new:1", [Message("user", "I live in Bergen.")])
        assert memory.recall("Bergen", layers=("sessions",))
        memory.undo(receipt.change)
        assert len(memory.recall("Bergen Eva", layers=("sessions",))) >= 2


def test_what_was_hidden_for_its_age_is_erased_by_a_later_call(tmp_path, clock):
    """Issue 22: the second call said that nothing is older than it may be, and the text stayed; an undo takes it out."""
    config = Config(retention={"sessions": 30, "history": 30})
    with Memory.open(tmp_path, jobs="worker", clock=clock, config=config) as memory:
        memory.append("old:1", [Message("user", "We painted the shed in ochre."), Message("assistant", "So it is.")])
        memory.append("both:1", [Message("user", "The kayak is as ochre as the shed.", id="b")])
        memory.note("history", "They painted the shed in ochre.")
        kept = memory.append("both:1", [Message("user", "A person hid the ochre boat.")])[0]
        memory.forget(kept)
        clock.advance(days=40)
        memory.append("both:1", [Message("user", "So it is.", id="c")])
        hidden = memory.forget(aged=True)
        assert len(hidden.forgotten) == 4
        assert memory.forget(aged=True).forgotten == ()
        listed = memory.forget(aged=True, erase=True, dry_run=True)
        assert sorted(listed.forgotten) == sorted(hidden.forgotten)
        assert {path for path, _ in listed.places} >= {"sessions/old%3A1.jsonl", "sessions/both%3A1.jsonl"}
        done = memory.forget(aged=True, erase=True)
        assert (done.forgotten, done.left) == (listed.forgotten, ())
        assert memory.forget(aged=True, erase=True, dry_run=True).forgotten == ()
        assert [each.text for each in memory.sessions.read("both:1")] == ["So it is."]
        assert memory.doctor().problems == ()
    held = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert b"shed" not in held
    assert b"A person hid the ochre boat." in held


def test_what_came_back_after_it_was_hidden_for_its_age_goes_as_any_other(tmp_path, clock):
    """Issue 22: an undo shows it again, and then it is old as before."""
    config = Config(retention={"sessions": 30, "history": 30})
    with Memory.open(tmp_path, jobs="worker", clock=clock, config=config) as memory:
        memory.append("old:1", [Message("user", "We painted the shed in ochre.", id="a")])
        memory.note("history", "They painted the shed in ochre.")
        clock.advance(days=40)
        memory.append("old:1", [Message("user", "The kayak is for sale.", id="b")])
        memory.undo(memory.forget(aged=True).change)
        config.retention["sessions"] = config.retention["history"] = 50
        assert memory.forget(aged=True, erase=True, dry_run=True).forgotten == ()
        assert memory.recall("ochre shed")


def test_nothing_has_an_age_until_the_configuration_says_so(tmp_path, clock):
    """Optional; a name that is no layer is an error, not a silent nothing."""
    with (
        Memory.open(tmp_path, jobs="worker", clock=clock) as memory,
        pytest.raises(InputError, match="no layer is given"),
    ):
        memory.forget(aged=True)
    with (
        Memory.open(tmp_path, jobs="worker", clock=clock, config=Config(retention={"histroy": 3})) as memory,
        pytest.raises(InputError, match="histroy"),
    ):
        memory.forget(aged=True)


def test_what_waits_for_too_long_is_not_offered_any_more(tmp_path, clock):
    """Issue 22: expiry; the log keeps what was held."""
    gate = msgspec.structs.replace(Config().gate, review_days=10)
    with Memory.open(tmp_path, jobs="worker", clock=clock, config=Config(gate=gate)) as memory:
        record = memory.remember("The gate is shut.", kind="decision", actor=PERSON).records[0]
        held = memory.update(record, "The gate is open.", actor=TOOL).review[0]
        clock.advance(days=9)
        assert [each.id for each in memory.review()] == [held]
        clock.advance(days=2)
        assert len(memory.review()) == 0
        with pytest.raises(RecordNotFoundError):
            memory.review().approve(held)
        assert memory.read(record).text == "The gate is shut."


def test_the_age_of_a_record_is_known_after_a_new_open(tmp_path, clock):
    """Issue 22: of facts and documents nothing was ever old in a process that had not written them itself."""
    with Memory.open(tmp_path, jobs="worker", clock=clock) as memory:
        memory.remember("The shed is painted in ochre.")
    clock.advance(days=40)
    with Memory.open(tmp_path, jobs="worker", clock=clock, config=Config(retention={"facts_user": 30})) as memory:
        assert [text for _, text in memory.forget(aged=True).forgotten] == ["The shed is painted in ochre."]
        assert not memory.recall("ochre shed")


def test_an_age_below_a_day_is_refused(tmp_path, clock):
    config = Config(retention={"sessions": -3})
    with (
        Memory.open(tmp_path, jobs="worker", clock=clock, config=config) as memory,
        pytest.raises(InputError, match="one or more"),
    ):
        memory.forget(aged=True, dry_run=True)
