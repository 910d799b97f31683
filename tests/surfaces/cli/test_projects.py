"""Which project a command runs in: worktrees of one repository are one, a folder without git is itself."""

from __future__ import annotations

from commonplace.config import Config
from commonplace.surfaces.cli import projects


def test_a_folder_in_a_repository_is_its_common_directory(tmp_path):
    """Issue 6: explicit id, else git common directory, else path."""
    (tmp_path / "loom/.git").mkdir(parents=True)
    inside = tmp_path / "loom/src/deep"
    inside.mkdir(parents=True)
    assert projects.identity(inside) == str(tmp_path / "loom/.git")


def test_a_worktree_is_the_project_of_its_repository(tmp_path):
    """Seed model, section 6: worktrees share."""
    own = tmp_path / "loom/.git/worktrees/fix"
    own.mkdir(parents=True)
    (own / "commondir").write_text("../..\n", encoding="utf-8")
    tree = tmp_path / "fix"
    tree.mkdir()
    (tree / ".git").write_text(f"gitdir: {own}\n", encoding="utf-8")
    assert projects.identity(tree) == projects.identity(tmp_path / "loom") == str(tmp_path / "loom/.git")


def test_a_folder_without_git_is_its_path_and_a_broken_mark_is_itself(tmp_path):
    """Nothing is guessed."""
    assert projects.identity(tmp_path) == str(tmp_path)
    (tmp_path / ".git").write_text("", encoding="utf-8")
    assert projects.identity(tmp_path) == str(tmp_path / ".git")


def test_a_project_that_was_named_stays(tmp_path):
    """An explicit id goes first."""
    named = Config(project="github.com/ada/loom")
    assert projects.named(named, tmp_path) is named
    assert projects.named(Config(), tmp_path).project == str(tmp_path)
