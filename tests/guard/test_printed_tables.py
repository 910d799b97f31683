"""Tables as machines draw them: the cells that a name in the head, or beside them, says are secrets; and what stays."""

import json
from itertools import product

from commonplace import guard
from commonplace.guard import tables
from marking import in_one_test

SECRETS = ["Zx9kLm" + "42Qp", "correct" + "horse", "amber-falcon" + "-92"]
MARK = "⟦secret:password:0000⟧"
TABLES = [
    'name,notes,password\n"Bank","two\nlines",{0}\n"Shop","",{0}\n',
    '"name","notes","password"\n"Bank","one\n\nthree","{0}"\n',
    "USER      PASSWORD        ROLE\nada       {0}    admin\nbob       {0}    user\n",
    "name      password       role\n--------  -------------  -----\nada       {0}   admin\n",
    " id | username |   password   \n----+----------+--------------\n  1 | ada      | {0}\n(1 row)",
    "+------+-------------+\n| user | password    |\n+------+-------------+\n| app  | {0} |\n+------+-------------+",
    "*************** 1. row ***************\n         id: 1\n       name: ada\n   password: {0}\n",
    "-[ RECORD 1 ]------\nid       | 1\nusername | ada\npassword | {0}\n",
    "====== Data ======\nKey         Value\n---         -----\npassword    {0}\nusername    app",
    "| Field | Value |\n|---|---|\n| Host | db |\n| Password | {0} |\n",
    "| Feld | Wert |\n|---|---|\n| **Passwort** | `{0}` |\n",
    "INSERT INTO users (id, password) VALUES (1, '{0}'), (2, '{0}');",
    "COPY public.users (id, name, password) FROM stdin;\n1\tada\t{0}\n2\tbob\t{0}\n\\.\n",
]


@in_one_test("table, secret", product(TABLES, SECRETS))
def test_the_cells_of_a_secret_go_and_the_table_stays(table, secret):
    """Issue 22: tables that databases, clusters, vaults and pages print, as they are and in a tool's result."""
    assert guard.screen(table.format(secret)).text == table.format(MARK)
    result = json.dumps({"stdout": table, "code": 0})
    assert guard.screen(result.replace("{0}", secret)).text == result.replace("{0}", MARK)


@in_one_test(
    "table",
    [
        "POSITIONAL\npassword      the password\nuser          the user name\n",
        "apt\tbase-passwd\t3.6.1\napt\tbash\t5.2.15\napt\tbsdutils\t2.38.1\n",
        "NAME                  READY   STATUS\npassword-reset-7d9f   1/1     Running\n",
        "NAME        TYPE     DATA\ndb-secret   Opaque   2\n",
        "| Field | Meaning |\n|---|---|\n| password | Anything |\n| user | Anyone |\n",
        "| Field | Value |\n|---|---|\n| Password | none |\n| Host | azure1 |\n",
        "| English | German |\n|---|---|\n| Password | Kennwort |\n",
        "Key    Value\n---    -----\nhost   azure1\npassword  n/a\n",
        "<tr><td>Password</td><td>User</td><td>Role</td></tr>",
        "<label>Password</label> <b>of your account</b>",
        "INSERT INTO users (name, password) VALUES (?, ?)",
        "INSERT INTO users (name, colour) VALUES ('ada', 'azurite')",
        "The form asks (name, password, role) VALUES ('x', 'y')",
        "words = [\n    'pass', 'password', 'phrase',\n    'pipe', 'pistol', 'plate',\n]",
    ],
)
def test_a_table_of_other_things_stays(table):
    """Columns of words about passwords, rows that are no head, and lists in code hold no secret."""
    assert guard.screen(table).text == table


def test_a_long_table_is_read_to_its_end():
    """An export of a manager of passwords has hundreds of rows; a sentence behind the table stays."""
    rows = "".join(f"shop{number}.example,ada,garden{number}gnome\n" for number in range(700))
    screened = guard.screen(f"url,username,password\n{rows}\nNothing more to say.\n").text
    assert "gnome" not in screened
    assert screened.endswith("\n\nNothing more to say.\n")


def test_a_flood_of_heads_is_read_a_bounded_number_of_times(monkeypatch):
    """Issue 22: of heads in each second row, every table began anew at the next screening."""
    read = []
    real = tables.cells
    monkeypatch.setattr(tables, "cells", lambda *args: read.append(args) or real(*args))
    counts = []
    for times in (200, 400):
        read.clear()
        guard.screen('password,a\n"x\ny",zebra\n' * times)
        counts.append(len(read))
    assert counts[1] <= 2.2 * counts[0]


@in_one_test(
    "noun, form",
    product(
        ["Пароль", "lösenord", "salasana", "şifre", "heslo", "비밀번호", "पासवर्ड", "كلمة المرور", "סיסמה", "jelszó", "adgangskode", "passord"],
        ['{{"{0}": "{1}"}}', "user,{0}\nann,{1}\n", "| user | {0} |\n|---|---|\n| ann | {1} |\n", "{0}: {1}\n"],
    ),
)  # fmt: skip
def test_a_password_goes_under_its_name_in_further_languages(noun, form):
    """Issue 22: Russian and Swedish tables and keys of JSON kept it."""
    for secret in SECRETS[:2]:
        assert guard.screen(form.format(noun, secret)).text == form.format(noun, MARK)
    label = json.dumps({noun: f"New {noun}"}, ensure_ascii=False)
    assert guard.screen(label).text == label
