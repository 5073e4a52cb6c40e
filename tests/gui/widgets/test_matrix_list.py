"""The list of matrices: what is placed where, what a cell's colour is, what the mouse reads."""

from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QPixmap

from gui.style import palette
from gui.style.theme import DIVERGING, lut
from gui.widgets.cells import Colouring
from gui.widgets.matrix import Matrix
from gui.widgets.matrix_list import BESIDE_FROM, Entry, ListCell, MatrixList
from gui.widgets.text import Paragraph


def made(part, rows, columns, marked=(None, None), seed=0, labels=None):
    values = np.random.default_rng(seed).normal(size=(rows, columns))
    values[0, 0] = 4.0
    names = (labels or [f"·t{i}" for i in range(rows)], [str(i) for i in range(columns)])
    grid = Matrix(values, Colouring("diverging", -4.0, 4.0), names, titles=("query", "d_head"))
    words = (Paragraph(f"M = {rows} by {columns}", "strong"), Paragraph("What it means " * 6))
    return Entry(part, words, grid, marked)


ENTRIES = [
    made("First", 5, 4, (4, None)),
    made("First", 8, 256),
    made("Second", 256, 32, (200, 3)),
    made("Second", 256, 256, (255, 12)),
    made("Third", 1, 32),
    made("Third", 12, 12),
]


def show(qtbot, entries, width=640, height=500):
    sheet = MatrixList()
    qtbot.addWidget(sheet)
    sheet.resize(width, height)
    sheet.set_entries(entries)
    sheet.show()
    return sheet


@pytest.mark.parametrize("width", [240, 300, BESIDE_FROM + 20, 1200])
def test_nothing_overlaps_and_nothing_leaves_the_sheet(qtbot, width):
    placed = show(qtbot, ENTRIES, width).placed()
    for above, below in pairwise(placed):
        assert above.box.bottom() < below.box.top()
    for one in placed:
        grid, words = one.matrix.grid.bounds, one.words_at.y() + one.words.height
        assert grid.right() <= one.box.right()
        assert one.matrix.bottom <= one.box.bottom()
        assert words <= one.box.bottom()
        assert one.caption.bottom() <= grid.top()
        assert one.legend is None or one.legend.bottom() <= one.box.bottom()
        beside, _ = one.matrix.place_labels(one.entry.grid)
        assert all(one.caption.bottom() <= label.box.top() + 1 for label in beside)


def test_words_stand_beside_a_matrix_where_there_is_room_and_above_it_elsewhere(qtbot):
    wide = show(qtbot, ENTRIES, 900).placed()[0]
    narrow = show(qtbot, ENTRIES, 300).placed()[0]
    assert wide.caption.top() == wide.words_at.y()
    assert narrow.caption.top() >= narrow.words_at.y() + narrow.words.height


def test_few_cells_hold_their_numbers_and_many_have_a_legend(qtbot):
    placed = show(qtbot, ENTRIES, 900).placed()
    assert [one.legend is None for one in placed] == [True, False, False, False, False, True]


def test_each_part_has_its_heading_once(qtbot):
    placed = show(qtbot, ENTRIES).placed()
    assert [one.heading is not None for one in placed] == [True, False] * 3


def test_a_cell_has_the_colour_of_its_number_in_every_theme(qtbot, dressed):
    sheet = show(qtbot, ENTRIES)
    corner = sheet.cell_rect(ListCell(0, 0, 0)).topLeft() + QPointF(3, 3)
    colour = sheet.viewport().grab().toImage().pixelColor(corner.toPoint())
    assert colour == QColor(*lut(DIVERGING)[255].tolist())


def test_a_masked_cell_is_paper(qtbot, dressed):
    entry = made("First", 3, 3)
    entry.grid.values[0, 2] = np.nan
    sheet = show(qtbot, [entry])
    at = sheet.cell_rect(ListCell(0, 0, 2)).center().toPoint()
    assert sheet.viewport().grab().toImage().pixelColor(at) == QColor(palette.theme().masked)


def test_a_marked_row_is_framed_in_accent(qtbot, dressed):
    sheet = show(qtbot, ENTRIES)
    edge = sheet.cell_rect(ListCell(0, 4, 1)).topLeft() + QPointF(8, 0)
    image = sheet.viewport().grab().toImage()
    assert image.pixelColor(edge.toPoint()) == QColor(palette.theme().accent)


