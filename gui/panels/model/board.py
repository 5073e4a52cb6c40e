"""The figure board: figures of any heads, prompts and models, to be exported on one page."""

from dataclasses import replace
from typing import Any

from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
)

from engine.messages import Head, Request, model_of
from gui.client.background import Worker
from gui.client.engine_client import EngineClient
from gui.panels.frame import stack
from gui.panels.model.board_grid import ItemGrid, Shown, Thumbnails
from gui.panels.panel import Panel
from gui.session.model_opener import short_name
from gui.session.session import Session
from gui.state import question_table
from gui.state.difference import Difference
from gui.state.figure_board import MOST_COLUMNS, Board, Item
from gui.state.question import main_of, runs_of
from gui.state.question_table import View
from gui.style.theme import UNIT
from gui.widgets.controls import SpinBox
from gui.widgets.text import Sentence

NONE_YET = (
    "No figures yet. “Add to board” in the ⤓ menu of a card puts what it shows here; all are "
    "exported on one page, and kept with the session."
)
NO_TITLE = "none"
"""What is written for no title, as on the command line."""


class BoardPanel(Panel):
    """Thumbnails of the figures on the board, how they are set, and the way to a file."""

    title = "Board"
    redraw_on = frozenset({"model"})

    def __init__(self, session: Session, client: EngineClient) -> None:
        super().__init__(session, client)
        self.thumbnails: Thumbnails | None = None
        self.columns = SpinBox()
        self.columns.setAccessibleName("Columns of the board")
        self.columns.setRange(1, MOST_COLUMNS)
        self.columns.setSuffix(" columns")
        self.columns.valueChanged.connect(lambda count: self._set(columns=count))
        self.letters = QCheckBox("Letters")
        self.letters.setToolTip("a, b, c in front of the titles")
        self.letters.toggled.connect(lambda on: self._set(letters=on))
        self.shared = QCheckBox("Shared colours")
        self.shared.setToolTip("Maps of one quantity have the same limits, and one colour bar")
        self.shared.toggled.connect(lambda on: self._set(shared=on))
        self.export = QPushButton("Preview and export …")
        self.export.clicked.connect(lambda _=False: self.dialog_wanted.emit())
        self.add_controls([self.columns, self.letters, self.shared, self.export])
        self.none = Sentence("What the board is")
        self.grid = ItemGrid()
        self.grid.moved.connect(self._on_moved)
        self.grid.removed.connect(session.board.remove)
        self.grid.opened.connect(self._on_opened)
        self.grid.currentRowChanged.connect(self._on_chosen)
        self.earlier = _button("◀", "Move the chosen figure one place back", "Ctrl+Left")
        self.earlier.clicked.connect(lambda _=False: self.grid.move_chosen(-1))
        self.later = _button("▶", "Move the chosen figure one place on", "Ctrl+Right")
        self.later.clicked.connect(lambda _=False: self.grid.move_chosen(1))
        self.remove = _button("Take off", "Take the chosen figure off the board", "Delete")
        self.remove.clicked.connect(self._on_remove)
        self.name = QLabel()
        self.own_title = QLineEdit()
        self.own_title.editingFinished.connect(self._on_titled)
        row = QHBoxLayout()
        row.setSpacing(UNIT)
        row.addWidget(self.name)
        row.addWidget(self.own_title, 1)
        for button in (self.earlier, self.later, self.remove):
            row.addWidget(button)
        stack(self.body, self.none, (self.grid, 1), row).addStretch(0)
        session.board.changed.connect(self._on_board)

    def wants(self) -> dict[str, Request]:
        """Ask nothing as a panel: thumbnails ask for themselves."""
        return {}

    def serve(self, worker: Worker) -> None:
        """Draw thumbnails in the thread in which figures are drawn."""
        self.thumbnails = Thumbnails(self.client, worker, self)
        self.thumbnails.changed.connect(self.redraw)
        self._on_board()

    def draw(self) -> None:
        """Show what is on the board."""
        board, trouble = self.session.board.board, self.session.board.trouble
        if trouble:
            self.notice.show_failure(
                f"The session's board cannot be shown and is kept as it is: {trouble}"
            )
        else:
            self.notice.clear()
        count = len(board.items)
        self.subtitle.setText(f"{count} figure{'s' * (count != 1)}" if count else "")
        self.none.set_parts([] if count else [NONE_YET])
        self.none.setVisible(not count)
        self.export.setEnabled(bool(count) and self.thumbnails is not None)
        for widget in (self.grid, self.name, self.own_title, self.earlier, self.later, self.remove):
            widget.setVisible(bool(count))
        self.columns.setValue(board.columns)
        self.letters.setChecked(board.letters)
        self.shared.setChecked(board.shared)
        self.grid.show_columns(board.columns)
        names = zip(board.names, board.items, strict=True)
        self.grid.show_figures([self._shown(name, item) for name, item in names])
        self._show_title()

    def showEvent(self, event: QShowEvent) -> None:
        """Begin to draw thumbnails."""
        super().showEvent(event)
        self._want()

    def hideEvent(self, event: QHideEvent) -> None:
        """Ask nothing while nobody looks."""
        super().hideEvent(event)
        if self.thumbnails is not None and not event.spontaneous():
            self.thumbnails.stop()

    def _on_changed(self, what: str) -> None:
        super()._on_changed(what)
        if what == "model":
            self._want()

    def _on_board(self) -> None:
        self._want()
        self.redraw()

    def _want(self) -> None:
        if self.thumbnails is not None and self.isVisible():
            model = self.session.selection.model
            self.thumbnails.want(self.session.board.board.items, model)

    def _shown(self, name: str, item: Item) -> Shown:
        model = model_of(item.request)
        letter = f"{name}  " if self.session.board.board.letters else ""
        text = f"{letter}{words(item)}\n{short_name(model)}"
        image = self.thumbnails.image(item) if self.thumbnails else None
        failed = self.thumbnails.failure(item) if self.thumbnails else ""
        if image is not None or model == self.session.selection.model:
            instead = failed or "Drawing …"
        else:
            instead = failed or f"{short_name(model)} is opened when the board is drawn"
        prompts = [run.text for run in reversed(runs_of(item.request))]
        about = "\n".join(filter(None, (words(item), model, *prompts)))
        return Shown(text, about, image, instead)

    def _set(self, **changes: Any) -> None:
        self.session.board.put(replace(self.session.board.board, **changes))

    def _on_moved(self, place: int, to: int) -> None:
        self.session.board.put(self.session.board.board.moved(place, to))

    def _on_remove(self) -> None:
        if self._chosen() is not None:
            self.session.board.remove(self.grid.currentRow())

    def _on_opened(self, place: int) -> None:
        item = self.session.board.board.items[place]
        view = View(item.request, item.head)
        self.session.show(question_table.selection(view, self.session.selection))
        self.panel_wanted.emit(question_table.card(item.request))

    def _on_titled(self) -> None:
        if self._chosen() is None:
            return
        text = self.own_title.text().strip()
        title = None if not text else "" if text.lower() == NO_TITLE else text
        self.own_title.setModified(False)
        self.session.board.put(self.session.board.board.titled(self.grid.currentRow(), title))

    def _chosen(self) -> Item | None:
        board, row = self.session.board.board, self.grid.currentRow()
        return board.items[row] if 0 <= row < len(board.items) else None

    def _on_chosen(self) -> None:
        self.own_title.setModified(False)
        self._show_title()

    def _show_title(self) -> None:
        board: Board = self.session.board.board
        item, row = self._chosen(), self.grid.currentRow()
        if item is None:
            return
        name = board.names[row]
        self.name.setText(f"Title of {name}")
        self.own_title.setAccessibleName(f"Title of figure {name}")
        self.own_title.setPlaceholderText(f"its own; “{NO_TITLE}” for no title")
        title = NO_TITLE if item.title == "" else item.title or ""
        if not self.own_title.isModified():
            self.own_title.setText(title)
        self.earlier.setEnabled(row > 0)
        self.later.setEnabled(row + 1 < len(board.items))


def words(item: Item) -> str:
    """Return what a figure is called: its title, or its heads and the card that shows it."""
    if item.title:
        return item.title
    request: Any = main_of(item.request)
    less = f", {item.request.words}" if isinstance(item.request, Difference) else ""
    heads = [item.head or getattr(request, "head", None)]
    heads += [getattr(request, "earlier", None), getattr(request, "later", None)]
    names = [head.name for head in heads if isinstance(head, Head)]
    if not names and isinstance(layer := getattr(request, "layer", None), int):
        names = [f"Layer {layer}"]
    return f"{' then '.join(names)} {question_table.card(request)}{less}".strip()


def _button(text: str, says: str, keys: str) -> QPushButton:
    button = QPushButton(text)
    button.setProperty("quiet", True)
    button.setAccessibleName(says)
    button.setToolTip(f"{says} ({keys})")
    return button
