"""Whose words a message holds by the one before it: a text that was announced, and an answer that retells a text.

A person announces a text (`Here's the page:`) and sends it as their next message; then that one is none of their
words. An answer that translates or sums up a text from below `agent`, as asked, or that is in another language, says
in other words what that text says; so it has its trust.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from commonplace.guard.pasted import own_words, pasted
from commonplace.guard.phrases import followed, phrase
from commonplace.guard.shapes import LEAD_CHARS
from commonplace.records import Role, Trust, is_below_agent, lowest_trust
from commonplace.text import content
from commonplace.text.patterns import pattern
from commonplace.text.terms import CJK, STOP_WORDS

_WORD: Final = pattern(f"[{CJK}]|[^\\W\\d_{CJK}]+")  # a wide character is a word
_PROSE: Final = 0.8  # of the characters of a text are letters and spaces; a log and code have more signs and numbers
_WORDS: Final = 6  # of a text whose language can be told
_JOINING: Final = 3  # joining words of an answer, by which it can be told from that of the text
_SHARED: Final = 0.2  # of them; more are in a text of the same language
_NEXT: Final = "\n\nIt is so."  # what stands for the message that comes
_LEAD: Final = 2_000  # characters at the end of a message that announces the next one
_MAY_ANNOUNCE: Final = pattern(  # part of every announcement; the phrases themselves take long to prepare
    r"[:：]\s*\Z|past|cop[iy]|drop|send|show|giv|forward|shar|next|following|here (?:it|they|goes|comes?|is|are|you)"
    r"|nächst|folgend|kommend|kommt|füg|werf|stell|post|schick|leite|kopier|coll|envo|env[ií]|transf|prochain|suivant"
    r"|voici|arrive|pr[oó]xim|siguiente|viene|\bva[iy]?\b|peg|pas[oa]|mand|incoll|prossim|seguent|success|gir[oa]"
    r"|inoltr|ecco|encaminh|col[oa]|volgend|komt|plak|stuur|kopie|następn|wklej|skopi|wyś|prześ|przekop|следующ|встав"
    r"|скин|пришл|скопир|отправ|перешл|кин[уь]|вот|下|贴|发|复制|转|来|次|貼|送|コピー|転送|다음|붙여|보내|보낼|올릴|복사"
    r"|teil|part|stücke|stuk|wys",
    re.IGNORECASE,
)
_BROUGHT_CHARS: Final = 4000  # of the texts of others in one turn: their end
_TURNS: Final = 2  # in which a text is looked for


class Said(NamedTuple):
    """A message of a user, with its trust."""

    text: str
    trust: Trust
    name: str | None = None
    answered: bool = False

    @property
    def holds(self) -> Said:
        """The text of others that is in it, with its trust; `agent` if there is none."""
        if is_below_agent(self.trust):
            return self
        foreign = "\n".join(self.text[start:end] for start, end in pasted(self.text))
        return Said(foreign, "tool" if foreign else "agent")

    def with_more(self, said: Said) -> Said:
        """Return this text and another as one, if the other ranks below `agent`; of a long one its end."""
        if not is_below_agent(said.trust):
            return self
        return Said(f"{self.text}\n{said.text}"[-_BROUGHT_CHARS:], lowest_trust([self.trust, said.trust]))


NOTHING: Final = Said("", "agent")


class Turns:
    """The last turns of a session, as far as its next message is ranked by them.

    Args:
        last: What was said by users in the last turns, the last first.
        brought: What the other messages below `agent` in each of these turns say.
    """

    def __init__(self, last: Sequence[Said], brought: Sequence[Said]) -> None:
        self._said = list(last)
        self._brought = list(brought)

    def rank(self, role: Role, said: Said) -> Trust:
        """Return the trust of the next message, by what was said before it; from then on it was said too."""
        trust = said.trust
        if role == "user":
            if trust == "user" and self._awaits(said):
                trust = "tool"
            self._said = [said._replace(trust=trust), *self._said][:_TURNS]
            self._brought = [NOTHING, *self._brought][:_TURNS]
            return trust
        if role == "assistant" and not is_below_agent(trust):
            trust = self._retold(said)
        self._said[:1] = [each._replace(answered=True) for each in self._said[:1]]
        if self._brought:
            self._brought[0] = self._brought[0].with_more(said._replace(trust=trust))
        return trust

    def _awaits(self, said: Said) -> bool:
        """True if the same person announced the text that comes, and does not say that it will not come."""
        before = [each for each in self._said if each.name == said.name]
        last = before[0].text.rstrip() if before and before[0].trust == "user" and not before[0].answered else ""
        text, behind = said.text.strip(), len(last) + 2
        one = 0 < len(last) <= LEAD_CHARS and text.count("\n") > 1
        if one and any(start == behind for start, _ in pasted(f"{last}\n\n{text}")):  # asked of both as of one message
            return True
        told = [each.text[-_LEAD:] for each in before if each.trust == "user"]
        told = [text for text in told if _MAY_ANNOUNCE.search(text)]
        parts = any(phrase("in_parts").search(text) for text in told)
        announced = bool(told) and told[0] == self._said[0].text[-_LEAD:] and announces_next(told[0])
        return (parts or announced) and phrase("takes_back").match(said.text) is None

    def _retold(self, answer: Said) -> Trust:
        """Return the trust of an answer: that of the text which it tells in other words or another language."""
        held = (each.holds.with_more(brought) for each, brought in zip(self._said, self._brought, strict=False))
        low = next((text for text in held if is_below_agent(text.trust)), None)
        if low is None:
            return answer.trust
        asked = next((own_words(each.text) for each in self._said if not is_below_agent(each.trust)), "")
        return low.trust if asks_to_retell(asked) or in_another_language(answer.text, low.text) else answer.trust


def in_another_language(text: str, other: str) -> bool:
    """True if a text has joining words, and another one, in plain sentences, has none of them."""
    words = set(_WORD.findall(other.casefold()))
    plain = sum(char.isalpha() or char.isspace() for char in other)
    if len(words) < _WORDS or plain < _PROSE * len(other):
        return False
    joining, others = (_joining(each) for each in (text, other))
    english = all(2 * len(each & STOP_WORDS) > len(each) for each in (joining, others))
    return len(joining) >= _JOINING and len(joining & words) <= _SHARED * len(joining) and not english


def _joining(text: str) -> set[str]:
    return {word for word in _WORD.findall(text.casefold()) if content.is_wide(word) or content.is_joining(word)}


def announces_next(text: str) -> bool:
    """True if a person's message ends with words that announce a text, and the text is not there."""
    told = text.rstrip()
    last = told[told.rfind("\n") + 1 :]
    if not told or len(last) > LEAD_CHARS or phrase("own").search(last) or phrase("own_text").search(last):
        return False
    if phrase("comes").search(last):
        return True
    if not last.endswith((":", "：")):
        if "://" in last or phrase("arrives").match(last) is None:
            return False
        told = told.rstrip(".!。！") + ":"
    return any(start == len(told) + 2 for start, _ in pasted(told + _NEXT))


def asks_to_retell(text: str) -> bool:
    """True if a person asks for the words of a text in another language, in other words or in fewer."""
    if phrase("i_say").search(text) or phrase("own_text").search(text):
        return False
    return phrase("retell").search(text) is not None or followed("retell_verbs", "it", text)
