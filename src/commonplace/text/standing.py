"""Does an entry stay in sight whatever else has to move: a name, a standing instruction, or a matter of safety?

Known by its kind where that was kept, else by its words: what orders or forbids, and what harms.
"""

from __future__ import annotations

import re
from typing import Final

from commonplace.text.patterns import pattern

_FIRST: Final = pattern(
    r"\W*(?:(?:full |user(?:['’]s)? )?name\b|the assistant (?:should|may|is to)\b"
    r"|user is (?-i:[A-Z])|please|from now on|whenever|under no circumstances|no|skip"
    r"|use|give|ask|say|keep|avoid|show|write|answer|reply|respond|speak|call|wait|check|stop|ignore|mention|leave out"
    r"|bitte|nutze|antworte|sag|répond\w*|utilise|responde|usa)\b",
    re.IGNORECASE,
)
_ORDER: Final = pattern(
    r"\b(?:never|always|must|rule|instructions?|do not|don['’]t|not allowed|(?:to be|should be|should) call(?:ed)?"
    r"|answers|replies|responses|regeln?|immer|niemals|antworten|toujours|jamais|siempre|nunca)\b|总是|永远|不要|切勿|必ず|決して",
    re.IGNORECASE,
)
_SAFETY: Final = pattern(
    r"\b(?:allerg\w*|anaphyla\w*|epipen|epilep\w*|seizures?|diabet\w*|insulin|asthma\w*|inhaler|pacemaker|h[ae]mophili\w*"
    r"|co?eliac|pregnan\w*|blood (?:type|thinners?|pressure)|medic(?:al|ation|ations|ine)|prescri(?:bed|ption)|health"
    r"|intoleran\w*|an(?:a)?esthe\w*|migraines?|dos(?:e|age)|(?:micro|milli)grams?|mg|emergency (?:contact|number)"
    r"|cannot (?:eat|have|take)|schwanger|unverträglich\w*|verträgt|enceinte|embarazad[ao]|al[ée]rgi\w*)\b"
    r"|过敏|糖尿病|アレルギー|알레르기",
    re.IGNORECASE,
)


def is_standing(text: str, kind: str = "") -> bool:
    """True if a text names the user, instructs for good or is a safety matter, by its kind or by its words."""
    return kind == "instruction" or orders(text) or _SAFETY.search(text) is not None


def orders(text: str) -> bool:
    """True if a text names the user or instructs for good, by its words."""
    return bool(_FIRST.match(text) or _ORDER.search(text))
