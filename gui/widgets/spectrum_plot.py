"""Singular values of a head's two circuits, with the cliff after d_head and near-equal groups."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QEvent, QPointF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from gui.style.formatting import decimals_for, fixed
from gui.style.palette import units
from gui.widgets import painting
from gui.widgets.painting import ALONG
from gui.widgets.spectrum_curve import CIRCUITS, Curve

if TYPE_CHECKING:
    from gui.widgets.spectrum_canvas import SpectrumCanvas

_NEAR = 24.0
"""A click farther than this many pixels from every value chooses none."""
_KEYS = "Left and Right move along a curve, Up and Down to the other one."


class SpectrumPlot(QWidget):
    """Two falling curves; a click or the arrow keys ask for a value by `chosen`.

    In signals and arguments an index counts from 0, as in the messages; on the screen the first
    value is number 1.
    """

    chosen = Signal(str, int)
    """Circuit, `ov` or `qk`, and index of the value that is asked for."""

    clicked_again = Signal()
    """A click on the value that is ringed."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._curves: dict[str, Curve] = {}
        self._selected: tuple[str, int] | None = None
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("Singular values")
        self.setAccessibleDescription(_KEYS)

    @cached_property
    def _canvas(self) -> "SpectrumCanvas":
        """What is drawn on, made with the first curves: pyqtgraph is a tenth of a second."""
        from gui.widgets.spectrum_canvas import SpectrumCanvas

        canvas = SpectrumCanvas(self)
        canvas.pressed.connect(self._press)
        canvas.describe = self._tip_at
        self._column.addWidget(canvas)
        return canvas

    def set_curves(
        self,
        ov: npt.NDArray[np.floating] | None,
        qk: npt.NDArray[np.floating] | None,
        dense_ov: npt.NDArray[np.floating] | None,
        dense_qk: npt.NDArray[np.floating] | None,
        d_head: int,
        ov_groups: Sequence[tuple[int, int]] = (),
        qk_groups: Sequence[tuple[int, int]] = (),
    ) -> None:
        """Show singular values, largest first.

        Parameters
        ----------
        ov, qk
            Of the thin factors, [d_head]; none leaves a curve out.
        dense_ov, dense_qk
            Measured on the whole matrix, [d_model]; what lies beyond d_head is drawn.
        d_head
            Where the cliff is.
        ov_groups, qk_groups
            First and last index of each run of near-equal values; those of one value are no run.
        """
        given = {"ov": (ov, dense_ov, ov_groups), "qk": (qk, dense_qk, qk_groups)}
        self._curves = {
            name: Curve(np.asarray(values, dtype=np.float64), _beyond(dense, d_head), tuple(groups))
            for name, (values, dense, groups) in given.items()
            if values is not None
        }
        self._canvas.set_curves(self._curves, d_head)

    def set_log(self, log: bool) -> None:
        """Draw values on a logarithmic axis, or a linear one."""
        self._canvas.set_log(log)

    def set_selected(self, circuit: str | None, index: int) -> None:
        """Ring a value, or none."""
        self._selected = None if circuit is None else (circuit, index)
        self._canvas.set_selected(self._selected)
        said = "" if circuit is None else f"{self._say(circuit, index)}. "
        self.setAccessibleDescription(said + _KEYS)

    def value_position(self, circuit: str, index: int) -> QPointF:
        """Return where a value is drawn, in pixels of this widget."""
        at = self._canvas.place(index, float(self._curves[circuit].values[index]))
        return QPointF(self._canvas.mapTo(self, at.toPoint()))

    def sizeHint(self) -> QSize:
        """Return a usual size."""
        return units(48, 32)

    def minimumSizeHint(self) -> QSize:
        """Return a size at which the curves can be told apart."""
        return units(24, 18)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Ask for the value beside the selected one, or for the other circuit's."""
        key = Qt.Key(event.key())
        if not self._curves or key not in (*ALONG, Qt.Key.Key_Up, Qt.Key.Key_Down):
            super().keyPressEvent(event)
            return
        self._canvas.set_ring(True)
        names = list(self._curves)
        circuit, index = self._selected or (names[0], -1)
        if circuit not in self._curves:
            circuit = names[0]
        if key in ALONG:
            index += ALONG[key]
        elif self._selected is not None:
            circuit = names[(names.index(circuit) + 1) % len(names)]
        last = len(self._curves[circuit].values) - 1
        self.chosen.emit(circuit, min(max(index, 0), last))

    def changeEvent(self, event: QEvent) -> None:
        """Follow theme and font."""
        super().changeEvent(event)
        changes = (QEvent.Type.StyleChange, QEvent.Type.FontChange)
        if event.type() in changes and "_canvas" in vars(self):
            self._canvas.follow()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show the ring when the keyboard brought the focus."""
        self._canvas.set_ring(painting.came_by_keyboard(event.reason()))
        super().focusInEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Take the ring away."""
        self._canvas.set_ring(False)
        super().focusOutEvent(event)

    def _values(self) -> Iterator[tuple[str, int, QPointF]]:
        for name, curve in self._curves.items():
            for index, value in enumerate(curve.values.tolist()):
                yield name, index, self._canvas.place(index, value)

    def _nearest(self, point: QPointF) -> tuple[str, int] | None:
        found, least = None, _NEAR
        for name, index, place in self._values():
            away = (place - point).manhattanLength()
            if away < least:
                found, least = (name, index), away
        return found

    def _press(self, point: QPointF) -> None:
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        found = self._nearest(point)
        if found is not None and found == self._selected:
            self.clicked_again.emit()
        elif found is not None:
            self.chosen.emit(*found)

    def _tip_at(self, point: QPointF) -> str:
        found = self._nearest(point)
        return "" if found is None else self._say(*found)

    def _say(self, circuit: str, index: int) -> str:
        if circuit not in self._curves or index >= len(self._curves[circuit].values):
            return ""
        values = self._curves[circuit].values
        number = fixed(float(values[index]), max(4, decimals_for(values[index])))
        text = f"{CIRCUITS[circuit]}, value {index} of 0 to {len(values) - 1}: {number}"
        for first, last in self._curves[circuit].groups:
            if first <= index <= last and last > first:
                text += f"\nvalues {first} to {last} are within 1 %: one subspace"
        return text


def _beyond(dense: npt.NDArray[np.floating] | None, d_head: int) -> npt.NDArray[np.float64]:
    """Return the measured values after the cliff, as many as show that they stay down."""
    if dense is None:
        return np.zeros(0)
    more = max(6, d_head // 5)
    return np.asarray(dense[d_head : d_head + more], dtype=np.float64)
