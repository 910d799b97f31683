"""What the two provider SDKs share: bounded retries and one meaning for their errors.

Both SDKs come from one generator and name their errors alike; the module of the SDK is passed in, so
this one imports neither. Their own retries are switched off because they obey any `Retry-After`, an
hour too: here a wait that would outlast the deadline ends the call at once.
"""

from __future__ import annotations

import functools
import json
import re
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Final

from commonplace.config import ModelConfig
from commonplace.errors import (
    ModelError,
    ModelRefusedError,
    ModelSetupError,
    ModelTimeoutError,
    ModelTruncatedError,
    ModelUnavailableError,
)
from commonplace.models import calls
from commonplace.models.calls import Deadline
from commonplace.models.protocol import Reply, Request, Stop
from commonplace.text.patterns import pattern
from commonplace.text.pieces import estimate_tokens

FIRST_WAIT_SECONDS: Final = 0.5  # then doubled, as both SDKs do
_RETRIED: Final = frozenset({408, 409, 425, 429})
_SETUP: Final = pattern(
    r"model_not_found|invalid_api_key|api_key_invalid|(?:not a valid|invalid|unknown|no such) model\b"
    r"|model\b.{0,80}\b(?:not found|does not exist)"
    r"|(?:invalid|incorrect) api[ _]key|api[ _]key (?:is )?(?:not valid|invalid|expired)",
    re.IGNORECASE,
)
_SCHEMA_STATUS: Final = frozenset({400, 415, 422, 501})


class SchemaRejectedError(Exception):
    """The server would not take the answer's schema; never leaves the adapters."""


class Opening(ABC):
    """An SDK and one client of it, loaded and made at the first call."""

    def __init__(
        self, model: str, config: ModelConfig, *, base_url: str | None = None, api_key: str | None = None
    ) -> None:
        self.model = model
        self._config = config
        self._base_url = base_url or None
        self._api_key = api_key
        self._opening = threading.Lock()
        self._opened: tuple[Any, Any] | None = None

    def _open(self) -> tuple[Any, Any]:
        """Return the module of the SDK and the client.

        Raises:
            ModelSetupError: There is no SDK, or no key.
        """
        with self._opening:
            if self._opened is None:
                self._opened = self._made()
            return self._opened

    def ready(self) -> None:
        """Make sure that the model can be asked at all, without asking it.

        Raises:
            ModelSetupError: There is no SDK, or no key.
        """
        self._open()

    @abstractmethod
    def _made(self) -> tuple[Any, Any]:
        """Load the SDK and make a client."""


class Completing(Opening):
    """A model that completes a request. One that rejects the answer's schema is asked without, and offered none again.

    A subclass names itself in `provider`.
    """

    provider = ""
    _structured = True
    _limits: tuple[str, ...] = ("max_tokens",)

    def complete(self, request: Request) -> Reply:
        """Return the model's answer, with retries, within `timeout_seconds`.

        Raises:
            ModelTimeoutError: No answer in time.
            ModelUnavailableError: 429, 5xx, no connection.
            ModelSetupError: No key, or the SDK is not installed.
            ModelRefusedError: The model or the provider's filter declined.
            ModelTruncatedError: The limit was reached before any text.
            ModelError: The request was rejected or the answer cannot be read.
        """
        name = f"{self.provider}:{request.model or self.model}"
        return calls.within(functools.partial(self._ask, request, name), request.timeout_seconds, name)

    def _ask(self, request: Request, name: str, deadline: Deadline) -> Reply:
        module, client = self._open()
        schema = request.schema is not None and self._structured
        limit, *others = self._limits
        while True:
            post = functools.partial(self._post, client, request, schema, limit)
            try:
                answer = send(module, post, deadline, name, self._config)
            except SchemaRejectedError as error:
                if others and "max_tokens" in error.args[2]:
                    limit = others.pop()
                elif schema:
                    schema = False
                else:
                    raise rejected(error, name) from None
            else:
                self._structured = self._structured and (schema or request.schema is None)
                self._limits = tuple(sorted(self._limits, key=lambda each: each != limit))
                return self._reply(answer, request, name)

    @abstractmethod
    def _post(self, client: Any, request: Request, schema: bool, limit: str, timeout: Any) -> Any:
        """Send a request, with the answer's schema or without; `limit` is the name of the most tokens it may take."""

    @abstractmethod
    def _reply(self, answer: Any, request: Request, name: str) -> Reply:
        """Read an answer."""


