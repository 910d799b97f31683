"""Small pure helpers on text: token estimate, truncation, names as file names.

Owns no state and reads nothing.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Final

from commonplace.text.patterns import pattern

if TYPE_CHECKING:
    from commonplace.records import Message, RecordedMessage

_WIDE: Final = pattern(r"[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U0001f000-\U0003ffff]")
_LINE_MARK: Final = pattern(r"^[ \t]*(?:[-*>]|#{1,6})[ \t]+", re.MULTILINE)
_SAFE_NAME: Final = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_-")
_RESERVED: Final = frozenset([
    "con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10)),
])  # fmt: skip
BUFFER_LINE_CHARS: Final = 200  # seed facts, later version: 200 runes a summary
NAME_BYTES: Final = 180  # leaves room for a suffix and a temporary name inside the usual 255


def estimate_tokens(text: str) -> int:
    """Estimate how many tokens a model will count, a little too high.

    One token for each wide character (Chinese, Japanese, Korean, emoji), else one for each 3.5
    characters, rounded up. Source: ecosystem survey, "tokens".
    """
    wide = len(_WIDE.findall(text)) if not text.isascii() else 0
    return wide + -(-(len(text) - wide) * 2 // 7)


NEWER: Final = pattern(r" \((?:\d{4}-\d\d-\d\d|later): “[^“”]*”\)\Z")
"""What a person said later, behind a statement that it speaks against."""


def truncate(text: str, limit_chars: int, marker: str = "...") -> str:
    """Cut a text so that it and the marker together hold at most `limit_chars` characters."""
    if len(text) <= limit_chars:
        return text
    return text[: max(0, limit_chars - len(marker))] + marker[:limit_chars]


def shortened(text: str, limit_chars: int) -> str:
    """Cut a text as `truncate` does; of one with newer words behind it, the text first, and these last."""
    newer = NEWER.search(text)
    if newer is None or len(text) <= limit_chars:
        return truncate(text, limit_chars)
    words = truncate(newer[0], max(limit_chars - newer.start(), limit_chars * 2 // 3))
    return truncate(text[: newer.start()], limit_chars - len(words)) + words


def beginning(text: str, limit_chars: int) -> str:
    """Return a text on one line, and of a longer one than `limit_chars` characters its first words and `…`."""
    line = one_line(text)
    if len(line) <= limit_chars:
        return line
    cut = line[: limit_chars - 1]
    words = line[:limit_chars].rpartition(" ")[0].rstrip(" ,;:")
    return f"{words if len(words) > len(cut) // 2 else cut}…"


def one_line(text: str) -> str:
    """Fold every run of white space, line breaks included, into one space."""
    return " ".join(text.split())


def plain_line(text: str) -> str:
    """Return a text on one line, without the marks of its lists, quotes and headings."""
    return one_line(_LINE_MARK.sub("", text))


_PARTICLES: Final = frozenset([
    "van", "von", "der", "den", "de", "del", "della", "da", "di", "du", "la", "le", "el", "al", "bin", "ibn", "ter",
    "zu", "y", "e",
])  # fmt: skip
_NAME_WORDS: Final = 3  # and particles
_NAME_CHARS, _NAME_WORD_CHARS = 60, 30
_BESIDE: Final = pattern(  # a name: what is in brackets, or behind a colon, bar or dash
    r"[(\[{<⟦（【].*?(?:[)\]}>⟧）】]|\Z)|(?:[\n:：|]|,\s(?=[a-z])|\s[–—-]\s).*", re.DOTALL
)
_NO_NAMES: Final = frozenset(["i", "me", "myself", "user", "you"])
_SELECTOR: Final = pattern(r"[\ufe00-\ufe0f]")  # how a sign is drawn


def plain_name(name: str | None) -> str | None:
    """Return a display name if it can be one; None if it says something, as people choose their names freely."""
    words = (name or "").split()
    return name if (len(words) == 1 and _is_plain(words[0])) or _is_full_name(words, _NAME_WORDS) else None


def short_name(name: str | None) -> str | None:
    """Return what a person is called by a display name: itself if it can be one, else the part of it that can.

    That is without signs and what is in brackets or behind a colon, a bar or a dash. Of one that still says something
    no more than the first word is kept, with a mark of the whole, so that two people stay two. None if there is none.
    """
    known = unicodedata.normalize("NFC", name or "").strip()
    if not known or plain_name(known):
        return known or None
    said = _BESIDE.sub(" ", _SELECTOR.sub("", known))
    words = "".join(char if _is_plain(char) else " " for char in said).split()
    named = [word for word in words if _is_plain(word) and any(map(str.isalpha, word))]
    short = len(words) < _NAME_WORDS and all(map(_is_plain, words))
    if named and (short or _is_full_name(words, _NAME_WORDS + 1)):
        return " ".join(words)
    return f"{(*named, 'Person')[0]}-{fingerprint(known)[:4]}"


def names_of(given: Collection[str]) -> frozenset[str]:
    """Return the names among those that users wrote under, empty for none: a host may call its only one `I` or `me`."""
    only = next(iter(given)).strip().casefold() if len(given) == 1 else ""
    return frozenset(given) - {""} if only not in _NO_NAMES else frozenset()


def _is_full_name(words: Sequence[str], most: int) -> bool:
    """True if each of some words but particles begins with a capital, in a script that has them."""
    own = [word for word in words if word.casefold() not in _PARTICLES]
    named = all(_is_plain(word) and (word[0].isupper() or not word[0].isascii()) for word in own)
    return 0 < len(own) <= most and named and len(" ".join(words)) <= _NAME_CHARS


def _is_plain(word: str) -> bool:
    marks = (char.isalnum() or char in "._@'’-" or unicodedata.category(char) in {"Mn", "Mc"} for char in word)
    return len(word) <= _NAME_WORD_CHARS and all(marks)


_SPEAKERS: Final = {"assistant": "agent"}


def speaker(message: Message, role: str) -> str:
    """Return a word for the role of who speaks, and what they are called if they have a name."""
    return " ".join(filter(None, (role, short_name(message.name))))


def summary_line(message: Message, mark: str = "") -> str:
    """Fold one message into one line for the buffer: `HH:MM  user   "words"`, or `agent` and what it said.

    Who has a name is named (`user Ada`). A mark says before the words that they are not to be trusted as the speaker's
    own.

    Source: seed facts, "Tier 2 — Buffer".
    """
    text = re.sub(r"```.*?(```|\Z)", "[code]", message.content, flags=re.DOTALL)
    said = one_line(text) or ", ".join(message.tools)
    clock = message.at.strftime("%H:%M") if message.at else "--:--"
    said = truncate(said, BUFFER_LINE_CHARS)
    said = f'"{said}"' if message.role == "user" else said
    return f"{clock}  {speaker(message, _SPEAKERS.get(message.role, message.role)):<5}  {mark}{said}"


def spoken(said: Sequence[RecordedMessage]) -> Iterator[RecordedMessage]:
    """Yield of each turn the messages of its users and the last of its others: one that calls a tool only if all do."""
    for role, run in groupby(said, key=lambda each: each.message.role):
        turn = list(run)
        yield from turn if role == "user" else ([each for each in turn if not each.message.tools] or turn)[-1:]


def summary_lines(said: Sequence[tuple[Message, str]], *, dated: bool = False) -> list[str]:
    """Fold messages, each with its mark, into a line each.

    Where they are of several days, or if `dated`, the first of each day has its date before it.
    """
    days = [message.at.date() if message.at else None for message, _ in said]
    dated = dated or len({*days} - {None}) > 1
    lines = []
    before = None
    for (message, mark), day in zip(said, days, strict=True):
        named = f"{day} " if dated and day and day != before else ""
        lines.append(named + summary_line(message, mark))
        before = day or before
    return lines


def encode_name(name: str) -> str:
    """Turn any name into a file name that no other name maps to, on any common file system.

    NFC first; everything outside `a-z0-9_-` becomes `%XX` of its UTF-8 bytes, upper case too, so
    `A` and `a` stay apart where case is folded; device names of Windows get their first letter
    encoded; a long name keeps its head and ends in `%~` and a hash of the whole.

    Source: safety notes, finding 12.
    """
    normal = unicodedata.normalize("NFC", name)
    pieces = [
        char if char in _SAFE_NAME else "".join(f"%{byte:02X}" for byte in char.encode("utf-8", "surrogatepass"))
        for char in normal
    ]
    if normal in _RESERVED:
        pieces[0] = f"%{ord(normal[0]):02X}"
    encoded = "".join(pieces) or "%~empty"
    if len(encoded) <= NAME_BYTES:
        return encoded
    digest = hashlib.sha256(normal.encode("utf-8", "surrogatepass")).hexdigest()[:32]
    head = encoded[: NAME_BYTES - 34]
    return re.sub(r"%[0-9A-F]?\Z", "", head) + "%~" + digest


def decode_name(encoded: str) -> str | None:
    """Return the name of `encode_name`; None if it was too long to keep whole."""
    if encoded == "%~empty":
        return ""
    if "%~" in encoded:
        return None
    raw = re.sub(rb"%([0-9A-F]{2})", lambda m: bytes([int(m.group(1), 16)]), encoded.encode("utf-8", "surrogatepass"))
    try:
        return raw.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return None


def fingerprint(text: str) -> str:
    """Hash a text to 12 hex digits, after NFC and folding of white space; nothing else is dropped."""
    normal = one_line(unicodedata.normalize("NFC", text))
    return hashlib.sha256(normal.encode("utf-8", "surrogatepass")).hexdigest()[:12]


_FENCE: Final = pattern(
    r"<recalled-memory nonce=\"([0-9a-f]{16})\"[^>\n]*>\n(.*?)\n</recalled-memory nonce=\"\1\">\n?", re.DOTALL
)
_BOUNDARY: Final = pattern(r"<(/?)(recalled-memory)", re.IGNORECASE)


def escape(content: str) -> str:
    """Make what looks like the boundary of a fence look like text."""
    return _BOUNDARY.sub(r"&lt;\1\2", content)


def fence(content: str, key: bytes) -> str:
    """Wrap recalled text as data: the boundary carries a nonce that only this scope can make.

    The nonce is the HMAC of the scope's key and the content, so the same text gives the same bytes;
    what looks like the boundary inside the content is escaped.
    """
    safe = escape(content)
    nonce = _nonce(safe, key)
    return f'<recalled-memory nonce="{nonce}">\n{safe}\n</recalled-memory nonce="{nonce}">'


def strip_fences(text: str, key: bytes) -> str:
    """Remove every fenced part that this scope's key made; anything else that looks like one stays."""
    if "<recalled-memory" not in text:
        return text
    return _FENCE.sub(lambda m: "" if m.group(1) == _nonce(m.group(2), key) else m.group(0), text)


def _nonce(content: str, key: bytes) -> str:
    return hmac.new(key, content.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()[:16]
