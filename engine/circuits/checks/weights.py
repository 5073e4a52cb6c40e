"""Checks of a head's matrices: their rank, what is superficial in them, how two combine.

And that token tables and eigenvalues, read from folded weights, are the model's own. A token is put
through the model's own modules: its bare embedding stands in for the stream that the head's layer
meets, and what the head writes for the stream that the last norm meets. Nothing folded is used on
that road, so that a wrong number at either end of a table shows.
"""

import torch
from jaxtyping import Float
from torch import Tensor

from engine.circuits.checks.attention import MANY
from engine.circuits.checks.inputs import (
    DOUBLE,
    OF_LARGEST,
    CheckInputs,
    apart,
    measured,
    undefined,
)
from engine.circuits.spectra import eigenvalues
from engine.circuits.token_rankings import ov_values, qk_values, table
from engine.job import Job
from engine.messages import (
    SMALL_VOCABULARY,
    CircuitName,
    Eigenvalues,
    Head,
    OVTokens,
    QKTokens,
    Receipt,
    Table,
)
from engine.network import factored
from engine.network.folding import centred

RANK = 1e-5
LARGEST = 1024
"""Width of the widest matrix that is decomposed whole, which nothing can stop."""

BY_ITSELF = 768
"""Width up to which that takes less than 0.2 seconds without going through the square."""

LEAST, MOST = 0.5, 2.0
"""Bounds of the scales in a change of coordinates."""


def low_rank(inputs: CheckInputs, job: Job) -> Receipt:
    """Check that W_OV and W_QK have no more than d_head directions.

    "A Mathematical Framework for Transformer Circuits" (Elhage et al., 2021), "Observations about
    attention heads": the matrices are multiplied out, so that nothing is assumed.
    """
    model, weights = inputs.model, inputs.weights
    name = f"W_OV and W_QK have rank {model.d_head} at most"
    compares = (
        f"singular value {model.d_head + 1} over the first of the whole {model.d_model} x "
        f"{model.d_model} matrix, double precision: the larger of W_OV's and W_QK's"
    )
    if model.d_head >= model.d_model:
        return undefined(name, compares, "a head is as wide as the stream: nothing to be shown")
    if model.d_model > LARGEST:
        return undefined(name, compares, f"decomposed whole up to a width of {LARGEST} only")
    ratios = []
    for place, whole in enumerate((weights.W_OV.dense(), weights.W_QK.dense())):
        job.step(place, 2, "decomposing")
        values = _singular_values(whole, job)
        ratios.append(float(values[model.d_head] / values[0]) if values[0] else 0.0)
    met = zip(("W_OV", "W_QK"), ratios, strict=True)
    return measured(name, compares, max(ratios), RANK, *met)


def _singular_values(whole: Float[Tensor, "row column"], job: Job) -> Float[Tensor, " column"]:
    """Return singular values in half the time where it counts, exact to 1e-7 of the largest."""
    if len(whole) <= BY_ITSELF:
        values = factored.singular_values(whole)
    else:
        square = whole.mT @ whole
        job.step(1, 2, "decomposing the square")
        values = factored.symmetric_eigenvalues(square).sqrt()
    return values


def values_are_superficial(inputs: CheckInputs, job: Job) -> Receipt:
    """Check that an invertible matrix changes the values and not the output.

    "One attention head, taken apart", "Queries, keys and values are superficial".
    """
    weights, M, inverse = inputs.weights, *_change(inputs)
    before, after = inputs.read @ weights.W_V, inputs.read @ (weights.W_V @ M)
    moved = inputs.pattern @ before @ weights.W_O
    again = inputs.pattern @ after @ (inverse @ weights.W_O)
    return _superficial(
        "values",
        "what the head writes",
        "W_V M and M^-1 W_O",
        (before, after),
        (moved, again),
    )


def queries_are_superficial(inputs: CheckInputs, job: Job) -> Receipt:
    """Check that an invertible matrix changes queries and keys and no score."""
    weights, M, inverse = inputs.weights, *_change(inputs)
    queries, keys = (
        inputs.read @ weights.W_Q + weights.b_Q,
        inputs.read @ weights.W_K + weights.b_K,
    )
    new = (
        inputs.read @ (weights.W_Q @ M) + weights.b_Q @ M,
        inputs.read @ (weights.W_K @ inverse.mT) + weights.b_K @ inverse.mT,
    )
    return _superficial(
        "queries",
        "every score",
        "W_Q M and W_K M^-T, biases too",
        (queries, new[0]),
        (queries @ keys.mT, new[0] @ new[1].mT),
    )


