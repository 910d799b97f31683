"""What was forgotten comes back by no way: not through a job, a model's prompt or a context, whoever says it again."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonplace import Memory, Message
from commonplace.errors import GoneError
from commonplace.testing import ScriptedLLM
from inside import scope_of
from marking import slow_after

LAYOUTS = ("native", "two-layer", "facts")
SAID = "My locker mascot is xylophone banana."
AGAIN = [Message("user", SAID, id="z"), Message("assistant", "Good.", id="zz")]
OTHER = [
    message
    for number in range(5)
    for message in (
        Message("user", f"Please always answer number {number} in metric units.", id=f"p{number}"),
        Message("assistant", "I will do so.", id=f"q{number}"),
    )
]


def opened(folder, layout, **options):
    return Memory.open(folder, layout=layout, jobs="worker", **options)


def forget(memory, how="forget"):
    """Have a message said and forgotten."""
    memory.append("s:1", [Message("user", SAID, id="a"), Message("assistant", "Good.", id="b")])
    if how == "delete":
        return memory.sessions.delete("s:1").change
    [hit] = [hit for hit in memory.recall("xylophone") if hit.layer == "sessions"]
    return memory.forget(hit.record).change


def given_out(memory, session="s:2"):
    """Give all that leaves memory unasked or for a question, of this session and of none."""
    texts = [hit.text for hit in memory.recall("xylophone banana locker", k=50)]
    for each in (session, "s:9", None):
        texts += [memory.context(each).text, memory.context(each, "What is the locker mascot?").text]
    return "\n".join([*texts, *memory.sessions.buffer(session), memory.sessions.summary(session)])


def in_files(folder):
    """Name the files of memory that hold the word; transcripts and the log of changes are kept."""
    files = [path for path in (Path(folder) / "memory").rglob("*") if path.is_file()]
    return [path.name for path in files if b"xylophone" in path.read_bytes()]


JOBS = {
    "nothing": lambda memory, session: None,
    "consolidate": lambda memory, session: memory.consolidate(session),
    "compact": lambda memory, session: memory.compact(session, keep=2),
    "reset": lambda memory, session: memory.reset(session, now=False),
    "end": lambda memory, session: memory.end(session, now=False),
}


@pytest.mark.parametrize("job", JOBS)
@pytest.mark.parametrize("how", ["forget", "delete"])
@pytest.mark.parametrize("layout", slow_after(1, LAYOUTS))
def test_what_was_forgotten_and_is_said_again_is_in_nothing(tmp_path, layout, how, job):
    """Confirmed by hand: a journal entry "2 messages, beginning: ..." and the recap of a context held the words."""
    with opened(tmp_path, layout) as memory:
        forget(memory, how)
        memory.append("s:2", [*AGAIN, *OTHER])
        JOBS[job](memory, "s:2")
        assert "xylophone" not in given_out(memory)
        assert in_files(tmp_path) == []


@pytest.mark.parametrize("job", JOBS)
@pytest.mark.parametrize("where", ["same session", "other session, before"])
@pytest.mark.parametrize("layout", slow_after(1, LAYOUTS))
def test_copies_are_forgotten_wherever_and_whenever_they_were_said(tmp_path, layout, where, job):
    """The same words under a new id of the same session, or in another session before the forgetting."""
    session = "s:1" if where == "same session" else "s:2"
    with opened(tmp_path, layout) as memory:
        if session == "s:2":
            memory.append(session, AGAIN)
        forget(memory)
        memory.append(session, AGAIN)
        memory.append(session, OTHER)
        JOBS[job](memory, session)
        assert "xylophone" not in given_out(memory, session)
        assert in_files(tmp_path) == []


@pytest.mark.parametrize("how", ["forget", "delete"])
@pytest.mark.parametrize("layout", slow_after(1, LAYOUTS))
def test_no_model_is_told_what_was_forgotten(tmp_path, layout, how):
    """A prompt leaves the machine: it holds what may be given out and nothing else."""
    model = ScriptedLLM("no JSON", repeat=True)
    with opened(tmp_path, layout, llm=model) as memory:
        forget(memory, how)
        memory.append("s:2", [*AGAIN, *OTHER])
        memory.compact("s:2", keep=2)
        memory.consolidate("s:2")
        memory.end("s:2")
        assert model.prompts
        assert [prompt for prompt in model.prompts if "xylophone" in prompt] == []
        assert "xylophone" not in given_out(memory)
        assert in_files(tmp_path) == []


@pytest.mark.parametrize("llm", [None, "They spoke of a xylophone."], ids=["rules", "model"])
@pytest.mark.parametrize("copied", [False, True], ids=["itself", "a copy"])
def test_a_summary_made_before_a_forgetting_is_given_out_no_more(tmp_path, llm, copied):
    """The words of a summary are a model's own: what they tell of is known from what it was made of."""
    model = None if llm is None else ScriptedLLM(llm, repeat=True)
    with opened(tmp_path, "native", llm=model) as memory:
        memory.append("s:2", [*AGAIN, *OTHER])
        assert memory.compact("s:2", keep=2).ok
        assert "xylophone" in memory.sessions.summary("s:2")
        change = forget(memory) if copied else memory.forget("sessions/s%3A2.jsonl#z").change
        assert memory.sessions.summary("s:2") == ""
        assert "xylophone" not in memory.context("s:2").text
        memory.undo(change)
        assert "xylophone" in memory.sessions.summary("s:2")


