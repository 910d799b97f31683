"""Find what one occurrence of is enough to tell where a statement comes from: its addresses, accounts and commands.

Each is compared in one form, however it is written: an address without scheme and `www.`, a number without the
signs between its groups, a command without backticks. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from commonplace.text import content
from commonplace.text.patterns import pattern

_ACCOUNT: Final = pattern(  # a port or code can have four digits, but a year has too; a code can be all capitals
    r"(?<![\w.,:-])(?:(?=[A-Za-z-]{0,30}\d)[A-Za-z\d-]{5,40}|(?!19|20)\d{4}|[A-Z]{2,30}(?:-[A-Z]{2,30}){1,4})"
    r"(?![\w-]|[.,:]\d)"
)
_GROUPED: Final = pattern(  # of a bank account, or of digits; in a folded text
    r"(?<![a-z\d.,:])(?:[a-z]{2}\d\d(?:[ -]?[a-z]{4})?(?:[ -]?[a-z]?\d[a-z\d]{0,3}){2,8}"
    r"|[+(]{0,2}\d{1,20}(?:[ .()/-]{1,3}\d{1,12}){0,9})(?![a-z\d])"
)
_DAY: Final = pattern(r"\d{4}[./-]\d{1,2}[./-]\d{1,2}|\d{1,2}[./-]\d{1,2}[./-]\d{4}")
_SEPARATING: Final = pattern(r"[\W_]+")
_DIGIT: Final = pattern(r"\d")
_SCHEME: Final = pattern(r"\A(?:[a-z][a-z\d+.-]{0,20}://)?(?:www\.)?")
_HOST: Final = pattern(r"[a-z\d][a-z\d-]{0,60}(?:\.[a-z\d-]{1,60}){0,6}\.[a-z]{2,20}(?P<path>/.*)?")
_SHORT: Final = 4  # characters; so few tell nothing
_FEWEST_DIGITS: Final = 7  # of a number that is written in groups
_TELLING_DIGITS: Final = 9  # the last of a longer number: a phone number has its prefix or not


class Exact(NamedTuple):
    """An address, account or command of a statement.

    `form` is looked for in a folded text. `number` is looked for in a text without the signs between words, if not
    empty. A `host` may be the name of a file as well, unless the text shows that it is an address.
    """

    form: str
    number: str = ""
    host: bool = False


class Heard:
    """A text, also folded, in which what is exact is looked for."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.folded = content.fold(text)
        self._joined: str | None = None

    def has(self, part: Exact) -> bool:
        """True if the text has an address, account or command, in whatever groups."""
        if part.number:
            if self._joined is None:
                self._joined = _SEPARATING.sub("", self.folded)
            return part.number in self._joined
        return part.form in self.folded

    def shows(self, part: Exact) -> bool:
        """True if the text has it, a host as an address."""
        if part.host:
            return any(f"{sign}{part.form}" in self.folded for sign in ("//", "www.", "@"))
        return self.has(part)


def exact(statement: str) -> Iterator[Exact]:
    """Yield the addresses, accounts and commands of a statement."""
    for each in content.quoted(statement):
        form = content.fold(each.text)
        if each.kind == "path":
            host = _HOST.fullmatch(form)
            if host is not None:
                yield Exact(form, host=not host["path"])
        elif len(each.text) > _SHORT:
            yield Exact((_SCHEME.sub("", form).rstrip("/") or form) if each.kind == "address" else form)
    for match in _ACCOUNT.finditer(statement):
        yield Exact(match.group().casefold())
    for match in _GROUPED.finditer(content.fold(statement)):
        number = _SEPARATING.sub("", match.group())
        digits = len(_DIGIT.findall(number))
        if digits >= _FEWEST_DIGITS and not _DAY.fullmatch(match.group()):
            yield Exact(match.group(), number[-_TELLING_DIGITS:] if number.isdigit() else number)
