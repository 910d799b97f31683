"""Every error a caller may meet, as one tree.

    CommonplaceError
    ├── ConfigError (ValueError)          a knob, layout or model string that cannot be used
    ├── InputError (ValueError)           a message, query, id or operation that is not well formed
    │   ├── ScopeError                    a scope that is not a name
    │   └── PathError                     a path that would leave the store
    ├── RecordNotFoundError (LookupError) no record, change or session of that id
    │   ├── GoneError                     it was removed or forgotten; names the change
    │   └── ErasedError                   its text was erased on request
    ├── StoreError (OSError)              the store could not do it; memory on disk is as before
    │   ├── StoreFullError                no space, or a file-size or disk quota
    │   ├── StoreReadOnlyError            no permission to write, or opened read-only
    │   ├── StoreBusyError (TimeoutError) a lock was not free in time
    │   └── StoreFailedError              the disk failed a sync; reopen before writing again
    ├── VersionConflictError              the file changed since it was read
    ├── LeaseLostError                    another worker took the lease over
    ├── DamagedError                      stored bytes that cannot be read back
    ├── UndoConflictError                 a later change depends on the one to undo
    └── ModelError                        a model gave no usable answer
        ├── ModelTimeoutError (TimeoutError)
        ├── ModelUnavailableError         429, 5xx, no connection
        ├── ModelSetupError (ConfigError) a missing package or key, a key or model name that is not accepted
        ├── UnusableReplyError            an answer that holds no proposal
        ├── ModelRefusedError             the model declined
        ├── ModelTruncatedError           the answer was cut at the token limit
        └── BudgetExceededError           the daily ceiling stopped the call

An error carries data as attributes and says in one sentence what to do next. Outcomes that are
expected (a proposal refused, a duplicate) are values, not errors.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

UNREADABLE: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What reading damaged JSON raises; a file or a line that is damaged costs only itself."""


class CommonplaceError(Exception):
    """Base of every error raised on purpose by this package."""

    def __init__(self, sentence: str = "", **data: Any) -> None:
        super().__init__(sentence or (self.__doc__ or "").strip())
        self.data = data

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["data"][name]
        except KeyError:
            raise AttributeError(name) from None

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class ConfigError(CommonplaceError, ValueError):
    """A knob, layout or model string cannot be used."""


class InputError(CommonplaceError, ValueError):
    """A message, query, id or operation is not well formed."""


def require_text(value: object, name: str) -> None:
    """Make sure that what a caller gave is text; annotations do not hold at run time."""
    if not isinstance(value, str):
        raise InputError(f"{name} is a text, not {type(value).__name__}", field=name)


class ScopeError(InputError):
    """A scope is not a name."""


class PathError(InputError):
    """A path would leave the store."""


class RecordNotFoundError(CommonplaceError, LookupError):
    """No record, change or session of that id is stored."""


class GoneError(RecordNotFoundError):
    """The record was removed or forgotten."""


class ErasedError(RecordNotFoundError):
    """The text was erased on request."""


class StoreError(CommonplaceError, OSError):
    """The store could not do it; what is on disk is as before."""


class StoreFullError(StoreError):
    """No space is left, a file-size or disk quota is reached, or no more files can be opened."""


class StoreReadOnlyError(StoreError):
    """Nothing may be written here."""


class StoreBusyError(StoreError, TimeoutError):
    """A lock was not free in time."""


class StoreFailedError(StoreError):
    """The disk failed a sync; reopen the store before writing again."""


class VersionConflictError(CommonplaceError):
    """The file changed since it was read."""


class LeaseLostError(CommonplaceError):
    """Another worker took the lease over."""


class DamagedError(CommonplaceError):
    """Stored bytes cannot be read back."""


class UndoConflictError(CommonplaceError):
    """A later change depends on the one to undo."""


class ModelError(CommonplaceError):
    """A model gave no usable answer."""


class ModelTimeoutError(ModelError, TimeoutError):
    """A model did not answer before the deadline."""


class ModelUnavailableError(ModelError):
    """A model could not be reached."""


class ModelSetupError(ModelError, ConfigError):
    """A package or key is missing, or the server does not accept the key or the model's name."""


class UnusableReplyError(ModelError):
    """A model's answer holds nothing that can be used."""


class ModelRefusedError(ModelError):
    """A model declined to answer."""


class ModelTruncatedError(ModelError):
    """A model's answer was cut at its token limit."""


class BudgetExceededError(ModelError):
    """The spending ceiling stopped a model call."""
