"""Views of one matrix: what a cell looks like, what the mouse and keys ask for, what is read."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter

from gui.style import palette
from gui.style.theme import DIVERGING, SEQUENTIAL, lut
from gui.widgets.cells import Colouring
from gui.widgets.head_grid import HeadGrid
from gui.widgets.matrix import BarColumn, CellSizes, Matrix
from gui.widgets.matrix_view import CellMap, Heatmap

SHARES, SIGNED = Colouring("sequential", 0.0, 1.0), Colouring("diverging", -2.0, 2.0)
DARKEST = QColor(*lut(SEQUENTIAL)[255].tolist())
WHITE = QColor("#ffffff")
ODD = ["<s>", "<b>x</b>", "&amp;", "&", "קריירה", "💩"]
views = pytest.mark.parametrize("kind", [Heatmap, CellMap, HeadGrid])


def matrix(values, colouring=SHARES, labels=None, **more):
    rows, columns = np.shape(values)
    names = labels or [f"·{place}" for place in range(max(rows, columns))]
    return Matrix(np.asarray(values), colouring, (names[:rows], names[:columns]), **more)


def show(bot, kind, values, colouring=SHARES, size=(560, 500), **more):
    """Show numbers in a view; heads have them for scores."""
    widget = kind() if isinstance(kind, type) else kind
    bot.addWidget(widget)
    widget.resize(*size)
    if isinstance(widget, HeadGrid):
        widget.set_scores(np.asarray(values), (colouring.low, colouring.high))
    else:
        widget.set_matrix(matrix(values, colouring, **more))
    widget.show()
    return widget


def colour(widget, at):
    return widget.viewport().grab().toImage().pixelColor(at.toPoint())


def corner(widget, row, column):
    """Return a place in a cell that neither a number nor a line between cells covers."""
    return widget.cell_rect(row, column).topLeft() + QPointF(3, 3)


def click(bot, widget, at):
    bot.mouseClick(widget.viewport(), Qt.MouseButton.LeftButton, pos=at.toPoint())


def asked_for(widget):
    """Return the list that everything asked for is added to; what is asked for is pinned."""
    asked = []
    widget.clicked.connect(lambda row, column: asked.append((row, column)))
    return asked


@views
def test_a_cell_has_the_colour_of_its_value_or_is_masked(qtbot, dressed, kind):
    places = np.array([[0, 40, 90], [126, 130, 200], [230, 254, 255]])
    values = places / 255
    values[1, 1] = np.nan
    widget = show(qtbot, kind, values)
    for row, column in np.ndindex(3, 3):
        expected = QColor(*lut(SEQUENTIAL)[places[row, column]].tolist())
        if (row, column) == (1, 1):
            expected = QColor(palette.theme().masked)
        assert colour(widget, corner(widget, row, column)) == expected


@views
def test_signed_numbers_are_red_below_and_blue_above_white(qtbot, kind):
    widget = show(qtbot, kind, [[-2.0, 0.0, 2.0]], SIGNED)
    ends = [QColor(*lut(DIVERGING)[place].tolist()) for place in (0, 255)]
    seen = [colour(widget, corner(widget, 0, place)) for place in range(3)]
    assert seen == [ends[0], WHITE, ends[1]]


@pytest.mark.parametrize("kind", [Heatmap, CellMap])
def test_what_a_mask_hides_is_not_drawn_and_follows_the_theme(qtbot, qapp, kind):
    mask = np.array([[True, False], [True, True]])
    widget = show(qtbot, kind, [[0.5, 1.0], [0.0, 0.0]], mask=mask)
    for theme in ("light", "dark"):
        palette.apply(qapp, theme)
        assert colour(widget, corner(widget, 0, 1)) == QColor(palette.theme().masked)
        assert colour(widget, corner(widget, 1, 1)) == WHITE


@pytest.mark.parametrize("place", [(0, 0), (700, 33), (1023, 1000)])
def test_one_hot_cell_in_a_million_is_painted(qtbot, place):
    values = np.zeros((1024, 1024), dtype=np.float32)
    values[place] = 1.0
    widget = show(qtbot, Heatmap, values, mask=np.tri(1024, dtype=bool))
    image = widget.viewport().grab().toImage()
    at = widget.cell_rect(*place).center().toPoint()
    near = [image.pixelColor(at + QPoint(dx, dy)) for dx in (-1, 0, 1) for dy in (-1, 0, 1)]
    assert DARKEST in near


def test_one_hot_cell_of_many_on_a_pixel_of_a_map_is_painted(qtbot):
    values = np.zeros((2, 2000))
    values[1, 777] = 1.0
    sizes = CellSizes(column=(0.0, 40.0))
    widget = show(qtbot, CellMap, values, size=(200, 300), sizes=sizes)
    image = widget.viewport().grab().toImage()
    y = round(widget.cell_rect(1, 0).center().y())
    assert DARKEST in [image.pixelColor(x, y) for x in range(image.width())]


@settings(max_examples=12, deadline=None)
@given(st.integers(1, 40), st.integers(1, 40), st.integers(220, 900), st.integers(200, 700))
def test_cells_have_whole_pixel_edges_and_stay_inside(qapp, rows, columns, width, height):
    widget = Heatmap()
    widget.resize(width, height)
    labels = [f"·word{place}" for place in range(max(rows, columns))]
    widget.set_matrix(matrix(np.zeros((rows, columns)), labels=labels))
    widget.grab()  # or the viewport does not know its size
    for row, column in ((0, 0), (rows - 1, columns - 1)):
        cell = widget.cell_rect(row, column)
        assert (cell.left(), cell.top()) == (round(cell.left()), round(cell.top()))
        assert (cell.right(), cell.bottom()) == (round(cell.right()), round(cell.bottom()))
        assert widget.rect().contains(cell.toRect())
    for label in [label for axis in widget.placed_labels() for label in axis]:
        assert QRectF(widget.rect()).contains(label.box), label


@pytest.mark.parametrize("kind", [Heatmap, HeadGrid])
def test_numbers_are_printed_while_they_fit(qtbot, kind):
    def inked(count):
        widget = show(qtbot, kind, np.full((count, count), 0.5))
        cell = widget.cell_rect(0, 0).adjusted(3, 3, -3, -3).toRect()
        image = widget.viewport().grab(cell).toImage()
        places = np.ndindex(image.width(), image.height())
        return len({image.pixelColor(x, y).name() for x, y in places}) > 1

    assert inked(5)
    assert not inked(30)


def test_texts_stand_in_the_cells_instead_of_numbers(qtbot):
    images = []
    for text in ("·", "·coffee", "<b>x</b>"):
        widget = show(qtbot, CellMap, np.zeros((1, 2)), texts=[["·tea", text]])
        images.append(widget.viewport().grab().toImage())
    assert images[0] != images[1] != images[2] != images[0]


@pytest.mark.parametrize(
    ("make", "whole_row", "out"),
    [(Heatmap, True, 0), (CellMap, True, 0), (lambda: CellMap(crossing=True), False, 0),
     (HeadGrid, False, -1)],
)  # fmt: skip
def test_what_is_pinned_is_framed_in_accent(qtbot, dressed, make, whole_row, out):
    widget = show(qtbot, make(), np.zeros((6, 6)))
    accent = QColor(palette.theme().accent)
    beside, cell = (widget.cell_rect(3, column).topLeft() + QPointF(8, out) for column in (0, 2))
    assert colour(widget, cell) != accent
    widget.set_pinned(3, 2)
    assert colour(widget, cell) == accent
    assert (colour(widget, beside) == accent) is whole_row
    widget.set_pinned(None, 9)
    assert colour(widget, cell) != accent


@views
def test_the_mouse_tells_cells_and_its_leaving(qtbot, kind):
    widget = show(qtbot, kind, np.zeros((4, 4)))
    seen = []
    widget.hovered.connect(lambda row, column: seen.append((row, column)))
    centre = widget.cell_rect(1, 2).center().toPoint()
    for place in (centre, centre + QPoint(2, 2), QPoint(1, 1)):
        qtbot.mouseMove(widget.viewport(), place)
    assert seen == [(1, 2), (-1, -1)]


@pytest.mark.parametrize(("kind", "labels"), [(Heatmap, False), (CellMap, True), (HeadGrid, False)])
def test_a_click_asks_for_a_cell_or_by_a_label_for_a_row_or_column(qtbot, kind, labels):
    widget = show(qtbot, kind, np.zeros((4, 4)))
    asked, cell = asked_for(widget), widget.cell_rect(2, 3)
    row, column = (axis[place].box.center() for axis, place in zip(
        widget.placed_labels(), (2, 3), strict=True))  # fmt: skip
    for at in (cell.center(), row, column, QPointF(1, 1)):
        click(qtbot, widget, at)
    assert asked == [(2, 3), (2, -1), (-1, 3)][: 3 if labels else 1]
    assert widget.marked() == ""


@pytest.mark.parametrize(
    ("kind", "start", "keys", "expected"),
    [
        (Heatmap, (None, None), "ULU", [(2, 2), (1, 2), (1, 1), (0, 1)][1:]),
        (Heatmap, (0, 1), "UR", [(0, 1), (0, 2)]),
        (CellMap, (1, 1), "U", [(0, -1)]),
        (CellMap, (1, 1), "D", [(2, -1)]),
        (CellMap, (1, 1), "L", [(-1, 0)]),
        (CellMap, (1, 1), "R", [(-1, 2)]),
        (CellMap, (1, 1), "H", [(-1, 0)]),
        (CellMap, (1, 1), "E", [(-1, 3)]),
        (CellMap, (1, 1), "P", [(2, -1)]),
        (HeadGrid, (None, None), "DDDRH", [(0, 0), (1, 0), (2, 0), (2, 1), (2, 0)]),
    ],
)
def test_keys_walk_and_stop_at_the_edge(qtbot, kind, start, keys, expected):
    widget = show(qtbot, kind, np.eye(3, 4))
    widget.set_pinned(*start)
    asked = asked_for(widget)
    widget.clicked.connect(lambda row, column: widget.set_pinned(row, column))
    names = {"U": "Up", "D": "Down", "L": "Left", "R": "Right", "H": "Home", "E": "End"}
    if start == (None, None) and kind is Heatmap:
        qtbot.keyClick(widget, Qt.Key.Key_Up)
        assert asked.pop() == (2, 2)  # the strongest of the last row
    for key in keys:
        qtbot.keyClick(widget, getattr(Qt.Key, f"Key_{names.get(key, 'PageDown')}"))
    assert asked == expected


def test_arrow_keys_choose_the_strongest_column_where_none_is_pinned(qtbot):
    values = np.array([[0.9, 0.0, 0.0], [0.0, 0.1, np.nan], [0.0, 0.3, 0.2]])
    widget = show(qtbot, Heatmap, values, mask=np.tri(3, dtype=bool))
    widget.set_pinned(2, None)
    with qtbot.waitSignal(widget.clicked) as signal:
        qtbot.keyClick(widget, Qt.Key.Key_Up)
    assert signal.args == [1, 1]


@views
def test_tool_tips_show_descriptions_as_they_are_and_so_does_what_is_read(qtbot, tip_label, kind):
    widget = show(qtbot, kind, np.zeros((6, 6)))
    widget.set_describe(lambda row, column: f"<s> {row} {column}\n<i>0.5</i> & more")
    tip = tip_label(widget.viewport(), widget.cell_rect(0, 1).center())
    assert tip == "<s> 0 1\n<i>0.5</i> & more"
    widget.set_pinned(2, 3)
    assert widget.marked() == "<s> 2 3\n<i>0.5</i> & more"


def test_tool_tips_show_whole_labels_or_what_is_said_of_them(qtbot, tip_label):
    for kind, expected in ((Heatmap, ODD), (CellMap, ["2 -1", "-1 3"])):
        widget = show(qtbot, kind, np.zeros((6, 6)), labels=ODD)
        widget.set_describe(lambda row, column: f"{row} {column}")
        rows, columns = widget.placed_labels()
        tips = [tip_label(widget.viewport(), it.box.center()) for it in (rows[2], columns[3])]
        assert tips == (ODD[2:4] if expected is ODD else expected)


def test_the_tool_tip_of_a_small_column_tells_what_it_is(qtbot, tip_label):
    bars = [BarColumn("score", np.array([0.0, 0.5, np.nan]), "what the score is")]
    widget = show(qtbot, CellMap, np.zeros((3, 4)), bars=bars)
    widget.set_describe(lambda row, column: f"<s> {row} {column}")
    cell = widget.cell_rect(0, 0)
    assert tip_label(widget.viewport(), QPointF(cell.left() - 14, 10)) == "what the score is"
    assert tip_label(widget.viewport(), QPointF(cell.left() - 14, cell.center().y())) == "<s> 0 -1"


def test_labels_that_are_bytes_of_a_character_are_muted_and_explained(qtbot, dressed, tip_label):
    labels = ["█", "██", "·█"]
    widget = show(qtbot, Heatmap, np.zeros((3, 3)), labels=labels, pieces=((1,), (1,)))
    theme = palette.theme()
    for label in [label for axis in widget.placed_labels() for label in axis]:
        image = widget.viewport().grab(label.box.toRect()).toImage()
        places = np.ndindex(image.width(), image.height())
        inks = {image.pixelColor(x, y).name() for x, y in places}
        assert (theme.text in inks) == (label.index != 1)
        assert (theme.muted in inks) >= (label.index == 1)
    beside = widget.placed_labels()[0][1].box.center()
    assert tip_label(widget.viewport(), beside) == "bytes ██: a piece of a character"


def test_a_thinned_label_is_shown_while_its_row_is_hovered(qtbot):
    widget = show(qtbot, Heatmap, np.zeros((200, 200)))
    shown = {label.index for label in widget.placed_labels()[0]}
    hidden = min(set(range(200)) - shown)
    qtbot.mouseMove(widget.viewport(), widget.cell_rect(hidden, 100).center().toPoint())
    assert hidden in {label.index for label in widget.placed_labels()[0]}


@pytest.mark.parametrize("kind", [CellMap, HeadGrid])
def test_what_has_no_room_scrolls_by_whole_cells_and_is_brought_into_sight(qtbot, kind):
    values = np.zeros((90, 90))
    values[70, 60] = 1.0
    sizes = {} if kind is HeadGrid else {"sizes": CellSizes(column=(44.0, 100.0))}
    widget = show(qtbot, kind, values, size=(330, 300), **sizes)
    assert widget.verticalScrollBar().maximum() > 0
    assert widget.horizontalScrollBar().maximum() > 0
    with pytest.raises(ValueError, match="not in sight"):
        widget.cell_rect(70, 60)
    widget.set_pinned(70, 60)
    cell = widget.cell_rect(70, 60)
    assert widget.viewport().rect().contains(cell.toRect())
    assert colour(widget, corner(widget, 70, 60)) == DARKEST
    last = widget.verticalScrollBar().value() + widget.verticalScrollBar().pageStep() - 1
    assert widget.cell_rect(last, 60).bottom() <= widget.viewport().height()
    with qtbot.waitSignal(widget.clicked) as asked:
        click(qtbot, widget, cell.center())
    assert asked.args == [70, 60]
    widget.set_pinned(0, 0)
    assert widget.verticalScrollBar().value() == 0


def test_columns_that_may_not_shrink_scroll_and_others_are_all_in_sight(qtbot):
    for least, seen in ((44.0, False), (0.0, True)):
        sizes = CellSizes(column=(least, 100.0))
        widget = show(qtbot, CellMap, np.zeros((3, 256)), size=(330, 300), sizes=sizes)
        assert (widget.horizontalScrollBar().maximum() == 0) is seen


@views
def test_no_cells_show_a_sentence_and_take_no_clicks(qtbot, kind):
    widget = show(qtbot, kind, np.zeros((0, 0)))
    with qtbot.assertNotEmitted(widget.clicked):
        click(qtbot, widget, QPointF(200, 200))
        qtbot.keyClick(widget, Qt.Key.Key_Down)
    image = widget.viewport().grab(widget.rect().adjusted(40, 200, -40, -200)).toImage()
    places = np.ndindex(image.width(), image.height())
    assert len({image.pixelColor(x, y).name() for x, y in places}) > 1


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="2 x 3 labels"):
        Matrix(np.zeros((2, 2)), SHARES, (["a", "b"], ["a", "b", "c"]))
    with pytest.raises(ValueError, match="mask"):
        matrix(np.zeros((1, 1)), mask=np.ones((2, 2), bool))


def test_a_picture_at_another_scale_has_cells_of_its_own_pixels(qtbot):
    values = np.zeros((400, 400), dtype=np.float32)
    values[::2] = 1.0
    widget = show(qtbot, Heatmap, values)
    image = QImage(widget.size() * 4, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(4)
    painter = QPainter(image)
    widget.render(painter, QPoint())
    painter.end()
    at = widget.cell_rect(200, 200).center() * 4
    rows = range(round(at.y()), round(at.y()) + 12)
    stripe = {image.pixelColor(round(at.x()), y).name() for y in rows}
    assert stripe == {WHITE.name(), DARKEST.name()}


@pytest.mark.parametrize("size", [(300, 120), (1200, 700)])
@pytest.mark.parametrize("count", [1, 3, 30, 256])
def test_a_map_paints_at_any_size(qtbot, size, count):
    bars = [BarColumn("score", np.full(16, np.nan))]
    widget = show(qtbot, CellMap, np.zeros((16, count)), size=size, bars=bars)
    widget.set_pinned(15, count - 1)
    assert not widget.viewport().grab().isNull()
    assert widget.height_at(size[0]) > 16 * 16
