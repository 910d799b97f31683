"""Whom a clause is about; and that a claim about the user rests on what was said of the user."""

from grounds import fault

from commonplace.guard.about import OTHER, SELF, apposed, names_another, relatives, whose
from marking import in_one_test

ABOUT = [
    ("My sister plays the harp", OTHER),
    ("her husband Tom doesn't drink", OTHER),
    ("on Tuesdays my brother drives", OTHER),
    ("She's deaf", OTHER),
    ("My boss wants the report on Friday", ""),
    ("The bike went to my nephew", ""),
    ("My father bought it for me", SELF),
    ("I take my mother to the market", SELF),
    ("my left knee hurts", SELF),
    ("Mein Schwager nimmt Tabletten", OTHER),
    ("Unsere Garage ist schmal", SELF),
    ("Sie sollten warten", ""),
    ("Ma colocataire Léa apprend le coréen", OTHER),
    ("il y a deux ans", ""),
    ("On a visité deux crèches", SELF),
    ("Mi mujer prefiere esperar", OTHER),
    ("son para mandarlas a una amiga", ""),
    ("así que cocino con cuidado", ""),
    ("Mia moglie è incinta", OTHER),
    ("Mio padre me l'ha comprata", SELF),
    ("A minha irmã mora no Canadá", OTHER),
    ("Мой брат курит", OTHER),
    ("我妈吃素", OTHER),
    ("我吃素", SELF),
    ("母が糖尿病で", OTHER),
    ("私は市役所に勤めています", SELF),
]


@in_one_test("text, about", ABOUT)
def test_tells_whom_a_clause_is_about(text, about):
    assert about == whose(text)


def test_an_assistant_speaks_to_the_user():
    said = ("You play the harp", "Your sister plays the harp", "That can be found")
    assert [whose(text, person=False) for text in said] == [SELF, OTHER, ""]


def test_lists_relatives_with_their_names():
    assert frozenset({"ines", "hugo"}) == relatives("My sister Ines and mon fils Hugo, la voisine")
    assert names_another("asks the neighbour")
    assert not names_another("the partner portal; son of a commit; a kind word")


ANOTHERS = [
    ("My sister plays the harp. I like jazz.", "User plays the harp"),
    ("My cousin has a bad hip. I have a bad back.", "User has a bad hip"),
    ("My flatmate Jo still smokes on the roof. I stopped.", "User smokes on the roof"),
    ("Meine Nachbarin züchtet Bienen, ich habe nur Hühner.", "Nutzer züchtet Bienen"),
    ("Ma belle-sœur travaille à Brest.", "L'utilisateur travaille à Brest"),
    ("Mi cuñado es bombero. Yo soy enfermero.", "El usuario es bombero"),
    ("Mia sorella vive a Trento, io a Bari.", "L'utente vive a Trento"),
    ("O meu pai toma anticoagulantes.", "O usuário toma anticoagulantes"),
    ("我表哥在医院当护士。", "用户在医院当护士"),
    ("父は高血圧です。", "ユーザーは高血圧"),
]
OWN = [
    ("My sister plays the harp. I like jazz.", "User likes jazz"),
    ("My sister plays the harp. I drive her to her lessons.", "User drives his sister to harp lessons"),
    ("My sister Ines plays the harp. I pay for her lessons.", "User pays for Ines's harp lessons"),
    ("My father gave me his boat.", "User has a boat"),
    ("We have a dog, my wife walks it.", "User has a dog"),
    ("My boss wants the report by Friday.", "User has to finish the report by Friday"),
    ("Mein Bruder nimmt Blutdrucktabletten. Ich nehme morgens Eisen.", "Nutzer nimmt morgens Eisen"),
    ("Ma sœur est végane. Moi je mange du poisson.", "L'utilisateur mange du poisson"),
    ("Mi hermano es alérgico al polen. No como nueces.", "El usuario no come nueces"),
    ("我妈吃素。我吃鱼。", "用户吃鱼"),
]


@in_one_test("said, statement", ANOTHERS)
def test_holds_what_is_anothers(said, statement):
    assert fault([("user", said)], statement) == "other-subject"


@in_one_test("said, statement", OWN)
def test_lets_in_what_is_the_users(said, statement):
    assert not fault([("user", said)], statement)


def test_an_assistants_echo_makes_nothing_the_users():
    said = [("user", "My sister plays the harp."), ("assistant", "So your sister plays the harp. A fine choice.")]
    assert fault(said, "User plays the harp") == "other-subject"


@in_one_test(
    "text, said",
    [
        ("Lucía's mother, Carmen, visits in May", "Lucía's mother Carmen visits in May"),
        ("Zoe, Ana's sister, is allergic", "Zoe Ana's sister is allergic"),
        ("Ben, my sister and Tom came", "Ben, my sister and Tom came"),
        ("my brother Max, who sings", "my brother Max, who sings"),
    ],
)
def test_a_relative_and_their_name_are_one(text, said):
    """Issue 16: the words of the second were held to be said of another than the first."""
    assert apposed(text) == said
