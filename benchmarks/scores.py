"""Measures of heads at GPT-2-small's shape, against the products and passes that they need."""

import math
from collections.abc import Callable, Iterator

import numpy as np
import torch
from tokenizers import Tokenizer
from tokenizers.models import WordLevel

from benchmarks.pairs import Comparison, compare
from engine.circuits.pattern_measures import LENGTH, random_measures
from engine.circuits.weight_measures import ROWS, copying_share, weight_measures
from engine.job import Job
from engine.messages import Head, HeadScores
from engine.model import Model
from engine.sources.checkpoint import Checkpoint

D_MODEL, D_HEAD, D_VOCAB = 768, 64, 50_257
SEQUENCES = 2


def comparisons() -> Iterator[Comparison]:
    """Yield the comparisons, on random weights; a goal below 1 says how much slower we may be."""
    torch.set_num_threads(1)
    one, many = _model(1, 1), _model(12, 12)
    request = HeadScores(many.name, "random", sequences=SEQUENCES)
    ids = tuple(range(1, 1 + LENGTH)) * 2
    with torch.inference_mode():
        yield compare(
            f"pattern measures of 144 heads on {SEQUENCES} sequences of {len(ids)} tokens",
            "the same forward passes alone",
            lambda: _anew(many, lambda: random_measures(many, request, Job())),
            lambda: [many.run_ids(ids, Job()) for _ in range(SEQUENCES)],
            goal=1 / 1.5,
        )
        yield compare(
            f"copying share of one head over {D_VOCAB:,} tokens",
            "the bare product in chunks",
            lambda: copying_share(one, Head(0, 0), Job()),
            lambda: _product(one, Head(0, 0)),
            goal=1 / 2,
        )
        yield compare(
            "all measures of the weights of one head",
            "the bare product of its OV circuit in chunks",
            lambda: _anew(one, lambda: weight_measures(one, Job())),
            lambda: _product(one, Head(0, 0)),
            goal=1 / 2,
        )


def _anew(model: Model, ask: Callable[[], object]) -> None:
    model.kept.clear()
    model._grams.clear()
    ask()


def _product(model: Model, head: Head) -> None:
    weights = model.head(head)
    read = model.read_by(weights.W_V, Job())
    written = model.logits(weights.W_O.mT, Job()).mT
    buffer = torch.empty(ROWS, model.d_vocab)
    for start in range(0, model.d_vocab, ROWS):
        part = read[start : start + ROWS]
        torch.mm(part, written, out=buffer[: len(part)])


def _model(n_layers: int, n_heads: int) -> Model:
    words = {f"w{number}": number for number in range(D_VOCAB)}
    empty = Checkpoint(
        name=f"random {n_layers} x {n_heads}",
        n_layers=n_layers,
        n_heads=n_heads,
        d_model=D_MODEL,
        d_head=D_HEAD,
        d_vocab=D_VOCAB,
        n_ctx=2 * LENGTH,
        learned_positions=True,
        normalized=True,
        eps=1e-5,
        prepend_bos=False,
        bos_token=None,
        example="w1",
        tokenizer=Tokenizer(WordLevel(words, unk_token="w0")),
        tensors={},
    )
    draw = np.random.default_rng(0)
    tensors = {
        name: draw.standard_normal(shape, np.float32) / math.sqrt(D_MODEL)
        for name, shape in empty.shapes().items()
    }
    return Model(Checkpoint(**{**vars(empty), "tensors": tensors}))