def _superficial(
    what: str, kept: str, how: str, inner: tuple[Tensor, Tensor], outer: tuple[Tensor, Tensor]
) -> Receipt:
    name = f"{what} changed by an invertible matrix leave {kept} as it is"
    compares = (
        f"{how}, M a random rotation times scales from {LEAST} to {MOST}, double precision: "
        f"{OF_LARGEST} in {kept}, which counts only where the {what} do change"
    )
    size, change = (float(part.abs().mean()) for part in (inner[0], inner[1] - inner[0]))
    if size == 0:
        return undefined(name, compares, f"all {what} of this head are 0 on this prompt")
    numbers = (
        (f"{what}, mean |change|", change),
        (f"{what}, mean size", size),
        (f"{kept}, max |change|", float((outer[1] - outer[0]).abs().max())),
        (f"{kept}, mean size", float(outer[0].abs().mean())),
    )
    residual = apart(*outer) if change > 0.01 * size else float("nan")
    return measured(name, compares, residual, DOUBLE, *numbers)


def _change(
    inputs: CheckInputs,
) -> tuple[Float[Tensor, "d_head d_head"], Float[Tensor, "d_head d_head"]]:
    """Return a random invertible matrix and its inverse, the same for every head."""
    chance, n = torch.Generator().manual_seed(0), inputs.model.d_head
    drawn = torch.randn(n, n, generator=chance, dtype=torch.float64)
    rotation = torch.linalg.qr(drawn).Q
    scales = LEAST + (MOST - LEAST) * torch.rand(n, generator=chance, dtype=torch.float64)
    M = rotation * scales
    return M, torch.linalg.inv(M)


def mixed_product(inputs: CheckInputs, job: Job) -> Receipt:
    """Check that two heads applied in turn are one head: (A2 A1) X (W_OV1 W_OV2).

    "A Mathematical Framework for Transformer Circuits" (Elhage et al., 2021), "Virtual attention
    heads", by the mixed-product rule.
    """
    name = "mixed-product rule: two heads in a row form one"
    compares = f"(A2 ⊗ W2)(A1 ⊗ W1) X against (A2 A1 ⊗ W2 W1) X, double precision: {OF_LARGEST}"
    other = _other(inputs)
    if other is None:
        return undefined(name, compares, f"{inputs.model.name} has only one head")
    first, second = sorted((other, inputs.head))
    W_1, W_2 = (inputs.model.head(head).double() for head in (first, second))
    OV_1, OV_2 = (inputs.model.W_OV(head).dense() for head in (first, second))
    A_1, A_2 = (
        inputs.forward_pass.patterns[head.layer][head.number].double() for head in (first, second)
    )
    job.step(1, 6, "one head after the other")
    values = A_1 @ (inputs.read @ W_1.W_V) @ W_1.W_O @ W_2.W_V
    in_turn = A_2 @ values @ W_2.W_O
    job.step(2, 6, "multiplying patterns")
    A = A_2 @ A_1
    job.step(3, 6, "multiplying circuits")
    OV = OV_1 @ OV_2
    job.step(4, 6, "both as one")
    mixed = A @ inputs.read
    job.step(5, 6, "both as one")
    as_one = mixed @ OV
    return measured(f"{name} ({first} then {second})", compares, apart(in_turn, as_one), DOUBLE)


def _other(inputs: CheckInputs) -> Head | None:
    """Return another head: of the layer before, else the one after, else of the same layer."""
    (layer, number), model = inputs.head, inputs.model
    if layer:
        return Head(layer - 1, number)
    if layer + 1 < model.n_layers:
        return Head(layer + 1, number)
    return Head(layer, (number + 1) % model.n_heads) if model.n_heads > 1 else None


MOST_TOKENS = 16
"""Of the prompt, between which scores are compared."""

TRACE = 1e-4
"""What rounding may take from a sum over the vocabulary in single precision."""


