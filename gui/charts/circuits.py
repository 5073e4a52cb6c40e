"""Circuits by their weights: tables, spectra, eigenvalues, composition, distance and position."""

from collections.abc import Iterator

import numpy as np

from engine import messages as m
from gui.charts.chart import (
    Axis,
    Chart,
    Curves,
    Matrix,
    Numbers,
    Part,
    Points,
    Sentence,
    Series,
    Token,
    View,
)
from gui.charts.measures import MOST_TIED
from gui.charts.pairs import READS, PairMap, strongest
from gui.charts.tables import Row, Tokens, listed, token_cells
from gui.style.colour_scale import amounts, signed
from gui.style.formatting import for_prompts, outstanding, plain, tokens_back
from gui.style.theme import LIGHT

_COLOURS = {"ov": LIGHT.curve_ov, "qk": LIGHT.curve_qk}
_HEIGHT, _LOW = 110.0, 60.0
"""Heights of plots in points."""
_BRACKET = 7.0
"""Room that a bracket needs above its values, in points."""
_SPARE = 0.06
"""What is left free above and below curves, in shares of their range."""


def table(request: m.Table, result: m.TokenTable, view: View) -> Chart:
    """Show the OV or QK table of a small vocabulary."""
    ov = request.circuit == "ov"
    matrix = Matrix(
        result.values[None],
        np.isfinite(result.values),
        Axis("source token" if ov else "query token", result.labels),
        Axis("output token" if ov else "key token", result.labels),
        signed(result.values),
        table_unit(request.circuit, result),
    )
    parts: list[Part | float] = [matrix]
    if result.constant:
        tokens = [Token(result.labels[row]) for row in result.constant[:MOST_TIED]]
        more = [" …"] if len(result.constant) > MOST_TIED else []
        parts += [4.0, Sentence(["all values alike in the rows of", *tokens, *more])]
    return Chart(f"{request.head.name} {request.circuit.upper()} table", request.model, parts)


def table_unit(circuit: str, result: m.TokenTable) -> str:
    """Return what a cell of a table is, and in what unit."""
    if circuit == "ov":
        return "logit"
    score = "score" if result.divisor is None else f"score, divided by {plain(result.divisor)}"
    return score + tokens_back(result.offset, ", ")


def table_rows(request: m.Table, result: m.TokenTable) -> Iterator[Row]:
    """Yield every cell of a table."""
    down, across = ("source", "output") if request.circuit == "ov" else ("query", "key")
    yield Tokens(f"{down}_"), Tokens(f"{across}_"), "value"
    tokens = token_cells(result.labels, np.arange(len(result.labels)))
    for token, values in zip(tokens, result.values, strict=True):
        yield from listed([token] * len(tokens), tokens, values)


