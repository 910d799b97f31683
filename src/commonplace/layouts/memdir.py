"""The memdir layout: an index of one-line pointers in every prompt, a file for each memory, and the dream.

Source: seed memdir. Its folder opens unchanged and its files stay readable by it; our transcripts lie in a folder of
their own, which it does not look into.
"""

from __future__ import annotations

from commonplace.layouts.schema import (
    COMPACT,
    Action,
    AgentTool,
    Generated,
    Job,
    Knobs,
    Layer,
    Layout,
    PromptSection,
    Trigger,
)

_KINDS = ("user", "feedback", "project", "reference")

_NOT_KEPT = """What is not kept here
- What the code or its history says: patterns and structure of code, who changed what when, how a bug was fixed.
- What a project's own instructions say, and what is true of one day alone: the task at hand, a branch, a broken build.
- Of these keep only what was surprising, or why it is so. Give the reason of a rule or a plan if it was said."""

LAYOUT = Layout(
    name="memdir",
    memory="",
    sessions="transcripts",
    layers=(
        Layer(name="index", kind="documents", path="MEMORY.md", weight=0.5),
        Layer(name="logs", kind="journals", path="logs/{year}/{month}/{date}.md", style="daily", weight=0.7),
        Layer(
            name="topics",
            kind="topics",
            path="{topic}.md",
            style="memo",
            skip=("logs/*", "transcripts/*", "scopes/*", "*/MEMORY.md"),
            types={
                "fact": "user",
                "preference": "user",
                "instruction": "feedback",
                "constraint": "feedback",
                "decision": "project",
                "task": "project",
                "environment": "project",
                "failure": "project",
                "fix": "project",
            },
            weight=1.1,
        ),
    ),
    targets=dict.fromkeys(
        (
            *("fact", "preference", "instruction", "constraint", "decision", "task", "environment", "failure", "fix"),
            *(*_KINDS, "topic"),
        ),
        "topics",
    )
    | {"journal": "logs"},
    agent_edits_files=True,
    prompt=(
        PromptSection(title="Memory index", of=("index",), renderer="pointers"),
        PromptSection(title="Relevant memories", of=("topics",), renderer="surfaced", part="volatile"),
        PromptSection(title="Earlier in this session", renderer="summary", part="live"),
    ),
    generated=(Generated(form="index", of=("topics",), into="index"),),
    jobs=(
        Job(
            name="extract",
            range="turns",
            consolidator="summarise",
            prompt=_NOT_KEPT,
            omits=("failure", "fix"),
            writes=("topics",),
            yields=True,
            triggers=(
                Trigger(when="turns", over="turns"),
                Trigger(when="idle", over="idle_seconds"),
                Trigger(when="reset"),
                Trigger(when="session_end"),
            ),
        ),
        Job(
            name="dream",
            range="none",
            consolidator="rounds",
            prompt="dream",
            rounds=6,
            lock=".consolidate-lock",
            writes=("topics", "index"),
            triggers=(Trigger(when="hours+scan_seconds+sessions", over="24+600+5"),),
        ),
        COMPACT,
    ),
    tool=AgentTool(
        description=(
            "Memory across sessions: a file for each thing worth knowing. Keep who the user is, how they want you to "
            "work, what goes on that the code and its history do not say, and where things are found outside. Keep "
            "nothing that can be read from the code or from git, no fix that is in the code, nothing of today alone."
        ),
        actions=(
            Action(
                name="save",
                verb="write",
                description="Write a memory, or change the one of the same title.",
                needs=("title", "description", "kind"),
                names={"id": "file", "kind": "type"},
            ),
            Action(name="read", verb="expand", description="Show a memory and what it links to.", names={"id": "file"}),
            Action(name="search", verb="search", description="Find what was said or noted, transcripts included."),
            Action(name="rename", verb="rename", description="Give a memory another title.", names={"id": "file"}),
            Action(
                name="merge",
                verb="merge",
                description="Put what two memories say into one; content is the text of both.",
                names={"id": "file"},
            ),
            Action(name="delete", verb="remove_topic", description="Take a memory away.", names={"id": "file"}),
            Action(name="demote", verb="demote", description="Move what a long line of the index says into its file."),
            Action(name="forget", verb="forget", description="Forget a memory for good.", names={"id": "file"}),
        ),
        parameters={
            "file": "The name of a file, such as user_role.md.",
            "title": "What it is about, in a few words.",
            "description": "One line by which it is found again: be specific.",
            "type": "user, feedback, project or reference.",
            "content": "What it says. Of feedback and project also why, and how to apply it. [[name]] links.",
            "into": "The name of the file that stays.",
            "old_text": "Words that only this line or memory holds.",
            "query": "A question in plain words.",
        },
        targets={},
    ),
    config=Knobs(
        defaults={
            "context.tokens": 20_000,  # an index of 25 KB fits whole in any language, and what is surfaced beside it
        },
    ),
)
