"""A request to forget that a model carries out hides what was said, as one that the rules carry out."""

from __future__ import annotations

import json

import pytest

from commonplace import Memory, Message
from commonplace.testing import FixedClock, ScriptedLLM

HOME, SECRET = "- Nora lives in Ghent.", "- Ilse, Nora's sister, is pregnant; this is a secret."


def reply(memory, journal):
    return json.dumps({"history_entry": f"[2026-03-02 08:00] {journal}", "memory_update": memory})


def talks(folder, request, after):
    """Return a memory in which a person asks to forget, and how the model's rewriting of it turned out."""
    model = ScriptedLLM(
        [
            reply(f"{HOME}\n{SECRET}", "Nora said that her sister Ilse is pregnant, which is a secret."),
            reply(after, "Nora asked to forget a private matter."),
        ]
    )
    clock = FixedClock("2026-03-02T08:00:00+00:00", step_seconds=1)
    memory = Memory.open(folder, layout="two-layer", clock=clock, jobs="inline", llm=model)
    said = "I'm Nora, I live in Ghent. My sister Ilse is pregnant but it's still a secret."
    memory.append(
        "a",
        [Message("user", said), Message("assistant", "Noted: your sister Ilse is pregnant but it's still a secret.")],
    )
    memory.end("a")
    memory.append("b", [Message("user", request, id="r"), Message("assistant", "I will not bring it up.")])
    return memory, memory.end("b")


@pytest.mark.parametrize(
    "request_", ["Forget what I told you about Ilse's pregnancy, I shouldn't have.", "Please forget Ilse's pregnancy."]
)
def test_what_a_model_leaves_out_as_asked_leaves_every_prompt(tmp_path, request_):
    """Bug: the outcome was empty, and the next prompt still showed the message that was to be forgotten."""
    memory, done = talks(tmp_path, request_, HOME)
    with memory:
        assert done.reason.startswith("b#r asked to forget 1 record, taken out; what a#"), done
        text = memory.context("c", "How is Ilse doing? Is she pregnant?").text
        assert "Ghent" in text
        assert "pregnan" not in text
        memory.undo(next(each.number for each in memory.log() if "take_back" in each.kinds))
        assert "pregnant" in memory.context("c", "How is Ilse doing? Is she pregnant?").text


def test_what_nobody_asked_to_forget_stays_in_the_prompt(tmp_path):
    """Of a message only the sentence goes that was asked for."""
    memory, done = talks(tmp_path, "Please forget where I live.", SECRET)
    with memory:
        assert "1 record" in done.reason
        text = memory.context("c", "Is Ilse pregnant, and what of Ghent?").text
        assert "pregnant" in text
        assert "Ghent" not in text
