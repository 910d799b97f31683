"""Which denials of the talk a statement contradicts, in several languages; the cases were written before the rule."""

from datetime import UTC, datetime

from commonplace.guard.grounding import Evidence
from commonplace.records import Message, RecordedMessage
from marking import in_one_test

AT = datetime(2026, 2, 26, 18, tzinfo=UTC)


def reason(said, statement, known=()):
    message = RecordedMessage("p#0", "p", "s", 0, Message("user", said, id="m0", at=AT), 0)
    return Evidence([message], known).fault(statement)


BESIDE = [
    ("I never understood how tides work. Can you explain?", "How tides work explained with an everyday comparison"),
    ("The smart plug won't connect to the mesh network.", "Getting the smart plug back onto the mesh network"),
    ("They still haven't sent the signed form.", "Another attempt to obtain the signed form"),
    ("My pizza dough did not rise in the cold kitchen.", "Troubleshooting for pizza dough in a cold kitchen"),
    ("I can't find the invoice from Lindqvist anywhere.", "Looked for the invoice from Lindqvist"),
    ("The build doesn't start on the new runner, help me mend it.", "Mended the build on the new runner"),
    ("I don't know how to cancel my gym contract.", "Wants to know how to end the gym contract"),
    ("Ich verstehe die Steuerklassen überhaupt nicht.", "Erklärung der Steuerklassen mit einem Beispiel"),
    ("Mein Drucker druckt die Etiketten nicht mehr.", "Fehlersuche am Drucker wegen der Etiketten"),
    ("Je n'arrive pas à ouvrir le fichier de la banque.", "Aide pour ouvrir le fichier de la banque obtenue"),
    ("No entiendo la factura de la luz.", "Explicación de la factura de la luz"),
    ("Non riesco a collegare la stampante al computer.", "Stampante e computer: passi per il collegamento"),
    ("Não consigo dormir depois do café da tarde.", "Conselhos sobre o café da tarde"),
    ("Я не понимаю, как работает ипотека.", "Объяснение, как устроена ипотека"),
    ("Nie rozumiem umowy najmu mieszkania.", "Wyjaśnienie umowy najmu mieszkania"),
    ("Book club moved, no more second Wednesdays: every first Monday now.", "Book club: first Monday (earlier: second Wednesday)"),
    ("Trip postponed: departure on 8 April now.", "Trip moved: departure on 8 April"),
    ("Estudo medicina no quarto ano em Coimbra, é uma boa escola.", "Estuda medicina em Coimbra"),
    ("Escreve em frases curtas e com o acordo antigo, é uma regra.", "Quer textos no acordo antigo"),
    ("Die Daten liegen auf testdb, nie auf prod zugreifen, das ist verboten.", "Kein Zugriff auf prod"),
    ("The gateway is live since yesterday. Zero downtime!", "The gateway went live without downtime"),
]  # fmt: skip
TURNED = [
    ("I'm diabetic, so no sugar in recipes.", "User is no longer diabetic"),
    ("I don't smoke and I don't drink.", "User doesn't smoke but drinks"),
    ("I don't eat meat and I don't eat fish.", "User doesn't eat meat, but eats fish"),
    ("I don't drink coffee at all.", "Drinks coffee"),
    ("Eu não como carne no jantar, é uma regra com a família.", "Come carne no jantar"),
    ("I don't really like working on Fridays.", "Likes working on Fridays"),
    ("We never deploy on Fridays.", "Deploys on Fridays"),
    ("I'm no longer diabetic, the doctors say.", "Is diabetic"),
    ("Please do not send patient names by e-mail.", "Patient names are sent by e-mail"),
    ("The Hartmann contract was cancelled.", "The Hartmann contract runs on"),
    ("Ich esse kein Fleisch.", "Isst Fleisch"),
    ("Ich arbeite nicht mehr bei Siemens.", "Arbeitet bei Siemens"),
    ("Je ne mange pas de porc.", "Mange du porc"),
    ("Nunca despliego los viernes.", "Despliega los viernes"),
    ("Non bevo vino.", "Beve vino"),
    ("Não como carne vermelha.", "Come carne vermelha"),
    ("Я не курю.", "Курит"),
    ("Nie piję alkoholu.", "Pije alkohol"),
    ("我不吃辣。", "吃辣"),
    ("納豆は食べない。", "納豆を食べる"),
    ("We dropped the table of hourly means.", "The table of hourly means is used for long charts"),
    ("Nachtdienst mache ich nicht.", "Arbeitet im Nachtdienst"),
    ("Yo no sé conducir.", "El usuario sabe conducir"),
]
AGREES = [
    ("Sou o Pedro, moro em Braga.", "Pedro mora em Braga"),
    ("Ho smesso di usare la moto, vado a piedi.", "Va a piedi e non usa più la moto"),
    ("Mein Onkel darf keinen Alkohol trinken.", "Alkohol ist für den Onkel tabu"),
    ("Ich vertrage keine Laktose.", "Hat eine Laktoseintoleranz"),
    ("Ich kann nicht schwimmen.", "Nichtschwimmer"),
    ("I can't tolerate lactose.", "Is lactose intolerant"),
]
SUPPOSED = [
    ("On pense acheter une maison à Brest.", "L'utilisateur a acheté une maison à Brest"),
    ("Estoy pensando en dejar el banco y abrir una librería en Soria.", "El usuario abrió una librería en Soria"),
    ("A médica falou em fazer uma endoscopia, mas ainda não está decidido.", "O usuário fez uma endoscopia"),
]
CONTRASTED = [
    ("We decided on NATS, after a week of comparing it with Kafka.", "Decided on NATS for events, not Kafka"),
    ("My main browser is Vivaldi now, LibreWolf ate all the memory.", "Browser: Vivaldi, no longer LibreWolf"),
    ("Streaming is Filmoteket from this month, Viaplay ran out of films.", "Streaming: Filmoteket, after cancelling Viaplay"),
    ("I dislike blue cheese.", "Does not eat blue cheese; dislikes it"),
    ("Forget the proper cello, the savings are for a sailing dinghy.", "Savings: sailing dinghy; the proper cello was dropped"),
]  # fmt: skip
DENIED = [
    ("I live in Oslo and work as a nurse at Lindvik.", "Lives in Oslo, does not work as a nurse"),
    ("Vegan for me as always.", "She is not vegan any more"),
    ("I'm allergic to penicillin and live in Bergen.", "Lives in Bergen, not allergic to penicillin"),
    ("Sou alérgico a dipirona.", "Não tem alergia a dipirona"),
    ("Anna plays the cello and Bert paints.", "Anna does not play the cello"),
    ("Ich trinke gern Kaffee.", "Trinkt keinen Kaffee"),
    ("我每天喝咖啡。", "不喝咖啡"),
    ("The order of paper from Lumen is on its way.", "The order of paper from Lumen was cancelled"),
]
NO_LONGER_DENIED = [
    ("No onions and no garlic in the soup, please.", "Soup: no garlic, onions are welcome"),
    ("Wir haben keine Garage und keinen Keller.", "Das Haus hat keinen Keller; eine Garage gehört dazu"),
    ("Le club n'a ni vestiaire ni parking.", "Le club n'a pas de parking, un vestiaire est prévu"),
    ("No quiero alarmas ni avisos por la noche.", "De noche sin alarmas, avisos permitidos"),
    ("我们不用表格，也不用附件。", "不用表格，但用附件"),
    ("Never touch the live ledger and never e-mail the payroll file.", "Live ledger is off limits; e-mail the payroll file"),
    ("Visitors may not enter the kiln room without goggles.", "Visitors enter the kiln room without goggles"),
    ("Besucher dürfen nicht ohne Anmeldung in die Halle.", "Besucher kommen ohne Anmeldung in die Halle"),
]  # fmt: skip
STILL_DENIED = [
    ("No onions and no garlic in the soup, please.", "Soup: no garlic or onions"),
    ("No onions and no garlic in the soup, please.", "Avoids garlic, onions"),
    ("Wir haben keine Garage, aber einen Keller.", "Das Haus hat einen Keller"),
    ("No booking without a deposit.", "Bookings need a deposit"),
    ("Nessuna consegna senza firma.", "Le consegne richiedono la firma"),
    ("I don't keep bees, but Olga does.", "Olga keeps bees"),
    ("Ya no trabajo en Vigo, ahora trabajo en Lugo.", "Trabaja en Lugo"),
    ("I can't find the parking permit.", "Looked for the parking permit"),
    ("No paper invoices. Paper for the photo printer is fine.", "Paper is bought for the photo printer"),
]  # fmt: skip


