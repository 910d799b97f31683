"""Topics as a tree: each has one place, whatever it says of its parents."""

from __future__ import annotations

from commonplace.layouts import tree
from commonplace.records import Topic


def topic(name, *, title="", body="", links=(), **extra):
    return Topic(
        id=f"memory/{name}.md", path=f"memory/{name}.md", title=title or name, body=body, links=links, extra=extra
    )


def drawn(*topics):
    found = tree.build(topics, "memory")
    return ["  " * len(above) + branch.title for above, branch in tree.lines(found.branches)]


def reasons(*topics):
    return [(fault.path, fault.reason) for fault in tree.build(topics, "memory").faults()]


def test_a_topic_stands_under_its_first_parent_that_is_there_and_else_at_the_top():
    """Reference 2.1: missing parents lead to the root; children by title, then id."""
    topics = (topic("b", title="beta", parents=["gone", "a"]), topic("a", title="Alpha"), topic("c", title="Gamma"))
    assert drawn(*topics) == ["Alpha", "  beta", "Gamma"]
    assert reasons(topic("b", parents=["gone"], links=("gone",))) == [("memory/b.md", "its parent 'gone' is not there")]


def test_the_path_of_front_matter_and_the_folder_of_a_file_are_categories():
    """Seed graph, "Storage Layout": `path` has categories, made where no topic has their name."""
    topics = (topic("steve", path=["people", "friends"]), topic("people/ann"), topic("x", path=[" "]))
    assert drawn(*topics) == ["people", "  friends", "    steve", "  people/ann", "x"]


def test_topics_on_a_circle_stand_at_the_top_and_are_named():
    """Reference 2.4, scenario 2, and rings of more, and a branch that leads into one."""
    ring = [topic("a", parents=["b"]), topic("b", parents=["c"]), topic("c", parents=["a"]), topic("d", parents=["a"])]
    assert drawn(*ring) == ["a", "  d", "b", "c"]
    assert [path for path, _ in reasons(*ring)] == ["memory/a.md", "memory/b.md", "memory/c.md"]
    assert drawn(topic("self", parents=["self"])) == ["self"]


def test_a_circle_of_later_parents_is_named_though_each_has_a_place():
    """Issue 20: cycles are reported."""
    topics = (topic("x"), topic("a", parents=["x", "b"]), topic("b", parents=["a"]))
    assert [path for path, _ in reasons(*topics)] == ["memory/a.md", "memory/b.md"]


def test_links_are_found_by_name_path_and_title_each_once():
    """Reference 2.4, scenario 3."""
    one = topic("n1", links=("n2", "memory/n2.md", "Third", "n9"))
    found = tree.build((one, topic("n2"), topic("n3", title="third")), "memory")
    assert [each.path for each in found.links(one)] == ["memory/n2.md", "memory/n3.md"]
    assert [(fault.path, fault.reason) for fault in found.faults()] == [("memory/n1.md", "its link 'n9' is not there")]


def test_a_chain_of_thousands_of_parents_is_drawn_without_recursion():
    """Reference 2.3: the original's renderer recursed without limit."""
    chain = [topic("t0"), *(topic(f"t{n}", parents=[f"t{n - 1}"]) for n in range(1, 1100))]
    assert len(drawn(*chain)) == 1100


def test_a_topic_with_a_parent_below_it_would_lead_back():
    """Issue 20, bad input: a parent cycle."""
    found = tree.build((topic("a"), topic("b", parents=["a"]), topic("c", parents=["b"])), "memory")
    assert tree.leads_back(found, "memory/a.md", ["c"])
    assert tree.leads_back(found, "memory/a.md", ["a"])
    assert not tree.leads_back(found, "memory/c.md", ["a"])
