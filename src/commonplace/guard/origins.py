"""Do the clauses that a statement comes from say so, and of the same one?

A clause of a statement comes from the clauses of persons that share most of its words. If each of them says something
else of these words (that it is over, wished for or heard of, of another one, the other way round), the statement turns
what was said. What they may say else is data in `rules/origins.toml`. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from typing import Final

from commonplace.guard.about import FIRST_PERSON, SAYS_I, SELF, WE, names_another, whose
from commonplace.guard.clauses import FIRM, PRONOUN, Clause, actor, counts_of, shared_words, units_of, values_of
from commonplace.guard.phrases import phrase
from commonplace.text import content, days, denials, packaged
from commonplace.text.everyday import COMMON
from commonplace.text.numerals import numerals
from commonplace.text.patterns import pattern

_USER: Final = frozenset(packaged.text(__package__, "rules/user.txt").split())  # and what stands before any name
_FIRM_WEIGHT: Final = 2  # of a name or number
_FEW: Final = 2  # words that are a value
_BESIDE: Final = 2  # clauses between two things that are said side by side
_WORD: Final = pattern(r"[^\W_]+")
_ME: Final = pattern(r"(?:me|us|mich|mir|uns|moi|nous|mí|nos|mi|io)", re.IGNORECASE)
_SLIP: Final = 3  # clauses behind a number in which it may be put right
_REMAINS: Final = pattern(  # both sides of it are the same
    r"(?:remain|stay|bleib|rest|sigue|segu|continu|riman|perman|zosta|blijf|оста)\w*", re.IGNORECASE
)
_AND: Final = pattern(r"\b(?:and|with|or|und|mit|oder|et|avec|ou|y|con|o)\b|[和跟与]", re.IGNORECASE)
_DONE_BY: Final = pattern(
    r"\b(?:by|was|were|been|von|wurde\w*|par|été|por|fue|da|stat[oa]|go?ets?|got|receiv\w+|bekomm\w*|erh\w+|reçoi\w*|recib\w+)\b|[被由]|收到",
    re.IGNORECASE,
)
_SAYS_OF_ANOTHER: Final = pattern(
    r"\b(?:told|says?|said|tells?|sagt\w*|meint\w*|dit|dijo|dice|ha detto|disse)\b(?: \w+){0,2}? "
    r"(?:he|she|they|er|sie|dass (?:er|sie)|qu['’](?:il|elle)s?|que (?:él|ella|se))\b",
    re.IGNORECASE,
)
_RATHER: Final = pattern(
    r"\b(?:rather|make (?:it|that)|better|lieber|eher|plutôt|mieux|mejor|meglio|piuttosto)\b", re.IGNORECASE
)
_THAT: Final = pattern(r"\W*(?:that|dass|que|qu['’]|che|что|że|dat)\b", re.IGNORECASE)
_REQUEST: Final = pattern(  # a question that asks the assistant for something, or what something is
    r"\A\W*(?:\w+,? )?(?:can|could|would|will|may|shall|what|which|who|where|how|kannst|könn\w+|würd\w+|was|welche\w*"
    r"|wie|wo|wer|peux|pouvez|pourr\w+|qu(?:e|el\w*|i)|comment|où|puedes|podr\w+|qué|cuál|cómo|dónde|quién|me|mi"
    r"|podes|pode)\b|帮|能不能|什么|怎么|哪",
    re.IGNORECASE,
)


class Origins:
    """The clauses of persons in a talk, and those of memory.

    Args:
        talk: The clauses of the talk.
        memory: The clauses of memory.
        names: The names that are known.
    """

    def __init__(self, talk: Sequence[Clause], memory: Sequence[Clause], names: frozenset[str]) -> None:
        self._said = [clause for clause in talk if clause.person]
        self._talk = talk
        self._memory = memory
        self._names = names

    @cached_property
    def _places(self) -> dict[int, int]:
        return {id(clause): n for n, clause in enumerate(self._said)}

    def fault(self, clause: Clause, text: str) -> str:
        """Return the fault if each clause that a clause of a statement comes from says something else."""
        near = self._near(clause, text)
        if self._is_crossed(clause, text):
            return "other-number: it was said of another thing"
        if self._is_put_right(clause) or self._is_slip(clause, text):
            return "other-number: a person said another one instead"
        reasons = [self._against(clause, text, each) for each in near]
        return reasons[0] if reasons and all(reasons) else ""

    def _is_slip(self, clause: Clause, text: str) -> bool:
        """True if a number is only what a person took back at once (`kids pay 4. no, hang on, 5`)."""
        for value in clause.numbers:
            homes = [each for each in (*self._memory, *self._talk) if value in each.numbers]
            right = [self._right_behind(each) for each in homes]
            if homes and all(right) and counts_of(text).isdisjoint(frozenset().union(*right)):
                return True
        return False

    def _right_behind(self, home: Clause) -> frozenset[str]:
        """Return the numbers by which a person puts that of a clause right behind it, and says nothing else there."""
        place = self._places.get(id(home), len(self._said))
        behind = [each for each in self._said[place + 1 : place + 1 + _SLIP] if each.place == home.place]
        right = next((n for n, each in enumerate(behind) if each.numbers), None)
        if right is None or not home.numbers or behind[right].numbers & home.numbers:
            return frozenset()
        last = max(each.end for each in numerals(home.text))
        said = " ".join([home.text[last:], *(each.text for each in behind[: right + 1])])
        rest = phrase("slip").sub(" ", said)
        for number in reversed(numerals(rest)):
            rest = f"{rest[: number.start]} {rest[number.end :]}"
        new = content.content(rest) - shared_words(content.content(rest), home.content)
        return behind[right].numbers if rest != said and not new else frozenset()

    def _is_put_right(self, clause: Clause) -> bool:
        """True if a number is the assistant's only, and a person answers with another one."""
        for value in clause.numbers:
            homes = [each for each in self._talk if value in each.numbers]
            if not homes or any(each.person for each in homes):
                continue
            behind = [each for each in self._said if each.place == homes[-1].place + 1 and each.numbers]
            if any(each.numbers & clause.numbers for each in behind):
                continue
            words = content.content(clause.text) - units_of(clause)
            told = frozenset[str]().union(*(each.numbers for each in self._talk if each.place == homes[-1].place))
            for each in behind:
                short = len(told) == 1 and not content.content(_RATHER.sub(" ", each.text))
                if short or 2 * len(words & values_of(each)) >= len(words) > 0:
                    return True
        return False

    def _near(self, clause: Clause, text: str) -> list[Clause]:
        """Return the clauses with most of the words of one; none if memory has more of them."""
        words = _telling(clause)
        firm = (content.names(text) & self._names) | clause.names

        def weight(other: Clause) -> int:
            return sum(_FIRM_WEIGHT if word[0] in FIRM or word in firm else 1 for word in _shared(words, other))

        def sure(other: Clause) -> int:
            return sum(word[0] in FIRM or word in firm for word in _shared(words, other))

        told = [each for each in self._said if content.content(each.text) or FIRST_PERSON.search(each.text)]
        scored = [(weight(each), each) for each in told] if words else []
        most = max((score for score, _ in scored), default=0)
        nearest = [each for score, each in scored if score == most > 0]
        known = [each for each in self._memory if weight(each) > most]
        known = [each for each in known if not (firm and nearest) or sure(each) > sure(nearest[0])]
        return [] if known else nearest

    def _against(self, clause: Clause, text: str, home: Clause) -> str:
        if self._is_taken_back(clause, text, home):
            return "negation: it says what was denied"
        if self._is_only_supposed(clause, text, home) or self._is_asked(clause, text, home):
            return "guess: it tells as a fact what was said as a possibility"
        if phrase("former").search(home.text) and not _gives_back(text) and not phrase("former").search(text):
            return "negation: it tells as so what was so before"
        if self._is_of_another(clause, text, home):
            return "other-subject: it was said of another"
        if self._is_turned(clause, home):
            return "other-subject: it was said the other way round"
        return "negation: it says what was replaced" if _is_old(clause, text, home) else ""

    def _before(self, home: Clause) -> Clause | None:
        """Return the clause before one in its message."""
        place = self._places[id(home)]
        before = self._said[place - 1] if place else None
        return before if before is not None and before.place == home.place else None

    def _message(self, home: Clause) -> frozenset[str]:
        """Return what the message of a clause says."""
        return frozenset[str]().union(*(values_of(each) for each in self._said if each.place == home.place))

    def _sentence(self, home: Clause) -> str:
        """Return a clause with what is before it, if that only denies (`Never, ever`)."""
        found, before = home.text, self._before(home)
        while before is not None and not content.content(denials.without(before.text)):
            found, before = f"{before.text}, {found}", self._before(before)
        return found

    def _is_taken_back(self, clause: Clause, text: str, home: Clause) -> bool:
        words = content.content(clause.text)
        ended = phrase("ended").search(home.text)
        if ended and not (_takes_back(text) or phrase("ended").search(text)):
            over = shared_words(words, content.content(home.text[ended.start() :]))
            new = _telling(clause) - shared_words(_telling(clause), self._message(home))
            return any(map(str.isalpha, over)) and len(new) <= (whose(clause.text) == SELF)
        contrasts = home.numbers and not home.denied  # `two stages not one`
        denies = home.denies and not (home.asks or contrasts)
        if denies and not self._another_does(home) and _says_what(home, clause, text):
            return True
        kept = denials.denies(text) or denials.refuses(text) or phrase("keeps").search(text)
        forbids = phrase("forbids").search(self._sentence(home)) and not kept
        return bool(forbids) and len(_shared(words, home)) > 1

    def _is_only_supposed(self, clause: Clause, text: str, home: Clause) -> bool:
        if home.asks or _is_hedged(text):
            return False
        before = self._before(home)
        told = f"{before.text} {home.text}" if before is not None and _THAT.match(home.text) else home.text
        if phrase("unreal").search(told):
            return True
        words = _telling(clause)
        begins = home.text[:1].isupper() and home.text[1:2].isalpha()  # a sentence of its own
        parts = (home, None if begins else before)
        under = [each for each in parts if each is not None and phrase("condition").search(each.text)]
        return bool(under) and _shared(words, home) == words

    def _another_does(self, home: Clause) -> bool:
        """True if the next clause says of another what one denies (`I don't, she does`)."""
        place = self._places[id(home)] + 1
        behind = self._said[place] if place < len(self._said) and self._said[place].place == home.place else None
        return behind is not None and not (behind.denies or content.content(behind.text) - behind.names)

    def _is_asked(self, clause: Clause, text: str, home: Clause) -> bool:
        """True if a clause asks whether it is so, and no other one has as much of what a statement says of the user."""
        if not home.asks or whose(clause.text) != SELF or _REQUEST.search(self._sentence(home)) or _is_hedged(text):
            return False
        words = _shared(_telling(clause), home)
        return not any(_shared(words, each) == words for each in (*self._talk, *self._memory) if not each.asks)

    @staticmethod
    def _is_of_another(clause: Clause, text: str, home: Clause) -> bool:
        """True if a clause says of the user what another one does, or has said of themselves."""
        if whose(clause.text) != SELF or names_another(clause.text) or denials.denies(clause.text):
            return False
        name = actor(home.text)
        of_self = FIRST_PERSON.search(home.text) or WE.search(home.text) or whose(home.text) == SELF
        named = not name or bool(shared_words(frozenset({name}), content.content(text)))
        return _SAYS_OF_ANOTHER.search(home.text) is not None or not (named or of_self)

    def _is_crossed(self, clause: Clause, text: str) -> bool:
        """True if a clause has the value of one of two things said side by side, and the words of the other one."""
        own = _telling(clause) | clause.names
        for value in _figures(clause.text):
            homes = [each for each in self._said if value in _figures(each.text)]
            if len(homes) != 1 or content.is_wide(text) or PRONOUN.search(homes[0].text):
                continue
            theirs, place = homes[0], self._places[id(homes[0])]
            for other in self._said[max(0, place - _BESIDE) : place + _BESIDE + 1]:
                apart = other.place != theirs.place or other.denies or other is theirs
                if apart or self._right_behind(other):
                    continue
                if _are_crossed(value, own, text, theirs, other) or _counts_other(value, clause, text, theirs, other):
                    return True
        return False

    def _is_turned(self, clause: Clause, home: Clause) -> bool:
        """True if a clause has two in the other order around the same verb."""
        if denials.denies(clause.text) != denials.denies(home.text):
            return False
        if any(each.search(part) for each in (_AND, _DONE_BY) for part in (clause.text, home.text)):
            return False
        names = self._names | clause.names | {actor(clause.text), actor(home.text)}
        new, old = _persons(clause.text, names), _persons(home.text, names)
        crossed = len(new) > 1 and len(old) > 1 and new[0] != old[0] and new[0] in old and old[0] in new
        verb = _verb(clause.text, names)
        return crossed and content.alike(verb, _verb(home.text, names)) and not _REMAINS.fullmatch(verb)


