"""Figures for papers: an answer typeset as PDF, SVG or PNG, or written as CSV, JSON or NPZ.

Nothing in here needs Qt or a display, and the same question gives the same bytes.
"""

import logging

_log = logging.getLogger("matplotlib")
if _log.level == logging.NOTSET:
    # "Building the font cache" and the like, said as it is imported, is not ours to print.
    _log.setLevel(logging.ERROR)

from gui.figures.drawing import FIGURES, compose  # noqa: E402
from gui.figures.files import SUFFIXES, check, picture, write  # noqa: E402
from gui.figures.options import FigureOptions  # noqa: E402
from gui.figures.provenance import Made, Origin, origin, questions, read  # noqa: E402

__all__ = [
    "FIGURES",
    "SUFFIXES",
    "FigureOptions",
    "Made",
    "Origin",
    "check",
    "compose",
    "origin",
    "picture",
    "questions",
    "read",
    "write",
]
