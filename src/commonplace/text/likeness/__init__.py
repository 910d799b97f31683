"""How alike two short statements are, and whether one says the other, changes it, or has nothing to do with it.

Three parts: `vectors` nominates, `deciding` decides by rules, `wording` holds the words the rules know.
Pure: no file, no model, no clock, nothing learnt; the same two texts always get the same answer.
"""

from commonplace.text.likeness.deciding import Kind, Likeness, decide
from commonplace.text.likeness.vectors import cosine, nominate, vector
from commonplace.text.likeness.wording import firm_words

__all__ = ["Kind", "Likeness", "cosine", "decide", "firm_words", "nominate", "vector"]
