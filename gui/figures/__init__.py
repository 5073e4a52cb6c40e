"""Figures for papers: an answer typeset as PDF, SVG or PNG, or written as rows of CSV.

Nothing in here needs Qt or a display, and the same question gives the same bytes.
"""

from gui.figures.files import FIGURES, write

__all__ = ["FIGURES", "write"]
