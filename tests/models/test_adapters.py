"""Both adapters with the real SDK clients against a loopback server."""

import json

import pytest
from loopback import Loopback, Provider, anthropic_body, openai_body

from commonplace.config import Price, SpendingConfig
from commonplace.errors import (
    ModelError,
    ModelRefusedError,
    ModelSetupError,
    ModelTimeoutError,
    ModelTruncatedError,
    ModelUnavailableError,
)
from commonplace.models import Request, calls
from commonplace.models.replies import Unusable, parse_proposal, proposal_schema
from commonplace.models.spending import Ledger, MeteredLLM
from commonplace.operations import View
from commonplace.testing import FixedClock
from inside import close_client
from marking import slow_after

SCHEMA = {
    "type": "object",
    "properties": {"journal": {"type": "string"}},
    "required": ["journal"],
    "additionalProperties": False,
}
QUICK = {"retry-after-ms": "1"}


def ask(**more):
    return Request(
        **{"system": "be brief", "prompt": "what happened?", "max_tokens": 77, "timeout_seconds": 20.0, **more}
    )


def test_an_answer_comes_back_with_its_tokens(provider, server):
    """Issue 4: models through the real SDK clients."""
    server.script = [(200, provider.body("fine"))]
    reply = provider.open().complete(ask())
    assert (reply.text, reply.stop, reply.tokens_out > 0, reply.tokens_in > 0) == ("fine", "end", True, True)
    assert len(server.seen) == 1


def test_own_limits_are_always_passed(provider, server):
    """Ecosystem survey: the SDK's read timeout is 600 s, so ours is sent with each request."""
    server.script = [(200, provider.body("fine"))]
    provider.open().complete(ask())
    seen = server.seen[0]
    assert 77 in {seen["body"].get("max_tokens"), seen["body"].get("max_completion_tokens")}
    assert float(seen["headers"]["x-stainless-read-timeout"]) <= 20.0
    assert "temperature" not in seen["body"]


def test_the_schema_is_sent_where_one_is_asked_for(provider, server):
    """Brief of the survey: structured output first."""
    server.script = [(200, provider.body('{"journal":"x"}'))]
    provider.open().complete(ask(schema=SCHEMA))
    assert "journal" in str(server.seen[0]["body"][provider.schema_field])


def test_a_server_that_rejects_the_schema_is_asked_once_more_without_and_then_always_without(provider, server):
    """Ecosystem survey: some servers know no structured output."""
    server.script = [
        (400, provider.error("invalid_request_error")),
        (200, provider.body("a")),
        (200, provider.body("b")),
    ]
    llm = provider.open()
    assert [llm.complete(ask(schema=SCHEMA)).text, llm.complete(ask(schema=SCHEMA)).text] == ["a", "b"]
    assert [provider.schema_field in seen["body"] for seen in server.seen] == [True, False, False]


def test_a_request_that_is_wrong_in_itself_fails_after_the_try_without_a_schema(provider, server):
    """Issue 4: a clean outcome; the provider's message, which may quote the prompt, is not passed on."""
    server.script = [(400, provider.error("invalid_request_error", "your prompt: what happened?"))]
    with pytest.raises(ModelError, match="status 400") as caught:
        provider.open().complete(ask(schema=SCHEMA))
    assert "what happened" not in str(caught.value)
    assert len(server.seen) == 2


@pytest.mark.parametrize("status", slow_after(4, [408, 409, 429, 500, 502, 503, 529]))
def test_a_failure_that_passes_is_tried_again(provider, server, status):
    """Issue 4: 429, 5xx, retries included."""
    server.script = [(status, provider.error("overloaded_error"), QUICK), (200, provider.body("fine"))]
    assert provider.open().complete(ask()).text == "fine"
    assert len(server.seen) == 2


@pytest.mark.parametrize("status", [429, 500, 529])
def test_a_failure_that_stays_is_unavailable_after_the_retries(provider, server, status):
    """Issue 4: retries are bounded in number."""
    server.script = [(status, provider.error("overloaded_error"), QUICK)]
    with pytest.raises(ModelUnavailableError) as caught:
        provider.open(retries=2).complete(ask())
    assert (len(server.seen), caught.value.status) == (3, status)


def test_a_wait_that_would_outlast_the_deadline_ends_the_call_at_once(provider, server):
    """The SDKs obey `Retry-After: 3600`; a memory job does not."""
    server.script = [(429, provider.error("rate_limit_error"), {"retry-after": "3600"})]
    with pytest.raises(ModelUnavailableError):
        provider.open().complete(ask())
    assert len(server.seen) == 1


