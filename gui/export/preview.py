"""A file before it is written: its picture, the beginning of its text, or why there is none."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QImage, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QPlainTextEdit,
    QStackedWidget,
    QWidget,
)

from gui.export.jobs import Preview
from gui.state.figure_options import MM
from gui.style import palette
from gui.style.palette import theme
from gui.style.theme import UNIT

DPI = 192
"""Dots per inch of what is shown: twice a usual screen's, so that small type can be read."""
_PALE = 0.35


class PreviewPane(QStackedWidget):
    """Shows a Preview; the last one stays, paler, while another is made."""

    def __init__(self) -> None:
        super().__init__()
        self.setMinimumSize(260, 200)
        self.setAccessibleName("Preview")
        self.sheet = _Sheet()
        self.text = QPlainTextEdit()
        self.text.setReadOnly(True)
        self.text.setTabChangesFocus(True)
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.text.setFont(palette.token_font(small=True))
        self.text.setAccessibleName("Beginning of the file")
        self.addWidget(self.sheet)
        self.addWidget(self.text)

    def show_preview(self, shown: Preview, *, transparent: bool) -> None:
        """Show how a file will be."""
        if shown.page is not None:
            self.sheet.show_page(shown, transparent=transparent)
            self.setCurrentWidget(self.sheet)
        else:
            self.text.setPlainText(shown.text)
            self.setCurrentWidget(self.text)

    def show_words(self, words: str) -> None:
        """Say that it is being made, or that there is none."""
        self.sheet.show_words(words)
        self.setCurrentWidget(self.sheet)

    def size_in_words(self) -> str:
        """Return the size of the page that is shown, empty for none."""
        return self.sheet.size_in_words() if self.currentWidget() is self.sheet else ""


class _Sheet(QWidget):
    """A page as large as there is room, on squares where it is transparent."""

    def __init__(self) -> None:
        super().__init__()
        self._page: QImage | None = None
        self._inches = (0.0, 0.0)
        self._words, self._transparent = "", False
        self.setAccessibleName("Picture of the page")

    def sizeHint(self) -> QSize:
        """Return room for a column of text and half again."""
        return QSize(440, 380)

    def show_page(self, shown: Preview, *, transparent: bool) -> None:
        """Show a page."""
        self._page, self._inches = shown.page, shown.inches
        self._words, self._transparent = "", transparent
        self.setAccessibleDescription(self.size_in_words())
        self.update()

    def show_words(self, words: str) -> None:
        """Say something over the page that was shown last."""
        self._words = words
        self.setAccessibleDescription(words)
        self.update()

    def size_in_words(self) -> str:
        """Return the size of the page, empty for none."""
        if self._page is None or self._words:
            return ""
        inches = " × ".join(f"{side:.2f}" for side in self._inches)
        mm = " × ".join(f"{side / MM:.1f}" for side in self._inches)
        return f"{inches} in, {mm} mm"

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the page, and what is said over it."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        if self._page is not None:
            self._paint_page(painter, self._page)
        if self._words:
            box = QRectF(self.rect()).adjusted(UNIT, UNIT, -UNIT, -UNIT)
            flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
            said = painter.boundingRect(box, int(flags), self._words)
            painter.fillRect(said.adjusted(-UNIT, -UNIT, UNIT, UNIT), QColor(theme().card))
            painter.setPen(QColor(theme().text))
            painter.drawText(box, int(flags), self._words)
        painter.end()

    def _paint_page(self, painter: QPainter, image: QImage) -> None:
        place = self._place()
        painter.fillRect(place, QColor("white"))
        if self._transparent:
            painter.fillRect(place, QBrush(QColor("#d8d8d8"), Qt.BrushStyle.Dense4Pattern))
        painter.setOpacity(_PALE if self._words else 1.0)
        ratio = self.devicePixelRatioF()
        # Scaled at once: a painter that makes a picture smaller drops pixels.
        painter.drawImage(
            place,
            image.scaled(
                (place.size() * ratio).toSize(),
                Qt.AspectRatioMode.IgnoreAspectRatio,
                Qt.TransformationMode.SmoothTransformation,
            ),
        )
        painter.setOpacity(1.0)
        painter.setPen(QPen(QColor(theme().line)))
        painter.drawRect(place)

    def _place(self) -> QRectF:
        """Return where the page lies: as large as fits, at most twice its size in print."""
        room = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        width, height = (side * DPI for side in self._inches)
        scale = min(room.width() / width, room.height() / height, 1.0)
        left = room.x() + (room.width() - width * scale) / 2
        return QRectF(left, room.y(), width * scale, height * scale)
