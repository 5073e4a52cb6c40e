"""What reaches the logits: by the direct path, from one head, from every part, from two heads."""

import numpy as np

from engine.messages import (
    DirectPath,
    HeadOutput,
    LogitAttribution,
    LogitParts,
    OutputRanking,
    TokenRanking,
    VirtualHead,
    VirtualHeadParts,
)
from gui.attribution_numbers import map_of
from gui.difference import Subtraction
from gui.figures import bars, heading, panels
from gui.figures.attention import named
from gui.figures.bars import Ranked
from gui.figures.circuits import lists_of, ranking_footer
from gui.figures.colours import SHARES, amounts, signed
from gui.figures.heading import Token
from gui.figures.labels import Axis
from gui.figures.page import Page
from gui.numbers import MINUS, decimals_for, fixed, percent, plain, ranked
from gui.subtraction import UNSEEN

_MOST_PARTS = 24
_MOST_SOURCES = 10


def draw_direct_path(page: Page, request: DirectPath, result: TokenRanking) -> float:
    """Draw what a token's own embedding raises and lowers, or which tokens raise one."""
    y = heading.draw(page, "Direct path", request.model)
    token = Token(result.token_label)
    if request.direction == "output":
        y = heading.sentence(page, y, ["the embedding of", token, "alone raises and lowers"])
        lists = lists_of(result, result.token_id, "raised", "lowered")
    else:
        y = heading.sentence(page, y, ["the logit of", token, "is raised and lowered by"])
        lists = lists_of(result, result.token_id, "raised by", "lowered by")
    return ranking_footer(page, bars.draw(page, y, lists), result, "in logits")


def draw_head_output(page: Page, request: HeadOutput, result: OutputRanking) -> float:
    """Draw what a head raises and lowers at a position, and the sources of the target's value."""
    y = heading.draw(page, f"{request.head.name} output", request.run.model)
    target = Token(result.target_label)
    at = Token(result.source_labels[-1])
    y = heading.sentence(page, y, ["at", at, f"(position {result.position}) it raises and lowers"])
    lists = lists_of(result, result.target_id, "raised", "lowered")
    y = bars.draw(page, y, lists) + 2.0
    value = fixed(result.value, decimals_for(result.value), signed=True)
    words = f": {ranked(result.rank, result.d_vocab, result.constant)} ({value}), from"
    y = heading.sentence(page, y, [target, words]) + 1.0
    order = np.argsort(-np.abs(result.by_source), kind="stable")[:_MOST_SOURCES]
    places = [f"{place} {result.source_labels[place]}" for place in order.tolist()]
    y = bars.draw(page, y, [Ranked("", places, result.by_source[order])])
    words = f"in logits times {plain(result.final_scale)}, the final norm's scale"
    return heading.sentence(page, y + 2.0, [words] if result.final_scale != 1.0 else ["in logits"])


def draw_logit_attribution(page: Page, request: LogitAttribution, result: LogitParts) -> float:
    """Draw what each part gives to a logit, the strongest parts first."""
    y = heading.draw(page, "Logit attribution", request.run.model)
    words = ["the logit of", Token(result.target_label), *_less(result)]
    y = heading.sentence(page, y, [*words, f"after position {result.position}"])
    y = _strongest(page, y, result)
    said = f"total {plain(result.total)}, logit {plain(result.logit)}"
    said += f", remainder {_small(result.remainder)}{_smaller(result)}"
    return heading.sentence(page, y + 2.0, [said])


def draw_change_of_logit(
    page: Page, request: LogitAttribution, result: LogitParts, of: Subtraction
) -> float:
    """Draw how a logit changed: each head's part as a map, and the parts that changed most."""
    y = heading.draw(page, f"Logit attribution, {of.words}", request.run.model)
    words: list[str | Token] = ["the logit of", Token(of.base.target_label)]
    if of.answer.target_id != of.base.target_id:
        words += [f"({of.names[1]}) and that of", Token(result.target_label), f"({of.names[0]})"]
    words += [*_less(result), f"after position {of.position}"]
    y = heading.sentence(page, y, words) + 2.0
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
    return heading.sentence(page, y + 2.0, [said])


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
    return bars.draw(page, y, [Ranked("", names, result.values[shown])])


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
    y = heading.draw(page, name, request.run.model)
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
    y = heading.sentence(page, y, ["reading", token, "the pair raises and lowers"])
    lists = lists_of(result, result.token_id, "raised", "lowered")
    y = bars.draw(page, y, lists)
    words = (
        f"eigenvalue copying {plain(result.eigenvalue_copying)}; {percent(result.share)} of "
        "what the later head gives comes from the earlier"
    )
    return heading.sentence(page, y + 2.0, [words])
