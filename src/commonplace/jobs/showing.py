"""How a consolidator is shown messages and records: numbered, dated, speakers by name, each text as what it is.

Only the first line of a text can begin a line of the prompt; its other lines are indented, so that nothing in it looks
like a heading or a number of the prompt. Text from the web, as most results of tools are, is one line that says how
long it is; a consolidator that writes nothing that is always shown may see its beginning and end.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final

from commonplace.guard.pasted import pasted
from commonplace.guard.trust import message_trust
from commonplace.operations import Edit, View
from commonplace.records import Message, RecordedMessage, is_below_agent
from commonplace.text.patterns import pattern
from commonplace.text.pieces import estimate_tokens, one_line, speaker, truncate

TOOL_TOKENS: Final = 200  # of one result of a tool
_RESULTS: Final = 20  # of tools in a row that are shown one by one
_HEAD_TOKENS: Final = 8  # the number, date and speaker of a message
_RECORD_TOKENS: Final = 600  # of one record
_NAME_CHARS: Final = 60
_OPERATION_CHARS: Final = 160
_PLAIN_NAME: Final = pattern(r"[\w.@'’-]+(?: [\w.@'’-]+){0,5}")
_BREAK: Final = pattern(r"[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_MARK: Final = pattern(r"\[(?=\s{0,3}(?:end of )?pasted\s{0,3}\])")
_BACKGROUND: Final = {"user": "System Message", "assistant": "Agent"}
_ENVELOPE: Final = pattern(r"(?s)<system_message(?:\s+origin=[\"']?([^\"'>]*)[\"']?)?\s*>(.*)</system_message>")
_TAG: Final = pattern(r"</?system_message[^>]*>")
_HEADING: Final = pattern(r"(?m)^(?=[ \t]*(?:#|>))")
_OTHERS: Final = {"user": " (another person)", "assistant": " (another agent)"}


def tokens_of(message: RecordedMessage, limit: int, *, exposed: bool = False) -> int:
    """Estimate what a message takes in a prompt, in which text from the web is seen or not."""
    return estimate_tokens(_body(message, limit, exposed=exposed)) + _HEAD_TOKENS


def messages(said: Iterable[RecordedMessage], *, message_tokens: int, exposed: bool = False) -> str:
    """Write messages for a model, numbered from 1 in this order.

    Args:
        said: The messages.
        message_tokens: Of one message; the middle of a longer one is left out.
        exposed: Whether text from the web may be seen, cut to its two ends.
    """
    return "\n".join(f"{number}. {line}" for number, line in _lines(said, message_tokens, exposed=exposed))


def dated_lines(said: Iterable[RecordedMessage], *, message_tokens: int) -> str:
    """Write messages as the two-layer design does: `[YYYY-MM-DDTHH:MM] ROLE [tools: a, b]: content`."""
    return "\n".join(line for _, line in _lines(said, message_tokens, exposed=False))


def markdown(said: Iterable[RecordedMessage], *, message_tokens: int, foreground: bool = True) -> str:
    """Write messages as Markdown, a heading with its number each; notes of the system and envelopes as quotes.

    Results of tools are left out. A session that runs in the background has other speakers.

    Source: seed graph, `formatHistoryMessages`.
    """
    speakers = {"user": "User", "assistant": "Assistant"} if foreground else _BACKGROUND
    blocks: list[str] = []
    for number, message in enumerate(said, 1):
        role, text = message.message.role, message.text.strip()
        if role == "tool" or not text:
            continue
        when = message.message.at.strftime(" %Y-%m-%dT%H:%M") if message.message.at else ""
        envelope = _ENVELOPE.fullmatch(text) if role == "user" else None
        if envelope:
            body = one_line(shortened(_TAG.sub("", envelope[2]), message_tokens))
            blocks.append(f"> [{number}]{when} from {quoted_name(envelope[1])}: {body}")
        elif role == "system":
            blocks.append(f"> Note: [{number}]{when} {one_line(shortened(text, message_tokens))}")
        else:
            below = is_below_agent(message_trust(message))
            body = _HEADING.sub(r"\\", _body(message, message_tokens, exposed=False))
            who = speaker(message.message, speakers[role])
            blocks.append(f"## {who}{_OTHERS[role] if below else ''} [{number}]{when}\n\n{body}")
    return "\n\n".join(blocks)


def entries(view: View) -> str:
    """List the records that a model may touch, by file and number; of a topic its title, and its text if it is near."""
    lines: list[str] = []
    last = ""
    for entry in view.entries:
        if entry.id == entry.path:
            text = f": {indented(shortened(entry.text, _RECORD_TOKENS))}" if entry.whole and entry.text else ""
            lines.append(f"{entry.number}. {entry.path} ({one_line(entry.section)}){text}")
            continue
        if entry.path != last:
            last = entry.path
            lines.append(f"{last}:")
        lines.append(f"{entry.number}. {indented(shortened(entry.text, _RECORD_TOKENS))}")
    return "\n".join(lines) or "(none)"


def indented(text: str) -> str:
    """Return a text whose lines after the first cannot be taken for lines of a prompt."""
    return _BREAK.sub("\n    ", text)


def shortened(text: str, tokens: int) -> str:
    """Return a text of about so many tokens at most: its two ends, and how much is left out between."""
    if estimate_tokens(text) <= tokens:
        return text
    half = tokens * 3 // 2  # characters: about half the tokens at each end
    return f"{text[:half]} [… {len(text) - 2 * half} characters left out …] {text[-half:]}"


def _lines(said: Iterable[RecordedMessage], limit: int, *, exposed: bool) -> Iterator[tuple[int, str]]:
    shown = ((number, message) for number, message in enumerate(said, 1) if message.message.content.strip())
    for is_tool, group in groupby(shown, key=lambda each: each[1].message.role == "tool"):
        run = list(group)
        seen = [each for each in run if not is_tool or _is_seen(each[1], exposed=exposed)]
        hidden = [each for each in run if is_tool and not _is_seen(each[1], exposed=exposed)]
        if is_tool:
            seen, hidden = seen[:_RESULTS], [*hidden, *seen[_RESULTS:]]
        for number, message in seen:
            yield number, f"{_head(message.message, message)}: {_body(message, limit, exposed=exposed)}"
        if hidden:
            yield hidden[0][0], f"{_head(hidden[0][1].message)}: {_unseen([each for _, each in hidden])}"


def _is_seen(message: RecordedMessage, *, exposed: bool) -> bool:
    trust = message_trust(message)
    below = trust == "web" or (message.message.role == "tool" and is_below_agent(trust))
    return exposed or not below


def _head(said: Message, message: RecordedMessage | None = None) -> str:
    when = said.at.strftime("%Y-%m-%dT%H:%M") if said.at else "?"
    below = message is not None and is_below_agent(message_trust(message))
    other = _OTHERS.get(said.role, "") if below else ""
    tools = f" [tools: {', '.join(map(quoted_name, said.tools))}]" if said.tools else ""
    return f"[{when}] {speaker(said, said.role.upper())}{other}{tools}"


def quoted_name(name: str) -> str:
    """Return a name as data: as it is if it is plain, else in quotes and on one line."""
    return name if _PLAIN_NAME.fullmatch(name) else json.dumps(truncate(one_line(name), _NAME_CHARS, "…"))


def _body(message: RecordedMessage, limit: int, *, exposed: bool) -> str:
    said = message.message
    if not _is_seen(message, exposed=exposed):
        return _unseen([message])
    if said.role == "tool":
        return indented(shortened(said.content, min(limit, TOOL_TOKENS)))
    return indented(shortened(_marked(message), limit))


def _unseen(hidden: Sequence[RecordedMessage]) -> str:
    chars = sum(len(message.message.content) for message in hidden)
    what = "text" if len(hidden) == 1 else f"{len(hidden)} texts"
    return f"({what} of {chars} characters from outside, not shown)"


def _marked(message: RecordedMessage) -> str:
    """Return what was said, with what a person pasted named as such."""
    text = message.message.content
    spans = pasted(text) if message.message.role == "user" and message_trust(message) == "user" else ()
    parts: list[str] = []
    at = 0
    for start, end in spans:
        parts += [_plain(text[at:start]), "[pasted] ", _plain(text[start:end]), " [end of pasted]"]
        at = end
    return "".join([*parts, _plain(text[at:])])


def _plain(text: str) -> str:
    return _MARK.sub("(", text)


def operation(edit: Edit) -> str:
    """Return one line that names what an operation does."""
    name = type(edit).__struct_config__.tag
    text = getattr(edit, "text", "") or getattr(edit, "body", "") or getattr(edit, "target", "")
    return f"{name} {edit.path}: {truncate(one_line(str(text)), _OPERATION_CHARS, '…')}"
