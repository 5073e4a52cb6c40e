"""The window: cards made from PANELS, a bar above, a bar below, and what happens on closing."""

import pkgutil
from collections.abc import Callable, Collection, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QAction, QActionGroup, QCloseEvent, QKeySequence, QPaintEvent
from PySide6.QtWidgets import (
    QApplication,
    QMainWindow,
    QMenu,
    QVBoxLayout,
    QWidget,
)

from engine.messages import Request, Result
from gui import commands, palette, window_state
from gui.ablation_bar import AblationBar
from gui.about import AboutDialog
from gui.autosave import Autosave
from gui.board.panel import BoardPanel
from gui.command_palette import CommandPalette
from gui.compare_bar import CompareBar
from gui.dock import CardDock
from gui.document import Document
from gui.drops import Drops, Target
from gui.edit_menu import EditMenu
from gui.engine_client import EngineClient
from gui.export.button import ExportButton
from gui.export.menu import Exports
from gui.export.opening import FigureOpening
from gui.file_menu import FileMenu
from gui.guide_bar import GuideBar
from gui.guides import GUIDES
from gui.help_texts import HOW_TO
from gui.history import History
from gui.layouts import LAYOUTS, Layout, arrange, share_out
from gui.model_picker import ModelPicker
from gui.opening import Opening
from gui.opening_bar import OpeningBar
from gui.panels import PANELS
from gui.panels.panel import Panel
from gui.picture_dialog import PictureDialog
from gui.preferences_dialog import PreferenceKeeper
from gui.recall import Recall
from gui.session import Session
from gui.session_file import SavedSession, WindowState
from gui.settings import SYSTEM_THEME, Settings
from gui.stage import Stage
from gui.status_bar import StatusBar
from gui.text_dialog import TextDialog
from gui.text_sizes import TextSizes
from gui.theme import THEMES
from gui.top_bar import TopBar
from gui.undo import Undo
from gui.welcome import Welcome

GROUPS = ("Prompt", "Head", "Model", "Checks", "Figures")
"""Sections of the View menu, the `group` of a panel."""


