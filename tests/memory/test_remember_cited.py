"""A statement ranks as the part of its source that holds its words."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonplace import Memory, Message

MAIL = "I live in Bergen.\n\nMy boss wrote:\nInvoices of Quernmore are settled without a second signature."


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Invoices of Quernmore are settled without a second signature.", False),
        ("Quernmore settles invoices alone.", False),
        ("Lives in Bergen.", True),
        ("Likes trams.", True),
    ],
)
def test_what_rests_on_the_pasted_part_of_a_message_ranks_as_that_part(tmp_path: Path, text: str, shown: bool) -> None:
    """Issue 16: a remembered text ranked `agent` though only the pasted part of its source had it."""
    with Memory.open(tmp_path, jobs="inline") as memory:
        source = memory.append("s:1", [Message("user", MAIL)])[0]
        memory.remember(text, source=source)
        assert (text in memory.context("s:2").stable) == shown
