"""Numbers and mixed signs near a noun for a secret: those that open something go, those that count or name stay."""

from commonplace import guard
from commonplace.guard import said
from marking import in_one_test


@in_one_test(
    ("text", "secret"),
    [
        ("der Code vom Hoftor wurde am Freitag auf irgendwas mit 6318 gestellt", "6318"),
        ("Kapı kodu bozuldu, 6318 kodunu dene", "6318"),
        ("what's the gate code? - 6318", "6318"),
        ("Two codes: the shed takes 631877, the barn 440912", "631877"),
        ("He changed his PIN to 1953 because he likes the year", "1953"),
        ("Mi PIN era 6318 pero lo cambié a 1907 ayer", "1907"),
        ("on a mis 6318 comme code du portail", "6318"),
        ("combinatie 418, schrijf dat ergens op", "418"),
        ("The note by the keypad gives the code as #0318#6", "#0318#6"),
        ("They sent me the code T4WQ9 for the console", "T4WQ9"),
        ("the pick-up code is WK7-318", "WK7-318"),
        ("der türcode hinten ist 6318c, vorne reicht der knopf", "6318c"),
        ("Secret key for the app, in four parts: KRSX G5BA ONQW CZLT", "KRSX G5BA ONQW CZLT"),
        ("valiz kombinasyonu 418", "418"),
        ("the combination of the safe is 45 R, 12 L, 33 R", "45 R, 12 L, 33 R"),
        ("Le coffre : deux tours à droite jusqu'à 36, puis gauche 11", "36"),
        ("alarm kodu beş sıfır üç sekiz", "beş sıfır üç sekiz"),
        ("код сигнализации пять ноль три восемь", "пять ноль три восемь"),
        ("cadenas du garage 12-9-31", "12-9-31"),
        ("wpa2 key under the router: 4HGT-81NX-QQL2", "4HGT-81NX-QQL2"),
        ("警報を止めるには6318を入力", "6318"),
        ("is my password heronsRloud any good?", "heronsRloud"),
        ("my passwrd is heron!418", "heron!418"),
        ("le mdp du club c heronbleu", "heronbleu"),
        ('If they want the phone password, say "purple turnip".', "purple turnip"),
        ("A frase-chave do cofre é quatro garças no telhado.", "quatro garças no telhado"),
        ("euh non pas 6318, l'alarme du bureau c'est 6381", "6318"),  # beside another code
        ("De kluis draai je op 12, dan 38, dan 5", "12, dan 38, dan 5"),
        ("Gym locker, second row. 38 left, 14 right", "14"),  # in the next sentence
        ("We changed the alarm last week. It used to be 1066.", "1066"),
        ("Pour le coffre de l'hôtel je mets 6318.", "6318"),
        ("自転車の鍵、307だから忘れないで。", "307"),
        ("They asked what to type on the keypad at the dock. Priya's answer: 7*7*3", "7*7*3"),
        ("the serial I bought in 2019 was 1330-0482-9917-5526-7041-3388.", "1330-0482-9917-5526-7041-3388"),
        ("La licencia del antivirus es 7HQ2-K9ZP-4MTX-81LD.", "7HQ2-K9ZP-4MTX-81LD"),
        ("login for the council tax portal is m.hargreaves, then Thursday-Rain-17", "Thursday-Rain-17"),
        ("奶奶家的wifi连的时候输jiaozi1958就行。", "jiaozi1958"),
        ("学校系统我用lihua登录，后面填Panda#2016。", "Panda#2016"),  # a noun behind a letter
        ("Merk dir bitte: Nebel Koffer Ziegel Anker, das ist die Passphrase vom Tresor.", "Nebel Koffer"),
        ("'seeotter' hab ich als Passwort fürs Archiv gesetzt, wie ändere ich das?", "seeotter"),
        ("Il mot de passe de la baie « lanterne » est trop court, tu crois ?", "lanterne"),
        ("La guest wifi se llama Casa9 y la clave del router es 'tejado', ¿la imprimes?", "tejado"),
        ("Niet 1987 maar 1978 is de code van het hek", "1987"),
        ("Zorg dat de code van de garage 2904 is, vanaf maandag", "2904"),
        ("pwd R1verstone, start on Monday", "R1verstone"),
        (
            "I set the passphrase for the backup to lantern gravel otter pine, and now I forget it",
            "lantern gravel otter",
        ),
        ("7QXM 4TLA 9PWD 3K is the secret key on the card", "7QXM 4TLA 9PWD 3K"),
        ("Zmieniłem hasło w systemie na cichaLatarnia, nikt nie wie", "cichaLatarnia"),
    ],
)
def test_a_value_near_a_noun_goes_without_a_frame(text, secret):
    """Issue 22: on a set that nobody had seen, 115 of 130 were found; what stood around the number decided."""
    assert secret not in guard.screen(text).text


