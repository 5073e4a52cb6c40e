"""What a heat map shows: numbers, what may be seen of them, and what they are called."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from gui.widgets.colouring import Colouring


@dataclass(frozen=True, eq=False)
class LabelledGrid:
    """Numbers in rows and columns.

    Raises
    ------
    ValueError
        If shapes do not fit each other.
    """

    values: npt.NDArray[np.floating]
    """[row, column]"""
    mask: npt.NDArray[np.bool_] | None
    """True where a cell may be seen, [row, column]; none: everywhere."""
    labels: tuple[Sequence[str], Sequence[str]]
    """Of the rows and of the columns."""
    titles: tuple[str, str]
    """Of both axes."""
    unit: str
    colouring: Colouring
    pieces: tuple[Collection[int], Collection[int]] = ((), ())
    """Rows and columns whose labels are bytes of a character."""

    def __post_init__(self) -> None:
        rows, columns = map(len, self.labels)
        if self.values.shape != (rows, columns):
            raise ValueError(f"{self.values.shape} numbers for {rows} x {columns} labels")
        if self.mask is not None and self.mask.shape != self.values.shape:
            raise ValueError(f"mask of {self.mask.shape} for {self.values.shape} numbers")

    @property
    def empty(self) -> bool:
        """Whether there is no cell."""
        return not self.values.size

    @cached_property
    def seen_values(self) -> npt.NDArray[np.floating]:
        """The numbers that may be seen, [number]."""
        finite = np.isfinite(self.values)
        seen: npt.NDArray[np.floating] = self.values[
            finite if self.mask is None else finite & self.mask
        ]
        return seen

    @cached_property
    def reach(self) -> tuple[float, float]:
        """The smallest and the largest number that may be seen."""
        seen = self.seen_values
        return (float(seen.min()), float(seen.max())) if seen.size else (0.0, 0.0)

    def inside(self, row: int | None, column: int | None) -> tuple[int | None, int | None]:
        """Return a row and a column, each none where it is not there."""
        rows, columns = self.values.shape
        return (
            row if row is not None and 0 <= row < rows else None,
            column if column is not None and 0 <= column < columns else None,
        )

    def beside(self, cell: tuple[int | None, int | None], step: tuple[int, int]) -> tuple[int, int]:
        """Return the cell a step away, at most at the edge.

        Where only a row is known, the step begins at its strongest cell; where nothing is, that
        of the last row is returned.
        """
        rows, columns = self.values.shape
        row, column = cell
        if row is None and column is None:
            return rows - 1, self._strongest(rows - 1)
        row = rows - 1 if row is None else row
        column = self._strongest(row) if column is None else column
        return min(max(row + step[0], 0), rows - 1), min(max(column + step[1], 0), columns - 1)

    def _strongest(self, row: int) -> int:
        line = np.nan_to_num(self.values[row], nan=-np.inf)
        if self.mask is not None:
            line = np.where(self.mask[row], line, -np.inf)
        return int(np.argmax(line))


NOTHING = LabelledGrid(
    np.zeros((0, 0)), None, ((), ()), ("", ""), "", Colouring("sequential", 0.0, 1.0)
)
