"""Reading replies: seed two-layer's three tiers with its losses closed."""

import json

import pytest

from commonplace.models import Reply
from commonplace.models.reading import MAX_REPLY_CHARS, body, says_none
from commonplace.models.replies import (
    Unusable,
    parse_choice,
    parse_proposal,
    parse_ranking,
    parse_two_layer,
    proposal_schema,
)
from commonplace.operations import AddEntry, Proposal, PutItem, PutTopic, RemoveEntry, ReplaceEntry, View, ViewEntry
from commonplace.records import Message, RecordedMessage, Source
from marking import in_one_test, slow_after

VIEW = View(
    messages=tuple(
        RecordedMessage(f"s.jsonl#m{n}", "s.jsonl", "chat:1", n + 40, Message("user", f"text {n}", id=f"m{n}"), 0)
        for n in (1, 2, 3)
    ),
    entries=(
        ViewEntry(id="facts/user.md:aa", number=1, path="facts/user.md", text="likes tea"),
        ViewEntry(id="facts/env.md:bb", number=2, path="facts/env.md", text="uses Go"),
    ),
)
GOOD = {
    "journal": "They spoke of tea.",
    "operations": [
        {"op": "add", "path": "facts/user.md", "text": "likes tea", "cites": [{"message": 2, "quote": "text 2"}]}
    ],
}
SOURCE = Source("chat:1", "m2")


def read(value, **more):
    text = value if isinstance(value, str) else json.dumps(value)
    return parse_proposal(Reply(text), view=VIEW, **more)


EXPECTED = AddEntry(path="facts/user.md", text="likes tea", sources=(SOURCE,), quotes=("text 2",))


def test_a_clean_answer_becomes_a_proposal_with_ids_for_numbers():
    """DESIGN 7: numbered messages, records by number."""
    answer = read(GOOD)
    assert (answer.journal, answer.operations, answer.done) == ("They spoke of tea.", (EXPECTED,), True)


@in_one_test(
    "slip",
    [
        json.dumps(GOOD)[:-1] + ",}",
        json.dumps(GOOD["operations"]),
        "```json\n" + json.dumps(GOOD["operations"][0]) + "\n```",
        json.dumps({**GOOD, "operations": GOOD["operations"][0]}),
    ],
)
def test_a_small_slip_of_the_form_costs_nothing(slip):
    """Issue 17: a good answer is read though a comma stands too much or what is around the operations is missing."""
    assert read(slip).operations == (EXPECTED,)


@in_one_test(
    "wrapped",
    [
        "```json\n{}\n```", "~~~\n{}\n~~~", "Sure! Here it is:\n{}\nHope it helps {{smile}}.", "```json {}```", "\ufeff{}", "[{}]", '{{"proposal": {}}}',
        '{{"result": {{"proposal": {}}}}}', '<think>maybe {{"journal": "no"}} hm</think>\n{}', "set {{x}} and {{'y'}} then {}", 'He said "{{" and then\n{}',
        '{{"journal": "an example", "operations": []}}\nThe answer:\n{}',
    ],
)  # fmt: skip
def test_an_answer_is_found_inside_what_models_put_around_it(wrapped):
    """Seed-systems 1.3: scan all balanced objects for the one with our keys; the last one wins."""
    assert read(wrapped.format(json.dumps(GOOD))).operations == (EXPECTED,)


def test_raw_control_characters_inside_strings_are_tolerated():
    """Seed-systems 1.3: a raw newline inside the memory string lost the update in silence."""
    text = '{"history_entry": "one\ntwo", "memory_update": "# Facts\n\n- a\tb\n- c"}'
    assert parse_two_layer(Reply(text)) == ("one\ntwo", "# Facts\n\n- a\tb\n- c")


def test_trailing_commas_and_python_quotes_are_read():
    """Seed-systems 1.3: single quotes gave nothing."""
    assert parse_two_layer(Reply("{'history_entry': \"it's done\", 'memory_update': None,}")) == ("it's done", None)
    assert parse_two_layer(Reply('{"history_entry": "a, }", "memory_update": "b",}')) == ("a, }", "b")