def test_mouse_and_click_tell_the_cell(qtbot):
    sheet = show(qtbot, ENTRIES)
    wanted = ListCell(0, 3, 2)
    at = sheet.cell_rect(wanted).center().toPoint()
    with qtbot.waitSignal(sheet.hovered, check_params_cb=lambda cell: cell == wanted):
        qtbot.mouseMove(sheet.viewport(), at)
    with qtbot.waitSignal(sheet.clicked, check_params_cb=lambda cell: cell == wanted):
        qtbot.mouseClick(sheet.viewport(), Qt.MouseButton.LeftButton, pos=at)


def test_a_cell_that_was_scrolled_away_is_no_longer_pointed_at(qtbot):
    sheet = show(qtbot, ENTRIES)
    told = []
    sheet.hovered.connect(told.append)
    sheet.point_at(ListCell(0, 3, 2))
    sheet.verticalScrollBar().setValue(400)
    assert told == [ListCell(0, 3, 2), None]


def test_a_click_after_scrolling_tells_the_cell_that_is_seen(qtbot):
    sheet = show(qtbot, ENTRIES)
    sheet.show_part("Third")
    wanted = ListCell(5, 6, 7)
    sheet.show_entry(5)
    assert sheet.verticalScrollBar().value() > 0
    at = sheet.cell_rect(wanted).center().toPoint()
    with qtbot.waitSignal(sheet.clicked, check_params_cb=lambda cell: cell == wanted):
        qtbot.mouseClick(sheet.viewport(), Qt.MouseButton.LeftButton, pos=at)


def test_a_label_is_told_as_it_is(qtbot, tip_label):
    labels = ["<b>x</b>", "&amp;", "·" + "long" * 60, "קריירה", "💩"]
    sheet = show(qtbot, [made("First", 5, 4, labels=labels)], 300)
    sheet.set_describe(lambda cell: f"<i>{cell.row}</i>")
    for row, label in enumerate(labels):
        place = sheet.cell_rect(ListCell(0, row, 0))
        beside = QPointF(place.left() - 6, place.center().y())
        assert sheet.tip_at(beside) == label
    assert sheet.tip_at(sheet.cell_rect(ListCell(0, 1, 1)).center()) == "<i>1</i>"


def test_the_part_at_the_top_is_told_once(qtbot):
    sheet = show(qtbot, ENTRIES)
    told = []
    sheet.part_shown.connect(told.append)
    sheet.show_part("Second")
    sheet.verticalScrollBar().setValue(sheet.verticalScrollBar().value() + 5)
    sheet.verticalScrollBar().setValue(sheet.verticalScrollBar().maximum())
    sheet.show_part("First")
    assert told == ["Second", "Third", "First"]


def test_another_width_keeps_what_is_at_the_top(qtbot):
    sheet = show(qtbot, ENTRIES, 640)
    sheet.show_part("Second")
    sheet.resize(300, 500)
    assert sheet.verticalScrollBar().value() == int(sheet.placed()[2].box.top())


def test_fewer_matrices_drop_a_cell_that_is_no_longer_there(qtbot):
    sheet = show(qtbot, ENTRIES)
    sheet.set_current(ListCell(5, 11, 11))
    sheet.set_entries(ENTRIES[:2])
    sheet.setFocus()
    with qtbot.waitSignal(sheet.clicked, check_params_cb=lambda cell: cell.entry == 0):
        qtbot.keyClick(sheet, Qt.Key.Key_Down)


def test_no_matrix_at_all_is_no_trouble(qtbot):
    sheet = show(qtbot, [])
    qtbot.keyClick(sheet, Qt.Key.Key_PageDown)
    assert sheet.item_at(QPointF(20, 20)) is None
    sheet.grab()


def test_a_picture_at_another_scale_shows_the_same_cells(qtbot):
    sheet = show(qtbot, ENTRIES)
    sheet.show_part("Second")
    top = sheet.verticalScrollBar().value()
    picture = QPixmap(2 * sheet.size())
    picture.setDevicePixelRatio(2)
    sheet.render(picture)
    assert sheet.placed()[0].matrix.grid.ratio == 2
    sheet.viewport().grab()
    assert sheet.placed()[0].matrix.grid.ratio == sheet.devicePixelRatioF()
    assert sheet.verticalScrollBar().value() == top
