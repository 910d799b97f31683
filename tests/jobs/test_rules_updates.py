"""A person who corrects says little: with what is known it is clear what they mean, or nothing is done (issue 17)."""

from __future__ import annotations

from datetime import UTC
from pathlib import Path

import pytest
from rules_talks import AT, TARGETS, after

from commonplace import Memory, Message
from commonplace.jobs.rules import proposing, updates
from commonplace.records import RecordedMessage
from commonplace.testing import FixedClock
from marking import in_one_test


@in_one_test(
    ("before", "said", "now"),
    [
        ("I live in Bristol", "moved out in october, I'm in Cardiff now", "User lives in Cardiff."),
        ("Ich wohne in Kiel", "nee, seit März wohne ich in Lübeck", "User: seit März wohne ich in Lübeck"),
        (
            "Ich heiße Jonas und wohne seit März in Freiburg.",
            "Ich wohne jetzt in Basel, nicht mehr in Freiburg.",
            "User: Ich heiße Jonas; Ich wohne jetzt in Basel, nicht mehr in Freiburg",
        ),
        (
            "我叫李伟，住在上海，是一名软件工程师。",
            "我上个月搬到了杭州，不住在上海了。",
            "User: 我叫李伟, 是一名软件工程师; 我上个月搬到了杭州，不住在上海了",
        ),
        ("vivo en Murcia", "ya no, desde septiembre estoy en Alicante", "User: vivo en Alicante"),
        ("abito a Bari", "da maggio sto a Lecce", "User: abito a Lecce"),
        ("moro em Braga", "mudei no mês passado, agora é Aveiro", "User: moro em Aveiro"),
        ("我住在成都", "上个月搬家了，现在在重庆", "User: 我住在重庆"),
        ("名古屋に住んでいます", "先月引っ越して、今は福岡です", "User: 福岡に住んでいます"),
        ("trabalho na Petrobras", "troquei de emprego, agora estou na Vale", "User: trabalho na Vale"),
        (
            "je travaille chez Airbus",
            "j'ai changé de boulot, je suis chez Thales maintenant",
            "User: je travaille chez Thales",
        ),
        ("勤務先は高松の印刷会社です", "転職して、いまは松江の出版社にいます", "User: 勤務先は松江の出版社です"),
    ],
)
def test_a_new_home_or_job_takes_the_place_of_the_old_one(before: str, said: str, now: str) -> None:
    assert after([], before, said) == [now]


@in_one_test(
    ("before", "said", "now"),
    [
        (
            "my physio appointment is on 14 December at 10",
            "physio called, it's the 17th at 11 instead",
            "User's physio appointment is on 2026-12-17 at 11.",
        ),
        (
            "the dentist is on the 9th of december at 3",
            "they rang, dentist is the 16th instead",
            "The dentist is on 2026-12-16 at 3.",
        ),
        (
            "mon rdv chez le dentiste c'est le 4 février à 11h",
            "finalement le dentiste c'est le 12 à 9h",
            "User: mon rdv chez le dentiste c'est le 12 février à 9h",
        ),
        (
            "el cumpleaños de mamá es el 2 de agosto",
            "perdón, el 12 de agosto",
            "User: el cumpleaños de mamá es el 12 de agosto",
        ),
        (
            "The deadline is 1 December.",
            "The deadline has been extended to 12 December.",
            "The deadline is 2026-12-12.",
        ),
        ("hago pilates los lunes", "han cambiado pilates al jueves", "User: hago pilates los jueves"),
        ("The API listens on port 7070.", "We had to move the API from 7070 to 7171.", "The API listens on port 7171."),
        ("The API listens on port 7070.", "API: 7171 (was 7070)", "The API listens on port 7171."),
        ("We use npm here.", "back to pnpm, npm broke the lock file", "We use pnpm here."),
        ("I'm 34.", "I turned 35 yesterday", "User turned 35 on 2026-11-01."),
        ("I live in Oslo.", "Bergen is home now.", "User lives in Bergen."),
        ("I live in Oslo.", "I've relocated to Bergen.", "User lives in Bergen."),
        ("I work at Acme.", "I've joined Globex.", "User works at Globex."),
        ("我们的数据库用MySQL", "我们的数据库现在用PostgreSQL了", "User: 我们的数据库现在用PostgreSQL了"),
    ],
)
def test_a_new_day_or_hour_of_a_known_thing_takes_its_place(before: str, said: str, now: str) -> None:
    assert after([], before, said) == [now]


