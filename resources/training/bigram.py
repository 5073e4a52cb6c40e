"""The baseline: an interpolated bigram, fitted on the same training mixture as the models."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from resources.training import corpus

BUCKETS = 16


@dataclass(frozen=True)
class Bigram:
    """Counts of the training mixture.

    Attributes
    ----------
    keys : ndarray
        Sorted pairs, previous id times the vocabulary plus next id.
    weights : ndarray
        How often each pair comes, in tokens of the mixture.
    context : ndarray
        How often each id comes before another.
    seen : ndarray
        How often each id comes in the text itself, which chooses its interpolation weight.
    unigram : ndarray
        Probability of each id.
    """

    keys: np.ndarray
    weights: np.ndarray
    context: np.ndarray
    seen: np.ndarray
    unigram: np.ndarray

    def parts(self, ids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the bucket and the three probabilities [3, n] of every next id of rows.

        Parameters
        ----------
        ids : ndarray
            Rows that start with BOS, after which only the unigram is known.
        """
        before, after = ids[:, :-1].ravel(), ids[:, 1:].ravel()
        d_vocab = len(self.unigram)
        wanted = before * d_vocab + after
        at = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        pair = np.where(self.keys[at] == wanted, self.weights[at], 0.0)
        given = pair / np.maximum(self.context[before], 1e-9)
        bucket = np.minimum(np.log2(self.seen[before] + 1).astype(int), BUCKETS - 1)
        uniform = np.full(len(after), 1 / d_vocab)
        return bucket, np.stack([given, self.unigram[after], uniform])


def fit(texts: list[np.ndarray], d_vocab: int) -> Bigram:
    """Count pairs in every source, each source scaled to its share of the mixture.

    Parameters
    ----------
    texts : list of ndarray
        Training ids of every source.
    d_vocab : int
        Size of the vocabulary.
    """
    keys, weights = [], []
    seen, unigram = np.zeros(d_vocab), np.zeros(d_vocab)
    for source, text in zip(corpus.SOURCES, texts, strict=True):
        ids = text.astype(np.int64)
        found, counts = np.unique(ids[:-1] * d_vocab + ids[1:], return_counts=True)
        keys.append(found)
        weights.append(counts * (source.share / len(ids)))
        single = np.bincount(ids, minlength=d_vocab)
        seen += single
        unigram += single * (source.share / len(ids))
    merged, inverse = np.unique(np.concatenate(keys), return_inverse=True)
    total = np.bincount(inverse, np.concatenate(weights))
    context = np.bincount(merged // d_vocab, total, minlength=d_vocab)
    seen[0] = 0
    return Bigram(merged, total, context, seen, unigram / unigram.sum())


def tune(bucket: np.ndarray, parts: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return interpolation weights [bucket, 3] that fit the given tokens best.

    Parameters
    ----------
    bucket, parts : ndarray
        What `Bigram.parts` returned.
    weights : ndarray
        Weight of each token.
    """
    mix = np.full((BUCKETS, 3), 1 / 3)
    for _ in range(100):
        shared = mix[bucket].T * parts
        shared *= weights / shared.sum(0)
        for part in range(3):
            mix[:, part] = 1e-4 + np.bincount(bucket, shared[part], minlength=BUCKETS)
        mix /= mix.sum(1, keepdims=True)
    return mix


def losses(model: Bigram, ids: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the loss of every token of rows, weights tuned on the other half of the rows.

    Parameters
    ----------
    model : Bigram
        Counts.
    ids : ndarray
        Rows [row, length + 1] that start with BOS.
    weights : ndarray
        Weight of each row.
    """
    out = np.zeros((len(ids), ids.shape[1] - 1))
    for half in (0, 1):
        bucket, parts = model.parts(ids[1 - half :: 2])
        mix = tune(bucket, parts, np.repeat(weights[1 - half :: 2], out.shape[1]))
        bucket, parts = model.parts(ids[half::2])
        out[half::2] = -np.log((mix[bucket].T * parts).sum(0)).reshape(-1, out.shape[1])
    return out
