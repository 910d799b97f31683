import hashlib
import json
from itertools import product

import blind_set
import pytest

from commonplace import guard
from marking import in_one_test

KEY_KINDS = ["", "RSA ", "DSA ", "EC ", "OPENSSH ", "ENCRYPTED ", "ANY ", "PGP "]


def _filled(template, secret):
    return template.replace("{}", secret)


def _rate(cases):
    missed = [
        template
        for template, secret in cases
        if secret in (screened := guard.screen(_filled(template, secret))).text or not screened.secrets
    ]
    return 1 - len(missed) / len(cases), missed


def test_the_blind_set_is_large_enough_to_say_something():
    """Safety notes 3.1: a blind set, since a set by the author of the rules is optimistic."""
    assert len(blind_set.SECRETS) >= 120
    assert len(set(blind_set.BENIGN)) >= 200


def test_nine_of_ten_secrets_phrased_as_memories_are_found_and_gone():
    """Safety notes 3.1: recall at least 90 % on the blind set; the secret itself is nowhere left."""
    rate, missed = _rate(blind_set.SECRETS)
    assert rate >= 0.90, missed


@pytest.mark.parametrize("part", ["VENDORS", "STRUCTURES", "WORDS", "LANGUAGES", "LATER"])
def test_no_part_of_the_blind_set_falls_behind(part):
    """Safety notes 3.1: non-Latin phrasing and codes were what other scanners missed."""
    rate, missed = _rate(getattr(blind_set, part))
    assert rate >= 0.90, missed


def test_at_most_one_in_a_hundred_near_misses_is_taken_for_a_secret():
    """Safety notes 3.1: hashes, UUIDs, images, versions, phone numbers, code and talk about passwords stay."""
    benign = blind_set.BENIGN + blind_set.LATER_BENIGN
    taken = [text for text in benign if guard.screen(text).secrets]
    assert len(taken) <= len(benign) // 100, taken


@in_one_test(
    "text",
    [
        "Quick question: which db do we use? The answer is Postgres.",
        "User: Question 3 about Docker on port 8003. | Assistant: Answer 3: open port 8003.",
        "Frage: welche Datenbank nehmen wir? Antwort: Postgres.",
        "Pregunta: ¿qué puerto usamos? Respuesta: el 5432.",
        "问题：用哪个数据库？答案是PostgreSQL。",
        "We lock 2048 rows at once.",
        "The garage is 2400 euros.",
        "Der Code ist 4711 Zeilen lang.",
        "El código de estado es 404.",
        "Please pin numpy==1.26.4 in the requirements.",
    ],
)
def test_an_answer_an_amount_and_a_pinned_version_are_no_secrets(text):
    """Issue 19, tried as a user: "Question … Answer … port 8003" of a turn became a marker in the notes of the day."""
    assert guard.screen(text).text == text


def test_the_answer_to_a_security_question_is_a_secret():
    """DESIGN 1.11: what opens an account stays out."""
    for text in ("Security question: first pet? Answer: Fluffy.", "Sicherheitsfrage: Haustier? Antwort: Bello."):
        assert guard.screen(text).secrets, text


@in_one_test("kind, breaks", product(KEY_KINDS, ["\n", "\r\n", "\\n", "\n> ", "\n    "]))
def test_a_private_key_of_any_kind_goes_whole(kind, breaks):
    """Safety notes, finding 9: PKCS#8 and ENCRYPTED too, as pasted, quoted, indented or inside JSON."""
    block = blind_set.pem(f"{kind}PRIV" + "ATE KEY" + (" BLOCK" if kind == "PGP " else ""), 7, 5, breaks)
    screened = guard.screen(f"before {block} after")
    assert screened.secrets == ("private-key",)
    assert screened.text.startswith("before ⟦secret:private-key:")
    assert screened.text.endswith("⟧ after")


def test_a_private_key_cut_off_in_the_middle_goes_as_far_as_it_reaches():
    """Safety notes 3.1: a truncated paste is still a key; the prose behind it is not."""
    block = blind_set.pem("RSA PRIV" + "ATE KEY", 3, 4).rsplit("\n", 1)[0]
    screened = guard.screen(f"{block}\nThat was all of it, see you.")
    assert screened.text.endswith("⟧\nThat was all of it, see you.")
    assert screened.text.count("\n") == 1


def test_only_the_secret_goes_and_the_words_around_it_stay():
    """DESIGN 1.7: captured text is redacted to a marker, not dropped."""
    token = "gh" + "p_" + blind_set.drawn(1, blind_set.ALNUM, 36)
    hash4 = hashlib.sha256(token.encode()).hexdigest()[:4]
    assert guard.screen(f"CI uses {token}, ask Ana.").text == f"CI uses ⟦secret:github-token:{hash4}⟧, ask Ana."


