"""Charts on a page: a typesetter for each kind of part, from a height to where it ends."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from gui.charts.chart import (
    Axis,
    Chart,
    Checks,
    Curves,
    Formula,
    Heading,
    Matrix,
    NumberGrid,
    Points,
    Ranked,
    RankedTokens,
    Sentence,
    Series,
    Table,
    Thumbnails,
)
from gui.figures import lettering, matrix
from gui.figures.page import Page, decades, ticks
from gui.style.formatting import decimals_for, fixed, percent, plain, power_of_ten
from gui.style.theme import LIGHT


def draw(page: Page, chart: Chart) -> float:
    """Draw a chart from the top of a page on and return where it ends.

    Raises
    ------
    Refused
        If the page is too small for what it is to show.
    """
    y = lettering.draw(page, chart.title, chart.model)
    for part in chart.parts:
        if isinstance(part, float):
            y += part
        else:
            y = _TYPESETTERS[type(part)](page, y, part)
    return y


def _draw_sentence(page: Page, y: float, sentence: Sentence) -> float:
    return lettering.sentence(page, y, sentence.parts)


def _draw_heading(page: Page, y: float, heading: Heading) -> float:
    size = page.small if heading.small else page.size
    page.text(2.0, y + page.line_height() / 2, heading.text, bold=True, size=size)
    return y + page.line_height()


_GAP = 3.0
_LEAST_BAR = 24.0
_BETWEEN = 10.0


@dataclass(frozen=True)
class _Columns:
    """Widths inside a list of ranked tokens, in points, and how large its labels are."""

    rank: float
    label: float
    bar: float
    value: float
    size: float


def _columns(
    page: Page, lists: Sequence[Ranked], texts: list[list[str]], width: float, size: float
) -> _Columns:
    longest = max((len(ranked.labels) for ranked in lists), default=0)
    rank = page.measure(str(longest), page.small)
    value = page.widest([text for column in texts for text in column])
    label = page.widest([label for one in lists for label in one.labels], size, token=True)
    return _Columns(rank, label, width - rank - label - value - 3 * _GAP - 1.0, value, size)


def _draw_rankings(page: Page, y: float, ranking: RankedTokens) -> float:
    """Draw lists side by side where every label is whole there, else one under the other."""
    lists = ranking.lists
    every = np.concatenate([one.values for one in lists])
    places = decimals_for(every)

    def write(value: float) -> str:
        return percent(value) if ranking.shares else fixed(value, places, signed=True)

    texts = [[write(value) for value in one.values.tolist()] for one in lists]
    full = page.width - 4.0
    half = (full - _BETWEEN) / 2
    if len(lists) == 2:
        for size in (page.size, page.small):
            columns = _columns(page, lists, texts, half, size)
            if columns.bar >= _LEAST_BAR:
                unit = _unit(ranking, columns.bar)
                left = _draw_list(page, 2.0, y, lists[0], texts[0], columns, unit)
                x = 2.0 + half + _BETWEEN
                return max(left, _draw_list(page, x, y, lists[1], texts[1], columns, unit))
    columns = _columns(page, lists, texts, full, page.size)
    if columns.bar < 0.3 * full:
        label = columns.label + columns.bar - 0.3 * full
        columns = _Columns(columns.rank, label, 0.3 * full, columns.value, page.size)
    unit = _unit(ranking, columns.bar)
    for one, column in zip(lists, texts, strict=True):
        y = _draw_list(page, 2.0, y, one, column, columns, unit) + 4.0
    return y - 4.0


def _unit(ranking: RankedTokens, room: float) -> float:
    """Return how long a bar of 1 is, so that all bars have one scale."""
    if ranking.shares:
        return room
    spans = (
        float(one.values.max(initial=0.0)) - float(one.values.min(initial=0.0))
        for one in ranking.lists
    )
    return room / (max(spans) or 1.0)


def _draw_list(
    page: Page, x: float, y: float, ranked: Ranked, texts: list[str], columns: _Columns, unit: float
) -> float:
    pitch = page.line_height()
    if ranked.title:
        page.note(x, y + pitch / 2 + 1.0, ranked.title, anchor="left")
        y += pitch + 1.0
    start = x + columns.rank + _GAP + columns.label + _GAP + 1.0
    zero = start - unit * float(ranked.values.min(initial=0.0))
    if float(ranked.values.max(initial=0.0)) <= 0.0:
        zero = start  # all bars point away from their labels, negative ones told by colour and sign
    end = start + columns.bar + _GAP + columns.value
    for place, (label, text) in enumerate(zip(ranked.labels, texts, strict=True)):
        value = float(ranked.values[place])
        middle = y + (place + 0.5) * pitch
        page.note(x + columns.rank, middle, str(place + 1), anchor="right")
        page.text(
            x + columns.rank + _GAP,
            middle,
            page.elide(label, columns.label + 0.01, columns.size),
            size=columns.size,
            token=True,
            colour=LIGHT.accent if place == ranked.chosen else LIGHT.text,
        )
        bar_end = zero + unit * (abs(value) if zero == start else value)
        if bar_end != zero:
            left, right = min(zero, bar_end), max(zero, bar_end)
            box = [left, middle - 0.3 * pitch, right, middle + 0.3 * pitch]
            page.boxes(np.array([box]), LIGHT.positive if value > 0 else LIGHT.negative)
        page.text(end, middle, text, size=page.small, anchor="right")
    bottom = y + len(ranked.labels) * pitch
    if ranked.labels:
        page.line([zero, zero], [y + 1.0, bottom - 1.0], colour=LIGHT.muted, width=0.4)
    return bottom


_TABLE_GAP = 5.0
_MOST_NUMBERS = 0.45
"""Share of the page's width that numbers may take before spare columns are left out."""


