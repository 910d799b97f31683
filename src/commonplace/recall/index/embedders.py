"""A sentence-transformers folder as an embedder, through numpy.

Owns the reading of such a folder: which modules stand in it, their weights, the tokenizer. Nothing is
ever downloaded: the folder is on disk or the embedder cannot be made.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from commonplace import forks
from commonplace.errors import ConfigError
from commonplace.recall.index import arrays, encoder

_PACKAGES: Final = ("numpy", "safetensors", "tokenizers")
_BATCH: Final = 32  # texts that are padded to one length
_STATIC_TOKENS: Final = 512  # of a text, as model2vec and StaticEmbedding take at most
_POOLINGS: Final = ("mean", "cls", "max")
_TINY: Final = 1e-12


class FolderEmbedder:
    """A model in the layout of sentence-transformers, or of model2vec, on disk.

    What it is made of is read from `modules.json`: an encoder of the BERT or RoBERTa family or a table
    of token vectors, then pooling, dense layers and normalising. The weights are loaded when first used.

    Args:
        folder: Where it lies.

    Raises:
        ConfigError: There is no such model, it is of a kind that is not known here, or the extra is missing.
    """

    def __init__(self, folder: str) -> None:
        missing = [name for name in _PACKAGES if importlib.util.find_spec(name) is None]
        if missing:
            raise ConfigError(f"{', '.join(missing)} missing for an embedder; run: pip install 'commonplace[embed]'")
        self._folder = Path(folder).expanduser()
        self.name = f"path:{self._folder.name}"
        self._parts = self._read_modules()
        prompts = _json(self._folder / "config_sentence_transformers.json").get("prompts") or {}
        self._asked = _prompt(prompts, ("query", "question"))
        self._said = _prompt(prompts, ("passage", "document"))
        self._model: _Static | _Transformer | None = None

    def __call__(self, texts: Sequence[str], /) -> Sequence[Sequence[float]]:
        """Embed passages."""
        return self._embed([self._said + text for text in texts])

    def question(self, texts: Sequence[str], /) -> Sequence[Sequence[float]]:
        """Embed questions, with the words before them that the model was trained with."""
        return self._embed([self._asked + text for text in texts])

    def _embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        if self._model is None:
            self._model = self._load()
        vectors: Sequence[Sequence[float]] = self._model.embed(texts)
        return vectors

    # --- reading the folder ---

    def _read_modules(self) -> list[tuple[str, Path]]:
        """Name the modules in order with their folders; a bare transformer is pooled by its mean."""
        folder = self._folder
        modules = _json(folder / "modules.json", default=[])
        parts = [(str(each["type"]).rsplit(".", 1)[-1], folder / str(each["path"])) for each in modules]
        config = _json(folder / "config.json")
        if not parts and config:
            kind = "StaticEmbedding" if config.get("model_type") == "model2vec" else "Transformer"
            parts = [(kind, folder)]
        if not parts or parts[0][0] not in {"Transformer", "StaticEmbedding"}:
            raise ConfigError(
                f"{str(folder)!r} holds no embedding model; name a folder with modules.json or config.json, "
                "as sentence-transformers saves them",
                path=str(folder),
            )
        unknown = [kind for kind, _ in parts[1:] if kind not in {"Pooling", "Dense", "Normalize"}]
        if unknown:
            raise ConfigError(f"{str(folder)!r} has a {unknown[0]} module, which is not known here", path=str(folder))
        if parts[0][0] == "Transformer":
            _check_shape(parts[0][1])
        first = parts[0][1]
        for name in ("model.safetensors", "tokenizer.json"):
            if not (first / name).is_file() and not (folder / name).is_file():
                raise ConfigError(f"{str(folder)!r} has no {name}", path=str(folder))
        return parts

    def _load(self) -> _Static | _Transformer:
        kind, first = self._parts[0]
        weights = _weights(_either(first, self._folder, "model.safetensors"))
        tokenizer = _tokenizer(_either(first, self._folder, "tokenizer.json"))
        after = [_after(kind, folder) for kind, folder in self._parts[1:] if kind != "Pooling"]
        try:
            if kind == "StaticEmbedding":
                return _Static(weights, tokenizer, after)
            pooling = next((folder for kind, folder in self._parts if kind == "Pooling"), None)
            longest = _json(first / "sentence_bert_config.json").get("max_seq_length")
            shape = _shape(first)
            limit = min(int(longest), shape.longest) if longest else shape.longest
            tokenizer.enable_truncation(limit)
            return _Transformer(encoder.Encoder(shape, weights), tokenizer, _pooling(pooling), after)
        except KeyError as error:
            raise ConfigError(f"{str(self._folder)!r} has no weight {error.args[0]!r}", path=str(first)) from None


class _Static:
    """One vector a token, looked up and averaged: StaticEmbedding and model2vec."""

    def __init__(self, weights: Mapping[str, Any], tokenizer: Any, after: Sequence[_After]) -> None:
        np = self._np = arrays.required()
        found = next((weights[name] for name in ("embedding.weight", "embeddings") if name in weights), None)
        if found is None:
            raise KeyError("embedding.weight")
        table = np.asarray(found, dtype=np.float32)
        if "mapping" in weights:  # model2vec: several tokens may share a vector ...
            table = table[np.asarray(weights["mapping"], dtype=np.int64)]
        if "weights" in weights:  # ... and weigh differently
            table = table * np.asarray(weights["weights"], dtype=np.float32)[:, None]
        self._table = table
        self._tokenizer = tokenizer
        self._after = after
        config = json.loads(tokenizer.to_str())["model"]
        unknown = tokenizer.token_to_id(config.get("unk_token") or "")
        self._unknown = -1 if unknown is None or "embedding.weight" in weights else unknown

    def embed(self, texts: Sequence[str]) -> Any:
        np = self._np
        vectors = np.zeros((len(texts), self._table.shape[1]), dtype=np.float32)
        for at, encoded in enumerate(self._tokenizer.encode_batch(list(texts), add_special_tokens=False)):
            ids = [each for each in encoded.ids[:_STATIC_TOKENS] if each != self._unknown]
            if ids:
                vectors[at] = self._table[ids].mean(axis=0)
        return _applied(np, vectors, self._after)


class _Transformer:
    """An encoder whose token vectors are pooled into one."""

    def __init__(self, model: encoder.Encoder, tokenizer: Any, pooling: str, after: Sequence[_After]) -> None:
        self._np = arrays.required()
        self._encoder = model
        self._tokenizer = tokenizer
        self._pooling = pooling
        self._after = after

    def embed(self, texts: Sequence[str]) -> Any:
        np = self._np
        vectors = np.zeros((len(texts), self._encoder.shape.hidden_size), dtype=np.float32)
        encoded = [each.ids for each in self._tokenizer.encode_batch(list(texts))]
        order = sorted(range(len(texts)), key=lambda at: len(encoded[at]))  # alike in length: little padding
        for start in range(0, len(order), _BATCH):
            part = order[start : start + _BATCH]
            longest = max(1, *(len(encoded[at]) for at in part)) if part else 1
            ids = np.full((len(part), longest), self._encoder.shape.pad_token_id or 0, dtype=np.int64)
            mask = np.zeros((len(part), longest), dtype=np.int64)
            for row, at in enumerate(part):
                ids[row, : len(encoded[at])] = encoded[at]
                mask[row, : len(encoded[at])] = 1
            vectors[part] = self._pooled(self._encoder.hidden(ids, mask), mask)
        return _applied(np, vectors, self._after)

    def _pooled(self, hidden: Any, mask: Any) -> Any:
        np = self._np
        if self._pooling == "cls":
            return hidden[:, 0]
        shown = mask[:, :, None].astype(np.float32)
        if self._pooling == "max":
            return np.where(shown > 0, hidden, np.float32(-np.inf)).max(axis=1)
        return (hidden * shown).sum(axis=1) / np.maximum(shown.sum(axis=1), 1)


class _After(msgspec.Struct):
    """What is done to a pooled vector: a dense layer, or normalising where there are no weights."""

    weight: Any = None
    bias: Any = None
    activation: str = ""


def _after(kind: str, folder: Path) -> _After:
    if kind == "Normalize":
        return _After()
    named = str(_json(folder / "config.json").get("activation_function", "Tanh")).rsplit(".", 1)[-1].lower()
    weights = _weights(folder / "model.safetensors")
    if "linear.weight" not in weights or named not in {"tanh", "identity", "relu", "gelu"}:
        raise ConfigError(f"the dense layer in {str(folder)!r} cannot be read", path=str(folder))
    return _After(weights["linear.weight"].T, weights.get("linear.bias"), named)


def _applied(np: Any, vectors: Any, after: Sequence[_After]) -> Any:
    for each in after:
        if each.weight is None:
            vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), _TINY)
        else:
            vectors = vectors @ each.weight + (0 if each.bias is None else each.bias)
            vectors = encoder.activated(np, each.activation, vectors)
    return vectors


def _json(path: Path, *, default: Any = None) -> Any:
    try:
        return json.loads(path.read_bytes())
    except FileNotFoundError:
        return {} if default is None else default
    except (OSError, ValueError) as error:
        raise ConfigError(f"{str(path)!r} cannot be read: {type(error).__name__}", path=str(path)) from None


def _shape(folder: Path) -> encoder.Shape:
    config = _json(folder / "config.json")
    try:
        return msgspec.convert(config, encoder.Shape)
    except msgspec.ValidationError as error:
        raise ConfigError(f"config.json in {str(folder)!r} cannot be used: {error}", path=str(folder)) from None


def _check_shape(folder: Path) -> None:
    shape = _shape(folder)
    for what, value, known in (
        ("model_type", shape.model_type, encoder.KNOWN),
        ("hidden_act", shape.hidden_act, encoder.ACTIVATIONS),
        ("position_embedding_type", shape.position_embedding_type, {"absolute"}),
    ):
        if value not in known:
            names = ", ".join(sorted(known))
            raise ConfigError(f"{str(folder)!r} has {what} {value!r}; known here are {names}", path=str(folder))


def _pooling(folder: Path | None) -> str:
    config = _json(folder / "config.json") if folder is not None else {"pooling_mode_mean_tokens": True}
    found = [name for name in config if name.startswith("pooling_mode_") and config[name] is True]
    names = [name.removeprefix("pooling_mode_").removesuffix("_tokens").removesuffix("_token") for name in found]
    names = names or [str(config.get("pooling_mode", "mean"))]
    if len(names) != 1 or names[0] not in _POOLINGS:
        raise ConfigError(f"pooling {' and '.join(names)} is not known here; known are {', '.join(_POOLINGS)}")
    return names[0]


def _prompt(prompts: Any, names: Sequence[str]) -> str:
    found = [prompts[name] for name in names if isinstance(prompts, dict) and isinstance(prompts.get(name), str)]
    return found[0] if found else ""


def _either(first: Path, second: Path, name: str) -> Path:
    return first / name if (first / name).is_file() else second / name


def _weights(path: Path) -> Mapping[str, Any]:
    with forks.loading:
        from safetensors import SafetensorError  # noqa: PLC0415 - an extra
        from safetensors.numpy import load_file  # noqa: PLC0415 - an extra

    try:
        return load_file(path)
    except (OSError, KeyError, TypeError, SafetensorError) as error:
        raise ConfigError(f"{str(path)!r} cannot be read: {type(error).__name__}", path=str(path)) from None


def _tokenizer(path: Path) -> Any:
    with forks.loading:
        from tokenizers import Tokenizer  # noqa: PLC0415 - an extra

    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # noqa: BLE001 - its Rust core raises Exception itself
        raise ConfigError(f"{str(path)!r} cannot be read: {type(error).__name__}", path=str(path)) from None
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer
