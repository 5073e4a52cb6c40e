"""The line or two above a figure that say what it shows."""

from collections.abc import Sequence
from dataclasses import dataclass

from engine.messages import without_folders
from gui.figures.page import Page
from gui.theme import LIGHT


@dataclass(frozen=True)
class Token:
    """A token's label inside a sentence."""

    label: str


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
        page.text(
            page.width - 2.0, middle, shown, size=page.small, anchor="right", colour=LIGHT.muted
        )
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
