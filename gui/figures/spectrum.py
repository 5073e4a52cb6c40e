"""Singular values of a circuit on a logarithmic axis."""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.messages import SingularValues, Spectrum
from gui.figures import chart, heading
from gui.figures.chart import Frame
from gui.figures.page import Page
from gui.figures.ticks import decades, ticks
from gui.numbers import plain, power_of_ten, tokens_back
from gui.theme import LIGHT

_HEIGHT = 110.0
_BRACKET = 7.0
"""Room that a bracket needs above its values, in points."""
_COLOURS = {"ov": LIGHT.curve_ov, "qk": LIGHT.curve_qk}


class _Scale:
    """From index and singular value to points; a value of 0 lies on the floor."""

    def __init__(self, frame: Frame, values: npt.NDArray[np.floating], count: int) -> None:
        positive = values[values > 0.0]
        top = math.log10(float(positive.max(initial=1e-300))) if positive.size else 0.0
        floor = math.log10(float(positive.min())) if positive.size else -1.0
        spare = max(0.0, 1.0 - (top - floor)) / 2 + 0.12 * max(1.0, (top - floor) / 8)
        self.floor = floor - spare
        above = (top - self.floor) * _BRACKET / (_HEIGHT - _BRACKET)
        self.top = top + max(spare, above)
        self.step = (frame.right - frame.left) / count
        self._frame = frame

    def x(self, index: npt.ArrayLike) -> npt.NDArray[np.float64]:
        return self._frame.left + (np.asarray(index, dtype=np.float64) + 0.5) * self.step

    def y(self, value: npt.ArrayLike) -> npt.NDArray[np.float64]:
        unit = (self._frame.bottom - self._frame.top) / (self.top - self.floor)
        least = np.maximum(np.asarray(value, dtype=np.float64), 10.0**self.floor)
        return np.asarray(self._frame.bottom - unit * (np.log10(least) - self.floor))


def draw_spectrum(page: Page, request: Spectrum, result: SingularValues) -> float:
    """Draw singular values, near-equal ones bracketed and the cliff after d_head marked."""
    y = heading.draw(page, f"{request.head.name} {request.circuit.upper()} spectrum", request.model)
    between = "read/write" if request.circuit == "ov" else "query/key"
    words = (
        f"{between} overlap {plain(result.read_write_overlap)}; of random subspaces "
        f"{plain(result.random_overlap)}{tokens_back(result.offset, '; ')}"
    )
    y = heading.sentence(page, y, [words]) + 6.0
    thin = result.singular_values.astype(np.float64)
    dense = None
    if result.dense_singular_values is not None:
        dense = result.dense_singular_values[: len(thin) + max(8, len(thin) // 4)]
    every = thin if dense is None else np.concatenate([thin, dense.astype(np.float64)])
    count = len(thin) if dense is None else max(len(thin), len(dense))
    # The margin depends on the texts of ticks, which do not depend on the margin.
    texts = [text for _, text in _marks(_Scale(Frame(0, 0, 1, 1), every, count))]
    frame = Frame(chart.margin(page, texts), y, page.width - 4.0, y + _HEIGHT)
    scale = _Scale(frame, every, count)
    frame.draw(page, [(float(scale.y(v)), text) for v, text in _marks(scale)], "singular value")
    _draw_cliff(page, frame, scale, len(thin), dense)
    if dense is not None:
        style: dict[str, Any] = {"linestyle": "none", "marker": "o", "markeredgewidth": 0.5}
        size = min(3.2, max(1.2, scale.step))
        page.line(
            scale.x(np.arange(len(dense))),
            scale.y(dense),
            colour=LIGHT.muted,
            markersize=size,
            markerfacecolor="none",
            **style,
        )
    _draw_thin(page, scale, thin, _COLOURS[request.circuit])
    for group in result.groups:
        if group.last > group.first:
            _draw_bracket(page, scale, thin, group.first, group.last)
    return _draw_below(page, frame, scale, count, result)


def _marks(scale: _Scale) -> list[tuple[float, str]]:
    """Return the ticks of the vertical axis: powers of ten, or 1, 2, 5 where those are few."""
    exponents = decades(10.0**scale.floor, 10.0**scale.top, 6)
    if len(exponents) >= 3:
        return [(10.0**exponent, power_of_ten(exponent)) for exponent in exponents]
    lowest, highest = math.floor(scale.floor), math.ceil(scale.top)
    steps = [factor * 10.0**exponent for exponent in range(lowest, highest) for factor in (1, 2, 5)]
    inside = [step for step in steps if scale.floor <= math.log10(step) <= scale.top]
    return [(step, plain(step)) for step in inside]


def _draw_thin(page: Page, scale: _Scale, thin: npt.NDArray[np.float64], colour: str) -> None:
    page.line(scale.x(np.arange(len(thin))), scale.y(thin), colour=colour, width=0.4)
    for zero in (False, True):
        chosen = np.flatnonzero((thin <= 0.0) == zero)
        page.line(
            scale.x(chosen),
            scale.y(thin[chosen]),
            colour=colour,
            linestyle="none",
            marker="v" if zero else "o",
            markersize=min(2.6, max(1.0, scale.step)),
            markeredgewidth=0.0,
        )


def _draw_bracket(
    page: Page, scale: _Scale, thin: npt.NDArray[np.float64], first: int, last: int
) -> None:
    """Bracket values of which only the common subspace is defined."""
    left = float(scale.x(first)) - 0.3 * scale.step
    right = float(scale.x(last)) + 0.3 * scale.step
    y = float(scale.y(thin[first])) - _BRACKET + 2.0
    page.line([left, left, right, right], [y + 1.6, y, y, y + 1.6], colour=LIGHT.text, width=0.5)


def _draw_cliff(
    page: Page,
    frame: Frame,
    scale: _Scale,
    d_head: int,
    dense: npt.NDArray[np.floating] | None,
) -> None:
    if dense is None or len(dense) <= d_head:
        return
    x = float(scale.x(d_head - 0.5))
    page.line([x, x], [frame.top, frame.bottom], width=0.5, linestyle=(0, (2, 2)))
    text = f"d_head = {d_head}"
    if x + 3.0 + page.measure(text, page.small) <= frame.right:
        page.text(x + 3.0, frame.top + 4.0, text, size=page.small, colour=LIGHT.muted)
    else:
        page.text(
            x - 3.0, frame.bottom - 6.0, text, size=page.small, anchor="right", colour=LIGHT.muted
        )


def _draw_below(
    page: Page, frame: Frame, scale: _Scale, count: int, result: SingularValues
) -> float:
    marks = [mark for mark in ticks(0.0, float(count - 1), 5) if mark == int(mark)]
    places = [(float(scale.x(mark)), str(int(mark))) for mark in marks]
    y = frame.draw_below(page, places, "index")
    words = []
    if result.dense_singular_values is not None:
        shown, measured = count, result.dense_singular_values
        words.append("filled: thin factors; open: the dense matrix, float64")
        if len(measured) > shown:
            words.append(
                f"the {len(measured) - shown} not shown are {plain(measured[shown])} or less"
            )
    if any(group.last > group.first for group in result.groups):
        words.append("bracketed: within 1 %, only their subspace is defined")
    if (result.singular_values <= 0.0).any():
        words.append("triangles on the floor: exactly 0")
    return heading.sentence(page, y + 2.0, ["; ".join(words)]) if words else y + 2.0
