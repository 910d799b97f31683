"""Secrets in what people say and machines print, from sets that were written without sight of the rules.

A `¦` in the data parts what would look like a live key to a scanner of repositories; it is taken out here.
"""

import json
import re
from pathlib import Path

import pytest

from commonplace import guard
from marking import in_one_test

DATA = Path(__file__).parent / "data"


def _rows(name):
    text = (DATA / f"{name}.jsonl").read_text(encoding="utf-8").replace("¦", "")
    return [json.loads(line) for line in text.splitlines()]


SAID, PRINTED, MORE = _rows("secrets_said"), _rows("secrets_printed"), _rows("secrets_said_more")
FRESH = _rows("secrets_said_fresh")
LATER = [*_rows("secrets_said_chats"), *_rows("secrets_said_week")]
TWELVE = _rows("secrets_said_twelve")  # in twelve languages
READ = [*SAID, *MORE, *FRESH[: len(FRESH) // 2], *LATER, *TWELVE[: len(TWELVE) // 2]]  # while the rules were built
UNSEEN = FRESH[len(FRESH) // 2 :]


def _missed(rows, kind):
    kept = []
    for row in rows:
        if row["kind"] != kind:
            continue
        text = re.sub("⟦[^⟧]*⟧", "", guard.screen(row["text"]).text)
        if any(secret in text for secret in row["secret"]):
            kept.append(row["text"])
    return kept


def _share(rows, kind):
    return 1 - len(_missed(rows, kind)) / sum(row["kind"] == kind for row in rows)


def test_the_sets_are_large_and_in_ten_languages():
    """Issue 22: at least 400 sentences in ten languages."""
    assert min(len(SAID), sum(row["kind"] == "cue" for row in FRESH)) >= 400
    assert len({row["language"] for row in SAID}) == 10
    assert len({row["language"] for row in FRESH}) >= 10
    assert len(PRINTED) >= 180


@pytest.mark.parametrize("rows, least", [(READ, 0.95), (PRINTED[: len(PRINTED) // 2], 0.98)])
def test_secrets_with_a_cue_are_gone(rows, least):
    """Issue 22: near a noun for a secret, what looks like a value goes; what was read while building."""
    assert _share(rows, "cue") >= least, _missed(rows, "cue")


def test_secrets_in_sentences_that_nobody_read_are_gone():
    """Issue 22: the half that was run once, at the end: 213 of 220 with a cue, two false alarms of 127, mended since."""
    assert _share(UNSEEN, "cue") >= 0.95, _missed(UNSEEN, "cue")


@pytest.mark.parametrize("rows", [SAID, PRINTED, FRESH])
def test_secrets_with_a_known_form_are_gone(rows):
    """Issue 22: format 98 %."""
    assert _share(rows, "format") >= 0.98, _missed(rows, "format")


@pytest.mark.slow
def test_secrets_in_two_later_sets_are_gone():
    """Issue 22: 246 of 270 with a cue in the halves that were run once, 519 of 540 in both halves since they were read."""
    assert _share(LATER, "cue") >= 0.95, _missed(LATER, "cue")
    assert _share(LATER, "format") >= 0.98, _missed(LATER, "format")
    assert sum(row["kind"] == "none" and bool(guard.screen(row["text"]).secrets) for row in LATER) <= 2


def test_secrets_in_the_half_of_twelve_languages_that_nobody_read_are_gone():
    """Issue 22: run once, 59 of 65 were found, and one of 35 others was taken; two more and that one are mended since."""
    held = TWELVE[len(TWELVE) // 2 :]
    assert _share(held, "cue") >= 0.9, _missed(held, "cue")
    assert sum(row["kind"] == "none" and bool(guard.screen(row["text"]).secrets) for row in held) <= 1


def test_a_bank_account_and_a_year_are_no_secrets():
    """Safety notes 3.1 list no bank accounts: a person wants to remember where to pay the rent."""
    for text in (
        "Pay the rent to DE33 1424 1033 2631 9842 91, reference flat 4.",
        "My PIN pad broke in 2021, the shop replaced it.",
        "Is two-factor with a code by text message still considered safe in 2025?",
    ):
        assert guard.screen(text).text == text


@pytest.mark.parametrize("rows", [SAID, PRINTED[: len(PRINTED) // 2], MORE, FRESH])
def test_what_only_speaks_of_secrets_stays(rows):
    """Issue 22: captured text is redacted for ever, so "the token budget is 4096" stays."""
    taken = [row["text"] for row in rows if row["kind"] == "none" and guard.screen(row["text"]).secrets]
    assert taken == []


@in_one_test(
    "text, kept",
    [
        ('{"out":"ok\\ngh' + "p_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8" + '"}', '{"out":"ok\\n'),
        ("next=https%3A%2F%2Fx.example%2F%3Ftoken%3Da1B2c3D4e5F6g7H8i9J0", "%3Ftoken%3D⟦"),
        ("&lt;password&gt;Barn!Door.83&lt;/password&gt;", "&lt;/password&gt;"),
        ('{\\"password\\": \\"salt\\"}', '{\\"password\\": \\"'),
    ],
)
def test_a_text_is_also_matched_as_what_it_means(text, kept):
    """Issue 22: JSON escapes, %3D, XML; only the secret goes."""
    screened = guard.screen(text)
    assert len(screened.secrets) == 1
    assert kept in screened.text
    assert guard.screen(screened.text).text == screened.text


@in_one_test(
    "text",
    [
        "mysql -p{} shop",
        "mysqldump --all -u root -p{} shop",
        "sshpass -p {} ssh deploy@host.example",
        "SSHPASS='{}' sshpass -e rsync a b",
        "docker login -u mira -p {} registry.example",
        "# ~/.pgpass\nlocalhost:5432:*:postgres:{}\n",
        "WIFI:T:WPA;S:home;P:{};;",
        '{{"tool":"vault","pin":1234,"password":"{}"}}',
        "user,password,url\nann,{},x.example",
        "https://bob:{}@host.example/x",
        "The password for the shed is\n{}",
        "Das WLAN-Passwort lautet:\n  {}",
    ],
)
def test_of_a_command_or_a_wrapped_sentence_only_the_secret_goes(text):
    """Issue 22: what machines print, and a secret over two lines; the words around it stay."""
    secret = "Barn" + "Door83"
    screened = guard.screen(text.format(secret))
    assert re.sub("⟦[^⟧]*⟧", "*", screened.text).replace("1234", "*") == text.format("*").replace("1234", "*")


def test_numbers_beside_the_word_token_stay():
    """Issue 22: what a coding agent's day is full of."""
    for text in (
        "the token budget is 4096",
        "max_tokens: 4096, temperature 0.2",
        "eval rate: 41.27 tokens/s, 512 tokens in 12.4 s",
        "const token = await getAccessToken(user, scope);",
        "| Setting | Default |\n|---|---|\n| password_min_length | 12 |",
        '{"password":{"type":"string","minLength":12,"maxLength":128}}',
        "hashed_password = generate_password_hash(password, method='sha256')",
        'connect(user="shop_user", password="shop_password", host="localhost")',
        "connect(user=DB_USER, password=db_password, host=DB_HOST)",
        "verifier_pin = pin_element.text\nnew_access_token = auth.access_token",
        "img_base64 = encode(buffer)  # the code of the door camera",
        "uses: aws-actions/amazon-ecr-login@v2 to log in",
        "create_engine('postgresql://user:password@host:port/dbname')",
        "aws ecr get-login-password --region us-west-2",
        "The lock limits my requests to 300 per 15 minutes, the oven opens at 27 degrees",
        "The lockbox address is PO Box 804145, Chicago",
        "GitHub is asking for my password again",
        "Thomas is the one with the password, and Nextcloud is where I keep it",
        "The wifi mac is 3c:22:fb:11:09:aa.",
    ):
        assert guard.screen(text).text == text


@pytest.mark.parametrize(
    "text",
    [
        "Writer 3 keeps token zq3v1k in drawer 301.",
        "Decided: token zz12005q is in drawer 12.",
        "The token imp:0q100z was said.",
    ],
)
def test_a_short_name_behind_a_noun_is_no_secret(text):
    """Issue 23: 500 plain memories of a hundred processes were refused as secrets, 8,394 messages were redacted."""
    assert guard.screen(text).text == text


def test_a_short_value_that_a_noun_is_said_to_have_is_a_secret():
    assert "q3v1k7" not in guard.screen("Our token is q3v1k7.").text


@pytest.mark.parametrize("text", ["my password is {}!", "我的密码是 {}", "Passwort: {}"])
def test_a_password_that_looks_like_a_commit_goes(text):
    """Eight signs of which each may be of a hash: behind a commit they stay."""
    secret = "Abc" + "12345"
    assert secret not in guard.screen(text.format(secret)).text
    assert guard.screen(f"The commit {secret} fixes it.").text == f"The commit {secret} fixes it."


@pytest.mark.parametrize(
    "text",
    [
        "The password: {Winter.md-2024x}",
        "password is {kQ9xTr.js:7fA}",
        "password reviewed: {Tr0ub4dor&3}",
        "My Hauscode({4471})",
    ],
)
def test_a_secret_goes_that_begins_like_a_file_or_stands_in_brackets(text):
    """Issue 22: a value that began as `name.md-2` was read as the path of a found line, `Hauscode(` as a call."""
    before, said, after = re.split("[{}]", text)
    screened = guard.screen(before + said + after).text
    assert said not in screened
    assert screened.startswith(f"{before}⟦")


@pytest.mark.parametrize(
    "text",
    [
        "Which locker is free? 1, 2, 3",
        "Which lock sizes fit? 2, 3, 4",
        "The door code list: rooms 1, 2, 3, 4",
        "The door code list: rooms 4, 2, 7",
        "The door code list: sizes 4, 2, 7",
    ],
)
def test_a_list_of_small_numbers_is_no_code(text):
    """Issue 22: digits with commas are one code if they do not rise and nothing is numbered by them."""
    assert guard.screen(text).text == text
