"""The facts layout: two capped files of facts in the prompt, a buffer of the session, an episode of each.

Source: seed facts. Its folder opens unchanged and its files stay readable by it; our transcripts lie
beside, in a folder it does not look into. A project's own files go before the global ones.
"""

from __future__ import annotations

import msgspec

from commonplace.layouts.schema import (
    EARLIER,
    PAUSES,
    Action,
    AddRule,
    AgentTool,
    Generated,
    Job,
    Knobs,
    Layer,
    Layout,
    PromptSection,
)


def _facts(title: str, *layers: str) -> PromptSection:
    return PromptSection(
        title=title,
        of=layers,
        renderer="facts",
        heading=f"── {title} ──",
        head="═══ MEMORY [{percent}% — {used}/{limit} chars] ═══",
        part="frozen",
    )


def _document(name: str, path: str, cap: str) -> Layer:
    return Layer(name=name, kind="documents", path=path, style="separator", cap=cap, weight=1.2)


LAYOUT = Layout(
    name="facts",
    description="two small files of facts, one summary a session",
    layers=(
        _document("user", "facts/user.md", "1500 chars"),
        _document("project_user", "project-facts/{project}/user.md", "1500 chars"),
        _document("env", "facts/env.md", "2500 chars"),
        _document("project_env", "project-facts/{project}/env.md", "2500 chars"),
        Layer(name="episodes", kind="topics", path="episodes/{session}.md", weight=1.0),
    ),
    targets=dict.fromkeys(("preference", "fact", "instruction"), "user")
    | dict.fromkeys(("constraint", "decision", "environment", "failure", "fix", "task"), "env"),
    sessions="transcripts",  # `sessions` is theirs, and stays as they wrote it
    their_sessions="sessions",
    prompt=(
        _facts("User Profile", "user", "project_user"),
        _facts("Environment", "env", "project_env"),
        PromptSection(
            title="Memory Changes",
            renderer="changes",
            part="volatile",
            heading="── Memory Changes In This Session ──",
            when="context.live",
        ),
        PromptSection(
            title="Current Session",
            renderer="buffer",
            part="live",
            heading="── Current Session ── times in UTC",
            when="context.buffer",
        ),
        EARLIER,
    ),
    add=(AddRule(rule="merge", of=("user", "project_user", "env", "project_env")),),
    generated=(Generated(form="rows", of=("episodes",)),),
    jobs=(
        Job(
            name="consolidate",
            range="session",
            consolidator="episodes",
            writes=("episodes",),
            triggers=PAUSES,
            when="consolidation.episodes",
        ),
        Job(name="compact", range="window", consolidator="compact"),
    ),
    tool=AgentTool(
        description="Manage persistent memory across sessions.",
        actions=(
            Action(
                name="add",
                verb="add",
                description="keep a new fact: search and read have it at once, the prompt from the next session on; "
                "one that waits for a person is not in memory until they approve it",
                needs=("target",),
            ),
            Action(
                name="replace",
                verb="replace",
                description="put content in place of a fact",
                needs=("target", "old_text"),
            ),
            Action(name="remove", verb="remove", description="take a fact away", needs=("target", "old_text")),
            Action(name="consolidate", verb="condense", description="merge facts that belong together"),
            Action(name="read", verb="show", description="show all facts"),
            Action(name="search", verb="look_up", description="find facts and episodes"),
        ),
        parameters={
            "target": "For add/replace/remove/consolidate",
            "content": "For add/replace",
            "old_text": "Unique substring for replace/remove",
            "query": "For search — facts + episodes",
        },
        targets={"user": "user", "env": "env"},
    ),
    config=Knobs(
        names={
            "enabled": ("enabled", 1.0),
            "facts_limit_user": ("limits.user+limits.project_user", 1.0),
            "facts_limit_env": ("limits.env+limits.project_env", 1.0),
            "buffer_lines": ("context.buffer_lines", 1.0),
            "buffer_enabled": ("context.buffer", 1.0),
            "merge_on_write": ("merging.on_write", 1.0),
            "extract_on_end": ("consolidation.episodes", 1.0),
            "llm_search": ("recall.model_chooses", 1.0),
            "llm_extract": ("consolidation.episodes_by_model", 1.0),
            "llm_consolidate": ("merging.ask_model", 1.0),
            "merge_threshold": ("merging.merge_threshold", 1.0),
            "add_threshold": ("merging.add_threshold", 1.0),
            "live": ("context.live", 1.0),
            "project": ("project", 1.0),
        },
        defaults={
            "context.tokens": 12_000  # four full files of Chinese facts and the buffer fit whole
        },
    ),
)

FLAT = msgspec.structs.replace(
    LAYOUT,
    name="facts-flat",
    description="the files of facts in one folder, as its program writes them",
    agent_edits_files=True,  # what lies there was written by the agent's tool
    layers=tuple(
        msgspec.structs.replace(layer, path=layer.path.removeprefix("facts/").removeprefix("episodes/"))
        for layer in LAYOUT.layers
    ),
)
"""The same, with all its files in one folder, as the program writes them whatever its document says."""