def _draw_table(page: Page, y: float, table: Table) -> float:
    """Draw ranked rows: tokens from the left on, as wide as there is room, numbers at the right."""
    tokens = [column for column in table.columns if column.token]
    numbers = [column for column in table.columns if not column.token]
    rank = page.measure(str(len(tokens[0].texts)), page.small)
    wide = [page.widest([column.title, *column.texts]) for column in numbers]
    if sum(wide) + 3 * _TABLE_GAP > _MOST_NUMBERS * page.width:
        kept = [place for place, column in enumerate(numbers) if not column.spare]
        numbers, wide = [numbers[place] for place in kept], [wide[place] for place in kept]
    room = page.width - 4.0 - rank - sum(wide) - (3 + len(wide)) * _TABLE_GAP
    needs = [
        max(page.widest([column.title]), page.widest(column.texts, page.size, token=True))
        for column in tokens
    ]
    widths = _shared(needs, room)
    starts = [2.0 + rank + _TABLE_GAP]
    for width in widths[:-1]:
        starts.append(starts[-1] + width + _TABLE_GAP)
    ends = [page.width - 2.0]
    for width in wide[:0:-1]:
        ends.insert(0, ends[0] - width - _TABLE_GAP)
    pitch, middle = page.line_height(), y + page.line_height() / 2
    for x, column in zip(starts, tokens, strict=True):
        page.note(x, middle, column.title, anchor="left")
    for x, column in zip(ends, numbers, strict=True):
        page.note(x, middle, column.title, anchor="right")
    for place in range(len(tokens[0].texts)):
        middle = y + (place + 1.5) * pitch
        page.note(2.0 + rank, middle, str(place + 1), anchor="right")
        for x, column, width in zip(starts, tokens, widths, strict=True):
            page.text(x, middle, page.elide(column.texts[place], width + 0.01), token=True)
        for x, column in zip(ends, numbers, strict=True):
            page.text(x, middle, column.texts[place], size=page.small, anchor="right")
    return y + (len(tokens[0].texts) + 1) * pitch


def _shared(needs: list[float], room: float) -> list[float]:
    """Return the widths of columns: what they need, or less of the widest."""
    widths = list(needs)
    for count, place in enumerate(sorted(range(len(needs)), key=lambda n: needs[n])):
        widths[place] = min(needs[place], room / (len(needs) - count))
        room -= widths[place]
    return widths


@dataclass(frozen=True)
class _Frame:
    """A plotting area, in points."""

    left: float
    top: float
    right: float
    bottom: float

    def draw(self, page: Page, marks: Sequence[tuple[float, str]], title: str) -> None:
        """Draw both axes, with a tick and its text at each place of the vertical one."""
        xs = [self.left, self.left, self.right]
        page.line(xs, [self.top, self.bottom, self.bottom], solid_joinstyle="miter")
        for y, text in marks:
            page.line([self.left - 2.0, self.left], [y, y], width=0.4)
            page.text(self.left - 3.5, y, text, size=page.small, anchor="right")
        x = 2.0 + 0.5 * page.line_height(page.small)
        page.note(x, (self.top + self.bottom) / 2, title, upright=True)

    def draw_below(
        self, page: Page, marks: Sequence[tuple[float, str]], title: str, middle: float
    ) -> float:
        """Draw the numbers under the chart and what they are; return where that ends."""
        line = page.line_height(page.small)
        for x, text in marks:
            page.line([x, x], [self.bottom, self.bottom + 2.0], width=0.4)
            page.text(x, self.bottom + 3.0 + line / 2, text, size=page.small, anchor="center")
        y = self.bottom + 3.0 + 1.5 * line
        page.note(middle, y, title)
        return y + line / 2


def _margin(page: Page, marks: Sequence[tuple[float, str]]) -> float:
    """Return the room that a vertical axis needs at its left, in points."""
    texts = [text for _, text in marks]
    return 2.0 + page.line_height(page.small) + 2.0 + page.widest(texts) + 3.5


