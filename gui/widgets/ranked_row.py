"""How a row of a ranked list is painted."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from gui import palette
from gui.theme import UNIT
from gui.widgets import painting
from gui.widgets.ranked_model import BAR, HIGHLIGHT, PIECE, RANK, SPAN, TOKEN, VALUE
from gui.widgets.row_table import ROW_HEIGHT

_BAR_HEIGHT = 8.0
_LEAST_BAR = 1.5


class RankedRow(QStyledItemDelegate):
    """Paints all columns; tokens as they are, never as rich text."""

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        """Paint one cell."""
        theme = palette.theme()
        chosen = bool(index.data(HIGHLIGHT))
        area = QRectF(option.rect)
        state = option.state
        view = self.parent()
        focused = (
            bool(state & QStyle.StateFlag.State_Selected)
            and isinstance(view, QWidget)
            and view.hasFocus()
        )
        painter.save()
        if chosen or state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(area, QColor(theme.accent_ground if chosen else theme.field))
        if focused:
            painter.setPen(painting.pen(theme.accent))
            inner = area.adjusted(0, 0.5, 0, -0.5)
            painter.drawLine(inner.topLeft(), inner.topRight())
            painter.drawLine(inner.bottomLeft(), inner.bottomRight())
        if index.column() == BAR:
            self._paint_bar(painter, area, index)
        else:
            self._paint_text(painter, area, index, chosen)
        painter.restore()

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        """Return the height of a row; the view shares the width out."""
        return QSize(0, palette.scaled(ROW_HEIGHT))

    def _paint_bar(
        self, painter: QPainter, area: QRectF, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        theme = palette.theme()
        start, stop, negative = index.data(SPAN)
        left = area.left() + start * area.width()
        width = (stop - start) * area.width()
        if width <= 0:
            return
        top = area.center().y() - _BAR_HEIGHT / 2
        bar = QRectF(left, top, max(width, _LEAST_BAR), _BAR_HEIGHT)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.negative if negative else theme.positive))
        painter.drawRoundedRect(bar, 1.5, 1.5)

    def _paint_text(
        self,
        painter: QPainter,
        area: QRectF,
        index: QModelIndex | QPersistentModelIndex,
        chosen: bool,
    ) -> None:
        theme = palette.theme()
        column = index.column()
        token = column == TOKEN
        painter.setFont(
            palette.token_font(bold=chosen) if token else palette.ui_font(small=column == RANK)
        )
        quiet = theme.text if token and not index.data(PIECE) else theme.muted
        painter.setPen(QColor(theme.accent if chosen and token else quiet))
        side = Qt.AlignmentFlag.AlignLeft if token else Qt.AlignmentFlag.AlignRight
        margin = UNIT if token else 0
        edge = UNIT / 2 if column in (TOKEN, VALUE) else 0
        inner = area.adjusted(margin, 0, -edge, 0)
        text = str(index.data())
        if token:
            text = painter.fontMetrics().elidedText(
                text, Qt.TextElideMode.ElideRight, int(inner.width())
            )
        flags = Qt.AlignmentFlag.AlignAbsolute | side | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(inner, flags | Qt.TextFlag.TextSingleLine, text)
