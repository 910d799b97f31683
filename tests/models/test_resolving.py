"""What may be passed as `llm`, and plain functions as models."""

import asyncio
import subprocess
import sys
import threading
from types import SimpleNamespace

import pytest

from commonplace.config import ModelConfig
from commonplace.errors import ConfigError, ModelError, ModelSetupError, ModelTimeoutError
from commonplace.models import LLM, Reply, Request, resolve
from commonplace.models.anthropic import AnthropicLLM
from commonplace.models.openai import OpenAILLM
from commonplace.testing import ScriptedLLM
from inside import address_of, close_client
from marking import in_one_test


def ask(llm, **more):
    return llm.complete(Request(**{"prompt": "hello", "timeout_seconds": 20.0, **more}))


def test_strings_name_a_provider_and_a_model():
    """DESIGN 6: `anthropic:…`, `openai:…` with `base_url`."""
    claude = resolve("anthropic:claude-x")
    local = resolve("openai:llama3.1:8b@http://localhost:11434/v1")
    routed = resolve("openai:meta/llama@https://openrouter.ai/api/v1")
    configured = resolve("openai:m", config=ModelConfig(base_url="http://127.0.0.1:1234/v1"))
    assert isinstance(claude, AnthropicLLM)
    assert all(isinstance(llm, (LLM, OpenAILLM)) for llm in (local, routed, configured))
    assert (claude.model, local.model, address_of(local)) == ("claude-x", "llama3.1:8b", "http://localhost:11434/v1")
    assert (address_of(routed), address_of(configured)) == ("https://openrouter.ai/api/v1", "http://127.0.0.1:1234/v1")
    assert resolve(None) is None


@in_one_test("text", ["", "gpt-5", "anthropic:", "openai:  ", "mistral:large", "openai:two words", ":x", "ftp:model"])
def test_a_string_that_names_no_model_says_what_to_write(text):
    """Brief: unknown strings give a ConfigError that says what to write."""
    with pytest.raises(ConfigError, match="anthropic:MODEL"):
        resolve(text)


def test_a_key_pasted_as_a_model_does_not_come_back_in_the_message():
    """DESIGN 1.7: secrets stay out, of errors too."""
    with pytest.raises(ConfigError) as caught:
        resolve("sk-ant-0123456789")
    assert "0123456789" not in str(caught.value)


@in_one_test("value", [7, object(), ScriptedLLM, ["openai:x"]])
def test_a_value_that_is_no_model_says_what_to_write(value):
    """Brief: ConfigError with the forms."""
    with pytest.raises(ConfigError, match="openai:MODEL"):
        resolve(value)


def test_a_base_url_must_be_a_web_address():
    """A wrong address is known at open, not at the first job."""
    with pytest.raises(ConfigError, match="http"):
        resolve("openai:x@httplocalhost:11434")


@pytest.mark.parametrize("name", ["anthropic", "openai"])
def test_a_missing_extra_names_the_install_command(name, monkeypatch):
    """House style: the error names the install command."""
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ModelSetupError, match=rf"pip install 'commonplace-memory\[{name}\]'"):
        ask(resolve(f"{name}:x"))


@pytest.mark.parametrize("name", ["anthropic", "openai"])
def test_a_missing_key_says_which_variable_to_set(name, monkeypatch, tmp_path):
    """DESIGN 1.2: no key is needed until a model job runs, and then it says so."""
    for variable in (
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_AUTH_TOKEN",
        "ANTHROPIC_PROFILE",
        "ANTHROPIC_IDENTITY_TOKEN",
        "OPENAI_API_KEY",
        "OPENAI_ADMIN_KEY",
        "OPENAI_BASE_URL",
    ):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("ANTHROPIC_CONFIG_DIR", str(tmp_path))
    llm = resolve(f"{name}:x", config=ModelConfig(retries=0))
    with pytest.raises(ModelSetupError, match="API_KEY"):
        ask(llm)
    close_client(llm)


def test_a_key_that_the_sdk_would_miss_only_when_sending_is_missed_before(monkeypatch, tmp_path):
    """Issue 17: a missing key is known before any message is read; Anthropic's SDK opens without one."""
    for variable in (
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_AUTH_TOKEN",
        "ANTHROPIC_PROFILE",
        "ANTHROPIC_IDENTITY_TOKEN",
        "ANTHROPIC_CONFIG_DIR",
    ):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    llm = resolve("anthropic:x@http://127.0.0.1:9", config=ModelConfig(retries=0))
    with pytest.raises(ModelSetupError, match="ANTHROPIC_API_KEY"):
        ask(llm)
    close_client(llm)


