"""How every head behaves on random tokens that repeat."""

import numpy as np
import torch

from engine.job import Job
from engine.messages import HeadGrid, HeadGridScores, Refused
from engine.model import Model

LENGTH = 64
"""Random tokens before they repeat, where context and vocabulary have room for them."""

MOST_SEQUENCES = 1000


def head_grid(model: Model, request: HeadGrid, job: Job) -> HeadGridScores:
    """Score every head on BOS, r random tokens, and the same r again.

    Induction is the mean attention from each position of the second copy to the token after its
    first occurrence ("In-context Learning and Induction Heads", Olsson et al., 2022); previous
    token that of one position back, and first token that to the first position, both over every
    query but the first, which has no choice. The r tokens of a sequence are distinct ordinary ones,
    so that a first occurrence is the only one. A model without BOS does without.

    Parameters
    ----------
    model : Model
        The open model.
    request : HeadGrid
        The question.
    job : Job
        Steps between sequences.

    Raises
    ------
    Refused
        If fewer than one sequence is asked for, or more than 1,000, or the seed is negative.
    """
    if not 1 <= request.sequences <= MOST_SEQUENCES:
        raise Refused(f"sequences must be 1 to {MOST_SEQUENCES}, not {request.sequences}")
    if request.seed < 0:
        raise Refused(f"the seed must be 0 or more, not {request.seed}")
    bos = [] if model.tokens.bos_id is None else [model.tokens.bos_id]
    ordinary = np.setdiff1d(np.arange(model.d_vocab), sorted(model.tokens.special_ids))
    length = min(LENGTH, (model.n_ctx - len(bos)) // 2, len(ordinary))
    chance = np.random.default_rng(request.seed)
    sums = torch.zeros(3, model.n_layers, model.n_heads)
    for sequence in range(request.sequences):
        job.step(sequence, request.sequences, "running random tokens")
        block = chance.choice(ordinary, length, replace=False).tolist()
        passed = model.run_ids((*bos, *block, *block), job)
        for layer, pattern in enumerate(passed.patterns):
            second = pattern[:, len(bos) + length :]  # [head, r, key]
            sums[0, layer] += second.diagonal(len(bos) + 1, -2, -1).mean(-1)
            sums[1, layer] += pattern.diagonal(-1, -2, -1).mean(-1)
            sums[2, layer] += pattern[:, 1:, 0].mean(-1)
    induction, previous, first = (sums / request.sequences).numpy()
    return HeadGridScores(induction, previous, first, length)
