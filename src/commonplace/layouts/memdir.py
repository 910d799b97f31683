"""The memdir layout: an index of one-line pointers in every prompt, a file for each memory, and the dream.

Source: seed memdir. Its folder opens unchanged and its files stay readable by it; our transcripts lie in a folder of
their own, which it does not look into.
"""

from __future__ import annotations

from commonplace.layouts.schema import (
    COMPACT,
    EARLIER,
    PAUSES,
    WRITES,
    Action,
    AddRule,
    AgentTool,
    Generated,
    Job,
    Knobs,
    Layer,
    Layout,
    PromptSection,
    Trigger,
)

_TYPES = (
    dict.fromkeys(("fact", "preference", "user"), "user")
    | dict.fromkeys(("instruction", "constraint", "feedback"), "feedback")
    | dict.fromkeys(("decision", "task", "environment", "failure", "fix", "topic", "project"), "project")
    | {"reference": "reference"}
)
"""What a file calls a kind of statement."""
_NO_TOPICS = ("logs/*", "*/MEMORY.md")

LAYOUT = Layout(
    name="memdir",
    description="an index and a file a topic, tidied now and then",
    memory="",
    sessions="transcripts",
    layers=(
        Layer(name="index", kind="documents", path="MEMORY.md", weight=0.5),
        Layer(name="team_index", kind="documents", path="team/MEMORY.md", weight=0.5),
        Layer(name="team", kind="topics", path="team/{topic}.md", style="memo", types=_TYPES, weight=1.1),
        Layer(name="logs", kind="journals", path="logs/{year}/{month}/{date}.md", style="daily", weight=0.7),
        Layer(name="topics", kind="topics", path="{topic}.md", style="memo", skip=_NO_TOPICS, types=_TYPES, weight=1.1),
    ),
    targets=dict.fromkeys(_TYPES, "topics") | {"journal": "logs"},
    agent_edits_files=True,
    prompt=(
        PromptSection(
            title="Standing instructions and safety",
            of=("topics", "team"),
            renderer="standing",
            limit="context.orders_tokens",
        ),
        PromptSection(title="Memory index", of=("index",), renderer="pointers"),
        PromptSection(title="Team memory index", of=("team_index",), renderer="pointers"),
        PromptSection(title="Relevant memories", of=("topics", "team"), renderer="surfaced", part="volatile"),
        EARLIER,
    ),
    add=(AddRule(rule="label", of=("topics", "team")), AddRule(rule="once", of=("topics", "team"))),
    generated=(
        Generated(form="index", of=("topics",), into="index"),
        Generated(form="index", of=("team",), into="team_index"),
    ),
    jobs=(
        Job(
            name="extract",
            range="turns",
            consolidator="summarise",
            prompt="memos",
            omits=("failure", "fix"),
            yields=True,
            triggers=(Trigger(when="turns", over="turns"), *PAUSES),
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
            "Memory across sessions: a file for each thing worth knowing, of the four types. Keep nothing that can be "
            f"read from the code or from git, no fix that is in the code, nothing of today alone. {WRITES}"
        ),
        actions=(
            Action(name="save", verb="write", description="Keep a memory.", needs=("title", "description", "kind")),
            Action(name="read", verb="expand", description="Show a memory and what it links to."),
            Action(name="search", verb="search", description="Find what was said or noted, transcripts included."),
            Action(name="rename", verb="rename", description="Give a memory another title."),
            Action(name="merge", verb="merge", description="Make one of two memories; content is the text of both."),
            Action(name="delete", verb="remove_topic", description="Take a memory away."),
            Action(name="demote", verb="demote", description="Move what a long line of the index says into its file."),
            Action(name="forget", verb="forget", description="Forget a memory for good."),
        ),
        names={"id": "file", "kind": "type"},
        parameters={
            "file": "The name of a file, such as user_role.md.",
            "title": "What it is about, in a few words; a memory of this title is changed.",
            "description": "One line by which it is found again: be specific.",
            "type": "user (who they are), feedback (how to work), project (what goes on) or reference (where it is).",
            "content": "What it says. Of feedback and project also why, and how to apply it. [[name]] links.",
            "into": "The name of the file that stays.",
            "old_text": "Words that only this line or memory holds.",
            "query": "A question in plain words.",
        },
    ),
    config=Knobs(defaults={"context.tokens": 20_000}),  # an index of 25 KB fits whole, and what is surfaced beside it
)
