"""Plain words that a sentence gives as a secret, wherever it says its noun."""

from commonplace import guard
from marking import in_one_test

GIVEN = (
    ("tangerine, that's what I set the laptop password to", "tangerine"),
    ("It's still walnut. The password for the album", "walnut"),
    ("just say flamingo when it asks for the password", "flamingo"),
    ("Use password hollyhock on the old tablet", "hollyhock"),
    ("we type lemonadeStand if the kids want the password", "lemonadeStand"),
    ("Wenn er nach dem Kennwort fragt, sag einfach Zitronenfalter", "Zitronenfalter"),
    ("Beim WLAN gibst du Murmeltier ein, das ist das Passwort", "Murmeltier"),
    ("Das Kennwort. Murmeltier, so hab ich es genannt.", "Murmeltier"),
    ("tape coquelicot quand il demande le mot de passe", "coquelicot"),
    ("El primo puso lagartija de contraseña", "lagartija"),
    ("scrivi melanzana quando ti chiede la password", "melanzana"),
    ("digita abacaxi quando pedir a senha", "abacaxi"),
    ("typ aardbei als hij om het wachtwoord vraagt", "aardbei"),
    ("rzodkiewka, takie jest hasło do wifi", "rzodkiewka"),
    ("введи редиска, когда спросит пароль", "редиска"),
    ("dizüstünün parolası hâlâ karnabahar", "karnabahar"),
    ("비번 만두국밥42 라고 했어", "만두국밥42"),
    ("wifi at the cabin: cinnamonrollsforever", "cinnamonrollsforever"),
    ("op de beveiligingsvraag heb ik Minoes geantwoord", "Minoes"),
    ("alla domanda di sicurezza devi scrivere nonna Pina", "nonna Pina"),
    ("güvenlik sorusunun cevabı Boncuk", "Boncuk"),
)
KEPT = (
    "Type slowly when it asks for the password, the keyboard lags",
    "Which key combination makes a screenshot, Ctrl+Shift+S?",
    "Welche Tastenkombination war das, Alt+Druck?",
    "I use Bitwarden, my husband writes every password on sticky notes",
    "It's gone. The password notebook I mean",
    "Mike, that password you sent me doesn't work",
    "Anna, das Passwort hat nicht funktioniert",
    "Change the password before you travel to Bergen.",
    "Tape ton mot de passe puis valide",
    "No le digas la contraseña por teléfono a nadie",
    "To koszmar, hasło do banku ciągle wygasa",
    "Şifremi unuttum, nasıl sıfırlarım?",
    "Should a passphrase be four words or six?",
    "WLAN im Zug: katastrophal",
    "Give names, Dates, places to make your answers to the security check memorable.",
)


@in_one_test(("text", "secret"), GIVEN)
def test_a_plain_word_that_a_sentence_gives_as_a_secret_goes(text, secret):
    """Issue 22: near a noun for a secret, in any order; in ten languages."""
    assert secret not in guard.screen(text).text


@in_one_test("text", KEPT)
def test_words_that_nobody_gives_as_a_secret_stay(text):
    """Issue 22: what is typed, said or used near a noun may be anything."""
    assert guard.screen(text).text == text
