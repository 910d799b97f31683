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


@pytest.mark.parametrize(
    "form",
    [
        '<input type="password" name="pw" value="{}">',
        "<input value='{}' class=\"wide\" name='user_password' />",
        '{{"name": "DB_PASSWORD", "value": "{}"}}',
        '{{"Name": "/prod/db/password", "Type": "SecureString", "Value": "{}"}}',
        '{{"db_password": {{"sensitive": true, "value": "{}"}}}}',
        '{{"Name": "db", "SecretString": "{}"}}',
        "env:\n  - name: POSTGRES_PASSWORD\n    value: {}\n  - name: PORT\n    value: 5432\n",
    ],
)
@pytest.mark.parametrize("secret", [CHOSEN, LETTERS])
def test_a_value_that_is_not_beside_its_name_goes(form, secret):
    """Issue 22: containers, secret stores and forms name a secret in one field and hold it in another."""
    marked = form.format("⟦secret:password:0000⟧")
    assert guard.screen(form.format(secret)).text == marked


@pytest.mark.parametrize(
    "text",
    [
        '<input type="password" name="pw" placeholder="Your password" value="">',
        '<input type="submit" name="reset_password" value="Reset">',
        '{"name": "password_min_length", "value": "365"}',
        '{"name": "DB_PASSWORD_FILE", "value": "/run/secrets/db"}',
        '{"key": "password", "value": "Enter the word"}',
        '{"name": "DB_PASSWORD", "valueFrom": {"secretKeyRef": {"name": "db"}}}',
        '{"name": "theme", "value": "correcthorse"}',
        "Authorization: Basic realm access for all",
        "Authorization: Bearer YOUR_TOKEN2",
        "We teach basic programming1 to all.",
    ],
)
def test_a_form_a_setting_and_a_header_without_a_secret_stay(text):
    assert guard.screen(text).text == text


def test_a_short_login_in_a_header_goes():
    """Issue 22: the Base64 of a short name and password may have no digit; a short bearer token is one too."""
    for text, secret in (
        ("Authorization: Basic {}", "YWRhOlRy" + "MHViNGRvcg=="),
        ("authorization: basic {}", "YTpi" + "Y2RlZg=="),
        ('{{"Authorization": "Bearer {}"}}', "a8Kd92" + "mQ1xZ"),
    ):
        assert secret not in guard.screen(text.format(secret)).text


@pytest.mark.parametrize(
    "table",
    [
        json.dumps({"stdout": "user,password\nada,{}\n", "code": 0}),
        json.dumps({"stdout": "user,password\nada,{}", "code": 0}),
        json.dumps({"text": "| User | Password |\n|---|---|\n| ada | {} |\n"}),
        "name,url,username,password,note\nexample.com,https://e.example,ada,{},\n",
        "| **Service** | **Passwort** | Notiz |\n|:--|:-:|--:|\n| Router | `{}` | x |\n",
        "│ user │ password │\n├──────┼──────────┤\n│ ada  │ {} │\n",
    ],
)
@pytest.mark.parametrize("secret", [CHOSEN, LETTERS])
def test_a_cell_below_the_name_of_a_secret_goes_and_the_table_stays(table, secret):
    """Issue 22: tables inside JSON, in a browser's export, with emphasis, and drawn with lines."""
    marked = table.replace("{}", "⟦secret:password:0000⟧")
    assert guard.screen(table.replace("{}", secret)).text == marked


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"stdout": "user,password_min_length\nada,twelvesigns\n"}),
        "| **Word** | `Reset` |\n|---|---|\n| password | by mail |\n",
        "│ user │ colour │\n├──────┼────────┤\n│ ada  │ azure1 │\n",
    ],
)
def test_a_table_without_a_secret_stays(text):
    assert guard.screen(text).text == text
