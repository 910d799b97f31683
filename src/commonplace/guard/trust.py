"""Whose words does a text use, and how far can it be trusted: computed, never claimed.

A text is compared word by word with the messages it may rest on. Its trust is the lowest among the
messages that explain its words; words that stand in no message are named. Two simple turns of meaning
are seen as well: a negation lost or added, and a guess or question told as a fact. Pure; knows nothing
of proposals, files or models.

Source: DESIGN 1.6; safety notes 3.4 (taint is the minimum over the inputs).
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from typing import Final

import msgspec

from commonplace.records import TRUST_RANK, RecordedMessage, Trust, lowest_trust
from commonplace.text.patterns import pattern

_TOKEN: Final = pattern(r"\d+(?:[.:/-]\d+)+|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W_]+")
_PLAIN_TOKEN: Final = pattern(r"\d+(?:[.:/-]\d+)+|[^\W_]+")  # the same below the wide letters, made ten times as fast
_FIRST_WIDE: Final = "\u3040"
_DATE: Final = pattern(r"\d{4}-\d{2}(?:-\d{2})?\Z")
_CLAUSE: Final = pattern(r"[.!;\n,:()。！，；](?=\s|\Z|[\u3400-\u9fff])|(?<=[?？])|\bbut\b|\band\b|—|–")
_RELATIVE: Final = pattern(
    r"\b(?:to(?:day|morrow|night)|yesterday|next|last|this|coming|ago|in \w+ (?:days?|weeks?|months?)"
    r"|(?:week(?:end)?|month|year)|(?:mon|tues|wednes|thurs|fri|satur|sun)day"
    r"|morgen|heute|gestern|demain|hier|mañana|ayer)\b|[今明昨]天|下周|上周",
    re.IGNORECASE,
)
_GLUE_TEXT: Final = """
    a an the this that these those it its and or but so then than as of in on at to for from by with about into over
    after before during since until while when where which who whom whose what how is are was were be been being am
    do does did done doing have has had having will would shall should can could may might must i me my mine we us our
    you your yours he him his she her they them their there here also too very more most less much many some any each
    every all both other another such only just own same up down out off again still already now currently today user
    users person people human assistant agent someone prefer preferr preference want need wish ask say said tell told
    state used mention note know known remember please let get got make made use using called name named thing way via
    per because if whether fact s t re ve ll d m don doesn didn isn aren wasn weren won wouldn shouldn couldn hasn haven
    der die das ein eine und oder ist sind im zu mit von auf für le la les un une des et ou est dans el los las y o
    es en de del que no not nor neither never none nothing without cannot
    rather due even though although onto toward towards
