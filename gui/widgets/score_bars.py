"""A bar beside a number of a score table."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from gui import palette
from gui.theme import UNIT
from gui.widgets.score_model import SHARE

LEAST_BAR = 4 * UNIT
"""Pixels that the longest bar needs to tell anything."""
_HEIGHT = 8.0
_SHORTEST = 1.5


class ScoreBars(QStyledItemDelegate):
    """Paints a bar left of the numbers of columns that want one, where there is room."""

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        """Paint one cell."""
        super().paint(painter, option, index)
        found = index.data(SHARE)
        if found is None:
            return
        share, widest = found
        area = QRectF(option.rect)
        room = area.width() - widest - 2 * UNIT
        if room < LEAST_BAR or not share:
            return
        theme = palette.theme()
        bar = QRectF(area.left() + UNIT, 0, max(abs(share) * room, _SHORTEST), _HEIGHT)
        bar.moveTop(area.center().y() - _HEIGHT / 2)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.positive if share > 0 else theme.negative))
        painter.drawRoundedRect(bar, 1.5, 1.5)
        painter.restore()
