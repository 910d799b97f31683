"""The `commonplace` command: thin, reads `Memory`.

What a hook waits for is mostly the start of a process. So this module loads nothing before it has asked
whether a `commonplace standby` answers; only then come the commands, and behind them the engine.
"""

from __future__ import annotations

import sys
from importlib import import_module

from commonplace.cli import asking

__all__ = ["main"]


def main(arguments: list[str] | None = None) -> None:
    """Run one command and exit with its code; `sys.argv` has the arguments where none are given."""
    given = sys.argv[1:] if arguments is None else arguments
    reply = asking.asked(given)
    if reply is None:
        import_module("commonplace.cli.commands").main(given)
    else:
        sys.exit(asking.told(reply))
