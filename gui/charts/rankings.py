"""Ranked tokens: what a head, a token or a prompt raises and lowers, guesses, skip-trigrams."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from engine import messages as m
from gui.charts.chart import (
    Axis,
    Chart,
    Column,
    Curves,
    Heading,
    Part,
    Ranked,
    RankedTokens,
    Sentence,
    Series,
    Table,
    Token,
    View,
)
from gui.charts.tables import Row, TokenCell, Tokens, listed, token_cells
from gui.style.formatting import (
    decimals_for,
    fixed,
    for_prompts,
    plain,
    ranked,
    tokens_back,
)
from gui.style.theme import LIGHT

_MOST_SOURCES = 10


def both_ends(result: Any, token: int, top: str = "highest", bottom: str = "lowest") -> Part:
    """Return both ends of a ranking with a token set in bold.

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
    return RankedTokens(
        [
            Ranked(name, labels, values, next(iter(np.flatnonzero(ids == token).tolist()), None))
            for name, ids, labels, values in ends
        ]
    )


def _ranking(
    title: str, model: str, words: list[str | Token], lists: Part, result: Any, unit: str
) -> Chart:
    """Return a ranking between what it is of and where the token asked about stands in it."""
    places = decimals_for(result.values)
    itself = (
        f"itself: {ranked(result.rank, result.d_vocab, result.constant)} "
        f"({fixed(result.value, places, signed=True)}); median "
        f"{fixed(result.median, places, signed=True)}; {unit}"
    )
    footer = Sentence([Token(result.token_label), itself])
    return Chart(title, model, [Sentence(words), lists, 2.0, footer])


def _where(request: m.OVTokens | m.QKTokens) -> str:
    if request.source == "position" and request.position is not None:
        place = request.position
        return f"at position {place}" if place >= 0 else f"at position {-place} from the end"
    return "after the first MLP" if request.source == "token+mlp0" else ""


def ov_tokens(request: m.OVTokens, result: m.TokenRanking, view: View) -> Chart:
    """Show what a head raises and lowers when it reads a token, or which tokens raise one."""
    token = Token(result.token_label)
    words: list[str | Token]
    if request.direction == "output":
        words = ["reading", token, f"{_where(request)}, this head raises and lowers".lstrip()]
        lists = both_ends(result, result.token_id, "raised", "lowered")
    else:
        words = ["the logit of", token, "is raised and lowered when this head reads"]
        lists = both_ends(result, result.token_id, "raised by", "lowered by")
    return _ranking(f"{request.head.name} OV", request.model, words, lists, result, "in logits")


def qk_tokens(request: m.QKTokens, result: m.ScoreRanking, view: View) -> Chart:
    """Show which keys a query token looks for, or which queries look for a key token."""
    how = " after the first MLP" if result.vocabulary_source == "token+mlp0" else ""
    how += tokens_back(result.offset, ", ") + for_prompts(result.length, ", ")
    looks = "looks for keys" if request.side == "query" else "is looked for by queries"
    words = [request.side, Token(result.token_label), f"{_where(request)} {looks}{how}"]
    lists = both_ends(result, result.token_id)
    unit = f"scores divided by {plain(result.divisor)}"
    return _ranking(f"{request.head.name} QK", request.model, words, lists, result, unit)


def direct_path(request: m.DirectPath, result: m.TokenRanking, view: View) -> Chart:
    """Show what a token's own embedding raises and lowers, or which tokens raise one."""
    token = Token(result.token_label)
    words: list[str | Token]
    if request.direction == "output":
        words = ["the embedding of", token, "alone raises and lowers"]
        lists = both_ends(result, result.token_id, "raised", "lowered")
    else:
        words = ["the logit of", token, "is raised and lowered by"]
        lists = both_ends(result, result.token_id, "raised by", "lowered by")
    return _ranking("Direct path", request.model, words, lists, result, "in logits")


def _end_rows(result: Any) -> Iterator[Row]:
    yield "list", "place", Tokens(), "value"
    for name, prefix in (("highest", ""), ("lowest", "bottom_")):
        ids, labels, values = (getattr(result, prefix + of) for of in ("ids", "labels", "values"))
        yield from listed(name, range(1, len(ids) + 1), token_cells(labels, ids), values)


