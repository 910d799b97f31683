"""A BERT encoder's forward pass in numpy: token ids in, one hidden vector a token out. Pure.

Knows the architecture that BERT, MiniLM, BGE, GTE, E5 and the RoBERTa family share, and the names
their weights are stored under. Reads no file.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from commonplace.recall.index import arrays

_PREFIXES: Final = ("bert.", "roberta.", "model.", "encoder.model.")
_FIRST: Final = "embeddings.word_embeddings.weight"
_MASKED: Final = -1e9
# Abramowitz and Stegun 7.1.26: at most 1.5e-7 off, below what float32 can tell; numpy has no erf.
_ERF: Final = (0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429)
_ERF_P: Final = 0.3275911


class Shape(msgspec.Struct, frozen=True):
    """What a model's `config.json` says of the encoder."""

    model_type: str = "bert"
    num_hidden_layers: int = 12
    num_attention_heads: int = 12
    hidden_size: int = 768
    hidden_act: str = "gelu"
    layer_norm_eps: float = 1e-12
    max_position_embeddings: int = 512
    pad_token_id: int | None = 0
    position_embedding_type: str = "absolute"

    @property
    def first_position(self) -> int:
        """The number of the first place; the RoBERTa family begins after the padding's."""
        return 0 if self.model_type == "bert" else (self.pad_token_id or 0) + 1

    @property
    def longest(self) -> int:
        """How many tokens it can take at once."""
        return self.max_position_embeddings - self.first_position


KNOWN: Final = frozenset({"bert", "roberta", "xlm-roberta", "camembert"})
ACTIVATIONS: Final = frozenset({"gelu", "gelu_new", "gelu_fast", "gelu_pytorch_tanh", "relu"})


class Encoder:
    """One encoder with its weights laid out for multiplying.

    Raises:
        KeyError: A weight is not there under any name known.
    """

    def __init__(self, shape: Shape, weights: Mapping[str, Any]) -> None:
        self.shape = shape
        self._np = np = arrays.required()
        prefix = next((each for each in ("", *_PREFIXES) if each + _FIRST in weights), "")
        self._weights = {
            name.removeprefix(prefix): np.asarray(value, dtype=np.float32)
            for name, value in weights.items()
            if name.startswith(prefix)
        }
        self._words = self._weights[_FIRST]
        self._positions = self._weights["embeddings.position_embeddings.weight"]
        kinds = self._weights.get("embeddings.token_type_embeddings.weight")
        self._kind = kinds[0] if kinds is not None else np.zeros(shape.hidden_size, dtype=np.float32)
        self._layers = [self._layer(f"encoder.layer.{number}.") for number in range(shape.num_hidden_layers)]

    def _layer(self, prefix: str) -> dict[str, Any]:
        np, weights = self._np, self._weights
        names = [f"{prefix}attention.self.{part}." for part in ("query", "key", "value")]
        return {
            "qkv": np.ascontiguousarray(np.concatenate([weights[name + "weight"] for name in names]).T),
            "qkv_bias": np.concatenate([weights[name + "bias"] for name in names]),
            **{
                short: (np.ascontiguousarray(weights[f"{prefix}{name}.weight"].T), weights[f"{prefix}{name}.bias"])
                for short, name in (
                    ("out", "attention.output.dense"), ("up", "intermediate.dense"), ("down", "output.dense"),
                )
            },
            **{
                short: (weights[f"{prefix}{name}.weight"], weights[f"{prefix}{name}.bias"])
                for short, name in (("norm1", "attention.output.LayerNorm"), ("norm2", "output.LayerNorm"))
            },
        }  # fmt: skip

    def hidden(self, ids: Any, mask: Any) -> Any:
        """Run the encoder over a batch.

        Args:
            ids: Token ids, batch x length; padded at the end.
            mask: 1 where a token stands, 0 for padding; of the same shape.

        Returns:
            float32, batch x length x hidden size; what stands at padding means nothing.
        """
        shape = self.shape
        length = ids.shape[1]
        places = self._positions[shape.first_position : shape.first_position + length]
        norm = (self._weights["embeddings.LayerNorm.weight"], self._weights["embeddings.LayerNorm.bias"])
        hidden = self._normed(self._words[ids] + places + self._kind, norm)
        unseen = ((1 - mask) * _MASKED).astype(self._np.float32)[:, None, None, :]
        for layer in self._layers:
            hidden = self._normed(hidden + self._attended(layer, hidden, unseen), layer["norm1"])
            inner = activated(self._np, shape.hidden_act, hidden @ layer["up"][0] + layer["up"][1])
            hidden = self._normed(hidden + inner @ layer["down"][0] + layer["down"][1], layer["norm2"])
        return hidden

    def _attended(self, layer: Mapping[str, Any], hidden: Any, unseen: Any) -> Any:
        np, heads = self._np, self.shape.num_attention_heads
        batch, length, size = hidden.shape
        each = size // heads
        mixed = (hidden @ layer["qkv"] + layer["qkv_bias"]).reshape(batch, length, 3, heads, each)
        query, key, value = (mixed[:, :, part].transpose(0, 2, 1, 3) for part in range(3))
        scores = query @ key.transpose(0, 1, 3, 2) / np.float32(math.sqrt(each)) + unseen
        scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
        shares = scores / scores.sum(axis=-1, keepdims=True)
        joined = (shares @ value).transpose(0, 2, 1, 3).reshape(batch, length, size)
        return joined @ layer["out"][0] + layer["out"][1]

    def _normed(self, values: Any, norm: tuple[Any, Any]) -> Any:
        centred = values - values.mean(axis=-1, keepdims=True)
        spread = (centred * centred).mean(axis=-1, keepdims=True)
        return centred / self._np.sqrt(spread + self._np.float32(self.shape.layer_norm_eps)) * norm[0] + norm[1]


def activated(np: Any, name: str, values: Any) -> Any:
    """Apply the activation of that name.

    Raises:
        KeyError: There is none of that name here.
    """
    match name:
        case "gelu":
            return values * np.float32(0.5) * (1 + erf(np, values * np.float32(math.sqrt(0.5))))
        case "gelu_new" | "gelu_fast" | "gelu_pytorch_tanh":
            inner = np.float32(math.sqrt(2 / math.pi)) * (values + np.float32(0.044715) * values**3)
            return values * np.float32(0.5) * (1 + np.tanh(inner))
        case "relu":
            return np.maximum(values, 0)
        case "tanh":
            return np.tanh(values)
        case "identity":
            return values
        case _:
            raise KeyError(name)


def erf(np: Any, values: Any) -> Any:
    """Give the error function of each value, to about 1e-7."""
    size = np.abs(values)
    part = 1 / (1 + np.float32(_ERF_P) * size)
    series = np.float32(_ERF[-1])
    for factor in reversed(_ERF[:-1]):
        series = series * part + np.float32(factor)
    return np.sign(values) * (1 - series * part * np.exp(-size * size))
