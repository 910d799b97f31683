"""A sentence about a secret inside JSON takes nothing away from the fields beside it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commonplace import Memory, Message
from commonplace.guard import screen
from marking import in_one_test, slow_after

HARMLESS = (
    "Commits are signed with a local key.",
    "Password reset e-mails go out at 09:00.",
    "The API key rotation happens on the 3rd of each month.",
    "Die PIN wird alle 90 Tage gewechselt.",
    "La contraseña se cambia cada 90 días.",
    "Secrets live in Vault since 2026-02-01.",
    'He said "the key" is under the mat.',
)
LAYOUTS = ("native", "two-layer", "facts", "structured", "memdir", "graph")


def shapes(sentence: str) -> tuple[str, ...]:
    """Return JSON that holds a sentence: an item, compact and spaced, and JSON in the text of JSON."""
    item = {
        "id": "01JDA7Z4QK3W9R8T6Y5X2V1B0C",
        "content": sentence,
        "fingerprint": "9f86d081884c7d65",
        "createdAt": "2026-11-23T04:00:00.000Z",
        "tags": ["a1", "b-2"],
    }
    inner = json.dumps({"etag": "W/5e1f", "text": sentence, "user": "u-77123"})
    return (
        json.dumps(item, ensure_ascii=False, separators=(",", ":")),
        json.dumps(item, ensure_ascii=False),
        json.dumps({"tool": "read", "result": inner}),
    )


@in_one_test("sentence", HARMLESS)
def test_a_sentence_about_a_secret_takes_nothing_from_the_fields_beside_it(sentence: str) -> None:
    """Issue 22: captured text is redacted for ever, so what holds no secret stays."""
    for shape in shapes(sentence):
        assert screen(shape).text == shape


def test_a_secret_said_in_a_field_goes_and_the_other_fields_stay() -> None:
    """Issue 22: only the secret goes, the words around it stay."""
    for shape in shapes("My PIN is 4407."):
        assert screen(shape).text == shape.replace("4407", "⟦secret:pin:0000⟧")


@pytest.mark.parametrize("layout", slow_after(2, LAYOUTS))
def test_no_file_of_a_layout_loses_a_value_to_a_sentence_about_secrets(layout: str, tmp_path: Path) -> None:
    """Issue 22: nothing is redacted where nothing secret was said, in any layout's files."""
    with Memory.open(tmp_path, layout=layout, jobs="inline") as memory:
        for sentence in HARMLESS:
            memory.remember(sentence)
            memory.append("cli:1", [Message("user", sentence), Message("assistant", "Noted.")])
        memory.consolidate()
    files = [path for path in tmp_path.rglob("*") if path.suffix in {".md", ".json", ".jsonl"}]
    assert any("Vault" in path.read_text("utf-8") for path in files)
    assert [path.name for path in files if "⟦secret" in path.read_text("utf-8")] == []


def test_the_name_of_a_field_is_no_value():
    """Issue 16: what a field's name says stays readable, so that who repeats it is known to."""
    said = '{"door":{"state":"locked","keypad_guest_is_Lubomir_Hask_with_permanent_access":true}}'
    assert screen(said).text == said


@in_one_test("value", ['ab"qwertz99', 'x"Y7kk#pl"99', 'Say "friend" 42x', '"q9"', 'p\\"w9kX2', 'p",q9X7', "ab'c9Zq"])
def test_a_password_with_quotes_in_it_goes_whole(value: str) -> None:
    """Issue 22: decoded, such a value seemed to end at its first quote."""
    for name in "password", "db_password":
        shape, left = ({"id": 7, name: held, "said": 'see "x" 99'} for held in (value, "⟦secret:password:0000⟧"))
        for _ in range(3):
            shape, left = json.dumps(shape), json.dumps(left, ensure_ascii=False)
            assert screen(shape).text == left
