import re
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QFont, QPalette
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from gui.style import palette
from gui.style.stylesheet import stylesheet
from gui.style.theme import THEMES, Theme


def ratio(one: str, other: str) -> float:
    """Contrast of WCAG 2.1, written out here so that the widgets' own is not the judge."""

    def luminance(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


WRITTEN = [
    (ink, ground)
    for ground in ("card", "window", "field", "accent_ground")
    for ink in ("text", "muted", "accent")
] + [("good", "card"), ("bad", "card"), ("bad", "bad_ground"), ("muted", "masked")]


@pytest.mark.parametrize("theme", THEMES.values(), ids=list(THEMES))
@pytest.mark.parametrize(("ink", "ground"), WRITTEN)
def test_text_has_a_contrast_of_at_least_4_5_on_its_ground(
    theme: Theme, ink: str, ground: str
) -> None:
    assert ratio(getattr(theme, ink), getattr(theme, ground)) >= 4.5


@pytest.mark.parametrize("theme", THEMES.values(), ids=list(THEMES))
@pytest.mark.parametrize("mark", ["positive", "negative", "curve_ov", "curve_qk", "accent"])
def test_bars_curves_and_frames_have_a_contrast_of_at_least_3_on_the_card(
    theme: Theme, mark: str
) -> None:
    assert ratio(getattr(theme, mark), theme.card) >= 3


def test_applying_a_theme_is_seen_by_everybody(qapp: QApplication, dressed: str) -> None:
    assert palette.theme().name == dressed
    card = qapp.palette().color(QPalette.ColorRole.Base).name()
    assert card == THEMES[dressed].card
    assert THEMES[dressed].accent_ground in qapp.styleSheet()


@pytest.mark.parametrize("change", [("dark", None), ("light", 110)], ids=["theme", "text size"])
def test_a_widget_in_many_others_is_dressed_once(
    qtbot: QtBot, qapp: QApplication, change: tuple[str, int | None]
) -> None:
    palette.apply(qapp, "light", 100)
    outer = inner = QWidget()
    qtbot.addWidget(outer)
    for _ in range(8):
        inner = QLabel("deep", inner)
    outer.show()
    spy = Dressings(inner)
    try:
        palette.apply(qapp, *change)
        assert spy.count == 1
        assert qapp.styleSheet() == stylesheet(THEMES[change[0]], palette.text_scale())
    finally:
        palette.apply(qapp, "light", 100)


class Dressings(QObject):
    """How often the style of a widget changed."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self.count = 0
        widget.installEventFilter(self)

    def eventFilter(self, _: QObject, event: QEvent) -> bool:
        self.count += event.type() == QEvent.Type.StyleChange
        return False


def test_tokens_are_written_in_a_monospaced_font(qapp: QApplication) -> None:
    from PySide6.QtGui import QFontMetricsF

    metrics = QFontMetricsF(palette.token_font())
    assert metrics.horizontalAdvance("iiii") == metrics.horizontalAdvance("WWWW")
    assert palette.token_font(bold=True).weight() == QFont.Weight.Bold


def test_an_unknown_theme_is_an_error(qapp: QApplication) -> None:
    with pytest.raises(KeyError):
        palette.apply(qapp, "sepia")


def test_the_system_is_light_or_dark(qapp: QApplication) -> None:
    assert palette.system_theme_name(qapp) in THEMES


@pytest.mark.parametrize("theme", THEMES.values(), ids=list(THEMES))
def test_every_icon_of_the_style_sheet_is_there(theme: Theme) -> None:
    icons = re.findall(r'url\("([^"]+)"\)', stylesheet(theme))
    assert icons
    assert all(Path(icon).is_file() for icon in icons)


def test_the_style_sheet_names_no_colour_of_its_own() -> None:
    light, dark = (stylesheet(theme) for theme in THEMES.values())
    colours = set(re.findall(r"#[0-9a-f]{6}", light))
    assert colours <= {value for value in vars(THEMES["light"]).values() if value[0] == "#"}
    assert light != dark
