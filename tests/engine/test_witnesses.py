"""Two witnesses of a model's attention: what sdpa, its default, computes, and what softmax takes.

Both are caught inside transformers' own pass, so that neither is what the engine reads patterns
from (eager attention's, handed out).
"""

import numpy as np
import pytest
import torch
from torch.overrides import TorchFunctionMode

from engine import Engine
from engine.messages import (
    Attention,
    Head,
    LoadModel,
    QKOffsets,
    QKTokens,
    Receipts,
    Refused,
    RunPrompt,
    Workings,
)
from engine.network.rotation import Rotation
from tests.oracles import hugging_face
from tests.oracles.hugging_face import (
    D_MLP,
    D_MODEL,
    D_VOCAB,
    GPT,
    IDS,
    KINDS,
    LAYERS,
    LLAMA,
    N_CTX,
    SIZES,
    TEXT,
    WORDS,
    own,
)

SINGLE = 1e-5
"""Patterns: rounding in single precision."""

FALCON = SIZES | {"num_hidden_layers": LAYERS, "num_attention_heads": 4, "ffn_hidden_size": D_MLP}
FALCON |= {"max_position_embeddings": N_CTX, "alibi": True}
MPT = {"vocab_size": D_VOCAB, "d_model": D_MODEL, "n_layers": LAYERS, "n_heads": 4}
MPT |= {"max_seq_len": N_CTX, "expansion_ratio": 2}
INVERSE = {"scale_attn_by_inverse_layer_idx": True}
ROOT = 12**0.5
DISTANT = {
    "falcon-rw": (
        "Falcon",
        FALCON | {"multi_query": False, "parallel_attn": False, "bias": True},
    ),
    "falcon-alibi": ("Falcon", FALCON | {"multi_query": True, "bias": False}),
    "falcon-alibi-12": ("Falcon", FALCON | {"num_attention_heads": 12, "multi_query": False}),
}
DIVIDED = {
    "gpt2-inverse": ("GPT2", GPT | INVERSE, (ROOT, 2 * ROOT, 3 * ROOT)),
    "gpt2-upcast": (
        "GPT2",
        GPT | INVERSE | {"reorder_and_upcast_attn": True},
        (ROOT, 2 * ROOT, 3 * ROOT),
    ),
    "gpt2-unscaled": ("GPT2", GPT | {"scale_attn_weights": False}, (1, 1, 1)),
    "gpt2-both": ("GPT2", GPT | INVERSE | {"scale_attn_weights": False}, (1, 2, 3)),
    "bigcode-unscaled": ("GPTBigCode", GPT | {"scale_attn_weights": False}, (1, 1, 1)),
    "mpt-scaled": ("Mpt", MPT | {"attn_config": {"softmax_scale": 0.3}}, (1 / 0.3,) * 3),
    "granite": (*KINDS["granite"], (5, 5, 5)),
    "gemma2": (*KINDS["gemma2"], (17**0.5,) * 3),
    "neo": (*KINDS["neo"], (1, 1, 1)),
}
LONGROPE = {
    "rope_type": "longrope",
    "rope_theta": 10000.0,
    "short_factor": [1.0, 1.1, 1.2, 1.3, 1.4, 1.5],
    "long_factor": [2.0, 3.0, 4.0, 5.0, 6.0, 7.0],
    "original_max_position_embeddings": 20,
}
LENGTHENED = {
    "phi3-long": (
        "Phi3",
        LLAMA
        | {"pad_token_id": 0, "original_max_position_embeddings": 20}
        | {"rope_parameters": LONGROPE},
    ),
}
MORE = DISTANT | LENGTHENED | {kind: made[:2] for kind, made in DIVIDED.items()}


