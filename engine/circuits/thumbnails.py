"""The patterns of all heads at once."""

from typing import Any

import numpy as np
from jaxtyping import Bool, Float

from engine.forward.forward_pass import ForwardPass, pool
from engine.job import Job
from engine.messages import BoolArray, Refused, ThumbnailPatterns, Thumbnails
from engine.model import Model


def thumbnails(model: Model, request: Thumbnails, job: Job) -> ThumbnailPatterns:
    """Return the max-pooled patterns of every head; a cell is masked if all that it pools is.

    Parameters
    ----------
    model : Model
        The open model.
    request : Thumbnails
        The question.
    job : Job
        Steps between layers.

    Raises
    ------
    Refused
        If the size is less than 1, or the prompt cannot be run.
    """
    if request.size < 1:
        raise Refused(f"size, the rows of a thumbnail, must be at least 1, not {request.size}")
    passed = model.run(request.run, job)
    length = len(passed.ids)
    if passed.thumbnails is not None and request.size == Thumbnails.size:
        values = passed.thumbnails
    else:
        values = _pooled(model, passed, request.size, job)
    mask = _mask(model, length, request.size, job)
    return ThumbnailPatterns(
        labels=model.tokens.labelled(passed.ids),
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
    model: Model, passed: ForwardPass, size: int, job: Job
) -> Float[np.ndarray, "layer head row column"]:
    pooled = []
    for layer, pattern in enumerate(passed.patterns):
        job.step(layer, model.n_layers, f"shrinking layer {layer}")
        pooled.append(pool(pattern.numpy(), size))
    return np.stack(pooled)
