"""Folders that somebody prepared, and names that somebody chose: nothing is written or read elsewhere."""

import os
import stat

import pytest

from commonplace import Memory, Message
from commonplace.errors import CommonplaceError, PathError, ScopeError

pytestmark = pytest.mark.battery


def _used(root, **options):
    with Memory.open(root, jobs="inline", **options) as memory:
        memory.append("c:1", [Message("user", "the plan is on")])
        memory.remember("The kettle is green")
        memory.recall("kettle")
        memory.context("c:1", "kettle")


@pytest.mark.parametrize("name", ["", "log", "state", "quarantine", "swapped"])
def test_a_link_in_the_place_of_our_own_folder_is_refused_before_a_byte_is_written(tmp_path, name):
    """Issue 22: `.commonplace` that is a symlink."""
    elsewhere, link = tmp_path / "elsewhere", tmp_path / "memory" / ".commonplace" / name
    elsewhere.mkdir()
    link.parent.mkdir(parents=True)
    link.symlink_to(elsewhere)
    with pytest.raises(PathError, match="is a link"):
        _used(tmp_path / "memory")
    assert list(elsewhere.iterdir()) == []


def test_nobody_else_may_enter_whatever_the_umask(tmp_path):
    """Issue 22: modes under umask 000; a memory that was begun with a scope was open to all."""
    root = tmp_path / "mine"
    before = os.umask(0)
    try:
        _used(root / "memory")
        with Memory.open(root / "team" / "memory", scope="user:ada") as memory:
            memory.append("chat:a", [Message("user", "hello")])
    finally:
        os.umask(before)
    assert [path for path in [root, *root.rglob("*")] if stat.S_IMODE(path.stat().st_mode) & 0o077] == []


def test_names_that_differ_by_case_only_are_kept_apart(tmp_path):
    """Issue 22: names that differ by case only, also where the file system knows no case."""
    for scope in ("User:Ada", "user:ada"):
        with Memory.open(tmp_path, scope=scope) as memory:
            memory.append("Chat:A", [Message("user", f"kettle of {scope}")])
            memory.append("chat:a", [Message("user", "another")])
    with Memory.open(tmp_path, scope="User:Ada") as memory:
        assert [hit.text for hit in memory.recall("kettle")] == ["kettle of User:Ada"]
    names = [path.relative_to(tmp_path).as_posix().lower() for path in tmp_path.rglob("*")]
    assert len(set(names)) == len(names)


def test_a_scope_or_session_whose_name_holds_a_secret_is_refused_without_naming_it(tmp_path):
    """Issue 22: scope names with secrets; nothing structured escapes into file names."""
    name = "gh" + "p_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    with pytest.raises(ScopeError) as error:
        Memory.open(tmp_path, scope=name)
    with Memory.open(tmp_path) as memory, pytest.raises(CommonplaceError) as other:
        memory.append(name, [Message("user", "x")])
    assert name not in str(error.value) + str(other.value)
    assert not (tmp_path / "scopes").exists()


@pytest.mark.parametrize("name", ["a\0b", "n" * 300])
def test_a_location_that_can_be_no_folder_is_a_typed_error(tmp_path, name):
    """Issue 23: ValueError and OSError came out of `Memory.open` and of the first recall."""
    with pytest.raises(PathError):
        Memory.open(tmp_path / name, jobs="worker")
