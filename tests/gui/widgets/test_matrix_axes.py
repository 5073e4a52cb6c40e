"""Labels that never overlap nor lie, the numbers beside a colour bar, and those in cells."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter

from gui.style import palette
from gui.widgets import matrix_axes, painting
from gui.widgets.cells import Colouring

pytestmark = pytest.mark.usefixtures("qapp")
WORDS = [
    "‹BOS›",
    "·the",
    "·extraordinarily·long·token·indeed",
    "<s>",
    "<b>x</b>",
    "&amp;",
    "&",
    "東京",
    "קריירה",
    "💩",
    "E6 9D",
    "↵",
    "",
]


def metrics():
    return QFontMetricsF(palette.token_font(small=True))


def spans_of(count, length):
    return [(i * length / count, (i + 1) * length / count) for i in range(count)]


def placed_labels(axis, count, length, first):
    """Return labels, spans, and what is placed where."""
    labels = [WORDS[i % len(WORDS)] for i in range(count)]
    spans = spans_of(count, length)
    turn = axis
    if axis in ("below", "above"):
        turn = matrix_axes.turn_for(labels, length / count, metrics())
    told = (labels, spans, 100, 80, metrics(), turn, first)
    return labels, spans, matrix_axes.place_labels(*told, above=axis == "above")


@pytest.mark.parametrize("axis", ["beside", "below", "above", "apart"])
@settings(max_examples=25, deadline=None)
@given(
    count=st.integers(1, 400),
    length=st.floats(20, 900),
    pinned=st.lists(st.integers(0, 399), max_size=2),
)
def test_labels_never_overlap_nor_lie_and_the_first_is_always_there(axis, count, length, pinned):
    first = [i for i in dict.fromkeys(pinned) if i < count]
    labels, spans, placed = placed_labels(axis, count, length, first)
    for one, other in pairwise(sorted(placed, key=lambda label: label.index)):
        assert not one.box.adjusted(0.01, 0.01, -0.01, -0.01).intersects(other.box)
    for label in placed:
        whole, centre = labels[label.index], label.box.center()
        cut = label.text.endswith("…") and whole.startswith(label.text.removesuffix("…"))
        assert label.text == whole or cut
        middle = centre.y() if axis == "beside" else centre.x()
        assert middle == pytest.approx(sum(spans[label.index]) / 2, abs=0.6)
        if axis == "beside":
            assert label.box.right() <= 100.01
            assert label.box.width() <= 82
        else:
            edge = label.box.bottom() if axis == "above" else label.box.top()
            assert edge == pytest.approx(100)
    assert set(first[:1]) <= {label.index for label in placed}


def test_every_label_is_there_while_there_is_room():
    placed = matrix_axes.place_labels(WORDS[:12], spans_of(12, 240.0), 0, 500, metrics(), "beside")
    assert [label.text for label in placed] == WORDS[:12]


def test_strides_are_round_numbers():
    strides = [matrix_axes.stride_for(pitch, 12) for pitch in (12, 7, 5, 2, 1, 0.3)]
    assert strides == [1, 2, 5, 10, 20, 50]


def texts(low, high, value_range, most=9):
    colouring = Colouring("sequential", low, high)
    return [text for _, text in matrix_axes.tick_texts(colouring, value_range, most)]


def test_numbers_beside_the_bar_are_those_of_their_places():
    assert texts(0, 1, (0, 1)) == ["0.00", "0.25", "0.50", "0.75", "1.00"]
    assert texts(0, 0.25, (0, 0.2)) == ["0.00", "0.05", "0.10", "0.15", "0.20", "0.25"]
    assert texts(-2, 2, (-2, 2)) == ["−2.00", "−1.00", "0.00", "1.00", "2.00"]
    assert texts(0, 0.5, (0, 1))[-1] == "≥0.50"
    assert texts(-1, 1, (-3, 0))[0] == "≤−1.00"


@pytest.mark.parametrize("most", [1, 2, 3, 4, 5])
def test_the_two_ends_of_the_bar_are_always_there(most):
    shown = texts(0, 1, (0, 1), most)
    assert (shown[0], shown[-1]) == ("0.00", "1.00")
    assert len(shown) <= max(most, 2)


def test_the_width_of_a_bar_holds_its_texts_and_its_unit():
    colouring = Colouring("sequential", 0, 1)
    plain = matrix_axes.width_of(colouring, (0, 1), "")
    assert matrix_axes.BAR_WIDTH < plain < matrix_axes.width_of(colouring, (0, 1), "logit")


def test_a_unit_longer_than_its_bar_goes_on_below_it_and_no_further_than_it_may():
    def lowest(bottom):
        """Return the last row in which a bar of 40 pixels with a long unit has drawn something."""
        picture = QImage(120, 200, QImage.Format.Format_RGB32)
        picture.fill(QColor("white"))
        painter = QPainter(picture)
        area = QRectF(5, 10, matrix_axes.BAR_WIDTH, 40)
        told = (Colouring("sequential", 0, 1), (0, 1), "right − left: attention", bottom)
        matrix_axes.draw_colour_bar(painter, area, *told)
        painter.end()
        white = QColor("white").rgb()
        return max(y for y in range(200) if any(picture.pixel(x, y) != white for x in range(120)))

    assert lowest(0) <= 52
    assert 60 < lowest(90) <= 90
    assert lowest(200) > 100


SHARES = np.array([0.0, 0.25, 0.99])
LOGITS = np.array([-0.63, 2.68, 0.04])


@pytest.mark.parametrize(
    ("values", "widest", "decimals"),
    [
        (SHARES, "0.99", 2),
        (SHARES, "0.9", None),  # one decimal would make most shares equal
        (LOGITS, "−0.63", 2),
        (LOGITS, "−0.6", 1),
        (LOGITS, "−0", None),
    ],
)
def test_large_numbers_give_up_a_decimal_before_they_are_left_out(values, widest, decimals):
    small = painting.small_metrics()
    width = small.horizontalAdvance(widest) / 0.9 + 0.1
    assert matrix_axes.decimals_that_fit(values, width, small) == decimals
