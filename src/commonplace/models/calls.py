"""One call to a model within its time: the deadline, plain functions, retries.

Whatever a model's code does (hang, drip bytes, resolve a name for minutes, raise), the caller has its
answer or a typed error when the request's time is over. Work that outlives its deadline goes on in a
daemon thread; what it says late is dropped.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from commonplace.errors import ConfigError, ModelError, ModelSetupError, ModelTimeoutError
from commonplace.models.protocol import LLM, Reply, Request
from commonplace.text.pieces import estimate_tokens

T = TypeVar("T")


class Deadline:
    """The end of one call's time; `over` is set when no caller waits for it any more."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds
        self.seconds = seconds
        self.over = threading.Event()

    def remaining(self) -> float:
        """Return the seconds left, never below 0."""
        return max(0.0, self._end - time.monotonic())

    def pause(self, seconds: float) -> bool:
        """Wait, unless the wait would outlast the deadline; True if there is time to go on."""
        return seconds < self.remaining() and not self.over.wait(seconds) and self.remaining() > 0


def within(work: Callable[[Deadline], T], seconds: float, name: str) -> T:
    """Do the work in a thread of its own and wait for it until the deadline.

    Raises:
        ModelTimeoutError: The deadline passed; the thread is abandoned.
        ModelError: What the work raised, as it is when typed, else named by its class only, because
            a foreign error's text may quote the prompt or a key.
    """
    deadline = Deadline(seconds)
    answers: list[T] = []
    failures: list[BaseException] = []
    done = threading.Event()

    def body() -> None:
        try:
            answers.append(work(deadline))
        except BaseException as error:  # noqa: BLE001 - the top of a thread: SystemExit must reach the caller too
            failures.append(error)
        finally:
            done.set()

    threading.Thread(target=body, name=f"commonplace model {name}", daemon=True).start()
    if not done.wait(deadline.remaining()):
        deadline.over.set()
        raise ModelTimeoutError(
            f"{name!r} did not answer in {seconds:g} s; raise the timeout or use a faster model",
            model=name,
            timeout_seconds=seconds,
        )
    if failures:
        error = failures[0]
        if isinstance(error, (ModelError, AssertionError)):  # the latter is of a test, about the code that asked
            raise error
        if isinstance(error, ConfigError):
            raise ModelSetupError(str(error), model=name) from error
        raise ModelError(f"{name!r} raised {type(error).__name__}; see its cause", model=name) from error
    return answers[0]


class FunctionLLM:
    """A plain function as a model: `f(prompt)` or the seed's `f(message, {"model": ...})`.

    It may return a text, `{"content": text}`, an object with `.content`, a `Reply`, or an awaitable
    of one of these, which is run to its end in the call's thread. The system prompt comes before the
    prompt. Source: seed two-layer, "PromptFn".
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._options = _wants_options(function)
        self.model = getattr(function, "__name__", "") or type(function).__name__

    def complete(self, request: Request) -> Reply:
        """Call the function and wait at most `timeout_seconds`; a late answer is dropped."""
        message = f"{request.system}\n\n{request.prompt}" if request.system else request.prompt
        options = {
            "model": request.model or self.model,
            "max_tokens": request.max_tokens,
            "timeout_seconds": request.timeout_seconds,
        }
        arguments = (message, options) if self._options else (message,)
        return _asked(lambda: self._function(*arguments), request, self.model)


class ForeignLLM:
    """Any object with `complete`, held to its deadline and to the shape of a reply."""

    def __init__(self, llm: LLM) -> None:
        self.inner = llm
        self.model = str(getattr(llm, "model", "") or type(llm).__name__)

    def complete(self, request: Request) -> Reply:
        """Pass the request on and wait at most `timeout_seconds`."""
        return _asked(lambda: self.inner.complete(request), request, self.model)


def _asked(ask: Callable[[], Any], request: Request, name: str) -> Reply:
    def work(deadline: Deadline) -> Reply:
        return as_reply(settle(ask(), deadline), request, request.model or name)

    return within(work, request.timeout_seconds, name)


def _wants_options(function: Callable[..., Any]) -> bool:
    import inspect  # noqa: PLC0415 - 8 ms that only users of a function pay

    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return False
    positional = [p for p in parameters if p.kind in {p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD}]
    required = [p for p in positional if p.default is p.empty]
    return len(required) == 2 or (len(positional) > 1 and positional[1].name == "options")


def settle(answer: Any, deadline: Deadline) -> Any:
    """Run an awaitable to its end in this thread; anything else is given back as it is."""
    if not hasattr(answer, "__await__"):
        return answer
    import asyncio  # noqa: PLC0415 - 60 ms that only users of an async function pay

    async def wait() -> Any:
        return await asyncio.wait_for(answer, max(0.001, deadline.remaining()))

    coroutine: Coroutine[Any, Any, Any] = wait()
    try:
        return asyncio.run(coroutine)
    except TimeoutError as error:
        raise ModelTimeoutError(f"no answer in {deadline.seconds:g} s", timeout_seconds=deadline.seconds) from error


def as_reply(answer: Any, request: Request, model: str) -> Reply:
    """Make a reply of what a function returned; its tokens are estimated.

    Raises:
        ModelError: It is no text and holds none.
    """
    if isinstance(answer, Reply):
        if not isinstance(answer.text, str):
            raise ModelError(f"{model!r} replied with {type(answer.text).__name__}, not text", model=model)
        return answer
    content = answer.get("content") if isinstance(answer, dict) else getattr(answer, "content", answer)
    if not isinstance(content, str):
        raise ModelError(f"{model!r} returned {type(content).__name__}; return the answer as text", model=model)
    return Reply(
        text=content,
        tokens_in=estimate_tokens(request.system) + estimate_tokens(request.prompt),
        tokens_out=estimate_tokens(content),
        model=model,
    )
