"""Attribution against the plain pass in float64: each part, and their sum."""

import numpy as np
import pytest
import torch

from engine.messages import Head, LogitAttribution, Refused, RunPrompt
from tests.oracles import dense_circuits, plain_transformer, prompts, toy_head

NAMES = ("attn-1l", "attn-2l", "random", "random-without-norm", "toy")
REMAINDER = 1e-3  # in logits
TOLERANCE = 1e-4


def _text(name):
    return toy_head.TEXT if name.startswith("toy") else prompts.of(name)[0]


def _parts(stored, ids, position, column):
    """Return the embedding, position, heads [layer, head, source] and biases of a logit."""
    model, off_ones = dense_circuits.folded(stored), dense_circuits.off_ones(stored)
    seen, values = plain_transformer.run(model, ids), plain_transformer.run(stored, ids).values
    final = seen.streams[-1][position]
    scale = (final.square().mean() + model.eps).sqrt() if model.norm else torch.tensor(1.0)
    column = column / scale
    heads = torch.stack(
        [
            torch.stack(
                [
                    seen.patterns[layer][head][position]
                    * (values[layer][head] @ stored.of_head(layer, head, "W_O") @ off_ones @ column)
                    for head in range(model.n_heads)
                ]
            )
            for layer in range(model.n_layers)
        ]
    )
    entering = [model["embed.W_E"][ids[position]] @ column]
    if "pos_embed.W_pos" in model.tensors:
        entering.append(model["pos_embed.W_pos"][position] @ column)
    written = sum(stored[f"blocks.{layer}.attn.b_O"] for layer in range(model.n_layers))
    return torch.stack(entering), heads, written @ off_ones @ column


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("position", [0, 3, -1])
@pytest.mark.parametrize("split", ["heads", "sources"])
@pytest.mark.parametrize("contrast", ["none", "mean", "token"])
def test_every_part_is_that_of_the_plain_pass_and_the_sum_is_the_logit(
    answer, raw, name, position, split, contrast
):
    model, text = raw(name), _text(name)
    ids = model.encode(text)
    target, other = ids[1], ids[2]
    unembed, bias = model["unembed.W_U"], model["unembed.b_U"]
    if model.norm:
        unembed = dense_circuits.unembedding(model)
        bias = bias - bias.mean()
    column, constant = unembed[:, target], bias[target]
    logits = plain_transformer.run(model, ids).logits[position]
    logits = logits - logits.mean() if model.norm else logits
    logit = logits[target]
    if contrast == "mean":
        column, constant = column - unembed.mean(1), constant - bias.mean()
        logit = logit - logits.mean()
    elif contrast == "token":
        column, constant = column - unembed[:, other], constant - bias[other]
        logit = logit - logits[other]
    entering, heads, written = _parts(model, ids, position % len(ids), column)
    found = answer(
        LogitAttribution(
            RunPrompt(name, text),
            position,
            target,
            contrast_token=other if contrast == "token" else None,
            contrast=contrast if contrast == "mean" else "none",
            split=split,
        )
    )
    at = position % len(ids)
    by_head = heads[..., : at + 1] if split == "sources" else heads.sum(-1)
    expected = torch.cat([entering, by_head.flatten(), (written + constant)[None]]).numpy()
    np.testing.assert_allclose(found.values, expected, rtol=0, atol=TOLERANCE)
    assert found.logit == pytest.approx(float(logit), abs=TOLERANCE)
    assert abs(found.remainder) < REMAINDER
    assert found.remainder == pytest.approx(found.logit - found.total)
    assert len(found.labels) == len(found.heads) == len(found.sources) == len(expected)


def test_parts_name_their_head_and_source(answer):
    found = answer(LogitAttribution(RunPrompt("toy", "ans return"), split="sources"))
    assert found.labels == ("embedding", "L0H0 ← 0 ans", "L0H0 ← 1 return", "biases")
    assert found.heads == (None, Head(0, 0), Head(0, 0), None)
    assert found.sources.tolist() == [-1, 0, 1, -1]


@pytest.mark.parametrize("model", ["toy", "toy-sharp"])
def test_the_texts_head_alone_gives_result_its_printed_increment(answer, model):
    found = answer(LogitAttribution(RunPrompt(model, toy_head.TEXT), target="result"))
    printed = {"toy": 1.248, "toy-sharp": 1.96}[model]
    np.testing.assert_allclose(found.values, (0, printed, 0), atol=5e-3)


def test_the_whole_context_leaves_no_remainder(answer, raw):
    text = prompts.text(raw("attn-2l"), prompts.FULL)
    found = answer(LogitAttribution(RunPrompt("attn-2l", text), split="sources"))
    assert abs(found.remainder) < REMAINDER
    assert len(found.values) == 3 + 16 * 256


def test_two_contrasts_at_once_are_refused(answer):
    question = LogitAttribution(RunPrompt("toy", "ans"), contrast_token="ans", contrast="mean")
    with pytest.raises(Refused, match="exclude each other"):
        answer(question)
