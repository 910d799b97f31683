"""Every known format goes in as messages (issue 2, import)."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime

import pytest
from import_samples import ANTHROPIC, CLAUDE, EXCHANGE, OPENAI, PI, RESPONSES, Import, lines, spoken, written

from commonplace.errors import InputError
from commonplace.surfaces import importers


def test_claude_code_lines_become_messages_with_tools_named(tmp_path):
    """Issue 2: Claude Code JSONL."""
    result = Import(written(tmp_path, lines(*CLAUDE)))
    assert result.spoken == [
        ("user", "please look at the failing build"),
        ("assistant", "I will run it.\n\n[Bash] command: make all\ntimeout: 5"),
        ("tool", "ld: missing -lz"),
        ("assistant", "The linker misses zlib."),
    ]
    assert [m.tools for m in result.messages] == [(), ("Bash",), ("Bash",), ()]
    assert [m.id for m in result.messages] == ["u1", "a1", "u2", "a2"]
    assert result.messages[0].at == datetime(2026, 10, 1, 8, 0, 1, tzinfo=UTC)
    assert result.sessions == ["s-1"]
    assert (result.problems, result.skipped) == ([], [])


def test_claude_code_document_with_loglines_goes_in_whole(tmp_path):
    """Issue 2: the single-document variant; a damaged entry costs itself."""
    document = {"loglines": [*CLAUDE, 7, {"type": "mystery"}, spoken("user", "and now?")]}
    result = Import(written(tmp_path, json.dumps(document, indent=2).encode(), "session.json"))
    assert len(result.messages) == 5
    assert result.messages[-1].id
    assert [p.reason for p in result.problems] == [
        "entry 5 of loglines: a value has the wrong type: Expected `object`, got `int`",
        "entry 6 of loglines: unknown type 'mystery'",
    ]


def test_meta_lines_and_compaction_summaries_are_not_the_users_words(tmp_path):
    """DESIGN 1.6: trust is computed; a harness line must not count as the user."""
    result = Import(
        written(
            tmp_path,
            lines(
                spoken("user", "summary of what came before", "u1", isCompactSummary=True),
                spoken("user", [{"type": "text", "text": "skill text"}], "u2", isMeta=True),
                {"type": "summary", "summary": "Build repair", "leafUuid": "a2"},
                {"type": "system", "subtype": "info", "content": "Compacted", "uuid": "y1", "sessionId": "s-1"},
                spoken("assistant", [{"type": "text", "text": "API Error: 529"}], "u3", isApiErrorMessage=True),
            ),
        )
    )
    assert [m.role for m in result.messages] == ["system"] * 5
    assert result.problems == []


def test_a_sub_agents_lines_go_to_a_session_of_their_own(tmp_path):
    """A prompt an agent wrote for its sub-agent stands under role user and is not the user's."""
    side = spoken("user", "search all files for zlib", "u9", isSidechain=True, agentId="ag7")
    result = Import(written(tmp_path, lines(*CLAUDE, side)))
    assert result.sessions == ["s-1", "s-1/ag7"]
    assert result.batches[-1].messages[0].role == "system"


def test_pi_lines_become_messages_with_ids_made_from_their_content(tmp_path):
    """Issue 2: pi JSONL."""
    path = written(tmp_path, lines(*PI))
    result = Import(path)
    assert result.spoken == [
        ("user", "list the folder"),
        ("assistant", "[bash] command: ls"),
        ("tool", "a.txt"),
        ("system", "they listed a folder"),
        ("tool", "$ pwd\n/home/user"),
    ]
    assert [m.tools for m in result.messages] == [(), ("bash",), ("bash",), (), ("bash",)]
    assert result.sessions == ["pi-1"]
    assert [s.reason for s in result.skipped] == ["session", "thinking_level_change"]
    assert len(set(result.ids)) == 5
    assert Import(path).batches == result.batches


def test_pi_lines_with_ids_keep_them(tmp_path):
    """Newer pi versions name each line."""
    result = Import(written(tmp_path, lines(PI[0], {**PI[1], "id": "ab12", "parentId": None})))
    assert [m.id for m in result.messages] == ["ab12"]


