"""What a prompt leads to: the next tokens, and the loss of every token."""

from collections.abc import Callable

import numpy as np

from engine.messages import (
    Attention,
    DestinationRow,
    DirectPath,
    Head,
    HeadOutput,
    LogitAttribution,
    LogitParts,
    OutputRanking,
    Run,
    RunPrompt,
    TokenRanking,
    VirtualHead,
    VirtualHeadParts,
)
from gui.charts.attribution import map_of
from gui.figures import circuits, lettering, panels, plots
from gui.figures.attention import draw_attention, draw_destination_row, named
from gui.figures.circuits import Ranked, lists_of, ranking_footer
from gui.figures.lettering import Axis, Token
from gui.figures.page import Page, ticks
from gui.figures.plots import Frame
from gui.state.difference import UNSEEN, Difference, Subtraction
from gui.style.colour_scale import SHARES, amounts, signed
from gui.style.formatting import MINUS, decimals_for, fixed, percent, plain, ranked
from gui.style.theme import LIGHT

_LARGEST_STEP = 24.0
_HEIGHT = 55.0


def draw_run(page: Page, request: RunPrompt, result: Run) -> float:
    """Draw the most probable next tokens, and the loss of every token of the prompt."""
    y = lettering.draw(page, "Next token", request.model)
    if result.labels:
        y = lettering.sentence(page, y, ["after", Token(result.labels[-1])])
    shares = np.exp(result.next_log_probs.astype(np.float64))
    y = circuits.draw(page, y, [Ranked("", result.next_labels, shares)], shares=True) + 8.0
    page.text(2.0, y + page.line_height() / 2, "Loss of each token", bold=True)
    y += page.line_height() + 3.0
    if len(result.loss) == 0:
        return lettering.sentence(page, y, ["one token: nothing before it to predict it from"])
    return _draw_loss(page, y, result)


def _draw_loss(page: Page, y: float, result: Run) -> float:
    loss = result.loss.astype(np.float64)
    highest = max(1e-9, float(loss.max()))
    marks = ticks(0.0, highest, 4)
    texts = [plain(mark) for mark in marks]
    left = plots.margin(page, texts)
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
    setting = lettering.below(page, axis, step, 0.24 * page.width)
    lettering.tell(page, axis, setting)
    lettering.draw_below(page, axis, setting, left, frame.bottom, step)
    bottom = frame.bottom + setting.extent + 3.0
    return lettering.sentence(page, bottom, [f"mean {plain(float(loss.mean()))} nat"])


_MOST_PARTS = 24
_MOST_SOURCES = 10


def draw_direct_path(page: Page, request: DirectPath, result: TokenRanking) -> float:
    """Draw what a token's own embedding raises and lowers, or which tokens raise one."""
    y = lettering.draw(page, "Direct path", request.model)
    token = Token(result.token_label)
    if request.direction == "output":
        y = lettering.sentence(page, y, ["the embedding of", token, "alone raises and lowers"])
        lists = lists_of(result, result.token_id, "raised", "lowered")
    else:
        y = lettering.sentence(page, y, ["the logit of", token, "is raised and lowered by"])
        lists = lists_of(result, result.token_id, "raised by", "lowered by")
    return ranking_footer(page, circuits.draw(page, y, lists), result, "in logits")


def draw_head_output(page: Page, request: HeadOutput, result: OutputRanking) -> float:
    """Draw what a head raises and lowers at a position, and the sources of the target's value."""
    y = lettering.draw(page, f"{request.head.name} output", request.run.model)
    target = Token(result.target_label)
    at = Token(result.source_labels[-1])
    y = lettering.sentence(
        page, y, ["at", at, f"(position {result.position}) it raises and lowers"]
    )
    lists = lists_of(result, result.target_id, "raised", "lowered")
    y = circuits.draw(page, y, lists) + 2.0
    value = fixed(result.value, decimals_for(result.value), signed=True)
    words = f": {ranked(result.rank, result.d_vocab, result.constant)} ({value}), from"
    y = lettering.sentence(page, y, [target, words]) + 1.0
    order = np.argsort(-np.abs(result.by_source), kind="stable")[:_MOST_SOURCES]
    places = [f"{place} {result.source_labels[place]}" for place in order.tolist()]
    y = circuits.draw(page, y, [Ranked("", places, result.by_source[order])])
    words = f"in logits times {plain(result.final_scale)}, the final norm's scale"
    return lettering.sentence(
        page, y + 2.0, [words] if result.final_scale != 1.0 else ["in logits"]
    )


