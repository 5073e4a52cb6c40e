"""The patterns of all heads at once."""

import numpy as np
from jaxtyping import Float

from engine.job import Job
from engine.messages import Refused, ThumbnailPatterns, Thumbnails
from engine.model import Model
from engine.pooling import pool
from engine.runs import ForwardPass


def thumbnails(model: Model, request: Thumbnails, job: Job) -> ThumbnailPatterns:
    """Return the max-pooled patterns of every head.

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
    mask = pool(np.tri(length), request.size) > 0
    return ThumbnailPatterns(
        labels=model.tokens.labelled(passed.ids),
        values=values,
        mask=mask,
        block=-(-length // request.size),
    )


def _pooled(
    model: Model, passed: ForwardPass, size: int, job: Job
) -> Float[np.ndarray, "layer head row column"]:
    pooled = []
    for layer, pattern in enumerate(passed.patterns):
        job.step(layer, model.n_layers, f"shrinking layer {layer}")
        pooled.append(pool(pattern.numpy(), size))
    return np.stack(pooled)
