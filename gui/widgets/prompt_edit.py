"""A field for a prompt: it grows with its text, tells of edits, and remembers earlier prompts."""

from collections.abc import Sequence
from math import ceil

from PySide6.QtCore import QEvent, QMimeData, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QFontMetricsF,
    QKeyEvent,
    QPaintEvent,
    QResizeEvent,
    QShowEvent,
    QTextCursor,
)
from PySide6.QtWidgets import QPlainTextEdit, QSizePolicy, QWidget

from gui.style.theme import UNIT

_DEBOUNCE = 250
_LONGEST_WAIT = 750
"""Milliseconds after which somebody who types without a pause is told of, too."""
_MARGIN = UNIT // 2
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_HISTORY = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}


class PromptEdit(QPlainTextEdit):
    """Plain text; Enter submits, Shift+Enter begins a new line, Up and Down walk the history."""

    submitted = Signal()
    """Somebody pressed Enter."""
    edited = Signal()
    """The text has changed, and then not for a quarter of a second; while it keeps changing, told
    every three quarters of one."""

    def __init__(self, parent: QWidget | None = None, *, max_lines: int = 8) -> None:
        super().__init__(parent)
        self._max_lines = max_lines
        self._history: list[str] = []
        self._place = 0
        self._draft = ""
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_DEBOUNCE)
        self._timer.timeout.connect(self._tell)
        self._overdue = QTimer(self)
        self._overdue.setSingleShot(True)
        self._overdue.setInterval(_LONGEST_WAIT)
        self._overdue.timeout.connect(self._tell)
        self.setAccessibleName("Prompt")
        # A margin of the document is scrolled away, and then half a line would show in its room.
        self.document().setDocumentMargin(0)
        self.setViewportMargins(_MARGIN, _MARGIN, _MARGIN, _MARGIN)
        self.setTabChangesFocus(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        # Lines are wrapped, but Qt counts a few pixels more than they have and scrolls by them.
        across = self.horizontalScrollBar()
        across.rangeChanged.connect(lambda: across.setRange(0, 0))
        self.textChanged.connect(self._on_typed)
        self.document().documentLayout().documentSizeChanged.connect(self._grow)
        self._grow()

    def toPlainText(self) -> str:
        """Return the text exactly; Qt's own turns no-break spaces into spaces."""
        raw = self.document().toRawText()
        return raw.replace("\u2029", "\n").replace("\u2028", "\n")

    def set_text(self, text: str) -> None:
        """Replace the text, which can be undone, without telling of an edit."""
        if text != self.toPlainText():
            self._replace(text)
        self._stop()

    def set_history(self, texts: Sequence[str]) -> None:
        """Remember earlier prompts, oldest first."""
        walking = self._place < len(self._history)
        shown = self._history[self._place] if walking else None
        self._history = list(texts)
        # Somebody who walks the history stays where they are in it.
        kept = shown is not None and shown == self.toPlainText() and shown in self._history
        self._place = self._history.index(shown) if kept and shown else len(self._history)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        """Return whether it is text; a file is the window's to open, and no text to paste."""
        files = any(url.isLocalFile() for url in source.urls())
        return not files and super().canInsertFromMimeData(source)

    def sizeHint(self) -> QSize:
        """Return the size of the text, at most `max_lines` high."""
        return QSize(super().sizeHint().width(), self._height())

    def minimumSizeHint(self) -> QSize:
        """Return the size of the text, so that no line is cut."""
        return QSize(super().minimumSizeHint().width(), self._height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Wrap anew, which may change the height, and stay where one types."""
        super().resizeEvent(event)
        self._grow()
        self.ensureCursorVisible()

    def showEvent(self, event: QShowEvent) -> None:
        """Wrap anew: a scroll bar that comes while Qt first lays out narrows no line."""
        super().showEvent(event)
        for mode in (self.LineWrapMode.NoWrap, self.LineWrapMode.WidgetWidth):
            self.setLineWrapMode(mode)

    def changeEvent(self, event: QEvent) -> None:
        """Follow theme and font."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._grow()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw whole lines: scrolled to the end, the feet of one more would show above them."""
        above = round(self.contentOffset().y()) % self._spacing()
        whole = self.viewport().rect().adjusted(0, above, 0, 0)
        super().paintEvent(QPaintEvent(event.rect().intersected(whole)))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Submit, walk the history, or type."""
        shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if event.key() in _ENTER and not shift:
            self._stop()
            self.submitted.emit()
        elif event.key() in _ENTER:
            self.insertPlainText("\n")
        elif not (event.key() in _HISTORY and not shift and self._walk(Qt.Key(event.key()))):
            super().keyPressEvent(event)

    def _on_typed(self) -> None:
        self._timer.start()
        if not self._overdue.isActive():
            self._overdue.start()

    def _tell(self) -> None:
        self._stop()
        self.edited.emit()

    def _stop(self) -> None:
        self._timer.stop()
        self._overdue.stop()

    def _walk(self, key: Qt.Key) -> bool:
        """Show the earlier or later prompt, from the first or last line of this one."""
        up = key == Qt.Key.Key_Up
        probe = self.textCursor()
        way = QTextCursor.MoveOperation.Up if up else QTextCursor.MoveOperation.Down
        if probe.movePosition(way):
            return False
        here = self.toPlainText()
        if self._place == len(self._history) or here != self._history[self._place]:
            self._place, self._draft = len(self._history), here
        texts = [*self._history, self._draft]
        place = self._place + _HISTORY[key]
        while 0 <= place < len(texts) and texts[place] == here:
            place += _HISTORY[key]  # the text that stands there already is no step
        if not 0 <= place < len(texts):
            return False
        self._place = place
        self._replace(texts[place])
        return True

    def _replace(self, text: str) -> None:
        cursor = self.textCursor()
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.insertText(text)
        cursor.movePosition(QTextCursor.MoveOperation.End)
        self.setTextCursor(cursor)

    def _spacing(self) -> int:
        return ceil(QFontMetricsF(self.font()).lineSpacing())

    def _height(self) -> int:
        lines = min(max(ceil(self.document().size().height()), 2), self._max_lines)
        # Frame and padding come from the style sheet, which only the finished layout tells.
        around = self.height() - self.viewport().height() if self.isVisible() else 3 * UNIT
        # A pixel too few would bring the scroll bar.
        return lines * self._spacing() + around + 1

    def _grow(self) -> None:
        if self.height() != self._height():
            self.setFixedHeight(self._height())
            self.updateGeometry()
