from collections.abc import Callable

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gui.style import palette
from gui.style.theme import SEQUENTIAL, lut
from gui.widgets.cell_map import CellMap
from gui.widgets.cell_map_painting import Beside, Cells, Sizes
from gui.widgets.cells import Colouring

Tip = Callable[[QWidget, QPointF], str]
DARKEST = QColor(*lut(SEQUENTIAL)[255].tolist())
SHARES = Colouring("sequential", 0.0, 1.0)


def show(bot: QtBot, width: int = 330, height: int = 300, *, crossing: bool = False) -> CellMap:
    widget = CellMap(crossing=crossing)
    bot.addWidget(widget)
    widget.resize(width, height)
    widget.show()
    return widget


def cells(rows: int, columns: int, **more: object) -> Cells:
    values = np.zeros((rows, columns))
    names = [f"r{row}" for row in range(rows)]
    heads = [f"c{column}" for column in range(columns)]
    return Cells(values, SHARES, names, heads, **more)  # type: ignore[arg-type]


def colour(widget: CellMap, at: QPointF) -> QColor:
    return widget.viewport().grab().toImage().pixelColor(at.toPoint())


def corner(widget: CellMap, row: int, column: int) -> QPointF:
    """Return a place in a cell where no number is printed."""
    return widget.cell_rect(row, column).topLeft() + QPointF(2, 2)


def test_each_number_is_drawn_in_its_cell(qtbot: QtBot, dressed: str) -> None:
    widget = show(qtbot)
    shown = cells(3, 4)
    shown.values[1, 2] = 1.0
    widget.set_cells(shown)
    for row in range(3):
        for column in range(4):
            expected = DARKEST if (row, column) == (1, 2) else QColor("#ffffff")
            assert colour(widget, corner(widget, row, column)) == expected


def test_too_many_rows_scroll_by_whole_ones(qtbot: QtBot) -> None:
    widget = show(qtbot)
    shown = cells(270, 4)
    shown.values[200] = 1.0
    widget.set_cells(shown)
    rows, columns = widget.in_sight()
    assert (rows.start, list(columns)) == (0, [0, 1, 2, 3])
    assert len(rows) < 270
    widget.set_marked(200, -1)
    assert 200 in widget.in_sight()[0]
    inner = widget.cell_rect(200, 1).topLeft() + QPointF(4, 4)
    assert colour(widget, inner) == DARKEST
    last = widget.in_sight()[0][-1]
    assert widget.cell_rect(last, 0).bottom() <= widget.viewport().height()


def test_columns_that_may_not_shrink_scroll_and_others_are_all_in_sight(qtbot: QtBot) -> None:
    widget = show(qtbot)
    widget.set_cells(cells(3, 256, sizes=Sizes(column=(44.0, 100.0))))
    assert len(widget.in_sight()[1]) < 8
    widget.set_cells(cells(3, 256, sizes=Sizes(column=(0.0, 40.0))))
    assert len(widget.in_sight()[1]) == 256


def test_one_hot_cell_of_many_on_a_pixel_is_seen(qtbot: QtBot) -> None:
    widget = show(qtbot, 200)
    shown = cells(2, 2000, sizes=Sizes(column=(0.0, 40.0)))
    shown.values[1, 777] = 1.0
    widget.set_cells(shown)
    image = widget.viewport().grab().toImage()
    y = round(widget.cell_rect(1, 0).center().y())
    assert DARKEST in [image.pixelColor(x, y) for x in range(image.width())]


def test_a_click_asks_for_the_cell_the_row_or_the_column(qtbot: QtBot) -> None:
    widget = show(qtbot)
    widget.set_cells(cells(3, 4))
    asked: list[tuple[int, int]] = []
    widget.clicked.connect(lambda row, column: asked.append((row, column)))
    cell = widget.cell_rect(2, 3)
    for place in (
        cell.center(),
        QPointF(6, cell.center().y()),
        QPointF(cell.center().x(), 6),
        QPointF(3, 3),
    ):
        QTest.mouseClick(widget.viewport(), Qt.MouseButton.LeftButton, pos=place.toPoint())
    assert asked == [(2, 3), (2, -1), (-1, 3)]


