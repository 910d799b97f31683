"""How far can a statement be trusted: as far as the texts whose words it takes; computed, never claimed.

A person's own words are `user`, the assistant's `agent`, a tool's or page's text is below. A statement is an echo of
a text below `agent` if it takes two firm or rare words from it, or one address, account or command, that nobody in
the session had used before that text; what is said about the person, also if all its rare words are one. A person's
own words stay `user`, whatever other text repeats them; what a person took up from that text counts as taken only
beside a name that they did not.

Source: safety notes 3.4 (taint is the minimum over the inputs).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import count, pairwise
from typing import Final, NamedTuple

from commonplace.guard.about import is_of_another
from commonplace.guard.exact import Heard, exact
from commonplace.guard.pasted import own_words, pasted
from commonplace.guard.phrases import phrase
from commonplace.records import RecordedMessage, Trust, is_below_agent, lowest_trust
from commonplace.text import content, denials
from commonplace.text.content import Vocabulary
from commonplace.text.everyday import COMMON
from commonplace.text.patterns import pattern
from commonplace.text.pieces import plain_name, short_name
from commonplace.text.terms import CJK

_WORD: Final = pattern(f"[{CJK}]+|[^\\W\\d_{CJK}][^\\W_{CJK}]*")
_NUMBER: Final = pattern(r"\d[\d.,:]*\d|\d")
_NO_DIGIT: Final = str.maketrans("", "", ".,:")
_ENOUGH: Final = 2.0
_PAIR: Final = 0.5  # pairs of wide characters overlap
_KEY_CHARS: Final = 6  # of a word; its ending does not matter
_RARE_CHARS: Final = 4
_COPIED: Final = 20  # characters of a statement; so long, two texts do not have it by chance; a wide one is two
_MOST_TURNS: Final = 8  # in which one word is looked for


def message_trust(recorded: RecordedMessage) -> Trust:
    """Return a message's trust: as stored, else by its role."""
    by_role: dict[str, Trust] = {"user": "user", "tool": "tool"}
    return recorded.message.trust or by_role.get(recorded.message.role, "agent")


def said_now(statements: Sequence[str], messages: Iterable[RecordedMessage]) -> bool:
    """True if the person used all words of some sentences in the last turn of a conversation; who is meant aside."""
    own = content.bare(content.fold(_last_words(messages))) if statements else ""
    return bool(own) and all(_has(own, content.content(_USER.sub(" ", each))) for each in statements)


def cited_trust(statements: Sequence[str], recorded: RecordedMessage) -> Trust:
    """Return how far a message is trusted for what some sentences take from it: pasted words in a person's are `tool`.

    A word that the person says there themselves is theirs, and so is one that is nowhere in it.
    """
    trust = recorded.message.trust or "web"
    foreign = pasted(recorded.text) if trust == "user" else ()
    if not foreign:
        return trust
    theirs = Vocabulary(content.words(content.fold("\n".join(recorded.text[start:end] for start, end in foreign))))
    own = Vocabulary(content.words(content.fold(own_words(recorded.text))))
    said = frozenset[str]().union(*map(content.content, statements))
    return "tool" if theirs.shared(said - own.shared(said)) else trust


def corrects(old: Sequence[str], new: Sequence[str], messages: Iterable[RecordedMessage]) -> bool:
    """True if some lines say instead of others, line for line, only what the person's last words correct."""
    own = _last_words(messages)
    said = Vocabulary(content.words(own))
    takes_back = denials.denies(own) or denials.limits(own)
    for before, after in zip(old, new, strict=False):
        known = content.words(before)
        brought = {word for word in content.words(after) if word.isdigit()} | content.content(after)
        brought -= Vocabulary(known).shared(brought)
        if not (brought and said.shared(brought) == brought and (takes_back or said.shared(content.content(before)))):
            return False
        if denials.denies(before) != denials.denies(after):
            return False
    return bool(own) and len(old) == len(new)


def asks_to_forget(text: str, messages: Sequence[RecordedMessage]) -> bool:
    """True if the person's last words ask to forget a text: words of it are in the sentence that does or before it.

    What another one who speaks said of themselves has to be named as theirs.
    """
    sentences = content.sentences(_last_words(messages))
    about = content.content(_USER.sub("", text))
    people = [short_name(each.message.name) or "" for each in messages if each.message.role == "user"]
    others = {*people} - {"", *people[-1:]}
    return any(
        phrase("to_go").search(each)
        and Vocabulary(content.words(f"{before} {each}")).shared(about)
        and not is_of_another(f"{before} {each}", text, others)
        for before, each in pairwise(("", *sentences))
    )


