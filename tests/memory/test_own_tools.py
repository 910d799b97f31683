"""The facts layout stays useful: what the agent reads in the person's own workspace (issue 16)."""

from __future__ import annotations

import pytest

from commonplace import Memory, Message
from commonplace.errors import InputError

READ = [
    ("env", "os-release", 'NAME="Ubuntu"\nVERSION="22.04.4 LTS (Jammy Jellyfish)"', "OS: Ubuntu 22.04"),
    ("env", "pyproject.toml", '[project]\nname = "tidewheel"\nrequires-python = ">=3.11"', "tidewheel requires Python 3.11"),
    ("env", "package.json", '{"packageManager": "pnpm@9.1.0"}', "Package manager: pnpm 9.1.0"),
    ("env", "Makefile", "test:\n\tpytest -q -x tests\nlint:\n\truff check .", "Tests run with pytest -q -x tests"),
    ("env", "docker-compose.yml", "services:\n  db:\n    image: postgres:15\n    ports: ['5433:5432']", "Postgres 15 listens on port 5433"),
    ("env", ".python-version", "3.11.7", "Python version is 3.11.7"),
    ("env", ".editorconfig", "indent_style = tab\nmax_line_length = 100", "Indent style is tab, lines up to 100 columns"),
    ("env", "git config", "user.name=Maja Lindqvist\npull.rebase=true", "Git pulls with rebase"),
    ("env", "go.mod", "module harbour.example/quay\ngo 1.22", "The module quay uses Go 1.22"),
    ("env", "README.md", "# Gristle\nA parser for tide tables. Licensed under MIT.", "Gristle is a parser for tide tables under MIT"),
    ("env", "ci.yml", "on: push\njobs:\n  build:\n    runs-on: ubuntu-latest\n    timeout-minutes: 12", "CI builds time out after 12 minutes"),
    ("env", "Cargo.toml", '[package]\nname = "windlass"\nedition = "2021"', "windlass uses the Rust edition 2021"),
    ("env", "nginx.conf", "server { listen 8080; proxy_pass http://127.0.0.1:3000; }", "nginx listens on 8080 before port 3000"),
    ("env", "tsconfig.json", '{"compilerOptions": {"strict": true, "target": "ES2022"}}', "TypeScript is strict and targets ES2022"),
    ("env", "crontab", "15 3 * * * /usr/local/bin/backup --to nas", "A backup to the nas runs at 3:15"),
    ("env", "hosts", "192.168.1.20 printer\n192.168.1.30 nas", "The nas is at 192.168.1.30"),
    ("user", "CV.md", "Maja Lindqvist, nurse, Oslo. Speaks Norwegian and Spanish.", "Maja speaks Norwegian and Spanish"),
    ("user", "calendar.ics", "SUMMARY:Dentist Dr Berg\nDTSTART:20261204T093000", "Dentist Dr Berg on 4 December 2026"),
    ("user", "contacts.csv", "name,phone\nOle Moen,5550137", "Ole Moen has the phone number 5550137"),
    ("env", "terraform.tf", 'region = "eu-north-1"\ninstance_type = "t3.small"', "Instances are t3.small in eu-north-1"),
]  # fmt: skip


def remembered(folder, layout, own):
    answers = []
    with Memory.open(folder, layout=layout, jobs="inline", config={"guard.own_tools": own}) as memory:
        for number, (target, file, text, fact) in enumerate(READ):
            session = f"chat:{number}"
            memory.append(
                session,
                [
                    Message("user", "Please have a look at my files and remember what matters."),
                    Message("assistant", "I look.", tools=("read_file",)),
                    Message("tool", f"{file}\n{text}", tools=("read_file",)),
                ],
            )
            asked = {"action": "add", "target": target, "content": fact}
            answers.append(memory.tool(session).call(asked))
        shown = memory.context("chat:new", tokens=8000).stable
        found = {fact: memory.recall(fact, k=5) for *_, fact in READ}
        waiting = len(memory.review())
    return answers, shown, found, waiting


def test_facts_read_by_the_hosts_own_tool_are_shown(tmp_path):
    """Issue 16: with own tools named, 20 ordinary facts read from files are all shown."""
    answers, shown, _, waiting = remembered(tmp_path, "facts", ("read_file",))
    assert [answer["success"] for answer in answers] == [True] * 20
    assert [fact for *_, fact in READ if fact not in shown] == []
    assert waiting == 0


