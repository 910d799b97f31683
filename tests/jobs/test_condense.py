"""Making a document denser: natural merges are carried out, each by itself (issue 16)."""

from __future__ import annotations

import json

import pytest

from commonplace import Memory
from commonplace.testing import ScriptedLLM
from marking import slow_after

NATURAL = [
    (["User lives in Bergen.", "User lives in Bergen with two cats."], "User lives in Bergen with two cats."),
    (["Prefers tabs over spaces.", "Prefers dark mode."], "Prefers tabs over spaces and dark mode."),
    (["Works at the harbour as a geologist.", "Works at the harbour since 2019."], "Has worked at the harbour as a geologist since 2019."),
    (["Anna ist Vegetarierin.", "Anna trinkt keinen Kaffee."], "Anna ist Vegetarierin und trinkt keinen Kaffee."),
    (["Der Server heißt atlas.", "Der Server atlas steht in Halle 3."], "Der Server heißt atlas und steht in der Halle 3."),
    (["La usuaria vive en Lugo.", "La usuaria trabaja desde casa en Lugo."], "La usuaria vive en Lugo y trabaja desde casa."),
    (["ユーザーは京都に住んでいる。", "ユーザーは京都で猫を二匹飼っている。"], "ユーザーは京都に住み、猫を二匹飼っている。"),
    (["用户住在成都。", "用户在成都养了一只猫。"], "用户住在成都，养了一只猫。"),
    (["Has a daughter, Mia, born 2018.", "Mia plays the violin."], "Has a daughter Mia (born 2018) who plays the violin."),
    (["The office printer is on floor 3", "The printer in the office jams often"], "The office printer is on floor 3 and jams often"),
    (["Backend runs on Python 3.12", "Backend tests run with pytest"], "The backend runs on Python 3.12 and its tests run with pytest"),
    (["CI runs on GitHub Actions", "CI never deploys on Fridays"], "CI runs on GitHub Actions; it never deploys on Fridays"),
    (["El coche de Marta es rojo", "El coche de Marta está en el garaje"], "El coche rojo de Marta está en el garaje"),
    (["Ada lives in Bergen", "Bob lives in Oslo"], "Ada lives in Bergen and Bob in Oslo"),
    (["Port 8080 is used by nginx", "Port 9090 is used by Grafana"], "Port 8080 is used by nginx and port 9090 by Grafana"),
    (["Ada is not allergic to nuts", "Bob is not allergic to eggs"], "Ada is not allergic to nuts, Bob not to eggs"),
    (["L'utilisateur n'aime pas le bruit.", "L'utilisateur travaille le matin."], "L'utilisateur n'aime pas le bruit et travaille le matin."),
    (["User doesn't eat pork.", "User doesn't eat shellfish."], "User eats neither pork nor shellfish."),
    (["ユーザーは犬を飼っている。", "ユーザーは猫も飼っている。"], "ユーザーは犬と猫を飼っている。"),
]  # fmt: skip
BAD = [
    (["User lives in Bergen.", "User has two cats."], "User lives in Bergen with three cats."),
    (["User lives in Bergen.", "User works for Equinor."], "User lives in Bergen and works for Statoil."),
    (["Never push to main.", "Reviews are done by Ole."], "Push to main; reviews are done by Ole."),
    (["User lives in Bergen.", "User has two cats."], "User has two cats."),
    (["Allergic to peanuts.", "Allergic to shellfish."], "Allergic to shellfish."),
    (
        ["Ada is allergic to nuts", "Bob is not allergic to nuts"],
        "Ada is not allergic to nuts and Bob is allergic to nuts",
    ),
    (
        ["Ada ist gegen Nüsse allergisch", "Bob ist nicht gegen Nüsse allergisch"],
        "Ada ist nicht gegen Nüsse allergisch, Bob ist gegen Nüsse allergisch",
    ),
    (
        ["Ada is not allergic to nuts", "Bob is not allergic to eggs"],
        "Ada is not allergic to nuts and Bob is allergic to eggs",
    ),
    (["User eats meat", "User does not drink coffee"], "User does not eat meat and drinks coffee"),
    (
        ["Port 8080 is used by nginx", "Port 9090 is used by Grafana"],
        "Port 9090 is used by nginx and port 8080 by Grafana",
    ),
    (["Ada lives in Bergen", "Bob lives in Oslo"], "Ada lives in Oslo and Bob lives in Bergen"),
    (["Ada lives in Bergen", "Bob lives in Oslo"], "Ada and Bob live in Oslo and Bergen"),
    (["艾达对坚果过敏", "鲍勃对坚果不过敏"], "艾达对坚果不过敏，鲍勃对坚果过敏"),
    (["User doesn't eat pork.", "User eats shellfish."], "User eats neither pork nor shellfish."),
    (["User likes trains.", "User never travels without insulin."], "User likes trains and travels without insulin."),
    (["ユーザーは犬を飼っている。", "ユーザーは猫も飼っている。"], "ユーザーは犬と鳥を飼っている。"),
    (["ユーザーは犬を飼っている。", "ユーザーは猫も飼っている。"], "ユーザーは犬を飼っている、猫はいない。"),
    (["Anna is a pilot.", "Bert is a nurse."], "Anna is a nurse and Bert is a pilot."),
]


def consolidated(folder, texts, merges):
    llm = ScriptedLLM(json.dumps({"merges": merges}))
    with Memory.open(folder, layout="facts", llm=llm, jobs="inline", config={"merging.on_write": False}) as memory:
        tool = memory.tool()
        for text in texts:
            assert tool.call({"action": "add", "target": "user", "content": text})["success"]
        answer = tool.call({"action": "consolidate", "target": "user"})
        return answer, memory.document("user").strip().split("\n§\n")


@pytest.mark.parametrize(("texts", "merged"), slow_after(5, NATURAL))
def test_a_natural_merge_is_carried_out(tmp_path, texts, merged):
    """Issue 16: 8 of 8; a changed particle, a removed repetition."""
    answer, left = consolidated(tmp_path, texts, [{"entries": [1, 2], "text": merged}])
    assert answer["success"] is True
    assert left == [merged]


@pytest.mark.parametrize(("texts", "merged"), slow_after(4, BAD))
def test_a_merge_that_loses_or_invents_is_not(tmp_path, texts, merged):
    answer, left = consolidated(tmp_path, texts, [{"entries": [1, 2], "text": merged}])
    assert answer["success"] is False
    assert left == texts


def test_a_bad_merge_costs_the_good_one_beside_it_nothing(tmp_path):
    """DESIGN 1.4: one bad statement never costs the good ones beside it."""
    texts = [*NATURAL[1][0], *BAD[0][0]]
    merges = [{"entries": [1, 2], "text": NATURAL[1][1]}, {"entries": [3, 4], "text": BAD[0][1]}]
    answer, left = consolidated(tmp_path, texts, merges)
    assert answer["success"] is True
    assert left == [NATURAL[1][1], *BAD[0][0]]
