"""What all rules of the guard cost on 100 KB: ordinary text beside texts that are made to cost much."""

from __future__ import annotations

from functools import partial

import rounds
from report import Report
from rounds import ms, spread

from commonplace.guard import screen

SIZE = 100_000
WORST = (
    "api-key=",
    "the alarm unlocks with ",
    "the key ",
    "password is ",
    'password "a b" ',
    "pin 4 4 4 4 ",
    "密码",
    "\u200b",
    "%41",
    "-----BEGIN PRIV" + "ATE KEY-----\n",
    "password: hunter" + "2x\n",
    "| password | a |\n|---|---|\n| x | y |\n",
    "pin " + "1234 5678, " * 15,
    "the key and token are " + "q1b-2 " * 20,
)
SAID = (  # in each sentence another secret
    "The gate code of house {n} is {n}17. ",
    "My password for shop {n} is heron{n}x. ",
    "Das Passwort vom Rechner {n} lautet Reiher!{n}. ",
    "Le code du portail {n}, c'est {n}42. ",
    "La clave del wifi de la casa {n} es garza{n}. ",
    "Hasło do konta {n} to czapla{n}x. ",
    "пароль от почты {n} цапля{n}. ",
    "{n}番の玄関の暗証番号は{n}63です。",
)


def measure(report: Report, texts: list[str], *, rounds_: int) -> None:
    """Screen 100 KB of the corpus, and of each of the worst pieces, side by side."""
    ordinary = "ordinary text"
    said = " ".join(texts)
    pieces = {ordinary: said, **{f"`{piece.strip()!a}`": piece for piece in WORST}}
    pieces["secrets in every sentence"] = "".join(SAID[n % len(SAID)].format(n=n) for n in range(100, SIZE // 30))
    hundred = {name: (piece * (SIZE // len(piece) + 1))[:SIZE] for name, piece in pieces.items()}
    arms: dict[str, rounds.Arm] = {
        name: lambda _, text=text: (partial(screen, text),) for name, text in hundred.items()
    }
    times = rounds.run(arms, rounds=rounds_)
    rows = [(arm, ms(times.p50(arm)), spread(times.ratio(arm, ordinary)) if arm != ordinary else "") for arm in hundred]
    report.table("All rules on 100 KB", ("text", "p50 ms", "to ordinary text (min-max)"), rows)
    worst = max(times.p50(arm) for arm in hundred)
    report.goal("screening 100 KB of ordinary text", times.p50(ordinary), 20, unit=" ms")
    report.goal("screening 100 KB of the worst text", worst, 200, unit=" ms")
