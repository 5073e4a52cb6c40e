"""Ranked tokens with bars, one list or two side by side."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gui.figures.page import Page
from gui.numbers import decimals_for, fixed, percent
from gui.theme import LIGHT

_GAP = 3.0
_LEAST_BAR = 24.0
_BETWEEN = 10.0


@dataclass(frozen=True)
class Ranked:
    """A list of tokens, strongest first.

    Parameters
    ----------
    title
        What the list is.
    labels
        Tokens, one a row.
    values
        [row].
    chosen
        Row to set in bold, if any.
    """

    title: str
    labels: Sequence[str]
    values: npt.NDArray[np.floating]
    chosen: int | None = None


@dataclass(frozen=True)
class _Columns:
    """Widths inside one list, in points."""

    rank: float
    label: float
    bar: float
    value: float
    size: float


def _texts(lists: Sequence[Ranked], shares: bool) -> list[list[str]]:
    if shares:
        return [[percent(value) for value in ranked.values.tolist()] for ranked in lists]
    places = decimals_for(np.concatenate([ranked.values for ranked in lists]))
    return [
        [fixed(value, places, signed=True) for value in ranked.values.tolist()] for ranked in lists
    ]


def _columns(
    page: Page, lists: Sequence[Ranked], texts: list[list[str]], width: float, size: float
) -> _Columns:
    longest = max((len(ranked.labels) for ranked in lists), default=0)
    rank = page.measure(str(longest), page.small)
    value = max((page.measure(text, page.small) for column in texts for text in column), default=0)
    label = max(
        (page.measure(label, size, token=True) for ranked in lists for label in ranked.labels),
        default=0.0,
    )
    bar = width - rank - label - value - 3 * _GAP - 1.0
    return _Columns(rank, label, bar, value, size)


def draw(page: Page, y: float, lists: Sequence[Ranked], *, shares: bool = False) -> float:
    """Draw lists of tokens from y on and return where they end.

    Lists stand side by side where every label is whole there, else one under the other. All bars
    have one scale.

    Parameters
    ----------
    page
        The page.
    y
        Where they begin, in points.
    lists
        One list, or two.
    shares
        Whether values are shares of 1, to be printed as percent.
    """
    texts = _texts(lists, shares)
    full = page.width - 4.0
    half = (full - _BETWEEN) / 2
    if len(lists) == 2:
        for size in (page.size, page.small):
            columns = _columns(page, lists, texts, half, size)
            if columns.bar >= _LEAST_BAR:
                left = _draw_list(page, 2.0, y, lists[0], texts[0], columns, lists, shares)
                x = 2.0 + half + _BETWEEN
                right = _draw_list(page, x, y, lists[1], texts[1], columns, lists, shares)
                return max(left, right)
    columns = _columns(page, lists, texts, full, page.size)
    if columns.bar < 0.3 * full:
        label = columns.label + columns.bar - 0.3 * full
        columns = _Columns(columns.rank, label, 0.3 * full, columns.value, page.size)
    for ranked, column in zip(lists, texts, strict=True):
        y = _draw_list(page, 2.0, y, ranked, column, columns, lists, shares) + 4.0
    return y - 4.0


def _draw_list(
    page: Page,
    x: float,
    y: float,
    ranked: Ranked,
    texts: list[str],
    columns: _Columns,
    lists: Sequence[Ranked],
    shares: bool,
) -> float:
    pitch = page.line_height()
    if ranked.title:
        page.text(x, y + pitch / 2 + 1.0, ranked.title, size=page.small, colour=LIGHT.muted)
        y += pitch + 1.0
    spans = [
        (float(other.values.min(initial=0.0)), float(other.values.max(initial=0.0)))
        for other in lists
    ]
    unit = columns.bar / (1.0 if shares else max(high - low for low, high in spans) or 1.0)
    start = x + columns.rank + _GAP + columns.label + _GAP + 1.0
    zero = start - unit * float(ranked.values.min(initial=0.0))
    if float(ranked.values.max(initial=0.0)) <= 0.0:
        zero = start  # all bars point away from their labels, negative ones told by colour and sign
    end = start + columns.bar + _GAP + columns.value
    for place, (label, text) in enumerate(zip(ranked.labels, texts, strict=True)):
        value = float(ranked.values[place])
        middle = y + (place + 0.5) * pitch
        bold = place == ranked.chosen
        page.text(
            x + columns.rank,
            middle,
            str(place + 1),
            size=page.small,
            anchor="right",
            colour=LIGHT.muted,
        )
        page.text(
            x + columns.rank + _GAP,
            middle,
            page.elide(label, columns.label + 0.01, columns.size),
            size=columns.size,
            token=True,
            colour=LIGHT.accent if bold else LIGHT.text,
        )
        reach = zero + unit * (abs(value) if zero == start else value)
        if reach != zero:
            box = [min(zero, reach), middle - 0.3 * pitch, max(zero, reach), middle + 0.3 * pitch]
            page.boxes(np.array([box]), LIGHT.positive if value > 0 else LIGHT.negative)
        page.text(end, middle, text, size=page.small, anchor="right")
    bottom = y + len(ranked.labels) * pitch
    if ranked.labels:
        page.line([zero, zero], [y + 1.0, bottom - 1.0], colour=LIGHT.muted, width=0.4)
    return bottom