def test_a_server_that_says_do_not_retry_is_obeyed(provider, server):
    """Both SDKs know `x-should-retry`."""
    server.script = [(500, provider.error("api_error"), {"x-should-retry": "false"})]
    with pytest.raises(ModelError):
        provider.open().complete(ask())
    assert len(server.seen) == 1


def test_a_server_that_holds_the_connection_times_out_without_a_second_request(provider, server):
    """Issue 4: timeout; DESIGN 1.9: memory never blocks the reply."""
    server.script = [(200, Loopback.HOLD)]
    with pytest.raises(ModelTimeoutError) as caught:
        provider.open().complete(ask(timeout_seconds=0.3))
    assert isinstance(caught.value, TimeoutError)
    assert len(server.seen) <= 1  # none where the machine had no time for us before the deadline


def test_a_server_that_drips_bytes_for_ever_times_out_at_the_deadline(provider, server):
    """A read timeout starts anew with each byte; the deadline does not."""
    server.script = [(200, Loopback.DRIP)]
    with pytest.raises(ModelTimeoutError):
        provider.open().complete(ask(timeout_seconds=0.3))
    assert len(server.seen) <= 1


def test_no_retry_starts_after_the_deadline(provider, server):
    """The deadline bounds the number of requests: the first is answered late, no other follows."""
    server.script = [(500, provider.error("api_error"), {"retry-after-ms": "400"})]
    with pytest.raises((ModelUnavailableError, ModelTimeoutError)):
        provider.open(retries=50).complete(ask(timeout_seconds=0.9))
    assert len(server.seen) <= 3


def test_a_refusal_is_an_error_that_carries_what_it_cost(provider, server):
    """Issue 4: refusal."""
    server.script = [(200, provider.body("I cannot", stop=provider.refusal))]
    with pytest.raises(ModelRefusedError) as caught:
        provider.open().complete(ask())
    assert caught.value.reply.tokens_out > 0


def test_a_cut_answer_comes_back_marked_and_an_empty_cut_is_an_error(provider, server):
    """Issue 4: truncated output; it must never be repaired."""
    server.script = [
        (200, provider.body('{"journal": "hal', stop=provider.length)),
        (200, provider.body("", stop=provider.length)),
    ]
    llm = provider.open()
    assert llm.complete(ask()).stop == "length"
    with pytest.raises(ModelTruncatedError):
        llm.complete(ask())


@pytest.mark.parametrize(
    "body",
    [
        b"<html>proxy</html>",
        b"",
        b"[]",
        b"null",
        b'"text"',
        b"{}",
        b'{"choices":[]}',
        b'{"choices":"x","content":7}',
        b'{"choices":[null],"content":null}',
        b"{\xff}",
    ],
)
def test_a_malformed_body_is_a_model_error(provider, server, body):
    """Issue 4: every malformed answer ends in a clean outcome."""
    server.script = [(200, body)]
    with pytest.raises(ModelError):
        provider.open(retries=0).complete(ask())


def test_a_body_that_claims_text_but_is_html_is_a_model_error(provider, server):
    """A captive portal answers 200 with a page."""
    server.script = [(200, b"<html>log in</html>", {"content-type": "text/html"})]
    with pytest.raises(ModelError):
        provider.open(retries=0).complete(ask())


def test_no_server_is_unavailable(provider, server):
    """Issue 4: connection refused."""
    llm = provider.open(retries=0)
    server.close()
    with pytest.raises(ModelUnavailableError, match="no connection"):
        llm.complete(ask())


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_rejected_key_or_unknown_model_is_a_fault_of_the_setup_and_not_retried(provider, server, status):
    """Issue 4: a clean outcome that says what to check."""
    server.script = [(status, provider.error("authentication_error", "Incorrect API key: test-key"))]
    with pytest.raises(ModelSetupError, match="check") as caught:
        provider.open().complete(ask())
    assert "test-key" not in str(caught.value)
    assert len(server.seen) == 1


@pytest.mark.parametrize("said", ["acme/fast is not a valid model ID", "API key not valid. Please pass a valid key."])
def test_a_server_that_answers_an_unknown_model_with_400_is_told_apart(provider, server, said):
    """Issue 17: it counted as an attempt, and two-layer wrote a raw entry."""
    server.script = [(400, provider.error("invalid_request_error", said))]
    with pytest.raises(ModelSetupError, match="check"):
        provider.open().complete(ask())


def test_a_request_that_is_too_large_says_so(provider, server):
    """Issue 4: a range of one huge message."""
    server.script = [(413, provider.error("request_too_large"))]
    with pytest.raises(ModelError, match="smaller ranges"):
        provider.open().complete(ask())


