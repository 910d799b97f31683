"""What a run found: rows of a table, goals with their verdicts, and the picture of them."""

from __future__ import annotations

import math
from html import escape

import msgspec


class Goal(msgspec.Struct):
    """What was measured against what it should be at most, or at least."""

    name: str
    value: float
    limit: float
    unit: str = "x"
    least: bool = False

    @property
    def met(self) -> bool:
        return self.value >= self.limit if self.least else self.value <= self.limit

    @property
    def strain(self) -> float:
        """How many times over (or under) the limit; up to 1 is met."""
        return self.limit / self.value if self.least else self.value / self.limit


class Report:
    """Sections of a page, printed as they come."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.goals: list[Goal] = []

    def say(self, *lines: str) -> None:
        self.lines.extend(lines)
        print("\n".join(lines), flush=True)

    def table(self, title: str, head: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
        self.say("", f"### {title}", "", f"| {' | '.join(head)} |", "|---" * len(head) + "|")
        self.say(*(f"| {' | '.join(row)} |" for row in rows))

    def goal(
        self, name: str, value: float, limit: float, *, unit: str = "x", least: bool = False, added: bool = False
    ) -> None:
        """Hold a figure against its limit; `added` tells that nobody asked for it, we found it fair."""
        self.goals.append(Goal(f"{name} (added)" if added else name, value, limit, unit, least))

    def verdicts(self) -> None:
        rows = [
            (g.name, f"{_number(g.value)}{g.unit}", f"{'≥' if g.least else '≤'} {_number(g.limit)}{g.unit}",
             "met" if g.met else "**not met**")
            for g in self.goals
        ]  # fmt: skip
        self.table("Goals", ("figure", "measured", "goal", ""), rows)


CHAR = 7.5  # the width of a character of the picture, with something to spare


def picture(goals: list[Goal]) -> str:
    """Draw how far each figure is from its goal, as a bar on a logarithmic scale; the line is the goal."""
    values = [f"{_number(goal.value)}{goal.unit} of {_number(goal.limit)}{goal.unit}" for goal in goals]
    row, width, top = 24, 420, 44
    left, right = (20 + CHAR * max(map(len, texts), default=0) for texts in ([g.name for g in goals], values))
    scale = 2.0  # decades on each side of the goal
    height = top + row * len(goals) + 30
    middle = left + width / 2
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + right}" height="{height}" '
            'font-family="ui-monospace, monospace" font-size="12">'
        ),
        '<rect width="100%" height="100%" fill="#ffffff"/>',
        (
            f'<text x="{middle}" y="20" text-anchor="middle" fill="#333333">'
            "left of the line: better than the goal · right: not met</text>"
        ),
    ]
    for power in (-2, -1, 0, 1, 2):
        x = middle + power / scale * width / 2
        name = "goal" if power == 0 else f"{10.0**power:g}x"
        parts.append(f'<line x1="{x}" y1="{top - 8}" x2="{x}" y2="{height - 24}" stroke="#dddddd"/>')
        parts.append(f'<text x="{x}" y="{height - 8}" text-anchor="middle" fill="#777777">{name}</text>')
    for at, (goal, value) in enumerate(zip(goals, values, strict=True)):
        y = top + at * row
        reach = max(-scale, min(scale, math.log10(max(goal.strain, 1e-9)))) / scale * width / 2
        colour = "#3a7d44" if goal.met else "#b5493b"
        parts += [
            f'<text x="{left - 10}" y="{y + 11}" text-anchor="end" fill="#222222">{escape(goal.name)}</text>',
            (
                f'<rect x="{min(middle, middle + reach):.1f}" y="{y}" width="{max(1.5, abs(reach)):.1f}" height="14" '
                f'fill="{colour}"/>'
            ),
            f'<text x="{left + width + 10}" y="{y + 11}" fill="#222222">{escape(value)}</text>',
        ]
    line = f'<line x1="{middle}" y1="{top - 8}" x2="{middle}" y2="{height - 24}" stroke="#222222" stroke-width="1.5"/>'
    return "\n".join([*parts, line, "</svg>", ""])


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"
