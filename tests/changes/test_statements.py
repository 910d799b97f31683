"""What becomes of the statements of a record from one version to the next."""

from commonplace.changes.statements import differ
from marking import in_one_test


@in_one_test(
    "was, now, otherwise",
    [
        ("La familia vive en Valencia.", "La familia vive en Alicante; antes vivía en Valencia.", True),
        ("Ana lebt in Köln.", "Ana lebt in Bonn, früher in Köln.", True),
        ("We use npm.", "We use pnpm instead of npm.", True),
        ("User moved from Oslo to Bergen.", "User moved from Oslo to Bergen. User works at Equinor.", False),
        ("Toma la pastilla antes de cenar.", "Toma la pastilla antes de cenar con agua.", False),
    ],
)
def test_a_statement_that_says_what_was_says_otherwise_than_that(was, now, otherwise):
    """A message of the old home was not marked as superseded, one with words of a move was by its own line."""
    assert differ(was, now) == otherwise
