"""Light, dark, or what the system has: entries of the View menu."""

from functools import partial

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QApplication

from gui import palette
from gui.settings import SYSTEM_THEME, Settings
from gui.theme import THEMES


class Themes(QObject):
    """Dresses the application, and keeps the theme that was chosen.

    Parameters
    ----------
    parent
        The window.
    settings
        Where the theme is kept; none keeps nothing.
    name
        The theme that is worn already: `light`, `dark` or `system`.
    """

    changed = Signal()
    """The application is dressed anew."""

    def __init__(self, parent: QObject, settings: Settings | None, name: str) -> None:
        super().__init__(parent)
        self._settings = settings
        self.name = name
        group = QActionGroup(self)
        self.actions: dict[str, QAction] = {}
        for each in (SYSTEM_THEME, *THEMES):
            action = QAction(f"{each.capitalize()} theme", self, checkable=True)
            action.setChecked(each == name)
            action.triggered.connect(partial(self.set, each))
            group.addAction(action)
            self.actions[each] = action
        QApplication.styleHints().colorSchemeChanged.connect(self._on_system)

    def set(self, name: str) -> None:
        """Wear `light`, `dark`, or what the system has."""
        self.name = name
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        palette.apply(app, palette.system_theme_name(app) if name == SYSTEM_THEME else name)
        self.actions[name].setChecked(True)
        if self._settings:
            self._settings.keep_theme(name)
        self.changed.emit()

    def toggle(self) -> None:
        """Go from light to dark, or back."""
        self.set("light" if palette.theme().name == "dark" else "dark")

    def _on_system(self) -> None:
        if self.name == SYSTEM_THEME:
            self.set(SYSTEM_THEME)
