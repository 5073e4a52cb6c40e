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
    result = m.ThumbnailPatterns(labels, values, np.tri(count, dtype=bool), block)
    return m.Thumbnails(run(labels)), result


def next_tokens(labels: tuple[str, ...] = TEA) -> tuple[m.RunPrompt, m.Run]:
    following = ("·tea", ".", "·as", "·teas", "·with", "·", "·coffee", "·leaves", "·and", "↵")
    shares = np.array([0.829, 0.014, 0.013, 0.012, 0.01, 0.004, 0.003, 0.002, 0.0006, 1e-5])
    loss = np.random.default_rng(1).uniform(0.05, 9.0, size=max(0, len(labels) - 1))
    ids = np.arange(len(labels))
    return run(labels), m.Run(ids, labels, True, np.arange(10), following, np.log(shares), loss)


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
    return request, m.ScoreRanking(**_ranking(labels, signed), divisor=32**0.5)


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


def head_grid(layers: int = 2, heads: int = 8) -> tuple[m.HeadGrid, m.HeadGridScores]:
    random = np.random.default_rng(3)
    grids = random.uniform(0.0, 1.0, size=(3, layers, heads)) ** 3
    return m.HeadGrid("attn-2l"), m.HeadGridScores(*grids, 50)


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
        "head-grid": head_grid(),
    }
