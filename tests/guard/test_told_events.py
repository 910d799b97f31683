"""What is planned, wished, asked for or refused is not told as done, and what is another's not as the user's."""

from grounds import fault

from marking import in_one_test

NOT_DONE = [
    ("Paul wants to sell the boat.", "Paul sold the boat"),
    ("The tyres. They aren't done yet, the garage gave us Tuesday.", "The tyres were changed"),
    ("Please don't publish the page yet, Mona checks it first.", "The page was published"),
    ("Das Zimmer in Gent ist noch nicht gebucht.", "Das Zimmer in Gent wurde gebucht"),
    ("La salle de Lyon n'est pas encore réservée.", "La salle de Lyon est réservée"),
    ("Borra la tabla antigua cuando Marta la revise, no antes.", "La tabla antigua está borrada"),
    ("Você sabe, quero um jantar com a Rita em Faro, ainda não reservei nada.", "Jantar em Faro reservado"),
    ("Non ho ancora firmato il contratto con Bassi.", "Contratto con Bassi firmato"),
    ("尾款还没付。", "尾款已经付清"),
]
OPEN = [
    ("The caterer is still open. Either the Thai place or a pizza van.", "A pizza van comes"),
    ("I'm wavering between the ferry via Calais and flying.", "Goes by ferry via Calais"),
    ("Una idea que tenemos es dejar Angular.", "Dejan Angular"),
    ("Pia was meant to bring the tent but she is ill.", "Pia brings the tent"),
    ("J'ai deux pistes, Morel ou Dubreuil.", "Contrat signé avec Morel"),
    ("Luca vuole il gatto. Io per ora dico no.", "Luca avrà il gatto"),
]
REFUSED = [
    ("I asked him about a hearing aid and he flat out refused.", "Agreed to a hearing aid"),
    ("Начальник против второй машины. Начальник против.", "Начальник одобрил вторую машину"),
    ([("user", "My cousin Nele looks for a room."), ("user", "so not Nele")], "Nele gets the room"),
    ([("assistant", "I would build it with lxml."), ("user", "not lxml though")], "It is built with lxml"),
    ("Eine Spende will ich übrigens keine.", "Die Nutzerin verlangt eine Spende"),
    ([("assistant", "I'd write 700 rows at once."), ("user", "Yes, but rather 300.")], "Writes 700 rows at once"),
]
OF_ANOTHER = [
    ("My niece Ada comes too. She's a vegan, I'm not.", "Vegan"),
    ("My brother Tom is on warfarin now. I'm not on warfarin.", "On warfarin"),
    ("Minha irmã Rute vem. Ela morre de medo de cobras.", "Tem medo de cobras"),
]
FAITHFUL = [
    ([("user", "I want to book the boat trip."), ("user", "Booked it!")], "Boat trip was booked"),
    ([("user", "The flat is not cleaned yet."), ("user", "Done, the flat is cleaned.")], "The flat was cleaned"),
    ([("assistant", "Shall I add a lock to the queue?"), ("user", "Yes, do it.")], "The queue gets a lock"),
    ("I'll pay the deposit tomorrow.", "Pays the deposit on 3 March 2026"),
    ("Paul wants to sell the boat, I don't.", "Paul wants to sell the boat"),
    (
        "Sie zahlt den Strom, hab ich aber noch nicht schriftlich.",
        "Dass sie den Strom zahlt, ist noch nicht schriftlich",
    ),
    ("Eine Spende an den Zoo will ich übrigens keine.", "Eine Spende an den Zoo lehnt die Nutzerin ab."),
    ("Ne ho comprati otto, 24 euro l'uno.", "Comprati otto a 24 euro"),
    ([("assistant", "Was it Dr Hale?"), ("user", "no she's retired. I see Dr Roy")], "Dr Roy now; Dr Hale has retired"),
    (
        "Tea's fine he said, two cups. Runs stay. He asked if I want pills and I said no. Roy",
        "Roy allows two cups of tea",
    ),
    ("I might move to Bath, for now I stay in Leeds.", "Stays in Leeds for now and may move to Bath"),
    ("The teacher is Ms Ade, not Mr Roy. Roy is the head.", "The teacher is Ms Ade, and Mr Roy is the head"),
    ("Il gruppo invece no. Costa troppo, c'è un dj.", "Musica: un dj invece del gruppo, che costava troppo"),
    (
        "Sono Ada. Da marzo non insegno più a Pavia, ma a Lodi.",
        "Ada, insegnante di fisica; da marzo a Lodi (ora a Pavia)",
    ),
    ("Marta sings on Fridays.", "Marta sings on Fridays"),
    ("Haziranda bıraktım, perşembe Ege başlıyor", "Haziran 2025'te bıraktı; Ege 2026-03-05'te başlıyor"),
]


@in_one_test("said, statement", [*NOT_DONE, *OPEN])
def test_what_is_planned_or_open_is_not_told_as_done(said, statement):
    """A set of replies that nobody had built for."""
    assert fault(said, statement) in {"guess", "negation"}


@in_one_test("said, statement", REFUSED)
def test_what_is_refused_is_not_told_as_accepted(said, statement):
    """A set of replies that nobody had built for."""
    assert fault(said, statement) in {"guess", "negation", "other-number"}


@in_one_test("said, statement", OF_ANOTHER)
def test_a_line_without_a_subject_is_the_users(said, statement):
    """A set of replies that nobody had built for."""
    assert fault(said, statement) == "other-subject"


@in_one_test("said, statement", FAITHFUL)
def test_a_faithful_line_waits_for_nothing(said, statement):
    """A later message makes a plan done, and a plan may be told as one."""
    assert fault(said, statement) == ""


@in_one_test(
    ("said", "statement"),
    [
        ([("user", "Do you think I should start a sourdough?"), ("assistant", "Sure."), ("user", "I started one, her name is Doughlores.")], "Keeps a sourdough starter named Doughlores"),
        ([("user", "Should I take the job in Oslo?"), ("assistant", "It sounds good."), ("user", "I took it, I start in June.")], "Takes the job in Oslo"),
        ([("user", "Soll ich den Kurs in Gent buchen?"), ("assistant", "Klingt gut."), ("user", "Ich hab ihn gebucht.")], "Kurs in Gent gebucht"),
    ],
)  # fmt: skip
def test_what_was_asked_and_then_done_is_so(said, statement):
    """Found in use: `I started one` settled nothing, and a question held what came of it."""
    assert fault(said, statement) == ""
    assert fault(said[:2], statement) != ""


@in_one_test(
    ("later", "statement"),
    [
        ("Also, the cake: I made it for Anna.", "Bought the Volvo"),
        ("My sister sent hers. I loved it.", "Bought the Volvo"),
        ("Back to the bug, I found it in the parser.", "Bought the Volvo"),
    ],
)
def test_what_is_done_of_something_else_settles_nothing(later, statement):
    """Issue 16: a `maybe` told as done waits, whatever else the person did."""
    said = [("user", "Maybe I should buy the Volvo."), ("assistant", "A good car."), ("user", later)]
    assert fault(said, statement) == "guess"
