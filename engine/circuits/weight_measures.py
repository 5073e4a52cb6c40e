"""What a head is for, read from its weights alone."""

import math

import numpy as np
import torch

from engine import lowrank
from engine.circuits.eigenvalues import positivity
from engine.circuits.spectrum import factors
from engine.job import Job
from engine.messages import CircuitName, FloatArray, Head
from engine.model import Model

ROWS, COLUMNS = 256, 1024
"""Source and output tokens compared at once: few enough for the products to stay in the processor's
cache, where they take less than half the time of whole rows. COLUMNS is a multiple of ROWS.
"""


def weight_measures(model: Model, job: Job) -> dict[str, FloatArray]:
    """Return each of WEIGHT_MEASURES for every head, [head]; kept by the model, head by head.

    Eigenvalue copying and positivity are those of "A Mathematical Framework for Transformer
    Circuits" (Elhage et al., 2021), "Summarizing OV/QK matrices", through W_U W_E and W_E^T W_E,
    which are made once. Norms and overlap come from thin factors in float64.

    Parameters
    ----------
    job : Job
        Steps between heads and between chunks of the vocabulary. What was cancelled goes on where
        it stopped when it is asked for again.
    """
    found: dict[str, list[float]] = {}
    for place, head in enumerate(model.heads):
        job.step(place, len(model.heads), "reading weights")
        if head not in model.kept:
            model.kept[head] = _of_head(model, head, job)
        for name, value in model.kept[head].items():
            found.setdefault(name, []).append(value)
    return {name: np.array(values) for name, values in found.items()}


def _of_head(model: Model, head: Head, job: Job) -> dict[str, float]:
    U, S, Vh = lowrank.svd(*factors(model, head, "ov"))
    rank, follow, nan = lowrank.rank(S), model.scores_follow, math.nan
    return {
        "copying_share": copying_share(model, head, job),
        "ov_eigenvalue_copying": _positivity(model, head, "ov", job),
        "qk_eigenvalue_positivity": _positivity(model, head, "qk", job) if follow else nan,
        "read_write_overlap": lowrank.overlap(U[:, :rank], Vh[:rank].mT),
        "ov_norm": float(S.norm()),
        "qk_norm": _qk_norm(model, head) if follow else nan,
    }


def _qk_norm(model: Model, head: Head) -> float:
    return float(lowrank.singular_values(*factors(model, head, "qk")).norm())


def _positivity(model: Model, head: Head, circuit: CircuitName, job: Job) -> float:
    A, B = factors(model, head, circuit)
    return positivity(lowrank.eigenvalues(B @ model.vocabulary.gram(circuit, job) @ A))


def copying_share(model: Model, head: Head, job: Job) -> float:
    """Return the share of tokens whose own logit a head's OV circuit raises above every other.

    Exact over the whole vocabulary, tile by tile of W_E W_V W_O W_U; a token that only ties with
    another does not count.
    """
    weights = model.head(head)
    read = model.vocabulary.read_by(weights.W_V, job)  # [d_vocab, d_head]
    written = model.vocabulary.logits(weights.W_O.mT, job).mT  # [d_head, d_vocab]
    buffer = torch.empty(ROWS * COLUMNS)
    copied = 0
    for start in range(0, model.d_vocab, ROWS):
        job.step(start, model.d_vocab, f"what {head.name} copies")
        sources = read[start : start + ROWS]
        own = highest = torch.full((len(sources),), -torch.inf)
        for first in range(0, model.d_vocab, COLUMNS):
            outputs = written[:, first : first + COLUMNS]
            tile = buffer[: len(sources) * outputs.shape[1]].view(len(sources), -1)
            torch.mm(sources, outputs, out=tile)  # [source, output]
            if 0 <= start - first < COLUMNS:
                diagonal = tile.diagonal(start - first)
                own = diagonal.clone()
                diagonal.fill_(-torch.inf)
            highest = torch.maximum(highest, tile.amax(1))
        copied += int((own > highest).sum())
    return copied / model.d_vocab