def test_equal_messages_without_ids_all_stay_and_a_second_import_names_them_alike(tmp_path):
    """Issue 2: importing twice changes nothing; nothing is taken for a copy by mistake."""
    bare = {"role": "user", "content": "yes"}
    short = Import(written(tmp_path, lines(*[bare] * 5)))
    grown = Import(written(tmp_path, lines(*[bare] * 5, {"role": "assistant", "content": "ok"}, bare)))
    assert len(set(grown.ids)) == 7
    assert grown.ids[:5] == short.ids


@pytest.mark.parametrize("shape", ["array", "pretty", "object", "jsonl", "conversations"])
def test_openai_chat_messages_go_in_in_every_shape(tmp_path, shape):
    """Issue 2: OpenAI message lists, JSON or JSONL."""
    data = {
        "array": json.dumps(OPENAI).encode(),
        "pretty": json.dumps(OPENAI, indent=1).encode(),
        "object": json.dumps({"messages": OPENAI}, indent=1).encode(),
        "jsonl": lines(*OPENAI),
        "conversations": lines({"messages": OPENAI}),
    }[shape]
    result = Import(written(tmp_path, data, "turin.json"))
    assert result.spoken == [
        ("system", "You are brief."),
        ("user", "weather in Turin?\n\n[image]"),
        ("assistant", "[web_search] q: Turin weather"),
        ("tool", "12 degrees, rain"),
        ("assistant", "Rain at 12 degrees."),
    ]
    assert result.messages[3].tools == ("web_search",)
    assert result.sessions == ["turin"]
    assert result.problems == []


def test_conversations_of_one_file_get_a_session_each(tmp_path):
    """One conversation a line; the line number names what has no name."""
    talk = {"messages": [{"role": "user", "content": "hello"}]}
    result = Import(written(tmp_path, lines(talk, talk, {**talk, "conversation_id": "own"})))
    assert result.sessions == ["chat", "chat/2", "own"]


def test_responses_items_go_in_with_calls_and_outputs(tmp_path):
    """Issue 2: input_text, output_text, function_call, function_call_output."""
    result = Import(written(tmp_path, json.dumps(RESPONSES).encode()))
    assert result.spoken == [
        ("user", "open the ticket"),
        ("assistant", "[ticket] title: leak"),
        ("tool", "ticket 12"),
        ("assistant", "Opened as 12."),
    ]
    assert [m.tools for m in result.messages] == [(), ("ticket",), ("ticket",), ()]
    assert [s.reason for s in result.skipped] == ["reasoning"]


def test_a_logged_response_goes_in_with_what_was_asked(tmp_path):
    """`input` may be one text, `output` is a list of items."""
    document = {
        "id": "resp_1",
        "object": "response",
        "created_at": 1790000000,
        "input": "ping",
        "output": RESPONSES[4:],
    }
    result = Import(written(tmp_path, json.dumps(document).encode()))
    assert result.spoken == [("user", "ping"), ("assistant", "Opened as 12.")]
    assert result.sessions == ["resp_1"]


@pytest.mark.parametrize("name", ["at", "timestamp", "created_at", "created", "time"])
def test_a_message_says_when_it_was_said_under_any_of_these_names(tmp_path, name):
    """Issue 17: dates in it are read from then; `at` is our own name for it."""
    said = [{"role": "user", "content": "ciao", name: "2026-11-16T08:12:00+00:00"}]
    result = Import(written(tmp_path, json.dumps(said).encode()))
    assert [message.at for message in result.messages] == [datetime(2026, 11, 16, 8, 12, tzinfo=UTC)]


def test_anthropic_messages_go_in_with_system_and_blocks(tmp_path):
    """Issue 2: Anthropic message lists; words after a result stay the user's."""
    result = Import(written(tmp_path, json.dumps(ANTHROPIC).encode()))
    assert result.spoken == [
        ("system", "Answer in Italian."),
        ("user", "ciao"),
        ("assistant", "guardo\n\n[read_file] path: a.md"),
        ("tool", "# Title"),
        ("user", "grazie"),
    ]
    assert result.messages[3].tools == ("read_file",)


