"""The `commonplace` command: thin, reads `Memory`.

What a hook waits for is mostly the start of a process. So this module loads nothing before it has asked
whether a `commonplace standby` answers; only then come the commands, and behind them the engine.
"""

from __future__ import annotations

import gc
import os
import sys
from importlib import import_module

from commonplace.surfaces.cli import asking

__all__ = ["main"]

_COMMANDS = "commonplace.surfaces.cli.commands"


def main(arguments: list[str] | None = None) -> None:
    """Run one command and exit with its code; `sys.argv` has the arguments where none are given."""
    given = sys.argv[1:] if arguments is None else arguments
    _open_streams()
    try:
        reply = asking.asked(given)
        if reply is not None:
            sys.exit(asking.told(reply))
        _load()
        import_module(_COMMANDS).main(given)
    except KeyboardInterrupt:  # before the commands are there to say so
        sys.exit(asking.told((asking.INTERRUPTED, "", f"{asking.STOPPED}\n")))


def _open_streams() -> None:
    """Have what is said go nowhere, and nothing come in, where the caller closed a stream: that stops no work.

    Each takes the number that it has been closed under, before a file of the memory could.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115 - no pathlib yet; open for good


def _load() -> None:
    """Load the commands, and behind them the engine; garbage is not looked for among what stays."""
    if _COMMANDS in sys.modules or not gc.isenabled():
        return
    gc.disable()
    try:
        import_module(_COMMANDS)
    finally:
        gc.freeze()
        gc.enable()
