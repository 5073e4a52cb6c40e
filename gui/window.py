"""The window: cards made from PANELS, a bar above, a bar below, and what happens on closing."""

from collections.abc import Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QAction, QCloseEvent, QPaintEvent
from PySide6.QtWidgets import QMainWindow, QMenu, QWidget

from engine.messages import Request, Result
from gui.client.engine_client import EngineClient
from gui.export.figure_opener import FigureOpener
from gui.export.menu import ExportButton, Exports
from gui.models.opening_bar import OpeningBar
from gui.panels.panel import Panel
from gui.session.appearance import TextSizes, Themes
from gui.session.document import Autosave, Document
from gui.session.history import History, Undo
from gui.session.model_opener import ModelOpener, OpeningMarker
from gui.session.session import Session
from gui.session.settings import Settings
from gui.session.stored_answers import Recall
from gui.shell import command_palette, menus
from gui.shell.banners import AblationBar, CompareBar
from gui.shell.command_palette import CommandPalette
from gui.shell.dock_area import Cards, DockArea
from gui.shell.drops import Drops
from gui.shell.file_menu import FileMenu
from gui.shell.guided_examples import GuideBar
from gui.shell.layouts import Layout
from gui.shell.menus import SEPARATOR, EditActions, Entry
from gui.shell.preferences import PreferenceKeeper
from gui.shell.status_bar import StatusBar
from gui.shell.top_bar import TopBar
from gui.shell.welcome import Welcome
from gui.state.file_kinds import read_text
from gui.state.session_file import SavedSession, WindowState
from gui.widgets.forms import column

if TYPE_CHECKING:
    from gui.models.model_picker import ModelPicker