def test_the_request_may_name_another_model(provider, server):
    """A layout may judge merges with a smaller model."""
    server.script = [(200, provider.body("fine"))]
    reply = provider.open().complete(ask(model="other"))
    assert (server.seen[0]["body"]["model"], reply.model) == ("other", f"{provider.name}:other")


def test_anthropic_counts_all_input_and_the_cached_part_of_it(server):
    """Issue 4: tokens in, out, cached."""
    made = Provider("anthropic", server)
    server.script = [(200, anthropic_body("x", cache_read_input_tokens=100, cache_creation_input_tokens=30))]
    llm = made.open()
    reply = llm.complete(ask())
    assert (reply.tokens_in, reply.tokens_cached, reply.tokens_out) == (140, 100, 5)
    close_client(llm)


def test_openai_counts_the_cached_part_and_estimates_what_a_local_server_leaves_out(server):
    """Issue 4: tokens; some local servers send no usage."""
    made = Provider("openai", server)
    bare = openai_body("x")
    del bare["usage"]
    server.script = [(200, openai_body("x", prompt_tokens_details={"cached_tokens": 8})), (200, bare)]
    llm = made.open()
    first, second = llm.complete(ask()), llm.complete(ask())
    assert (first.tokens_in, first.tokens_cached, first.tokens_out) == (12, 8, 4)
    assert (second.tokens_in > 0, second.tokens_out > 0) == (True, True)
    close_client(llm)


def test_openai_swaps_the_name_of_the_limit_where_the_server_knows_the_other(server):
    """Newer models reject `max_tokens`; older servers know nothing else."""
    made = Provider("openai", server)
    server.script = [
        (400, made.error("unsupported_parameter", "Use 'max_completion_tokens' instead of max_tokens")),
        (200, openai_body("x")),
    ]
    llm = made.open()
    llm.complete(ask())
    llm.complete(ask())
    assert [sorted(k for k in seen["body"] if k.startswith("max")) for seen in server.seen] == [
        ["max_tokens"], ["max_completion_tokens"], ["max_completion_tokens"],
    ]  # fmt: skip
    close_client(llm)


def test_a_content_filter_on_the_request_is_a_refusal(server):
    """Azure-like servers answer 400 with the filter's code."""
    made = Provider("openai", server)
    server.script = [(400, made.error("content_filter"))]
    llm = made.open()
    with pytest.raises(ModelRefusedError):
        llm.complete(ask())
    close_client(llm)


def test_a_late_answer_of_an_abandoned_call_is_dropped():
    """DESIGN 6: abandoned at the deadline, its late answer dropped."""
    import threading

    go, ended = threading.Event(), threading.Event()

    def work(deadline):
        go.wait(60)
        ended.set()
        return

    with pytest.raises(ModelTimeoutError):
        calls.within(work, 0.05, "slow")
    go.set()
    assert ended.wait(60)


IGNORED = {
    "prose": "Maja lives in Oslo, I will remember that!",
    "schema echoed": json.dumps(proposal_schema()),
    "fenced": '```json\n{"journal": "Maja told of Oslo.", "operations": []}\n```',
}


@pytest.mark.parametrize("name", IGNORED)
def test_a_server_that_ignores_or_echoes_the_schema_ends_in_a_clean_outcome(provider, server, name):
    """Issue 4: schema ignored, schema echoed; the whole text stays for review."""
    server.script = [(200, provider.body(IGNORED[name]))]
    reply = provider.open().complete(ask(schema=proposal_schema()))
    read = parse_proposal(reply, view=View())
    assert provider.schema_field in server.seen[0]["body"]
    if name == "fenced":
        assert read.journal == "Maja told of Oslo."
    else:
        assert isinstance(read, Unusable)
        assert read.raw == IGNORED[name]


def test_a_metered_call_through_a_real_client_notes_the_cached_part(server):
    """Issue 4: every call in a ledger, tokens in, out, cached, money."""
    made, lines = Provider("anthropic", server), []
    config = SpendingConfig(prices={"claude": Price(1.0, 5.0, 0.1)})
    ledger = Ledger(config, lambda screened: lines.append(screened.text.encode()), lambda: lines, clock=FixedClock())
    server.script = [(200, anthropic_body("x", cache_read_input_tokens=90)), (500, made.error("api_error"), QUICK)]
    llm = made.open(retries=0)
    metered = MeteredLLM(llm, ledger)
    metered.complete(ask(purpose="summarise", cause="messages"))
    with pytest.raises(ModelUnavailableError):
        metered.complete(ask())
    second, first = ledger.spends()
    assert (first.tokens_in, first.tokens_cached, first.money) == (100, 90, pytest.approx(0.000044))
    assert [first.outcome, second.outcome] == ["ok", "unavailable"]
    assert len(server.seen) == 2
    close_client(llm)
