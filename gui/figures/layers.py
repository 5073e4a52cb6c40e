"""The whole model at once: where all its heads look, and what it would say after each layer."""

import numpy as np

from engine.messages import DestinationRow, HeadRows, LayerGuesses, LogitLens
from gui.difference import Subtraction
from gui.figures import bars, heading, panels
from gui.figures.attention import longest, named, tokens
from gui.figures.bars import Ranked
from gui.figures.colours import SHARES, signed
from gui.figures.heading import Token
from gui.figures.labels import Axis
from gui.figures.page import Page
from gui.subtraction import UNSEEN


def draw_destination_row(
    page: Page, request: DestinationRow, result: HeadRows, of: Subtraction | None = None
) -> float:
    """Draw one row of every head, or how it changed: head down, source token across."""
    title = "Every head from one position" if of is None else f"Every head, {of.words}"
    y = heading.draw(page, title, request.run.model)
    position = result.position if of is None else of.position
    at = Token(result.source_labels[-1])
    y = heading.sentence(page, y, ["attention from", at, f"(position {position})"]) + 2.0
    scores = zip(
        result.heads, result.induction.tolist(), result.previous_token.tolist(), strict=True
    )
    names = [f"{head.name} {_short(one)} {_short(two)}" for head, one, two in scores]
    grids = panels.Grids(
        titles=[[]],
        values=result.values[None],
        seen=np.isfinite(result.values),
        rows=Axis("head, induction, previous token", names, token=False),
        columns=tokens("source", result.source_labels, of),
        scale=SHARES if of is None else signed(result.values, UNSEEN),
        bar=named("attention", of),
        every_row=True,
        longest=longest(of),
    )
    return panels.draw(page, y, grids)


def _short(score: float) -> str:
    """Return a share in as little room as two decimals take."""
    return f"{score:.2f}".removeprefix("0")


def draw_logit_lens(page: Page, request: LogitLens, result: LayerGuesses) -> float:
    """Draw the next-token guesses at the last position after each layer."""
    y = heading.draw(page, "Guesses after each layer", request.run.model)
    y = heading.sentence(page, y, ["after", Token(result.source_labels[-1])]) + 2.0
    for stage, name in enumerate(result.stages):
        shares = np.exp(result.log_probs[stage, -1].astype(np.float64))
        y = bars.draw(page, y, [Ranked(name, result.labels[stage][-1], shares)], shares=True) + 5.0
    return y - 5.0
