"""GGUF files as llama.cpp's converter writes them, against the models that they were made from."""

import math

import numpy as np
import pytest
import transformers

from engine import Engine
from engine.messages import Attention, LoadModel, RunPrompt
from tests.engine.sources import gguf_files
from tests.engine.sources.refusals import refused
from tests.oracles import hugging_face
from tests.oracles.hugging_face import KINDS, LLAMA3, N_CTX, YARN

SINGLE = 1e-5
"""Of patterns: rounding in single precision."""

TEXT = "12ABCDEFG3ABabCC4"
LOCAL = {"attention.sliding_window": 5}
CAPS = {"attn_logit_softcapping": 3.0, "final_logit_softcapping": 5.0}
FAMILIES = {
    "llama": ("llama", {}),
    "llama-tied": ("llama", {}),
    "gpt2": ("gpt2", {}),
    "qwen2": ("qwen2", {}),
    "qwen3": ("qwen3", {}),
    "bloom": ("bloom", {}),
    "falcon": ("falcon", {}),
    "stablelm": ("stablelm", {}),
    "nemotron": ("nemotron", {}),
    "starcoder2": ("starcoder2", LOCAL),
    "phi3": ("phi3", LOCAL),
    "gemma2": ("gemma2", LOCAL | CAPS),
    "gemma3": ("gemma3", LOCAL | {"attention.sliding_window_pattern": [True, False, True]}),
}
"""Each architecture that transformers reads and that is opened: kind, name in the format, keys."""

UNLIKE = {"rms_norm_eps", "layer_norm_eps", "layer_norm_epsilon", "norm_epsilon", "norm_eps"}


def made(kind, changes=None):
    """Make a model whose settings are not those that its class has unless told otherwise."""
    name, sizes = KINDS[kind]
    # The format does not hold what scores are divided by: it follows from the width of a head.
    sizes = sizes | ({"query_pre_attn_scalar": 10} if kind.startswith("gemma") else {})
    config = getattr(transformers, f"{name}Config")
    # Of StarCoder2 the bridge knows one epsilon only, and is refused with another.
    for setting in UNLIKE & set(vars(config())) if kind != "starcoder2" else ():
        sizes = sizes | {setting: 0.03125}
    return hugging_face.make(kind, sizes=sizes | (changes or {}))


def same(model, path):
    """Check that a file is read as the model: every pattern, and the predictions."""
    engine, run = Engine(), RunPrompt(str(path), TEXT)
    answer = engine.answer(run)
    patterns, log_probs = hugging_face.own(model, answer.ids.tolist())
    for layer, meant in enumerate(patterns):
        found = engine.answer(Attention(run, layer)).values
        assert np.abs(found - meant.numpy()).max() < SINGLE
    found = answer.next_log_probs - log_probs[-1].numpy()[answer.next_ids]
    assert np.abs(found).max() < 1e-4


@pytest.mark.parametrize("kind", FAMILIES)
def test_a_file_is_read_as_the_model_that_it_was_made_from(tmp_path, kind):
    architecture, fields = FAMILIES[kind]
    model = made(kind)
    same(model, gguf_files.convert(model, tmp_path / "it.gguf", architecture, fields))


def test_every_family_that_transformers_reads_is_known_here():
    from transformers.integrations.ggml import GGUF_CONFIG_MAPPING

    opened = {architecture for architecture, _ in FAMILIES.values()}
    others = {"general", "tokenizer", "mistral", "deci", "t5", "umt5", "mamba", "lfm2"}
    mixtures = {"qwen2_moe", "qwen3_moe", "gpt_oss", "minimax_m2", "gemma4"}
    assert set(GGUF_CONFIG_MAPPING) - others - mixtures == opened


