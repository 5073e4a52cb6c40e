from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gui.style import palette
from gui.style.theme import DIVERGING, SEQUENTIAL, lut
from gui.widgets.heatmap import Heatmap

Pixel = Callable[[QWidget, QPointF], QColor]
Tip = Callable[[QWidget, QPointF], str]
ODD = ["<s>", "<b>x</b>", "&amp;", "&", "קריירה", "💩"]


def show(bot: QtBot, values: np.ndarray, **more: object) -> Heatmap:
    widget = Heatmap()
    bot.addWidget(widget)
    widget.resize(560, 500)
    rows, columns = values.shape
    options = {"limits": (0.0, 1.0), "mask": None} | more
    mask = options.pop("mask")
    labels = options.pop("labels", None)
    row_labels = labels or [f"·r{i}" for i in range(rows)]
    column_labels = labels or [f"·c{i}" for i in range(columns)]
    widget.set_grid(values, mask, row_labels, column_labels, **options)
    widget.show()
    return widget


def corner(widget: Heatmap, row: int, column: int) -> QPointF:
    """A place inside a cell that neither a number nor a line between cells covers."""
    return widget.cell_rect(row, column).topLeft() + QPointF(4, 4)


def test_a_cell_has_the_colour_of_its_value(qtbot: QtBot, dressed: str, pixel: Pixel) -> None:
    places = np.array([[0, 40, 90], [126, 130, 200], [230, 254, 255]])
    widget = show(qtbot, places / 255)
    for row, column in np.ndindex(3, 3):
        expected = tuple(lut(SEQUENTIAL)[places[row, column]].tolist())
        assert pixel(widget, corner(widget, row, column)).getRgb()[:3] == expected


def test_signed_numbers_are_red_below_and_blue_above_white(qtbot: QtBot, pixel: Pixel) -> None:
    values = np.array([[-2.0, 0.0, 2.0]])
    widget = show(qtbot, values, limits=(-2.0, 2.0), colours="diverging")
    seen = [pixel(widget, corner(widget, 0, i)).getRgb()[:3] for i in range(3)]
    assert seen[0] == tuple(lut(DIVERGING)[0].tolist())
    assert seen[1] == (255, 255, 255)
    assert seen[2] == tuple(lut(DIVERGING)[255].tolist())


def test_masked_cells_are_drawn_as_masked_and_not_as_zero(
    qtbot: QtBot, dressed: str, pixel: Pixel
) -> None:
    values = np.array([[0.5, 0.0], [np.nan, 0.0]])
    widget = show(qtbot, values, mask=np.array([[True, False], [True, True]]))
    masked = QColor(palette.theme().masked)
    assert pixel(widget, corner(widget, 0, 1)) == masked
    assert pixel(widget, corner(widget, 1, 0)) == masked
    assert pixel(widget, corner(widget, 1, 1)) == QColor("#ffffff")


@pytest.mark.parametrize("place", [(0, 0), (700, 33), (1023, 1000)])
def test_one_hot_cell_in_a_million_is_painted(qtbot: QtBot, place: tuple[int, int]) -> None:
    values = np.zeros((1024, 1024), dtype=np.float32)
    values[place] = 1.0
    widget = show(qtbot, values, mask=np.tril(np.ones((1024, 1024), dtype=bool)))
    hot = QColor(*lut(SEQUENTIAL)[255].tolist())
    image = widget.grab().toImage()
    at = widget.cell_rect(*place).center().toPoint()
    near = [image.pixelColor(at + QPoint(dx, dy)) for dx in (-1, 0, 1) for dy in (-1, 0, 1)]
    assert hot in near


@settings(max_examples=12, deadline=None)
@given(st.integers(1, 40), st.integers(1, 40), st.integers(220, 900), st.integers(200, 700))
def test_cells_have_whole_pixel_edges_and_stay_inside(
    qapp: object, rows: int, columns: int, width: int, height: int
) -> None:
    widget = Heatmap()
    widget.resize(width, height)
    labels = [f"·word{i}" for i in range(max(rows, columns))]
    widget.set_grid(np.zeros((rows, columns)), None, labels[:rows], labels[:columns], limits=(0, 1))
    for row, column in ((0, 0), (rows - 1, columns - 1)):
        cell = widget.cell_rect(row, column)
        assert (cell.left(), cell.top()) == (round(cell.left()), round(cell.top()))
        assert (cell.right(), cell.bottom()) == (round(cell.right()), round(cell.bottom()))
        assert widget.rect().contains(cell.toRect())
    for label in [label for axis in widget.placed_labels() for label in axis]:
        assert QRectF(widget.rect()).contains(label.box), label


