"""What belongs together in a session of work."""

from commonplace.recall.index import rows
from commonplace.recall.index.rows import Slot
from commonplace.recall.turns import Turns
from marking import in_one_test

ROLES = {"u": "user", "a": "assistant", "t": "tool", "s": "system"}


def turns_of(letters):
    flags = bytes(rows.flags_of(ROLES[letter], "x") for letter in letters)
    return Turns({7: Slot(7, "p", "s", (), flags, bytes(len(flags)))})


def at(number):
    return None if number is None else 7 << rows.MESSAGE_BITS | number


@in_one_test(
    ("letters", "number", "call"),
    [
        ("uat", 2, 1),
        ("uattt", 4, 1),  # several calls in one message
        ("uatat", 4, 3),
        ("ua", 1, None),  # no output
        ("ut", 1, None),  # nobody called
        ("uaut", 3, None),  # the user ran it
        ("t", 0, None),
    ],
)
def test_an_output_belongs_to_the_call_before_it(letters, number, call):
    assert turns_of(letters).call(at(number)) == at(call)


@in_one_test(
    ("letters", "number", "reply"),
    [
        ("ua", 0, 1),
        ("uatatau", 0, 5),
        ("uatat", 0, 3),  # the turn was broken off: the last that was said
        ("uua", 0, None),  # the second request is answered
        ("uua", 1, 2),
        ("uat", 1, None),  # only a request has a reply
        ("usua", 0, None),
        ("u", 0, None),
    ],
)
def test_a_reply_is_the_last_word_of_the_assistant_in_a_turn(letters, number, reply):
    assert turns_of(letters).reply(at(number)) == at(reply)
