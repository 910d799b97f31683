"""Do the clauses that a statement comes from say so, and of the same one?

A clause of a statement comes from the clauses of persons that share most of its words. If each of them says something
else of these words (that it is over, wished for or heard of, of another one, the other way round), the statement turns
what was said. What they may say else is data in `rules/origins.toml`. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import combinations
from typing import Final

from commonplace.guard.about import FIRST_PERSON, SAYS_I, SELF, WE, names_another, whose
from commonplace.guard.clauses import FIRM, Clause, actor, shared_words, values_of
from commonplace.guard.phrases import phrase
from commonplace.text import content, days, denials
from commonplace.text.everyday import COMMON
from commonplace.text.patterns import pattern

_USER: Final = frozenset(
    ["user", "users", "nutzer", "nutzerin", "usuario", "usuaria", "utilisateur", "utilisatrice", "utente"]
)
_FIRM_WEIGHT: Final = 2  # of a name or number
_WORD: Final = pattern(r"[^\W_]+")
_ME: Final = pattern(r"(?:me|us|mich|mir|uns|moi|nous|mí|nos|mi|io)", re.IGNORECASE)
_ARTICLE: Final = pattern(
    r"(?:the|an?|my|our|der|die|das|de[nm]|eine?[mnr]?|meine?[mnr]?|l[ae]s?|el|los|m[aio]n?|un[ae]?)", re.IGNORECASE
)
_BEFORE: Final = pattern(  # before the second of two that are no equals
    r"(?:than|over|before|after|to|for|about|from|als|vor|nach|für|über|auf|zu|von|que|avant|après|pour|à|chez|para|a|por"
    r"|sobre|prima|dopo|per|del|de|do|da|чем|до|после|для|за|niż|przed|po|dla|dan|voor|na|naar)",
    re.IGNORECASE,
)
_AND: Final = pattern(r"\b(?:and|with|or|und|mit|oder|et|avec|ou|y|con|o)\b|[和跟与]", re.IGNORECASE)
_DONE_BY: Final = pattern(
    r"\b(?:by|was|were|been|von|wurde\w*|par|été|por|fue|da|stat[oa]|go?ets?|got|receiv\w+|bekomm\w*|erh\w+|reçoi\w*|recib\w+)\b|[被由]|收到",
    re.IGNORECASE,
)
_THAN: Final = pattern(
    r"\b(?:(?:more|less|plus|moins|más|menos|più|meno|mais) \w+|\w+er) (?:than|als|que|di|che|do que)\s", re.IGNORECASE
)
_TOLD_OF_ANOTHER: Final = pattern(
    r"\b(?:told|says?|said|tells?|sagt\w*|meint\w*|dit|dijo|dice|ha detto|disse)\b(?: \w+){0,2}? "
    r"(?:he|she|they|er|sie|dass (?:er|sie)|qu['’](?:il|elle)s?|que (?:él|ella|se))\b",
    re.IGNORECASE,
)
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
        self._told = [clause for clause in talk if clause.person]
        self._talk = talk
        self._memory = memory
        self._names = names

    @cached_property
    def _places(self) -> dict[int, int]:
        return {id(clause): n for n, clause in enumerate(self._told)}

    def fault(self, clause: Clause, text: str) -> str:
        """Return the fault if each clause that a clause of a statement comes from says something else."""
        reasons = [self._against(clause, text, each) for each in self._near(clause, text)]
        return reasons[0] if reasons and all(reasons) else ""

    def _near(self, clause: Clause, text: str) -> list[Clause]:
        """Return the clauses with most of the words of one; none if memory has more of them."""
        words = _telling(clause)
        firm = (content.names(text) & self._names) | clause.names

        def weight(other: Clause) -> int:
            return sum(_FIRM_WEIGHT if word[0] in FIRM or word in firm else 1 for word in _shared(words, other))

        scored = [(weight(each), each) for each in self._told] if words else []
        most = max((score for score, _ in scored), default=0)
        if not most or any(weight(each) > most for each in self._memory):
            return []
        return [each for score, each in scored if score == most]

    def _against(self, clause: Clause, text: str, home: Clause) -> str:
        if self._is_taken_back(clause, text, home):
            return "negation: it says what was denied"
        if _is_unreal(text, home, self._before(home)) or self._is_asked(clause, text, home):
            return "guess: it tells as a fact what was said as a possibility"
        if phrase("former").search(home.text) and not _gives_back(text) and not phrase("former").search(text):
            return "negation: it tells as so what was so before"
        if self._is_of_another(clause, text, home):
            return "other-subject: it was said of another"
        if self._is_turned(clause, home) or _is_owed(clause, home, self._names) or _is_compared(clause, home):
            return "other-subject: it was said the other way round"
        return "negation: it says what was replaced" if _is_old(clause, text, home) else ""

    def _before(self, home: Clause) -> Clause | None:
        """Return the clause before one in its message."""
        place = self._places[id(home)]
        before = self._told[place - 1] if place else None
        return before if before is not None and before.place == home.place else None

    def _sentence(self, home: Clause) -> str:
        """Return a clause with what little stands before it (`Never, ever`)."""
        found, before = home.text, self._before(home)
        while before is not None and len(before.content) <= len(before.names) + 1:
            found, before = f"{before.text}, {found}", self._before(before)
        return found

    def _is_taken_back(self, clause: Clause, text: str, home: Clause) -> bool:
        words = content.content(clause.text)
        if phrase("ended").search(home.text) and not (_takes_back(text) or phrase("ended").search(text)):
            return any(word.isalpha() for word in _shared(words, home))
        if home.denies and not home.asks and not _takes_back(text):
            own = content.content(denials.without(home.text)) - _USER
            if own and shared_words(own, clause.content) == own:
                return True
            if not own and FIRST_PERSON.search(home.text) and whose(clause.text) == SELF:
                return True
        forbids = phrase("forbids").search(self._sentence(home)) and not _gives_back(text)
        return bool(forbids) and len(_shared(words, home)) > 1

    def _is_asked(self, clause: Clause, text: str, home: Clause) -> bool:
        """True if a clause asks whether it is so, and no other one has as much of what a statement says of the user."""
        if not home.asks or whose(clause.text) != SELF or _REQUEST.search(self._sentence(home)) or _is_told(text):
            return False
        words = _shared(_telling(clause), home)
        return not any(_shared(words, each) == words for each in (*self._talk, *self._memory) if not each.asks)

    def _is_of_another(self, clause: Clause, text: str, home: Clause) -> bool:
        sentence = self._sentence(home)
        alone = phrase("only").search(sentence)
        mine = whose(clause.text) == SELF
        if alone and not (_gives_back(text) or phrase("only").search(text)):
            place = home.place
            said = frozenset[str]().union(*(values_of(each) for each in self._told if each.place == place))
            words = _telling(clause)
            if shared_words(words, said) != words or (mine and not FIRST_PERSON.search(sentence)):
                return True
        if not mine or names_another(clause.text) or denials.denies(clause.text):
            return False
        if _TOLD_OF_ANOTHER.search(home.text):
            return True
        name = actor(home.text[alone.end() :].strip() if alone else home.text)
        mentioned = not name or bool(shared_words(frozenset({name}), content.content(text)))
        of_self = FIRST_PERSON.search(home.text) or WE.search(home.text) or whose(home.text) == SELF
        return not mentioned and not of_self

    def _is_turned(self, clause: Clause, home: Clause) -> bool:
        """True if a clause has two in the other order around the same verb, or before and behind the same word."""
        if denials.denies(clause.text) != denials.denies(home.text):
            return False
        names = self._names | clause.names | {actor(clause.text), actor(home.text)}
        new, old = _persons(clause.text, names), _persons(home.text, names)
        joined = _AND.search(clause.text) or _AND.search(home.text)
        if not (joined or _DONE_BY.search(clause.text) or _DONE_BY.search(home.text)):
            verbs = _shared(_telling(clause), home) - {*new, *old} - self._names
            crossed = len(new) > 1 and len(old) > 1 and new[0] != old[0] and new[0] in old and old[0] in new
            if crossed and any(verb.isalpha() for verb in verbs):
                return True
        known = list(_ordered(home.text))
        return any(
            joins == before and content.alike(one, last) and content.alike(other, first)
            for one, other, joins in _ordered(clause.text)
            for first, last, before in known
        )


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


def _is_told(text: str) -> bool:
    """True if a statement itself says that it is wished for, heard of, asked or only possible."""
    found = phrase("told").search(text) or phrase("unreal").search(text)
    return bool(found) or denials.doubts(text) or denials.allows_for(text)


def _is_unreal(text: str, home: Clause, before: Clause | None) -> bool:
    nearly = phrase("unreal").search(home.text)
    supposed = [each for each in (home, before) if each is not None and phrase("condition").search(each.text)]
    return bool(nearly or supposed) and not _is_told(text)


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


def _ordered(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield each two words of which one word stands before the second only: one, other, that word."""
    said = [match.group() for match in _WORD.finditer(text)]
    found: list[tuple[str, str]] = []
    for n, word in enumerate(said):
        bare = SELF if FIRST_PERSON.fullmatch(word) or content.bare(word) in _USER else content.bare(word)
        if bare == SELF or content.content(word):
            place = n - 1 - (n > 1 and _ARTICLE.fullmatch(said[n - 1]) is not None)
            before = said[place].casefold() if place >= 0 else ""
            found.append((bare, before if _BEFORE.fullmatch(before) else ""))
    for (one, joins), (other, before) in combinations(found, 2):
        if before and joins != before and one != other:
            yield one, other, before


