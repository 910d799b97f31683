"""Words are told by their parts, so what no list has as a compound is found all the same."""

import pytest

from commonplace import guard
from commonplace.guard import parts
from marking import in_one_test


@in_one_test(
    "text, secret",
    [
        ("The code for our boathouse padlock is 4471.", "4471"),
        ("Der Kellertürcode lautet 4471.", "4471"),
        ("Der Code für den Fahrradkeller ist 4471.", "4471"),
        ("Le code de l'ascenseur est 4471.", "4471"),
        ("El código del casillero es 4471.", "4471"),
        ("Il codice dell'ascensore è 4471.", "4471"),
        ("O código da bicicleta é 4471.", "4471"),
        ("De kelderdeurcode is 4471.", "4471"),
        ("Kod do windy to 4471.", "4471"),
        ("エレベーターのコードは4471です。", "4471"),
        ("电梯的代码是4471。", "4471"),
        ("Punch in 5093 and wait for the beep.", "5093"),
        ("The suitcase opens with 6-1-5.", "6-1-5"),
        ("Not 3312, the alarm takes 3321.", "3312"),
        ("Mit Birne!Zaun5 komme ich ins Elster-Portal.", "Birne!Zaun5"),
        ("Pelusa es lo que puse en la pregunta de seguridad.", "Pelusa"),
    ],
)
def test_a_weak_word_beside_a_thing_or_a_verb_points_to_a_secret(text, secret):
    """A noun for what one enters is strong beside a thing that opens, and so is a value that looks made up."""
    assert secret not in guard.screen(text).text


@in_one_test(
    "text",
    [
        "We pressed 4120 litres of apples.",
        "The key combination for a screenshot is Ctrl+Shift+S.",
        "Welche Tastenkombination war das, Alt+Druck?",
        "The code review for PR 1187 is due.",
        "Le coffre de la voiture fait 1420 litres.",
        "Marca 112 si hay fuego en la puerta.",
        "On ouvre le magasin à 0900 et on ferme à 1930.",
    ],
)
def test_a_number_that_counts_or_dates_something_stays(text):
    """A verb of access and a thing that opens are ordinary words too."""
    assert guard.screen(text).text == text


@pytest.mark.parametrize(
    "name, word, among",
    [
        ("enter", "tippst", True),
        ("thing", "haustür", True),
        ("thing", "türkei", False),
        ("thing", "小区门禁", True),
    ],
)
def test_a_star_is_for_any_letters(name, word, among):
    """`tipp*` is any word that begins so, `*tür` one that ends so."""
    assert parts.is_one(name, word) is among
