"""The command `worker`: does due jobs until it is stopped."""

from __future__ import annotations

import logging
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from commonplace.memory.worker import EVERY_SECONDS, SESSIONS, Status, Worker
from commonplace.surfaces.cli import drawing, plain, terminal
from commonplace.surfaces.cli.opening import Place, modelled, placed

logger = logging.getLogger("commonplace")

_SETUP, _FAILED = 2, 5  # exit codes of `--once`


@click.command("worker")
@modelled
@click.option("--every", type=click.FloatRange(min=0.1), default=EVERY_SECONDS, show_default=True, help="Seconds.")
@click.option("--sessions", type=click.IntRange(min=1), default=SESSIONS, show_default=True, help="Of one tick.")
@click.option("--once", is_flag=True, help="Do what is due now, then end.")
@click.option("--status", is_flag=True, help="Say what is due, what failed and what was given up; run nothing.")
@click.option("--json", "as_json", is_flag=True, help="With --status: print JSON.")
@placed
def worker_command(
    model: str | None,
    *,
    every: float,
    sessions: int,
    once: bool,
    status: bool,
    place: Place,
) -> None:
    """Do the due jobs of every scope, until SIGTERM or Ctrl-C.

    Each line on stderr is one log record. The session under way is finished before the end; what was not done stays
    due. Several workers may share a location. With --once, exit code 2 if a model is not set up, 5 if one failed.
    """
    with place.worker(model=model or None, sessions=sessions) as worker:
        if status:
            found = worker.status()
            place.give({"location": str(place.folder), **plain.data(found)}, _lines(found))
            return
        before = worker.status().failed if once else ()
        with _supervised(worker):
            logger.info("the worker of %s begins", place.folder)
            left = None
            while once and worker.tick() and left != (left := worker.status().due):
                pass  # a tick that leaves due what was due before it is the last: its model is set up wrongly
            if not once:
                worker.run(every_seconds=every)
            logger.info("the worker ends")
        failed = [each for each in worker.status().failed if each not in before] if once else []
    if failed:
        raise click.exceptions.Exit(_SETUP if any(each.attempts == 0 for _, each in failed) else _FAILED)


def _lines(found: Status) -> Iterator[str]:
    for due in found.due:
        yield terminal.line(f"due {due.scope}: {due.session}, {due.job}, {due.messages} messages to {due.last}")
    for scope, failure in found.failed:
        yield terminal.line(f"failed {scope}: {drawing.failure(failure)}")
    for scope, session, job, start in found.held:
        yield terminal.line(f"held {scope}: {drawing.held(session, job, start)}")
    if not (found.due or found.failed or found.held):
        yield terminal.good("nothing waits")


class _OneLine(logging.Formatter):
    def formatException(self, ei: Any) -> str:  # noqa: N802 - the name is logging's
        return terminal.line(str(ei[1]))

    def format(self, record: logging.LogRecord) -> str:
        return super().format(record).replace("\n", ": ")


@contextmanager
def _supervised(worker: Worker) -> Iterator[None]:
    """Stop the worker at signals, and write each log record of ours as one line."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_OneLine("%(levelname)s %(message)s"))
    handlers, level = logger.handlers[:], logger.level
    logger.handlers[:] = [handler]
    logger.setLevel(logging.INFO)
    before = {each: signal.signal(each, lambda *_: worker.stop()) for each in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for each, was in before.items():
            signal.signal(each, was)
        logger.handlers[:] = handlers
        logger.setLevel(level)
