"""Answers made by hand, so that the figures are judged apart from the engine."""

from typing import Any

import numpy as np

from engine import messages as m

TEA = ("<|BOS|>", "I", "·like", "·green", "·tea", ",", "·so", "·I", "·drink", "·green")
HOSTILE = (
    "<s>", "·<b>", "&amp;", "$\\foo$", "a_b^c", "$$", "東京", "קריירה", "💩", "⇥", "↵", "%s", "{x}",
    "\\", "E6 9D", "=1+1", "-2", "@SUM(A1)", "+3", "'=x", '"q"', "a,b", "'s", "fi·ffl",
)  # fmt: skip


def tokens(count: int) -> tuple[str, ...]:
    """Return labels of a prompt of some length."""
    words = (*TEA, "·because", ".", "·return", "·internationalisation", "·of", "·the")
    return tuple(words[place % len(words)] for place in range(count))


def run(labels: tuple[str, ...] = TEA) -> m.RunPrompt:
    return m.RunPrompt("attn-2l", "".join(labels).replace("·", " "), True)


def attention(
    labels: tuple[str, ...] = TEA, heads: int = 8, kind: Any = "pattern", seed: int = 0
) -> tuple[m.Attention, m.Patterns]:
    """Return random causal attention with a few strong stripes."""
    count = len(labels)
    random = np.random.default_rng(seed)
    logits = random.normal(size=(heads, count, count)) * 2.0
    for head in range(heads):
        logits[head] += 4.0 * np.eye(count, k=-(head % 5))
    mask = np.tri(count, dtype=bool)
    scores = np.where(mask, logits, -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True, initial=-1e9))
    values = weights / weights.sum(axis=-1, keepdims=True)
    if kind == "scores":
        values = np.where(mask, logits, np.nan)
    elif kind == "value-weighted":
        values = values * random.uniform(1.0, 9.0, size=(heads, 1, count))
    result = m.Patterns(labels, values.astype(np.float32), mask, 32**0.5)
    return m.Attention(run(labels), 1, kind), result


