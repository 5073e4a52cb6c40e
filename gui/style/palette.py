"""From a theme to what Qt wants: palette, fonts, style sheet.

Theme and text size in force are properties of the application, so nothing here keeps state of
its own.
"""

from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QPalette
from PySide6.QtWidgets import QApplication, QToolTip, QWidget

from gui.platform import garbage
from gui.style.stylesheet import stylesheet
from gui.style.theme import (
    BASE_POINT_SIZE,
    FIGURE_FONT_FILES,
    FONT_FILES,
    LIGHT,
    NORMAL_TEXT,
    SMALL_POINT_SIZE,
    THEMES,
    TOKEN_FONTS,
    UI_FONTS,
    UNIT,
    Theme,
)

_FONTS = Path(__file__).parents[2] / "resources" / "fonts"
_FEATURES = {"tnum": 1, "calt": 0}
"""Digits of one width, so that numbers stand under each other; `->` is what was typed, no arrow."""
_THEME = "headscope_theme"
_STYLED = "headscope_styled"
_TEXT = "headscope_text_size"


class _TextSize(QObject):
    """Tells that the text size has changed; a child of the application."""

    changed = Signal()


class _Unanswered(QObject):
    """Keeps it from widgets that their style has changed."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keep it back."""
        return event.type() == QEvent.Type.StyleChange


def _undress(app: QApplication) -> None:
    """Take the style sheet off before another is put on.

    Where one replaces another, Qt dresses each widget as many times as there are widgets around
    it: 4,212 times for 613 widgets. Nobody may lay anything out for the look in between: tables
    without the sheet's scroll bars can resize without end.
    """
    unanswered = _Unanswered()
    app.installEventFilter(unanswered)
    app.setStyleSheet("")
    app.removeEventFilter(unanswered)


def apply(app: QApplication, name: str, text_size: int | None = None) -> None:
    """Dress the whole application.

    Parameters
    ----------
    app
        The application.
    name
        Name of a theme, a key of `gui.style.theme.THEMES`.
    text_size
        Size of text in per cent of the usual one; none leaves it.

    Raises
    ------
    KeyError
        If no theme has that name.
    """
    chosen = THEMES[name]
    app.setProperty(_THEME, name)
    resized = text_size is not None and text_size != text_percent()
    if resized:
        app.setProperty(_TEXT, text_size)
    if not app.property(_STYLED):
        # Once only: to change what the style sheet wraps walks every widget there is.
        app.setStyle("Fusion")
        app.setProperty(_STYLED, True)
    with garbage.waiting():
        _undress(app)
        # Each of these tells every widget, also that nothing is new.
        if app.font() != ui_font():
            app.setFont(ui_font())
            QToolTip.setFont(ui_font())
        if app.palette() != palette(chosen):
            app.setPalette(palette(chosen))
            QToolTip.setPalette(palette(chosen))
        app.setStyleSheet(stylesheet(chosen, text_scale()))
    if resized:
        _told(app).changed.emit()


def theme() -> Theme:
    """Return the theme in force, light before `apply` was called."""
    app = QApplication.instance()
    name = app.property(_THEME) if app is not None else None
    return THEMES.get(name, LIGHT) if isinstance(name, str) else LIGHT


def text_percent() -> int:
    """Return the size of text in force, in per cent of the usual one."""
    app = QApplication.instance()
    percent = app.property(_TEXT) if app is not None else None
    return percent if isinstance(percent, int) else NORMAL_TEXT


def text_scale() -> float:
    """Return the factor by which text, and sizes in pixels with it, are larger than usual."""
    return text_percent() / NORMAL_TEXT


def scaled(pixels: float) -> int:
    """Return a size in pixels at the text size in force."""
    return round(pixels * text_scale())


def units(width: float, height: float) -> QSize:
    """Return a size that is given in units of spacing, at the text size in force."""
    return QSize(scaled(width * UNIT), scaled(height * UNIT))


