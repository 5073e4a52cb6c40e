"""A row of the command palette: a name, small print after it, and keys at the right."""

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from gui import palette
from gui.theme import UNIT
from gui.widgets.named_row import Index

ABOUT = Qt.ItemDataRole.UserRole + 1
"""Role of the small print."""
KEYS = Qt.ItemDataRole.UserRole + 2
"""Role of the keys that do it, as the platform writes them."""

_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class CommandRow(QStyledItemDelegate):
    """Paints such rows literally."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint a row; the small print gives way first, then the name."""
        colours = palette.theme()
        painter.save()
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(option.rect, QColor(colours.accent_ground))
        room = option.rect.adjusted(UNIT, 0, -UNIT, 0)
        small = palette.ui_font(small=True)
        keys = str(index.data(KEYS) or "")
        if keys:
            width = _write(painter, room, keys, small, colours.muted, _RIGHT)
            room.setRight(room.right() - width - 2 * UNIT)
        name = str(index.data(Qt.ItemDataRole.DisplayRole) or "")
        width = _write(painter, room, name, palette.ui_font(), colours.text, _LEFT)
        room.setLeft(room.left() + width + 2 * UNIT)
        if (about := str(index.data(ABOUT) or "")) and room.width() > 4 * UNIT:
            _write(painter, room, about, small, colours.muted, _LEFT)
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Return the height of a row; its width is the list's."""
        return QSize(UNIT, QFontMetrics(palette.ui_font()).height() + UNIT)


def _write(
    painter: QPainter, room: QRect, text: str, font: QFont, ink: str, flags: Qt.AlignmentFlag
) -> int:
    """Write one line, cut where there is no room, and return its width."""
    metrics = QFontMetrics(font)
    text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room.width())
    painter.setFont(font)
    painter.setPen(QColor(ink))
    painter.drawText(room, flags | Qt.TextFlag.TextSingleLine, text)
    return metrics.horizontalAdvance(text)
