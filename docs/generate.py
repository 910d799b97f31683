"""Make the parts of the documentation that come from the code: knobs, options, the picture of the demo.

    python docs/generate.py            rewrite docs/configuration.md and the options in docs/commands.md
    python docs/generate.py --check    say what is out of date; exit 1 when something is
    python docs/generate.py --picture  also run the demo and draw docs/demo.svg

A test holds the pages to the code.
"""

from __future__ import annotations

import inspect
import io
import os
import re
import subprocess
import sys
import tempfile
import tokenize
from html import escape
from pathlib import Path

import click
import msgspec

from commonplace import config
from commonplace.surfaces.cli import commands as command_line

DOCS = Path(__file__).parent
UNITS = ("bytes", "chars", "tokens", "seconds", "lines", "share", "factor", "money", "count", "changes", "failures")
BLOCK = re.compile(r"(<!-- options of (\S+) -->\n).*?(<!-- end -->)", re.DOTALL)


def configuration() -> str:
    """Write the page of knobs from the fields of `config.Config` and their comments."""
    parts = [(DOCS / "configuration.head.md").read_text(encoding="utf-8").rstrip() + "\n"]
    plain = [field for field in msgspec.structs.fields(config.Config) if not is_section(field.type)]
    parts.append(table("", config.Config, plain))
    for field in msgspec.structs.fields(config.Config):
        if is_section(field.type):
            purpose = inspect.getdoc(field.type) or ""
            parts.append(f"## `[{field.name}]`\n\n{purpose}\n")
            parts.append(table(f"{field.name}.", field.type, msgspec.structs.fields(field.type)))
    return "\n".join(parts)


def is_section(kind: object) -> bool:
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


def table(prefix: str, owner: type, fields) -> str:
    comments = comments_of(owner)
    rows = ["| knob | default | unit | meaning |", "|---|---|---|---|"]
    for field in fields:
        meaning = comments.get(field.name, "").replace("|", "\\|")
        rows.append(f"| `{prefix}{field.name}` | `{shown(field)}` | {unit(field)} | {meaning} |")
    return "\n".join(rows) + "\n"


def shown(field) -> str:
    value = field.default if field.default is not msgspec.NODEFAULT else field.default_factory()
    if isinstance(value, tuple):
        return "[" + ", ".join(f'"{each}"' for each in value) + "]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, int):
        return f"{value:_}"
    return str(value)


def unit(field) -> str:
    last = field.name.rsplit("_", 1)[-1]
    if last in UNITS:
        return last
    if field.type is bool:
        return "yes or no"
    if field.type is str:
        return "text"
    return {int: "a count", float: "a factor"}.get(field.type, "a list" if "tuple" in str(field.type) else "a table")


def comments_of(owner: type) -> dict[str, str]:
    """Give the comment that stands on the line, or at the end of the lines, of each field."""
    found: dict[str, str] = {}
    name = ""
    source = inspect.getsource(owner)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        started = re.match(r"    (\w+): ", token.line)
        if token.type == tokenize.NAME and started and token.string == started[1] and token.start[1] == 4:
            name = started[1]
        if token.type == tokenize.COMMENT and name:
            text = re.sub(r"^#\s*(fmt: skip)?\s*#?\s*", "", token.string).strip()
            found[name] = text or found.get(name, "")
    return found


def commands(page: str) -> str:
    """Put the options of each command into its marked place on the page."""
    return BLOCK.sub(lambda match: match[1] + options(match[2]) + match[3], page)


def options(name: str) -> str:
    """Write the table of one command's own arguments and options; `every` are those of all commands."""
    shared = {option.name for option in root().params}
    command = root() if name == "every" else root().get_command(click.Context(root()), name)
    if command is None:
        raise SystemExit(f"docs/commands.md tells of {name!r}, which is no command")
    rows = ["| option | meaning |", "|---|---|"]
    for parameter in command.params:
        if isinstance(parameter, click.Option) and not parameter.hidden:
            if name != "every" and parameter.name in shared:
                continue
            rows.append(f"| {spelled(parameter)} | {meaning(parameter)} |")
    if isinstance(command, click.Group) and name != "every":
        for verb, inner in command.commands.items():
            pieces = " ".join(inner.collect_usage_pieces(click.Context(inner)))
            rows.append(f"| `{name} {verb} {pieces}` | {inner.get_short_help_str(200)} |")
            rows += [
                f"| {spelled(each)} of `{verb}` | {meaning(each)} |"
                for each in inner.params
                if isinstance(each, click.Option) and each.name not in shared and each.name != "as_json"
            ]
    usage = (
        ""
        if name == "every"
        else f"`commonplace {name} {' '.join(command.collect_usage_pieces(click.Context(command)))}`\n\n"
    )
    if len(rows) == 2:
        return usage + "No options of its own.\n"
    return usage + "\n".join(rows) + "\n"


