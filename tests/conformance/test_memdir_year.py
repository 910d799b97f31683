"""The memdir layout as a user would have it: months of sessions, a model that paraphrases, dreams that merge.

A small part of it is in every test run, the whole year in the battery. The model is scripted and faithful: it says what
the user said in other words, and in a dream it puts files of one subject together.

Source: issue 21, "Tried as a user would".
"""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from commonplace import Memory, Message
from commonplace.testing import FixedClock, ScriptedLLM
from marking import only_in_battery

START = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
SUBJECTS = (
    "search", "billing", "login", "export", "mobile app", "newsletter", "warehouse", "dashboard", "importer", "payroll",
    "wiki", "chatbot", "pricing page", "onboarding", "backups", "staging", "analytics", "invoices", "calendar", "maps",
    "webhooks", "translations", "uploads", "permissions", "reports", "printing", "archive", "signup", "metrics", "cache",
)  # fmt: skip
ASPECTS = (
    ("owner", "The owner of the {} is {}.", "Who owns the {}?"),
    ("port", "The {} listens on port {}.", "Which port does the {} listen on?"),
    ("deadline", "The {} has to be finished by {}.", "When does the {} have to be finished?"),
    ("vendor", "We buy the {} from {}.", "Whom do we buy the {} from?"),
)
NAMES = ("Ottoline", "Bastian", "Farida", "Kasia", "Jun", "Delphine", "Sunniva", "Emil", "Zuri", "Liesbeth")
VENDORS = ("Plainword", "Wexley", "Harrowby", "Dunmere", "Quillbox", "Osric", "Kestrel", "Tarek", "Norval", "Pirouette")