def ranking_rows(request: m.Request, result: m.TokenRanking) -> Iterator[Row]:
    """Yield both ends of a ranking and the token asked about."""
    yield from _end_rows(result)
    token = TokenCell(result.token_label, result.token_id)
    yield "itself", result.rank, token, float(result.value)


def head_output(request: m.HeadOutput, result: m.OutputRanking, view: View) -> Chart:
    """Show what a head raises and lowers at a position, and the sources of the target's value."""
    at = Token(result.source_labels[-1])
    value = fixed(result.value, decimals_for(result.value), signed=True)
    said = f": {ranked(result.rank, result.d_vocab, result.constant)} ({value}), from"
    order = np.argsort(-np.abs(result.by_source), kind="stable")[:_MOST_SOURCES]
    places = [f"{place} {result.source_labels[place]}" for place in order.tolist()]
    times = f" times {plain(result.final_scale)}, the final norm's scale"
    parts: list[Part | float] = [
        Sentence(["at", at, f"(position {result.position}) it raises and lowers"]),
        both_ends(result, result.target_id, "raised", "lowered"),
        2.0,
        Sentence([Token(result.target_label), said]),
        1.0,
        RankedTokens([Ranked("", places, result.by_source[order])]),
        2.0,
        Sentence([f"in logits{times if result.final_scale != 1.0 else ''}"]),
    ]
    return Chart(f"{request.head.name} output", request.run.model, parts)


def head_output_rows(request: m.HeadOutput, result: m.OutputRanking) -> Iterator[Row]:
    """Yield both ends, the target, and what each source gives it."""
    yield from _end_rows(result)
    target = TokenCell(result.target_label, result.target_id)
    yield "target", result.rank, target, float(result.value)
    sources = range(len(result.by_source))
    yield from listed("source", sources, token_cells(result.source_labels[: len(sources)]),
                      result.by_source)  # fmt: skip


def run(request: m.RunPrompt, result: m.Run, view: View) -> Chart:
    """Show the most probable next tokens, and the loss of every token of the prompt."""
    shares = np.exp(result.next_log_probs.astype(np.float64))
    parts: list[Part | float] = [
        RankedTokens([Ranked("", result.next_labels, shares)], shares=True), 8.0,
        Heading("Loss of each token"), 3.0,
    ]  # fmt: skip
    if result.labels:
        parts.insert(0, Sentence(["after", Token(result.labels[-1])]))
    if len(result.loss) == 0:
        parts.append(Sentence(["one token: nothing before it to predict it from"]))
    else:
        loss = result.loss.astype(np.float64)
        bars = Series(loss, LIGHT.positive, places=np.arange(1, len(result.labels)))
        limits = 0.0, max(1e-9, float(loss.max()))
        axis, count = Axis("", result.labels), len(result.labels)
        parts += [
            Curves("loss (nat)", "", limits, count, 55.0, bars=bars, tokens=axis), 3.0,
            Sentence([f"mean {plain(float(loss.mean()))} nat"]),
        ]  # fmt: skip
    return Chart("Next token", request.model, parts)


def run_rows(request: m.RunPrompt, result: m.Run) -> Iterator[Row]:
    """Yield the prompt's tokens with their losses, and those that may follow."""
    yield "list", "place", Tokens(), "log_prob", "loss"
    count, following = len(result.ids), len(result.next_ids)
    loss = [np.nan, *result.loss.tolist()]
    tokens = token_cells(result.labels, result.ids)
    yield from listed("prompt", range(count), tokens, [np.nan] * count, loss[:count])
    tokens = token_cells(result.next_labels, result.next_ids)
    places = range(1, following + 1)
    yield from listed("next", places, tokens, result.next_log_probs, [np.nan] * following)


def logit_lens(request: m.LogitLens, result: m.LayerGuesses, view: View) -> Chart:
    """Show the next-token guesses at the last position after each layer."""
    parts: list[Part | float] = [Sentence(["after", Token(result.source_labels[-1])]), 2.0]
    for stage, name in enumerate(result.stages):
        shares = np.exp(result.log_probs[stage, -1].astype(np.float64))
        guesses = Ranked(name, result.labels[stage][-1], shares)
        parts += [RankedTokens([guesses], shares=True), 5.0]
    return Chart("Guesses after each layer", request.run.model, parts[:-1])


