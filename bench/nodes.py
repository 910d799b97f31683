"""Would nodes that rules make be worth keeping? One for each name in two statements or more, of ten conversations.

    python bench/nodes.py FOLDER          FOLDER holds recall/*.jsonl.gz
    python bench/nodes.py FOLDER --show   also print the nodes, to be read

40 of them were read. `NOT_KEPT` are those that nobody would keep: a part of a name, a month, a street, a language, a
place of which each statement means another part. The graph layout makes nodes without a model only if 85 % are worth
keeping. A node that was not read is counted apart; read it and say here if it is one of these.

Source: issue 20.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import re
import tempfile
from collections import defaultdict
from datetime import datetime
from pathlib import Path

from commonplace import Memory, Message
from commonplace.testing import FixedClock

TALKS = {
    "beam100k_dev": {f"beam-100k-{number}": 0 for number in (6, 7, 8, 9, 10)},
    "realtalk_dev": {"realtalk-10": 350},
    "locomo_dev": {"conv-43": 350},
    "beam500k_dev": {f"beam-500k-{number}": 0 for number in (25, 30, 35)},
}  # by file: the conversations, and from which message on
MOST = 800  # messages of one
KEPT = """
0732dd 1b48b1 297077 2c16fc 2ef350 54debc 54f6a8 5c81bd 7773e0 872e9b 87d50e 9cd5b5
9d7ed4 9e079d a5c8c3 ad5645 bd05a4 c7dc59 c9bac4 d385f5 d6fe05 e578e9 e73c07 e9f95e f5908e fb595a
"""  # of the conversation and the name
NOT_KEPT = "16b9ef 1711e3 3f0191 4d1fe8 4dfdf9 500507 6a06aa 74ddb7 89fd99 9fc034 b65445 cf642d dc6710 fb31a6"
NAME = re.compile(r"(?<![.!?:] )(?<!^)\b[A-Z][a-z]{2,}(?:\s[A-Z][a-z]{2,})?\b|\b[A-Z][a-z]{2,}'s\b")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    kept = read = unread = 0
    for file, talks in TALKS.items():
        for talk, start in talks.items():
            for name, lines in nodes(options.folder / "recall" / f"{file}.jsonl.gz", talk, start).items():
                key = hashlib.sha256(f"{talk} {name}".encode()).hexdigest()[:6]
                kept += key in KEPT
                read += key in KEPT or key in NOT_KEPT
                unread += key not in KEPT and key not in NOT_KEPT
                if options.show:
                    print(f"{key} {name}", *lines, sep="\n    - ")
    print(
        f"{kept} of {read} read nodes are worth keeping, {kept / max(1, read):.0%} (85 % are wanted); {unread} not read"
    )


def nodes(file: Path, talk: str, start: int) -> dict[str, list[str]]:
    """Return what the rules noted of each name that is in two statements or more."""
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        rows = [row for row in map(json.loads, lines) if row["type"] == "message" and row["conversation"] == talk]
    with tempfile.TemporaryDirectory() as folder, Memory.open(folder, clock=FixedClock(), jobs="worker") as memory:
        for row in rows[:MOST][start:]:
            at = datetime.fromisoformat(row["time"])
            said = Message(row["role"], row["text"][:4000], name=row["speaker"], id=row["id"], at=at)
            memory.append(row["session"], [said])
        for session in dict.fromkeys(row["session"] for row in rows[:MOST][start:]):
            memory.consolidate(session)
        entries = [hit.splitlines() for path in Path(folder).rglob("memory/**/*.md") for hit in statements(path)]
    found: dict[str, list[str]] = defaultdict(list)
    for entry in {line for lines in entries for line in lines}:
        for name in {match.group().removesuffix("'s") for match in NAME.finditer(entry)}:
            found[name].append(entry)
    return {
        name: said
        for name, said in sorted(found.items())
        if len(said) > 1 and name not in {"The", "This", "They", "User"}
    }


def statements(path: Path) -> list[str]:
    """Return the statements of one document; a journal tells of whole ranges."""
    if path.name.startswith("HISTORY"):
        return []
    text = path.read_text(encoding="utf-8")
    return [part.strip().removeprefix("- ") for part in re.split(r"\n§\n|\n", text) if part.strip() and part[0] != "#"]


if __name__ == "__main__":
    main()
