"""Typesetting an answer and writing it whole or not at all."""

import io
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_pdf import FigureCanvasPdf
from matplotlib.backends.backend_svg import FigureCanvasSVG

from engine.messages import (
    QUESTIONS,
    Attention,
    Composition,
    DestinationRow,
    Direction,
    DirectPath,
    Eigenvalues,
    Head,
    HeadOutput,
    HeadScores,
    LogitAttribution,
    LogitLens,
    OVTokens,
    PositionQK,
    QKOffsets,
    QKTokens,
    Receipts,
    Refused,
    RunPrompt,
    SkipTrigrams,
    Spectrum,
    Table,
    Thumbnails,
    VirtualHead,
    Workings,
)
from gui import whole_file
from gui.figures import heading, provenance, rows
from gui.figures.attention import draw_attention, draw_thumbnails
from gui.figures.circuits import (
    draw_direction,
    draw_ov_tokens,
    draw_qk_tokens,
)
from gui.figures.compositions import draw_composition, draw_eigenvalues
from gui.figures.fonts import GENERIC, uncovered
from gui.figures.grids import draw_head_scores, draw_table
from gui.figures.layers import draw_destination_row, draw_logit_lens
from gui.figures.page import SMALLEST, Page
from gui.figures.paths import (
    draw_direct_path,
    draw_head_output,
    draw_logit_attribution,
    draw_virtual_head,
)
from gui.figures.positions import draw_position_qk, draw_qk_offsets
from gui.figures.prompt import draw_run
from gui.figures.spectrum import draw_spectrum
from gui.figures.trigrams import draw_skip_trigrams
from gui.figures.workings import draw_receipts, draw_workings

FIGURES: dict[type, Callable[..., float]] = {
    RunPrompt: draw_run,
    Attention: draw_attention,
    Thumbnails: draw_thumbnails,
    OVTokens: draw_ov_tokens,
    QKTokens: draw_qk_tokens,
    Spectrum: draw_spectrum,
    Direction: draw_direction,
    Table: draw_table,
    DirectPath: draw_direct_path,
    HeadOutput: draw_head_output,
    LogitAttribution: draw_logit_attribution,
    VirtualHead: draw_virtual_head,
    Composition: draw_composition,
    Eigenvalues: draw_eigenvalues,
    DestinationRow: draw_destination_row,
    LogitLens: draw_logit_lens,
    HeadScores: draw_head_scores,
    SkipTrigrams: draw_skip_trigrams,
    QKOffsets: draw_qk_offsets,
    PositionQK: draw_position_qk,
    Workings: draw_workings,
    Receipts: draw_receipts,
}
"""How the answer to each question is drawn on a page; each returns the height it used."""

_CANVASES: dict[str, Any] = {
    ".pdf": FigureCanvasPdf,
    ".svg": FigureCanvasSVG,
    ".png": FigureCanvasAgg,
}
SUFFIXES = (*_CANVASES, ".csv")
"""Kinds of file that can be written."""

_NARROWEST, _WIDEST = 1.5, 20.0
_LARGEST = 24.0
_BOTTOM = 3.0
MOST_TOKENS = 100
"""Tokens that a list on paper may have; thousands would take gigabytes and be unreadable."""


