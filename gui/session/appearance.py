"""Text size and theme: their actions, and the settings that keep them."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QApplication, QWidget

from gui.session.settings import SYSTEM_THEME, Settings
from gui.style import palette
from gui.style.theme import NORMAL_TEXT, TEXT_SIZES, THEMES


class TextSizes(QObject):
    """Steps through `TEXT_SIZES`, and keeps the one that was chosen."""

    changed = Signal()
    """Everything is larger or smaller than it was."""

    def __init__(self, window: QWidget, settings: Settings | None) -> None:
        super().__init__(window)
        self._settings = settings
        self.larger = self._action(window, "Larger text", self.enlarge, "Ctrl++", "Ctrl+=")
        self.smaller = self._action(window, "Smaller text", self.reduce, "Ctrl+-")
        self.normal = self._action(window, "Normal text size", self.reset, "Ctrl+0")
        self.actions = (self.larger, self.smaller, self.normal)
        # Keys that came while the last size was being taken are one change.
        self._wanted = NORMAL_TEXT
        self._soon = QTimer(self, interval=0, singleShot=True)
        self._soon.timeout.connect(lambda: self.set(self._wanted))
        self._show()

    def enlarge(self) -> None:
        """Take the next larger size, if there is one, in the next turn of the event loop."""
        self._step(min, lambda size: size > self._now())

    def reduce(self) -> None:
        """Take the next smaller size, if there is one, in the next turn of the event loop."""
        self._step(max, lambda size: size < self._now())

    def reset(self) -> None:
        """Take the usual size."""
        self.set(NORMAL_TEXT)

    def set(self, percent: int) -> None:
        """Take a size, in per cent of the usual one; what is no size changes nothing."""
        self._soon.stop()
        app = QApplication.instance()
        if percent not in TEXT_SIZES or percent == palette.text_percent():
            return
        assert isinstance(app, QApplication)
        palette.apply(app, palette.theme().name, percent)
        if self._settings:
            self._settings.keep_text_size(percent)
        self._show()
        self.changed.emit()

    def _now(self) -> int:
        return self._wanted if self._soon.isActive() else palette.text_percent()

    def _step(self, nearest: Callable[..., int], fits: Callable[[int], bool]) -> None:
        self._wanted = nearest(filter(fits, TEXT_SIZES), default=self._now())
        self._soon.start()

    def _show(self) -> None:
        now = palette.text_percent()
        self.larger.setEnabled(now < TEXT_SIZES[-1])
        self.smaller.setEnabled(now > TEXT_SIZES[0])
        self.normal.setText(
            "Normal text size" if now == NORMAL_TEXT else f"Normal text size: now {now} %"
        )

    def _action(self, window: QWidget, text: str, does: Callable[[], None], *keys: str) -> QAction:
        action = QAction(text, self)
        action.setShortcuts([QKeySequence(key) for key in keys])
        action.triggered.connect(lambda _=False: does())
        window.addAction(action)
        return action


class Themes(QObject):
    """Dresses the application, and keeps the theme that was chosen.

    Parameters
    ----------
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
