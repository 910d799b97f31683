"""What a person lists under a heading of their own is remembered item by item, without a model."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonplace import Memory, Message
from marking import slow_after


def shown(folder: Path, text: str) -> str:
    """Return what is always shown after a person said something."""
    with Memory.open(folder, jobs="inline") as memory:
        memory.append("s:1", [Message("user", text), Message("assistant", "OK.")])
        memory.consolidate("s:1")
        return memory.context("s:2").stable


@pytest.mark.parametrize(
    ("text", "expected"),
    slow_after(
        5,
        [
            (
                "I want:\n1. metric units in every answer\n2. no emojis\n3. sources for medical claims",
                ["Wants: metric units in every answer", "No emojis", "Wants: sources for medical claims"],
            ),
            ("Ich möchte:\n- kurze Antworten\n- Quellen bei Zahlen", ["möchte: kurze Antworten", "Quellen bei Zahlen"]),
            ("我想要:\n1. 简短的回答\n2. 公制单位", ["简短的回答", "公制单位"]),
            ("About me:\nName: Harriet Blythe\nCity: Norwich", ["Name: Harriet Blythe", "City: Norwich"]),
            ("Zu mir:\nName: Jörg Petersen\nBeruf: Tischler", ["Name: Jörg Petersen", "Beruf: Tischler"]),
            ("Ich möchte Folgendes:\n1. Immer duzen\n2. Kurze Antworten", ["Immer duzen", "Kurze Antworten"]),
            ("我的要求:\n- 回答请用简体中文\n- 不要用表情符号", ["回答请用简体中文", "不要用表情符号"]),
            ("My profile\nName: Declan Moriarty\nCity: Cork", ["Name: Declan Moriarty", "City: Cork"]),
            ("Mon profil :\nPrénom : Baptiste\nMétier : grutier", ["Prénom : Baptiste", "Métier : grutier"]),
            ("我的资料:\n姓名:顾长风\n职业:灯塔管理员", ["顾长风", "灯塔管理员"]),
            ("My preferences are as follows: dark mode, tabs of four spaces.", ["Dark mode, tabs of four spaces"]),
            (
                "Here are my house rules: shoes off at the door. No phones at dinner. The cat never goes outside.",
                ["Shoes off at the door", "No phones at dinner", "The cat never goes outside"],
            ),
            (
                "Please remember these:\n- My daughter Imogen was born on 4 May 2019.\n- Her school is St Brigid's.\n- She must not eat nuts.",
                ["Imogen", "school is St Brigid's", "must not eat nuts"],
            ),
            (
                "My rules:\n"
                + "".join(f"- {word} first in the morning\n" for word in ["tea", "bread", "news", "mail", "run"]),
                ["Tea first", "Bread first", "News first", "Mail first", "Run first"],
            ),
            (
                "Te paso mis normas para el proyecto:\n* ramas con prefijo lp-\n* nada de commits los viernes",
                ["Ramas con prefijo lp-", "Nada de commits los viernes"],
            ),
            (
                "Here's my profile so you know me:\n\nName: Gwen\nLives in: Hereford",
                ["Name: Gwen", "Lives in: Hereford"],
            ),
            ("ajoute ça à mes habitudes :\nlundi natation\njeudi chorale", ["Lundi natation", "Jeudi chorale"]),
            (
                "Steckbrief von mir:\nName: Hiltrud\nIsst kein Schweinefleisch",
                ["Name: Hiltrud", "Isst kein Schweinefleisch"],
            ),
            (
                "das ist meine .editorconfig, daran hältst du dich immer\n[*]\nindent_style = tab\nmax_line_length = 110",
                ["indent_style = tab", "max_line_length = 110"],
            ),
            ("我的资料存一下：姓名罗青，职业牙医，海鲜过敏", ["海鲜过敏"]),
        ],
    ),
)
def test_each_item_under_a_heading_of_ones_own_is_a_statement(tmp_path: Path, text: str, expected: list[str]) -> None:
    """Issue 16: 60 of 108 items of own lists and profiles were not taken without a model."""
    found = shown(tmp_path, text)
    assert [each for each in expected if each not in found] == []


@pytest.mark.parametrize(
    "text",
    slow_after(
        4,
        [
            "I want to know:\n1. its price\n2. its date",
            "I want: a recipe for shoes off",
            "Bob's rules:\n- shoes off at the door\n- no cats",
            "My rules:\n- should shoes be off at the door?\n",
            "> My rules:\n> - shoes off at the door",
            "My list for this week\n- buy shoes\n- ask the price",
            "can you check my config:\nshoes = 4\nprice = 5",
            "My boss's rules for us:\n- shoes off at the door\n- no price tags",
            "this breaks my setup\n```\nshoes = 1\nprice = 2\n```",
            "does this fit my habits?\nshoes off\nprice up",
            "My boss wrote:\n\nMy rules:\n- shoes off at the door",
            "Remember to buy:\n- shoes\n- its price",
        ],
    ),
)
def test_no_item_is_taken_of_others_of_questions_and_of_the_hour(tmp_path: Path, text: str) -> None:
    found = shown(tmp_path, text)
    assert [word for word in ("shoes", "price") if word in found.casefold()] == []
