"""Cuts a message into the clauses that a person states in their own voice.

What is pasted, quoted, fenced or a caption is masked and never read as a statement; questions,
conditions, wishes, reports of others and jokes are marked so that no rule takes them for facts.
Positions stay those of the message. All work is linear in its length.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from commonplace.jobs.rules.patterns import guard

MASK: Final = "\x00"
REASON_CHARS: Final = 120  # further back an `and` opens a statement of its own
_MARKER: Final = "⟦secret:"  # where one was
SENTENCE_CHARS: Final = 900  # a longer run without an end is no sentence of a person


class Clause(msgspec.Struct, frozen=True):
    """One statement of a message: `text` without its lead-in, its place, and how it was meant.

    `core` is the place of its subject in `text`, behind a time it opens with (`Last week I went`).
    `lead` is what was cut off in front (`btw,`), in lower case.
    """

    text: str
    start: int
    end: int
    core: int = 0
    lead: str = ""
    question: bool = False
    unreal: bool = False
    conditional: bool = False
    reported: bool = False


def mask(text: str, foreign: Sequence[tuple[int, int]] = ()) -> str:
    """Blank what a person pasted, quoted or attached; the length stays the same.

    A title in quotes stays; quoted words that address a person are another's words.

    Args:
        text: What was said.
        foreign: The parts that are not the person's own, as the guard finds them.
    """
    chars = list(text)

    def blank(start: int, end: int) -> None:
        chars[start:end] = MASK * (end - start)

    for start, end in foreign:
        blank(start, end)
    for pattern in (guard("caption"), guard("secret")):
        for found in pattern.finditer(text):
            blank(*found.span())
    for found in guard("quoted").finditer(text):
        if guard("spoken").search(text, *found.span()):
            blank(*found.span())
    start = 0
    for line in text.split("\n"):
        if guard("pasted_line").match(line):
            blank(start, start + len(line))
        start += len(line) + 1
    return "".join(chars)


def sentences(masked: str) -> Iterator[tuple[int, int, str]]:
    """Yield where each sentence of a masked text begins and ends, and the mark it ends with."""
    start = 0
    for stop in guard("stop").finditer(masked):
        mark = stop.group()
        if mark.startswith(".") and guard("abbreviation").search(
            masked, max(start, stop.start() - 8), stop.start() + 1
        ):
            continue
        if mark.startswith(".") and guard("ordinal").search(masked, max(start, stop.start() - 7), stop.start() + 12):
            continue
        if mark == "\n" and _wrapped(masked, start, stop.start()):
            continue
        yield start, stop.start(), mark
        start = stop.end()
    yield start, len(masked), ""


def _wrapped(masked: str, start: int, newline: int) -> bool:
    """True if a line break is one for width, not the end of a statement."""
    following = masked[newline + 1 : newline + 2]
    return newline - masked.rfind("\n", start, newline) > 60 and following.islower()


def clauses(text: str, masked: str) -> Iterator[Clause]:
    """Yield the clauses of a message in order, each marked with how it was meant."""
    for start, end, mark in sentences(masked):
        if not 3 <= end - start <= SENTENCE_CHARS:
            continue
        for clause in _of_sentence(text, masked, start, end, mark):
            # Of one that told a secret, what is left tells nothing: "My password is".
            if _MARKER not in text[clause.start : clause.end] and not text[
                clause.end : clause.end + 12
            ].lstrip().startswith(_MARKER):
                yield clause


def _of_sentence(text: str, masked: str, start: int, end: int, mark: str) -> Iterator[Clause]:
    begin, lead, reported = _skip_leads(masked, start, end)
    joints = (found.span() for found in guard("joint").finditer(masked, begin, end))
    cuts = [span for span in joints if not _within_reason(masked, begin, span)]
    both = guard("with_one").match(masked, begin, end)  # `Ada and I broke up` is of both
    cuts = [span for span in cuts if both is None or span[0] >= both.end()]
    while cuts and guard("listed_kin").match(masked, cuts[-1][1], end) and "and" in masked[slice(*cuts[-1])]:
        cuts.pop()  # `with my partner and our cat` is one statement
    edges = [begin, *(after for _, after in cuts)]
    ends = [*(before for before, _ in cuts), end]
    conditional = False
    contrast = guard("contrast_behind").search(masked, edges[-1], end) if cuts else None
    if contrast is not None:  # it is of what the sentence begins with
        ends[-1] = contrast.start()
    for number, (left, right) in enumerate(zip(edges, ends, strict=True)):
        part = masked[left:right]
        last = number == len(edges) - 1
        clause = _clause(text, masked, left, right)
        if clause is not None:
            yield msgspec.structs.replace(
                clause,
                lead=(f"{contrast['tail']}, ".lower() if contrast and not number else "") + lead + clause.lead,
                question=bool(guard("question_start").match(part.lstrip()))
                or ("?" in mark and last and guard("requests").match(lead) is None),
                unreal=bool(guard("unreal").search(_claim(clause.text))),
                conditional=conditional,
                reported=reported,
            )
        conditional = conditional or bool(guard("condition").search(part))
        reported = reported or bool(guard("report").search(part))


def _within_reason(masked: str, begin: int, joint: tuple[int, int]) -> bool:
    """True if an `and` continues the reason given before it, which is no statement of its own."""
    before, after = joint
    return masked[before:after].strip() == "and" and "because " in masked[max(begin, before - REASON_CHARS) : before]


def _claim(text: str) -> str:
    """Leave out the reason given: what it supposes does not touch what is claimed."""
    claim = re.split(r"\b(?:because|since|so that|due to|as it)\b", text, maxsplit=1)[0]
    return re.sub(r"\bMay\b", "", claim)  # the month


def _clause(text: str, masked: str, left: int, right: int) -> Clause | None:
    begin, lead, _ = _skip_leads(masked, left, right)
    alone = guard("asked_alone").fullmatch(masked[begin:right].strip(" .!。！"))
    asked = guard("asked_behind").search(masked, begin, right) if alone is None else None
    right = right if asked is None else asked.start()
    while right > begin and (
        masked[right - 1] in MASK or not (masked[right - 1].isalnum() or masked[right - 1] in "%)\"'”’+#°€$*_`")
    ):
        right -= 1
    if right - begin < 3 or MASK in masked[begin:right]:
        return None
    timed = guard("time_lead").match(masked, begin, right)
    core = timed.end() - begin if timed else 0
    return Clause(_spelled(text[begin:right]), begin, right, core=core, lead=lead)


def _spelled(text: str) -> str:
    """Return a clause that begins with `im` or `ive` with their apostrophe."""
    bare = guard("no_apostrophe").match(text)
    return text if bare is None else f"I'{bare['rest']}{text[bare.end() :]}"


def _skip_leads(masked: str, left: int, right: int) -> tuple[int, str, bool]:
    begin = left
    while begin < right and (masked[begin].isspace() or masked[begin] in MASK or masked[begin] in "(\"'“*_,"):
        begin += 1
    first = begin
    for _ in range(6):
        found = guard("leads").match(masked, begin, right) or guard("label").match(masked, begin, right)
        if found is None:
            break
        begin = found.end()
    lead = masked[first:begin].lower()
    speaker = guard("speaker").match(masked, begin, right)
    return begin, lead, speaker is not None


def shorter(clause: Clause) -> Iterator[Clause]:
    """Yield a clause, and then without the label before it and without what is said behind it."""
    yield clause
    label = guard("announced").match(clause.text)
    begin = 0 if label is None or clause.core else label.end()
    behind = guard("behind_an_order").search(clause.text, max(begin, clause.core))
    end = len(clause.text) if behind is None else behind.start()
    contrast = guard("contrast_behind").search(clause.text, end)
    lead = f"{contrast['tail']}, ".lower() + clause.lead if contrast else clause.lead
    if len(clause.text[max(begin, clause.core) : end].split()) >= 3:
        for right in dict.fromkeys((len(clause.text), end)):
            yield msgspec.structs.replace(
                clause,
                text=clause.text[begin:right],
                lead=lead if right == end else clause.lead,
                start=clause.start + begin,
                end=clause.start + right,
            )


def without_aside(clause: Clause) -> Clause:
    """Return a clause without a remark at its end on what was said (`- it was so fun`)."""
    aside = guard("aside").search(clause.text, clause.core)
    if aside is None or len(clause.text[clause.core : aside.start()].split()) < 4:
        return clause
    return msgspec.structs.replace(clause, text=clause.text[: aside.start()], end=clause.start + aside.start())