def _marks(curves: Curves) -> list[tuple[float, str]]:
    """Return the ticks of the vertical axis: powers of ten, or 1, 2, 5 where those are few."""
    low, high = curves.limits
    if not curves.logarithmic:
        return [(mark, plain(mark)) for mark in ticks(low, high, 4)]
    exponents = decades(10.0**low, 10.0**high, 6)
    if len(exponents) >= 3:
        return [(10.0**exponent, power_of_ten(exponent)) for exponent in exponents]
    decade = range(math.floor(low), math.ceil(high))
    steps = [factor * 10.0**exponent for exponent in decade for factor in (1, 2, 5)]
    return [(step, plain(step)) for step in steps if low <= math.log10(step) <= high]


_LARGEST_STEP = 24.0
"""Between two labelled bars, in points."""


class _Places:
    """From counts and values to points."""

    def __init__(self, curves: Curves, frame: _Frame) -> None:
        self.low, high = curves.limits
        self.step = (frame.right - frame.left) / curves.count
        self._frame, self._logarithmic = frame, curves.logarithmic
        self._unit = (frame.bottom - frame.top) / (high - self.low)

    def x(self, places: npt.ArrayLike) -> npt.NDArray[np.float64]:
        return self._frame.left + (np.asarray(places, dtype=np.float64) + 0.5) * self.step

    def y(self, values: npt.ArrayLike) -> npt.NDArray[np.float64]:
        found = np.asarray(values, dtype=np.float64)
        if self._logarithmic:
            found = np.log10(np.maximum(found, 10.0**self.low))
        return np.asarray(self._frame.bottom - self._unit * (found - self.low))


def _draw_curves(page: Page, y: float, curves: Curves) -> float:
    marks = _marks(curves)
    left, right = _margin(page, marks), page.width - 4.0
    if curves.tokens is not None:
        step = min(_LARGEST_STEP, (page.width - 0.6 * page.size - left) / curves.count)
        right = left + curves.count * step
    frame = _Frame(left, y, right, y + curves.height)
    at = _Places(curves, frame)
    if curves.bars is not None:
        lefts = left + (curves.bars.where + 0.14) * at.step
        tops = at.y(curves.bars.values)
        sides = [lefts, tops, lefts + 0.72 * at.step, np.full(len(tops), frame.bottom)]
        page.boxes(np.stack(sides, axis=1), curves.bars.colour)
    if curves.band is not None:
        across = at.x(np.arange(curves.count))
        lower, upper = map(at.y, curves.band)
        sides = [across - at.step / 2, upper, across + at.step / 2, lower]
        page.boxes(np.stack(sides, axis=1), LIGHT.line)
    if curves.zero:
        page.line([frame.left, frame.right], [float(at.y(0.0))] * 2, width=0.4)
    frame.draw(page, [(float(at.y(value)), text) for value, text in marks], curves.title)
    if curves.cliff is not None:
        _draw_cliff(page, frame, at, *curves.cliff)
    for series in curves.series:
        _draw_series(page, at, series)
    for first, last, value in curves.brackets:
        xs = float(at.x(first)) - 0.3 * at.step, float(at.x(last)) + 0.3 * at.step
        up = float(at.y(value)) - 5.0
        page.line(np.repeat(xs, 2), [up + 1.6, up, up, up + 1.6], colour=LIGHT.text, width=0.5)
    if curves.tokens is not None:
        return _draw_tokens(page, frame, curves.tokens, at.step)
    numbers = ticks(0.0, float(max(curves.count - 1, 1)), 5 if curves.logarithmic else 6)
    whole = [int(mark) for mark in numbers if mark == int(mark) and mark < curves.count]
    places = [(float(at.x(mark)), str(mark)) for mark in whole]
    return frame.draw_below(page, places, curves.below, (frame.left + frame.right) / 2)


def _draw_series(page: Page, at: _Places, series: Series) -> None:
    style: dict[str, Any] = {}
    if series.marker:
        least, most, steps = series.size
        style = {"marker": series.marker, "markersize": min(most, max(least, steps * at.step))}
        if series.hollow:
            style |= {"markeredgewidth": 0.5, "markerfacecolor": "none"}
        elif not series.width:
            style |= {"markeredgewidth": 0.0}
    if not series.width:
        style["linestyle"] = "none"
    xs, ys = at.x(series.where), at.y(series.values)
    page.line(xs, ys, colour=series.colour, width=series.width or 0.5, **style)


