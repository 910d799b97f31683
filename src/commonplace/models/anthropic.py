"""Models of Anthropic through the `anthropic` SDK; the only module that imports it, at the first call."""

from __future__ import annotations

from typing import Any, Final

from commonplace.errors import ModelError, ModelSetupError
from commonplace.models import sdk
from commonplace.models.protocol import Reply, Request, Stop

_NO_KEY: Final = "no key for Anthropic; set ANTHROPIC_API_KEY"


class AnthropicLLM(sdk.Completing):
    """One model of Anthropic. The key is the SDK's business (`ANTHROPIC_API_KEY` or a profile).

    The answer's schema goes as `output_config`. No sampling parameter is sent: the SDK has none.
    """

    provider = "anthropic"

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

    def _post(self, client: Any, request: Request, schema: bool, limit: str, timeout: Any) -> Any:
        extra: dict[str, Any] = {limit: request.max_tokens}
        if request.system:
            extra["system"] = request.system
        if schema:
            extra["output_config"] = {"format": {"type": "json_schema", "schema": request.schema}}
        return client.messages.create(
            model=request.model or self.model,
            messages=[{"role": "user", "content": request.prompt}],
            timeout=timeout,
            **extra,
        )

    def _reply(self, answer: Any, request: Request, name: str) -> Reply:
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
        return sdk.outcome(text, request, name, stop, (tokens_in, sdk.count(usage, "output_tokens"), cached))
