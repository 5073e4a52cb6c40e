"""Tokens that a head's circuits raise and lower, and those at the ends of a direction."""

import numpy as np

from engine.messages import (
    Direction,
    OutputRanking,
    OVDirection,
    OVTokens,
    QKDirection,
    QKTokens,
    ScoreRanking,
    TokenRanking,
    VirtualHeadParts,
)
from gui.figures import bars, heading
from gui.figures.bars import Ranked
from gui.figures.heading import Token
from gui.figures.page import Page
from gui.numbers import decimals_for, fixed, for_prompts, plain, ranked, tokens_back


def lists_of(
    result: TokenRanking | OutputRanking | VirtualHeadParts,
    token: int,
    top: str = "highest",
    bottom: str = "lowest",
) -> list[Ranked]:
    """Return both ends of a list with a token set in bold.

    They are called what they were to be called only where every sign bears it out.
    """
    raised, lowered = bool((result.values > 0.0).all()), bool((result.bottom_values < 0.0).all())
    ends = (
        (top if raised else "highest", result.ids, result.labels, result.values),
        (
            bottom if lowered else "lowest",
            result.bottom_ids,
            result.bottom_labels,
            result.bottom_values,
        ),
    )
    return [
        Ranked(name, labels, values, next(iter(np.flatnonzero(ids == token).tolist()), None))
        for name, ids, labels, values in ends
    ]


def ranking_footer(page: Page, y: float, result: TokenRanking, unit: str) -> float:
    """Say where the token asked about stands, and return where that ends."""
    places = decimals_for(result.values)
    return heading.sentence(
        page,
        y + 2.0,
        [
            Token(result.token_label),
            f"itself: {ranked(result.rank, result.d_vocab, result.constant)} "
            f"({fixed(result.value, places, signed=True)}); median "
            f"{fixed(result.median, places, signed=True)}; {unit}",
        ],
    )


def _where(request: OVTokens | QKTokens) -> str:
    if request.source == "position" and request.position is not None:
        place = request.position
        return f"at position {place}" if place >= 0 else f"at position {-place} from the end"
    return "after the first MLP" if request.source == "token+mlp0" else ""


def draw_ov_tokens(page: Page, request: OVTokens, result: TokenRanking) -> float:
    """Draw what a head raises and lowers when it reads a token, or which tokens raise one."""
    y = heading.draw(page, f"{request.head.name} OV", request.model)
    token = Token(result.token_label)
    words: list[str | Token]
    if request.direction == "output":
        words = ["reading", token, f"{_where(request)}, this head raises and lowers".lstrip()]
        lists = lists_of(result, result.token_id, "raised", "lowered")
    else:
        words = ["the logit of", token, "is raised and lowered when this head reads"]
        lists = lists_of(result, result.token_id, "raised by", "lowered by")
    y = heading.sentence(page, y, words)
    return ranking_footer(page, bars.draw(page, y, lists), result, "in logits")


def draw_qk_tokens(page: Page, request: QKTokens, result: ScoreRanking) -> float:
    """Draw which keys a query token looks for, or which queries look for a key token."""
    y = heading.draw(page, f"{request.head.name} QK", request.model)
    token = Token(result.token_label)
    how = " after the first MLP" if result.vocabulary_source == "token+mlp0" else ""
    how += tokens_back(result.offset, ", ") + for_prompts(result.length, ", ")
    words: list[str | Token]
    if request.side == "query":
        words = ["query", token, f"{_where(request)} looks for keys{how}"]
    else:
        words = ["key", token, f"{_where(request)} is looked for by queries{how}"]
    y = heading.sentence(page, y, words)
    lists = lists_of(result, result.token_id)
    unit = f"scores divided by {plain(result.divisor)}"
    return ranking_footer(page, bars.draw(page, y, lists), result, unit)


def ends(request: Direction) -> tuple[tuple[str, str], tuple[str, str]]:
    """Return the fields' prefix of each end of a direction, and what the end does."""
    if request.circuit == "ov":
        return ("read", "read: tokens it responds to"), ("write", "write: tokens it moves")
    return ("query", "query: tokens that look"), ("key", "key: tokens looked for")


def draw_direction(page: Page, request: Direction, result: OVDirection | QKDirection) -> float:
    """Draw the tokens at both ends of a singular direction."""
    title = f"{request.head.name} {request.circuit.upper()} direction {request.index}"
    y = heading.draw(page, title, request.model)
    words = f"singular value {plain(result.singular_value)}"
    if isinstance(result, QKDirection):
        words += tokens_back(result.offset, ", ")
    first, last = result.group.first, result.group.last
    if last > first:
        words += f"; values {first} to {last} are within 1 %: only their subspace is defined"
    y = heading.sentence(page, y, [words]) + 2.0
    for prefix, does in ends(request):
        page.text(2.0, y + page.line_height() / 2, does, bold=True, size=page.small)
        y = bars.draw(
            page,
            y + page.line_height(),
            [
                Ranked(
                    "positive",
                    getattr(result, f"{prefix}_labels"),
                    getattr(result, f"{prefix}_values"),
                ),
                Ranked(
                    "negative",
                    getattr(result, f"{prefix}_labels_negative"),
                    getattr(result, f"{prefix}_values_negative"),
                ),
            ],
        )
        y += 5.0
    return y - 5.0