def spectrum(request: m.Spectrum, result: m.SingularValues, view: View) -> Chart:
    """Show singular values, near-equal ones bracketed and the cliff after d_head marked."""
    between = "read/write" if request.circuit == "ov" else "query/key"
    words = (
        f"{between} overlap {plain(result.read_write_overlap)}; of random subspaces "
        f"{plain(result.random_overlap)}{tokens_back(result.offset, '; ')}"
    )
    thin, colour = result.singular_values.astype(np.float64), _COLOURS[request.circuit]
    places, zero = np.arange(len(thin)), thin <= 0.0
    size = 1.0, 2.6, 1.0
    series = [
        Series(thin, colour, width=0.4),
        Series(thin[~zero], colour, marker="o", size=size, places=places[~zero]),
        Series(thin[zero], colour, marker="v", size=size, places=places[zero]),
    ]
    every, measured = thin, result.dense_singular_values
    cliff = None
    if measured is not None:
        dense = measured[: len(thin) + max(8, len(thin) // 4)]
        series.insert(0, Series(dense, LIGHT.muted, marker="o", size=(1.2, 3.2, 1.0), hollow=True))
        every = np.concatenate([thin, dense.astype(np.float64)])
        if len(dense) > len(thin):
            cliff = len(thin), f"d_head = {len(thin)}"
    count = max(len(found.values) for found in series)
    groups = [(group.first, group.last) for group in result.groups if group.last > group.first]
    curves = Curves(
        "singular value", "index", _logarithmic_limits(every), count, _HEIGHT, series,
        logarithmic=True, cliff=cliff,
        brackets=[(first, last, float(thin[first])) for first, last in groups],
    )  # fmt: skip
    legend = []
    if measured is not None:
        legend.append("filled: thin factors; open: the dense matrix, float64")
        if len(measured) > count:
            rest = f"the {len(measured) - count} not shown are {plain(measured[count])} or less"
            legend.append(rest)
    if groups:
        legend.append("bracketed: within 1 %, only their subspace is defined")
    if zero.any():
        legend.append("triangles on the floor: exactly 0")
    below = [Sentence(["; ".join(legend)])] if legend else []
    title = f"{request.head.name} {request.circuit.upper()} spectrum"
    return Chart(title, request.model, [Sentence([words]), 6.0, curves, 2.0, *below])


def _logarithmic_limits(values: Numbers) -> tuple[float, float]:
    """Return the decimal logarithms of the floor, on which 0 lies, and of the top."""
    positive = values[values > 0.0]
    top = np.log10(float(positive.max(initial=1e-300))) if positive.size else 0.0
    floor = np.log10(float(positive.min())) if positive.size else -1.0
    spare = max(0.0, 1.0 - (top - floor)) / 2 + 0.12 * max(1.0, (top - floor) / 8)
    floor -= spare
    above = (top - floor) * _BRACKET / (_HEIGHT - _BRACKET)
    return float(floor), float(top + max(spare, above))


def spectrum_rows(request: m.Spectrum, result: m.SingularValues) -> Iterator[Row]:
    """Yield singular values with the group of those that are nearly equal."""
    yield "index", "group_first", "group_last", "singular_value", "dense_singular_value"
    dense = result.dense_singular_values
    columns = [result.singular_values.tolist(), [] if dense is None else dense.tolist()]
    count = max(map(len, columns))
    ends: list[Row] = [("", "")] * count
    for first, last, *_ in result.groups:
        ends[first : last + 1] = [(first, last)] * (last + 1 - first)
    numbers = ([*column, *[np.nan] * (count - len(column))] for column in columns)
    yield from listed(range(count), *zip(*ends, strict=True), *numbers)


def eigenvalues(request: m.Eigenvalues, result: m.ComplexValues, view: View) -> Chart:
    """Show eigenvalues as points of the complex plane."""
    share = "copying" if request.circuit == "ov" else "positivity"
    words = f"sum over sum of magnitudes ({share}): {plain(result.positivity)}"
    words += tokens_back(result.offset, "; ")
    real, imag = (part.astype(np.float64) for part in (result.real, result.imag))
    points = Points(real, imag, _COLOURS[request.circuit])
    title = f"{request.head.name} {request.circuit.upper()} eigenvalues"
    return Chart(title, request.model, [4.0, points, 2.0, Sentence([words])])


def eigenvalue_rows(request: m.Eigenvalues, result: m.ComplexValues) -> Iterator[Row]:
    """Yield eigenvalues by their parts."""
    yield "index", "real", "imag"
    yield from listed(range(len(result.real)), result.real, result.imag)


def composition(request: m.Composition, result: m.CompositionScores, view: View) -> Chart:
    """Show the score of every pair: white is what random directions score."""
    shown, best = PairMap(result), strongest(result)
    row, column = shown.cell(best)
    assert row is not None
    assert column is not None
    matrix = Matrix(
        shown.values[None],
        np.isfinite(shown.values),
        Axis("earlier head", [head.name for head in shown.earlier], token=False),
        Axis("later head", [head.name for head in shown.later], token=False),
        amounts(shown.values, result.baseline),
        "composition score",
        marked=[[(row, column)]],
    )
    words = (
        f"how much of the later head's {READS[request.kind]} reads what the earlier one writes; "
        f"best: {best.earlier.name} and {best.later.name}, "
        f"{plain(float(shown.values[row, column]))}; random directions: {plain(result.baseline)}"
        f"{tokens_back(result.offset, '; query and key ')}"
    )
    title = f"{request.kind.upper()}-composition"
    return Chart(title, request.model, [matrix, 4.0, Sentence([words])])


def composition_rows(request: m.Composition, result: m.CompositionScores) -> Iterator[Row]:
    """Yield every pair of heads."""
    yield "earlier", "later", "score", "z"
    yield from listed(*zip(*result.pairs, strict=True), result.scores, result.z)


def qk_offsets(request: m.QKOffsets, result: m.OffsetScores, view: View) -> Chart:
    """Show the score of two tokens and the mean over all pairs against query minus key."""
    read = " after the first MLP" if result.source == "token+mlp0" else ""
    query, key = Token(result.query_label), Token(result.key_label)
    words: list[str | Token] = [
        "query",
        query,
        "looks at key",
        key,
        f", and all tokens at all others{read}",
    ]
    band = result.mean - result.deviation, result.mean + result.deviation
    dots = Series(result.scores, LIGHT.curve_qk, marker="o", size=(0.8, 2.4, 0.7))
    title = f"score, divided by {plain(result.divisor)}"
    curves = _over_offsets(title, _HEIGHT, result.mean, band, dots)
    legend = (
        "dots: these two tokens; line: the mean over all pairs of tokens, in a band of one standard"
        f" deviation; {_outstanding(result)}"
    )
    parts: list[Part | float] = [Sentence(words), 4.0, curves, 2.0, Sentence([legend])]
    return Chart(f"{request.head.name} scores by distance", request.model, parts)


def qk_offset_rows(request: m.QKOffsets, result: m.OffsetScores) -> Iterator[Row]:
    """Yield the scores at each distance."""
    yield "offset", "score", "mean", "deviation"
    yield from listed(result.offsets, result.scores, result.mean, result.deviation)


def position_qk(request: m.PositionQK, result: m.PositionScores, view: View) -> Chart:
    """Show the map of query and key positions, and its mean along the diagonals."""
    names = [str(place) for place in range(len(result.scores))]
    matrix = Matrix(
        result.scores[None],
        np.isfinite(result.scores),
        Axis("query position", names, token=False),
        Axis("key position", names, token=False),
        signed(result.scores),
        f"score, divided by {plain(result.divisor)}",
    )
    curves = _over_offsets("mean score", _LOW, result.mean, None)
    words = f"mean over all tokens at both positions; {_outstanding(result)}"
    parts: list[Part | float] = [matrix, 6.0, curves, 2.0, Sentence([words])]
    return Chart(f"{request.head.name} scores of positions", request.model, parts)


def position_rows(request: m.PositionQK, result: m.PositionScores) -> Iterator[Row]:
    """Yield the score of every pair of positions, and the mean at each distance."""
    yield "query", "key", "offset", "score"
    for query, row in enumerate(result.scores):
        end = query + 1
        yield from listed([query] * end, range(end), range(query, -1, -1), row[:end])
    yield from listed("mean", "", result.offsets, result.mean)


def _over_offsets(
    title: str, height: float, mean: Numbers, band: tuple[Numbers, Numbers] | None, *over: Series
) -> Curves:
    """Return a mean against query minus key, in a band, and what is drawn over it."""
    every = np.concatenate([*(band or [mean]), *(series.values for series in over), [0.0]])
    low, high = float(every.min()), float(every.max())
    spare = _SPARE * (high - low) or 1.0
    marker = "o" if len(mean) == 1 else ""
    line = Series(mean, LIGHT.text, width=0.8, marker=marker, size=(1.6, 1.6, 0.0))
    return Curves(
        title, "query position minus key position", (low - spare, high + spare), len(mean),
        height, (line, *over), band=band, zero=True,
    )  # fmt: skip


def _outstanding(result: m.OffsetScores | m.PositionScores) -> str:
    best, length = result.best_offset, getattr(result, "length", None)
    return outstanding(float(result.mean[best]), best, result.best_z) + for_prompts(length, "; ")
