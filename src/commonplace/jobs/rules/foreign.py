"""What the rules know in German, Spanish, French, Chinese and Japanese: plain preferences, facts and standing wishes.

Rows for whole sentences; a sentence with a condition, a wish or a question is left alone. The words
are kept as they were said.
"""

from __future__ import annotations

from commonplace.jobs.rules.patterns import Rule, guard, rows


def match(sentence: str) -> Rule | None:
    """Find the row for a sentence in one of these languages; None where nothing is certain."""
    if guard("unsure").search(sentence):
        return None
    found = next((rule for rule in rows("foreign") if rule.pattern.match(sentence)), None)
    passing = found is not None and found.kind != "instruction" and guard("passing").search(sentence)
    return None if passing else found
