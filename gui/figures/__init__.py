"""Figures for papers: an answer typeset as PDF, SVG or PNG, or written as CSV, JSON or NPZ.

Nothing in here needs Qt or a display, and the same question gives the same bytes. What is named
here is looked up on first use: what a file was made from is read without importing matplotlib.
"""

import logging
from importlib import import_module
from typing import TYPE_CHECKING, Any

_log = logging.getLogger("matplotlib")
if _log.level == logging.NOTSET:
    # "Building the font cache" and the like, said as it is imported, is not ours to print.
    _log.setLevel(logging.ERROR)

if TYPE_CHECKING:
    from gui.figures.drawing import compose
    from gui.figures.files import SUFFIXES, check, picture, write
    from gui.figures.provenance import Made, Origin, all_questions, origin, questions, read
    from gui.state.figure_options import FigureOptions

__all__ = [
    "SUFFIXES",
    "FigureOptions",
    "Made",
    "Origin",
    "all_questions",
    "check",
    "compose",
    "origin",
    "picture",
    "questions",
    "read",
    "write",
]

_PLACES = {
    "gui.figures.drawing": ("compose",),
    "gui.figures.files": ("SUFFIXES", "check", "picture", "write"),
    "gui.state.figure_options": ("FigureOptions",),
    "gui.figures.provenance": ("Made", "Origin", "all_questions", "origin", "questions", "read"),
}


def __getattr__(name: str) -> Any:
    for place, names in _PLACES.items():
        if name in names:
            return getattr(import_module(place), name)
    raise AttributeError(f"module 'gui.figures' has no attribute {name!r}")
