"""The facts layout: two capped files of facts in the prompt, a buffer of the session, an episode of each.

Source: seed facts. Its folder opens unchanged and its files stay readable by it; our transcripts lie
beside, in a folder it does not look into. A project's own files go before the global ones.
"""

from __future__ import annotations

from commonplace.layouts.schema import Job, Layer, Layout, Trigger

LAYOUT = Layout(
    name="facts",
    layers=(
        Layer(
            name="user",
            kind="documents",
            path="facts/user.md",
            style="separator",
            shown="stable",
            title="User Profile",
            cap="1500 chars",  # facts_limit_user
            weight=1.2,
        ),
        Layer(
            name="project_user",
            kind="documents",
            path="project-facts/{project}/user.md",
            style="separator",
            shown="stable",
            title="User Profile",
            cap="1500 chars",  # facts_limit_user
            weight=1.2,
            overrides="user",
        ),
        Layer(
            name="env",
            kind="documents",
            path="facts/env.md",
            style="separator",
            shown="stable",
            title="Environment",
            cap="2500 chars",  # facts_limit_env
            weight=1.2,
        ),
        Layer(
            name="project_env",
            kind="documents",
            path="project-facts/{project}/env.md",
            style="separator",
            shown="stable",
            title="Environment",
            cap="2500 chars",  # facts_limit_env
            weight=1.2,
            overrides="env",
        ),
        Layer(
            name="episodes",
            kind="topics",
            path="episodes/{session}.md",
            listed=False,
            weight=1.0,
        ),
    ),
    targets={
        "preference": "user",
        "fact": "user",
        "instruction": "user",
        "constraint": "env",
        "decision": "env",
        "environment": "env",
        "failure": "env",
        "fix": "env",
        "task": "env",
    },
    sessions="transcripts",  # `sessions` is theirs, and stays as they wrote it
    recalls=(),
    jobs=(
        Job(name="consolidate", range="session", consolidator="episodes", triggers=(Trigger(when="session_end"),)),
        Job(name="compact", range="window", consolidator="compact"),
    ),
    block="capped",
    rows_of="episodes",
    merge_on_write=True,
    actions="capped",
    config_names={
        "enabled": ("facts.enabled", 1.0),
        "facts_limit_user": ("limits.user+limits.project_user", 1.0),
        "facts_limit_env": ("limits.env+limits.project_env", 1.0),
        "buffer_lines": ("facts.buffer_lines", 1.0),
        "buffer_enabled": ("facts.buffer_enabled", 1.0),
        "merge_on_write": ("facts.merge_on_write", 1.0),
        "extract_on_end": ("facts.extract_on_end", 1.0),
        "llm_search": ("facts.llm_search", 1.0),
        "llm_extract": ("facts.llm_extract", 1.0),
        "llm_consolidate": ("facts.llm_consolidate", 1.0),
        "merge_threshold": ("facts.merge_threshold", 1.0),
        "add_threshold": ("facts.add_threshold", 1.0),
        "live": ("facts.live", 1.0),
        "project": ("facts.project", 1.0),
    },
    defaults={
        "context.tokens": 12_000,  # four full files of Chinese facts and the buffer fit whole
    },
)
