"""What kind of head each head is, measured on its patterns and its weights."""

import math

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from engine.circuits.spectra import positivity
from engine.forward.forward_pass import ForwardPass
from engine.job import Job
from engine.messages import (
    PATTERN_MEASURES,
    FloatArray,
    Head,
    HeadScores,
    MeasuredHeads,
    Refused,
)
from engine.model import Model
from engine.network import factored


def head_scores(model: Model, request: HeadScores, job: Job) -> MeasuredHeads:
    """Measure every head on random tokens that repeat, on a prompt, and by its weights.

    What each measure says is in `engine.messages.MEASURES`; how it is made, in `Measures` and
    `weight_measures`. Asking for all without a prompt leaves out those on a prompt.
    """
    _check_run(request)
    scores: dict[str, FloatArray] = {}
    length = first = on_prompt_first = None
    if request.measures in ("random", "all"):
        length, scores = random_measures(model, request, job)
        first = begins(model)
    if request.run is not None:
        forward_pass = model.run(request.run, job)
        on_prompt = {
            f"prompt_{name}": it.numpy() for name, it in measured(forward_pass, job).items()
        }
        scores, on_prompt_first = scores | on_prompt, model.tokens.labels[forward_pass.ids[0]]
    if request.measures in ("weights", "all"):
        scores = scores | weight_measures(model, job)
    return MeasuredHeads(model.heads, scores, length, first, on_prompt_first)


def _check_run(request: HeadScores) -> None:
    if request.run is None:
        if request.measures == "prompt":
            raise Refused("measures on a prompt need one: give its text")
        return
    if request.measures in ("random", "weights"):
        raise Refused(
            f"a prompt changes no measure of {request.measures}: leave it out, or ask for prompt "
            "or all"
        )
    if request.run.heads_off != request.heads_off:
        raise Refused(
            "the prompt and the random tokens have different heads off: name the same for both"
        )


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


def measured(forward_pass: ForwardPass, job: Job) -> dict[str, Float[Tensor, " head"]]:
    """Measure every head of the model on one run, stepping between layers and some heads."""
    measures = Measures(forward_pass.ids)
    some = max(1, CELLS // len(forward_pass.ids) ** 2)
    for layer, pattern in enumerate(forward_pass.patterns):
        for heads in torch.split(pattern, some):
            job.step(layer, len(forward_pass.patterns), f"measuring layer {layer}")
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
    heads = model.heads
    for place, head in enumerate(heads):
        job.step(place, len(heads), "reading weights")
        if head not in model.kept:
            model.kept[head] = _of_head(model, head, job)
        for name, value in model.kept[head].items():
            found.setdefault(name, []).append(value)
    return {name: np.array(values) for name, values in found.items()}


def _of_head(model: Model, head: Head, job: Job) -> dict[str, float]:
    W_OV, gram = model.W_OV(head), model.vocabulary.gram
    U, S, Vh = W_OV.svd()
    rank = factored.rank(S)
    measured = {
        "copying_share": copying_share(model, head, job),
        "ov_eigenvalue_copying": positivity((W_OV @ gram("ov", job)).eigenvalues()),
        "qk_eigenvalue_positivity": math.nan,
        "read_write_overlap": factored.overlap(U[:, :rank], Vh[:rank].mT),
        "ov_norm": float(S.norm()),
        "qk_norm": math.nan,
    }
    if model.scores_follow:
        W_QK = model.W_QK(head)
        measured["qk_eigenvalue_positivity"] = positivity((W_QK @ gram("qk", job)).eigenvalues())
        measured["qk_norm"] = W_QK.norm
    return measured


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
