"""From what a caller wrote to a model: a string, an object, a function, or none."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, Final

from commonplace.config import ModelConfig
from commonplace.errors import ConfigError
from commonplace.models.anthropic import AnthropicLLM
from commonplace.models.calls import ForeignLLM, FunctionLLM
from commonplace.models.openai import OpenAILLM
from commonplace.models.protocol import LLM

_FORMS: Final = (
    "write 'anthropic:MODEL', 'openai:MODEL' or 'openai:MODEL@http://host:port/v1' (Ollama, vLLM, OpenRouter, "
    "LM Studio), or pass a function or an object with complete()"
)


def resolve(value: str | LLM | Callable[..., Any] | None, *, config: ModelConfig | None = None) -> LLM | None:
    """Make a model of what was passed as `llm`; None stays None.

    No SDK is imported and no connection made before the first call.

    Args:
        value: `anthropic:MODEL`, `openai:MODEL`, either with `@http...` behind it, an object with
            `complete`, or a function of a prompt.
        config: Retries and connect time; the defaults when None.

    Raises:
        ConfigError: The value is none of these; the sentence says what to write.
    """
    if value is None:
        return None
    settings = config or ModelConfig()
    if isinstance(value, str):
        provider, name, url = split_name(value.strip(), ("anthropic", "openai"), _FORMS)
        made = AnthropicLLM if provider == "anthropic" else OpenAILLM
        return made(name, settings, base_url=url)
    if isinstance(value, (AnthropicLLM, OpenAILLM, FunctionLLM, ForeignLLM)):
        return value
    if isinstance(value, type):
        raise ConfigError(f"{value.__name__!r} is a class, not a model; {_FORMS}")
    if callable(getattr(value, "complete", None)):
        return ForeignLLM(value)  # type: ignore[arg-type] # has `complete`; its replies are checked
    if callable(value):
        return FunctionLLM(value)
    raise ConfigError(f"{type(value).__name__!r} is no model; {_FORMS}")


def split_name(text: str, providers: Collection[str], forms: str) -> tuple[str, str, str | None]:
    """Read `PROVIDER:MODEL@http...` into its three parts; the address may be missing.

    Raises:
        ConfigError: It is no such name; the sentence ends with `forms`.
    """
    provider, _, rest = text.partition(":")
    name, at, address = rest.partition("@http")
    name = name.strip()
    url = f"http{address}".rstrip("/") if at else None
    if not name or any(char.isspace() for char in name) or provider not in providers:
        # A key pasted in place of a model must not come back in a log: only what looks like a name is shown.
        shown = text if len(text) <= 60 and not text.startswith("sk-") else "that text"
        raise ConfigError(f"{shown!r} names no model; {forms}")
    if url is not None and not url.startswith(("http://", "https://")):
        raise ConfigError(f"the address {url!r} must start with http:// or https://")
    return provider, name, url