def test_the_marker_of_a_secret_that_a_person_chose_tells_nothing_of_it():
    """Safety notes 3.1: 16 bits of a hash would confirm a guessed PIN, so there are none."""
    for text in ["my PIN is " + "48" + "21", "password: " + "hunter" + "2", "visa " + blind_set.luhn("4", 16, 5)]:
        screened = guard.screen(text)
        assert screened.secrets
        assert ":0000⟧" in screened.text


def test_the_same_key_gets_the_same_marker_and_another_key_another():
    """Safety notes T6: the marker shows where one key turned up twice."""
    one, other = ("np" + "m_" + blind_set.drawn(n, blind_set.ALNUM, 36) for n in (1, 2))
    first, second, third = guard.screen(f"{one}\n{one}\n{other}").text.splitlines()
    assert first == second != third


@in_one_test("hidden", ["\u200b", "\u2060", "\u00ad", "\ufeff", "\U000e0041"])
def test_a_secret_cut_up_with_hidden_characters_is_still_found(hidden):
    """Safety notes 3.2: hidden characters are made visible before rules look, and looked through."""
    token = "gh" + "p_" + blind_set.drawn(4, blind_set.ALNUM, 36)
    screened = guard.screen(f"use {token[:12]}{hidden}{token[12:]} today")
    assert screened.secrets == ("github-token",)
    assert token[:12] not in screened.text
    assert token[12:] not in screened.text
    assert screened.text.endswith(" today")


def test_a_secret_after_a_control_byte_is_found():
    """Safety notes 3.2: a dump of an environment parts its variables by NUL."""
    token = "AK" + "IA" + blind_set.drawn(5, blind_set.UPPER, 16)
    assert guard.screen(f"A=1\x00KEY={token}\x00PATH=/bin").secrets == ("aws-access-key-id",)


def test_two_secrets_in_one_text_are_both_named_in_order():
    """Issue 3: an error names the classes, each once, in order."""
    text = f"pin is {'90' + '17'} and key " + "sk-" + "ant-api03-" + blind_set.drawn(6, blind_set.URLSAFE, 60)
    assert guard.screen(text).secrets == ("pin", "anthropic-key")


@pytest.mark.parametrize("text", ["4111 1111 1111 1112", "1234 5678 9012 3456", "0000 0000 0000 0000"])
def test_a_number_that_fails_its_check_digit_is_no_card(text):
    """Safety notes 3.1: cards by Luhn."""
    assert guard.screen(f"number {text}").text == f"number {text}"


@pytest.mark.parametrize(
    "text", ["Bitte immer UUIDv7 als Schlüssel.", "The keys are always UUIDv4.", "The token is base64url."]
)
def test_a_kind_of_key_is_no_key(text):
    """Issue 20, tried as a user would: what keys look like is a decision worth keeping."""
    assert guard.screen(text).text == text


def test_a_mnemonic_is_a_help_to_remember_until_it_is_told():
    """Issue 16, the made-up life: the word alone hid what a sentence said."""
    for plain in (
        "A mnemonic to keep a mutex apart from a semaphore",
        "I need a mnemonic for the order of the planets",
        "What is a good mnemonic for the colours of the rainbow, for a child of seven years?",
    ):
        assert guard.screen(plain).text == plain
    told = "My mnemonic is: witch collapse practice feed shame open despair creek road again ice least"
    assert "witch" not in guard.screen(told).text


@in_one_test(
    "text, secret",
    [
        ("You'll need the gate code. It's 4471, star.", "4471"),
        ("481 057, that is the verification code", "481 057"),
        ("The keybox is on the porch, 5082 opens it", "5082"),
        ("Her PIN used to be 2281.", "2281"),
        ("passport no. X4491822 for the form", "X4491822"),
        ("the URL is postgres://app:oX7%2Fplum-Drain@db.example:5432/x", "oX7%2Fplum-Drain"),
    ],
)
def test_a_secret_is_found_however_its_sentence_is_built(text, secret):
    """Issue 22: in any order and within the sentence, or in the next one that goes on about it."""
    assert secret not in guard.screen(text).text


@in_one_test(
    "text",
    [
        "The gate opens at 0900 and closes at 1800.",
        "Our vault has 1500 notes in Obsidian.",
        "My router is a FRITZ!Box 7590",
        "Der Quellcode liegt im Archiv, siehe Vorgang 50932",
        "export GROQ_API_KEY=gsk_...",
    ],
)
def test_a_number_that_nothing_opens_with_is_no_secret(text):
    assert guard.screen(text).text == text


