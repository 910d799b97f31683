"""Topics that are put before the agent by themselves: chosen for a question, once in a session, within limits.

Our search finds candidates; a model chooses among them if one may be asked, else those that hold enough of the
question's words. What was put before the agent stays in the prompts of its session, the same bytes each time, until
the session's window moves; only then can it be chosen again. The session's transcript says what that was; of a session
without one this process alone knows. A model is asked by `surface` alone, never by a context.

Source: seed memdir, "Auto-surfacing".
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final

import msgspec

from commonplace import guard
from commonplace.changes.heads import Head
from commonplace.changes.parts import Parts
from commonplace.layouts.codecs.edits import split_id
from commonplace.recall.prompt.filling import Shown
from commonplace.recall.question import EVERYDAY_WORDS, FRAME_WORDS
from commonplace.recall.searching import Searching
from commonplace.records import Hit, Query, Topic, is_below_agent
from commonplace.text import content, terms
from commonplace.text.content import Vocabulary
from commonplace.text.everyday import COMMON
from commonplace.text.patterns import pattern
from commonplace.text.pieces import fingerprint, one_line, truncate

SCANNED: Final = 200  # seed memdir: the newest topics; what is older is chosen if a search finds it
CHOSEN: Final = 5  # seed memdir: for one question
FILE_LINES, FILE_BYTES = 200, 4_096  # seed memdir: of one topic
SESSION_BYTES: Final = 60_000  # seed memdir: of all that is shown in one window
CANDIDATES: Final = 20  # that a model chooses among
_FOUND: Final = 60  # passages of topics that the search gives
_LINE_CHARS: Final = 220  # of one candidate, before a model
_LATELY: Final = 10  # messages in which a tool was recently used
_COMMON: Final = 0.2  # a word that more topics have says nothing of one of them
_SHARE: Final = 0.5  # of a question's words that a topic holds, if its head has one or it is the best
_WORDS: Final = 1.5  # of them that are enough, wherever they are
_ASKS: Final = 3  # words of a question for which the best topic needs none of them in its head
_HALF: Final = 0.5  # what a common word counts, and a pair of wide characters, which is part of a word
_SHORT: Final = 4  # letters of a word that has no ending but `s`
_NUMBER: Final = 4  # digits of a number that distinguishes topics
_COMMON_WORDS: Final = FRAME_WORDS | COMMON
_WARNS: Final = pattern(
    r"\b(?:warn\w*|gotchas?|caveats?|known issues?|beware|careful|caution|pitfalls?|never|do not|don['’]t|must not"
    r"|avoid\w*|breaks?|broken|fails?|bugs?)\b"
)
Choose = Callable[[str, Mapping[str, str], Sequence[str]], Sequence[str]]
"""Chooses names for a question, from a line for each name and the tools that were used lately."""


class Attached(msgspec.Struct, frozen=True):
    """A topic in the prompts of a session; `days` is its age when it was chosen."""

    path: str
    days: int


class Surfacing:
    """Chooses topics of some layers for the questions of one scope. Safe to call from several threads."""

    def __init__(self, parts: Parts, searching: Searching, layers: Sequence[str]) -> None:
        self._parts = parts
        self._searching = searching
        self._layers = frozenset(layers)
        self._shown: dict[tuple[str, int], dict[str, tuple[Attached, ...]]] = {}  # where no transcript can say it
        self._lock = threading.RLock()

    def scan(self) -> list[Head]:
        """Return the newest topics, the newest first: what a model could be shown."""
        heads = sorted(self._parts.heads.all(self._layers), key=lambda each: (-each.at.timestamp(), each.path))
        return heads[:SCANNED]

    def surface(self, session: str | None, question: str, choose: Choose | None = None) -> list[Hit]:
        """Choose topics for a question and note them; nothing new for a question that was asked before.

        Args:
            session: The session whose prompts get them; None notes nothing.
            question: In plain words.
            choose: Lets a model choose; without it those that hold enough of the question's words are chosen.
        """
        chosen = self._surface(session, question, self._passages(question), choose)
        return [hit for each in chosen for hit in self._hits(each)]

    def attached(self, session: str | None, question: str) -> list[Shown]:
        """Return the topics in the prompts of a session, in the order in which they were chosen; asks no model.

        Those that the question finds stay longest, the best first, then those that were chosen last.
        """
        found = self._passages(question)
        fresh = self._surface(session, question, found)
        with self._lock:
            chosen = [each for kept in self._of(session).values() for each in kept] if session is not None else fresh
            best = {path: len(found) - place for place, path in enumerate(found)}
            return [
                Shown(
                    hit.record,
                    hit.text,
                    hit.trust,
                    sources=tuple((source.session, source.message) for source in hit.sources),
                    fits=best.get(each.path, 0),
                    age=place,
                    short=self._text(each, found[each.path]) if each.path in found else "",
                )
                for place, each in enumerate(chosen)
                for hit in self._hits(each)
            ]

    def _passages(self, question: str) -> dict[str, str]:
        """Return the topics that a search finds, the best first, each with the passage of it that fits best."""
        if not question.strip():
            return {}
        query = Query(text=question, k=_FOUND, layers=("topics",))
        found: dict[str, str] = {}
        for hit in self._searching.recall(query, now=self._parts.now(), explain=False):
            found.setdefault(split_id(hit.record)[0], hit.text)
        return found

    def _surface(
        self, session: str | None, question: str, found: Mapping[str, str], choose: Choose | None = None
    ) -> list[Attached]:
        if not question.strip():
            return []
        with self._lock:
            shown = self._of(session)
            asked = fingerprint(question)
            if asked in shown:
                return []
            before = [each for chosen in shown.values() for each in chosen]
            chosen = self._chosen(question, session, {each.path for each in before}, found, choose)
            room = SESSION_BYTES - sum(len(self._text(each).encode()) for each in before)
            kept: list[Attached] = []
            for each in chosen:
                size = len(self._text(each).encode())
                if size and size <= room and len(kept) < CHOSEN:
                    kept.append(each)
                    room -= size
            if session is not None:
                self._note(session, asked, tuple(kept))
            return kept

    # --- choosing ---

    def _chosen(
        self, question: str, session: str | None, out: set[str], passages: Iterable[str], choose: Choose | None
    ) -> list[Attached]:
        heads = {each.path: each for each in self._parts.heads.all(self._layers)}
        tools = self._tools(session)
        found = [heads[path] for path in passages if path in heads]
        best = found[:1]
        if choose is not None:
            found = list({each.path: each for each in (*found, *self.scan())}.values())
        found = [each for each in found if each.path not in out and not self._is_in_use(each, tools)]
        if choose is not None:
            listed = {self._inside(each.path): each for each in found[:CANDIDATES]}
            named = (
                choose(question, {name: _line(name, each) for name, each in listed.items()}, tools) if listed else ()
            )
            found = [listed[name] for name in named if name in listed]
        else:
            found = self._close(question, found, heads, best)
        now = self._parts.clock()
        return [Attached(each.path, max(0, (now - each.at).days)) for each in found]

    def _close(
        self, question: str, found: Sequence[Head], heads: Mapping[str, Head], best: Sequence[Head]
    ) -> list[Head]:
        """Return those that hold enough of the words of a question that tell topics apart; the best if it has all."""
        wanted = _wanted(question)
        said = [_said(f"{each.title} {each.description}") for each in heads.values()]
        forms = Vocabulary(word for each in said for word in each)
        most = max(2, _COMMON * len(heads))
        telling = {word for word in wanted if sum(not forms.like(word).isdisjoint(each) for each in said) <= most}
        enough = max(1.0, _SHARE * sum(wanted[word] for word in telling))
        asks = len(terms.words(question)) >= _ASKS
        kept: list[Head] = []
        for each in found if telling else ():
            topic = self._topic(each.path)
            words = _said(topic.text) if topic is not None else frozenset[str]()
            held = Vocabulary(words).shared(telling)
            shared = sum(wanted[word] for word in held)
            named = bool(Vocabulary(_said(f"{each.title} {each.description}")).shared(held)) or (each in best and asks)
            if shared >= _WORDS or (named and shared >= enough) or (each in best and _holds_all(words, wanted)):
                kept.append(each)
        return kept

    def _tools(self, session: str | None) -> tuple[str, ...]:
        """Return the tools that were used lately in a session."""
        sessions = self._parts.sessions
        if session is None or not sessions.exists(session):
            return ()
        lately = list(sessions.window(session))[-_LATELY:]
        return tuple(dict.fromkeys(tool for message in lately for tool in message.message.tools))

    def _is_in_use(self, topic: Head, tools: Sequence[str]) -> bool:
        """True if a topic says how to use a tool that is in use, and holds no warning."""
        if topic.kind != "reference" or not tools:
            return False
        about = f"{topic.path} {topic.title} {topic.description}".casefold()
        if not any(tool.casefold() in about for tool in tools):
            return False
        found = self._topic(topic.path)
        return found is not None and _WARNS.search(found.text.casefold()) is None

    # --- what is in the prompt ---

    def _topic(self, path: str) -> Topic | None:
        reader = self._parts.reader
        found = (each for each in reader.visible(reader.records(path)) if isinstance(each, Topic))
        return next(found, None)

    def _hits(self, attached: Attached) -> Iterator[Hit]:
        text, rank = self._text(attached), self._parts.reader.rank(attached.path)
        if text:
            made = self._parts.ledger.made(attached.path)
            sources = made[1].sources if made else ()
            yield Hit(record=attached.path, text=text, score=1.0, layer="topics", sources=sources, trust=rank)

    def _text(self, attached: Attached, passage: str = "") -> str:
        """Return a topic's text in a prompt, or a passage of it; empty if the topic is gone."""
        topic = self._topic(attached.path)
        if topic is None:
            return ""
        rank = self._parts.reader.rank(attached.path)
        about = [topic.kind, _age(attached.days)]
        about += [f"from {rank}: unverified"] if is_below_agent(rank) else []
        head = f"### {one_line(topic.title)} — {self._inside(topic.path)} ({', '.join(filter(None, about))})\n"
        old = (
            f"> Written {attached.days} days ago: what was so then. Check it against what is there now "
            "before you state it as a fact.\n"
            if attached.days > 1
            else ""
        )
        above = topic.text.removesuffix(topic.body.strip())  # its title and description
        said = passage.removeprefix(above) or passage or "\n".join(topic.body.split("\n")[:FILE_LINES])
        cut = said.encode("utf-8", "replace")[:FILE_BYTES].decode("utf-8", "ignore")
        more = "\n> There is more of it: read the file." if cut != topic.body else ""
        return guard.shown(f"{head}{old}{cut}{more}")

    def _inside(self, path: str) -> str:
        memory = self._parts.layout.memory
        return path.removeprefix(f"{memory}/") if memory else path

    # --- what was chosen before ---

    def _of(self, session: str | None) -> dict[str, tuple[Attached, ...]]:
        """Return what was chosen in the window of a session, by question."""
        if session is None:
            return {}
        sessions = self._parts.sessions
        if not sessions.exists(session):
            return dict(self._shown.get((session, 0), {}))
        ours = self._shown.get((session, sessions.state(session).window_start), {})
        return ours | {asked: tuple(Attached(*each) for each in t) for asked, t in sessions.shown(session).items()}

    def _note(self, session: str, asked: str, chosen: tuple[Attached, ...]) -> None:
        sessions = self._parts.sessions
        exists = sessions.exists(session)
        if exists and not self._parts.store.read_only:
            sessions.show(session, asked, [(each.path, each.days) for each in chosen])
        else:
            window = sessions.state(session).window_start if exists else 0
            self._shown.setdefault((session, window), {})[asked] = chosen