def test_a_web_search_inside_an_assistant_message_stands_before_what_was_said_from_it(tmp_path):
    """DESIGN 1.6: a reply after web text is `web`, so the result must come first."""
    content = [
        {"type": "server_tool_use", "id": "w1", "name": "web_search", "input": {"query": "fare"}},
        {"type": "web_search_tool_result", "tool_use_id": "w1",
         "content": [{"type": "web_search_result", "title": "Fares", "url": "https://fares.example"}]},
        {"type": "text", "text": "It costs 12."},
    ]  # fmt: skip
    result = Import(written(tmp_path, json.dumps([{"role": "assistant", "content": content}]).encode()))
    assert result.spoken[1:] == [("tool", "Fares\n\nhttps://fares.example"), ("assistant", "It costs 12.")]
    assert result.messages[1].tools == ("web_search",)


def test_a_result_of_an_unknown_tool_is_trusted_least(tmp_path):
    """DESIGN 1.6: no tool owns it, so a memory ranks it `web`; its call may have been a damaged line."""
    result = Import(written(tmp_path, lines(CLAUDE[0], CLAUDE[2])))
    assert (result.messages[1].tools, result.messages[1].trust) == ((), None)


def test_exchange_lines_go_in_and_questions_are_skipped(tmp_path):
    """Issue 2: the plain JSONL of the measurements is the exchange format."""
    result = Import(written(tmp_path, lines(*EXCHANGE)))
    assert result.spoken == [("user", "I take the early train"), ("assistant", "Noted.")]
    assert result.ids == [("c/one", "m1"), ("c/one", "m2")]
    assert result.messages[0].name == "Ines"
    assert [(s.line, s.reason) for s in result.skipped] == [(3, "question")]
    assert result.problems == []


def test_an_exchange_line_cannot_claim_more_trust_than_its_role(tmp_path):
    """DESIGN 1.6: trust is computed, never claimed."""
    low = {**EXCHANGE[0], "trust": "web"}
    high = {**EXCHANGE[0], "id": "m3", "role": "tool", "trust": "user"}
    result = Import(written(tmp_path, lines(low, high)))
    assert [m.trust for m in result.messages] == ["web", None]
    assert [(p.line, p.kept) for p in result.problems] == [(2, True)]


def test_a_gzip_file_and_an_open_stream_read_like_the_file(tmp_path):
    """Issue 2: gz transparently; the name does not matter."""
    plain = Import(written(tmp_path, lines(*CLAUDE))).batches
    assert Import(written(tmp_path, lines(*CLAUDE), "chat.jsonl.gz")).batches == plain
    renamed = written(tmp_path, lines(*CLAUDE), "x.gz").rename(tmp_path / "notes.txt")
    assert Import(renamed).batches == plain
    stream = io.BytesIO(lines(*CLAUDE))
    assert list(importers.read(stream, on_problem=print)) == plain


def test_a_file_that_names_no_session_is_its_own(tmp_path):
    """The stem without .gz names the session."""
    bare = [{k: v for k, v in entry.items() if k != "sessionId"} for entry in CLAUDE]
    assert Import(written(tmp_path, lines(*bare), "monday.jsonl.gz")).sessions == ["monday"]


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("claude-code", CLAUDE),
        ("pi", PI),
        ("messages", OPENAI),
        ("messages", RESPONSES),
        ("messages", [ANTHROPIC]),
        ("exchange", EXCHANGE),
    ],
)
def test_the_format_is_found_from_the_content_alone(tmp_path, kind, values):
    """Issue 2: never from the name."""
    found = Import(written(tmp_path, lines(*values), "x.bin"))
    assert found.batches == Import(written(tmp_path, lines(*values), "x.bin"), format=kind).batches
    assert found.problems == []