def llama3_factors(width):
    """Return what Llama 3.1's frequencies are divided by ("The Llama 3 Herd of Models", 2024)."""
    about, factors = LLAMA3, []
    for place in range(0, width, 2):
        length = 2 * math.pi * about["rope_theta"] ** (place / width)
        whole = about["original_max_position_embeddings"]
        smooth = (whole / length - about["low_freq_factor"]) / (
            about["high_freq_factor"] - about["low_freq_factor"]
        )
        smooth = min(1.0, max(0.0, smooth))
        factors.append(1 / ((1 - smooth) / about["factor"] + smooth))
    return np.array(factors, dtype=np.float32)


LINEAR = {"rope_type": "linear", "factor": 4.0, "rope_theta": 500.0}
LONG, SHORT = [1.5, 2.0, 3.0, 5.0, 7.0, 11.0], [1.0, 1.25, 1.5, 2.0, 2.5, 3.0]
YARN_FIELDS = {
    "rope.scaling.type": "yarn",
    "rope.scaling.factor": 4.0,
    "rope.scaling.original_context_length": 16,
}
TURNS = {
    "linear": ("llama", "llama", LINEAR, {"rope.scaling.type": "linear"}),
    "linear, unnamed": ("llama", "llama", LINEAR, {}),
    "linear, by its old key": (
        "llama",
        "llama",
        LINEAR,
        {"rope.scaling.factor": None, "rope.scale_linear": 4.0},
    ),
    "yarn": ("llama", "llama", YARN, YARN_FIELDS),
    "yarn, its own bounds and gain": (
        "qwen2",
        "qwen2",
        YARN | {"beta_fast": 8.0, "beta_slow": 2.0, "attention_factor": 0.7 * 1.1386294361},
        YARN_FIELDS
        | {"rope.scaling.yarn_beta_fast": 8.0, "rope.scaling.yarn_beta_slow": 2.0}
        | {"rope.scaling.yarn_attn_factor": 0.7, "rope.scaling.finetuned": True},
    ),
    "not scaled": ("llama", "llama", {}, {"rope.scaling.type": "none"}),
    "without a base": ("llama", "llama", {"rope_theta": 10000.0}, {"rope.freq_base": None}),
    "local base": (
        "gemma3",
        "gemma3",
        {
            "sliding_attention": {"rope_type": "default", "rope_theta": 300.0},
            "full_attention": LINEAR,
        },
        FAMILIES["gemma3"][1]
        | {"rope.freq_base_swa": 300.0, "rope.scaling.type": "linear", "rope.scaling.factor": 4.0},
    ),
}
"""A kind, its name in the format, how it turns, and the keys that say so."""


@pytest.mark.parametrize("case", TURNS)
def test_rotation_is_scaled_as_a_file_says(tmp_path, case):
    kind, architecture, turn, fields = TURNS[case]
    if "factor" in turn:
        fields = {"rope.scaling.factor": turn["factor"]} | fields
    model = made(kind, {"rope_parameters": turn} if turn else {})
    same(model, gguf_files.convert(model, tmp_path / "it.gguf", architecture, fields))


@pytest.mark.parametrize(
    "kind", ["llama", "qwen2", "qwen3", "falcon", "starcoder2", "stablelm", "nemotron", "phi3"]
)
def test_the_base_of_rotation_and_how_much_turns_are_the_files(tmp_path, kind):
    turn = {"rope_type": "default", "rope_theta": 1e6}
    if kind in ("stablelm", "nemotron", "phi3"):
        turn["partial_rotary_factor"] = 1.0 if kind == "stablelm" else 0.7
    model = made(kind, {"rope_parameters": turn})
    architecture, fields = FAMILIES[kind]
    same(model, gguf_files.convert(model, tmp_path / "it.gguf", architecture, fields))


def test_llama_3s_factors_and_biases_are_read(tmp_path):
    model = made("llama-biased-scaled")
    factors = {"rope_freqs.weight": llama3_factors(10)}
    same(model, gguf_files.convert(model, tmp_path / "it.gguf", "llama", tensors=factors))


def test_factors_of_one_scale_nothing(tmp_path):
    model = made("llama")
    factors = {"rope_freqs.weight": np.ones(5, dtype=np.float32)}
    same(model, gguf_files.convert(model, tmp_path / "it.gguf", "llama", tensors=factors))


