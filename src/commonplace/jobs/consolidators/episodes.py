"""Episodes: what a finished session leaves behind, one to three durable facts in a file of its own.

Written by a model under the gate, or by the rules; a session of few turns or without facts leaves none. A
second episode of the same session replaces the first. Each line is judged alone: one that no message supports waits,
one that rests on a tool's or page's text is kept in a file of its own, marked with its trust.

Source: seed facts, "Tier 3"; seed model, conclusion 8.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import msgspec

from commonplace.errors import UnusableReplyError
from commonplace.guard.screened import instant
from commonplace.guard.trust import Voices
from commonplace.jobs import ranges, showing
from commonplace.jobs.consolidators import ruled
from commonplace.jobs.consolidators.summarise import prompt
from commonplace.jobs.consolidators.work import Work
from commonplace.jobs.rules import proposing, wishes
from commonplace.jobs.rules.memos import Place
from commonplace.models.prose import prose
from commonplace.models.protocol import LLM, Request
from commonplace.models.reading import Unusable, says_none
from commonplace.operations import Proposal, PutTopic
from commonplace.records import RecordedMessage, Source, Topic, is_below_agent
from commonplace.text.patterns import pattern
from commonplace.text.pieces import encode_name, one_line, truncate

FACTS: Final = 3  # seed facts: 1 to 3 durable facts
FACT_CHARS: Final = 320  # three of them stay within the 1,024 bytes of the original in most languages
_CITED: Final = 20  # messages an episode names as its sources, at most
_LABEL: Final = r"\*{0,2}(?:fa(?:ct|kt|it|tto|c?to)|hecho|feit|факт|事[实実]|사실) ?\d{1,2}\*{0,2} ?[:：.]\*{0,2}\s*"
_BULLET: Final = pattern(
    rf"\A\s*(?:(?:[-*•–]|\d{{1,2}}[.)])\s+(?:{_LABEL})?|{_LABEL})", re.IGNORECASE
)  # `- `, `1. `, `**Fact 1:** `
_COURTESY: Final = pattern(  # to whoever asked, behind the facts
    r"\W*(?:(?:please |just )?let me know (?:if|whether|how)\b|(?:please )?feel free to\b"
    r"|(?:i )?hope (?:this|that|it) helps|is there anything else\b"
    r"|(?:if|should) you (?:need|want|have|would like)\b[^.]{0,60}\b(?:let me know|ask|help|more)\b"
    r"|(?:sag|sagen sie|gib|geben sie)(?: mir)?(?: gerne?| einfach)? bescheid\b|melde? dich gern"
    r"|lass(?:en sie)? (?:es )?mich wissen\b|n['’]hésite[sz]? pas\b|(?:dis|dites)[ -]moi si\b|faites[ -]moi savoir"
    r"|(?:avísame|dime|hazme saber) si\b|no dudes? en\b|fammi sapere|(?:me avise|avise-me|diga-me) se\b"
    r"|daj znać|laat het (?:me|mij) weten|дайте знать|если [^.]{0,60}\b(?:дайте знать|обращайтесь|спрашивайте)\b"
    r"|如果?(?:您|你)?还?(?:有|需要)[^。]{0,20}(?:告诉|随时)|(?:他に|さらに)[^。]{0,30}(?:お知らせ|お申し付け))",
    re.IGNORECASE,
)  # fmt: skip
_BELOW: Final = "+unverified"  # behind the name of a session: what of it ranks below the agent
_TITLE_CHARS: Final = 80


def propose(work: Work) -> Proposal:
    """Propose the episode of a session; `work.view.messages` is all of it, however far it was read before.

    Raises:
        ModelError: The model did not write it.
    """
    said = [m for m in work.view.messages if m.text.strip()]
    knobs = work.config.consolidation
    asks = work.llm is not None and knobs.episodes_by_model
    gone = Proposal() if asks else _forgotten(work)
    if sum(m.message.role == "user" for m in said) < knobs.episode_turns:
        return gone
    facts = _asked(work, work.llm) if work.llm is not None and asks else _ruled(work)
    voices = Voices(work.view.messages)
    levels = {fact: voices.trust(fact) for fact in facts}
    above = [fact for fact in facts if not is_below_agent(levels[fact])]
    below = [fact for fact in facts if fact not in above]
    parts = ((above, ""), (below, _BELOW))
    made = tuple(_episode(work, said, some, suffix) for some, suffix in parts if some)
    return msgspec.structs.replace(gone, operations=(*gone.operations, *made), ruled=not asks)


def _forgotten(work: Work) -> Proposal:
    """Propose the episodes of other sessions without what a person asks to forget."""
    users = (each for each in work.view.messages if each.message.role == "user")
    if not any(any(wishes.asked(each, None)) for each in users):
        return Proposal()
    place = _place(work)
    own = {_path(work, place, suffix) for suffix in ("", _BELOW)}
    others = [each for each in work.topics(place.layer) if each.path not in own]
    return proposing.propose(
        work.view.messages, session=work.session, zone=work.zone, targets={}, existing=ruled.known(others),
        read=lambda _: (), people=work.people,
    )  # fmt: skip


def _place(work: Work) -> Place:
    return next(place for place in work.places.values() if "{session}" in place.path)


def _path(work: Work, place: Place, suffix: str = "") -> str:
    """Return the file of the session's episode; no id of a session leads out of its folder."""
    return place.path.replace("{session}", f"{encode_name(work.session)}{suffix}")