def draw_logit_attribution(page: Page, request: LogitAttribution, result: LogitParts) -> float:
    """Draw what each part gives to a logit, the strongest parts first."""
    y = lettering.draw(page, "Logit attribution", request.run.model)
    words = ["the logit of", Token(result.target_label), *_less(result)]
    y = lettering.sentence(page, y, [*words, f"after position {result.position}"])
    y = _strongest(page, y, result)
    said = f"total {plain(result.total)}, logit {plain(result.logit)}"
    said += f", remainder {_small(result.remainder)}{_smaller(result)}"
    return lettering.sentence(page, y + 2.0, [said])


def draw_change_of_logit(
    page: Page, request: LogitAttribution, result: LogitParts, of: Subtraction
) -> float:
    """Draw how a logit changed: each head's part as a map, and the parts that changed most."""
    y = lettering.draw(page, f"Logit attribution, {of.words}", request.run.model)
    words: list[str | Token] = ["the logit of", Token(of.base.target_label)]
    if of.answer.target_id != of.base.target_id:
        words += [f"({of.names[1]}) and that of", Token(result.target_label), f"({of.names[0]})"]
    words += [*_less(result), f"after position {of.position}"]
    y = lettering.sentence(page, y, words) + 2.0
    values = map_of(result)
    grids = panels.Grids(
        titles=[[]],
        values=values[None],
        seen=np.isfinite(values),
        rows=Axis("layer", [f"L{layer}" for layer in range(len(values))], token=False),
        columns=Axis("head", [f"H{head}" for head in range(values.shape[1])], token=False),
        scale=signed(values, UNSEEN),
        bar=named("logit", of),
    )
    y = panels.draw(page, y, grids) + 4.0
    y = _strongest(page, y, result)
    now, before = (plain(found.logit) for found in (of.answer, of.base))
    said = f"logit {before} ({of.names[1]}), {now} ({of.names[0]}); {of.words} "
    said += f"{plain(result.logit)}, remainder {_small(result.remainder)}{_smaller(result)}"
    return lettering.sentence(page, y + 2.0, [said])


def _less(result: LogitParts) -> list[str | Token]:
    """Say what a logit is compared with, if with anything."""
    if result.contrast_label == "mean":
        return ["less the mean logit"]
    if result.contrast_label == "none":
        return []
    return ["less that of", Token(result.contrast_label)]


def _by_strength(result: LogitParts) -> np.ndarray:
    return np.argsort(-np.abs(result.values), kind="stable")


def _strongest(page: Page, y: float, result: LogitParts) -> float:
    """Draw the strongest parts as bars."""
    shown = _by_strength(result)[:_MOST_PARTS]
    names = [result.labels[place] for place in shown.tolist()]
    return circuits.draw(page, y, [Ranked("", names, result.values[shown])])


def _smaller(result: LogitParts) -> str:
    """Say what the parts that are not drawn sum to, if there are any."""
    left = _by_strength(result)[_MOST_PARTS:]
    if not len(left):
        return ""
    return f"; {len(left):,} smaller parts sum to {plain(float(result.values[left].sum()))}"


def _small(number: float) -> str:
    return f"{number:.1e}".replace("-", MINUS)


def draw_virtual_head(page: Page, request: VirtualHead, result: VirtualHeadParts) -> float:
    """Draw the pattern of two heads in a row and what their product raises for a token."""
    name = f"{request.earlier.name} then {request.later.name}"
    y = lettering.draw(page, name, request.run.model)
    count = len(result.source_labels)
    exact = result.exact is not None
    values = [result.product] if result.exact is None else [result.product, result.exact]
    grids = panels.Grids(
        titles=[["product"], ["exact, with the norm"]] if exact else [[]],
        values=np.stack(values),
        seen=np.tri(count, dtype=bool),
        rows=Axis("query", result.source_labels),
        columns=Axis("source", result.source_labels),
        scale=amounts(np.stack(values)) if exact else SHARES,
        bar="attention",
    )
    y = panels.draw(page, y, grids) + 3.0
    token = Token(result.token_label)
    y = lettering.sentence(page, y, ["reading", token, "the pair raises and lowers"])
    lists = lists_of(result, result.token_id, "raised", "lowered")
    y = circuits.draw(page, y, lists)
    words = (
        f"eigenvalue copying {plain(result.eigenvalue_copying)}; {percent(result.share)} of "
        "what the later head gives comes from the earlier"
    )
    return lettering.sentence(page, y + 2.0, [words])


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
    return lettering.sentence(page, y + 2.0, [said]) if said else y


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
