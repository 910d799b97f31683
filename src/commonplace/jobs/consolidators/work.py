"""What every consolidator is given, and what it gives back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import tzinfo

import msgspec

from commonplace.models.protocol import LLM
from commonplace.models.reading import Unusable
from commonplace.operations import Proposal, View


class Work(msgspec.Struct, frozen=True, kw_only=True):
    """One range of one session, with what may be touched and within which limits.

    `view.messages` is the range. `places` says which file takes a memory of which kind. `seconds` is
    what is left of the deadline. `documents` are the texts of the documents it may rewrite, by path; of a
    long one only its end. `model` is asked in place of the one of `llm`.
    """

    session: str
    view: View
    places: Mapping[str, str]
    default_path: str
    zone: tzinfo
    seconds: float
    message_tokens: int
    max_tokens: int
    cause: str = ""
    documents: Mapping[str, str] = {}
    llm: LLM | None = None
    model: str | None = None


class Consolidator(msgspec.Struct, frozen=True):
    """A function that turns a range into a proposal, or says why it cannot.

    It raises only ModelError. If `Work.llm` is None it does what it can without a model. `asks` says whether it may
    ask one: what never does is done before the next context. `rewrites` has it given the texts of documents.
    """

    propose: Callable[[Work], Proposal | Unusable]
    asks: bool = True
    rewrites: bool = False
