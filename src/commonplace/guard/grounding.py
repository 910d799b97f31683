"""Does a statement rest on what was said? One matcher, for the gate and for trust.

A statement needs support, not the messages' own words. Its firm facts (names, numbers, dates, addresses, commands)
must be in what it rests on, or follow from it; it may not say the opposite; it shares at least one word with it.
Everything else may be the model's own. Pure; knows nothing of proposals, files or models.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Final

from commonplace.guard.about import FIRST_PERSON
from commonplace.guard.contradictions import Talk
from commonplace.guard.figures import Figures
from commonplace.guard.phrases import phrase
from commonplace.guard.spoken import Said, has_german, reads_german, seen
from commonplace.records import RecordedMessage
from commonplace.text import content, days, denials
from commonplace.text.content import Vocabulary
from commonplace.text.everyday import COMMON, is_no_name
from commonplace.text.numerals import numerals
from commonplace.text.patterns import pattern
from commonplace.text.pieces import short_name
from commonplace.text.terms import STOP_WORDS

_CAPITAL: Final = pattern(r"(?<![^\W_])[^\W\d_][^\W_]*(?:['’-][^\W\d_]+)*")
_HYPHEN: Final = pattern(r"[-'’]")
_BEFORE_INITIAL: Final = pattern(r"(?:\A|[.!?:;(\[\"“„«»/|•*_·…–—-]|\d[.)])\s*['\"“„«*_`(\[]*\Z")
_BEHIND_NUMBER: Final = pattern(r"\d\s?\Z")
_DIGITS: Final = pattern(r"\d+")
_TITLE: Final = pattern(r"\b(?:herr|frau|dr|prof|familie|firma)\.?\s\Z", re.IGNORECASE)
_HONOURED: Final = pattern(
    r"([\u4e00-\u9fff]{1,4}|[\uac00-\ud7af]{2,4}\s?)(?:先生|さん|氏|様|くん|ちゃん|老师|女士|씨|님)"
)
_BEFORE_TITLE: Final = tuple("因由被给和与的在是让向跟请")  # a title without a name is behind them
_ADVICE: Final = pattern(r"\*{0,2}How to apply\b")  # seed memdir: what a model concludes, which nobody has to have said
_PLACED: Final = pattern(
    r"\b(?!(?:d(?:er|ie|as|en|em|es)|(?:k|m|d|s)?eine?[mnrs]?|ihre?[mnrs]?|alle[nr]?|jede)\s)([a-zäöü]{2,4})\s\Z"
)
_ADJECTIVE: Final = pattern(  # of German, at the head of a line before a noun that has a capital too
    r"\w{2,}(?:lich|ig|isch|end|bar|sam|haft|los)e[rsnm]?|(?:ge|be|ver|ent|zer|auf|aus|ab|vor)\w{3,}(?:te|ene)[rsnm]?",
    re.IGNORECASE,
)
_PLACED_CHARS: Final = 6
_PART_CHARS: Final = 3  # of a compound
_ALLERGY: Final = pattern(
    r"\b(?:all?erg|al[eé]rg|аллерг|intoll?eran)\w*\s(?:to|gegen|à|aux?|a|al|ao|på|voor|на|na)\s(?:l[ae]s?\s|l')?(\w+)"
    r"(?:,?\s(?:and|or|und|et|y|e|и|i)\s(\w+))?",
    re.IGNORECASE,
)
_IN_QUOTES: Final = pattern(r"[\"“„«»「『][^\"”“»«」』]{1,80}[\"”“»«」』]")
_MOST_CHARS: Final = 2000  # of a statement; more is none that a person could review
_WELL_KNOWN: Final = 5  # words of a summary's sentence that were said, and their share, for one to be its own
_KNOWN_SHARE: Final = 0.6
_SAME: Final = 2  # words of content, for two texts to be about the same
_BRIEF: Final = 4  # words of content
_NAME_CHARS: Final = 4000  # of a text that is searched for names


class Evidence:
    """All that the statements of one proposal may rest on: messages, and what memory says.

    Args:
        messages: The range.
        entries: Texts of memory that the model was shown.
    """

    def __init__(self, messages: Sequence[RecordedMessage], entries: Iterable[str] = ()) -> None:
        self.said = [
            Said(seen(m), speaker=short_name(m.message.name) or "", person=m.message.role == "user", at=m.message.at)
            for m in messages
        ]
        self.known = [Said(text) for text in entries]
        self.messages = tuple(messages)

    @cached_property
    def _all(self) -> list[Said]:
        return [*self.said, *self.known]

    @cached_property
    def _vocabulary(self) -> Vocabulary:
        return Vocabulary(word for said in self._all for word in said.words)

    @cached_property
    def _figures(self) -> Figures:
        return Figures(self.said, self.known)

    @cached_property
    def _folded(self) -> str:
        return "\n".join(said.folded for said in self._all)

    @cached_property
    def _is_german(self) -> bool:
        return reads_german(" ".join(said.text[:2000] for said in self._all[:200]))

    @cached_property
    def _hears_german(self) -> bool:
        return any(reads_german(said.text[:2000]) for said in self.said)

    def _may_be_german(self, text: str) -> bool:
        """True if a statement may have been written in German, where each noun begins with a capital."""
        return self._is_german or (self._hears_german and has_german(text))

    @cached_property
    def _well_known(self) -> frozenset[str]:
        """The words of memory, and what may be a name at the head of a sentence: nobody can only suppose them."""
        begun = (each.split(maxsplit=1)[0] for said in self.said for each in content.sentences(said.text[:_NAME_CHARS]))
        heads = () if self._hears_german else map(content.names, begun)
        return frozenset(word for said in self.known for word in said.words).union(*heads)

    @cached_property
    def _talk(self) -> Talk:
        talk = [said for said, m in zip(self.said, self.messages, strict=True) if m.message.role != "tool"]
        said = [(each.text, each.speaker, each.person) for each in talk]
        return Talk(said, self._names, self._well_known, [each.text for each in self.known])

    @cached_property
    def _names(self) -> frozenset[str]:
        """The names in messages and memory, and of those who speak."""
        found: set[str] = set()
        for said in self._all:
            found.update(content.words(said.speaker))
            for match in _CAPITAL.finditer("" if self._is_german else said.text[:_NAME_CHARS]):
                word, before = match.group(), said.text[max(0, match.start() - 4) : match.start()]
                if not word[0].isupper() or _BEFORE_INITIAL.search(before):
                    continue
                if not is_no_name(word):
                    found.update(content.content(word))
                elif word.istitle() and self._is_no_word_here(word.casefold()):  # `Mia` joins words in another language
                    found.add(content.bare(word))
        return frozenset(found)

    def _is_no_word_here(self, word: str) -> bool:
        """True if a word that joins others in some language is written in capitals only."""
        here = word in STOP_WORDS or next(days.named(f"1 {word}"), None) is not None
        return content.is_joining(content.bare(word)) and not here and not re.search(rf"\b{word}\b", self._written)

    @cached_property
    def _written(self) -> str:
        return "\n".join(said.text for said in self._all)

    def in_messages(self, found: frozenset[str]) -> frozenset[str]:
        """Return those of some words and numbers that a message has, or means by a date."""
        return frozenset(
            word
            for word in found
            if any(word in said.numbers or said.vocabulary.holds(word) for said in self.said)
            or (
                word.isdigit()
                and any(int(word) in (day.day, day.month) for said in self.said for day in said.meant.days)
            )
        )

    def person_said(self, folded: str) -> bool:
        """True if a person said these folded words."""
        return any(folded in said.folded for said in self.said if said.person)

    def took_back(self, text: str) -> bool:
        """True if a person said that a statement no longer holds, or that what it is about is over."""
        if self._talk.took_back(text):
            return True
        said = content.content(text)
        others = Vocabulary(word for entry in self.known if text not in entry.text for word in entry.words)
        own, lasts = said - others.shared(said), denials.lasts(text)
        for sentence in (each for said in self.said if said.person for each in content.sentences(said.text)):
            if not lasts and any(Vocabulary(said).shared(about) == about for about in denials.over(sentence)):
                return True
            lifted = phrase("lifts").search(sentence) if lasts else denials.ends(sentence)
            shared = Vocabulary(content.words(sentence)).shared(said) if lifted else frozenset()
            if shared and (len(shared) >= _SAME if lasts else 2 * len(shared) >= len(said) or shared & own):
                return True
        return False

    def stays(self, old: str, new: str) -> bool:
        """True if the last that a person said of an old statement, or a new one, is that the old one stays as it is."""
        said = content.content(old)
        about = Vocabulary(said | content.content(new))
        last = next((part for part in reversed(self._stated) if about.shared(content.content(part))), "")
        rest = phrase("stays").sub(" ", last)
        own = content.content(rest)
        shared = Vocabulary(said).shared(own)
        is_all = bool(shared) and own - shared <= COMMON and 2 * len(shared) >= len(said)
        return rest != last and is_all and not denials.denies(rest)

    @cached_property
    def _stated(self) -> list[str]:
        """The clauses of persons that neither ask nor doubt."""
        said = (sentence for each in self.said if each.person for sentence in content.sentences(each.text))
        parts = (part for each in said if not each.endswith(("?", "？")) for part in content.clauses(each))
        return [part for part in parts if not denials.doubts(part)]

    # --- the verdict ---

    def summary_fault(self, sentence: str, *, brief: bool = False) -> str:
        """Return why a sentence of a summary does not rest on the messages; a name or number may be the model's own.

        A summary is never always shown, and who writes it may know more of the person than the range says.

        Args:
            sentence: One sentence.
            brief: Whether one of few words needs no ground, as in a journal.
        """
        reason = self.fault(sentence, summary=True)
        if brief and reason.startswith("guess:") and not self._talk.was_doubted(sentence):
            return ""  # a journal tells what was asked too
        if not reason.startswith(("new-name:", "new-number:", "unfounded:")):
            return reason
        said = content.content(sentence)
        shared = self._vocabulary.shared(said)
        known = (brief and len(said) < _BRIEF) or len(shared) >= max(_WELL_KNOWN, _KNOWN_SHARE * len(said))
        return self._talk.turned(sentence.strip(), summary=True) if known else reason

    def fault(self, statement: str, *, summary: bool = False) -> str:
        """Return why a statement, or one of a summary, does not rest on the messages; empty if it does."""
        text = statement.strip()
        if len(text) > _MOST_CHARS:
            return f"too-long: a statement has at most {_MOST_CHARS} characters"
        said = _content(text)
        if not said and not numerals(text):
            return ""
        reason = (
            self._new_quoted(text)
            or self._figures.new(text)
            or self._figures.other_unit(text)
            or self._new_names(text)
            or self._unrelated(text, said)
            or self._talk.turned(text, summary=summary)
            or self._against_memory(text, said)
            or self._of_another(text)
        )
        return "" if _ADVICE.match(text) and reason.startswith("unfounded:") else reason

    def _against_memory(self, text: str, said: frozenset[str]) -> str:
        """Return the fault if memory says the opposite, and nobody spoke of what both are about."""
        if denials.denies(text):
            about = [entry.text for entry in self.known if entry.vocabulary.shared(said)]
            spoken = any(
                each.vocabulary.shared(said) or (each.person and denials.ends(each.text)) for each in self.said
            )
            taken_back = any(denials.denies(entry) or denials.limits(entry) for entry in about)
            return "negation: nobody said that it is not so" if about and not (spoken or taken_back) else ""
        if denials.limits(text):
            return ""
        for entry in self.known:
            both = entry.vocabulary.shared(said)
            if len(both) < _SAME or 2 * len(both) < len(said) or not denials.denies(entry.text):
                continue
            if not any(each.person and each.vocabulary.shared(both) for each in self.said):
                return "negation: memory says that it is not so"
        return ""

    def _new_quoted(self, text: str) -> str:
        for each in content.quoted(text):
            folded = content.fold(each.text)
            if folded in self._folded or (each.kind == "path" and self._has_parts(folded)):
                continue
            if each.kind == "command" and len(folded.split()) == 1 and self._has_parts(folded):
                continue
            if each.kind == "path" and not content.content(each.text):
                continue
            if each.kind == "address" and self._has_parts(folded) and _DIGITS.sub("", folded) in self._undigited:
                continue  # it is known with another port
            return f"new-{each.kind}: no message names {folded[:80]!r}"
        return ""

    @cached_property
    def _undigited(self) -> str:
        return _DIGITS.sub("", self._folded)

    def _has_parts(self, folded: str) -> bool:
        return all(part in self._folded for part in re.split(r"[^\w]+", folded) if part)

    def _new_names(self, text: str) -> str:
        names = self._unknown_names(text)
        if names:
            return f"new-name: no message says {', '.join(repr(name) for name in names[:4])}"
        for match in _HONOURED.finditer(text):
            name = match.group(1).strip()
            if name.endswith(_BEFORE_TITLE):
                continue
            ends = (n for n in range(len(name)) if name[n:].casefold() in self._folded)
            if not any(n < max(1, len(name) - 1) or name[:n] in self._folded for n in ends):
                return f"new-name: no message says {match.group()!r}"
        return ""

    def _unknown_names(self, text: str) -> list[str]:
        unknown: list[tuple[re.Match[str], bool]] = []
        for match in _CAPITAL.finditer(text):
            word = match.group()
            parts = [part for part in _HYPHEN.split(word) if not self._is_known(part)]  # `TÜV-Prüfung`, of "TÜV"
            inner = any(any(map(str.isupper, part[1:])) for part in parts) and not word.isupper()
            if not (inner or any(part[:1].isupper() for part in parts)) or self._is_known(word):
                continue
            if word.isupper() and _BEHIND_NUMBER.search(text, 0, match.start()) is not None:  # `1 GB`
                continue
            if (
                self._may_be_german(text)
                and _BEFORE_INITIAL.search(text[: match.start()])
                and _ADJECTIVE.fullmatch(word)
            ):
                continue
            unknown.append((match, inner))
        found: list[str] = []
        for place, (match, inner) in enumerate(unknown):
            before = text[: match.start()]
            initial = _BEFORE_INITIAL.search(before) is not None
            paired = any(
                abs(match.start() - other.end()) <= 1 or abs(other.start() - match.end()) <= 1
                for other, _ in unknown[max(0, place - 1) : place + 2]
                if other is not match
            )
            titled = _TITLE.search(before) is not None or self._in_place_of_a_name(text, match)
            if inner or titled or paired or not (initial or self._may_be_german(text)):
                found.append(match.group())
        return found

    def _in_place_of_a_name(self, text: str, match: re.Match[str]) -> bool:
        """True if a message has another name behind the same short word (`wohne in Kassel`, `wohnt in Kiel`)."""
        before = _PLACED.search(text, max(0, match.start() - _PLACED_CHARS), match.start())
        if before is None or content.is_joining(content.bare(match.group())):
            return False
        placed = re.compile(rf"\b{re.escape(before[1])}\s(?=[A-ZÄÖÜ])")
        rest = Vocabulary(content.content(text))
        return any(
            placed.search(clause) and rest.shared(content.content(clause))
            for said in self.said
            for clause in content.clauses(said.text)
        )

    def _is_known(self, word: str) -> bool:
        if is_no_name(word) or denials.denies(word):
            return True
        parts = [part for part in content.words(word) if len(part) > 1]
        known = all(self._vocabulary.holds(part) or self._is_short_for(word) or self._is_made(part) for part in parts)
        joined = "".join(parts)  # `OOM-killed` of `OOMKilled`, `VSCode` of `VS Code`
        return known or self._vocabulary.holds(joined) or (word[1:].lower() != word[1:] and joined in self._joined)

    @cached_property
    def _joined(self) -> str:
        return "\n".join(said.bare.replace(" ", "") for said in self._all)

    def _is_made(self, word: str) -> bool:
        """True if a word of German is made of two that were said (`Zugkarten`)."""
        ends = range(_PART_CHARS, len(word) - _PART_CHARS + 1) if self._is_german else ()
        parts = ((word[:n], word[n:]) for n in ends)
        return any(all(map(self._vocabulary.holds, each)) for each in parts)

    def _is_inside(self, word: str) -> bool:
        """True if a word is part of one that was said, or made of one (`Import` in `Importmodul`)."""
        return any(said.has_inside(content.bare(word)) for said in self._all)

    def _is_short_for(self, word: str) -> bool:
        """True if capitals are the initials of words in a row (`NZD`, New Zealand dollars)."""
        return word.isupper() and 3 <= len(word) <= 5 and word.casefold() in self._initials

    @cached_property
    def _initials(self) -> str:
        texts = [(said.bare.split(), every) for said in self._all for every in (True, False)]
        return "\n".join("".join(w[0] for w in words if every or not content.is_joining(w)) for words, every in texts)

    def _unrelated(self, text: str, said: frozenset[str]) -> str:
        """Return what has no support: the whole statement, or a clause of it with several words."""
        if said and not (any(map(self._supports, said)) or any(map(self._figures.has, numerals(text)))):
            return "unfounded: it shares no word with what was said"
        for match in _ALLERGY.finditer(text):
            new = [word for part in match.groups() for word in content.content(part or "")]
            if any(not self._supports(word) for word in new):
                return f"new-word: no message says {match.group()!r}"
        return ""

    def _of_another(self, text: str) -> str:
        """Return the fault if no one text has two words of a statement: what it says of its head, nobody said.

        A name that it begins with counts as said if memory knows it, or who speaks of themselves with it: a model
        names whom a message calls "I".
        """
        rest, dates = text, sorted(days.named(text))
        for date in reversed(dates):
            rest = f"{rest[: date.start]} {rest[date.end :]}"
        said, counted = _content(rest), [number for number in numerals(rest) if number.sure]
        head = next((word for word in content.words(rest) if word in said), "")
        if content.is_wide(text) or denials.denies(text) or head in COMMON or not self._supports(head):
            return ""
        if denials.refuses(text) and any(
            each.vocabulary.holds(head) and denials.denies(each.text) for each in self.said
        ):
            return ""  # `lactose intolerant`, of "I can't tolerate lactose"
        named = head in content.names(rest) and self._presented.holds(head)
        others = said - {head} if named else said
        most = named + max((each.agreeing(others, counted, dates) for each in self._all), default=0)
        lone = most <= 1 < len(said) + len(counted) + len(dates)
        return f"unfounded: no message says what it says of {head!r}" if lone else ""

    @cached_property
    def _presented(self) -> Vocabulary:
        """The words of memory, and of the clauses in which a person speaks of themselves."""
        parts = (part for said in self.said if said.person for part in content.clauses(said.text))
        found = Vocabulary(word for entry in self.known for word in entry.words)
        found.take(word for part in parts if FIRST_PERSON.search(part) for word in content.words(part))
        return found

    def _supports(self, word: str) -> bool:
        known = self._vocabulary.holds(word) or self._is_inside(word) or self._is_short_for(word.upper())
        return known or self._is_made(word)


def _content(text: str) -> frozenset[str]:
    """Return the words of content of a text, and every word that it quotes."""
    quoted = (word for match in _IN_QUOTES.finditer(text) for word in content.words(match.group()))
    return content.content(text).union(quoted)
