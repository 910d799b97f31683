"""Loads what the rules know a statement by: `rules.toml` beside this module, compiled once when first used.

Data in, patterns out. A row says which kind of memo a clause makes, and what has
to hold besides the words; its group `o` is what the statement is about. A guard is a pattern with a name.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from functools import cache
from typing import Any, Literal

import msgspec

from commonplace.text import packaged

Kind = Literal["preference", "fact", "decision", "constraint", "instruction", "failure", "fix", "task"]
Table = Literal["person", "standing", "remarks", "coding", "foreign"]

_CAPITAL = "[A-ZÀ-ÖØ-ÞŁŚŻŹČŠŽĐİ]"


_WEIGHTS: dict[Kind, float] = {
    "preference": 0.75, "fact": 0.75, "decision": 0.8, "constraint": 0.8,
    "instruction": 0.9, "failure": 0.55, "fix": 0.7, "task": 0.65,
}  # fmt: skip
_LOOSE = 0.15  # what a row with more guesses in it matters less


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """One row: `slot` names what has one value at a time; the rest are conditions.

    `dated` wants a date in the clause, `ahead` one that is still to come; `past` says that it tells
    what has happened; `unreal` lets conditions and wishes pass; `loose` looks harder at the object;
    `the` lets the object begin with `the`; `code` wants a talk about code; `marked` has signs for values.
    """

    kind: Kind
    pattern: re.Pattern[str]
    name: str = ""
    slot: str = ""
    dated: bool = False
    ahead: bool = False
    past: bool = False
    unreal: bool = False
    the: bool = True
    code: bool = False
    loose: bool = False
    marked: bool = False

    @property
    def weight(self) -> float:
        """How much it matters what the row finds, from 0 to 1."""
        return _WEIGHTS[self.kind] - _LOOSE * self.loose


@cache
def rows(table: Table) -> tuple[Rule, ...]:
    """Return the rows of one table; the first that matches a clause makes its memo."""
    rows_by_name = _data()[table].items()
    return tuple(Rule(name=name, **{**row, "pattern": _compile(row["pattern"])}) for name, row in rows_by_name)


@cache
def guard(name: str) -> re.Pattern[str]:
    """Return one named pattern: a guard, or a fragment that is used alone."""
    return _compile(_data()["guards"].get(name) or _fragments()[name])


@cache
def things() -> tuple[re.Pattern[str], ...]:
    """Return, for each thing of which a person has one at a time, how a statement says which."""
    return tuple(map(_compile, _data()["things"].values()))


class Things(msgspec.Struct, frozen=True):
    """What a kind of things is called, and the things of it: as a whole text, and as a part of one."""

    called: re.Pattern[str]
    things: re.Pattern[str]
    named: re.Pattern[str]


@cache
def kinds() -> dict[str, Things]:
    """Return the kinds of which one thing is used at a time, by name."""
    return {
        name: Things(
            _compile(called),
            _compile(rf"(?:{things})(?: v?\d[\w.]*)?(?: (?:{called}))?"),
            _compile(rf"(?:{things})(?: v?\d(?:[\w.]*\w)?)?{{{{no_more}}}}"),
        )
        for name, (called, things) in _data()["kinds"].items()
    }


@cache
def opposites() -> tuple[tuple[re.Pattern[str], ...], ...]:
    """Return the ways in which an assistant may answer; of those in one row one holds at a time."""
    return tuple(tuple(map(_compile, row)) for row in _data()["opposites"].values())


class End(msgspec.Struct, frozen=True):
    """How a statement says that something is so, and how a person says that it is over without naming it."""

    held: re.Pattern[str]
    over: re.Pattern[str]


@cache
def ends() -> tuple[End, ...]:
    """Return what can be over without being named, such as a job."""
    return tuple(End(_compile(held), _compile(over)) for held, over in _data()["ends"].values())


@cache
def words(name: str) -> frozenset[str]:
    """Return one named set of words."""
    return frozenset(_data()["words"][name].split())


@cache
def corrections(name: Literal["values", "renamed", "over", "taken_back"]) -> tuple[re.Pattern[str], ...]:
    """Return the patterns by which a person corrects a value, with the groups `old` and `new`, or says what is over."""
    return tuple(_compile(pattern) for pattern in _data()["corrections"][name])


@cache
def _data() -> dict[str, Any]:
    return tomllib.loads(packaged.text(__package__, "rules.toml"))


@cache
def _fragments() -> dict[str, str]:
    """Return the named parts of patterns: lists of words, kinds of things, and those that are written as patterns."""
    called, things = (f"(?:{'|'.join(column)})" for column in zip(*_data()["kinds"].values(), strict=True))
    lists = {name: _either(lines) for name, lines in _data()["lists"].items()}
    return {**lists, **_data()["fragments"], "kind_of_thing": called, "thing_of_a_kind": things}


def _either(lines: Sequence[str]) -> str:
    """Return a pattern of any word of a list: `_` is a space, `*` any ending, `(a|b)` either, `?` may be absent."""
    signs = {"_": " ", "*": r"\w*", "(": "(?:", "'": "['’]"}
    found = ("".join(signs.get(sign, sign) for sign in word) for line in lines for word in line.split())
    return f"(?:{'|'.join(sorted(found, key=len, reverse=True))})"


def _compile(pattern: str) -> re.Pattern[str]:
    pattern = pattern.replace("\n", "")  # a long pattern is wrapped; a line break is not part of it
    while "{{" in pattern:
        pattern = re.sub(r"\{\{(\w+)\}\}", lambda found: _fragments()[found[1]].replace("\n", ""), pattern)
    return re.compile(pattern.replace("[A-Z]", _CAPITAL), re.IGNORECASE)