def _last_words(messages: Iterable[RecordedMessage]) -> str:
    """Return the person's own words in the last turn of a conversation."""
    turns = [each for each in messages if each.message.role == "user"]
    return own_words(turns[-1].text) if turns and message_trust(turns[-1]) == "user" else ""


@lru_cache(maxsize=4096)  # each range of a session asks for those before it again
def keys(text: str) -> frozenset[str]:
    """Return what the words and numbers of a text are known by: the beginning of a word, pairs of wide characters."""
    found = {f"#{number.translate(_NO_DIGIT)}" for number in _NUMBER.findall(text)}
    for word in set(_WORD.findall(text)):
        if content.is_wide(word):
            found.update(word[n : n + 2] for n in range(len(word) - 1))
        elif len(word) >= _RARE_CHARS:
            found.add(content.bare(word)[:_KEY_CHARS])
    return frozenset(found)


_EVERYDAY: Final = frozenset(content.bare(word)[:_KEY_CHARS] for word in COMMON)
_USER: Final = pattern(  # what a statement calls the person that it is about
    r"\b(?:users?|person|(?:be)?nutzer(?:in)?|utilisat(?:eur|rice)|personne|usuari[oa]|usuário|usuária|persona|utente|pessoa"
    r"|gebruiker|persoon|użytkowni\w+|osoba|пользовател\w+|человек)\b|用户|使用者|本人|ユーザー|사용자",
    re.IGNORECASE,
)


def _weights(statement: str) -> dict[str, float]:
    """Return the keys by which a borrower is known, each with its weight."""
    said = {word[:_KEY_CHARS] for word in content.content(statement)}
    found: dict[str, float] = {}
    for key in keys(statement):
        if key.startswith("#"):
            if len(key) > 2:
                found[key] = 1.0
        elif key in said and key not in _EVERYDAY:
            found[key] = _PAIR if content.is_wide(key) else 1.0
    return found


def borrowable(texts: Iterable[str], messages: Iterable[RecordedMessage]) -> Iterator[str]:
    """Yield the sentences of some texts with words that the person did not say; of sentences with the same words one.

    No other sentence can take anything from a text that is trusted less.
    """
    own = [own_words(each.text) for each in messages if message_trust(each) == "user"]
    used = keys("User Assistant").union(*(keys(text) for text in own))  # a note of a turn names who speaks
    heard = [Heard(text) for text in own]
    found: dict[frozenset[object], str] = {}
    for sentence in (each for text in texts for each in content.sentences(text)):
        said = {word[:_KEY_CHARS] for word in content.content(sentence)}
        new: set[object] = set()
        if len(said) > 1:
            new |= {key for key in keys(sentence) - used if key in said or key.startswith("#")}
        new |= {part for part in exact(sentence) if not any(text.has(part) for text in heard)}
        found.setdefault(frozenset(new), sentence)
    for words, sentence in found.items():
        if words and not any(words < others for others in found):
            yield sentence


class _Text(NamedTuple):
    """A text of the session: its place, its trust, and the text for comparison."""

    place: int
    trust: Trust
    heard: Heard

    @property
    def folded(self) -> str:
        return self.heard.folded


