"""`append` takes what the SDKs have, and what cannot be done is said (issue 17.7)."""

from __future__ import annotations

import pytest

from commonplace import Memory, Message
from commonplace.errors import InputError, RecordNotFoundError
from commonplace.testing import ScriptedLLM
from marking import slow_after

ANTHROPIC = [
    {
        "role": "user",
        "content": [{"type": "text", "text": "What is in it?"}, {"type": "image", "source": {"data": "x"}}],
    },
    {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "hm", "signature": "s"},
            {"type": "text", "text": "I will look."},
            {"type": "tool_use", "id": "t1", "name": "read_file", "input": {"path": "a.txt"}},
        ],
    },
    {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "42"}]}],
    },
]
OPENAI = [
    {"role": "developer", "content": "Be brief."},
    {
        "role": "user",
        "content": [{"type": "input_text", "text": "Hi"}, {"type": "image_url", "image_url": {"url": "x"}}],
    },
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "clock", "arguments": '{"zone":"UTC"}'}}],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "noon"},
]


class Block:
    """A block as an SDK gives it: an object with `model_dump`."""

    def model_dump(self):
        return {"type": "text", "text": "It is noon."}


def kept(memory, session="s"):
    return [(m.message.role, m.text, m.message.tools) for m in memory.sessions.read(session)]


def test_messages_of_anthropic_are_taken_as_they_are(tmp_path):
    with Memory.open(tmp_path, jobs="worker") as memory:
        memory.append("s", ANTHROPIC)
        assert kept(memory) == [
            ("user", "What is in it?\n\n[image]", ()),
            ("assistant", "I will look.\n\n[read_file] path: a.txt", ("read_file",)),
            ("tool", "42", ("read_file",)),
        ]


def test_messages_of_openai_are_taken_as_they_are(tmp_path):
    with Memory.open(tmp_path, jobs="worker") as memory:
        memory.append("s", OPENAI)
        assert kept(memory) == [
            ("system", "Be brief.", ()),
            ("user", "Hi\n\n[image]", ()),
            ("assistant", "[clock] zone: UTC", ("clock",)),
            ("tool", "noon", ("clock",)),
        ]


def test_one_message_needs_no_list(tmp_path):
    with Memory.open(tmp_path, jobs="worker") as memory:
        memory.append("s", Message("user", "I live in Oslo."))
        memory.append("s", {"role": "assistant", "content": "Noted."})
        memory.append("s", {"role": "assistant", "content": [Block()]})
        assert [text for _, text, _ in kept(memory)] == ["I live in Oslo.", "Noted.", "It is noon."]


def test_a_message_with_an_id_is_kept_once_with_all_its_results(tmp_path):
    results = [{"type": "tool_result", "tool_use_id": n, "content": f"result {n}"} for n in "ab"]
    given = {"role": "user", "id": "m", "content": [*results, {"type": "text", "text": "And now?"}]}
    with Memory.open(tmp_path, jobs="worker") as memory:
        sources = memory.append("s", given)
        assert memory.append("s", given) == sources
        assert [text for _, text, _ in kept(memory)] == ["result a", "result b", "And now?"]


def test_what_the_server_found_is_kept_between_its_call_and_the_answer(tmp_path):
    """Issue 17: the result was kept before the message that called it."""
    blocks = [
        {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "tide"}},
        {"type": "web_search_tool_result", "tool_use_id": "s", "content": [{"title": "Tides", "url": "u"}]},
        {"type": "text", "text": "At noon."},
    ]
    with Memory.open(tmp_path, jobs="worker") as memory:
        sources = memory.append("s", {"role": "assistant", "id": "m", "content": blocks})
        assert [source.message for source in sources] == ["m", "m#1", "m#2"]
        assert kept(memory) == [
            ("assistant", "[web_search] query: tide", ("web_search",)),
            ("tool", "Tides\n\nu", ("web_search",)),
            ("assistant", "At noon.", ()),
        ]