def test_a_summary_made_after_a_forgetting_stays(tmp_path):
    """It was made without what was forgotten."""
    with opened(tmp_path, "native") as memory:
        forget(memory)
        memory.append("s:2", [*AGAIN, *OTHER])
        memory.compact("s:2", keep=2)
        assert "metric units" in memory.sessions.summary("s:2")


@pytest.mark.parametrize("how", ["forget", "delete"])
@pytest.mark.parametrize("layout", slow_after(1, LAYOUTS))
def test_undoing_the_forgetting_gives_all_of_it_back(tmp_path, layout, how):
    """Every change can be undone; what no job has read it reads then."""
    with opened(tmp_path, layout) as memory:
        change = forget(memory, how)
        memory.append("s:2", AGAIN)
        assert memory.end("s:2", now=False).ok
        memory.undo(change)
        assert SAID in [message.text for message in memory.sessions.window("s:2")]
        assert "xylophone" in given_out(memory)


@pytest.mark.parametrize("finish", ["end", "reset", "compact"])
@pytest.mark.parametrize("layout", slow_after(1, LAYOUTS))
def test_a_session_that_ends_with_what_was_forgotten_can_be_finished(tmp_path, layout, finish):
    """No job waits for a message that it is never given."""
    with opened(tmp_path, layout) as memory:
        forget(memory)
        memory.append("s:2", [*OTHER, AGAIN[0]])
        outcome = memory.compact("s:2", keep=0) if finish == "compact" else JOBS[finish](memory, "s:2")
        assert outcome.ok, outcome
        memory.append("s:3", AGAIN[:1])  # and nothing else
        assert JOBS["end"](memory, "s:3").ok
        assert "xylophone" not in given_out(memory)


@pytest.mark.parametrize("erase", [False, True], ids=["forgotten", "erased"])
@pytest.mark.parametrize(
    "layout", slow_after(3, ["native", "facts", "memdir", "two-layer", "facts-flat", "structured", "graph"])
)
def test_what_jobs_wrote_down_of_a_message_goes_with_it(tmp_path, layout, erase):
    """Issue 17.3: the memdir layout still showed the line of its generated index."""
    told = ["I live in Bergen.", "We decided that the xylophone banana ships on 2026-06-01.", "My cat is called Mia."]
    with opened(tmp_path, layout) as memory:
        for number, text in enumerate(told):
            memory.append(
                "s:1", [Message("user", text, id=f"m{number}"), Message("assistant", "Good.", id=f"a{number}")]
            )
        memory.end("s:1", now=False)
        assert "xylophone" in given_out(memory)
        assert in_files(tmp_path) if layout != "memdir" else "xylophone" in (tmp_path / "MEMORY.md").read_text("utf-8")
        memory.forget("s:1#m1", erase=erase)
        assert "xylophone" not in given_out(memory)
    holding = [path for path in tmp_path.rglob("*") if path.is_file() and b"xylophone" in path.read_bytes()]
    assert bool(holding) is not erase


