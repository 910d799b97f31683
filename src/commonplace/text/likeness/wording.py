"""The words that the rules of likeness know, in six languages, and the cutting of a text into words.

The words are in `words.toml`: negations, opposites, words that join or limit, labels and verbs that allow one value at
a time, verbs that allow many. A word that is on no list is kept as it is.
"""

from __future__ import annotations

import tomllib
import unicodedata
from functools import lru_cache
from typing import Final, NamedTuple

from commonplace.text import packaged
from commonplace.text.patterns import pattern

_WIDE: Final = "\u2e80-\u2fff\u3041-\u9fff\uac00-\ud7af\uf900-\ufaff"
_TOKEN: Final = pattern(  # a number has its sign, `C++` its end
    rf"(?:(?<!\S)-)?\d+(?:[.,:/-]\d+)*|[{_WIDE}]"
    rf"|[^\W{_WIDE}\d][^\W{_WIDE}]*(?:[./@+#-][^\W{_WIDE}]+)*(?:\+\+|#)?|[^\W{_WIDE}]+|[<>≤≥%€$£¥]"
)
_QUOTES: Final = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "“": '"', "”": '"'})
_REWRITES: Final = tuple(
    (pattern(source), instead)
    for source, instead in (
        (r"\bcan't\b|\bcannot\b", "can not"),
        (r"\bwon't\b", "will not"),
        (r"n't\b", " not"),
        (r"\bno longer\b|\bnot any ?more\b|\bnicht mehr\b|\bya no\b", "not"),
        (r"'s\b", " 's "),
        (r"\b([ldnjmtscq]|qu)'", r"\1 "),
        (r"\b(?:(?:am|is|are|was|were) )?employed (?:at|by)\b|\bwork(s?) for\b", "work at"),
        (r"\bist bei (.{1,40}) angestellt\b", r"arbeitet bei \1"),
        (r"[换換改变變](?:成|为|為|到)了?", "是"),
    )
)
_SUBJECT: Final = pattern(
    r"\A\W*(?:(?:the|der|die|el|la|l)\s+)?(?:users?|nutzer(?:in)?|benutzer(?:in)?|usuari[oa]|utilisat(?:eur|rice)|i)\s+"
    r"|\A\W*(?:用户|使用者)|\A\W*ユーザーは"
)
_LABELLED: Final = pattern(r"\s*([^\W\d_]{1,40}(?:[ -][^\W\d_]{1,40}){0,2})(?::[ \t]+|：[ \t]*)(?=\S)")
_NOT_PLURAL: Final = ("ss", "us", "is", "as", "os")
_BREAK: Final = pattern(r"[,;:()\[\]（），、。；：—–]|\s-\s|\.\s")


_LISTS: Final[dict[str, str]] = tomllib.loads(packaged.text(__package__, "words.toml"))


def _set(name: str) -> frozenset[str]:
    return frozenset(_LISTS[name].split())


ARTICLES: Final = _set("articles")
NEGATIONS: Final = _set("negations")
NEGATIVE_ENDINGS: Final = ("ない", "ません", "なかった")
ALWAYS: Final = _set("always")
LIMITS: Final = _set("limits")
JOINING: Final = _set("joining")
AND: Final = _set("and")
COMPARING: Final = _set("comparing")
HOLDING: Final = _set("holding")
RELATIVES: Final = _set("relatives")
MANY: Final = _set("many")
ONE_NOUN: Final = _set("one_noun")
MANY_LABELS: Final = _set("many_labels")
MANY_LABELS_WIDE: Final = tuple(_LISTS["many_labels_wide"].split())
ONE_VERB: Final = (
    "live in", "work at", "live at", "work for", "based in", "be call", "is called", "is named", "born in", "born on",
    "works in", "wohnt in", "lebt in", "arbeitet bei", "heißt", "vive en", "reside en", "trabaja en", "se llama",
    "habite à", "vit à", "travaille chez", "s appelle", "住 在", "叫", "在",
)  # fmt: skip
ONE_VERB_WIDE: Final = ("住在", "居住在", "工作于", "叫做", "名叫")
SYNONYMS: Final[dict[str, str]] = {
    word: group.split()[0] for group in _LISTS["synonyms"].splitlines() for word in group.split()[1:]
}
OPPOSITES: Final = frozenset(frozenset(pair.split("/")) for pair in _LISTS["pairs"].split())
_PREFIXES: Final = ("un", "in", "im", "dis", "non", "de", "des", "dé", "il", "ir")
UNITS: Final = _set("units")
NUMBER_WORDS: Final = _set("number_words")
DAYS: Final = _set("days")


class Token(NamedTuple):
    """One word of a text; `after_break` is true if a comma or the like is before it."""

    word: str
    after_break: bool = False


@lru_cache(maxsize=4096)
def tokens(text: str) -> tuple[Token, ...]:
    """Cut a text into words that can be compared: folded, without articles, without the user as its subject."""
    folded = unicodedata.normalize("NFKC", text).translate(_QUOTES).casefold()
    for wording, instead in _REWRITES:
        folded = wording.sub(instead, folded)
    folded = _SUBJECT.sub("", folded, count=1).removeprefix("'s ")
    found: list[Token] = []
    end = 0
    broken = False
    for match in _TOKEN.finditer(folded):
        gap = folded[end : match.start()]
        broken = broken or _BREAK.search(gap) is not None
        possessive = match.group() == "s" and gap.endswith("'")
        end = match.end()
        word = "'s" if possessive else _plain(match.group())
        if word in ARTICLES or match.group() in ARTICLES:
            continue
        found.append(Token(word, broken and bool(found)))
        broken = False
    return tuple(found)


def labelled(text: str) -> tuple[str, str]:
    """Return the label of `City: Berlin`, of at most three words and folded, and its value; two empty ones if none."""
    folded = unicodedata.normalize("NFKC", text.replace("：", ": ")).translate(_QUOTES).casefold()
    found = _LABELLED.match(folded)
    return (found[1], folded[found.end() :].strip()) if found else ("", "")


def has_one_value(label: str) -> bool:
    """True unless a label is one that comes many times: of notes, rules or likes, or in the plural."""
    words = label.replace("-", " ").split()
    plural = len(words[-1]) > 3 and words[-1].endswith("s") and not words[-1].endswith(_NOT_PLURAL)
    if plural or (MANY_LABELS | DAYS | NUMBER_WORDS) & set(words):
        return False
    return not label.endswith(MANY_LABELS_WIDE)


def _plain(word: str) -> str:
    if "-" in word and not any(char.isdigit() for char in word):
        word = word.replace("-", "")
    if len(word) > 3 and word.isascii() and word.isalpha() and word.endswith("s") and word[-2] not in "sui":
        word = word[:-1]
    return SYNONYMS.get(word, word)


def opposite(one: str, other: str) -> bool:
    """True if two words are opposites: as listed, or one with a negating prefix."""
    if frozenset((one, other)) in OPPOSITES:
        return True
    short, long = sorted((one, other), key=len)
    return len(short) >= 4 and any(long == prefix + short for prefix in _PREFIXES)


def firm_words(text: str) -> frozenset[str]:
    """Return what no merge may drop or change: numbers, dates, versions and denials."""
    words = (token.word for token in tokens(text))
    return frozenset(
        word for word in words if word in NEGATIONS or word in NUMBER_WORDS or any(char.isdigit() for char in word)
    )