"""
_ALIKE: Final[dict[str, str]] = {
    word: group.split()[0]
    for group in (
        "enjoy lov lik favorit favourit fan ador fond", "liv mov resid relocat bas home", "job work employ employer",
        "decid chos choos pick settl agre", "hat dislik detest loath", "spous partner", "kid child children",
        "allergy allergic", "bik bicycl", "mum mom mother", "dad father", "repo repository", "db databas",
    )
    for word in group.split()
}  # fmt: skip
_NEGATION: Final = pattern(
    r"\b(?:not|no|never|none|nothing|neither|nor|without|cannot|\w+n['’]t|dont|doesnt|didnt|isnt|cant|wont|hate[sd]?"
    r"|dislik\w+|avoid\w*|stop(?:s|ped|ping)?|quit|refus\w+|against|detests?"
    r"|nicht|kein\w*|nie|ohne|pas|jamais|sans|nunca|sin|ningun\w*)\b|[不没別别勿無无]",
    re.IGNORECASE,
)
_GUESS: Final = pattern(
    r"\A\W{0,20}(?-i:May)\b"
    r"|\b(?:might|maybe|perhaps|(?-i:may)|could|would(?:n['’]t)?(?! (?:like|love|prefer|rather))|if|unless|consider\w*"
    r"|thinking (?:of|about)|wish\w*|hop(?:e|es|ing)|possibl[ey]|suppos\w+|imagin\w+|probably|plans?|planning"
    r"|intends?|wants? to|vielleicht|peut-être|quizás?|tal vez)\b|[?？]|也许|可能|如果",
    re.IGNORECASE,
)
_REQUEST: Final = pattern(r"\b(?:can|could|would|will) (?:you|we)\b|\bplease\b", re.IGNORECASE)
_QUOTES: Final = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "…": "\n"})


class Ground(msgspec.Struct, frozen=True):
    """What a text rests on: its trust, the messages whose words it uses, and the words of nobody."""

    trust: Trust
    used: tuple[int, ...]
    unfounded: tuple[str, ...]
    words: frozenset[str]


def fold(text: str) -> str:
    """Fold a text for comparison: NFKC, case, quotation marks, white space."""
    return " ".join(unicodedata.normalize("NFKC", text).translate(_QUOTES).casefold().split())


def content_words(text: str) -> frozenset[str]:
    """Give the words that carry a text's content, without endings; words that only join are left out."""
    folded = unicodedata.normalize("NFKC", text).translate(_QUOTES).casefold()
    folded = re.sub(r"(?<=\d),(?=\d{3}\b)", "", folded)
    stems = (
        _stem(token) for token in (_PLAIN_TOKEN if max(folded, default="") < _FIRST_WIDE else _TOKEN).findall(folded)
    )
    return frozenset(_ALIKE.get(word, word) for word in stems if word and word not in _GLUE)


def _stem(word: str) -> str:
    """Take English endings off, so that `moved`, `moves` and `moving` are one word; others stay whole."""
    if not word.isascii() or not word.isalpha() or len(word) < 4:
        return word
    for ending, instead, least in (("ies", "y", 2), ("ing", "", 3), ("ed", "", 3), ("s", "", 3)):
        if word.endswith(ending) and len(word) - len(ending) >= least and not word.endswith("ss"):
            word = word.removesuffix(ending) + instead
            break
    word = word.removesuffix("e")
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiouls" else word


_GLUE: Final = frozenset(form for word in _GLUE_TEXT.split() for form in (word, _stem(word)))


def message_trust(recorded: RecordedMessage) -> Trust:
    """Tell a message's trust: as stored, else by its role."""
    by_role: dict[str, Trust] = {"user": "user", "tool": "tool"}
    return recorded.message.trust or by_role.get(recorded.message.role, "agent")


