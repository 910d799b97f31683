"""The commands: which there are, what their exit codes mean, and what is said when something cannot be done.

That is one line on stderr, never a traceback for bad input. The module of a command is loaded when the
command is asked for, so that a hook pays only for what it runs.
"""

from __future__ import annotations

import errno
import logging
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any, Final

import click

from commonplace.errors import (
    CommonplaceError,
    DamagedError,
    LeaseLostError,
    ModelError,
    StoreError,
    UndoConflictError,
    VersionConflictError,
)
from commonplace.surfaces.cli import INTERRUPTED, STOPPED, terminal
from commonplace.surfaces.cli.opening import Place, placed

__all__ = ["COMMANDS", "EXIT_CODES", "run"]

OK, NOTHING, USAGE, STORE, CONFLICT, MODEL, BUG = 0, 1, 2, 3, 4, 5, 70

EXIT_CODES: Final[dict[int, str]] = {
    OK: "it is done",
    NOTHING: "nothing was found, doctor found problems that are not mended, or too few cases of eval pass",
    USAGE: "the command or its input cannot be used; nothing was changed",
    STORE: "the store cannot do it: no space, no permission, locked, or damaged",
    CONFLICT: "memory was changed meanwhile, a later change is in the way, or there is no room under a cap",
    MODEL: "a model gave no usable answer",
    BUG: "an error in commonplace itself",
    INTERRUPTED: "stopped by the user; what was acknowledged stays",
}
"""What each exit code says."""

COMMANDS: Final[dict[str, str]] = {
    "record": "writing",
    "import": "writing",
    "adopt": "adopting",
    "init": "adopting",
    "recall": "reading",
    "context": "reading",
    "sessions": "reading",
    "show": "reading",
    "remember": "changing",
    "update": "changing",
    "forget": "changing",
    "consolidate": "consolidating",
    "worker": "working",
    "dream": "consolidating",
    "compact": "windows",
    "reset": "windows",
    "end": "windows",
    "status": "consolidating",
    "cost": "consolidating",
    "why": "past",
    "log": "past",
    "diff": "past",
    "undo": "changing",
    "review": "changing",
    "promote": "windows",
    "layout": "layouts",
    "eval": "evaluating",
    "doctor": "upkeep",
    "reindex": "upkeep",
    "demo": "demo",
}
"""Each command with the module that holds it, as a function of that name."""

DEBUG_VARIABLE: Final = "COMMONPLACE_DEBUG"
COMPLETION_VARIABLE: Final = "_COMMONPLACE_COMPLETE"


class _Commands(click.Group):
    """The commands of the table above, loaded one at a time."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - the signature is click's
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - as above
        module = COMMANDS.get(cmd_name)
        if module is None:
            return None
        found: click.Command = getattr(
            import_module(f"commonplace.surfaces.cli.{module}"), f"{cmd_name.replace('-', '_')}_command"
        )
        return found


@click.group(
    cls=_Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Start with `commonplace demo`.",
)
@placed
@click.version_option(package_name="commonplace-memory", message="%(prog)s %(version)s")
@click.pass_context
def root_command(ctx: click.Context, *, place: Place) -> None:
    """Memory for AI agents that people can read, check and take back."""
    ctx.obj = place
    ctx.color = _colour_wanted()
    if ctx.invoked_subcommand is None:
        terminal.out(ctx.get_help())


def _colour_wanted() -> bool | None:
    """Return whether colours are wanted; None if that depends on the output being a terminal."""
    if os.environ.get("NO_COLOR"):
        return False
    return True if os.environ.get("FORCE_COLOR") else None


def run(arguments: Sequence[str]) -> int:
    """Run one command, its arguments without the name of the program, and return its exit code."""
    _speak_plainly()
    try:
        _invoke(list(arguments))
        sys.stdout.flush()
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.ClickException as error:
        return _usage(error)
    except (click.Abort, KeyboardInterrupt):
        _note(STOPPED)
        return INTERRUPTED
    except CommonplaceError as error:
        return _failed(error, _code_of(error))
    except OSError as error:
        _hush()
        if error.errno != errno.EPIPE:  # else the reader of our output has closed it
            return _failed(error, STORE, _refused(error))
    except Exception as error:  # noqa: BLE001 - the top of a command: a person gets a sentence
        return _bug(error)
    return OK


def _invoke(arguments: list[str]) -> None:
    if COMPLETION_VARIABLE in os.environ:
        root_command.main(arguments, prog_name="commonplace")  # click's own, for the shell's completion
    # Not click's `main`: it turns a closed pipe into exit code 1.
    with root_command.make_context("commonplace", arguments, obj=Place()) as context:
        root_command.invoke(context)


def _speak_plainly() -> None:
    """Replace characters that cannot be printed, and print each warning as one line."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure: Any = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
    logger = logging.getLogger("commonplace")
    if not any(isinstance(handler, _OneLine) for handler in logger.handlers):
        logger.addHandler(_OneLine(logging.WARNING))


class _OneLine(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        reason = f": {record.exc_info[1]}" if record.exc_info and record.exc_info[1] else ""
        _note(terminal.warning("warning: ") + terminal.line(record.getMessage() + reason))


def _code_of(error: CommonplaceError) -> int:
    match error:
        case StoreError() | DamagedError():
            return STORE
        case VersionConflictError() | UndoConflictError() | LeaseLostError():
            return CONFLICT
        case ModelError():
            return MODEL
        case LookupError():
            return NOTHING
        case _:
            return USAGE


def _usage(error: click.ClickException) -> int:
    hint = ""
    if isinstance(error, click.UsageError) and error.ctx is not None:
        hint = terminal.faint(f"  (see `{error.ctx.command_path} --help`)")
    said = error.format_message().replace("a valid integer range", "a whole number")
    _note(terminal.bad("error: ") + terminal.line(said) + hint)
    return USAGE


def _failed(error: Exception, code: int, said: str = "") -> int:
    if os.environ.get(DEBUG_VARIABLE):
        raise error
    _note(terminal.bad("error: ") + terminal.line(said or str(error)))
    return code


def _refused(error: OSError) -> str:
    """Return what the system refused: the output, the current folder, or a file."""
    if isinstance(error, terminal.UnwrittenError) or error.errno == errno.ENOSPC:  # click prints its help itself
        return f"the output cannot be written ({error.strerror}); what the command did stays"
    if isinstance(error, FileNotFoundError) and error.filename is None:  # only who asks for it names no file
        return "the folder that the command was called in is not there any more; call it in another one"
    return f"{error.filename!r}: {error.strerror}" if error.filename else str(error.strerror or error)


def _note(text: str) -> None:
    """Print one line on stderr, if that can be written."""
    try:
        terminal.note(text)
    except OSError:
        _hush()


def _hush() -> None:
    """Discard what is left to print if it cannot be written, also at exit."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _bug(error: Exception) -> int:
    if os.environ.get(DEBUG_VARIABLE):
        raise error
    said = terminal.line(f"{type(error).__name__}: {error}")
    _note(
        terminal.bad("error: ")
        + f"this is an error in commonplace, please report it: {said}"
        + terminal.faint(f"  (set {DEBUG_VARIABLE}=1 to see where)")
    )
    return BUG
