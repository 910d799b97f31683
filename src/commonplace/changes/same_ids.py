"""Messages with an id that their session has: given again they change nothing, but another text would be lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from commonplace import guard
from commonplace.errors import InputError
from commonplace.guard.markers import ERASED
from commonplace.guard.screened import Screened


def require_same(session_id: str, given: Sequence[tuple[str | None, Screened]], stored: Mapping[str, str]) -> None:
    """Make sure that no message has the id of another one.

    Args:
        session_id: The session they are for.
        given: The id and the text of each message, as they may be stored.
        stored: The texts of the session's messages with such an id.

    Raises:
        InputError: Some have; `places` says which of those given.
    """
    texts = dict(stored)
    places = tuple(
        place
        for place, (own, text) in enumerate(given)
        if own and not _is_same(texts.setdefault(own, text.text), text.text)
    )
    if places:
        own = given[places[0]][0]
        raise InputError(
            f"session {session_id!r} has a message {own!r} with another text; "
            "give each message an id that no other message of the session has, or none",
            session=session_id,
            message=own,
            places=places,
        )


def _is_same(stored: str, given: str) -> bool:
    """True if a stored text is the one given, or was erased and cannot be compared."""
    return stored == given or ERASED in stored or guard.screen(stored).text == given  # the rules may have grown