def test_a_marker_is_no_secret_of_the_words_around_it():
    """A second reading took the marker for the answer, and the whole line went."""
    text = guard.screen("Tia Zuleide é a resposta da pergunta secreta, acho que escrevi com maiúscula").text
    assert text == "⟦secret:password:0000⟧ é a resposta da pergunta secreta, acho que escrevi com maiúscula"


@in_one_test("behind", [" (status 429)", " and try again", "&page=2", ""])
def test_a_key_in_the_query_of_an_address_goes_though_the_sentence_goes_on(behind):
    """Issue 22: machines print the address that failed, and then why."""
    key = "WhgbY9w3CBtX5tgj" + "L1S4SYBubiaaL7X5"
    found = guard.screen(f"fetch failed: https://maps.example/tiles?z=4&access_token={key}{behind}").text
    assert key not in found
    assert found.startswith("fetch failed: https://maps.example/tiles?z=4&access_token=⟦secret:")
    assert found.endswith(behind)


def test_a_key_with_a_word_behind_its_first_letters_goes_and_a_class_of_a_page_stays():
    key = "sk-" + "live-7Tb2QmZr81LxUbV04nCw"
    assert key not in guard.screen(f"use this one for the API: {key}").text
    page = "sk-fading-circle2 and sk-cube-grid are classes"
    assert guard.screen(page).text == page


def test_the_token_of_a_telegram_bot_goes_out_of_the_address_it_is_called_by():
    """Issue 22: the vendor's own way to print it; `bot` is right before it."""
    token = "6184920375:" + "AAr7JU8NPjxrPPgDN0fgmsZgOCSm9CC3mCQ"
    found = guard.screen(f"GET https://api.telegram.org/bot{token}/sendMessage?chat_id=-100123").text
    assert token not in found
    assert found.endswith("/sendMessage?chat_id=-100123")


def test_the_page_of_a_list_in_an_address_is_no_secret():
    """Issue 22: `token` names more than keys."""
    for text in ("see https://e.example/reset?token=expired or ask", "next: /list?page_token=4096 for more"):
        assert guard.screen(text).text == text


@in_one_test(
    "value, sentence",
    product(
        ["Kestrel-88", "wiosna-77", "Blossom-4", "regen-302"],
        ["The password is {}", "Log in with the password {} please.", "mein Passwort ist {}, merk es dir"],
    ),
)
def test_a_word_with_a_number_behind_a_hyphen_is_a_value(sentence, value):
    """Issue 22: what looks like a value near a noun for a secret goes; it has a digit."""
    assert value not in guard.screen(sentence.format(value)).text


@in_one_test(
    "text",
    ["The password is hashed with sha-256", "the token is signed with HS-256", "The key is AES-128", "The PIN is asked for in step-2", "the code is in ABC-123",
     "The password is for covid-19 results", "the passcode is the one from phase-3"],
)  # fmt: skip
def test_a_name_with_a_number_behind_a_hyphen_is_no_value(text):
    assert guard.screen(text).text == text


@in_one_test(
    "line", ['  "{}\\n"\n', " '{}',\n", '    "{}\\n"\n    + ', ' . "{}"\n', '-   "{}",\n', '12:  "{}",\n', '"{}", ']
)
def test_the_lines_of_a_key_in_source_go_without_its_end(line):
    """Issue 22: between quotes and without its last lines, a key was kept whole."""
    lines = [blind_set.drawn(seed, blind_set.ALNUM, 64) for seed in range(6)]
    head = "-----BEGIN PRIV" + "ATE KEY-----"
    source = "".join(line.format(each) for each in [head, *lines]) + line.split("{")[0] + lines[0][:30]
    for text in source, json.dumps({"output": source}):
        assert not [each for each in lines if each[:20] in guard.screen(text).text]
    code = f'if text.startswith(("{head}", "longidentifierofsomething")):\n    return "abc"\n'
    assert guard.screen(code).text.endswith('", "longidentifierofsomething")):\n    return "abc"\n')


@in_one_test(
    "form",
    [
        "ya29.{}",
        "EAAG{}",
        "hvs.CAESI{}",
        "xoxe.xoxp-1-{}",
        "gh" + "p_{}",
        "eyJ{0:.40}.eyJ{0}.{0:.43}",
        "eyJ{0:.40}.eyJ{0:.60}.{0}",
    ],
)
def test_a_token_goes_whole_that_is_longer_than_its_rule_looks(form):
    """Issue 22: one of any length was no token where it was longer than its rule said."""
    for size in 300, 1100, 20_000:
        token = form.format(blind_set.drawn(size, blind_set.ALNUM, size))
        assert len(guard.screen(f"It is {token}, isn't it?").text) < 60
