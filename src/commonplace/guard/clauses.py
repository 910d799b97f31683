"""The clauses of a text: what each is about, of whom it speaks, what it counts, denies and doubts. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import takewhile
from typing import Final, NamedTuple

from commonplace.guard.about import FIRST_PERSON, OTHER, SAYS_I, SELF, TELLS, YOU, apposed, relatives, whose
from commonplace.text import content, days, denials
from commonplace.text.content import Vocabulary
from commonplace.text.everyday import COMMON
from commonplace.text.numerals import numerals
from commonplace.text.patterns import pattern
from commonplace.text.terms import CJK

PRONOUN: Final = pattern(  # none that is an article too
    r"\b(?:he|she|they|it|him|her|them|er|sie|ihn|ihm|ihr|ihnen|dafür|damit|ils?|elles?|lui|leur|él|ella|ellos|lei|loro"
    r"|el[ea]s?|isso|он[аио]?|его|её|их|ему|ona|oni|hij|zij|ze|hem|haar)\b|[他她它]|彼|それ|그(?:는|녀)",
    re.IGNORECASE,
)
_ANYBODY: Final = pattern(
    r"\b(?:we|you|some(?:one|body)|any(?:one|body)|every(?:one|body)|who|wir|jemand|man|alle|wer|nous|vous|on|quelqu['’]un|qui|nosotros|alguien|quien|noi|qualcuno|chi"
    r"|nós|alguém|quem|мы|кто\w*|my|ktoś|kto|we|wij|iemand|wie)\b|我们|你|谁|大家|誰|みんな|우리|누가",
    re.IGNORECASE,
)
_PORTUGUESE: Final = pattern(r"\b(?:não|é|são|uma?|em|com|você|estou|sou|meu|minha|ao|às?)\b")
_NO_PORTUGUESE: Final = pattern(r"\b(?:the|you|el|los|las|il|gli)\b")
_IN_THE: Final = pattern(r"\bnos?\b")  # of Portuguese; elsewhere a denial
_LEAST_WORDS: Final = 3  # of Portuguese, for a talk to be held in it
_REFERS: Final = pattern(r"\b(?:it|that|them|das|es|ça|cela|lo|eso|это|его)\b", re.IGNORECASE)
SHORT: Final = 2  # words of a clause that is held against what a denial is about, though it shares but one
_WHOSE: Final = pattern(
    r"\b(?i:my|our|meine?|unsere?|ma|mon|notre|mi|nuestr[oa]|mio|mia|minha|meu|мой|моя|mój|moja|mijn)\s\w+\s([^\W\d_]{2,})"
    r"|\b(?:Frau|Herr|M(?:me|rs?|s)|Dr|Sr(?:ta|a)?|Sig(?:ra)?)\.?\s([^\W\d_]{2,})"
)
_ORDERS: Final = pattern(r"\w+[ -](?:me|us|mich|mir|uns|moi|nous|mi|ci|ons|mij|мне|нам)\b", re.IGNORECASE)
_ACTOR: Final = pattern(  # `Anna works`, `my wife Anna works`, `Frau Lutz zahlt`
    r"\A\W*(?:(?i:and|und|et|y|e|og|en|i|и)\s)?"
    r"(?:(?i:my|our|meine?|unsere?|ma|mon|notre|mi|nuestr[oa]|mio|mia|minha|meu|мой|моя|mój|moja|mijn"
    r"|(?:the )?user['’]s)\s\w+\s)?"
    r"(?:(?:Frau|Herr|M(?:me|rs?|s)|Dr|Sr(?:ta|a)?|Sig(?:ra)?)\.?\s)?"
    r"([^\W\d_]{2,})(?:['’]s)?\s"
    r"(?:(?P<asks>(?i:wants?|wanted|asks?|asked|says?|said|needs?|thinks?|will|möchte|sagt\w*|fragt\w*|braucht|meint"
    r"|veut|demande|dit|quiere|pide|dice|vuole|chiede|quer|pede|diz|хочет|просит|говорит|chce|prosi|mówi|wil|vraagt"
    r"|zegt)\s)|(?!(?:in|on|at|to|for|of|with|from|by|auf|im|am|zum?r?|mit|für|von|en|à|de|du|pour|con|al|del|per|da|di"
    r"|do|na|w|z|dla|od|op|van|voor|met|на|в|к|с|по|за|от|до|для|из)\s)(?=[^\W\d_A-ZÀ-ÞА-ЯЁ]))",  # no verb
)
_LABELLED: Final = pattern(r"(?:\A|[:\n-]\s?)([^\W\d_]{2,})(?=[,:])")  # `- Jimena, from Rosario`
_UNIT: Final = pattern(rf"\s?([{CJK}]|[^\W\d_]{{2,}})")  # behind a number
_GOES_ON: Final = pattern(  # with a verb that has no person
    r"[^\W\d_]{2,}(?:ing|ar|er|ir|are|ere|ire)(?:me|se|nos|si|ci|l[oae]s?)?\s", re.IGNORECASE
)
_BUT: Final = pattern(r"(?:\b(?:but|aber|mais|pero|però|ma|mas|но|ale|maar|men) |[但却])\w{0,4}\Z", re.IGNORECASE)
_BUT_CHARS: Final = 4
FIRM: Final = "#@"  # stand before a number and a weekday
_CODE: Final = pattern(r"(?:\A|[^A-Za-z])[A-Za-z]\Z")  # before a number
_DONE_SO: Final = pattern(  # of what was just spoken of: `I started one`
    r"\A\W*(?:(?:yes|yeah|ja|oui|sí|sì|so|and|well)\W+)?(?:"
    r"(?:I|we)(?:['’]ve| have)?(?: (?:just|already|finally|now))? (?:started|booked|ordered|signed|accepted|joined"
    r"|adopted|got|took|bought|did|began|chose) (?:one|it|that|them)"
    r"|(?:ich|wir) hab(?:e|en)? (?:\w+ )?(?:eine?[nrs]?|es|ihn|sie|das) (?:\w+ )?(?:gebucht|bestellt|gekauft|genommen"
    r"|gemacht|unterschrieben|angefangen)"
    r"|(?:je l['’]ai|on l['’]a|nous l['’]avons|j['’]en ai|on en a) (?:fait|prise?|achetée?|réservée?|commandée?)"
    r"|(?:ya )?l[oa]s? (?:hice|hicimos|compré|compramos|reservé|reservamos|firmé)"
    r"|(?:l['’]ho|l['’]abbiamo|ne ho|ne abbiamo) (?:fatt|pres|comprat|prenotat|ordinat|firmat)[oaie]"
    r"|(?:ik|we|wij) heb(?:ben)? (?:het|er (?:een|eentje)|die|dat) (?:gedaan|gekocht|geboekt|besteld|genomen)"
    r")\W*\Z",
    re.IGNORECASE,
)
_DONE_WITHIN: Final = 2  # messages behind what was only supposed
_RANGE_CHARS: Final = 5  # before a date, in which the first number of a range of days stands


class Clause(NamedTuple):
    """One clause: its words and names, the name it begins with, its numbers and days, and what it denies or doubts."""

    content: frozenset[str]
    names: frozenset[str]
    subject: str
    whom: frozenset[str]
    dated: frozenset[str]
    numbers: frozenset[str]
    weekdays: frozenset[int]
    denied: frozenset[str]
    denies: bool
    doubts: bool
    supposes: bool
    asks: bool
    person: bool
    text: str
    speaker: str = ""  # whom it is about, if one whose name is known says it of themselves
    place: int = 0  # of its message in the talk


class Reader:
    """Cuts the texts of a talk, and statements about it, into clauses.

    Args:
        said: The texts of the talk.
        names: The names that are known.
    """

    def __init__(self, said: Iterable[str], names: frozenset[str], memory: Iterable[str] = ()) -> None:
        self._said = tuple(said)
        self._memory = tuple(memory)
        self._names = names
        self._known = Vocabulary(names)

    @cached_property
    def relatives(self) -> frozenset[str]:
        """The names of those that the talk names as relatives, friends or colleagues."""
        return frozenset[str]().union(*map(relatives, (*self._said, *self._memory)))

    def whose(self, clause: Clause) -> str:
        """Return whom a clause of the talk is about: the user, another one, or nobody that can be known."""
        found = whose(clause.text, person=clause.person)
        return OTHER if not found and actor(clause.text) in self.relatives else found

    @cached_property
    def _is_portuguese(self) -> bool:
        said = " ".join(self._said).casefold()
        return len(set(_PORTUGUESE.findall(said))) >= _LEAST_WORDS and _NO_PORTUGUESE.search(said) is None

    def plain(self, text: str) -> str:
        """Return a text without words that deny in other languages than its own, and without commas in a name."""
        text = apposed(text)
        return _IN_THE.sub("em", text) if self._is_portuguese else text

    def read(self, text: str, speaker: str = "", *, person: bool = False, settled: bool = True) -> list[Clause]:
        """Cut a text into clauses.

        One that only denies (`Ben is not`) or refers (`I do it`) is about what is said before it; a doubt that is a
        clause by itself (`Ole maybe, on the flute`) is about the next one too. A question that is not `settled`, that
        is one whose answer denies or doubts, says what may be so.
        """
        found: list[Clause] = []
        about: frozenset[str] = frozenset()
        whom: frozenset[str] = frozenset()
        last = 0  # where the sentence before begins
        for sentence in content.sentences(self.plain(text)):
            start = len(found)
            before: frozenset[str] = frozenset()
            unsure, asked, topic, about = False, sentence.endswith(("?", "？")), about, frozenset()
            of_self = ""
            dated = content.content(" ".join(sentence[day.start : day.end] for day in days.named(sentence)))
            for part in content.clauses(sentence):
                said = content.content(part) | self._names.intersection(content.words(part))
                named = self._known.shared(said)
                subject = next((word for word in content.words(part) if word in said), "")
                subject = subject if subject in named else ""
                whom = said | (whom if PRONOUN.search(part) else frozenset())
                if (SAYS_I if person else YOU).search(part):
                    whom |= frozenset(content.words(speaker)) or {SELF}
                if speaker and FIRST_PERSON.search(part):
                    named |= frozenset(content.words(speaker))
                    subject = of_self = content.words(speaker)[0]
                elif subject or actor(part) or PRONOUN.search(part) or _ANYBODY.search(part):
                    of_self = ""
                elif of_self:  # "I don't eat nuts, allergic"
                    whom |= {of_self}
                denies = denials.denies(part)
                own = said - named
                supposes = not settled if asked and not person else unsure or _supposes(part, found[start:])
                if not said or (denies and len(own) <= 1):
                    said |= before or (topic if _REFERS.search(part) or not (said or found[start:]) else before)
                    supposes |= bool(before) and found[-1].supposes
                elif len(own) <= 1 and _REFERS.search(part):
                    said |= topic
                before = own or before
                about |= own
                unsure = supposes and len(said) <= SHORT
                on = frozenset(n for n, day in enumerate(days.WEEKDAYS) if day.search(part.casefold()))
                of = said, named, subject, whom, dated, counts_of(part), on
                doubts = supposes or denials.doubts(part)
                found.append(Clause(*of, denials.denied(part), denies, doubts, supposes, asked, person, part, of_self))
                if denials.only_doubts(part) or (len(found) > start + 1 and denials.leaves_open(part)):
                    begin = start if len(found) > start + 1 else last
                    end = len(found) - (len(own) > 1)  # what says no is not what is open
                    found[begin:end] = [each._replace(supposes=True, doubts=True) for each in found[begin:end]]
            last = start
        return found


def _supposes(part: str, before: Sequence[Clause]) -> bool:
    """True if a clause says what may be so, or goes on with one that does (`thinking of selling it and buying two`)."""
    goes_on = bool(before) and before[-1].supposes and _GOES_ON.match(part)
    return denials.supposes(part) or (bool(goes_on) and not content.is_joining(content.words(part)[0]))


def actor(text: str) -> str:
    """Return the name that a clause begins with, of one who does or is something; empty if it wants it of others."""
    match = _ACTOR.match(text)
    if match is None or match["asks"] or not match[1][0].isupper() or _ORDERS.match(text):
        return ""
    name = content.bare(match[1])
    return "" if name in COMMON or content.is_joining(name) else name


def is_behind_but(clause: str, text: str) -> bool:
    """True if a clause of a text is set against what is before it (`doesn't smoke but drinks`)."""
    return _BUT.search(text.partition(clause)[0] + clause[:_BUT_CHARS]) is not None


def labelled(text: str) -> set[str]:
    """Return the words with a capital that are alone before a comma or colon, or behind a title or `my wife`."""
    found = [match[1] for match in _LABELLED.finditer(text)]
    found += [match[1] or match[2] for match in _WHOSE.finditer(text)]
    return {content.bare(word) for word in found if word[0].isupper()}


def only_denies(clause: Clause) -> bool:
    """True if a person names something only to say that it is not that (`not at the Lindgrens'`, no `Ann said no`)."""
    short = len(content.content(clause.text)) <= SHORT or bool(clause.weekdays)
    return clause.person and clause.denies and short and not denials.says_no(clause.text)


def units_of(clause: Clause, value: str = "") -> frozenset[str]:
    """Return what a clause counts, or what it has a number of."""
    behind = (clause.text[n.end :] for n in numerals(clause.text) if n.sure and (not value or value in n.values))
    return content.content(" ".join(match[1] for text in behind if (match := _UNIT.match(text))))


def values_of(clause: Clause) -> frozenset[str]:
    """Return what a clause says: its words, and its numbers and weekdays with a sign before them."""
    plain = clause.content
    if clause.weekdays:
        plain = frozenset(word for word in plain if not any(day.search(word) for day in days.WEEKDAYS))
    return plain | {f"#{number}" for number in clause.numbers} | {f"@{day}" for day in clause.weekdays}


def speaks_of(clause: Clause, head: str) -> bool:
    """True if a clause speaks of the one whose name or word is given."""
    return bool(shared_words(frozenset({head}), clause.whom)) or (content.is_wide(head) and head in clause.text)


def counts_of(text: str) -> frozenset[str]:
    """Return the numbers of a text that are no part of a date, a time of day or a code (`A17`)."""
    dated = [(named.start - _RANGE_CHARS, named.end) for named in days.named(text)]
    return frozenset(
        value
        for number in numerals(text)
        if number.sure
        and not _CODE.search(text, max(0, number.start - 2), number.start)
        and not any(start < number.end and number.start < end for start, end in dated)
        for value in number.values
    )


def times_of(clause: Clause) -> frozenset[tuple[object, ...]]:
    """Return what the dates, weekdays and times of day of a clause can mean."""
    return frozenset(reading for named in days.named(clause.text) for reading in named.readings) | frozenset(
        ("weekday", day) for day in clause.weekdays
    )


def shared_words(one: frozenset[str], other: frozenset[str]) -> frozenset[str]:
    """Return those of some words that are among others, in some form (`gekauft` is of `kaufen`)."""
    both = one & other
    forms = {word: (word, word[2:]) if word.startswith("ge") else (word,) for word in one - both}
    return both | frozenset(
        word for word, two in forms.items() if any(content.alike(form, each) for form in two for each in other)
    )


def as_answered(n: int, clauses: Sequence[Clause]) -> Clause:
    """Return a clause, as one that says what may be so if it is refused right behind it."""
    clause = clauses[n]
    behind = list(
        takewhile(lambda each: denials.says_no(each.text) or not TELLS.search(each.text), clauses[n + 1 : n + 4])
    )
    before = TELLS.search(clauses[n - 1].text) if n else None
    wish = None if FIRST_PERSON.search(clause.text) else TELLS.search(clause.text)
    if denials.says_no(clause.text):
        return clause._replace(content=content.content(clause.text))
    if _says_no(clause) or not any(map(_says_no, behind)):
        return clause
    if wish is not None:
        return clause._replace(content=content.content(clause.text[wish.end() :]), supposes=True, doubts=True)
    if denials.says_no(behind[0].text) or (before and not content.content(clauses[n - 1].text[before.end() :])):
        return clause._replace(supposes=True, doubts=True)
    return clause


def carried_out(clauses: Sequence[Clause]) -> list[Clause]:
    """Return clauses; what may be so in some of them is so if a person soon says that it was done."""
    done = [each.place for each in clauses if each.person and not _is_open(each) and _DONE_SO.search(each.text)]
    return [
        each._replace(supposes=False, doubts=False, asks=False)
        if (each.supposes or each.doubts) and any(0 < place - each.place <= _DONE_WITHIN for place in done)
        else each
        for each in clauses
    ]


def _is_open(clause: Clause) -> bool:
    return clause.supposes or clause.doubts or clause.asks or clause.denies


def _says_no(clause: Clause) -> bool:
    """True if a person refuses something in a clause that is about nothing else."""
    short = len(content.content(clause.text)) <= SHORT
    return denials.says_no(clause.text) or (clause.denies and short and bool(FIRST_PERSON.search(clause.text)))
