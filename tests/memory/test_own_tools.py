"""The facts layout stays useful: what the agent reads in the person's own workspace (issue 16)."""

from __future__ import annotations

from commonplace import Memory, Message

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
