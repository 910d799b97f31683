"""Commands that take over a memory: `init` one that came from elsewhere, `adopt` that of another system."""

from __future__ import annotations

import os

import click

from commonplace.surfaces import adopt
from commonplace.surfaces.cli import drawing, plain, terminal
from commonplace.surfaces.cli.opening import Place, configuration, printing

PROBLEMS_SHOWN = 20


@click.command("init")
@printing
def init_command(*, place: Place) -> None:
    """Make a memory here, or accept one that came with the folder.

    From then on it counts as your own. Look at its files before: their content is shown to your agent.
    """
    files = place.accept()
    where = str(place.folder)
    lines = [f"{terminal.accent(terminal.line(where))} is yours: {terminal.count(len(files), 'file')}"]
    lines += terminal.some([*map(terminal.line, files)], PROBLEMS_SHOWN)
    place.give({"location": where, "files": files}, lines)


@click.command("adopt")
@click.argument("path", metavar="PATH")
@printing
def adopt_command(path: str, *, place: Place) -> None:
    """Open the memory of another system where it lies.

    It is recognised by its files and indexed, and its transcripts are read. Nothing of it is changed
    before something new is remembered. --layout says what it is where its files do not.
    Adopting again reads what is new in its transcripts.
    """
    done = adopt.adopt(path, layout=place.layout, config=configuration(place.config, os.environ))
    if place.as_json:
        plain.show(done)
        return
    terminal.out(
        f"adopted {terminal.accent(terminal.line(done.location))} as {done.layout} ({terminal.line(done.why)}): "
        f"{terminal.count(done.files, 'file')}, {terminal.count(done.messages, 'new message')} in "
        f"{terminal.count(done.sessions, 'session')}; nothing of it was changed"
    )
    for each in terminal.some([*map(drawing.untaken, done.problems)], PROBLEMS_SHOWN):
        terminal.note(each)