@in_one_test(("said", "statement"), STILL_DENIED)
def test_what_goes_on_with_a_denial_or_is_said_otherwise_is_let_in(said, statement):
    """Issue 16: a list goes on with what it denies, and `not without` denies nothing."""
    assert reason(said, statement) == ""


@in_one_test(("said", "statement"), NO_LONGER_DENIED)
def test_one_of_two_denials_may_not_be_dropped(said, statement):
    """Issue 16: negations are counted, per clause and thing."""
    assert reason(said, statement).startswith("negation:")


@in_one_test(("said", "statement"), BESIDE + CONTRASTED)
def test_a_statement_that_denies_nothing_said_is_let_in(said, statement):
    """Issue 16: a denial counts where it denies the clause's own statement."""
    assert reason(said, statement) == ""


@in_one_test(("said", "statement"), TURNED + DENIED)
def test_a_statement_that_turns_what_was_said_waits(said, statement):
    """Issue 16: contradictions wait."""
    assert reason(said, statement).split(":")[0] in {"negation", "guess", "unfounded", "new-word"}


@in_one_test("said, statement", AGREES)
def test_the_same_in_other_words_is_no_contradiction(said, statement):
    assert reason(said, statement) == ""


@in_one_test("said, statement", SUPPOSED)
def test_what_was_only_thought_of_is_no_fact(said, statement):
    assert reason(said, statement).startswith("guess:")
