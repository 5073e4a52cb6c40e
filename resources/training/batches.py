"""Rows to train on: BOS and a crop of one source, some rows with repeated spans."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.random import Generator

from resources.training import corpus

BOS_ID = 0
FIRST_RANDOM_ID = 1


def read_tokens(work: Path, split: str) -> list[np.ndarray]:
    """Return the ids of every source, in the order of `corpus.SOURCES`."""
    return [np.load(work / "tokens" / f"{s.name}.{split}.npy") for s in corpus.SOURCES]


def log_uniform(rng: Generator, low: int, high: int) -> int:
    """Return a whole number in low..high, small ones as likely as large ones by ratio."""
    return int(np.exp(rng.uniform(np.log(low), np.log(high + 1))))


def repeat_spans(rng: Generator, row: np.ndarray) -> np.ndarray:
    """Return the row with spans of random length copied further on, after a gap or none.

    Parameters
    ----------
    rng : Generator
        Source of chance.
    row : ndarray
        BOS and text.
    """
    row, at = row.copy(), 1
    while at < len(row) - 4:
        length = log_uniform(rng, 2, (len(row) - at) // 2)
        gap = 0 if rng.random() < 0.5 else log_uniform(rng, 1, 16)
        copy = at + length + gap
        kept = max(0, min(length, len(row) - copy))
        row[copy : copy + kept] = row[at : at + kept]
        at = copy + kept + log_uniform(rng, 1, 8) - 1
    return row


def repeat_random(rng: Generator, size: int, d_vocab: int) -> tuple[np.ndarray, np.ndarray]:
    """Return BOS and blocks of random tokens, each twice or more, and which targets can be known.

    Parameters
    ----------
    rng : Generator
        Source of chance.
    size : int
        Length of the row.
    d_vocab : int
        Random ids lie in 1 .. d_vocab - 1.
    """
    row, known, at = np.zeros(size, np.int64), np.zeros(size, bool), 1
    while at < size:
        block = rng.integers(FIRST_RANDOM_ID, d_vocab, log_uniform(rng, 4, max(5, size // 2)))
        tiled = np.tile(block, 2 if rng.random() < 0.7 else 3)[: size - at]
        row[at : at + len(tiled)] = tiled
        known[at + len(block) : at + len(tiled)] = True
        at += len(tiled)
    return row, known


def random_bags(rng: Generator, size: int, d_vocab: int) -> tuple[np.ndarray, np.ndarray]:
    """Return BOS and random tokens drawn again and again from small bags, and which can be known.

    Parameters
    ----------
    rng : Generator
        Source of chance.
    size : int
        Length of the row.
    d_vocab : int
        Random ids lie in 1 .. d_vocab - 1.
    """
    row, known, at = np.zeros(size, np.int64), np.zeros(size, bool), 1
    while at < size:
        bag = rng.integers(FIRST_RANDOM_ID, d_vocab, int(rng.integers(3, 9)))
        drawn = rng.choice(bag, 4 * len(bag))[: size - at]
        row[at : at + len(drawn)] = drawn
        _, first = np.unique(drawn, return_index=True)
        known[at : at + len(drawn)] = True
        known[at + first] = False
        at += len(drawn)
    return row, known


def batch(
    rng: Generator,
    texts: list[np.ndarray],
    rows: int,
    length: int,
    spans: float,
    randoms: float,
    bags: float,
    d_vocab: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Return ids [row, length + 1] and a mask [row, length] of the targets that count.

    Parameters
    ----------
    rng : Generator
        Source of chance.
    texts : list of ndarray
        Ids of each source.
    rows, length : int
        Shape of the batch; each row is BOS and `length` tokens.
    spans : float
        Share of rows whose text repeats spans.
    randoms : float
        Share of rows that are repeated random tokens.
    bags : float
        Share of rows that are random tokens from small bags.
    d_vocab : int
        Size of the vocabulary.
    """
    shares = np.cumsum([s.share for s in corpus.SOURCES])
    picks = np.searchsorted(shares / shares[-1], (np.arange(rows) + rng.random(rows)) / rows)
    ids, counts = np.zeros((rows, length + 1), np.int64), np.ones((rows, length), bool)
    for i, pick in enumerate(picks):
        text = texts[min(int(pick), len(texts) - 1)]
        start = int(rng.integers(0, len(text) - length))
        ids[i, 0], ids[i, 1:] = BOS_ID, text[start : start + length]
        chance = rng.random()
        if chance < randoms:
            ids[i], known = repeat_random(rng, length + 1, d_vocab)
            counts[i] = known[1:]
        elif chance < randoms + bags:
            ids[i], known = random_bags(rng, length + 1, d_vocab)
            counts[i] = known[1:]
        elif chance < randoms + bags + spans:
            ids[i] = repeat_spans(rng, ids[i])
    return ids, counts
