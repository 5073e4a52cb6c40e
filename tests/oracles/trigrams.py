"""Skip-trigrams by brute force: every source, query and output token, in float64."""

import numpy as np
import numpy.typing as npt

from tests.oracles import dense_circuits
from tests.oracles.checkpoint import Checkpoint

Values = npt.NDArray[np.float64]
CHUNK = 64


def strongest(
    checkpoint: Checkpoint, layer: int, head: int, k: int, sources: list[int]
) -> tuple[Values, npt.NDArray[np.int64]]:
    """Return the k largest products QK(query, source) OV(source, out), both factors positive.

    Every pair of a query and an output is multiplied out for each of the sources; nothing is left
    out by a bound.

    Returns
    -------
    values, ids
        [k] and [k, 3]: source, query, output.
    """
    vectors = dense_circuits.token_vectors(checkpoint)
    asked = vectors @ dense_circuits.qk_matrix(checkpoint, layer, head) / checkpoint.d_head**0.5
    read = vectors @ dense_circuits.ov_matrix(checkpoint, layer, head)
    unembed = dense_circuits.unembedding(checkpoint)
    values, ids = np.empty(0), np.empty((0, 3), int)
    for source in sources:
        scores = (asked @ vectors[source]).clamp(min=0).numpy()  # [query]
        raised = (read[source] @ unembed).clamp(min=0).numpy()  # [out]
        for start in range(0, len(scores), CHUNK):
            products = np.outer(scores[start : start + CHUNK], raised).ravel()
            best = np.argpartition(-products, min(k, len(products) - 1))[:k]
            query, out = np.divmod(best, len(raised))
            found = np.stack([np.full(len(best), source), start + query, out], axis=1)
            values = np.concatenate([values, products[best]])
            ids = np.concatenate([ids, found])
            order = np.argsort(-values, kind="stable")[:k]
            values, ids = values[order], ids[order]
    return values[values > 0], ids[values > 0]


def best_of_each_source(checkpoint: Checkpoint, layer: int, head: int) -> Values:
    """Return the largest product of each source token, [d_vocab], in blocks of sources."""
    vectors = dense_circuits.token_vectors(checkpoint)
    asked = vectors @ dense_circuits.qk_matrix(checkpoint, layer, head) / checkpoint.d_head**0.5
    read = vectors @ dense_circuits.ov_matrix(checkpoint, layer, head)
    unembed = dense_circuits.unembedding(checkpoint)
    found = []
    for start in range(0, checkpoint.d_vocab, CHUNK):
        block = slice(start, start + CHUNK)
        scores = (vectors[block] @ asked.T).amax(1).clamp(min=0)
        raised = (read[block] @ unembed).amax(1).clamp(min=0)
        found.append((scores * raised).numpy())
    return np.concatenate(found)
