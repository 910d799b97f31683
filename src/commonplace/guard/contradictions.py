"""Does a statement say the opposite of the messages, or say it of another person? Clause by clause.

A clause of the statement is compared with the clauses of the messages that share most of its words. Denials are
counted strictly for contradictions and broadly for agreement, so that a paraphrase is no doubt.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import combinations
from typing import Final

from commonplace.guard import events
from commonplace.guard.about import (
    FIRST_PERSON,
    OTHER,
    SAYS_I,
    SELF,
    YOU,
    is_one_of,
    names_another,
    names_one,
    whose,
)
from commonplace.guard.bound import Bound
from commonplace.guard.clauses import (
    FIRM,
    Clause,
    Reader,
    actor,
    as_answered,
    carried_out,
    counts_of,
    is_behind_but,
    labelled,
    only_denies,
    shared_words,
    speaks_of,
    times_of,
    values_of,
)
from commonplace.guard.origins import Origins
from commonplace.guard.phrases import phrase
from commonplace.text import content, denials
from commonplace.text.content import Vocabulary
from commonplace.text.everyday import COMMON
from commonplace.text.patterns import pattern
from commonplace.text.terms import CJK

_YES: Final = pattern(
    r"\W*(?:(?:yes|yeah|yep|ok(?:ay)?|sure|agreed|fine|good|great|perfect|exactly|deal|ja|genau|gut|gern|klar|super"
    r"|einverstanden|oui|d['’]accord|parfait|volontiers|très bien|bonne idée|sí|vale|de acuerdo|perfecto|claro|sì"
    r"|d['’]accordo|certo|perfetto|sim|combinado|perfeito|да|хорошо|давай(?:те)?|соглас\w+|ок|отлично|tak"
    r"|dobrze|zgoda|jasne|goed|prima|akkoord|graag|bra|gärna)\b|好|行|可以|对|是的|嗯|はい|ええ|いい|うん|了解|네|예|좋|그래|응)",
    re.IGNORECASE,
)
_NO: Final = pattern(
    r"\W*(?:\w{1,4}\W+)?(?:no|nope|nah|not|nein|non|não|нет|nee|nie|lieber nicht|不)\W*"
    r"(?:thanks|thank you|danke|merci|gracias)?\W*|不[了要用行]+",
    re.IGNORECASE,
)
_MOST_CLAUSES: Final = 400  # the last ones; a range has some hundred
_OF_A_THING: Final = pattern(  # begins with an article, has a label, or is of a language that leaves the subject out
    rf"[{CJK}]|\A(?:the|an?|der|die|das|le|la|les|el|los|las|un[aeo]?|il|lo|gli|i|[oa]s?|de|het|een)\s|\A\w['’]|:\s|：",
    re.IGNORECASE,
)
_POSSESSIVE: Final = pattern(r"\A\W*[^\W\d_]+['’]s(?=\s)")
_LABEL: Final = pattern(r":\s|：")  # `till: Jonas; minutes: Miriam`


class Talk:
    """The clauses of a talk, in order.

    Args:
        said: Each message as its text, its speaker's name, and whether the person wrote it.
        names: The names that are known.
        known: Words that are no matter of doubt: those of memory.
        memory: What memory says.
    """

    def __init__(
        self,
        said: Iterable[tuple[str, str, bool]],
        names: frozenset[str],
        known: frozenset[str] = frozenset(),
        memory: Iterable[str] = (),
    ) -> None:
        self._said = tuple(said)
        self._names = names
        self._known = Vocabulary(names)
        self._memory = tuple(memory)
        self._reader = Reader((text for text, _, _ in self._said), names, self._memory)
        self._settled = known

    @cached_property
    def _clauses(self) -> list[Clause]:
        found: list[Clause] = []
        for place, (text, who, person) in enumerate(self._said):
            reply = self._said[place + 1] if place + 1 < len(self._said) else ("", "", True)
            first = next(iter(content.clauses(self._reader.plain(reply[0]))), "")
            settled = person or not (denials.denies(first) or denials.doubts(first))
            clauses = self._reader.read(text, who, person=person, settled=settled)
            if not person and reply[2]:
                clauses = self._unless_refused(clauses, self._reader.plain(reply[0]))
            if not person and _NO.fullmatch(first):
                clauses = [each._replace(supposes=True, doubts=True) for each in clauses]
            if not person and _YES.match(first):
                agreed = (denials.undecided(each.text) for each in clauses)  # that it is open stays so
                clauses = [
                    each if still_open else each._replace(supposes=False, doubts=False)
                    for each, still_open in zip(clauses, agreed, strict=True)
                ]
            if person and not self._is_answered(place):
                clauses = [c._replace(doubts=c.doubts or (c.asks and events.plans(c.text))) for c in clauses]
            if person and self._is_looked_up(place):
                clauses = [
                    c._replace(supposes=c.supposes and not c.asks, doubts=c.doubts and not c.asks) for c in clauses
                ]
            clauses = [as_answered(n, clauses) for n in range(len(clauses))] if person else clauses
            found += (each._replace(place=place) for each in clauses)
        return carried_out(found[-_MOST_CLAUSES:])

    @staticmethod
    def _unless_refused(clauses: Sequence[Clause], reply: str) -> list[Clause]:
        """Return clauses of the assistant; of what a person's reply says no to (`no lock table`), that it may be."""
        parts = [part for sentence in content.sentences(reply) for part in content.clauses(sentence)]
        said = [content.content(part) for part in parts if not denials.denies(part)]
        refused = [content.content(denials.without(part)) for part in parts if denials.denies(part)]

        def unless_refused(clause: Clause) -> Clause:
            shared = [shared_words(clause.content, words) for words in refused]
            most = max(shared, key=len, default=frozenset[str]())
            if len(most) <= max((len(shared_words(words, clause.content)) for words in said), default=0):
                return clause
            return clause._replace(content=most, supposes=True, doubts=True)

        return list(map(unless_refused, clauses))

    @cached_property
    def _events(self) -> events.Events:
        return events.Events(self._clauses)

    @cached_property
    def _origins(self) -> Origins:
        return Origins(self._clauses, self._known_clauses, self._names)

    @cached_property
    def _bound(self) -> Bound:
        return Bound(self._clauses, self._known_clauses, self._names)

    @cached_property
    def _known_clauses(self) -> list[Clause]:
        """The clauses of memory."""
        return [clause for text in self._memory for clause in self._reader.read(text, person=True)]

    def _is_answered(self, place: int) -> bool:
        """True if a person speaks right behind a message, or agrees behind what the assistant says to it."""
        behind = self._said[place + 1 : place + 3]
        return any(person and (not n or _YES.match(text)) for n, (text, _, person) in enumerate(behind))

    def _is_looked_up(self, place: int) -> bool:
        """True if the assistant says yes to a message once it has looked: behind an answer that goes before."""
        behind = self._said[place + 1 : place + 3]
        return len(behind) > 1 and not any(person for _, _, person in behind) and bool(_YES.match(behind[1][0]))

    @cached_property
    def _everything(self) -> list[tuple[Clause, Vocabulary]]:
        """The clauses of memory and of the talk, the newest last, each with what it says."""
        return [(clause, Vocabulary(values_of(clause))) for clause in (*self._known_clauses, *self._clauses)]

    @cached_property
    def _in_talk(self) -> Vocabulary:
        return Vocabulary(value for clause in self._clauses for value in values_of(clause))

    def _counts(self, value: str, clause: Clause) -> bool:
        """True if what a value was said of may speak against a clause: of what the talk is about, the talk decides."""
        return self._in_talk.holds(value) or not self._in_talk.shared(values_of(clause))

    def _is_open(self, words: frozenset[str]) -> bool:
        """True if a person said one of some words as a possibility only, or only a question had two of them."""
        doubted, asked = self._open
        return bool(doubted.shared(words)) or len(asked.shared(words)) > 1

    def was_doubted(self, text: str) -> bool:
        """True if a person said a word of a statement as a possibility only, not just asked about it."""
        return bool(self._open[0].shared(content.content(text) - self._settled))

    @cached_property
    def _open(self) -> tuple[Vocabulary, Vocabulary]:
        """The words that a person said as a possibility only, and those of anybody; names aside."""
        settled = Vocabulary(
            value for each, _ in self._everything if not (each.supposes or each.denies) for value in values_of(each)
        )
        supposed = [each for each in self._clauses if each.supposes]
        said, asked = (
            {
                value
                for each in supposed
                if each.person >= person
                for value in values_of(each)
                if value[0] != "@" and value not in COMMON and not denials.supposes(value)
            }
            for person in (True, False)
        )
        return (
            Vocabulary(said - settled.shared(said)),
            Vocabulary(asked - settled.shared(asked) - self._names),
        )

    def turned(self, text: str, *, summary: bool = False) -> str:
        """Return how a statement turns what was said; empty if it does not.

        A summary tells of the talk, also of what was only asked or tried, and is not held against single clauses.
        """
        text = self._reader.plain(text)
        doubted = denials.doubts(text) or denials.allows_for(text)
        whole = content.content(text)
        denied = denials.denies(text) or denials.says_no(text)
        counted = {f"#{number}" for number in counts_of(text)}
        clauses = self._reader.read(text)
        wished = frozenset[str]().union(*(content.content(c.text) for c in clauses if events.wishes(c.text)))
        if not (doubted or denied) and self._is_open(whole - wished - self._settled | counted):
            return "guess: it tells as a fact what was said as a possibility"
        for clause in clauses:
            if not clause.content:
                continue
            shared = [shared_words(clause.content, other.content) for other in self._clauses]
            if clause.denies and not clause.doubts:
                if reason := self._swapped(clause, shared):
                    return reason
                if self._nobody_denies(clause, whole) and not self._contrasts(clause, whole):
                    return "negation: nobody said that it is not so"
                continue
            if reason := self._swapped(clause, shared):
                return reason
            if not summary and (reason := self._bound.fault(clause, text)):
                return reason
            contrasts = denied and not doubted and is_behind_but(clause.text, text)
            if contrasts and (reason := self._was_denied(clause, shared, clause.text)):
                return reason
            is_label = f"{clause.text}:" in text
            if not (is_label or summary) and (reason := self._origins.fault(clause, text)):
                return reason
            if not (doubted or denied or is_label) and (
                reason := self._was_denied(clause, shared, text)
                or ("" if events.is_later(text) else self._only_denied(clause, text))
                or self._events.fault(clause, text)
            ):
                return reason
        return self._exchanged(text) or self._of_another(clauses) or self._not_of_user(clauses, text)

    @cached_property
    def _actors(self) -> tuple[list[tuple[Clause, Vocabulary, str]], frozenset[str], frozenset[str]]:
        """What each clause of the talk and of memory says and of whom; all that anything is said of; and sure names."""
        told = [(c, said, actor(c.text) or ("" if YOU.search(c.text) else c.speaker)) for c, said in self._everything]
        listed = self._names.union(*map(labelled, (*self._memory, *(text for text, _, _ in self._said))))
        return told, listed.union(name for clause, _, name in told if name and clause.person), listed

    def _of_another(self, clauses: Sequence[Clause]) -> str:
        """Find a clause that says of one what was said of others only (`Tom owns the site` of `Ann owns the site`)."""
        told, known, listed = self._actors
        for clause in clauses:
            name = actor(clause.text)
            if name not in known or names_another(_POSSESSIVE.sub("my", clause.text)):  # `Ann's brother`
                continue
            of_others, unclear, others, sure = 0, 0, set[str](), False
            for value in values_of(clause) - (known - self._names) - clause.dated - {name}:
                homes = [(other, who) for other, said, who in told if said.holds(value)]
                homes = [each for each in homes if each[0].person or each[0].names] or homes
                own = [speaks_of(other, name) for other, _ in homes]
                if homes and all(own):
                    break
                if homes and not any(own) and self._counts(value, clause):
                    rest = clause.content - {value, name} if value in self._names else frozenset[str]()
                    crossed = all(who and (not rest or shared_words(rest, other.content)) for other, who in homes)
                    others.update(who for _, who in homes if crossed)
                    of_others, unclear = of_others + crossed, unclear + (not crossed)
                    sure = sure or (crossed and any(actor(other.text) for other, _ in homes))
            else:
                spoken_of = any(each.person and speaks_of(each, name) for each in self._clauses)
                others = others if spoken_of else others & listed  # else it may be the one who speaks
                enough = of_others > unclear and (sure or of_others > 1)  # one word that a speaker used is little
                if others and enough and not any(speaks_of(clause, other) for other in others):
                    return f"other-subject: it was said of {min(others)}"
        return ""

    def _not_of_user(self, clauses: Sequence[Clause], text: str) -> str:
        """Find a clause about the user half of whose known words were said of others only; all, if it names nobody."""
        for n, clause in enumerate(clauses):
            others = self._names_another(clause)
            about = whose(clause.text)
            if (
                others
                or about == OTHER
                or (not about and (n or clause.names or actor(clause.text) or _OF_A_THING.search(text)))
            ):
                continue
            own = content.content(SAYS_I.sub(" ", clause.text)) - clause.dated
            owners = {
                value: self._owners(value, denied=clause.denies) for value in values_of(clause._replace(content=own))
            }
            of_others = sum(each == {OTHER} and self._counts(value, clause) for value, each in owners.items())
            known = sum(map(bool, owners.values()))
            if of_others and 2 * of_others >= known and (about or not any(SELF in each for each in owners.values())):
                return "other-subject: it was said of another than the user"
        return ""

    def _names_another(self, clause: Clause) -> bool:
        known = names_one(clause.text) or not clause.content.isdisjoint(self._reader.relatives)
        return known or any(is_one_of(each.text, clause.text) for each in self._clauses if each.person)

    @cached_property
    def _owned(self) -> list[tuple[Vocabulary, str, Clause]]:
        """What each clause of the talk and of memory says, and of whom."""
        own = ((c, content.content(c.text) or c.content) for c, _ in self._everything)
        return [(Vocabulary(values_of(c._replace(content=said))), self._reader.whose(c), c) for c, said in own]

    def _owners(self, value: str, *, denied: bool) -> set[str]:
        """Return whom the clauses with a value are about; the assistant's count only where they are about a person.

        What one denies of oneself counts only for a statement that denies it too.
        """
        homes = [(who, c.person) for said, who, c in self._owned if (denied or not c.denies) and said.holds(value)]
        return {who for who, person in homes if person or who} or {who for who, _ in homes}

    def took_back(self, text: str) -> bool:
        """True if a person denied what a statement says, in a clause that shares its words."""
        if denials.denies(self._reader.plain(text)):
            return False
        words = content.content(text)
        return any(
            clause.person and clause.denies and len(shared_words(words, clause.content)) >= min(2, len(words))
            for clause in self._clauses
        )

    def _nobody_denies(self, clause: Clause, whole: frozenset[str]) -> bool:
        """True if no clause about the same as a statement, nor the clause behind it, takes anything back."""
        about = [
            place
            for place, other in enumerate(self._clauses)
            if shared_words(whole, other.content) or clause.numbers & other.numbers
        ]
        near = {each for place in about for each in (place, place + 1) if each < len(self._clauses)}
        near -= {each for each in near.difference(about) if self._clauses[each].denied - self._clauses[each].names}
        near |= {place - 1 for place in about if place and self._goes_on(place)}
        if self._is_replaced(clause, about):
            return False
        return bool(about) and not any(
            self._clauses[n].denies
            or "0" in self._clauses[n].numbers
            or denials.limits(self._clauses[n].text, clause.content)
            or (denials.ends(self._clauses[n].text) and not denials.ends(clause.text))  # `no car`, of `sold the car`
            for n in near
        )

    def _goes_on(self, place: int) -> bool:
        """True if a clause only names a person, or the one before it only denies (`for now no`)."""
        here, before = self._clauses[place], self._clauses[place - 1]
        alone = before.denies and not content.content(denials.without(before.text))
        return here.content <= here.names or (alone and here.place == before.place)

    def _is_replaced(self, clause: Clause, about: Sequence[int]) -> bool:
        """True if a clause says that what memory has is over, and a person said what else the statement has."""
        if not phrase("ended").search(clause.text):
            return False
        own = content.content(clause.text)
        known = any(shared_words(own, content.content(entry)) for entry in self._memory)
        return known and any(self._clauses[n].person and not shared_words(own, self._clauses[n].content) for n in about)

    def _contrasts(self, clause: Clause, whole: frozenset[str]) -> bool:
        """True if a clause only names the opposite of another one (`NATS, not Kafka`), as one sentence did."""
        named = content.content(denials.without(clause.text))
        rest = whole - content.content(clause.text)
        if not named or not named <= clause.names:
            return False
        said = (content.content(sentence) for text, _, _ in self._said for sentence in content.sentences(text))
        return any(shared_words(named, words) == named and shared_words(rest, words) for words in said)

    def _was_denied(self, clause: Clause, shared: Sequence[frozenset[str]], text: str) -> str:
        """Return the fault if the clauses that share most words with a statement deny or doubt it; else empty."""
        least = min(len(clause.content), 2)
        near = [
            (both, other)
            for other, both in zip(self._clauses, shared, strict=True)
            if other.person and (len(both) >= least or (both and clause.content >= content.content(text)))
        ]
        most = max((len(both) for both, _ in near), default=0)
        nearest = [(both, other) for both, other in near if len(both) == most]
        theirs = frozenset[str]().union(*(other.content for _, other in nearest))
        if not nearest or denials.limits(text, theirs) or denials.asserted(clause.text):
            return ""
        said = any(both & values_of(clause) for both, _ in nearest)
        if said and all(other.doubts for _, other in nearest):
            return "" if events.wishes(text) else "guess: it tells as a fact what was said as a possibility"
        denied = any(
            shared_words(other.denied, clause.content)
            or (both == clause.content and 2 * len(both) >= len(other.content))
            for both, other in nearest
        )
        if denied and all(other.denies and not self._is_put_right(clause, other) for _, other in nearest):
            return "negation: it says what was denied"
        return ""

    def _only_denied(self, clause: Clause, text: str) -> str:
        """Return the fault if a clause has what was only said to be none, or last of all."""
        if denials.asserted(clause.text):
            return ""
        for value in self._denied.shared(values_of(clause)):
            homes = [other for other, said in self._everything if said.holds(value)]
            named = self._known.holds(value)
            firm = value[0] in FIRM or named
            if denials.limits(clause.text if named else text) or not self._counts(value, clause):
                continue
            whole = firm or any(shared_words(other.content, clause.content) == other.content for other in homes)
            last = homes[-1:] if firm else [each for each in homes if each.person]
            fits = value[0] in FIRM or all(shared_words(frozenset({value}), each.denied) for each in last)
            if whole and fits and all(only_denies(each) and not self._is_put_right(clause, each) for each in last):
                return "negation: it says what was denied"
        return ""

    @cached_property
    def _denied(self) -> Vocabulary:
        """What clauses deny that say little else, with their numbers and weekdays."""
        denying = [clause for clause, _ in self._everything if only_denies(clause)]
        return Vocabulary(v for clause in denying for v in values_of(clause) if v in clause.denied or v[0] in FIRM)

    def _is_put_right(self, clause: Clause, denied: Clause) -> bool:
        """True if a clause says what is said instead of a denied one (`not on Azure, but on Hetzner`)."""
        front = denied._replace(text=denials.before(denied.text), weekdays=frozenset())  # `12:30, not 1`
        if times_of(front) & times_of(clause) or counts_of(front.text) & clause.numbers:
            return True
        if denied.numbers and clause.numbers and not denied.numbers & clause.numbers:
            return True
        behind = (self._clauses[n] for n, each in enumerate(self._clauses[:-1], 1) if self._clauses[n - 1] is denied)
        instead = next(behind, None)
        if instead is None or instead.denies or not instead.person:
            return False
        said = frozenset(word for word in instead.content if len(word) > 1)
        shared = shared_words(said, clause.content)
        new = shared - shared_words(shared, denied.content)
        counts = (instead.numbers & clause.numbers) - denied.numbers or (
            times_of(instead) & times_of(clause)
        ) - times_of(denied)
        return bool(counts) or (bool(new) and len(shared) * 4 >= len(said))

    def _swapped(self, clause: Clause, shared: Sequence[frozenset[str]]) -> str:
        """Return words that were said of another subject only; a subject is at the head of its clause."""
        if not clause.subject:
            return ""
        rest = clause.content - clause.names - clause.dated
        scored = [(len(both & rest), other) for both, other in zip(shared, self._clauses, strict=True)]
        most = max((score for score, _ in scored), default=0)
        near = [other for score, other in scored if score == most]
        whole = most and most == len(rest) and any(FIRST_PERSON.search(other.text) for other in near)
        named = [other for other in near if other.names and not YOU.search(other.text)]
        others = [other for other in named if not shared_words(other.names, clause.content)]
        subject = next((other.subject for other in others if other.subject), "")
        mine = [other for score, other in scored if score and shared_words(clause.names, other.names)]
        if not subject or len(others) < len(near) or mine or not (most > 1 or whole):
            return ""
        return f"other-subject: it was said of {subject}"

    def _exchanged(self, text: str) -> str:
        """Find two clauses of which each says what was said only of what the other one begins with."""
        labelled = len(_LABEL.findall(text)) > 1
        clauses = self._reader.read(_LABEL.sub(" ", text) if labelled else text, person=True)
        heads = [(head, clause) for clause in clauses if (head := self._head(clause))]
        for (one, mine), (other, theirs) in combinations(heads, 2):
            if content.alike(one, other) or mine.denies or theirs.denies:
                continue
            own, crossed = self._shares(mine, theirs, one, other)
            back, exchanged = self._shares(theirs, mine, other, one)
            firm = all(any(value[0] in FIRM for value in each) for each in (crossed, exchanged))
            if firm or (crossed and exchanged and len(crossed) + len(exchanged) > len(own) + len(back)):
                return f"other-subject: what was said of {one} and {other} is exchanged"
        return ""

    def _shares(self, mine: Clause, theirs: Clause, head: str, other: str) -> tuple[set[str], set[str]]:
        """Return which values of a clause alone were said of its head only, and which of the other one only."""
        own, crossed = set[str](), set[str]()
        for value in values_of(mine) - values_of(theirs) - {head, other}:
            homes = [clause for clause, said in self._everything if said.holds(value)]
            of_it, of_other = ([speaks_of(clause, word) for clause in homes] for word in (head, other))
            if homes and all(of_it) and not all(of_other):
                own.add(value)
            elif homes and all(of_other) and not any(of_it) and self._counts(value, mine):
                crossed.add(value)
        return own, crossed

    def _head(self, clause: Clause) -> str:
        """Return what a clause begins with: the user, or its first word if that was said and is no day."""
        first = next((word for word in content.words(clause.text) if word in values_of(clause)), "")
        me = SAYS_I.search(clause.text)
        if me is not None and first not in content.words(clause.text[: me.start()]):
            return SELF
        return first if any(shared_words(frozenset({first}), each.content) for each in self._clauses) else ""
