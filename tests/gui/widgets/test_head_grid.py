"""The grid of heads: thumbnails and scores, marks, heads that are off. What it shares with other
views is tested there."""

import time

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QImage

from engine.messages import Head
from gui.style import palette
from gui.style.theme import SEQUENTIAL, lut
from gui.widgets.head_grid import HeadGrid

DARKEST, WHITE = QColor(*lut(SEQUENTIAL)[255].tolist()), QColor("#ffffff")


def patterns(layers, heads, size):
    return np.zeros((layers, heads, size, size), dtype=np.float32)


def show(bot, values, mask=None, size=(330, 420)):
    widget = HeadGrid()
    bot.addWidget(widget)
    widget.resize(*size)
    widget.set_thumbnails(values, mask)
    widget.show()
    return widget


def colour(widget, at):
    return widget.viewport().grab().toImage().pixelColor(at.toPoint())


def colours_in(widget, head):
    image = widget.viewport().grab(widget.head_rect(head).toRect()).toImage()
    places = np.ndindex(image.width(), image.height())
    return {image.pixelColor(x, y).name() for x, y in places}


def test_each_head_is_drawn_at_its_layer_and_number(qtbot, dressed):
    values = patterns(3, 4, 8)
    values[1, 2] = 1.0
    widget = show(qtbot, values)
    for head in map(Head._make, np.ndindex(3, 4)):
        expected = DARKEST if head == (1, 2) else WHITE
        assert colours_in(widget, head) == {expected.name()}


