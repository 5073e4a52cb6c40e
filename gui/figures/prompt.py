"""What a prompt leads to: the next tokens, and the loss of every token."""

import numpy as np

from engine.messages import Run, RunPrompt
from gui.figures import bars, chart, heading, labels
from gui.figures.bars import Ranked
from gui.figures.chart import Frame
from gui.figures.heading import Token
from gui.figures.labels import Axis
from gui.figures.page import Page
from gui.figures.ticks import ticks
from gui.numbers import plain
from gui.theme import LIGHT

_LARGEST_STEP = 24.0
_HEIGHT = 55.0


def draw_run(page: Page, request: RunPrompt, result: Run) -> float:
    """Draw the most probable next tokens, and the loss of every token of the prompt."""
    y = heading.draw(page, "Next token", request.model)
    if result.labels:
        y = heading.sentence(page, y, ["after", Token(result.labels[-1])])
    shares = np.exp(result.next_log_probs.astype(np.float64))
    y = bars.draw(page, y, [Ranked("", result.next_labels, shares)], shares=True) + 8.0
    page.text(2.0, y + page.line_height() / 2, "Loss of each token", bold=True)
    y += page.line_height() + 3.0
    if len(result.loss) == 0:
        return heading.sentence(page, y, ["one token: nothing before it to predict it from"])
    return _draw_loss(page, y, result)


def _draw_loss(page: Page, y: float, result: Run) -> float:
    loss = result.loss.astype(np.float64)
    highest = max(1e-9, float(loss.max()))
    marks = ticks(0.0, highest, 4)
    texts = [plain(mark) for mark in marks]
    left = chart.margin(page, texts)
    count = len(result.labels)
    step = min(_LARGEST_STEP, (page.width - 0.6 * page.size - left) / count)
    frame = Frame(left, y, left + count * step, y + _HEIGHT)
    unit = _HEIGHT / highest
    lefts = left + (np.arange(1, count) + 0.14) * step
    bottoms = np.full(count - 1, frame.bottom)
    boxes = np.stack([lefts, frame.bottom - unit * loss, lefts + 0.72 * step, bottoms], axis=1)
    page.boxes(boxes, LIGHT.positive)
    places = [(frame.bottom - unit * mark, text) for mark, text in zip(marks, texts, strict=True)]
    frame.draw(page, places, "loss (nat)")
    axis = Axis("", result.labels)
    setting = labels.below(page, axis, step, 0.24 * page.width)
    labels.tell(page, axis, setting)
    labels.draw_below(page, axis, setting, left, frame.bottom, step)
    bottom = frame.bottom + setting.extent + 3.0
    return heading.sentence(page, bottom, [f"mean {plain(float(loss.mean()))} nat"])
