"""Opening a figure: from a file that was exported to the view that it came from."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from engine.messages import Refused
from gui.client.background import Worker
from gui.client.engine_client import Failure
from gui.export.options_form import LastExport
from gui.session.session import Session
from gui.state import question_table
from gui.state.figure_board import Board
from gui.state.file_kinds import READABLE
from gui.state.question import with_models
from gui.state.question_table import View
from gui.widgets.forms import ask_for_file


class FigureOpener(QObject):
    """Opens figures and data files that were exported.

    Parameters
    ----------
    chosen
        The folder to look in.
    show_cards
        Brings cards to the front.
    models
        Returns the paths of models that were opened, the last one first.
    """

    refused = Signal(str, str)
    """What was not opened, and why."""

    def __init__(
        self,
        window: QWidget,
        session: Session,
        worker: Worker,
        chosen: LastExport,
        show_cards: Callable[[list[str]], object],
        models: Callable[[], Sequence[str]] = tuple,
    ) -> None:
        super().__init__(window)
        self._window, self._session, self._worker = window, session, worker
        self._chosen, self._show_cards, self._models = chosen, show_cards, models

    def ask_which(self) -> None:
        """Ask for a file to open."""
        kinds = " ".join(f"*{suffix}" for suffix in READABLE)
        filter_ = f"Figures and data ({kinds})"
        ask_for_file(self._window, "Open figure", self._chosen.folder, filter_, self.open)

    def open(self, path: Path) -> None:
        """Show what a file was made from; one that does not say it changes nothing."""
        known = [self._session.selection.model, *self._models()]
        self._worker.do(partial(read, path, known), self._show, partial(self._refuse, path))

    def show_board(self, board: Board) -> None:
        """Show a board in the place of the session's, which Undo brings back."""
        self._session.board.replace(board, "open another board")
        self._show_cards(["Board"])

    def _show(self, view: View | Board) -> None:
        if isinstance(view, Board):
            self.show_board(view)
            return
        self._session.show(question_table.selection(view, self._session.selection))
        self._show_cards([question_table.card(view.request)])

    def _refuse(self, path: Path, failure: Failure) -> None:
        self.refused.emit(f"{path.name} was not opened", failure.sentence)


def read(path: Path, known: Sequence[str] = ()) -> View | Board:
    """Return what a file was made from: a view, or a board of several figures.

    A model that it names without its folders is looked for among paths that are known, and beside
    the file.

    Raises
    ------
    Refused
        If it does not say it, or cannot be read; the sentence says which.
    """
    from gui import figures
    from gui.figures import board_file

    def find(model: str) -> str:
        return question_table.located(model, [*known, question_table.beside(path, model)])

    try:
        if board_file.is_board(path):
            return board_file.read(path).board.with_models(find)
        made = figures.read(path)
    except OSError as error:
        raise Refused(f"{path.name} cannot be read: {error.strerror}") from None
    try:
        seen = question_table.view(made)
        return seen._replace(request=with_models(seen.request, find))
    except Refused as refused:
        raise Refused(f"{path.name}: {refused}") from None
