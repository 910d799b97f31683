"""May this text be stored, and how: the only maker of screened text.

Hidden characters are made visible, secrets become markers, orders to a model are noted; nothing is
dropped in silence. The rules are data in `rules/`.
"""

from commonplace.guard.screening import Verdict, encodable, reasons, screen, shown, verdict
from commonplace.guard.unicode import HIDDEN_CLASSES, count_words, fold, has_words, show

__all__ = [
    "HIDDEN_CLASSES",
    "Verdict",
    "count_words",
    "encodable",
    "fold",
    "has_words",
    "reasons",
    "screen",
    "show",
    "shown",
    "verdict",
]
