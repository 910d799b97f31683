"""A sentence-transformers folder through numpy, held to a slow formula written out token by token.

The same forward pass was compared once with another implementation of BERT and RoBERTa on random
weights: they differ by less than 5e-5 where the values reach 3.
"""

from __future__ import annotations

import json
import math

import folders
import numpy as np
import pytest

from commonplace import Config, Memory, Message
from commonplace.config import RecallConfig
from commonplace.errors import ConfigError, ModelUnavailableError
from commonplace.recall.index import arrays, encoder
from commonplace.recall.index.embedders import FolderEmbedder


def slow(weights, ids, *, heads=folders.HEADS, eps=1e-12, first=0, activation=None):
    """Run the encoder over one text in plain Python floats, one number after the other."""
    act = activation or (lambda x: 0.5 * x * (1 + math.erf(x / math.sqrt(2))))
    w = {name: value.astype(float).tolist() for name, value in weights.items()}

    def norm(vector, name):
        mean = sum(vector) / len(vector)
        spread = sum((x - mean) ** 2 for x in vector) / len(vector)
        return [
            (x - mean) / math.sqrt(spread + eps) * g + b
            for x, g, b in zip(vector, w[name + ".weight"], w[name + ".bias"], strict=True)
        ]

    def dense(vector, name):
        return [
            sum(x * y for x, y in zip(row, vector, strict=True)) + b
            for row, b in zip(w[name + ".weight"], w[name + ".bias"], strict=True)
        ]

    def add(*vectors):
        return [sum(values) for values in zip(*vectors, strict=True)]

    hidden = [
        norm(
            add(
                w["embeddings.word_embeddings.weight"][token],
                w["embeddings.position_embeddings.weight"][first + at],
                w["embeddings.token_type_embeddings.weight"][0],
            ),
            "embeddings.LayerNorm",
        )
        for at, token in enumerate(ids)
    ]
    size = len(hidden[0]) // heads
    for number in range(folders.LAYERS):
        layer = f"encoder.layer.{number}."
        query, key, value = (
            [dense(each, f"{layer}attention.self.{part}") for each in hidden] for part in ("query", "key", "value")
        )
        after = []
        for at in range(len(hidden)):
            joined = []
            for head in range(heads):
                span = slice(head * size, (head + 1) * size)
                scores = [
                    sum(a * b for a, b in zip(query[at][span], other[span], strict=True)) / math.sqrt(size)
                    for other in key
                ]
                exps = [math.exp(score - max(scores)) for score in scores]
                joined += [
                    sum(e * other[place] for e, other in zip(exps, value, strict=True)) / sum(exps)
                    for place in range(head * size, (head + 1) * size)
                ]
            attended = norm(
                add(hidden[at], dense(joined, f"{layer}attention.output.dense")), f"{layer}attention.output.LayerNorm"
            )
            inner = [act(x) for x in dense(attended, f"{layer}intermediate.dense")]
            after.append(norm(add(attended, dense(inner, f"{layer}output.dense")), f"{layer}output.LayerNorm"))
        hidden = after
    return hidden


def mean(hidden):
    return [sum(values) / len(hidden) for values in zip(*hidden, strict=True)]


def normed(vector):
    length = math.sqrt(sum(x * x for x in vector))
    return [x / length for x in vector]


TEXTS = ["red car", "blue boat float", "drive", "red boat !"]


def test_vectors_are_those_of_the_formula_whatever_else_is_in_the_batch(tmp_path):
    """Issue 7: a sentence-transformers directory through numpy; padding must not reach the result."""
    weights = folders.transformer(tmp_path)
    expected = [normed(mean(slow(weights, folders.ids(text)))) for text in TEXTS]
    embedder = FolderEmbedder(str(tmp_path))
    assert np.allclose(embedder(TEXTS), expected, atol=1e-5)
    for text, vector in zip(TEXTS, expected, strict=True):
        assert np.allclose(embedder([text]), [vector], atol=1e-5)


@pytest.mark.parametrize(
    ("pooling", "pooled"),
    [
        ("cls_token", lambda hidden: hidden[0]),
        ("max_tokens", lambda hidden: [max(values) for values in zip(*hidden, strict=True)]),
        ("mean_tokens", mean),
    ],
)
def test_each_pooling_is_the_one_that_the_folder_names(tmp_path, pooling, pooled):
    """1_Pooling/config.json says which."""
    weights = folders.transformer(tmp_path, pooling=pooling, normalize=False)
    expected = [pooled(slow(weights, folders.ids(text))) for text in TEXTS]
    assert np.allclose(FolderEmbedder(str(tmp_path))(TEXTS), expected, atol=1e-5)


def test_weights_are_found_under_the_prefix_of_a_larger_model(tmp_path):
    """Saved with a head, BERT's weights begin with `bert.`."""
    weights = folders.transformer(tmp_path, prefix="bert.")
    expected = normed(mean(slow(weights, folders.ids("red car"))))
    assert np.allclose(FolderEmbedder(str(tmp_path))(["red car"]), [expected], atol=1e-5)


