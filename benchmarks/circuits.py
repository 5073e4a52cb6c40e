"""Full circuits and pairs of heads at GPT-2-small's shape, against TransformerLens."""

from collections.abc import Iterator

import torch
from transformer_lens import FactoredMatrix
from transformer_lens.utilities.matrix import composition_scores

from benchmarks.pairs import Comparison, compare
from benchmarks.random_models import D_VOCAB, random_model
from engine.circuits.composition import composition
from engine.circuits.spectra import eigenvalues
from engine.circuits.token_rankings import ov_tokens
from engine.job import Job
from engine.messages import Composition, Eigenvalues, Head, OVTokens, Pair
from engine.model import Model

SAMPLE = 3
"""Heads that FactoredMatrix's eigenvalues are timed on; their time is scaled to all."""
REPEATS = 5
"""One token takes some tens of milliseconds; a timing is of so many."""
PAIRS_ALONE = 200
"""Pairs that a loop over pairs is timed on; its time is scaled to all."""


def comparisons() -> Iterator[Comparison]:
    """Yield the comparisons, on random weights; every question is asked as for the first time."""
    torch.set_num_threads(1)
    with torch.inference_mode():
        yield _composition_at_once(random_model(6, 12))
        whole = random_model(12, 12)
        yield _composition_pair_by_pair(whole)
        yield _eigenvalues(whole)
        yield _ov(whole)
        yield _ov(random_model(1, 1, 1024, 150_000))


def _ov(model: Model) -> Comparison:
    vector = torch.randn(model.d_model, generator=torch.Generator().manual_seed(0))
    tokens = range(1, 1 + REPEATS)
    len(model.tokens.labels)  # made once a model
    return compare(
        f"OV top 10 of {REPEATS} tokens over {model.d_vocab:,} tokens, d_model {model.d_model:,}",
        "the bare products W_U v",
        lambda: [ov_tokens(model, OVTokens(model.name, Head(0, 0), it), Job()) for it in tokens],
        lambda: [model.vocabulary._rows_U @ vector for _ in tokens],
        goal=1 / 2,
    )


def _eigenvalues(model: Model) -> Comparison:
    heads = model.heads
    weights = [model.head(head) for head in heads[:SAMPLE]]
    W_E, W_U = model.bridge.embed.W_E, model.bridge.unembed.W_U

    def ours() -> None:
        model.vocabulary._grams.clear()
        for head in heads:
            eigenvalues(model, Eigenvalues(model.name, head, "ov"), Job())

    return compare(
        f"eigenvalues of all {len(heads)} full OV circuits over {D_VOCAB:,} tokens, "
        "W_U W_E counted",
        f"FactoredMatrix.eigenvalues, {SAMPLE} heads scaled to {len(heads)}",
        ours,
        lambda: [(W_E @ FactoredMatrix(w.W_V, w.W_O) @ W_U).eigenvalues for w in weights],
        goal=20,
        scaled=len(heads) / SAMPLE,
    )


def _composition_at_once(model: Model) -> Comparison:
    request = Composition(model.name, "k")
    return compare(
        f"K-composition of every pair of {len(model.heads)} heads, z of the best counted",
        "all_composition_scores",
        lambda: composition(model, request, Job()),
        lambda: model.bridge.all_composition_scores("K"),
        goal=5,
    )


def _composition_pair_by_pair(model: Model) -> Comparison:
    request = Composition(model.name, "k")
    pairs = composition(model, request, Job()).pairs
    weights = [model.head(head) for head in model.heads]
    W_Q, W_K, W_V, W_O = (
        torch.stack([getattr(of, name) for of in weights]) for name in ("W_Q", "W_K", "W_V", "W_O")
    )
    OV, QK = FactoredMatrix(W_V, W_O), FactoredMatrix(W_Q, W_K.mT)

    def one(pair: Pair) -> None:
        earlier, later = (head.layer * model.n_heads + head.number for head in pair)
        composition_scores(OV[earlier], QK[later].T)

    return compare(
        f"K-composition of every pair of {len(model.heads)} heads, z of the best counted",
        f"composition_scores pair by pair, {PAIRS_ALONE} pairs scaled to {len(pairs):,}",
        lambda: composition(model, request, Job()),
        lambda: [one(pair) for pair in pairs[:PAIRS_ALONE]],
        goal=100,
        scaled=len(pairs) / PAIRS_ALONE,
    )
