"""A message whose value was replaced stands below what says so now, and says so itself."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from commonplace import Memory, Message, Query
from commonplace.records import Source
from commonplace.testing import FixedClock, ScriptedLLM
from inside import scope_of
from marking import in_one_test, slow_after

QUESTION = "what time is our stand-up these days?"
OLD = "our stand-up is at 9:30, these days and every day"
NEW = "we moved it to 10:15"


def opened(folder):
    return Memory.open(folder, clock=FixedClock("2026-11-20T10:00:00+00:00", step_seconds=1), jobs="worker")


@pytest.fixture
def memory(tmp_path):
    with opened(tmp_path) as memory:
        said = datetime(2026, 11, 2, tzinfo=UTC)
        memory.append("a", [Message("user", OLD, id="old", at=said), Message("assistant", "Noted.", id="ok")])
        memory.append("b", [Message("user", NEW, id="new", at=said.replace(day=9))])
        memory.append("c", [Message("user", f"talk of the day {n}", id=f"c{n}") for n in range(20)])
        memory.remember("The stand-up is at 9:30.", kind="decision", source=Source("a", "old"))
        yield memory


def order(memory, **query):
    hits = memory.recall(Query(text=QUESTION, **query))
    return [hit.sources[0].message for hit in hits if hit.layer == "sessions"], hits


def test_a_replaced_value_stands_below_its_successor_and_says_so(memory):
    """Issue 7: a superseded value ranks below its successor and says so."""
    assert order(memory)[0][0] == "old"
    outcome = memory.update(memory.recall("9:30", layers=("documents",))[0].record, "The stand-up is at 10:15.")
    assert outcome.ok
    hits = memory.recall(QUESTION, explain=True)
    places = {hit.sources[0].message if hit.layer == "sessions" else hit.layer: at for at, hit in enumerate(hits)}
    old = hits[places["old"]]
    assert places["documents"] < places["old"]
    assert old.superseded_by == hits[places["documents"]].record == old.why["superseded"]
    assert not any(hit.superseded_by for hit in hits if hit is not old)
    assert ", superseded]" in memory.context(query=QUESTION).volatile


def test_an_undo_takes_the_word_back(memory):
    outcome = memory.update(memory.recall("9:30", layers=("documents",))[0].record, "The stand-up is at 10:15.")
    memory.undo(outcome.change)
    assert order(memory)[0][0] == "old"
    assert not any(hit.superseded_by for hit in order(memory)[1])


def test_saying_more_overrules_nothing(memory):
    """A record that keeps every word of the old one is an addition to it."""
    record = memory.recall("9:30", layers=("documents",))[0].record
    memory.update(record, "The stand-up is at 9:30, in the small room.")
    assert not any(hit.superseded_by for hit in order(memory)[1])


def test_what_was_known_then_was_not_superseded_then(memory):
    before = datetime(2026, 11, 19, tzinfo=UTC)
    memory.update(memory.recall("9:30", layers=("documents",))[0].record, "The stand-up is at 10:15.")
    found, hits = order(memory, as_of=before)
    assert found[0] == "old"
    assert not any(hit.superseded_by for hit in hits)


def test_a_hand_edit_overrules_a_message_too(memory):
    path = next(iter(memory.log(1))).paths[0]
    file = Path(memory.location, path)
    file.write_text(file.read_text(encoding="utf-8").replace("9:30", "11:00"), encoding="utf-8")
    memory.sync()
    old = next(hit for hit in order(memory)[1] if hit.sources and hit.sources[0].message == "old")
    assert old.superseded_by.startswith(path)


def test_a_question_of_another_session_reads_no_more_for_it(memory, monkeypatch):
    """A correction costs those questions only that it may answer."""
    memory.append("d", [Message("user", f"the ferry number {n} is late", id=f"d{n}") for n in range(40)])

    def reads():
        indexing = scope_of(memory).indexing
        counted = []
        real = indexing.message
        with monkeypatch.context() as patch:
            patch.setattr(indexing, "message", lambda *place: counted.append(place) or real(*place))
            assert memory.recall("which ferry is late?", k=3)
        return len(counted)

    before = reads()
    memory.update(memory.recall("9:30", layers=("documents",))[0].record, "The stand-up is at 10:15.")
    assert reads() == before


@pytest.mark.parametrize("apart", [False, True])
@pytest.mark.parametrize("layout", slow_after(1, ["native", "two-layer"]))
@pytest.mark.parametrize(
    ("before", "said", "question"),
    [
        ("We use MySQL here.", "actually we switched from MySQL to Postgres", "which database do we use"),
        ("I use VS Code as my editor.", "Actually I switched from VS Code to Neovim.", "which editor do I use"),
        ("I live in Graz.", "Actually I moved to Vienna.", "where do I live"),
    ],
)
def test_a_correction_in_the_same_range_or_later_ranks_above_what_it_replaces(
    tmp_path, before, said, question, layout, apart
):
    """Issue 17.5: the record comes though the question shares no word with it, and the old message says what it is."""
    clock = FixedClock("2026-03-01T10:00:00+00:00", step_seconds=1)
    with Memory.open(tmp_path, layout=layout, clock=clock, jobs="inline") as memory:
        memory.append("s:1", [Message("user", before, id="old"), Message("assistant", "ok")])
        if apart:
            memory.consolidate()
            clock.advance(days=3)
        memory.append("s:2" if apart else "s:1", [Message("user", said), Message("assistant", "ok")])
        memory.consolidate()
        hits = memory.recall(question)
        shown = memory.context("s:3", question).volatile

    places = [(hit.layer, hit.text) for hit in hits]
    old = next(hit for hit in hits if hit.layer == "sessions" and hit.text == before)
    record = next(hit for hit in hits if hit.layer == "documents")
    assert old.superseded_by == record.record
    assert places.index(("documents", record.text)) < places.index(("sessions", before))
    assert not any(f"] {before}" in line and ", superseded]" not in line for line in shown.splitlines())


def test_an_undo_of_a_correction_in_one_range_takes_the_word_back(tmp_path):
    with Memory.open(tmp_path, clock=FixedClock(step_seconds=1), jobs="inline") as memory:
        memory.append("s:1", [Message("user", "I use Vim for everything."), Message("assistant", "ok")])
        memory.append("s:1", [Message("user", "Actually I switched to Helix."), Message("assistant", "ok")])
        memory.consolidate()
        assert any(hit.superseded_by for hit in memory.recall("Vim Helix"))
        memory.undo(memory.log(1)[0].number)
        assert not any(hit.superseded_by for hit in memory.recall("Vim Helix"))


def test_an_item_that_is_corrected_supersedes_what_it_was_made_of(tmp_path):
    """Issue 17.5: an item keeps its id when it is corrected."""
    clock = FixedClock("2026-03-01T10:00:00+00:00", step_seconds=1)
    with Memory.open(tmp_path, layout="structured", clock=clock, jobs="inline") as memory:
        memory.append("s:1", [Message("user", "I live in Graz.", id="old"), Message("assistant", "ok")])
        clock.advance(days=3)
        memory.append("s:2", [Message("user", "Actually I moved to Vienna."), Message("assistant", "ok")])
        memory.consolidate()
        old = next(hit for hit in memory.recall("where do I live") if hit.text == "I live in Graz.")
    assert "#" in old.superseded_by


CHANGES = [
    ("I live in New York.", "I moved to Berlin.", "where do I live?", "New York"),
    ("I work at Siemens.", "I work at Bosch now.", "where do I work?", "Siemens"),
    ("I use VS Code as my editor.", "I switched to Neovim.", "which editor do I use?", "VS Code"),
    ("My phone number is 030 555 1234.", "My phone number is 030 555 9876 now.", "my phone number?", "1234"),
    ("I'm vegetarian.", "I'm vegan now.", "am I vegetarian?", "vegetarian"),
    ("My employer is Siemens.", "I started a new job at Bosch.", "who is my employer?", "Siemens"),
    ("My editor is VS Code.", "Actually I switched to Neovim.", "what is my editor?", "VS Code"),
    ("I drive a Golf.", "I drive a Tesla now.", "which car do I drive?", "Golf"),
    ("We use npm here.", "We switched from npm to pnpm.", "which package manager do we use?", "use npm"),
    (
        "My deadline for the thesis is 3 March.",
        "My deadline for the thesis is now 17 March.",
        "thesis deadline",
        "3 March",
    ),
    ("My favourite colour is green.", "My favourite colour is blue.", "my favourite colour?", "green"),
    ("My partner's name is Anna.", "My partner's name is Berta.", "the name of my partner?", "Anna"),
]


def changed(folder, layout, before, after, llm=None):
    """Have two talks, three days apart, and a day later return the memory."""
    clock = FixedClock("2026-03-01T10:00:00+00:00", step_seconds=1)
    memory = Memory.open(folder, layout=layout, clock=clock, jobs="inline", llm=llm)
    for session, text in (("s:1", before), ("s:2", after)):
        memory.append(session, [Message("user", text), Message("assistant", "ok")])
        memory.end(session)
        clock.advance(days=3)
    return memory


@pytest.mark.parametrize(
    ("layout", "before", "after", "question", "old"),
    [
        (layout, *change)
        for layout in ("native", "two-layer", "memdir", "structured", "graph")
        for change in (CHANGES if layout == "native" else CHANGES[2:3])
    ],
)
def test_what_tells_of_a_replaced_value_says_so_in_every_layout(tmp_path, layout, before, after, question, old):
    """Issue 17: in what recall finds and in the prompt; no file loses what was said, and an undo takes the word back."""
    with changed(tmp_path, layout, before, after) as memory:
        hits = memory.recall(question)
        context = memory.context("s:3", question)
        change = next(each for each in memory.log() if any(source.session == "s:2" for source in each.sources))
        memory.undo(change.number)
        undone = memory.recall(question)

    assert [hit.text for hit in hits if old in hit.text and not hit.superseded_by and "before:" not in hit.text] == []
    shown = [line for line in context.text.splitlines() if " nonce=" not in line]  # a nonce may hold any number
    assert [line for line in shown if old in line and "superseded" not in line and "before:" not in line] == []
    assert [hit.text for hit in undone if hit.superseded_by and old in hit.text] == []
    told = [path.read_text(encoding="utf-8") for path in tmp_path.rglob("*") if path.suffix in {".md", ".jsonl"}]
    assert sum(old in text for text in told) >= 2


def test_of_an_entry_that_says_more_the_words_are_named_that_are_over(tmp_path):
    before = "I live in New York. My sister is called Ada. I play the cello."
    with changed(tmp_path, "native", before, "I moved to Berlin.") as memory:
        hits = {
            hit.layer: hit for hit in memory.recall("who lives in New York and plays the cello?") if hit.superseded_by
        }

    assert hits["journals"].superseded_words == "Noted: User lives in New York."
    assert hits["sessions"].superseded_words == "I live in New York"


def test_the_prompt_names_the_words_that_are_over(tmp_path):
    before = "I live in New York. My sister is called Ada. I play the cello."
    with changed(tmp_path, "graph", before, "I moved to Berlin.") as memory:
        shown = memory.context("s:3", "who lives in New York and plays the cello?").volatile

    assert 's:1, superseded: "Noted: User lives in New York."] Noted: User lives in New York. User\'s sister' in shown


@pytest.mark.parametrize("layout", ["native", "graph"])
def test_of_a_message_of_one_range_the_words_are_named_that_are_over(tmp_path, layout):
    """Found in use: without a mark in graph, and the whole message with one in native, where the English holds."""
    with Memory.open(tmp_path, layout=layout, jobs="inline") as memory:
        old = "Rehearsals are on Tuesdays at 19:00"
        for text in (f"{old}. Always answer in English.", "Rehearsals moved to Wednesdays at 18:30."):
            memory.append("s:1", [Message("user", text), Message("assistant", "ok")])
        memory.end("s:1")
        hit = next(hit for hit in memory.recall("when are rehearsals?") if old in hit.text)

    assert hit.superseded_by
    assert hit.superseded_words == old


@in_one_test(
    "was, now, told",
    [
        ("Never call Ada on her night shifts, Tuesdays and Thursdays.",
         "Never call Ada on her night shifts, Mondays and Wednesdays.",
         "Ada asked never to be called on her night shifts, Tuesdays and Thursdays."),
        ("Ada travels to Lisbon with her sister Karin from 2026-03-14 to 2026-03-21.",
         "Ada travels to Lisbon with her friend Mette from 2026-03-14 to 2026-03-21; her sister Karin cannot come.",
         "Ada planned a trip to Lisbon with her sister Karin from 2026-03-14 to 2026-03-21."),
    ],
)  # fmt: skip
def test_a_journal_that_tells_it_in_other_words_says_so_too(was, now, told, tmp_path):
    """Found in use: what a model had replaced came back unmarked from the journal."""
    say = {"op": "add", "path": "memory/facts/user.md", "text": was, "cites": [{"message": 1, "quote": was}]}
    other = {"op": "replace", "target": 1, "text": now, "cites": [{"message": 1, "quote": now}]}
    replies = [{"journal": told, "operations": [say]}, {"journal": "", "operations": [other]}]
    with changed(tmp_path / was, "native", was, now, ScriptedLLM([*map(json.dumps, replies)])) as memory:
        (entry,) = (hit for hit in memory.recall(was, layers=("journals",)) if hit.text == told)

    assert entry.superseded_by


def test_an_outdated_value_comes_once(tmp_path):
    with changed(tmp_path, "structured", "I live in New York.", "I moved to Berlin.") as memory:
        shown = memory.context("s:3", "where do I live?").volatile

    assert shown.count("New York") == 1
    assert "[TASK_STATE] User asked: I live in New York" not in shown


def test_a_sentence_that_says_other_things_in_the_same_words_holds(tmp_path):
    before = "I live in New York. Who reads the new papers that old people in York live to tell their neighbours of?"
    with changed(tmp_path, "structured", before, "I moved to Berlin.") as memory:
        turn = next(hit for hit in memory.recall("who lives in New York?", layers=("items",)) if hit.superseded_by)

    assert turn.superseded_words == "User: I live in New York."


def test_of_a_forgotten_statement_no_word_is_named(tmp_path):
    clock = FixedClock("2026-03-01T10:00:00+00:00", step_seconds=1)
    with Memory.open(tmp_path, layout="graph", clock=clock, jobs="inline") as memory:
        said = ("I live in New York.", "My sister is called Ada.")
        memory.append("s:1", [Message("user", text, id=f"m{n}") for n, text in enumerate(said)])
        memory.end("s:1")
        memory.append("s:2", [Message("user", "I moved to Berlin.")])
        memory.end("s:2")
        question = "who lives in New York, and is my sister called Ada?"
        hit = next(hit for hit in memory.recall(question, layers=("journals",)) if hit.superseded_words)
        memory.forget("s:1#m0")
        left = next(each for each in memory.recall(question, layers=("journals",)) if each.record == hit.record)

    assert hit.superseded_words == "Noted: User lives in New York."
    assert (left.text, left.superseded_by, left.superseded_words) == ("User's sister is called Ada.", "", "")


def test_a_model_that_writes_a_line_of_a_node_anew_overrules_what_it_was_made_of(tmp_path):
    """Issue 17: in graph a node is corrected line by line."""

    def answer(request):
        moved = "I moved to Berlin." in request.prompt
        said, line = ("I moved to Berlin.", "Berlin") if moved else ("I live in New York.", "New York")
        node = {"op": "put_topic", "path": "user", "title": "User", "body": f"- User lives in {line}."}
        made = node | {"cites": [{"message": 1, "quote": said}]}
        return json.dumps({"journal": f"The user said: {said}", "operations": [made], "done": True})

    with changed(tmp_path, "graph", "I live in New York.", "I moved to Berlin.", ScriptedLLM(answer)) as memory:
        node = memory.read("memory/user.md").body
        hits = {hit.text: hit.superseded_by for hit in memory.recall("where do I live, in New York?")}

    assert node == "- User lives in Berlin."
    assert hits["I live in New York."] == "memory/user.md"
    assert hits["The user said: I live in New York."] == "memory/user.md"
    assert hits["The user said: I moved to Berlin."] == ""


@pytest.mark.parametrize("layout", slow_after(2, ["two-layer", "graph", "memdir"]))
def test_a_model_that_writes_a_whole_text_anew_overrules_what_its_lines_were_made_of(tmp_path, layout):
    """Found in use: the line that says otherwise had another place, and the old message and journal entry were unmarked."""
    before, after = "My kids are Jonas (7) and Mila (4).", "Jonas is 8 now."
    cello = "My sister Ada plays the cello."

    def answer(request):
        again = after in request.prompt.rpartition("USER")[2]
        lines = ["- User's sister Ada plays the cello."]
        lines.insert(1 if again else 0, f"- User's kids are Jonas ({8 if again else 7}) and Mila (4).")
        told, body = ("Jonas turned 8." if again else f"{lines[0][2:]} {lines[1][2:]}"), "\n".join(lines)
        cites = [{"message": 1, "quote": after}] if again else [{"message": 1, "quote": q} for q in (before, cello)]
        node = {"op": "put_topic", "path": "kids.md", "title": "Kids", "body": body, "cites": cites}
        made = {"history_entry": told, "memory_update": body} if layout == "two-layer" else {"operations": [node]}
        return json.dumps(made | {"journal": told, "done": True})

    with changed(tmp_path, layout, f"{before} {cello}", after, ScriptedLLM(answer)) as memory:
        hits = memory.recall("How old is Jonas, of my kids?")

    places = {hit.layer: place for place, hit in enumerate(hits) if "(7)" in hit.text}
    right = next(place for place, hit in enumerate(hits) if "Jonas (8)" in hit.text)
    assert places.keys() == {"sessions", "journals"}
    assert all(hits[place].superseded_by == hits[right].record and place > right for place in places.values())
    assert "Ada" not in "".join(hit.superseded_words for hit in hits)


def test_what_replaced_it_and_what_came_later_is_not_marked(tmp_path):
    with changed(tmp_path, "structured", "I live in New York.", "I moved to Berlin from New York.") as memory:
        memory.append("s:4", [Message("user", "I was in New York, where I live no more."), Message("assistant", "ok")])
        memory.end("s:4")
        marked = {hit.sources[0].session for hit in memory.recall("New York", k=20) if hit.superseded_by}

    assert marked == {"s:1"}


def test_a_line_of_a_topic_that_was_replaced_overrules_what_it_was_made_of(tmp_path):
    """A topic holds many statements: only those whose line another one replaced are over."""
    before = "I live in New York. I play the cello."
    with changed(tmp_path, "memdir", before, "I moved to Berlin.") as memory:
        held = memory.recall("New York cello", layers=("sessions",))[0]

    assert held.superseded_by == "facts.md"
    assert held.superseded_words == "I live in New York"


def test_the_agents_search_shows_what_is_superseded(tmp_path):
    with changed(tmp_path, "structured", "I live in New York.", "I moved to Berlin.") as memory:
        found = memory.tool().call({"action": "search", "query": "New York"})

    told = next(hit for hit in found["hits"] if hit["text"].startswith("User: I live in New York."))
    assert told["superseded_by"] == next(hit["id"] for hit in found["hits"] if hit["text"] == "User moved to Berlin.")


def test_a_prompt_has_what_is_over_only_for_a_question_that_it_answers(tmp_path):
    """Found in use: a paragraph of a journal was shown for any question, though all that holds of it is always shown."""
    before = "I live in New York. My sister is called Ada."
    with changed(tmp_path, "native", before, "I moved to Berlin.") as memory:
        asked = ["what is my sister called?", "do I live in New York?"]
        found = [any(hit.superseded_by for hit in memory.recall(question)) for question in asked]
        unasked, answered = ("New York" in memory.context("s:3", question).volatile for question in asked)

    assert (found, unasked, answered) == ([True, True], False, True)


@pytest.mark.parametrize("old", ["I live in Oslo.", "I live in Town0."])
@pytest.mark.parametrize("layout", slow_after(1, ["two-layer", "native", "structured", "memdir", "graph"]))
def test_what_was_said_again_is_superseded_with_the_first(tmp_path, layout, old):
    """Issue 17.2: nothing is written for it, but who corrects the one corrects all; `undo` takes that back."""
    clock = FixedClock("2026-11-02T10:00:00+00:00", step_seconds=60)
    with Memory.open(tmp_path, layout=layout, clock=clock, jobs="inline") as memory:
        for number, said in enumerate([f"{old} Today was fine.", f"{old} It rains.", "I live in Town1."]):
            own = [said, "Let us cook soup.", f"{said} Really."]
            memory.append(
                f"c:{number}", [each for text in own for each in (Message("user", text), Message("assistant", "ok"))]
            )
            memory.consolidate(f"c:{number}")

        def holding():
            hits = memory.recall(f"where do I live, {old}", k=40, layers=("sessions",))
            return {(hit.sources[0].session, hit.text) for hit in hits if old in hit.text and not hit.superseded_by}

        assert holding() == set()
        assert memory.undo(next(change for change in memory.log() if change.added)).ok
        assert len(holding()) == 4


def test_what_a_model_adds_again_is_superseded_with_the_first(tmp_path):
    """Issue 17.2: of a statement that memory has, the message is noted that says it again."""

    def reply(_):
        return json.dumps({"operations": [{"op": "add", "text": "The user lives in Oslo.", "cites": cites}]})

    cites = [{"message": 1, "quote": "I live in Oslo"}]
    with Memory.open(tmp_path, jobs="worker", llm=ScriptedLLM(reply)) as memory:
        for number in range(2):
            memory.append(
                f"c:{number}", [Message("user", f"I live in Oslo{', still' * number}"), Message("assistant", "ok")]
            )
            memory.consolidate(f"c:{number}")
        record = memory.recall("Oslo", layers=("documents",))[0].record
        assert memory.update(record, "The user lives in Voss.").ok
        hits = memory.recall("who lives in Oslo", layers=("sessions",))
        assert len([hit for hit in hits if "Oslo" in hit.text and hit.superseded_by]) == 2


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ("My boss is Karin.", "My boss is Ole now, Karin left."),
        ("Our standup is at 9:30.", "Our standup is at 10 now, 9:30 was too early."),
    ],
)
def test_a_correction_that_names_the_old_value_marks_the_old_message(tmp_path, was, now):
    """Found in use: README says that what a record corrects is marked, and this was not, as the words are all in it."""
    clock = FixedClock("2026-03-02T10:00:00+00:00", step_seconds=1)
    with Memory.open(tmp_path, clock=clock) as memory:
        for session, said in (("a", was), ("b", now)):
            memory.append(session, [Message("user", said)])
            memory.end(session)
            clock.advance(days=4)
        hits = {hit.text: hit for hit in memory.recall(was, k=10)}
    assert hits[was].superseded_by
    assert not hits[now].superseded_by
