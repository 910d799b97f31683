"""The one place that imports numpy, which comes with the extra `embed`: it is there or it is not."""

from __future__ import annotations

from functools import cache
from typing import Any

from commonplace import forks
from commonplace.errors import ModelUnavailableError


@cache
def numpy() -> Any | None:
    """Give numpy, or None where it is not installed; what can be done without it goes on without."""
    try:
        with forks.loading:
            import numpy as np  # noqa: PLC0415 - an extra, and 0.1 s that only users of vectors pay
    except ImportError:
        return None
    return np


def required() -> Any:
    """Give numpy.

    Raises:
        ModelUnavailableError: It is not installed; the sentence says how to.
    """
    np = numpy()
    if np is None:
        raise ModelUnavailableError("the numpy package is missing; run: pip install 'commonplace[embed]'")
    return np
