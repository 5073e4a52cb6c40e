"""Singular values of heads of GPT-2-small's shape, against TransformerLens's FactoredMatrix."""

from collections.abc import Iterator

import torch
from transformer_lens import FactoredMatrix

from benchmarks.pairs import Comparison, compare
from engine.network import factored

D_MODEL, D_HEAD, N_HEADS = 768, 64, 144
REPEATS = 20
"""One head takes a millisecond or two; a timing is of this many."""
THREADS = 1
"""At these sizes a second thread only waits for the first, the more so the busier the machine."""


def comparisons() -> Iterator[Comparison]:
    """Yield the comparisons, on random weights."""
    torch.set_num_threads(THREADS)
    draw = torch.Generator().manual_seed(0)
    A = torch.randn(N_HEADS, D_MODEL, D_HEAD, generator=draw)
    B = torch.randn(N_HEADS, D_HEAD, D_MODEL, generator=draw)
    with torch.inference_mode():
        yield compare(
            f"SVD of one head, {REPEATS} times",
            "FactoredMatrix.svd",
            lambda: [factored.svd(A[0], B[0]) for _ in range(REPEATS)],
            lambda: [FactoredMatrix(A[0], B[0]).svd() for _ in range(REPEATS)],
            goal=2.5,
        )
        yield compare(
            f"SVD of all {N_HEADS} heads",
            "FactoredMatrix.svd, head by head",
            lambda: factored.svd(A, B),
            lambda: [FactoredMatrix(a, b).svd() for a, b in zip(A, B, strict=True)],
            goal=2,
        )
        yield compare(
            f"SVD of all {N_HEADS} heads",
            "FactoredMatrix.svd, one batch",
            lambda: factored.svd(A, B),
            lambda: FactoredMatrix(A, B).svd(),
        )
        yield compare(
            f"singular values of all {N_HEADS} heads, no vectors",
            "FactoredMatrix.svd, head by head",
            lambda: factored.singular_values(A, B),
            lambda: [FactoredMatrix(a, b).svd() for a, b in zip(A, B, strict=True)],
        )
