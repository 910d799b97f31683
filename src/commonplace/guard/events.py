"""Is what a statement says done, or only planned, wanted, asked for or refused? Clause by clause. Pure.

A statement that something is done needs a clause that says so: one that plans, wants or doubts it does not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from commonplace.guard.clauses import Clause, shared_words
from commonplace.text import content
from commonplace.text.patterns import pattern

_WISHES: Final = pattern(
    r"\b(?:wants?|wanted|(?:would|['’]d) (?:like|love|rather)|prefers?|hop(?:es?|ing)|should|if|once|unless"
    r"|wollen|wollte\w*|will(?=.*en\W*\Z)|möchte\w*|würde\w*|bevorzug\w*|soll\w*|hoff\w+|liebsten|wenn|falls|sobald|veu(?:x|t|lent)|voul\w+|voudr\w+|aimer\w+|préfèr\w+|devr\w+|espèr\w+|si|quand"
    r"|quier\w+|quisier\w+|querr\w+|queremos|gustaría\w*|prefier\w+|espero|cuando|vogli\w+|vorr\w+|vuol\w*|preferisc\w+|sper\w+|quando"
    r"|quer\w*|prefer[eo]|gostaria\w*|espero|хоч\w+|хот\w+|предпоч\w+|надею\w+|если|когда|chc\w+|wol[ei]\w*|jeśli|gdy|wil|willen|zou(?:den)?|hoop\w*|als)\b"
    r"|[想要]|希望|建议|应该|如果|たい|ほし|なら|たら|べき|싶",
    re.IGNORECASE,
)
_PLANS: Final = pattern(
    r"\b(?:will|\w+['’]ll|going to|gonna|plan(?:s|ned|ning)?|intend\w*|needs? to|ha(?:s|ve) to|must|let['’]?s|until|(?:booked|set) (?:for|on)|supposed|meant to|about to|to be|to do|due|offer\w*|suggest\w*|propos\w+|request\w*|ask(?:s|ed)?|scheduled|appointment|decid\w+|agree\w*"
    r"|(?:a(?! partir)|à|da|por|zu|te) [a-z]{3,}(?:ar|er|ir|re|en)|werde|werden|geplant\w*|plan\w*|vorha\w+|bis|muss|müssen|entschied\w+|beschlossen|vereinbart|termin|vorgesehen|vorschl\w+|schlägt|v(?:ais|as|a|ont|allons) \w+(?:er|ir|re)|compte|prévue?s?|prévoi\w+|projet\w*|doi(?:s|t|vent)|faut|faudr\w+|décid\w+|convenu"
    r"|propon\w+|propuest\w+|propost\w+|предл\w+|voorstel|v(?:oy|as|a|amos|an) a|piens\w+|plane\w+|previst\w+|hay que|t(?:engo|iene|enemos) que|debe\w*|deber\w+|hasta|decidi\w+|acord\w+|intend\w+|dev\w+|dobbiamo|dovr\w+|programma\w*|deciso|v(?:ou|ai|amos|ão) \w+r|pretend\w+|temos que|tem (?:que|de)|precis\w+"
    r"|буд(?:у|ет|ем|ут)|собира\w+|план\w+|нужно|надо|долж\w+|давай\w*|реши\w+|договор\w+|będ\w+|zamierz\w+|trzeba|musi\w*|powin\w+|zal|zullen|gaa?n? \w+en|van plan|moet(?:en)?|gepland|besloten|afgesproken)\b"
    r"|将|將|打算|准备|计划|等|决定|つもり|予定|よう[とか]|ましょう|決め|려고|예정|계획|기로",
    re.IGNORECASE,
)
_LATER: Final = pattern(
    r"\b(?:before|after|until|till|next|first|vor|bevor|nach|zuerst|avant|après|antes|después|depois|prima|dopo|до|после|пока|przed|voor|na)\b",
    re.IGNORECASE,
)
_NOT_YET: Final = pattern(
    r"\b(?:(?:not|\w+n['’]t) (?:\w+ ){0,4}yet|yet to|ha(?:s|ve)n['’]t|not (?:before|until)|still (?:ha(?:s|ve)|needs?) to"
    r"|noch (?:nicht|kein\w*|nichts)|pas encore|encore (?:\w+ ){0,2}(?:rien|aucune?)|(?:rien|aucune?) encore|n['’]\w+ encore|toujours pas|(?:todavía|aún) no|no (?:\w+ ){1,4}(?:todavía|aún)|no antes"
    r"|ancora (?:non|da)|non (?:\w+ ){0,3}ancora|ainda não|não (?:\w+ ){1,3}ainda|ещё не\w*|пока н\w+|jeszcze nie|nog (?:steeds )?(?:niet|geen|niets))\b|还没|尚未|还未|まだ|아직",
    re.IGNORECASE,
)
_DONE: Final = pattern(
    r"\b(?:was|were|ha(?:s|ve|d)(?! (?:an?|the|no|one|two|three|\d+|his|her|their)\b)|been|got|did|already|(?!need|allow|call|nam|bas|interest|relat|marri|prefer|expect|requir|us)(?<!get )(?<!gets )[a-z]{2,}ed|sold|bought|paid|sent|given|gave|met|took|taken|made|went|left|built|chosen|chose|won|lost|signed"
    r"|hat|haben|wurden?|bereits|schon|ge[a-zäöüß]{3,}(?:t|en)|[a-zäöüß]{3,}iert|ont|été|déjà|(?!despu)[a-zàâçéèêëîïôûùü]{2,}ée?s?"
    r"|han?|hemos|fue(?:ron)?|ya|[a-zñáéíóú]{2,}[ai]d[oa]s?|[a-zñ]{3,}ó|hecho|hanno|stat[oaie]|già|[a-z]{2,}(?:at|ut|it)[oaie]|fatt[oaie]|firmat[oaie]"
    r"|f(?:oi|oram)|já|feit[oa]s?|[a-zç]{3,}(?:ou|eu|iu)|был[аио]?|уже|(?!недел)[а-яё]{2,}[аеиуыя]л[аио]?(?:сь|ся)?|[а-яё]{3,}[аеё]н[аоы]?"
    r"|został\w*|już|[a-ząęłńóśźż]{3,}(?:ł|ła|ło|li|ły)|heeft|hebben|werd(?:en)?|ge[a-z]{3,}(?:d|t))\b"
    r"|已|了(?!解)|过(?!敏)|ました|た(?:\Z|。)|済|[었았했]",
    re.IGNORECASE,
)


_UNDONE: Final = "guess: it tells as done what was only planned"


def wishes(text: str) -> bool:
    """True if a clause says what a person wants, or what is so under a condition."""
    return _WISHES.search(text) is not None


def plans(text: str) -> bool:
    """True if a clause says what a person wants, or what is to be done."""
    return wishes(text) or _PLANS.search(text) is not None


def is_later(text: str) -> bool:
    """True if a statement says what is before or after something else."""
    return _LATER.search(text) is not None


class _Read(NamedTuple):
    """A clause of the talk, whether what it says is planned, wanted, asked or open, and whether it is not done yet."""

    clause: Clause
    planned: bool
    not_yet: bool


class Events:
    """What the clauses of a talk say that is done, planned or refused.

    Args:
        clauses: The clauses of the talk.
    """

    def __init__(self, clauses: Sequence[Clause]) -> None:
        self._clauses = [_read(clause) for clause in clauses]

    def fault(self, clause: Clause, text: str) -> str:
        """Return the fault if a clause of a statement has as accepted what was refused, or as done what is not."""
        if clause.denies or clause.doubts:
            return ""
        return "" if plans(clause.text) or wishes(text) or is_later(text) else self._not_done(clause)

    def _not_done(self, clause: Clause) -> str:
        found = [m.group() for m in _DONE.finditer(clause.text) if not m.group()[0].isupper() or not m.start()]
        words = content.content(clause.text) - clause.dated
        verbs = words & content.content(" ".join(found)) - clause.names
        homes = {
            word: [each for each in self._clauses if shared_words(frozenset({word}), each.clause.content)]
            for word in verbs
        }
        if any(each and all(_is_undone(word, words, home) for home in each) for word, each in homes.items()):
            return _UNDONE
        said = any(not (each.planned or each.clause.denies) for homes_of in homes.values() for each in homes_of)
        nouns = [
            word for word, each in homes.items() if any(home.planned and word in home.clause.content for home in each)
        ]
        if said or len(found) == len(nouns):
            return ""
        theirs = [each for each in self._clauses if each.clause.person]
        most = max((len(shared_words(words, each.clause.content)) for each in theirs), default=0)
        near = [each for each in theirs if len(shared_words(words, each.clause.content)) == most]
        if most > 1 and 2 * most >= len(words) and all(each.planned for each in near):
            return _UNDONE
        things = words - verbs - clause.names
        undone = [n for n, each in enumerate(theirs) if each.not_yet and shared_words(things, each.clause.content)]
        since = theirs[undone[-1] + 1 :] if undone else []
        return _UNDONE if undone and not any(_is_done(each, things) for each in since) else ""


def _read(clause: Clause) -> _Read:
    not_yet = _NOT_YET.search(clause.text) is not None
    asked = clause.asks and not clause.person
    return _Read(clause, clause.doubts or asked or not_yet or plans(clause.text), not_yet)


def _is_undone(word: str, words: frozenset[str], read: _Read) -> bool:
    """True if a clause with a verb of a statement says that it is not done, or plans it in another form of the verb."""
    one = frozenset({word})
    in_part = read.planned and word not in read.clause.content and shared_words(words - one, read.clause.content)
    return bool(in_part or shared_words(one, read.clause.denied))


def _is_done(read: _Read, things: frozenset[str]) -> bool:
    """True if a clause says that something is done: one of some things, or what was spoken of (`booked it!`)."""
    if read.planned or read.clause.denies or _DONE.search(read.clause.text) is None:
        return False
    return not content.content(_DONE.sub(" ", read.clause.text)) or bool(shared_words(things, read.clause.content))