@in_one_test(
    ("before", "said", "now"),
    [
        ("we use Jenkins for CI here", "fyi we've switched to Buildkite last week", "We use Buildkite for CI here."),
        ("scrivo con Vim", "sono passato a Zed, niente più Vim", "User: scrivo con Zed"),
        ("we use Trello for tasks", "we've moved everything over to Linear btw", "We use Linear for tasks."),
        ("branch off main please", "they renamed main to stable, so branch off that from now on", "Branch off stable."),
        ("la rama de pruebas es next", "hemos renombrado next a integra", "User: la rama de pruebas es integra"),
    ],
)
def test_what_is_used_or_called_otherwise_takes_its_place(before: str, said: str, now: str) -> None:
    assert after([], before, said) == [now]


@in_one_test(
    ("before", "said", "now"),
    [
        (
            "I'm allergic to nuts.",
            "Turns out I'm not allergic to nuts after all.",
            "User is not allergic to nuts after all.",
        ),
        (
            "Ich bin allergisch gegen Nüsse.",
            "Ich bin doch nicht allergisch gegen Nüsse.",
            "User: Ich bin doch nicht allergisch gegen Nüsse",
        ),
        (
            "I'm training for the half marathon in Stirling on 3 May",
            "pulled a hamstring, not doing the half marathon after all",
            "Pulled a hamstring, not doing the half marathon after all.",
        ),
        (
            "Ich rauche seit 20 Jahren",
            "bin übrigens seit acht Wochen rauchfrei",
            "User: bin übrigens seit acht Wochen rauchfrei",
        ),
    ],
)
def test_what_is_over_or_done_again_takes_its_place(before: str, said: str, now: str) -> None:
    assert after([], before, said) == [now]


KNOWN = [
    "User lives in Leeds, near the station.",
    "User is vegetarian.",
    "We use Jenkins for CI here.",
    "User's dentist appointment is on 2026-12-14 at 10.",
    "User is training for the half marathon in Stirling on 2027-05-03.",
    "User works at Siemens as an engineer.",
    "User doesn't drink coffee.",
    "Our stand-up is at 9:15 every day.",
    "User is learning Finnish.",
    "User: Ich arbeite bei Bosch",
    "User: moro em Recife",
    "User: 我住在成都",
]


@in_one_test(
    "said",
    [
        "my brother's moved btw, he's in Cardiff now",
        "we're in Rome now, what a city",
        "we've moved, I'm in Lisbon now for two weeks",
        "in my novel she moved and lives in York now",
        "in the game I moved, now I live in Atlantis",
        "no jogo eu mudei, agora moro em Natal",
        "im Spiel bin ich umgezogen, jetzt wohne ich in Rom",
        "thinking of moving, maybe I'm in York soon",
        "should we switch to Buildkite instead?",
        "the client's CI has switched to Buildkite now",
        "the dentist bill is due on the 20th now",
        "my son's dentist is on the 16th instead",
        "Tom's stand-up is at 10:00 now",
        "stand-up comedy is at 20:00 now",
        "not going to the marathon viewing after all",
        "Jonas is not doing the half marathon after all",
        "Siemens cancelled the half marathon",
        "I'm making coffee again",
        "I cancelled the dentist app subscription",
        "meine Schwester hat den Job gewechselt und ist jetzt bei Zeiss",
        "vor zehn Jahren habe ich noch in Lübeck gewohnt",
        "我同事搬家了，现在在重庆",
        "sorry, the 12th",  # of the two dates it is not said which
    ],
)
def test_what_only_looks_like_a_correction_takes_nothing_out(said: str) -> None:
    """Of somebody else, asked, supposed, told, for a time, or of another thing."""
    assert after(KNOWN, said)[: len(KNOWN)] == KNOWN


