"""Frames in which people tell a secret: a question about it, a number alone, a phrase before a clause; and others."""

from commonplace import guard
from marking import in_one_test

FRAMES = [
    ('Is "green bucket parade" a strong password for the bank?', "green bucket parade"),
    ("Ist „grüner Eimer marschiert“ ein gutes Passwort?", "grüner Eimer marschiert"),
    ("Is 'groene emmer danst' een goed wachtwoord?", "groene emmer danst"),
    ("Est « seau vert qui danse » un bon mot de passe ?", "seau vert qui danse"),
    ("My UTR is 31975 80246 for the form", "31975 80246"),
    ("Rijksregisternummer van Jan: 85.07.30-033.61", "85.07.30-033.61"),
    ("título de eleitor: 1023 8841 0175", "1023 8841 0175"),
    ("I gave the neighbour the code of the alarm, namely 6093", "6093"),
    ("Ich hab der Nachbarin den Code vom Tor gegeben, also die 6093.", "6093"),
    ("passei o CVV 842 pro rapaz da loja", "842"),
    ("Read me the CVC 842 to the shop? I did.", "842"),
    ("The PIN of the SIM is a new one. 6093.", "6093"),
    ("手机的密码我换好了。609314，别写在纸上", "609314"),
    (
        "The passphrase for the old disk is three tired herons knit scarves, don't lose it again",
        "three tired herons knit",
    ),
    ("Dad's online banking password is Caernarfon and his username is in the folder", "Caernarfon"),
    ("Question de sécurité sur l'école : la réponse c'était Montreuil", "Montreuil"),
    ("The answer to the security question about the first car is Fiesta azure", "Fiesta azure"),
]


@in_one_test(("text", "secret"), FRAMES)
def test_a_secret_in_such_a_frame_goes(text, secret):
    """Issue 22: what people say, in any order and in several languages."""
    assert secret not in guard.screen(text).text


@in_one_test(
    "text",
    [
        'Is "Remember me" a label of the password page?',
        'Is "strict" the policy for each password?',
        "The garage also has 2000 bricks",
        "We lost the PIN in summer. 2019 was a bad year.",
        "I reset my password. 1200 users were affected.",
        "They asked for the PIN. 400 people came.",
        "My password is wrong and my account is locked",
        "She wrote the code in three files, namely 120 lines",
        "The passphrase is long, and I never remember it",
    ],
)
def test_a_sentence_that_tells_none_stays(text):
    assert guard.screen(text).text == text
