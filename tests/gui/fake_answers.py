"""Answers of the fake engine about heads, pairs, positions and parts, seeded by the question.

They fit each other: what is split by source sums to what it is split from.
"""

import zlib
from typing import Any

import numpy as np

from engine import messages as m
from engine.messages import Head, Measured, Pair, Receipt, Refused

VOCABULARY, D_HEAD, D_MODEL, CONTEXT = 40, 6, 24, 300
LABELS = ("‹BOS›", *(f"·w{number}" for number in range(1, VOCABULARY)))
DIVISOR = 2.5

BEST_PAIR, BASELINE = Pair(Head(0, 1), Head(1, 2)), 0.2
KNOWN_PAIRS = 5
"""Pairs whose z is known without asking for them."""
SCALE, REMAINDER = 2.0, 1e-6
"""Of the final norm; what the parts of a logit leave out."""
SILENT, MOST = Head(0, 3), 60
"""A head without skip-trigrams, and how many every other head has."""


def seeded(*seed: object) -> np.random.Generator:
    return np.random.default_rng(zlib.crc32(repr(seed).encode()))


def named(ids: Any) -> tuple[str, ...]:
    return tuple(LABELS[i] for i in ids)


def both_ends(values: np.ndarray, k: int) -> dict[str, Any]:
    """Return the fields of the k highest and the k lowest."""
    order = np.argsort(-values, kind="stable")
    ends = {"": order[:k], "bottom_": order[::-1][:k]}
    fields: dict[str, Any] = {}
    for end, ids in ends.items():
        fields |= {f"{end}ids": ids, f"{end}labels": named(ids), f"{end}values": values[ids]}
    return fields


def rank(values: np.ndarray, token: int) -> dict[str, Any]:
    return {
        "rank": 1 + int((values > values[token]).sum()),
        "value": float(values[token]),
        "d_vocab": VOCABULARY,
    }


def ranking(values: np.ndarray, token: int, k: int) -> dict[str, Any]:
    """Return the fields of a ranking that do not say what was ranked."""
    about = {"token_id": token, "token_label": LABELS[token], "median": float(np.median(values))}
    return both_ends(values, k) | rank(values, token) | about


def composition(asked: m.Composition, every: tuple[Head, ...]) -> m.CompositionScores:
    pairs = tuple(Pair(a, b) for a in every for b in every if a.layer < b.layer)
    if not pairs:
        raise Refused(f"{asked.model} has one layer, and composition is between two")
    scores = 0.1 + 0.2 * seeded(asked.model, asked.kind).random(len(pairs))
    if BEST_PAIR in pairs:
        scores[pairs.index(BEST_PAIR)] = 0.6
    z = (scores - BASELINE) * 100
    known = set(np.argsort(-scores)[:KNOWN_PAIRS].tolist())
    if asked.earlier is not None and asked.later is not None:
        known.add(pairs.index(Pair(asked.earlier, asked.later)))
    z[[place for place in range(len(pairs)) if place not in known]] = np.nan
    return m.CompositionScores(pairs, scores, BASELINE, z)


def virtual_head(
    asked: m.VirtualHead, ids: np.ndarray, product: np.ndarray, normed: bool
) -> m.VirtualHeadParts:
    chance, n = seeded(asked.run, asked.earlier, asked.later), len(ids)
    assert isinstance(asked.token, int)
    heads = (asked.earlier, asked.later)
    values = seeded(*heads, asked.token).normal(size=VOCABULARY)
    fields = ranking(values, asked.token, asked.k)
    del fields["median"]
    return m.VirtualHeadParts(
        source_labels=named(ids), product=product, exact=product / 3 if normed else None, **fields,
        eigenvalue_copying=0.5, singular_values=np.sort(chance.random(D_HEAD))[::-1], share=0.25,
        shares=chance.random(n),
    )  # fmt: skip


