"""A field for one token, with completion over a vocabulary."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QModelIndex, QStringListModel, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QCompleter, QLineEdit, QWidget

from gui import palette
from gui.widgets.vocabulary_index import VocabularyIndex

_MOST = 40


class TokenField(QLineEdit):
    """Type a token as text, as its label or as `#id`; what is typed stays until it is a token."""

    chosen = Signal(int)
    """Id of the token that somebody entered or picked."""
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
        """Show a token, unless somebody is typing another."""
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
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
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
