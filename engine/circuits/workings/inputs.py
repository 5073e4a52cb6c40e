"""The first steps of the workings: from one-hot tokens to what the head reads."""

import torch
from jaxtyping import Float
from torch import Tensor

from engine.circuits.workings.maker import Maker
from engine.forward.forward_pass import ForwardPass
from engine.messages import SMALL_VOCABULARY, Step
from engine.model import Model


def inputs(
    model: Model,
    maker: Maker,
    passed: ForwardPass,
    layer: int,
    read: Float[Tensor, "position d_model"],
) -> list[Step]:
    """Return T, W_E, what else enters the stream, and X: what the head reads.

    Parameters
    ----------
    layer : int
        The head's layer.
    read : Tensor
        What the head reads [position, d_model].
    """
    whole = model.d_vocab <= SMALL_VOCABULARY
    shown = list(range(model.d_vocab)) if whole else sorted(set(passed.ids))
    tokens = model.tokens.labelled(shown)
    normed_rows = ", after the norm that follows it" if model.normalises_embeddings else ""
    few = "" if whole else f" ({len(shown)} of {model.d_vocab:,} are shown: the prompt's)"
    one_hot = torch.zeros(len(passed.ids), len(shown))
    one_hot[range(len(passed.ids)), [shown.index(token) for token in passed.ids]] = 1
    embedded, positions = model.vocabulary.embedded(passed.ids), model.positions(len(passed.ids))
    steps = [
        maker.step(
            "T", "input", ("position", "token"), one_hot,
            f"One row a position, with a 1 at its token and 0 at every other{few}.",
            formula="T", paper="T, or its transpose, one column a position", tokens=tokens,
        ),
        maker.step(
            "W_E", "input", ("token", "d_model"), model.vocabulary.embedded(tuple(shown)),
            f"The lookup table: one row of {model.d_model} numbers a token{normed_rows}{few}.",
            formula="W_E", paper="W_Eᵀ, their W_E having one column a token", tokens=tokens,
        ),
    ]  # fmt: skip
    added = paper = ""
    if model.learned_positions:
        added, paper = " + W_pos", " + W_posᵀ"
        steps.append(
            maker.step(
                "W_pos", "input", ("position", "d_model"), positions,
                "What each position adds to the stream, whatever its token.",
                formula="W_pos", paper="W_posᵀ, their W_pos having one column a position",
            )
        )  # fmt: skip
    if layer:
        added, paper = f"{added} + L", f"{paper} + L"
        steps.append(
            maker.step(
                "L", "input", ("position", "d_model"), passed.streams[layer] - embedded - positions,
                f"What the layers before layer {layer} wrote into the stream.",
                formula="L", paper="L",
            )
        )  # fmt: skip
    normed = model.normalized
    says = (
        "What the head reads: each position's stream, centred and divided by its own size."
        if model.centring
        else "What the head reads: each position's stream, divided by its own size."
        if normed
        else "What the head reads: the rows of the lookup table, pulled out one a position."
        if not (layer or model.learned_positions)
        else "What the head reads: the stream of each position."
    )
    wrap = "norm({})" if normed else "{}"
    return [
        *steps,
        maker.step(
            "X", "input", ("position", "d_model"), read, says,
            formula=f"X = {wrap.format(f'T W_E{added}')}",
            paper=f"X = {wrap.format(f'T W_Eᵀ{paper}')}",
            einsum=("pv, vd -> pd", "pv, dv -> pd"), operands=("T", "W_E"),
        ),
    ]  # fmt: skip
