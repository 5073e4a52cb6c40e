"""Labels along the cells of an axis: set whole where they fit, thinned where they do not.

A label stands beside its own cell or not at all. Where some are left out, those that stay carry a
tick and their position, so that nobody takes them for neighbours. Which tokens are labelled where
there is room is the user's choice; heads and the like always are.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from engine.messages import Refused
from gui.figures.options import SMALLEST
from gui.figures.page import Page
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
    numbers: Sequence[str] = ()
    """The position of each; none where they are counted from 0."""

    def number(self, place: int) -> str:
        """Return the position of a place in words."""
        return self.numbers[place] if self.numbers else str(place)


@dataclass(frozen=True)
class Setting:
    """How an axis's labels are set: which, how large, in which direction, how far they reach.

    `whole` tells that all are there that were asked for, `thinned` that not every cell has one.
    """

    shown: tuple[int, ...]
    texts: tuple[str, ...]
    size: float
    upright: bool
    whole: bool
    thinned: bool
    numbers: float
    extent: float


def sizes(page: Page) -> list[float]:
    """Return the sizes that labels may have, in points, largest first."""
    return [float(size) for size in np.arange(page.size, SMALLEST - 1e-6, -0.5)]


def _wanted(page: Page, axis: Axis) -> tuple[int, ...]:
    """Return the places whose labels the user wants to see."""
    count, chosen = len(axis.labels), page.options.labels
    if not axis.token:
        return tuple(range(count))
    if not isinstance(chosen, tuple):
        return tuple(range(0, count, chosen)) if chosen else ()
    places = tuple(sorted(set(chosen)))
    if places and places[-1] >= count:
        raise Refused(
            f"there is no token {places[-1]} to label: the {count:,} tokens are counted from 0"
        )
    return places


def _narrowest(places: Sequence[int]) -> int:
    """Return how many cells the nearest two of some places are apart."""
    gaps = [after - before for before, after in pairwise(places)]
    return min(gaps, default=1)


def _set(
    page: Page, axis: Axis, shown: tuple[int, ...], size: float, limit: float, *, upright: bool
) -> Setting:
    texts = tuple(page.elide(axis.labels[place], limit, size, token=axis.token) for place in shown)
    widest = max((page.measure(text, size, token=axis.token) for text in texts), default=0.0)
    thinned = len(shown) < len(axis.labels)
    numbered = thinned and axis.token and upright and bool(shown)
    widest_number = max((page.measure(axis.number(place), size) for place in shown), default=0.0)
    numbers = widest_number + GAP if numbered else 0.0
    reach = (GAP if thinned else 0.0) + numbers + (widest if upright else _PITCH * size)
    return Setting(
        shown, texts, size, upright, len(shown) == len(_wanted(page, axis)), thinned, numbers,
        GAP + (reach if shown else 0.0),
    )  # fmt: skip


def whole(page: Page, axis: Axis, size: float, limit: float) -> tuple[Setting, float]:
    """Set every label wanted beside its row; return that and the least height of a row."""
    shown = _wanted(page, axis)
    return _set(page, axis, shown, size, limit, upright=True), _PITCH * size / _narrowest(shown)


def beside(page: Page, axis: Axis, cell: float, limit: float) -> Setting:
    """Set labels left of rows `cell` points high, each at most `limit` points wide.

    Lying text beside rows reaches as far as standing text under columns does.
    """
    shown = _wanted(page, axis)
    for size in sizes(page):
        if _PITCH * size <= _narrowest(shown) * cell + 1e-9:
            return _set(page, axis, shown, size, limit, upright=True)
    kept: list[int] = []
    for place in shown:
        if not kept or (place - kept[-1]) * cell >= _PITCH * page.small - 1e-9:
            kept.append(place)
    return _set(page, axis, tuple(kept), page.small, limit, upright=True)


def below(page: Page, axis: Axis, cell: float, limit: float) -> Setting:
    """Set labels under columns `cell` points wide: lying where they fit, else standing."""
    shown = _wanted(page, axis)
    for size in sizes(page):
        if size < page.small:
            break
        widths = [page.measure(axis.labels[place], size, token=axis.token) for place in shown]
        if max(widths, default=0.0) + 2 * GAP <= cell:
            return _set(page, axis, shown, size, cell, upright=False)
    return beside(page, axis, cell, limit)


def tell(page: Page, axis: Axis, setting: Setting) -> None:
    """Put down that tokens whose labels were asked for have none."""
    wanted = len(_wanted(page, axis))
    if axis.token and len(setting.shown) < wanted:
        said = (
            f"{len(setting.shown)} of {wanted} tokens are labelled, as many as have room: a wider "
            "page, smaller text or a shorter prompt has room for more"
        )
        if said not in page.warnings:
            page.warnings.append(said)


def draw_beside(page: Page, axis: Axis, setting: Setting, x: float, y: float, cell: float) -> None:
    """Draw labels that end left of x, for rows that begin at y."""
    for place, text in zip(setting.shown, setting.texts, strict=True):
        middle = y + (place + 0.5) * cell
        edge = x - GAP
        if setting.thinned:
            page.line([x - GAP, x - 0.4], [middle, middle], width=0.4)
            edge -= GAP
        if setting.numbers:
            _number(page, edge, middle, axis.number(place), setting, upright=False)
            edge -= setting.numbers
        page.text(edge, middle, text, size=setting.size, anchor="right", token=axis.token)


def draw_below(page: Page, axis: Axis, setting: Setting, x: float, y: float, cell: float) -> None:
    """Draw labels that begin under y, for columns that begin at x."""
    for place, text in zip(setting.shown, setting.texts, strict=True):
        middle = x + (place + 0.5) * cell
        if not setting.upright:
            line = y + GAP + 0.5 * _PITCH * setting.size + (GAP if setting.thinned else 0.0)
            if setting.thinned:
                page.line([middle, middle], [y + 0.4, y + GAP], width=0.4)
            page.text(middle, line, text, size=setting.size, anchor="center", token=axis.token)
            continue
        edge = y + GAP
        if setting.thinned:
            page.line([middle, middle], [y + 0.4, y + GAP], width=0.4)
            edge += GAP
        if setting.numbers:
            _number(page, middle, edge, axis.number(place), setting, upright=True)
            edge += setting.numbers
        page.text(
            middle, edge, text, size=setting.size, anchor="right", token=axis.token, upright=True
        )


def _number(
    page: Page, x: float, y: float, number: str, setting: Setting, *, upright: bool
) -> None:
    page.text(x, y, number, size=setting.size, anchor="right", colour=LIGHT.muted, upright=upright)
