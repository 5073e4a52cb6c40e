from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtGui import QFontMetricsF

from gui.style import palette
from gui.widgets import matrix_axes
from gui.widgets.matrix_axes import Placed

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
SIZES = given(
    count=st.integers(1, 400),
    length=st.floats(20, 900),
    pinned=st.lists(st.integers(0, 399), max_size=2),
)


def metrics() -> QFontMetricsF:
    return QFontMetricsF(palette.token_font(small=True))


def spans_of(count: int, length: float) -> list[tuple[float, float]]:
    return [(i * length / count, (i + 1) * length / count) for i in range(count)]


def overlap(placed: list[Placed]) -> list[tuple[str, str]]:
    boxes = sorted(placed, key=lambda label: label.index)
    return [
        (one.text, other.text)
        for one, other in pairwise(boxes)
        if one.box.adjusted(0.01, 0.01, -0.01, -0.01).intersects(other.box)
    ]


def is_honest(label: Placed, labels: list[str]) -> bool:
    whole = labels[label.index]
    return label.text == whole or (
        label.text.endswith("…") and whole.startswith(label.text.removesuffix("…"))
    )


@pytest.mark.usefixtures("qapp")
class TestLabels:
    @settings(max_examples=40, deadline=None)
    @SIZES
    def test_labels_beside_rows_never_overlap_nor_lie(
        self, count: int, length: float, pinned: list[int]
    ) -> None:
        labels = [WORDS[i % len(WORDS)] for i in range(count)]
        first = [i for i in dict.fromkeys(pinned) if i < count]
        spans = spans_of(count, length)
        placed = matrix_axes.beside_rows(labels, spans, 120, 80, metrics(), first)
        assert overlap(placed) == []
        for label in placed:
            assert is_honest(label, labels)
            assert label.box.center().y() == pytest.approx(sum(spans[label.index]) / 2)
            assert label.box.right() <= 120.01
            assert label.box.width() <= 82
        assert set(first[:1]) <= {label.index for label in placed}

    @settings(max_examples=40, deadline=None)
    @SIZES
    def test_labels_below_columns_never_overlap_nor_lie(
        self, count: int, length: float, pinned: list[int]
    ) -> None:
        labels = [WORDS[i % len(WORDS)] for i in range(count)]
        first = [i for i in dict.fromkeys(pinned) if i < count]
        spans = spans_of(count, length)
        turn = matrix_axes.turn_for(labels, length / count, metrics())
        placed = matrix_axes.below_columns(labels, spans, 10, 80, metrics(), turn, first)
        assert overlap(placed) == []
        for label in placed:
            assert is_honest(label, labels)
            assert label.box.center().x() == pytest.approx(sum(spans[label.index]) / 2, abs=0.6)
        assert set(first[:1]) <= {label.index for label in placed}

    def test_every_label_is_there_while_there_is_room(self) -> None:
        spans = spans_of(12, 12 * 20.0)
        placed = matrix_axes.beside_rows(WORDS[:12], spans, 120, 500, metrics())
        assert [label.text for label in placed] == WORDS[:12]


def test_strides_are_round_numbers() -> None:
    assert [matrix_axes.stride_for(pitch, 12) for pitch in (12, 7, 5, 2, 1, 0.3)] == [
        1, 2, 5, 10, 20, 50,
    ]  # fmt: skip
