"""What leads out of panels: the menu of each, and the button that asks which card.

Files, pictures, tables, commands and Python, as far as a panel has them.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtWidgets import QApplication, QDialog, QMenu, QPushButton, QToolButton, QWidget

from gui.client.background import Worker, sentence
from gui.client.engine_client import EngineClient, Failure
from gui.client.gather import Gathering
from gui.export import exportable, jobs, screenshot
from gui.export.exportable import Exportable, exportables, file_stem
from gui.export.jobs import AnswerInputs, gather
from gui.export.options_form import LastExport
from gui.export.screenshot import copy_text
from gui.panels.panel import Panel
from gui.session.settings import Settings
from gui.state.figure_options import DATA, PICTURES

_PICTURE_SCALE = 2


class Exports(QObject):
    """What can be taken out of panels, offered in a menu at each of them."""

    message = Signal(str)
    """What was done, in a sentence."""

    def __init__(self, window: QWidget, client: EngineClient, settings: Settings | None) -> None:
        super().__init__(window)
        self._window, self._client = window, client
        self.worker = Worker(self)
        self.chosen = LastExport(settings)
        self._gathering: Gathering | None = None
        self._last: Panel | None = None
        self.own: dict[str, Callable[[Panel], QDialog | None]] = {"Board": self._open_board}
        """What opens the dialog of panels that have one of their own, by their titles."""

    def serve(self, panel: Panel) -> None:
        """Give a panel its button."""
        button = panel.frame.export
        button.setAccessibleName(f"Export {panel.title}")
        button.setToolTip("Export figure, data, table or command")
        button.clicked.connect(lambda: self._pop_up(panel, button))
        button.show()
        panel.serve(self.worker)
        panel.dialog_wanted.connect(partial(self.open_dialog, panel, PICTURES))

    def fill(self, menu: QMenu, panel: Panel) -> None:
        """Put a panel's entries into a menu."""
        if panel.title in self.own:
            menu.addAction("Export figure …", partial(self.open_dialog, panel, PICTURES))
            menu.addAction("Copy picture", partial(self.copy_picture, panel))
            return
        found = exportables(panel)
        menu.setToolTipsVisible(True)
        why = "" if found else _why_not(panel)
        self._add(menu, "Export figure …", partial(self.open_dialog, panel, PICTURES), why)
        self._add(menu, "Export data …", partial(self.open_dialog, panel, DATA), why)
        self._offer(menu, "Add to board", panel, found, self.add_to_board)
        menu.addSeparator()
        menu.addAction("Copy picture", partial(self.copy_picture, panel))
        self._offer(menu, "Copy table", panel, found, self.copy_table)
        for text in jobs.CODES:
            self._offer(menu, text, panel, found, partial(self.copy_code, text))

    def open_dialog(self, panel: Panel, suffixes: tuple[str, ...]) -> QDialog | None:
        """Ask how what a panel shows is to be exported; tell where there is nothing."""
        if panel.title in self.own:
            return self.own[panel.title](panel)
        found = exportables(panel)
        if not found:
            self.message.emit(_why_not(panel))
            return None
        from gui.export.dialog import ExportDialog

        dialog = ExportDialog(
            self._window,
            self._client,
            self.worker,
            self.chosen,
            found,
            suffixes,
        )
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.message.connect(self.message)
        dialog.open()
        return dialog

    def _open_board(self, panel: Panel) -> QDialog | None:
        from gui.export.dialog import BoardDialog
        from gui.panels.model.board import BoardPanel

        assert isinstance(panel, BoardPanel)
        if not panel.session.board.board.items:
            self.message.emit("There is no figure on the board yet")
            return None
        dialog = BoardDialog(self._window, panel.session, self._client, self.worker, self.chosen)
        dialog.message.connect(self.message)
        if panel.thumbnails is not None:
            dialog.gathered.connect(panel.thumbnails.take)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()
        return dialog

    def export_last(self) -> None:
        """Open the dialog for the card that has or last had the focus."""
        panel = self.panel_in_use()
        if panel is None:
            self.message.emit("No card is open that could be exported")
        else:
            self.open_dialog(panel, PICTURES)

    def in_view(self) -> list[Panel]:
        """Return the panels that are seen; one behind another's tab is not."""
        panels = self._window.findChildren(Panel)
        return [panel for panel in panels if not panel.visibleRegion().isEmpty()]

    def panel_in_use(self) -> Panel | None:
        """Return the panel that has or last had the focus, if it is in view; else one that is."""
        panels = self.in_view()
        focused = QApplication.focusWidget()
        for panel in panels:
            card = panel.parentWidget()
            if focused is not None and card is not None and card.isAncestorOf(focused):
                self._last = panel
        if self._last in panels:
            return self._last
        return next((panel for panel in panels if exportables(panel)), None)

    def add_to_board(self, panel: Panel, subject: Exportable) -> None:
        """Put an answer of a panel on the board."""
        exportable.add_to_board(subject, panel.session.board, self.message.emit)

    def copy_picture(self, panel: Panel) -> None:
        """Put a picture of a card, as it is seen, on the clipboard."""
        card = panel.parentWidget() or panel
        screenshot.copy(screenshot.picture(card, _PICTURE_SCALE))
        self.message.emit(f"Copied a picture of {panel.title}")

    def copy_table(self, panel: Panel, subject: Exportable) -> None:
        """Put the rows of an answer on the clipboard, tabs between the cells."""

        def then(found: AnswerInputs) -> None:
            self._copy(panel, found.table, f"the table of {subject.name}")

        if self._gathering is not None:
            self._gathering.stop()
        self._gathering = gather(self._client, self.worker, subject, then, partial(_say, panel))

    def copy_code(self, text: str, panel: Panel, subject: Exportable) -> None:
        """Put the command or the program that makes a panel's figure on the clipboard."""
        make, what = jobs.CODES[text]
        path = Path(file_stem(subject) + self.chosen.picture)
        self._copy(panel, partial(make, subject, self.chosen.options, path), what)

    def _copy(self, panel: Panel, make: Callable[[], str], what: str) -> None:
        copy_text(
            self.worker, make, lambda: self.message.emit(f"Copied {what}"), partial(_say, panel)
        )

    def _pop_up(self, panel: Panel, button: QToolButton) -> None:
        menu = QMenu(button)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.fill(menu, panel)
        menu.popup(button.mapToGlobal(QPoint(0, button.height())))

    def _offer(
        self,
        menu: QMenu,
        text: str,
        panel: Panel,
        found: list[Exportable],
        does: Callable[[Panel, Exportable], object],
    ) -> None:
        """Add an entry about the one answer of a panel, or a menu of its answers."""
        if len(found) < 2:
            why = "" if found else _why_not(panel)
            self._add(menu, text, partial(does, panel, *found), why)
            return
        several = menu.addMenu(text)
        for subject in found:
            several.addAction(subject.name, partial(does, panel, subject))

    def _add(self, menu: QMenu, text: str, does: Callable[[], Any], why_not: str) -> None:
        action = menu.addAction(text)
        action.setEnabled(not why_not)
        action.setToolTip(why_not)
        action.triggered.connect(lambda _=False: does())


