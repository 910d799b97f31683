"""The unit behind a number, in several languages."""

from commonplace.text.units import measured
from marking import in_one_test


@in_one_test(
    "text, units",
    [
        ("75 mg daily", ["mg"]),
        ("seventy-five micrograms", ["µg"]),
        ("двадцать сантиметров", ["cm"]),
        ("3 min 20 s", ["min", "s"]),
        ("£8,500 at most", ["£"]),
        ("15 percent of 30 dagen", ["%", "day"]),
        ("8 attempts", [""]),
        ("5 grapes", [""]),
        ("一千元", [""]),
    ],
)
def test_a_number_has_the_unit_that_stands_with_it(text, units):
    """DESIGN 1.6: firm facts agree in what they count; a word that is no unit is none."""
    assert [unit for _, unit in measured(text)] == units