def _episode(work: Work, said: Sequence[RecordedMessage], facts: Sequence[str], suffix: str) -> PutTopic:
    """Make the episode's file."""
    path = _path(work, _place(work), suffix)
    at = said[-1].message.at
    turns = sum(m.message.role == "user" for m in said)
    front = {"session_id": work.session, "turns": str(turns), "created_at": instant(at) if at else ""}
    old = next((record for record in work.records(path) if isinstance(record, Topic)), None)
    if old is not None and old.extra.get("created_at"):
        front["created_at"] = str(old.extra["created_at"])
    users = [m for m in said if m.message.role == "user"][-_CITED:]
    return PutTopic(
        path=path,
        title=f"Session {truncate(work.session, _TITLE_CHARS, '…')}",
        body="\n".join(f"- {fact}" for fact in facts),
        kind="episode",
        front=front,
        sources=tuple(Source(m.session, str(m.message.id)) for m in users),
        trust="agent",
    )


def _asked(work: Work, llm: LLM) -> list[str]:
    """Return the facts of a session from the model; a long one is sent part by part, each with the facts so far."""
    facts: list[str] = []
    tokens = ranges.PARTS * work.config.consolidation.range_tokens
    for part in ranges.cut(work.view.messages, tokens=tokens, message_tokens=work.message_tokens):
        so_far = "".join(f"- {fact}\n" for fact in facts)
        said = showing.messages(part, message_tokens=work.message_tokens, exposed=True)
        request = Request(
            system=prompt("episode"),
            prompt=f"## Facts so far\n{so_far}\n## Session\n{said}" if so_far else f"## Session\n{said}",
            max_tokens=work.max_tokens,
            timeout_seconds=work.seconds,
            purpose="episode",
            cause=work.cause,
            model=work.model,
        )
        text = prose(llm.complete(request), [so_far, *(m.text for m in part)], none=True)
        if isinstance(text, Unusable):
            raise UnusableReplyError(text.reason)
        facts = _lines(text) or facts
    return facts


def _ruled(work: Work) -> list[str]:
    """Return the first facts that the rules find."""
    found = [memo.text for memo in proposing.extract(work.view.messages, zone=work.zone)]
    facts = [truncate(one_line(text), FACT_CHARS, "…") for text in found]
    return list(dict.fromkeys(facts))[:FACTS]


def _lines(text: str) -> list[str]:
    """Read the facts of an answer: its bullets if it has some, else its lines, but no courtesy; none if it says so."""
    if says_none(text):
        return []
    said = [line for line in text.splitlines() if line.strip() and not line.startswith(("#", "```", "|", "---"))]
    said = [line for line in said if not _COURTESY.match(_BULLET.sub("", line))]
    bullets = [line for line in said if _BULLET.match(line)]
    chosen = bullets or [line for line in said if not line.rstrip().endswith((":", "："))]
    facts = [one_line(_BULLET.sub("", line)) for line in chosen]
    return list(dict.fromkeys(truncate(fact, FACT_CHARS, "…") for fact in facts if fact and not says_none(fact)))[
        :FACTS
    ]