def test_only_the_journal_is_read_from_a_text_that_is_no_json():
    """Safety notes 2.4: tier 3 may fill only the journal; seed-systems 1.3: the rest is not lost in silence."""
    broken = '{"history_entry": "We \\"agreed\\".", "memory_update": "all " new "}'
    assert parse_two_layer(Reply(broken)) == Unusable(parse_two_layer(Reply(broken)).reason, broken, 'We "agreed".')
    proposal = '{"journal": "We agreed.", "operations": [{"op": "add" "path"}]}'
    assert (read(proposal).journal, read(proposal).raw) == ("We agreed.", proposal)


@pytest.mark.parametrize(
    "text", ['{"history_entry": "cut he', '{"history_entry": "whole", "memory_update": "cut he', json.dumps(GOOD)]
)
def test_a_cut_answer_is_never_repaired(text):
    """Ecosystem survey: do not repair when the answer was cut; even one that looks whole."""
    for answer in (parse_two_layer(Reply(text, stop="length")), parse_proposal(Reply(text, stop="length"), view=VIEW)):
        assert isinstance(answer, Unusable)
        assert answer.raw == text


def test_a_cut_text_that_is_not_marked_gives_at_most_its_journal():
    """A local server may say `stop` for a cut answer."""
    assert parse_two_layer(Reply('{"history_entry": "whole", "memory_update": "cut he')).journal == "whole"
    assert parse_two_layer(Reply('{"history_entry": "cut he')).journal == ""


@in_one_test(
    ("update", "memory"),
    [
        ("# Memory\n- Likes tea.\n", "# Memory\n- Likes tea.\n"),
        ("```markdown\n# Memory\n- Likes tea.\n```", "# Memory\n- Likes tea."),
        (["# Memory", "- Likes tea."], "# Memory\n- Likes tea."),
        ({"Drinks": ["- Likes tea."], "Home": "- Lives in Oslo."}, "## Drinks\n- Likes tea.\n\n## Home\n- Lives in Oslo."),
        ("No changes.", None), ("(unchanged)", None), ("Keine Änderungen", None), ("変更なし", None), ("Nothing new to drink but tea", "Nothing new to drink but tea"),
    ],
)  # fmt: skip
def test_a_memory_update_is_read_in_the_forms_that_models_write(update, memory):
    """A fence around the text, a list of its lines, an object of its sections, and words for no change."""
    answer = json.dumps({"history_entry": ["They spoke", "of tea."], "memory_update": update})
    assert parse_two_layer(Reply(answer)) == ("They spoke of tea.", memory)
    call = json.dumps({"name": "save_memory", "arguments": answer})
    assert parse_two_layer(Reply(call)) == ("They spoke of tea.", memory)


@in_one_test(
    "text",
    ["", "  \n", "{}", "[]", "null", "I could not find anything to remember.", '{"history_entry": null}', '{"history_entry": ""}', '{"history_entry": 7}',
     '{"history_entry": {"text": "a"}}', '{"history_entry": "a", "memory_update": [1]}', '{"history_entry": "a", "memory_update": {"x": 1}}',
     '{"history_entry": "a", "memory_update": 7}', '{"history_entry": "a", "memory_update": false}', '{"history_entry": "<summary>"}', '{"history_entry": "..."}',
     '{"memory_update": "x"}', '{"history_entry": "\\ud800"}', '{"history_entry": "a", "memory_update": "\\udfff"}', '{"history_entry": NaN}',
     '{"type": "object", "properties": {"history_entry": {"type": "string"}}}', '{"history_entry": {"type": "string"}, "memory_update": {"type": "string"}}'],
)  # fmt: skip
def test_nothing_is_made_of_a_two_layer_answer_that_says_nothing(text):
    """Seed-systems 1.3: `parsed but empty` is a failure; stringify nothing."""
    answer = parse_two_layer(Reply(text))
    assert isinstance(answer, Unusable)
    assert answer.raw == text


