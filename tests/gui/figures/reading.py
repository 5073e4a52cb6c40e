"""Reading a written figure back: its panels, its texts and the colours at places of the page."""

import io
import re
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
from PIL import Image

from gui.style.theme import LIGHT

Box = tuple[float, float, float, float]
_SVG = "{http://www.w3.org/2000/svg}"
_SIDES = ("width", "height")


def _style(element: ElementTree.Element) -> dict[str, str]:
    pairs = (part.partition(":") for part in element.get("style", "").split(";"))
    return {name.strip(): value.strip() for name, _, value in pairs}


def _boxes(path: ElementTree.Element) -> list[Box]:
    found = []
    for part in path.get("d", "").split("z")[:-1]:  # what is not closed is a line
        numbers = [float(number) for number in re.findall(r"-?\d+\.?\d*(?:e-?\d+)?", part)]
        if len(numbers) in (8, 10):  # some repeat the first corner
            xs, ys = numbers[::2], numbers[1::2]
            found.append((min(xs), min(ys), max(xs), max(ys)))
    return found


class Svg:
    """What stands in an SVG file, in points from its top left corner."""

    def __init__(self, path: Path) -> None:
        self.root = ElementTree.fromstring(path.read_text(encoding="utf-8"))
        self.size = tuple(float(self.root.get(side, "nan").removesuffix("pt")) for side in _SIDES)
        self.images = list(self.root.iter(f"{_SVG}image"))
        self.texts = [
            (element.text or "", float(element.get("x", "nan")), float(element.get("y", "nan")))
            for element in self.root.iter(f"{_SVG}text")
        ]

    def frames(self) -> list[Box]:
        """Return the framed areas: the panels in order, and the colour bar last."""
        return [
            box
            for path in self.root.iter(f"{_SVG}path")
            if _style(path).get("stroke") == LIGHT.muted and _style(path).get("fill") == "none"
            for box in _boxes(path)
        ]

    def filled(self, colour: str) -> list[Box]:
        """Return the rectangles of one colour."""
        return [
            box
            for path in self.root.iter(f"{_SVG}path")
            if _style(path).get("fill") == colour
            for box in _boxes(path)
        ]


def centres(frame: Box, rows: int, columns: int) -> np.ndarray:
    """Return the middle of every cell of a framed grid, [row, column, 2], in points."""
    left, top, right, bottom = frame
    line = 0.2  # the frame runs around the cells, by half its width
    xs = left + line + (np.arange(columns) + 0.5) * (right - left - 2 * line) / columns
    ys = top + line + (np.arange(rows) + 0.5) * (bottom - top - 2 * line) / rows
    return np.stack(np.meshgrid(xs, ys), axis=-1)


def colours(image: Image.Image, points: np.ndarray, width: float) -> np.ndarray:
    """Return the colours of a rendered page at places in points, [..., 3]."""
    pixels = np.asarray(image.convert("RGB")).astype(int)
    places = np.floor(points * image.width / width).astype(int)
    return pixels[places[..., 1], places[..., 0]]


def render_pdf(path: Path, dpi: int = 600) -> Image.Image:
    """Render a PDF's page with poppler."""
    command = ["pdftoppm", "-r", str(dpi), "-png", "-singlefile", str(path)]
    return Image.open(io.BytesIO(subprocess.run(command, check=True, capture_output=True).stdout))


def media_box(path: Path) -> tuple[float, float]:
    """Return the width and height of a PDF's page in points."""
    found = re.search(rb"/MediaBox \[ 0 0 ([\d.]+) ([\d.]+) \]", path.read_bytes())
    assert found is not None
    return float(found[1]), float(found[2])
