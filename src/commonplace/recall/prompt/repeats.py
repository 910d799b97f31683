"""The statements that a prompt has: the assistant's `Noted: you live in Bergen.` adds nothing to them.

A statement repeats another that begins with the same word and has all its words in the same order, acknowledgements
and joining words aside, if both deny, limit, suppose and speak of others alike. Pure.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from commonplace.guard.clauses import PRONOUN
from commonplace.operations import NOTED
from commonplace.recall.question import EVERYDAY_WORDS, FRAME_WORDS
from commonplace.records import TRUST_RANK, Trust
from commonplace.text import content, denials
from commonplace.text.likeness import wording
from commonplace.text.patterns import pattern

_ACKNOWLEDGING: Final = """
    c noted got gotcha understood alright sure great good perfect cool okay ok thanks thank remember saved added nice
    notiert gemerkt merke verstanden alles klar gut danke noté compris entendu accord merci retenu anotado entendido
    vale acuerdo gracias apuntado capito annotato segnato grazie certo genoteerd begrepen dank bedankt zanotowane jasne
    dziękuję понял поняла понятно записал записала запомню запомнил спасибо
"""
_ACKNOWLEDGED: Final = frozenset(_ACKNOWLEDGING.split())
_ACKNOWLEDGED_WIDE: Final = pattern("好的|明白了?|知道了|记住了|收到|了解しました|承知しました|알겠습니다")
_OPENING: Final = pattern(r"\A[^,:!.;–—]{1,40}[,:!;–—]\s+")
_AND_THAT: Final = frozenset({"noted", "note", "remember"})  # before what is said, without a comma
_BEFORE: Final = pattern(r" ?\(before: .+?\)(?=[ .]|$)\.?")  # what the rules replaced: recall finds its message
_I_AND_YOU: Final = frozenset("j我你您的私僕")
_TELLING: Final = """
    prefer want wanted need wish like use called name named most least must first new old still instead rather now
    today prefiere prefiero prefieren préfère préfères bevorzugt bevorzuge preferisce preferisco prefere prefiro
    предпочитает предпочитаю woli wolę soll will wollen kann muss mag möchte veux veut dois doit peux peut quiere
    quiero debo debe puedo puede voglio vuole devo deve posso può quero quer pode могу можно надо нужно mogę muszę
"""
_MEANING: Final = frozenset(_TELLING.split())  # joining words that tell one statement from another
_MODAL: Final = frozenset({"will", "would", "could", "might", "may", "should", "going"})
_FIRM: Final = wording.NEGATIONS | wording.RELATIVES | wording.LIMITS | _MODAL
_I_ENDS: Final = frozenset({"e", "o", "m", "у", "ю"})  # of verbs: `wohne`, `abito`
_YOU_ENDS: Final = frozenset({"st", "est", "i", "sz", "ешь", "ёшь", "ишь"})
_STEM: Final = 3  # letters at least
_QUESTION: Final = ("?", "？")


class Statement(NamedTuple):
    """One sentence: its words in order, and what may not differ from a sentence that it repeats."""

    words: tuple[str, ...]
    firm: frozenset[str]
    asks: bool


@lru_cache(maxsize=8192)
def statements(text: str) -> tuple[Statement, ...]:
    """Cut a text into its sentences that say or ask something."""
    found = (_statement(sentence) for sentence in content.sentences(text))
    return tuple(each for each in found if each.words)


def says_nothing(text: str) -> bool:
    """True if a text only asks, acknowledges or says words of all talk: `can you read this?`, `done`, `let me see`."""
    return all(each.asks or (EVERYDAY_WORDS | FRAME_WORDS).issuperset(each.words) for each in statements(text))


def _statement(sentence: str) -> Statement:
    wide = _ACKNOWLEDGED_WIDE.match(sentence)
    said = sentence[wide.end() :] if wide else sentence
    while (opening := _OPENING.match(said)) and _acknowledges(opening.group()):
        said = said[opening.end() :]
    tokens = [token.word for token in wording.tokens(said)]
    firm = {word for word in tokens if word in _FIRM} | {match.group().casefold() for match in PRONOUN.finditer(said)}
    firm |= {name for name, test in (("denies", denials.denies), ("supposes", denials.supposes)) if test(said)}
    words = [word for word in tokens if word in _MEANING or not _joins(word)]
    if _acknowledges(said):
        words.clear()
    return Statement(
        tuple(words[1:] if words[:1] and words[0] in _AND_THAT else words),
        frozenset(firm),
        sentence.rstrip().endswith(_QUESTION),
    )


def _acknowledges(opening: str) -> bool:
    words = [token.word for token in wording.tokens(opening)]
    said = [word for word in words if word not in _ACKNOWLEDGED]
    return len(said) < len(words) and all(map(_joins, said)) and not _FIRM.intersection(words)


def _joins(word: str) -> bool:
    return word in _I_AND_YOU or content.is_joining(content.bare(word))


class Repeats:
    """The statements that a prompt has, and how far each is trusted."""

    def __init__(self) -> None:
        self._by_head: dict[str, list[tuple[Statement, int]]] = {}

    def add(self, text: str, trust: Trust) -> None:
        """Add what a text says, trusted so far; a question says nothing."""
        for each in statements(text):
            if not each.asks:
                self._by_head.setdefault(each.words[0][:_STEM], []).append((each, TRUST_RANK[trust]))

    def says(self, text: str, trust: Trust) -> bool:
        """True if all that a text says is said by what is trusted as far; a person's question is said by nothing."""
        if not self._by_head:
            return False
        found = statements(text)
        said = [each for each in found if not each.asks]
        if not said or (trust == "user" and len(said) < len(found)):
            return False
        return all(self._has(each, TRUST_RANK[trust]) for each in said)

    def left(self, text: str, trust: Trust) -> str:
        """Return what of a text is not said yet: all or nothing; of what the rules noted, each statement alone."""
        if not text.startswith(NOTED):
            return "" if self.says(text, trust) else text
        noted = content.sentences(_BEFORE.sub("", text.removeprefix(NOTED)))
        fresh = [each for each in noted if not self.says(each, trust)]
        return text if fresh == noted else " ".join([NOTED, *fresh]) if fresh else ""

    def _has(self, said: Statement, rank: int) -> bool:
        return any(
            trusted >= rank
            and said.firm == each.firm
            and _same_head(said.words[0], each.words[0])
            and _in_order(said.words[1:], each.words[1:])
            for each, trusted in self._by_head.get(said.words[0][:_STEM], ())
        )


def _same_head(one: str, other: str) -> bool:
    """True if two words are the same, or a verb of which I speak and you: `wohne`, `wohnst`."""
    if one == other:
        return True
    same = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    ends = {one[same:], other[same:]}
    return same >= _STEM and not ends.isdisjoint(_I_ENDS) and not ends.isdisjoint(_YOU_ENDS)


def _in_order(words: tuple[str, ...], others: tuple[str, ...]) -> bool:
    rest = iter(others)
    return all(word in rest for word in words)