def test_numbers_are_printed_while_they_fit(qtbot: QtBot) -> None:
    def inked(count: int) -> bool:
        widget = show(qtbot, np.full((count, count), 0.5))
        ground = QColor(*lut(SEQUENTIAL)[128].tolist())
        cell = widget.cell_rect(0, 0).adjusted(3, 3, -3, -3).toRect()
        image = widget.grab().toImage().copy(cell)
        return any(
            image.pixelColor(x, y) != ground
            for x in range(image.width())
            for y in range(image.height())
        )

    assert inked(5)
    assert not inked(30)


def test_the_pinned_row_and_column_are_framed_in_accent(
    qtbot: QtBot, dressed: str, pixel: Pixel
) -> None:
    widget = show(qtbot, np.zeros((6, 6)))
    edge = widget.cell_rect(3, 2)
    accent = QColor(palette.theme().accent)
    above = QPointF(edge.center().x() + 60, edge.top())
    beside = QPointF(edge.left(), edge.center().y() - 60)
    assert pixel(widget, above) != accent
    widget.set_pinned(3, 2)
    assert pixel(widget, above) == accent
    assert pixel(widget, beside) == accent
    widget.set_pinned(None, None)
    assert pixel(widget, above) != accent


def test_the_mouse_tells_cells_and_its_leaving(qtbot: QtBot, far_away: QPoint) -> None:
    widget = show(qtbot, np.zeros((4, 4)))
    seen: list[tuple[int, int]] = []
    widget.hovered.connect(lambda row, column: seen.append((row, column)))
    qtbot.mouseMove(widget, widget.cell_rect(1, 2).center().toPoint())
    qtbot.mouseMove(widget, widget.cell_rect(1, 2).center().toPoint() + QPoint(2, 2))
    qtbot.mouseMove(widget, QPoint(1, 1))
    assert seen == [(1, 2), (-1, -1)]


def test_a_click_asks_for_a_cell_and_pins_nothing_by_itself(qtbot: QtBot, pixel: Pixel) -> None:
    widget = show(qtbot, np.zeros((4, 4)))
    with qtbot.waitSignal(widget.clicked) as signal:
        qtbot.mouseClick(
            widget, Qt.MouseButton.LeftButton, pos=widget.cell_rect(3, 1).center().toPoint()
        )
    assert signal.args == [3, 1]


def test_arrow_keys_walk_and_stop_at_the_edge(qtbot: QtBot) -> None:
    widget = show(qtbot, np.eye(3))
    asked: list[tuple[int, int]] = []

    def pin(row: int, column: int) -> None:
        asked.append((row, column))
        widget.set_pinned(row, column)

    widget.clicked.connect(pin)
    for key in (Qt.Key.Key_Up, Qt.Key.Key_Up, Qt.Key.Key_Left, Qt.Key.Key_Up, Qt.Key.Key_Up):
        qtbot.keyClick(widget, key)
    assert asked == [(2, 2), (1, 2), (1, 1), (0, 1), (0, 1)]


def test_arrow_keys_choose_the_strongest_column_where_none_is_pinned(qtbot: QtBot) -> None:
    values = np.array([[0.9, 0.0, 0.0], [0.0, 0.1, np.nan], [0.0, 0.3, 0.2]])
    widget = show(qtbot, values, mask=np.tril(np.ones((3, 3), dtype=bool)))
    widget.set_pinned(2, None)
    with qtbot.waitSignal(widget.clicked) as signal:
        qtbot.keyClick(widget, Qt.Key.Key_Up)
    assert signal.args == [1, 1]


