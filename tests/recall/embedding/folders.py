"""Tiny embedding models with random weights, written as sentence-transformers writes them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "red", "blue", "car", "boat", "##s", "drive", "float", "!"]
SIZE, LAYERS, HEADS, INNER, LONGEST = 12, 2, 3, 20, 16


def tokenizer(folder: Path) -> None:
    """Write a WordPiece tokenizer with the frame that BERT puts around a text."""
    single = [
        {"SpecialToken": {"id": "[CLS]", "type_id": 0}},
        {"Sequence": {"id": "A", "type_id": 0}},
        {"SpecialToken": {"id": "[SEP]", "type_id": 0}},
    ]
    special = {name: {"id": name, "ids": [WORDS.index(name)], "tokens": [name]} for name in ("[CLS]", "[SEP]")}
    made = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True,
                       "strip_accents": None, "lowercase": True},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {"type": "TemplateProcessing", "single": single, "pair": single, "special_tokens": special},
        "decoder": None,
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                  "max_input_chars_per_word": 100, "vocab": {word: at for at, word in enumerate(WORDS)}},
    }  # fmt: skip
    (folder / "tokenizer.json").write_text(json.dumps(made), encoding="utf-8")


def ids(text: str) -> list[int]:
    """Say by hand what the tokenizer makes of a text of known words."""
    return [2, *(WORDS.index(word) if word in WORDS else 1 for word in text.split()), 3]


def weights(rng: np.random.Generator, *, positions: int = LONGEST) -> dict[str, np.ndarray]:
    """Make random weights under the names that a BERT model is stored with."""

    def some(*shape: int) -> np.ndarray:
        return rng.normal(0, 0.5, shape).astype(np.float32)

    made = {
        "embeddings.word_embeddings.weight": some(len(WORDS), SIZE),
        "embeddings.position_embeddings.weight": some(positions, SIZE),
        "embeddings.token_type_embeddings.weight": some(2, SIZE),
    }
    norms = ["embeddings.LayerNorm"]
    for number in range(LAYERS):
        layer = f"encoder.layer.{number}."
        norms += [f"{layer}attention.output.LayerNorm", f"{layer}output.LayerNorm"]
        shapes = {f"attention.self.{part}": (SIZE, SIZE) for part in ("query", "key", "value")}
        shapes |= {"attention.output.dense": (SIZE, SIZE), "intermediate.dense": (INNER, SIZE),
                   "output.dense": (SIZE, INNER)}  # fmt: skip
        for name, shape in shapes.items():
            made[f"{layer}{name}.weight"], made[f"{layer}{name}.bias"] = some(*shape), some(shape[0])
    for name in norms:
        made[f"{name}.weight"], made[f"{name}.bias"] = 1 + some(SIZE), some(SIZE)
    return made


def transformer(folder: Path, *, pooling: str = "mean_tokens", prefix: str = "", normalize: bool = True,
                config: dict[str, object] | None = None, **files: object) -> dict[str, np.ndarray]:  # fmt: skip
    """Write a model of an encoder, pooling and, unless told otherwise, normalising."""
    folder.mkdir(parents=True, exist_ok=True)
    made = weights(np.random.default_rng(7), positions=LONGEST + (2 if config else 0))
    save_file({prefix + name: value for name, value in made.items()}, folder / "model.safetensors")
    tokenizer(folder)
    shape = {
        "model_type": "bert", "num_hidden_layers": LAYERS, "num_attention_heads": HEADS, "hidden_size": SIZE,
        "hidden_act": "gelu", "layer_norm_eps": 1e-12, "pad_token_id": 0, "vocab_size": len(WORDS),
        "max_position_embeddings": LONGEST + (2 if config else 0), "dtype": "float32", **(config or {}),
    }  # fmt: skip
    modules = [("", "sentence_transformers.models.Transformer"), ("1_Pooling", "sentence_transformers.models.Pooling")]
    if normalize:
        modules.append(("2_Normalize", "sentence_transformers.models.Normalize"))
    listed = [{"idx": at, "name": str(at), "path": path, "type": kind} for at, (path, kind) in enumerate(modules)]
    written = {
        "config.json": shape,
        "modules.json": listed,
        "sentence_bert_config.json": {"max_seq_length": 8, "do_lower_case": False},
        "1_Pooling/config.json": {"word_embedding_dimension": SIZE, f"pooling_mode_{pooling}": True},
        **files,
    }
    for name, value in written.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(json.dumps(value), encoding="utf-8")
    return made


def static(folder: Path, *, key: str = "embedding.weight", **more: np.ndarray) -> np.ndarray:
    """Write a table of token vectors, as StaticEmbedding (or, under `embeddings`, model2vec) stores it."""
    folder.mkdir(parents=True, exist_ok=True)
    table = np.random.default_rng(3).normal(0, 1, (len(WORDS), SIZE)).astype(np.float32)
    save_file({key: table, **more}, folder / "model.safetensors")
    tokenizer(folder)
    if key == "embeddings":
        (folder / "config.json").write_text(json.dumps({"model_type": "model2vec", "normalize": True}), "utf-8")
    else:
        listed = [{"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.StaticEmbedding"}]
        (folder / "modules.json").write_text(json.dumps(listed), "utf-8")
    return table
