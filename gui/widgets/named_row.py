"""A row of a list: what a thing is called, and in small print what there is to say about it."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from gui import palette
from gui.theme import UNIT

ABOUT = Qt.ItemDataRole.UserRole + 1
"""Role of the small print."""
PATH = Qt.ItemDataRole.UserRole + 2
"""Role that is true where the small print is a path, whose middle is what it can do without."""
HEADING = Qt.ItemDataRole.UserRole + 3
"""Role that is true where the row is a heading of those below."""

ROW_HEIGHT = 3 * UNIT
_NAME_SHARE = 0.55
"""Of the width, that a name takes at most where there is small print beside it."""

Index = QModelIndex | QPersistentModelIndex


class NamedRow(QStyledItemDelegate):
    """Paints such rows literally; what cannot be chosen is muted."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint a row."""
        colours = palette.theme()
        enabled = bool(index.flags() & Qt.ItemFlag.ItemIsEnabled)
        heading = bool(index.data(HEADING))
        area = option.rect
        painter.save()
        if enabled and option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(area, QColor(colours.accent_ground))
        inner = area.adjusted(UNIT if heading else 2 * UNIT, 0, -UNIT, 0)
        name = str(index.data(Qt.ItemDataRole.DisplayRole) or "")
        about = str(index.data(ABOUT) or "")
        font = palette.ui_font(bold=heading, small=heading)
        metrics = QFontMetrics(font)
        width = inner.width() if not about else int(inner.width() * _NAME_SHARE)
        painter.setFont(font)
        painter.setPen(QColor(colours.text if enabled else colours.muted))
        name = metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, width)
        flags = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(inner, flags | Qt.TextFlag.TextSingleLine, name)
        if about:
            inner.setLeft(inner.left() + metrics.horizontalAdvance(name) + 2 * UNIT)
            font = palette.ui_font(small=True)
            path = bool(index.data(PATH))
            cut = Qt.TextElideMode.ElideMiddle if path else Qt.TextElideMode.ElideRight
            painter.setFont(font)
            painter.setPen(QColor(colours.muted))
            about = QFontMetrics(font).elidedText(about, cut, inner.width())
            right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(inner, right | Qt.TextFlag.TextSingleLine, about)
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Return the height of a row; its width is the list's."""
        return QSize(UNIT, max(ROW_HEIGHT, QFontMetrics(palette.ui_font()).height() + UNIT // 2))