@in_one_test(
    ("before", "said"),
    [
        ("The API listens on port 8080.", "Metrics are on port 9200 now."),
        ("The API listens on port 8080.", "Database is MySQL 8 on port 3306 for now."),
        ("The API listens on port 8080.", "Redis listens on port 6379 for now."),
        ("Our budget is 5000 euros.", "The travel budget is 900 euros now."),
        ("The frontend runs on Node 20.", "The worker needs Node 22 now."),
        ("The staging server runs on port 80.", "The production server runs on port 81 now."),
        ("Use Poetry for dependencies and pytest for the tests.", "The API collides with Jenkins, use 8000 instead."),
        ("Je fais du judo le mercredi soir", "maintenant c'est escalade le jeudi."),
        ("Hago yoga los lunes", "ahora la natación es los jueves"),
        ("I moved to Bristol in May.", "Clara moved from Bristol to York."),
        ("I moved to Bristol in May.", "Tom moved out of Bristol."),
        ("I moved from Leeds to Bristol.", "Tom has moved in with us now, he doesn't live in Leeds anymore!"),
        ("My sister Clara lives in Bath.", "My brother Jon lives in York now, not in Bath."),
        ("Ada lives in Oslo.", "I moved from Oslo to Bergen."),
        ("I'm allergic to nuts.", "I'm not allergic to penicillin after all."),
        ("My dentist appointment is on 3 December.", "My doctor's appointment is on 10 December, not on 3 December."),
    ],
)
def test_what_is_said_of_another_subject_leaves_a_statement_as_it_was(before: str, said: str) -> None:
    """Of another thing or person: each word beside a new value is in the statement that it changes."""
    assert after([], before)[0] in after([], before, said)


def test_of_two_that_could_be_meant_none_is_changed() -> None:
    known = ["The dentist is on 2026-12-14.", "The dentist for the kids is on 2026-12-18."]
    assert updates.updated("dentist is the 21st instead", enumerate(known)) is None


def test_a_bare_day_after_a_question_is_an_answer_to_it() -> None:
    """`sorry, the 12th` after a question about flights is of the flights."""
    talk = [Message("user", "flights to Rome on the 2nd?", at=AT), Message("user", "sorry, the 12th", at=AT)]
    recorded = [RecordedMessage(f"m{n}", "s", "s", n, each, n) for n, each in enumerate(talk)]
    known = [proposing.Known("k", "MEMORY.md", "Dad's birthday is on 2027-08-02.")]
    made = proposing.propose(recorded, session="s", zone=UTC, targets=TARGETS, existing=known)
    assert made.operations == ()


@pytest.mark.parametrize("layout", ["native", "two-layer"])
def test_an_undo_brings_the_old_statement_back(tmp_path: Path, layout: str) -> None:
    clock = FixedClock("2026-11-02T10:00:00+00:00", step_seconds=1)
    with Memory.open(tmp_path, layout=layout, jobs="worker", clock=clock) as memory:
        for number, said in enumerate(("I live in Leeds", "we've moved btw, I'm in York now")):
            memory.append(f"s:{number}", [Message("user", said), Message("assistant", "OK.")])
            memory.consolidate(f"s:{number}")
        assert "- User lives in York." in memory.context("new").stable
        memory.undo(memory.log(1)[0].number)
        assert "- User lives in Leeds." in memory.context("new").stable


@in_one_test(
    ("said", "kept"),
    [
        ("Our dog's called Biscuit and the hamster is Major", "Our dog's called Biscuit and the hamster is Major."),
        ("Mum's got two cats, Pepper and Olive", "Mum's got two cats, Pepper and Olive."),
        ("Meine Frau verträgt keine Haselnüsse", "User: Meine Frau verträgt keine Haselnüsse"),
        ("以后回答别超过三句话", "以后回答别超过三句话"),
        ("勤務先は高松の印刷会社です", "User: 勤務先は高松の印刷会社です"),
        ("I'm allergic to penicillin by the way, in case it ever comes up.", "User is allergic to penicillin."),
        ("I left Acme and work at Globex now.", "User left Acme and works at Globex now."),
        (
            "For commits: imperative mood, max 60 characters, no ticket numbers",
            "For commits: imperative mood, max 60 characters, no ticket numbers.",
        ),
        ("I'm vegetarian, keep that in mind for recipes", "User is vegetarian."),
        ("sono allergica al nichel, tienine conto per i regali", "User: sono allergica al nichel"),
        ("dentist is on the 9th of june at 3", "Dentist is on 2027-06-09 at 3."),
    ],
)
def test_a_plain_statement_is_taken_without_its_tail(said: str, kept: str) -> None:
    assert after([], said) == [kept]


