"""What the painted widgets paint alike: focus ring, message of an empty state, lines."""

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from gui import palette
from gui.theme import RADIUS, UNIT

_BY_KEYBOARD = frozenset(
    {
        Qt.FocusReason.TabFocusReason,
        Qt.FocusReason.BacktabFocusReason,
        Qt.FocusReason.ShortcutFocusReason,
    }
)


def came_by_keyboard(reason: Qt.FocusReason) -> bool:
    """Return whether focus came by a key, so that the ring belongs there."""
    return reason in _BY_KEYBOARD


def pen(colour: str, width: float = 1.0) -> QPen:
    """Return a pen with square corners, so that frames of cells stay crisp."""
    made = QPen(QColor(colour), width)
    made.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
    return made


def focus_ring(painter: QPainter, area: QRect) -> None:
    """Draw the ring of a widget that has the keyboard."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(pen(palette.theme().accent))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(QRectF(area).adjusted(0.5, 0.5, -0.5, -0.5), RADIUS, RADIUS)
    painter.restore()


def message(painter: QPainter, area: QRect, text: str) -> None:
    """Write what there is to say where nothing can be drawn."""
    painter.save()
    painter.setFont(palette.ui_font())
    painter.setPen(QColor(palette.theme().muted))
    inner = area.adjusted(UNIT, UNIT, -UNIT, -UNIT)
    flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
    painter.drawText(inner, flags, text)
    painter.restore()


def rotated_text(painter: QPainter, area: QRectF, flags: Qt.AlignmentFlag, text: str) -> None:
    """Write text that reads upwards inside an area; flags are those of the unturned text."""
    painter.save()
    painter.translate(area.left(), area.bottom())
    painter.rotate(-90)
    turned = QRectF(0, 0, area.height(), area.width())
    painter.drawText(turned, flags | Qt.TextFlag.TextSingleLine, text)
    painter.restore()
