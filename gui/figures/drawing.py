"""Setting an answer on a page: what has a picture, and what every page has."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import matplotlib as mpl

from engine.messages import QUESTIONS, Attention, Head, Refused
from gui.charts import subjects
from gui.charts.subjects import DRAWN
from gui.figures import lettering, provenance, typesetting
from gui.figures.fonts import GENERIC
from gui.figures.page import Page
from gui.figures.provenance import Origin
from gui.state.difference import Difference, Subtraction
from gui.state.figure_options import FigureOptions
from gui.state.question import from_start, main_of, run_of

BOTTOM = 3.0
"""Free under the last line of a page, in points."""
_USUAL, _UNKNOWN = FigureOptions(), Origin()
MOST_TOKENS = 100
"""Tokens that a list on paper may have; thousands would take gigabytes and be unreadable."""


def check(request: Any) -> None:
    """Refuse a question that has no picture, or one whose list would be too long."""
    if type(main_of(request)) not in DRAWN:
        names = [name for name, kind in QUESTIONS.items() if kind in DRAWN]
        raise Refused(
            f"there is no picture of this answer: draw {', '.join(names[:-1])} or {names[-1]}"
        )
    if getattr(request, "k", 0) > MOST_TOKENS:
        raise Refused(
            f"a figure lists at most {MOST_TOKENS} tokens, not {request.k}: -o FILE.csv takes all"
        )


def check_head(request: Any, result: Any, head: Head | None) -> None:
    """Refuse a head that a question's figure cannot be cut to."""
    if head is None:
        return
    request = main_of(request)
    if isinstance(result, Subtraction):
        result = result.answer
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
    options: FigureOptions = _USUAL,
    *,
    head: Head | None = None,
    origin: Origin = _UNKNOWN,
) -> Page:
    """Set the answer to a question on a page; parameters and refusals are those of `write`."""
    with exact():
        page = Page(options)
        height = draw(page, request, result, head=head, origin=origin)
        if options.caption:
            said = provenance.caption(_counted(request, origin), head, origin)
            height = lettering.sentence(page, height + 4.0, said)
        page.finish(height + BOTTOM)
    return page


def draw(page: Page, request: Any, result: Any, *, head: Head | None, origin: Origin) -> float:
    """Draw the answer to a question on a page and return where it ends; refuses as `compose`."""
    check(request)
    check_head(request, result, head)
    request = _counted(request, origin)
    height = typesetting.draw(page, subjects.chart(request, result, head))
    if off := getattr(request, "heads_off", ()) or getattr(run_of(request), "heads_off", ()):
        listed = ", ".join(head.name for head in off)
        height = lettering.sentence(page, height + 2.0, [f"heads off: {listed}"])
    return height


def _counted(request: Any, origin: Origin) -> Any:
    """Return a request whose position is counted from the beginning, where the tokens are known."""
    if isinstance(request, Difference):
        left = len(origin.base_tokens or origin.tokens)
        return Difference(
            _counted_in(request.request, len(origin.tokens)), _counted_in(request.base, left)
        )
    return _counted_in(request, len(origin.tokens))


def _counted_in(request: Any, tokens: int) -> Any:
    position = from_start(getattr(request, "position", None), tokens)
    return request if position is None else replace(request, position=position)


@contextmanager
def exact() -> Iterator[None]:
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