class Evidence:
    """The messages a text may rest on, read once: words, folded text and trust of each."""

    def __init__(self, messages: Sequence[RecordedMessage]) -> None:
        self.messages = tuple(messages)
        self.folded = tuple(fold(m.text) for m in self.messages)
        # A statement names its speaker, who does not say their own name.
        self.words = tuple(content_words(f"{m.message.name or ''} {m.text}") for m in self.messages)
        self.trusts = tuple(message_trust(m) for m in self.messages)
        self._read: dict[int, Clauses] = {}
        self._numbers = {(m.session, m.message.id or m.id): n for n, m in enumerate(self.messages)}

    def _said(self, number: int) -> Clauses:
        if number not in self._read:
            self._read[number] = Clauses(self.messages[number].text)
        return self._read[number]

    def find(self, session: str, message: str) -> int | None:
        """Find a cited message."""
        return self._numbers.get((session, message))

    def holds(self, number: int, quote: str) -> bool:
        """Tell whether a message holds the words of a quote, parts around `...` in this order."""
        at = 0
        for part in re.split(r"\.{3,}|…|\[\.+\]", quote):
            words = fold(part).strip(" '\"“”.,;:!?-")
            found = self.folded[number].find(words, at)
            if found < 0:
                return False
            at = found + len(words)
        return bool(fold(quote).strip(" '\".,;:!?-"))

    def ground(self, text: str, cites: Iterable[tuple[int, str]] = (), known: frozenset[str] = frozenset()) -> Ground:
        """Find whose words a text uses.

        Quoted words belong to the cited message. The others are matched against all messages: the one
        that explains most of them counts, then the next, at a tie the cited and then the more trusted.
        A less trusted message that explains more of the text than any of these counts too, so that
        citing the wrong message, or scraps of several, does not raise trust.

        Args:
            text: The words to explain.
            cites: Messages with quotes that were found in them.
            known: Words that need no message, because what is replaced or merged already has them.
        """
        words = content_words(text)
        open_words = words - known
        used: dict[int, None] = {}
        quoted: set[str] = set()
        cites = tuple(cites)
        cited = {number for number, _ in cites}
        for number, quote in cites:
            taken = content_words(quote) & words
            if taken:
                used[number] = None
                quoted |= taken
        rest = set(open_words - quoted)
        while rest:
            best = max(range(len(self.messages)), key=lambda n: self._merit(n, rest, cited), default=None)
            if best is None or not rest & self.words[best]:
                break
            used[best] = None
            rest -= self.words[best]
        self._add_better(open_words, used)
        unfounded = tuple(sorted(word for word in rest if not self._dated(word)))
        return Ground(lowest_trust(self.trusts[n] for n in used), tuple(used), unfounded, words)

    def _merit(self, number: int, rest: set[str], cited: set[int]) -> tuple[int, bool, int, int]:
        return len(rest & self.words[number]), number in cited, TRUST_RANK[self.trusts[number]], number

    def _add_better(self, words: frozenset[str], used: dict[int, None]) -> None:
        if not used:
            return
        lowest = min(TRUST_RANK[self.trusts[n]] for n in used)
        best = max(len(words & self.words[n]) for n in used)
        for number, trust in enumerate(self.trusts):
            if TRUST_RANK[trust] < lowest and len(words & self.words[number]) > max(1, best):
                used[number] = None

    def _dated(self, word: str) -> bool:
        """Tell whether a date follows from when a message was said, by itself or by a word like `tomorrow`."""
        if not _DATE.match(word):
            return False
        try:
            day = date.fromisoformat(word if len(word) == 10 else f"{word}-01")
        except ValueError:
            return False
        for recorded, folded in zip(self.messages, self.folded, strict=True):
            if (at := recorded.message.at) is None:
                continue
            if at.date().isoformat().startswith(word):
                return True
            if abs(at.date() - day) <= timedelta(days=400) and _RELATIVE.search(folded):
                return True
        return False

    def turned(self, text: str, used: Iterable[int], known: Sequence[str] = ()) -> str:
        """Name how a text turns what was said: `negation`, `guess`, or nothing.

        Each clause of the text is held against the clause of the used messages that shares most of its
        words; where several share as many, one that says it the same way is enough.
        """
        said = [self._said(number) for number in used] + [Clauses(entry) for entry in known]
        for clause in _clauses(text):
            words = content_words(clause)
            shared = {
                (place, number): count
                for place, part in enumerate(said)
                for number, count in part.sharing(words).items()
            }
            if not shared:
                continue
            most = max(shared.values())
            near = [said[place].clauses[number] for (place, number), count in shared.items() if count == most]
            negated = _NEGATION.search(clause) is not None
            if all((_NEGATION.search(their) is not None) != negated for their in near):
                return "negation"
            if not _GUESS.search(clause) and all(_is_guess(their) for their in near):
                return "guess"
        return ""


class Clauses:
    """The clauses of one text, found by the words they share with another."""

    def __init__(self, text: str) -> None:
        self.clauses = _clauses(text)
        self._saying: dict[str, list[int]] = {}
        for number, clause in enumerate(self.clauses):
            for word in content_words(clause):
                self._saying.setdefault(word, []).append(number)

    def sharing(self, words: Iterable[str]) -> Counter[int]:
        """Count for each clause how many of the words it has; clauses with none are left out."""
        return Counter(number for word in words for number in self._saying.get(word, ()))


def _clauses(text: str) -> list[str]:
    return [part for part in _CLAUSE.split(text) if part and part.strip()]


def _is_guess(clause: str) -> bool:
    return _GUESS.search(clause) is not None and _REQUEST.search(clause) is None
