"""The frame of a chart with a vertical axis."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from engine.messages import (
    ComplexValues,
    Composition,
    CompositionScores,
    Eigenvalues,
    OffsetScores,
    PositionQK,
    PositionScores,
    QKOffsets,
    SingularValues,
    Spectrum,
)
from gui.charts.pairs import READS, PairMap, strongest
from gui.figures import lettering, panels
from gui.figures.lettering import Axis, Token
from gui.figures.page import Page, decades, ticks
from gui.style.colour_scale import amounts, signed
from gui.style.formatting import for_prompts, outstanding, plain, power_of_ten, tokens_back
from gui.style.theme import LIGHT


@dataclass(frozen=True)
class Frame:
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
        page.text(
            2.0 + 0.5 * page.line_height(page.small),
            (self.top + self.bottom) / 2,
            title,
            size=page.small,
            anchor="center",
            colour=LIGHT.muted,
            upright=True,
        )

    def draw_below(self, page: Page, marks: Sequence[tuple[float, str]], title: str) -> float:
        """Draw the numbers under the chart and what they are; return where that ends."""
        line = page.line_height(page.small)
        for x, text in marks:
            page.line([x, x], [self.bottom, self.bottom + 2.0], width=0.4)
            page.text(x, self.bottom + 3.0 + line / 2, text, size=page.small, anchor="center")
        y = self.bottom + 3.0 + 1.5 * line
        page.text(
            (self.left + self.right) / 2,
            y,
            title,
            size=page.small,
            anchor="center",
            colour=LIGHT.muted,
        )
        return y + line / 2


def margin(page: Page, texts: Sequence[str]) -> float:
    """Return the room that a vertical axis needs at its left, in points."""
    widest = max(page.measure(text, page.small) for text in texts)
    return 2.0 + page.line_height(page.small) + 2.0 + widest + 3.5


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
    y = lettering.draw(
        page, f"{request.head.name} {request.circuit.upper()} spectrum", request.model
    )
    between = "read/write" if request.circuit == "ov" else "query/key"
    words = (
        f"{between} overlap {plain(result.read_write_overlap)}; of random subspaces "
        f"{plain(result.random_overlap)}{tokens_back(result.offset, '; ')}"
    )
    y = lettering.sentence(page, y, [words]) + 6.0
    thin = result.singular_values.astype(np.float64)
    dense = None
    if result.dense_singular_values is not None:
        dense = result.dense_singular_values[: len(thin) + max(8, len(thin) // 4)]
    every = thin if dense is None else np.concatenate([thin, dense.astype(np.float64)])
    count = len(thin) if dense is None else max(len(thin), len(dense))
    # The margin depends on the texts of ticks, which do not depend on the margin.
    texts = [text for _, text in _marks(_Scale(Frame(0, 0, 1, 1), every, count))]
    frame = Frame(margin(page, texts), y, page.width - 4.0, y + _HEIGHT)
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
    return lettering.sentence(page, y + 2.0, ["; ".join(words)]) if words else y + 2.0


_OFFSETS_HEIGHT, _LOW = 110.0, 60.0
_SPARE = 0.06
"""What is left free above and below the curves, in shares of their range."""


class _Curves(NamedTuple):
    """What is drawn over the offsets: the mean, and for two tokens a score and a band."""

    mean: npt.NDArray[np.floating]
    scores: npt.NDArray[np.floating] | None = None
    deviation: npt.NDArray[np.floating] | None = None

    def band(self) -> tuple[npt.NDArray[np.floating], npt.NDArray[np.floating]]:
        """Return the lower and upper edge of the band, which may lie on the mean."""
        half = 0.0 if self.deviation is None else self.deviation
        return self.mean - half, self.mean + half

    def limits(self) -> tuple[float, float]:
        """Return the least and the largest value shown; 0 is always inside."""
        every = np.concatenate([*self.band(), [0.0] if self.scores is None else self.scores])
        low, high = float(every.min(initial=0.0)), float(every.max(initial=0.0))
        spare = _SPARE * (high - low) or 1.0
        return low - spare, high + spare


def draw_qk_offsets(page: Page, request: QKOffsets, result: OffsetScores) -> float:
    """Draw the score of two tokens and the mean over all pairs against query minus key."""
    y = lettering.draw(page, f"{request.head.name} scores by distance", request.model)
    read = " after the first MLP" if result.source == "token+mlp0" else ""
    query, key = Token(result.query_label), Token(result.key_label)
    words = f", and all tokens at all others{read}"
    y = lettering.sentence(page, y, ["query", query, "looks at key", key, words]) + 4.0
    curves = _Curves(result.mean, result.scores, result.deviation)
    title = f"score, divided by {plain(result.divisor)}"
    y = _draw_curves(page, y, curves, _OFFSETS_HEIGHT, title)
    legend = (
        "dots: these two tokens; line: the mean over all pairs of tokens, in a band of one standard"
        f" deviation; {_outstanding(result)}"
    )
    return lettering.sentence(page, y + 2.0, [legend])


def draw_position_qk(page: Page, request: PositionQK, result: PositionScores) -> float:
    """Draw the map of query and key positions, and its mean along the diagonals."""
    y = lettering.draw(page, f"{request.head.name} scores of positions", request.model)
    names = [str(place) for place in range(len(result.scores))]
    score = f"score, divided by {plain(result.divisor)}"
    grids = panels.Grids(
        titles=[[]],
        values=result.scores[None],
        seen=np.isfinite(result.scores),
        rows=Axis("query position", names, token=False),
        columns=Axis("key position", names, token=False),
        scale=signed(result.scores),
        bar=score,
    )
    y = panels.draw(page, y, grids) + 6.0
    y = _draw_curves(page, y, _Curves(result.mean), _LOW, "mean score")
    words = f"mean over all tokens at both positions; {_outstanding(result)}"
    return lettering.sentence(page, y + 2.0, [words])


def _outstanding(result: OffsetScores | PositionScores) -> str:
    best, length = result.best_offset, getattr(result, "length", None)
    return outstanding(float(result.mean[best]), best, result.best_z) + for_prompts(length, "; ")


def _draw_curves(page: Page, y: float, curves: _Curves, height: float, title: str) -> float:
    low, high = curves.limits()
    marks = ticks(low, high, 4)
    frame = Frame(margin(page, [plain(m) for m in marks]), y, page.width - 4.0, y + height)
    unit, count = height / (high - low), len(curves.mean)
    step = (frame.right - frame.left) / count
    across = frame.left + (np.arange(count) + 0.5) * step

    def down(values: npt.ArrayLike) -> npt.NDArray[np.float64]:
        return np.asarray(frame.bottom - unit * (np.asarray(values, dtype=np.float64) - low))

    if curves.deviation is not None:
        lower, upper = curves.band()
        sides = [across - step / 2, down(upper), across + step / 2, down(lower)]
        page.boxes(np.stack(sides, axis=1), LIGHT.line)
    page.line([frame.left, frame.right], [float(down(0.0))] * 2, width=0.4)
    frame.draw(page, [(float(down(mark)), plain(mark)) for mark in marks], title)
    dot: dict[str, Any] = {"marker": "o", "markersize": 1.6} if count == 1 else {}
    page.line(across, down(curves.mean), colour=LIGHT.text, width=0.8, **dot)
    if curves.scores is not None:
        size = min(2.4, max(0.8, 0.7 * step))
        style: dict[str, Any] = {"linestyle": "none", "marker": "o", "markeredgewidth": 0.0}
        page.line(across, down(curves.scores), colour=LIGHT.curve_qk, markersize=size, **style)
    return _draw_offsets(page, frame, across, count)


def _draw_offsets(page: Page, frame: Frame, across: npt.NDArray[np.floating], count: int) -> float:
    marks = ticks(0.0, float(max(count - 1, 1)), 6)
    whole = [int(mark) for mark in marks if mark == int(mark) and mark < count]
    places = [(float(across[mark]), str(mark)) for mark in whole]
    return frame.draw_below(page, places, "query position minus key position")


_PAIRS_HEIGHT = 130.0


def draw_composition(page: Page, request: Composition, result: CompositionScores) -> float:
    """Draw the score of every pair, earlier head down and later head across."""
    y = lettering.draw(page, f"{request.kind.upper()}-composition", request.model)
    shown = PairMap(result)
    best = strongest(result)
    row, column = shown.cell(best)
    assert row is not None
    assert column is not None
    grids = panels.Grids(
        titles=[[]],
        values=shown.values[None],
        seen=np.isfinite(shown.values),
        rows=Axis("earlier head", [head.name for head in shown.earlier], token=False),
        columns=Axis("later head", [head.name for head in shown.later], token=False),
        scale=amounts(shown.values),
        bar="composition score",
        marked=[[(row, column)]],
    )
    bottom = panels.draw(page, y, grids)
    words = (
        f"how much of the later head's {READS[request.kind]} reads what the earlier one writes; "
        f"best: {best.earlier.name} and {best.later.name}, "
        f"{plain(float(shown.values[row, column]))}; random directions: {plain(result.baseline)}"
        f"{tokens_back(result.offset, '; query and key ')}"
    )
    return lettering.sentence(page, bottom + 4.0, [words])


def draw_eigenvalues(page: Page, request: Eigenvalues, result: ComplexValues) -> float:
    """Draw eigenvalues as points of the complex plane."""
    name = f"{request.head.name} {request.circuit.upper()} eigenvalues"
    y = lettering.draw(page, name, request.model) + 4.0
    real, imag = (part.astype(np.float64) for part in (result.real, result.imag))
    limit = 1.08 * float(max(np.abs(real).max(), np.abs(imag).max())) or 1.0
    marks = ticks(-limit, limit, 4)
    left = margin(page, [plain(mark) for mark in marks])
    side = min(_PAIRS_HEIGHT, page.width - left - 6.0)
    frame = Frame(left, y, left + side, y + side)
    middle, unit = (left + side / 2, y + side / 2), side / (2 * limit)
    page.line([frame.left, frame.right], [middle[1]] * 2, colour=LIGHT.line, width=0.4)
    page.line([middle[0]] * 2, [frame.top, frame.bottom], colour=LIGHT.line, width=0.4)
    frame.draw(page, [(middle[1] - unit * mark, plain(mark)) for mark in marks], "imaginary")
    line = page.line_height(page.small)
    for mark in marks:
        x = middle[0] + unit * mark
        page.line([x, x], [frame.bottom, frame.bottom + 2.0], width=0.4)
        below = frame.bottom + 3.0 + line / 2
        page.text(x, below, plain(mark), size=page.small, anchor="center")
    below = frame.bottom + 3.0 + 1.5 * line
    page.text(middle[0], below, "real", size=page.small, anchor="center", colour=LIGHT.muted)
    colour = LIGHT.curve_ov if request.circuit == "ov" else LIGHT.curve_qk
    points = middle[0] + unit * real, middle[1] - unit * imag
    page.line(*points, colour=colour, linestyle="none", marker="o", markersize=2.4)
    share = "copying" if request.circuit == "ov" else "positivity"
    words = f"sum over sum of magnitudes ({share}): {plain(result.positivity)}"
    words += tokens_back(result.offset, "; ")
    return lettering.sentence(page, below + line / 2 + 2.0, [words])
