"""A month of two users through one worker, with a model that reads, links, corrects, and sometimes answers in prose.

Source: issue 20, "tried as a user would".
"""

from __future__ import annotations

import json
from datetime import datetime, timedelta

from commonplace import Memory, Message, Worker
from commonplace.memory import trees
from commonplace.testing import FixedClock, ScriptedLLM
from inside import scopes_of


def put(name, title, description, parents, body, *cites):
    cited = [{"message": number, "quote": quote} for number, quote in cites]
    return {
        "op": "put_topic", "path": f"memory/{name}.md", "title": title, "description": description,
        "parents": parents, "body": body, "cites": cited,
    }  # fmt: skip


def asks(*names):
    return {"journal": "", "operations": [], "read": names, "search": ["Kettenblatt"], "done": False}


def gives(journal, *operations):
    return {"journal": journal, "operations": operations, "read": [], "search": [], "done": True}


MONTH = [
    (
        "jonas", "2026-10-05T09:00:00+00:00",
        ["Ich bin Jonas, ich baue mit meiner Kollegin Aylin eine App für Fahrradkuriere, Arbeitstitel Kettenblatt.",
         "Datenbank PostgreSQL 16, Frontend in Svelte von Aylin. Wir wollen am 1. Dezember live gehen.",
         "Nimm immer UUIDv7 als Schlüssel, keine fortlaufenden Nummern."],
        [asks("jonas", "nirgendwo"),
         gives("Jonas baut mit Aylin die App Kettenblatt.",
               put("kettenblatt", "Kettenblatt", "App für Fahrradkuriere von Jonas und Aylin", ["projekte"],
                   "- Kettenblatt ist eine App für Fahrradkuriere.\n- Die Datenbank ist PostgreSQL 16.\n"
                   "- Das Frontend schreibt [[aylin]] in Svelte.\n- Start ist am 1. Dezember 2026.\n"
                   "- Schlüssel sind immer UUIDv7, nie fortlaufende Nummern.", (3, "Datenbank PostgreSQL 16")),
               put("aylin", "Aylin", "Kollegin von Jonas", ["personen"],
                   "- Aylin ist eine Kollegin von Jonas und schreibt das Frontend von [[kettenblatt]].",
                   (1, "meiner lieben Kollegin Aylin")))],
    ),
    (
        "yuki", "2026-10-07T09:00:00+00:00",
        ["田中先生の料理本を担当していて、締め切りは11月30日です。", "章は七つで、写真は山本さんが撮ります。"],
        [gives("田中先生の料理本について話した。",
               put("料理本", "田中先生の料理本", "担当する本", ["仕事"],
                   "- 締め切りは2026年11月30日。\n- 章は七つで、写真は山本さんが撮る。", (1, "締め切りは11月30日です")))],
    ),
    (
        "jonas", "2026-10-09T15:00:00+00:00",
        ["Wir nehmen doch SQLite statt PostgreSQL, der Kunde Radexpress hat nur einen kleinen Server.",
         "Der Start ist nicht am 1. Dezember, sondern am 15. Januar 2027.",
         "Das Frontend macht nicht mehr Aylin, sondern Benedikt Kranz."],
        ["I have read the nodes and will update them now.",
         asks("kettenblatt", "radexpress"),
         gives("Kettenblatt wechselt auf SQLite und startet im Januar.",
               put("kettenblatt", "", "", [],
                   "- Kettenblatt ist eine App für Fahrradkuriere.\n"
                   "- Die Datenbank ist SQLite, weil [[radexpress]] nur einen kleinen Server hat.\n"
                   "- Das Frontend schreibt [[benedikt-kranz]] in Svelte.\n- Start ist am 15. Januar 2027.",
                   (1, "SQLite statt PostgreSQL")),
               put("benedikt-kranz", "Benedikt Kranz", "Macht das Frontend von Kettenblatt", ["personen"],
                   "- Benedikt Kranz macht das Frontend von [[kettenblatt]].", (5, "sondern Benedikt Kranz")),
               put("radexpress", "Radexpress", "Kunde von Kettenblatt", ["Kettenblatt"],
                   "- Radexpress ist Kunde und hat nur einen kleinen Server.", (1, "der Kunde Radexpress")))],
    ),
    (
        "yuki", "2026-10-21T09:00:00+00:00",
        ["料理本の締め切りが12月14日に延びました。", "写真は山本さんではなく佐藤さんになりました。"],
        [gives("料理本の締め切りが延び、写真の担当が佐藤さんに変わった。",
               put("料理本", "", "", [], "- 締め切りは2026年12月14日。\n- 章は七つで、写真は佐藤さんが撮る。",
                   (1, "締め切りが12月14日に延びました")))],
    ),
]  # fmt: skip


def test_a_month_of_two_users_leaves_trees_that_a_person_would_keep(tmp_path):
    """Issue 20: the nodes say what was said, the last correction included; nothing waits that is true."""
    clock = FixedClock("2026-10-01T10:00:00+00:00")
    answers: list[object] = []

    def model(_):
        answer = answers.pop(0)
        return answer if isinstance(answer, str) else json.dumps(answer)

    with Worker(tmp_path, layout="graph", llm=ScriptedLLM(model), clock=clock) as worker:
        for number, (user, at, said, replies) in enumerate(MONTH):
            clock.advance((datetime.fromisoformat(at) - clock()).total_seconds())
            answers += replies
            with opened(tmp_path, clock, user) as memory:
                talk = [each for text in said for each in (Message("user", text), Message("assistant", "Ok."))]
                memory.append(f"chat:{number}", talk)
                memory.end(f"chat:{number}")
            for _ in range(3):
                worker.tick()
                clock.advance(timedelta(minutes=10).total_seconds())
            assert answers == []
    with opened(tmp_path, clock, "jonas") as memory:
        assert trees.around(scopes_of(memory), "")[1].splitlines() == [
            "- personen/",
            "  - Aylin [aylin]: Kollegin von Jonas",
            "  - Benedikt Kranz [benedikt-kranz]: Macht das Frontend von Kettenblatt",
            "- projekte/",
            "  - Kettenblatt [kettenblatt]: App für Fahrradkuriere von Jonas und Aylin",
            "    - Radexpress [radexpress]: Kunde von Kettenblatt",
        ]
        assert memory.read("memory/kettenblatt.md").body.splitlines() == [
            "- Kettenblatt ist eine App für Fahrradkuriere.",
            "- Schlüssel sind immer UUIDv7, nie fortlaufende Nummern.",
            "- Die Datenbank ist SQLite, weil [[radexpress]] nur einen kleinen Server hat.",
            "- Das Frontend schreibt [[benedikt-kranz]] in Svelte.",
            "- Start ist am 15. Januar 2027.",
        ]
        assert "memory/kettenblatt.md" in [
            hit.record for hit in memory.recall("Welche Datenbank hat Kettenblatt?", k=2)
        ]
        assert (list(memory.review()), memory.doctor().ok) == ([], True)
    with opened(tmp_path, clock, "yuki") as memory:
        assert memory.read("memory/料理本.md").body.splitlines() == [
            "- 締め切りは2026年12月14日。", "- 章は七つで、写真は佐藤さんが撮る。",
        ]  # fmt: skip
        assert list(memory.review()) == []


def opened(folder, clock, user):
    return Memory.open(folder, layout="graph", scope=user, clock=clock, jobs="worker")
