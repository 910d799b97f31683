"""The native layout: a superset of the five, under names they already use."""

from __future__ import annotations

from commonplace.layouts.schema import (
    COMPACT,
    EARLIER,
    PAUSES,
    RECALLED,
    AddRule,
    Generated,
    Job,
    Layer,
    Layout,
    PromptSection,
    Trigger,
)

LAYOUT = Layout(
    name="native",
    description="MEMORY.md, facts, monthly history, daily notes, items, topics; the default",
    layers=(
        Layer(name="soul", kind="documents", path="SOUL.md", person_only=True),
        Layer(name="agents", kind="documents", path="AGENTS.md", person_only=True),
        Layer(name="tools", kind="documents", path="TOOLS.md", person_only=True),
        Layer(name="user", kind="documents", path="USER.md", person_only=True),
        Layer(
            name="facts_user",
            kind="documents",
            path="facts/user.md",
            style="separator",
            cap="1500 chars",
            overflow="archive",
            weight=1.2,
        ),
        Layer(
            name="facts_env",
            kind="documents",
            path="facts/env.md",
            style="separator",
            cap="2500 chars",
            overflow="archive",
            weight=1.2,
        ),
        Layer(name="memory", kind="documents", path="MEMORY.md", cap="8192 bytes", overflow="archive", weight=1.2),
        Layer(name="archive", kind="documents", path="archive/{year}-{month}.md"),
        Layer(name="history", kind="journals", path="HISTORY-{year}-{month}.md", style="history", weight=0.9),
        Layer(name="history_all", kind="journals", path="HISTORY.md", style="history", weight=0.9),
        Layer(name="daily", kind="journals", path="{date}.md", style="daily", weight=0.5),
        Layer(name="episodes", kind="topics", path="episodes/{session}.md", weight=0.9),
        Layer(name="episodic", kind="items", path="items/episodic/{date}.jsonl", weight=0.8),
        Layer(name="semantic", kind="items", path="items/semantic.jsonl", weight=1.1),
        Layer(name="procedural", kind="items", path="items/procedural.jsonl", weight=1.1),
        Layer(name="topics", kind="topics", path="{topic}.md", weight=1.1),
    ),
    targets=dict.fromkeys(("preference", "fact", "instruction"), "facts_user")
    | dict.fromkeys(("constraint", "decision", "task"), "memory")
    | dict.fromkeys(("failure", "fix"), "procedural")
    | {"environment": "facts_env", "journal": "history", "topic": "topics"},
    prompt=(
        PromptSection(title="Soul", of=("soul",)),
        PromptSection(title="Agents", of=("agents",)),
        PromptSection(title="Tools", of=("tools",)),
        PromptSection(title="User", of=("user",)),
        PromptSection(title="User profile", of=("facts_user",)),
        PromptSection(title="Environment", of=("facts_env",)),
        PromptSection(title="Long-term memory", of=("memory",)),
        PromptSection(title="Topics", of=("topics",), renderer="index"),
        PromptSection(title="Notes of today", of=("daily",), part="volatile", limit="context.notes_tokens"),
        RECALLED,
        EARLIER,
    ),
    add=(AddRule(rule="label", of=("facts_user", "facts_env", "memory")), AddRule(rule="once", of=("topics",))),
    generated=(Generated(form="index", of=("topics",), into="memory"),),
    jobs=(
        Job(
            name="consolidate",
            consolidator="summarise",
            triggers=(Trigger(when="tokens", over="range_tokens"), *PAUSES),
            together=True,
        ),
        COMPACT,
    ),
)
