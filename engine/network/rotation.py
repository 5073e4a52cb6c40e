"""Rotary positions: how queries and keys are turned by where they stand.

"RoFormer: Enhanced Transformer with Rotary Position Embedding" (Su et al., 2021). A score then
depends on the distance query minus key alone, so that it is the same with the key at position 0
and the query at the offset. Cosines and sines are the model's own, whatever their scaling.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from engine.network.folding import HeadWeights

Angles = Callable[[Tensor, int], tuple[Tensor, Tensor]]
"""Cosines and sines at positions, [position, entry], of the first entries of a query, that turn; in
a prompt of so many tokens."""


@dataclass(frozen=True, eq=False)
class Rotation:
    """How a model turns queries and keys.

    Attributes
    ----------
    angles
        Of positions; entries of a query beyond their number are not turned.
    neighbours
        Whether entries 2i and 2i + 1 turn together; else those half the turned width apart.
    steady
        Tokens of the longest prompt that turns as short ones do; none: all turn alike. Longer ones
        turn by other angles, their first tokens too ("LongRoPE", Ding et al., 2024).
    """

    angles: Angles
    neighbours: bool
    steady: int | None = None

    def length(self, offset: int) -> int:
        """Return the length of the prompts that weights alone are taken to be for.

        Short ones, or the shortest that has such an offset.
        """
        return max(offset + 1, self.steady or 0)

    @property
    def paired(self) -> "Rotation":
        """Two neighbours turned by one angle, of a table that holds those of all pairs twice."""

        def angles(positions: Tensor, length: int) -> tuple[Tensor, Tensor]:
            cos, sin = (table.chunk(2, -1)[0] for table in self.angles(positions, length))
            return cos.repeat_interleave(2, -1), sin.repeat_interleave(2, -1)

        return Rotation(angles, True, self.steady)

    def turned(
        self, vectors: Float[Tensor, "*rows d_head"], position: int, length: int
    ) -> Float[Tensor, "*rows d_head"]:
        """Return queries or keys as they all are at one position of a prompt of some length."""
        cos, sin = self.angles(torch.tensor([position]), length)
        return self._turned(vectors, cos[0], sin[0])

    def placed(
        self, vectors: Float[Tensor, "head position d_head"]
    ) -> Float[Tensor, "head position d_head"]:
        """Return queries or keys of a prompt, each turned by its own position."""
        count = vectors.shape[1]
        return self._turned(vectors, *self.angles(torch.arange(count), count))

    def placed_from_start(
        self, vectors: Float[Tensor, "head position d_head"]
    ) -> Float[Tensor, "head position d_head"]:
        """Return queries or keys of a prompt that are as they all would be at position 0, turned.

        What some models multiply all cosines and sines by, they hold already.
        """
        cos, sin = self.angles(torch.arange(vectors.shape[1]), vectors.shape[1])
        return self._turned(vectors, cos / cos[:1], sin / cos[:1])

    def _turned(self, vectors: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        width = cos.shape[-1]
        near, rest = vectors[..., :width], vectors[..., width:]
        if self.neighbours:
            other = torch.stack([-near[..., 1::2], near[..., ::2]], -1).flatten(-2)
        else:
            first, second = near.chunk(2, -1)
            other = torch.cat([-second, first], -1)
        return torch.cat([near * cos + other * sin, rest], -1)

    def apart(self, weights: HeadWeights, offset: int, length: int | None = None) -> HeadWeights:
        """Return weights whose scores are those at a distance.

        Parameters
        ----------
        weights : HeadWeights
            Weights of a head.
        offset : int
            Query position minus key position, 0 or more.
        length : int, optional
            Tokens of the prompt; none: see `length`.
        """
        length = length or self.length(offset)
        return HeadWeights(
            W_Q=self.turned(weights.W_Q, offset, length),
            W_K=self.turned(weights.W_K, 0, length),
            W_V=weights.W_V,
            W_O=weights.W_O,
            b_Q=self.turned(weights.b_Q, offset, length),
            b_K=self.turned(weights.b_K, 0, length),
            b_V=weights.b_V,
        )
