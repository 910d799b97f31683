"""Forms in which machines print secrets: cards with their expiry, quotes, lists, blocks, addresses; and what stays."""

import pytest

from commonplace import guard
from commonplace.guard import printed, several, table

CARD, CARD_2 = "453268719" + "3056242", "537412986" + "0457138"
SPACED = "4532 6871 " + "9305 6242"


def _keeps(text: str, *secrets: str) -> str:
    """Return a screened text without its markers, none of which may be missing."""
    screened = guard.screen(text).text
    assert not any(secret in screened for secret in secrets), screened
    return screened


@pytest.mark.parametrize(
    "form",
    [
        "{0} 12/29 737",
        "{1} 12/29 123",
        '{{"card":"{0} 12/29"}}',
        "card {0} {2}",
        "{0} 11/27 {2} 12/29 123",
        "{0}/1229",
        "%B{0}^MEYER/ANN^2912101?",
        "{0} 737",
    ],
)
def test_a_card_goes_beside_its_expiry_its_code_and_another_card(form):
    """Issue 22: a number that a digit follows was kept whole."""
    screened = _keeps(form.format(CARD, SPACED, CARD_2), CARD, SPACED, CARD_2)
    assert screened == form.format(*["⟦secret:payment-card:0000⟧"] * 3)


@pytest.mark.parametrize(
    "text",
    [
        f"{SPACED} 1234 5555",
        f"1234 {SPACED} 12",
        f"{CARD} 10:22:33 started",
        f"{CARD} 12/29/2026",
        f"/files/{CARD}/12",
        f"{CARD} {CARD_2[:-1]}9 77",
        f"{CARD} 1234567",
        f"v{CARD} 12/29",
        f"{CARD}/1399",
    ],
)
def test_a_long_number_among_others_is_no_card(text):
    """Rows of figures, times, paths and versions."""
    assert guard.screen(text).text == text


MIXED, OTHER, WORDS = "Kite44" + "orbit", "mango" + "Reef9", "reed " + "warbler"
DRAWN, DRAWN_2, LONG = "q8Zt1v" + "Km2Lp9", "z7Xc3V" + "b5Nm1q", "9fK2mZ7qLp" + "0sVx4TbNw8"
CODE, CODE_2 = "8f3k" + "-29dl", "77dk" + "-30fl"


@pytest.mark.parametrize(
    ("form", "secrets"),
    [
        ('{{"passwords":{{"ann":"{}","bob":"{}"}}}}', (MIXED, OTHER)),
        ('{{"passwords":["{}","{}"]}}', (MIXED, "blue" + "finch")),
        ('PASSWORDS = {{"a": ["{}"], "b": {{"v": "{}"}}}}', (MIXED, OTHER)),
        ("passwords:\n  ann: {}\n  bob: {}\nport: 80\n", (MIXED, OTHER)),
        ("passwords:\n  - {}\n  - {}\nport: 80\n", (MIXED, OTHER)),
        ("passwords:\n- {}\n- {}\nport: 80\n", (MIXED, OTHER)),
        ('{{"tokens":["{}","{}"]}}', (DRAWN, DRAWN_2)),
        ('{{"api_keys":{{"svc":"{}"}},"id":"7"}}', (DRAWN,)),
        ('{{"recovery_codes":["{}","{}"]}}', (CODE, CODE_2)),
        ("password: |\n    {}\nport: 80\n", (MIXED,)),
        ("token: >-\n  {}\n  {}\nport: 80\n", (LONG, LONG[::-1])),
        ("db_password = <<EOT\n{}\nEOT\nport = 80\n", (MIXED,)),
    ],
)
def test_every_value_of_a_list_a_map_or_a_block_goes(form, secrets):
    """Issue 22: under one name the first of several secrets went, or none."""
    screened = _keeps(form.format(*secrets), *secrets)
    assert screened.startswith(form.replace("{{", "{").split("{}")[0])
    assert screened.endswith(form.replace("}}", "}").rsplit("{}", 1)[1])


@pytest.mark.parametrize(
    "text",
    [
        '{"passwords": {"type": "array", "items": {"type": "string"}, "example": "azure1x"}}',
        '{"tokens": ["hello", "wor12ld", "cl100k_base", "gpt4o-mini"]}',
        "secrets:\n  - db_password\n  - api_key_2\n",
        "passwords:\n  policy: strict\n  rotation: 90d\n  min_length: 12\n",
        '{"passwords": {"reset": "Your password has been reset!", "sent": "We have mailed you"}}',
        "secret: |\n  The key is in the vault.\n",
        "password: |\n  Must have at least 8 characters.\n",
        'recovery_codes: [{"status": "unused"}]',
        'passwords = [generate(8) for _ in range(5)]\nnames = ["azure1"]',
        "password: >\n  {{ vault_db }}\nuser: azure1\n",
    ],
)
def test_a_group_without_a_secret_stays(text):
    """Schemas, lists of words and names, rules for passwords, and what is behind the end of a group."""
    assert guard.screen(text).text == text


@pytest.mark.parametrize("noun", ["passwords", "tokens"])
def test_a_group_in_a_group_is_read_with_it(noun, monkeypatch):
    """Each name within a list is no list of its own: the work stays linear."""
    read = []
    real = several.find
    monkeypatch.setattr(several, "find", lambda *args: read.append(real(*args)[1] - args[1]) or real(*args))
    names = printed.Printed(text := f'"{noun}": [' * 2000)
    rule = next(rule for rule in table.load().rules if rule.kind == "printed" and noun[:-1] in rule.keywords)
    for place in range(1, len(text), len(text) // 2000):
        list(names.values(place, noun[:-1], rule))
    assert sum(read) <= len(text)
