"""What a memory is opened with: the checked arguments of `Memory.open`, from which its scopes are made."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any, Final, get_args

import msgspec

from commonplace.config import Clock, Config
from commonplace.errors import ConfigError, InputError, ScopeError
from commonplace.jobs.schedule import Mode
from commonplace.layouts.knobs import settled
from commonplace.layouts.schema import Layout
from commonplace.models import LLM
from commonplace.recall.index.near import Embedder
from commonplace.store import texts
from commonplace.store.files.store import FilesStore

_SCOPE: Final = re.compile(r"[^\s/\\\x00-\x1f\x7f.][^/\\\x00-\x1f\x7f]{0,199}")


def scope_chain(scope: str | Iterable[str], layout: Layout | None = None) -> tuple[str, ...]:
    """Read a scope or an ordered chain of scopes.

    Raises:
        ScopeError: A name is empty, too long, doubled, holds a slash or a control character, or has no form that the
            layout knows.
    """
    given: object = scope  # annotations do not hold at run time for a caller's own values
    chain: tuple[Any, ...] = (given,) if isinstance(given, str) or not isinstance(given, Iterable) else tuple(given)
    for name in chain:
        if not isinstance(name, str) or not _SCOPE.fullmatch(name):
            raise ScopeError(
                f"{name!r} is no scope; use a name such as 'user:42', without slashes, at most 200 characters",
                scope=name,
            )
    if layout is not None:
        chain = tuple(map(layout.scopes.known, chain))
    if not chain or len(set(chain)) != len(chain):
        raise ScopeError("a scope chain holds at least one name, each once", scope=chain)
    return chain


def configured(layout: Layout, location: str, config: Config | Mapping[str, Any] | None) -> Config:
    """Return the knobs of a memory: as given, then as the system that wrote the folder has them, then the layout's own.

    Raises:
        ConfigError: A knob is unknown, or has a value that it cannot have.
    """
    return settled(layout, config, lambda file: texts.read_if_there(f"{location}/{file}"))


def require_location(location: str) -> None:
    """Make sure that a location names something: an empty one would be the current folder.

    Raises:
        InputError: It is empty.
    """
    if not location:
        raise InputError("the location is empty; name the folder of a memory")


def require_mode(jobs: object) -> None:
    """Make sure that there is such a way to run jobs; annotations do not hold at run time.

    Raises:
        ConfigError: There is none.
    """
    if jobs not in get_args(Mode):
        raise ConfigError(f"there is no jobs={jobs!r}; use one of {', '.join(get_args(Mode))}")


class Opening(msgspec.Struct, frozen=True, kw_only=True):
    """Enough to open a memory, any number of times.

    `kept_as` names the layout for the folder to note; `at` opens it as it was at that instant, read-only. If nobody
    named the location (`found`) and this machine neither made nor accepted it, it is only read, and ranks below the
    agent.
    """

    location: str
    scopes: tuple[str, ...]
    layout: Layout
    kept_as: str = ""
    config: Config
    clock: Clock
    llm: str | LLM | Callable[..., Any] | None = None
    embedder: str | Embedder | None = None
    mode: Mode = "thread"
    read_only: bool = False
    found: bool = False
    at: datetime | None = None

    def kept(self) -> list[str]:
        """Return the names of the scopes that are kept at the location, `default` first if it is."""
        store = FilesStore(self.location, clock=self.clock, config=self.config.store, read_only=True)
        found: set[str] = set()
        for stat in store.list():
            name, path = self.layout.scopes.of(stat.path)
            is_ours = path.startswith(f"{self.layout.sessions}/") or self.layout.layer_of(path) is not None
            if name and (is_ours or name != "default"):
                found.add(name)
        store.close()
        return sorted(found, key=lambda name: (name != "default", name))

    def past(self, instant: datetime) -> Opening:
        """Return how to open the same memory as it was at an instant, with that instant as now."""
        changed = msgspec.structs.replace(self, at=instant, clock=lambda: instant)
        return msgspec.structs.replace(changed, llm=None, embedder="")
