"""What a grid of heads shows: a thumbnail of each, or a score of each."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PySide6.QtGui import QPixmap

from engine.messages import Head
from gui.widgets.cell_pixels import mosaic
from gui.widgets.colouring import Colouring
from gui.widgets.grid_geometry import GridGeometry


@dataclass(frozen=True, eq=False)
class HeadPictures:
    """Scores are shown where there are any, thumbnails otherwise."""

    thumbnails: npt.NDArray[np.floating] | None = None
    """Numbers from 0 to 1, [layer, head, row, column]."""
    mask: npt.NDArray[np.bool_] | None = None
    """True where a cell of a thumbnail may be seen, [layer, row, column], or of all layers
    [row, column]; none: everywhere."""
    scores: npt.NDArray[np.floating] | None = None
    """[layer, head]"""
    limits: tuple[float, float] | None = None
    """Ends of the colour range of scores, as far below 0 as above it for signed ones; none: from
    0 to 1, and further where a score is larger."""

    @property
    def shape(self) -> tuple[int, int]:
        """Number of layers, and of heads in each."""
        shown = self.thumbnails if self.scores is None else self.scores
        return (0, 0) if shown is None else (shown.shape[0], shown.shape[1])

    @property
    def empty(self) -> bool:
        """Whether there is no head."""
        return 0 in self.shape

    @property
    def colouring(self) -> Colouring:
        """From 0 to 1 for thumbnails, between the limits for scores."""
        if self.scores is not None and self.limits is not None:
            low, high = self.limits
            return Colouring("diverging" if low < 0 else "sequential", low, high)
        highest = 1.0
        if self.scores is not None and np.isfinite(self.scores).any():
            highest = max(1.0, float(np.nanmax(self.scores)))
        return Colouring("sequential", 0.0, highest)

    def has(self, head: Head) -> bool:
        """Return whether a head is there."""
        layers, heads = self.shape
        return 0 <= head.layer < layers and 0 <= head.number < heads

    def beside(self, head: Head | None, step: tuple[int, int]) -> Head:
        """Return the head a step away, at most at the edge; the first one from none."""
        if head is None or not self.has(head):
            return Head(0, 0)
        layers, heads = self.shape
        return Head(
            min(max(head.layer + step[0], 0), layers - 1),
            min(max(head.number + step[1], 0), heads - 1),
        )

    def picture(self, grid: GridGeometry, gap: int) -> QPixmap:
        """Return all heads as one picture, with so many pixels between two."""
        shown = self.thumbnails
        mask = None if self.mask is None else self.mask[..., np.newaxis, :, :]
        if self.scores is not None:
            shown, mask = self.scores[:, :, np.newaxis, np.newaxis], None
        assert shown is not None
        return mosaic(shown, mask, self.colouring, grid, gap)
