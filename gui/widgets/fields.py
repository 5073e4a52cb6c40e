"""Fields for a token and for a prompt."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from math import ceil

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import (
    QEvent,
    QMimeData,
    QModelIndex,
    QSize,
    QStringListModel,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import (
    QFontMetricsF,
    QKeyEvent,
    QPaintEvent,
    QResizeEvent,
    QShowEvent,
    QTextCursor,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCompleter,
    QLineEdit,
    QPlainTextEdit,
    QSizePolicy,
    QWidget,
)

from gui.style import palette
from gui.style.theme import UNIT

_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_SPACE = "·"
_BREAK = "\n"


class VocabularyIndex:
    """The tokens of a vocabulary as typed (`texts`) and as shown (`labels`), in order of ids."""

    def __init__(self, texts: Sequence[str], labels: Sequence[str]) -> None:
        self.texts = texts
        self.labels = labels

    @cached_property
    def _by_text(self) -> dict[str, int]:
        found: dict[str, int] = {}
        for token, text in enumerate(self.texts):
            # Of tokens with one text, what the text is read as is shown without its number.
            if text and (
                text not in found or (self._numbered(found[text]) and not self._numbered(token))
            ):
                found[text] = token
        return found

    @cached_property
    def _by_label(self) -> dict[str, int]:
        # Reversed, so that of equal labels the lowest id stays.
        return {label: token for token, label in reversed(list(enumerate(self.labels))) if label}

    @cached_property
    def _all(self) -> str:
        """All labels as one text, a line each, a break before each: one search finds the next."""
        lines = _BREAK.join(self.labels)
        if lines.count(_BREAK) >= len(self.labels):
            lines = _BREAK.join(label.replace(_BREAK, " ") for label in self.labels)
        return _BREAK + lines.casefold() + _BREAK

    @cached_property
    def _starts(self) -> npt.NDArray[np.intp]:
        """Where each label begins in the one text, [token]."""
        letters = np.frombuffer(self._all.encode("utf-32-le", "surrogatepass"), dtype="<u4")
        return np.flatnonzero(letters == ord(_BREAK))[:-1] + 1

    def _numbered(self, token: int) -> bool:
        return self.labels[token].endswith(f"#{token}")

    def find(self, typed: str) -> int | None:
        """Return the id of a token: by its text, by its label, as `#id`; else `None`."""
        if typed and typed in self._by_text:
            return self._by_text[typed]
        if typed and typed in self._by_label:
            return self._by_label[typed]
        if typed.startswith("#") and typed[1:].isdecimal() and int(typed[1:]) < len(self.labels):
            return int(typed[1:])
        return None

    def complete(self, typed: str, most: int) -> list[int]:
        """Return tokens that may be meant, at most so many.

        The token itself comes first, alone and after a space, then labels that begin with what
        was typed, those that do after a space, and those that hold it anywhere; case is ignored.
        """
        if not self.labels:
            return []
        found: dict[int, None] = {}
        wanted = typed.replace(" ", _SPACE).replace(_BREAK, " ").casefold()
        begins = (_BREAK + wanted, _BREAK + _SPACE + wanted)
        anywhere = (wanted,) if wanted else ()  # nothing is at the beginning of every token
        for needle in (*(begin + _BREAK for begin in begins), *begins, *anywhere):
            for token in self._holding(needle):
                if len(found) >= most:
                    return list(found)
                found[token] = None
        return list(found)

    def _holding(self, needle: str) -> Iterator[int]:
        """Yield the tokens in whose line, with the break before it, the needle is."""
        at = self._all.find(needle)
        while 0 <= at < len(self._all) - 1:
            inside = at + 1 if needle.startswith(_BREAK) else at
            token = int(np.searchsorted(self._starts, inside, side="right")) - 1
            yield token
            if token + 1 >= len(self._starts):
                return
            at = self._all.find(needle, int(self._starts[token + 1]) - 1)


_MOST = 40


class TokenField(QLineEdit):
    """Type a token as text, as its label or as `#id`; what is typed stays until it is a token."""

    chosen = Signal(int)
    """Id of the token that was entered or picked."""
    refused = Signal(str)
    """A sentence about what was entered and is no single token."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._index = VocabularyIndex((), ())
        self._token: int | None = None
        self._ids: list[int] = []
        self._offered = QStringListModel(self)
        self._completer = QCompleter(self._offered, self)
        self._completer.setCompletionMode(QCompleter.CompletionMode.UnfilteredPopupCompletion)
        self._completer.setMaxVisibleItems(12)
        self._completer.setWidget(self)
        self._completer.activated[QModelIndex].connect(self._pick)  # type: ignore[index]
        self.setPlaceholderText("a token")
        self.setAccessibleName("Token")
        self.setProperty("face", "token")
        self.setProperty("refused", False)
        self.textEdited.connect(self._offer)

    def set_vocabulary(self, texts: Sequence[str], labels: Sequence[str]) -> None:
        """Say which tokens there are, in the order of ids: as typed and as shown."""
        self._index = VocabularyIndex(texts, labels)

    def set_token(self, token: int) -> None:
        """Show a token, unless another one is being typed."""
        self._token = token
        if not (self.hasFocus() and self.isModified()):
            self._show_token()

    def event(self, event: QEvent) -> bool:
        """Keep Escape from the window's own use of it while something is typed."""
        if (
            isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.ShortcutOverride
            and event.key() == Qt.Key.Key_Escape
            and self.isModified()
        ):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter what is typed; Escape goes back to the token."""
        popup = self._popup()
        if event.key() in _ENTER:
            if popup.isVisible() and popup.currentIndex().isValid():
                event.ignore()  # the completer picks its row
                return
            popup.hide()
            self._enter()
        elif event.key() == Qt.Key.Key_Escape and self.isModified() and self._token is not None:
            popup.hide()
            self._show_token()
        elif event.key() == Qt.Key.Key_Down and not popup.isVisible():
            self._offer(self.text())
        else:
            super().keyPressEvent(event)

    def _popup(self) -> QAbstractItemView:
        popup = self._completer.popup()
        assert popup is not None
        return popup

    def _offer(self, typed: str) -> None:
        palette.set_look(self, "refused", False)
        self._ids = self._index.complete(typed, _MOST)
        self._offered.setStringList([self._index.labels[token] for token in self._ids])
        popup = self._popup()
        if not self._ids:
            popup.hide()
            return
        popup.setFont(palette.token_font())
        self._completer.setCompletionPrefix("")
        self._completer.complete()

    def _pick(self, index: QModelIndex) -> None:
        self._choose(self._ids[index.row()])

    def _enter(self) -> None:
        token = self._index.find(self.text())
        if token is None:
            palette.set_look(self, "refused", True)
            self.refused.emit(
                f"{self.text()!r} is no single token of this model: pick one from the list while "
                "typing"
            )
        else:
            self._choose(token)

    def _choose(self, token: int) -> None:
        self._token = token
        self._show_token()
        self.selectAll()
        self.chosen.emit(token)

    def _show_token(self) -> None:
        palette.set_look(self, "refused", False)
        if self._token is not None and self._token < len(self._index.labels):
            self.setText(self._index.labels[self._token])
        self.setModified(False)


_DEBOUNCE = 250
_LONGEST_WAIT = 750
"""Milliseconds after which an edit is announced although typing goes on."""
_MARGIN = UNIT // 2
_HISTORY = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}


class PromptEdit(QPlainTextEdit):
    """Plain text; Enter submits, Shift+Enter begins a new line, Up and Down walk the history."""

    submitted = Signal()
    """Enter was pressed."""
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
        # A walk through the history stays where it is.
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
