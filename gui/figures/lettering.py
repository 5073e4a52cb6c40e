"""Words on a page: the line above a figure, sentences, and labels beside and under cells.

A label stands beside its own cell or not at all. Where some are left out, those that stay carry a
tick and their position, so that nobody takes them for neighbours. Which tokens are labelled where
there is room is the user's choice; heads and the like always are.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from engine.messages import Refused, without_folders
from gui.charts.chart import Axis, Token
from gui.figures.page import Page
from gui.state.figure_options import SMALLEST
from gui.style.theme import LIGHT


def draw(page: Page, title: str, model: str) -> float:
    """Draw the title and the model's name at the top and return where they end.

    The page's options may have another title, or none; the model is named beside our own only,
    without the folders of its path.
    """
    line = page.line_height()
    middle, left = 2.0 + line / 2, 2.0
    if page.letter:
        page.text(left, middle, page.letter, bold=True)
        left += page.measure(page.letter, bold=True) + page.size
    if page.options.title is not None:
        if not page.options.title.strip():
            # Room for a text beside the top edge of what comes first.
            return 2.0 + line if page.letter else 0.6 * page.line_height(page.small)
        own = page.options.title.strip()
        return wrapped(page, 2.0, own, left=left, size=page.size, bold=True) + 2.0
    page.text(left, middle, title, bold=True)
    used = left + page.measure(title, bold=True) + page.size
    room = page.width - used - 2.0
    shown = page.elide(without_folders(model), room, page.small, token=False)
    if shown != "…":
        page.note(page.width - 2.0, middle, shown, anchor="right")
    return 2.0 + line + 2.0


def sentence(page: Page, y: float, parts: Sequence[str | Token], *, x: float = 2.0) -> float:
    """Draw a sentence of words and tokens from y on, wrapped, and return where it ends."""
    line = page.line_height(page.small)
    size = page.small
    longest = page.width / 2
    pieces: list[tuple[str, bool]] = []
    for part in parts:
        if isinstance(part, Token):
            pieces.append((page.elide(part.label, longest, size), True))
        else:
            pieces += [
                (page.elide(word, page.width - 2.0 - x, size, token=False), False)
                for word in part.split()
            ]
    space = page.measure("n", size) * 0.55
    across, middle = x, y + line / 2
    for place, (text, token) in enumerate(pieces):
        width = page.measure(text, size, token=token)
        glued = not token and text[0] in ",.;:)"
        if place and not glued:
            across += space
        if across + width > page.width - 2.0 and across > x and not glued:
            across, middle = x, middle + line
        page.text(
            across,
            middle,
            text,
            size=size,
            token=token,
            colour=LIGHT.text if token else LIGHT.muted,
        )
        across += width
    return middle + line / 2


def wrapped(
    page: Page,
    y: float,
    text: str,
    *,
    left: float = 2.0,
    right: float | None = None,
    size: float | None = None,
    bold: bool = False,
) -> float:
    """Set words in the text's own colour between two margins, and return where they end."""
    size = size or page.small
    line = page.line_height(size)
    space = page.measure("n", size, bold=bold) * 0.55
    across, middle = left, y + line / 2
    room = (right or page.width - 2.0) - left
    for whole in text.split():
        # A word longer than a line, such as a path.
        word = page.elide(whole, room, size, token=False, bold=bold)
        width = page.measure(word, size, bold=bold)
        if across > left and across + width > (right or page.width - 2.0):
            across, middle = left, middle + line
        page.text(across, middle, word, size=size, bold=bold)
        across += width + space
    return middle + line / 2


GAP = 2.0
"""Between an axis and its labels, in points."""
_PITCH = 1.02
"""Distance that lines of labels need at least, in units of the font size."""


@dataclass(frozen=True)
class Setting:
    """How an axis's labels are set: which, how large, in which direction, how far they reach.

    `whole` tells that all are there that were asked for, `thinned` that not every cell has one.
    """

    shown: tuple[int, ...]
    texts: tuple[str, ...]
    size: float
    upright: bool
    whole: bool
    thinned: bool
    numbers: float
    extent: float


def sizes(page: Page) -> list[float]:
    """Return the sizes that labels may have, in points, largest first."""
    return [float(size) for size in np.arange(page.size, SMALLEST - 1e-6, -0.5)]


def _wanted(page: Page, axis: Axis) -> tuple[int, ...]:
    """Return the places whose labels the user wants to see."""
    count, chosen = len(axis.labels), page.options.labels
    if not axis.token:
        return tuple(range(count))
    if not isinstance(chosen, tuple):
        return tuple(range(0, count, chosen)) if chosen else ()
    places = tuple(sorted(set(chosen)))
    if places and places[-1] >= count:
        raise Refused(
            f"there is no token {places[-1]} to label: the {count:,} tokens are counted from 0"
        )
    return places


