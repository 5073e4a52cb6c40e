"""The steps of the workings that say where the head looks."""

from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor

from engine.circuits.workings.maker import WIDEST, AxisName, Maker
from engine.folding import HeadWeights
from engine.forward.forward_pass import ForwardPass
from engine.job import Job
from engine.messages import Head, Step
from engine.model import Model


def where(
    model: Model, maker: Maker, passed: ForwardPass, head: Head, weights: HeadWeights, job: Job
) -> list[Step]:
    """Return the steps from X to the pattern: queries, keys, their circuit and the scores.

    Parameters
    ----------
    model : Model
        The open model.
    maker : Maker
        Labels the steps.
    passed : ForwardPass
        The prompt's run.
    head : Head
        The head.
    weights : HeadWeights
        Its folded weights.
    job : Job
        Steps between layers where the model must be run again for its scores.
    """
    layer, number = head
    operands: tuple[str, ...]
    kv = model.kv_head(number)
    queries, keys = passed.queries[layer][number], passed.keys[layer][kv]
    if model.has_one_qk:
        scores, does, made = queries @ keys.mT, "multiply number by number and add", "S = Q Kᵀ"
        einsum, operands = ("qh, sh -> qs", "qh, sh -> qs"), ("Q", "K")
        divided = (scores / model.divisor(layer)).masked_fill(
            model.attention_mask(layer, len(passed.ids)), torch.nan
        )
    else:
        divided = model.scores(passed, layer, job)[number]
        scores = model.divisor(layer) * divided
        does, made = "once the model has put in where they stand", "S = f(Q, K, positions)"
        if model.score_cap is not None:
            does = f"{does}, and capped them at {model.score_cap:g} (after the division)"
        einsum, operands = ("", ""), ()
    steps = [
        *_projected(model, maker, "Q", weights.W_Q, weights.b_Q, queries),
        *_projected(model, maker, "K", weights.W_K, weights.b_K, keys),
    ]
    if model.d_model <= WIDEST:
        steps.append(
            maker.step(
                "W_QK", "where", ("d_model", "d_model"), weights.W_Q @ weights.W_K.mT,
                "The QK circuit: how much a slot of the query's stream (down) wants to meet a slot "
                "of the source's (across).",
                formula="W_QK = W_Q W_Kᵀ", paper="W_QK = W_Qᵀ W_K, the same matrix",
                einsum=("ih, jh -> ij", "hi, hj -> ij"), operands=("W_Q", "W_K"),
            )
        )  # fmt: skip
    shown, hidden = f"{model.divisor(layer):.4g}", model.attention_mask(layer, len(passed.ids))
    beyond = " and beyond the window" if (hidden & ~passed.future).any() else ""
    return [
        *steps,
        maker.step(
            "S", "where", ("query", "source"), scores,
            f"How well each query matches each key: {does}.",
            formula=made, paper=made, einsum=einsum, operands=operands,
        ),
        maker.step(
            "S/√d", "where", ("query", "source"), divided,
            f"The scores divided by {shown}, without those of the future{beyond}.",
            formula=f"S / {shown}, masked", paper=f"S / {shown}, masked",
        ),
        maker.step(
            "A", "where", ("query", "source"), passed.patterns[layer][number],
            "The pattern: each row of scores as shares that sum to 1.",
            formula="A = softmax(S/√d)", paper="A = softmax(S/√d)",
        ),
    ]  # fmt: skip


def _projected(
    model: Model,
    maker: Maker,
    letter: Literal["Q", "K"],
    matrix: Float[Tensor, "d_model d_head"],
    bias: Float[Tensor, " d_head"],
    made: Float[Tensor, "position d_head"],
) -> list[Step]:
    """Return the steps from X to the queries or the keys."""
    query = letter == "Q"
    one, at = ("query", "q") if query else ("key", "s")
    axis: AxisName = "query" if query else "source"
    does = "is looking for" if query else "advertises about itself"
    steps = [
        maker.step(
            f"W_{letter}", "where", ("d_model", "d_head"), matrix,
            f"Turns a stream of {model.d_model} numbers into a {one} of {model.d_head}.",
            formula=f"W_{letter}",
            paper=f"W_{letter}ᵀ, their W_{letter} being {model.d_head} × {model.d_model}",
        )
    ]  # fmt: skip
    plus = ""
    if bias.any():
        plus = f" + b_{letter}"
        steps.append(
            maker.step(
                f"b_{letter}", "where", ("bias", "d_head"), bias[None], f"Added to every {one}.",
                formula=f"b_{letter}", paper=f"b_{letter}",
            )
        )  # fmt: skip
    return [
        *steps,
        maker.step(
            letter, "where", (axis, "d_head"), made, f"What each position {does}.",
            formula=f"{letter} = X W_{letter}{plus}", paper=f"{letter} = X W_{letter}ᵀ{plus}",
            einsum=(f"{at}i, ih -> {at}h", f"{at}i, hi -> {at}h"), operands=("X", f"W_{letter}"),
        ),
    ]  # fmt: skip
