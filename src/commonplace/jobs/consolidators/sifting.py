"""Sift a document that a model wrote anew: a line that may not come in waits alone, not with the whole text.

Works on lines: each one that the old text does not have is judged by itself, as the replacement of the entry
it resembles or as an addition. Where one is held, the old line stands in its place. What comes out is judged
again as a whole, so nothing gets in here that the gate would hold.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from difflib import SequenceMatcher
from typing import Final

import msgspec

from commonplace.guard.trust import content_words
from commonplace.operations import AddEntry, Edit, Proposal, ReplaceEntry, RewriteDocument, View, ViewEntry

_SAME: Final = 0.5  # share of the shorter line's words that both hold, for one to stand in the other's place
_LINES: Final = 400  # judged one by one; a text with more new lines is judged as a whole only

Verdict = Callable[[Edit], str]
"""Says why one edit, proposed alone, would be held; empty where it may apply."""


def sift(proposal: Proposal, view: View, verdict: Verdict) -> tuple[Proposal, list[tuple[Edit, str]]]:
    """Take the lines that may not come in out of a proposal's rewrites; give what is left, and each with its reason."""
    kept: list[Edit] = []
    aside: list[tuple[Edit, str]] = []
    for edit in proposal.operations:
        if isinstance(edit, RewriteDocument) and edit.base is not None:
            text, lines = _sifted(edit, edit.base, view, verdict)
            aside += lines
            if _bare(text) == _bare(edit.base):
                continue
            kept.append(msgspec.structs.replace(edit, text=text))
        else:
            kept.append(edit)
    return msgspec.structs.replace(proposal, operations=tuple(kept)), aside


def _sifted(edit: RewriteDocument, base: str, view: View, verdict: Verdict) -> tuple[str, list[tuple[Edit, str]]]:
    old, new = base.splitlines(), edit.text.splitlines()
    stood = {_plain(line) for line in old}
    if sum(_plain(line) not in stood for line in new) > _LINES:
        return edit.text, []
    entries = [entry for entry in view.entries if entry.path == edit.path]
    out: list[str] = []
    aside: list[tuple[Edit, str]] = []
    for kind, i, i_end, j, j_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        lost = [line for line in old[i:i_end] if _plain(line) not in {_plain(each) for each in new}]
        for line in new[j:j_end]:
            if kind == "equal" or _plain(line) in stood or not _plain(line) or line.startswith("#"):
                out.append(line)
                continue
            alone = _alone(edit.path, line, entries)
            reason = verdict(alone)
            if not reason:
                out.append(line)
                continue
            aside.append((alone, reason))
            if (before := _nearest(line, lost)) is not None:
                lost.remove(before)
                out.append(before)
    return "\n".join(out) + ("\n" if edit.text.endswith("\n") else ""), aside


def _alone(path: str, line: str, entries: Sequence[ViewEntry]) -> Edit:
    target = _nearest(line, [entry.text for entry in entries])
    entry = next((each for each in entries if each.text == target), None)
    if entry is None or "\n" in entry.text:
        return AddEntry(path=path, text=_plain(line))
    return ReplaceEntry(path=path, target=entry.id, text=_plain(line))


def _nearest(line: str, others: Sequence[str]) -> str | None:
    words = content_words(line)
    best, found = _SAME, None
    for other in others:
        theirs = content_words(other)
        share = len(words & theirs) / max(1, min(len(words), len(theirs)))
        if share > best or (share == best and found is None):
            best, found = share, other
    return found


def _plain(line: str) -> str:
    return line.strip().lstrip("-*+").strip()


def _bare(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip().splitlines()]
