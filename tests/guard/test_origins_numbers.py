"""A number belongs to what it was said of."""

from grounds import fault

from marking import in_one_test

ON_ANOTHER = [
    ("The rent is 900, my salary 2400.", "Rent is 2400"),
    ("Entry is 18 a person, the guide was 75.", "Entry costs 75 a person"),
    ("Paula ist 7 und Emil 9.", "Emil ist 7 Jahre alt"),
    ("Miete 700, Nebenkosten 130.", "Die Miete beträgt 130"),
    ("Gastamos 90 en luz y 40 en agua.", "Gastan 40 en luz"),
    ("Paghiamo 650 di affitto e 80 di condominio.", "L'affitto è di 80"),
    (
        [("assistant", "I would set the batch size to 200 for now."), ("user", "Make the batch size 50, please.")],
        "Batch size is 200",
    ),
]
ON_ITS_OWN = [
    ("The rent is 900, my salary 2400.", "Rent is 900"),
    ("The rent is 900, my salary 2400.", "Salary: 2400; rent: 900"),
    ("The rent is 900, the heating 80.", "Pays 980 for rent and heating"),
    ("The old printer has 3 trays, the new one 5.", "The new printer has 5 trays"),
    ("Paula ist 7 und Emil 9.", "Emil ist 9 Jahre alt"),
    ("We drove 300 km the first day, 220 the second.", "Trip: 300 km, then 220 km"),
    (
        [
            ("user", "Are the tests fine?"),
            ("assistant", "All 32 tests pass."),
            ("user", "We are passing on version 17."),
        ],
        "32 tests pass",
    ),
    (
        [
            ("user", "Which tour do you like?"),
            ("assistant", "Nine days at 1,480 a person with a car."),
            ("user", "Fine, and then three days with Theo."),
        ],
        "Tour: 9 days, 1,480 a person, car included",
    ),
]
FORMER = [
    ("I get 2900 now instead of 2500.", "Earns 2900 (formerly 2500)"),
    ("Ich zahle 12 statt 19 im Monat.", "Zahlt 12 im Monat, früher 19"),
    ("Er hat Stufe 3. Bisher hatte er Stufe 2.", "Hat Stufe 3 (vorher 2)"),
    ("We had 20 guests before, now 30.", "30 guests (before: 20)"),
]


@in_one_test("said, statement", ON_ANOTHER)
def test_holds_a_number_of_another_thing(said, statement):
    assert fault(said, statement) == "other-number"


@in_one_test("said, statement", [*ON_ITS_OWN, *FORMER])
def test_lets_in_a_number_of_what_it_was_said_of(said, statement):
    assert not fault(said, statement)