def only_tells(quote: str) -> bool:
    """True if words only tell of what nearly was, or was long ago."""
    tells = phrase("unreal").search(quote) or phrase("former").search(quote)
    return tells is not None and not (denials.turns(quote) or denials.denies(quote))


def _says_what(denied: Clause, clause: Clause, text: str) -> bool:
    """True if a clause has what another one says is not so; a list goes on with what it denies."""
    own = (content.content(denials.without(denied.text)) - _USER) | {f"#{each}" for each in denied.numbers}
    if not own:
        return bool(FIRST_PERSON.search(denied.text)) and whose(clause.text) == SELF and not clause.denies
    so = denials.asserted(clause.text)
    words = (content.content(so) if so else values_of(clause)) - _USER
    alone = words - COMMON <= own or (whose(clause.text) == SELF and len(words - COMMON) <= _FEW)
    things = [*([own] if alone or len(own) > 1 else []), *denials.objects(denied.text)]
    has = [each for each in things if shared_words(each, words) == each]
    plain = [word for word in words if word[0] not in FIRM]
    listed = re.search(rf"[,:(]\s?{re.escape(clause.text)}", text) and any(len(plain) <= len(each) for each in has)
    return bool(has) and not _takes_back(so or clause.text) and not (listed and _takes_back(text))


