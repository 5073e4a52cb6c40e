"""Checks that token tables and eigenvalues, read from folded weights, are the model's own.

A token is put through the model's own modules: its bare embedding stands in for the stream that
the head's layer meets, and what the head writes for the stream that the last norm meets. Nothing
folded is used on that road, so that a wrong number at either end of a table shows.
"""

import torch
from jaxtyping import Float
from torch import Tensor

from engine.circuits.eigenvalues import eigenvalues
from engine.circuits.ov_tokens import ov_values
from engine.circuits.qk_tokens import qk_values
from engine.circuits.receipts.patterns import MANY
from engine.circuits.receipts.scene import (
    OF_LARGEST,
    Scene,
    apart,
    measured,
    undefined,
)
from engine.circuits.table import table
from engine.folding import centred
from engine.job import Job
from engine.messages import (
    SMALL_VOCABULARY,
    CircuitName,
    Eigenvalues,
    OVTokens,
    QKTokens,
    Receipt,
    Table,
)

MOST_TOKENS = 16
"""Of the prompt, between which scores are compared."""

TRACE = 1e-4
"""What rounding may take from a sum over the vocabulary in single precision."""


def ov_is_the_models(scene: Scene, job: Job) -> Receipt:
    """Check a row and an entry of W_E W_V W_O W_U by the model's own modules.

    "A Mathematical Framework for Transformer Circuits" (Elhage et al., 2021), "Splitting attention
    head terms into circuits". What the head writes for the last token's bare embedding, less what
    it writes for an empty stream, is put before the model's last norm; its logits, less those of
    an empty stream, times the scale of that norm are the row.
    """
    model, head, token = scene.model, scene.head, scene.passed.ids[-1]
    name = "a row of the OV table is what the model makes of that token"
    compares = (
        "the last token's row of W_E W_V W_O W_U by folded weights, both ways round, against its "
        "bare embedding put through the model's own norm, values and W_O, and that through its "
        f"last norm and W_U: {OF_LARGEST}"
    )
    kept = _alone(scene, (token,), ("z",), job)["z"]  # [position, head, d_head]
    big, _ = model.stacked_output(head.layer)
    W_O = big.view(model.n_heads, -1, model.d_model)[head.number]
    own = _said(scene, (kept[0, head.number] @ W_O)[None], job)[0]
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
        scene.whole,
        ("largest value of the row", float(own.abs().max())),
    )


def qk_is_the_models(scene: Scene, job: Job) -> Receipt:
    """Check entries of W_E W_Q (W_E W_K)^T by the model's own queries and keys.

    "A Mathematical Framework for Transformer Circuits" (Elhage et al., 2021), "Splitting attention
    head terms into circuits". Both are made by the model of bare embeddings, less those of an
    empty stream: its biases.
    """
    model, head = scene.model, scene.head
    name = "scores of the QK table are those of the model's own queries and keys"
    compares = (
        f"scores between up to {MOST_TOKENS} tokens of the prompt by folded weights at offset 0, "
        "as queries and as keys, against the model's own queries and keys of their bare "
        f"embeddings, biases taken off: {OF_LARGEST}"
    )
    if not model.scores_follow:
        return undefined(name, compares, MANY)
    ids = tuple(dict.fromkeys(reversed(scene.passed.ids)))[:MOST_TOKENS]
    kept = _alone(scene, ids, ("q", "k"), job)
    queries = _at_start(scene, kept["q"][:, head.number])
    keys = _at_start(scene, kept["k"][:, model.kv_head(head.number)])
    own = queries.double() @ keys.double().mT / model.divisor  # [query, key]
    row, column = (
        qk_values(model, QKTokens(model.name, head, ids[0], side=side), job).values[list(ids)]
        for side in ("query", "key")
    )
    ways = [torch.cat([own[0], own[:, 0]]), torch.cat([row, column])]
    if model.d_vocab <= SMALL_VOCABULARY:
        whole = torch.tensor(table(model, Table(model.name, head, "qk"), job).values)
        ways.append(torch.cat([whole[ids[0]][list(ids)], whole[:, ids[0]][list(ids)]]))
    largest = ("largest score", float(own.abs().max()))
    return measured(name, compares, apart(*ways), scene.whole, largest)


def eigenvalues_sum_to_the_trace(scene: Scene, job: Job) -> Receipt:
    """Check that eigenvalues, and their squares, sum to the traces of the token tables.

    The trace of W_E W_V W_O W_U is the sum over all tokens of what each raises itself by, and that
    of its square the trace of a d_head x d_head matrix squared. Both are made of stored weights
    and the model's own norms, and neither W_U W_E nor W_E^T W_E, from which the eigenvalues come,
    is formed.
    """
    model, head = scene.model, scene.head
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
        core = _core(scene, circuit, job)
        for power in (1, 2):
            trace = float(torch.linalg.matrix_power(core, power).trace())
            summed, size = complex((values**power).sum()), float((values.abs() ** power).sum())
            residual = max(residual, abs(summed - trace) / size if size else abs(trace))
            numbers.append((f"{circuit.upper()}, trace of power {power}", trace))
    return measured(name, compares, residual, max(TRACE, scene.whole), *numbers)


def _alone(
    scene: Scene, ids: tuple[int, ...], names: tuple[str, ...], job: Job
) -> dict[str, Tensor]:
    """Return what the model's own attention makes of bare embeddings, less that of nothing."""
    model, layer = scene.model, scene.head.layer
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
    scene: Scene, vectors: Float[Tensor, "token d_head"]
) -> Float[Tensor, "token d_head"]:
    """Return queries or keys as rotary positions leave them at the start, which may scale them."""
    rotation = scene.model.rotation(scene.head.layer)
    return vectors if rotation is None else rotation.turned(vectors, 0)


def _said(scene: Scene, rows: Float[Tensor, "n d_model"], job: Job) -> Float[Tensor, "n d_vocab"]:
    """Return vectors times W_U, the last norm's scale left out, by the model's own modules."""
    model, first = scene.model, scene.passed.ids[0]
    at = f"blocks.{model.n_layers - 1}.hook_out"

    def logits(stream: Float[Tensor, "n d_model"]) -> Float[Tensor, "n d_vocab"]:
        ids = (first,) * len(stream)
        kept = model.probe(ids, job, ["unembed.hook_out"], {at: lambda _: stream})
        return model.scaled(kept["unembed.hook_out"])

    empty = logits(torch.zeros_like(rows[:1]))
    change = torch.cat([logits(part) for part in torch.split(rows, model.n_ctx)]) - empty
    change *= model.scale(rows)[:, None]
    return centred(change) if model.normalized else change


def _core(scene: Scene, circuit: CircuitName, job: Job) -> Float[Tensor, "d_head d_head"]:
    """Return the sum over all tokens of both thin ends of a table, whose traces are the table's."""
    model, layer = scene.model, scene.head.layer
    stored = model.stored_head(scene.head)
    far = _said(scene, stored.W_O, job).mT if circuit == "ov" else None  # [d_vocab, d_head]
    core = torch.zeros(model.d_head, model.d_head, dtype=torch.float64)
    start = 0
    for rows in model.vocabulary.embeddings(job, 4):
        read = model.normed(layer, rows)
        if far is not None:
            near, other = read @ stored.W_V, far[start : start + len(rows)]
        else:
            near, other = (_at_start(scene, read @ W) for W in (stored.W_Q, stored.W_K))
        core += other.double().mT @ near.double()
        start += len(rows)
    return core
