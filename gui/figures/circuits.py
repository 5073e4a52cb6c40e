"""Ranked tokens with bars, one list or two side by side."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.messages import (
    Direction,
    OutputRanking,
    OVDirection,
    OVTokens,
    QKDirection,
    QKTokens,
    ScoreRanking,
    SkipTrigrams,
    TokenRanking,
    TrigramList,
    VirtualHeadParts,
)
from gui.figures import lettering
from gui.figures.lettering import Token
from gui.figures.page import Page
from gui.style.formatting import (
    decimals_for,
    fixed,
    for_prompts,
    percent,
    plain,
    ranked,
    tokens_back,
)
from gui.style.theme import LIGHT

_GAP = 3.0
_LEAST_BAR = 24.0
_BETWEEN = 10.0


@dataclass(frozen=True)
class Ranked:
    """A list of tokens, strongest first.

    Parameters
    ----------
    title
        What the list is.
    labels
        Tokens, one a row.
    values
        [row].
    chosen
        Row to set in bold, if any.
    """

    title: str
    labels: Sequence[str]
    values: npt.NDArray[np.floating]
    chosen: int | None = None


@dataclass(frozen=True)
class _Columns:
    """Widths inside one list, in points."""

    rank: float
    label: float
    bar: float
    value: float
    size: float


def _texts(lists: Sequence[Ranked], shares: bool) -> list[list[str]]:
    if shares:
        return [[percent(value) for value in ranked.values.tolist()] for ranked in lists]
    places = decimals_for(np.concatenate([ranked.values for ranked in lists]))
    return [
        [fixed(value, places, signed=True) for value in ranked.values.tolist()] for ranked in lists
    ]


def _columns(
    page: Page, lists: Sequence[Ranked], texts: list[list[str]], width: float, size: float
) -> _Columns:
    longest = max((len(ranked.labels) for ranked in lists), default=0)
    rank = page.measure(str(longest), page.small)
    value = max((page.measure(text, page.small) for column in texts for text in column), default=0)
    label = max(
        (page.measure(label, size, token=True) for ranked in lists for label in ranked.labels),
        default=0.0,
    )
    bar = width - rank - label - value - 3 * _GAP - 1.0
    return _Columns(rank, label, bar, value, size)


def draw(page: Page, y: float, lists: Sequence[Ranked], *, shares: bool = False) -> float:
    """Draw lists of tokens from y on and return where they end.

    Lists stand side by side where every label is whole there, else one under the other. All bars
    have one scale.

    Parameters
    ----------
    page
        The page.
    y
        Where they begin, in points.
    lists
        One list, or two.
    shares
        Whether values are shares of 1, to be printed as percent.
    """
    texts = _texts(lists, shares)
    full = page.width - 4.0
    half = (full - _BETWEEN) / 2
    if len(lists) == 2:
        for size in (page.size, page.small):
            columns = _columns(page, lists, texts, half, size)
            if columns.bar >= _LEAST_BAR:
                left = _draw_list(page, 2.0, y, lists[0], texts[0], columns, lists, shares)
                x = 2.0 + half + _BETWEEN
                right = _draw_list(page, x, y, lists[1], texts[1], columns, lists, shares)
                return max(left, right)
    columns = _columns(page, lists, texts, full, page.size)
    if columns.bar < 0.3 * full:
        label = columns.label + columns.bar - 0.3 * full
        columns = _Columns(columns.rank, label, 0.3 * full, columns.value, page.size)
    for one, column in zip(lists, texts, strict=True):
        y = _draw_list(page, 2.0, y, one, column, columns, lists, shares) + 4.0
    return y - 4.0


def _draw_list(
    page: Page,
    x: float,
    y: float,
    ranked: Ranked,
    texts: list[str],
    columns: _Columns,
    lists: Sequence[Ranked],
    shares: bool,
) -> float:
    pitch = page.line_height()
    if ranked.title:
        page.text(x, y + pitch / 2 + 1.0, ranked.title, size=page.small, colour=LIGHT.muted)
        y += pitch + 1.0
    spans = [
        (float(other.values.min(initial=0.0)), float(other.values.max(initial=0.0)))
        for other in lists
    ]
    unit = columns.bar / (1.0 if shares else max(high - low for low, high in spans) or 1.0)
    start = x + columns.rank + _GAP + columns.label + _GAP + 1.0
    zero = start - unit * float(ranked.values.min(initial=0.0))
    if float(ranked.values.max(initial=0.0)) <= 0.0:
        zero = start  # all bars point away from their labels, negative ones told by colour and sign
    end = start + columns.bar + _GAP + columns.value
    for place, (label, text) in enumerate(zip(ranked.labels, texts, strict=True)):
        value = float(ranked.values[place])
        middle = y + (place + 0.5) * pitch
        bold = place == ranked.chosen
        page.text(
            x + columns.rank,
            middle,
            str(place + 1),
            size=page.small,
            anchor="right",
            colour=LIGHT.muted,
        )
        page.text(
            x + columns.rank + _GAP,
            middle,
            page.elide(label, columns.label + 0.01, columns.size),
            size=columns.size,
            token=True,
            colour=LIGHT.accent if bold else LIGHT.text,
        )
        reach = zero + unit * (abs(value) if zero == start else value)
        if reach != zero:
            box = [min(zero, reach), middle - 0.3 * pitch, max(zero, reach), middle + 0.3 * pitch]
            page.boxes(np.array([box]), LIGHT.positive if value > 0 else LIGHT.negative)
        page.text(end, middle, text, size=page.small, anchor="right")
    bottom = y + len(ranked.labels) * pitch
    if ranked.labels:
        page.line([zero, zero], [y + 1.0, bottom - 1.0], colour=LIGHT.muted, width=0.4)
    return bottom


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
    return lettering.sentence(
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
    y = lettering.draw(page, f"{request.head.name} OV", request.model)
    token = Token(result.token_label)
    words: list[str | Token]
    if request.direction == "output":
        words = ["reading", token, f"{_where(request)}, this head raises and lowers".lstrip()]
        lists = lists_of(result, result.token_id, "raised", "lowered")
    else:
        words = ["the logit of", token, "is raised and lowered when this head reads"]
        lists = lists_of(result, result.token_id, "raised by", "lowered by")
    y = lettering.sentence(page, y, words)
    return ranking_footer(page, draw(page, y, lists), result, "in logits")


def draw_qk_tokens(page: Page, request: QKTokens, result: ScoreRanking) -> float:
    """Draw which keys a query token looks for, or which queries look for a key token."""
    y = lettering.draw(page, f"{request.head.name} QK", request.model)
    token = Token(result.token_label)
    how = " after the first MLP" if result.vocabulary_source == "token+mlp0" else ""
    how += tokens_back(result.offset, ", ") + for_prompts(result.length, ", ")
    words: list[str | Token]
    if request.side == "query":
        words = ["query", token, f"{_where(request)} looks for keys{how}"]
    else:
        words = ["key", token, f"{_where(request)} is looked for by queries{how}"]
    y = lettering.sentence(page, y, words)
    lists = lists_of(result, result.token_id)
    unit = f"scores divided by {plain(result.divisor)}"
    return ranking_footer(page, draw(page, y, lists), result, unit)


def ends(request: Direction) -> tuple[tuple[str, str], tuple[str, str]]:
    """Return the fields' prefix of each end of a direction, and what the end does."""
    if request.circuit == "ov":
        return ("read", "read: tokens it responds to"), ("write", "write: tokens it moves")
    return ("query", "query: tokens that look"), ("key", "key: tokens looked for")