def _narrowest(places: Sequence[int]) -> int:
    """Return how many cells the nearest two of some places are apart."""
    gaps = [after - before for before, after in pairwise(places)]
    return min(gaps, default=1)


def _set(
    page: Page, axis: Axis, shown: tuple[int, ...], size: float, limit: float, *, upright: bool
) -> Setting:
    texts = tuple(page.elide(axis.labels[place], limit, size, token=axis.token) for place in shown)
    widest = page.widest(texts, size, token=axis.token)
    thinned = len(shown) < len(axis.labels)
    numbered = thinned and axis.token and upright and bool(shown)
    numbers = page.widest(map(axis.number, shown), size) + GAP if numbered else 0.0
    reach = (GAP if thinned else 0.0) + numbers + (widest if upright else _PITCH * size)
    return Setting(
        shown, texts, size, upright, len(shown) == len(_wanted(page, axis)), thinned, numbers,
        GAP + (reach if shown else 0.0),
    )  # fmt: skip


def whole(page: Page, axis: Axis, size: float, limit: float) -> tuple[Setting, float]:
    """Set every label wanted beside its row; return that and the least height of a row."""
    shown = _wanted(page, axis)
    return _set(page, axis, shown, size, limit, upright=True), _PITCH * size / _narrowest(shown)


def beside(page: Page, axis: Axis, cell: float, limit: float) -> Setting:
    """Set labels left of rows `cell` points high, each at most `limit` points wide.

    Lying text beside rows reaches as far as standing text under columns does.
    """
    shown = _wanted(page, axis)
    for size in sizes(page):
        if _PITCH * size <= _narrowest(shown) * cell + 1e-9:
            return _set(page, axis, shown, size, limit, upright=True)
    kept: list[int] = []
    for place in shown:
        if not kept or (place - kept[-1]) * cell >= _PITCH * page.small - 1e-9:
            kept.append(place)
    return _set(page, axis, tuple(kept), page.small, limit, upright=True)


def below(page: Page, axis: Axis, cell: float, limit: float) -> Setting:
    """Set labels under columns `cell` points wide: lying where they fit, else standing."""
    shown = _wanted(page, axis)
    labels = [axis.labels[place] for place in shown]
    for size in sizes(page):
        if size < page.small:
            break
        if page.widest(labels, size, token=axis.token) + 2 * GAP <= cell:
            return _set(page, axis, shown, size, cell, upright=False)
    return beside(page, axis, cell, limit)


def tell(page: Page, axis: Axis, setting: Setting) -> None:
    """Put down that tokens whose labels were asked for have none."""
    wanted = len(_wanted(page, axis))
    if axis.token and len(setting.shown) < wanted:
        said = (
            f"{len(setting.shown)} of {wanted} tokens are labelled, as many as have room: a wider "
            "page, smaller text or a shorter prompt has room for more"
        )
        if said not in page.warnings:
            page.warnings.append(said)


def draw_beside(page: Page, axis: Axis, setting: Setting, x: float, y: float, cell: float) -> None:
    """Draw labels that end left of x, for rows that begin at y."""
    for place, text in zip(setting.shown, setting.texts, strict=True):
        middle = y + (place + 0.5) * cell
        edge = x - GAP
        if setting.thinned:
            page.line([x - GAP, x - 0.4], [middle, middle], width=0.4)
            edge -= GAP
        if setting.numbers:
            _number(page, edge, middle, axis.number(place), setting, upright=False)
            edge -= setting.numbers
        page.text(edge, middle, text, size=setting.size, anchor="right", token=axis.token)


def draw_below(page: Page, axis: Axis, setting: Setting, x: float, y: float, cell: float) -> None:
    """Draw labels that begin under y, for columns that begin at x."""
    for place, text in zip(setting.shown, setting.texts, strict=True):
        middle = x + (place + 0.5) * cell
        if not setting.upright:
            line = y + GAP + 0.5 * _PITCH * setting.size + (GAP if setting.thinned else 0.0)
            if setting.thinned:
                page.line([middle, middle], [y + 0.4, y + GAP], width=0.4)
            page.text(middle, line, text, size=setting.size, anchor="center", token=axis.token)
            continue
        edge = y + GAP
        if setting.thinned:
            page.line([middle, middle], [y + 0.4, y + GAP], width=0.4)
            edge += GAP
        if setting.numbers:
            _number(page, middle, edge, axis.number(place), setting, upright=True)
            edge += setting.numbers
        page.text(
            middle, edge, text, size=setting.size, anchor="right", token=axis.token, upright=True
        )


def _number(
    page: Page, x: float, y: float, number: str, setting: Setting, *, upright: bool
) -> None:
    page.text(x, y, number, size=setting.size, anchor="right", colour=LIGHT.muted, upright=upright)
