"""Skip-trigrams as a table: three tokens and three numbers a row."""

from engine.messages import SkipTrigrams, TrigramList
from gui.figures import heading
from gui.figures.page import Page
from gui.numbers import decimals_for, fixed, plain, tokens_back
from gui.theme import LIGHT

_GAP = 5.0
_MOST_NUMBERS = 0.45
"""Share of the page's width that numbers may take before the two factors are left out."""


def draw_skip_trigrams(page: Page, request: SkipTrigrams, result: TrigramList) -> float:
    """Draw a head's strongest skip-trigrams, each with its two factors and their product."""
    y = heading.draw(page, f"{request.head.name} skip-trigrams", request.model)
    numbers = [
        [title, *(fixed(value, decimals_for(column), signed=True) for value in column.tolist())]
        for title, column in (("QK", result.qk), ("OV", result.ov), ("QK × OV", result.values))
    ]
    tokens = [
        [title, *labels]
        for title, labels in (
            ("source", result.source_labels),
            ("… query", result.query_labels),
            ("→ out", result.out_labels),
        )
    ]
    rank = page.measure(str(len(result.values)), page.small)
    wide = [max(page.measure(text, page.small) for text in column) for column in numbers]
    if sum(wide) + 3 * _GAP > _MOST_NUMBERS * page.width:
        numbers, wide = numbers[2:], wide[2:]
    room = page.width - 4.0 - rank - sum(wide) - (3 + len(wide)) * _GAP
    widths = _shares(page, tokens, room)
    starts = [2.0 + rank + _GAP]
    for width in widths[:-1]:
        starts.append(starts[-1] + width + _GAP)
    ends = [page.width - 2.0]
    for width in wide[:0:-1]:
        ends.insert(0, ends[0] - width - _GAP)
    pitch = page.line_height()
    for place in range(len(result.values) + 1):
        middle = y + (place + 0.5) * pitch
        colour = LIGHT.text if place else LIGHT.muted
        if place:
            page.text(
                2.0 + rank, middle, str(place), size=page.small, anchor="right", colour=LIGHT.muted
            )
        for x, column, width in zip(starts, tokens, widths, strict=True):
            label = page.elide(column[place], width + 0.01) if place else column[place]
            size = None if place else page.small
            page.text(x, middle, label, size=size, token=place > 0, colour=colour)
        for x, column in zip(ends, numbers, strict=True):
            page.text(x, middle, column[place], size=page.small, anchor="right", colour=colour)
    y += (len(result.values) + 1) * pitch
    words = f"{result.rule}; scores divided by {plain(result.divisor)}"
    words += tokens_back(result.offset, "; ")
    return heading.sentence(page, y + 2.0, [words])


def _shares(page: Page, tokens: list[list[str]], room: float) -> list[float]:
    """Return the widths of the token columns: what they need, or less of the widest."""
    needs = [
        max(page.measure(title, page.small), *(page.measure(x, token=True) for x in labels), 0.0)
        for title, *labels in tokens
    ]
    widths, left = list(needs), room
    for count, place in enumerate(sorted(range(3), key=lambda n: needs[n])):
        widths[place] = min(needs[place], left / (3 - count))
        left -= widths[place]
    return widths
