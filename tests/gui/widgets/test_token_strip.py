from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from gui.style import palette
from gui.style.theme import SEQUENTIAL, lut
from gui.widgets.token_strip import TokenStrip

Tip = Callable[[QWidget, QPointF], str]
TEA = ["‹BOS›", "I", "·like", "·green", "·tea", ",", "·so", "·I", "·drink", "·green"]
ODD = ["<s>", "<b>x</b>", "&amp;", "&", "קריירה", "💩", "東京", "", "·" + "long" * 60]


def show(bot: QtBot, labels: list[str], width: int = 300, max_lines: int = 4) -> TokenStrip:
    widget = TokenStrip(max_lines=max_lines)
    bot.addWidget(widget)
    widget.set_tokens(labels, range(100, 100 + len(labels)))
    widget.resize(width, widget.heightForWidth(width))
    widget.show()
    return widget


def colour(widget: TokenStrip, at: QPoint) -> QColor:
    return widget.viewport().grab().toImage().pixelColor(at)


@pytest.mark.parametrize("width", [90, 200, 300, 700])
@pytest.mark.parametrize("labels", [TEA, ODD, TEA * 30], ids=["tea", "odd", "many"])
def test_tokens_wrap_without_touching_each_other_or_the_edge(
    qtbot: QtBot, labels: list[str], width: int
) -> None:
    widget = show(qtbot, labels, width, max_lines=1000)
    tiles = [widget.tile(i) for i in range(len(labels))]
    for one, other in pairwise(tiles):
        assert not one.intersects(other)
        assert (other.top(), other.left()) > (one.top(), one.left())
    assert all(tile.left() >= 0 and tile.right() < width for tile in tiles)
    assert tiles[-1].bottom() < widget.height()


def test_its_height_follows_its_width_up_to_so_many_lines(qtbot: QtBot) -> None:
    widget = show(qtbot, TEA * 10, max_lines=3)
    assert widget.hasHeightForWidth()
    assert widget.heightForWidth(10_000) < widget.heightForWidth(900) < 200
    assert widget.heightForWidth(200) == widget.heightForWidth(100)
    assert widget.verticalScrollBar().maximum() > 0


def test_a_token_has_the_colour_of_its_number(qtbot: QtBot, dressed: str) -> None:
    widget = show(qtbot, TEA)
    widget.set_values(np.array([1.0, 0.2, np.nan, *[0.0] * 7]))
    inside = [widget.tile(i).topLeft() + QPoint(4, 4) for i in range(4)]
    assert colour(widget, inside[0]) == QColor(*lut(SEQUENTIAL)[255].tolist())
    assert colour(widget, inside[1]) == QColor(*lut(SEQUENTIAL)[51].tolist())
    assert colour(widget, inside[2]) == QColor(palette.theme().masked)
    assert colour(widget, inside[3]) == QColor("#ffffff")
    widget.set_values(None)
    assert colour(widget, inside[0]) == QColor(palette.theme().card)


def test_numbers_must_be_as_many_as_tokens(qtbot: QtBot) -> None:
    widget = show(qtbot, TEA)
    with pytest.raises(ValueError, match="3 numbers for 10 tokens"):
        widget.set_values(np.zeros(3))


