"""Forms in which machines print secrets: cards with their expiry, quotes, lists, blocks, addresses; and what stays."""

from itertools import product

import pytest

from commonplace import guard
from commonplace.guard import printed, several, table
from marking import in_one_test

CARD, CARD_2 = "453268719" + "3056242", "537412986" + "0457138"
SPACED = "4532 6871 " + "9305 6242"


def _keeps(text: str, *secrets: str) -> str:
    """Return a screened text without its markers, none of which may be missing."""
    screened = guard.screen(text).text
    assert not any(secret in screened for secret in secrets), screened
    return screened


@in_one_test(
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


@in_one_test(
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
    "form",
    ["sshpass -p '{}' ssh a@b", "curl -u 'ann:{}' https://x.example", 'docker login -u a -p "{}" r.example'],
)
def test_a_password_in_quotes_goes_whole(form):
    """Issue 22: of a password of two words, the second stayed."""
    before, after = form.split("{}")
    screened = _keeps(form.format(WORDS), *WORDS.split())
    assert screened.startswith(before)
    assert screened.endswith(after)


@in_one_test(
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


@in_one_test(
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


@in_one_test(
    ("form", "secret"),
    [
        ("postgresql://postgres:{}@localhost:5432/app", "P@ssw0" + "rd!"),
        ("ftp://ann:{}@files.example.org/x", "pass@" + "word1"),
        ("postgres://app:{}@db/x", "pa/" + "ss1"),
        ("mysql://root:{}@127.0.0.1/db", "r00t@" + "Pass"),
        ("root:{}@tcp(localhost:3306)/x", "s3cret" + "pw"),
        ('dsn="app:{}@tcp(db:3306)/shop"', "mer" + "lin"),
        ("Server=db;Uid=app;Pwd={{{}}};", "Blue;" + "Tit7"),
        ("A temporary password is generated for root@localhost: {}", "hW3)kQ" + "9rLt&p"),
        ("helm upgrade a ./c --set postgresql.auth.password={} --set replicas=2", "tinpan" + "alley"),
        ("helm upgrade a ./c --set replicas=2,auth.password={}", "tinpan" + "alley"),
        ("Login{{user=ann, password={}}}", "white" + "throat"),
        ("Login{{password={}, user=ann}}", "white" + "throat"),
        ("<name>javax.jdo.option.ConnectionPassword</name>\n  <value>{}</value>", "hive" + "Hive7"),
        ("mnemonic: {}", "legal winner thank year wave sausage worth useful legal winner thank yellow"),
        ("Set-Cookie: remember_token={}; Path=/", "5|9f8a" + "7b6c5d4e"),
        ("Cookie: xs={}; c_user=100", "24%3AZk" + "2x9qLm"),
        ("cqlsh -u cassandra -p {}", "casso" + "wary7"),
        ("mosquitto_pub -u ann -P {} -t t", "poch" + "ard7"),
        ("ipmitool -I lanplus -H h -U ADMIN -P {} chassis", "poch" + "ard7"),
        ("evil-winrm -i h -u ann -p {}", "poch" + "ard7"),
        ("crackmapexec smb h -u ann -p {}", "poch" + "ard7"),
        ('winexe -U "dom/ann%{}" //h cmd', "poch" + "ard7"),
        ("--set auth.rootPassword={},replicas=2", "tinpan" + "alley"),
        ("snmpwalk -v3 -u ann -A {} h", "poch" + "ard7"),
        ("snmpwalk -v3 -u ann -X {} h", "poch" + "ard7"),
        ('ssh-keygen -t ed25519 -N "{}" -f k', "poch" + "ard7"),
        ("rabbitmqctl change_password ann {}", "poch" + "ard7"),
        ("mc alias set m http://h admin {}", "poch" + "ard77"),
        ("api_key={}\nport=80", "9fK2mZ7qLp0s\n" + "Vx4TbNw8Rt5y"),
        ("-H 'Authorization: Bearer \\\n {}'", LONG),
    ],
)
def test_a_password_of_an_address_a_command_a_record_or_a_page_goes(form, secret):
    """Issue 22: what is around it stays."""
    screened = _keeps(form.format(secret), secret, *secret.split("\n"))
    before, after = form.replace("{{{", "{\0").replace("{}", "\0").replace("{{", "{").replace("}}", "}").split("\0")
    assert screened.startswith(before)
    assert screened.endswith(after.lstrip("}") if "Pwd=" in form else after)


@in_one_test(
    "text",
    [
        "http://host:8080/path/user@example.org",
        "https://x.example/a:b/c@d",
        "docker://quay.io:5000/a/b@sha256:00",
        "postgres://user:password@localhost/x",
        "<Login password={password} />",
        "fn({user=a, password=getPw()})",
        "Password\n\nMust have 8 signs\n",
        "Password\n\nOAuth2\n",
        "Cookie: theme=dark; lang=en-US",
        "Mail root@localhost about the password.",
        "tokenizer: cl100k_base",
        "mnemonic: every good boy does fine",
    ],
)
def test_addresses_code_and_pages_without_a_password_stay(text):
    assert guard.screen(text).text == text


@in_one_test(
    ("text", "secret"),
    [
        ("setx DB_PASSWORD Wren7harbour", "Wren7harbour"),
        ("setx /M SMTP_PASS Wren7harbour", "Wren7harbour"),
        ("https://id.example/cb?code=1&client_secret=q8Ys%2Br1Mn%2FaU5%3D%3D", "q8Ys%2Br1Mn%2FaU5%3D%3D"),
        ('{"kind":"Secret","stringData":{"pw":"heron-lamp","user":"ann"}}', "heron-lamp"),
        ('{"name":"projects/p/secrets/db/versions/1","payload":{"data":"V3JlbjdoYXJib3Vy"}}', "V3JlbjdoYXJib3Vy"),
        ("name: projects/1/secrets/db/versions/2\npayload:\n  data: V3JlbjdoYXJib3Vy\n", "V3JlbjdoYXJib3Vy"),
    ],
)
def test_a_variable_a_query_and_a_payload_give_their_secret(text, secret):
    """Issue 22: `setx`, a short secret with escapes in a URL, `pw` in data, the version of a secret in a vault."""
    _keeps(text, secret)


@in_one_test(
    "margin, name",
    product(
        ["+", "-", "+  ", "12:", "     3\t", "     3→", "12 │ +", ".env:3:", "./.env-3-", ".env:", "web_1  | ", "#"],
        ["DB_PASSWORD", "SMTP_PASS", "db_password", "spring.mail.password"],
    ),
)
def test_a_setting_goes_behind_what_a_tool_prints_before_its_line(margin, name):
    """Issue 22: a `.env` line of `git diff` or `grep -n` kept its password."""
    for before in "port=80\n" + margin, f"src/main/resources/{margin}" if "." in margin else margin:
        assert guard.screen(f"{before}{name}=marmalade9X\n").text.startswith(f"{before}{name}=⟦secret:password")


@in_one_test(
    "text",
    [
        "src/auth/login.ts:42: const x = await fetch(url)",
        "src/auth/login.ts:42:7 - error TS2345: Argument of type",
        "path/credentials.py:12: def load(path):",
        "src/commonplace/recall/token.py:41:_LINE_TOKENS: Final = 60_000\nsrc/commonplace/recall/token.py-42-    spent = mine",
        "src/auth/token_pool.rs\n12:    let budget = 4096;\n13-    turn_2()",
        "error[E0425]: cannot find it\n  --> src/login/session_v2.rs:12:5",
        "src/auth/token_store_v2.c:120:9: warning: unused variable 'n_2'",
        'File "/srv/app/login/credentials.py", line 42, in check_v2',
        "    at Object.<anonymous> (/app/src/login/token_v2.js:130:11)",
        "src\\Login\\Token.cs(42,7): error CS1002: ; expected",
        "src/commonplace/store/logged.py:7:from commonplace.store.protocol import Logged",
        "src/auth/secrets/Makefile:12: build3x: all",
        'lines.py:11:  self.data = text.encode("utf-16")',
    ],
)
def test_the_path_before_a_line_that_was_found_is_no_label_and_no_value(text):
    """A search through source with `login` or `token` in the name of a file gave 700 lines without their path."""
    assert guard.screen(text).text == text


@in_one_test("place", ["src/login.py:9:    ", "src/login.py:9:", "./notes/login.md-9-", "login.py:9:17: "])
def test_behind_the_path_a_secret_goes(place):
    """What a search found is read as if it stood alone."""
    for said in "password = '{}'", "the wifi password is {}", "DB_PASSWORD={}":
        assert guard.screen(place + said.format("marmalade&9X")).text.startswith(place + said.partition("{}")[0] + "⟦")


@in_one_test(
    "text",
    ["this->dbPassword=candidate;", "$a::db_password=candidate;", "- password: hashed", "f(a, token.PASSWORD=x)"],
)
def test_a_name_inside_a_line_of_code_is_no_setting(text):
    assert guard.screen(text).text == text