def test_tool_tips_show_descriptions_and_whole_labels_as_they_are(
    qtbot: QtBot, tip_label: Tip
) -> None:
    widget = show(qtbot, np.zeros((6, 6)), labels=ODD)
    widget.set_describe(lambda row, column: f"{ODD[row]} → {ODD[column]}\n<i>0.5</i> & more")
    tip = tip_label(widget, widget.cell_rect(0, 1).center())
    assert tip == "<s> → <b>x</b>\n<i>0.5</i> & more"
    beside = QPointF(widget.cell_rect(2, 0).left() - 10, widget.cell_rect(2, 0).center().y())
    assert tip_label(widget, beside) == "&amp;"
    below = QPointF(widget.cell_rect(5, 3).center().x(), widget.cell_rect(5, 3).bottom() + 8)
    assert tip_label(widget, below) == "&"


def test_labels_that_are_bytes_of_a_character_are_muted_and_explained(
    qtbot: QtBot, dressed: str, tip_label: Tip
) -> None:
    widget = show(qtbot, np.zeros((3, 3)), labels=["█", "██", "·█"], pieces=((1,), (1,)))
    image, theme = widget.grab().toImage(), palette.theme()
    for axis in widget.placed_labels():
        for label in axis:
            box = label.box.toRect()
            inks = {
                image.pixelColor(x, y).name()
                for x in range(box.left(), box.right())
                for y in range(box.top(), box.bottom())
            }
            assert (theme.text in inks) == (label.index != 1)
            assert (theme.muted in inks) >= (label.index == 1)
    beside = widget.placed_labels()[0][1].box.center()
    assert tip_label(widget, beside) == "bytes ██: a piece of a character"


def test_a_thinned_label_is_shown_while_its_row_is_hovered(qtbot: QtBot) -> None:
    widget = show(qtbot, np.zeros((200, 200)))
    hidden = next(
        i for i in range(200) if i not in {label.index for label in widget.placed_labels()[0]}
    )
    qtbot.mouseMove(widget, widget.cell_rect(hidden, 100).center().toPoint())
    assert hidden in {label.index for label in widget.placed_labels()[0]}


def test_no_grid_shows_a_sentence_and_takes_no_clicks(qtbot: QtBot) -> None:
    widget = show(qtbot, np.zeros((0, 0)))
    with qtbot.assertNotEmitted(widget.clicked):
        qtbot.mouseClick(widget, Qt.MouseButton.LeftButton, pos=QPoint(200, 200))
        qtbot.keyClick(widget, Qt.Key.Key_Down)
    image = widget.grab().toImage()
    muted = [
        (x, y)
        for x in range(0, image.width())
        for y in range(image.height() // 2 - 10, image.height() // 2 + 10)
        if image.pixelColor(x, y) != image.pixelColor(0, 0)
    ]
    assert muted


def test_shapes_that_do_not_fit_are_refused(qtbot: QtBot) -> None:
    widget = Heatmap()
    qtbot.addWidget(widget)
    with pytest.raises(ValueError, match="2 x 3 labels"):
        widget.set_grid(np.zeros((2, 2)), None, ["a", "b"], ["a", "b", "c"], limits=(0, 1))
    with pytest.raises(ValueError, match="mask"):
        widget.set_grid(np.zeros((1, 1)), np.ones((2, 2), bool), ["a"], ["a"], limits=(0, 1))


def test_a_picture_at_twice_the_scale_has_cells_of_its_own_pixels(qtbot: QtBot) -> None:
    values = np.zeros((400, 400), dtype=np.float32)
    values[::2] = 1.0
    widget = show(qtbot, values)
    image = QImage(widget.size() * 4, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(4)
    painter = QPainter(image)
    widget.render(painter, QPoint())
    painter.end()
    at = widget.cell_rect(200, 200).center() * 4
    stripe = {
        image.pixelColor(round(at.x()), y).name() for y in range(round(at.y()), round(at.y()) + 12)
    }
    assert stripe == {"#ffffff", QColor(*lut(SEQUENTIAL)[255].tolist()).name()}


def test_it_follows_the_theme(qtbot: QtBot, pixel: Pixel, qapp: object) -> None:
    widget = show(qtbot, np.zeros((2, 2)), mask=np.array([[True, False], [True, True]]))
    palette.apply(qapp, "dark")
    assert pixel(widget, corner(widget, 0, 1)) == QColor(palette.theme().masked)
