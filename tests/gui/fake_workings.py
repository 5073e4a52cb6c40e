"""Workings of a small made-up head, and receipts of which one can fail."""

import numpy as np

from engine.messages import (
    HeadReceipts,
    HeadWorkings,
    Measured,
    Receipt,
    Receipts,
    Step,
    Workings,
)

D_MODEL, D_HEAD, DIVISOR = 4, 2, 2.5
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


def workings(request: Workings, ids: np.ndarray, labels: tuple[str, ...]) -> HeadWorkings:
    """Return a head whose weights follow from its number."""
    rng = np.random.default_rng([request.head.layer, request.head.number])
    shown = sorted(set(ids.tolist()))
    tokens, prompt = tuple(labels[i] for i in shown), tuple(labels[i] for i in ids)
    n = len(ids)
    one_hot = np.zeros((n, len(shown)))
    one_hot[range(n), [shown.index(i) for i in ids]] = 1
    made = {"T": one_hot, "W_E": rng.integers(-2, 3, (len(shown), D_MODEL)).astype(float)}
    for name, shape in (
        ("W_Q", (D_MODEL, D_HEAD)), ("W_K", (D_MODEL, D_HEAD)), ("W_V", (D_MODEL, D_HEAD)),
        ("W_O", (D_HEAD, D_MODEL)), ("W_U", (D_MODEL, len(shown))),
    ):  # fmt: skip
        made[name] = rng.normal(size=shape)
    steps = []
    query = request.query % n
    for symbol, (part, formula, paper, einsum, paper_einsum, operands) in MADE.items():
        if operands:
            made[symbol] = np.einsum(einsum, *(made[name] for name in operands))
        elif symbol == "S/√d":
            made[symbol] = np.where(np.tri(n, dtype=bool), made["S"] / DIVISOR, np.nan)
        elif symbol == "A":
            exped = np.where(np.tri(n, dtype=bool), np.exp(made["S"] / DIVISOR), 0.0)
            made[symbol] = exped / exped.sum(-1, keepdims=True)
        letters = einsum[-2:] or GIVEN[symbol]
        axes = (AXES[letters[0]], AXES[letters[1]])
        names = [
            tokens if axis == "token" else prompt if axis in ("position", "query", "source")
            else tuple(map(str, range(size)))
            for axis, size in zip(axes, made[symbol].shape, strict=True)
        ]  # fmt: skip
        steps.append(
            Step(
                symbol, part, formula, paper, einsum, paper_einsum, operands,
                SENTENCES.get(symbol, f"What {symbol} is."), made[symbol].shape, axes,
                names[0], names[1], made[symbol],
                query if axes[0] in ("query", "position") else None,
                symbol.startswith("W_"),
            )
        )  # fmt: skip
    return HeadWorkings(tuple(steps), prompt, query, DIVISOR, len(labels))


PASSED = Receipt(
    "rows of A sum to 1", "each row's sum against 1: the largest difference", 1e-7, 1e-5, True, "",
    (Measured("largest |row sum - 1|", 1e-7),),
)  # fmt: skip
CLOSE = Receipt("attribution sums to the logit", "all parts", 5e-4, 1e-3, True, "", ())
FAILED = Receipt("three steps = A first <b>&", "two orders of products", 0.25, 1e-5, False, "", ())
UNDEFINED = Receipt("path check", "two heads", None, None, None, "no head is earlier", ())


def receipts(request: Receipts) -> HeadReceipts:
    """Return checks; one fails for head 3."""
    failed = (FAILED,) if request.head.number == 3 else ()
    return HeadReceipts((PASSED, UNDEFINED, CLOSE, *failed))
