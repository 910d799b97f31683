"""Importers: transcripts of other systems, read into messages.

`read` finds the format from the content and yields batches of messages; what could not be taken is named
as a `Problem`. Nothing here touches a store: the memory that is given the batches appends them.
"""

from commonplace.surfaces.importers.batches import Batch, Head, Problem
from commonplace.surfaces.importers.reading import KNOWN, read

__all__ = ["KNOWN", "Batch", "Head", "Problem", "read"]