def _is_owed(clause: Clause, home: Clause, names: frozenset[str]) -> bool:
    """True if who has lent something is said to owe it."""
    owes = phrase("owes").search(clause.text)
    lends, borrows = (phrase(name).search(home.text) for name in ("lends", "borrows"))
    if owes is None or not (lends or borrows):
        return False
    known = names | clause.names | home.names | {actor(clause.text), actor(home.text)}
    debtor = next(iter(_persons(clause.text[: owes.start()], known)), SELF)
    first = SELF if SAYS_I.match(home.text.strip()) else next(iter(_persons(home.text, known)), "")
    return debtor == first if lends else debtor == SELF != first


def _is_compared(clause: Clause, home: Clause) -> bool:
    """True if a clause compares two in the same order with another word (`bigger than` of `smaller than`)."""
    new, old = _THAN.search(clause.text), _THAN.search(home.text)
    if (
        new is None
        or old is None
        or content.alike(content.bare(new.group().split()[0]), content.bare(old.group().split()[0]))
    ):
        return False
    parts = ((clause.text[: new.start()], home.text[: old.start()]), (clause.text[new.end() :], home.text[old.end() :]))
    return all(shared_words(content.content(one), content.content(other)) for one, other in parts)


def _is_old(clause: Clause, text: str, home: Clause) -> bool:
    """True if a statement has the value that something changed from, and not the one that it changed to."""
    found = phrase("from_to").search(home.text)
    if found is None or not phrase("moved").search(home.text) or _gives_back(text):
        return False
    old, new = (_figures(found[one] or found[other] or "") for one, other in (("old", "left"), ("new", "into")))
    old |= _figures(found["off"] or "")
    return bool(shared_words(old - new, _figures(clause.text))) and not shared_words(new - old, _figures(text))


def _figures(text: str) -> frozenset[str]:
    """Return the names, numbers and weekdays of a text, and words with digits."""
    told = (word for word in re.findall(r"[^\s,.;]+", text) if not word.islower() or re.search(r"\d", word))
    on = (str(n) for n, day in enumerate(days.WEEKDAYS) if day.search(text.casefold()))
    return frozenset(word for each in told for word in content.words(each)) | frozenset(f"@{day}" for day in on)
