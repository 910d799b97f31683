"""Words a person's own sentence as a statement about that person.

`I moved to Oslo` becomes `Ada moved to Oslo`; where the sentence is not of that shape it is kept
behind the speaker's name. Nothing is added but the name and the ending of one verb.
"""

from __future__ import annotations

import re
from typing import Final

from commonplace.jobs.rules.patterns import words
from commonplace.text.patterns import pattern

UNNAMED: Final = "User"

_AUXILIARY: Final = {
    "am": "is", "'m": "is", "’m": "is", "have": "has", "'ve": "has", "’ve": "has", "do": "does", "don't": "doesn't",
    "don’t": "doesn't", "dont": "doesn't", "haven't": "hasn't", "were": "was", "'ll": "will", "’ll": "will",
    "go": "goes", "'d": "would", "’d": "would",
}  # fmt: skip
_ADVERB: Final = pattern(
    r"(?:really|also|just|still|usually|often|always|never|sometimes|rarely|actually|recently|finally|only|mostly|mainly|"
    r"currently|personally|generally|typically|normally|strongly|absolutely|totally|honestly|definitely|already|even|"
    r"regularly|occasionally|primarily|genuinely|truly|especially|particularly|kinda|sort of|kind of|both|all|now|then|"
    r"officially|originally|ultimately|eventually|formally|simply|seldom|no longer|hardly|barely|highly|much)\s+",
    re.IGNORECASE,
)
_PAST: Final = pattern(r"\w+ed|left|quit|sold|began|became|gave|got|went|took|lost|found", re.IGNORECASE)
_REMIND: Final = pattern(r"(?:please )?remind me (to|about|of|that) ", re.IGNORECASE)
_AND_VERB: Final = pattern(
    r"(?P<and>,(?= [a-z]+(?:,| and| or) )"
    r"|\b(?:and|or|but)(?: (?:also|then|never|always|mostly|only|still|usually|sometimes))?) "
    r"(?P<verb>[a-z]+)\b"
    r"(?P<with> (?:at|in|on|for|with|from|as|to|the|an?|my|our|every|most|only|part|full|nights|hard)\b)?"
)
_MERE: Final = pattern(r"(?:just|also)\s+(?=\w)", re.IGNORECASE)
_INFINITIVE: Final = pattern(r"\bto ([a-z]+)\b|\b(?:lets?|helps?|makes?) \w+ ([a-z]+)\b")
_SUBJECT: Final = pattern(r"(I)(?P<joined>['’](?:m|ve|ll|d))?\s+", re.IGNORECASE)
_MINE: Final = pattern(r"my\s+", re.IGNORECASE)
_LATER: Final = (
    (pattern(r"\bI['’]m\b"), "they're"),
    (pattern(r"\bI am\b"), "they are"),
    (pattern(r"\bI was\b"), "they were"),
    (pattern(r"\bI['’]ve\b"), "they've"),
    (pattern(r"\bI['’]ll\b"), "they'll"),
    (pattern(r"\bI['’]d\b"), "they'd"),
    (pattern(r"\bI\b(?= [a-z])"), "they"),
    (pattern(r"\b[Mm]y\b"), "their"),
    (pattern(r"(?<!`)\bmine\b"), "theirs"),
    (pattern(r"\bme\b"), "them"),
    (pattern(r"\bmyself\b"), "themself"),
)
_SIGN_OFF: Final = pattern(
    r"(?:[\s,;:–—-]+(?:lol|haha+|though|too|as well|you know|thanks|thank you|please|btw|by the way|actually|tho|right"
    r"|again|(?:just )?in case (?:it|that|this|you)\b[^,;.]*|if (?:it|that) (?:matters|helps)|just so you know))+\Z",
    re.IGNORECASE,
)


def statement(text: str, core: int, speaker: str | None, *, alone: bool = False) -> str:
    """Word one clause as a sentence about its speaker, ended with a full stop.

    Args:
        text: The clause.
        core: Where its subject begins; a time is before it.
        speaker: The name of who said it; None reads `User`.
        alone: One person speaks, so that only words of the first person need a name before them.
    """
    name = speaker or UNNAMED
    body = _SIGN_OFF.sub("", " ".join(text.split())) if core == 0 else " ".join(text.split())
    head, rest = body[:core], body[core:]
    subject = _SUBJECT.match(rest)
    if subject is not None:
        return _ended(f"{head}{name} {_third(rest[subject.end() :], subject['joined'])}")
    remind = _REMIND.match(rest)
    if remind is not None:
        return _ended(f"{name} wants to be reminded {remind[1].lower()} {of_others(rest[remind.end() :])}")
    mine = _MINE.match(rest)
    if mine is not None:
        return _ended(f"{head}{name}'s {of_others(rest[mine.end() :])}")
    if (speaker and not alone) or re.search(r"\b(?:I|my|me)\b|我(?!们)", body):
        return _ended(f"{name}: {body}")
    return _ended(body[:1].upper() + body[1:])


def _third(rest: str, joined: str | None) -> str:
    rest = _MERE.sub("", rest, count=1) if _MERE.match(rest) else rest
    if joined:
        also = rest if _AUXILIARY[joined.lower()] in {"will", "would"} else _AND_VERB.sub(_joined, rest)
        return f"{_AUXILIARY[joined.lower()]} {of_others(also)}"
    position = 0
    while (adverb := _ADVERB.match(rest, position)) is not None:
        position = adverb.end()
    verb, space, tail = rest[position:].partition(" ")
    if verb.endswith(","):
        verb, space, tail = verb[:-1], "", f", {tail}"
    form = third_form(verb)
    if form != verb or _PAST.fullmatch(verb):
        tail = _AND_VERB.sub(_joined, tail)
    return f"{rest[:position]}{form}{space}{of_others(tail)}"


def _joined(found: re.Match[str]) -> str:
    """Return `and work` in the form that it has after he or she, if the word behind `and` is a verb there."""
    verb = found["verb"]
    before = _INFINITIVE.findall(found.string, 0, found.start())
    if any(let or to in words("verbs") | words("verbs_or_nouns") for to, let in before):
        return found[0]  # `likes to cook and bake`
    if verb not in words("verbs") and not (found["with"] and verb in words("verbs_or_nouns")):
        return found[0]
    return f"{found['and']} {third_form(verb)}{found['with'] or ''}"


def of_others(text: str) -> str:
    """Return a text of the first person as one of others: `my` becomes `their`."""
    for known, word in _LATER:
        text = known.sub(word, text)
    return text


def third_form(verb: str) -> str:
    """Return a verb in the form it has after he or she; a past form stays."""
    lower = verb.lower()
    if lower in _AUXILIARY:
        return _AUXILIARY[lower]
    if lower in words("unchanged") or (
        lower.endswith("ed") and lower not in {"need", "feed", "speed", "breed", "proceed", "succeed"}
    ):
        return verb
    if not lower.isalpha():
        return verb
    if lower.endswith(("s", "sh", "ch", "x", "z", "o")):
        return verb + "es"
    if lower.endswith("y") and lower[-2:-1] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + "s"


def _ended(text: str) -> str:
    text = text.rstrip(" .!,;:")
    first = text.partition(" ")[0]
    if first.isalpha() and first.islower():
        text = text[:1].upper() + text[1:]
    return text if text.endswith(("。", "！", "？", "…")) else text + "."
