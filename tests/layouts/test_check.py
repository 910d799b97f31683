"""A layout is data: every mistake in it is named, and designs from outside work without a line of code."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from commonplace import Memory, Message
from commonplace.config import Config
from commonplace.errors import ConfigError
from commonplace.layouts.knobs import settled
from commonplace.layouts.schema import (
    Action,
    AddRule,
    AgentTool,
    Generated,
    Job,
    Knobs,
    Layer,
    Layout,
    PromptSection,
    ScopeNames,
    Trigger,
)
from commonplace.memory import designs
from commonplace.testing import check_layout
from marking import in_one_test, slow_after

DESIGNS = sorted((Path(__file__).parent / "designs").glob("*.toml"))
NOTES = Layer(name="notes", kind="documents", path="NOTES.md")
LOG = Layer(name="log", kind="journals", path="log/{date}.md", style="daily")
CARDS = Layer(name="cards", kind="topics", path="{topic}.md")
FACTS = Layer(name="facts", kind="items", path="facts.jsonl")
WORK = Job(name="consolidate", consolidator="summarise", triggers=(Trigger(when="tokens", over="range_tokens"),))
FIND = Action(name="find", verb="search", description="find")
SHOWN = PromptSection(title="Notes", of=("notes",))
FOUND = PromptSection(title="Found", renderer="recall", part="volatile", of=("sessions", "documents"))
GOOD = Layout(
    name="good",
    layers=(NOTES, LOG, CARDS, FACTS),
    targets={"fact": "notes", "journal": "log", "topic": "cards", "decision": "facts"},
    prompt=(SHOWN, FOUND),
    jobs=(WORK, Job(name="compact", range="window", consolidator="compact")),
)


def layer(one: Layer, **fields: object) -> Layout:
    return replace(GOOD, layers=tuple(replace(each, **fields) if each is one else each for each in GOOD.layers))


def row(**fields: object) -> Layout:
    return replace(GOOD, prompt=(replace(SHOWN, **fields), FOUND))


def action(*actions: Action) -> Layout:
    return replace(GOOD, tool=AgentTool(actions=actions))


def job(**fields: object) -> Layout:
    return replace(GOOD, jobs=(replace(WORK, **fields),))


MISTAKES = {
    "name is": replace(GOOD, name="My Layout!"),
    "layers has 'notes' more than once": replace(GOOD, layers=(*GOOD.layers, replace(NOTES, path="OTHER.md"))),
    "layers has the name": layer(FACTS, name="The Facts"),
    "layers.log.kind": layer(LOG, kind="diary"),
    "layers.notes.path is '../NOTES.md'": layer(NOTES, path="../NOTES.md"),
    "layers.notes.path is '/etc/NOTES.md'": layer(NOTES, path="/etc/NOTES.md"),
    "layers.notes.path is '.commonplace/NOTES.md'": layer(NOTES, path=".commonplace/NOTES.md"),
    "layers.notes.path is ''": layer(NOTES, path=""),
    "as another layer's is": layer(CARDS, path="NOTES.md"),
    "a field in braces, is 'weekday'": layer(LOG, path="{weekday}.md"),
    "a field is one name in braces": layer(LOG, path="{date.md"),
    "a file of items ends in .jsonl": layer(FACTS, path="facts.json"),
    "topics are one file each": layer(CARDS, path="cards.md"),
    "a document is one file": layer(NOTES, path="notes/{topic}.md"),
    "layers.log.style": layer(LOG, style="weekly"),
    "layers.notes.weight": layer(NOTES, weight=-1.0),
    "layers.notes.cap": layer(NOTES, cap="no_such_limit"),
    "layers.notes.cap is '1500 lines'": layer(NOTES, cap="1500 lines"),
    "layers.log.cap is of no use": layer(LOG, cap="1500 chars"),
    "layers.notes.compress needs a cap": layer(NOTES, compress=True),
    "layers.notes.overflow": layer(NOTES, cap="1500 chars", overflow="nowhere"),
    "neither shown nor capped": layer(NOTES, cap="1500 chars", overflow="notes"),
    "prompt.Notes.unless is 'Later'": row(unless="Later"),
    "jobs.consolidate.when names the knob 'no.such'": job(when="no.such"),
    "config.presets.fast names the knob 'no.such'": replace(GOOD, config=Knobs(presets={"fast": {"no.such": 1}})),
    "add.typed.of is 'notes', a layer of documents": replace(GOOD, add=(AddRule(rule="typed", of=("notes",)),)),
    "add.mirror.of is 'nowhere'": replace(GOOD, add=(AddRule(rule="mirror", of=("log", "nowhere")),)),
    "it names a layer of journals": replace(GOOD, add=(AddRule(rule="mirror", of=("log", "cards")),)),
    "add.mirror.of is one journal": replace(GOOD, add=(AddRule(rule="mirror", of=("log",)),)),
    "add.merge.of is 'nowhere'": replace(GOOD, add=(AddRule(rule="merge", of=("nowhere",)),)),
    "add.merge.of is empty": replace(GOOD, add=(AddRule(rule="merge", of=()),)),
    "add.guess.rule": replace(GOOD, add=(AddRule(rule="guess", of=("notes",)),)),
    "targets.fact is": replace(GOOD, targets={"fact": "nowhere"}),
    "targets.journal is": replace(GOOD, targets={"fact": "notes", "journal": "cards"}),
    "targets.topic is": replace(GOOD, targets={"fact": "notes", "topic": "log"}),
    "statements go to documents": replace(GOOD, targets={"fact": "log"}),
    "targets has no 'fact'": replace(GOOD, targets={"decision": "facts"}),
    "generated.index.into is": replace(GOOD, generated=(Generated(form="index", of=("cards",), into="nowhere"),)),
    "generated.index.of is empty": replace(GOOD, generated=(Generated(form="index", of=(), into="notes"),)),
    "generated.rows.of is": replace(GOOD, generated=(Generated(form="rows", of=("notes",)),)),
    "generated.rows.into is of no use": replace(GOOD, generated=(Generated(form="rows", of=("cards",), into="notes"),)),
    "generated.map.form": replace(GOOD, generated=(Generated(form="map", of=("cards",)),)),
    "prompt.Notes.renderer": row(renderer="fancy"),
    "prompt.Notes.part": row(part="always"),
    "title is empty": row(title=" "),
    "prompt.Notes.of is 'nowhere'": row(of=("nowhere",)),
    "prompt.Notes.of is 'everything'": row(renderer="recall", of=("everything",)),
    "prompt.Notes.of is empty": row(of=()),
    "which shows documents": row(renderer="text", of=("log",)),
    "which is many files": row(of=("cards",)),
    "generated has no index of": row(renderer="index", of=("cards",)),
    "prompt.Notes.head is": row(head="{name} of memory"),
    "prompt.Notes names the knob 'no.knob'": row(when="no.knob"),
    "tool has the name 'my tool'": replace(GOOD, tool=AgentTool(name="my tool")),
    "tool.actions is empty": replace(GOOD, tool=AgentTool(actions=())),
    "tool.actions has 'find' more than once": action(FIND, FIND),
    "tool.actions.find.verb": action(replace(FIND, verb="guess")),
    "tool.actions.find.needs": action(replace(FIND, needs=("content",))),
    "tool.actions.find.fixed": action(replace(FIND, fixed={"colour": "red"})),
    "tool.parameters has no 'question', which tool.actions.find needs": action(
        replace(FIND, names={"query": "question"})
    ),
    "tool.names is 'colour'": replace(GOOD, tool=AgentTool(names={"colour": "red"})),
    "tool.targets.all is": replace(GOOD, tool=AgentTool(targets={"all": "nowhere"})),
    "memory is": replace(GOOD, memory="../elsewhere"),
    "sessions is": replace(GOOD, sessions=".commonplace"),
    "sessions and memory are both": replace(GOOD, sessions="memory"),
    "in the folder of sessions": replace(layer(NOTES, path="sessions/a.md"), memory=""),
    "in the folder of scopes.path": replace(layer(NOTES, path="scopes/a.md"), memory=""),
    "which 'cards' has too; put 'late' before it": replace(
        GOOD, layers=(*GOOD.layers, Layer(name="late", kind="documents", path="late/a.md"))
    ),
    "layers.notes.path is '.git/": layer(NOTES, path=".git/hooks/a.md"),
    "layers.notes.path is 'C:": layer(NOTES, path="C:a.md"),
    "config.file is": replace(GOOD, config=Knobs(file="../../.aws/credentials")),
    "their_sessions is": replace(GOOD, their_sessions="/var/log"),
    "scopes.path is": replace(GOOD, scopes=ScopeNames(path="scopes/all")),
    "jobs.consolidate.consolidator": job(consolidator="summarize"),
    "jobs.consolidate.range": job(range="everything"),
    "jobs.consolidate.failure is 'explode'": job(failure="explode"),
    "that takes the raw entry": replace(job(failure="raw"), targets={"fact": "notes"}),
    "jobs.consolidate.triggers.when": job(triggers=(Trigger(when="full-moon"),)),
    "jobs.consolidate.triggers.over is 'phases'": job(triggers=(Trigger(when="tokens", over="phases"),)),
    "jobs.consolidate.triggers.over is '-1'": job(triggers=(Trigger(when="turns", over=-1),)),
    "has 2 limits, one each": job(triggers=(Trigger(when="tokens+idle", over="range_tokens"),)),
    "is the second job on the window": replace(GOOD, jobs=(*GOOD.jobs, replace(GOOD.jobs[1], name="again"))),
    "jobs has 'consolidate' more than once": replace(GOOD, jobs=(WORK, WORK)),
    "that has {session} in its path": job(consolidator="episodes"),
    "jobs.consolidate.writes is 'nowhere'": job(writes=("nowhere",)),
    "jobs.consolidate.omits is 'dreams'": job(omits=("dreams",)),
    "writes names a journal": job(writes=("notes", "log")),
    "jobs.consolidate.rounds is 99": job(consolidator="rounds", prompt="rounds", rounds=99),
    "jobs.consolidate.prompt is 'guess'": job(consolidator="rounds", prompt="guess"),
    "'rules' gives one answer": job(consolidator="rules", rounds=2),
    "layers is empty": replace(GOOD, layers=(), targets={}),
    "layers.log.path is 'log/%Y-%m-%d.md'": layer(LOG, path="log/%Y-%m-%d.md", style=""),
    "this month of every year": layer(LOG, path="log/{month}.md", style=""),
    "layers.log.style is 'daily'": layer(LOG, path="log/{year}.md"),
    "layers.notes.types is of no use": layer(NOTES, types={"fact": "note"}),
    "layers.cards.types has 'recipe'": layer(CARDS, types={"recipe": "dish"}),
    "targets has 'preferences'": replace(GOOD, targets={"fact": "notes", "preferences": "notes"}),
    "which shows journals": row(renderer="notes"),
    "which shows topics": row(renderer="tree"),
    "which shows items": row(renderer="items"),
    "writes of the session": row(renderer="window"),
    "what is chosen by the question is 'volatile'": row(renderer="recall", of=("sessions",)),
    "no index that goes into notes": row(renderer="pointers"),
    "generated.index.into is empty": replace(GOOD, generated=(Generated(form="index", of=("cards",)),)),
    "add.reasoned.of is 'notes'": replace(GOOD, add=(AddRule(rule="reasoned", of=("notes",)),)),
    "tool.actions.put.fixed.target is 'nowhere'": action(
        Action(name="put", verb="add", description="put", fixed={"target": "nowhere"})
    ),
    "tool.parameters has 'colour'": replace(GOOD, tool=AgentTool(parameters={"colour": "red", "content": "x"})),
    "sessions is ''": replace(GOOD, sessions=""),
    "'reset' has no limit; leave it out": job(triggers=(Trigger(when="reset", over=4),)),
    "'turns' has one limit, such as 6": job(triggers=(Trigger(when="turns"),)),
    "no knob is below 0": replace(GOOD, config=Knobs(defaults={"context.tokens": -4})),
    "jobs.compact.consolidator": replace(GOOD, jobs=(Job(name="compact", range="window", consolidator="rewrite"),)),
    "config.names.size names": replace(GOOD, config=Knobs(names={"size": ("limits.nothing", 1.0)})),
    "config.names.size has the factor": replace(GOOD, config=Knobs(names={"size": ("context.tokens", 0.0)})),
    "config.defaults names the knob": replace(GOOD, config=Knobs(defaults={"context.nothing": 1})),
    "config.defaults.context.tokens is": replace(GOOD, config=Knobs(defaults={"context.tokens": 1.5})),
}


@in_one_test("sentence", MISTAKES)
def test_a_mistake_is_named_with_its_field_when_memory_is_opened(tmp_path, sentence):
    """Issue 18: an error that names the field and the fix, and no file is made."""
    with pytest.raises(ConfigError) as caught:
        Memory.open(tmp_path / "m", layout=MISTAKES[sentence])
    assert any(sentence in each for each in caught.value.mistakes), caught.value.mistakes
    assert not (tmp_path / "m").exists()


def test_every_mistake_is_named_at_once():
    """One look is enough to mend a layout."""
    bad = replace(layer(NOTES, cap="none", weight=-1.0), tool=AgentTool(name="my tool"))
    assert len(designs.mistakes(bad)) == 3


@pytest.mark.parametrize("name", sorted(designs.LAYOUTS))
def test_our_own_layouts_have_no_mistake(name):
    """Issue 18: one check for all."""
    assert designs.mistakes(designs.LAYOUTS[name]) == []


@pytest.mark.parametrize(
    "layout", slow_after(7, [*sorted(designs.LAYOUTS), *map(str, DESIGNS)]), ids=lambda name: Path(name).stem
)
def test_a_layout_does_what_every_layout_does(tmp_path, layout):
    """Issue 18: the contract suite that ships in `commonplace.testing`."""
    check_layout(layout, str(tmp_path))


@in_one_test("path", DESIGNS, ids=lambda path: path.stem)
def test_a_design_from_outside_is_at_most_80_lines(path):
    """DESIGN 5."""
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 80


@in_one_test(
    ("text", "sentence"),
    [
        ("name = ", "is no TOML"),
        ("name = " + "[" * 5000, "is no TOML"),
        ('name = "x"', "missing required field `layers`"),
        ('name = "x"\ntargets = {}\nlayers = "none"', "layers: Expected `array`"),
        ('name = "x"\nlayers = []\ntargets = {}\ncolour = "red"', "unknown field `colour`; its fields are name, "),
        ('name = "x"\n[[targets]]\nfact = "x"', "targets: Expected `object`, got `array`; write [targets], with one"),
        ('name = "x"\n[jobs]\nname = "j"', "jobs: Expected `array`, got `object`; write [[jobs]], with two brackets"),
        (
            'name = "x"\n[[prompt]]\ntitle = "N"\nof = "n"',
            'prompt.N.of: Expected `array`, got `str`; write of = ["..."]',
        ),
        ('name = "x"\n[[layers]]\nname = "n"\ncap = 15', "layers.n.cap: Expected `str`, got `int`; write it in quotes"),
        (
            'name = "x"\n[[layers]]\nname = "n"\nweight = "2"',
            "layers.n.weight: Expected `float`, got `str`; write it with",
        ),
        (
            'name = "x"\n[[jobs]]\nname = "j"\ntriggers = [{ every = 1 }]',
            "jobs.j.triggers[0]: Object contains unknown field",
        ),
        ('name = "x"\n[tool]\n[[tool.actions]]\nname = "a"\nverb = "add"', "tool.actions.a: Object missing required"),
        ('name = "x"\ntargets = {}\n[[layers]]\nname = "n"\nkind = "diary"\npath = "n.md"', "layers.n.kind"),
    ],
)
def test_a_file_that_is_no_layout_says_where_it_is_wrong(tmp_path, text, sentence):
    """Issue 18: no KeyError, StopIteration or AttributeError."""
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        Memory.open(tmp_path / "m", layout=str(path))
    assert sentence in str(caught.value)


def test_a_file_with_a_mark_of_its_encoding_is_read(tmp_path):
    """Issue 18: editors on Windows write one."""
    path = tmp_path / "mine.toml"
    path.write_text((DESIGNS[0]).read_text("utf-8"), "utf-8-sig")
    assert designs.mistakes(designs.resolve(str(path))) == []


def test_a_file_that_is_not_there_or_no_text_is_said_to_be_so(tmp_path):
    """Issue 18."""
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    for name in ("gone.toml", "binary.toml"):
        with pytest.raises(ConfigError, match="cannot be read"):
            Memory.open(tmp_path / "m", layout=str(tmp_path / name))


def test_an_unknown_name_lists_those_that_are_there(tmp_path):
    """Issue 18."""
    with pytest.raises(ConfigError, match=r"facts, .*native, .*two-layer, or a file that ends in \.toml"):
        Memory.open(tmp_path, layout="nativ")


def test_a_layout_may_have_no_journal_and_no_job(tmp_path):
    """Issue 18: today a layout without a journal ends in KeyError."""
    bare = Layout(name="bare", layers=(NOTES,), targets={"fact": "notes"}, prompt=(SHOWN,))
    check_layout(bare, str(tmp_path))


def test_knobs_that_a_layout_sets_hold():
    """DESIGN 5: `limits` in the configuration overrides."""
    assert settled(replace(GOOD, config=Knobs(defaults={"context.tokens": 777})), None).context.tokens == 777
    assert Config().context.tokens == 2000


@pytest.mark.parametrize("layout", ["native", "two-layer", "facts"])
def test_the_size_of_memory_md_can_be_given_to_any_layout(layout):
    """A host passes one configuration to several layouts; one without that file goes on."""
    config = settled(designs.LAYOUTS[layout], {"limits.memory_bytes": 640})
    assert config.limits.get("memory", 640) == 640


@pytest.mark.parametrize("change", ["a layer gone", "a path moved", "another folder"])
def test_a_layout_that_no_longer_has_a_file_says_so_at_open(tmp_path, caplog, change):
    """Issue 18: a layout changed under a memory that exists; nothing is lost."""
    with Memory.open(tmp_path, layout=GOOD) as memory:
        memory.remember("The user has a cat called Fritz.")
        memory.remember("Deploys go out on Mondays.", kind="decision")
        memory.append("chat:1", [Message("user", "My boat is called Dory.")])
    changed = {
        "a layer gone": replace(GOOD, layers=GOOD.layers[:3], targets={"fact": "notes"}),
        "a path moved": layer(FACTS, path="decisions.jsonl"),
        "another folder": replace(GOOD, memory="notes"),
    }[change]
    caplog.clear()
    with Memory.open(tmp_path, layout=changed) as memory:
        assert "memory/facts.jsonl" in caplog.text
        assert "give the layout a layer with that path" in caplog.text
        assert [each.kind for each in memory.doctor().problems if each.kind == "layout"] == ["layout"]
        assert memory.recall("What is the boat called?")
        memory.remember("The user has a dog called Rex.")
    caplog.clear()
    with Memory.open(tmp_path, layout=GOOD) as memory:
        assert memory.document("notes").startswith("- The user has a cat called Fritz.")
        assert [hit.text for hit in memory.recall("When do deploys go out?", layers=["items"])]
    assert ("no layer" in caplog.text) is (change == "another folder")


def test_each_action_may_be_a_tool_of_its_own(tmp_path):
    """Issue 18: Letta's five tool names, on rows of the table."""
    with Memory.open(tmp_path, layout=str(next(each for each in DESIGNS if each.stem == "blocks"))) as memory:
        memory.append("chat:1", [Message("user", "My boat is called Dory.")])
        tool = memory.tool()
        schemas = {each["name"]: each["input_schema"] for each in tool.schemas()}
        assert list(schemas) == [
            "core_memory_append",
            "core_memory_replace",
            "archival_memory_insert",
            "archival_memory_search",
            "conversation_search",
        ]
        assert schemas["core_memory_append"]["properties"]["label"]["enum"] == ["human", "persona"]
        assert set(schemas["core_memory_replace"]["required"]) == {"content", "label", "old_content"}
        assert schemas["archival_memory_insert"]["required"] == ["content"]
        assert tool.call({"label": "human", "content": "Name is Ada."}, "core_memory_append")["success"]
        asked = {"label": "human", "old_content": "Ada", "content": "Name is Ada Byron."}
        assert tool.call(asked, "core_memory_replace")["success"]
        assert (tmp_path / "memory" / "blocks" / "human.md").read_text(encoding="utf-8").strip() == "Name is Ada Byron."
        assert tool.call({"content": "Deploys go out on Mondays."}, "archival_memory_insert")["success"]
        found = tool.call({"query": "When do deploys go out?"}, "archival_memory_search")["hits"]
        assert [hit["text"] for hit in found] == ["Deploys go out on Mondays."]
        said = tool.call({"query": "What is the boat called?"}, "conversation_search")["hits"]
        assert [hit["text"] for hit in said] == ["My boat is called Dory."]
        assert tool.call({"label": "archival", "content": "x y z"}, "core_memory_append")["success"] is False
