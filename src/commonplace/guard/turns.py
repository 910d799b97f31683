"""Whose words a message holds by the one before it: a text that was announced, and an answer that retells a text.

A person announces a text (`Here's the page:`) and sends it as their next message; then that one is none of their
words. Asked to translate or to sum up a text from below `agent`, the assistant says in other words, maybe of another
language, what that text says; so the answer has the trust of that text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from commonplace.guard.pasted import own_words, pasted
from commonplace.guard.phrases import followed, phrase
from commonplace.guard.shapes import LEAD_CHARS
from commonplace.records import Role, Trust, is_below_agent, lowest_trust
from commonplace.text.patterns import pattern

_NEXT: Final = "\n\nIt is so."  # what stands for the message that comes
_MAY_ANNOUNCE: Final = pattern(  # part of every announcement; the phrases themselves take long to prepare
    r"[:：]\s*\Z|past|cop[iy]|drop|send|show|giv|forward|shar|next|following|here (?:it|they|goes|comes?|is|are|you)"
    r"|nächst|folgend|kommend|kommt|füg|werf|stell|post|schick|leite|kopier|coll|envo|env[ií]|transf|prochain|suivant"
    r"|voici|arrive|pr[oó]xim|siguiente|viene|\bva[iy]?\b|peg|pas[oa]|mand|incoll|prossim|seguent|success|gir[oa]"
    r"|inoltr|ecco|encaminh|col[oa]|volgend|komt|plak|stuur|kopie|następn|wklej|skopi|wyś|prześ|przekop|следующ|встав"
    r"|скин|пришл|скопир|отправ|перешл|кин[уь]|вот|下|贴|发|复制|转|来|次|貼|送|コピー|転送|다음|붙여|보내|보낼|올릴|복사"
    r"|teil|part|stücke|stuk|wys",
    re.IGNORECASE,
)
_TURNS: Final = 2  # in which a text is looked for


class Said(NamedTuple):
    """A message of a user, with its trust."""

    text: str
    trust: Trust
    name: str | None = None

    @property
    def holds(self) -> Trust:
        """The trust of the text of others that is in it; `agent` if there is none."""
        if is_below_agent(self.trust):
            return self.trust
        return "tool" if pasted(self.text) else "agent"


class Turns:
    """The last turns of a session, as far as its next message is ranked by them.

    Args:
        last: What was said by users in the last turns, the last first.
        brought: The lowest trust of the other messages in each of these turns.
    """

    def __init__(self, last: Sequence[Said], brought: Sequence[Trust]) -> None:
        self._said = list(last)
        self._brought = list(brought)

    def rank(self, role: Role, said: Said) -> Trust:
        """Return the trust of the next message, by what was said before it; from then on it was said too."""
        trust = said.trust
        if role == "user":
            if trust == "user" and self._awaits(said):
                trust = "tool"
            self._said = [said._replace(trust=trust), *self._said][:_TURNS]
            self._brought = ["agent", *self._brought][:_TURNS]
            return trust
        if role == "assistant" and not is_below_agent(trust):
            trust = self._retold(trust)
        if self._brought:
            self._brought[0] = lowest_trust([self._brought[0], trust])
        return trust

    def _awaits(self, said: Said) -> bool:
        """True if the same person announced the text that comes, and does not say that it will not come."""
        before = [each for each in self._said if each.name == said.name]
        told = [each.text for each in before if each.trust == "user" and _MAY_ANNOUNCE.search(each.text)]
        if not told:
            return False
        parts = any(phrase("in_parts").search(text) for text in told)
        announced = told[0] == self._said[0].text and announces_next(told[0])
        return (parts or announced) and phrase("takes_back").match(said.text) is None

    def _retold(self, trust: Trust) -> Trust:
        """Return the trust of an answer: that of the text which the person asked to have in other words."""
        held = (lowest_trust([brought, each.holds]) for each, brought in zip(self._said, self._brought, strict=False))
        low = next((level for level in held if is_below_agent(level)), trust)
        if not is_below_agent(low):
            return trust
        asked = next((own_words(each.text) for each in self._said if not is_below_agent(each.trust)), "")
        return low if asks_to_retell(asked) else trust


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