def test_the_roberta_family_counts_places_after_the_padding(tmp_path):
    """Multilingual E5 and its like are XLM-RoBERTa."""
    weights = folders.transformer(tmp_path, config={"model_type": "xlm-roberta", "pad_token_id": 1})
    expected = normed(mean(slow(weights, folders.ids("red car"), first=2)))
    assert np.allclose(FolderEmbedder(str(tmp_path))(["red car", "drive"])[0], expected, atol=1e-5)


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("relu", lambda x: max(x, 0.0)),
        ("gelu_new", lambda x: 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))),
    ],
)
def test_the_activation_is_the_one_that_the_folder_names(tmp_path, name, function):
    """config.json, hidden_act."""
    weights = folders.transformer(tmp_path, config={"hidden_act": name, "pad_token_id": 0})
    expected = normed(mean(slow(weights, folders.ids("red car"), activation=function)))
    assert np.allclose(FolderEmbedder(str(tmp_path))(["red car"]), [expected], atol=1e-5)


def test_a_text_longer_than_the_model_takes_is_cut(tmp_path):
    """sentence_bert_config.json, max_seq_length; the frame around the text stays."""
    weights = folders.transformer(tmp_path)
    kept = [*folders.ids("red car blue boat red car")[:-1], 3]
    expected = normed(mean(slow(weights, kept)))
    assert np.allclose(FolderEmbedder(str(tmp_path))(["red car blue boat red car blue boat"]), [expected], atol=1e-5)


def test_an_empty_text_and_unknown_words_have_a_vector(tmp_path):
    """Any text can be asked."""
    folders.transformer(tmp_path)
    vectors = FolderEmbedder(str(tmp_path))(["", "zebra \0 crossing", "红色"])
    assert np.isfinite(vectors).all()
    assert np.shape(FolderEmbedder(str(tmp_path))([])) == (0, folders.SIZE)


