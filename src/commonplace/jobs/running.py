"""What a job holds while it runs: its pieces, its right to work, its deadline."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Final

import msgspec

from commonplace.changes.actors import Actor
from commonplace.changes.parts import Parts
from commonplace.jobs.showing import tokens_of
from commonplace.records import Outcome, RecordedMessage
from commonplace.store.protocol import Lease

TRIGGER: Final = "trigger"
"""The cause of a job that nobody asked for."""

NOTHING: Final = "nothing to do"


class Piece(msgspec.Struct, frozen=True):
    """Messages of one session to be done; `held` is the range of an undo that they are, if any."""

    session: str
    messages: Sequence[RecordedMessage]
    held: tuple[int, int] | None = None

    @property
    def name(self) -> str:
        """Return which messages these are, and their days."""
        first, last = self.messages[0], self.messages[-1]
        days = [m.message.at.date().isoformat() for m in (first, last) if m.message.at]
        when = f", {' to '.join(dict.fromkeys(days))}" if days else ""
        return f"Session {self.session}, messages {first.number} to {last.number}{when}"


def batches(pieces: Sequence[Piece], *, tokens: int, message_tokens: int) -> list[list[Piece]]:
    """Group small pieces that follow each other into one model call, up to about `tokens` together.

    What an undo held is run alone, so that it can be released alone.
    """
    made: list[list[Piece]] = []
    taken = 0
    for piece in pieces:
        cost = sum(tokens_of(message, message_tokens) for message in piece.messages)
        alone = piece.held is not None or not made or made[-1][-1].held is not None
        if alone or taken + cost > tokens:
            made.append([])
            taken = 0
        made[-1].append(piece)
        taken += cost
    return made


class Wanted(msgspec.Struct, frozen=True):
    """How a caller wants jobs to run.

    `cause` is what set them off, for the ledger and the log. With `explicit` ranges that an undo holds run too; with
    `dry_run` the first range of each is only shown. `seconds` is what each job may take, waiting for others included;
    a range whose time is over has failed. `until` is the number of the message to stop before. `model` is asked in
    place of the one that was opened; `by_rules` leaves the model out. With `patient` a range that failed waits for
    its next attempt. `actor` is who asks, if it is not the job itself.
    """

    cause: str = "manual"
    explicit: bool = True
    dry_run: bool = False
    seconds: float | None = None
    until: int | None = None
    model: str | None = None
    by_rules: bool = False
    patient: bool = False
    actor: Actor | None = None


class Run(msgspec.Struct, kw_only=True):
    """One job at work: how it is wanted, its rights to work, its deadline on the monotonic clock.

    `leases` are by name; together they fence the commit. `turn` is the right to be the only one at
    work, where the layout wants one job after the other; `began` the newest change when it began.
    """

    wanted: Wanted
    leases: dict[str, Lease]
    turn: Lease | None
    end: float | None
    began: int

    def left(self, limit: float) -> float:
        """Return the seconds that the next model call may take."""
        return limit if self.end is None else min(limit, self.end - time.monotonic())

    def _all(self) -> list[Lease]:
        return [*self.leases.values(), *([self.turn] if self.turn is not None else [])]

    @property
    def fence(self) -> int:
        """The number of the newest holding among them."""
        return max((lease.fence for lease in self._all()), default=0)

    def check(self) -> None:
        """Raise LeaseLostError if another worker took over one of the leases."""
        for lease in self._all():
            lease.check()

    def renew(self) -> None:
        """Keep what is held for one more range; raises LeaseLostError where another took it over."""
        for lease in self._all():
            lease.renew()

    def release(self) -> None:
        """Release the leases."""
        for lease in self._all():
            lease.release()


def forgotten_since(parts: Parts, change: int, messages: Sequence[RecordedMessage]) -> bool:
    """True if one of some messages was forgotten after a change, as it can while a model works."""
    if parts.store.change_number() == change:
        return False
    numbers: dict[str, set[int]] = {}
    for message in messages:
        numbers.setdefault(message.session, set()).add(message.number)
    return any(
        not {m.number for m in parts.sessions.read(session, min(own), max(own) + 1)}.issuperset(own)
        for session, own in numbers.items()
    )


def together(outcomes: Sequence[Outcome]) -> Outcome:
    """Return one outcome for several ranges; if one of them failed, all of them have."""
    if not outcomes:
        return Outcome(status="skipped", reason=NOTHING)
    failed = [each for each in outcomes if each.status == "failed"]
    did = [each for each in outcomes if each.status in {"applied", "planned", "pending"}]
    nothing = "" if all(each.reason == NOTHING for each in outcomes) else NOTHING
    return Outcome(
        status=(failed or did or outcomes)[-1].status,
        change=max((each.change for each in outcomes if each.change), default=None),
        records=tuple(dict.fromkeys(record for each in outcomes for record in each.records)),
        review=tuple(dict.fromkeys(name for each in outcomes for name in each.review)),
        reason="; ".join(dict.fromkeys(each.reason for each in outcomes if each.reason not in {"", nothing})),
        diff="\n".join(each.diff for each in outcomes if each.diff),
        fault="; ".join(dict.fromkeys(each.fault for each in outcomes if each.fault)),
    )