def test_a_click_after_scrolling_asks_for_what_is_seen_there(qtbot: QtBot) -> None:
    widget = show(qtbot)
    widget.set_cells(cells(90, 90, sizes=Sizes(column=(44.0, 100.0))))
    widget.set_marked(70, 60)
    place = widget.cell_rect(70, 60).center().toPoint()
    with qtbot.waitSignal(widget.clicked) as asked:
        QTest.mouseClick(widget.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert asked.args == [70, 60]


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        (Qt.Key.Key_Up, (0, -1)),
        (Qt.Key.Key_Down, (2, -1)),
        (Qt.Key.Key_Left, (-1, 0)),
        (Qt.Key.Key_Right, (-1, 2)),
        (Qt.Key.Key_Home, (-1, 0)),
        (Qt.Key.Key_End, (-1, 3)),
        (Qt.Key.Key_PageDown, (2, -1)),
    ],
)
def test_a_key_moves_along_one_axis_only(
    qtbot: QtBot, key: Qt.Key, expected: tuple[int, int]
) -> None:
    widget = show(qtbot)
    widget.set_cells(cells(3, 4))
    widget.set_marked(1, 1)
    with qtbot.waitSignal(widget.clicked) as asked:
        QTest.keyClick(widget, key)
    assert tuple(asked.args) == expected


def test_what_is_marked_is_framed_in_accent(qtbot: QtBot, dressed: str) -> None:
    accent = QColor(palette.theme().accent)
    for crossing in (False, True):
        widget = show(qtbot, crossing=crossing)
        widget.set_cells(cells(3, 4))
        widget.set_marked(1, 2)
        row_edge = widget.cell_rect(1, 0).topLeft() + QPointF(8, 0)
        assert (colour(widget, row_edge) == accent) is not crossing
        assert colour(widget, widget.cell_rect(1, 2).topLeft() + QPointF(8, 0)) == accent


def test_tool_tips_are_literal_and_tell_what_a_small_column_is(
    qtbot: QtBot, tip_label: Tip
) -> None:
    widget = show(qtbot)
    widget.set_cells(cells(3, 4, beside=[Beside("score", np.array([0.0, 0.5, 1.0]))]))
    widget.set_describe(lambda row, column: f"<s> {row} {column}", ("what the score is",))
    assert tip_label(widget.viewport(), widget.cell_rect(1, 2).center()) == "<s> 1 2"
    cell = widget.cell_rect(0, 0)
    assert tip_label(widget.viewport(), QPointF(cell.left() - 14, 10)) == "what the score is"
    assert tip_label(widget.viewport(), QPointF(cell.left() - 14, cell.center().y())) == "<s> 0 -1"


def test_texts_stand_in_the_cells_instead_of_numbers(qtbot: QtBot) -> None:
    widget = show(qtbot)
    images = []
    for texts in ([["·tea", "·"]], [["·tea", "·coffee"]], [["·tea", "<b>x</b>"]]):
        widget.set_cells(cells(1, 2, texts=texts))
        images.append(widget.viewport().grab().toImage())
    assert images[0] != images[1] != images[2]


def test_labels_that_do_not_fit_the_numbers_are_refused(qtbot: QtBot) -> None:
    widget = show(qtbot)
    with pytest.raises(ValueError, match="labels"):
        widget.set_cells(Cells(np.zeros((2, 2)), SHARES, ["a"], ["b", "c"]))
    with pytest.raises(ValueError, match="no cells"):
        widget.set_cells(cells(0, 0))


@pytest.mark.parametrize("size", [(300, 120), (1200, 700)])
@pytest.mark.parametrize("count", [1, 3, 30, 256])
def test_it_paints_at_any_size(qtbot: QtBot, size: tuple[int, int], count: int) -> None:
    widget = show(qtbot, *size)
    widget.set_cells(cells(16, count, beside=[Beside("score", np.full(16, np.nan))]))
    widget.set_marked(15, count - 1)
    assert not widget.viewport().grab().isNull()
    assert widget.height_at(size[0]) > 16 * 16