def test_the_one_call_that_old_messages_of_openai_have_is_kept(tmp_path):
    """Issue 17: a message that has only `function_call` was dropped."""
    call = {"name": "clock", "arguments": '{"zone":"UTC"}'}
    with Memory.open(tmp_path, jobs="worker") as memory:
        memory.append("s", {"role": "assistant", "content": None, "function_call": call})
        memory.append("s", {"role": "function", "name": "clock", "content": "noon"})
        assert kept(memory) == [("assistant", "[clock] zone: UTC", ("clock",)), ("tool", "noon", ("clock",))]


@pytest.mark.parametrize("kind", ["tool_result", "text"])
def test_content_that_is_nested_too_deep_is_refused_whole(tmp_path, kind):
    """Issue 17: a bare RecursionError came of it."""
    deep = {"type": kind, "text": "bottom"}
    for _ in range(3000):
        deep = {"type": kind, "tool_use_id": "x", "content": [deep]}
    odd = {"role": "user", "content": deep}
    with Memory.open(tmp_path, jobs="worker") as memory:
        for given in ([{"role": "user", "content": "Hello"}, {"role": "tool", "content": [deep]}], odd):
            with pytest.raises(InputError, match="give what it says as a text"):
                memory.append("s", given)
        assert not memory.sessions.exists("s")


@pytest.mark.parametrize(
    "given",
    [
        "text",
        5,
        {"role": "nobody", "content": "x"},
        {"content": "x"},
        [{"role": "user", "content": 5}],
        {"role": "user"},
        {"role": "assistant", "content": "x", "tool_calls": 5},
    ],
)
def test_what_is_no_message_is_refused_with_what_one_is(tmp_path, given):
    with Memory.open(tmp_path, jobs="worker") as memory:
        with pytest.raises(InputError, match="a message is"):
            memory.append("s", given)
        assert not memory.sessions.exists("s")


@pytest.mark.parametrize("content", ["", None, []])
def test_what_says_nothing_is_left_out(tmp_path, content):
    """Found in use: an empty message was stored; a model's empty answer should not fail the turn either."""
    with Memory.open(tmp_path, jobs="worker") as memory:
        assert memory.append("s", {"role": "assistant", "content": content}) == []
        assert not memory.sessions.exists("s")


def test_the_text_of_a_document_is_kept_and_is_nobodys_own_words(tmp_path):
    """Issue 17: it became `[document]`, and a refusal left no message."""
    plain = {"type": "text", "media_type": "text/plain", "data": "I live in Ulm. The hull is oak."}
    document = {"type": "document", "source": plain, "title": "Survey"}
    with Memory.open(tmp_path, jobs="worker") as memory:
        memory.append("s", {"role": "user", "content": [document, {"type": "text", "text": "Look at it."}], "id": "u"})
        memory.append("s", {"role": "assistant", "content": None, "refusal": "I cannot help with that."})
        memory.consolidate("s")
        assert [(m.message.role, m.message.trust, m.text) for m in memory.sessions.read("s")] == [
            ("user", "tool", "Survey\n\nI live in Ulm. The hull is oak."),
            ("user", "user", "[document]\n\nLook at it."),
            ("assistant", "agent", "I cannot help with that."),
        ]
        assert [hit.trust for hit in memory.recall("the hull is oak")] == ["tool"]
        assert "Ulm" not in memory.context().stable


