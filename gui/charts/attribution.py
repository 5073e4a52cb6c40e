"""What each part of the model gives to a logit: strongest parts, heads as a map, by source."""

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from engine import messages as m
from engine.messages import FloatArray, Head, LogitParts, OutputRanking, Result
from gui.charts.attention import sides
from gui.charts.chart import Axis, Chart, Matrix, Part, Ranked, RankedTokens, Sentence, Token, View
from gui.charts.tables import Row, TokenCell, Tokens, Unlisted
from gui.state import comparison
from gui.state.difference import UNSEEN, Subtraction
from gui.style.colour_scale import signed
from gui.style.formatting import MINUS, plain

_MOST_PARTS = 24


def logit_attribution(request: m.LogitAttribution, result: LogitParts, view: View) -> Chart:
    """Show what each part gives to a logit, or how that changed: the strongest parts first."""
    of, target = view.of, Token(result.target_label)
    words: list[str | Token] = ["the logit of"]
    if of is None:
        words.append(target)
    else:
        words.append(Token(of.base.target_label))
        if of.answer.target_id != of.base.target_id:
            words += [f"({of.names[1]}) and that of", target, f"({of.names[0]})"]
    if result.contrast_label == "mean":
        words.append("less the mean logit")
    elif result.contrast_label != "none":
        words += ["less that of", Token(result.contrast_label)]
    words.append(f"after position {result.position if of is None else of.position}")
    order = np.argsort(-np.abs(result.values), kind="stable")
    shown, left = order[:_MOST_PARTS], order[_MOST_PARTS:]
    names = [result.labels[place] for place in shown.tolist()]
    remainder = f"remainder {result.remainder:.1e}".replace("-", MINUS)
    if of is None:
        changed: list[Part | float] = []
        said = f"total {plain(result.total)}, logit {plain(result.logit)}"
    else:
        changed = [2.0, _change(result, view), 4.0]
        now, before = (plain(found.logit) for found in (of.answer, of.base))
        said = f"logit {before} ({of.names[1]}), {now} ({of.names[0]}); {of.words} "
        said += plain(result.logit)
    said += f", {remainder}"
    if len(left):
        rest = plain(float(result.values[left].sum()))
        said += f"; {len(left):,} smaller parts sum to {rest}"
    strongest = RankedTokens([Ranked("", names, result.values[shown])])
    parts = [Sentence(words), *changed, strongest, 2.0, Sentence([said])]
    return Chart(view.titled("Logit attribution"), request.run.model, parts)


def _change(result: LogitParts, view: View) -> Matrix:
    """Return how each head's part changed, as a map."""
    values = map_of(result)
    return Matrix(
        values[None],
        np.isfinite(values),
        Axis("layer", [f"L{layer}" for layer in range(len(values))], token=False),
        Axis("head", [f"H{head}" for head in range(values.shape[1])], token=False),
        signed(values, UNSEEN),
        view.bar("logit"),
    )


def logit_attribution_rows(request: m.LogitAttribution, result: LogitParts) -> Iterator[Row]:
    """Yield what each part gives, and the totals."""
    yield "part", "head", "source", Tokens("source_"), "value"
    parts = zip(
        result.labels, result.heads, result.sources.tolist(), result.values.tolist(), strict=True
    )
    for label, head, source, value in parts:
        # "L1H3 ← 4 ·tea": no label of a token holds a space.
        at = (source, TokenCell(label.rpartition(" ")[2])) if source >= 0 else ("", Unlisted())
        yield label, "" if head is None else head, *at, value
    yield "total", "", "", Unlisted(), float(result.total)
    yield "logit", "", "", Unlisted(), float(result.logit)


def logit_attribution_change(
    request: m.LogitAttribution, result: Subtraction, head: None
) -> Iterator[Row]:
    """Yield what each part gives in both runs, and what is left."""
    yield "part", "head", *sides(result)
    found = result.base, result.answer, result.difference
    parts = zip(result.answer.labels, result.answer.heads, strict=True)
    for place, (label, part) in enumerate(parts):
        yield label, "" if part is None else part, *(float(one.values[place]) for one in found)
    for total in ("total", "logit"):
        yield total, "", *(float(getattr(one, total)) for one in found)


def map_of(found: LogitParts) -> npt.NDArray[np.float64]:
    """Return what each head gives, [layer, head]; not a number where there is none."""
    heads = [head for head in found.heads if head is not None]
    shape = tuple(1 + max(place) for place in zip(*heads, strict=True)) if heads else (1, 1)
    made = np.full(shape, np.nan)
    for head, value in zip(found.heads, found.values.tolist(), strict=True):
        if head is not None:
            made[head] = value
    return made


def by_source(
    found: Sequence[Result | None], head: Head, axis: comparison.Axis
) -> FloatArray | None:
    """Return what each source gives by a head, in logits, or how that changed.

    A source that only one of two prompts has changed by all that it gives, so that the changes
    sum to the head's.

    Parameters
    ----------
    found
        What the head adds in the run that is drawn and, if one is taken off, in that: its output,
        or all heads' parts split by source.
    head
        Which head.
    axis
        The sources.

    Returns
    -------
    array or None
        [place of the axis]; none while an answer is missing.
    """
    given = [_given(result, head) for result in found]
    now, before = given[0], given[-1]
    if now is None or before is None:
        return None
    if not axis.subtracts:
        return now
    change: FloatArray = np.nan_to_num(axis.now(now, 0)) - np.nan_to_num(axis.before(before, 0))
    return change


def _given(found: Result | None, head: Head) -> FloatArray | None:
    if isinstance(found, OutputRanking):
        given: FloatArray = found.by_source / found.final_scale
        return given
    if isinstance(found, LogitParts):
        return found.values[[other == head for other in found.heads]]
    return None
