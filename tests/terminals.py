"""A command on a terminal of its own."""

from __future__ import annotations

import os
import pty
import sys

COMMAND = [sys.executable, "-m", "commonplace"]


def on_terminal(arguments, answer):
    """Run the command on a terminal of its own, answer its question, and return (what was shown, exit code)."""
    child, terminal = pty.fork()
    if child == 0:
        os.execv(COMMAND[0], [*COMMAND, *arguments])
    shown, asked = b"", False
    while True:
        try:
            part = os.read(terminal, 4096)
        except OSError:  # the command has ended
            break
        if not part:
            break
        shown += part
        if b"[y/N]" in shown and not asked:
            asked = True
            os.write(terminal, answer)
    os.close(terminal)
    return shown.decode(), os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
