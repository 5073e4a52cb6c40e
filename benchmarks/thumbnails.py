"""Every head's pattern, from arrays in memory to what is looked at."""

from collections.abc import Iterator

import numpy as np
from circuitsvis.utils.render import render_local
from PySide6.QtCore import QSize
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from benchmarks.pairs import Comparison, compare
from gui import palette
from gui.widgets.matrix_grid import MatrixGrid

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
    app = QApplication.instance() or QApplication([])
    assert isinstance(app, QApplication)
    palette.apply(app, "light")
    values = patterns()
    mask = np.tri(TOKENS, dtype=bool)
    grid = MatrixGrid()
    grid.resize(SIZE)
    grid.show()
    app.processEvents()

    def painted() -> QImage:
        # New arrays each time: nothing that the widget keeps may help.
        grid.set_thumbnails(values.copy(), mask)
        image = QImage(SIZE, QImage.Format.Format_RGB32)
        grid.render(image)
        return image

    labels = [f"token{position}" for position in range(TOKENS)]
    names = [f"L{layer}H{head}" for layer in range(LAYERS) for head in range(HEADS)]
    flat = values.reshape(LAYERS * HEADS, TOKENS, TOKENS)
    yield compare(
        f"{LAYERS * HEADS} thumbnails of {TOKENS} tokens, painted",
        "CircuitsVis, making its HTML",
        painted,
        lambda: render_local(
            "AttentionHeads", attention=flat, tokens=labels, attentionHeadNames=names
        ),
        goal=20,
    )
    grid.close()