class ScaledSize(QObject):
    """Keeps a size of a widget in proportion to the text: a child of the widget.

    Parameters
    ----------
    widget
        The widget.
    setter
        What takes the size: a method of the widget, `setMinimumHeight` for one.
    pixels
        The size at the usual text size.
    """

    def __init__(self, widget: QWidget, setter: Callable[..., None], *pixels: float) -> None:
        super().__init__(widget)
        self._setter, self._pixels = setter, pixels
        app = QApplication.instance()
        assert app is not None
        _told(app).changed.connect(self.set)
        self.set()

    def set(self) -> None:
        """Set the size anew."""
        self._setter(*(scaled(size) for size in self._pixels))


def system_theme_name(app: QApplication) -> str:
    """Return `dark` when the desktop says that it is dark, else `light`."""
    dark = app.styleHints().colorScheme() == Qt.ColorScheme.Dark
    return "dark" if dark else "light"


def ui_font(*, bold: bool = False, small: bool = False) -> QFont:
    """Return the font of the chrome: two sizes, two weights."""
    font = QFont(_made(UI_FONTS, _points(small)))
    font.setBold(bold)
    return font


def token_font(*, bold: bool = False, small: bool = False) -> QFont:
    """Return the monospaced font of tokens and figures."""
    font = QFont(_made(TOKEN_FONTS, _points(small)))
    font.setStyleHint(QFont.StyleHint.Monospace)
    font.setBold(bold)
    return font


def _points(small: bool) -> float:
    return (SMALL_POINT_SIZE if small else BASE_POINT_SIZE) * text_scale()


def _told(app: QCoreApplication) -> _TextSize:
    found = app.findChild(_TextSize, options=Qt.FindChildOption.FindDirectChildrenOnly)
    return found if isinstance(found, _TextSize) else _TextSize(app)


@cache
def _bring_fonts() -> None:
    """Give Qt the fonts that come with us, which go before those of the same name installed."""
    figures = find_spec("matplotlib")  # found, not imported
    folders = figures.submodule_search_locations if figures is not None else None
    drawn_with = Path(*(folders or [""])[:1], "mpl-data", "fonts", "ttf")
    for folder, names in ((_FONTS, FONT_FILES), (drawn_with, FIGURE_FONT_FILES)):
        for name in names:
            QFontDatabase.addApplicationFont(str(folder / name))


@cache
def _made(families: tuple[str, ...], point_size: float) -> QFont:
    # Every tile of every token asks for its font when it is painted.
    _bring_fonts()
    font = QFont()
    font.setFamilies(families)  # a character that one lacks is looked for in the next
    font.setPointSizeF(point_size)
    for tag, value in _FEATURES.items():
        font.setFeature(QFont.Tag(tag), value)
    return font


def set_look(widget: QWidget, name: str, value: object, *inside: QWidget) -> None:
    """Set a property that the style sheet reads, and dress a widget and what lies inside anew."""
    if widget.property(name) != value:
        widget.setProperty(name, value)
        for one in (widget, *inside):
            one.style().unpolish(one)
            one.style().polish(one)


def palette(chosen: Theme) -> QPalette:
    """Return the Qt palette of a theme."""
    role = QPalette.ColorRole
    colours = {
        role.Window: chosen.window,
        role.WindowText: chosen.text,
        role.Base: chosen.card,
        role.AlternateBase: chosen.field,
        role.Text: chosen.text,
        role.PlaceholderText: chosen.muted,
        role.Button: chosen.card,
        role.ButtonText: chosen.text,
        role.BrightText: chosen.bad,
        role.ToolTipBase: chosen.card,
        role.ToolTipText: chosen.text,
        role.Highlight: chosen.accent_ground,
        role.HighlightedText: chosen.text,
        role.Link: chosen.accent,
        role.LinkVisited: chosen.accent,
        role.Accent: chosen.accent,
        role.Light: chosen.card,
        role.Midlight: chosen.line,
        role.Mid: chosen.line,
        role.Dark: chosen.line,
        role.Shadow: chosen.line,
    }
    made = QPalette()
    for key, colour in colours.items():
        made.setColor(key, QColor(colour))
    for key in (role.WindowText, role.Text, role.ButtonText, role.HighlightedText):
        made.setColor(QPalette.ColorGroup.Disabled, key, QColor(chosen.muted))
    return made
