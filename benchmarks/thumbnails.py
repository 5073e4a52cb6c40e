"""Every head's pattern, from arrays in memory to what is looked at."""

from collections.abc import Callable, Iterator

import numpy as np
from circuitsvis.utils.render import render_local
from PySide6.QtCore import QSize
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from benchmarks.pairs import Comparison, compare
from gui.style import palette
from gui.widgets.head_grid import HeadGrid

LAYERS, HEADS, TOKENS = 12, 12, 256
SIZE = QSize(640, 640)


def patterns() -> np.ndarray:
    """Return random causal patterns, [layer, head, query, key]."""
    draw = np.random.default_rng(0)
    scores = draw.normal(scale=2, size=(LAYERS, HEADS, TOKENS, TOKENS))
    weights = np.exp(scores) * np.tri(TOKENS)
    return (weights / weights.sum(axis=-1, keepdims=True)).astype(np.float32)


def comparisons() -> Iterator[Comparison]:
    """Yield the comparison with the HTML of CircuitsVis, before a browser opens it."""
    values, paint = patterns(), painting()
    yield compare(
        f"{LAYERS * HEADS} thumbnails of {TOKENS} tokens, painted",
        "CircuitsVis, making its HTML",
        lambda: paint(values.copy()),  # new arrays each time: nothing that is kept may help
        html(values),
        goal=20,
    )


def painting() -> Callable[[np.ndarray], QImage]:
    """Return what paints patterns, [layer, head, query, key], into a picture of the grid."""
    app = QApplication.instance() or QApplication([])
    assert isinstance(app, QApplication)
    palette.apply(app, "light")
    mask = np.tri(TOKENS, dtype=bool)
    grid = HeadGrid()
    grid.resize(SIZE)
    grid.show()
    app.processEvents()

    def painted(values: np.ndarray) -> QImage:
        grid.set_thumbnails(values, mask)
        image = QImage(SIZE, QImage.Format.Format_RGB32)
        grid.render(image)
        return image

    return painted


def html(values: np.ndarray) -> Callable[[], object]:
    """Return what makes the HTML of the same patterns, before a browser opens it."""
    labels = [f"token{position}" for position in range(TOKENS)]
    names = [f"L{layer}H{head}" for layer in range(LAYERS) for head in range(HEADS)]
    flat = values.reshape(LAYERS * HEADS, TOKENS, TOKENS)
    return lambda: render_local(
        "AttentionHeads", attention=flat, tokens=labels, attentionHeadNames=names
    )