def test_a_dense_layer_after_pooling_is_applied(tmp_path):
    """Some models end in a projection."""
    from safetensors.numpy import save_file

    modules = [
        {"idx": 0, "path": "", "type": "sentence_transformers.models.Transformer"},
        {"idx": 1, "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
        {"idx": 2, "path": "2_Dense", "type": "sentence_transformers.models.Dense"},
    ]
    dense = {"in_features": folders.SIZE, "out_features": 3, "activation_function": "torch.nn.modules.activation.Tanh"}
    weights = folders.transformer(tmp_path, **{"modules.json": modules, "2_Dense/config.json": dense})
    rng = np.random.default_rng(1)
    matrix, bias = (rng.normal(0, 1, shape).astype(np.float32) for shape in ((3, folders.SIZE), (3,)))
    save_file({"linear.weight": matrix, "linear.bias": bias}, tmp_path / "2_Dense" / "model.safetensors")
    pooled = mean(slow(weights, folders.ids("red car")))
    assert np.allclose(FolderEmbedder(str(tmp_path))(["red car"]), [np.tanh(matrix @ pooled + bias)], atol=1e-5)


def test_prompts_stand_before_questions_and_passages(tmp_path):
    """config_sentence_transformers.json: models trained with words before each text."""
    prompts = {"prompts": {"query": "red ", "document": "blue "}}
    folders.transformer(tmp_path, **{"config_sentence_transformers.json": prompts})
    embedder = FolderEmbedder(str(tmp_path))
    plain = tmp_path / "plain"
    folders.transformer(plain)
    assert np.allclose(embedder.question(["car"]), FolderEmbedder(str(plain))(["red car"]))
    assert np.allclose(embedder(["car"]), FolderEmbedder(str(plain))(["blue car"]))


def test_a_table_of_token_vectors_is_averaged(tmp_path):
    """StaticEmbedding; a text without a known token has the zero vector in model2vec, which leaves unknowns out."""
    table = folders.static(tmp_path / "static")
    found = FolderEmbedder(str(tmp_path / "static"))(["red cars", "zebra"])
    assert np.allclose(found, [table[[4, 6, 8]].mean(axis=0), table[1]], atol=1e-6)
    table = folders.static(tmp_path / "model2vec", key="embeddings")
    found = FolderEmbedder(str(tmp_path / "model2vec"))(["red zebra car", "zebra"])
    assert np.allclose(found, [table[[4, 6]].mean(axis=0), np.zeros(folders.SIZE)], atol=1e-6)


def test_model2vec_may_share_and_weigh_its_vectors(tmp_path):
    """Its newer files hold `mapping` and `weights`."""
    count = len(folders.WORDS)
    mapping, weights = np.arange(count, dtype=np.int64)[::-1].copy(), np.linspace(0.5, 2, count, dtype=np.float32)
    table = folders.static(tmp_path, key="embeddings", mapping=mapping, weights=weights)
    expected = np.mean([table[mapping[at]] * weights[at] for at in (4, 6)], axis=0)
    assert np.allclose(FolderEmbedder(str(tmp_path))(["red car"]), [expected], atol=1e-6)


def test_a_bare_transformer_is_pooled_by_its_mean(tmp_path):
    """A folder without modules.json, as for other uses of the same encoder."""
    weights = folders.transformer(tmp_path)
    (tmp_path / "modules.json").unlink()
    expected = mean(slow(weights, folders.ids("red car")))
    assert np.allclose(FolderEmbedder(str(tmp_path))(["red car"]), [expected], atol=1e-5)


def test_recall_finds_by_a_folder(tmp_path):
    """`path:FOLDER`, from the argument or from the configuration."""
    folders.static(tmp_path / "model", key="embeddings")
    config = Config(recall=RecallConfig(embedder=f"path:{tmp_path / 'model'}", embed_seconds=60.0, vector_floor=0.1))
    with Memory.open(tmp_path / "memory", config=config) as memory:
        memory.append("s", [Message("user", "red boats float"), Message("user", "blue cars drive")])
        (first, *_) = memory.recall("red boats float", explain=True)
        assert first.text == "red boats float"
        assert first.why["meaning"] == pytest.approx(config.recall.vector_weight)


@pytest.mark.parametrize(
    "broken",
    [
        {"config.json": {"model_type": "mpnet"}},
        {"config.json": {"model_type": "bert", "hidden_act": "swish"}},
        {"config.json": {"model_type": "bert", "position_embedding_type": "relative_key"}},
        {"config.json": {"model_type": "bert", "hidden_size": "wide"}},
        {"modules.json": [{"idx": 0, "path": "", "type": "sentence_transformers.models.CLIPModel"}]},
        {"modules.json": [{"path": "", "type": "a.Transformer"}, {"path": "1", "type": "a.LSTM"}]},
    ],
    ids=["architecture", "activation", "positions", "shape", "first-module", "later-module"],
)
def test_a_model_of_an_unknown_kind_is_refused_when_opened(tmp_path, broken):
    """A wrong vector would be worse than none."""
    folders.transformer(tmp_path, **broken)
    with pytest.raises(ConfigError):
        FolderEmbedder(str(tmp_path))


@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json", "config.json"])
def test_a_missing_or_damaged_file_is_named(tmp_path, name):
    """The folder is on disk or the embedder cannot be made: nothing is downloaded."""
    folders.transformer(tmp_path / "gone")
    (tmp_path / "gone" / name).unlink()
    folders.transformer(tmp_path / "damaged")
    (tmp_path / "damaged" / name).write_bytes(b"\x93 no such thing")
    if name != "config.json":  # without one it is an encoder of the usual size: told when the weights are read
        with pytest.raises(ConfigError, match=name):
            FolderEmbedder(str(tmp_path / "gone"))
    for folder in ("gone", "damaged"):
        with pytest.raises(ConfigError):
            FolderEmbedder(str(tmp_path / folder))(["red"])


@pytest.mark.parametrize("pooling", ["lasttoken", "weightedmean_tokens"])
def test_a_pooling_that_is_not_known_is_named(tmp_path, pooling):
    """Of two poolings or an unknown one nothing is guessed."""
    folders.transformer(tmp_path, pooling=pooling)
    with pytest.raises(ConfigError, match=pooling.removesuffix("_tokens")):
        FolderEmbedder(str(tmp_path))(["red"])


def test_without_the_extra_the_sentence_says_what_to_install(tmp_path, monkeypatch):
    """Extras have their own install hint."""
    folders.transformer(tmp_path)
    monkeypatch.setattr("commonplace.recall.index.embedders._PACKAGES", ("numpy", "no_such_package"))
    with pytest.raises(ConfigError, match=r"pip install 'commonplace\[embed\]'"):
        FolderEmbedder(str(tmp_path))
    monkeypatch.setattr(arrays, "numpy", lambda: None)
    with pytest.raises(ModelUnavailableError, match=r"pip install 'commonplace\[embed\]'"):
        arrays.required()


def test_the_error_function_is_right_to_a_millionth():
    """There is none in numpy."""
    values = np.linspace(-6, 6, 2001, dtype=np.float32)
    assert np.allclose(encoder.erf(np, values), [math.erf(value) for value in values], atol=1e-6)


def test_a_prompt_that_is_no_text_is_passed_over(tmp_path):
    """Files of others hold anything."""
    folders.transformer(tmp_path, **{"config_sentence_transformers.json": {"prompts": {"query": 3}}})
    assert json.loads((tmp_path / "config_sentence_transformers.json").read_bytes())
    assert np.shape(FolderEmbedder(str(tmp_path)).question(["red"])) == (1, folders.SIZE)
