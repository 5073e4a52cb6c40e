"""One head's pattern of a thousand tokens, from the numbers to what is looked at."""

from collections.abc import Iterator

import numpy as np
from PySide6.QtCore import QSize
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QApplication

from benchmarks.pairs import Comparison, compare
from gui.charts import focus
from gui.style import palette
from gui.widgets.cells import Colouring, image
from gui.widgets.matrix import Matrix
from gui.widgets.matrix_view import Heatmap

TOKENS = 1024
SIZE = QSize(1280, 1200)
"""Of a widget that has room for a pixel a cell, and for labels and the colour bar."""
REPEATS = 10
"""One takes a few milliseconds; a timing is of this many."""


def patterns() -> np.ndarray:
    """Return random causal patterns of two heads, [head, query, key]."""
    draw = np.random.default_rng(0)
    weights = np.exp(draw.normal(scale=2, size=(2, TOKENS, TOKENS))) * np.tri(TOKENS)
    return (weights / weights.sum(axis=-1, keepdims=True)).astype(np.float32)


def comparisons() -> Iterator[Comparison]:
    """Yield the comparison with the least that could be drawn: an image that is ready."""
    app = QApplication.instance() or QApplication([])
    assert isinstance(app, QApplication)
    palette.apply(app, "light")
    heads = patterns()
    mask = np.tri(TOKENS, dtype=bool)
    labels = [f"token{place % 97}" for place in range(TOKENS)]
    heatmap = Heatmap()
    heatmap.resize(SIZE)
    heatmap.show()
    app.processEvents()
    canvas = QImage(SIZE, QImage.Format.Format_RGB32)
    ready = image((heads[0] * 254).astype(np.uint8), "sequential", "#ffffff")

    def clicked(turn: int) -> None:
        values = heads[turn % 2]
        limits = focus.limits(values, mask, shares=True)
        colouring = Colouring("sequential", *limits)
        heatmap.set_matrix(Matrix(values, colouring, (labels, labels), mask, ("query", "key")))
        heatmap.set_pinned(TOKENS - 1, 5)
        heatmap.render(canvas)

    def blit() -> None:
        painter = QPainter(canvas)
        painter.drawImage(0, 0, ready)
        painter.end()

    yield compare(
        f"{TOKENS:,} x {TOKENS:,} heat map of another head, painted, {REPEATS} times",
        "drawing an image of it that is ready",
        lambda: [clicked(turn) for turn in range(REPEATS)],
        lambda: [blit() for _ in range(REPEATS)],
        goal=1 / 3,
    )
    heatmap.close()
