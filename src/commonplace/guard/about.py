"""Whom does a clause speak of: the one who talks, another person, or nobody who can be known?

A person is named by what they are to another (`my sister`, 我妈), or is a pronoun. A clause that names nobody is
nobody's, though its verb may show the person. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from commonplace.text import content, packaged
from commonplace.text.patterns import pattern

FIRST_PERSON: Final = pattern(
    r"\b(?:i|i'm|i'll|i'd|i've|me|my|mine|ich|mich|mir|mein\w*|je|j'|moi|mon|ma|(?<!un )(?<!al )mes|yo|soy|mi|mis"
    r"|io|sono|mio|mia|eu|sou|meu|minha|я|мне|меня|мой|моя|мои|ja|jestem|mnie|mój|moja|ik|mijn)\b|我|私|僕|俺|저|나",
    re.IGNORECASE,
)
SELF: Final = "⟨user⟩"  # no word of a text
SAYS_I: Final = pattern(
    r"\bI\b|\b(?i:i'm|i'll|i'd|i've|ich|je|yo|io|eu|я|ik|moi)\b|\b[jJ]['’]|\A[Jj]a\s"
    r"|我(?![的们妈爸先老丈妻太哥弟姐妹儿女岳公婆爷奶外同朋邻室男])|[私僕俺](?!の|たち)|나[는도]|내가|[저제][는가도]"
    r"|\b(?i:users?|(?:be)?nutzer(?:in)?|utente|usu[aá]ri[oa]|utilizadora?|utilisat(?:eur|rice)|пользовател\w+|użytkowni\w+"
    r"|gebruiker)\b|用户|使用者|本人|ユーザー|사용자"
)
OTHER: Final = "⟨other⟩"  # no word of a text
WE: Final = pattern(
    r"\b(?:we|us|ours?|ourselves|myself|wir|uns|unser\w*|nous|notre|nos|m['’]|me|nosotr[oa]s|nuestr[oa]s?|mí|conmigo|noi|nostr[oaie]"
    r"|nós|noss[oa]s?|a gente|comigo|мной|мною|моих|моей|моему|мы|нас|нам|наш\w*|mi|mną|my|nas|nam|nasz\w*"
    r"|moje\w*|mij|wij|ons|onze"
    r"|on (?:a|est|n['’]\w+|ne|va|y|s['’]\w+|se|en|pense|peut|doit|veut|habite|part|prend|fait|mange|vit|cherche))\b"
    r"|我们|咱|うち|우리",
    re.IGNORECASE,
)
YOU: Final = pattern(
    r"\b(?:you|yours?|du|dich|dir|deine?\w?|(?-i:Sie|Ihnen|Ihre?\w?)|tu|te|toi|t['’]\w+|ton|ta|tes|vous|votre|vos|tú|ti|usted|ustedes|vuestr\w+|voi|vostr\w|você|vocês"
    r"|ты|тебя|тебе|твой|твоя|вы|вас|вам|ваш\w*|ty|ciebie|ci|twój|twoja|jij|jouw?|je|u|uw)\b|[你您]|あなた|당신",
    re.IGNORECASE,
)
_OWNED: Final = (  # stands before a relative
    r"(?:my|our|your|his|her|their|the user['’]s|meine?[mnrs]?|unser\w*|deine?[mnrs]?|seine?[mnrs]?"
    r"|ihre?[mnrs]?|mon|ma|mes|notre|nos|votre|vos|ton|ta|tes|son|sa|ses|leurs?"
    r"|mis?|tus?|nuestr[oa]s?|vuestr[oa]s?|sus?|l[ae]|il|el|i|mi[ao]|miei|mie|tu[ao]|tuoi|nostr[oaie]|vostr[oaie]|su[ao]|suoi|loro|[ao]s?|meus?|minhas?|teus?|tuas?|noss[oa]s?"
    r"|seus?|suas?|мо\w{1,3}|тво\w{1,3}|наш\w*|ваш\w*|его|её|их|m[oó]j\w*|tw[oó]j\w*|nasz\w*|wasz\w*|jego|jej|ich|mijn|jouw|onze?|zijn|haar|der|die)"
)
_MORE: Final = (  # other words too, unless it is said whose
    "son|man|frau|mann|femme|mujer|mulher|vrouw|chef|manager|patron|partner|nan|mari|friends?|brat|papa|tia|zia|zus|capo|tata"
)
TELLS: Final = pattern(  # what another one wants may well be the user's
    r"\b(?:wants?|wanted|asks?|asked|says?|said|told|tells?|needs?|thinks?"
    r"|suggest\w*|recommend\w*|möchte|will|sagt\w*|mein(?:t|te)|fragt\w*|braucht\w*"
    r"|empf\w+|rät"
    r"|veut|veulent|wollen|quieren|vogliono|querem|хотят|demande|dit|pense|conseil\w*|quiere|pide|dice|dijo"
    r"|cree|necesita|vuole|chiede|consiglia|quer|pede"
    r"|diz|disse|acha|хочет|просит|говорит|сказал\w*|chce|prosi|mówi\w*|wil|vraagt|zegt)\b"
    r"|[说想让叫]|言[っいう]|たい|ほし",
    re.IGNORECASE,
)
_ONE: Final = "(?:an?|eine?[mnr]?|un[ae]?|uma?|een)"
_BEFORE_OBJECT: Final = pattern(
    r"\b(?:for|with|to|of|from|by|at|than|about|like|für|mit|von|zu|bei|als|wie|über|pour|avec|à|de|chez|que|para|con|a|al|del|por|per|da|di|do|com"
    rf"|для|с|со|у|от|к|dla|z|ze|od|do|voor|met|van|bij|aan)\s(?:{_ONE}\s)?\Z",
    re.IGNORECASE,
)
_ONE_OF: Final = pattern(rf"\b(?:{_ONE}|one|two|three)\s(?:\w+-[\w-]+\s)?", re.IGNORECASE)
_IS: Final = "(?:is|['’]s|are|ist|hei(?:ß|ss)t|est|s['’]appelle|es|se llama|è|si chiama|é|se chama|to|heet)"
_NAME: Final = r"(?:[A-ZÀ-Þ]\w*\.?\s?){1,3}"
_IS_NAMED: Final = pattern(
    rf"\b{_IS}\s(?:called\s|named\s)?({_NAME})(?:\W*\Z|(?:as of|from|since|now|seit|ab|depuis|desde)\b)"
    rf"|\A\W*([A-ZÀ-Þ]\w+)\s{_IS}\s"
)
_WITH: Final = r"\b(?:to|with|under|from|mit|unter|bei|an|avec|à|con|a|com|z|с|met)"
_NAMED: Final = pattern(r"(?<=[^\W\d_]),\s(?:[^\W\d_]+['’]s\s)?\Z")  # a name before a relative
_PRONOUN: Final = pattern(  # at the head of a clause
    r"\A\W*(?:(?:and|but|so|und|aber|et|mais|y|pero|e|ma|mas|и|а|но|i|a|ale|en|maar)\s)?(?:he|she|they|er|(?-i:sie)|ils?(?!\s(?:y|faut|fait|pleut))|elles?|lui|él|ella|ellos|ellas|lei|loro|el[ea]s?"
    r"|он|она|они|ona|oni|hij|zij|ze)\b|\A\W*(?:他|她|彼(?!女の)|彼女)(?!们)|\A그[는녀가]",
    re.IGNORECASE,
)


@lru_cache(maxsize=1)
def _relatives() -> re.Pattern[str]:
    """Return a pattern for the words that say what a person is to another, with whose they are and the name behind."""
    known = sorted(packaged.text(__package__, "rules/relatives.txt").split(), key=len, reverse=True)
    plain = "|".join(word for word in known if not content.is_wide(word))
    wide = "|".join(word for word in known if content.is_wide(word))
    return re.compile(
        rf"\b(?i:(?:{_OWNED}\s(?:(?!(?:{plain}|{_ONE})\b)[^\W\d]+\s)??(?:\w+-)?(?:{plain}|{_MORE})|(?!(?:{_MORE})\b)(?:{plain}))(?:-\w+)*)\b"
        rf"(?:[,:]?\s(?P<name>[A-ZÀ-ÞА-ЯЁŁŚŻŹĆ][^\W\d_]+))?|[我私的]?(?P<wide>{wide})"
    )


def relatives(text: str) -> frozenset[str]:
    """Return the names of the relatives, friends and colleagues that a text names as such (`my sister Ines`)."""
    return frozenset(content.bare(match["name"]) for match in _relatives().finditer(text) if match["name"])


def is_one_of(text: str, statement: str) -> bool:
    """True if a clause names one of a person's people, and a statement is about what they have with that one.

    `My boss is Karen` says so for `reports to Karen`, `my wife is German` does not for `is German`.
    """
    found = [match[1] or match[2] for match in _IS_NAMED.finditer(text)] if names_another(text) else []
    return any(re.search(rf"{_WITH}\s{re.escape(name.strip())}(?!\w)", statement) for name in found)


def apposed(text: str) -> str:
    """Return a text without the commas between a relative and their name (`Zoe, my sister, sings`)."""
    commas = set[int]()
    for match in _relatives().finditer(text) if "," in text else ():
        before = _NAMED.search(text[: match.start()])
        behind = text[match.end() : match.end() + 1] == ","
        if match["name"] and "," in match.group():
            commas |= {text.index(",", match.start()), *([match.end()] if behind else ())}
        elif before and behind:
            commas |= {before.start(), match.end()}
    return "".join(sign for place, sign in enumerate(text) if place not in commas) if commas else text


@lru_cache(maxsize=4096)
def names_another(text: str) -> bool:
    """True if a text names a person by what they are to another."""
    return _relatives().search(text) is not None


def names_one(text: str) -> bool:
    """True if a statement names a person as one of those that a person has (`has a five-year-old son`)."""
    return names_another(_ONE_OF.sub("my ", text))


@lru_cache(maxsize=4096)
def whose(text: str, *, person: bool = True) -> str:
    """Return whom a clause is about: the user, another one, or nobody that can be known.

    Args:
        text: One clause.
        person: Whether the user says it; else the assistant does, to the user.
    """
    match = _relatives().search(text)
    rest = _relatives().sub(" ", text) if match else text
    me = (SAYS_I, FIRST_PERSON, WE) if person else (YOU,)
    if any(each.search(rest) for each in me):
        return SELF
    if TELLS.search(text):
        return ""
    if match is None:
        return OTHER if _PRONOUN.search(text) else ""
    before = text[: match.start()]
    is_object = content.content(before) if match["wide"] else _BEFORE_OBJECT.search(before)
    return "" if is_object else OTHER


def is_of_another(said: str, text: str, names: Iterable[str]) -> bool:
    """True if a statement is what one of some people said of themselves, and a sentence of someone else names no such.

    What is only said by them (`Ada: the port is 8080`) is everybody's.
    """
    return any(_is_of(text, name) and not re.search(rf"(?i)(?<!\w){re.escape(name)}(?!\w)", said) for name in names)


def _is_of(text: str, name: str) -> bool:
    """True if a statement begins with a name, or is in the first person behind it."""
    found = re.match(rf"(?i){re.escape(name)}(?![\w-])(?P<said>:.*)?", text)
    return found is not None and (not found["said"] or FIRST_PERSON.search(found["said"]) is not None)
