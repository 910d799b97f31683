"""What people say to coding agents: short orders, requirements, what is used here."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from commonplace import Message
from commonplace.jobs.rules.proposing import extract
from commonplace.records import RecordedMessage

AT = datetime(2026, 3, 1, 9, tzinfo=UTC)


def heard(*said: str) -> list[tuple[str, str]]:
    """Return kind and text of what the rules find in a talk of a coder and an agent with a shell."""
    talk = [Message("user", text, id=f"m{n}", at=AT) for n, text in enumerate(said)]
    talk.append(Message("tool", "done", id="t", at=AT, tools=("bash",)))
    recorded = [RecordedMessage(str(m.id), "p", "s", n, m, 0) for n, m in enumerate(talk)]
    return [(memo.kind, memo.text) for memo in extract(recorded, zone=UTC)]


@pytest.mark.parametrize(
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
            "instruction",
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
    ],
)
def test_what_coders_say_is_taken(said: str, kind: str, text: str) -> None:
    """Issue 17.5: short orders and requirements stand for later sessions too."""
    assert heard(said) == [(kind, text)]


@pytest.mark.parametrize(
    "said",
    [
        "no, that's horrible", "no worries", "no idea", "no errors anymore", "no failing tests", "it must be the cache",
        "it must have crashed", "don't commit yet", "don't touch it", "can we use pnpm here?", "we use this in two places",
        "the server is running fine", "don't push to main yet", "stop adding logs to it", "let's use the other one",
        "let's go with option 2", "let's use that", "make sure all tests pass", "make sure every test is green",
        "the main branch is broken", "the staging server is down", "we are on line 40", "i want all tests to pass",
        "i want all files moved to src", "you must be kidding", "this repo is a mess", "this project needs a rewrite",
        "tests should be green", "coverage is too low", "our plan goes into the bin", "no need to explain that", "if it must stop, tell me", "this plan must be written down",
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
