"""The steps of the workings that say what the head moves and what it does to the logits."""

import torch
from jaxtyping import Float
from torch import Tensor

from engine.circuits.ranking import ends
from engine.circuits.workings.maker import WIDEST, Maker
from engine.folding import HeadWeights
from engine.forward.forward_pass import ForwardPass
from engine.job import Job
from engine.messages import SMALL_VOCABULARY, Head, Step
from engine.model import Model

MOST = 10
"""Tokens listed at each end of a large vocabulary's logits."""


def what(
    model: Model,
    maker: Maker,
    passed: ForwardPass,
    head: Head,
    weights: HeadWeights,
    read: Float[Tensor, "position d_model"],
) -> list[Step]:
    """Return the steps from the pattern to what the head writes: values, r, h, their circuit.

    Parameters
    ----------
    read : Tensor
        What it reads [position, d_model].
    """
    off, pattern = head in passed.heads_off, passed.patterns[head.layer][head.number]
    adds = "What the head adds to the stream of each position."
    over, einsum = "", ("qh, ho -> qo", "qh, oh -> qo")
    if model.normalises_outputs:
        adds = f"{adds[:-1]}: n is what the norm after the heads divides by there, on this prompt."
        over, einsum = " / n", ("", "")
    value, biased = weights.values(read), bool(weights.b_V.any())
    plus = " + b_V" if biased else ""
    result = 0 * value if off else pattern @ value
    got = "What each position gets: the average of the values, weighted by its row of A."
    steps = [
        maker.step(
            "W_V", "what", ("d_model", "d_head"), weights.W_V,
            f"Turns a stream of {model.d_model} numbers into a value of {model.d_head}.",
            formula="W_V", paper=f"W_Vᵀ, their W_V being {model.d_head} × {model.d_model}",
        ),
        *(
            [
                maker.step(
                    "b_V", "what", ("bias", "d_head"), weights.b_V[None], "Added to every value.",
                    formula="b_V", paper="b_V",
                )
            ]
            if biased
            else []
        ),
        maker.step(
            "V", "what", ("source", "d_head"), value,
            "What each position hands over once it has been chosen.",
            formula=f"V = X W_V{plus}", paper=f"V = X W_Vᵀ{plus}",
            einsum=("si, ih -> sh", "si, hi -> sh"), operands=("X", "W_V"),
        ),
        maker.step(
            "r", "what", ("query", "d_head"), result,
            "What each position gets: nothing, since the head is off." if off else got,
            formula="r = 0" if off else "r = A V", paper="r = 0" if off else "r = A V",
            einsum=("", "") if off else ("qs, sh -> qh", "qs, sh -> qh"),
            operands=() if off else ("A", "V"),
        ),
        maker.step(
            "W_O", "what", ("d_head", "d_model"), weights.W_O,
            f"Turns {model.d_head} numbers back into a stream of {model.d_model}: where it is "
            "written.",
            formula="W_O", paper=f"W_Oᵀ, their W_O being {model.d_model} × {model.d_head}",
        ),
        maker.step(
            "h", "what", ("query", "d_model"),
            result @ weights.W_O / passed.output_scale(head.layer)[:, None], adds,
            formula=f"h = r W_O{over}", paper=f"h = r W_Oᵀ{over}",
            einsum=einsum, operands=() if over else ("r", "W_O"),
        ),
    ]  # fmt: skip
    if model.d_model <= WIDEST:
        steps.append(
            maker.step(
                "W_OV", "what", ("d_model", "d_model"), weights.W_V @ weights.W_O,
                "The OV circuit: what a slot that is read (down) puts into each slot that is "
                "written (across).",
                formula="W_OV = W_V W_O", paper="W_OVᵀ, their W_OV being W_O W_V",
                einsum=("ih, ho -> io", "hi, oh -> io"), operands=("W_V", "W_O"),
            )
        )  # fmt: skip
    return steps


def prediction(
    model: Model,
    maker: Maker,
    passed: ForwardPass,
    output: Float[Tensor, "position d_model"],
    job: Job,
) -> list[Step]:
    """Return W_U and what the head changes of the logits.

    Parameters
    ----------
    output : Tensor
        What the head writes [position, d_model].
    """
    if model.d_vocab <= SMALL_VOCABULARY:
        shown, few = list(range(model.d_vocab)), ""
    else:
        at_query = model.vocabulary.logits(output[maker.query][:, None], job)[:, 0]
        best = ends(model, at_query, MOST)
        found = {*passed.ids, *best.ids.tolist(), *best.bottom_ids.tolist()}
        shown = sorted(found, key=lambda token: (-float(at_query[token]), token))
        few = (
            f" ({len(shown)} of {model.d_vocab:,} tokens are shown: the prompt's, and the {MOST} "
            f"most raised and most lowered at the query)"
        )
    tokens = model.tokens.labelled(shown)
    table = torch.stack(
        [model.vocabulary.unembedding(token) for token in shown], 1
    )  # [d_model, token]
    less = ", less the mean of all tokens" if model.normalized else ""
    return [
        maker.step(
            "W_U", "prediction", ("d_model", "token"), table,
            f"How much each slot of the stream raises each token's logit{less}{few}.",
            formula="W_U", paper="W_Uᵀ, their W_U having one row a token", tokens=tokens,
        ),
        maker.step(
            "ΔL", "prediction", ("query", "token"), output @ table,
            f"How much the head changes each token's logit{_unscaled(model)}{few}.",
            formula="ΔL = h W_U", paper="ΔL = h W_Uᵀ",
            einsum=("qo, ov -> qv", "qo, vo -> qv"), operands=("h", "W_U"), tokens=tokens,
        ),
    ]  # fmt: skip


def _unscaled(model: Model) -> str:
    return ", before the final norm divides by its scale" if model.normalized else ""
