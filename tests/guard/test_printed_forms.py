"""Forms in which machines print secrets: cards with their expiry, quotes, lists, blocks, addresses; and what stays."""

import pytest

from commonplace import guard

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
