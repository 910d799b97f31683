"""The agent's own tool: one table of actions, from which every provider's schema is read.

Calls come from a model, so names it is likely to guess are understood, and every error says what to
do next. Nothing here approves, promotes, undoes or erases: that is a person's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

import msgspec

from commonplace.errors import CommonplaceError, InputError
from commonplace.layouts.schema import Action, AgentTool
from commonplace.memory.answers import Answers
from commonplace.memory.tool_verbs import VERBS
from commonplace.memory.using import Use
from commonplace.text.inert import inert

Provider = Literal["anthropic", "openai", "mcp"]


def _guessed(names: Mapping[str, str]) -> dict[str, str]:
    """Return the name that each guess means; the guesses for a name are the words of one text."""
    return {guess: name for name, guesses in names.items() for guess in guesses.split()}


ALIASES: Final = _guessed(
    {
        "action": "command operation",
        "content": "new_content new_text new_str text value replacement replace_with memory fact",
        "old_text": "old_content old_str find find_text search_text",
        "target": "file layer section",
        "query": "q question",
        "id": "record record_id memory_id",
    }
)
"""Parameter names that models guess, and what they mean; a name an action has itself is taken as it is."""

_SHARE: Final = {"type": "number", "minimum": 0, "maximum": 1}
_WORDS: Final = {"type": "array", "items": {"type": "string"}}
SHAPES: Final[dict[str, dict[str, Any]]] = {
    "tags": _WORDS,
    "references": _WORDS,
    "confidence": _SHARE,
    "salience": _SHARE,
    "ttl_days": {"type": "integer", "minimum": 0},
    "limit": {"type": "integer", "minimum": 1, "maximum": 50},
}
"""The shapes of parameters that are no text."""

ACTION_ALIASES: Final = _guessed(
    {
        "add": "remember create insert save",
        "replace": "update str_replace edit",
        "remove": "delete forget",
        "read": "view list",
        "search": "recall find",
    }
)


class Tool:
    """A tool for a model: what one layout's table of actions says, over one memory.

    Args:
        table: The row of a layout.
        use: What the verbs work on.
        answers: Where what it answers is noted.
        read_only: Leave out every action that writes.
    """

    def __init__(self, table: AgentTool, use: Use, answers: Answers, *, read_only: bool = False) -> None:
        self._answers = answers
        self.name = table.name
        self.description = table.description
        self._table = table
        self._use = use
        self._verbs = {each.name: VERBS[each.verb] for each in table.actions}
        self._actions = {each.name: each for each in table.actions if not (read_only and self._verbs[each.name].writes)}

    @property
    def actions(self) -> tuple[str, ...]:
        """The names of what it does."""
        return tuple(self._actions)

    def schema(self, provider: Provider = "anthropic") -> dict[str, Any]:
        """Return the tool's definition as a provider takes it.

        Raises:
            InputError: The provider is none of anthropic, openai, mcp; or each action is a tool of its own.
        """
        if self._table.separate:
            raise InputError("each action of this layout is a tool of its own; use `schemas`")
        return self.schemas(provider)[0]

    def schemas(self, provider: Provider = "anthropic") -> list[dict[str, Any]]:
        """Return the definitions of all tools as a provider takes them: one, or one for each action.

        Raises:
            InputError: The provider is none of anthropic, openai, mcp.
        """
        actions = list(self._actions.values())
        if self._table.separate:
            return [self._definition(provider, each.name, each.description, [each]) for each in actions]
        return [self._definition(provider, self.name, self.description, actions)]

    def _definition(self, provider: Provider, name: str, description: str, actions: Sequence[Action]) -> dict[str, Any]:
        used = {seen for each in actions for seen in self._seen(each).values()}
        properties: dict[str, Any] = {}
        required = ["action"]
        if self._table.separate:
            required = [self._seen(each)[one] for each in actions for one in self._needed(each)]
        else:
            listing = "\n".join(f"- {each.name}: {each.description}" for each in actions)
            names = [each.name for each in actions]
            properties["action"] = {"type": "string", "enum": names, "description": f"What to do.\n{listing}"}
        choices = {self._seen(each).get(one): names for each in actions for one, names in self._choices().items()}
        for seen, means in self._table.parameters.items():
            if seen in used:
                properties[seen] = {**SHAPES.get(seen, {"type": "string"}), "description": means}
                if seen in choices:
                    properties[seen]["enum"] = choices[seen]
        shape = {"type": "object", "properties": properties, "required": required}
        match provider:
            case "anthropic":
                return {"name": name, "description": description, "input_schema": shape}
            case "openai":
                return {
                    "type": "function",
                    "function": {"name": name, "description": description, "parameters": shape},
                }
            case "mcp":
                writes = any(self._verbs[each.name].writes for each in actions)
                hints = {"readOnlyHint": not writes, "destructiveHint": False, "openWorldHint": False}
                return {"name": name, "description": description, "inputSchema": shape, "annotations": hints}
        raise InputError(f"there is no provider {provider!r}; choose anthropic, openai or mcp")

    def _choices(self) -> dict[str, list[str]]:
        """Return the parameters of verbs that name one of a few things, with the names."""
        items = [each.name for each in self._use.scope.layout.layers if each.kind == "items"]
        return {"target": list(self._use.targets), "section": items, "layer": items}

    def _needed(self, action: Action) -> list[str]:
        """Return the parameters of its verb that an action needs from the model."""
        return [one for one in (*self._verbs[action.name].needs, *action.needs) if one not in action.fixed]

    def _seen(self, action: Action) -> dict[str, str]:
        """Return the parameters of its verb that the model gives an action, and under which name."""
        verb, names = self._verbs[action.name], self._table.names | action.names
        seen = {one: names.get(one, one) for one in (*verb.needs, *verb.takes) if one not in action.fixed}
        return {one: name for one, name in seen.items() if name in self._table.parameters}

    def call(self, arguments: Mapping[str, Any] | str, name: str = "") -> dict[str, Any]:
        """Do what a model asks and answer it: `success` with `message`, or `error` saying what to do.

        Args:
            arguments: As the model gave them, an object or its JSON text.
            name: The tool that was called, if each action is one of its own.
        """
        try:
            answer = self._done(self._read(arguments), name)
        except CommonplaceError as error:
            answer = _failed(str(error))
        return self._answers.given(answer)

    def _done(self, asked: Mapping[str, str], name: str) -> dict[str, Any]:
        if not self._use.scope.config.enabled:
            return _failed("memory is switched off in the configuration (enabled)")
        action = self._action(name if self._table.separate else asked.get("action", ""))
        given = {one: asked[seen] for one, seen in self._seen(action).items() if asked.get(seen, "").strip()}
        missing = [self._seen(action).get(one, one) for one in self._needed(action) if one not in given]
        if missing:
            return _failed(f"{action.name} needs {' and '.join(missing)}; call again with it")
        for one, names in self._choices().items():
            if one in given and names and given[one] not in names:
                if (lower := given[one].strip().lower()) not in names:
                    word = self._seen(action)[one]
                    return _failed(f"there is no {word} {given[one][:40]!r}; use one of {', '.join(names)}")
                given[one] = lower
        answer = _inert(self._verbs[action.name].run(self._use, given | action.fixed))
        if "id" not in self._table.parameters:  # a model that names records by their words has no use for ids
            answer.pop("records", None)
        return answer

    def _read(self, arguments: Mapping[str, Any] | str) -> dict[str, str]:
        given: Any = arguments
        if isinstance(given, str):
            try:
                given = msgspec.json.decode(given)
            except msgspec.DecodeError as error:
                raise InputError("the arguments are no JSON object; send one") from error
        if not isinstance(given, Mapping):
            raise InputError("the arguments are no JSON object; send one")
        own = {"action", *self._table.parameters} - (self._table.names.keys() - set(self._table.names.values()))
        spelled = self._table.names | {_plain(each): each for each in own}
        asked: dict[str, str] = {}
        for key, value in given.items():
            name = str(key) if str(key) in own else spelled.get(_plain(str(key))) or ALIASES.get(str(key).lower(), "")
            if not name or value is None:
                continue
            asked.setdefault(name, _text(name, str(key), value))
        return asked

    def _action(self, given: str) -> Action:
        named = given.strip().lower()
        action = (
            self._actions.get(named)
            or self._actions.get(named.removeprefix(f"{self.name}_"))
            or self._actions.get(ACTION_ALIASES.get(named, ""))
        )
        if action is None:
            raise InputError(f"there is no action {named!r}; use one of {', '.join(self._actions)}")
        return action


def _plain(key: str) -> str:
    """Return the name of a parameter without capitals and marks: `nodeId` and `node_id` are one."""
    return key.replace("_", "").replace("-", "").lower()


def _text(name: str, key: str, value: object) -> str:
    """Return a parameter as text: a number as it is written, a list joined by commas.

    Raises:
        InputError: It is of another shape than the tool says.
    """
    shape = SHAPES.get(name, {"type": "string"})["type"]
    if isinstance(value, str):
        return value
    if shape in {"number", "integer"} and isinstance(value, int | float) and not isinstance(value, bool):
        return str(int(value)) if shape == "integer" else str(value)
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return ", ".join(value)
    raise InputError(f"{key} is {'a text; send it in quotes' if shape == 'string' else f'of type {shape}'}")


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