class Voices:
    """Who in a session used which words first.

    Args:
        messages: The session since its last reset, in order.
        known: What memory said before, each text with its trust.
        elsewhere: What a search finds in other sessions and in memory, each text with its trust: the assistant can
            repeat what it was given from there. It lowers and never raises.
    """

    def __init__(
        self,
        messages: Iterable[RecordedMessage] = (),
        known: Iterable[tuple[str, Trust]] = (),
        elsewhere: Sequence[tuple[str, Trust]] = (),
    ) -> None:
        self._places = count()
        self._turn = 0
        self._used: dict[str, int] = {}  # a key, and where the person or the assistant first used it
        self._own: set[str] = set()
        self._told: set[str] = set()  # of these, what the person not only asked
        self._brought: dict[str, dict[int, tuple[int, Trust]]] = {}  # a key, and in which turns texts below brought it
        self._below: list[_Text] = []
        self._above: list[_Text] = []
        self._vocabularies: dict[int, Vocabulary] = {}
        self._lines: dict[int, Sequence[str]] = {}
        for text, trust in known:
            if not is_below_agent(trust):  # vouches for its addresses and commands, not for each word
                self._above.append(_Text(next(self._places), trust, Heard(text)))
        self._past: Voices | None = None
        for text, trust in elsewhere:
            self._past = self._past or Voices()
            self._past.hear(text, trust)
        for message in messages:
            self.take(message)

    def hear(self, text: str, trust: Trust) -> None:
        """Add a text from elsewhere; the agent's texts do not count for who used a word first."""
        if is_below_agent(trust):
            self._take_below(text, trust)
        elif trust == "user":
            self._take_above(own_words(text), trust)

    def take(self, recorded: RecordedMessage) -> None:
        """Add the next message."""
        trust = message_trust(recorded)
        below = is_below_agent(trust)
        given = recorded.message.name or ""
        name = given if below else short_name(given) or ""
        self._turn += recorded.message.role == "user"
        if self._past is not None and trust == "user":  # what a person says now is theirs, whoever said it before
            self._past.take(recorded)
        if recorded.message.role == "user" and not below and (foreign := pasted(recorded.text)):
            self._take_above(f"{name} {own_words(recorded.text)}".strip(), trust)
            for start, end in foreign:
                self._take_below(recorded.text[start:end], "tool")
        elif below:
            self._take_below(f"{name} {recorded.text}".strip(), trust)  # a display name can hold a sentence too
        else:
            self._take_above(f"{name} {recorded.text}".strip(), trust)
        if given and not below and plain_name(given) is None:  # anybody may choose what their name says
            self._take_below(given, "tool")

    def _take_above(self, text: str, trust: Trust) -> None:
        place = next(self._places)
        found = keys(content.without_addresses(text))
        if trust == "user":
            self._own |= found
            told = (each for each in content.sentences(text) if not each.endswith(("?", "？")))
            found = keys(content.without_addresses("\n".join(told)))
            self._told |= found
        for key in found - self._used.keys():  # a question leaves open who says first what is so
            self._used[key] = place
        self._above.append(_Text(place, trust, Heard(text)))

    def _take_below(self, text: str, trust: Trust) -> None:
        place = next(self._places)
        for key in keys(text) - self._used.keys():
            turns = self._brought.setdefault(key, {})
            if self._turn not in turns and len(turns) < _MOST_TURNS:
                turns[self._turn] = (place, trust)
        self._below.append(_Text(place, trust, Heard(text)))

    def borrowed(self, statement: str, kept: str = "") -> Trust | None:
        """Return the trust of the text below `agent` that a statement echoes; None if it echoes none.

        What it keeps of the trusted text that it replaces counts as taken only beside a word that it does not keep.
        """
        if not self._below:
            return None
        levels: list[Trust] = []
        sums: dict[int, float] = {}
        taken: set[int] = set()  # the turns from which it takes a name that the person never used
        told: set[int] = set()  # those from which it takes any such word: it may answer what the person asked
        names = {word[:_KEY_CHARS] for word in content.firm(statement)}
        had = keys(kept) - self._own if denials.denies(kept) == denials.denies(statement) else frozenset[str]()
        for key, weight in sorted(_weights(statement).items(), key=lambda each: (each[0] in self._own, each[0] in had)):
            for turn, (_, trust) in self._brought.get(key, {}).items():
                answers = taken if key in self._told else told
                if (key in had and turn not in sums) or (key in self._own and turn not in answers):
                    continue
                told |= {turn} if key not in self._own else set()
                taken |= {turn} if key in names and key not in self._own else set()
                sums[turn] = sums.get(turn, 0.0) + weight
                if sums[turn] >= _ENOUGH:
                    levels.append(trust)
        for part in exact(statement):
            first = next((text for text in self._below if text.heard.shows(part)), None)
            if first is not None and not any(
                text.heard.has(part) for text in self._above if self._vouches(text, first)
            ):
                levels.append(first.trust)
        return lowest_trust(levels) if levels else None

    @staticmethod
    def _vouches(text: _Text, first: _Text) -> bool:
        return text.place < first.place or text.trust == "user"

    def trust(self, statement: str, kept: str = "") -> Trust:
        """Return how far a statement that a model wrote, in the place of a trusted one, can be trusted."""
        low = self.borrowed(statement, kept)
        if low is not None:
            return low
        if self._past is not None and is_below_agent(past := self._past.trust(statement)):
            return past
        if self._below and (level := self._rests(statement)) is not None:
            return level
        said = content.content(statement)
        own = {word for word in said if word[:_KEY_CHARS] in self._own}
        others = {word for word in said - own if word[:_KEY_CHARS] in self._used}
        if not own and (not others or self._new(said)) and (level := self._only_below(said)) is not None:
            return level
        return "user" if own and not others else "agent"

    def _only_below(self, said: frozenset[str]) -> Trust | None:
        """Return the trust of the texts below `agent` that use two of some words, if no text before used any."""
        words = [frozenset([word]) for word in said if not _USER.fullmatch(word)]
        found = [text for text in self._below if sum(self._has(text, word) for word in words) > 1]
        others = [text for text in self._above if found and self._vouches(text, found[0])]
        if not found or any(self._has(text, word) for text in others for word in words):
            return None
        return lowest_trust(text.trust for text in found)

    def marked(self, text: str) -> str:
        """Return a text of a model with a mark before each sentence that ranks below the agent."""
        parts: list[str] = []
        at = 0
        for sentence in content.sentences(text):
            start = text.find(sentence, at)
            trust = self.trust(sentence)
            if start >= 0 and not sentence.startswith(f"(from {trust})") and is_below_agent(trust):
                parts += [text[at:start], f"(from {trust}) "]
                at = start
        return "".join([*parts, text[at:]])

    def _rests(self, statement: str) -> Trust | None:
        """Return the trust of a line below `agent` that has all words of a statement, if no other text has them all.

        Of a statement about the person it needs only the words that are not common, also if it is one word, if
        the person used none of them, and of names only those that the person never used.
        """
        if (level := self._copied(statement)) is not None:
            return level
        said = content.content(_USER.sub(" ", statement))
        level = self._repeated(statement, said, rare=self._takes_rare(statement)) if len(said) > 1 else None
        if level is None and (len(said) == 1 or _USER.search(statement) is not None):
            telling = frozenset(word for word in said if word[:_KEY_CHARS] not in _EVERYDAY)
            heard = any(word[:_KEY_CHARS] in self._own for word in telling)
            level = self._repeated(statement, telling, rare=True) if telling and not heard else None
            if level is None and (names := self._new(content.firm(_USER.sub(" ", statement)))):
                level = self._repeated(statement, names, rare=True)
        brought = frozenset(word for word in said if word[:_KEY_CHARS] in self._brought.keys() - _EVERYDAY)
        if level is None and len(brought) > 1 and self._new(brought):
            level = self._repeated(statement, brought, rare=True)
        return level

    def _copied(self, statement: str) -> Trust | None:
        """Return the trust of the texts below `agent` that hold a statement word by word, if none before them does."""
        words = content.fold(statement).strip(" .!。！")
        long = len(words) + sum(char >= "\u3040" for char in words) >= _COPIED
        below = [text for text in self._below if words in text.folded] if long else []
        if not below or any(words in text.folded for text in self._above if self._vouches(text, below[0])):
            return None
        return lowest_trust(text.trust for text in below)

    def _new(self, words: frozenset[str]) -> frozenset[str]:
        """Return those of some words that texts below `agent` brought and the person never used."""
        return frozenset(each for each in words if (key := each[:_KEY_CHARS]) in self._brought and key not in self._own)

    def _takes_rare(self, statement: str) -> bool:
        return any(key in self._brought and key not in self._own for key in _weights(statement))

    def _repeated(self, statement: str, said: frozenset[str], *, rare: bool) -> Trust | None:
        """Return the trust of a line below `agent` that has all of some words, if no other text has them all.

        If one of them is rare and came from below, the assistant's repetition of that line is no other text.
        """
        below = [
            text
            for text in self._below
            if self._has(text, said) and any(_has(line, said) for line in self._lines_of(text))
        ]
        others = [text for text in self._above if not rare or self._vouches(text, below[0])] if below else []
        if denials.denies(statement):  # who says that it is so does not vouch for that it is not
            others = [text for text in others if denials.denies(text.folded)]
        if not below or any(self._has(text, said) for text in others):
            return None
        return lowest_trust(text.trust for text in below)

    def _lines_of(self, text: _Text) -> Sequence[str]:
        if text.place not in self._lines:
            self._lines[text.place] = list(map(content.fold, content.sentences(text.heard.text)))
        return self._lines[text.place]

    def _has(self, text: _Text, said: frozenset[str]) -> bool:
        if not _may_have(text.folded, said):
            return False
        if text.place not in self._vocabularies:
            self._vocabularies[text.place] = Vocabulary(content.words(text.folded))
        return self._vocabularies[text.place].shared(said) == said


def _may_have(folded: str, said: frozenset[str]) -> bool:
    return all(word[:3] in folded for word in said)


def _has(folded: str, said: frozenset[str]) -> bool:
    """True if a text has all of some words."""
    return _may_have(folded, said) and Vocabulary(content.words(folded)).shared(said) == said
