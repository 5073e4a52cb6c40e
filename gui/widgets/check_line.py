"""One line of a list of checks: its mark, its claim, its bar, and what lies behind it."""

from dataclasses import dataclass
from math import log10
from typing import Literal

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from gui import palette
from gui.theme import RADIUS, UNIT
from gui.widgets import painting
from gui.widgets.text_block import Paragraph, TextBlock

Outcome = Literal["passed", "failed", "undefined"]
MARKS: dict[Outcome, str] = {"passed": "✓", "failed": "✗", "undefined": "–"}
BELOW, ABOVE = 6.0, 2.0
"""Powers of ten that the bar shows below and above the limit."""
_ARROW, _MARK, _BAR = 1.5 * UNIT, 4 * UNIT, 9 * UNIT
"""Where the arrow ends, where the mark does, and how wide the bar is."""
_PAD = UNIT * 0.75
_BESIDE_FROM = 440
"""The bar stands beside the claim from this width on, below it before that."""


@dataclass(frozen=True)
class Check:
    """One line of the list.

    Attributes
    ----------
    outcome
        Whether it passed.
    claim
        What is checked.
    measure
        How far off it was, in words.
    share
        What was measured over what is allowed; none where nothing was.
    details
        What is shown when the line is open.
    """

    outcome: Outcome
    claim: str
    measure: str
    share: float | None
    details: tuple[Paragraph, ...]


@dataclass(frozen=True, eq=False)
class Line:
    """Where the parts of a check lie, in logical pixels of the whole list."""

    box: QRectF
    claim: TextBlock
    claim_at: QPointF
    measure: TextBlock
    measure_at: QPointF
    bar: QRectF | None
    details: TextBlock | None
    details_at: QPointF


def bar_share(share: float) -> float:
    """Return how much of the bar is filled: powers of ten, from BELOW the limit to ABOVE it."""
    if share <= 0:
        return 0.0
    return min(max((log10(share) + BELOW) / (BELOW + ABOVE), 0.0), 1.0)


def place(check: Check, opened: bool, top: float, width: float) -> Line:
    """Place one line below a height; the words that belong to it stand below one another."""
    beside = width >= palette.scaled(_BESIDE_FROM)
    right = width - palette.scaled(_BAR) - UNIT
    text = (right - UNIT if beside else width - UNIT) - palette.scaled(_MARK)
    claim = TextBlock([Paragraph(check.claim)], text)
    measure = TextBlock([Paragraph(check.measure, "small")], text)
    claim_at = QPointF(palette.scaled(_MARK), top + _PAD)
    measure_at = QPointF(palette.scaled(_MARK), claim_at.y() + claim.height + 2)
    bottom = measure_at.y() + measure.height
    bar = None
    if check.share is not None:
        middle = claim_at.y() + UNIT if beside else bottom + UNIT
        bar = QRectF(
            right if beside else palette.scaled(_MARK),
            middle - UNIT / 2,
            palette.scaled(_BAR),
            UNIT,
        )
        bottom = max(bottom, bar.bottom())
    details = TextBlock(check.details, width - palette.scaled(_MARK) - UNIT) if opened else None
    details_at = QPointF(palette.scaled(_MARK), bottom + UNIT / 2)
    if details is not None:
        bottom = details_at.y() + details.height
    box = QRectF(0, top, width, bottom + _PAD - top)
    return Line(box, claim, claim_at, measure, measure_at, bar, details, details_at)


def draw(painter: QPainter, check: Check, placed: Line, *, framed: bool) -> None:
    """Draw a line, in a frame where it is pointed at or the keyboard is there."""
    theme = palette.theme()
    colours = {"passed": theme.good, "failed": theme.bad, "undefined": theme.muted}
    if framed or check.outcome == "failed":
        painter.setPen(Qt.PenStyle.NoPen)
        ground = theme.bad_ground if check.outcome == "failed" else theme.field
        painter.setBrush(QColor(ground))
        painter.drawRoundedRect(placed.box, RADIUS, RADIUS)
    if framed:
        painter.setPen(painting.pen(theme.line))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        inner = placed.box.adjusted(0.5, 0.5, -0.5, -0.5)
        painter.drawRoundedRect(inner, RADIUS, RADIUS)
    painter.setFont(palette.ui_font(bold=True))
    painter.setPen(QColor(colours[check.outcome]))
    height = QFontMetricsF(painter.font()).height()
    mark = QRectF(
        palette.scaled(_ARROW),
        placed.claim_at.y(),
        palette.scaled(_MARK) - palette.scaled(_ARROW),
        height,
    )
    painter.drawText(mark, Qt.AlignmentFlag.AlignCenter, MARKS[check.outcome])
    _draw_arrow(painter, QPointF(UNIT, mark.center().y()), opened=placed.details is not None)
    placed.claim.draw(painter, placed.claim_at)
    placed.measure.draw(painter, placed.measure_at)
    if placed.bar is not None and check.share is not None:
        _draw_bar(painter, placed.bar, check.share, colours[check.outcome])
    if placed.details is not None:
        placed.details.draw(painter, placed.details_at)


def _draw_arrow(painter: QPainter, at: QPointF, *, opened: bool) -> None:
    """Point right where something is hidden, and down where it is shown."""
    painter.setPen(painting.pen(palette.theme().muted, 1.5))
    half = UNIT * 0.4
    first, tip, last = (-half / 2, -half), (half / 2, 0.0), (-half / 2, half)
    corners = [QPointF(*(point[::-1] if opened else point)) + at for point in (first, tip, last)]
    painter.drawPolyline(corners)


def _draw_bar(painter: QPainter, bar: QRectF, share: float, colour: str) -> None:
    theme = palette.theme()
    painter.setPen(painting.pen(theme.line))
    painter.setBrush(QColor(theme.card))
    painter.drawRect(bar.adjusted(0.5, 0.5, -0.5, -0.5))
    filled = QRectF(bar)
    filled.setWidth(bar.width() * bar_share(share))
    painter.fillRect(filled, QColor(colour))
    limit = bar.left() + bar.width() * BELOW / (BELOW + ABOVE)
    painter.setPen(painting.pen(theme.text, 2))
    painter.drawLine(QPointF(limit, bar.top() - 2), QPointF(limit, bar.bottom() + 2))
