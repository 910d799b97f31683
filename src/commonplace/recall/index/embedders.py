"""Embedders that run in this process, through a package that is installed for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from commonplace.errors import ConfigError, ModelSetupError

KINDS: Final = ("sentence-transformers", "model2vec")
"""What is before the folder in the name of an embedder: the package that saved the model."""

Vectors = Sequence[Sequence[float]]


class LocalEmbedder:
    """A model in a folder, read at the first text; nothing is downloaded.

    Raises:
        ConfigError: There is no such folder.
    """

    def __init__(self, kind: str, folder: str) -> None:
        self._kind, self._folder = kind, Path(folder).expanduser()
        if not self._folder.is_dir():
            raise ConfigError(f"{folder!r} is no folder; name the one that the embedding model was saved in")
        self.name = f"{kind}:{self._folder.name}"

    def __call__(self, texts: Sequence[str], /) -> Vectors:
        """Embed passages."""
        return self._calls[0](list(texts))

    def question(self, texts: Sequence[str], /) -> Vectors:
        """Embed questions, with the words before them that the model was trained with."""
        return self._calls[1](list(texts))

    @cached_property
    def _calls(self) -> tuple[Callable[..., Vectors], Callable[..., Vectors]]:
        try:
            package: Any = import_module(self._kind.replace("-", "_"))
        except ImportError as error:
            raise ModelSetupError(
                f"the {self._kind} package is missing; run: pip install 'commonplace-memory[{self._kind}]'"
            ) from error
        if self._kind == "model2vec":
            model = package.StaticModel.from_pretrained(self._folder)
            return model.encode, model.encode
        model = package.SentenceTransformer(str(self._folder), local_files_only=True)
        return partial(model.encode_document, show_progress_bar=False), partial(
            model.encode_query, show_progress_bar=False
        )
