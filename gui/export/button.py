"""The button in the top bar that exports the figure of a card in view."""

from functools import partial

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QMenu, QPushButton

from gui.export.menu import Exports
from gui.export.subjects import subjects
from gui.figures.options import PICTURES
from gui.panels.panel import Panel


class ExportButton(QPushButton):
    """Asks which card, that in use first; below them, a picture of what is seen.

    Parameters
    ----------
    exports
        Knows which card is in use, and opens the dialog of one.
    """

    picture_wanted = Signal()
    """Somebody wants a picture of window or cards as they are seen."""

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
            if panel.title in self._exports.own or subjects(panel)
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