@pytest.mark.parametrize(
    ("block", "text"),
    [
        ({"type": "document", "source": {"type": "content", "content": [{"type": "text", "text": "Oak."}]}}, "Oak."),
        ({"type": "search_result", "source": "a", "title": "Hull", "content": [{"type": "text", "text": "Oak."}]},
         "Hull\n\nOak."),
        ({"type": "web_fetch_result", "url": "a", "content": {
            "type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "Oak."}}}, "Oak."),
        ({"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBE"}},
         "[document]"),
        ({"type": "document", "source": {"type": "url", "url": "https://x.example/a.pdf"}}, "[document]"),
    ],
)  # fmt: skip
def test_a_result_has_the_text_of_what_was_found(tmp_path, block, text):
    with Memory.open(tmp_path, jobs="worker") as memory:
        result = {"type": "tool_result", "tool_use_id": "t", "content": [block]}
        memory.append("s", {"role": "user", "content": [result]})
        assert kept(memory) == [("tool", text, ())]


@pytest.mark.parametrize(
    ("role", "block", "said"),
    [
        ("user", {"type": "document", "source": {"type": "text", "data": "Oak."}, "title": 7},
         [("user", "Oak."), ("user", "[document]\n\nLook.")]),
        ("user", {"type": "document", "source": {"type": "text", "data": 7}},
         [("user", "7"), ("user", "[document]\n\nLook.")]),
        ("user", {"type": "document", "source": {"type": "content", "content": [7]}},
         [("user", "7"), ("user", "[document]\n\nLook.")]),
        ("user", {"type": ["document"], "content": "Oak."}, [("user", "[['document']]\n\nLook.")]),
        ("assistant", {"type": "compaction", "content": "We spoke."}, [("assistant", "[compaction]\n\nLook.")]),
    ],
)  # fmt: skip
def test_an_odd_block_does_not_lose_its_message(tmp_path, role, block, said):
    """Issue 17: a title that is no text raised a TypeError; a compaction of the assistant was read as a tool's."""
    with Memory.open(tmp_path, jobs="worker") as memory:
        memory.append("s", {"role": role, "content": [block, {"type": "text", "text": "Look."}]})
        assert [(m.message.role, m.text) for m in memory.sessions.read("s")] == said


@pytest.mark.parametrize(
    ("result", "text"),
    [
        ([{"type": "text", "text": "a"}, {"type": "text", "text": ""}, {"type": "text", "text": "b"}], "a\nb"),
        ([{"type": "code_execution_result", "stdout": "", "stderr": ""}, {"type": "text", "text": "b"}], "b"),
        (42, "42"),
        (False, "false"),
    ],
)
def test_a_result_of_a_tool_says_what_it_holds_and_nothing_else(tmp_path, result, text):
    """Review: an empty text was kept as `[text]`, and a number was lost without a word."""
    with Memory.open(tmp_path, jobs="worker") as memory:
        memory.append("s", {"type": "function_call_output", "call_id": "c", "output": result})
        assert kept(memory) == [("tool", text, ())]


@pytest.mark.parametrize("layout", ["native", "two-layer", "facts"])
@pytest.mark.parametrize("verb", ["reset", "end", "compact", "consolidate"])
def test_a_session_never_seen_is_left_alone_and_named(tmp_path, layout, verb):
    with Memory.open(tmp_path, layout=layout, jobs="worker") as memory:
        outcome = getattr(memory, verb)("telegram:1")
        assert outcome.status == "unchanged"
        assert "no session 'telegram:1'" in outcome.reason
        assert not memory.sessions.exists("telegram:1")


@pytest.mark.parametrize("layout", ["native", "two-layer", "facts"])
def test_a_label_with_a_value_of_two_words_is_replaced_by_another_value(tmp_path, layout):
    with Memory.open(tmp_path, layout=layout, jobs="worker") as memory:
        for text in ("City: New York", "Editor: Visual Studio Code", "Allergy: nuts", "Wohnort: Bad Homburg"):
            memory.remember(text)
        assert "New York" in memory.remember("City: Berlin").reason
        memory.remember("Allergy: penicillin")
        memory.remember("Wohnort: Kassel")
        text = memory.context().text
        assert [word for word in ("New York", "Bad Homburg") if word in text] == []
        kept = ("Berlin", "Visual Studio Code", "nuts", "penicillin", "Kassel")
        assert [word for word in kept if word not in text] == []
        assert not memory.review().list()


ONE_VALUE = [
    ("Team: Alpha", "Team: Beta"),
    ("Company: Acme", "company: Globex Ltd"),
    ("Stadt: Köln", "Stadt: Berlin"),
    ("Time zone: CET", "Time zone: EST"),
    ("Car: red Volvo", "Car: blue Tesla"),
    ("Firma: Siemens", "Firma: Bosch"),
    ("城市：上海", "城市：北京"),
    ("Diet: vegan", "Diet: vegetarian"),
    ("Package manager: npm", "Package manager: pnpm"),
    ("Marital status: single", "Marital status: married"),
    ("Ciudad: Madrid", "Ciudad: Sevilla"),
    ("勤務先：トヨタ", "勤務先：ソニー"),
]
MANY_VALUES = [
    ("Note: buy milk", "Note: call Ada"),
    ("TODO: fix the login", "TODO: write the guide"),
    ("Rule: no tabs", "Rule: two spaces"),
    ("Likes: tea", "Likes: jazz"),
    ("Allergy: nuts", "Allergy: penicillin"),
    ("Hobbies: chess", "Hobbies: sailing"),
    ("Monday: gym", "Monday: dentist"),
    ("Anna: likes jazz", "Anna: lives in Oslo"),
    ("Backend: Django and Postgres", "Backend: Redis cache"),
    ("Regel: keine Tabs", "Regel: zwei Leerzeichen"),
    ("备注：周五开会", "备注：周六爬山"),
    ("Team: Alpha", "Editor: Helix"),
]


@pytest.mark.parametrize("layout", slow_after(1, ["native", "two-layer", "facts"]))
@pytest.mark.parametrize(("pairs", "left"), [(ONE_VALUE, [False, True]), (MANY_VALUES, [True, True])])
def test_a_label_that_has_one_value_is_told_from_one_that_comes_many_times(tmp_path, layout, pairs, left):
    """Issue 17.7: whatever the label; 7 of 12 of them were there twice."""
    for number, pair in enumerate(pairs):
        with Memory.open(tmp_path / str(number), layout=layout, jobs="worker") as memory:
            for text in pair:
                memory.remember(text)
            shown = memory.context(tokens=4000).text
        assert [text in shown for text in pair] == left, pair


def test_without_a_label_only_the_facts_layout_compares(tmp_path):
    """What has no label is compared by jobs, not by a write: a wrong guess would cost a fact."""
    with Memory.open(tmp_path, jobs="worker") as memory:
        memory.remember("My daughter is called Mia")
        memory.remember("My daughter is called Lea")
        assert "Mia" in memory.context().text


def test_the_scopes_of_a_location_are_listed(tmp_path):
    for name in ("default", "user:42", "Team A"):
        with Memory.open(tmp_path, scope=name, jobs="worker") as memory:
            memory.remember(f"This is {name}.")
    with Memory.open(tmp_path, jobs="worker") as memory:
        assert memory.scopes() == ["default", "Team A", "user:42"]
        assert Memory.open(tmp_path / "nothing", read_only=True).scopes() == []


@pytest.mark.parametrize("jobs", slow_after(1, ["thread", "inline"]))
def test_a_script_that_is_used_up_fails_whoever_waits_for_the_jobs(tmp_path, jobs):
    """It is a fault of the test, not of a model, and a background job hides it from nobody."""
    memory = Memory.open(tmp_path, layout="two-layer", llm=ScriptedLLM([]), jobs=jobs)
    memory.append("s", [Message("user", f"I like number {n} best of all." * 80) for n in range(60)])
    with pytest.raises(AssertionError, match="the script holds 0 replies"), memory:
        memory.flush()


def test_a_record_is_meant_by_how_its_fingerprint_begins(tmp_path):
    """DESIGN 6: people see unique prefixes of ids."""
    with Memory.open(tmp_path, jobs="inline") as memory:
        noted = memory.remember("Ada lives in Oslo.").records[0]
        others = [memory.remember(f"Likes tea number {n}.").records[0] for n in range(3)]
        beginning = noted.rpartition("#")[2][:6]
        assert not any(other.rpartition("#")[2].startswith(beginning) for other in others)
        assert memory.why(beginning).record == noted
        assert memory.update(beginning, "Ada lives in Bergen.").status == "applied"
        with pytest.raises(RecordNotFoundError, match="no record holds"):
            memory.why("00000000")