def _telling(clause: Clause) -> frozenset[str]:
    """Return what a clause says, without words that everybody uses if it has others."""
    every = values_of(clause) - _USER
    return (every - COMMON) or every


def _shared(words: frozenset[str], clause: Clause) -> frozenset[str]:
    return shared_words(words, values_of(clause))


def _takes_back(text: str) -> bool:
    """True if a statement takes something back, or says that it may be so."""
    return _gives_back(text) or denials.doubts(text) or denials.allows_for(text)


def _gives_back(text: str) -> bool:
    return denials.denies(text) or denials.limits(text) or denials.ends(text)


def _is_hedged(text: str) -> bool:
    """True if a statement is itself one of what is wished for, heard of, asked or only possible."""
    found = phrase("told").search(text) or phrase("unreal").search(text)
    return bool(found) or denials.doubts(text) or denials.allows_for(text)


def _persons(text: str, names: frozenset[str]) -> list[str]:
    """List the names of a clause and the user, in their order."""
    found: list[str] = []
    for match in _WORD.finditer(text):
        word = match.group()
        bare = content.bare(word)
        if SAYS_I.fullmatch(word) or _ME.fullmatch(word):
            found.append(SELF)
        elif word[0].isupper() and bare in names:
            found.append(bare)
    return found


def _verb(text: str, names: frozenset[str]) -> str:
    """Return the first word of a clause that is neither a name nor the user."""
    said = (word for word in content.words(text) if content.content(word) and word not in names | _USER)
    return next((word for word in said if not FIRST_PERSON.fullmatch(word)), "")


