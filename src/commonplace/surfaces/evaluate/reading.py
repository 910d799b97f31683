"""Read a file of cases, YAML or JSONL, into values; what is wrong is named with its file and line.

Reads text that somebody else took from the disk. A value of YAML is the text it is written as; in JSONL a
number is a number.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any, Final, NoReturn, TypeVar

import msgspec

from commonplace.errors import InputError
from commonplace.records import LAYERS, LayerName
from commonplace.surfaces.evaluate.cases import TARGET_KINDS, TOKENS, Case, CaseFile, K, Target, check
from commonplace.surfaces.evaluate.figures import AT_LEAST, AT_MOST
from commonplace.text import frontmatter

_DEFAULTS: Final[tuple[str, ...]] = ("k", "tokens", "layers")
_SETTINGS: Final = ("at_least", "at_most", *_DEFAULTS)
_CASE: Final = Case.__struct_fields__
_SHARES: Final = frozenset(AT_LEAST)
_MOST: Final = 1_000_000  # of ranks and tokens
_YAML: Final = (".yaml", ".yml")
_JSONL: Final = (".jsonl", ".ndjson")
SUFFIXES: Final = (*_YAML, *_JSONL)
"""What a file of cases is called."""

_T = TypeVar("_T")


class _Node(msgspec.Struct, frozen=True):
    """A value of either format with its line."""

    line: int
    value: Any


class _DuplicateError(ValueError):
    """A key that stands twice in one JSON object."""


def read(text: str, name: str) -> CaseFile:
    """Read cases from the text of a file.

    A YAML file is a list of cases, or a mapping with `cases` and, for all of them, `k`, `tokens`, `layers`,
    `at_least` and `at_most`. In JSONL each line is a case; a line without a question sets these.

    Args:
        text: What the file says.
        name: What it is called; the ending says what it is.

    Raises:
        InputError: It cannot be used; the sentence begins with `name:line`, and the error carries both.
    """
    return _File(name).read(text.removeprefix("\ufeff"))


class _File:
    """One file being read."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._json = name.lower().endswith(_JSONL)
        self._lines: dict[str, int] = {}

    def read(self, text: str) -> CaseFile:
        if not self._name.lower().endswith(SUFFIXES):
            raise InputError(
                f"{self._name!r} is no file of cases by its name; it ends in {' or '.join(SUFFIXES)}", path=self._name
            )
        settings, nodes = self._split(self._of_json(text) if self._json else self._of_yaml(text))
        defaults: dict[str, _Node] = {key: settings[key] for key in _DEFAULTS if key in settings}
        cases = tuple(self._case(node, defaults) for node in nodes)
        if not cases:
            self._fail(1, "there is no case in it; give at least one `question` with what is `expected`")
        return CaseFile(
            cases,
            self._thresholds(settings.get("at_least"), AT_LEAST),
            self._thresholds(settings.get("at_most"), AT_MOST),
        )

    def _fail(self, line: int, said: str) -> NoReturn:
        raise InputError(f"{self._name}:{line}: {said}", path=self._name, line=line)

    # --- formats ---

    def _of_json(self, text: str) -> list[_Node]:
        found: list[_Node] = []
        for number, line in enumerate(text.split("\n"), 1):
            if not line.strip():
                continue
            try:
                value = json.loads(line, object_pairs_hook=_object, parse_constant=_no_constant)
                found.append(_lined(value, number))
            except _DuplicateError as error:
                self._fail(number, str(error))
            except (ValueError, RecursionError) as error:
                self._fail(number, f"this line is no JSON: {error}")
        return found

    def _of_yaml(self, text: str) -> list[_Node]:
        try:
            root = frontmatter.nodes(text)
        except InputError as error:
            self._fail(error.line, str(error))
        if root is None:
            return []
        node = _converted(root)
        if isinstance(node.value, list):
            return node.value
        values = self._mapping(node, "a file of cases", ("cases", *_SETTINGS))
        cases = values.pop("cases", None)
        if cases is None:
            self._fail(node.line, "there are no `cases` in it; a file is a list of cases, or has `cases`")
        settings = [_Node(node.line, values)] if values else []
        return [*settings, *self._list(cases, "`cases`")]

    def _split(self, nodes: Iterable[_Node]) -> tuple[dict[str, _Node], list[_Node]]:
        """Tell what holds for all cases from the cases."""
        settings: dict[str, _Node] = {}
        cases: list[_Node] = []
        for node in nodes:
            if not isinstance(node.value, Mapping) or not node.value or any(key not in _SETTINGS for key in node.value):
                cases.append(node)
                continue
            for key, value in node.value.items():
                if key in settings:
                    self._fail(value.line, f"`{key}` was set before, on line {settings[key].line}")
                settings[key] = value
        return settings, cases

    # --- a case ---

    def _case(self, node: _Node, defaults: Mapping[str, _Node]) -> Case:
        said = self._mapping(node, "a case", _CASE)
        if "question" not in said:
            self._fail(node.line, "the case has no `question`")
        name = self._text(said["name"], "`name`") if "name" in said else f"{self._name}:{node.line}"
        if name in self._lines:
            self._fail(node.line, f"the name {name!r} is that of the case on line {self._lines[name]}")
        self._lines[name] = node.line
        both = {**defaults, **said}
        case = Case(
            name=name,
            question=self._text(said["question"], "`question`"),
            expected=self._targets(said, "expected"),
            superseded=self._targets(said, "superseded"),
            forbidden=self._targets(said, "forbidden"),
            nothing=self._if_there(said, "nothing", self._flag, default=False),
            as_of=self._if_there(said, "as_of", self._instant, default=None),
            layers=self._if_there(both, "layers", self._layers, default=None),
            k=self._if_there(both, "k", self._count, default=K),
            tokens=self._if_there(both, "tokens", self._count, default=TOKENS),
        )
        try:
            check(case)
        except InputError as error:
            self._fail(node.line, str(error))
        return case

    def _if_there(self, said: Mapping[str, _Node], key: str, take: Callable[[_Node, str], _T], *, default: _T) -> _T:
        return take(said[key], f"`{key}`") if key in said else default

    def _targets(self, said: Mapping[str, _Node], key: str) -> tuple[Target, ...]:
        if key not in said:
            return ()
        node = said[key]
        each = node.value if isinstance(node.value, list) else [node]
        return tuple(self._target(one, f"`{key}`") for one in each)

    def _target(self, node: _Node, what: str) -> Target:
        if not isinstance(node.value, Mapping):
            return Target("text", self._text(node, what))
        said = self._mapping(node, f"what is {what.strip('`')}", (*TARGET_KINDS, "any"))
        if len(said) != 1:
            self._fail(node.line, f"one of {what} is one thing; give a list to name several, `any` for alternatives")
        key, value = next(iter(said.items()))
        if key == "any":
            choices = [self._target(one, what) for one in self._list(value, "`any`")]
            if not choices:
                self._fail(value.line, "`any` lists nothing")
            first = choices[0]
            return Target(first.kind, first.value, tuple(other for one in choices for other in one.choices)[1:])
        return Target(next(kind for kind in TARGET_KINDS if kind == key), self._text(value, f"`{key}`"))

    def _thresholds(self, node: _Node | None, known: tuple[str, ...]) -> dict[str, float]:
        if node is None:
            return {}
        said = self._mapping(node, "a set of thresholds", known)
        return {name: self._threshold(value, name) for name, value in said.items()}

    def _threshold(self, node: _Node, name: str) -> float:
        try:
            return threshold(name, node.value)
        except InputError as error:
            self._fail(node.line, str(error))

    # --- values ---

    def _mapping(self, node: _Node, what: str, known: tuple[str, ...]) -> dict[str, _Node]:
        if not isinstance(node.value, Mapping):
            self._fail(node.line, f"{what} is keys with values, not {_kind(node.value)}")
        for key, value in node.value.items():
            if key not in known:
                self._fail(value.line, f"{key!r} is no key of {what}; known are {', '.join(known)}")
        return dict(node.value)

    def _list(self, node: _Node, what: str) -> list[_Node]:
        if not isinstance(node.value, list):
            self._fail(node.line, f"{what} is a list, not {_kind(node.value)}")
        return node.value

    def _text(self, node: _Node, what: str) -> str:
        if not isinstance(node.value, str) or not node.value.strip():
            self._fail(node.line, f"{what} is a text, not {_kind(node.value)}")
        return node.value

    def _flag(self, node: _Node, what: str) -> bool:
        value = node.value
        if not self._json and isinstance(value, str):
            value = {"true": True, "false": False}.get(value.casefold(), value)
        if not isinstance(value, bool):
            self._fail(node.line, f"{what} is true or false, not {_kind(node.value)}")
        return value

    def _count(self, node: _Node, what: str) -> int:
        value = node.value
        if not self._json and isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 10:
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= _MOST:
            self._fail(node.line, f"{what} is a number from 1 to {_MOST}, not {_kind(node.value)}")
        return value

    def _instant(self, node: _Node, what: str) -> datetime:
        text = self._text(node, what)
        try:
            at = datetime.fromisoformat(text)
        except ValueError:
            self._fail(node.line, f"{what} is an ISO 8601 instant such as 2026-11-21T10:00:00Z, not {text!r}")
        if at.tzinfo is None:
            self._fail(node.line, f"{what} carries its zone, so that it means the same everywhere; {text!r} has none")
        return at

    def _layers(self, node: _Node, what: str) -> tuple[LayerName, ...]:
        each = node.value if isinstance(node.value, list) else [node]
        found = []
        for one in each:
            layer = next((layer for layer in LAYERS if layer == one.value), None)
            if layer is None:
                self._fail(one.line, f"{_kind(one.value)} is no layer; choose from {', '.join(LAYERS)}")
            found.append(layer)
        if not found:
            self._fail(node.line, f"{what} lists nothing; leave it out to look everywhere")
        return tuple(found)


