"""The line or two above a figure that say what it shows."""

from collections.abc import Sequence
from dataclasses import dataclass

from gui.figures.page import Page
from gui.theme import LIGHT


@dataclass(frozen=True)
class Token:
    """A token's label inside a sentence."""

    label: str


def draw(page: Page, title: str, model: str) -> float:
    """Draw the title and the model's name at the top and return where they end."""
    line = page.line_height()
    middle = 2.0 + line / 2
    page.text(2.0, middle, title, bold=True)
    used = 2.0 + page.measure(title, bold=True) + page.size
    room = page.width - used - 2.0
    shown = page.elide(model, room, page.small, token=False)
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
            pieces += [(word, False) for word in part.split(" ") if word]
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
    page: Page, y: float, text: str, *, left: float = 2.0, right: float | None = None
) -> float:
    """Set words in the text's own colour between two margins, and return where they end."""
    line, size = page.line_height(page.small), page.small
    space = page.measure("n", size) * 0.55
    across, middle = left, y + line / 2
    for word in text.split(" "):
        width = page.measure(word, size)
        if across > left and across + width > (right or page.width - 2.0):
            across, middle = left, middle + line
        page.text(across, middle, word, size=size)
        across += width + space
    return middle + line / 2
