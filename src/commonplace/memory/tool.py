"""The agent's own tool: one table of actions, from which every provider's schema is read.

Calls come from a model, so names it is likely to guess are understood, and every error says what to
do next. Nothing here approves, promotes, undoes or erases: that is a person's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Literal

import msgspec

from commonplace.errors import CommonplaceError, InputError
from commonplace.records import Outcome
from commonplace.text.inert import inert

Provider = Literal["anthropic", "openai", "mcp"]

ALIASES: Final[dict[str, str]] = {
    "command": "action",
    "operation": "action",
    "new_content": "content",
    "new_text": "content",
    "new_str": "content",
    "text": "content",
    "value": "content",
    "replacement": "content",
    "replace_with": "content",
    "memory": "content",
    "fact": "content",
    "old_content": "old_text",
    "old_str": "old_text",
    "find": "old_text",
    "find_text": "old_text",
    "search_text": "old_text",
    "file": "target",
    "layer": "target",
    "section": "target",
    "q": "query",
    "question": "query",
    "record": "id",
    "record_id": "id",
    "memory_id": "id",
}
"""Parameter names that models guess, and what they mean; a name an action has itself is taken as it is."""

ACTION_ALIASES: Final[dict[str, str]] = {
    "remember": "add",
    "create": "add",
    "insert": "add",
    "save": "add",
    "update": "replace",
    "str_replace": "replace",
    "edit": "replace",
    "delete": "remove",
    "forget": "remove",
    "view": "read",
    "list": "read",
    "recall": "search",
    "find": "search",
}


WAITS: Final = "waits for a person: {reason}; it is not in memory until they approve it"
"""What is said of a write that went to review."""


class Parameter(msgspec.Struct, frozen=True):
    """One parameter of the tool: what it means, and the values it may have where they are few."""

    name: str
    description: str
    choices: tuple[str, ...] = ()


class Action(msgspec.Struct, frozen=True):
    """One thing the tool does: what it needs, whether it writes, and who does it."""

    name: str
    description: str
    needs: tuple[str, ...]
    takes: tuple[str, ...]
    writes: bool
    run: Callable[[Mapping[str, str]], dict[str, Any]]


class Tool:
    """A tool for a model.

    Args:
        name: As the model calls it.
        description: What it is for.
        parameters: All parameters of all actions, `action` left out.
        actions: What it does.
        read_only: Leave out every action that writes.
    """

    def __init__(
        self,
        name: str,
        description: str,
        parameters: tuple[Parameter, ...],
        actions: tuple[Action, ...],
        *,
        read_only: bool = False,
    ) -> None:
        self.name = name
        self.description = description
        self._parameters = parameters
        self._actions = {action.name: action for action in actions if not (read_only and action.writes)}

    @property
    def actions(self) -> tuple[str, ...]:
        """The names of what it does."""
        return tuple(self._actions)

    def schema(self, provider: Provider = "anthropic") -> dict[str, Any]:
        """Give the tool's definition as a provider takes it.

        Raises:
            InputError: The provider is none of anthropic, openai, mcp.
        """
        used = {name for action in self._actions.values() for name in (*action.needs, *action.takes)}
        described = "\n".join(f"- {action.name}: {action.description}" for action in self._actions.values())
        properties: dict[str, Any] = {
            "action": {"type": "string", "enum": list(self._actions), "description": f"What to do.\n{described}"}
        }
        for parameter in self._parameters:
            if parameter.name in used:
                properties[parameter.name] = {"type": "string", "description": parameter.description}
                if parameter.choices:
                    properties[parameter.name]["enum"] = list(parameter.choices)
        shape = {"type": "object", "properties": properties, "required": ["action"]}
        match provider:
            case "anthropic":
                return {"name": self.name, "description": self.description, "input_schema": shape}
            case "openai":
                function = {"name": self.name, "description": self.description, "parameters": shape}
                return {"type": "function", "function": function}
            case "mcp":
                writes = any(action.writes for action in self._actions.values())
                return {
                    "name": self.name,
                    "description": self.description,
                    "inputSchema": shape,
                    "annotations": {"readOnlyHint": not writes, "destructiveHint": False, "openWorldHint": False},
                }
        raise InputError(f"there is no provider {provider!r}; choose anthropic, openai or mcp")

    def call(self, arguments: Mapping[str, Any] | str) -> dict[str, Any]:
        """Do what a model asks and answer it: `success` with `message`, or `error` saying what to do.

        Args:
            arguments: As the model gave them, an object or its JSON text.
        """
        try:
            asked = self._read(arguments)
            action = self._action(asked)
            missing = [name for name in action.needs if not asked.get(name, "").strip()]
            if missing:
                return _failed(f"{action.name} needs {' and '.join(missing)}; call again with it")
            return _inert(action.run(asked))
        except CommonplaceError as error:
            return _failed(str(error))

    def _read(self, arguments: Mapping[str, Any] | str) -> dict[str, str]:
        given: Any = arguments
        if isinstance(given, str):
            try:
                given = msgspec.json.decode(given)
            except msgspec.DecodeError as error:
                raise InputError("the arguments are no JSON object; send one") from error
        if not isinstance(given, Mapping):
            raise InputError("the arguments are no JSON object; send one")
        own = {"action", *(parameter.name for parameter in self._parameters)}
        asked: dict[str, str] = {}
        for key, value in given.items():
            name = str(key) if str(key) in own else ALIASES.get(str(key).lower(), "")
            if not name or value is None:
                continue
            if not isinstance(value, str):
                raise InputError(f"{key} is a text; send it in quotes")
            asked.setdefault(name, value)
        return asked

    def _action(self, asked: Mapping[str, str]) -> Action:
        named = asked.get("action", "").strip().lower()
        action = self._actions.get(named) or self._actions.get(ACTION_ALIASES.get(named, ""))
        if action is None:
            raise InputError(f"there is no action {named!r}; use one of {', '.join(self._actions)}")
        return action


def _inert(answered: dict[str, Any]) -> dict[str, Any]:
    """Return an answer whose texts hold no live mark of a prompt or page; ids stay as they are."""
    made = answered.copy()
    for key in ("message", "error", "text"):
        if isinstance(made.get(key), str):
            made[key] = inert(made[key])
    if "hits" in made:
        made["hits"] = [{**hit, "text": inert(hit["text"])} for hit in made["hits"]]
    return made


def _failed(error: str) -> dict[str, Any]:
    return {"success": False, "error": error}


def _with(done: str, reason: str) -> str:
    return f"{done}; {reason}" if reason else done


def answer(outcome: Outcome, done: str) -> dict[str, Any]:
    """Tell a model what came of a change."""
    match outcome.status:
        case "applied" | "planned":
            return {"success": True, "message": _with(done, outcome.reason), "records": list(outcome.records)}
        case "duplicate" | "unchanged":
            return {"success": True, "message": "memory already says so", "records": list(outcome.records)}
        case "pending":
            return {"success": True, "message": WAITS.format(reason=outcome.reason)}
        case _:
            return _failed(outcome.reason or outcome.status)