def _why_not(panel: Panel) -> str:
    if not panel.main_slot:
        return f"{panel.title} holds no answer of the engine to export: only its picture"
    return f"{panel.title} has no answer to export yet"


def _say(panel: Panel, failure: Failure) -> None:
    panel.notice.show_failure(sentence(failure.sentence), failure.details)


class ExportButton(QPushButton):
    """Asks which card, that in use first; below them, a picture of what is seen.

    Parameters
    ----------
    exports
        Knows which card is in use, and opens the dialog of one.
    """

    picture_wanted = Signal()
    """A picture of the window or its cards is to be taken."""

    def __init__(self, exports: Exports) -> None:
        super().__init__("Export figure")
        self._exports = exports
        self.setToolTip("Export the figure of a card as PDF, SVG or PNG")
        # A click leaves the keyboard in the card that is in use.
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.clicked.connect(self._pop_up)

    def cards(self) -> list[Panel]:
        """Return the cards in view that have a figure: that in use, then column by column."""
        used = self._exports.panel_in_use()
        found = [
            panel
            for panel in self._exports.in_view()
            if panel.title in self._exports.own or exportables(panel)
        ]
        places = {panel: panel.mapToGlobal(QPoint(0, 0)) for panel in found}
        return sorted(found, key=lambda panel: (panel is not used, *places[panel].toTuple()))

    def _pop_up(self) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for panel in self.cards():
            menu.addAction(f"{panel.title} …", partial(self._exports.open_dialog, panel, PICTURES))
        menu.addSeparator()
        menu.addAction("Picture of window or cards …", self.picture_wanted.emit)
        menu.popup(self.mapToGlobal(QPoint(0, self.height())))
