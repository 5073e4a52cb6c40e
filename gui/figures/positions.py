"""Scores against distance, and of every pair of learned positions."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from engine.messages import OffsetScores, PositionQK, PositionScores, QKOffsets
from gui.figures import chart, heading, panels
from gui.figures.chart import Frame
from gui.figures.colours import signed
from gui.figures.heading import Token
from gui.figures.labels import Axis
from gui.figures.page import Page
from gui.figures.ticks import ticks
from gui.numbers import for_prompts, outstanding, plain
from gui.theme import LIGHT

_HEIGHT, _LOW = 110.0, 60.0
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
    y = heading.draw(page, f"{request.head.name} scores by distance", request.model)
    read = " after the first MLP" if result.source == "token+mlp0" else ""
    query, key = Token(result.query_label), Token(result.key_label)
    words = f", and all tokens at all others{read}"
    y = heading.sentence(page, y, ["query", query, "looks at key", key, words]) + 4.0
    curves = _Curves(result.mean, result.scores, result.deviation)
    title = f"score, divided by {plain(result.divisor)}"
    y = _draw_curves(page, y, curves, _HEIGHT, title)
    legend = (
        "dots: these two tokens; line: the mean over all pairs of tokens, in a band of one standard"
        f" deviation; {_outstanding(result)}"
    )
    return heading.sentence(page, y + 2.0, [legend])


def draw_position_qk(page: Page, request: PositionQK, result: PositionScores) -> float:
    """Draw the map of query and key positions, and its mean along the diagonals."""
    y = heading.draw(page, f"{request.head.name} scores of positions", request.model)
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
    return heading.sentence(page, y + 2.0, [words])


def _outstanding(result: OffsetScores | PositionScores) -> str:
    best, length = result.best_offset, getattr(result, "length", None)
    return outstanding(float(result.mean[best]), best, result.best_z) + for_prompts(length, "; ")


def _draw_curves(page: Page, y: float, curves: _Curves, height: float, title: str) -> float:
    low, high = curves.limits()
    marks = ticks(low, high, 4)
    frame = Frame(chart.margin(page, [plain(m) for m in marks]), y, page.width - 4.0, y + height)
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
