"""Models of Anthropic through the `anthropic` SDK; the only module that imports it, at the first call."""

from __future__ import annotations

import functools
from typing import Any, Final

from commonplace.config import ModelConfig
from commonplace.errors import ModelError, ModelSetupError
from commonplace.models import calls, sdk
from commonplace.models.protocol import Reply, Request, Stop
from commonplace.text.pieces import estimate_tokens

_NO_KEY: Final = "no key for Anthropic; set ANTHROPIC_API_KEY"


class AnthropicLLM(sdk.Opening):
    """One model of Anthropic. The key is the SDK's business (`ANTHROPIC_API_KEY` or a profile).

    The answer's schema goes as `output_config`; a model that rejects it is asked again without, and
    not offered one any more. No sampling parameter is sent: the SDK has none.
    """

    def __init__(
        self, model: str, config: ModelConfig, *, base_url: str | None = None, api_key: str | None = None
    ) -> None:
        super().__init__()
        self.model = model
        self._config = config
        self._base_url = base_url or None
        self._api_key = api_key
        self._structured = True

    def complete(self, request: Request) -> Reply:
        """Return the model's answer, with retries, within `timeout_seconds`.

        Raises:
            ModelTimeoutError: No answer in time.
            ModelUnavailableError: 429, 5xx, no connection.
            ModelSetupError: No key, or the SDK is not installed.
            ModelRefusedError: The model declined.
            ModelTruncatedError: The limit was reached before any text.
            ModelError: The request was rejected or the answer cannot be read.
        """
        name = f"anthropic:{request.model or self.model}"
        return calls.run(functools.partial(self._ask, request, name), request, name)

    def _made(self) -> tuple[Any, Any]:
        try:
            import anthropic  # noqa: PLC0415 - an extra, and 1.2 s that only its users pay
        except ImportError as error:
            raise ModelSetupError(
                "the anthropic package is missing; run: pip install 'commonplace-memory[anthropic]'"
            ) from error
        try:
            client = anthropic.Anthropic(
                api_key=self._api_key, base_url=self._base_url, max_retries=0, timeout=self._config.timeout_seconds
            )
        except anthropic.AnthropicError:
            raise ModelSetupError(_NO_KEY) from None
        if not (client.api_key or client.auth_token or client.credentials):
            client.close()
            raise ModelSetupError(_NO_KEY)
        return anthropic, client

    def _ask(self, request: Request, name: str, deadline: calls.Deadline) -> Reply:
        module, client = self._open()

        def post(schema: bool, timeout: Any) -> Any:
            extra: dict[str, Any] = {"system": request.system} if request.system else {}
            if schema:
                extra["output_config"] = {"format": {"type": "json_schema", "schema": request.schema}}
            return client.messages.create(
                model=request.model or self.model,
                max_tokens=request.max_tokens,
                messages=[{"role": "user", "content": request.prompt}],
                timeout=timeout,
                **extra,
            )

        schema = request.schema is not None and self._structured
        try:
            answer = sdk.send(module, functools.partial(post, schema), deadline, name, self._config)
        except sdk.SchemaRejectedError as error:
            if not schema:
                raise sdk.rejected(error, name) from None
            try:
                answer = sdk.send(module, functools.partial(post, False), deadline, name, self._config)
            except sdk.SchemaRejectedError as again:
                raise sdk.rejected(again, name) from None
            self._structured = False
        return _reply(answer, request, name)


def _reply(answer: Any, request: Request, name: str) -> Reply:
    blocks = getattr(answer, "content", None)
    if not isinstance(blocks, list):
        raise ModelError(f"the answer of {name!r} has no content that can be read", model=name)
    texts = [getattr(block, "text", None) for block in blocks if getattr(block, "type", None) == "text"]
    text = "".join(part for part in texts if isinstance(part, str))
    usage = getattr(answer, "usage", None)
    cached = sdk.count(usage, "cache_read_input_tokens")
    tokens_in = sdk.count(usage, "input_tokens") + sdk.count(usage, "cache_creation_input_tokens") + cached
    reason = getattr(answer, "stop_reason", None)
    stop: Stop = (
        "length"
        if reason in {"max_tokens", "model_context_window_exceeded"}
        else "refusal"
        if reason == "refusal"
        else "end"
    )
    reply = Reply(
        text=text,
        tokens_in=tokens_in or estimate_tokens(request.system) + estimate_tokens(request.prompt),
        tokens_out=sdk.count(usage, "output_tokens") or estimate_tokens(text),
        tokens_cached=cached,
        model=name,
        stop=stop,
    )
    return sdk.outcome(reply, name)