def test_a_forgotten_message_is_hidden_as_a_line_of_another(tmp_path):
    """The door knows a line of a text again, behind a bullet too; so does what jobs read."""
    with opened(tmp_path, "two-layer") as memory:
        forget(memory)
        memory.append("s:2", [Message("user", f"You asked me:\n> {SAID}\nIs it right?"), Message("user", "Well?")])
        memory.consolidate("s:2")
        assert "xylophone" not in memory.context("s:2").text
        assert in_files(tmp_path) == []


def test_an_answer_in_a_deleted_session_hides_no_answer_in_another(tmp_path):
    """What a word such as "ok" says stands in what it answers; forgetting one message by name hides all like it."""
    with opened(tmp_path, "two-layer") as memory:
        memory.append("s:1", [Message("user", "Shall we?"), Message("assistant", "Ok.", id="ok")])
        memory.append("s:2", [Message("user", "Is it a deal?"), Message("assistant", "Ok.")])
        memory.sessions.delete("s:1")
        assert [message.text for message in memory.sessions.window("s:2")] == ["Is it a deal?", "Ok."]


def test_a_deleted_session_takes_no_record_along(tmp_path):
    """Deleting hides messages; what was remembered besides stays, and may be remembered anew."""
    with opened(tmp_path, "native") as memory:
        memory.append("s:1", [Message("user", "The harbour office opens at eight.")])
        memory.sessions.delete("s:1")
        assert memory.remember("The harbour office opens at eight.").status == "applied"
        assert "harbour office" in memory.context(None).text


def test_the_message_itself_is_still_found_by_its_id(tmp_path):
    """So that a copy can be forgotten by name as well."""
    with opened(tmp_path, "native") as memory:
        forget(memory)
        [copy, _] = memory.append("s:2", AGAIN)
        assert memory.sessions.message(copy.session, copy.message).text == SAID
        assert memory.forget("sessions/s%3A2.jsonl#z").change is not None


def test_reading_asks_nothing_of_messages_while_nothing_was_forgotten(tmp_path):
    """The price of hiding is paid by who forgets: without a tombstone there is nothing to compare with."""
    with opened(tmp_path, "native") as memory:
        memory.append("s:2", OTHER)
        scope = scope_of(memory)
        assert scope.tombstones.since() is None
        memory.forget(memory.remember("The kettle is red.").records[0])
        assert scope.tombstones.since() is None
        forget(memory)
        since = scope.tombstones.since()
        assert since is not None
        assert since is scope.tombstones.since()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_record_of_the_same_words_enters_no_prompt(tmp_path, layout):
    """Recall gives neither; the record stays in its file, which a model's rewrite of it leaves alone."""
    reply = (
        '{"history_entry": "They spoke.", "memory_update": "- The kettle is red.\\n- They like tea.", "journal": "Hm."}'
    )
    prose = "They asked for answers in metric units."
    model = ScriptedLLM(lambda request: prose if request.purpose == "episode" else reply)
    with opened(tmp_path, layout, llm=model) as memory:
        memory.append("s:1", [Message("user", SAID, id="a"), *OTHER])
        assert memory.remember("The kettle is red.").ok
        [kept] = memory.remember(SAID).records
        folder = "sessions" if layout == "native" else "transcripts"
        change = memory.forget(f"{folder}/s%3A1.jsonl#a").change
        assert "xylophone" not in given_out(memory)
        assert "kettle" in memory.context().text
        assert memory.consolidate("s:1").ok
        memory.end("s:1")
        assert [prompt for prompt in model.prompts if "xylophone" in prompt] == []
        with pytest.raises(GoneError):
            memory.read(kept)
        assert SAID in (tmp_path / kept.partition("#")[0]).read_text("utf-8")
        memory.undo(change)
        assert memory.read(kept).text == SAID
        assert "xylophone" in memory.context().text