@pytest.mark.parametrize("hidden", [1.0, np.nan])
@pytest.mark.parametrize("tokens", [10, 300])
@pytest.mark.parametrize("alike", [True, False])
def test_what_a_mask_of_a_layer_or_of_all_hides_never_shows(qtbot, dressed, tokens, hidden, alike):
    masks = np.stack([np.tri(tokens, dtype=bool)] * 2)
    if not alike:
        masks[1] &= ~np.tri(tokens, k=-tokens // 2, dtype=bool)
    values = np.where(masks[:, np.newaxis], patterns(2, 4, tokens), hidden)
    widget = show(qtbot, values, masks[0] if alike else masks)
    masked = QColor(palette.theme().masked)
    for layer in (0, 1):
        cell = widget.head_rect(Head(layer, 1))
        seen = WHITE if layer == 0 or alike else masked
        assert colour(widget, cell.bottomLeft() + QPointF(3, -3)) == seen
        assert colour(widget, cell.topRight() + QPointF(-3, 3)) == masked


@pytest.mark.parametrize("place", [(0, 0), (100, 3), (255, 255), (201, 87)])
def test_one_hot_cell_survives_in_a_thumbnail(qtbot, place):
    values = patterns(12, 12, 256)
    values[(7, 5, *place)] = 1.0
    widget = show(qtbot, values)
    assert DARKEST.name() in colours_in(widget, Head(7, 5))
    assert DARKEST.name() not in colours_in(widget, Head(7, 6))


def test_thumbnails_of_a_large_model_are_painted_many_times_faster_than_html(qtbot):
    # CircuitsVis takes 8 s for its HTML; asserted with slack for a busy machine.
    values = np.random.default_rng(0).random((12, 12, 256, 256), dtype=np.float32)
    widget = show(qtbot, values)
    image = QImage(widget.size(), QImage.Format.Format_RGB32)
    took = []
    for _ in range(3):
        start = time.process_time()
        widget.set_thumbnails(values, None)
        widget.render(image)
        took.append(time.process_time() - start)
    assert min(took) < 0.4


def test_scores_colour_heads_and_none_brings_thumbnails_back(qtbot):
    widget = show(qtbot, patterns(2, 4, 6), size=(460, 200))
    widget.set_scores(np.array([[0.0, 0.2, 1.0, np.nan], [0, 0, 0, 0]]))
    places = [widget.head_rect(Head(0, head)).topLeft() + QPointF(2, 2) for head in range(4)]
    expected = [WHITE, QColor(*lut(SEQUENTIAL)[51].tolist()), DARKEST, palette.theme().masked]
    assert [colour(widget, place) for place in places] == list(map(QColor, expected))
    widget.set_scores(None)
    assert colour(widget, places[2]) == WHITE


def test_the_limits_of_scores_are_kept_and_without_any_the_largest_is_darkest(qtbot):
    widget = show(qtbot, patterns(1, 3, 4))
    for limits, map_name in (((-1.0, 1.0), "diverging"), ((0.0, 40.0), "sequential")):
        widget.set_scores(np.array([[-0.5, 0.0, 0.5]]), limits)
        colouring = widget.matrix.colouring
        assert (colouring.colours, colouring.low, colouring.high) == (map_name, *limits)
    widget.set_scores(np.array([[0.0, 1.0, 4.0]]))
    assert widget.matrix.colouring.high == 4.0


def test_the_best_of_each_measure_is_marked(qtbot, dressed):
    widget = show(qtbot, patterns(2, 8, 10))
    head = Head(1, 5)
    plain = colours_in(widget, head)
    widget.set_best({"induction": [head, Head(9, 9)], "previous token": [Head(0, 1)]})
    assert palette.theme().text in colours_in(widget, head) - plain


def test_the_head_under_the_mouse_is_framed_until_the_mouse_leaves(qtbot, dressed):
    widget = show(qtbot, patterns(2, 4, 5))
    heads, muted = list(map(Head._make, np.ndindex(2, 4))), QColor(palette.theme().muted)

    def framed():
        edges = [widget.head_rect(head).topLeft() + QPointF(8, -1) for head in heads]
        return [head for head, edge in zip(heads, edges, strict=True)
                if colour(widget, edge) == muted]  # fmt: skip

    assert framed() == []
    for head in (Head(1, 1), Head(1, 3)):
        qtbot.mouseMove(widget.viewport(), widget.head_rect(head).center().toPoint())
        assert framed() == [head]
    qtbot.mouseMove(widget.viewport(), QPoint(0, 0))
    assert framed() == []


def test_heads_that_are_off_are_crossed_out_from_corner_to_corner(qtbot, dressed):
    widget = show(qtbot, patterns(2, 4, 8))
    widget.set_off([Head(1, 2), Head(7, 0)])
    bad = palette.theme().bad
    cell = widget.head_rect(Head(1, 2))
    for x, y in ((0.25, 0.25), (0.5, 0.5), (0.75, 0.75), (0.25, 0.75), (0.75, 0.25)):
        at = QPointF(cell.left() + x * cell.width(), cell.top() + y * cell.height())
        near = [at + QPointF(dx, 0) for dx in (-2, -1, 0, 1, 2)]
        assert bad in {colour(widget, point).name() for point in near}
    assert bad not in colours_in(widget, Head(1, 1))
    widget.set_off([])
    assert bad not in colours_in(widget, Head(1, 2))


def test_clicks_ask_for_heads_and_x_to_switch_the_selected_one_if_there_is_one(qtbot):
    widget = show(qtbot, patterns(2, 4, 8))
    with qtbot.assertNotEmitted(widget.switched):
        qtbot.keyClick(widget, Qt.Key.Key_X)
    at = widget.head_rect(Head(1, 2)).center().toPoint()
    with qtbot.waitSignal(widget.selected) as asked:
        qtbot.mouseClick(widget.viewport(), Qt.MouseButton.LeftButton, pos=at)
    widget.set_selected(*asked.args)
    with qtbot.waitSignal(widget.switched) as asked:
        qtbot.keyClick(widget, Qt.Key.Key_X)
    assert asked.args == [Head(1, 2)]


@pytest.mark.parametrize(("height", "scrolls"), [(700, False), (400, True)])
def test_heads_are_smaller_where_that_shows_all_of_them(qtbot, height, scrolls):
    widget = show(qtbot, patterns(30, 9, 4), size=(300, height))
    assert (widget.verticalScrollBar().maximum() > 0) is scrolls
    side = widget.head_rect(Head(0, 0)).height()
    assert side > 24 if scrolls else side < 22


@pytest.mark.parametrize("ratio", [1, 2])
def test_what_is_scrolled_to_is_a_part_of_the_picture_of_all(qtbot, ratio):
    values = patterns(30, 9, 4)
    values[20, 3] = 1.0
    widget = show(qtbot, values, size=(300, 250))
    widget.set_selected(Head(20, 3))
    image = QImage(widget.size() * ratio, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
    widget.render(image)
    for head, expected in ((Head(20, 3), DARKEST), (Head(20, 4), WHITE), (Head(19, 3), WHITE)):
        centre = widget.head_rect(head).center() * ratio
        assert image.pixelColor(centre.toPoint()) == expected
