"""Embedders that run in this process, through a package that is installed for them.

Each imports its package at the first text and reads a model that lies on disk: nothing is downloaded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from commonplace.errors import ConfigError, ModelSetupError
from commonplace.recall.index.near import Embedder

Vectors = Sequence[Sequence[float]]


class SentenceTransformersEmbedder:
    """A model as sentence-transformers saves it, in a folder.

    Raises:
        ConfigError: There is no such folder.
    """

    def __init__(self, folder: str) -> None:
        self._folder = _existing(folder)
        self.name = f"sentence-transformers:{self._folder.name}"

    def __call__(self, texts: Sequence[str], /) -> Vectors:
        """Embed passages."""
        made: Vectors = self._model.encode_document(list(texts), show_progress_bar=False)
        return made

    def question(self, texts: Sequence[str], /) -> Vectors:
        """Embed questions, with the words before them that the model was trained with."""
        made: Vectors = self._model.encode_query(list(texts), show_progress_bar=False)
        return made

    @cached_property
    def _model(self) -> Any:
        package = _imported("sentence_transformers", "sentence-transformers")
        return package.SentenceTransformer(str(self._folder), local_files_only=True)


class Model2VecEmbedder:
    """A table of token vectors as model2vec saves it, in a folder.

    Raises:
        ConfigError: There is no such folder.
    """

    def __init__(self, folder: str) -> None:
        self._folder = _existing(folder)
        self.name = f"model2vec:{self._folder.name}"

    def __call__(self, texts: Sequence[str], /) -> Vectors:
        """Embed texts."""
        made: Vectors = self._model.encode(list(texts))
        return made

    @cached_property
    def _model(self) -> Any:
        return _imported("model2vec", "model2vec").StaticModel.from_pretrained(self._folder)


KINDS: Final[Mapping[str, Callable[[str], Embedder]]] = {
    "sentence-transformers": SentenceTransformersEmbedder,
    "model2vec": Model2VecEmbedder,
}
"""What is before the folder in the name of an embedder, with its class."""


def _existing(folder: str) -> Path:
    found = Path(folder).expanduser()
    if not found.is_dir():
        raise ConfigError(f"{str(found)!r} is no folder; name the one that the embedding model was saved in")
    return found


def _imported(module: str, extra: str) -> Any:
    try:
        return import_module(module)
    except ImportError as error:
        raise ModelSetupError(
            f"the {extra} package is missing; run: pip install 'commonplace-memory[{extra}]'"
        ) from error