@in_one_test("blank", ["", "  ", "(empty)", "null", "..."])
def test_a_blank_memory_update_leaves_memory_as_it_is(blank):
    """Seed two-layer: the marker of the prompt comes back, or nothing."""
    assert parse_two_layer(Reply(json.dumps({"history_entry": "a", "memory_update": blank}))) == ("a", None)


def test_an_object_that_stands_in_the_prompt_is_an_echo():
    """Ecosystem survey: detect schema and prompt echo."""
    example = '{"journal": "what happened", "operations": []}'
    prompt = f"Answer like {example}. Now go."
    assert read(example, prompt=prompt).reason == "an echo of the question"
    assert read(f"{json.dumps(GOOD)}\nas in {example}", prompt=prompt).operations == (EXPECTED,)
    assert isinstance(read(prompt, prompt=prompt), Unusable)


def test_a_schema_given_back_is_an_echo():
    """Ecosystem survey: some servers echo the schema."""
    assert read(proposal_schema()).reason == "an echo of the question"
    assert read({"schema": proposal_schema()["properties"]}).reason == "an echo of the question"


BAD_OPERATIONS = [
    "add tea", 7, None, {}, {"op": "destroy"}, {"op": ["add"]}, {"op": "add", "path": "a.md"}, {"op": "add", "path": "a.md", "text": None}, {"op": "add", "path": "a.md", "text": 7},
    {"op": "add", "path": "a.md", "text": ["x"]}, {"op": "add", "path": "a.md", "text": " "}, {"op": "add", "path": "a.md", "text": "<text>"}, {"op": "add", "text": "no path"},
    {"op": "add", "path": 3, "text": "x"}, {"op": "add", "path": "a.md", "text": "x", "section": 1}, {"op": "replace", "target": None, "text": "x"}, {"op": "replace", "target": 1},
    {"op": "replace", "target": [1], "text": "x"}, {"op": "replace", "target": True, "text": "x"}, {"op": "remove"}, {"op": "remove", "target": ""}, {"op": "remove", "target": 1.5},
    {"op": "add", "path": "a.md", "text": "\ud800"}, {"op": "put_item", "path": "i.jsonl", "id": "a"},
    {"op": "put_item", "path": "i.jsonl", "id": "a", "data": {"n": 1}}, {"op": "put_item", "path": "i.jsonl", "id": "a", "data": {"text": "x", "d": [[[[[[[[1]]]]]]]]}}, {"op": "put_topic", "path": "t.md", "body": {}},
]  # fmt: skip


@in_one_test("operation", BAD_OPERATIONS, ids=[str(n) for n in range(len(BAD_OPERATIONS))])
def test_an_operation_that_cannot_be_read_costs_the_others_nothing(operation):
    """DESIGN 1.4: nothing is guessed, and one bad statement never costs the good ones beside it."""
    answer = read({"journal": "fine", "operations": [operation, *GOOD["operations"]]})
    assert (answer.journal, answer.operations) == ("fine", (EXPECTED,))
    ((text, reason),) = answer.unread
    assert reason.startswith("operation 1")
    assert text in {"", "add tea", "x", "no path"}


CITES = [  # as models write them, and the messages and quotes that they name
    ("m1", [("m1", "")]), (2, [("m2", "")]), (["1", "[2]"], [("m1", ""), ("m2", "")]), ([{"message": 1, "quote": 9}], [("m1", "")]),
    ("text 2", [("0", "text 2")]), ([{"quote": "text 2"}], [("0", "text 2")]), ([{"message": True}], []), ([None, {}], []), ({}, []),
]  # fmt: skip


@in_one_test(("cites", "named"), CITES)
def test_cites_of_any_shape_are_read(cites, named):
    (edit,) = read({"journal": "a", "operations": [{**GOOD["operations"][0], "op": "ADD", "cites": cites}]}).operations
    assert [(source.message, quote) for source, quote in zip(edit.sources, edit.quotes, strict=True)] == named


