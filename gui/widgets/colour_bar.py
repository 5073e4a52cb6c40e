"""The bar that says which colour is which number."""

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from gui import palette
from gui.numbers import decimals_for, fixed
from gui.theme import UNIT
from gui.widgets import painting
from gui.widgets.colouring import MASKED, Colouring, image

WIDTH = 10.0
_GAP = UNIT / 2
_COUNTS = (5, 6, 3)


def tick_texts(
    colouring: Colouring, reach: tuple[float, float], most: int
) -> list[tuple[float, str]]:
    """Return the numbers beside the bar, as shares of its height from below and texts.

    Parameters
    ----------
    colouring
        Map and limits.
    reach
        Smallest and largest number drawn; one outside the limits shows in the end's text.
    most
        How many have room; the two ends are always there.
    """
    counts = [count for count in _COUNTS if count <= most] or [2]
    choices = [np.linspace(colouring.low, colouring.high, count) for count in counts]
    decimals = decimals_for(choices[0])
    # A number that is rounded beside its tick would lie a little: take those that are not.
    exact = (v for v in choices if np.abs(v - v.round(decimals)).max() <= 1e-9 * np.abs(v).max())
    values = next(exact, choices[0])
    slack = 1e-6 * (colouring.high - colouring.low)
    made = []
    for share, value in zip(np.linspace(0, 1, len(values)).tolist(), values.tolist(), strict=True):
        text = fixed(value, decimals)
        if share == 1 and reach[1] > colouring.high + slack:
            text = "≥" + text
        if share == 0 and reach[0] < colouring.low - slack:
            text = "≤" + text
        made.append((share, text))
    return made


def width_of(colouring: Colouring, reach: tuple[float, float], unit: str) -> float:
    """Return how wide bar, numbers and unit are together, pixels."""
    metrics = QFontMetricsF(palette.ui_font(small=True))
    texts = [text for _, text in tick_texts(colouring, reach, _COUNTS[1])]
    title = metrics.height() + _GAP if unit else 0.0
    return WIDTH + _GAP + max(map(metrics.horizontalAdvance, texts)) + title + 1


def draw(
    painter: QPainter,
    area: QRectF,
    colouring: Colouring,
    reach: tuple[float, float],
    unit: str,
    bottom: float = 0.0,
) -> None:
    """Draw the bar at the left of an area, its numbers and its unit beside it.

    A unit that is longer than the bar goes on below it, as far as `bottom`.
    """
    theme = palette.theme()
    font = palette.ui_font(small=True)
    metrics = QFontMetricsF(font)
    ramp = np.arange(MASKED - 1, -1, -1, dtype=np.uint8)[:, np.newaxis]
    bar = QRectF(area.left(), area.top(), WIDTH, area.height())
    painter.drawImage(bar, image(ramp, colouring.colours, theme.masked))
    painter.setPen(painting.pen(theme.line))
    painter.drawRect(bar.adjusted(0.5, 0.5, -0.5, -0.5))
    most = 1 + int(area.height() / (1.5 * metrics.height()))
    painter.setFont(font)
    painter.setPen(QColor(theme.muted))
    left = bar.right() + _GAP
    widest = 0.0
    for share, text in tick_texts(colouring, reach, most):
        # The ends' texts stay inside the bar's height, so that nothing is cut off above it.
        top = area.bottom() - share * area.height() - metrics.height() / 2
        top = min(max(top, area.top()), area.bottom() - metrics.height())
        width = metrics.horizontalAdvance(text) + 1
        widest = max(widest, width)
        painter.drawText(
            QRectF(left, top, width, metrics.height()), Qt.TextFlag.TextSingleLine, text
        )
    if unit:
        longest = max(area.height(), bottom - area.top())
        text = metrics.elidedText(unit, Qt.TextElideMode.ElideRight, longest)
        length = max(area.height(), metrics.horizontalAdvance(text) + 1)
        box = QRectF(left + widest + _GAP / 2, area.top(), metrics.height(), length)
        painting.rotated_text(painter, box, Qt.AlignmentFlag.AlignCenter, text)
