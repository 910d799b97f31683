"""Is what a statement says of a person said of them? And may it say what was refused?"""

from grounds import fault

from marking import in_one_test

CONTRACT = "Have Petra sign the contract before it goes out. Olaf only checks the annex."
SEATS = "My brother Ivo comes along. He wants an aisle seat, I want a window seat."
EXPORT = [
    ("user", "The export is slow."),
    ("assistant", "I could put a Memcached layer in front of it, or raise the page size to 80."),
    ("user", "No Memcached, that is one more thing to look after. Raise the page size."),
]


@in_one_test(
    ("said", "statement"),
    [
        (CONTRACT, "Olaf signs the contract"),
        ("Bergmann kann im Mai liefern, Kruse schon im März.", "Kruse liefert im Mai"),
        ("我妈妈对花生过敏，我爸爸怕辣。", "父亲对花生过敏"),
        ("司会は森田さん、記録は石井さんです。", "司会は石井さん"),
        ("车由运维的孙浩维护，账号由赵敏保管。", "账号由孙浩保管"),
    ],
)
def test_what_only_others_are_said_to_do_waits(said, statement):
    """Issue 16: right words of the wrong person."""
    assert fault(said, statement) == "other-subject"


@in_one_test(
    ("said", "statement"),
    [
        (CONTRACT, "Petra signs the contract, Olaf checks the annex"),
        (SEATS, "Ivo wants an aisle seat, the user a window seat"),
        ("I drive the kids to school and Marta collects them.", "Marta collects the kids from school"),
        ("Bergmann liefert im Mai, Kruse liefert im März.", "Kruse liefert im März"),
        ("我妈妈对花生过敏，我爸爸怕辣。", "母亲对花生过敏"),
        ("司会は森田さん、記録は石井さんです。", "記録は石井さん"),
    ],
)
def test_what_a_person_is_said_to_do_applies(said, statement):
    """Issue 16."""
    assert fault(said, statement) == ""


def test_what_a_person_says_no_to_by_name_is_not_so():
    """Issue 16: a suggestion that was refused was taken for what was decided."""
    assert fault(EXPORT, "A Memcached layer sits in front of the export") in {"guess", "negation"}
    assert fault(EXPORT, "The page size of the export is 80") == ""


def test_a_name_that_memory_alone_has_may_be_the_users():
    """Found in use: `it was said of az` held what the user said of her own work at the AZ Maria hospital."""
    memory = ["Nora is a physiotherapist at the AZ Maria hospital"]
    said = "I changed jobs: I work at the sports clinic De Sprint instead of AZ Maria."
    assert fault(said, "Nora works at the sports clinic De Sprint, formerly AZ Maria", memory) == ""
    also = f"{said} Nora and Tom came by."
    assert fault(also, "Tom works at the sports clinic De Sprint") == "other-subject"
