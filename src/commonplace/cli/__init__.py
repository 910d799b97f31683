"""The `commonplace` command: thin, reads `Memory`.

What a hook waits for is mostly the start of a process. So this module loads nothing before it has asked
whether a `commonplace standby` answers; only then come the commands, and behind them the engine.
"""

from __future__ import annotations

import gc
import sys
from importlib import import_module

from commonplace.cli import asking

__all__ = ["main"]

_COMMANDS = "commonplace.cli.commands"


def main(arguments: list[str] | None = None) -> None:
    """Run one command and exit with its code; `sys.argv` has the arguments where none are given."""
    given = sys.argv[1:] if arguments is None else arguments
    reply = asking.asked(given)
    if reply is None:
        _load()
        import_module(_COMMANDS).main(given)
    else:
        sys.exit(asking.told(reply))


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