def test_openai_and_anthropic_are_names_for_message_lists(tmp_path):
    """The words people know select the right reader; others are refused by name."""
    path = written(tmp_path, lines(*OPENAI))
    assert Import(path, format="openai").batches == Import(path, format="anthropic").batches
    with pytest.raises(InputError, match="no known format; known are claude-code, pi, messages, exchange"):
        Import(path, format="chatgpt")


def test_a_line_without_words_is_counted_as_skipped(tmp_path):
    """Nothing vanishes: each line is a message, a problem or skipped."""
    empty = spoken("assistant", [{"type": "thinking", "thinking": "only"}], "a7")
    blank = spoken("user", "   ", "u7")
    result = Import(written(tmp_path, lines(CLAUDE[0], empty, blank, {"type": "progress", "sessionId": "s-1"})))
    assert [(s.line, s.reason) for s in result.skipped] == [
        (2, "a message without text"),
        (3, "a message without text"),
        (4, "progress"),
    ]
    assert result.problems == []


def test_a_block_that_says_nothing_is_named_and_the_rest_of_the_message_kept(tmp_path):
    """Review: a text block without a text was called a block of an unknown type."""
    content = [{"type": "text"}, {"type": "hologram"}, 7, {"type": "text", "text": "Hello."}]
    result = Import(written(tmp_path, lines(spoken("user", content, "u1"))))
    assert [m.content for m in result.messages] == ["Hello."]
    assert [(p.reason, p.kept) for p in result.problems] == [
        (f"a content block that cannot be read, {what!r}, was left out", True) for what in ("text", "hologram", "block")
    ]


def test_a_message_without_a_time_takes_that_of_the_one_before(tmp_path):
    """A title at the end of a transcript belongs to its time, not to the day of the import."""
    undated = {"type": "summary", "summary": "Build repair", "leafUuid": "a2"}
    broken = {**spoken("user", "when?", "u5"), "timestamp": "yesterday"}
    result = Import(written(tmp_path, lines(*CLAUDE, undated, broken)))
    assert [m.at for m in result.messages[-2:]] == [result.messages[3].at] * 2
    assert [(p.line, p.kept) for p in result.problems] == [(6, True)]


def test_a_title_before_the_first_message_takes_its_time(tmp_path):
    """The summary line that begins a transcript is no message of the day of the import."""
    title = {"type": "summary", "summary": "Build repair", "leafUuid": "a2"}
    result = Import(written(tmp_path, lines(title, *CLAUDE)))
    assert result.messages[0].content == "Build repair"
    assert result.messages[0].at == result.messages[1].at is not None


def test_long_arguments_of_a_call_are_cut(tmp_path):
    """A written file stands in the call; the transcript keeps its head only."""
    call = [{"type": "tool_use", "id": "t", "name": "Write", "input": {"content": "x" * 50_000}}]
    result = Import(written(tmp_path, lines(spoken("assistant", call, "a1"))))
    assert len(result.messages[0].content) == 2000


def test_sessions_that_alternate_still_come_in_large_batches(tmp_path):
    """One append a batch: two sessions line by line must not cost a sync a line."""
    talk = [{**EXCHANGE[0], "id": f"m{n}", "session": f"s{n % 2}"} for n in range(400)]
    result = Import(written(tmp_path, lines(*talk)))
    assert [len(batch.messages) for batch in result.batches] == [200, 200]


def test_foreign_ids_the_store_would_refuse_are_replaced_alike_each_time(tmp_path):
    """One bad id must not refuse a whole batch."""
    bad = [
        {**EXCHANGE[0], "id": value}
        for value in ("sk-" + "demo1234567890abcdefDEMO", "", "a\nb", "x" * 5000, "m\u202e1")
    ]
    weird = {**EXCHANGE[0], "conversation": None, "session": "a\x1b[31m" + "y" * 3000}
    path = written(tmp_path, lines(*bad, weird))
    result = Import(path)
    assert len(set(result.ids)) == 6
    assert all(message.id.isascii() and len(message.id) <= 200 for message in result.messages)
    assert all(len(session) <= 400 and session.isprintable() for session in result.sessions)
    assert Import(path).ids == result.ids