def send(sdk: Any, post: Callable[[Any], Any], deadline: Deadline, name: str, config: ModelConfig) -> Any:
    """Post a request, again after failures that may pass, until it is answered or time is short.

    Args:
        sdk: The imported SDK module.
        post: Sends one request with the timeout it is given.
        deadline: What is left of it is every request's own timeout.
        name: Of the model, for messages.
        config: How often to try again, and how long making one connection may take.

    Raises:
        SchemaRejectedError: The server answered with a status that a schema it does not know may cause.
        ModelTimeoutError: The time is over.
        ModelUnavailableError: It kept failing.
        ModelSetupError: There is no key, or the key or the model's name is not accepted.
        ModelRefusedError: The provider's filter stopped it.
        ModelError: The request itself is at fault, or the answer is no JSON.
    """
    for number in range(config.retries + 1):
        timeout = sdk.Timeout(deadline.remaining(), connect=min(config.connect_seconds, deadline.remaining()))
        try:
            return post(timeout)
        except sdk.APIConnectionError as error:
            failure, wait = _connection(sdk, error, name, deadline), FIRST_WAIT_SECONDS * 2**number
        except sdk.APIStatusError as error:
            if not _passes(error):
                raise _status(error, name) from None
            failure = ModelUnavailableError(
                f"{name!r} answered with status {error.status_code}",
                model=name,
                status=error.status_code,
            )
            wait = _retry_after(error) or FIRST_WAIT_SECONDS * 2**number
        except (sdk.APIError, json.JSONDecodeError, UnicodeDecodeError):
            raise ModelError(f"the server of {name!r} answered with something that is not JSON", model=name) from None
        except (TypeError, getattr(sdk, "AnthropicError", TypeError)) as error:
            # Anthropic's SDK looks for a key only when it sends, and says so in two ways.
            if isinstance(error, TypeError) and "authentication" not in str(error):
                raise
            raise ModelSetupError(f"no key for {name!r}; set ANTHROPIC_API_KEY", model=name) from None
        if number == config.retries or not deadline.pause(wait):
            raise failure
    raise AssertionError("unreachable: the last turn raises")


def _connection(sdk: Any, error: Exception, name: str, deadline: Deadline) -> ModelError:
    if isinstance(error, sdk.APITimeoutError) or not deadline.remaining():  # no time left to connect in
        return ModelTimeoutError(
            f"{name!r} did not answer in {deadline.seconds:g} s; raise the timeout or use a faster model",
            model=name,
            timeout_seconds=deadline.seconds,
        )
    return ModelUnavailableError(f"no connection to {name!r}; is the server running?", model=name)


def _passes(error: Any) -> bool:
    advice = error.response.headers.get("x-should-retry")
    if advice in {"true", "false"}:
        return bool(advice == "true")
    # 501 says the server will never do it: that is an answer about the request.
    return error.status_code in _RETRIED or (error.status_code >= 500 and error.status_code != 501)


def _retry_after(error: Any) -> float | None:
    for header, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(error.response.headers.get(header, "")) * unit
        except ValueError:  # absent, or an HTTP date: fall back to doubling
            continue
        if seconds > 0:
            return seconds
    return None


def _status(error: Any, name: str) -> Exception:
    """Return the error for a status, with the provider's code only: its message may quote the key or the prompt."""
    status = error.status_code
    code = _code(error)
    if "content_filter" in code or "content_policy" in code:
        return ModelRefusedError(f"the provider's filter stopped the request to {name!r}", model=name, status=status)
    if status == 400 and _SETUP.search(f"{code} {_message(error)}"):  # of servers that know no 401 and 404
        return ModelSetupError(f"{name!r} knows no such model or key; check both", model=name, status=status)
    if status in _SCHEMA_STATUS:
        return SchemaRejectedError(status, code, _message(error))
    if status == 403:
        why = "it may lack the right to this model, or the account, the region or a proxy forbids it"
        return ModelSetupError(f"{name!r} refuses access; check the key: {why}", model=name, status=status)
    if status == 401:
        return ModelSetupError(f"{name!r} does not accept the key; check it", model=name, status=status)
    if status == 404:
        return ModelSetupError(f"no model {name!r} there; check the name and base_url", model=name, status=status)
    if status == 413:
        return ModelError(f"the request to {name!r} is too large; cut smaller ranges", model=name, status=status)
    return ModelError(f"{name!r} answered with status {status} {code}".rstrip(), model=name, status=status)


def rejected(error: SchemaRejectedError, name: str) -> ModelError:
    """Return the error for a request that failed without a schema too."""
    status, code = error.args[0], error.args[1]
    return ModelError(f"{name!r} rejects the request: status {status} {code}".rstrip(), model=name, status=status)


def _error_object(error: Any) -> dict[str, Any]:
    body = getattr(error, "body", None)
    if not isinstance(body, dict):
        return {}
    inner = body.get("error", body)
    return inner if isinstance(inner, dict) else {}


def _code(error: Any) -> str:
    values = (_error_object(error).get(key) for key in ("type", "code"))
    words = [v for v in values if isinstance(v, str) and len(v) <= 60 and v.replace("_", "").replace(".", "").isalnum()]
    return " ".join(words)


def _message(error: Any) -> str:
    message = _error_object(error).get("message")
    return message if isinstance(message, str) else ""


def count(usage: object, *names: str) -> int:
    """Read a token count by its path; 0 where it is absent or no number."""
    value = usage
    for name in names:
        value = value.get(name) if isinstance(value, dict) else getattr(value, name, None)
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def outcome(text: str, request: Request, name: str, stop: Stop, tokens: tuple[int, int, int]) -> Reply:
    """Return a reply, or raise if there is nothing in it to read; the error carries it.

    `tokens` are those of the input, of the output and from the cache; where a server counts none they are estimated.
    """
    took = tokens[0] or estimate_tokens(request.system) + estimate_tokens(request.prompt)
    reply = Reply(text, took, tokens[1] or estimate_tokens(text), tokens[2], name, stop)
    if reply.stop == "refusal":
        raise ModelRefusedError(f"{name!r} declined to answer; the range is kept as it is", model=name, reply=reply)
    if reply.stop == "length" and not reply.text.strip():
        raise ModelTruncatedError(
            f"{name!r} reached its limit of tokens before any text; raise max_tokens", model=name, reply=reply
        )
    return reply
