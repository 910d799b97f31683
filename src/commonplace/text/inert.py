"""Make recalled text inert: nothing in it opens a fence, a role, a tool's result, an image or a link.

A mark is broken, never taken away, so that the words stay readable: `<` becomes `&lt;`, `](` becomes `] (`.
Marks are looked for with full-width signs read as ASCII. Only known marks are touched;
`a < b`, `List<int>`, `（注）` and `＜Ａ＞` stay. What is inert already is not changed again.
"""

from __future__ import annotations

import re
from typing import Final

from commonplace.text.patterns import pattern

_FULL_WIDTH: Final = pattern("[\u3000\uff01-\uff5e]")
_ASCII: Final = {code + 0xFEE0: code for code in range(0x21, 0x7F)} | {0x3000: 0x20}  # one sign for one sign
_BLANK: Final = r"[\s\u200b-\u200f\u2060\ufeff]*"
_LESS: Final = "[<\ufe64\u2039\u3008]"
_LABEL: Final = pattern("\uff1c(?=[\uff21-\uff3a]\uff1e)")  # of parts of a text: a letter, all of it full-width
_NAMES: Final = (
    r"recalled[\s_-]{0,3}memory|system(?:[-_][\w-]{1,20})?|user|assistant|human|developer|model|tool(?:s|[-_][\w-]{1,24})?"
    r"|function(?:s|[-_][\w-]{1,24})?|invoke|parameter|results?|observation|antml\b[\w:-]{0,30}|think(?:ing)?|reasoning|scratchpad"
    r"|instructions?|im_(?:start|end)|start_of_turn|end_of_turn|begin_of_text|end_of_text|eot_id|bos|eos|s|sys|inst|pad|unk"
    r"|(?:unused|extra_id|special|reserved)[\w-]{0,30}\d"
    r"|a|img|image|picture|video|audio|source|iframe|frame|script|style|svg|object|embed|link|meta|base|form|input|button"
    r"|body|html|head"
)
_TAG: Final = pattern(
    rf"{_LESS}(?={_BLANK}(?:\||{_LESS}{_BLANK}/?{_BLANK}sys|[/!?]?{_BLANK}(?:{_NAMES})(?![\w.-])"
    r"|(?:https?|ftp|data|javascript|file|mailto):|!--))",
    re.IGNORECASE,
)
_INST: Final = pattern(
    rf"\[(?={_BLANK}/?{_BLANK}(?:inst|sys|system_prompt|tool_calls|tool_results|available_tools)\b)", re.IGNORECASE
)
_IMAGE: Final = pattern(r"!(?=\[)")
_LINK: Final = pattern(r"\](?=\(\s*<?\s*(?:[a-z][a-z\d+.-]*:|//|\\\\))", re.IGNORECASE)
_REFERENCE: Final = pattern(
    r"(?m)^((?:[^\S\n]|>){0,9}\[[^\]\n]{1,200}\])(?=:\s*<?(?:[a-z][a-z\d+.-]*:|//))", re.IGNORECASE
)
_ROLE: Final = r"(?:system|user|human|assistant|developer|instructions?|input|response|tool)(?: (?:prompt|message))?"
_SPOKEN: Final = pattern(
    rf"(?m)^[ \t]{{0,8}}(?:Human|Assistant|System|(?i:#+[ \t]*{_ROLE}|(?:#+[ \t]*)?\[{{1,2}}{_ROLE}\]{{1,2}}))(?=:)"
)


def inert(text: str) -> str:
    """Return a text in which no mark of a prompt, a page or our own fence is live."""
    read = text if _FULL_WIDTH.search(text) is None else _LABEL.sub("(", text).translate(_ASCII)
    broken = [(found.start(), found.end(), "&lt;") for found in _TAG.finditer(read)]
    broken += [(found.start(), found.end(), "(") for found in _INST.finditer(read)]
    broken += [(found.end(), found.end(), " ") for found in _SPOKEN.finditer(read)]
    parts: list[str] = []
    at = 0
    for start, end, instead in sorted(broken):
        parts += [text[at:start], instead]
        at = end
    text = "".join([*parts, text[at:]])
    text = _IMAGE.sub("! ", text)
    text = _LINK.sub("] ", text)
    return _REFERENCE.sub(_spaced, text)


def _spaced(found: re.Match[str]) -> str:
    return f"{found[1]} "  # a function, not a template: it is called only where something is found
