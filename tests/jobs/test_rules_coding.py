"""What people say to coding agents: short orders, requirements, what is used here."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from commonplace import Message
from commonplace.jobs.rules.proposing import extract
from commonplace.records import RecordedMessage
from marking import in_one_test

AT = datetime(2026, 3, 1, 9, tzinfo=UTC)


def heard(*said: str) -> list[tuple[str, str]]:
    """Return kind and text of what the rules find in a talk of a coder and an agent with a shell."""
    talk = [Message("user", text, id=f"m{n}", at=AT) for n, text in enumerate(said)]
    talk.append(Message("tool", "done", id="t", at=AT, tools=("bash",)))
    recorded = [RecordedMessage(str(m.id), "p", "s", n, m, 0) for n, m in enumerate(talk)]
    return [(memo.kind, memo.text) for memo in extract(recorded, zone=UTC)]


@in_one_test(
    ("said", "kind", "text"),
    [
        ("no console logs", "instruction", "No console logs."),
        ("please no default exports", "instruction", "No default exports."),
        ("use rgb, no indices", "instruction", "Use rgb, no indices."),
        ("prefer composition over inheritance", "instruction", "Prefer composition over inheritance."),
        ("i would only want e2e tests", "preference", "User would only want e2e tests."),
        ("it must stop at a newline", "constraint", "It must stop at a newline."),
        ("the parser must never throw", "constraint", "The parser must never throw."),
        ("never touch vendor/", "instruction", "Never touch vendor."),
        ("don't touch the vendor folder", "instruction", "Don't touch the vendor folder."),
        ("don't use any types", "instruction", "Don't use any types."),
        ("we use pnpm here", "constraint", "We use pnpm here."),
        ("we run tests with vitest", "constraint", "We run tests with vitest."),
        ("tests go in tests/, not next to the code", "constraint", "Tests go in tests/, not next to the code."),
        ("The server runs Ubuntu 24.04", "fact", "The server runs Ubuntu 24.04."),
        ("prod runs on Postgres 16", "fact", "Prod runs on Postgres 16."),
        ("our CI uses GitHub Actions", "fact", "Our CI uses GitHub Actions."),
        ("omg use rgb, no damn indices!", "instruction", "Use rgb, no indices."),
        ("ok, never push straight to main", "instruction", "Never push straight to main."),
        ("stop adding emojis to commit messages", "instruction", "Stop adding emojis to commit messages."),
        ("don't ask me before running tests", "instruction", "Don't ask me before running tests."),
        ("you must not edit the changelog by hand", "instruction", "You must not edit the changelog by hand."),
        ("use single quotes for strings", "instruction", "Use single quotes for strings."),
        (
            "make sure every public function has a docstring",
            "constraint",
            "Make sure every public function has a docstring.",
        ),
        ("don't use lodash", "instruction", "Don't use lodash."),
        ("commit messages should start with a verb", "constraint", "Commit messages should start with a verb."),
        ("this repo targets node 20", "constraint", "This repo targets node 20."),
        ("we only support node 20 and up", "constraint", "We only support node 20 and up."),
        ("all config lives in config.toml", "constraint", "All config lives in config.toml."),
        ("line length is 100", "constraint", "Line length is 100."),
        ("the main branch is called trunk", "constraint", "The main branch is called trunk."),
        ("let's stick with sqlite", "decision", "Let's stick with sqlite."),
        ("we're on react 19", "fact", "We're on react 19."),
        ("My birthday is on 3 March", "fact", "User's birthday is on 3 March."),
        ("My wife's birthday is June 12", "fact", "User's wife's birthday is June 12."),
        ("we use pnpm, never npm", "constraint", "We use pnpm, never npm."),
        ("In this repo we use pnpm, not npm.", "constraint", "In this repo we use pnpm, not npm."),
        ("Please keep your answers short.", "instruction", "Keep your answers short."),
        ("and pls no console logs, thx", "instruction", "No console logs."),
        ("use pnpm not npm in this repo, always", "instruction", "Use pnpm not npm in this repo, always."),
        ("please use ruff in this repo btw", "instruction", "Use ruff in this repo."),
        ("the cache is redis not memcached", "fact", "The cache is redis not memcached."),
        ("ask me before you rename files", "instruction", "Ask me before you rename files."),
        ("we only merge on green builds", "constraint", "We only merge on green builds."),
        ("we keep functions below 40 lines here", "constraint", "We keep functions below 40 lines here."),
        ("every endpoint gets a rate limit", "constraint", "Every endpoint gets a rate limit."),
        ("the v1/ folder is deprecated", "constraint", "The v1/ folder is deprecated."),
        ("proto/gen.go is generated by buf", "constraint", "Proto/gen.go is generated by buf."),
        ("dates are unix seconds everywhere", "constraint", "Dates are unix seconds everywhere."),
        ("ids are always uuids", "constraint", "Ids are always uuids."),
        ("only edit files i mention", "instruction", "Only edit files i mention."),
        ("the package is kestrl-core", "fact", "The package is kestrl-core."),
        ("the rate limit is 40 req/min per tenant", "constraint", "The rate limit is 40 req/min per tenant."),
        ("staging is at stage.example.net:8443", "fact", "Staging is at stage.example.net:8443."),
        ("yusuf reviews everything under auth/", "fact", "Yusuf reviews everything under auth."),
        ("commit messages in imperative", "constraint", "Commit messages in imperative."),
        ("timestamps in utc, no local times", "constraint", "Timestamps in utc, no local times."),
        (
            "python 3.9 support is dropped as of this release",
            "constraint",
            "Python 3.9 support is dropped as of this release.",
        ),
        ("to run the tests you need `make up` first", "fact", "To run the tests you need `make up` first."),
        ("i'm on windows, no wsl", "fact", "User is on windows, no wsl."),
        ("i want conventional commits", "preference", "I want conventional commits."),
        ("stop asking before every read-only command", "instruction", "Stop asking before every read-only command."),
        ("my fork is the remote called `mine`", "fact", "User's fork is the remote called `mine`."),
        ("answer in german pls", "instruction", "Answer in german."),
        ("stop using the word delve", "instruction", "Stop using the word delve."),
        ("prices are integer pennies, never floats", "constraint", "Prices are integer pennies, never floats."),
        ("rebase before merging, always", "instruction", "Rebase before merging, always."),
        ("we moved off yarn, pnpm does it all", "decision", "We moved off yarn, pnpm does it all."),
        ("dont use lodash, it is huge", "instruction", "Dont use lodash, it is huge."),
        (
            "ids are always uuids, the api rejects numbers",
            "constraint",
            "Ids are always uuids, the api rejects numbers.",
        ),
        ("the frontend talks to the backend over grpc-web", "fact", "The frontend talks to the backend over grpc-web."),
        ("prod deploys need approval from Sara", "constraint", "Prod deploys need approval from Sara."),
        ("we deploy every tuesday at 14:00", "constraint", "We deploy every tuesday at 14:00."),
        ("run `make lint` before every commit", "instruction", "Run `make lint` before every commit."),
        ("I only review PRs under 400 lines", "constraint", "I only review PRs under 400 lines."),
        ("bitte keine neuen Pakete ohne Rückfrage", "instruction", "bitte keine neuen Pakete ohne Rückfrage"),
        ("no uses any en typescript", "instruction", "no uses any en typescript"),
        ("提交之前先跑一遍单元测试", "instruction", "提交之前先跑一遍单元测试"),
        ("don't push to main", "instruction", "Don't push to main."),
        ("keep functions under 40 lines", "instruction", "Keep functions under 40 lines."),
        ("sort imports alphabetically", "instruction", "Sort imports alphabetically."),
        ("only use named exports in components", "instruction", "Only use named exports in components."),
        ("before you open a pr, rebase on main", "instruction", "Before you open a pr, rebase on main."),
        ("we don't mock the database in this project", "constraint", "We don't mock the database in this project."),
        ("migrations are named by date", "constraint", "Migrations are named by date."),
        ("in this container pip has no network", "fact", "In this container pip has no network."),
        ("My goal is to reduce the bundle to 200 kB.", "fact", "User's goal is to reduce the bundle to 200 kB."),
        ("Use pnpm.", "constraint", "Use pnpm."),
        ("We use SQLite 3, Valkey and Kafka.", "constraint", "We use SQLite 3, Valkey and Kafka."),
        ("We release on Thursdays.", "constraint", "We release on Thursdays."),
        ("Run the specs with make check.", "instruction", "Run the specs with make check."),
        ("Check with me before renaming columns.", "instruction", "Check with me before renaming columns."),
        ("Leave the generated clients alone.", "instruction", "Leave the generated clients alone."),
        ("Only deploy after I said so.", "instruction", "Only deploy after I said so."),
        (
            "The worker runs on port 7070 and the panel on 7071.",
            "fact",
            "The worker runs on port 7070 and the panel on 7071.",
        ),
        ("All dates in this repo are ISO.", "constraint", "All dates in this repo are ISO."),
        ("Fass die Migrationen bitte nie an", "instruction", "Fass die Migrationen bitte nie an"),
        ("On ne touche jamais aux migrations", "instruction", "On ne touche jamais aux migrations"),
        ("不要改配置文件", "instruction", "不要改配置文件"),
    ],
)
def test_what_coders_say_is_taken(said: str, kind: str, text: str) -> None:
    """Issue 17.5: short orders and requirements stand for later sessions too."""
    assert heard(said) == [(kind, text)]


@in_one_test(
    "said",
    [
        "no, that's horrible", "no worries", "no idea", "no errors anymore", "no failing tests", "it must be the cache",
        "it must have crashed", "don't commit yet", "don't touch it", "can we use pnpm here?", "we use this in two places",
        "the server is running fine", "don't push to main yet", "stop adding logs to it", "let's use the other one",
        "let's go with option 2", "let's use that", "make sure all tests pass", "make sure every test is green",
        "the main branch is broken", "the staging server is down", "we are on line 40", "i want all tests to pass",
        "i want all files moved to src", "you must be kidding", "this repo is a mess", "this project needs a rewrite",
        "tests should be green", "coverage is too low", "our plan goes into the bin", "no need to explain that", "if it must stop, tell me", "this plan must be written down",
        "its failing, not hanging", "the response is empty, not null", "prod is down, not staging", "its 3 files, not 4",
        "the error is a 404, not a 500", "run it before you push", "we only changed the css", "we always end up here",
        "we always end up with a stale lock file", "every request gets a 500", "every second run needs a restart",
        "the file is generated twice", "the api is dead since this morning", "the log is written everywhere",
        "the count is always zero", "tests are always flaky", "the build is always slow in this project",
        "the test fails, always", "i ran it twice, always green", "push the branch, only this one", "two tests, only unit tests",
        "we dropped the table by accident", "look at the logs, not the metrics", "check the config, always the config",
        "no logs, just a blank screen", "no types, no tests, nothing", "we run out of memory, see log",
        "the error is in parser.go:88", "the failing test is test_login", "the branch is feature/foo", "the output is foo-bar",
        "the id is 12345-abc", "the title is Foo", "dates are in the wrong format", "logs are in the terminal",
        "tests are in progress", "prs are as expected", "the cpu is at 80%", "memory is at 3.2gb and rising",
        "the script needs to run again", "the server is deployed to the wrong host again", "run it before you commit",
        "stop running the server", "i want tests for this function", "someone reviews the code i guess",
        "only commit what you changed in the first step", "answer in one sentence: what does this do",
        "tests take forever", "tests run but two of them fail", "migrations are missing", "endpoints return 500",
        "errors are shown in the console", "imports are unused in this file", "logs go to stdout when I run it",
        "types are exported from the index but not found", "requests come in but nothing happens",
        "put the tests in a new file", "write tests for the parser", "write tests in the same style",
        "keep functions as they are", "move the tests to tests/unit", "only run the first test",
        "only run tests in auth.py", "only import what you need", "don't use the old function",
        "don't rename the variables", "don't commit these changes", "don't add tests for this",
        "don't make changes yet", "we deploy to staging in an hour", "we run into a timeout here",
        "we log in as admin", "we do that later", "we test on monday", "we merge to main and then look",
        "when you run the tests, look at the output", "when you click save, the page reloads",
        "after you fixed it, run the tests", "before you start, read the issue", "ask me before deleting the file",
        "on this machine the tests fail", "on my laptop it works", "in this environment we get an error",
        "I'm using Redis and get a connection error", "I'm working on the linter",
        "I'm working with Docker and it crashes", "I'm running pytest", "the build takes 20 minutes since yesterday",
        "stores are empty", "I don't want comments on this one", "I want tests", "names are in the second column",
        "dates come back as strings", "state is lost after a reload", "auth happens in middleware.ts",
        "jobs run twice", "secrets are in the repo!", "requests go through the proxy and time out",
        "we have a lot of tests here", "we store the token in localStorage", "we catch the error here",
        "we call it from here", "use npm to install the parser", "use pnpm run build", "use redis for this one",
        "leave it alone", "run tests with coverage", "use port 3000", "we deploy today", "use a loop", "all i see is dots",
        "My goal is to further reduce the bundle.", "I'll use the script to update the deadline of my plugin to April 5, 2026.",
    ],
)  # fmt: skip
def test_what_is_of_the_hour_is_not_taken(said: str) -> None:
    """Issue 17.5: at the same precision; a report, a guess, a question is no order."""
    assert heard(said) == []


@pytest.mark.parametrize(
    "talk",
    [
        ("I use Vim for everything.", "I live in Bern.", "Actually I switched to Helix."),
        ("I use Vim for everything.", "I live in Bern.", "Actually I switched to Helix from Vim."),
        ("I use Vim for everything.", "I live in Bern.", "Actually I switched from Vim to Helix."),
    ],
)
def test_a_switch_replaces_what_it_switches_from(talk: tuple[str, ...]) -> None:
    """Issue 17.5: `actually I switched to …` ends what was used before."""
    texts = [text for _, text in heard(*talk)]

    assert not any("uses Vim" in text for text in texts)
    assert any("Helix" in text for text in texts)
    assert "User lives in Bern." in texts