class Window(QMainWindow):
    """Headscope's window.

    Parameters
    ----------
    theme
        `light`, `dark` or `system`.
    size
        Width and height to begin with, where none is kept.
    preferences
        What can be chosen of the engine; none leaves its menu entry out.
    """

    painted = Signal()
    """The window has been painted for the first time."""

    def __init__(
        self,
        session: Session,
        client: EngineClient,
        settings: Settings | None,
        theme: str,
        size: tuple[int, int] = (1600, 1000),
        autosave: Autosave | None = None,
        preferences: PreferenceKeeper | None = None,
    ) -> None:
        super().__init__()
        self.resize(*size)
        self.session, self.client = session, client
        self._settings, self._preferences = settings, preferences
        self._was_painted = self._may_close = False
        area = DockArea()
        self.setCentralWidget(area)
        self.cards = Cards(area, session, client)
        self.docks = self.cards.docks
        self.exports = Exports(self, client, settings)
        self.figure_opener = FigureOpener(
            self,
            session,
            self.exports.worker,
            self.exports.chosen,
            self.cards.open,
            settings.recent_models if settings else list,
        )
        self.history, self.undo = History(session), Undo(self)
        self.document = Document(session, self.state, autosave, self)
        self.files = FileMenu(self, self.document, settings)
        self.files.opened.connect(self._on_opened)
        self.guide = GuideBar(session)
        self.guide.cards_wanted.connect(self.cards.open)
        self.guide.cover_wanted.connect(self.cards.cover)
        self.welcome = Welcome(area)
        self.welcome.guide_wanted.connect(self.guide.start)
        self.welcome.closed.connect(lambda: self.docks[0].fill().setFocus())
        self.compare_bar = CompareBar(session, client)
        marker = OpeningMarker(autosave.path) if autosave is not None else None
        self.opening = ModelOpener(session, client, settings, marker)
        self.opening_bar = OpeningBar(session, client, self.opening)
        self.text_sizes = TextSizes(self, settings)
        self.text_sizes.changed.connect(self._on_text_size)
        self.themes = Themes(self, settings, theme)
        self.finder = CommandPalette(self, self.commands)
        self._menus = self._make_menus()
        export = ExportButton(self.exports)
        self.top = TopBar(session, client, self.opening, self._menus, export)
        self.cards.laid_out.connect(self.top.show_layout)
        self.opening_bar.picker_wanted.connect(lambda: self.picker.show_models())
        self.top.model_wanted.connect(lambda model: self.picker.show_models(model))
        self.top.other_wanted.connect(lambda action: self.picker.do(action))
        self.drops = Drops(
            self,
            {
                "model": lambda path: self.opening.open(str(path)),
                "session": self.open_session,
                "figure": self.figure_opener.open,
                "text": lambda path: session.set_text(read_text(path)),
            },
        )
        self.opening.noticed.connect(self.opening_bar.refuse)
        self.drops.refused.connect(self.opening_bar.refuse)
        self.drops.taken.connect(self.opening_bar.dismiss)
        self.figure_opener.refused.connect(self.opening_bar.refuse)
        export.picture_wanted.connect(self.save_picture)
        self.top.find_wanted.connect(self.finder.find_command)
        self.top.layout_wanted.connect(self.cards.choose)
        self.top.theme_toggled.connect(self.themes.toggle)
        self.themes.changed.connect(self.top.show_theme_name)
        above = QWidget()
        bars = (self.top, self.opening_bar, self.guide, self.compare_bar, AblationBar(session))
        column(*bars, of=above, spacing=0)
        self.setMenuWidget(above)
        self.status = StatusBar(session, client, self.opening)
        self.setStatusBar(self.status)
        self.exports.message.connect(self.status.tell)
        self.status.receipts_wanted.connect(lambda: self.cards.open(["Receipts"]))
        for dock in self.docks:
            dock.filled.connect(self._on_filled)
            dock.menu_wanted.connect(self.exports.fill)
            dock.toggleViewAction().toggled.connect(self.document.note)
        self.cards.rearranged.connect(self._on_rearranged)
        self.cards.restored.connect(self.document.note)
        self.cards.reset()
        self.setMinimumSize(720, 480)
        self._recall = None
        if autosave is not None:
            autosave.failed.connect(self.status.tell)
            self._recall = Recall(client, self._answers, autosave, self)
            self.files.saved.connect(self._recall.keep_beside)

    @property
    def panels(self) -> list[Panel]:
        """The panels that have been opened, in the order of PANELS."""
        return self.cards.panels

    @cached_property
    def picker(self) -> "ModelPicker":
        """The dialog that models are picked in, made when it is first wanted."""
        from gui.models.model_picker import ModelPicker

        picker = ModelPicker(self, self.session, self.client, self.opening)
        picker.models_changed.connect(self.top.list_again)
        return picker

    def commands(self) -> list[command_palette.Command]:
        """Return everything that can be done now: actions, cards, and heads to open."""
        return [
            *command_palette.actions(self, self._menus, self.docks),
            *command_palette.heads(self.opening.facts, self.session.choose_head),
        ]

    def lay_out(self, layout: Layout) -> None:
        """Put every card where a layout has it, and close those that it has not."""
        self.cards.lay_out(layout)

    def open_cards(self, titles: Sequence[str]) -> None:
        """Show some cards, in front of others."""
        self.cards.open(titles)

    def state(self) -> WindowState:
        """Return how the window lies."""
        return self.cards.state()

    def begin(self, saved: SavedSession) -> None:
        """Take on a session: what is selected, its favourites, and how the cards lie."""
        self.undo.clear()
        self.document.begin(saved)
        self.cards.begin(saved.window)

    def open_session(self, path: Path) -> None:
        """Open a session file, unless unsaved changes are to be kept first."""
        self.files.open(path)

    def save_picture(self) -> None:
        """Ask what to take a picture of."""
        shown = [(dock.kind.title, dock) for dock in self.docks if dock.isVisible()]
        subjects: list[tuple[str, QWidget]] = [("Window", self), *shown]
        from gui.shell.picture_dialog import PictureDialog

        dialog = PictureDialog(self, subjects)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    def set_theme(self, theme: str) -> None:
        """Dress the application in `light`, `dark`, or what the system has."""
        self.themes.set(theme)

    def ask_again(self) -> None:
        """Ask for everything that failed or was stopped."""
        self.top.ask_again()
        self.opening.ask_again()
        self.compare_bar.ask_again()
        self.status.ask_again()
        for panel in self.panels:
            panel.ask_again()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Tell once that the window stands."""
        super().paintEvent(event)
        if not self._was_painted:
            self._was_painted = True
            self.docks[0].fill().setFocus()
            QTimer.singleShot(0, self, self.painted.emit)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Ask about unsaved changes; hide at once, and keep what is worth keeping."""
        if not self._may_close and self.document.modified:
            event.ignore()
            self.files.when_saved(self._leave, partial(self._leave, discard=True))
            return
        if self._recall is not None:
            self._recall.close()
        self.hide()
        self.document.close()
        if self._settings:
            self._settings.write()
        event.accept()

    def _leave(self, discard: bool = False) -> None:
        self._may_close = True
        if discard:
            self.document.discard()
        self.close()

    def _on_filled(self, panel: Panel) -> None:
        panel.panel_wanted.connect(lambda title: self.cards.open([title]))
        self.exports.serve(panel)

    def _on_opened(self, saved: SavedSession) -> None:
        if self._recall is not None:
            self._recall.begin(Path(saved.file))
        self.begin(saved)

    def _answers(self) -> list[tuple[Request, Result]]:
        shown = [panel for panel in self.panels if panel.isVisible()]
        if any(panel.state != "fresh" for panel in shown):
            return []
        return [answer for panel in shown for answer in panel.answers()]

    def _on_rearranged(self, before: WindowState) -> None:
        self.document.note()
        self.undo.push("change of layout", partial(self.cards.lie_as, before))

    def _on_escape(self) -> None:
        if self.welcome.isVisible():
            self.welcome.close()
        else:
            self.client.cancel()

    def _on_text_size(self) -> None:
        for panel in self.panels:
            if panel.isVisible():  # the others draw anew when they are shown
                panel.redraw()
        self.cards.fit_text()

    def _make_menus(self) -> list[QMenu]:
        files, figures, keeper = self.files, self.figure_opener, self._preferences
        file: list[menus.Part] = [
            Entry("Open model …", lambda: self.picker.show_models(), "Ctrl+M"),
            Entry("Open session …", files.ask_which, "Ctrl+O"),
            files.recent,
            Entry("Save session", files.save, "Ctrl+S"),
            Entry("Save session as …", files.save_as, "Ctrl+Shift+S"),
            SEPARATOR,
            Entry("Open figure …", figures.ask_which, "Ctrl+Shift+O"),
            Entry("Export figure …", self.exports.export_last, "Ctrl+E"),
            Entry("Save picture …", self.save_picture, "Ctrl+Alt+S"),
            SEPARATOR,
            Entry("Ask again", self.ask_again, "F5"),
            Entry("Stop", self._on_escape, "Esc"),
            SEPARATOR,
            Entry("Quit", self.close, "Ctrl+Q"),
        ]
        edit = [*EditActions(self, self.session, self.history, self.undo).parts]
        if keeper is not None:
            show = partial(keeper.show, self, lambda: self.themes.name)
            preferences = menus.action(self, Entry("Preferences …", show, "Ctrl+,"))
            preferences.setMenuRole(QAction.MenuRole.PreferencesRole)
            edit += [SEPARATOR, preferences]
            keeper.theme_chosen.connect(self.themes.set)
            keeper.renamed.connect(self.session.renamed)
        compare, sizes = self.compare_bar, self.text_sizes
        view = menus.view_parts(self.finder, self.cards, compare, sizes, self.themes)
        help_ = menus.help_parts(self, self.welcome, self.guide)
        titled: dict[str, Sequence[menus.Part]]
        titled = {"File": file, "Edit": edit, "View": view, "Help": help_}
        return [menus.menu(self, title, parts) for title, parts in titled.items()]
