"""Frames in which people tell a secret: a question about it, a number alone, a phrase before a clause; and others."""

from commonplace import guard
from commonplace.guard import said
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
    ("mein DNI? el dni es 30418822K", "30418822K"),
    ("numéro de passeport : 19AB44721, valable dix ans", "19AB44721"),
    ("numer dowodu ABC4471902", "ABC4471902"),
    ("La red se llama Patio\nclave 77120934", "77120934"),
    ("Das Netzwerk heißt Keller\nSchlüssel: Motten-8Licht", "Motten-8Licht"),
    ("Cassaforte: prima 27, poi 08, poi 61", "27, poi 08, poi 61"),
    ("Der Tresor: 27, dann 08, dann 61", "27, dann 08, dann 61"),
    ("密码锁先转27再转08最后61", "27再转08最后61"),
    ("the three on the back of my visa say 604", "604"),
    ("auf der Rückseite der Karte steht 604", "604"),
    ("z tyłu karty jest 604", "604"),
    ("our Netflix is lake.Heron42 by the way", "lake.Heron42"),
    ("Fürs Onlinebanking nehme ich Herbst!Reiher4", "Herbst!Reiher4"),
    ("per l'home banking uso Airone$grigio4", "Airone$grigio4"),
    ("the passphrase is wrong heron cannon velvet", "wrong heron cannon velvet"),
    ("Das alte Kennwort lautete Zaunkönig", "Zaunkönig"),
    ("das Passwort müsste Zaunkönig sein", "Zaunkönig"),
    ("the bike lock isn't 6093 any more", "6093"),
    ("the shed is 6093 and the alarm 7194", "7194"),
    ("authenticator says 604 118 as the login code", "604 118"),
    ("o bancomat da avó é 6093", "6093"),
    ("API-Schlüssel 60934471028834570012", "60934471028834570012"),
    ("fürs Amazon-Konto hab ich Distel#Wiese3 genommen", "Distel#Wiese3"),
    ("ログインは tanaka と Momiji#2024 を使って", "Momiji#2024"),
    ("密保答案填的是“小黄”", "小黄"),
    ("the mfa backup is d77c2-90ab1, put it away", "d77c2-90ab1"),
    ("la palabra de seguridad fue Golondrina", "Golondrina"),
    ("on the sticker of the router it says Qm4vvz71", "Qm4vvz71"),
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
        "The wifi is slow today\nThe router is a TL-WR840N",
        "Our network is split: 10, 20, 30 and 40 percent of it is ours",
        "My account is with Lloyds and the network says 5G",
        "The seed was set for numpy, torch, random and cuda",
        "The combination of 3 apples, 12 pears and 15 plums",
        "PIN problems? phone 02 18 26 93 23",
        "The alarm rings at 7, then 12, then 22",
        "This includes hashing passwords, limiting access and so on",
        "2fab9b18722cd968919c21d8",
        "other types of flour, seeds, or honey",
        "I use ChatGPT4o for my account work",
        "Our wifi is called Livebox and the account is on Windows11",
        "my old wallet had pictures receipts coupons stickers tickets",
        "The meeting is on the back of three others, 604 people came",
    ],
)
def test_a_sentence_that_tells_none_stays(text):
    assert guard.screen(text).text == text


@in_one_test(
    ("text", "secret"),
    [
        ("The wifi password is velvet otter", "velvet otter"),
        ("pw = correct otter battery copper", "correct otter battery copper"),
        ("senha do email: otter amarelo", "otter amarelo"),
        ("marmota azul é a palavra-passe do clube", "marmota azul"),
        ("the guest password is just the word marmot lol", "marmot"),
        ("a senha do clube é marmota mesmo", "marmota"),
        ("pass: marmot user: jan", "marmot"),
        ("新密码设成了marmot_king", "marmot_king"),
        ("pswort für die cloud ist otter2016", "otter2016"),
        ("Domanda di sicurezza: cognome della nonna. Risposta: Marmottini", "Marmottini"),
        ("Het fietsslot is niet meer 1111 maar 7264", "7264"),
        ("Das Zahlenschloss am Rad steht auf 0518", "0518"),
        ("Codice della segreteria telefonica 4004", "4004"),
        ("O cadeado da mala está no 5028", "5028"),
        ("jag valde marmot som lösen", "marmot"),
        ("kassaskåpet har 31-8-19", "31-8-19"),
        ("Portkoden är ändrad till 4183 idag", "4183"),
    ],
)
def test_what_follows_a_noun_to_the_end_of_its_clause_goes(text, secret):
    """Issue 22: 246 of 270 sentences of last week; several plain words, a change, a word order, a reply, Swedish."""
    assert secret not in guard.screen(text).text


@in_one_test(
    "text",
    [
        "Le mot de passe est affiché derrière le comptoir.",
        "La password è sul frigo.",
        "Mi contraseña era malísima",
        "Password: minimum eight letters",
        "My sort code is 20-00-00, for the invoice",
        "The gate was built not in 2012 but 2014",
        "I wrote the code for module 2044.",
        "Der Code für Aufgabe 1207.",
        "Limit access to passwords to those who need it",
        "The UserDetailsService loads the password from the store",
        "My username: jan_k82, the password is in the vault",
        "db_pass2 = os.environ.get('x') # password from env",
    ],
)
def test_a_description_of_several_words_stays(text):
    """Issue 22: captured text is redacted for ever."""
    assert guard.screen(text).text == text


def test_each_sentence_is_cut_into_words_once(monkeypatch):
    """Issue 22: a sentence with three nouns was cut into words for each of them."""
    read = []
    real = said.Sentence
    monkeypatch.setattr(said, "Sentence", lambda text: read.append(text) or real(text))
    guard.screen(
        "".join(f"The wifi password and token of room {n} is otter{n}x, the pin is 47{n}1.\n" for n in range(10, 20))
    )
    assert 10 <= len(read) <= 21


def test_what_looks_made_near_a_noun_for_a_key_or_a_login_goes():
    """Issue 22: such nouns took only what a machine makes; words with digits in front were taken for measures."""
    for text, secret in (
        ("wifi for contractors, key = Linen{}42", "Closet"),
        ("Das Passwort vom Router, {}roses, war zu kurz.", "12"),
        ("I log in as nina and the credentials on the note are {}2024!", "pinede"),
        ("Dad moved the login to {}2019 everywhere", "kestrel"),
        ("I got a new pw for the registry!! {}4ever", "Clydesdale"),
        ("Alarmcode={}", "7126"),
        ("Our locker code is A{}K2 now.", "9"),
    ):
        assert secret not in guard.screen(text.format(secret)).text.replace("0000", ""), text


def test_a_name_near_a_noun_for_a_key_or_a_login_stays():
    """Issue 22: captured text is redacted for ever."""
    for text in (
        "My router is a Xbox360 beside a TL-WR840N, the login works",
        "The flat is GBP 1,500/month and has Wi-Fi",
        "Ticket INC0048213 is about the VPN token not arriving",
        "Place the key light at a 45-degree angle",
        "¿Qué significa el código P0420 en un Seat?",
    ):
        assert guard.screen(text).text == text