@in_one_test(
    "text",
    [
        "I paid 2499 for the safe",
        "A senha é secreta e intransferível: escreve isso mais curto para o aviso.",
        "418 is the code for teapots.",
        "The garage is on level 3, bay 2147",
        "Alarm system model 6160, as before",
        "We have a Chamberlain 8550 for the garage door",
        "Die Garage hat uns 12750 gekostet",
        "le portail a coûté 3450",
        "We wrote 1250 tests for the gate code.",
        "The worker waits for lock 1234.",
        "Is a 1000-grit stone any good? Something else: the geocoder is slow.",
        "The castle of the locksmith code was built in 1869",
        "hex color code 4471FF looks nice",
        "Posta kodu 34710",
        "CAP 20121, codice catastale di Milano",
        "1414 - The code of the file\n1415 - and the ANSI codes of each line\n1416 - with an index",
        "Use 30-45 second intervals in a microwave-safe bowl",
        "Z kodem LATO20 jest taniej",
        "the db pw is in 1password under 'shop-prod'",
        "the wifi password is in the folder 'Home docs'",
        "Code review for PR 1187 is due Thursday",
        "O chamado 33871 é sobre a senha expirada.",
        "The gate fee is 1250 and the lift is broken.",
        "The garage door is 2134 mm wide and the opener costs 389.",
        "金庫の型番は3042です。",
        "My alarm rings at 7, then 12, then 22",
        "GUID for the Windows license: 550E8400-E29B-41D4-A716-446655440000",
        "charmap can't encode characters in position 1204",
        "Welche Passwortmanager sind kostenlos und taugen was?",
        "return jsonify({'error': 'Invalid username or password'}), 401",
        "password = db.Column(db.String(120), nullable=False)",
        "Peer review is on April 15, 2024, and my code is ready",
        "The tests of my code cover success, 404, 401, and 429 responses.",
    ],
)
def test_a_number_that_counts_or_names_stays(text):
    """The ordinary day: a price, a model, a year, a status, the number of a line and a place are no codes."""
    assert guard.screen(text).text == text


def test_a_number_of_any_length_is_screened():
    """A number of twenty digits near a noun for a code raised `OverflowError`, so its message could not be stored."""
    assert guard.screen(f"My PIN is {'1234567890' * 3}.").text == "My PIN is ⟦secret:pin:0000⟧."


def test_the_pass_that_proves_reads_no_sentence_again(monkeypatch):
    """Issue 22: a text with one secret was read as a whole a second time."""
    read = []
    real = said.values_in
    monkeypatch.setattr(said, "values_in", lambda *args: read.append(args) or real(*args))
    lines = [f"The password of house {name} is in the drawer.\n" for name in ("a", "b", "c", "d", "e", "f")]
    guard.screen("".join(lines) + "My pin is 4471.\n")
    assert len(read) <= len(lines) + 2


def test_codes_behind_other_words_count_among_the_secrets_of_a_stretch(monkeypatch):
    """Issue 22: numbers counted for nothing, so a page of codes was read to its end."""
    read = []
    real = said.values_in
    monkeypatch.setattr(said, "values_in", lambda *args: read.append(args) or real(*args))
    names = [f"{first}{second}" for first in "abcdefgh" for second in "aeioulmn"]
    text = guard.screen("".join(f"The gate code of {name} is {n * 137 + 1003}.\n" for n, name in enumerate(names))).text
    assert not any(str(n * 137 + 1003) in text for n in range(len(names)))
    assert len(read) <= len(names)