def _is_old(clause: Clause, text: str, home: Clause) -> bool:
    """True if a statement has the value that something changed from, and not the one that it changed to."""
    found = phrase("from_to").search(home.text)
    if found is None or not phrase("moved").search(home.text) or _gives_back(text):
        return False
    old = _value(found["old"] or found["left"] or found["off"] or "")
    new = _words(found["new"] or found["into"] or "") - old
    return bool(shared_words(old, _words(clause.text))) and not shared_words(new, _words(text))


def _value(text: str) -> frozenset[str]:
    """Return the words and numbers of what is a value: few words, or those with a capital or digit."""
    told = text.split()
    said = [word for word in told if len(told) <= _FEW or not word.islower() or re.search(r"\d", word)]
    return _words(" ".join(said))


def _words(text: str) -> frozenset[str]:
    return content.content(text) | frozenset(re.findall(r"\d+", text)) | _weekdays(text)


def _weekdays(text: str) -> frozenset[str]:
    return frozenset(f"@{n}" for n, day in enumerate(days.WEEKDAYS) if day.search(text.casefold()))


def _are_crossed(value: str, own: frozenset[str], text: str, theirs: Clause, other: Clause) -> bool:
    kind = _kind(value)
    instead = [each for each in _figures(other.text) if _kind(each) == kind]
    said = _figures(text) | _figures(theirs.text)
    if not instead or not said.isdisjoint(instead) or sum(_kind(each) == kind for each in _figures(text)) > 1:
        return False
    mine = _shared(own - {value}, other) - _shared(own - {value}, theirs)
    near = _shared(own - {value}, theirs) - _shared(own - {value}, other)
    mine -= units_of(other)
    thing = theirs.content - units_of(theirs) - shared_words(theirs.content, other.content | own)
    return bool(mine and thing - {value}) and len(mine) >= len(near)


def _counts_other(value: str, clause: Clause, text: str, theirs: Clause, other: Clause) -> bool:
    """True if a number counts what only another one counts in the talk."""
    if value[1:] not in clause.numbers & theirs.numbers:
        return False
    mine, said = _counted(clause.text, value), _counted(theirs.text, value)
    new = mine - shared_words(mine, said)
    return bool(said) and any(
        shared_words(new, _counted(other.text, each)) for each in _figures(other.text) - _figures(text)
    )


def _counted(text: str, value: str) -> frozenset[str]:
    """Return what is counted by a number of a text: the two words of content behind it."""
    number = next((each for each in numerals(text) if value[1:] in each.values), None)
    behind = content.words(text[number.end :]) if number is not None else []
    return frozenset([word for word in behind if content.content(word)][:_FEW])


def _kind(value: str) -> str:
    return value[0] if value[0] in FIRM else "code"


def _figures(text: str) -> frozenset[str]:
    """Return the numbers and weekdays of a text, and its words with digits."""
    counted = (f"#{value}" for value in counts_of(text) if value.isdigit())
    coded = (content.bare(word) for word in _WORD.findall(text) if re.search(r"\d", word) and not word.isdigit())
    return frozenset((*counted, *coded)) | _weekdays(text)
