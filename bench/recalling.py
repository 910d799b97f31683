"""How long a question takes, beside a bare FTS5 OR query of the same words and tantivy."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from functools import partial
from pathlib import Path

import rounds
from corpus import ASKED, COMMON, Corpus
from report import Report
from rounds import ms, spread

from commonplace import Memory

QUESTIONS = 20  # a round, other ones in each


def measure(
    report: Report, corpus: Corpus, folder: Path, filled: dict[int, Path], texts: dict[int, list[str]], *, rounds_: int
) -> None:
    for size in sorted(filled):
        asked = corpus.questions(texts[size], QUESTIONS * rounds_)
        bare = _fts5(folder / f"fts5-{size}.sqlite", texts[size])
        with Memory.open(filled[size], jobs="worker") as memory:
            arms: dict[str, rounds.Arm] = {
                "commonplace recall, k=8": _asking(partial(memory.recall, k=8), asked),
                "bare FTS5 OR, bm25, top 10": _asking(bare, asked),
                "the same without stop words": _asking(bare, [content_of(question) for question in asked]),
            }
            tantivy = tantivy_over(report, texts[size])
            if tantivy is not None:
                arms["tantivy OR, top 10"] = _asking(tantivy, asked)
            memory.recall(asked[0])
            times = rounds.run(arms, rounds=rounds_)
            none = sum(not memory.recall(question) for question in asked[:60])
        ours, whole, content = list(arms)[:3]
        rows = [
            (arm, ms(times.p50(arm)), ms(times.p(arm, 0.95)),
             *(spread(times.ratio(arm, base)) if arm != base else "" for base in (whole, content)))
            for arm in arms
        ]  # fmt: skip
        head = ("arm", "p50 ms", "p95 ms", "to bare FTS5 (min-max)", "to that without stop words (min-max)")
        report.table(f"Recall in a scope of {size:,} messages, {rounds_} rounds of {QUESTIONS}", head, rows)
        report.say("", f"Of 60 questions {none} found nothing.")
        if size <= 10_000:
            report.goal(f"recall to bare FTS5 OR, {size:,}", times.ratio(ours, whole)[0], 3)
            report.goal(f"recall to FTS5 without stop words, {size:,}", times.ratio(ours, content)[0], 3, added=True)
        else:
            report.goal(f"recall p95, {size:,}", times.p(ours, 0.95), 60 if size <= 100_000 else 100, unit=" ms")


def _asking(ask: Callable[[str], object], asked: list[str]) -> rounds.Arm:
    return lambda turn: (partial(ask, question) for question in asked[turn * QUESTIONS : (turn + 1) * QUESTIONS])


def words_of(question: str) -> list[str]:
    return list(dict.fromkeys(re.findall(r"\w+", question.lower())))


def content_of(question: str) -> str:
    idle = {*COMMON, *words_of(" ".join(ASKED))}
    return " ".join(word for word in words_of(question) if word not in idle)


def _fts5(path: Path, texts: list[str]) -> Callable[[str], object]:
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA synchronous=OFF")
    db.execute("CREATE VIRTUAL TABLE said USING fts5(text, tokenize='porter unicode61 remove_diacritics 2')")
    db.execute("BEGIN")
    db.executemany("INSERT INTO said(text) VALUES (?)", ((text,) for text in texts))
    db.execute("COMMIT")

    def ask(question: str) -> object:
        match = " OR ".join(f'"{word}"' for word in words_of(question))
        return db.execute("SELECT rowid FROM said WHERE said MATCH ? ORDER BY bm25(said) LIMIT 10", (match,)).fetchall()

    return ask


def tantivy_over(report: Report, texts: list[str]) -> Callable[[str], object] | None:
    try:
        import tantivy
    except ImportError:
        report.say("", "tantivy is not installed: left out.")
        return None
    schema = tantivy.SchemaBuilder()
    schema.add_text_field("text", tokenizer_name="en_stem")
    index = tantivy.Index(schema.build())
    writer = index.writer(50_000_000, 1)
    for text in texts:
        writer.add_document(tantivy.Document(text=text))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()

    def ask(question: str) -> object:
        return searcher.search(index.parse_query(" ".join(words_of(question)), ["text"]), 10).hits

    return ask
