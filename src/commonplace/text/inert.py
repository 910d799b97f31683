"""Make recalled text inert: nothing in it opens a fence, a role, a tool's result, an image or a link.

A mark is broken, never taken away, so that the words stay readable: `<` becomes `&lt;`, `](` becomes `] (`.
Only known marks are touched; `a < b` and `List<int>` stay. What is inert already is not changed again.
"""

from __future__ import annotations

import re
from typing import Final

from commonplace.text.patterns import pattern

_BLANK: Final = r"[\s\u200b-\u200f\u2060\ufeff]*"
_LESS: Final = "[<\uff1c\ufe64\u2039\u3008]"
_NAMES: Final = (
    r"recalled[\s_-]{0,3}memory|system(?:[-_][\w-]{1,20})?|user|assistant|human|developer|model|tool(?:s|[-_][\w-]{1,24})?"
    r"|function(?:s|[-_][\w-]{1,24})?|invoke|parameter|results?|observation|antml\b[\w:-]{0,30}|thinking|reasoning|scratchpad"
    r"|instructions?|im_(?:start|end)|start_of_turn|end_of_turn|begin_of_text|end_of_text|eot_id|bos|eos|s|sys|inst|pad|unk"
    r"|a|img|image|picture|video|audio|source|iframe|frame|script|style|svg|object|embed|link|meta|base|form|input|button"
    r"|body|html|head"
)
_TAG: Final = pattern(
    rf"{_LESS}(?={_BLANK}(?:[|\uff5c]|{_LESS}{_BLANK}/?{_BLANK}sys|[/!?\uff0f]?{_BLANK}(?:{_NAMES})(?![\w.-])"
    r"|(?:https?|ftp|data|javascript|file|mailto):|!--))",
    re.IGNORECASE,
)
_INST: Final = pattern(
    rf"[\[\uff3b](?={_BLANK}[/\uff0f]?{_BLANK}(?:inst|sys|tool_calls|tool_results|available_tools)\b)", re.IGNORECASE
)
_IMAGE: Final = pattern(r"!(?=\[)")
_LINK: Final = pattern(r"\](?=\(\s*<?\s*(?:[a-z][a-z\d+.-]*:|//|\\\\))", re.IGNORECASE)
_REFERENCE: Final = pattern(r"(?m)^([ \t>]{0,9}\[[^\]\n]{1,200}\])(?=:\s*<?(?:[a-z][a-z\d+.-]*:|//))", re.IGNORECASE)
_SPOKEN: Final = pattern(r"(?m)^([ \t]{0,8}(?:Human|Assistant))(?=[:\uff1a])")


def inert(text: str) -> str:
    """Return a text in which no mark of a prompt, a page or our own fence is live."""
    text = _TAG.sub("&lt;", text)
    text = _INST.sub("(", text)
    text = _IMAGE.sub("! ", text)
    text = _LINK.sub("] ", text)
    text = _REFERENCE.sub(_spaced, text)
    return _SPOKEN.sub(_spaced, text)


def _spaced(found: re.Match[str]) -> str:
    return f"{found[1]} "  # a function, not a template: it is called only where something is found
