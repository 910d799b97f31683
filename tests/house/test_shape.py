"""The shape of the code: what the house style says in numbers, held by a test."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "commonplace"
MODULES = sorted(SOURCE.rglob("*.py"))
MODULE_LINES = 500
FUNCTION_LINES = 60


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(tree(path)))


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    return (node for node in nodes(path) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)))


def name_of(path: Path) -> str:
    return path.relative_to(ROOT / "src").as_posix()


def test_no_module_is_longer_than_500_lines():
    """DESIGN 4: over 500 lines is a design question, not a formatting one."""
    lengths = {name_of(path): len(path.read_text(encoding="utf-8").splitlines()) for path in MODULES}
    assert {name: lines for name, lines in lengths.items() if lines > MODULE_LINES} == {}


def test_no_function_is_longer_than_60_lines():
    """DESIGN 4: over 60 lines is a design question."""
    too_long = [
        f"{name_of(path)}:{node.lineno} {node.name}"
        for path in MODULES
        for node in functions(path)
        if node.end_lineno - node.lineno + 1 > FUNCTION_LINES
    ]
    assert too_long == []


def imports_ourselves(node: ast.AST) -> bool:
    if isinstance(node, ast.ImportFrom):
        return node.level > 0 or (node.module or "").split(".")[0] == "commonplace"
    return isinstance(node, ast.Import) and any(alias.name.split(".")[0] == "commonplace" for alias in node.names)


def test_no_function_imports_our_own_package():
    """House style: lazy self-imports are where cycles hide."""
    lazy = [
        f"{name_of(path)}:{inner.lineno} in {node.name}"
        for path in MODULES
        for node in functions(path)
        for inner in ast.walk(node)
        if imports_ourselves(inner)
    ]
    assert lazy == []


def test_imports_are_absolute():
    """House style: imports at the top, absolute."""
    relative = [
        f"{name_of(path)}:{node.lineno}"
        for path in MODULES
        for node in nodes(path)
        if isinstance(node, ast.ImportFrom) and node.level
    ]
    assert relative == []


def module_names() -> list[str]:
    found = [each.name for each in pkgutil.walk_packages([str(SOURCE)], "commonplace.")]
    return ["commonplace", *(name for name in found if not name.endswith("__main__"))]


def test_every_all_is_sorted_and_true():
    """House style: `__all__` is sorted (constants, classes, functions), and each name in it is there."""
    for name in module_names():
        module = importlib.import_module(name)
        names = getattr(module, "__all__", [])
        assert [*names] == sorted(names, key=lambda each: (not each.isupper(), not each[0].isupper(), each)), name
        assert [each for each in names if not hasattr(module, each)] == [], name


def test_every_module_says_what_it_owns():
    """House style: a module docstring says what it owns and what it never does."""
    silent = [name_of(path) for path in MODULES if not ast.get_docstring(tree(path))]
    assert silent == []


BEGINS = re.compile(r"(Say|Give|Put|Let|Have|Tell|Look|Whether)s?\b")
NAMES = re.compile(r"(^|_)(told|stands|stood|gave_way|gives_way|at_it|somebody)(_|$)")
DIALECT = re.compile(r"\b(stands?|stood|told|is at it|gives? way|gave way|somebody|a look)\b")


def test_docstrings_are_plain_english():
    """DESIGN 3: "Return …", "True if …", a plain verb; none of the words that only this code would use so."""
    odd = [
        f"{name_of(path)}:{node.body[0].lineno}"
        for path in MODULES
        for node in nodes(path)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and (text := ast.get_docstring(node))
        and (BEGINS.match(text) or DIALECT.search(text))
    ]
    assert odd == []


def test_names_are_plain_english():
    """DESIGN 3: no function or class has one of those words in its name."""
    kinds = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    odd = [
        f"{name_of(path)}:{node.lineno} {node.name}"
        for path in MODULES
        for node in nodes(path)
        if isinstance(node, kinds) and NAMES.search(node.name)
    ]
    assert odd == []


def layout_names() -> set[str]:
    names = {"native", "two_layer", "two-layer", "graph", "structured", "memdir", "facts"}
    return names | {path.stem for path in (SOURCE / "layouts").glob("*.py") if path.stem != "__init__"}


def literals(node: ast.AST) -> set[str]:
    return {inner.value for inner in ast.walk(node) if isinstance(inner, ast.Constant) and isinstance(inner.value, str)}


def test_no_module_outside_layouts_compares_a_layouts_name():
    """DESIGN 4: what one layout alone needs is a named strategy, chosen by the layout's data."""
    names = layout_names()
    found = []
    for path in MODULES:
        if name_of(path).startswith("commonplace/layouts/"):
            continue
        for node in nodes(path):
            compared = isinstance(node, ast.Compare) and "layout" in ast.unparse(node).lower()
            matched = isinstance(node, ast.Match) and "layout" in ast.unparse(node.subject).lower()
            if (compared or matched) and literals(node) & names:
                found.append(f"{name_of(path)}:{node.lineno}")
    assert found == []


ONE_HOME = {
    "anthropic": "commonplace/models/anthropic.py",
    "openai": "commonplace/models/openai.py",
    "yaml": "commonplace/text/frontmatter.py",
    "click": "commonplace/surfaces/cli/",
}


def test_each_extra_has_one_home():
    """House style: optional packages are imported in exactly one module each."""
    found = [
        f"{name_of(path)}:{node.lineno} {package}"
        for path in MODULES
        for node in nodes(path)
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for package in [(node.module if isinstance(node, ast.ImportFrom) else node.names[0].name) or ""]
        if package.split(".")[0] in ONE_HOME and not name_of(path).startswith(ONE_HOME[package.split(".")[0]])
    ]
    assert found == []


GRAB_BAGS = {"utils", "util", "common", "types", "base", "manager", "service", "helpers", "misc"}


def test_no_module_is_a_grab_bag():
    """House style: one noun a module, named after the domain."""
    assert [name_of(path) for path in MODULES if path.stem in GRAB_BAGS] == []


def test_no_error_shadows_a_builtin():
    """House style: no exception named `MemoryError`."""
    import builtins

    errors = importlib.import_module("commonplace.errors")
    assert [name for name in vars(errors) if name.endswith("Error") and hasattr(builtins, name)] == []


def test_private_names_are_reached_in_one_place():
    """Issue 15: one seam at most, for the surfaces, the tests and the bench each; lint refuses all others."""
    reaching = [name_of(path) for path in MODULES if "noqa: SLF001" in path.read_text(encoding="utf-8")]
    assert reaching == ["commonplace/surfaces/cli/opening.py"]
    ignored = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["ruff"]["lint"]["per-file-ignores"]
    assert [files for files, rules in ignored.items() if {"SLF", "SLF001"} & {*rules}] == [
        "{tests/inside,bench/memories}.py"
    ]
    tests = [path for path in (ROOT / "tests").rglob("*.py") if path.name != "inside.py"]
    by_text = re.compile(r"""setattr\((\S+, )?"([\w.]+\.)?_[a-zA-Z]|noqa: (SLF|PLC2701)""")
    assert [path.name for path in tests if path != Path(__file__) and by_text.search(path.read_text("utf-8"))] == []


def test_one_module_hooks_the_fork():
    """Issue 15: one fork hook, after which each open memory of the child opens itself anew."""
    hooking = [name_of(path) for path in MODULES if "register_at_fork" in path.read_text(encoding="utf-8")]
    assert hooking == ["commonplace/memory/forks.py"]
