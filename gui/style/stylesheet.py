"""The application's style sheet, made from a theme: one radius, one unit, two weights.

A widget asks for a look by a dynamic property: `role` on a label (`title`, `small`, `accent`),
`quiet` on a button or a table without a frame, `bare` on a button that opens a menu, `face` on a
button or a field for its font, `tone` on a button for its colour, `segment` on a button of a
segmented control, `frozen` on a table that lies over another, `notice` on a frame, `page` on a
frame that lies over others, `narrow` on a button of one sign, `refused` on a field, `floating` on
a dialog without a frame.
"""

import re
from pathlib import Path
from string import Template

from gui.style.theme import RADIUS, SCROLL_BAR, SMALL_POINT_SIZE, TOKEN_FONTS, UNIT, Theme

_RING = 2
"""Width of the frame of a button that has the keyboard; its padding gives way to it."""

_SHEET = """
QMainWindow, QDialog { background: $window; }
QMainWindow::separator { background: transparent; width: ${unit}px; height: ${unit}px; }
QMainWindow::separator:hover { background: $line; }
QToolTip { background: $card; color: $text; border: 1px solid $line; padding: ${half}px; }

QDockWidget { color: $text; }
QDockWidget::title { background: transparent; padding: ${half}px ${unit}px; }

QLabel { background: transparent; }
QLabel[role="title"] { font-weight: bold; }
QLabel[role="small"] { color: $muted; font-size: ${small}pt; }
QLabel[role="accent"] { color: $accent; }

QPushButton, QToolButton {
    background: $field; color: $text; border: 1px solid $line; border-radius: ${radius}px;
    padding: 3px 9px; min-height: 16px;
}
QPushButton:hover, QToolButton:hover { background: $accent_ground; }
QPushButton:pressed, QToolButton:pressed { border-color: $accent; }
QPushButton:checked, QToolButton:checked {
    background: $accent_ground; color: $accent; border-color: $accent;
}
QPushButton:focus, QToolButton:focus {
    border: ${ring}px solid $accent; padding: ${inner_down}px ${inner_across}px;
}
QPushButton:disabled, QToolButton:disabled { color: $muted; background: transparent; }
QPushButton[quiet="true"], QToolButton[quiet="true"] {
    background: transparent; border-color: transparent; color: $accent;
}
QPushButton[quiet="true"]:hover, QToolButton[quiet="true"]:hover { background: $accent_ground; }
QPushButton[quiet="true"]:focus, QToolButton[quiet="true"]:focus { border-color: $accent; }
QPushButton[bare="true"], QToolButton[bare="true"] {
    background: transparent; border-color: transparent; padding: 3px 4px;
}
QPushButton[bare="true"]:hover, QToolButton[bare="true"]:hover { background: $accent_ground; }
QPushButton[bare="true"]:focus, QToolButton[bare="true"]:focus {
    border-color: $accent; padding: ${inner_down}px ${inner_bare}px;
}
QToolButton[narrow="true"] { padding: 3px 0px; min-width: 18px; }
QPushButton[face="small"] { font-size: ${small}pt; padding: 3px 4px; }
QPushButton[face="small"]:focus { padding: ${inner_down}px ${inner_bare}px; }
QPushButton[tone="muted"] { color: $muted; }
QPushButton[tone="good"] { color: $good; }
QPushButton[tone="bad"] { color: $bad; font-weight: bold; }
QPushButton::menu-indicator, QToolButton::menu-indicator { width: 0px; }

QPushButton[segment] {
    background: $field; border-radius: 0px; margin-left: -1px; padding: 3px 9px;
}
QPushButton[segment]:hover { background: $accent_ground; }
QPushButton[segment]:checked {
    background: $accent_ground; color: $accent; border-color: $line;
}
QPushButton[segment]:focus { border-color: $accent; }
QPushButton[segment="first"] {
    border-top-left-radius: ${radius}px; border-bottom-left-radius: ${radius}px; margin-left: 0px;
}
QPushButton[segment="last"] {
    border-top-right-radius: ${radius}px; border-bottom-right-radius: ${radius}px;
}
QPushButton[segment="only"] { border-radius: ${radius}px; margin-left: 0px; }

QLineEdit, QPlainTextEdit, QAbstractSpinBox {
    background: $field; color: $text; border: 1px solid $line; border-radius: ${radius}px;
    padding: 2px 6px; selection-background-color: $accent; selection-color: $card;
}
QAbstractSpinBox QLineEdit { border: none; background: transparent; padding: 0px 6px; }
QLineEdit[face="token"] { font-family: $token_fonts; }
QLineEdit, QAbstractSpinBox { min-height: 18px; }
QLineEdit:focus, QPlainTextEdit:focus, QAbstractSpinBox:focus { border-color: $accent; }
QLineEdit:disabled, QPlainTextEdit:disabled, QAbstractSpinBox:disabled { color: $muted; }
QDialog[floating="true"] { background: $card; border: 1px solid $line; }
QLineEdit[refused="true"] { border-color: $bad; }

QComboBox {
    background: $field; color: $text; border: 1px solid $line; border-radius: ${radius}px;
    padding: 3px 9px; min-height: 16px; combobox-popup: 0;
}
QComboBox:hover { background: $accent_ground; }
QComboBox:focus, QComboBox:on { border-color: $accent; }
QComboBox:disabled { color: $muted; }
QComboBox::drop-down { border: none; width: 20px; }
QComboBox::down-arrow { image: url("$icons/down-$name.svg"); width: 10px; height: 10px; }
QComboBox QAbstractItemView::item { padding: 3px ${half}px; border: none; }
QComboBox QAbstractItemView::item:selected { background: $accent_ground; color: $text; }
QFileDialog QToolButton { padding: 3px; }
QDialogButtonBox { dialogbuttonbox-buttons-have-icons: 0; }
QAbstractSpinBox::up-button, QAbstractSpinBox::down-button { border: none; width: 16px; }
QAbstractSpinBox::up-arrow { image: url("$icons/up-$name.svg"); width: 9px; height: 9px; }
QAbstractSpinBox::down-arrow { image: url("$icons/down-$name.svg"); width: 9px; height: 9px; }

QMenu::indicator, QCheckBox::indicator {
    width: 12px; height: 12px; border: 1px solid $muted; border-radius: 3px; background: $field;
}
QMenu::indicator { margin-left: ${half}px; }
QCheckBox { min-height: 20px; }
QCheckBox::indicator:focus { border-color: $accent; }
QMenu::indicator:checked, QCheckBox::indicator:checked {
    background: $accent; border-color: $accent; image: url("$icons/check-$name.svg");
}
QMenu::right-arrow { width: 10px; height: 10px; }
QAbstractItemView {
    background: $card; color: $text; border: 1px solid $line; outline: none;
    selection-background-color: $accent_ground; selection-color: $text;
}
QTableView[quiet="true"] { border: none; background: transparent; }
QHeaderView { background: transparent; border: none; }
QTableView[frozen="true"], QTableView[frozen="true"] QHeaderView { background: $card; }
QHeaderView::section {
    background: transparent; color: $muted; border: none; border-bottom: 1px solid $line;
    padding: 2px ${half}px;
}

QMenuBar { background: $card; border-bottom: 1px solid $line; }
QMenuBar::item { background: transparent; padding: 4px ${unit}px; }
QMenuBar::item:selected { background: $accent_ground; }
QMenu { background: $card; color: $text; border: 1px solid $line; padding: ${half}px; }
QMenu::item { padding: 4px 24px; border-radius: ${half}px; }
QMenu::item:selected { background: $accent_ground; color: $text; }
QMenu::item:disabled { color: $muted; }
QMenu::separator { height: 1px; background: $line; margin: ${half}px; }

QStatusBar { background: $card; border-top: 1px solid $line; color: $muted; }
QStatusBar::item { border: none; }
QStatusBar QLabel { color: $muted; }
QProgressBar {
    background: $field; border: 1px solid $line; border-radius: ${half}px; max-height: ${unit}px;
}
QProgressBar::chunk { background: $accent; border-radius: 3px; }
QTabBar::tab {
    background: transparent; color: $muted; padding: ${half}px ${unit}px;
    border-bottom: 2px solid transparent;
}
QTabBar::tab:selected { color: $accent; border-bottom-color: $accent; }
QTabBar::tab:focus { background: $accent; color: $card; }

QScrollArea { background: transparent; border: none; }
QAbstractScrollArea::corner { background: transparent; border: none; }
QScrollBar:vertical { background: transparent; width: ${scroll_bar}px; margin: 0px; }
QScrollBar:horizontal { background: transparent; height: ${scroll_bar}px; margin: 0px; }
QScrollBar::handle { background: $line; border-radius: 3px; margin: 2px; }
QScrollBar::handle:vertical { min-height: 24px; }
QScrollBar::handle:horizontal { min-width: 24px; }
QScrollBar::handle:hover { background: $muted; }
QScrollBar::handle:disabled { background: transparent; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0px; height: 0px; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }

QFrame[page="true"] { background: $card; border: 1px solid $line; }
QFrame[notice="info"] { background: $accent_ground; border-radius: ${radius}px; }
QFrame[notice="failure"] { background: $bad_ground; border-radius: ${radius}px; }
QFrame[notice="failure"] QLabel { color: $bad; }
"""


def stylesheet(theme: Theme, text_scale: float = 1.0) -> str:
    """Return the application's style sheet in the colours of a theme.

    Parameters
    ----------
    theme
        Where the colours come from.
    text_scale
        Factor by which text is larger than usual; lengths written as numbers grow with it, but
        for hairlines. What is a multiple of the spacing unit stays.
    """

    def length(found: re.Match[str]) -> str:
        pixels = int(found[1])
        return f"{pixels if pixels < 2 else max(round(pixels * text_scale), 1)}px"

    return Template(re.sub(r"\b(\d+)px", length, _SHEET)).substitute(
        vars(theme),
        unit=UNIT,
        ring=_RING,
        inner_down=max(round(3 * text_scale) + 1 - _RING, 0),
        inner_across=max(round(9 * text_scale) + 1 - _RING, 0),
        inner_bare=max(round(4 * text_scale) + 1 - _RING, 0),
        half=UNIT // 2,
        radius=RADIUS,
        scroll_bar=SCROLL_BAR,
        token_fonts=", ".join(f'"{family}"' for family in (*TOKEN_FONTS, "monospace")),
        small=f"{SMALL_POINT_SIZE * text_scale:g}",
        icons=(Path(__file__).parent / "icons").as_posix(),
    )