@pytest.mark.parametrize("original", [8, 32])
def test_phi_3s_long_and_short_factors_are_read(tmp_path, original):
    turn = {"rope_type": "longrope", "long_factor": LONG, "short_factor": SHORT}
    turn |= {"rope_theta": 10000.0, "attention_factor": 1.19}
    model = made("phi3", {"rope_parameters": turn, "original_max_position_embeddings": original})
    fields = {
        "attention.sliding_window": 5,
        "rope.scaling.type": "longrope",
        "rope.scaling.original_context_length": original,
        "rope.scaling.attn_factor": 1.19,
    }
    tensors = {
        "rope_factors_long.weight": np.array(LONG, dtype=np.float32),
        "rope_factors_short.weight": np.array(SHORT, dtype=np.float32),
    }
    same(model, gguf_files.convert(model, tmp_path / "it.gguf", "phi3", fields, tensors))


def test_a_larger_context_than_gpt_2s_is_read(tmp_path):
    model = made("gpt2", {"n_positions": 1040})
    path = gguf_files.convert(model, tmp_path / "it.gguf", "gpt2")
    assert Engine().answer(LoadModel(str(path))).n_ctx == 1040


def test_an_unembedding_of_its_own_is_read_where_the_family_ties_it(tmp_path):
    model = made("falcon", {"tie_word_embeddings": False})
    path = gguf_files.convert(model, tmp_path / "it.gguf", "falcon")
    same(model, path)
    engine = Engine()
    assert engine.answer(LoadModel(str(path))).parameters == sum(
        weights.numel() for weights in model.parameters()
    )


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("attention.sliding_window", 5),
        ("attention.clamp_kqv", 8.0),
        ("attention.scale", 0.2),
        ("attention.causal", False),
        ("attention.value_length", 12),
        ("attn_logit_softcapping", 3.0),
        ("embedding_scale", 2.0),
        ("logit_scale", 0.5),
        ("residual_scale", 0.4),
        ("expert_count", 4),
        ("rope.dimension_count", 6),
        ("rope.dimension_sections", [2, 3]),
        ("rope.freq_base_swa", 300.0),
        ("rope.scaling.type", "longrope"),
        ("rope.scaling.type", "new"),
        ("rope.scaling.attn_factor", 1.2),
        ("rope.scaling.yarn_log_multiplier", 0.1),
        ("a.key.of.next.year", 1),
    ],
)
def test_a_key_that_cannot_be_followed_is_refused_by_name(tmp_path, key, value):
    path = gguf_files.convert(made("llama"), tmp_path / "it.gguf", "llama", {key: value})
    said = refused(path)
    assert key in said or key == "rope.dimension_count"
    assert "is not opened" in said


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("attention.sliding_window", 0),
        ("attention.sliding_window", N_CTX),
        ("attention.causal", True),
        ("expert_count", 0),
        ("rope.scaling.finetuned", False),
    ],
)
def test_a_key_that_changes_nothing_is_no_obstacle(tmp_path, key, value):
    model = made("llama")
    same(model, gguf_files.convert(model, tmp_path / "it.gguf", "llama", {key: value}))


@pytest.mark.parametrize("name", ["blk.1.attn_q_norm.weight", "blk.0.attn_sinks.weight", "x"])
def test_a_tensor_that_has_no_place_in_the_model_is_refused_by_name(tmp_path, name):
    more = {name: np.ones(10, dtype=np.float32)}
    path = gguf_files.convert(made("llama"), tmp_path / "it.gguf", "llama", tensors=more)
    assert name in refused(path)


@pytest.mark.parametrize("key", ["attention.layer_norm_rms_epsilon", "context_length"])
def test_a_key_that_is_needed_is_missed_by_name(tmp_path, key):
    path = gguf_files.convert(made("llama"), tmp_path / "it.gguf", "llama", {key: None})
    assert f"lacks llama.{key}" in refused(path)


