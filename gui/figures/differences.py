"""Differences: two prompts, or a model with and without some heads, drawn as one answer is."""

from collections.abc import Callable

from engine.messages import Attention, DestinationRow, Head, LogitAttribution
from gui.difference import Difference, Subtraction
from gui.figures import heading
from gui.figures.attention import draw_attention
from gui.figures.layers import draw_destination_row
from gui.figures.page import Page
from gui.figures.paths import draw_change_of_logit
from gui.numbers import MINUS

_DRAWN: dict[type, Callable[..., float]] = {
    Attention: draw_attention,
    DestinationRow: draw_destination_row,
    LogitAttribution: draw_change_of_logit,
}


def draw_difference(
    page: Page, request: Difference, result: Subtraction, head: Head | None = None
) -> float:
    """Draw a difference in signed colours, named by what is taken off what."""
    alone = {"head": head} if head is not None else {}
    drawn = _DRAWN[type(request.request)]
    y = drawn(page, request.request, result.difference, of=result, **alone)
    said = _of_labels(result)
    return heading.sentence(page, y + 2.0, [said]) if said else y


def _of_labels(result: Subtraction) -> str:
    """Say how labels name two prompts, where that is to be seen."""
    if not result.prompts:
        return ""
    places, said = result.axis.places, []
    if any(None not in (place.now, place.before) for place in places) and len(places) > 1:
        said.append("“a | b” is a on the left and b on the right")
    if any(place.now is None for place in places):
        said.append(f"{MINUS} only on the left")
    if any(place.before is None for place in places):
        said.append("+ only on the right")
    return "; ".join(said)
