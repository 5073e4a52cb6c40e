"""Every head of a model in its cell: a thumbnail of its pattern, or its score."""

from collections.abc import Container, Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QKeyEvent, QPainter, QPixmap
from PySide6.QtWidgets import QWidget

from engine.messages import Head
from gui.style import palette
from gui.style.formatting import decimals_for, fixed
from gui.style.theme import UNIT
from gui.widgets import matrix_axes, matrix_painting, painting
from gui.widgets.cells import Colouring, GridGeometry, mosaic
from gui.widgets.matrix import NOWHERE, Cell, Matrix, MatrixLayout
from gui.widgets.matrix_view import MatrixView
from gui.widgets.painting import ARROWS, ROW_ENDS

_LEAST_SIDE = 14
_MOST_SIDE = 96
_SEEN_SIDE = 20
"""Heads are made smaller, down to this, so that all are seen without scrolling."""
_GAP = 2
"""Pixels between two heads."""
_BADGE = 10.0
_CENTRE = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextSingleLine


class HeadGrid(MatrixView):
    """Layers down, heads across; scrolls by whole ones when they are too many.

    A click or an arrow key asks for a head by `selected`; who listens calls `set_selected`.
    """

    keys = "Arrow keys move from head to head, X switches one off or on."
    steps = ARROWS | ROW_ENDS
    usual, least = (36, 30), (16, 10)
    selected = Signal(object)
    """Head that a click or an arrow key asks for."""
    switched = Signal(object)
    """Head that the key X asks to switch off, or on again."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Heads", parent)
        self._thumbnails: npt.NDArray[np.floating] = np.zeros((0, 0, 0, 0))
        self._mask: npt.NDArray[np.bool_] | None = None
        self._scores: npt.NDArray[np.floating] | None = None
        self._limits: tuple[float, float] | None = None
        self._best: Mapping[str, Sequence[Head]] = {}
        self._off: Sequence[Head] = ()
        self._mosaic: QPixmap | None = None
        """All heads, whatever is in sight."""
        self.clicked.connect(lambda layer, number: self.selected.emit(Head(layer, number)))

    def set_thumbnails(
        self, values: npt.NDArray[np.floating], mask: npt.NDArray[np.bool_] | None
    ) -> None:
        """Show a pattern for every head.

        Parameters
        ----------
        values
            Numbers from 0 to 1, [layer, head, row, column].
        mask
            True where a cell may be seen, [layer, row, column], or of all layers [row, column];
            `None`: everywhere.
        """
        self._thumbnails, self._mask = values, mask
        self._show()

    def set_scores(
        self,
        values: npt.NDArray[np.floating] | None,
        limits: tuple[float, float] | None = None,
    ) -> None:
        """Colour heads by a score instead; `None` goes back to thumbnails.

        Parameters
        ----------
        values
            [layer, head]
        limits
            Ends of the colour range; signed scores run as far below 0 as above. `None`: from 0 to
            1, and further where a score is larger.
        """
        self._scores, self._limits = values, limits
        self._show()

    def set_best(self, best: Mapping[str, Sequence[Head]]) -> None:
        """Mark the best heads of each measure by the first letter of the measure's name."""
        self._best = dict(best)
        self.viewport().update()

    def set_off(self, heads: Sequence[Head]) -> None:
        """Cross out the heads that are switched off."""
        self._off = tuple(heads)
        self.viewport().update()

    def set_selected(self, head: Head | None) -> None:
        """Frame a head and bring it into view."""
        self.set_pinned(*(head or NOWHERE))

    def head_rect(self, head: Head) -> QRectF:
        """Return where a head that is in sight is drawn, in pixels of the viewport."""
        return self.cell_rect(*head)

    def step(self, shown: Matrix, key: Qt.Key) -> Cell:
        """Return the head beside the selected one; the first one where none is selected."""
        return (0, 0) if self._pinned == NOWHERE else super().step(shown, key)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Ask for the head beside the selected one, or to switch that one off or on."""
        if event.key() == Qt.Key.Key_X and self._pinned != NOWHERE:
            self.switched.emit(Head(*self._pinned))
        else:
            super().keyPressEvent(event)

    def arranged(
        self, shown: Matrix, size: tuple[int, int], first: tuple[int, int], ratio: float
    ) -> MatrixLayout:
        """Return where all lies: heads fill the width, or the height if all are seen then."""
        layers, heads = shown.values.shape
        metrics = painting.small_metrics()
        left = metrics.horizontalAdvance(shown.labels[0][-1]) + UNIT
        top = metrics.height() + UNIT / 2
        across, down = max(size[0] - left - 1, 1.0), max(size[1] - top - 1, 1.0)
        side = min(max(across / heads, _LEAST_SIDE), _MOST_SIDE)
        if down >= layers * _SEEN_SIDE:
            side = min(side, down / layers)
        side = int(side * ratio) / ratio  # as many whole ones as there is room for
        seen = [
            min(count, max(1, int(room / side + 1e-6)))
            for count, room in ((layers, down), (heads, across))
        ]
        start = [
            max(0, min(at, count - some))
            for at, count, some in zip(first, shown.values.shape, seen, strict=True)
        ]
        grid = GridGeometry.cells((seen[0], side, top), (seen[1], side, left), ratio, _GAP)
        bounds = grid.bounds
        return MatrixLayout(
            grid,
            whole=(layers, heads),
            turn="apart",
            room=(left, across),
            edge=(bounds.left() - UNIT / 2 + 1, bounds.top() - UNIT / 2),
            above=True,
            first=(start[0], start[1]),
            bottom=bounds.bottom() + 2,
        )

    def lay_out(self) -> None:
        """Place everything anew."""
        self._mosaic = None
        super().lay_out()

    def pixels(self, shown: Matrix, layout: MatrixLayout) -> QPixmap:
        """Return the image of the heads in sight."""
        grid = layout.grid
        side = grid.pixels[0] // grid.shape[0]
        if self._mosaic is None or self._mosaic.height() != side * layout.whole[0]:
            values, mask = self._thumbnails, self._mask
            if self._scores is not None:
                values, mask = self._scores[:, :, np.newaxis, np.newaxis], None
            elif mask is not None:
                mask = mask[..., np.newaxis, :, :]
            self._mosaic = mosaic(values, mask, shown.colouring, grid)
        top, left = (place * side for place in layout.first)
        return self._mosaic.copy(left, top, *grid.pixels[::-1])

    def draw_cells(
        self, painter: QPainter, shown: Matrix, layout: MatrixLayout, cells: QPixmap
    ) -> None:
        """Draw the image of the heads in sight, then crosses, scores and marks."""
        grid = layout.grid
        painter.drawPixmap(grid.bounds.topLeft(), cells)
        rows, columns = ([end for _, end in grid.spans(axis)] for axis in (0, 1))
        matrix_painting.draw_rules(painter, grid, rows, columns, _GAP, palette.theme().card)
        _draw_crosses(painter, grid, self._cells(layout, self._off))
        letters: dict[Cell, str] = {}
        for measure, heads in self._best.items():
            for cell in self._cells(layout, heads):
                letters[cell] = letters.get(cell, "") + measure[:1].upper()
        if self._scores is not None:
            _draw_scores(painter, shown, layout, letters)
        _draw_letters(painter, grid, letters)

    def draw_axes(self, painter: QPainter, shown: Matrix, layout: MatrixLayout) -> None:
        """Draw L0, L1, … beside the rows and H0, H1, … above the columns."""
        self.draw_labels(painter, shown, layout, palette.theme().muted)

    def draw_frames(self, painter: QPainter, layout: MatrixLayout) -> None:
        """Frame the selected head, and the one under the mouse, in the gap around it."""
        theme, (pinned, pointed) = palette.theme(), self.marks()
        for cell, colour in ((pointed, theme.muted), (pinned, theme.accent)):
            matrix_painting.draw_cell_frame(painter, layout, cell, colour, 1.0)

    def _show(self) -> None:
        values = self._scores
        if values is None:
            values = np.zeros(self._thumbnails.shape[:2])
        layers, heads = values.shape
        labels = [f"L{layer}" for layer in range(layers)], [f"H{head}" for head in range(heads)]
        self._mosaic = None
        self.set_matrix(Matrix(values, self._colouring(), labels, tokens=(False, False)))

    def _colouring(self) -> Colouring:
        if self._scores is not None and self._limits is not None:
            low, high = self._limits
            return Colouring("diverging" if low < 0 else "sequential", low, high)
        highest = 1.0
        if self._scores is not None and np.isfinite(self._scores).any():
            highest = max(1.0, float(np.nanmax(self._scores)))
        return Colouring("sequential", 0.0, highest)

    def _cells(self, layout: MatrixLayout, heads: Iterable[Head]) -> list[Cell]:
        """Return where heads are among those in sight."""
        return [cell for cell in map(layout.in_sight, heads) if min(cell) >= 0]


def _draw_crosses(painter: QPainter, grid: GridGeometry, cells: Iterable[Cell]) -> None:
    """Cross out heads: a line of ink over a broader one of card, to be seen on any picture."""
    theme = palette.theme()
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for at in cells:
        cell = grid.cell(*at).adjusted(1, 1, -1, -1)
        for colour, width in ((theme.card, 5.0), (theme.bad, 2.0)):
            painter.setPen(painting.pen(colour, width))
            painter.drawLine(cell.topLeft(), cell.bottomRight())
            painter.drawLine(cell.bottomLeft(), cell.topRight())
    painter.restore()


def _draw_scores(
    painter: QPainter, shown: Matrix, layout: MatrixLayout, marked: Container[Cell]
) -> None:
    """Print each head's score where it fits; below the mark of a marked head."""
    known, grid = shown.seen_values, layout.grid
    if not known.size:
        return
    painter.setFont(palette.ui_font(small=True))
    metrics, room = QFontMetricsF(painter.font()), grid.pitches[0] - _GAP
    ends = float(known.min()), float(known.max())

    def fits(decimals: int) -> bool:
        return max(metrics.horizontalAdvance(fixed(end, decimals)) for end in ends) <= room

    decimals = next(filter(fits, range(min(decimals_for(known), 3), -1, -1)), None)
    if decimals is None or (decimals == 0 and ends[1] <= 1) or metrics.height() > room + 2:
        return
    values = shown.values[layout.rows, layout.columns]
    texts = [fixed(value, decimals) for value in values[np.isfinite(values)].tolist()]
    matrix_axes.draw_texts(painter, grid, values, texts, shown.colouring, low=marked)


def _draw_letters(painter: QPainter, grid: GridGeometry, letters: Mapping[Cell, str]) -> None:
    """Mark heads by letters in the top right corner, where a causal pattern has nothing."""
    theme = palette.theme()
    font = palette.ui_font(small=True, bold=True)
    side = palette.scaled(_BADGE)
    font.setPixelSize(side - 1)
    painter.save()
    painter.setFont(font)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    metrics = QFontMetricsF(font)
    for cell, text in letters.items():
        box = grid.cell(*cell)
        width = max(side, metrics.horizontalAdvance(text) + 4)
        badge = QRectF(box.right() - width, box.top(), width, side + 1)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.text))
        painter.drawRoundedRect(badge, 2, 2)
        painter.setPen(QColor(theme.card))
        painter.drawText(badge, _CENTRE, text)
    painter.restore()