def root() -> click.Group:
    return command_line.root_command


def spelled(option: click.Option) -> str:
    names = ", ".join(f"`{name}`" for name in (*option.opts, *option.secondary_opts))
    if option.is_flag or option.count:
        return names
    value = option.metavar or ("\\|".join(option.type.choices) if isinstance(option.type, click.Choice) else "NUMBER")
    return f"{names} {value}"


def meaning(option: click.Option) -> str:
    said = (option.help or "").replace("  [", " [")
    if option.multiple and "repeat" not in said:
        said += " Repeatable."
    return said + (f" Default: `{option.default}`." if option.show_default and option.default is not None else "")


COLOURS = {"31": "#e06c75", "32": "#7fb069", "33": "#d9a441", "36": "#56a8b8"}
ESCAPE = re.compile(r"\x1b\[([0-9;]*)m")
SHOWN_PARTS = ("2", "3", "4")
COLUMN = 8.43  # width of one character at 14 px


def picture() -> str:
    """Run the demo and draw what it printed, in its colours, as SVG."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("COMMONPLACE_")}
        environment |= {"FORCE_COLOR": "1", "COLUMNS": "100"}
        command = [sys.executable, "-m", "commonplace", "demo"]
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=True)
    lines = done.stdout.decode("utf-8").splitlines()
    kept: list[str] = []
    part = "head"
    for line in lines:
        heading = re.match(r"(\d)  ", ESCAPE.sub("", line))
        part = heading[1] if heading else part
        if part == "head" or part in SHOWN_PARTS:
            kept.append(line)
    return svg(["\x1b[32m$\x1b[0m make demo", "", *kept])


def svg(lines: list[str]) -> str:
    width, height, step = 880, len(lines) * 18 + 32, 18
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" role="img">',
        "<title>The output of make demo</title>",
        f'<rect width="{width}" height="{height}" rx="8" fill="#1d2127"/>',
        '<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14" fill="#d7dae0">',
    ]
    for number, line in enumerate(lines):
        out += runs_of(line, y=28 + number * step)
    return "\n".join([*out, "</g>", "</svg>", ""])


def runs_of(line: str, y: int) -> list[str]:
    """Draw each run of one style at its column, so that no font shifts the next one."""
    style: set[str] = set()
    out: list[str] = []
    at = column = 0
    for match in [*ESCAPE.finditer(line), None]:
        text = line[at : match.start() if match else len(line.rstrip())]
        shown = text.strip(" ")
        if shown:
            start = 16 + (column + len(text) - len(text.lstrip(" "))) * COLUMN
            out.append(
                f'<text x="{start:.1f}" y="{y}" textLength="{len(shown) * COLUMN:.1f}"'
                f' lengthAdjust="spacingAndGlyphs"{attributes(style)}>{escape(shown)}</text>'
            )
        column += len(text)
        if match is None:
            break
        at = match.end()
        style = set() if match[1] in {"", "0"} else style | set(match[1].split(";"))
    return out


def attributes(style: set[str]) -> str:
    found = [f' fill="{colour}"' for code, colour in COLOURS.items() if code in style]
    found += [' font-weight="bold"'] if "1" in style else []
    found += [' fill-opacity="0.55"'] if "2" in style else []
    found += [' text-decoration="underline"'] if "4" in style else []
    return "".join(found)


def pages() -> dict[Path, str]:
    """Give each page that comes from the code, as it should be."""
    told = DOCS / "commands.md"
    return {DOCS / "configuration.md": configuration(), told: commands(told.read_text(encoding="utf-8"))}


def main() -> None:
    stale = [path for path, text in pages().items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    if "--check" in sys.argv:
        print(*(f"{path.name} is out of date; run `make docs`" for path in stale), sep="\n")
        raise SystemExit(bool(stale))
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
    if "--picture" in sys.argv:
        (DOCS / "demo.svg").write_text(picture(), encoding="utf-8")


if __name__ == "__main__":
    main()
