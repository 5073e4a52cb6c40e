"""A figure board: several answers typeset on one page, in cells of one width."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from engine.messages import Refused, Request, model_of
from gui.figures import board_file, drawing, files, lettering, matrix, provenance
from gui.figures.page import Page, Quantity
from gui.figures.provenance import Origin
from gui.platform import atomic_file
from gui.state import question as asking
from gui.state.figure_board import Board, Item
from gui.state.figure_options import MM, NARROWEST, PICTURES, FigureOptions
from gui.style.colour_scale import ColourScale

GUTTER = 10.0
"""Between cells, in points."""
_BAR_HEIGHT = 90.0
_UNKNOWN = Origin()


@dataclass(frozen=True)
class Drawn:
    """What an item of a board shows: the answer to its question, and where that is from."""

    result: Any
    origin: Origin = _UNKNOWN


@dataclass(frozen=True)
class _Plan:
    """The board, its answers, and what its maps share."""

    board: Board
    drawn: Sequence[Drawn]
    shared: Mapping[Quantity, ColourScale]


def questions(board: Board) -> tuple[Request, ...]:
    """Return all that is to be asked to draw a board, each once, one model after the other."""
    by_model: dict[str, dict[Request, None]] = {}
    for item in board.items:
        for asked in provenance.all_questions(item.request):
            by_model.setdefault(model_of(item.request), {})[asked] = None
    return tuple(request for asked in by_model.values() for request in asked)


def drawn(board: Board, answers: Mapping[Request, Any], version: str) -> tuple[Drawn, ...]:
    """Return what each item shows, from the answers to `questions` and Headscope's version.

    Raises
    ------
    Refused
        If two answers cannot be set against each other; the sentence names the figure.
    """
    found = []
    for name, item in zip(board.names, board.items, strict=True):
        beside = [answers[asked] for asked in provenance.questions(item.request)]
        try:
            result = asking.answer(item.request, answers.__getitem__)
        except Refused as refused:
            raise Refused(f"figure {name}: {refused}") from None
        found.append(Drawn(result, provenance.origin(beside, version)))
    return tuple(found)


def check(board: Board, path: Path | None = None) -> None:
    """Refuse, before any model is opened, what could not be drawn or written.

    Raises
    ------
    Refused
        If the board is empty, an item has no picture, a cell would be too narrow, or the file is
        no picture.
    """
    if not board.items:
        raise Refused("there is no figure on the board: add some by the menu of a card")
    if path is not None:
        suffix = path.suffix.lower()
        if suffix not in PICTURES:
            raise Refused(f"a board is written as PDF, SVG or PNG: end {path.name!r} in one")
        files.check(board.items[0].request, path)
    for name, item in zip(board.names, board.items, strict=True):
        try:
            drawing.check(item.request)
        except Refused as refused:
            raise Refused(f"figure {name}: {refused}") from None
    width = _cell_width(board, 0.0)
    if width < 72.0 * NARROWEST:
        raise Refused(
            f"{_columns(board)} figures side by side are {width / 72 / MM:.0f} mm wide each, and "
            f"{NARROWEST / MM:.0f} mm is the least: choose fewer columns or a wider page"
        )


def compose(board: Board, drawn: Sequence[Drawn]) -> Page:
    """Set a board on a page.

    Parameters
    ----------
    board
        What is on it, and how.
    drawn
        What each item shows.

    Raises
    ------
    Refused
        If there is nothing on it, or a figure does not fit its cell; the sentence names it.
    """
    check(board)
    with drawing.exact():
        shared = _shared(_Plan(board, drawn, {})) if board.shared else {}
        return _set(_Plan(board, drawn, shared))


def picture(board: Board, drawn: Sequence[Drawn], suffix: str) -> tuple[bytes, tuple[str, ...]]:
    """Return a board as the content of a file, and what it could not do as it should.

    Refusals are those of `compose`; `suffix` is one of PICTURES.
    """
    page = compose(board, drawn)
    text = board_file.record(board, [(one.result, one.origin) for one in drawn])
    title = f"{provenance.CREATOR}: board of {len(board.items)}"
    return files.encode(page, suffix, provenance.named(title, suffix, text))


def write(board: Board, drawn: Sequence[Drawn], path: Path) -> tuple[str, ...]:
    """Write a board as PDF, SVG or PNG; return what it could not do, a sentence each.

    Raises
    ------
    Refused
        As `check` and `compose` do.
    OSError
        If the file cannot be written; what was there before is left as it was.
    """
    check(board, path)
    content, told = picture(board, drawn, path.suffix.lower())
    atomic_file.write(path, content)
    return told


def _columns(board: Board) -> int:
    return min(board.columns, len(board.items))


def _cell_width(board: Board, bars: float) -> float:
    """Return the width of a cell in points, beside colour bars so wide."""
    columns = _columns(board)
    return (board.options.width * 72.0 - bars - (columns - 1) * GUTTER) / columns


def _shared(plan: _Plan) -> dict[Quantity, ColourScale]:
    """Return the common limits of each quantity that several figures colour."""
    page = Page(plan.board.options)
    width = _cell_width(plan.board, 0.0)
    met: dict[Quantity, list[ColourScale]] = {}
    for place in range(len(plan.board.items)):
        cell, _ = _cell(page, plan, place, width)
        for quantity, scale in cell.scales.items():
            met.setdefault(quantity, []).append(scale)
    found = {}
    for quantity, (first, *others) in met.items():
        for scale in others:
            first = first.joined(scale)
        if others:
            found[quantity] = first
    return found


def _set(plan: _Plan) -> Page:
    board = plan.board
    page = Page(plan.board.options)
    bars = {
        quantity: matrix.bar_width(page, scale, _BAR_HEIGHT)
        for quantity, scale in plan.shared.items()
    }
    room = max(bars.values()) + GUTTER if bars else 0.0
    width = page.snap(_cell_width(board, room) - page.pixel)
    top = 0.0
    if plan.board.options.title and plan.board.options.title.strip():
        text = plan.board.options.title.strip()
        top = lettering.wrapped(page, 2.0, text, size=page.size, bold=True) + 4.0
    made = [_cell(page, plan, place, width) for place in range(len(board.items))]
    # One resolution for all: each figure's cells are whole pixels of it.
    page.dpi = max(cell.dpi for cell, _ in made)
    page.has_raster = any(cell.has_raster for cell, _ in made)
    columns = _columns(board)
    first: dict[Quantity, float] = {}
    for start in range(0, len(made), columns):
        top = page.snap(top)
        row = made[start : start + columns]
        for column, (cell, _) in enumerate(row):
            cell.place(page.snap(column * (width + GUTTER)), top)
            for quantity in cell.scales:
                first.setdefault(quantity, top)
        top += max(height for _, height in row) + GUTTER
    bottom = top - GUTTER
    y = 0.0
    for quantity, scale in plan.shared.items():
        y = max(y, first[quantity] + 2.0 + page.line_height() + 4.0)
        height = max(_BAR_HEIGHT, page.measure(quantity[0], page.small))
        matrix.draw_bar(page, page.width - room + GUTTER, y, height, scale, quantity[0])
        y += height + page.line_height()
        bottom = max(bottom, y - page.line_height() / 2)
    if plan.board.options.caption:
        bottom = _caption(page, plan, bottom)
    page.finish(bottom + drawing.BOTTOM)
    return page


def _cell(page: Page, plan: _Plan, place: int, width: float) -> tuple[Page, float]:
    """Draw one figure into a cell of its own, and return that and its height."""
    item, name = plan.board.items[place], plan.board.names[place]
    letter = name if plan.board.letters else ""
    one = plan.drawn[place]
    try:
        # Narrowed by colour bars, a cell may be a little less than a whole figure may.
        cell = Page(_options(plan.board.options, item), page, letter)
        cell.width, cell.shared = width, plan.shared
        height = drawing.draw(cell, item.request, one.result, head=item.head, origin=one.origin)
    except Refused as refused:
        raise Refused(f"figure {name}: {refused}") from None
    return cell, height


def _options(usual: FigureOptions, item: Item) -> FigureOptions:
    labels = usual.labels if item.labels is None else item.labels
    return replace(usual, title=item.title, labels=labels)


def _caption(page: Page, plan: _Plan, y: float) -> float:
    for name, item, one in zip(plan.board.names, plan.board.items, plan.drawn, strict=True):
        said = provenance.caption(item.request, item.head, one.origin)
        named = [f"{name}:", *said] if plan.board.letters else said
        y = lettering.sentence(page, y + 4.0, named)
    return y