@in_one_test("more", [{"read": {"x": 1}}, {"search": [1, None]}, {"done": "yes"}, {"read": None}])
def test_a_field_of_a_wrong_type_beside_a_journal_is_as_if_it_were_not_there(more):
    answer = read({"journal": "They spoke of tea.", **more})
    assert (answer.journal, answer.read, answer.search, answer.done) == ("They spoke of tea.", (), (), True)


def test_a_reply_without_one_operation_that_can_be_read_is_unusable():
    answer = read({"journal": "fine", "operations": [{"op": "create", "text": "likes tea"}, 7]})
    assert isinstance(answer, Unusable)
    assert "'op'" in answer.reason


@in_one_test("bad", [{"journal": 7}, {"journal": ["a"], "operations": []}, {"journal": "a", "operations": {}}, {"journal": "a", "operations": "none"},
    {"journal": "a", "operations": [{"op": "remove", "target": 1}] * 501},
    {"journal": "", "operations": []}, {"journal": "string", "operations": []}])  # fmt: skip
def test_an_answer_of_a_wrong_shape_is_unusable(bad):
    """Seed-systems 1.3: schema-validate."""
    assert isinstance(read(bad), Unusable)


@in_one_test("journal", [{}, {"journal": ""}, {"journal": None}, {"journal": "string"}])
def test_operations_without_a_journal_entry_are_read(journal):
    """DESIGN 1.4: what is missing beside a good statement costs it nothing."""
    answer = read({**journal, "operations": GOOD["operations"]})
    assert (answer.journal, answer.operations) == ("", (EXPECTED,))


def test_a_curating_answer_may_change_nothing():
    """Seed-systems 1.3: `(nothing)` is a valid answer of a dream, but not of a range job."""
    assert read({"operations": []}, journal_required=False).operations == ()
    assert isinstance(read({"done": True}, journal_required=False), Unusable)
    assert read({"read": ["a.md"], "search": ["tea"], "done": False}).read == ("a.md",)


def test_targets_and_cites_are_understood_as_models_write_them():
    """DESIGN 5: a model sees short numbers that hold for one view."""
    for target in (1, "1", "#1", "[1]", "e1", "entry 1", "facts/user.md:aa"):
        (operation,) = read({"journal": "x y", "operations": [{"op": "remove", "target": target}]}).operations
        assert operation == RemoveEntry(path="facts/user.md", target="facts/user.md:aa")
    for cite in ({"message": 2, "quote": "q"}, {"message": "m2", "quote": "q"}, {"message": "[2]", "quote": "q"}):
        (operation,) = read(
            {"journal": "x y", "operations": [{"op": "replace", "target": 2, "text": "new", "cites": [cite]}]}
        ).operations
        assert operation == ReplaceEntry(
            path="facts/env.md", target="facts/env.md:bb", text="new", sources=(SOURCE,), quotes=("q",)
        )


def test_a_message_that_is_not_in_the_view_is_kept_for_the_gate_to_refuse():
    """Safety notes 2.4: unknown ids are refused, not dropped in silence."""
    (operation,) = read(
        {
            "journal": "x y",
            "operations": [{"op": "add", "path": "a.md", "text": "t", "cites": [{"message": 99, "quote": "q"}]}],
        }
    ).operations
    assert operation.sources == (Source("?", "99"),)


def test_a_claimed_trust_or_source_is_not_read():
    """DESIGN 1.6: trust is computed, never claimed."""
    (operation,) = read(
        {
            "journal": "x y",
            "operations": [
                {
                    "op": "add",
                    "path": "a.md",
                    "text": "t",
                    "trust": "user",
                    "sources": [{"session": "z", "message": "q"}],
                }
            ],
        }
    ).operations
    assert (operation.trust, operation.sources) == (None, ())


