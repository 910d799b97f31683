"""Does an entry stay in sight whatever else has to move: a standing instruction, or a matter of safety?"""

from __future__ import annotations

import re
from typing import Final

from commonplace.text.patterns import pattern

_INSTRUCTION: Final = pattern(
    r"(?:always|never|do not|don['’]t|from now on|whenever|call me|only ever|under no circumstances"
    r"|immer|niemals|toujours|siempre|nunca)\b"
    r"|(?:总是|永远|不要|切勿|必ず|決して)",
    re.IGNORECASE,
)
_SAFETY: Final = pattern(
    r"\b(?:allerg\w*|anaphyla\w*|epipen|epilep\w*|seizures?|diabet\w*|insulin|asthma\w*|inhaler|pacemaker|h[ae]mophili\w*"
    r"|co?eliac|pregnan\w*|blood (?:type|thinners?)|medications?|prescri(?:bed|ption)|emergency (?:contact|number)"
    r"|schwanger|enceinte|embarazad[ao]|al[ée]rgi\w*)\b"
    r"|过敏|糖尿病|アレルギー|알레르기",
    re.IGNORECASE,
)


def is_standing(text: str, kind: str = "") -> bool:
    """True if a text is a standing instruction or a safety matter, by its kind or by its words."""
    return kind == "instruction" or _INSTRUCTION.match(text.strip()) is not None or _SAFETY.search(text) is not None
