"""`commonplace standby`: hold memories open and answer the questions of other processes, until nobody asks.

A hook that asks once a prompt pays for a start of the interpreter and of the engine each time; with one that
stands by it pays for the first alone. Nothing depends on it: whoever finds nobody, or somebody who is
busy, does the work alone, with the same outcome. It ends by itself, leaves nothing that others wait for,
and only who may write into the folder finds its socket there.
"""

from __future__ import annotations

import gc
import io
import os
import signal
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from types import FrameType
from typing import Any, Final, Self

import click

from commonplace.errors import InputError, StoreError
from commonplace.memory.memory import Memory
from commonplace.surfaces.cli import asking, commands, plain, terminal
from commonplace.surfaces.cli.opening import Place, placed

KEPT: Final = 8  # memories open at a time
LOOK_SECONDS: Final = 2.0  # how often one who waits looks whether to end
_WAITING: Final = 16  # callers in line; one more does the work alone


@click.command("standby")
@click.option("--idle", type=click.FloatRange(min=0), default=60, show_default=True, metavar="MINUTES",
              help="End when nobody asked for so long.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print JSON, once it stands by.")
@placed
def standby_command(idle: float, *, as_json: bool, place: Place) -> None:
    """Answer `recall` and `context` of other processes at once, until nobody asks.

    They find it through the folder. Start it in the background when a day's work begins; without it they
    answer the same, and take ten times as long.
    """
    if sys.platform != "linux":
        raise InputError("`commonplace standby` works on Linux alone; without it every command does its work itself")
    if not place.folder.is_dir():
        where = terminal.line(str(place.folder))
        raise InputError(f"there is no memory at {where} yet; `commonplace record` starts it, -C names another folder")
    kept = Kept()
    try:
        with Place(place.location, place.scope, place.layout, place.config, kept.open).open() as memory:
            memory.recall("standby")  # loads what a question needs and brings the index up to the files
            location = memory.location
        with _Socket(location) as line, _ended_by(signal.SIGTERM, signal.SIGINT):
            if as_json:
                plain.show({"location": location, "pid": os.getpid(), "idle_minutes": idle})
            else:
                after = "1 minute" if idle == 1 else f"{idle:g} minutes"
                terminal.out(f"stands by for {terminal.line(location)}; ends {after} after the last question")
            sys.stdout.flush()
            _stand_by(line, kept, idle * 60)
    finally:
        kept.close()


class Kept:
    """Memories that stay open from one command to the next; the one that was used longest ago goes first."""

    def __init__(self) -> None:
        self._open: list[tuple[Any, Memory]] = []

    @contextmanager
    def open(self, location: str | os.PathLike[str], **how: Any) -> Iterator[Memory]:
        """Give the memory that was opened like this before, else open it; it stays open afterwards."""
        key = (Path(location).absolute(), how)
        found = next((each for each in self._open if each[0] == key), None)
        if found is None:
            found = (key, Memory.open(key[0], **how))
        else:
            self._open.remove(found)
        self._open.append(found)
        while len(self._open) > KEPT:
            self._open.pop(0)[1].close()
        yield found[1]

    def close(self) -> None:
        """Close them all."""
        while self._open:
            self._open.pop()[1].close()


class _Socket:
    """A listening socket in our own folder of a location; the newest takes the name, and the one before it ends."""

    def __init__(self, location: str) -> None:
        self._location = location

    def __enter__(self) -> Self:
        self.line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._inside = asking.opened(self._location)
        fresh = f"{asking.address(self._inside)}.{os.getpid()}"
        try:
            mask = os.umask(0o177)
            try:
                self.line.bind(fresh)
            finally:
                os.umask(mask)
            self._identity = Path(fresh).lstat().st_ino
            self.line.listen(_WAITING)
            Path(fresh).rename(asking.address(self._inside))
        except OSError as error:
            self.line.close()
            with suppress(OSError):
                Path(fresh).unlink()
            raise StoreError(f"nobody can stand by in {self._location!r}: {error.strerror}") from None
        self.line.settimeout(LOOK_SECONDS)
        return self

    def __exit__(self, *_: object) -> None:
        if self.named:
            with suppress(OSError):
                Path(asking.address(self._inside)).unlink()
        self.line.close()
        os.close(self._inside)

    @property
    def named(self) -> bool:
        """Whether callers of this folder still find this socket."""
        try:
            return Path(self._location, asking.STATE, asking.SOCKET).lstat().st_ino == self._identity
        except OSError:
            return False


def _stand_by(listening: _Socket, kept: Kept, idle: float) -> None:
    gc.collect()
    gc.freeze()  # the engine's own objects are not looked at again
    asked = time.monotonic()
    while listening.named and time.monotonic() - asked < idle:
        try:
            caller, _ = listening.line.accept()
        except TimeoutError:
            continue
        asked = time.monotonic()
        with caller, suppress(OSError, ValueError):  # a caller that left, or that is none of ours
            caller.settimeout(asking.SECONDS)
            reply = _answered(asking.unpacked(asking.received(caller)), kept)
            caller.sendall(reply)


def _answered(request: list[str], kept: Kept) -> bytes:
    """Run the command of a request; an empty reply leaves it to the caller, also whatever failed."""
    arguments = asking.mine(request)
    if arguments is None:
        return b""
    out, err = io.StringIO(), io.StringIO()
    try:
        with redirect_stdout(out), redirect_stderr(err):
            code = commands.run(arguments, only=asking.ANSWERED, opens=kept.open)
    except Exception:  # noqa: BLE001 - COMMONPLACE_DEBUG lets errors through; the caller meets it, too
        code = commands.BUG
    finally:
        os.chdir("/")  # holds no folder of a caller
    if code not in {commands.OK, commands.NOTHING}:
        kept.close()
        return b""
    return asking.packed([str(code), out.getvalue(), err.getvalue()])


@contextmanager
def _ended_by(*signals: signal.Signals) -> Iterator[None]:
    """Take these signals for the usual end."""

    def end(_signal: int, _frame: FrameType | None) -> None:
        sys.exit(commands.OK)

    before = {each: signal.signal(each, end) for each in signals}
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler or signal.SIG_DFL)  # None: not one of Python's
