"""The `commonplace` command: thin, reads `Memory`."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Final

__all__ = ["INTERRUPTED", "STOPPED", "main"]

INTERRUPTED: Final = 130  # exit code, as a shell gives it for Ctrl-C
STOPPED: Final = "stopped; what was acknowledged stays"


def main(arguments: list[str] | None = None) -> None:
    """Run one command and exit with its code; without `arguments` it reads `sys.argv`."""
    _open_streams()
    try:
        # Loading takes a moment in which Ctrl-C is as likely as later.
        commands = import_module("commonplace.surfaces.cli.commands")
        code = commands.run(sys.argv[1:] if arguments is None else arguments)
    except KeyboardInterrupt:
        print(STOPPED, file=sys.stderr)
        code = INTERRUPTED
    sys.exit(code)


def _open_streams() -> None:
    """Replace each standard stream that the caller closed: a closed stream stops no command.

    Each takes its own number, before a file of the memory could.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115 - open for good
