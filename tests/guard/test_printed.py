"""What machines print: long tokens, headers, names and values apart, tables, forms; each with what must stay."""

import json

import blind_set
import pytest

from commonplace import guard

CHOSEN = "Zx9kLm" + "42Qp"
LETTERS = "correct" + "horse"


def _drawn(size: int, seed: int = 1) -> str:
    return blind_set.drawn(seed, blind_set.ALNUM, size)


@pytest.mark.parametrize("size", [600, 1100, 1500, 9000])
@pytest.mark.parametrize(
    "form",
    [
        '{{"access_token": "{0}", "expires_in": 3600}}',
        '{{"SessionToken": "{0}"}}',
        "client_secret: '{0}'\nscope: all",
        "<SessionToken>{0}</SessionToken>",
        "Cookie: session={0}; theme=dark",
        "Authorization: Bearer {0}\nAccept: text/html",
        "export SECRET_KEY={0}\necho done",
    ],
)
def test_a_long_value_goes_whole(form, size):
    """Issue 22: rules look at a bounded number of characters; a token of 1,500 may not leave its end."""
    text = _drawn(size)
    screened = guard.screen(form.format(text)).text
    assert not any(text[at : at + 12] in screened for at in range(0, size - 12, 4))
    before, after = form.replace("{{", "{").replace("}}", "}").split("{0}")
    assert screened.startswith(before[:8])
    assert screened.endswith(after)


def test_a_long_sentence_and_a_long_path_are_no_value():
    """A text of many words is none, whatever its field is called; neither is what no name points to."""
    for text in (
        json.dumps({"password": "This page tells how to choose one well. " * 20}),
        json.dumps({"data": _drawn(1500), "secret_note": "see below " * 80}),
    ):
        assert guard.screen(text).text == text


def test_a_token_that_a_shell_continues_in_the_next_line_goes_whole():
    """Issue 22: a backslash at the end of a line goes on as the bare end of one does."""
    head, body, sign = "ey" + "JhbGciOiJIUzI1NiJ9", "ey" + "J" + _drawn(60), _drawn(43, 2)
    token = f"{head}.{body}.{sign}"
    screened = guard.screen(f"run --header {token[:50]}\\\n{token[50:90]}\\\n{token[90:]} now").text
    assert token[50:90] not in screened
    assert token[90:] not in screened
    assert screened.endswith(" now")
