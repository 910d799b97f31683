"""Measure recall on one's own memory: questions with known answers, asked of the memory as it is.

Cases come from a file (`read`) or from the memory's own corrections and `why` trails (`made`); `evaluate`
asks them and says how often the right record came back, how soon, and what else was shown. No model is
asked, and no memory is changed.
"""

from commonplace.surfaces.evaluate.cases import Case, Target, line, read
from commonplace.surfaces.evaluate.making import made
from commonplace.surfaces.evaluate.measuring import Evaluation, Figures, Verdict, evaluate

__all__ = ["Case", "Evaluation", "Figures", "Target", "Verdict", "evaluate", "line", "made", "read"]