def test_a_click_asks_for_a_token_and_beside_one_for_none(qtbot: QtBot) -> None:
    widget = show(qtbot, TEA)
    clicked: list[int] = []
    widget.clicked.connect(clicked.append)
    between = QPoint(widget.tile(3).right() + 2, widget.tile(3).center().y())
    for place in (widget.tile(4).center(), between):
        qtbot.mouseClick(widget.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert clicked == [4]


def test_the_token_under_the_mouse_is_framed_until_the_mouse_leaves(
    qtbot: QtBot, dressed: str
) -> None:
    widget = show(qtbot, TEA)
    accent = QColor(palette.theme().accent)

    def framed() -> list[int]:
        edges = [QPoint(widget.tile(i).center().x(), widget.tile(i).top()) for i in range(len(TEA))]
        return [i for i, edge in enumerate(edges) if colour(widget, edge) == accent]

    between = QPoint(widget.tile(3).right() + 2, widget.tile(3).center().y())
    for place, expected in ((between, []), (widget.tile(4).center(), [4]), (between, [])):
        qtbot.mouseMove(widget.viewport(), place)
        assert framed() == expected
    qtbot.mouseMove(widget.viewport(), widget.tile(4).center())
    QApplication.sendEvent(widget.viewport(), QEvent(QEvent.Type.Leave))
    assert framed() == []


@pytest.mark.parametrize("height", [30, 45, 70, 100, 133])
def test_only_whole_lines_are_shown_however_high_it_is(qtbot: QtBot, height: int) -> None:
    widget = show(qtbot, TEA * 20, max_lines=3)
    widget.resize(300, height)
    view = widget.viewport()
    for value in (0, 1, widget.verticalScrollBar().maximum()):
        widget.verticalScrollBar().setValue(value)
        image = view.grab().toImage()
        line = QColor(palette.theme().line)
        shown = [
            i
            for i in range(len(TEA) * 20)
            if view.rect().intersects(widget.tile(i))
            and image.pixelColor(widget.tile(i).center().x(), max(widget.tile(i).top(), 0)) == line
        ]
        assert shown
        assert all(view.rect().contains(widget.tile(i)) for i in shown)
    assert shown[-1] == len(TEA) * 20 - 1


def test_arrow_keys_walk_along_and_between_lines(qtbot: QtBot) -> None:
    widget = show(qtbot, TEA, 160)
    widget.clicked.connect(widget.set_pinned)
    asked: list[int] = []
    widget.clicked.connect(asked.append)
    for key in (Qt.Key.Key_Left, Qt.Key.Key_Home, Qt.Key.Key_Right, Qt.Key.Key_End):
        qtbot.keyClick(widget, key)
    assert asked == [9, 0, 1, 9]
    qtbot.keyClick(widget, Qt.Key.Key_Up)
    assert widget.tile(asked[-1]).top() < widget.tile(9).top()
    qtbot.keyClick(widget, Qt.Key.Key_Down)
    assert widget.tile(asked[-1]).top() == widget.tile(9).top()


def test_the_pinned_token_is_framed_and_scrolled_into_view(qtbot: QtBot, dressed: str) -> None:
    widget = show(qtbot, TEA * 20, max_lines=3)
    widget.set_pinned(199)
    tile = widget.tile(199)
    assert widget.viewport().rect().contains(tile)
    assert colour(widget, QPoint(tile.center().x(), tile.top())) == QColor(palette.theme().accent)
    widget.set_pinned(0)
    assert widget.viewport().rect().contains(widget.tile(0))
    widget.set_pinned(100)
    widget.resize(150, 50)
    assert widget.viewport().rect().contains(widget.tile(100))


def test_a_position_that_is_gone_is_no_longer_pinned(qtbot: QtBot) -> None:
    widget = show(qtbot, TEA)
    widget.set_pinned(9)
    widget.set_tokens(TEA[:3], [1, 2, 3])
    with qtbot.waitSignal(widget.clicked) as signal:
        qtbot.keyClick(widget, Qt.Key.Key_Left)
    assert signal.args == [2]


def test_tool_tips_show_the_token_as_it_is_and_its_id(qtbot: QtBot, tip_label: Tip) -> None:
    widget = show(qtbot, ODD, 700)
    for position, token in enumerate(ODD[:4]):
        tip = tip_label(widget.viewport(), QPointF(widget.tile(position).center()))
        assert tip == f"{token}\nposition {position}, id {100 + position}"


def test_bytes_of_a_character_are_muted_and_explained(
    qtbot: QtBot, dressed: str, tip_label: Tip
) -> None:
    widget = show(qtbot, ["E6", "E6#7"])
    widget.set_tokens(["E6", "E6#7"], [5, 7], pieces={7})
    theme = palette.theme()

    def inks(position: int) -> set[str]:
        image = widget.viewport().grab(widget.tile(position).adjusted(3, 3, -3, -3)).toImage()
        places = [(x, y) for x in range(image.width()) for y in range(image.height())]
        return {image.pixelColor(x, y).name() for x, y in places}

    assert theme.text in inks(0)
    assert theme.text not in inks(1)
    assert theme.muted in inks(1)
    tips = [tip_label(widget.viewport(), QPointF(widget.tile(i).center())) for i in (0, 1)]
    assert tips[0].splitlines()[0] == "E6"
    assert tips[1].splitlines()[0] == "bytes E6: a piece of a character"


def test_no_tokens_are_no_tiles(qtbot: QtBot) -> None:
    widget = show(qtbot, TEA)
    widget.set_tokens([], [])
    with qtbot.assertNotEmitted(widget.clicked):
        qtbot.mouseClick(widget.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(10, 10))
        qtbot.keyClick(widget, Qt.Key.Key_Right)


def test_special_tokens_are_slanted_in_a_dashed_frame_and_named_in_the_tool_tip(
    qtbot: QtBot, dressed: str, tip_label: Tip
) -> None:
    widget = show(qtbot, ["<s>", "<s>", "tea"])

    def picture(position: int) -> QImage:
        return widget.viewport().grab(widget.tile(position)).toImage()

    assert picture(0) == picture(1)
    widget.set_tokens(["<s>", "<s>", "tea"], [1, 7, 9], special=[0])
    assert picture(0) != picture(1)
    across = range(4, widget.tile(0).width() - 4)
    dashes = [picture(0).pixelColor(x, 0) == QColor(palette.theme().muted) for x in across]
    assert any(dashes)
    assert not all(dashes)
    tips = [tip_label(widget.viewport(), QPointF(widget.tile(i).center())) for i in (0, 1)]
    assert tips == ["<s>\nposition 0, special token, id 1", "<s>\nposition 1, id 7"]
