"""Where heads look on a prompt."""

from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from engine.circuits.head_scores import begins, random_measures
from engine.circuits.prompt import position
from engine.forward.forward_pass import ForwardPass, pool
from engine.job import Job
from engine.messages import (
    Attention,
    BoolArray,
    DestinationRow,
    Head,
    HeadRows,
    HeadScores,
    Patterns,
    Refused,
    ThumbnailPatterns,
    Thumbnails,
)
from engine.model import Model


def attention(model: Model, request: Attention, job: Job) -> Patterns:
    """Return the patterns, scores or value-weighted patterns of a layer.

    The pattern is the one that the model itself used. Scores are q . k with biases over the model's
    divisor, as they enter the softmax: turned, capped, less slope times distance, where the model
    does that. Value-weighted is A[q, k] ||(x_k W_V + b_V) W_O||, x_k what the head reads at the
    key, over what a norm after the heads divides by at the query; 0 for a head that is off.
    """
    layer = model.check_layer(request.layer)
    forward_pass = model.run(request.run, job)
    pattern = forward_pass.patterns[layer]
    if request.kind == "pattern":
        values = pattern
    elif request.kind == "scores":
        values = model.scores(forward_pass, layer, job)
    else:
        values = pattern * _value_output_norms(model, forward_pass, layer, job)[:, None, :]
        values = values / forward_pass.output_scale(layer)[:, None]
    return Patterns(
        labels=model.tokens.labelled(forward_pass.ids),
        values=values.numpy(),
        mask=(~model.attention_mask(layer, len(forward_pass.ids))).numpy(),
        divisor=model.divisor(layer),
        cap=model.score_cap,
    )


def value_output(
    model: Model, forward_pass: ForwardPass, head: Head
) -> Float[Tensor, "source d_model"]:
    """Return (X W_V + b_V) W_O: what a head hands on from a position when it attends to it with 1.

    Rows of a pattern sum to 1, so that the pattern times this is all that the head adds, and what
    is gone when it is off. A head that is off hands on nothing. Where a norm follows the heads,
    what reaches the stream is this over the norm's scale at the query, `forward_pass.output_scale`.
    """
    if head in forward_pass.heads_off:
        return torch.zeros_like(forward_pass.streams[head.layer])
    weights = model.head(head)
    return weights.values(model.read(forward_pass.streams[head.layer])) @ weights.W_O


def _value_output_norms(
    model: Model, forward_pass: ForwardPass, layer: int, job: Job
) -> Float[Tensor, "head key"]:
    norms = []
    for number in range(model.n_heads):
        job.step(number, model.n_heads, f"weighing head {layer}.{number}")
        norms.append(value_output(model, forward_pass, Head(layer, number)).norm(dim=-1))
    return torch.stack(norms)


def thumbnails(model: Model, request: Thumbnails, job: Job) -> ThumbnailPatterns:
    """Return the max-pooled patterns of every head; a cell is masked if all that it pools is."""
    if request.size < 1:
        raise Refused(f"size, the rows of a thumbnail, must be at least 1, not {request.size}")
    forward_pass = model.run(request.run, job)
    length = len(forward_pass.ids)
    if forward_pass.thumbnails is not None and request.size == Thumbnails.size:
        values = forward_pass.thumbnails
    else:
        values = _pooled(model, forward_pass, request.size, job)
    mask = _mask(model, length, request.size, job)
    return ThumbnailPatterns(
        labels=model.tokens.labelled(forward_pass.ids),
        values=np.where(mask[:, np.newaxis], values, np.float32(np.nan)),
        mask=mask,
        block=-(-length // request.size),
    )


def _mask(model: Model, length: int, size: int, job: Job) -> Bool[np.ndarray, "layer row column"]:
    made: dict[Any, BoolArray] = {}  # of the many layers few have windows of their own
    for layer in range(model.n_layers):
        reach = model.window_and_chunk(layer)
        if reach not in made:
            job.step(layer, model.n_layers, f"masking layer {layer}")
            made[reach] = pool(~model.attention_mask(layer, length).numpy(), size)
    return np.stack([made[model.window_and_chunk(layer)] for layer in range(model.n_layers)])


def _pooled(
    model: Model, forward_pass: ForwardPass, size: int, job: Job
) -> Float[np.ndarray, "layer head row column"]:
    pooled = []
    for layer, pattern in enumerate(forward_pass.patterns):
        job.step(layer, model.n_layers, f"shrinking layer {layer}")
        pooled.append(pool(pattern.numpy(), size))
    return np.stack(pooled)


def destination_row(model: Model, request: DestinationRow, job: Job) -> HeadRows:
    """Return one row of the pattern of every head, as the model itself used it.

    What lies beyond a layer's window is not a number: a head cannot look there.

    Beside each stand its scores on seeded repeated random tokens, those of HeadScores as it is
    asked by default with the same heads off ("In-context Learning and Induction Heads", Olsson et
    al., 2022).
    """
    forward_pass = model.run(request.run, job)
    at = position(request.position, len(forward_pass.ids))
    rows = []
    for layer, pattern in enumerate(forward_pass.patterns):
        job.step(layer, model.n_layers, f"reading layer {layer}")
        hidden = model.attention_mask(layer, at + 1, last=1)[0]
        rows.append(pattern[:, at, : at + 1].masked_fill(hidden, torch.nan))
    asked = HeadScores(model.name, heads_off=request.run.heads_off)
    _, scores = random_measures(model, asked, job)
    return HeadRows(
        heads=model.heads,
        values=torch.cat(rows).numpy(),
        source_labels=model.tokens.labelled(forward_pass.ids[: at + 1]),
        position=at,
        induction=scores["induction"],
        previous_token=scores["previous_token"],
        begins=begins(model),
    )