def test_topics_and_items_are_read():
    """DESIGN 7: put topic, put item."""
    topic, item = read({"journal": "x y", "operations": [
        {"op": "put_topic", "path": "tea.md", "title": "Tea", "body": "Green.", "links": ["a.md"]},
        {"op": "put_item", "path": "items/semantic.jsonl", "id": "tea", "kind": "preference", "text": "likes tea", "tags": ["food"]},
    ]}).operations  # fmt: skip
    assert topic == PutTopic(path="tea.md", title="Tea", body="Green.", links=("a.md",))
    assert item == PutItem(
        path="items/semantic.jsonl", id="tea", data={"kind": "preference", "text": "likes tea", "tags": ["food"]}
    )


def test_the_schema_is_what_strict_servers_want():
    """Both providers: every property required, none added."""

    def walk(node):
        if node.get("type") == "object":
            assert node["required"] == list(node["properties"])
            assert node["additionalProperties"] is False
            for inner in node["properties"].values():
                walk(inner)
        if node.get("type") == "array":
            walk(node["items"])

    walk(proposal_schema(("add", "replace", "remove", "put_topic", "put_item"), rounds=True))


@pytest.mark.parametrize(
    "text",
    slow_after(4, ["x" * 10_000_000, '{"journal": "' + "x" * 10_000_000 + '"}', "{" * 900_000, '{"a":' * 190_000, '{"a":{},' * 120_000, "[" * 900_000, " " * 900_000 + "x", "```" + " " * 900_000 + "x",
     '"journal": "' * 80_000, "<think>" * 100_000, '{"a":"b",' * 60_000, "{'a':" * 9_000, '{"journal": [' + "[" * 100_000, '{"journal": 1' + "0" * 500_000 + "}"]),
    ids=range(14),
)  # fmt: skip
def test_a_hostile_or_huge_text_is_unusable_in_linear_time(text):
    """Issue 4: 10 MB; the reader's work is bounded by four times the text."""
    assert isinstance(read(text), Unusable)
    assert isinstance(parse_two_layer(Reply(text)), Unusable)
    assert parse_choice(Reply(text), ("merge",)) is None
    assert parse_ranking(Reply(text), 3) is None


def test_the_longest_text_that_is_read_is_bounded():
    """Issue 4: 10 MB."""
    assert isinstance(read(json.dumps({"journal": "x" * MAX_REPLY_CHARS})), Unusable)


@in_one_test(
    "text, expected",
    [("merge", "merge"), ("MERGE", "merge"), ("Merge.", "merge"), ("**merge**", "merge"), ('"merge"', "merge"), ("Answer: merge", "merge"), ("Verdict - x\nmerge", "merge"),
     ("merge\n\nBoth speak of tea.", "merge"), ("Both speak of tea.\n\nFinal answer: MERGE", "merge"), ('{"verdict": "merge"}', "merge"), ("```\nmerge\n```", "merge"), ("<think>add or merge?</think>merge", "merge"),
     ("merge: both speak of tea", "merge"), ("merge (of tea)", "merge"), ("The answer is merge.", "merge"), ("merge, or add", None),
     ("do not merge", None), ("I would merge them", None), ("merge or add", None), ("merge\nadd", None), ("", None), ("merged", None), ('{"verdict": 1}', None), ('{"a": "merge", "b": "add"}', None), ("unmerge", None)],
)  # fmt: skip
def test_a_one_word_verdict_is_that_word_or_nothing(text, expected):
    """Seed facts: the judge took any text that contains `merge`."""
    assert parse_choice(Reply(text), ("merge", "add", "update")) == expected