def threshold(figure: str, value: object) -> float:
    """Read the threshold of a figure: a share for those of `AT_LEAST`, else a number not below 0.

    Raises:
        InputError: It is no such number.
    """
    try:
        number = float(value) if isinstance(value, (str, int, float)) and not isinstance(value, bool) else -1.0
    except (ValueError, OverflowError):
        number = -1.0
    if figure in _SHARES and not 0 <= number <= 1:
        raise InputError(f"{figure} is a share from 0 to 1, not {_kind(value)}")
    if not 0 <= number < float("inf"):
        raise InputError(f"{figure} is a number not below 0, not {_kind(value)}")
    return number


def _kind(value: object) -> str:
    """Name a value in a sentence."""
    if isinstance(value, str):
        return repr(value if len(value) <= 40 else value[:39] + "…") if value.strip() else "nothing"
    if isinstance(value, Mapping):
        return "keys with values"
    if isinstance(value, list):
        return "a list"
    return "nothing" if value is None else json.dumps(value)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise _DuplicateError(f"the key {key!r} stands there twice")
        found[key] = value
    return found


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")


def _lined(value: Any, line: int) -> _Node:
    """Give a value of JSON the number of its line."""
    if isinstance(value, dict):
        return _Node(line, {key: _lined(each, line) for key, each in value.items()})
    if isinstance(value, list):
        return _Node(line, [_lined(each, line) for each in value])
    return _Node(line, value)


def _converted(node: frontmatter.Node) -> _Node:
    match node.value:
        case str() as text:
            return _Node(node.line, text)
        case list() as listed:
            return _Node(node.line, [_converted(each) for each in listed])
        case mapping:
            return _Node(node.line, {key: _converted(each) for key, each in mapping.items()})