def test_importing_models_imports_no_sdk():
    """DESIGN 8: what is heavy is imported where it is used."""
    code = "import sys, commonplace.models; print([m for m in ('anthropic','openai','httpx2','asyncio','pydantic','inspect') if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    assert [name for name in ("anthropic", "openai", "httpx2", "asyncio", "pydantic") if name in out.stdout] == []


def test_a_plain_function_is_a_model():
    """DESIGN 6: a plain function; the system prompt stands before the prompt."""
    reply = ask(resolve(lambda prompt: prompt.upper()), system="be brief")
    assert (reply.text, reply.stop, reply.tokens_in > 0) == ("BE BRIEF\n\nHELLO", "end", True)


def two_layer(message, options):
    return {"content": f"{options['model']}: {message}"}


async def two_layer_async(message, options):
    await asyncio.sleep(0)
    return SimpleNamespace(content=message)


async def plain_async(prompt):
    return prompt


def defaulted(prompt, temperature=0.2):
    return f"{prompt} {temperature}"


@in_one_test(
    "function, expected",
    [
        (two_layer, "two_layer: hello"),
        (two_layer_async, "hello"),
        (plain_async, "hello"),
        (defaulted, "hello 0.2"),
        (str, None),
    ],
)
def test_the_shapes_of_functions(function, expected):
    """Seed two-layer: PromptFn; async functions run to their end in the call's thread."""
    if expected is None:
        with pytest.raises(ConfigError):
            resolve(function)
        return
    assert ask(resolve(function)).text == expected


def test_a_builtin_without_a_signature_is_called_with_the_prompt():
    """A C function may hide its parameters."""
    assert ask(resolve({"hello": "there"}.get)).text == "there"


@in_one_test(
    "answer", [None, 7, b"bytes", {"content": None}, {"text": "x"}, [], SimpleNamespace(content=3), Reply(text=None)]
)
def test_a_function_that_returns_no_text_is_a_model_error(answer):
    """Issue 4, bad input: a function that returns nothing. Nothing is stringified."""
    with pytest.raises(ModelError, match="text"):
        ask(resolve(lambda prompt: answer))


def test_a_function_that_raises_is_a_model_error_that_names_the_class_only():
    """Issue 4, bad input: the foreign message may hold a key or the prompt."""

    def broken(prompt):
        raise RuntimeError("token sk-123 for " + prompt)

    with pytest.raises(ModelError, match="RuntimeError") as caught:
        ask(resolve(broken))
    assert "sk-123" not in str(caught.value)
    assert isinstance(caught.value.__cause__, RuntimeError)


def test_a_function_that_exits_does_not_leave_the_caller_waiting():
    """Issue 4, bad input: even SystemExit in the thread ends the call."""

    def leave(prompt):
        raise SystemExit(3)

    with pytest.raises(ModelError, match="SystemExit"):
        ask(resolve(leave))


def test_a_function_that_hangs_is_abandoned_at_the_deadline():
    """DESIGN 6: in a daemon thread, abandoned at the deadline, its late answer dropped."""
    go, ended = threading.Event(), threading.Event()

    def slow(prompt):
        go.wait(60)
        ended.set()
        return "late"

    with pytest.raises(ModelTimeoutError):
        ask(resolve(slow), timeout_seconds=0.05)
    assert all(t.daemon for t in threading.enumerate() if t.name.startswith("commonplace model"))
    go.set()
    assert ended.wait(60)


def test_an_async_function_that_hangs_is_cancelled_at_the_deadline():
    """Async functions are run to completion in the call's thread, no longer than the deadline."""
    cancelled = threading.Event()

    async def slow(prompt):
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    with pytest.raises(ModelTimeoutError):
        ask(resolve(slow), timeout_seconds=0.1)
    assert cancelled.wait(60)


def test_an_object_with_complete_is_held_to_the_deadline_and_the_shape():
    """DESIGN 6: any `LLM`."""

    class Text:
        def complete(self, request):
            return request.prompt

    class Hanging:
        def complete(self, request):
            threading.Event().wait(5)

    assert ask(resolve(Text())).text == "hello"
    scripted = ScriptedLLM("x")
    assert (ask(resolve(scripted)).text, scripted.prompts) == ("x", ["hello"])
    with pytest.raises(ModelTimeoutError):
        ask(resolve(Hanging()), timeout_seconds=0.05)
    with pytest.raises(ModelSetupError):
        ask(resolve(ScriptedLLM(ModelSetupError("down"))))


def test_a_resolved_model_resolves_to_itself():
    """`Memory.open` and a worker may both resolve."""
    for value in ("anthropic:x", lambda prompt: prompt, ScriptedLLM("x")):
        once = resolve(value)
        assert resolve(once) is once
