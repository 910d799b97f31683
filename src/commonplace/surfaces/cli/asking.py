"""Ask the `commonplace standby` of a folder, which holds the memory open already, where there is one.

Owns where a command looks for its memory, the socket's name and what goes over it. Never decides what an
answer is: the one who stands by runs the very command, and where it cannot, or does not within a second,
the caller runs it. A question goes over only where nothing but its arguments and the memory can make a
difference: with the same code, the same environment, and no terminal. On Linux alone: elsewhere nobody is asked.

Every command pays for what is imported here, so it is nothing but what the interpreter has loaded itself;
`_socket` is the part of `socket` that is there without the rest, which takes as long as a bare start.
"""

from __future__ import annotations

import os
import sys

if sys.platform == "linux":
    from _socket import AF_UNIX, SHUT_WR, SO_PEERCRED, SOCK_STREAM, SOL_SOCKET, socket  # see above

ANSWERED = ("recall", "context")
"""The commands that one who stands by answers."""
LOCATION_VARIABLE = "COMMONPLACE_LOCATION"
SECONDS = 1.0  # for each step of an exchange
BYTES = 50_000_000  # of a request or a reply
_FOLDER = "commonplace-memory"
STATE = ".commonplace"
SOCKET = "standby"
_VARIABLES = frozenset({"COLUMNS", "FORCE_COLOR", "HOME", "LANG", "NO_COLOR", "TZ"})
_PREFIXES = ("COMMONPLACE_", "LC_")
_COMPLETION = "_COMMONPLACE_COMPLETE"
_CODEC, _ODD = "utf-8", "surrogatepass"

STORE, INTERRUPTED = 3, 130  # exit codes, as `commands` has them
STOPPED = "stopped; what was acknowledged stays"

Reply = tuple[int, str, str]
"""Exit code, standard output, standard error."""


def folder(given: str | None = None) -> str:
    """Name the folder of the memory.

    What was given; else the environment's; else the current folder where it is a memory itself; else
    `commonplace-memory` in it.
    """
    named = given if given is not None else os.environ.get(LOCATION_VARIABLE)
    if named:
        return os.path.expanduser(named)
    return "." if os.path.isdir(STATE) else _FOLDER


def address(inside: int) -> str:
    """Name the socket in our own folder of a location, by an open descriptor of that: a name of any length fits."""
    return f"/proc/self/fd/{inside}/{SOCKET}"


def opened(location: str) -> int:
    """Open our own folder of a location, for its `address`.

    Raises:
        OSError: There is none.
    """
    return os.open(os.path.join(location, STATE), os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)


def asked(arguments: list[str]) -> Reply | None:
    """Have a command answered; None where the caller has to run it."""
    if not any(name in arguments for name in ANSWERED) or any(each in {"-h", "--help"} for each in arguments):
        return None
    if os.isatty(1) or os.isatty(2) or _COMPLETION in os.environ or sys.platform != "linux":
        return None
    try:
        inside = opened(folder(_location(arguments)))
    except (OSError, ValueError):
        return None
    line = socket(AF_UNIX, SOCK_STREAM)
    try:
        line.settimeout(SECONDS)
        line.connect(address(inside))
        if not _ours(line):
            return None
        line.sendall(packed([*_surroundings(), "", *arguments]))
        line.shutdown(SHUT_WR)
        code, out, err = unpacked(received(line))
        return int(code), out, err
    except (OSError, ValueError):  # nobody, somebody who is busy, or nothing that is an answer
        return None
    finally:
        line.close()
        os.close(inside)


def _ours(line: socket) -> bool:
    """Say whether the other end is of the same user: what is asked, and what enters a prompt, is nobody else's."""
    user = line.getsockopt(SOL_SOCKET, SO_PEERCRED, 12)[4:8]  # process, user, group
    return int.from_bytes(user, sys.byteorder) == os.getuid()


def told(reply: Reply) -> int:
    """Print what a command said, and give its exit code; a reader that leaves early is no error."""
    code, out, err = reply
    left = [(sys.stdout, out), (sys.stderr, err)]
    while left:
        stream, text = left.pop()
        try:
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr] # as the commands have it
            stream.write(text)
            stream.flush()
        except OSError as error:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
            if not isinstance(error, BrokenPipeError):
                code = STORE
                left.append((sys.stderr, f"error: {unwritten(error)}\n"))  # goes nowhere where that is full, too
    return code


def unwritten(error: OSError) -> str:
    """Say that the output cannot be written, and why."""
    return f"the output cannot be written ({error.strerror}); what the command did stays"


def mine(request: list[str]) -> list[str] | None:
    """Give the arguments of a request where the caller's surroundings are ours, and go to its folder; else None.

    Raises:
        OSError: There is no such folder any more.
        ValueError: It is no request.
    """
    end = request.index("")
    (code, here, *environment), ours = request[:end], _surroundings()
    if [code, *environment] != [ours[0], *ours[2:]]:
        return None
    os.chdir(here)
    return request[end + 1 :]


def _surroundings() -> list[str]:
    """List what an answer depends on besides the arguments and the memory: the code, the folder, the environment."""
    code = os.stat(__file__)  # put in place anew by every upgrade
    seen = (f"{name}={value}" for name, value in os.environ.items() if name in _VARIABLES or name.startswith(_PREFIXES))
    return [f"{__file__} {code.st_ino} {code.st_mtime_ns}", os.getcwd(), *sorted(seen)]


def _location(arguments: list[str]) -> str | None:
    """Guess which folder the arguments name. Whoever is asked reads them as they are meant, so a guess is enough."""
    for at, each in enumerate(arguments):
        if each in {"-C", "--location"}:
            return arguments[at + 1] if at + 1 < len(arguments) else None
        if each.startswith("--location="):
            return each.partition("=")[2]
        if each.startswith("-C"):
            return each[2:]
    return None


def packed(parts: list[str]) -> bytes:
    """Write texts as one, each ended by NUL.

    Raises:
        ValueError: A text has a NUL in it.
    """
    if any("\0" in each for each in parts):
        raise ValueError("a NUL ends a text")
    return "".join(f"{each}\0" for each in parts).encode(_CODEC, _ODD)


def unpacked(data: bytes) -> list[str]:
    """Read texts that `packed` wrote.

    Raises:
        ValueError: They are not whole.
    """
    *parts, rest = data.decode(_CODEC, _ODD).split("\0")
    if rest:
        raise ValueError("a text has no end")
    return parts


def received(line: socket) -> bytes:
    """Read all that the other one sends.

    Raises:
        OSError: It takes too long, or the other one is gone.
        ValueError: It is over a size that nobody of ours sends.
    """
    pieces = []
    size = 0
    while piece := line.recv(65536):
        pieces.append(piece)
        size += len(piece)
        if size > BYTES:
            raise ValueError(f"more than {BYTES} bytes")
    return b"".join(pieces)
