"""From the options of a command to an open memory: location, scope, layout and configuration.

Every command takes the same options, before or after the command's name. Owns where memory is searched for
when no option names it. Writes nothing itself.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from difflib import get_close_matches
from functools import wraps
from pathlib import Path
from typing import Any, Final, TypeVar, get_origin

import click
import msgspec

from commonplace.config import Config, system_clock
from commonplace.errors import ConfigError, InputError, ModelSetupError, RecordNotFoundError
from commonplace.memory import designs, recognising
from commonplace.memory.memory import Memory
from commonplace.memory.scope import Scope
from commonplace.memory.worker import Worker
from commonplace.store.files import machine
from commonplace.store.files.store import FilesStore
from commonplace.store.protocol import STATE
from commonplace.surfaces.cli import plain, projects, terminal

LOCATION_VARIABLE: Final = "COMMONPLACE_LOCATION"
CONFIG_VARIABLE: Final = "COMMONPLACE_CONFIG"
MODEL_VARIABLE: Final = "COMMONPLACE_MODEL"
_KNOB_PREFIX: Final = "COMMONPLACE_"
_FOLDER: Final = "commonplace-memory"
_NOT_GIVEN: Final = (None, "", (), False)

F = TypeVar("F", bound=Callable[..., Any])


class Place(msgspec.Struct, frozen=True):
    """Where a command finds memory, and if it prints JSON; None and empty mean that it was not given."""

    location: str | None = None
    scope: tuple[str, ...] = ()
    layout: str | None = None
    config: str | None = None
    as_json: bool = False

    def over(self, other: Place) -> Place:
        """Return this place; whatever it leaves out comes from the other."""
        given = {name: value for name in self.__struct_fields__ if (value := getattr(self, name)) not in _NOT_GIVEN}
        return msgspec.structs.replace(other, **given)

    def give(self, value: Any, lines: Iterable[str]) -> None:
        """Print a value as JSON if that was asked for, else lines for people."""
        if self.as_json:
            plain.show(value)
            return
        for each in lines:
            terminal.out(each)

    @property
    def folder(self) -> Path:
        """The folder of the memory.

        What was given; else the environment's; else the current folder or `commonplace-memory` in it, if one is a
        memory, or the same of the nearest folder above it; else `commonplace-memory` in the current folder.

        Raises:
            InputError: No folder can have that name.
        """
        named = self._named
        if not named:
            return next(_found_from(Path()), Path(_FOLDER))
        if "\0" in named:
            raise InputError(f"{named!r} is no folder; name one without control characters")
        return Path(os.path.expanduser(named))  # noqa: PTH111 - leaves an unknown user's name as it is

    @property
    def _named(self) -> str | None:
        return self.location if self.location is not None else os.environ.get(LOCATION_VARIABLE)

    def _opened_as(self) -> str:
        """Return the layout that was asked for, else the one that the folder was adopted or begun with, or is kept in.

        Raises:
            ConfigError: It lost our own files, and the others do not say which it is.
        """
        if named := self.layout or machine.layout_of(os.fspath(self.folder)):
            return named
        if not self.folder.is_dir() or (self.folder / STATE).is_dir():
            return "native"
        return recognising.kept_in(self.folder) or "native"

    @contextmanager
    def open(
        self, *, writes: bool = False, touches: bool = True, begun: bool = False, model: str | None = None
    ) -> Iterator[Memory]:
        """Open the memory for the time of a command; one that only reads makes no folder.

        Reading may bring the index up to the files; without `touches` not a byte is written. No job starts
        by itself: what a command costs is what was asked of it. A file of the project that says where memory is kept
        is named and not followed.

        Raises:
            RecordNotFoundError: There is no memory, and the command asks for one that was `begun`.
        """
        if redirecting := projects.redirecting(Path()):
            terminal.note(
                terminal.warning(f"{redirecting} says where memory is kept; a project's file cannot, so it is ignored")
            )
        folder = self.folder
        opened = Memory.open(
            folder,
            scope=self.scope or "default",
            layout=self._opened_as(),
            config=projects.named(configuration(self.config, os.environ), Path()),
            llm=model,
            jobs="worker",
            read_only=not touches,
            found=not self._named,
        )
        with opened as memory:
            if begun and (said := self.missing(memory)):
                raise RecordNotFoundError(said)
            if memory.foreign:
                _tell_foreign(folder, writes=writes)
            yield memory

    def missing(self, memory: Memory) -> str:
        """Return what to tell of a folder without a memory; empty if one was begun there."""
        if machine.layout_of(os.fspath(self.folder)) or memory.scopes():
            return ""
        where = terminal.line(str(self.folder))
        return f"there is no memory at {where} yet; `commonplace record` starts it, -C names another folder"

    def accept(self) -> list[str]:
        """Note that this machine accepts the memory, made now if there is none, and return its files."""
        config = configuration(self.config, os.environ)
        layout = (os.fspath(self.folder), designs.kept_as(self._opened_as()))
        with FilesStore(self.folder, clock=system_clock, config=config.store, layout=layout) as store:
            store.accept()
            return [stat.path for stat in store.list()]

    def worker(self, *, model: str | None, sessions: int) -> Worker:
        """Make a worker for all scopes of the memory."""
        with self.open(writes=True):  # refuses a memory that is not yet the user's own
            pass
        return Worker(
            self.folder,
            layout=self._opened_as(),
            config=projects.named(configuration(self.config, os.environ), Path()),
            llm=model,
            sessions=sessions,
        )


def scopes_of(memory: Memory) -> tuple[Scope, ...]:
    """Return the scopes of a memory, for what it has no public method for: its files, layers, tree and jobs."""
    return memory._scopes  # noqa: SLF001 - the one place where a surface reaches into a memory


def _found_from(folder: Path) -> Iterator[Path]:
    """Yield the memories at a folder and above it, the nearest first; those of other users are passed over."""
    for above in (folder, *folder.resolve().parents):
        for memory, mark in ((above, above / STATE), (above / _FOLDER, above / _FOLDER)):
            if mark.is_dir() and mark.stat().st_uid == os.getuid():
                yield memory


def _tell_foreign(folder: Path, *, writes: bool) -> None:
    """Warn of a memory that is not the user's own yet.

    Raises:
        InputError: It was to be written.
    """
    said = (
        f"the memory at {terminal.line(str(folder))} came from elsewhere and is not yet yours: it is only read, and "
        "nothing of it is shown unasked; `commonplace init` accepts it"
    )
    if writes:
        raise InputError(said)
    terminal.note(terminal.warning(said))


_OPTIONS: Final = (
    click.option("-C", "--location", metavar="FOLDER", help="Folder of the memory."),
    click.option(
        "--scope", multiple=True, metavar="NAME", help="Scope; repeat it for a chain, writes go to the first."
    ),
    click.option(
        "--layout",
        metavar="NAME",
        help="How memory is laid out in files.  [default: as it was begun or adopted, else native]",
    ),
    click.option("--config", metavar="FILE", help="TOML file with knobs; docs/configuration.md names them."),
)


def placed(command: F) -> F:
    """Add to a command the options that choose the memory; it gets them as one `place`."""

    @wraps(command)
    def with_place(*args: Any, **options: Any) -> Any:
        context = click.get_current_context()
        outer = context.obj if isinstance(context.obj, Place) else Place()
        own = {name: options.pop(name) for name in Place.__struct_fields__ if name in options}
        return command(*args, place=Place(**own).over(outer), **options)

    wrapped: Any = with_place
    for option in reversed(_OPTIONS):
        wrapped = option(wrapped)
    return wrapped  # type: ignore[no-any-return] # click.option gives back what it is given


def printing(command: F) -> F:
    """Add to a command the options of `placed`, and `--json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON.")(placed(command))


def modelled(command: F) -> F:
    """Add to a command the option that names a model, which it gets as `model`."""
    described = "anthropic:NAME or openai:NAME; the rules without."
    return click.option("--model", envvar=MODEL_VARIABLE, metavar="NAME", help=described)(command)


def configuration(path: str | None, environ: Mapping[str, str]) -> Config:
    """Read the knobs: defaults, then a file, then the environment.

    Raises:
        ConfigError: The file cannot be read, a knob is unknown, or its value has the wrong type.
    """
    path = path or environ.get(CONFIG_VARIABLE)
    values = _from_file(Path(path).expanduser()) if path else {}
    names = {name for name in environ if name.startswith(_KNOB_PREFIX)}
    for name in sorted(names - {LOCATION_VARIABLE, CONFIG_VARIABLE}):
        _set_knob(values, name, environ[name])
    if not values:
        return Config()
    try:
        return msgspec.convert(values, Config, strict=False)
    except msgspec.ValidationError as error:
        what, _, knob = str(error).partition(" - at `$.")
        raise ConfigError(f"the knob {knob.rstrip('`')} has a value it cannot have: {what}") from None