@in_one_test(
    "text, expected",
    [("2, 0,9", (2, 0)), ("none", ()), ("None.", ()), ("[]", ()), ("[2, 0]", (2, 0)), ("1", (1,)), ("0,0,1", (0, 1)), ("2 0", (2, 0)), ("2,\n0", (2, 0)), ("Answer: 1,2", (1, 2)),
     ("7, 9", None), ("the second one", None), ("1 and 2", (1, 2)), ("", None), ("-1", (1,)), ("1.5", None), ("0, 1, because", (0, 1)), ("The best are 2, 0 and 1.", (2, 0, 1)), ("1. [2] the harbour\n2. [0] the quay", (2, 0)), ("[2] > [0]", (2, 0)),
     ("I would rank memory 2 first.", (2,)), ("Between 0 and 2 I choose 1", None), ("None of these memories are relevant.", ()), ("Keine davon ist relevant.", ()), ("On 2026-01-02 at 10:30", None)],
)  # fmt: skip
def test_a_ranking_is_a_list_of_known_numbers_or_nothing(text, expected):
    """Seed facts: `none relevant` must not be overridden, prose must not be mined for digits. Issue 16: one in prose."""
    assert parse_ranking(Reply(text), 3) == expected


def test_a_cut_or_refused_verdict_is_none():
    """Never read what was cut."""
    assert parse_choice(Reply("merge", stop="length"), ("merge",)) is None
    assert parse_ranking(Reply("1, 2", stop="refusal"), 3) is None


@pytest.mark.parametrize(
    "text", ["There is nothing worth remembering here.", "没有值得记住的内容。", "Nichts Wichtiges."]
)
def test_none_in_prose_is_an_empty_answer_of_those_who_answer_in_json(text):
    """Issue 16: "none" in other words; it is no failure, so nothing is tried again or kept raw."""
    assert parse_proposal(Reply(text), view=View()) == Proposal()
    assert parse_two_layer(Reply(text)) == ("", None)


@in_one_test(
    "text, expected",
    [("none", True), ("None.", True), ("Nothing of it will matter.", True), ("There is nothing worth remembering here.", True), ("No durable facts.", True), ("- none", True),
     ("Nichts Relevantes.", True), ("Keine.", True), ("特になし。", True), ("No hay hechos.", True), ("No meat: Anna is vegetarian.", False), ("Nothing was decided about the roof.", False),
     ("没有值得记住的内容。", True), ("Ничего важного.", True), ("Rien à retenir.", True), ("Niente da ricordare.", True), ("Nic ważnego.", True), ("Niets te onthouden.", True),
     ("覚えておくべきことはありません。", True), ("기억할 내용이 없습니다.", True), ("没有养猫", False), ("Ничего не ест с орехами", False), ("Rien ne va plus à Lyon", False),
     ("Anna has no cats", False), ("No cats are allowed in flat 3", False), ("none\nAnna has a cat", False),
     ("特にありません。", True), ("This session contains no facts that will matter in a later session.", True), ("This was small talk; nothing to remember.", True),
     ("Es wurde nichts Dauerhaftes besprochen.", True), ("Rien d'important à retenir de cette session.", True), ("今回は記憶すべき内容はありません。", True),
     ("Geen feiten om te onthouden.", True), ("W tej rozmowie nie padło nic ważnego.", True), ("В этом разговоре нет ничего важного.", True),
     ("User keeps no records", False), ("User has no allergies", False), ("子供がいない", False), ("没有时间", False), ("У Анны нет кошек", False)],
)  # fmt: skip
def test_none_is_understood_in_other_words(text, expected):
    """Issue 16: "none" in other words."""
    assert says_none(text) == expected


@in_one_test(
    "text, refused",
    [("I'm sorry, but I can't help with that.", True), ("I cannot assist with this request.", True), ("Das kann ich nicht.", False), ("Ich kann dir dabei nicht helfen.", True),
     ("Lo siento, no puedo ayudar con eso.", True), ("I can't swim.", False), ('Sorry, here it is: {"journal": "x"}', False), ("- I cannot eat gluten.", False)],
)  # fmt: skip
def test_a_refusal_in_words_is_no_answer(text, refused):
    """Issue 16: a refusal."""
    assert isinstance(body(Reply(text)), Unusable) == refused
