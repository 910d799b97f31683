"""May this proposal apply? A pure function of the proposal, what was seen, the guard's findings and the rules.

A model proposes; this decides. Each operation is accepted with its computed trust, or held for a person
with the reason; a proposal that names what is not there is refused whole, one that takes away too much
is held whole. Nothing is written, called or dropped here: what is held comes back as it was proposed.

Source: safety notes 2.4; DESIGN 1.4, 1.6 and section 7.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, Final, assert_never

import msgspec

from commonplace.config import GateRules
from commonplace.guard.screened import Finding
from commonplace.guard.trust import Evidence, content_words, fold
from commonplace.operations import (
    AddEntry,
    AppendJournal,
    Edit,
    Proposal,
    PutItem,
    PutTopic,
    RemoveEntry,
    RemoveItem,
    RemoveTopic,
    ReplaceEntry,
    RewriteDocument,
    View,
    ViewEntry,
)
from commonplace.records import TRUST_RANK, Trust, lowest_trust
from commonplace.text.patterns import pattern

__all__ = ["GateRules", "Judged", "Verdicts", "judge", "texts"]

Verdicts = Mapping[str, Sequence[Finding]]
"""What the guard found in each text of `texts(proposal)`; a text that is missing counts as not screened."""

_ADDRESS: Final = pattern(
    r"://|[^\W\d][.@][\w-]|[\w-][.@][^\W\d]|\A(?:mailto|javascript|data):|\A(?:\d{1,3}\.){3}\d", re.IGNORECASE
)
_NO_ADDRESS: Final = frozenset({"e.g", "i.e", "a.m", "p.m", "u.s", "u.k", "z.b", "d.h"})
_EDGES: Final = ".,;:!?*_\"'`()[]{}<>"
_COMMAND: Final = pattern(
    r"`([^`\n]{2,200})`|\brm\s{1,8}-\S{1,200}|\$\([^)\n]{0,200}\)|\|\s{0,8}\w{0,8}sh\b|(?<!\S)--[a-z][\w-]{1,60}"
    r"|\b(?:sudo|curl|wget|chmod|chown|dd|bash|sh|zsh|eval|exec|powershell|nc|ssh|scp)\s{1,8}[-/.~$\w]{0,60}[-/.~$=:@|][^\s`]{0,200}"
    r"|\b(?:pip3?|npm|npx|apt|brew|git|docker|kubectl|cargo|go|make)\s{1,8}"
    r"(?:install|run|push|pull|clone|exec|apply|delete|remove|reset|rm)\b(?:\s{1,8}[^\s`]{1,200})?"
)
_SHORT_LABEL: Final = pattern(r"[\w:.+/#-]{0,60}")
_LABEL: Final = pattern(r"[^\W\d_]{1,30}(?: [^\W\d_]{1,30}){0,2}")  # of a section or topic: too short to state anything
_LABELS: Final = frozenset({"id", "kind", "type", "layer", "source", "session", "scope", "at", "fingerprint"})
_JOURNAL_FOUNDED_SHARE: Final = 0.2  # a summary has words of its own, but hardly only those
_MAX_TEXT_CHARS: Final = 64_000  # of one operation; more is no statement a person could review
_NEAR_SHARE: Final = 0.5  # a new line with half the words of an old entry stands in its place
_REPLACEMENTS_PER_MESSAGE: Final = 3  # one message corrects a few things, not the whole of memory


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """What may be committed, what waits for a person, and why nothing may where that is so.

    `accepted` carry their computed trust and entry ids as targets. A reason starts with the name of its
    rule and a colon. `journal` is the journal entry that may be written, with `journal_trust`; a held one
    is in `held` as an AppendJournal without a path.
    """

    accepted: tuple[Edit, ...] = ()
    held: tuple[tuple[Edit, str], ...] = ()
    refused: str | None = None
    journal: str = ""
    journal_trust: Trust = "agent"


def texts(proposal: Proposal) -> tuple[str, ...]:
    """List every text of a proposal that the guard must look at, each once."""
    found = [proposal.journal] if proposal.journal else []
    found += [text for edit in proposal.operations for text in _texts(edit)]
    return tuple(dict.fromkeys(found))


def judge(proposal: Proposal, view: View, verdicts: Verdicts, rules: GateRules | None = None) -> Judged:
    """Decide what of a proposal may apply.

    Args:
        proposal: As a consolidator made it; targets may be ids, view numbers or unique substrings.
        view: The messages and entries it was made from, and the limits.
        verdicts: The guard's findings by text, for every text of `texts(proposal)`.
        rules: The limits; the defaults when None.
    """
    court = _Court(proposal, view, verdicts, rules or GateRules())
    if refused := court.unknown():
        return Judged(refused=refused, held=tuple((edit, refused) for edit in _all(proposal)))
    if reason := court.takes_too_much():
        return Judged(held=tuple((edit, reason) for edit in _all(proposal)))
    decided = [court.decide(number) for number in range(len(proposal.operations))]
    stopped = {number for number, (reason, _) in enumerate(decided) if reason}
    accepted: list[Edit] = []
    held: list[tuple[Edit, str]] = []
    for number, edit in enumerate(proposal.operations):
        reason, trust = decided[number]
        if not reason and court.orphaned(number, stopped):
            reason = "held-merge: the operation that keeps its words is held"
        if reason:
            held.append((edit, reason))
        else:
            accepted.append(_settled(edit, trust, court.touched[number]))
    journal = proposal.journal
    reason, trust = court.journal(journal) if journal else ("", "agent")
    if reason:
        held.append((AppendJournal(path="", text=journal), reason))
        journal = ""
    return Judged(accepted=tuple(accepted), held=tuple(held), journal=journal, journal_trust=trust)


def _all(proposal: Proposal) -> Iterator[Edit]:
    yield from proposal.operations
    if proposal.journal:
        yield AppendJournal(path="", text=proposal.journal)


def _settled(edit: Edit, trust: Trust, touched: Sequence[ViewEntry]) -> Edit:
    if isinstance(edit, (ReplaceEntry, RemoveEntry)):
        return msgspec.structs.replace(edit, trust=trust, target=touched[0].id, path=touched[0].path)
    return msgspec.structs.replace(edit, trust=trust)


def _texts(edit: Edit) -> tuple[str, ...]:
    """Give the texts an operation would store."""
    match edit:
        case AddEntry():
            return tuple(part for part in (edit.text, edit.section) if part)
        case ReplaceEntry() | RewriteDocument() | AppendJournal():
            return (edit.text,)
        case PutTopic():
            parts = (edit.title, edit.description, edit.body, *edit.links, *edit.front.values())
            return tuple(part for part in parts if part)
        case PutItem():
            return tuple(_leaves(edit.data))
        case RemoveEntry() | RemoveTopic() | RemoveItem():
            return ()
        case _:
            assert_never(edit)


def _leaves(value: Any, key: str = "") -> Iterator[str]:
    if isinstance(value, str):
        if value and not (key in _LABELS and _SHORT_LABEL.fullmatch(value)):
            yield value
    elif isinstance(value, Mapping):
        for inner, part in value.items():
            if not _SHORT_LABEL.fullmatch(str(inner)):
                yield str(inner)
            yield from _leaves(part, str(inner))
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from _leaves(part, key)


class _Court:
    """One proposal with everything it is judged by, each part worked out once."""

    def __init__(self, proposal: Proposal, view: View, verdicts: Verdicts, rules: GateRules) -> None:
        self.proposal = proposal
        self.view = view
        self.verdicts = verdicts
        self.rules = rules
        self.evidence = Evidence(view.messages)
        self.entry_words = {entry.id: content_words(entry.text) for entry in view.entries}
        self.touched: list[tuple[ViewEntry, ...]] = []
        lines = [[line for text in _texts(edit) for line in text.splitlines()] for edit in proposal.operations]
        self.line_words = [[content_words(line) for line in mine] for mine in lines]
        self.line_folds = [{_plain(line) for line in mine} for mine in lines]

    def unknown(self) -> str:
        """Find what each operation touches; name the first thing that is not there."""
        seen: set[str] = set()
        for number, edit in enumerate(self.proposal.operations, 1):
            for source in edit.sources:
                if self.evidence.find(source.session, source.message) is None:
                    return f"unknown-message: operation {number} cites {source.message!r}, which is not in the range"
            if len(edit.quotes) > len(edit.sources):
                return f"unknown-message: operation {number} quotes more than it cites"
            touched = self._touch(edit)
            if touched is None:
                return f"unknown-record: operation {number} names a record that is not there, or several"
            if not self._writable(touched[0].path if touched else edit.path):
                return f"unknown-path: operation {number} writes {edit.path!r}, which it may not"
            whole = isinstance(edit, (RewriteDocument, PutTopic))
            if whole and not touched and edit.path in self.view.unseen:
                return f"unknown-record: operation {number} would write over {edit.path!r}, which it has not read"
            ids = {entry.id for entry in touched}
            if ids & seen:
                return f"unknown-record: operation {number} names a record that another one already changes"
            seen |= ids
            self.touched.append(touched)
        return ""

    def _writable(self, path: str) -> bool:
        return self.view.writable is None or any(fnmatchcase(path, pattern) for pattern in self.view.writable)

    def _touch(self, edit: Edit) -> tuple[ViewEntry, ...] | None:
        here = tuple(entry for entry in self.view.entries if entry.path == edit.path)
        match edit:
            case ReplaceEntry() | RemoveEntry():
                return self._target(edit.target, here if edit.path else self.view.entries)
            case AddEntry() | AppendJournal():
                return ()
            case RewriteDocument() | PutTopic():
                return here
            case RemoveTopic():
                return here or None
            case PutItem() | RemoveItem():
                found = tuple(e for e in here if e.id in {edit.id, f"{edit.path}#{edit.id}"})
                return found if found or isinstance(edit, PutItem) else None
            case _:
                assert_never(edit)

    def _target(self, target: str, entries: Sequence[ViewEntry]) -> tuple[ViewEntry, ...] | None:
        exact = [e for e in entries if target in {e.id, str(e.number), e.text}]
        if len(exact) == 1:
            return (exact[0],)
        wanted = fold(target)
        near = [e for e in entries if wanted in fold(e.text)] if len(wanted) > 3 and not wanted.isdigit() else []
        return (near[0],) if not exact and len(near) == 1 else None

    def takes_too_much(self) -> str:
        """Say why the whole proposal needs a person: it deletes or shrinks more than a run may."""
        total = sum(len(entry.text.encode()) for entry in self.view.entries)
        lost_bytes, lost = 0.0, 0
        corrections: dict[int, int] = {}
        for number, edit in enumerate(self.proposal.operations):
            for entry in self.touched[number]:
                share = self._lost_share(number, edit, entry, corrections)
                lost += share > 0
                lost_bytes += share * len(entry.text.encode())
        count = len(self.view.entries)
        rules = self.rules
        limit = max(
            rules.delete_count, (rules.compress_shrink_share if self.view.compress else rules.delete_share) * count
        )
        if lost > limit:
            return f"deletes: {lost} of {count} entries would go or lose words; at most {int(limit)} in one run"
        most = rules.compress_shrink_share if self.view.compress else rules.shrink_share
        if total and lost_bytes > most * total:
            return f"shrinks: {lost_bytes / total:.0%} of the text would go; at most {most:.0%} in one run"
        return ""

    def _lost_share(self, number: int, edit: Edit, entry: ViewEntry, corrections: dict[int, int]) -> float:
        """Tell which share of an entry's words goes; 0 for what is kept, merged or corrected by the person."""
        words = self.entry_words[entry.id]
        if self._verbatim(number, entry):
            return 0.0
        if isinstance(edit, RemoveEntry):
            return 0.0 if self._kept_by(number, entry) else 1.0
        new = frozenset[str]().union(*self.line_words[number])
        if not words or not new:
            return 1.0
        if isinstance(edit, RewriteDocument):
            kept = max(len(words & line) / len(words) for line in self.line_words[number])
            return 1.0 if kept < _NEAR_SHARE else 1.0 - kept
        kept = len(words & new) / len(words)
        message = self._corrects(edit, new - words) if kept < 1.0 else None
        if message is not None:
            corrections[message] = corrections.get(message, 0) + 1
            if corrections[message] <= _REPLACEMENTS_PER_MESSAGE:
                return 0.0
        return 1.0 - kept

    def _verbatim(self, number: int, entry: ViewEntry) -> bool:
        """Tell whether an operation's text still has an entry line by line."""
        return all(_plain(line) in self.line_folds[number] for line in entry.text.splitlines() if line.strip())

    def _kept_by(self, number: int, entry: ViewEntry) -> tuple[int, ...]:
        """Name the other operations with a line that has every word of an entry: it is merged, not lost."""
        words = self.entry_words[entry.id]
        return tuple(
            other
            for other, lines in enumerate(self.line_words)
            if other != number and words and any(words <= line for line in lines)
        )

    def _corrects(self, edit: Edit, new: frozenset[str]) -> int | None:
        """Name the person's message that a replacement rests on: cited, quoted, and giving a new word."""
        for number, quote in self._cites(edit):
            person = self.view.messages[number].message.role == "user" and self.evidence.trusts[number] == "user"
            if person and self.evidence.holds(number, quote) and content_words(quote) & new:
                return number
        return None

    def _cites(self, edit: Edit) -> Iterator[tuple[int, str]]:
        quotes = (*edit.quotes, *("",) * (len(edit.sources) - len(edit.quotes)))
        for source, quote in zip(edit.sources, quotes, strict=True):
            number = self.evidence.find(source.session, source.message)
            if number is not None and quote.strip():
                yield number, quote

    def decide(self, number: int) -> tuple[str, Trust]:
        """Judge one operation: why it is held, or nothing, and its trust."""
        edit, touched = self.proposal.operations[number], self.touched[number]
        for entry in touched:
            kept = isinstance(edit, RewriteDocument) and self._verbatim(number, entry)
            if entry.pinned and not kept:
                return f"pinned: entry {entry.number} is pinned", "agent"
            if entry.user_authored and not kept:
                return f"user-authored: a person wrote entry {entry.number}", "agent"
        cites = tuple(self._cites(edit))
        if false := next((quote for n, quote in cites if not self.evidence.holds(n, quote)), None):
            return f"false-quote: {false[:80]!r} does not stand in the message it cites", "agent"
        if isinstance(edit, AppendJournal):
            return self.journal(edit.text)
        if not _texts(edit):
            return self._removal(number, cites, touched)
        if sum(map(len, _texts(edit))) > _MAX_TEXT_CHARS:
            return f"too-long: more than {_MAX_TEXT_CHARS} characters", "agent"
        return self._writing(number, edit, cites, touched)

    def _removal(
        self, number: int, cites: Sequence[tuple[int, str]], touched: Sequence[ViewEntry]
    ) -> tuple[str, Trust]:
        if touched and all(self._kept_by(number, entry) for entry in touched):
            return "", lowest_trust(entry.trust for entry in touched)
        # A message that speaks of something else does not vouch for the removal.
        words = frozenset[str]().union(*(self.entry_words[entry.id] for entry in touched))
        levels = [self.evidence.trusts[n] for n, quote in cites if content_words(quote) & words]
        trust: Trust = lowest_trust(levels) if levels else "agent"
        return _weaker(trust, touched), trust

    def orphaned(self, number: int, held: set[int]) -> bool:
        """Tell whether a removal counts on a merge that is held."""
        edit = self.proposal.operations[number]
        if _texts(edit):
            return False
        keepers = [self._kept_by(number, entry) for entry in self.touched[number]]
        return any(mine and all(other in held for other in mine) for mine in keepers)

    def _writing(
        self, number: int, edit: Edit, cites: Sequence[tuple[int, str]], touched: Sequence[ViewEntry]
    ) -> tuple[str, Trust]:
        fresh = self._fresh(number, edit)
        text = "\n".join(fresh)
        base = [e for e in touched if not (isinstance(edit, RewriteDocument) and self._verbatim(number, e))]
        base += self._merged(number)
        known = frozenset().union(*(self.entry_words[e.id] for e in base)) if base else frozenset()
        ground = self.evidence.ground(text, cites, known)
        levels = [self.evidence.trusts[n] for n in ground.used]
        used_entries = [e for e in base if self.entry_words[e.id] & ground.words]
        trust = lowest_trust([*levels, *(e.trust for e in used_entries)])
        said = [self.evidence.folded[n] for n in ground.used] + [fold(e.text) for e in base]
        shown = edit.path in self.view.shown or any(e.shown for e in touched)
        below = TRUST_RANK[trust] < TRUST_RANK["agent"]
        reason = (
            self._found_in(edit, said, levels)
            or (self._unfounded(text, ground.unfounded, ground.words) if fresh or not touched else "")
            or _foreign(text, said)
            or (_weaker(lowest_trust(levels), touched) if levels else "")
            or (
                "below-agent: it rests on text from tools or the web, and every prompt would show it"
                if below and shown
                else ""
            )
            or ("untrusted-merge: it joins text below the agent's trust" if below and touched else "")
            or self._turned(text, ground.used, base)
        )
        return reason, trust

    def _merged(self, number: int) -> list[ViewEntry]:
        """Find the entries that other operations remove and whose words this one keeps."""
        return [
            entry
            for other, removal in enumerate(self.proposal.operations)
            if other != number and isinstance(removal, RemoveEntry)
            for entry in self.touched[other]
            if number in self._kept_by(other, entry)
        ]

    def _fresh(self, number: int, edit: Edit) -> list[str]:
        """Give the texts that need a source: not labels, and of a whole document only its new lines."""
        if isinstance(edit, RewriteDocument):
            old = {_plain(line) for entry in self.touched[number] for line in entry.text.splitlines()}
            return [line for line in edit.text.splitlines() if _plain(line) not in old and not _is_heading(line)]
        labels = {edit.section} if isinstance(edit, AddEntry) else {edit.title} if isinstance(edit, PutTopic) else set()
        return [text for text in _texts(edit) if not (text in labels and _LABEL.fullmatch(text))]

    def _turned(self, text: str, used: Sequence[int], base: Sequence[ViewEntry]) -> str:
        turned = self.evidence.turned(text, used, [entry.text for entry in base])
        return f"{turned}: it does not say this the way the message does" if turned else ""

    def _unfounded(self, text: str, unfounded: Sequence[str], words: frozenset[str]) -> str:
        if not words:
            return "says-nothing: it has no words of content"
        plain = all(word.isalpha() and word.capitalize() not in text for word in unfounded)
        allowed = plain and len(unfounded) <= self.rules.unfounded_share * len(words)
        if not unfounded or allowed:
            return ""
        return "unfounded: no message says " + ", ".join(repr(word) for word in unfounded[:8])

    def _found_in(self, edit: Edit, said: Sequence[str], levels: Sequence[Trust]) -> str:
        """Say what the guard found that the person did not say in so many words."""
        for text in _texts(edit):
            reason = self._screened(text, said if levels and lowest_trust(levels) == "user" else ())
            if reason:
                return reason
        return ""

    def _screened(self, text: str, said: Sequence[str]) -> str:
        if text not in self.verdicts:
            return "unscreened: the guard has not seen this text"
        for finding in self.verdicts[text]:
            words = fold(text[finding.span[0] : finding.span[1]])
            if finding.kind != "injection" or not words or not any(words in part for part in said):
                return f"{finding.kind}: the guard found {finding.rule}"
        return ""

    def journal(self, text: str) -> tuple[str, Trust]:
        """Judge a journal entry: it may use words of its own, but no addresses, commands or orders."""
        ground = self.evidence.ground(text)
        trust = lowest_trust([*(self.evidence.trusts[n] for n in ground.used), "agent"])
        founded = len(ground.words) - len(ground.unfounded)
        if len(ground.words) > 3 and founded < _JOURNAL_FOUNDED_SHARE * len(ground.words):
            return "unfounded: it has next to no word of the conversation", trust
        return self._screened(text, ()) or _foreign(text, self.evidence.folded), trust


def _weaker(trust: Trust, touched: Sequence[ViewEntry]) -> str:
    strongest = max((e.trust for e in touched), key=TRUST_RANK.__getitem__, default="web")
    if TRUST_RANK[trust] < TRUST_RANK[strongest]:
        return f"weaker: it rests on {trust!r}, what it replaces on {strongest!r}"
    return ""


def _is_heading(line: str) -> bool:
    return not line.strip() or (line.startswith("#") and _LABEL.fullmatch(line.lstrip("# ")) is not None)


def _plain(line: str) -> str:
    return fold(line.strip().lstrip("-*+").strip())


def _foreign(text: str, said: Sequence[str]) -> str:
    """Name an address or command that stands in none of the folded texts it could come from."""
    addresses = (token.strip(_EDGES) for token in text.split())
    found = [("address", token) for token in addresses if _ADDRESS.search(token)]
    found += [("command", match.group(1) or match.group()) for match in _COMMAND.finditer(text)]
    for kind, token in found:
        words = fold(token).strip(_EDGES)
        if words in _NO_ADDRESS or not re.search(r"\w", words):
            continue
        if not any(words in part for part in said):
            return f"new-{kind}: {words[:80]!r} stands in no source"
    return ""
