"""Draw the icon: `python -m docs.make_icons` writes resources/icons.

Attention is a triangle of cells, for no token looks ahead; a lens enlarges the strongest one. Small
sizes have fewer and larger cells, placed on whole pixels.
"""

import os
import sys
from pathlib import Path

os.environ["QT_QPA_PLATFORM"] = "offscreen"

from PySide6.QtCore import QByteArray
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

from gui.export import screenshot
from gui.platform import atomic_file

ICONS = Path(__file__).parents[1] / "resources" / "icons"
SIZES = (16, 22, 24, 32, 48, 64, 128, 256, 512)
SMALL = 32
"""Pixels up to which the simple drawing is taken."""

GROUND, EDGE = "#0f3b66", "#0a2a4a"
WEAK, MIDDLE, STRONG = "#5f8fbf", "#9cc3e6", "#dcecf9"
HOT, GLASS, RING = "#ffb23e", "#1c5a94", "#ffffff"
SHADES = (
    (STRONG,),
    (MIDDLE, STRONG),
    (STRONG, WEAK, MIDDLE),
    (WEAK, MIDDLE, STRONG, WEAK),
    (MIDDLE, STRONG, WEAK, MIDDLE, STRONG),
)
"""Rows of the triangle, query by query."""


def drawing(cells: int, *, pitch: float, gap: float, ring: float, lens: float) -> str:
    """Return the icon as SVG on a square of 64 units.

    Parameters
    ----------
    cells
        Rows of the triangle.
    pitch, gap
        From one cell to the next, and the part of that between them.
    ring
        Width of the lens's ring and of its handle.
    lens
        Radius of the lens.
    """
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64" viewBox="0 0 64 64">',
        f'<rect x="1" y="1" width="62" height="62" rx="13" fill="{GROUND}" stroke="{EDGE}" '
        'stroke-width="2"/>',
    ]
    start = 8.0
    for row in range(cells):
        for column in range(row + 1):
            x, y = start + column * pitch, start + row * pitch
            side = pitch - gap
            parts.append(
                f'<rect x="{x:g}" y="{y:g}" width="{side:g}" height="{side:g}" rx="{side / 6:g}" '
                f'fill="{SHADES[row][column]}"/>'
            )
    centre, end = 38.0, 57.0 - ring / 3
    edge = centre + lens * 0.7071
    # First in the colour of the ground and wider, so that the lens stands off the cells.
    for colour, around in ((GROUND, ring), (RING, 0.0)):
        parts += [
            f'<line x1="{edge:g}" y1="{edge:g}" x2="{end:g}" y2="{end:g}" stroke="{colour}" '
            f'stroke-width="{ring * 1.35 + around:g}" stroke-linecap="round"/>',
            f'<circle cx="{centre:g}" cy="{centre:g}" r="{lens:g}" fill="{GLASS}" '
            f'stroke="{colour}" stroke-width="{ring + around:g}"/>',
        ]
    side = lens * 1.1
    corner = centre - side / 2
    parts.append(
        f'<rect x="{corner:g}" y="{corner:g}" width="{side:g}" height="{side:g}" '
        f'rx="{side / 6:g}" fill="{HOT}"/>'
    )
    return "\n".join([*parts, "</svg>", ""])


LARGE_DRAWING = drawing(5, pitch=10, gap=1.6, ring=3.6, lens=13)
SMALL_DRAWING = drawing(3, pitch=16, gap=3, ring=5, lens=13.5)


def render(svg: str, size: int) -> QImage:
    """Return a drawing as pixels."""
    image = QImage(size, size, QImage.Format.Format_ARGB32)
    image.fill(0)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    QSvgRenderer(QByteArray(svg.encode())).render(painter)
    painter.end()
    return image


def main() -> int:
    """Write the drawing and its pixels, each where an icon theme wants it."""
    app = QGuiApplication(sys.argv[:1])
    scalable = ICONS / "scalable" / "headscope.svg"
    scalable.parent.mkdir(parents=True, exist_ok=True)
    atomic_file.write(scalable, LARGE_DRAWING.encode())
    for size in SIZES:
        path = ICONS / f"{size}x{size}" / "headscope.png"
        path.parent.mkdir(exist_ok=True)
        screenshot.save(render(SMALL_DRAWING if size <= SMALL else LARGE_DRAWING, size), path)
    del app
    return 0


if __name__ == "__main__":
    sys.exit(main())