def write(
    request: Any,
    result: Any,
    path: Path,
    *,
    head: Head | None = None,
    width: float = 3.25,
    font_size: float = 7.0,
) -> tuple[str, ...]:
    """Write the answer to a question as a figure, or as rows.

    Parameters
    ----------
    request
        The question.
    result
        Its answer.
    path
        Where to; the suffix says what: pdf, svg, png or csv.
    head
        For attention, the one head to draw; without, all heads of the layer.
    width
        Width of the page in inches. Its height follows from what it shows.
    font_size
        Size of the ordinary text in points.

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
    check(request, path, width=width, font_size=font_size)
    _check_head(request, result, head)
    suffix = path.suffix.lower()
    if suffix == ".csv":
        whole_file.write(path, rows.encode(rows.rows(request, result, head)))
        return ()
    page = compose(request, result, head=head, width=width, font_size=font_size)
    whole_file.write(path, _render(page, suffix, provenance.metadata(request, head, suffix)))
    boxes = uncovered(page.tokens)
    if not boxes:
        return ()
    return (f"no installed font covers {', '.join(boxes)}: drawn as boxes",)


def check(request: Any, path: Path, *, width: float, font_size: float) -> None:
    """Refuse what `write` would refuse whatever the answer; parameters are those of `write`."""
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise Refused(f"{path.name!r} does not end in {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}")
    if not path.absolute().parent.is_dir():
        raise Refused(f"there is no folder {str(path.parent)!r} to write a figure in")
    if suffix != ".csv":
        _check_page(request, width, font_size)


def _check_page(request: Any, width: float, font_size: float) -> None:
    if type(request) not in FIGURES:
        names = [name for name, kind in QUESTIONS.items() if kind in FIGURES]
        raise Refused(
            f"there is no picture of this answer: draw {', '.join(names[:-1])} or {names[-1]}"
        )
    if not _NARROWEST <= width <= _WIDEST:
        raise Refused(f"a width of {width:g} inches: choose {_NARROWEST:g} to {_WIDEST:g}")
    if not SMALLEST <= font_size <= _LARGEST:
        raise Refused(f"a font size of {font_size:g} points: choose {SMALLEST:g} to {_LARGEST:g}")
    if getattr(request, "k", 0) > MOST_TOKENS:
        raise Refused(
            f"a figure lists at most {MOST_TOKENS} tokens, not {request.k}: -o FILE.csv takes all"
        )


def _check_head(request: Any, result: Any, head: Head | None) -> None:
    if head is None:
        return
    if not isinstance(request, Attention):
        raise Refused("a head can be chosen for attention only; other questions name theirs")
    count = result.values.shape[0]
    if head.layer != request.layer or not 0 <= head.number < count:
        raise Refused(
            f"head {head} is not one of layer {request.layer}: choose from "
            f"{request.layer}.0 to {request.layer}.{count - 1}"
        )


def compose(
    request: Any,
    result: Any,
    *,
    head: Head | None = None,
    width: float = 3.25,
    font_size: float = 7.0,
) -> Page:
    """Set the answer to a question on a page; parameters and refusals are those of `write`."""
    _check_page(request, width, font_size)
    _check_head(request, result, head)
    options = {"head": head} if head is not None else {}
    with _exact():
        page = Page(width, font_size)
        height = FIGURES[type(request)](page, request, result, **options)
        if off := getattr(request, "heads_off", ()) or _off_in_run(request):
            listed = ", ".join(head.name for head in off)
            height = heading.sentence(page, height + 2.0, [f"heads off: {listed}"])
        page.finish(height + _BOTTOM)
    return page


def _off_in_run(request: Any) -> tuple[Head, ...]:
    run = getattr(request, "run", None)
    return () if run is None else run.heads_off


def _render(page: Page, suffix: str, metadata: dict[str, Any]) -> bytes:
    buffer = io.BytesIO()
    with _exact():
        _CANVASES[suffix](page.figure).print_figure(
            buffer, format=suffix[1:], dpi=page.dpi, facecolor="white", metadata=metadata
        )
    return buffer.getvalue()


@contextmanager
def _exact() -> Iterator[None]:
    """Set matplotlib so that a figure depends on nothing but what it shows."""
    with mpl.rc_context(), warnings.catch_warnings():
        # A character that no font has is a box, and told to the caller.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        mpl.rcdefaults()  # the user's own style must not reach into exact figures
        mpl.rcParams.update(
            {
                "pdf.fonttype": 42,
                "svg.fonttype": "none",
                "svg.hashsalt": provenance.CREATOR,
                **GENERIC,
            }
        )
        yield
