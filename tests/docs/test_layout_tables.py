"""Each layout's page: every row names the test that shows it, or says why we differ.

Source: issue 5; at most five rows of a page may differ, none of them a default or a limit.
"""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from commonplace.memory.designs import LAYOUTS
from marking import in_one_test

ROOT = Path(__file__).parents[2]
PAGES = sorted(page for page in (ROOT / "docs" / "layouts").glob("*.md") if page.stem != "README")
KINDS = {"file", "component", "method", "type", "trigger", "key", "default", "limit", "rule"}
DIFFERING = 5
_TEST = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")
_NAMED = re.compile(r"`([^`]+)`")


def rows(page: Path) -> list[list[str]]:
    """Give the cells of every row of the tables whose first column is the kind."""
    found = []
    inside = False
    for line in page.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if not cells:
            inside = False
        elif cells[0] == "kind":
            inside = True
        elif inside and not cells[0].startswith("---"):
            found.append(cells)
    return found


@cache
def named_in(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_row_names_a_test_that_exists_or_says_why_we_differ(page):
    """Issue 5: the test fails on a row whose test does not exist."""
    table = rows(page)
    assert table
    wrong = []
    for row in table:
        shown = row[-1]
        tests = _TEST.findall(shown)
        missing = [name for file, name in tests if not (ROOT / file).exists() or name not in named_in(ROOT / file)]
        differs = re.fullmatch(r"differs: \S.{10,}", shown)
        if row[0] not in KINDS or len(row) != 4 or missing or bool(tests) == bool(differs):
            wrong.append(row)
    assert wrong == []


@in_one_test("page", PAGES, ids=lambda page: page.stem)
def test_at_most_five_rows_differ_and_none_is_a_default_or_a_limit(page):
    """Issue 5."""
    differing = [row[0] for row in rows(page) if row[-1].startswith("differs: ")]
    assert len(differing) <= DIFFERING
    assert {"default", "limit", "key"} & set(differing) == set()


@in_one_test("page", PAGES, ids=lambda page: page.stem)
def test_a_page_tells_every_file_and_every_name_of_its_layout(page):
    """House style: documentation is tested against the code."""
    layout = LAYOUTS[page.stem]
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    named = set(_NAMED.findall(text))
    assert [layer.path for layer in layout.layers if not {layer.path, f"memory/{layer.path}"} & named] == []
    assert [name for name in layout.config.names if name not in named] == []


def test_a_row_without_a_test_is_seen(tmp_path):
    """The check itself: a wrong name, a wrong file, and neither test nor reason."""
    page = tmp_path / "two-layer.md"
    for shown in ("`tests/docs/test_layout_tables.py::test_nothing`", "`tests/no_file.py::test_x`", "", "differs: x"):
        page.write_text(
            f"| kind | a | b | shown by |\n|---|---|---|---|\n| rule | x | y | {shown} |\n", encoding="utf-8"
        )
        with pytest.raises(AssertionError):
            test_every_row_names_a_test_that_exists_or_says_why_we_differ(page)