def thumbnails(
    labels: tuple[str, ...] = TEA, layers: int = 2, heads: int = 8, block: int = 1
) -> tuple[m.Thumbnails, m.ThumbnailPatterns]:
    count = -(-len(labels) // block)
    values = np.stack([attention(tokens(count), heads, seed=n)[1].values for n in range(layers)])
    mask = np.tile(np.tri(count, dtype=bool), (layers, 1, 1))
    values = np.where(mask[:, np.newaxis], values, np.float32(np.nan))
    result = m.ThumbnailPatterns(labels, values, mask, block)
    return m.Thumbnails(run(labels)), result


def next_tokens(labels: tuple[str, ...] = TEA) -> tuple[m.RunPrompt, m.Run]:
    following = ("·tea", ".", "·as", "·teas", "·with", "·", "·coffee", "·leaves", "·and", "↵")
    shares = np.array([0.829, 0.014, 0.013, 0.012, 0.01, 0.004, 0.003, 0.002, 0.0006, 1e-5])
    loss = np.random.default_rng(1).uniform(0.05, 9.0, size=max(0, len(labels) - 1))
    ids = np.arange(len(labels))
    special = ids == 0
    result = m.Run(
        ids, labels, True, np.arange(10), following, np.log(shares), loss, special, True, 0, None
    )
    return run(labels), result


def _ranking(labels: tuple[str, ...], signed: bool = True) -> dict[str, Any]:
    count = len(labels)
    values = np.linspace(71.47, 60.2, count)
    return {
        "ids": np.arange(count), "labels": labels, "values": values,
        "bottom_ids": np.arange(100, 100 + count), "bottom_labels": labels[::-1],
        "bottom_values": -values / 1.6 if signed else values / 40, "token_id": 2,
        "token_label": labels[2], "rank": 3, "value": float(values[2]), "median": -0.31,
        "d_vocab": 8192, "source": "position", "vocabulary_source": "unembedding",
    }  # fmt: skip


TEAS = (
    "·Teh", "Te", "·tea", "·Tea", "·Neander", "·Dai", "te", "tec", "·Tay", "·quarantine",
)  # fmt: skip


def ov_tokens(
    labels: tuple[str, ...] = TEAS, signed: bool = True
) -> tuple[m.OVTokens, m.TokenRanking]:
    request = m.OVTokens("attn-2l", m.Head(1, 3), source="position", run=run(), position=4)
    return request, m.TokenRanking(**_ranking(labels, signed))


def qk_tokens(
    labels: tuple[str, ...] = TEAS, signed: bool = True
) -> tuple[m.QKTokens, m.ScoreRanking]:
    request = m.QKTokens("attn-2l", m.Head(1, 3), " tea", offset=5)
    return request, m.ScoreRanking(**_ranking(labels, signed), divisor=32**0.5, offset=5)


def qk_offsets(
    labels: tuple[str, ...] = TEAS, count: int = 65
) -> tuple[m.QKOffsets, m.OffsetScores]:
    offsets = np.arange(count)
    mean = 2.6 * np.exp(-((offsets - 1) ** 2) / 9) + np.cos(offsets / 7)
    request = m.QKOffsets("smollm2", m.Head(11, 1), labels[0], labels[1], "token+mlp0")
    return request, m.OffsetScores(
        offsets, 1.5 * mean - 1.1, mean, 1.0 + offsets / 90, int(mean.argmax()), 2.67,
        0, labels[0], 1, labels[1], "token+mlp0", 8.0,
    )  # fmt: skip


def position_qk(count: int = 24) -> tuple[m.PositionQK, m.PositionScores]:
    scores = np.random.default_rng(9).normal(size=(count, count)) + 15.0 * np.eye(count, k=-1)
    mean = np.array([np.diagonal(scores, -offset).mean() for offset in range(count)])
    scores[~np.tri(count, dtype=bool)] = np.nan
    result = m.PositionScores(scores, np.arange(count), mean, int(mean.argmax()), 5.3, 32**0.5)
    return m.PositionQK("attn-2l", m.Head(0, 2), count), result


def spectrum(dense: bool = True) -> tuple[m.Spectrum, m.SingularValues]:
    thin = 6.0 * np.exp(-np.arange(32) / 25.0)
    thin[4] = thin[3] * 0.995
    measured = np.concatenate([thin, np.full(224, 1e-15) * np.exp(-np.arange(224) / 90)])
    groups = tuple(
        m.Group(3, 4) if n == 3 else m.Group(n, n) for n in range(32) if n != 4
    )  # fmt: skip
    result = m.SingularValues(thin, groups, 0.14, 0.125, 32, measured if dense else None)
    return m.Spectrum("attn-2l", m.Head(1, 3), dense=dense), result


def toy_spectrum() -> tuple[m.Spectrum, m.SingularValues]:
    groups = (m.Group(0, 1), m.Group(2, 2))
    result = m.SingularValues(np.array([2.0, 2.0, 0.0]), groups, 0.5, 0.6, 2, None)
    return m.Spectrum("toy", m.Head(0, 0)), result


def direction(labels: tuple[str, ...] = TEAS) -> tuple[m.Direction, m.OVDirection]:
    values = np.linspace(0.9, 0.4, len(labels))
    fields: dict[str, Any] = {}
    for end in ("read", "write"):
        for suffix, sign in (("", 1.0), ("_negative", -0.8)):
            fields[f"{end}_ids{suffix}"] = np.arange(len(labels))
            fields[f"{end}_labels{suffix}"] = labels
            fields[f"{end}_values{suffix}"] = values * sign
    return m.Direction("attn-2l", m.Head(1, 3), index=3), m.OVDirection(
        5.25, m.Group(3, 4), **fields
    )


def table(labels: tuple[str, ...] = ("result", "=", "0", "ans", "return")) -> Any:
    count = len(labels)
    values = np.zeros((count, count))
    values[0, 0], values[-1, 0], values[-1, -2] = 2.0, -1.0, 0.5
    return m.Table("toy", m.Head(0, 0)), m.TokenTable(labels, values, None)


def head_scores(layers: int = 2, heads: int = 8) -> tuple[m.HeadScores, m.MeasuredHeads]:
    random = np.random.default_rng(3)
    every = tuple(m.Head(layer, number) for layer in range(layers) for number in range(heads))
    scores = {name: random.uniform(0.0, 1.0, size=len(every)) ** 3 for name in m.MEASURES}
    return m.HeadScores("attn-2l", run=run()), m.MeasuredHeads(every, scores, 50)


def skip_trigrams(labels: tuple[str, ...] = TEAS) -> tuple[m.SkipTrigrams, m.TrigramList]:
    ids, around = np.arange(len(labels)), (labels[1:] + labels[:1], labels[2:] + labels[:2])
    qk, ov = np.linspace(5.0, 2.0, len(labels)), np.linspace(3.0, 1.0, len(labels))
    result = m.TrigramList(
        ids, labels, ids[::-1], around[0], ids, around[1], qk, ov, qk * ov,
        "the score of query and source times what reading the source adds to the logit of out, "
        "both positive", 32**0.5,
    )  # fmt: skip
    return m.SkipTrigrams("attn-2l", m.Head(1, 3)), result


def tied_heads(layers: int = 2, heads: int = 8) -> tuple[m.HeadScores, m.MeasuredHeads]:
    """Return scores in which five heads are as good at induction and none looks back."""
    every = head_scores(layers, heads)[1]
    scores = {name: every.scores[name] for name in ("induction", "previous_token", "first_token")}
    induction = scores["induction"] * 0.5
    induction[-heads : 5 - heads] = 0.9, 0.91, 0.95, 0.941, 0.95
    induction[0] = 0.94
    scores |= {"induction": induction, "previous_token": scores["previous_token"] * 0.05}
    return m.HeadScores("attn-2l", "random"), m.MeasuredHeads(every.heads, scores, 50)


def direct_path(
    labels: tuple[str, ...] = TEAS, signed: bool = True
) -> tuple[m.DirectPath, m.TokenRanking]:
    return m.DirectPath("attn-2l", " tea"), m.TokenRanking(**_ranking(labels, signed))


def _both_ends(labels: tuple[str, ...]) -> dict[str, Any]:
    given = _ranking(labels)
    names = ("ids", "labels", "values")
    return {name: given[name] for name in (*names, *(f"bottom_{name}" for name in names))}


def head_output(labels: tuple[str, ...] = TEA) -> tuple[m.HeadOutput, m.OutputRanking]:
    by_source = np.random.default_rng(4).normal(size=len(labels))
    result = m.OutputRanking(
        **_both_ends(TEAS), target_id=2, target_label=TEAS[2], rank=3, value=2.62,
        by_source=by_source, source_labels=labels, position=len(labels) - 1, d_vocab=8192,
        final_scale=4.51,
    )  # fmt: skip
    return m.HeadOutput(run(labels), m.Head(1, 3)), result


def logit_attribution(sources: int = 10) -> tuple[m.LogitAttribution, m.LogitParts]:
    heads = [m.Head(layer, number) for layer in range(2) for number in range(8)]
    places = [(head, source) for head in heads for source in range(sources)]
    values = np.random.default_rng(5).normal(size=3 + len(places))
    names = [f"{head.name} ← {at} {TEA[at % len(TEA)]}" for head, at in places]
    result = m.LogitParts(
        ("embedding", "positions", *names, "biases"), values, (None, None, *(h for h, _ in places),
        None), np.array([-1, -1, *(at for _, at in places), -1]), float(values.sum()),
        float(values.sum()) - 2e-6, -2e-6, 2, "·tea", "·coffee", 9, 4.51,
    )  # fmt: skip
    return m.LogitAttribution(run(), contrast_token=" coffee", split="sources"), result


def virtual_head(
    labels: tuple[str, ...] = TEA, norm: bool = True
) -> tuple[m.VirtualHead, m.VirtualHeadParts]:
    product = attention(labels, 1)[1].values[0]
    result = m.VirtualHeadParts(
        source_labels=labels, product=product, exact=product / 3.1 if norm else None,
        **_both_ends(TEAS), token_id=2, token_label="·tea", rank=3, value=1.2, d_vocab=8192,
        eigenvalue_copying=0.85, singular_values=np.ones(32), share=0.127,
        shares=np.full(len(labels), 0.1),
    )  # fmt: skip
    return m.VirtualHead(run(labels), m.Head(0, 4), m.Head(1, 3), " tea"), result


def composition(layers: int = 2, heads: int = 8) -> tuple[m.Composition, m.CompositionScores]:
    every = [m.Head(layer, number) for layer in range(layers) for number in range(heads)]
    pairs = tuple(m.Pair(a, b) for a in every for b in every if a.layer < b.layer)
    scores = np.random.default_rng(6).uniform(0.05, 0.15, size=len(pairs))
    return m.Composition("attn-2l", "k"), m.CompositionScores(pairs, scores, 0.0626, scores * 100)


def eigenvalues() -> tuple[m.Eigenvalues, m.ComplexValues]:
    random = np.random.default_rng(7)
    result = m.ComplexValues(random.normal(size=32) + 1.0, random.normal(size=32), 0.61)
    return m.Eigenvalues("attn-2l", m.Head(1, 3)), result


def destination_row(
    labels: tuple[str, ...] = TEA, layers: int = 2, heads: int = 8
) -> tuple[m.DestinationRow, m.HeadRows]:
    every = tuple(m.Head(layer, number) for layer in range(layers) for number in range(heads))
    values = np.stack([attention(labels, len(every))[1].values[n, -1] for n in range(len(every))])
    scores = np.random.default_rng(8).uniform(size=(2, len(every)))
    return m.DestinationRow(run(labels)), m.HeadRows(
        every, values, labels, len(labels) - 1, *scores
    )


def logit_lens(labels: tuple[str, ...] = TEA) -> tuple[m.LogitLens, m.LayerGuesses]:
    stages = ("embedding", "layer 0", "layer 1")
    shape = (3, len(labels), len(TEAS))
    guesses = tuple((TEAS,) * len(labels) for _ in stages)
    log_probs = np.broadcast_to(np.log(np.linspace(0.4, 1e-4, len(TEAS))), shape)
    return m.LogitLens(run(labels)), m.LayerGuesses(
        stages, labels, np.zeros(shape, int), guesses, log_probs
    )


def workings(count: int = 5) -> tuple[m.Workings, m.HeadWorkings]:
    """Return three steps of a head: numbers that are whole, the pattern, a matrix too large."""
    labels = tokens(count)
    _, patterns = attention(labels, 1)
    wide = tuple(map(str, range(300)))

    def step(symbol: str, part: Any, axes: Any, rows: Any, columns: Any, values: Any) -> m.Step:
        return m.Step(
            symbol, part, f"{symbol} = of it", f"{symbol}ᵀ", "ij -> ij", "ji -> ij", ("X",),
            "What it is for, in a sentence.", values.shape, axes, rows, columns, values,
            2 if axes[0] == "query" else None,
        )  # fmt: skip

    whole = np.arange(2 * count).reshape(count, 2) - 3.0
    steps = (
        step("Q", "where", ("query", "d_head"), labels, ("0", "1"), whole),
        step("A", "where", ("query", "source"), labels, labels, patterns.values[0]),
        step("W_U", "prediction", ("d_model", "token"), wide, labels, np.zeros((300, count))),
    )
    result = m.HeadWorkings(steps, labels, 2, 2.0, 8192)
    return m.Workings(run(labels), m.Head(1, 3), 2), result


def receipts() -> tuple[m.Receipts, m.HeadReceipts]:
    """Return a check of each outcome."""
    met = (m.Measured("largest score", 5.5),)
    result = m.HeadReceipts(
        (
            m.Receipt("rows of A sum to 1", "one against another", 1e-7, 1e-5, True, "", met),
            m.Receipt("attribution sums to the logit", "sums", 0.5, 1e-3, False, "", ()),
            m.Receipt("mixed-product rule", "two heads", None, None, None, "one head only", ()),
        )
    )
    return m.Receipts(run(), m.Head(1, 3)), result


def everything() -> dict[str, tuple[Any, Any]]:
    """Return one question and its answer for every picture."""
    return {
        "attention": attention(),
        "thumbnails": thumbnails(),
        "run-prompt": next_tokens(),
        "ov-tokens": ov_tokens(),
        "qk-tokens": qk_tokens(),
        "spectrum": spectrum(),
        "direction": direction(),
        "table": table(),
        "head-scores": head_scores(),
        "skip-trigrams": skip_trigrams(),
        "direct-path": direct_path(),
        "head-output": head_output(),
        "logit-attribution": logit_attribution(),
        "virtual-head": virtual_head(),
        "composition": composition(),
        "eigenvalues": eigenvalues(),
        "destination-row": destination_row(),
        "logit-lens": logit_lens(),
        "workings": workings(),
        "receipts": receipts(),
        "qk-offsets": qk_offsets(),
        "position-qk": position_qk(),
    }