@pytest.mark.parametrize("job", ["consolidate", "compact", "end"])
@pytest.mark.parametrize("layout", slow_after(1, LAYOUTS))
def test_what_is_forgotten_while_a_model_is_asked_is_not_kept(tmp_path, layout, job):
    """A model takes seconds, in which a person may take back what was just said."""
    folder = "sessions" if layout == "native" else "transcripts"
    asked = []

    def model(prompt):
        asked.append(prompt)
        if len(asked) == 1:
            memory.forget(f"{folder}/s%3A2.jsonl#z")
        return "no JSON, but a xylophone" if "xylophone" in prompt else "no JSON"

    with opened(tmp_path, layout, llm=model) as memory:
        memory.append("s:2", [*AGAIN, *OTHER])
        JOBS[job](memory, "s:2")
        assert asked
        assert "xylophone" in asked[0]
        assert [prompt for prompt in asked[1:] if "xylophone" in prompt] == []
        assert "xylophone" not in given_out(memory)
        assert in_files(tmp_path) == []


SECRET = "The spare key hangs behind the blue fuse box, on hook 4"


@pytest.mark.battery
@pytest.mark.parametrize(
    "again",
    slow_after(
        4,
        [
            SECRET + ".",
            SECRET + "!",
            SECRET.upper(),
            f"“{SECRET}”",
            f"**{SECRET}**",
            f"- {SECRET}.",
            f"2. {SECRET}",
            f"> _{SECRET}_",
            SECRET.replace("fuse", "`fuse`"),
            SECRET.replace("blue fuse", "blue  fuse"),
            SECRET.replace("fuse", "fu\u00adse"),
            SECRET.replace("key", "key\u200b"),
            SECRET.replace("o", "\u043e").replace("e", "\u0435"),
            f"Notes:\n\n* {SECRET}.",
        ],
    ),
)
def test_what_was_forgotten_is_known_in_other_dress(tmp_path, again):
    """Issue 23.9: it came back with a full stop less, curly quotes, a soft hyphen, in bold, as a list item, in Cyrillic letters."""
    with opened(tmp_path, "native") as memory:
        memory.forget(memory.remember(SECRET, kind="decision").records[0])
        assert memory.remember(again, kind="decision").status == "refused"
        assert memory.recall("spare key") == []


@pytest.mark.parametrize(
    ("said", "other"),
    [
        (SECRET, SECRET.replace("4", "5")),
        (SECRET, SECRET.replace("hangs", "does not hang")),
        (SECRET, SECRET.replace("blue", "red")),
        ("The valve opens at -5 degrees", "The valve opens at 5 degrees"),
        ("Growth is 5% a year", "Growth is 5 a year"),
        ("Prefers C++ for tools", "Prefers C for tools"),
        ("The limit is .5 of it", "The limit is 5 of it"),
    ],
)
def test_what_says_something_else_is_no_copy_of_what_was_forgotten(tmp_path, said, other):
    """Issue 23.9: words, numbers and negations are kept apart."""
    with opened(tmp_path, "native") as memory:
        memory.forget(memory.remember(said, kind="decision").records[0])
        assert memory.remember(other, kind="decision").status == "applied"


@pytest.mark.parametrize("layout", ["native", "two-layer"])
def test_words_mean_the_record_that_a_journal_only_lists(tmp_path, layout):
    """DESIGN 1.10: who forgets it by its words needs no id, and the journal gives it out no more; `undo` brings both."""
    with opened(tmp_path, layout) as memory:
        memory.append("s:1", [Message("user", "I hate coriander. My manager is Chidi."), Message("assistant", "Good.")])
        memory.consolidate("s:1")
        assert memory.why("coriander").quotes[0].text == "I hate coriander"
        before = [each.text for each in memory.recall("coriander")]
        memory.tool("s:1").call({"action": "remove", "old_text": "coriander"})
        assert [each.text for each in memory.recall("coriander")] == before  # it waits for a person as a whole
        change = memory.forget("coriander").change
        assert {hit.layer for hit in memory.recall("coriander")} == {"sessions"}
        [journal] = memory.recall("manager", layers=["journals"])
        assert "Chidi" in journal.text
        memory.undo(change)
        assert {hit.layer for hit in memory.recall("coriander")} == {"sessions", "documents", "journals"}


