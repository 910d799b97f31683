"""The structured layout: MEMORY.md, notes of each day, and typed items of which the best enter the prompt.

Source: seed structured. Its folder opens unchanged and its files stay readable by it; our transcripts lie beside, in a
folder it does not look into.
"""

from __future__ import annotations

from msgspec.structs import replace

from commonplace.layouts.schema import (
    COMPACT,
    PAUSES,
    RECALLED,
    Action,
    AddRule,
    AgentTool,
    Job,
    Knobs,
    Layer,
    Layout,
    PromptSection,
    ScopeNames,
    Trigger,
)

_ITEMS = ("episodic", "semantic", "procedural")
_TYPES = {
    "fact": "PROJECT_FACT",
    "environment": "PROJECT_FACT",
    "instruction": "CONSTRAINT",
    "task": "TASK_STATE",
    "command": "COMMAND_RESULT",
}

_PRESET = (
    "items.soft_tokens", "items.max_tokens", "items.working_top_k", "items.episodic_top_k", "items.semantic_top_k",
    "items.procedural_top_k", "items.promotion_confidence", "items.decay_days", "items.code_aware", "items.disclosure",
)  # fmt: skip
_PRESETS: dict[str, tuple[int | float | str, ...]] = {
    "coding_fast": (1400, 2600, 5, 5, 5, 6, 0.78, 21, True, "summary"),
    "coding_balanced": (1800, 3500, 6, 6, 7, 6, 0.80, 30, True, "summary"),
    "coding_deep": (2400, 4200, 8, 6, 9, 8, 0.78, 60, True, "selective_detail"),
    "general_chat": (1000, 1800, 4, 6, 5, 1, 0.85, 14, False, "index"),
    "research_analyst": (2000, 3600, 6, 5, 10, 2, 0.78, 90, False, "summary"),
    "ops_support": (1500, 2800, 6, 5, 7, 8, 0.80, 45, True, "selective_detail"),
}
_OFF: dict[str, dict[str, int | float | str]] = {"disabled": {"enabled": False}}

_NOTES = PromptSection(of=("daily",), part="volatile", head="# Memory", unless="Memory", when="items.daily_notes")

LAYOUT = Layout(
    name="structured",
    description="daily notes and typed items, found by score",
    layers=(
        Layer(name="memory", kind="documents", path="MEMORY.md", weight=1.2),
        Layer(name="daily", kind="journals", path="{date}.md", style="daily", weight=0.5),
        Layer(name="episodic", kind="items", path="items/episodic/{date}.jsonl", types=_TYPES, weight=0.8),
        Layer(name="semantic", kind="items", path="items/semantic.jsonl", types=_TYPES, weight=1.1),
        Layer(name="procedural", kind="items", path="items/procedural.jsonl", types=_TYPES, weight=1.1),
    ),
    targets=dict.fromkeys(("preference", "fact", "constraint", "instruction", "decision", "environment"), "semantic")
    | dict.fromkeys(("failure", "fix", "command"), "procedural")
    | {"task": "episodic", "journal": "daily"},
    sessions="transcripts",  # `sessions` is theirs, and stays as they wrote it
    their_sessions="sessions",
    prompt=(
        PromptSection(title="Long-term Memory", of=("memory",), renderer="text", head="# Memory"),
        PromptSection(title="Memory", heading="# Memory", of=_ITEMS, renderer="items", part="volatile"),
        replace(_NOTES, title="Today's Notes", renderer="notes"),
        replace(_NOTES, title="Recent Context", renderer="days"),
        replace(RECALLED, title="Relevant Memory", heading="# Relevant Memory"),
        PromptSection(title="Working Memory", renderer="working", part="live"),
    ),
    tool=AgentTool(
        actions=(
            Action(name="add", verb="add_item", description="write an item down", names={"target": "type"}),
            Action(name="search", verb="search", description="find what was said or noted; nothing if nothing fits"),
            Action(name="update", verb="update_item", description="change what is given", names={"target": "type"}),
            Action(name="promote", verb="promote_item", description="move an item to a layer that lasts"),
            Action(name="forget", verb="forget", description="forget, by id or by words", names={"old_text": "query"}),
            Action(name="expand", verb="expand_items", description="show a section of the items whole, with their ids"),
            Action(name="read", verb="read", description="show one record"),
        )
    ),
    add=(AddRule(rule="label", of=("memory", "semantic", "procedural")), AddRule(rule="typed", of=_ITEMS)),
    agent_edits_files=True,
    jobs=(
        Job(name="turns", range="turns", consolidator="turns", triggers=(Trigger(when="turns", over="1"),)),
        Job(name="consolidate", consolidator="summarise", triggers=PAUSES, together=True),
        replace(
            COMPACT, triggers=(Trigger(when="window_estimate", over="context_tokens"),), when="consolidation.compaction"
        ),
    ),
    config=Knobs(
        file="preferences/runtime-config.json",
        names={
            "memory.enabled": ("enabled", 1.0),
            "memory.recentDays": ("items.recent_days", 1.0),
            "memory.softPromptBudgetTokens": ("items.soft_tokens", 1.0),
            "memory.maxPromptBudgetTokens": ("items.max_tokens", 1.0),
            "memory.workingTopK": ("items.working_top_k", 1.0),
            "memory.episodicTopK": ("items.episodic_top_k", 1.0),
            "memory.semanticTopK": ("items.semantic_top_k", 1.0),
            "memory.proceduralTopK": ("items.procedural_top_k", 1.0),
            "memory.promotionEnabled": ("items.promotion", 1.0),
            "memory.promotionMinConfidence": ("items.promotion_confidence", 1.0),
            "memory.decayEnabled": ("items.decay", 1.0),
            "memory.decayDays": ("items.decay_days", 1.0),
            "memory.codeAwareExtractionEnabled": ("items.code_aware", 1.0),
            "memory.legacyDailyNotesEnabled": ("items.daily_notes", 1.0),
            "compaction.enabled": ("consolidation.compaction", 1.0),
            "compaction.maxContextTokens": ("consolidation.context_tokens", 1.0),
            "compaction.keepLastMessages": ("consolidation.keep_messages", 1.0),
        },
        defaults={
            "context.tokens": 8_000,  # MEMORY.md, the items up to their hard budget, and what a question finds
            "store.unstored_messages": 10_000,  # "persistence is fail-safe"
            "consolidation.summary_tools": False,
            "consolidation.summary_message_tokens": 86,  # 300 characters a message
            "consolidation.summary_seconds": 15.0,
        },
        presets={name: dict(zip(_PRESET, row, strict=True)) for name, row in _PRESETS.items()} | _OFF,
    ),
    scopes=ScopeNames(forms=("default", "session:*:*", "goal:*", "task:*"), default_name="global"),
)
