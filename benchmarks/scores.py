"""Measures of heads at GPT-2-small's shape, against the products and passes that they need."""

import time
from collections.abc import Callable, Iterator

import torch

from benchmarks.pairs import Comparison, compare
from benchmarks.random_models import D_VOCAB, random_model
from engine.circuits.head_scores import COLUMNS, LENGTH, ROWS, copying_share, head_scores
from engine.job import Job
from engine.messages import Head, HeadScores, RunPrompt
from engine.model import Model

SEQUENCES = 2
SHARE = 8
"""The bare product is timed on one source token of so many, and its time scaled to all."""
PROMPTS = ("w1 w2 w3 w1 w2", "w4 w5 w6 w4 w5")


def comparisons() -> Iterator[Comparison]:
    """Yield the comparisons, on random weights; a goal below 1 says how much slower we may be."""
    torch.set_num_threads(1)
    with torch.inference_mode():
        yield _patterns(random_model(12, 12))
        one = random_model(1, 1)
        bare = f"the bare product of the same tiles, 1/{SHARE} of the rows scaled"
        yield compare(
            f"copying share of one head over {D_VOCAB:,} tokens",
            bare,
            lambda: copying_share(one, Head(0, 0), Job()),
            lambda: _product(one, Head(0, 0)),
            goal=1 / 2,
            scaled=SHARE,
        )
        request = HeadScores(one.name, "weights")
        yield compare(
            "all measures of the weights of one head",
            bare,
            lambda: _anew(one, lambda: head_scores(one, request, Job())),
            lambda: _product(one, Head(0, 0)),
            goal=1 / 2,
            scaled=SHARE,
        )


def asked_again() -> tuple[float, float]:
    """Time every measure of a model of one head, then the same with another prompt.

    Returns
    -------
    first, again : float
        Milliseconds.
    """
    times = []
    with torch.inference_mode():
        one = random_model(1, 1)
        for text in PROMPTS:
            request = HeadScores(one.name, run=RunPrompt(one.name, text))
            start = time.perf_counter()
            head_scores(one, request, Job())
            times.append((time.perf_counter() - start) * 1000)
    first, again = times
    return first, again


def _patterns(model: Model) -> Comparison:
    request = HeadScores(model.name, "random", sequences=SEQUENCES)
    ids = tuple(range(1, 1 + LENGTH)) * 2
    return compare(
        f"pattern measures of {len(model.heads)} heads on {SEQUENCES} x {len(ids)} tokens",
        "TransformerBridge's forward passes alone",
        lambda: _anew(model, lambda: head_scores(model, request, Job())),
        lambda: [model.bridge(torch.tensor([ids])) for _ in range(SEQUENCES)],
        goal=1 / 1.5,
    )


def _anew(model: Model, ask: Callable[[], object]) -> None:
    model.kept.clear()
    model.vocabulary._grams.clear()
    ask()


def _product(model: Model, head: Head) -> None:
    weights = model.head(head)
    read = model.vocabulary.read_by(weights.W_V, Job())[: model.d_vocab // SHARE]
    written = model.vocabulary.logits(weights.W_O.mT, Job()).mT
    buffer = torch.empty(ROWS, COLUMNS)
    for start in range(0, len(read), ROWS):
        sources = read[start : start + ROWS]
        for first in range(0, model.d_vocab, COLUMNS):
            outputs = written[:, first : first + COLUMNS]
            torch.mm(sources, outputs, out=buffer[: len(sources), : outputs.shape[1]])