def _wanted(question: str) -> dict[str, float]:
    """Return the words that a question asks for, each with its weight."""
    return {
        word: _HALF if word in _COMMON_WORDS or content.is_wide(word) else 1.0
        for word in map(content.bare, terms.words(question))
        if not content.is_joining(word) and word not in EVERYDAY_WORDS and not (word.isdigit() and len(word) < _NUMBER)
    }


def _holds_all(words: Iterable[str], wanted: Collection[str]) -> bool:
    """True if some words include all those of a question, which has others than words of asking."""
    if FRAME_WORDS.issuperset(wanted):
        return False
    forms = {form for word in words for form in _forms(word)}
    return all(not forms.isdisjoint(_forms(word)) for word in wanted)


def _forms(word: str) -> tuple[str, ...]:
    """Return a word, and without its last letter if it may be an ending: `lives`, `wohnt`."""
    return (word, word[:-1]) if len(word) > _SHORT or (word.endswith("s") and len(word) == _SHORT) else (word,)


@lru_cache(maxsize=65_536)
def _said(text: str) -> frozenset[str]:
    return frozenset(map(content.bare, terms.words(text)))


def _age(days: int) -> str:
    return {0: "written today", 1: "written yesterday"}.get(days, f"written {days} days ago")


def _line(name: str, topic: Head) -> str:
    kind = f"[{one_line(topic.kind)}] " if topic.kind else ""
    return truncate(f"{kind}{name} ({topic.at:%Y-%m-%d}): {one_line(topic.description)}", _LINE_CHARS, "…")
