"""From a theme to what Qt wants: palette, fonts, style sheet.

The theme in force is a property of the application, so nothing here keeps state of its own.
"""

from functools import cache

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QPalette
from PySide6.QtWidgets import QApplication, QToolTip, QWidget

from gui.stylesheet import stylesheet
from gui.theme import (
    BASE_POINT_SIZE,
    LIGHT,
    SMALL_POINT_SIZE,
    THEMES,
    TOKEN_FONTS,
    UI_FONTS,
    Theme,
)

_THEME = "headscope_theme"
_STYLED = "headscope_styled"


def apply(app: QApplication, name: str) -> None:
    """Dress the whole application.

    Parameters
    ----------
    app
        The application.
    name
        Name of a theme, a key of `gui.theme.THEMES`.

    Raises
    ------
    KeyError
        If no theme has that name.
    """
    chosen = THEMES[name]
    app.setProperty(_THEME, name)
    if not app.property(_STYLED):
        # Once only: to change what the style sheet wraps walks every widget there is.
        app.setStyle("Fusion")
        app.setProperty(_STYLED, True)
    app.setFont(ui_font())
    app.setPalette(palette(chosen))
    QToolTip.setPalette(palette(chosen))
    QToolTip.setFont(ui_font())
    app.setStyleSheet(stylesheet(chosen))


def theme() -> Theme:
    """Return the theme in force, light before `apply` was called."""
    app = QApplication.instance()
    name = app.property(_THEME) if app is not None else None
    return THEMES.get(name, LIGHT) if isinstance(name, str) else LIGHT


def system_theme_name(app: QApplication) -> str:
    """Return `dark` when the desktop says that it is dark, else `light`."""
    dark = app.styleHints().colorScheme() == Qt.ColorScheme.Dark
    return "dark" if dark else "light"


def ui_font(*, bold: bool = False, small: bool = False) -> QFont:
    """Return the font of the chrome: two sizes, two weights."""
    font = QFont(_made(UI_FONTS, SMALL_POINT_SIZE if small else BASE_POINT_SIZE))
    font.setBold(bold)
    return font


def token_font(*, bold: bool = False, small: bool = False) -> QFont:
    """Return the monospaced font of tokens and figures."""
    font = QFont(_made(TOKEN_FONTS, SMALL_POINT_SIZE if small else BASE_POINT_SIZE))
    font.setStyleHint(QFont.StyleHint.Monospace)
    font.setBold(bold)
    return font


@cache
def _installed(families: tuple[str, ...]) -> list[str]:
    have = set(QFontDatabase.families())  # slow where there are many fonts
    return [family for family in families if family in have]


@cache
def _made(families: tuple[str, ...], point_size: float) -> QFont:
    # Every tile of every token asks for its font when it is painted.
    font = QFont()
    installed = _installed(families)
    if installed:
        font.setFamilies(installed)
    font.setPointSizeF(point_size)
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
