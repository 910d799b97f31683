"""Messages with an id that their session has: given again they change nothing, but another text would be lost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from commonplace import guard
from commonplace.errors import InputError
from commonplace.guard.markers import ERASED
from commonplace.guard.screened import Screened
from commonplace.records import RecordedMessage


def require_same(
    session_id: str,
    given: Sequence[tuple[str | None, Screened]],
    known: Callable[[str], int | None],
    stored: Callable[[], Iterable[RecordedMessage]],
) -> None:
    """Make sure that no message has the id of another one.

    Args:
        session_id: The session they are for.
        given: The id and the text of each message, as they may be stored.
        known: Returns the hash of the text of a message of the session, by its id; None if it has none.
        stored: Returns these messages; read only where a hash differs.

    Raises:
        InputError: Some have; `places` says which of those given.
    """
    hashes: dict[str, int] = {}
    others: dict[int, str] = {}
    for place, (own, text) in enumerate(given):
        if own:
            said, there = hash(text.text), known(own)
            if hashes.setdefault(own, said if there is None else there) != said:
                others[place] = own
    if not others:
        return
    wanted = set(others.values())
    texts = {str(each.message.id): each.text for each in stored() if each.message.id in wanted}
    places = tuple(at for at, own in others.items() if not _is_same(texts.get(own), given[at][1].text))
    if places:
        raise InputError(
            f"session {session_id!r} has a message {others[places[0]]!r} with another text; "
            "give each message an id that no other message of the session has, or none",
            session=session_id,
            message=others[places[0]],
            places=places,
        )


def _is_same(stored: str | None, given: str) -> bool:
    """True if a stored text is the one given, or was erased and cannot be compared."""
    return stored is not None and (ERASED in stored or guard.screen(stored).text == given)  # the rules may have grown
