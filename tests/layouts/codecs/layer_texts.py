"""Made-up texts for the property tests: what people, programs and accidents leave in note files."""

from __future__ import annotations

import os

from hypothesis import strategies as st

from commonplace.layouts.codecs.blocks import INDEX_CLOSE, INDEX_OPEN


def runs(examples: int) -> int:
    """How many examples a property is tried on: sixty times as many in the full battery."""
    return examples * 10 if os.environ.get("COMMONPLACE_BATTERY") == "full" else examples // 6


LINES = [
    "", "", "- one", "- two", "* star", "  - nested", "   continued", "\t- tabbed", "1. first", "2. second", "10) ten",
    "-", "- ", "plain words", "more words.", "    code", "# Title", "## Facts", "### Deep ##", "#hash", "Under", "===",
    "---", "***", "```", "```py", "~~~~", "  ```", "<!-- note -->", "<!--", "-->", "<!-- a --> b", INDEX_OPEN,
    INDEX_CLOSE, "- [T](t.md) — hook", "| a | b |", "> quote", "§", "key: value", "- [ ] todo", "日本語 é ﷽", "a\u2028b\x0cc",
    "-      far", "- ```", "\\## escaped", "## 2026-02-27T14:30:00.000Z", "[14:15] User: hi | Assistant: ho", " ",
]  # fmt: skip

lines = st.lists(st.sampled_from(LINES), max_size=14)


@st.composite
def documents(draw: st.DrawFn) -> bytes:
    """A file: any line break, a byte order mark or not, front matter or not, a last line break or not, bad bytes."""
    newline = draw(st.sampled_from(["\n", "\n", "\r\n"]))
    body = newline.join(draw(lines))
    if draw(st.booleans()):
        body += newline
    if draw(st.integers(0, 5)) == 0:
        body = newline.join(["---", "name: x", "odd: [1, 2]", "---", body])
    if draw(st.integers(0, 5)) == 0:
        body = "\ufeff" + body
    data = body.encode()
    if draw(st.integers(0, 5)) == 0:
        at = draw(st.integers(0, len(data)))
        data = data[:at] + draw(st.sampled_from([b"\xff", b"\xc3", b"\xe2\x82", b"\x80"])) + data[at:]
    return data


entries = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30),
    lines.map("\n".join),
    lines.map("\r\n".join),
    st.sampled_from(LINES),
).filter(lambda text: text.strip().strip("\ufeff").strip() != "")