def draw_direction(page: Page, request: Direction, result: OVDirection | QKDirection) -> float:
    """Draw the tokens at both ends of a singular direction."""
    title = f"{request.head.name} {request.circuit.upper()} direction {request.index}"
    y = lettering.draw(page, title, request.model)
    words = f"singular value {plain(result.singular_value)}"
    if isinstance(result, QKDirection):
        words += tokens_back(result.offset, ", ")
    first, last = result.group.first, result.group.last
    if last > first:
        words += f"; values {first} to {last} are within 1 %: only their subspace is defined"
    y = lettering.sentence(page, y, [words]) + 2.0
    for prefix, does in ends(request):
        page.text(2.0, y + page.line_height() / 2, does, bold=True, size=page.small)
        y = draw(
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


_TRIGRAM_GAP = 5.0
_MOST_NUMBERS = 0.45
"""Share of the page's width that numbers may take before the two factors are left out."""


def draw_skip_trigrams(page: Page, request: SkipTrigrams, result: TrigramList) -> float:
    """Draw a head's strongest skip-trigrams, each with its two factors and their product."""
    y = lettering.draw(page, f"{request.head.name} skip-trigrams", request.model)
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
    if sum(wide) + 3 * _TRIGRAM_GAP > _MOST_NUMBERS * page.width:
        numbers, wide = numbers[2:], wide[2:]
    room = page.width - 4.0 - rank - sum(wide) - (3 + len(wide)) * _TRIGRAM_GAP
    widths = _shares(page, tokens, room)
    starts = [2.0 + rank + _TRIGRAM_GAP]
    for width in widths[:-1]:
        starts.append(starts[-1] + width + _TRIGRAM_GAP)
    ends = [page.width - 2.0]
    for width in wide[:0:-1]:
        ends.insert(0, ends[0] - width - _TRIGRAM_GAP)
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
    return lettering.sentence(page, y + 2.0, [words])


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
