"""The two-layer layout: MEMORY.md always in the prompt, HISTORY files searched on demand.

Source: seed two-layer. Its folder opens unchanged and its files stay readable by it; our transcripts
and state lie beside, in folders it does not look into.
"""

from __future__ import annotations

from commonplace.layouts.schema import EARLIER, PAUSES, AddRule, Job, Knobs, Layer, Layout, PromptSection, Trigger

_KINDS = ("preference", "fact", "instruction", "constraint", "decision", "environment", "failure", "fix", "task")

LAYOUT = Layout(
    name="two-layer",
    description="MEMORY.md that a model rewrites, HISTORY.md that is searched",
    layers=(
        Layer(
            name="memory",
            kind="documents",
            path="MEMORY.md",
            cap="8192 bytes",
            compress=True,
            overflow="archive",
            weight=1.2,
        ),
        Layer(name="archive", kind="documents", path="archive/{year}-{month}.md"),
        Layer(name="history", kind="journals", path="HISTORY-{year}-{month}.md", style="history", weight=1.0),
        Layer(name="history_all", kind="journals", path="HISTORY.md", style="history", weight=1.0),
        Layer(  # nanobot from 0.1.5 on
            name="history_lines", kind="journals", path="history.jsonl", style="lines", weight=1.0
        ),
    ),
    targets=dict.fromkeys(_KINDS, "memory") | {"failure": "history", "journal": "history"},
    sessions="transcripts",  # `sessions` is theirs, and stays as they wrote it
    their_sessions="sessions",
    prompt=(
        PromptSection(title="Memory", of=("memory",), renderer="text"),
        PromptSection(title="Recalled", renderer="recall", part="volatile", of=("sessions", "documents")),
        EARLIER,
        PromptSection(
            title="Recent Conversation Recap",
            renderer="window",
            part="live",
            limit="consolidation.recap_tokens",
            when="context.recap",
        ),
    ),
    add=(AddRule(rule="label", of=("memory",)), AddRule(rule="mirror", of=("history", "history_all", "history_lines"))),
    agent_edits_files=True,
    jobs=(
        Job(name="compact", range="window", triggers=(Trigger(when="window_messages", over="window_messages"),)),
        Job(name="consolidate", consolidator="rewrite", triggers=PAUSES, failure="raw"),
    ),
    config=Knobs(
        names={
            "maxMemorySize": ("limits.memory", 1.0),
            "max_memory_bytes": ("limits.memory", 1.0),
            "maxMemoryBytes": ("limits.memory", 1.0),
            "consolidationTimeout": ("consolidation.awaited_seconds+model.timeout_seconds", 0.001),
            "consolidation_timeout": ("consolidation.awaited_seconds+model.timeout_seconds", 0.001),
            "memoryWindow": ("consolidation.window_messages", 1.0),
            "memory_window": ("consolidation.window_messages", 1.0),
            "model": ("consolidation.model", 1.0),
        },
        defaults={
            "consolidation.keep_share": 0.5,
            "model.timeout_seconds": 30.0,  # consolidationTimeout
            "context.tokens": 20_000,  # the 40 KB of their shipped configuration and the recap fit whole
        },
    ),
)