class Caught(TorchFunctionMode):
    """Keeps what every sdpa would give weight to, and what every softmax over keys is given."""

    def __init__(self):
        super().__init__()
        self.patterns, self.scores = [], []

    def __torch_function__(self, operation, types, given=(), named=None):
        named = named or {}
        if operation is torch.nn.functional.scaled_dot_product_attention:
            self.patterns.append(self.weights(*given[:2], **named))
        if getattr(operation, "__name__", "") == "softmax" and given[0].ndim == 4:
            self.scores.append(given[0][0].double())
        return operation(*given, **named)

    def weights(self, query, key, attn_mask=None, is_causal=False, scale=None, **others):
        query, key = query[0].double(), key[0].double()
        key = key.repeat_interleave(len(query) // len(key), 0)
        scores = query @ key.mT * (query.shape[-1] ** -0.5 if scale is None else scale)
        if is_causal:
            future = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
            scores = scores.masked_fill(future, -torch.inf)
        if attn_mask is not None and attn_mask.dtype == torch.bool:
            scores = scores.masked_fill(~attn_mask[0], -torch.inf)
        elif attn_mask is not None:
            scores = scores + attn_mask[0].double()
        return scores.softmax(-1)


def caught(model, attention, ids=IDS):
    model.config._attn_implementation = attention
    with torch.inference_mode(), Caught() as seen:
        model(torch.tensor([ids]), use_cache=False)
    return seen


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    made, engine = {}, Engine()

    def of(kind):
        if kind not in made:
            folder = tmp_path_factory.mktemp("models") / kind
            with pytest.MonkeyPatch.context() as patch:
                patch.setitem(KINDS, kind, (KINDS | MORE)[kind])
                made[kind] = (hugging_face.write(kind, folder), engine, str(folder))
        return made[kind]

    return of


@pytest.mark.parametrize("kind", [*KINDS, *DISTANT])
def test_patterns_are_those_of_sdpa_where_transformers_has_it(opened, kind):
    model, engine, name = opened(kind)
    run = RunPrompt(name, TEXT, prepend_bos=True)
    found = [engine.answer(Attention(run, layer)).values for layer in range(LAYERS)]
    patterns = caught(model, "sdpa").patterns if model._supports_sdpa else own(model, IDS)[0]
    assert len(patterns) == LAYERS
    for one, meant in zip(found, patterns, strict=True):
        assert np.abs(one - meant.numpy()).max() < SINGLE


@pytest.mark.parametrize("kind", DISTANT)
def test_scores_of_falcon_with_alibi_give_the_pattern_of_sdpa(opened, kind):
    model, engine, name = opened(kind)
    run = RunPrompt(name, TEXT, prepend_bos=True)
    for layer, meant in enumerate(caught(model, "sdpa").patterns):
        scores = torch.tensor(engine.answer(Attention(run, layer, "scores")).values.copy())
        assert (scores.nan_to_num(-torch.inf).softmax(-1) - meant).abs().max() < 3 * SINGLE
    receipts = engine.answer(Receipts(run, Head(1, 2))).receipts
    assert [it.name for it in receipts if it.passed is False] == []


def test_distances_that_are_rounded_are_no_slope(opened):
    # Twelve heads have slopes of 2^-0.5 and the like, which Falcon rounds to 8 bits.
    _, engine, name = opened("falcon-alibi-12")
    with pytest.raises(Refused, match="not a slope"):
        engine.answer(QKTokens(name, Head(0, 4), "w9", offset=3))
    _, engine, name = opened("falcon-rw")
    assert engine.answer(QKTokens(name, Head(0, 1), "w9", offset=3)).slope == pytest.approx(
        1 / 16 / ROOT
    )


def test_a_model_whose_two_ways_of_attention_differ_is_refused(tmp_path, monkeypatch):
    hugging_face.write("llama", tmp_path / "it")
    honest = torch.nn.functional.scaled_dot_product_attention

    def other(query, key, value, **named):
        return honest(1.1 * query, key, value, **named)

    monkeypatch.setattr(torch.nn.functional, "scaled_dot_product_attention", other)
    with pytest.raises(Refused, match="eager and sdpa"):
        Engine().answer(LoadModel(str(tmp_path / "it")))


@pytest.mark.parametrize("kind", DIVIDED)
def test_every_layer_says_the_divisor_that_its_scores_have(opened, kind):
    model, engine, name = opened(kind)
    run, divisors = RunPrompt(name, TEXT, prepend_bos=True), DIVIDED[kind][2]
    scores = caught(model, "eager").scores
    for layer, divisor in enumerate(divisors):
        found = engine.answer(Attention(run, layer, "scores"))
        assert found.divisor == pytest.approx(divisor)
        meant = scores[layer] - scores[layer].diagonal(0, -2, -1)[..., None]
        own = found.values - np.diagonal(found.values, 0, -2, -1)[..., None]
        assert np.abs(own - meant.numpy())[..., found.mask].max() < 3 * SINGLE * abs(own).max(
            where=found.mask, initial=1
        )
        assert engine.answer(QKTokens(name, Head(layer, 1), "w9")).divisor == pytest.approx(divisor)
        worked = engine.answer(Workings(run, Head(layer, 1)))
        step = {step.symbol: step.values for step in worked.steps}
        assert worked.divisor == pytest.approx(divisor)
        if kind not in ("mpt-scaled", "gemma2", "granite"):
            qk = step["Q"] @ step["K"].T
            assert np.abs(step["S"] - qk)[found.mask].max() < 3 * SINGLE * np.abs(qk).max()
    facts = engine.answer(LoadModel(name))
    same = len(set(divisors)) == 1
    assert facts.divisor == (pytest.approx(divisors[0]) if same else None)


@pytest.mark.parametrize("kind", DIVIDED)
def test_no_receipt_fails_by_that_divisor(opened, kind):
    _, engine, name = opened(kind)
    divisors = DIVIDED[kind][2]
    for layer in {divisors.index(divisor) for divisor in divisors}:
        receipts = engine.answer(Receipts(RunPrompt(name, TEXT), Head(layer, 2))).receipts
        assert [it.name for it in receipts if it.passed is False] == []
        stream = next(it for it in receipts if "folded weights and the stream" in it.name)
        assert stream.passed


LONG_IDS = [1, *range(2, 45)]


@pytest.mark.parametrize("count", [44, 30, 20, 12])
@pytest.mark.parametrize("kind", LENGTHENED)
def test_qk_at_a_position_is_the_score_of_a_run_of_that_length(opened, kind, count):
    model, engine, name = opened(kind)
    ids = LONG_IDS[:count]
    run = RunPrompt(name, " ".join(WORDS[i] for i in ids[1:]), prepend_bos=True)
    scores = caught(model, "eager", ids).scores[0][1]
    for offset in (2, 5, count - 1):
        asked = QKTokens(
            name, Head(0, 1), None, "query", "position", D_VOCAB, run, count - 1, offset, True
        )
        found = engine.answer(asked)
        value = found.values[found.ids.tolist().index(ids[count - 1 - offset])]
        assert value == pytest.approx(float(scores[-1, count - 1 - offset]), abs=1e-4)
        assert found.length == count
    receipts = engine.answer(Receipts(run, Head(1, 2))).receipts
    assert [it.name for it in receipts if it.passed is False] == []
    assert next(it for it in receipts if it.name.startswith("QK at a distance")).passed


@pytest.mark.parametrize("kind", LENGTHENED)
def test_what_a_prompt_gives_does_not_depend_on_longer_ones_before_it(opened, kind):
    model, engine, name = opened(kind)
    for count in (60, 30, 12, 44):
        ids = LONG_IDS[:30] * 2 if count == 60 else LONG_IDS[:count]
        run = RunPrompt(name, " ".join(WORDS[i] for i in ids[1:]), prepend_bos=True)
        model.model.rotary_emb = type(model.model.rotary_emb)(model.config)
        meant = caught(model, "eager", ids).scores[1].softmax(-1).numpy()
        found = engine.answer(Attention(run, 1)).values
        assert np.abs(found - meant).max() < 3 * SINGLE


@pytest.mark.parametrize("kind", LENGTHENED)
def test_scores_by_weights_say_for_which_prompts_they_are(opened, kind):
    _, engine, name = opened(kind)
    limit = engine.answer(QKTokens(name, Head(0, 1), "w9", offset=5)).length
    assert limit == 20
    assert engine.answer(QKTokens(name, Head(0, 1), "w9", offset=40)).length == 41
    curve = engine.answer(QKOffsets(name, Head(0, 1), "w9", "w8", largest_offset=40))
    assert curve.length == 41
    one = engine.answer(QKTokens(name, Head(0, 1), "w9", k=D_VOCAB, offset=40))
    assert curve.scores[40] == pytest.approx(float(one.values[one.ids.tolist().index(8)]), abs=1e-4)
    said = " ".join(engine.answer(LoadModel(name)).folded)
    assert f"more than {limit} tokens" in said


def test_a_model_that_turns_all_prompts_alike_says_no_length(opened):
    _, engine, name = opened("llama-yarn")
    assert engine.answer(QKTokens(name, Head(0, 1), "w9", offset=40)).length is None


def test_a_check_sees_weights_that_turn_as_in_a_short_prompt(opened, monkeypatch):
    _, engine, name = opened("phi3-long")
    run = RunPrompt(name, " ".join(WORDS[2:45]), prepend_bos=True)
    honest = Rotation.apart
    monkeypatch.setattr(Rotation, "apart", lambda self, it, at, n=None: honest(self, it, at, 20))
    receipts = engine.answer(Receipts(run, Head(1, 1))).receipts
    assert [it.name[:16] for it in receipts if it.passed is False] == ["QK at a distance"]


def test_queries_that_are_scaled_by_their_position_follow_from_no_weights(tmp_path, monkeypatch):
    rotation = hugging_face.ROPE | {"rope_type": "yarn", "factor": 2.0}
    rotation |= {"original_max_position_embeddings": 20, "llama_4_scaling_beta": 0.1}
    ministral = ("Ministral3", hugging_face.LLAMA | {"rope_parameters": rotation})
    monkeypatch.setitem(hugging_face.KINDS, "ministral", ministral)
    hugging_face.write("ministral", tmp_path / "it")
    engine = Engine()
    assert engine.answer(LoadModel(str(tmp_path / "it"))).positions == "rotary"
    with pytest.raises(Refused, match="it scales queries by their position"):
        engine.answer(QKTokens(str(tmp_path / "it"), Head(0, 0), "w9"))
