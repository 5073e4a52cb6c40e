"""The frame of a chart with a vertical axis."""

from collections.abc import Sequence
from dataclasses import dataclass

from gui.figures.page import Page
from gui.theme import LIGHT


@dataclass(frozen=True)
class Frame:
    """A plotting area, in points."""

    left: float
    top: float
    right: float
    bottom: float

    def draw(self, page: Page, marks: Sequence[tuple[float, str]], title: str) -> None:
        """Draw both axes, with a tick and its text at each place of the vertical one."""
        xs = [self.left, self.left, self.right]
        page.line(xs, [self.top, self.bottom, self.bottom], solid_joinstyle="miter")
        for y, text in marks:
            page.line([self.left - 2.0, self.left], [y, y], width=0.4)
            page.text(self.left - 3.5, y, text, size=page.small, anchor="right")
        page.text(
            2.0 + 0.5 * page.line_height(page.small),
            (self.top + self.bottom) / 2,
            title,
            size=page.small,
            anchor="center",
            colour=LIGHT.muted,
            upright=True,
        )

    def draw_below(self, page: Page, marks: Sequence[tuple[float, str]], title: str) -> float:
        """Draw the numbers under the chart and what they are; return where that ends."""
        line = page.line_height(page.small)
        for x, text in marks:
            page.line([x, x], [self.bottom, self.bottom + 2.0], width=0.4)
            page.text(x, self.bottom + 3.0 + line / 2, text, size=page.small, anchor="center")
        y = self.bottom + 3.0 + 1.5 * line
        page.text(
            (self.left + self.right) / 2,
            y,
            title,
            size=page.small,
            anchor="center",
            colour=LIGHT.muted,
        )
        return y + line / 2


def margin(page: Page, texts: Sequence[str]) -> float:
    """Return the room that a vertical axis needs at its left, in points."""
    widest = max(page.measure(text, page.small) for text in texts)
    return 2.0 + page.line_height(page.small) + 2.0 + widest + 3.5
