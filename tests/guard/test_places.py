"""Where a sentence or a command line puts a secret: each row is a sentence with its secret, or one without."""

import pytest

from commonplace import guard

WORDS = [
    "Use [brindlewick] as the password when it asks you.",
    "Am Ende habe ich doch [Regenschirm] als Kennwort fürs Finanzamt gesetzt.",
    "Al final elegí [almendra] como contraseña del banco.",
    "Al final puse de contraseña [almendra], como siempre.",
    "Ho scelto [girasole] come password per la posta.",
    "J'ai choisi [tournesol] comme mot de passe.",
    "Acabei por escolher [andorinha] como palavra-passe.",
    "Ik heb [ooievaar] als wachtwoord genomen.",
    "Ustawiłam [borsuk] jako hasło do poczty.",
    "Jako hasło ustawiłem [borsuk], łatwo zapamiętać.",
    "Пароль от почты [одуванчик].",
    "Кодовое слово в банке у меня [Магнолия], без него молчат.",
    "我把密码设成[xiangrikui]了。",
    "They set the password to [marlinspike].",
    "I changed my password from [marlinspike] to something better.",
    "Das WLAN-Passwort haben wir auf [marlinspike] geändert.",
    "He cambiado la contraseña a [marlinspike].",
    "Я поменял пароль на [marlinspike].",
    "The admin account still has the old password, [marlinspike], from before.",
    "It still uses the default password [marlinspike], can you believe it?",
    "the wifi password is [deadbeef]",
    "La password del wifi dell'ufficio resta [marlinspike].",
    "Bei der Sicherheitsfrage habe ich [Wurzelmann] eingegeben.",
    "Alla domanda segreta ho risposto [Briciola].",
    "La réponse à la question secrète, c'est [Capucine], le nom de ma première maîtresse.",
    "Odpowiedź na pytanie pomocnicze to [Puszek], nasz pierwszy kot.",
    "A palavra-chave no banco é [Magnolia].",
    "Fraza do kopii zapasowej to [trzy mokre jeże w pociągu].",
    "[lagarto nube tijera enero]. Esa es la frase de contraseña del disco.",
    "[igel tanzt leise montags], so heißt übrigens die Passphrase.",
    "Router Gastzugang, Netzwerkschlüssel [49281077361520664813], viel zu lang.",
    "les trois chiffres au dos de ma carte sont [062]",
    "Пришёл код из смс, [815 602], заверши вход",
    "para desactivar la alarma hay que darle a asterisco [6684] asterisco",
    "the alarm changed, since the break-in its [6120]",
    "Die Passphrase ist lang und albern, [vier Esel im Schnee].",
    "Schlüsselbox hängt links neben der Tür, [3907].",
    "SMS ist da: [829 334], gib das ein.",
    "Код сигнализации в магазине [70412], потом ввод.",
    "Il lucchetto della cantina è sul [5-0-2].",
    "Sleutelkluisje naast de deur: [3907].",
    "De beveiligingsvraag heb ik beantwoord met [Minoes].",
    "Słowo-klucz w banku to [Magnolia].",
    "Der Merksatz fürs Backup ist [drei nasse Igel im Zug].",
    "The secret word for school pickup is [bluebonnet].",
    "it's [marlinspike], that's the password",
    "password? [marlinspike], like always",
]
NONE = [
    "The code is 500 when the server fails.",
    "The build exited with code 127.",
    "Il comando è uscito con codice 127.",
    "Laut Log wurde das Token um 14:07 Uhr erneuert, danach kam Fehlercode 403.",
    "gate 4512",
    "La clave es Postgres, no MySQL.",
    "My safe driving score is 871 this month.",
    "das Losungswort = passphrase",
    "The garage is 4827 Elm Street.",
    "Send it to P.O. Box 804145, Chicago.",
    "We use Bitwarden as the password manager.",
    "She used her birthday as the password once.",
    "Hoe vaak is 'welkom' gebruikt als wachtwoord?",
    "Change the password before you travel to Bergen.",
    "They set the password to expire monthly.",
    "I changed the password to something better.",
    "He cambiado la contraseña a principios de mes.",
    "Zmieniłem hasło na silniejsze.",
    "Я поменял пароль на новый.",
    "The passphrase is stored in Vault.",
    "The codeword was mentioned twice in the film.",
    "Пароль от почты потерян.",
    "Пароль у меня на бумажке.",
    "合言葉は大切です。",
    "Der Merksatz ist leicht zu behalten.",
    "The passphrase is longer than the password.",
    "La palabra clave en Python es yield.",
    "El portal 15 y el piso 3.",
    "La boîte à clés est à gauche.",
    "Password? I forgot it.",
    "SMS kostet 829 Euro.",
    "Das neue Passwort heißt anders.",
]
COMMANDS = [
    "*:*:*:postgres:[s0lstice-gate]",
    r"net use Z: \\nas\share /user:OFFICE\brigitte [Kachelofen7]",
    r"net use Z: \\nas\share [Kachelofen7] /user:brigitte /persistent:yes",
    "net user anna [Nutmeg-Sail] /add",
    "$cred = ConvertTo-SecureString '[Basalt#Wren1]' -AsPlainText -Force",
    "7z a -p[Nutmeg-Sail] reports.7z ./reports",
    "unzip -P [Nutmeg-Sail] out.zip",
    "PGPASSWORD=[Nutmeg-Sail] psql -h db -U app",
    "docker run -e POSTGRES_PASSWORD=[Nutmeg-Sail] postgres",
    "htpasswd -bc .htpasswd anna [Nutmeg-Sail]",
    'ldapsearch -x -D "cn=admin" -w [Nutmeg-Sail] -b dc=x',
    "mongosh \"mongodb://x\" -u admin -p '[Nutmeg-Sail]'",
    "smbclient //nas/share -U anna%[Nutmeg-Sail]",
    "keytool -list -keystore a.jks -storepass [Nutmeg-Sail]",
    "echo [Nutmeg-Sail] | sudo -S apt update",
    "xfreerdp /u:anna /p:[Nutmeg-Sail] /v:host",
    "gpg --batch --passphrase [Nutmeg-Sail] -d a.gpg",
    "wpa_passphrase Hill [Nutmeg-Sail]",
    "nmcli dev wifi connect Hill password [Nutmeg-Sail]",
    "CREATE USER 'anna'@'%' IDENTIFIED BY '[Nutmeg-Sail]';",
    "requests.get(url, auth=('anna', '[Nutmeg-Sail]'))",
    'client.login("anna", "[Nutmeg-Sail]")',
]
NO_COMMANDS = [
    "The --password flag reads it from a prompt.",
    "docker login --password-stdin < token.txt",
    "mysql -p asks for the password",
    "zip -r out.zip docs/ keeps the folder",
    "7z l reports.7z prints the names",
    "auth=(user, password)",
    'client.login("anna", password)',
    "PGPASSWORD=$DB_PASSWORD psql -h db",
]


@pytest.mark.parametrize("row", WORDS + COMMANDS)
def test_a_secret_goes_and_the_words_around_it_stay(row):
    """Issue 22: near a noun for a secret, in any order, what follows it to the end of the clause goes."""
    before, secret, after = row.replace("[", "]", 1).split("]")
    text = guard.screen(before + secret + after).text
    assert secret not in text
    assert text.startswith(before[: max(0, len(before) - 12)])
    assert text.endswith(after)


@pytest.mark.parametrize("text", NONE + NO_COMMANDS)
def test_what_only_speaks_of_a_secret_stays(text):
    """Issue 22: a captured text is redacted for ever, so a false alarm costs a word for ever."""
    assert guard.screen(text).text == text