@pytest.mark.parametrize("erase", [False, True])
def test_a_record_that_was_corrected_goes_with_the_message_that_it_rested_on(tmp_path, erase):
    """Issue 22: a correction that cites nothing was kept, with the forgotten words in it; one with other words stays."""
    with Memory.open(tmp_path, jobs="worker") as memory:
        (said,) = memory.append("s:1", [Message("user", "My osteopath is Dr Wimbleleaf, and I rent a flat in Tromsø.")])
        first = memory.remember("Osteopath: Dr Wimbleleaf.", source=said)
        memory.update(first.records[0], "Osteopath: Dr Wimbleleaf, on Fridays.")
        second = memory.remember("Rents a flat in Tromsø.", source=said)
        memory.update(second.records[0], "Owns a house near Narvik.")
        memory.forget(f"{said.session}#{said.message}", erase=erase)
        shown = memory.context().stable
        assert "Wimbleleaf" not in shown
        assert "Owns a house near Narvik." in shown
    if erase:
        held = [path for path in tmp_path.rglob("*") if path.is_file() and b"Wimbleleaf" in path.read_bytes()]
        assert held == []


@pytest.mark.parametrize("layout", slow_after(1, ["native", "structured", "memdir"]))
def test_what_was_forgotten_supersedes_nothing(tmp_path, layout):
    """Found in use: the older message was marked as superseded by what nobody could see."""
    old = "My budget for the trip to Lisbon is 1200 euros."
    with opened(tmp_path, layout) as memory:
        for session, text in (("a", old), ("b", "My budget for the trip to Lisbon is now 900 euros.")):
            memory.append(session, [Message("user", text), Message("assistant", "Fine.")])
            memory.consolidate(session)
        done = memory.forget(session="b")
        hits = {hit.text: hit.superseded_by for hit in memory.recall("budget for the trip to Lisbon")}
        assert hits[old] == ""
        assert not [text for text in hits if "900" in text]
        assert memory.undo(done).status == "applied"
        hits = {hit.text: hit.superseded_by for hit in memory.recall("budget for the trip to Lisbon")}
        assert hits[old]


@pytest.mark.parametrize("how", ["every", "record", "talk"])
def test_a_summary_of_what_was_forgotten_in_any_way_is_given_out_no_more(tmp_path, how):
    """Found in use: after `forget --every`, of the record or in a talk the summary still said it."""
    with Memory.open(tmp_path, jobs="inline") as memory:
        said = ["I'm pregnant.", *(f"step {number}" for number in range(4))]
        memory.append("g", [each for text in said for each in (Message("user", text), Message("assistant", "ok"))])
        memory.compact("g", keep=2)
        assert "pregnant" in memory.context("g").volatile
        if how == "talk":
            memory.append("g", [Message("user", "Forget that I'm pregnant."), Message("assistant", "ok")])
            done = memory.consolidate("g")
        else:
            done = memory.forget("pregnant" if how == "every" else "is pregnant", every=how == "every")
        assert '"I\'m pregnant."' not in memory.context("g").volatile
        assert how == "every" or "step 1" in memory.context("g").volatile  # review: all of it was gone
        memory.undo(done)
        assert '"I\'m pregnant."' in memory.context("g").volatile


def test_a_summary_made_after_a_part_was_taken_back_says_the_rest(tmp_path):
    """A message is not left out for one of its sentences."""
    with Memory.open(tmp_path, jobs="inline") as memory:
        said = ["I'm pregnant. The harbour bridge opens in May.", "Forget that I'm pregnant.", "step 1", "step 2"]
        memory.append("g", [each for text in said for each in (Message("user", text), Message("assistant", "ok"))])
        memory.consolidate("g")
        memory.compact("g", keep=2)
        assert "pregnant" not in memory.context("g").volatile
        assert "harbour bridge" in memory.context("g").volatile
