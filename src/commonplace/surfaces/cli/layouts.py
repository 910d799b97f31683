"""The command on layouts: `layout check` and `layout list`."""

from __future__ import annotations

import click

from commonplace.layouts.check import STATED
from commonplace.memory import designs
from commonplace.store import texts
from commonplace.surfaces.cli import terminal
from commonplace.surfaces.cli.opening import Place, printing


@click.command("layout")
@click.argument("action", type=click.Choice(["check", "list"]))
@click.argument("file", required=False)
@printing
def layout_command(action: str, file: str | None, *, place: Place) -> None:
    """Check a layout's TOML FILE, or list the layouts.

    `check` lists every mistake in it, `list` the layouts that are there.
    """
    if action == "list":
        known = {name: designs.LAYOUTS[name].description for name in sorted(designs.LAYOUTS)}
        lines = [
            f"{terminal.accent(name.ljust(max(map(len, known))))}  {terminal.line(said)}".rstrip()
            for name, said in known.items()
        ]
        listed = [{"name": name, "description": said} for name, said in known.items()]
        place.give({"layouts": listed}, lines)
        return
    if file is None:
        raise click.UsageError("name the file: commonplace layout check FILE")
    layout = designs.parse(texts.read(file), file)
    found = designs.mistakes(layout)
    lines = [terminal.line(each) for each in found]
    if not found:
        lines = [f"{terminal.accent(layout.name)}: no mistakes; use it with --layout {terminal.line(file)}"]
        if layout.jobs and (left := [kind for kind in STATED if kind not in layout.targets]):
            lines.append(f"without a model statements of these kinds are kept nowhere: {', '.join(left)}; see targets")
    place.give({"layout": layout.name, "mistakes": found}, lines)
    if found:
        raise click.exceptions.Exit(1)