def ov_is_the_models(inputs: CheckInputs, job: Job) -> Receipt:
    """Check a row and an entry of W_E W_V W_O W_U by the model's own modules.

    "A Mathematical Framework for Transformer Circuits" (Elhage et al., 2021), "Splitting attention
    head terms into circuits". What the head writes for the last token's bare embedding, less what
    it writes for an empty stream, is put before the model's last norm; its logits, less those of
    an empty stream, times the scale of that norm are the row.
    """
    model, head, token = inputs.model, inputs.head, inputs.forward_pass.ids[-1]
    name = "a row of the OV table is what the model makes of that token"
    compares = (
        "the last token's row of W_E W_V W_O W_U by folded weights, both ways round, against its "
        "bare embedding put through the model's own norm, values and W_O, and that through its "
        f"last norm and W_U: {OF_LARGEST}"
    )
    kept = _alone(inputs, (token,), ("z",), job)["z"]  # [position, head, d_head]
    big, _ = model.stacked_output(head.layer)
    W_O = big.view(model.n_heads, -1, model.d_model)[head.number]
    own = _said(inputs, (kept[0, head.number] @ W_O)[None], job)[0]
    asked = OVTokens(model.name, head, token)
    found = ov_values(model, asked, job).values.double()
    best = int(found.argmax())
    turned = ov_values(model, OVTokens(model.name, head, best, direction="source"), job).values
    ways = [torch.cat([own, own[best, None]]), torch.cat([found, turned[token, None].double()])]
    if model.d_vocab <= SMALL_VOCABULARY:
        whole = torch.tensor(table(model, Table(model.name, head), job).values[token])
        ways.append(torch.cat([whole.double(), own[best, None]]))
    return measured(
        name,
        compares,
        apart(*ways),
        inputs.whole,
        ("largest value of the row", float(own.abs().max())),
    )


def qk_is_the_models(inputs: CheckInputs, job: Job) -> Receipt:
    """Check entries of W_E W_Q (W_E W_K)^T by the model's own queries and keys.

    "A Mathematical Framework for Transformer Circuits" (Elhage et al., 2021), "Splitting attention
    head terms into circuits". Both are made by the model of bare embeddings, less those of an
    empty stream: its biases.
    """
    model, head = inputs.model, inputs.head
    name = "scores of the QK table are those of the model's own queries and keys"
    compares = (
        f"scores between up to {MOST_TOKENS} tokens of the prompt by folded weights at offset 0, "
        "as queries and as keys, against the model's own queries and keys of their bare "
        f"embeddings, biases taken off: {OF_LARGEST}"
    )
    if not model.scores_follow:
        return undefined(name, compares, MANY)
    ids = tuple(dict.fromkeys(reversed(inputs.forward_pass.ids)))[:MOST_TOKENS]
    kept = _alone(inputs, ids, ("q", "k"), job)
    queries = _at_start(inputs, kept["q"][:, head.number])
    keys = _at_start(inputs, kept["k"][:, model.kv_head(head.number)])
    own = queries.double() @ keys.double().mT / model.divisor(head.layer)  # [query, key]
    row, column = (
        qk_values(model, QKTokens(model.name, head, ids[0], side=side), job).values[list(ids)]
        for side in ("query", "key")
    )
    ways = [torch.cat([own[0], own[:, 0]]), torch.cat([row, column])]
    if model.d_vocab <= SMALL_VOCABULARY:
        whole = torch.tensor(table(model, Table(model.name, head, "qk"), job).values)
        ways.append(torch.cat([whole[ids[0]][list(ids)], whole[:, ids[0]][list(ids)]]))
    largest = ("largest score", float(own.abs().max()))
    return measured(name, compares, apart(*ways), inputs.whole, largest)


