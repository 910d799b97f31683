"""Models of OpenAI and of every compatible server through the `openai` SDK; the only module that imports it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from commonplace.config import ModelConfig
from commonplace.errors import ModelError, ModelSetupError
from commonplace.models import calls, sdk
from commonplace.models.protocol import Reply, Request, Stop
from commonplace.text.pieces import estimate_tokens


class _Served(sdk.Opening):
    """A model at OpenAI or at a compatible server."""

    def __init__(
        self, model: str, config: ModelConfig, *, base_url: str | None = None, api_key: str | None = None
    ) -> None:
        super().__init__(model, config, base_url=base_url or config.base_url, api_key=api_key)
        # Only OpenAI itself knows the new name of the limit; Ollama would answer without any.
        names = ("max_tokens", "max_completion_tokens")
        self._limits: tuple[str, ...] = names if self._base_url else names[::-1]

    def _made(self) -> tuple[Any, Any]:
        try:
            import openai  # noqa: PLC0415 - an extra, and 0.5 s that only its users pay
        except ImportError as error:
            raise ModelSetupError(
                "the openai package is missing; run: pip install 'commonplace-memory[openai]'"
            ) from error
        options = {"base_url": self._base_url, "max_retries": 0, "timeout": self._config.timeout_seconds}
        try:
            client = openai.OpenAI(api_key=self._api_key, **options)  # type: ignore[arg-type] # one dict, three types
        except openai.OpenAIError:
            if not self._base_url:
                raise ModelSetupError("no key for OpenAI; set OPENAI_API_KEY") from None
            client = openai.OpenAI(api_key="none", **options)  # type: ignore[arg-type] # a local server asks for none
        return openai, client


class OpenAILLM(_Served, sdk.Completing):
    """One model behind the chat completions interface: OpenAI, Ollama, vLLM, OpenRouter, LM Studio.

    The answer's schema goes as `response_format`; a server that ignores it is caught by the parser. The key is the
    SDK's business (`OPENAI_API_KEY`); a server named by `base_url` may need none.
    """

    provider = "openai"

    def _post(self, client: Any, request: Request, schema: bool, limit: str, timeout: Any) -> Any:
        messages = [{"role": "user", "content": request.prompt}]
        if request.system:
            messages.insert(0, {"role": "system", "content": request.system})
        extra: dict[str, Any] = {limit: request.max_tokens}
        if schema:
            shape = {"name": "answer", "schema": request.schema, "strict": True}
            extra["response_format"] = {"type": "json_schema", "json_schema": shape}
        return client.chat.completions.create(
            model=request.model or self.model, messages=messages, timeout=timeout, **extra
        )

    def _reply(self, answer: Any, request: Request, name: str) -> Reply:
        choices = getattr(answer, "choices", None)
        message = getattr(choices[0], "message", None) if isinstance(choices, list) and choices else None
        if message is None:
            raise ModelError(f"the answer of {name!r} has no choice that can be read", model=name)
        content = getattr(message, "content", None)
        text = content if isinstance(content, str) else ""
        reason = getattr(choices[0], "finish_reason", None) if isinstance(choices, list) else None
        declined = reason == "content_filter" or bool(getattr(message, "refusal", None))
        stop: Stop = "refusal" if declined else "length" if reason == "length" else "end"
        usage = getattr(answer, "usage", None)
        cached = sdk.count(usage, "prompt_tokens_details", "cached_tokens")
        tokens = sdk.count(usage, "prompt_tokens"), sdk.count(usage, "completion_tokens"), cached
        return sdk.outcome(text, request, name, stop, tokens)


class OpenAIEmbedder(_Served):
    """One embedding model behind `/v1/embeddings`: OpenAI, Ollama, vLLM, LM Studio.

    Args:
        model: Its name there.
        config: Retries and connect time.
        base_url: Of the server; OpenAI's where None.
        api_key: As the SDK finds it where None.
    """

    tokens = 0  # of all texts embedded, as the server counts them, else estimated

    @property
    def name(self) -> str:
        """The model and where it is served."""
        return f"openai:{self.model}" + (f"@{self._base_url}" if self._base_url else "")

    def __call__(self, texts: Sequence[str], /) -> Sequence[Sequence[float]]:
        """Embed some texts within the configured time."""
        return self.within(texts, calls.Deadline(self._config.timeout_seconds))

    def within(self, texts: Sequence[str], deadline: calls.Deadline) -> Sequence[Sequence[float]]:
        """Embed some texts, retries included, before the deadline.

        Raises:
            ModelTimeoutError: No answer in time.
            ModelUnavailableError: 429, 5xx, no connection.
            ModelSetupError: No key, or the SDK is not installed.
            ModelError: The request was rejected or the answer cannot be read.
        """
        module, client = self._open()

        def post(timeout: Any) -> Any:
            # Asked for as numbers: not every server knows base64, the SDK's own choice.
            return client.embeddings.create(
                model=self.model, input=list(texts), encoding_format="float", timeout=timeout
            )

        try:
            answer = sdk.send(module, post, deadline, self.name, self._config)
        except sdk.SchemaRejectedError as error:
            raise sdk.rejected(error, self.name) from None
        vectors = _vectors(answer, len(texts), self.name)
        self.tokens += sdk.count(getattr(answer, "usage", None), "prompt_tokens") or sum(map(estimate_tokens, texts))
        return vectors


def _vectors(answer: Any, wanted: int, name: str) -> list[list[float]]:
    """Read the vectors in the order of the texts; `index` says which is whose."""
    data = getattr(answer, "data", None)
    if not isinstance(data, list) or len(data) != wanted:
        raise ModelError(f"{name!r} did not answer with one vector for each text", model=name)
    ordered: list[list[float]] = [[] for _ in range(wanted)]
    for place, each in enumerate(data):
        index, vector = getattr(each, "index", None), getattr(each, "embedding", None)
        at = index if isinstance(index, int) and 0 <= index < wanted else place
        if not isinstance(vector, list) or not all(isinstance(value, int | float) for value in vector):
            raise ModelError(f"{name!r} answered with something that is no vector", model=name)
        ordered[at] = vector
    return ordered
