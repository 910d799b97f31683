"""Find the plain words that a sentence gives as a secret, in whatever order: "Just type swordfish when it asks …".

Owns what part each word has in such a sentence. A sentence is written down as one letter a word, and the frames in
which a value is given are patterns of these letters, the same for all languages; which word has which part is data
in `rules/said.toml`.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator
from typing import Final

from commonplace.guard import values
from commonplace.guard.codes import Noun
from commonplace.guard.sentences import Span
from commonplace.guard.table import compiled
from commonplace.text import content

_LONG_WORD: Final = 14  # characters of a word that is made of several
_INNER: Final = r"[^\s.,;:!?()\[\]\"“”„«»‹›=→/|]"
_PIECE: Final = rf"{_INNER}+(?:\.(?=\w){_INNER}+)*|[.,;:!?()=→\n]|(?<=\s)[—–-]+(?=\s)"
# The letters. Nouns: N a password, P a phrase, L a wallet, R a password in Cyrillic, W a login, Q a question of one.
# Words that may be values: V plain, C with a capital, S with one that begins the text, M made up, I with one inside.
# Others: x a known word, n a number, m what is redacted already, b "to". And these, by the first list that has a word:
_PARTS: Final = (
    ("j", "it"), ("i", "is"), ("a", "as"), ("g", "gives"), ("u", "used"), ("u", "answered"),
    ("d", "done"), ("z", "changes"), ("h", "have"), ("t", "that"), ("k", "and"), ("k", "but"), ("l", "namely"),
    ("p", "with"), ("e", "from"), ("w", "whose"), ("v", "onto"), ("f", "now"), ("f", "filler"), ("r", "for"),
    ("o", "of"), ("c", "when"),
)  # fmt: skip
_SIGNS: Final = dict.fromkeys(",;—–-()", ",") | dict.fromkeys(":=→", ":")
_V: Final = "([VM][VMn]{0,4})"  # words that may be values
_ANY: Final = "([VMCS][VMCn]{0,4})"  # also with a capital, which names have
_NAME: Final = "((?:[xo][xeow]{1,2}|[Vx])?[CM][VMCn]{0,4}(?:[eow]{1,2}C)?)"
_END: Final = r"(?:[.,?]|\Z)"
_IT: Final = "tijb"
_BEGIN: Final = r"(?:\A|[.,?:])[fk]{0,2}"
_WALLET: Final = r"[PL].*?[i:p](V(?:x?V){4,23})"
_TAIL: Final = "(?:[orev]w?x{0,2}[VC]?[xkf]{0,3}){0,2}"  # of what a password is for
_FRAMES: Final = (  # behind the letters of which each needs one
    ("g", rf"g[orevftb]{{0,3}}{_V}(?=[xwor]?{_END}|[ac])"),  # type V when
    ("a", rf"(?<!w){_ANY}z?aw?x{{0,2}}[NPR]"),  # V as the password
    ("e", rf"[gu][fw]*{_ANY}e[NPR]"),
    ("a", rf"(?<![VMCSInm])aw?x?[NPR](?:[xforwvhuz]{{0,4}}|[^.,?:]{{0,8}}f){_ANY}(?=d|{_END})"),
    # it is V, the password
    (_IT, rf"{_BEGIN}[tijb]{{1,2}}f*{_V}(?:[.,]?w?x?[NPR]{_TAIL}\Z|,w?x?[NPR]{_TAIL},)"),
    (_IT, rf"{_BEGIN}[tijb]{{0,2}}{_V},(?:[tf]{{1,2}}[hidguj]|[jb])"),  # V, that is what
    (_IT, rf"{_BEGIN}{_ANY}(?:[.,:](?:t[ijb]|[jb])|t?i|[jb])[ftw]{{0,2}}[xorVC]{{0,2}}[NPR](?=[orevcd]|{_END})"),
    ("P", rf"{_BEGIN}([^.,?:Qm]{{2,9}})[.,:](?:tf?[ijb]|[jb])[^.,?:]{{0,4}}P"),
    ("P", rf"P[xf]{{0,2}},([V][VMn]{{2,5}})(?={_END})"),  # my passphrase; V
    ("P", rf"P[xf]{{0,2}}[.]f?(?:t?[ijb]|ti)f{{0,2}}{_V}(?={_END})"),  # P. It is V
    ("PL", _WALLET),
    ("f", rf"[NPR](?:[orev]w?x?)?f{{1,3}}{_V}(?={_END})"),  # the password still V
    ("R", rf"R(?:[orev]w?[VCxf]){{1,2}}f*([VMC])(?={_END})"),  # Russian has no word for `is`
    ("zd", rf"[zd][^.,?]{{0,6}}[NPR][^.,?ck]{{0,6}}?(?:[vb]|(?<![orev])w){_ANY}(?=[kacdr]|{_END})"),  # changed it to V
    ("zd", rf"[NPR][^.,?ck]{{0,6}}?(?:[zd][vbor]{_ANY}(?=[xkacd]|{_END})|[vb]{_ANY}(?=[dz]))"),
    ("zd", rf"[zd][^.,?]{{0,6}}[NPR][^.,?ck]{{0,6}}?e{_ANY}[vb]{_ANY}?|[NPR][^.,?ck]{{0,6}}?e{_ANY}[vbor]{_ANY}[zd]"),
    ("i", rf"[NPR][ore]w?[VC]([VMC])i{_END}"),
    ("gu", rf"[gu][NPR]{_V}"),  # use password V
    ("I", r"[gu][fw]*(I)(?![ore])|(I)(?=,(?:j|t[ijb]))"),
    ("W", rf"\Ax{{0,2}}W[^:.,?gujid]{{0,6}}:([VMC])(?={_END})"),  # wifi in Rome: V
    ("W", rf"W.*[pg]([VM])(?={_END})"),  # the wifi takes you in with V
    (
        "Q",
        rf"{_BEGIN}([xC]?{_ANY[1:]}(?:,[tf]{{1,2}}[hidguj]|[tijb]{{1,2}}w?Q|,?t?[ij][^.,?:VMC]{{0,7}}Q)",
    ),  # the answer to a question
    ("Q", rf"{_NAME},k?t[ijb][^.,?:VMC]{{0,9}}Q"),  # V, and that is what I put at the question
    ("Q", rf"Q.*,l?w?x?{_NAME}(?={_END})"),
    ("Q", rf"[guijth]x?{_NAME}(?=[orv]?aw?x?Q)"),
)
_ANSWER: Final = rf"(?:[guijthQ]|(?<=Q):|(?<=Q.):|(?<=Q..):|(?<=Q...):)[fwtxp]{{0,2}}{_NAME}(?=[adQxc]|[orv]a|{_END})"


def given(text: str, nouns: list[Noun]) -> Iterator[Span]:
    """Yield the words that a sentence with nouns for a password gives as its value."""
    letters, spans = _written(text, nouns)
    if not compiled("[VCIS]").search(letters):
        return
    if letters[0] not in "VCS" and any(text[start].isupper() for start, _ in _of("N", letters, spans)):
        letters = letters.replace("C", "V").replace("S", "V")  # German
    known = {*letters}
    frames = (("L", _WALLET),) if known.isdisjoint("NPRQW") else _FRAMES
    found = [compiled(frame).finditer(letters) for needed, frame in frames if not known.isdisjoint(needed)]
    if "Q" in known:
        found.append(compiled(_ANSWER).finditer(letters, letters.index("Q")))
    for match in itertools.chain(*found):
        for first, last in filter(lambda span: span[1] > 0, match.regs[1:]):
            if "W" not in match.group() or spans[first][1] - spans[first][0] >= _LONG_WORD:
                yield values.stripped(text, spans[first][0], spans[last - 1][1])


def _letter(text: str, noun: Noun) -> str:
    """Return the letter for a noun."""
    start, _, rule = noun
    if rule.near == "question":
        return "Q"
    if rule.check in {"login", "words"}:
        return "W" if rule.check == "login" else "L"
    return "R" if "\u0400" <= text[start] <= "\u04ff" else "P" if rule.check == "phrase" else "N"


def _of(letter: str, letters: str, spans: list[Span]) -> Iterator[Span]:
    return (span for each, span in zip(letters, spans, strict=True) if each == letter)


def _written(text: str, nouns: list[Noun]) -> tuple[str, list[Span]]:
    """Return a sentence as the part of each word and sign, and their places."""
    letters: list[str] = []
    spans: list[Span] = []
    at = 0
    done = -1
    for match in compiled(_PIECE).finditer(text):
        start, end = match.span()
        while at < len(nouns) and nouns[at][1] <= start:
            at += 1
        if start < done:
            continue  # a noun of several words
        if at < len(nouns) and nouns[at][0] < end:
            letter = _letter(text, nouns[at])
            done = nouns[at][1]
        elif (len(match.group()) == 1 and not match.group().isalnum()) or match.group()[0] in _SIGNS:
            letter = _SIGNS.get(match.group()[0], match.group() if match.group() == "?" else ".")
        else:
            letter = part_of(match.group().strip("'’‘`*_~-") or "-")
            if letter == "C" and (not letters or letters[-1] in ".?"):
                letter = "S"
        letters.append(letter)
        spans.append((start, end))
    return "".join(letters), spans


@functools.lru_cache(maxsize=4096)
def part_of(word: str) -> str:
    """Return the letter for the part that a word has."""
    folded = word.lower()
    if folded == "to":
        return "b"  # of a change in English, "it" in Polish
    for letter, name in _PARTS:
        if compiled(f"<<{name}>>").fullmatch(folded):
            return letter
    if word[0] == "⟦":
        return "m"
    if word.isdecimal():
        return "n"
    if (
        len(word) < (3 if word.istitle() else 4)
        or values.is_known(word)
        or compiled(values.NO_VALUE).match(word)
        or compiled(values.CODE).search(word)
        or content.is_wide(word[0])
    ):
        return "x"
    if values.is_made(word):
        return "M"
    if compiled(values.INNER).fullmatch(word):
        return "I"
    if values.is_done(word):
        return "x"
    return "C" if word[0].isupper() else "V"
