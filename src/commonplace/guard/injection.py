"""Note text that gives orders to a model.

Owns the tripwire: structural rules, data in `rules/injection.toml`. It only notes what it saw and never
changes a text. A rule that fires proves nothing and one that does not promises nothing; what protects
memory is that text below `agent` does not enter the shown part unasked.
"""

from __future__ import annotations

from commonplace.guard.screened import Finding
from commonplace.guard.table import compiled
from commonplace.guard.views import View


def find(seen: list[View]) -> tuple[Finding, ...]:
    """Find the orders in the views of a text, each rule once, with their spans in the text."""
    found: dict[str, Finding] = {}
    for view in seen:
        lowered = view.lowered if view.orders else ""
        for place, candidate in view.orders:
            rule = candidate.rule
            if rule.id in found:
                continue
            if match := compiled(rule.pattern).match(lowered, place):
                found[rule.id] = Finding("injection", rule.id, view.span(*match.span()))
    return tuple(sorted(found.values(), key=lambda finding: finding.span)) if found else ()
