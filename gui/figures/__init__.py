"""Figures for papers: an answer typeset as PDF, SVG or PNG, or written as rows of CSV.

Nothing in here needs Qt or a display, and the same question gives the same bytes.
"""

import logging

_log = logging.getLogger("matplotlib")
if _log.level == logging.NOTSET:
    # "Building the font cache" and the like, said as it is imported, is not ours to print.
    _log.setLevel(logging.ERROR)

from gui.figures.files import FIGURES, check, write  # noqa: E402

__all__ = ["FIGURES", "check", "write"]
