"""Finding tokens by what somebody types, fast enough for each key press at 150,000 tokens."""

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QEvent, QModelIndex, QStringListModel, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QCompleter, QLineEdit, QWidget

from gui.style import palette

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
        """Return the id of a token: by its text, by its label, as `#id`; none if there is none."""
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