def test_an_adapter_is_no_model(tmp_path):
    path = gguf_files.convert(
        made("llama"), tmp_path / "it.gguf", "llama", about={"general.type": "adapter"}
    )
    assert "general.type is 'adapter'" in refused(path)


def test_a_key_of_nobody_is_said(tmp_path):
    path = gguf_files.convert(
        made("llama"), tmp_path / "it.gguf", "llama", about={"somebody.key": 1}
    )
    facts = Engine().answer(LoadModel(str(path)))
    assert any("somebody.key" in said for said in facts.notices)


CUTS = {
    "gpt-2": ["a", " 12", " b", "'s", "  ", " ab", "!"],
    "smollm": ["a", " ", "1", "2", " b", "'s", "  ", " ab", "!"],
    "starcoder": ["a", " ", "1", "2", " b", "'s", "  ", " ab", "!"],
    "qwen2": ["a", " ", "1", "2", " b", "'s", "  ", " ab", "!"],
    "llama-bpe": ["a", " ", "12", " b", "'s", "  ", " ab", "!"],
    "bloom": ["a", " 12", " b's", "  ", " ab", "!"],
    "falcon": ["a", " 12", " b", "'", "s", "  ", " ab", "!"],
}
"""Pieces of `a 12 b's   ab!` under each name, by the expressions that the format gives for it."""


@pytest.mark.parametrize("name", CUTS)
def test_text_is_cut_as_the_file_names_it(tmp_path, name):
    model = made("llama")
    path = gguf_files.convert(
        model, tmp_path / "it.gguf", "llama", about={"tokenizer.ggml.pre": name}
    )
    engine = Engine()
    assert engine.answer(LoadModel(str(path))).notices == ()
    cutter = engine._model.tokens._tokenizer.pre_tokenizer
    text = "a 12 b's   ab!"
    found = [text[start:end] for _, (start, end) in cutter.pre_tokenize_str(text)]
    assert found == CUTS[name]


def test_digits_are_not_merged_where_the_vocabulary_was_made_without(tmp_path):
    merges = ["1 2"]
    paths = [
        gguf_files.convert(
            made("llama"), tmp_path / f"{name}.gguf", "llama", merges=merges,
            about={"tokenizer.ggml.pre": name},
        )
        for name in ("gpt-2", "smollm")
    ]  # fmt: skip
    found = [Engine().answer(RunPrompt(str(path), "A12")).labels[1:] for path in paths]
    assert found == [("A", "12"), ("A", "1", "2")]


@pytest.mark.parametrize("name", ["a-new-one", None])
def test_a_way_of_cutting_that_is_not_known_is_said(tmp_path, name):
    about = {} if name is None else {"tokenizer.ggml.pre": name}
    path = gguf_files.convert(made("llama"), tmp_path / "it.gguf", "llama", about=about)
    (said,) = Engine().answer(LoadModel(str(path))).notices
    assert (name or "does not say") in said
    assert "GPT-2" in said


def test_a_word_that_is_a_token_is_not_merged_where_the_file_says_so(tmp_path):
    found = []
    for name in ("gpt-2", "llama-bpe"):
        path = gguf_files.convert(
            made("llama"), tmp_path / f"{name}.gguf", "llama", about={"tokenizer.ggml.pre": name}
        )
        found.append(Engine().answer(RunPrompt(str(path), "!#")).labels[1:])
    assert found == [("!", "#"), ("!#",)]


@pytest.mark.parametrize(("word", "reason"), [(True, "puts it before"), (False, "puts none")])
def test_why_bos_is_put_first_is_said(tmp_path, word, reason):
    path = gguf_files.convert(
        made("llama"), tmp_path / "it.gguf", "llama", about={"tokenizer.ggml.add_bos_token": word}
    )
    facts = Engine().answer(LoadModel(str(path)))
    assert facts.prepend_bos
    assert reason in facts.bos_reason
    assert ("habit" in facts.bos_reason) is not word