def eigenvalues(asked: m.Eigenvalues) -> m.ComplexValues:
    chance = seeded(asked.model, asked.head, asked.circuit, asked.offset)
    half = chance.normal(size=D_HEAD // 2) + 1j * chance.normal(size=D_HEAD // 2)
    values = np.concatenate([half, half.conj()])
    values = values[np.argsort(-np.abs(values), kind="stable")]
    share = float(values.real.sum() / np.abs(values).sum())
    return m.ComplexValues(values.real, values.imag, share)


def direct_path(asked: m.DirectPath) -> m.TokenRanking:
    assert isinstance(asked.token, int)
    values = seeded(asked.model, asked.direction, asked.token).normal(size=VOCABULARY)
    fields = ranking(values, asked.token, asked.k)
    return m.TokenRanking(**fields, source="token", vocabulary_source="unembedding")


def skip_trigrams(asked: m.SkipTrigrams) -> m.TrigramList:
    sources = [t for t, name in enumerate(LABELS) if asked.filter in name.replace("·", " ")]
    if not sources:
        raise Refused(
            f"no token of {asked.model} contains {asked.filter!r}: leave the filter empty for all"
        )
    chance = seeded(asked.model, asked.head, asked.offset)
    count = 0 if asked.head == SILENT else min(asked.k, MOST)
    qk, ov = 1 + 9 * chance.random(count), 1 + 30 * chance.random(count)
    order = np.argsort(-qk * ov)
    ids = chance.integers(0, VOCABULARY, (3, count))
    ids[0] = chance.choice(sources, count)
    tokens = [part for row in ids for part in (row, named(row))]
    return m.TrigramList(
        *tokens, qk[order], ov[order], (qk * ov)[order],
        "the score times the logit, both positive", DIVISOR,
    )  # fmt: skip


def qk_offsets(asked: m.QKOffsets) -> m.OffsetScores:
    assert isinstance(asked.query, int)
    assert isinstance(asked.key, int)
    assert asked.largest_offset is not None
    chance = np.random.default_rng(zlib.crc32(repr(asked).encode()))
    offsets = np.arange(asked.largest_offset + 1)
    mean = np.cos(offsets / 5) + 2.0 * (offsets == 3)
    return m.OffsetScores(
        offsets, mean + chance.normal(size=len(offsets)), mean,
        1 + 0.1 * chance.random(len(offsets)), int(mean.argmax()), 2.5, asked.query,
        LABELS[asked.query], asked.key, LABELS[asked.key], asked.source, DIVISOR,
    )  # fmt: skip


def position_qk(asked: m.PositionQK, positions: str) -> m.PositionScores:
    if positions != "learned":
        raise Refused(f"{asked.model} has {positions} positions: ask qk-tokens")
    count = asked.positions
    assert count is not None
    assert 1 <= count <= CONTEXT
    chance = np.random.default_rng(zlib.crc32(repr(asked).encode()))
    scores = chance.normal(size=(count, count)) + 9.0 * np.eye(count, k=-1)
    mean = np.array([np.diagonal(scores, -offset).mean() for offset in range(count)])
    scores[~np.tri(count, dtype=bool)] = np.nan
    return m.PositionScores(scores, np.arange(count), mean, int(mean.argmax()), 4.2, DIVISOR)


def destination_row(
    asked: m.DestinationRow, ids: np.ndarray, heads: tuple[Head, ...], scores: m.MeasuredHeads
) -> m.HeadRows:
    at = asked.position % len(ids)
    rows = seeded(asked).dirichlet(np.ones(at + 1), len(heads))
    measured = scores.scores["induction"], scores.scores["previous_token"]
    return m.HeadRows(heads, rows, named(ids[: at + 1]), at, *measured)


def head_output(asked: m.HeadOutput, ids: np.ndarray) -> m.OutputRanking:
    at = asked.position % len(ids)
    target = _target(asked.target, ids[at])
    by_source = SCALE * _given(asked.run, at, target, asked.head)
    values = seeded(asked).normal(size=VOCABULARY)
    values[target] = by_source.sum()
    return m.OutputRanking(
        **both_ends(values, asked.k), **rank(values, target), target_id=target,
        target_label=LABELS[target], by_source=by_source, source_labels=named(ids[: at + 1]),
        position=at, final_scale=SCALE,
    )  # fmt: skip


def logit_attribution(
    asked: m.LogitAttribution, ids: np.ndarray, every: tuple[Head, ...]
) -> m.LogitParts:
    at = asked.position % len(ids)
    target, other = _target(asked.target, ids[at]), asked.contrast_token
    parts: list[tuple[str, float, Head | None, int]] = [
        ("embedding", 1.5, None, -1),
        ("positions", -0.5, None, -1),
    ]
    for head in every:
        given = _given(asked.run, at, target, head)
        if other is not None:
            given = given - _given(asked.run, at, _target(other, ids[at]), head)
        if asked.contrast == "mean":
            given = given - 0.1
        if asked.split == "heads":
            parts.append((head.name, float(given.sum()), head, -1))
            continue
        for place, value in enumerate(given.tolist()):
            parts.append((f"{head.name} ← {place} {LABELS[ids[place]]}", value, head, place))
    parts.append(("biases", 0.25, None, -1))
    names, values, heads, sources = zip(*parts, strict=True)
    total = sum(values)
    return m.LogitParts(
        names, np.array(values), heads, np.array(sources), total, total + REMAINDER, REMAINDER,
        target, LABELS[target], asked.contrast if other is None else LABELS[int(other)], at, SCALE,
    )  # fmt: skip


def logit_lens(asked: m.LogitLens, own: m.Run, layers: int) -> m.LayerGuesses:
    shape = (layers + 1, len(own.labels))
    chance = seeded(asked)
    ids = np.stack([chance.permutation(VOCABULARY)[: asked.k] for _ in range(np.prod(shape))])
    ids = ids.reshape(*shape, -1)
    log_probs = np.log(-np.sort(-chance.dirichlet(np.ones(asked.k), shape), axis=-1))
    ids[-1, -1], log_probs[-1, -1] = own.next_ids, own.next_log_probs
    return m.LayerGuesses(
        stages=("embedding", *(f"layer {layer}" for layer in range(layers))),
        source_labels=own.labels,
        ids=ids,
        labels=tuple(tuple(named(guesses) for guesses in row) for row in ids),
        log_probs=log_probs,
    )


def _given(run: m.RunPrompt, at: int, target: int, head: Head) -> np.ndarray:
    """Return what each source gives by a head, [source], in logits."""
    return seeded(run, at, target, head).normal(size=at + 1)


def _target(target: int | str | None, here: int) -> int:
    return (int(here) + 7) % VOCABULARY if target is None else int(target)


# Steps of a small made-up head: part, formula, the paper's, einsum, the paper's, operands.
MADE = {
    "T": ("input", "T", "T", "", "", ()),
    "W_E": ("input", "W_E", "W_Eᵀ", "", "", ()),
    "X": ("input", "X = T W_E", "X = T W_Eᵀ", "pv, vd -> pd", "pv, dv -> pd", ("T", "W_E")),
    "W_Q": ("where", "W_Q", "W_Qᵀ", "", "", ()),
    "Q": ("where", "Q = X W_Q", "Q = X W_Qᵀ", "qi, ih -> qh", "qi, hi -> qh", ("X", "W_Q")),
    "W_K": ("where", "W_K", "W_Kᵀ", "", "", ()),
    "K": ("where", "K = X W_K", "K = X W_Kᵀ", "si, ih -> sh", "si, hi -> sh", ("X", "W_K")),
    "S": ("where", "S = Q Kᵀ", "S = Q Kᵀ", "qh, sh -> qs", "qh, sh -> qs", ("Q", "K")),
    "S/√d": ("where", "S / 2.5, masked", "S / 2.5, masked", "", "", ()),
    "A": ("where", "A = softmax(S/√d)", "A = softmax(S/√d)", "", "", ()),
    "W_V": ("what", "W_V", "W_Vᵀ", "", "", ()),
    "V": ("what", "V = X W_V", "V = X W_Vᵀ", "si, ih -> sh", "si, hi -> sh", ("X", "W_V")),
    "r": ("what", "r = A V", "r = A V", "qs, sh -> qh", "qs, sh -> qh", ("A", "V")),
    "W_O": ("what", "W_O", "W_Oᵀ", "", "", ()),
    "h": ("what", "h = r W_O", "h = r W_Oᵀ", "qh, ho -> qo", "qh, oh -> qo", ("r", "W_O")),
    "W_OV": (
        "what", "W_OV = W_V W_O", "W_OV = W_O W_V", "ih, ho -> io", "hi, oh -> io", ("W_V", "W_O"),
    ),
    "W_U": ("prediction", "W_U", "W_Uᵀ", "", "", ()),
    "ΔL": ("prediction", "ΔL = h W_U", "ΔL = h W_Uᵀ", "qo, ov -> qv", "qo, vo -> qv", ("h", "W_U")),
}  # fmt: skip
AXES = {
    "p": "position", "q": "query", "s": "source", "v": "token", "d": "d_model", "i": "d_model",
    "o": "d_model", "h": "d_head",
}  # fmt: skip
GIVEN = {
    "T": "pv", "W_E": "vd", "W_Q": "ih", "W_K": "ih", "S/√d": "qs", "A": "qs", "W_V": "ih",
    "W_O": "ho", "W_U": "ov",
}  # fmt: skip
SENTENCES = {"W_OV": "What a slot that is read (down) puts into each that is written (across)."}


def workings(asked: m.Workings, ids: np.ndarray) -> m.HeadWorkings:
    """Return a head whose weights follow from its number."""
    chance = np.random.default_rng([asked.head.layer, asked.head.number])
    shown, n = sorted(set(ids.tolist())), len(ids)
    one_hot = np.zeros((n, len(shown)))
    one_hot[range(n), [shown.index(i) for i in ids]] = 1
    sizes = {"d_model": 4, "d_head": 2, "token": len(shown)}
    made = {"T": one_hot, "W_E": chance.integers(-2, 3, (len(shown), 4)).astype(float)}
    for name in ("W_Q", "W_K", "W_V", "W_O", "W_U"):
        made[name] = chance.normal(size=[sizes[AXES[letter]] for letter in GIVEN[name]])
    steps, query = [], asked.query % n
    names = {"token": named(shown)} | dict.fromkeys(("position", "query", "source"), named(ids))
    for symbol, (part, formula, paper, einsum, paper_einsum, operands) in MADE.items():
        if operands:
            made[symbol] = np.einsum(einsum, *(made[name] for name in operands))
        elif symbol == "S/√d":
            made[symbol] = np.where(np.tri(n, dtype=bool), made["S"] / DIVISOR, np.nan)
        elif symbol == "A":
            exped = np.where(np.tri(n, dtype=bool), np.exp(made["S"] / DIVISOR), 0.0)
            made[symbol] = exped / exped.sum(-1, keepdims=True)
        axes = tuple(AXES[letter] for letter in einsum[-2:] or GIVEN[symbol])
        values = made[symbol]
        rows, columns = (
            names.get(axis, tuple(map(str, range(size))))
            for axis, size in zip(axes, values.shape, strict=True)
        )
        steps.append(
            m.Step(
                symbol, part, formula, paper, einsum, paper_einsum, operands,
                SENTENCES.get(symbol, f"What {symbol} is."), values.shape, axes, rows, columns,
                values, query if axes[0] in ("query", "position") else None,
                symbol.startswith("W_"),
            )
        )  # fmt: skip
    return m.HeadWorkings(tuple(steps), named(ids), query, DIVISOR, VOCABULARY)


PASSED = Receipt(
    "rows of A sum to 1", "each row's sum against 1: the largest difference", 1e-7, 1e-5, True, "",
    (Measured("largest |row sum - 1|", 1e-7),),
)  # fmt: skip
CLOSE = Receipt("attribution sums to the logit", "all parts", 5e-4, 1e-3, True, "", ())
FAILED = Receipt("three steps = A first <b>&", "two orders of products", 0.25, 1e-5, False, "", ())
UNDEFINED = Receipt("path check", "two heads", None, None, None, "no head is earlier", ())


def receipts(asked: m.Receipts) -> m.HeadReceipts:
    """Return checks; one fails for head 3."""
    failed = (FAILED,) if asked.head.number == 3 else ()
    return m.HeadReceipts((PASSED, UNDEFINED, CLOSE, *failed))