def _draw_cliff(page: Page, frame: _Frame, at: _Places, place: int, name: str) -> None:
    x = float(at.x(place - 0.5))
    page.line([x, x], [frame.top, frame.bottom], width=0.5, linestyle=(0, (2, 2)))
    if x + 3.0 + page.measure(name, page.small) <= frame.right:
        page.note(x + 3.0, frame.top + 4.0, name, anchor="left")
    else:
        page.note(x - 3.0, frame.bottom - 6.0, name, anchor="right")


def _draw_tokens(page: Page, frame: _Frame, axis: Axis, step: float) -> float:
    setting = lettering.below(page, axis, step, 0.24 * page.width)
    lettering.tell(page, axis, setting)
    lettering.draw_below(page, axis, setting, frame.left, frame.bottom, step)
    return frame.bottom + setting.extent


_SIDE = 130.0


def _draw_points(page: Page, y: float, points: Points) -> float:
    """Draw points of the complex plane in a square."""
    limit = 1.08 * float(max(np.abs(points.real).max(), np.abs(points.imag).max())) or 1.0
    marks = [(mark, plain(mark)) for mark in ticks(-limit, limit, 4)]
    left = _margin(page, marks)
    side = min(_SIDE, page.width - left - 6.0)
    frame = _Frame(left, y, left + side, y + side)
    x, middle, unit = left + side / 2, y + side / 2, side / (2 * limit)
    page.line([frame.left, frame.right], [middle] * 2, colour=LIGHT.line, width=0.4)
    page.line([x] * 2, [frame.top, frame.bottom], colour=LIGHT.line, width=0.4)
    frame.draw(page, [(middle - unit * mark, text) for mark, text in marks], "imaginary")
    places = [(x + unit * mark, text) for mark, text in marks]
    bottom = frame.draw_below(page, places, "real", x)
    xs, ys = x + unit * points.real, middle - unit * points.imag
    page.line(xs, ys, colour=points.colour, linestyle="none", marker="o", markersize=2.4)
    return bottom


def _draw_formula(page: Page, y: float, formula: Formula) -> float:
    size = formula.size
    page.text(page.width - 2.0, y + page.line_height(page.small) / 2, size, size=page.small,
              anchor="right")  # fmt: skip
    right = page.width - 6.0 - page.measure(size, page.small)
    return lettering.wrapped(page, y, formula.text, right=right)


def _draw_numbers(page: Page, y: float, grid: NumberGrid) -> float:
    """Print a small matrix with its labels, one row marked."""
    size, line = page.small, page.line_height(page.small)
    tokens = grid.rows.token, grid.columns.token
    room = 0.2 * page.width
    beside = [page.elide(label, room, size, token=tokens[0]) for label in grid.rows.labels]
    left = 8.0 + page.widest(beside, token=tokens[0])
    widest = max(
        page.widest([text for row in grid.texts for text in row]),
        page.widest(grid.columns.labels, token=tokens[1]),
    )
    columns = len(grid.columns.labels)
    pitch = min(max(widest + 6.0, 22.0), (page.width - 4.0 - left) / columns)
    for column, label in enumerate(grid.columns.labels):
        above = page.elide(label, pitch - 3.0, size, token=tokens[1])
        x = left + (column + 1) * pitch
        page.note(x, y + line / 2, above, anchor="right", token=tokens[1])
    y += line
    for row, label in enumerate(beside):
        middle = y + (row + 0.5) * line
        if row == grid.marked:
            box = [4.0, middle - line / 2, left + columns * pitch + 2.0, middle + line / 2]
            page.boxes(np.array([box]), LIGHT.accent_ground)
        page.note(6.0, middle, label, anchor="left", token=tokens[0])
        for column, text in enumerate(grid.texts[row]):
            page.text(left + (column + 1) * pitch, middle, text, size=size, anchor="right")
    return y + len(beside) * line


_OUTCOMES = {False: LIGHT.bad, True: LIGHT.good, None: LIGHT.muted}


def _draw_checks(page: Page, y: float, listed: Checks) -> float:
    left = 8.0 + page.widest([check.outcome for check in listed.checks], bold=True)
    for check in listed.checks:
        y += 2.0
        middle = y + page.line_height(page.small) / 2
        colour = _OUTCOMES[check.passed]
        page.text(2.0, middle, check.outcome, size=page.small, colour=colour, bold=True)
        y = lettering.wrapped(page, y, check.name, left=left)
        y = lettering.sentence(page, y, [check.detail], x=left)
    return y


_TYPESETTERS: dict[type, Callable[[Page, float, Any], float]] = {
    Sentence: _draw_sentence,
    Heading: _draw_heading,
    Matrix: matrix.draw,
    Thumbnails: matrix.draw_thumbnails,
    RankedTokens: _draw_rankings,
    Curves: _draw_curves,
    Points: _draw_points,
    Table: _draw_table,
    NumberGrid: _draw_numbers,
    Formula: _draw_formula,
    Checks: _draw_checks,
}
"""How each kind of part is drawn from a height on; each returns where it ends."""
