"""The operations of a proposal, made to fit the layers that they go to."""

from commonplace.jobs.rules.memos import Place
from commonplace.jobs.settling import settled
from commonplace.layouts.memdir import LAYOUT as MEMDIR
from commonplace.layouts.structured import LAYOUT
from commonplace.operations import AddEntry, Proposal, PutItem, PutTopic, RemoveItem, ReplaceEntry, View, ViewEntry
from marking import in_one_test

PATH = "memory/items/semantic.jsonl"


def made(text, *old, **fields):
    """Return what becomes of an item that a model adds beside some that are there, each by its number or as new."""
    entries = [
        ViewEntry(id=f"{PATH}#{n}", number=n, path=PATH, text=each, **fields) for n, each in enumerate(old, start=1)
    ]
    proposal = Proposal(operations=(AddEntry(path=PATH, text=text),))
    edits = settled(proposal, View(messages=(), entries=tuple(entries)), LAYOUT, {}).operations
    kinds = {PutItem: "put", RemoveItem: "remove"}
    return [f"{kinds[type(edit)]} {edit.id if len(edit.id) == 1 else 'new'}" for edit in edits]


@in_one_test(
    "text, old, done",
    [
        ("Ida works as a baker at Kringle, Skien.", ["User is a baker at Kringle in Skien."], ["put 1"]),
        ("Ida is a baker at Kringle in Skien, and rows.", ["User is a baker at Kringle in Skien."], ["put 1"]),
        ("Ida has a hazelnut allergy.", ["User is Ida.", "User is allergic to hazelnuts."], ["put 2"]),
        ("Answer Ida in short lines, always.", ["Always answer in short lines."], ["put 1"]),
        ("Ida bakes rye bread and rows on Sundays.", ["User bakes rye bread.", "User rows on Sundays."], ["put 1", "remove 2"]),
        ("Ida is a baker.", ["User is Ida."], ["put new"]),
        ("Deploy on Fridays at 9.", ["Never deploy on Fridays."], ["put new"]),
        ("The desk is 120 cm wide.", ["The desk is 140 cm wide."], ["put new"]),
    ],
)  # fmt: skip
def test_a_new_item_is_said_in_the_place_of_one_that_it_says_whole(text, old, done):
    """Issue 17: an item of the rules stayed beside the model's item of the same fact."""
    assert made(text, *old) == done


@in_one_test("fields", [{"pinned": True}, {"user_authored": True}])
def test_an_item_of_a_persons_own_stays_beside_it(fields):
    """Only a person changes what they wrote or pinned."""
    assert made("Ida bakes rye bread on Sundays.", "User bakes rye bread.", **fields) == ["put new"]


def put(*lines):
    return PutTopic(path="jonas.md", body="\n".join(lines))


@in_one_test(
    "first, second, body",
    [
        (put("Golf.", "Swims on Tuesdays."), put("Bicycle.", "Swims on Tuesdays."), "Bicycle.\nSwims on Tuesdays."),
        (put("Golf.", "Swims on Tuesdays."), put("Bicycle.", "Swims."), "Swims on Tuesdays.\nBicycle."),
        (put("Bicycle.", "Swims."), put("Golf.", "Swims.", "Rows."), "Bicycle.\nSwims.\nRows."),
        (put("Golf.", "Swims.", "Rows."), put("Golf.", "Swims.", "Sings."), "Golf.\nSwims.\nRows.\nSings."),
        (put("Swims.", "Golf."), put("Golf.", "Swims.", "Sings."), "Swims.\nGolf.\nSings."),
        (
            AddEntry(path="jonas.md", section="Jonas", text="Rows."),
            ReplaceEntry(path="jonas.md", target="jonas.md", text="Bicycle.\nSwims."),
            "Bicycle.\nSwims.\n- Rows.",
        ),
    ],
)
def test_a_topic_that_a_reply_writes_twice_is_written_once_without_what_either_leaves_out(first, second, body):
    """Issue 16: the line that the second writing replaced stayed, because the first still had it."""
    known = ViewEntry(id="jonas.md", number=1, path="jonas.md", section="Jonas: Habits", text="Golf.\nSwims.")
    view = View(messages=(), entries=(known,))
    places = {"fact": Place(path="{topic}.md", layer="topics", form="topic")}
    (edit,) = settled(Proposal(operations=(first, second)), view, MEMDIR, places).operations
    assert edit.body == body


KEY = "gh" + "p_Ab3dEf6hIj9kLmN0pQrStUvWxYz1234567Q7"


@in_one_test(
    "edit",
    [
        AddEntry(path="{topic}.md", text=f"The deploy key is {KEY}"),
        AddEntry(path="{topic}.md", text=f"The deploy key of the staging server is here: {KEY}"),
        PutTopic(path="", title=f"Deploy key {KEY}", body="The user needs a deploy key."),
        PutTopic(path=f"deploy-key-{KEY}.md", body="The user needs a deploy key."),
    ],
)
def test_no_name_of_a_topic_holds_a_part_of_a_secret(edit):
    """Issue 22: a file was called by the small letters of a key, which no rule finds again."""
    places = {"fact": Place(layer="topics", path="{topic}.md", form="topic")}
    (made,) = settled(Proposal(operations=(edit,)), View(messages=(), entries=()), MEMDIR, places).operations
    assert KEY[4:12].lower() not in f"{made.path} {made.title.replace(KEY, '')}".lower()
    assert "deploy-key" in made.path
