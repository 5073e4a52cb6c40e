"""Where the heads of a layer look on a prompt."""

import torch
from jaxtyping import Float
from torch import Tensor

from engine.circuits.head_output import moved
from engine.forward.forward_pass import ForwardPass
from engine.job import Job
from engine.messages import Attention, Head, Patterns
from engine.model import Model


def attention(model: Model, request: Attention, job: Job) -> Patterns:
    """Return the patterns, scores or value-weighted patterns of a layer.

    The pattern is the one that the model itself used. Scores are q . k with biases over the model's
    divisor, as they enter the softmax: turned, capped, less slope times distance, where the model
    does that. Value-weighted is A[q, k] ||(x_k W_V + b_V) W_O||, x_k what the head reads at the
    key, over what a norm after the heads divides by at the query; 0 for a head that is off.

    Parameters
    ----------
    model : Model
        The open model.
    request : Attention
        The question.
    job : Job
        Steps between layers and heads.

    Raises
    ------
    Refused
        If the layer does not exist, or the prompt cannot be run.
    """
    layer = model.check_layer(request.layer)
    passed = model.run(request.run, job)
    pattern = passed.patterns[layer]
    if request.kind == "pattern":
        values = pattern
    elif request.kind == "scores":
        values = model.scores(passed, layer, job)
    else:
        values = pattern * _moved_norms(model, passed, layer, job)[:, None, :]
        values = values / passed.output_scale(layer)[:, None]
    return Patterns(
        labels=model.tokens.labelled(passed.ids),
        values=values.numpy(),
        mask=(~model.attention_mask(layer, len(passed.ids))).numpy(),
        divisor=model.divisor(layer),
        cap=model.score_cap,
    )


def _moved_norms(
    model: Model, passed: ForwardPass, layer: int, job: Job
) -> Float[Tensor, "head key"]:
    norms = []
    for number in range(model.n_heads):
        job.step(number, model.n_heads, f"weighing head {layer}.{number}")
        norms.append(moved(model, passed, Head(layer, number)).norm(dim=-1))
    return torch.stack(norms)