def _from_file(path: Path) -> dict[str, Any]:
    import tomllib  # noqa: PLC0415 - most commands read no file of knobs

    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{str(path)!r} cannot be read: {error.strerror}", path=str(path)) from None
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{str(path)!r} is no TOML: {terminal.line(str(error))}", path=str(path)) from None
    _refuse_unknown(values, Config, str(path))
    return values


def _refuse_unknown(values: Mapping[str, Any], kind: Any, where: str) -> None:
    fields = {field.name: field.type for field in msgspec.structs.fields(kind)}
    for name, value in values.items():
        if name not in fields:
            raise ConfigError(f"{where!r} sets {name!r}, which is no knob here; known are {', '.join(sorted(fields))}")
        if isinstance(value, dict) and _is_section(fields[name]):
            _refuse_unknown(value, fields[name], f"{where}: {name}")


def _is_section(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


def _set_knob(values: dict[str, Any], variable: str, text: str) -> None:
    """Set the knob that a variable names: COMMONPLACE_TIMEZONE, COMMONPLACE_CONTEXT_TOKENS.

    A variable that is like no knob is left alone: others may use the prefix for their own ends.

    Raises:
        ConfigError: It names a section, and no knob of it.
    """
    name = variable.removeprefix(_KNOB_PREFIX).lower()
    for field in msgspec.structs.fields(Config):
        if name == field.name and not _is_section(field.type):
            values[name] = text
        elif get_origin(field.type) is dict and name.startswith(f"{field.name}_"):
            values.setdefault(field.name, {})[name.removeprefix(f"{field.name}_")] = text
        elif _is_section(field.type) and name.startswith(f"{field.name}_"):
            inner = name.removeprefix(f"{field.name}_")
            kinds = {each.name: each.type for each in msgspec.structs.fields(field.type)}
            if inner not in kinds:
                near = get_close_matches(inner, kinds, 1, 0.0)[0]
                near = f"{_KNOB_PREFIX}{field.name}_{near}".upper()
                raise ConfigError(f"{variable} names no knob; the nearest is {near}")
            values.setdefault(field.name, {})[inner] = text if kinds[inner] in {str, int, float, bool} else _list(text)


def _list(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


@contextmanager
def still_due() -> Iterator[None]:
    """Add to the error of a model that is not set up that its range stays due."""
    try:
        yield
    except ModelSetupError as error:
        said = f"{error}; what was said stays due and is tried again with the next job"
        raise ModelSetupError(said, **error.data) from error
