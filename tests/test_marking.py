import pytest

from marking import in_one_test


def test_one_test_of_many_cases_names_each_that_fails():
    """A table in one test says as much of a failure as a test for each row."""

    @in_one_test("text, size", [("a", 1), ("bb", 1), ("ccc", 3), ("d", 9)])
    def measured(text, size):
        assert len(text) == size

    with pytest.raises(pytest.fail.Exception) as failed:
        measured()
    first, *others = str(failed.value).split("\n\n")
    assert first == "2 of 4 cases"
    assert [each.partition(": assert ")[0] for each in others] == ["('bb', 1)", "('d', 9)"]


def test_an_error_in_a_case_names_the_case():
    @in_one_test("number", [1, 0], ids=lambda number: f"number {number}")
    def divided(number):
        assert 1 / number

    with pytest.raises(ZeroDivisionError) as failed:
        divided()
    assert failed.value.__notes__ == ["in the case number 0"]
