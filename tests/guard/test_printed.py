"""What machines print: long tokens, headers, names and values apart, tables, forms; each with what must stay."""

import json
from itertools import product

import blind_set
import pytest

from commonplace import guard
from marking import in_one_test

CHOSEN = "Zx9kLm" + "42Qp"
LETTERS = "correct" + "horse"


def _drawn(size: int, seed: int = 1) -> str:
    return blind_set.drawn(seed, blind_set.ALNUM, size)


@in_one_test(
    "size, form",
    product(
        [600, 1100, 1500, 9000],
        [
            '{{"access_token": "{0}", "expires_in": 3600}}',
            '{{"SessionToken": "{0}"}}',
            "client_secret: '{0}'\nscope: all",
            "<SessionToken>{0}</SessionToken>",
            "Cookie: session={0}; theme=dark",
            "Authorization: Bearer {0}\nAccept: text/html",
            "export SECRET_KEY={0}\necho done",
        ],
    ),
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


@in_one_test(
    "form, secret",
    product(
        [
            '<input type="password" name="pw" value="{}">',
            '{{"name": "DB_PASSWORD", "value": "{}"}}',
            '{{"Name": "/prod/db/password", "Type": "SecureString", "Value": "{}"}}',
            '{{"db_password": {{"sensitive": true, "value": "{}"}}}}',
            '{{"Name": "db", "SecretString": "{}"}}',
            "env:\n  - name: POSTGRES_PASSWORD\n    value: {}\n  - name: PORT\n    value: 5432\n",
        ],
        [CHOSEN, LETTERS],
    ),
)
def test_a_value_that_is_not_beside_its_name_goes(form, secret):
    """Issue 22: containers, secret stores and forms name a secret in one field and hold it in another."""
    marked = form.format("⟦secret:password:0000⟧")
    assert guard.screen(form.format(secret)).text == marked


@in_one_test(
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


@in_one_test(
    "table, secret",
    product(
        [
            json.dumps({"stdout": "user,password\nada,{}\n", "code": 0}),
            json.dumps({"stdout": "user,password\nada,{}", "code": 0}),
            json.dumps({"text": "| User | Password |\n|---|---|\n| ada | {} |\n"}),
            "name,url,username,password,note\nexample.com,https://e.example,ada,{},\n",
            "| **Service** | **Passwort** | Notiz |\n|:--|:-:|--:|\n| Router | `{}` | x |\n",
            "│ user │ password │\n├──────┼──────────┤\n│ ada  │ {} │\n",
        ],
        [CHOSEN, LETTERS],
    ),
)
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


GIVEN = [
    "host1 ansible_host=10.0.0.1 ansible_become_password={0}",
    "2026-01-02 10:00:00 DEBUG auth user=ada password={0} ip=10.0.0.1",
    "http -a ada:{0} https://api.example/v1",
    'curl -sS -X POST -u "ada:{0}" https://api.example/v1',
    "echo {0} | kinit ada",
    'printf "{0}" | docker login -u ada --password-stdin',
    "define('DB_PASSWORD', '{0}');",
    'config.set("db.password", "{0}")',
    "FROM base\nENV DB_PASSWORD {0}\nENV PORT 1",
    "dump --db-password {0} --out x.sql",
    "CREATE USER app WITH PASSWORD '{0}';",
    "jdbc:oracle:thin:scott/{0}@//db.example:1521/x",
    'variable "db_password" {{\n  type    = string\n  default = "{0}"\n}}',
    '<wsse:Password Type="PasswordText">{0}</wsse:Password>',
    '<Setting Name="Password">{0}</Setting>',
    '<property name="hibernate.connection.password">{0}</property>',
    "postgres://app:\n{0}@db.example:5432/x",
    'ansible-playbook -e "db_password={0}" site.yml',
    'terraform apply -var "db_password={0}"',
    "java -Ddb.password={0} -jar shop.jar",
    '<password type="string" value="{0}" />',
    'builder.host("db").setPassword("{0}");',
    'Login.new(user).credentials("ada", "{0}")',
    "INSERT INTO config (k, v) VALUES ('smtp_password', '{0}');",
    "802-11-wireless-security.psk:           {0}",
    "base dc=example\nbindpw {0}\n",
    "openssl enc -aes-256-cbc -k {0} -in x",
]


@in_one_test("form, secret", product(GIVEN, [CHOSEN, LETTERS, "Tr0ub4" + "dor&3x"]))
def test_a_password_that_a_command_code_or_a_form_gives_goes(form, secret):
    """Issue 22: a plain word too, where the place in the command, the call or the file says what it is."""
    screened = guard.screen(form.format(secret)).text
    assert secret not in screened
    before, after = form.replace("{{", "{").replace("}}", "}").split("{0}")
    assert screened.startswith(before)
    assert screened.endswith((after.replace("\\r", ""), after))


KEYS = [
    "git clone https://{0}@git.example/x.git",
    "https://b.s3.example/k?X-Amz-Expires=3600&X-Amz-Signature={0}",
    "https://storage.example/b/o?X-Goog-Signature={0}&x=1",
    "https://maps.example/api?key={0}",
    "https://api.weather.example/data?q=Oslo&appid={0}",
    "https://x.example/reset-password/{0}",
    "Ocp-Apim-Subscription-Key: {0}",
    "GET / HTTP/1.1\nAuthorization: Bearer\n {0}\nAccept: */*",
    ".example.org\tTRUE\t/\tTRUE\t1790000000\tsessionid\t{0}",
    "ngrok config add-authtoken 2" + "{0:.26}_{0:.21}",
    '{{"kty": "RSA", "e": "AQAB", "d": "{0}"}}',
    "ak_{0:.20} is the key of Composio",
    "MTA0NTQxOTYwNzI5OTI1MzkyMw.{0:.6}.{0:.38}",
]


@in_one_test("form, seed", product(KEYS, range(4)))
def test_a_key_in_an_address_a_header_or_of_a_vendor_goes(form, seed):
    """Issue 22: keys that nothing but their place or their shape shows."""
    key = _drawn(43, seed)
    assert key[:20] not in guard.screen(form.format(key)).text


def test_a_key_drawn_with_signs_goes():
    """Issue 22: Django draws its secret key from letters, digits and fourteen signs."""
    for seed in range(10):
        key = blind_set.drawn(seed, "abcdefghijklmnopqrstuvwxyz0123456789!@#$%^&*(-_=+)", 50)
        assert key[8:] not in guard.screen(f"SECRET_KEY = 'django-insecure-{key}'").text
        assert key[8:] not in guard.screen(f"SECRET_KEY = '{key}'\nDEBUG = True").text


def _pem(kind, lines=16, seed=3):
    body = [blind_set.drawn(seed + n, blind_set.ALNUM + "+/", 64) for n in range(lines)] + [_drawn(40, seed) + "=="]
    return f"-----BEGIN {kind}-----", body, f"-----END {kind}-----"


@in_one_test("part", ["tail", "middle", "searched", "coloured"])
def test_what_is_left_of_a_private_key_goes(part):
    """Issue 22: the end of a key, its middle, lines that `grep` printed, and a key with colours in it."""
    _, body, foot = _pem("PRIV" + "ATE KEY")
    text = {
        "tail": "\n".join(["log", *body[3:], foot, "done"]),
        "middle": "\n".join(["log", *body[4:12], "done"]),
        "searched": "\n".join(f"key.pem-{n}-{line}" for n, line in enumerate(body[4:12], 3)),
        "coloured": "\n".join(f"\x1b[31m{line[:30]}\x1b[0m{line[30:]}" for line in [*body[4:12]]),
    }[part]
    screened = guard.screen(text).text
    assert not any(line in screened or line[:30] in screened for line in body[5:11])


@in_one_test("kind", ["CERTIFICATE", "PGP SIGNATURE", "PGP PUBLIC KEY BLOCK", "SSH SIGNATURE"])
def test_blocks_of_other_kinds_stay_whole_and_cut(kind):
    """A certificate and a signature are made to be shown."""
    head, body, foot = _pem(kind)
    for text in ("\n".join([head, *body, foot]), "\n".join([head, *body[:8]]), "\n".join([*body[8:], foot])):
        assert guard.screen(text).text == text


def test_a_key_with_a_colour_inside_goes_and_coloured_words_stay():
    """Issue 22: `grep --color` and a terminal put codes between the letters of a word."""
    key = "ghp_" + _drawn(36)
    assert key[10:] not in guard.screen(f"{key[:10]}\x1b[0m{key[10:]}").text
    assert LETTERS not in guard.screen(f"\x1b[01;31m\x1b[Kpassword\x1b[m\x1b[K={LETTERS}").text
    assert "user\x1b[0m" not in (text := guard.screen("\x1b[32muser\x1b[0m is \x1b[1mactive\x1b[0m").text)
    assert "secret" not in text


def test_every_long_cookie_of_a_header_goes():
    """Issue 22: a login may be the last of several cookies, and its name long."""
    name, key = "wordpress_logged_in_" + "0a" * 16, _drawn(40)
    for header in (f"Cookie: {name}=ada%7C1790000000%7C{key}", f"Cookie: theme=dark; lang=en; auth_x={key}; a=b"):
        assert key not in guard.screen(header).text
    assert guard.screen("Cookie: theme=dark; lang=en").text == "Cookie: theme=dark; lang=en"


@in_one_test(
    "text",
    [
        "arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db-AbC123",
        '{"confirm_password": "Confirm password", "password": "Passwort", "login": "Anmelden"}',
        '{"password": "Mot de passe", "password2": "Répétez le mot de passe"}',
        '{"password": "Пароль"} {"password": "パスワード"} {"password": "Contraseña"}',
        '{"forgot_password": "Forgot your password?", "reset_password": "Reset"}',
        '{"errors": {"password": "is too short"}, "password": ["This field is required."]}',
        'msgid "Password"\nmsgstr "Passwort"',
        '<string name="password">Kennung</string>',
        '<a href="/reset-password">Reset</a> <h2 id="password">Rules</h2>',
        "conn = connect(user=self.user, password=self.password)",
        "login password=args.password user=args.user",
        'password = os.environ["DB_PASSWORD"]',
        "interface Login { user: string; password: string; }",
        "def unlock(self, pwd: bytes | None) -> bytes: ...",
        "const { password } = req.body;",
        'define("DB_NAME", "shopping"); define("DB_PASSWORD", getenv("DB_PASSWORD"));',
        'assertEqual("password", "secretary"); getattr(user, "password", "missing")',
        "ENV DB_PASSWORD_FILE /run/secrets/db",
        'variable "region" {\n  default = "europe"\n}',
        "curl -u user:password https://x.example; docker run -u 1000:1000 image",
        "git clone https://ada99@git.example/x.git",
        "https://x.example/docs/reset-password/overview-of-the-whole-process?key=value",
        "dump --no-password mydb",
        'resetPassword("ada"); page.getByText("Password"); form.password("Password")',
        "To enable password protection and to enable secret scanning, ask.",
        '<password type="string" required="true" />',
        "fn(signature=inspect.signature(other_function_name_here))",
        'form-data; name="username"\n\nsunflower',
        'expect "login:"\nsend "sunflower\\r"',
        '<Setting Name="Theme">sunflower</Setting>',
    ],
)
def test_labels_names_in_code_and_addresses_stay(text):
    """Issue 22: words on a form, translations, variables that are passed on and names of resources are no secret."""
    assert guard.screen(text).text == text
