"""Pairs of an earlier and a later head: their map, and how they are called; no Qt."""

from math import isnan

import numpy as np

from engine.messages import CompositionScores, FloatArray, Head, IntArray, Pair
from gui.style.formatting import fixed, head_name

READS = {"q": "queries", "k": "keys", "v": "values"}
"""Which input of the later head a kind of composition is about."""


def name(pair: Pair) -> str:
    """Return `L0H2 → L1H3`."""
    return f"{head_name(pair.earlier)} → {head_name(pair.later)}"


def strongest(scores: CompositionScores) -> Pair:
    """Return the pair with the highest score."""
    return scores.pairs[int(np.argmax(scores.scores))]


class PairMap:
    """Where pairs stand on a map of earlier heads down and later heads across.

    Parameters
    ----------
    scores
        The answer that the map shows.
    """

    def __init__(self, scores: CompositionScores) -> None:
        self.scores = scores
        self.earlier = sorted({pair.earlier for pair in scores.pairs})
        self.later = sorted({pair.later for pair in scores.pairs})
        down = {head: place for place, head in enumerate(self.earlier)}
        across = {head: place for place, head in enumerate(self.later)}
        self._down, self._across = down, across
        self._rows = np.array([down[pair.earlier] for pair in scores.pairs])
        self._columns = np.array([across[pair.later] for pair in scores.pairs])
        self._places = {pair: place for place, pair in enumerate(scores.pairs)}
        self.values: FloatArray = np.full((len(down), len(across)), np.nan)
        """Scores, [earlier, later]; not a number where the later head is in no later layer."""
        self.values[self._rows, self._columns] = scores.scores

    def pair(self, row: int, column: int) -> Pair | None:
        """Return the pair of a cell, none where the second head cannot read the first."""
        pair = Pair(self.earlier[row], self.later[column])
        return pair if pair in self._places else None

    def cell(self, pair: Pair | None) -> tuple[int | None, int | None]:
        """Return row and column of a pair, none and none for no pair of this model."""
        if pair is None or pair not in self._places:
            return None, None
        return self._down[pair.earlier], self._across[pair.later]

    def place(self, pair: Pair) -> int | None:
        """Return where a pair stands in the answer, or none."""
        return self._places.get(pair)

    def order(self, reader: Head | None = None, writer: Head | None = None) -> IntArray:
        """Return the places of pairs, strongest first.

        Parameters
        ----------
        reader
            Only pairs of which it is the later head.
        writer
            Only pairs of which it is the earlier head.
        """
        kept = np.ones(len(self._rows), dtype=bool)
        if reader is not None:
            kept &= self._columns == self._across.get(reader, -1)
        if writer is not None:
            kept &= self._rows == self._down.get(writer, -1)
        places = np.flatnonzero(kept)
        ranked: IntArray = places[np.argsort(-self.scores.scores[places], kind="stable")]
        return ranked

    def say(self, place: int, z: float) -> str:
        """Return score, times chance and z of a pair in words."""
        score = float(self.scores.scores[place])
        told = f"{name(self.scores.pairs[place])}: score {fixed(score, 3)}"
        if self.scores.baseline > 0:
            told += f", {fixed(score / self.scores.baseline, 1)} × random"
        return told + (", z not measured" if isnan(z) else f", z {fixed(z, 1, signed=True)}")
