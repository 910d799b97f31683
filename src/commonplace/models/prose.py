"""Is an answer in prose one at all: a text about the conversation, and no refusal, error page or piece of a format?

A list of lines in JSON is read as its lines. What a model should have written about a conversation says something that
is in it: a word, a name or a number. That is not asked of an answer in another script or language than the
conversation's, which shares none for good reasons.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from commonplace.models.protocol import Reply
from commonplace.models.reading import Unusable, body, is_broken, listed, read_json, says_none, usable_text
from commonplace.text.content import is_joining, keywords, words
from commonplace.text.patterns import pattern

_PAGE: Final = pattern(r"\s*<(?:!doctype|html|head|body|\?xml)\b", re.IGNORECASE)
_ERROR: Final = pattern(
    r"\W*(?:(?:[\w-]+ ){0,3}(?:error|exception|errno)\b|traceback\b|http(?:/\d(?:\.\d)?)? ?[45]\d\d\b"
    r"|[45]\d\d [a-z]|(?:bad gateway|service unavailable|gateway time-?out|too many requests|rate limit"
    r"|request timed out)\b)",
    re.IGNORECASE,
)
_ASKING: Final = pattern(
    r"\W*(?:please|could you|can you)(?: please)? (?:provide|share|paste|send|give)\b", re.IGNORECASE
)
_SHORT_CHARS: Final = 300  # a longer text tells of an error, or of what somebody was asked for
_LETTER: Final = pattern(r"[^\W\d_]")
_LATIN: Final = pattern(r"[a-zà-öø-ÿ]", re.IGNORECASE)
_JOINING: Final = 2  # so many of them show in which language a text is


def prose(reply: Reply, about: Iterable[str], *, none: bool = False) -> str | Unusable:
    """Return the text of an answer in prose, or why it is none.

    Args:
        reply: The model's answer.
        about: The texts that the model was shown: the messages, and its own words on those before.
        none: It may also answer that there is nothing to say.
    """
    text = body(reply)
    if isinstance(text, Unusable):
        return text
    if (lines := listed(text)) is not None:
        text = lines or "none"
    if none and says_none(text):
        return text
    if usable_text(text) is None or is_broken(text) or not _LETTER.search(text):
        return Unusable("an answer without words", reply.text)
    if not isinstance(read_json(text), str | None) or _PAGE.match(text):
        return Unusable("the answer is no prose", reply.text)
    return text if _is_about(text, "\n".join(about)) else Unusable("an answer that is not about it", reply.text)


def _is_about(text: str, said: str) -> bool:
    told, known = keywords(text), keywords(said)
    shared = told & known
    if len(text) <= _SHORT_CHARS and (_ERROR.match(text) or _ASKING.match(text)):
        return 2 * len(shared) > len(told)
    return bool(shared) or (bool(told) and not _is_comparable(text, said))


def _is_comparable(text: str, said: str) -> bool:
    """True if two texts are in one script and, as far as their joining words tell, in one language."""
    if bool(_LATIN.search(text)) != bool(_LATIN.search(said)):
        return False
    joining = {word for word in words(text) if is_joining(word)}
    return len(joining) < _JOINING or 2 * len(joining & set(words(said))) >= len(joining)