def eigenvalues_sum_to_the_trace(inputs: CheckInputs, job: Job) -> Receipt:
    """Check that eigenvalues, and their squares, sum to the traces of the token tables.

    The trace of W_E W_V W_O W_U is the sum over all tokens of what each raises itself by, and that
    of its square the trace of a d_head x d_head matrix squared. Both are made of stored weights
    and the model's own norms, and neither W_U W_E nor W_E^T W_E, from which the eigenvalues come,
    is formed.
    """
    model, head = inputs.model, inputs.head
    name = "eigenvalues sum to the traces of the token tables"
    compares = (
        "the sum of the eigenvalues, and that of their squares, against the trace of the table "
        "over all tokens by stored weights and the model's own norms, and that of its square, OV "
        "and QK: the largest difference over the sum of magnitudes, or of their squares"
    )
    circuits: tuple[CircuitName, ...] = ("ov", "qk") if model.scores_follow else ("ov",)
    residual, numbers = 0.0, []
    for circuit in circuits:
        found = eigenvalues(model, Eigenvalues(model.name, head, circuit), job)
        values = torch.complex(*(torch.tensor(part).double() for part in (found.real, found.imag)))
        core = _core(inputs, circuit, job)
        for power in (1, 2):
            trace = float(torch.linalg.matrix_power(core, power).trace())
            summed, size = complex((values**power).sum()), float((values.abs() ** power).sum())
            residual = max(residual, abs(summed - trace) / size if size else abs(trace))
            numbers.append((f"{circuit.upper()}, trace of power {power}", trace))
    return measured(name, compares, residual, max(TRACE, inputs.whole), *numbers)


def _alone(
    inputs: CheckInputs, ids: tuple[int, ...], names: tuple[str, ...], job: Job
) -> dict[str, Tensor]:
    """Return what the model's own attention makes of bare embeddings, less that of nothing."""
    model, layer = inputs.model, inputs.head.layer
    hooks = [f"blocks.{layer}.attn.hook_{name}" for name in names]
    entering = model.probe(ids, job, ["blocks.0.hook_in"])["blocks.0.hook_in"]
    bare = entering - model.positions(len(ids))
    met = f"blocks.{layer}.hook_in"
    made = model.probe(ids, job, hooks, {met: lambda stream: bare})
    empty = model.probe(ids, job, hooks, {met: torch.zeros_like})
    return {
        name: made[hook] - empty[hook] for name, hook in zip(names, hooks, strict=True)
    }  # each [position, head, d_head]


def _at_start(
    inputs: CheckInputs, vectors: Float[Tensor, "token d_head"]
) -> Float[Tensor, "token d_head"]:
    """Return queries or keys as rotary positions leave them at the start, which may scale them."""
    rotation = inputs.model.rotation(inputs.head.layer)
    return vectors if rotation is None else rotation.turned(vectors, 0, rotation.length(0))


def _said(
    inputs: CheckInputs, rows: Float[Tensor, "n d_model"], job: Job
) -> Float[Tensor, "n d_vocab"]:
    """Return vectors times W_U, the last norm's scale left out, by the model's own modules."""
    model, first = inputs.model, inputs.forward_pass.ids[0]
    at = f"blocks.{model.n_layers - 1}.hook_out"

    def logits(stream: Float[Tensor, "n d_model"]) -> Float[Tensor, "n d_vocab"]:
        ids = (first,) * len(stream)
        kept = model.probe(ids, job, ["unembed.hook_out"], {at: lambda _: stream})
        return model.scaled(kept["unembed.hook_out"])

    empty = logits(torch.zeros_like(rows[:1]))
    change = torch.cat([logits(part) for part in torch.split(rows, model.n_ctx)]) - empty
    change *= model.scale(rows)[:, None]
    return centred(change) if model.normalized else change


def _core(inputs: CheckInputs, circuit: CircuitName, job: Job) -> Float[Tensor, "d_head d_head"]:
    """Return the sum over all tokens of both thin ends of a table, whose traces are the table's."""
    model, layer = inputs.model, inputs.head.layer
    stored = model.stored_head(inputs.head)
    far = _said(inputs, stored.W_O, job).mT if circuit == "ov" else None  # [d_vocab, d_head]
    core = torch.zeros(model.d_head, model.d_head, dtype=torch.float64)
    start = 0
    for rows in model.vocabulary.embeddings(job, 4):
        read = model.normed(layer, rows)
        if far is not None:
            near, other = read @ stored.W_V, far[start : start + len(rows)]
        else:
            near, other = (_at_start(inputs, read @ W) for W in (stored.W_Q, stored.W_K))
        core += other.double().mT @ near.double()
        start += len(rows)
    return core