class Window(QMainWindow):
    """Headscope's window.

    Parameters
    ----------
    session
        What is selected.
    client
        The way to the engine.
    settings
        Where theme and recent sessions are kept; none keeps nothing.
    theme
        `light`, `dark` or `system`.
    size
        Width and height to begin with, where none is kept.
    autosave
        Keeps a copy of the session; none keeps none.
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
        self._theme = theme
        self._was_painted = self._may_close = False
        self._layout = LAYOUTS[0]
        self._stage = Stage()
        self._stage.crowded.connect(self._fold)
        self.setCentralWidget(self._stage)
        self.docks = [
            CardDock(pkgutil.resolve_name(name), session, client, self._stage) for name in PANELS
        ]
        self.exports = Exports(self, client, settings)
        self.figure_opening = FigureOpening(
            self, session, self.exports.worker, self.exports.chosen, self.open_cards
        )
        self.history, self.undo = History(session), Undo(self)
        self.document = Document(session, self.state, autosave, self)
        self.files = FileMenu(self, self.document, settings)
        self.files.opened.connect(self._on_opened)
        self.guide = GuideBar(session)
        self.guide.cards_wanted.connect(self.open_cards)
        self.guide.cover_wanted.connect(self.cover_cards)
        self.welcome = Welcome(self._stage)
        self.welcome.guide_wanted.connect(self.guide.start)
        self.welcome.closed.connect(lambda: self.docks[0].fill().setFocus())
        self.compare_bar = CompareBar(session, client)
        self.opening = Opening(session, client, settings)
        self.opening_bar = OpeningBar(session, client, self.opening)
        self.picker = ModelPicker(self, session, client, self.opening)
        self.text_sizes = TextSizes(self, settings)
        self.text_sizes.changed.connect(self._on_text_size)
        self.finder = CommandPalette(self, self.commands)
        self._menus = self._make_menus()
        export = ExportButton(self.exports)
        self.top = TopBar(session, client, self.opening, self._menus, export)
        self.opening_bar.picker_wanted.connect(self.picker.show_models)
        self.top.model_wanted.connect(self.picker.show_models)
        self.top.other_wanted.connect(self.picker.do)
        self.picker.models_changed.connect(self.top.list_again)
        target = Target(session, self.opening, self.open_session, self.figure_opening.open)
        self.drops = Drops(self, target)
        self.drops.refused.connect(self.opening_bar.refuse)
        self.drops.taken.connect(self.opening_bar.dismiss)
        self.figure_opening.refused.connect(self.opening_bar.refuse)
        export.picture_wanted.connect(self.save_picture)
        self.top.find_wanted.connect(self.finder.find_command)
        self.top.layout_wanted.connect(self._change_layout)
        self.top.theme_toggled.connect(self._toggle_theme)
        above = QWidget()
        rows = QVBoxLayout(above)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(0)
        rows.addWidget(self.top)
        rows.addWidget(self.opening_bar)
        rows.addWidget(self.guide)
        rows.addWidget(self.compare_bar)
        rows.addWidget(AblationBar(session))
        self.setMenuWidget(above)
        self.status = StatusBar(session, client)
        self.setStatusBar(self.status)
        self.exports.told.connect(self.status.tell)
        self.status.receipts_wanted.connect(lambda: self.open_cards(["Receipts"]))
        for dock in self.docks:
            dock.filled.connect(self._on_filled)
            dock.menu_wanted.connect(self.exports.fill)
            dock.toggleViewAction().toggled.connect(self.document.note)
        self.reset_layout()
        self.setMinimumSize(720, 480)
        QApplication.styleHints().colorSchemeChanged.connect(self._on_system_theme)
        self._recall = None
        if autosave is not None:
            autosave.failed.connect(self.status.tell)
            self._recall = Recall(client, self._answers, autosave, self)
            self.files.saved.connect(self._recall.keep_beside)

    @property
    def panels(self) -> list[Panel]:
        """The panels that have been opened, in the order of PANELS."""
        return [dock.panel for dock in self.docks if dock.panel is not None]

    def commands(self) -> list[commands.Command]:
        """Return everything that can be done now: actions, cards, and heads to open."""
        return [
            *commands.actions(self, self._menus, self.docks),
            *commands.heads(self.top.facts(), self.session.choose_head),
        ]

    def lay_out(self, layout: Layout) -> None:
        """Put every card where a layout has it, and close those that it has not."""
        self._take_layout(layout)
        self._stage.keep_shares(self.docks, None)
        self._stage.setUpdatesEnabled(False)
        arrange(self._stage, self.docks, layout)
        share_out(self._stage, self.docks, layout)
        # Qt shares the room out anew when a window is first shown.
        QTimer.singleShot(0, self, self._finish_layout)

    def reset_layout(self) -> None:
        """Put every card back where the layout last chosen has it."""
        self.lay_out(self._layout)

    def open_cards(self, titles: Sequence[str]) -> None:
        """Show some cards, in front of others."""
        for dock in self.docks:
            if dock.kind.title in titles:
                dock.show()
                dock.raise_()

    def close_card(self) -> None:
        """Close the card that has the keyboard, if one has it."""
        for dock in self.docks:
            if dock.has_keyboard:
                dock.close()
                return

    def step_card(self, by: int) -> None:
        """Give the keyboard to the next card in sight, column by column from the left."""
        seen = [dock for dock in self.docks if not dock.visibleRegion().isEmpty()]
        seen.sort(key=lambda dock: (dock.isFloating(), dock.x(), dock.y()))
        held = [place for place, dock in enumerate(seen) if dock.has_keyboard]
        if seen:
            seen[(held[0] + by if held else min(by, 0)) % len(seen)].bring()

    def cover_cards(self, titles: Collection[str]) -> None:
        """Cover some cards until a guided example reveals them, and uncover the others."""
        for dock in self.docks:
            dock.set_covered(dock.kind.title in titles)

    def state(self) -> WindowState:
        """Return how the window lies."""
        return window_state.capture(self, self._stage, self.docks, self._layout)

    def begin(self, saved: SavedSession) -> None:
        """Take on a session: what is selected, its favourites, and how the cards lie."""
        self.undo.clear()
        self.document.begin(saved)
        self._take_layout(window_state.layout_named(saved.window.layout))
        # Qt shares the room out anew when a window is first shown.
        QTimer.singleShot(0, self, partial(self._restore_docks, saved.window))

    def open_session(self, path: Path) -> None:
        """Open a session file, unless unsaved changes are to be kept first."""
        self.files.open(path)

    def save_picture(self) -> None:
        """Ask what to take a picture of."""
        shown = [(dock.kind.title, dock) for dock in self.docks if dock.isVisible()]
        subjects: list[tuple[str, QWidget]] = [("Window", self), *shown]
        dialog = PictureDialog(self, subjects)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    def set_theme(self, theme: str) -> None:
        """Dress the application in `light`, `dark`, or what the system has."""
        self._theme = theme
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        palette.apply(app, palette.system_theme_name(app) if theme == SYSTEM_THEME else theme)
        self.top.show_theme_name()
        self._theme_actions[theme].setChecked(True)
        if self._settings:
            self._settings.keep_theme(theme)

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
        panel.panel_wanted.connect(lambda title: self.open_cards([title]))
        self.exports.serve(panel)
        if isinstance(panel, BoardPanel):
            panel.serve(self.exports)

    def _take_layout(self, layout: Layout) -> None:
        self._layout = layout
        self.top.show_layout(layout)

    def _finish_layout(self) -> None:
        share_out(self._stage, self.docks, self._layout)
        self._stage.keep_shares(self.docks, self._layout)
        self._stage.setUpdatesEnabled(True)

    def _on_opened(self, saved: SavedSession) -> None:
        if self._recall is not None:
            self._recall.begin(Path(saved.file))
        self.begin(saved)

    def _answers(self) -> list[tuple[Request, Result]]:
        shown = [panel for panel in self.panels if panel.isVisible()]
        if any(panel.state != "fresh" for panel in shown):
            return []
        return [answer for panel in shown for answer in panel.answers()]

    def _restore_docks(self, state: WindowState) -> None:
        self._stage.keep_shares(self.docks, None)
        if not window_state.restore_docks(self._stage, self.docks, state):
            self.reset_layout()
            if state.cards:
                window_state.show_cards(self.docks, state.cards)
        self.document.note()

    def _change_layout(self, layout: Layout | None = None) -> None:
        before = self.state()
        self.lay_out(layout or self._layout)
        self.document.note()
        self.undo.push("change of layout", partial(self._lie_as, before))

    def _lie_as(self, state: WindowState) -> None:
        self._take_layout(window_state.layout_named(state.layout))
        self._restore_docks(state)

    def _on_escape(self) -> None:
        if self.welcome.isVisible():
            self.welcome.close()
        else:
            self.client.cancel()

    def _toggle_theme(self) -> None:
        self.set_theme("light" if palette.theme().name == "dark" else "dark")

    def _on_text_size(self) -> None:
        for panel in self.panels:
            panel.redraw()
        self._fold()  # larger text is a smaller window

    def _fold(self) -> None:
        """Lay cards behind others where there is no room, and beside them where there is."""
        if not self._stage.as_laid_out:
            return
        opened = [dock for dock in self.docks if not dock.isHidden()]
        seen = [dock for dock in opened if not dock.visibleRegion().isEmpty()]
        focused, held = self.focusWidget(), [dock for dock in seen if dock.has_keyboard]
        self.lay_out(self._layout)
        for dock in self.docks:
            dock.setVisible(dock in opened)
        # Of those that now share a place, the one with the keyboard, else the first.
        for dock in (*reversed(seen), *held):
            dock.raise_()
        if held and focused is not None:
            focused.setFocus()

    def _on_system_theme(self) -> None:
        if self._theme == SYSTEM_THEME:
            self.set_theme(SYSTEM_THEME)

    def _make_menus(self) -> list[QMenu]:
        file, edit, view, help_ = (QMenu(n, self) for n in ("File", "Edit", "View", "Help"))
        self._add(file, "Open model …", "Ctrl+M", self.picker.show_models)
        self.files.fill(file, self._add)
        self._add(file, "Open figure …", "Ctrl+Shift+O", self.figure_opening.ask_which)
        self._add(file, "Export figure …", "Ctrl+E", self.exports.export_last)
        self._add(file, "Save picture …", "Ctrl+Alt+S", self.save_picture)
        file.addSeparator()
        self._add(file, "Ask again", "F5", self.ask_again)
        self._add(file, "Stop", "Esc", self._on_escape)
        file.addSeparator()
        self._add(file, "Quit", "Ctrl+Q", self.close)
        EditMenu(self.session, self.history, self.undo, edit, self._add)
        find = self._add(view, "Go to head, card, action …", "Ctrl+K", self.finder.find_command)
        find.setShortcuts([QKeySequence("Ctrl+K"), QKeySequence("Ctrl+Shift+P")])
        view.addSeparator()
        if self._preferences is not None:
            self._preferences.fill(edit, self._add, lambda: self._theme)
            self._preferences.theme_chosen.connect(self.set_theme)
            self._preferences.renamed.connect(partial(self.session.changed.emit, "heads_off"))
        for number, layout in enumerate(LAYOUTS, 1):
            text = f"{layout.name}: {layout.about}"
            self._add(view, text, f"Ctrl+Alt+{number}", partial(self._change_layout, layout))
        self._add(view, "Compare with another prompt …", "Ctrl+Alt+C", self.compare_bar.toggle)
        self._add(view, "Reset layout", "Ctrl+Alt+0", self._change_layout)
        self._add(view, "Close card", "Ctrl+W", self.close_card)
        self._add(view, "Next card", "F6", partial(self.step_card, 1))
        self._add(view, "Previous card", "Shift+F6", partial(self.step_card, -1))
        for group in GROUPS:
            view.addSection(group)
            for dock in self.docks:
                if dock.kind.group == group:
                    view.addAction(self._open_action(dock))
        view.addSeparator()
        view.addActions(self.text_sizes.actions)
        view.addSeparator()
        themes = QActionGroup(self)
        self._theme_actions: dict[str, QAction] = {}
        for name in (SYSTEM_THEME, *THEMES):
            self._theme_actions[name] = action = view.addAction(
                f"{name.capitalize()} theme", partial(self.set_theme, name)
            )
            action.setCheckable(True)
            action.setChecked(name == self._theme)
            themes.addAction(action)
        self._add(help_, "Welcome", "", self.welcome.open)
        self._add(help_, "How to read a head", "F1", partial(self._tell, "How to", HOW_TO))
        for guide in GUIDES:
            self._add(help_, f"{guide.name}: {guide.about}", "", partial(self.guide.start, guide))
        help_.addSeparator()
        self._add(help_, "About Headscope", "", lambda: AboutDialog(self).open())
        return [file, edit, view, help_]

    def _open_action(self, dock: CardDock) -> QAction:
        action = dock.open_action
        number = self.docks.index(dock) + 1
        if number < 10:
            action.setShortcut(QKeySequence(f"Ctrl+{number}"))
        self.addAction(action)
        return action

    def _add(self, menu: QMenu, text: str, keys: str, does: Callable[[], object]) -> QAction:
        action = QAction(text, self)
        if keys:
            action.setShortcut(QKeySequence(keys))
        action.triggered.connect(lambda _=False: does())
        self.addAction(action)
        menu.addAction(action)
        return action

    def _tell(self, title: str, text: str) -> None:
        TextDialog(self, title, text).open()