@in_one_test("said", ["Anna and I broke up.", "My favourite drink after is still a flat white."])
def test_what_would_be_said_by_halves_is_not_taken(said: str) -> None:
    assert after([], said) == []


def test_a_long_sentence_is_no_short_correction() -> None:
    assert not updates.is_news("now " + "and then we talked about it " * 12)


@in_one_test(
    ("before", "said", "now"),
    [
        (
            "my sister's birthday is 14 March",
            "sorry, the 24th, I always get that wrong",
            "User's sister's birthday is 24 March.",
        ),
        (
            "the dev server runs on port 6173",
            "port's 6199 now, the old one clashed",
            "The dev server runs on port 6199.",
        ),
        (
            "the prod database is on MySQL 5.7",
            "upgrade went through, prod is MySQL 8.4",
            "The prod database is on MySQL 8.4.",
        ),
        (
            "Der Elternabend ist am Dienstag, 6. Oktober",
            "Elternabend verschoben, 13. Oktober",
            "User: Der Elternabend ist am 13. Oktober",
        ),
        ("Wir bauen mit Maven", "Haben gestern auf Gradle umgestellt", "User: Wir bauen mit Gradle"),
        ("vivo en Murcia", "ya no, ahora estoy en Alicante", "User: vivo en Alicante"),
        (
            "Vivo en Murcia con mis dos gatos",
            "ya no vivo en Murcia, me mudé a Lugo",
            "User: Vivo en Lugo con mis dos gatos",
        ),
        ("la prova è alle 15 di mercoledì", "spostata a giovedì alle 10", "User: la prova è alle 10 di giovedì"),
        ("a porta da api é 4000", "troquei pra 4300", "User: a porta da api é 4300"),
        ("体检约在5月8号", "体检改到5月15号了", "User: 体检约在5月15号"),
        ("パッケージ管理はyarnです", "bunに乗り換えました", "User: パッケージ管理はbunです"),
        (
            "Mon fils Luc est né le 3 février 2019",
            "Pardon, le 13, pas le 3.",
            "User: Mon fils Luc est né le 13 février 2019",
        ),
        ("The stand-up is at 9:30.", "The stand-up moves from 9:30 to 10:15.", "The stand-up is at 10:15."),
        ("não bebo mais café, só chá", "obrigado", "User: não bebo mais café, só chá"),
    ],
)
def test_one_value_said_anew_is_put_into_what_is_known(before: str, said: str, now: str) -> None:
    """In any language: a day, an hour, a number, a version, a thing of a kind or a place."""
    assert after([], before, said) == [now]


def test_two_remarks_on_changes_are_not_of_each_other() -> None:
    said = "Also 13 colours are now in the theme. Also 14 panels are now in the theme."
    assert after([], said) == []


@in_one_test(
    ("before", "said", "now"),
    [
        ("My editor is Vim", "My editor is Zed now, Vim is too slow", "User's editor is Zed now, Vim is too slow."),
        ("Our standup is at 9:30", "Our standup is at 10 now, 9:30 was too early", "Our standup is at 10 now, 9:30 was too early."),
    ],
)  # fmt: skip
def test_what_is_too_much_is_nothing_added(before: str, said: str, now: str) -> None:
    """Found in use: `too loud` was read as `also`, and the old value stayed beside the new one."""
    assert after([], before, said) == [now]


@in_one_test(
    ("before", "said", "now"),
    [
        ("Ich arbeite als Hebamme im Klinikum", "Ich arbeite jetzt im Geburtshaus", "User: Ich arbeite jetzt im Geburtshaus"),
        ("Trabajo como enfermera en la clínica", "Trabajo ahora en el centro de salud", "User: Trabajo ahora en el centro de salud"),
    ],
)  # fmt: skip
def test_a_new_workplace_takes_the_place_of_a_trade_at_the_old_one(before: str, said: str, now: str) -> None:
    """Found in use: the old work stayed beside the new one, in other languages than English."""
    assert after([], before, said) == [now]
