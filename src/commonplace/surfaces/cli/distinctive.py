"""Questions for a transcript that came without any: a few rare words of what was said.

No model: the messages of the user whose words are nowhere else are the ones worth finding again.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from commonplace.memory.memory import Memory
from commonplace.text import terms
from commonplace.text.patterns import pattern

MESSAGES: Final = 4000  # looked at
QUESTIONS: Final = 5
WORDS: Final = 4  # of one question
_LENGTHS: Final = range(40, 600)  # of messages that say something and are not pasted
_WORD: Final = pattern(r"[^\W\d_]{4,20}")


def questions(memory: Memory) -> list[tuple[str, str]]:
    """Choose up to five messages and give (some of their rarer words, the id of the message)."""
    said = _said(memory)
    spread = Counter(word for _, _, words in said for word in words)
    ranked = []
    for session, message, words in said:
        rare = sorted(words, key=lambda word: (spread[word], -len(word), word))[:WORDS]
        if len(rare) == WORDS:
            ranked.append((sum(1 / spread[word] for word in rare), session, message, rare, words))
    ranked.sort(key=lambda each: (-each[0], each[2]))
    chosen: list[tuple[str, str]] = []
    # One message of each session first, then more of the same.
    for allowed in (1, QUESTIONS):
        taken = Counter(message[1] for message in ranked if message[2] in {each for _, each in chosen})
        for _, session, message, rare, words in ranked:
            if len(chosen) < QUESTIONS and taken[session] < allowed and message not in {each for _, each in chosen}:
                taken[session] += 1
                chosen.append((" ".join(word for word in words if word in rare), message))
    return chosen


def _said(memory: Memory) -> list[tuple[str, str, list[str]]]:
    found: list[tuple[str, str, list[str]]] = []
    for session in memory.sessions.list():
        for recorded in memory.sessions.read(session.id):
            if len(found) >= MESSAGES:
                return found
            text = recorded.text
            if recorded.message.role == "user" and len(text) in _LENGTHS and not text.startswith(("<", "{", "[")):
                words = dict.fromkeys(word.lower() for word in _WORD.findall(text))
                kept = [word for word in words if word not in terms.STOP_WORDS]
                found.append((recorded.session, recorded.message.id or "", kept))
    return found