def logit_lens_rows(request: m.LogitLens, result: m.LayerGuesses) -> Iterator[Row]:
    """Yield the guesses of every stage at every position."""
    yield "stage", "position", Tokens(), "place", Tokens("next_"), "log_prob"
    for stage, name in enumerate(result.stages):
        for at, label in enumerate(result.source_labels):
            ids, labels = result.ids[stage, at], result.labels[stage][at]
            guesses = range(1, len(ids) + 1), token_cells(labels, ids), result.log_probs[stage, at]
            yield from ((name, at, TokenCell(label), *guess) for guess in listed(*guesses))


def _direction_ends(
    request: m.Direction, result: m.OVDirection | m.QKDirection
) -> Iterator[tuple[str, str, list[tuple[str, Any, Any, Any]]]]:
    """Yield the name of each end, what it does, and its two lists: name, ids, labels, values."""
    ends = ("query", "tokens that look"), ("key", "tokens looked for")
    if request.circuit == "ov":
        ends = ("read", "tokens it responds to"), ("write", "tokens it moves")
    for end, does in ends:
        lists = []
        for name, suffix in (("positive", ""), ("negative", "_negative")):
            found = (getattr(result, f"{end}_{of}{suffix}") for of in ("ids", "labels", "values"))
            lists.append((name, *found))
        yield end, f"{end}: {does}", lists


def direction(request: m.Direction, result: m.OVDirection | m.QKDirection, view: View) -> Chart:
    """Show the tokens at both ends of a singular direction."""
    words = f"singular value {plain(result.singular_value)}"
    if isinstance(result, m.QKDirection):
        words += tokens_back(result.offset, ", ")
    first, last = result.group.first, result.group.last
    if last > first:
        words += f"; values {first} to {last} are within 1 %: only their subspace is defined"
    parts: list[Part | float] = [Sentence([words]), 2.0]
    for _, does, lists in _direction_ends(request, result):
        ends = [Ranked(name, labels, values) for name, _, labels, values in lists]
        parts += [Heading(does, small=True), RankedTokens(ends), 5.0]
    title = f"{request.head.name} {request.circuit.upper()} direction {request.index}"
    return Chart(title, request.model, parts[:-1])


def direction_rows(request: m.Direction, result: Any) -> Iterator[Row]:
    """Yield the tokens at both ends, positive and negative."""
    yield "end", "list", "place", Tokens(), "value"
    for end, _, lists in _direction_ends(request, result):
        for name, ids, labels, values in lists:
            places = range(1, len(ids) + 1)
            yield from listed(end, name, places, token_cells(labels, ids), values)


def skip_trigrams(request: m.SkipTrigrams, result: m.TrigramList, view: View) -> Chart:
    """Show a head's strongest skip-trigrams, each with its two factors and their product."""
    columns = [
        Column("source", result.source_labels, token=True),
        Column("… query", result.query_labels, token=True),
        Column("→ out", result.out_labels, token=True),
    ]
    for name, values in (("QK", result.qk), ("OV", result.ov), ("QK × OV", result.values)):
        places = decimals_for(values)
        texts = [fixed(value, places, signed=True) for value in values.tolist()]
        columns.append(Column(name, texts, spare=name != "QK × OV"))
    words = f"{result.rule}; scores divided by {plain(result.divisor)}"
    footer = Sentence([words + tokens_back(result.offset, "; ")])
    title = f"{request.head.name} skip-trigrams"
    return Chart(title, request.model, [Table(columns), 2.0, footer])


def skip_trigram_rows(request: m.SkipTrigrams, result: m.TrigramList) -> Iterator[Row]:
    """Yield the skip-trigrams, strongest first."""
    yield "place", Tokens("source_"), Tokens("query_"), Tokens("out_"), "qk", "ov", "value"
    source = token_cells(result.source_labels, result.source_ids)
    query = token_cells(result.query_labels, result.query_ids)
    out = token_cells(result.out_labels, result.out_ids)
    places = range(1, len(result.values) + 1)
    yield from listed(places, source, query, out, result.qk, result.ov, result.values)
