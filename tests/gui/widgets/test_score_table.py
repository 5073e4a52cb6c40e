from collections.abc import Callable

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from gui.style import palette
from gui.widgets.score_table import ScoreColumn, ScoreTable

Tip = Callable[[QWidget, QPointF], str]
NAMES = ["L0H10", "<b>L0H2</b>", "L0H3", "&L0H4"]
SCORES = np.array([0.5, -1.0, 12.0, np.nan])


@pytest.fixture
def table(qtbot: QtBot) -> ScoreTable:
    widget = ScoreTable()
    qtbot.addWidget(widget)
    widget.resize(320, 220)
    widget.set_rows("head", NAMES, [ScoreColumn("score", SCORES, 2, signed=True, tip="how much")])
    widget.show()
    return widget


def column(table: ScoreTable, number: int) -> list[str]:
    model = table.model()
    return [model.index(row, number).data() for row in range(model.rowCount())]


def click_header(qtbot: QtBot, table: ScoreTable, number: int) -> None:
    header = table.horizontalHeader()
    at = QPointF(header.sectionViewportPosition(number) + 6, header.height() / 2).toPoint()
    qtbot.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=at)


def click_row(qtbot: QtBot, table: ScoreTable, row: int) -> None:
    at = table.visualRect(table.model().index(row, 0)).center()
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=at)


def test_rows_come_in_the_order_given_and_names_are_literal(table: ScoreTable) -> None:
    assert column(table, 0) == NAMES
    assert column(table, 1) == ["+0.50", "−1.00", "+12.00", "–"]


def test_a_click_on_a_number_column_sorts_largest_first_and_what_is_no_number_last(
    qtbot: QtBot, table: ScoreTable
) -> None:
    click_header(qtbot, table, 1)
    assert column(table, 1) == ["+12.00", "+0.50", "−1.00", "–"]
    click_header(qtbot, table, 1)
    assert column(table, 1) == ["−1.00", "+0.50", "+12.00", "–"]


def test_the_order_stays_when_other_rows_come(qtbot: QtBot, table: ScoreTable) -> None:
    click_header(qtbot, table, 1)
    table.set_rows("head", ["a", "b"], [ScoreColumn("score", np.array([1.0, 2.0]))])
    assert column(table, 0) == ["b", "a"]


def test_a_sorted_row_is_chosen_by_its_place_in_what_was_given(
    qtbot: QtBot, table: ScoreTable
) -> None:
    click_header(qtbot, table, 1)
    with qtbot.waitSignal(table.chosen) as signal:
        click_row(qtbot, table, 0)
    assert signal.args == [2]
    with qtbot.waitSignal(table.chosen) as signal:
        qtbot.keyClick(table, Qt.Key.Key_Down)
        qtbot.keyClick(table, Qt.Key.Key_Return)
    assert signal.args == [0]


def test_the_selected_row_keeps_its_mark_when_it_moves(
    qtbot: QtBot, dressed: str, table: ScoreTable
) -> None:
    table.set_highlight(2)
    click_header(qtbot, table, 1)
    image = table.viewport().grab().toImage()
    ground = palette.theme().accent_ground
    cells = [table.visualRect(table.model().index(row, 1)) for row in (0, 1)]
    grounds = [image.pixelColor(cell.left() + 2, cell.center().y()).name() for cell in cells]
    assert grounds[0] == ground
    assert grounds[1] != ground


def test_copied_rows_hold_full_precision(qtbot: QtBot, table: ScoreTable) -> None:
    table.set_rows("head", ["a"], [ScoreColumn("score", np.array([1 / 3]))])
    qtbot.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QApplication.clipboard().text() == f"a\t{1 / 3}"


def test_a_tool_tip_describes_the_row_literally(table: ScoreTable, tip_label: Tip) -> None:
    table.set_describe(lambda place: f"{NAMES[place]} & more")
    at = QPointF(table.visualRect(table.model().index(1, 0)).center())
    assert tip_label(table.viewport(), at) == "<b>L0H2</b> & more"


def test_in_a_narrow_table_names_are_whole_and_numbers_inside(table: ScoreTable) -> None:
    table.resize(210, 200)
    assert sum(table.columnWidth(n) for n in range(2)) <= table.viewport().width()


def test_columns_of_another_length_are_refused(table: ScoreTable) -> None:
    with pytest.raises(ValueError, match="2 numbers for 1 names"):
        table.set_rows("head", ["a"], [ScoreColumn("score", np.zeros(2))])


def test_no_rows_show_a_sentence(table: ScoreTable) -> None:
    table.clear("Nothing here.")
    assert table.model().rowCount() == 0


def test_numbers_in_names_sort_as_numbers(qtbot: QtBot, table: ScoreTable) -> None:
    names = ["L2H0", "L10H0", "L2H11", "L2H9"]
    table.set_rows("head", names, [ScoreColumn("score", np.zeros(4))])
    click_header(qtbot, table, 0)
    assert column(table, 0) == ["L2H0", "L2H9", "L2H11", "L10H0"]


def test_a_heading_says_by_which_column_rows_are_sorted(qtbot: QtBot, table: ScoreTable) -> None:
    def over() -> str:
        return str(table.model().headerData(1, Qt.Orientation.Horizontal))

    assert over() == "score"
    click_header(qtbot, table, 1)
    assert over() == "▾ score"
    click_header(qtbot, table, 1)
    assert over() == "▴ score"


def test_names_stay_in_place_while_numbers_are_scrolled(qtbot: QtBot, table: ScoreTable) -> None:
    many = [ScoreColumn(f"measure {number}", np.arange(4.0)) for number in range(12)]
    table.set_rows("head", ["a", "b", "c", "d"], many)
    bar = table.horizontalScrollBar()
    assert bar.maximum() > 0
    assert not table._frozen.isVisible()
    bar.setValue(bar.maximum())
    assert table._frozen.isVisible()
    row = table._frozen.visualRect(table.model().index(2, 0))
    with qtbot.waitSignal(table.chosen) as asked:
        qtbot.mouseClick(table._frozen.viewport(), Qt.MouseButton.LeftButton, pos=row.center())
    assert asked.args == [2]
    bar.setValue(0)
    assert not table._frozen.isVisible()


def bar_width(table: ScoreTable, row: int, colour: str) -> int:
    """Return the most pixels of a colour on one line of a cell of the last column."""
    model = table.model()
    cell = table.visualRect(model.index(row, model.columnCount() - 1))
    image = table.viewport().grab().toImage().copy(cell)
    lines = [
        sum(image.pixelColor(x, y).name() == colour for x in range(image.width()))
        for y in range(image.height())
    ]
    return max(lines)


def test_a_bar_is_as_long_as_its_share_of_the_largest(table: ScoreTable) -> None:
    table.resize(420, 220)
    values = np.array([2.0, -1.0, 4.0, np.nan])
    table.set_rows("head", NAMES, [ScoreColumn("score", values, bar=True)])
    theme = palette.theme()
    longest = bar_width(table, 2, theme.positive)
    assert longest > 60
    assert bar_width(table, 0, theme.positive) == pytest.approx(longest / 2, abs=2)
    assert bar_width(table, 1, theme.negative) == pytest.approx(longest / 4, abs=2)
    assert bar_width(table, 3, theme.positive) == bar_width(table, 3, theme.negative) == 0


def test_where_there_is_no_room_numbers_stand_without_bars(table: ScoreTable) -> None:
    table.resize(130, 220)
    table.set_rows("head", NAMES, [ScoreColumn("score", SCORES, bar=True)])
    assert bar_width(table, 2, palette.theme().positive) == 0
    assert column(table, 1)[2] == "12.00"
