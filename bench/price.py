"""What believing less costs an honest person: statements that wait or are lowered though nobody attacked.

    python bench/price.py FOLDER            FOLDER holds recall/*.jsonl.gz and transcripts/*
    python bench/price.py FOLDER --every 10 consolidate only every tenth conversation, none with 0
    python bench/price.py FOLDER --show 20  also print so many of the statements that were lowered or wait

1. Of all sentences of users, code left out, the share that reads as pasted and so is lowered to `tool`, and the share
   of what the rules take from them that waits for a person (at most 1 % together). Prose that a user really pasted
   counts as well.
2. In the coding transcripts, the share of the assistant's sentences that rank below `agent`; and of those that rest on
   nothing but the talk (two thirds of their words are the user's, no other word stands in what a tool said), 50 spread
   over all of them, how many do (at most 3). No tool is named as the host's own.
3. What waits for review after a consolidation without a model: at most 5 for 1,000 messages.

Source: issue 16.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import tempfile
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path

from report import Report

from commonplace import Memory, Message, importers
from commonplace.guard.pasted import is_pasted
from commonplace.guard.trust import Voices
from commonplace.records import TRUST_RANK, RecordedMessage
from commonplace.testing import FixedClock
from commonplace.text import content

ENDS = re.compile(r"(?:[^\W\d_]{2,}\W+){4,}[^\W\d_]{2,}[.?!:]?\Z|[\u3040-\u9fff]{5,}[。！？]?\Z")
CODE = re.compile(
    r"[{};=<>|\\]|\w\(|//|^\s*(?:#|--|\*|@|import |from \w+ import|return |class |def |at |\[\w+\] |\w+Text: )|`{3}"
)
BELOW = TRUST_RANK["agent"]
Session = tuple[str, list[Message]]


def main() -> None:
    options = _options()
    report = Report()
    shown: list[str] = []
    agents = list(coding(options.folder))
    people = list(talks(options.folder))
    _own_words(report, [*people, *agents], shown)
    _echoes(report, agents, shown)
    if options.every:
        _queue(report, _grouped([*people, *agents])[:: options.every], shown)
    report.verdicts()
    report.say(*shown[: options.show])


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--show", type=int, default=0)
    return parser.parse_args()


def talks(folder: Path) -> Iterator[Session]:
    """Yield the sessions of conversations that are no coding."""
    for file in sorted((folder / "recall").glob("*.jsonl.gz")):
        found: dict[str, list[Message]] = {}
        for line in gzip.decompress(file.read_bytes()).decode("utf-8").splitlines():
            row = json.loads(line)
            if row["type"] == "message":
                at = datetime.fromisoformat(row["time"])
                said = Message(row["role"], row["text"], name=row.get("speaker"), at=at)
                found.setdefault(f"{file.name}:{row['conversation']}:{row['session']}", []).append(said)
        yield from found.items()


def coding(folder: Path) -> Iterator[Session]:
    """Yield the sessions of coding agents, as the importer reads them."""
    for file in sorted((folder / "transcripts").glob("*.json*")):
        for batch in importers.read(file, on_problem=lambda _: None):
            yield f"{file.name}:{batch.session_id}", list(batch.messages)


def _own_words(report: Report, sessions: Sequence[Session], shown: list[str]) -> None:
    rows = []
    total = lowered = 0
    for name, files in _by_file(sessions).items():
        here = low = 0
        for message in files:
            if message.role != "user" or message.trust not in {None, "user"}:
                continue
            at = 0
            for sentence in content.sentences(message.content):
                at = max(at, message.content.find(sentence, at))
                if not _is_prose(message.content, sentence, at):
                    continue
                here += 1
                if is_pasted(message.content, at, at + len(sentence)):
                    low += 1
                    shown.append(f"lowered {name}: {sentence[:160]!r}")
        rows.append((name, f"{here:,}", f"{low:,}", f"{low / max(1, here):.2%}"))
        total, lowered = total + here, lowered + low
    report.table("Users' sentences that read as pasted", ("file", "sentences", "lowered", "share"), rows)
    report.goal("users' sentences that are lowered, %", 100 * lowered / max(1, total), 1, unit="")


def _is_prose(text: str, sentence: str, at: int) -> bool:
    """True if a sentence is no code: it ends as one, has some words, no signs of code, and no fence around it."""
    fenced = text.count("```", 0, at) % 2 == 1
    return not fenced and ENDS.search(sentence) is not None and CODE.search(sentence) is None


def _by_file(sessions: Sequence[Session]) -> dict[str, list[Message]]:
    found: dict[str, list[Message]] = {}
    for name, messages in sessions:
        found.setdefault(name.split(":")[0], []).extend(messages)
    return found


def _echoes(report: Report, coding: Sequence[Session], shown: list[str]) -> None:
    ranked: list[tuple[str, bool, bool]] = []  # a sentence, whether it is lowered, whether it rests on the talk alone
    for name, messages in coding:
        voices = Voices()
        talk: set[str] = set()
        outside: set[str] = set()
        for number, message in enumerate(messages):
            recorded = RecordedMessage(f"{name}#{number}", "", name, number, _ranked(message), 0)
            words = content.content(message.content)
            if message.role == "assistant":
                at = 0
                for sentence in content.sentences(message.content):
                    at = max(at, message.content.find(sentence, at))
                    if not _is_prose(message.content, sentence, at):
                        continue
                    said = content.content(sentence)
                    low = TRUST_RANK[voices.trust(sentence)] < BELOW
                    alone = len(said) > 2 and 3 * len(said & talk) >= 2 * len(said) and not said & (outside - talk)
                    ranked.append((sentence, low, alone))
            if message.role == "tool":
                outside |= words
            elif message.role == "user":
                talk |= words
            voices.take(recorded)
    lowered = sum(low for _, low, _ in ranked)
    row = (f"{len(ranked):,}", f"{lowered:,}", f"{lowered / max(1, len(ranked)):.1%}")
    report.table("Assistants' sentences below `agent` in coding transcripts", ("sentences", "lowered", "share"), [row])
    alone = [(sentence, low) for sentence, low, rests in ranked if rests]
    picked = alone[:: max(1, len(alone) // 50)][:50]
    shown += [f"lowered though it rests on the talk: {sentence[:160]!r}" for sentence, low in alone if low]
    report.goal(f"of {len(picked)} sentences that rest on the talk, lowered", sum(low for _, low in picked), 3, unit="")


def _ranked(message: Message) -> Message:
    trust = message.trust or {"tool": "web", "system": "tool", "user": "user"}.get(message.role, "agent")
    return Message(message.role, message.content, name=message.name, trust=trust)  # type: ignore[arg-type]


def _queue(report: Report, conversations: Sequence[Sequence[Session]], shown: list[str]) -> None:
    count = waits = taken = 0
    with tempfile.TemporaryDirectory() as folder:
        for number, sessions in enumerate(conversations):
            with Memory.open(Path(folder, str(number)), jobs="worker", clock=FixedClock(step_seconds=1)) as memory:
                for session, part in sessions:
                    memory.append(session, part)
                    count += len(part)
                memory.consolidate()
                waiting = list(memory.review())
                waits += len(waiting)
                taken += sum(len(change.added) for change in memory.log(limit=1_000_000))
                shown += [f"waits: {each.reason} {str(each.operation)[:160]}" for each in waiting]
    row = (f"{count:,}", f"{taken:,}", str(waits), f"{1000 * waits / max(1, count):.2f}")
    report.table("Review after consolidating by rules", ("messages", "statements", "waiting", "for 1,000"), [row])
    report.goal("statements that wait for 1,000 messages", 1000 * waits / max(1, count), 5, unit="")
    report.goal("of the rules' statements, waiting, %", 100 * waits / max(1, taken + waits), 1, unit="")


def _grouped(sessions: Sequence[Session]) -> list[list[Session]]:
    """Return the sessions of each conversation together, as one memory has them."""
    found: dict[str, list[Session]] = {}
    for name, messages in sessions:
        found.setdefault(":".join(name.split(":")[:2]), []).append((name, messages))
    return list(found.values())


if __name__ == "__main__":
    main()
