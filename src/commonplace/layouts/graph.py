"""The graph layout: a file for each subject, linked to others, kept by a worker; four files in every prompt.

Source: seed graph. Its folder opens unchanged and its files stay readable by it. Files that the original keeps as
earlier versions of a node (`<id>.v<N>.md`) are no nodes.
"""

from __future__ import annotations

from commonplace.layouts.schema import (
    COMPACT,
    EARLIER,
    PAUSES,
    RECALLED,
    WRITES,
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

LAYOUT = Layout(
    name="graph",
    description="linked nodes in a tree, written by a background worker",
    memory="",
    agent_edits_files=True,  # seed graph: agents write their four files, the memory-agent the nodes
    layers=(
        Layer(name="user", kind="documents", path="USER.md", weight=1.2),
        Layer(name="soul", kind="documents", path="SOUL.md"),
        Layer(name="agents", kind="documents", path="AGENTS.md"),
        Layer(name="tools", kind="documents", path="TOOLS.md"),
        Layer(name="history", kind="journals", path="memory/history/HISTORY-{year}-{month}.md", style="history"),
        Layer(
            name="nodes",
            kind="topics",
            path="memory/{topic}.md",
            style="node",
            skip=("memory/*/*", "*.v[0-9]*.md"),
            weight=1.5,
        ),
    ),
    targets=dict.fromkeys(("fact", "preference", "task"), "user")
    | {"instruction": "soul", "journal": "history", "topic": "nodes"}
    | dict.fromkeys(("constraint", "decision"), "agents")
    | dict.fromkeys(("environment", "failure", "fix"), "tools"),
    add=(
        AddRule(rule="label", of=("user", "soul", "agents", "tools")),
        AddRule(rule="reasoned", of=("nodes",)),
        AddRule(rule="once", of=("nodes",)),
    ),
    prompt=(
        PromptSection(title="Soul", of=("soul",)),
        PromptSection(title="User", of=("user",)),
        PromptSection(title="Agents", of=("agents",)),
        PromptSection(title="Tools", of=("tools",)),
        PromptSection(title="Memory", of=("nodes",), renderer="tree", limit="context.tree_tokens"),
        RECALLED,
        EARLIER,
    ),
    jobs=(
        Job(
            name="memory-agent",
            consolidator="rounds",
            prompt="nodes",
            writes=("nodes",),
            rounds=4,
            triggers=(Trigger(when="turns", over="turns"), *PAUSES, Trigger(when="compaction")),
        ),
        COMPACT,
    ),
    tool=AgentTool(
        separate=True,
        names={"id": "nodeId", "reason": "changeDescription"},
        actions=(
            Action(name="memory_node_read", verb="expand", description="Read a node and what is near it, or the tree."),
            Action(
                name="memory_node_write",
                verb="write",
                description=f"Make a node, or change the one of a name. {WRITES}",
            ),
            Action(name="search_memory", verb="search", description="Find what was said or noted."),
            Action(name="memory_add", verb="add", description=f"Write a statement down for every prompt. {WRITES}"),
            Action(name="memory_forget", verb="forget", description="Forget a record for good."),
        ),
        parameters=AgentTool().parameters
        | {
            "nodeId": "The name of a node's file; all nodes without it. name.v1 is the first version of name.",
            "content": "All that the node says, or the statement. [[name]] links to another node.",
            "changeDescription": "Why a node that is there changes.",
        },
    ),
    config=Knobs(defaults={"consolidation.retry_seconds": 300}),  # five attempts in 75 minutes
    scopes=ScopeNames(path="users/{scope}"),
)
