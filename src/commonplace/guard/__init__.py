"""May this text be stored, and how: the only maker of screened text.

Hidden characters are made visible, secrets become markers, orders to a model are noted; nothing is
dropped in silence. Rules are data in `rules/`.
"""

from commonplace.guard.screening import Verdict, encodable, screen, verdict
from commonplace.guard.unicode import fold, show

__all__ = ["Verdict", "encodable", "fold", "screen", "show", "verdict"]
