"""Favourites: what somebody wrote about a head, and the way back to every head they marked."""

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QPlainTextEdit, QPushButton

from engine.messages import Request
from gui.client.engine_client import EngineClient
from gui.panels.frame import stack
from gui.panels.panel import Panel
from gui.session.model_opener import short_name
from gui.session.session import Session
from gui.state.session_file import Favourite
from gui.style.formatting import head_name
from gui.style.palette import ScaledSize
from gui.widgets.text import Sentence

NONE_YET = (
    "No favourites yet. ☆ marks the open head; a note marks it too. All are kept with the session."
)
LEAST_NOTE, LEAST_LIST = 48, 60


class NotesPanel(Panel):
    """A note on the open head, and a list of all heads that are marked."""

    title = "Notes"
    redraw_on = frozenset({"head", "model"})

    def __init__(self, session: Session, client: EngineClient) -> None:
        super().__init__(session, client)
        self.star = QPushButton()
        self.star.setCheckable(True)
        self.star.clicked.connect(self._on_star)
        self.add_controls([self.star])
        self.note = QPlainTextEdit()
        self.note.setTabChangesFocus(True)
        ScaledSize(self.note, self.note.setMinimumHeight, LEAST_NOTE)
        self.note.textChanged.connect(self._on_written)
        self.none = Sentence("What favourites are")
        self.none.set_parts([NONE_YET])
        self.list = QListWidget()
        self.list.setAccessibleName("Favourites, of all models")
        self.list.setToolTip(
            "Click or Enter opens the head; Delete removes it (Ctrl+Z undoes that)"
        )
        ScaledSize(self.list, self.list.setMinimumHeight, LEAST_LIST)
        self.list.setSpacing(1)
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.itemClicked.connect(self._on_picked)
        self.list.itemActivated.connect(self._on_picked)
        delete = QShortcut(QKeySequence.StandardKey.Delete, self.list)
        delete.setContext(Qt.ShortcutContext.WidgetShortcut)
        delete.activated.connect(self._on_delete)
        stack(self.body, (self.note, 1), self.none, (self.list, 2))
        session.favourites.changed.connect(self.redraw)

    def wants(self) -> dict[str, Request]:
        """Ask nothing: what is written here is known before any model is."""
        return {}

    def draw(self) -> None:
        """Show the note of the open head and the list."""
        self.show_head()
        now = self.session.selection
        found = self.session.favourites.find(now.model, now.head)
        name = f"{head_name(now.head)} of {short_name(now.model)}"
        self.star.setChecked(found is not None)
        self.star.setText("★ Favourite" if found else "☆ Favourite")
        self.star.setAccessibleName(f"{head_name(now.head)} is a favourite")
        self.star.setToolTip("Remove it and its note" if found else "Mark the open head")
        self.note.setAccessibleName(f"Note on {name}")
        self.note.setPlaceholderText(f"A note on {name}")
        note = found.note if found else ""
        if self.note.toPlainText() != note:
            with QSignalBlocker(self.note):
                self.note.setPlainText(note)
        self._draw_list(found)

    def _draw_list(self, found: Favourite | None) -> None:
        favourites = self.session.favourites.all
        self.none.setVisible(not favourites)
        self.list.setVisible(bool(favourites))
        self.subtitle.setText(f"{len(favourites)} marked" if favourites else "")
        for row, favourite in enumerate(favourites):
            if row == self.list.count():
                self.list.addItem(QListWidgetItem())
            item = self.list.item(row)
            item.setText(_line(favourite))
            item.setData(Qt.ItemDataRole.UserRole, (favourite.model, favourite.head))
        while self.list.count() > len(favourites):
            self.list.takeItem(self.list.count() - 1)
        self.list.setCurrentRow(favourites.index(found) if found else -1)

    def _on_star(self, on: bool) -> None:
        now = self.session.selection
        if on:
            self.session.favourites.add(now.model, now.head)
        else:
            self.session.favourites.remove(now.model, now.head)

    def _on_written(self) -> None:
        now = self.session.selection
        self.session.favourites.write(now.model, now.head, self.note.toPlainText())

    def _on_picked(self, item: QListWidgetItem) -> None:
        model, head = item.data(Qt.ItemDataRole.UserRole)
        self.session.open_model(model)
        self.session.choose_head(head)

    def _on_delete(self) -> None:
        item = self.list.currentItem()
        if item is not None:
            self.session.favourites.remove(*item.data(Qt.ItemDataRole.UserRole))


def _line(favourite: Favourite) -> str:
    first = favourite.note.strip().partition("\n")[0]
    return f"{head_name(favourite.head)}  ·  {short_name(favourite.model)}" + (
        f"  —  {first}" if first else ""
    )
