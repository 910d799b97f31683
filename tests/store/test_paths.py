"""No path leads out of the root, and only plain files are touched."""

from __future__ import annotations

import os

import pytest
from scopes import document, line, open_store

from commonplace.errors import PathError
from commonplace.store.protocol import Append, Delete, Put
from marking import in_one_test

UP = (
    "..",
    "../x",
    "a/../../x",
    "a/../b",
    "./a",
    "a/./b",
    "a//b",
    "/",
    "",
    "a/",
    "//host/share",
    "../" * 40 + "etc/passwd",
)
ABSOLUTE = ("/etc/passwd", "/tmp/x", "C:/x", "c:x", "C:\\x", "\\\\host\\share", "a\\b", "..\\x", "\\x")
BYTES = ("a\0b", "\0", "a\nb", "a\rb", "a\tb", "a\x1bb", "a\x7f", "x" * 256, "é" * 200, "a/" + "x" * 300, "\ud800x")
OURS = (".commonplace", *(f".commonplace/{name}" for name in ("log", "lock", "key", "feed", "state")),
        ".commonplace/log/2026-11.jsonl", ".commonplace/state/head", ".commonplace/key/x", ".A.md.3-0.cptmp")  # fmt: skip
WRAPPED = tuple(
    f"{before}{path}{after}"
    for path in ("../x", "..", "/x", "a\\b")
    for before, after in (("a/", ""), ("memory/", "/y"), ("a/b/c/", "/../z"), ("%2e%2e/", ""), (" /", ""), ("é/", "/é"))
    if ".." in path or "\\" in path or before == "a/"
)
PAYLOADS = (*UP, *ABSOLUTE, *BYTES, *OURS, *WRAPPED)


@pytest.fixture
def store(tmp_path):
    root = tmp_path / "root"
    with open_store(root) as store:
        store.append("sessions/a.jsonl", [line(1)])
        yield store


def refused(store, path) -> None:
    """Every verb refuses the path."""
    for verb in (
        lambda: store.read(path),
        lambda: store.version(path),
        lambda: store.append(path, [line(1)]),
        lambda: store.locked(path).__enter__(),
        lambda: store.commit({}, {}, [Put(path, (document(1),))]),
        lambda: store.commit({}, {}, [Append(path, (line(1),))]),
        lambda: store.commit({}, {}, [Delete(path)]),
    ):
        with pytest.raises(PathError):
            verb()


@in_one_test("path", PAYLOADS)
def test_paths_that_could_leave_the_root_are_refused(store, tmp_path, path):
    """Safety battery F21."""
    refused(store, path)
    assert [each.name for each in tmp_path.iterdir()] == ["root"]
    assert store.change_number() == 0


@pytest.mark.parametrize("link", ["out", "out/x.md", "file.md", "deep/out/x.md", "loop", "dangling.md"])
def test_links_out_of_the_root_are_refused(store, tmp_path, link):
    """Safety battery F21: links are resolved, and what leaves the root is refused."""
    outside, root = tmp_path / "outside", tmp_path / "root"
    outside.mkdir()
    (outside / "x.md").write_text("theirs", encoding="utf-8")
    (root / "deep").mkdir()
    (root / "out").symlink_to(outside)
    (root / "deep" / "out").symlink_to("../../outside")
    (root / "file.md").symlink_to(outside / "x.md")
    (root / "loop").symlink_to("loop")
    (root / "dangling.md").symlink_to(outside / "new.md")
    refused(store, link)
    assert (outside / "x.md").read_text(encoding="utf-8") == "theirs"
    assert [each.name for each in outside.iterdir()] == ["x.md"]
    assert [stat.path for stat in store.list()] == ["sessions/a.jsonl"]
    if link == "out":
        assert store.list("out") == []


def test_a_link_that_stays_inside_is_followed(store, tmp_path):
    """A person's own link between two files of the scope works."""
    root = tmp_path / "root"
    store.commit({}, {}, [Put("AGENTS.md", (document(1),))])
    (root / "CLAUDE.md").symlink_to("AGENTS.md")
    (root / "again").symlink_to("sessions")
    store.commit({}, {}, [Put("CLAUDE.md", (document(2),))])
    assert store.read("AGENTS.md") == store.read("CLAUDE.md")
    assert (root / "CLAUDE.md").is_symlink()
    store.append("again/a.jsonl", [line(2)])
    assert store.read("sessions/a.jsonl").data.count(b"\n") == 2
    (root / "sneaky").symlink_to(".commonplace/log")
    with pytest.raises(PathError):
        store.read("sneaky/2026-11.jsonl")


def test_pipes_devices_and_folders_are_refused(store, tmp_path):
    """Safety battery F21: a pipe would block, a device may act when opened."""
    root = tmp_path / "root"
    os.mkfifo(root / "pipe.jsonl")
    refused(store, "pipe.jsonl")
    refused(store, "sessions")
    if os.geteuid() == 0:
        os.mknod(root / "null.jsonl", 0o600 | 0o020000, os.makedev(1, 3))
        refused(store, "null.jsonl")
    (root / "file").write_bytes(b"x")
    refused(store, "file/below.jsonl")


def test_a_root_that_is_a_link_is_resolved_once(tmp_path):
    """The root is the caller's choice; below it nothing leads out."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    with open_store(tmp_path / "link") as store:
        store.append("a.jsonl", [line(1)])
        assert (tmp_path / "real" / "a.jsonl").exists()


@pytest.mark.parametrize(
    "path",
    ["memory/日本語 ノート.md", "sessions/%74%3A1.jsonl", "é" * 100 + ".md", "a b/c d.md", "con.md", "a.", "-" * 200],
)
def test_unusual_names_are_kept_and_logged(store, path):
    """A path is spelled in ASCII in the log and read back as it is."""
    store.commit({}, {}, [Put(path, (document(1),))])
    assert store.read(path).data == document(1).text.encode()
    assert [change.header["files"][0]["path"] for change in store.since(0)] == [path]
    assert path in [stat.path for stat in store.list()]


def test_listing_leaves_out_what_is_hidden_and_sorts_the_rest(store, tmp_path):
    """Issue 2: hidden state of the store is left out."""
    root = tmp_path / "root"
    (root / ".git").mkdir()
    (root / ".git" / "config").write_bytes(b"x")
    (root / ".a.md.swp").write_bytes(b"x")
    store.commit({}, {}, [Put("b.md", (document(1),)), Put("a/c.md", (document(1),)), Put("a.md", (document(1),))])
    assert [stat.path for stat in store.list()] == ["a.md", "a/c.md", "b.md", "sessions/a.jsonl"]
    assert [stat.path for stat in store.list("a")] == ["a/c.md"]
    assert [stat.path for stat in store.list("a/")] == ["a/c.md"]
    assert store.list("nowhere") == []
    store.commit({}, {}, [Append(".commonplace/quarantine/x.jsonl", (line(1),))])
    assert [stat.path for stat in store.list(".commonplace/quarantine")] == [".commonplace/quarantine/x.jsonl"]


def test_a_token_differs_after_any_write(store, tmp_path):
    """Stat.token is what the drift check compares."""
    path = tmp_path / "root" / "a.md"
    path.write_bytes(b"one")
    first = store.list()[0]
    before = path.stat()
    path.write_bytes(b"two")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert store.list()[0].token != first.token
