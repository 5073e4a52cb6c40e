"""Runs of models of real shapes, against plain transformers and against themselves."""

from collections.abc import Iterator

import torch
from PySide6.QtCore import QSize
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from benchmarks.pairs import Comparison, compare
from benchmarks.real_shapes import CONFIGS, Shape, opened, plain
from engine.circuits.attention import thumbnails
from engine.forward.forward_pass import ForwardPass
from engine.job import Job
from engine.messages import RunPrompt, Thumbnails
from engine.model import Model
from gui import palette
from gui.widgets.matrix_grid import MatrixGrid

SHORT, LONG = 256, 1024
LONG_SHAPE: Shape = "SmolLM2-135M"
PICTURE_SHAPE: Shape = "GPT-2 small"
SIZE = QSize(640, 640)


def text(length: int) -> str:
    """Return a prompt of so many tokens of a model of random weights."""
    return " ".join(f"w{number}" for number in range(1, length + 1))


def anew(model: Model, run: RunPrompt) -> ForwardPass:
    """Run a prompt as for the first time."""
    model._last = None
    return model.run(run, Job())


def comparisons() -> Iterator[Comparison]:
    """Yield runs with every pattern, and the way from a text to the picture of all heads."""
    torch.set_num_threads(1)
    for shape in CONFIGS:
        with torch.inference_mode():
            model, own = opened(shape), plain(shape)
            for length in (SHORT, LONG) if shape == LONG_SHAPE else (SHORT,):
                run = RunPrompt(model.name, text(length), prepend_bos=False)
                ids = torch.tensor([model.encode(run)[0]])
                yield compare(
                    f"{length:,} tokens through {shape}'s shape, "
                    + ("every pattern held" if length == SHORT else "patterns within the budget"),
                    "transformers, eager, output_attentions",
                    lambda: anew(model, run),  # noqa: B023
                    lambda: own(ids, output_attentions=True, use_cache=False),  # noqa: B023
                    goal=1 / 1.3,
                )
            if shape == PICTURE_SHAPE:
                yield _picture(model, RunPrompt(model.name, text(SHORT), prepend_bos=False))


def _picture(model: Model, run: RunPrompt) -> Comparison:
    app = QApplication.instance() or QApplication([])
    assert isinstance(app, QApplication)
    palette.apply(app, "light")
    grid = MatrixGrid()
    grid.resize(SIZE)
    grid.show()
    app.processEvents()

    def painted() -> QImage:
        anew(model, run)
        found = thumbnails(model, Thumbnails(run), Job())
        grid.set_thumbnails(found.values, found.mask)
        image = QImage(SIZE, QImage.Format.Format_RGB32)
        grid.render(image)
        return image

    made = compare(
        f"from a text of {SHORT} tokens to painted thumbnails of {len(model.heads)} heads",
        "our own run with every pattern",
        painted,
        lambda: anew(model, run),
        goal=1 / 1.25,
    )
    grid.close()
    return made
