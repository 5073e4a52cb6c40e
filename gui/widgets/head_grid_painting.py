"""What is drawn over the image of all heads: gaps, names, scores, marks of the best, frames."""

from collections.abc import Container, Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from engine.messages import Head
from gui.style import palette
from gui.style.formatting import decimals_for, fixed
from gui.style.theme import UNIT
from gui.widgets import painting
from gui.widgets.cells import Colouring, GridGeometry, ink
from gui.widgets.matrix_axes import stride_for

_BADGE = 10.0


def draw_gaps(painter: QPainter, grid: GridGeometry, gap: int) -> None:
    """Draw the card between the heads."""
    card, bounds = QColor(palette.theme().card), grid.bounds
    for _, right in grid.column_spans():
        painter.fillRect(QRectF(right - gap, bounds.top(), gap, bounds.height()), card)
    for _, bottom in grid.row_spans():
        painter.fillRect(QRectF(bounds.left(), bottom - gap, bounds.width(), gap), card)


def draw_scores(
    painter: QPainter,
    grid: GridGeometry,
    scores: npt.NDArray[np.floating],
    colouring: Colouring,
    marked: Container[Head],
    gap: int,
) -> None:
    """Print each head's score, [layer, head], where it fits; below the mark of a marked head."""
    font = palette.ui_font(small=True)
    metrics = QFontMetricsF(font)
    room = grid.pitch - gap
    known = scores[np.isfinite(scores)]
    if not known.size:
        return
    ends = float(known.min()), float(known.max())
    decimals = next(
        (
            n
            for n in range(min(decimals_for(known), 3), -1, -1)
            if max(metrics.horizontalAdvance(fixed(end, n)) for end in ends) <= room
        ),
        None,
    )
    if decimals is None or (decimals == 0 and ends[1] <= 1) or metrics.height() > room + 2:
        return
    painter.setFont(font)
    centre = Qt.AlignmentFlag.AlignCenter
    below = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignBottom
    for layer, number in np.argwhere(np.isfinite(scores)).tolist():
        score = float(scores[layer, number])
        painter.setPen(ink(colouring.colour(score)))
        cell = grid.cell(layer, number).adjusted(0, 0, -gap, -gap)
        place = below if Head(layer, number) in marked else centre
        painter.drawText(cell, place | Qt.TextFlag.TextSingleLine, fixed(score, decimals))


def draw_crosses(painter: QPainter, grid: GridGeometry, heads: Iterable[Head], gap: int) -> None:
    """Cross out heads: a line of ink over a broader one of card, to be seen on any picture."""
    theme = palette.theme()
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for head in heads:
        cell = grid.cell(*head).adjusted(1, 1, -gap - 1, -gap - 1)
        for colour, width in ((theme.card, 5.0), (theme.bad, 2.0)):
            painter.setPen(painting.pen(colour, width))
            painter.drawLine(cell.topLeft(), cell.bottomRight())
            painter.drawLine(cell.bottomLeft(), cell.topRight())
    painter.restore()


def draw_best(
    painter: QPainter, grid: GridGeometry, best: Mapping[str, Sequence[Head]], gap: int
) -> None:
    """Mark heads by letters in the top right corner, where a causal pattern has nothing."""
    letters: dict[Head, str] = {}
    for measure, heads in best.items():
        for head in heads:
            letters[head] = letters.get(head, "") + measure[:1].upper()
    theme = palette.theme()
    font = palette.ui_font(small=True, bold=True)
    side = palette.scaled(_BADGE)
    font.setPixelSize(side - 1)
    painter.save()
    painter.setFont(font)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    metrics = QFontMetricsF(font)
    for head, text in letters.items():
        if head.layer >= len(grid.row_edges) - 1 or head.number >= len(grid.column_edges) - 1:
            continue
        cell = grid.cell(*head)
        width = max(side, metrics.horizontalAdvance(text) + 4)
        badge = QRectF(cell.right() - gap - width, cell.top(), width, side + 1)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.text))
        painter.drawRoundedRect(badge, 2, 2)
        painter.setPen(QColor(theme.card))
        painter.drawText(badge, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextSingleLine, text)
    painter.restore()


def draw_frame(painter: QPainter, grid: GridGeometry, head: Head, colour: str, gap: int) -> None:
    """Frame a head in the gap around it."""
    cell = grid.cell(*head).adjusted(0, 0, -gap, -gap)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(painting.pen(colour, 2))
    painter.drawRect(cell.adjusted(-1, -1, 1, 1))
    # A thin line of card inside, or the frame would drown in a dark cell.
    painter.setPen(painting.pen(palette.theme().card))
    painter.drawRect(cell.adjusted(0.5, 0.5, -0.5, -0.5))


def draw_names(
    painter: QPainter,
    grid: GridGeometry,
    offset: QPointF,
    inside: QRectF,
    selected: Head,
    hovered: Head | None,
) -> None:
    """Write L0, L1, … beside the rows in sight and H0, H1, … above the columns in sight.

    Parameters
    ----------
    painter
        On the viewport.
    grid
        Where heads lie before scrolling.
    offset
        How far they are scrolled.
    inside
        The part of the viewport that shows heads.
    selected, hovered
        Their names are written in accent, and in the colour of text.
    """
    theme = palette.theme()
    font = palette.ui_font(small=True)
    metrics = QFontMetricsF(font)
    height = metrics.height()
    painter.setFont(font)
    wide = metrics.horizontalAdvance(f"H{len(grid.column_edges) - 2}")
    flags = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
    axes = (
        ("L", grid.row_spans(), height, selected.layer, -1 if hovered is None else hovered.layer),
        (
            "H",
            grid.column_spans(),
            wide + 2,
            selected.number,
            -1 if hovered is None else hovered.number,
        ),
    )
    for letter, spans, need, chosen, pointed in axes:
        stride = stride_for(grid.pitch, need)
        for index, (start, stop) in enumerate(spans):
            near = abs(index - chosen) < stride and index != chosen
            if near or (index % stride and index != chosen):
                continue
            colour = theme.accent if index == chosen else theme.muted
            painter.setPen(QColor(theme.text if index == pointed != chosen else colour))
            middle = (start + stop) / 2
            if letter == "L":
                top = middle + offset.y() - height / 2
                if top >= inside.top() - height / 2 and top <= inside.bottom():
                    box = QRectF(0, top, inside.left() - UNIT / 2, height)
                    painter.drawText(box, flags | Qt.AlignmentFlag.AlignRight, f"L{index}")
            else:
                left = middle + offset.x() - 1
                if inside.left() <= left <= inside.right():
                    box = QRectF(left - wide, 0, 2 * wide, inside.top() - UNIT / 2)
                    painter.drawText(box, flags | Qt.AlignmentFlag.AlignHCenter, f"H{index}")
