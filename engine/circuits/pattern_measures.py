"""What heads do with tokens, measured on their patterns."""

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from engine.forward.forward_pass import ForwardPass
from engine.job import Job
from engine.messages import PATTERN_MEASURES, FloatArray, HeadScores, Refused
from engine.model import Model

LENGTH = 64
"""Random tokens before they repeat, where context and vocabulary have room for them."""

CELLS = 2**22
"""Of patterns, measured between two steps: some 30 milliseconds of work."""

MOST_SEQUENCES = 1000
LEAST_TOKENS = 2


class Measures:
    """What every head does on one run, layer by layer.

    Induction is the attention from a token that has occurred before to what followed it then, and
    duplicate token that to the occurrences themselves, each the mean over the tokens that have
    occurred before: the cells are those of TransformerLens's `head_detector` ("In-context Learning
    and Induction Heads", Olsson et al., 2022). The others are means over every query but the
    first, which has no choice.

    Parameters
    ----------
    ids : tuple of int
        Token ids of the run.
    """

    def __init__(self, ids: tuple[int, ...]) -> None:
        tokens = torch.tensor(ids)
        self._count = len(ids)
        self._same = (tokens[:, None] == tokens).tril(-1)  # [query, key]
        self._follows = torch.zeros_like(self._same)
        self._follows[:, 1:] = self._same[:, :-1]
        distance = torch.arange(len(ids))[:, None] - torch.arange(len(ids))
        self._distances = distance.tril().float().flatten()
        self._found: dict[str, list[Tensor]] = {name: [] for name in PATTERN_MEASURES}

    def add(self, pattern: Float[Tensor, "head query key"]) -> None:
        """Measure the next heads."""
        others = self._count - 1
        # The first row, which has no choice, adds nothing to entropy and distance.
        now = {
            "entropy": torch.special.entr(pattern).sum((1, 2)) / others,
            "distance": pattern.flatten(1) @ self._distances / others,
            "induction": _mean_on(pattern, self._follows),
            "duplicate_token": _mean_on(pattern, self._same),
            "previous_token": pattern.diagonal(-1, -2, -1).mean(-1),
            "first_token": pattern[:, 1:, 0].mean(-1),
        }
        for name, values in now.items():
            self._found[name].append(values)

    def all(self) -> dict[str, Float[Tensor, " head"]]:
        """Return each of PATTERN_MEASURES [head], not a number where no query has it."""
        return {name: torch.cat(rows) for name, rows in self._found.items()}


def measured(passed: ForwardPass, job: Job) -> dict[str, Float[Tensor, " head"]]:
    """Measure every head of the model on one run, stepping between layers and some heads."""
    measures = Measures(passed.ids)
    some = max(1, CELLS // len(passed.ids) ** 2)
    for layer, pattern in enumerate(passed.patterns):
        for heads in torch.split(pattern, some):
            job.step(layer, len(passed.patterns), f"measuring layer {layer}")
            measures.add(heads)
    return measures.all()


def _mean_on(pattern: Tensor, cells: Tensor) -> Float[Tensor, " head"]:
    queries, keys = cells.nonzero(as_tuple=True)
    total: Tensor = pattern[:, queries, keys].sum(-1)
    return total / cells.any(-1).sum()


def random_measures(
    model: Model, request: HeadScores, job: Job
) -> tuple[int, dict[str, FloatArray]]:
    """Measure every head on BOS, r random tokens, and the same r again; kept by the model.

    The r tokens of a sequence are distinct ordinary ones, so that a first occurrence is the only
    one. A model without BOS does without.

    Parameters
    ----------
    request : HeadScores
        Seed, sequences, range of ids, and heads that are off.

    Returns
    -------
    r, measures
        How many tokens repeat, and each of PATTERN_MEASURES [head].
    """
    for head in request.heads_off:
        model.check_head(head)
    if not 1 <= request.sequences <= MOST_SEQUENCES:
        raise Refused(f"sequences must be 1 to {MOST_SEQUENCES}, not {request.sequences}")
    if request.seed < 0:
        raise Refused(f"the seed must be 0 or more, not {request.seed}")
    ordinary = _ordinary(model, request)
    key = ("random", request.seed, request.sequences, *ordinary[[0, -1]], request.heads_off)
    if key not in model.kept:
        model.kept[key] = _random(model, request, ordinary, job)
    found: tuple[int, dict[str, FloatArray]] = model.kept[key]
    return found


def begins(model: Model) -> str:
    """Return the BOS that stands before the random tokens, as shown; empty without one."""
    first = model.tokens.bos_id
    return "" if first is None else model.tokens.labels[first]


def _ordinary(model: Model, request: HeadScores) -> np.ndarray:
    last = model.d_vocab - 1
    highest = last if request.highest_id is None else request.highest_id
    if not 0 <= request.lowest_id <= highest <= last:
        raise Refused(
            f"random tokens from id {request.lowest_id} to {highest}: {model.name} has the ids 0 "
            f"to {last:,}"
        )
    ids = np.arange(request.lowest_id, highest + 1)
    ordinary = np.setdiff1d(ids, sorted(model.tokens.special_ids))
    if len(ordinary) < LEAST_TOKENS:
        raise Refused(
            f"the ids {request.lowest_id} to {highest} hold fewer than {LEAST_TOKENS} ordinary "
            "tokens: choose a wider range"
        )
    return ordinary


def _random(
    model: Model, request: HeadScores, ordinary: np.ndarray, job: Job
) -> tuple[int, dict[str, FloatArray]]:
    bos = [] if model.tokens.bos_id is None else [model.tokens.bos_id]
    length = min(LENGTH, (model.n_ctx - len(bos)) // 2, len(ordinary))
    chance = np.random.default_rng(request.seed)
    sums = {name: torch.zeros(len(model.heads)) for name in PATTERN_MEASURES}
    for sequence in range(request.sequences):
        job.step(sequence, request.sequences, "running random tokens")
        block = chance.choice(ordinary, length, replace=False).tolist()
        ids = (*bos, *block, *block)
        measures = Measures(ids)
        model.run_ids(ids, job, request.heads_off, measures.add)
        for name, values in measures.all().items():
            sums[name] += values
    return length, {name: (total / request.sequences).numpy() for name, total in sums.items()}
