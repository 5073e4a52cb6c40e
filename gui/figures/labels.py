"""Labels along the cells of an axis: set whole where they fit, thinned where they do not.

A label stands beside its own cell or not at all. Where some are left out, those that stay carry a
tick and their position, so that nobody takes them for neighbours.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gui.figures.page import SMALLEST, Page
from gui.theme import LIGHT

GAP = 2.0
"""Between an axis and its labels, in points."""
_PITCH = 1.02
"""Distance that lines of labels need at least, in units of the font size."""


@dataclass(frozen=True)
class Axis:
    """What stands along one side of a grid of cells."""

    title: str
    labels: Sequence[str]
    token: bool = True
    """Whether the labels are tokens; others carry their position in their name."""


@dataclass(frozen=True)
class Setting:
    """How an axis's labels are set: which, how large, in which direction, how far they reach."""

    shown: tuple[int, ...]
    texts: tuple[str, ...]
    size: float
    upright: bool
    whole: bool
    numbers: float
    extent: float


def sizes(page: Page) -> list[float]:
    """Return the sizes that labels may have, in points, largest first."""
    return [float(size) for size in np.arange(page.size, SMALLEST - 1e-6, -0.5)]


def _set(page: Page, axis: Axis, step: int, size: float, limit: float, *, upright: bool) -> Setting:
    shown = tuple(range(0, len(axis.labels), step))
    texts = tuple(page.elide(axis.labels[place], limit, size, token=axis.token) for place in shown)
    widest = max(page.measure(text, size, token=axis.token) for text in texts)
    numbers = page.measure(str(shown[-1]), size) + GAP if step > 1 and axis.token else 0.0
    tick = GAP if step > 1 else 0.0
    extent = GAP + tick + numbers + (widest if upright else _PITCH * size)
    return Setting(shown, texts, size, upright, step == 1, numbers, extent)


def whole(page: Page, axis: Axis, size: float, limit: float) -> tuple[Setting, float]:
    """Set every label beside its row; return that and the least height of a row, in points."""
    return _set(page, axis, 1, size, limit, upright=True), _PITCH * size


def beside(page: Page, axis: Axis, cell: float, limit: float) -> Setting:
    """Set labels left of rows `cell` points high, each at most `limit` points wide.

    Lying text beside rows reaches as far as standing text under columns does.
    """
    for size in sizes(page):
        if _PITCH * size <= cell + 1e-9:
            return _set(page, axis, 1, size, limit, upright=True)
    step = math.ceil(_PITCH * page.small / cell)
    return _set(page, axis, step, page.small, limit, upright=True)


def below(page: Page, axis: Axis, cell: float, limit: float) -> Setting:
    """Set labels under columns `cell` points wide: lying where they fit, else standing."""
    for size in sizes(page):
        if size < page.small:
            break
        widths = [page.measure(label, size, token=axis.token) for label in axis.labels]
        if max(widths) + 2 * GAP <= cell:
            return _set(page, axis, 1, size, cell, upright=False)
    return beside(page, axis, cell, limit)


def draw_beside(page: Page, axis: Axis, setting: Setting, x: float, y: float, cell: float) -> None:
    """Draw labels that end left of x, for rows that begin at y."""
    for place, text in zip(setting.shown, setting.texts, strict=True):
        middle = y + (place + 0.5) * cell
        edge = x - GAP
        if not setting.whole:
            page.line([x - GAP, x - 0.4], [middle, middle], width=0.4)
            edge -= GAP
        if setting.numbers:
            _number(page, edge, middle, place, setting, upright=False)
            edge -= setting.numbers
        page.text(edge, middle, text, size=setting.size, anchor="right", token=axis.token)


def draw_below(page: Page, axis: Axis, setting: Setting, x: float, y: float, cell: float) -> None:
    """Draw labels that begin under y, for columns that begin at x."""
    for place, text in zip(setting.shown, setting.texts, strict=True):
        middle = x + (place + 0.5) * cell
        if not setting.upright:
            line = y + GAP + 0.5 * _PITCH * setting.size
            page.text(middle, line, text, size=setting.size, anchor="center", token=axis.token)
            continue
        edge = y + GAP
        if not setting.whole:
            page.line([middle, middle], [y + 0.4, y + GAP], width=0.4)
            edge += GAP
        if setting.numbers:
            _number(page, middle, edge, place, setting, upright=True)
            edge += setting.numbers
        page.text(
            middle, edge, text, size=setting.size, anchor="right", token=axis.token, upright=True
        )


def _number(page: Page, x: float, y: float, place: int, setting: Setting, *, upright: bool) -> None:
    page.text(
        x, y, str(place), size=setting.size, anchor="right", colour=LIGHT.muted, upright=upright
    )
