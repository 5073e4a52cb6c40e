"""Writing an answer as a figure or as data, whole or not at all."""

import io
from pathlib import Path
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_pdf import FigureCanvasPdf
from matplotlib.backends.backend_svg import FigureCanvasSVG

from engine.messages import Head, Refused
from gui.figures import data, drawing, provenance
from gui.figures.fonts import uncovered
from gui.figures.page import Page
from gui.figures.provenance import Origin
from gui.platform import atomic_file
from gui.state.figure_options import DATA, PICTURES, FigureOptions

_CANVASES: dict[str, Any] = {
    ".pdf": FigureCanvasPdf,
    ".svg": FigureCanvasSVG,
    ".png": FigureCanvasAgg,
}
SUFFIXES = (*PICTURES, *DATA)
"""Kinds of file that can be written."""

_LONGEST, _MOST_PIXELS = 2**16 - 1, 250_000_000
"""Sides of a PNG that matplotlib can draw, and its area in a gigabyte."""

_USUAL, _UNKNOWN = FigureOptions(), Origin()


def write(
    request: Any,
    result: Any,
    path: Path,
    options: FigureOptions = _USUAL,
    *,
    head: Head | None = None,
    origin: Origin = _UNKNOWN,
) -> tuple[str, ...]:
    """Write the answer to a question as a figure, or as data.

    Parameters
    ----------
    request
        The question.
    result
        Its answer.
    path
        Where to; the suffix says what, one of SUFFIXES.
    options
        How a figure is set; data keep them for the time that they are opened again.
    head
        For attention, the one head to draw; without, all heads of the layer.
    origin
        Weights, tokens and versions, to be kept in the file (see `provenance.questions`).

    Returns
    -------
    tuple of str
        What the figure could not do as it should, a sentence each.

    Raises
    ------
    Refused
        If the question has no picture, the kind of file is unknown, there is no such folder, the
        head is not one of the layer, or the page is too small for what it is to show.
    OSError
        If the file cannot be written; what was there before is left as it was.
    """
    path = Path(path)
    check(request, path)
    drawing.check_head(request, result, head)
    suffix = path.suffix.lower()
    if suffix in DATA:
        atomic_file.write(path, data.encode(suffix, request, result, head, options, origin))
        return ()
    content, told = picture(request, result, suffix, options, head=head, origin=origin)
    atomic_file.write(path, content)
    return told


def picture(
    request: Any,
    result: Any,
    suffix: str,
    options: FigureOptions = _USUAL,
    *,
    head: Head | None = None,
    origin: Origin = _UNKNOWN,
) -> tuple[bytes, tuple[str, ...]]:
    """Return a figure as the content of a file, such as for a preview, and what `write` returns.

    Parameters and refusals are those of `write`; `suffix` is one of PICTURES.
    """
    page = drawing.compose(request, result, options, head=head, origin=origin)
    text = provenance.record(request, result, head, options, origin)
    return encode(page, suffix, provenance.metadata(request, head, suffix, text))


def encode(page: Page, suffix: str, metadata: dict[str, Any]) -> tuple[bytes, tuple[str, ...]]:
    """Return a page as the content of a file of one of PICTURES, and what `write` returns."""
    dpi = _resolution(page) if suffix == ".png" else page.dpi
    content = _render(page, suffix, dpi, metadata)
    boxes = uncovered([*page.tokens, *page.words])
    covers = [f"no installed font covers {', '.join(boxes)}: drawn as boxes"] if boxes else []
    return content, (*covers, *page.warnings)


def check(request: Any, path: Path) -> None:
    """Refuse what `write` would refuse whatever the answer; parameters are those of `write`."""
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise Refused(f"{path.name!r} does not end in {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}")
    if not path.absolute().parent.is_dir():
        raise Refused(f"there is no folder {str(path.parent)!r} to write a figure in")
    if suffix in PICTURES:
        drawing.check(request)
    atomic_file.check(path)


def _resolution(page: Page) -> int:
    """Return the dots per inch of a page's PNG; what the page cannot have as asked is told."""
    dpi = page.options.dpi
    if page.has_raster and dpi % page.dpi:
        # Each cell of an image is whole pixels at the page's own resolution and its multiples.
        dpi = page.dpi * (dpi // page.dpi + 1)
        page.warnings.append(f"the PNG has {dpi} dpi, so that each cell is whole pixels")
    width, height = (int(side * dpi) for side in page.figure.get_size_inches())
    if max(width, height) > _LONGEST or width * height > _MOST_PIXELS:
        raise Refused(
            f"a PNG of {width:,} × {height:,} pixels is too large: choose a smaller resolution or "
            "width, or write a PDF"
        )
    return dpi


def _render(page: Page, suffix: str, dpi: int, metadata: dict[str, Any]) -> bytes:
    buffer = io.BytesIO()
    with drawing.exact():
        _CANVASES[suffix](page.figure).print_figure(
            buffer,
            format=suffix[1:],
            dpi=dpi,
            facecolor="white" if page.options.ground == "paper" else "none",
            metadata=metadata,
        )
    return buffer.getvalue()