def test_facts_read_by_a_tool_nobody_named_are_stored_marked_and_found(tmp_path):
    """Issue 16: with none named they are stored, found, marked, and the answer says how a person shows them always."""
    answers, shown, found, waiting = remembered(tmp_path, "facts", ())
    assert [answer["success"] for answer in answers] == [True] * 20
    assert waiting == 0
    low = 0
    for (*_, fact), answer in zip(READ, answers, strict=True):
        hits = [hit for hit in found[fact] if hit.layer != "sessions" and fact in hit.text]
        assert hits, fact
        if all(hit.trust == "web" for hit in hits):
            low += 1
            assert fact not in shown
            assert "commonplace remember" in answer["message"]
        else:  # it shares no two distinctive words with what was read
            assert fact in shown
    assert low >= 16


LONG = "toolu_01Zq8VkT4mNw2RxB7cYd9LpE"  # as a provider makes them; it looks like a secret
TWO_CALLS = {
    "anthropic": [
        {
            "role": "assistant",
            "content": [
                {"type": "tool_use", "id": LONG, "name": "Read", "input": {"path": "app.toml"}},
                {"type": "tool_use", "id": "t2", "name": "Fetch", "input": {"url": "https://page.example"}},
            ],
        },
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t2", "content": "a page"}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": LONG, "content": "port = 7431"}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t9", "content": "nobody called it"}]},
    ],
    "openai": [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": LONG, "type": "function", "function": {"name": "Read", "arguments": "{}"}},
                {"id": "t2", "type": "function", "function": {"name": "Fetch", "arguments": "{}"}},
            ],
        },
        {"role": "tool", "tool_call_id": "t2", "content": "a page"},
        {"role": "tool", "tool_call_id": LONG, "content": "port = 7431"},
        {"role": "tool", "tool_call_id": "t9", "content": "nobody called it"},
    ],
    "responses": [
        {"type": "reasoning", "id": "r1", "summary": []},
        {"type": "function_call", "id": "f1", "call_id": LONG, "name": "Read", "arguments": "{}"},
        {"type": "function_call", "id": "f2", "call_id": "t2", "name": "Fetch", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "t2", "output": "a page"},
        {"type": "function_call_output", "call_id": LONG, "output": [{"type": "input_text", "text": "port = 7431"}]},
        {"type": "function_call_output", "call_id": "t9", "output": "nobody called it"},
    ],
}


@pytest.mark.parametrize("form", TWO_CALLS)
def test_a_result_appended_alone_finds_the_tool_in_the_message_that_called_it(tmp_path, form):
    """Issue 17.7: an SDK's result names only the id of its call; each message comes in an append of its own."""
    for message in TWO_CALLS[form]:
        with Memory.open(tmp_path, jobs="worker", config={"guard.own_tools": ("Read",)}) as memory:
            memory.append("cli:1", message)
            results = [each for each in memory.sessions.read("cli:1") if each.message.role == "tool"]
    assert [(each.text, each.message.tools, each.message.trust) for each in results] == [
        ("a page", ("Fetch",), "web"),
        ("port = 7431", ("Read",), "agent"),
        ("nobody called it", (), "web"),
    ]
    assert LONG not in next((tmp_path / "sessions").iterdir()).read_text(encoding="utf-8")


@pytest.mark.parametrize("item", [{"type": "function_call_output", "call_id": "c"}, {"type": "surprise"}, {}])
def test_an_item_that_says_nothing_is_no_message(tmp_path, item):
    with Memory.open(tmp_path, jobs="worker") as memory, pytest.raises(InputError, match="Responses"):
        memory.append("cli:1", item)


def test_a_call_id_used_again_names_the_later_tool(tmp_path):
    """Some servers number the calls of each turn from 1."""
    with Memory.open(tmp_path, jobs="worker", config={"guard.own_tools": ("Read",)}) as memory:
        for tool in ("Read", "Fetch"):
            called = {"id": "call_1", "type": "function", "function": {"name": tool, "arguments": "{}"}}
            memory.append("cli:1", {"role": "assistant", "content": None, "tool_calls": [called]})
            memory.append("cli:1", {"role": "tool", "tool_call_id": "call_1", "content": f"from {tool}"})
        results = [each for each in memory.sessions.read("cli:1") if each.message.role == "tool"]
    assert [each.message.trust for each in results] == ["agent", "web"]