def fact(number: int) -> tuple[str, str, str]:
    """Return the subject, the statement and the question of a fact; each value changes from one to the next."""
    subject = SUBJECTS[number % len(SUBJECTS)]
    kind, said, asked = ASPECTS[number // len(SUBJECTS) % len(ASPECTS)]
    values = {
        "owner": NAMES[number % len(NAMES)],
        "port": str(8000 + number),
        "deadline": (START + timedelta(days=400 + number)).date().isoformat(),
        "vendor": VENDORS[number % len(VENDORS)],
    }
    return subject, said.format(subject, values[kind]), asked.format(subject)


class Faithful:
    """A model that writes down what the user said, a file for each subject, and merges files in dreams."""

    def __init__(self) -> None:
        self.dreams = self.noted = 0

    def __call__(self, request) -> str:
        if request.purpose == "summarise":
            return self.extracted(request.prompt)
        if request.purpose == "dream":
            return self.dreamt(request.prompt)
        return ""

    def extracted(self, prompt: str) -> str:
        operations = []
        for number, text in re.findall(r"(?m)^(\d+)\. \[[^\]]*\] USER: ([^\n]+)$", prompt.split("## Messages")[1]):
            subject = next((each for each in SUBJECTS if f"he {each} " in text), "")
            if subject:
                self.noted += 1
                statement = re.sub(r"^(?:By the way|Note that|For the record): ", "", text)
                aside = "more-on-" if self.noted % 5 == 0 else ""  # a slip, for the dream to mend
                path = f"{aside}{subject.replace(' ', '-')}.md"
                cites = [{"message": int(number), "quote": text[:40]}]
                operations.append({"op": "add", "path": path, "text": statement, "cites": cites})
        return json.dumps({"journal": "The user spoke of their work.", "operations": operations})

    def dreamt(self, prompt: str) -> str:
        listed = {path: number for number, path in re.findall(r"(?m)^(\d+)\. (\S+\.md) \(", prompt)}
        slips = [path for path in listed if path.startswith("more-on-")][:8]
        pairs = [(path, path.removeprefix("more-on-")) for path in slips]
        answers = prompt.partition("## What you asked for")[2]
        if pairs and not answers:
            self.dreams += 1
            return json.dumps({"operations": [], "read": [name for pair in pairs for name in pair], "done": False})
        operations = []
        for path, subject in pairs:
            bodies = [re.findall(r"(?m)^    (- .+)$", answers.partition(f'read "{each}":')[2].partition("\nread")[0])
                      for each in (subject, path)]  # fmt: skip
            body = "\n".join(dict.fromkeys(line for lines in bodies for line in lines))
            operations += [
                {"op": "put_topic", "path": subject, "title": "", "body": body, "cites": []},
                {"op": "remove", "target": int(listed[path]), "cites": []},
            ]
        return json.dumps({"journal": "Put files of one subject together.", "operations": operations})


def lived(folder: Path, sessions: int, days: float) -> tuple[Memory, FixedClock, Faithful]:
    """Live through some sessions over some days: a fact in each, small talk around it."""
    clock, model = FixedClock(START, step_seconds=1), Faithful()
    memory = Memory.open(folder, layout="memdir", llm=ScriptedLLM(model), clock=clock, jobs="inline")
    for number in range(sessions):
        _, statement, _ = fact(number)
        lead = ("", "By the way: ", "Note that: ", "For the record: ")[number % 4]
        said = [
            Message("user", "Good morning, can you help me?"), Message("assistant", "Of course."),
            Message("user", f"{lead}{statement}"), Message("assistant", "Noted."),
            Message("user", "Thanks, that works."), Message("assistant", "You are welcome."),
        ]  # fmt: skip
        memory.append(f"day:{number}", said)
        memory.end(f"day:{number}")
        clock.advance(days=days / sessions)
        before = files(folder)
        memory.flush()
        if memory.log(1)[0].actor == "consolidator:dream":
            check_an_undo(memory, folder, before)
    return memory, clock, model


def files(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*.md")}


def check_an_undo(memory: Memory, folder: Path, before: dict[Path, bytes]) -> None:
    """Undo a dream that just ran, and then the undo: the bytes are as before it, and as after it."""
    after = files(folder)
    undone = memory.undo(memory.log(1)[0])
    assert undone.status == "applied"
    assert files(folder) == before
    assert memory.undo(undone).status == "applied"
    assert files(folder) == after


def answered(memory: Memory, numbers: range) -> float:
    """Return how often the file that answers a question is put before the agent, without a model."""
    right = 0
    for number in numbers:
        _, statement, question = fact(number)
        found = [
            section for section in memory.context(f"ask:{number}", question).sections if "Relevant" in section.title
        ]
        word = statement.rstrip(".").rpartition(" ")[2]
        right += bool(found) and any(word in memory.read(record).text for record in found[0].records)
    return right / len(numbers)


def check_a_life(folder: Path, sessions: int, days: float) -> None:
    memory, _, model = lived(folder, sessions, days)
    with memory:
        index = (folder / "MEMORY.md").read_text(encoding="utf-8")
        assert len(index.splitlines()) <= 200
        assert len(index.encode()) <= 25_000
        assert memory.limits() == []
        topics = [path for path in folder.glob("*.md") if path.name != "MEMORY.md"]
        assert len(topics) <= len(SUBJECTS) + 10
        assert model.dreams > 0
        assert not [waits.reason for waits in memory.review()]
        assert answered(memory, range(min(30, sessions))) >= 0.9
        assert answered(memory, range(max(0, sessions - 30), sessions)) >= 0.9
        for path in topics:
            stated = [line for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("- ")]
            assert len(stated) == len(set(stated))
        changes = memory.log(None)
        gone = {record for change in changes if change.actor == "consolidator:dream" for record in change.removed}
        assert gone
        assert all(memory.read(record).path in {path.name for path in topics} for record in gone)  # where its words are
        assert all(change.reason for change in changes if change.removed)


def test_a_month_of_sessions_stays_small_and_is_found_again(tmp_path):
    """Eight sessions in twenty days."""
    check_a_life(tmp_path, 8, 20)


@only_in_battery
@pytest.mark.slow
@pytest.mark.battery
@pytest.mark.timeout(1200)
def test_a_year_of_sessions_stays_small_and_is_found_again(tmp_path):
    """Four hundred sessions in a year."""
    check_a_life(tmp_path, 400, 365)
