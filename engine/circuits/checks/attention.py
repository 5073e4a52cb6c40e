"""Checks of where a head looks, and of what it writes for that."""

import torch
from jaxtyping import Float
from torch import Tensor

from engine.circuits.checks.inputs import (
    DOUBLE,
    OF_LARGEST,
    CheckInputs,
    apart,
    measured,
    undefined,
    written,
)
from engine.job import Job
from engine.messages import Head, Receipt
from engine.network.folding import centred

MANY = "no one W_QK gives this model's scores: they depend on more than the two streams"
"""Why a check of one W_QK is not made."""


DISTANCES = 16
"""How many distances a check of QK by weights goes through."""

SCORES = 10
"""How many times the rounding of a number that of a score is: a sum whose terms cancel."""


def rows_sum_to_one(inputs: CheckInputs, job: Job) -> Receipt:
    """Check that the model's own pattern is made of shares, none of them where it may not look."""
    sums = float((inputs.pattern.sum(-1) - 1).abs().max())
    ahead = inputs.pattern[inputs.hidden].abs()
    future = float(ahead.max()) if len(ahead) else 0.0
    least = float(-inputs.pattern.min())
    return measured(
        "rows of A sum to 1 and the future is 0",
        "the model's own pattern: the largest of |row sum - 1|, any weight above the diagonal and "
        "any negative one",
        max(sums, future, least),
        inputs.single,
        ("largest |row sum - 1|", sums),
        ("largest weight in the future", future),
    )


def pattern_from_one_matrix(inputs: CheckInputs, job: Job) -> Receipt:
    """Check that W_QK alone, biases folded in as an always-1 column, gives the pattern.

    "One attention head, taken apart", "The pattern in one step: the QK matrix".
    """
    name = "the pattern from W_QK alone, without queries or keys"
    weights, ones = inputs.weights, inputs.read.new_ones(len(inputs.read), 1)
    read = torch.cat([inputs.read, ones], 1)  # [position, d_model + 1]
    W_Q = torch.cat([weights.W_Q, weights.b_Q[None]])
    W_K = torch.cat([weights.W_K, weights.b_K[None]])
    compares = (
        f"softmax of X' W_QK X'^T with the biases in an always-1 column "
        f"({len(W_Q)} x {len(W_Q)}, double precision) against the model's own pattern"
    )
    if not inputs.model.has_one_qk:
        return undefined(name, compares, MANY)
    job.step(0, 2, "multiplying by W_QK")
    turned = read @ (W_Q @ W_K.mT)
    job.step(1, 2, "multiplying by W_QK")
    scores = turned @ read.mT / inputs.model.divisor(inputs.head.layer)
    return _same_pattern(inputs, name, compares, scores)


def pattern_from_stream(inputs: CheckInputs, job: Job) -> Receipt:
    """Check that folded weights on the bare stream, only scaled, give the pattern.

    A norm's centring is in the folded weights, so the stream is not centred here. Positions turn,
    and distances lower, what the weights give, where the model does that.
    """
    model = inputs.model
    name = "the pattern from folded weights and the stream"
    compares = (
        "softmax of the scores of folded W_Q and W_K on the stream over its norm's scale (double "
        "precision) against the model's own pattern"
    )
    if not model.scores_follow:
        return undefined(name, compares, MANY)
    stream = inputs.forward_pass.streams[inputs.head.layer].double()
    scaled = stream / model.scale(stream)[:, None].double()
    scores = model.folded_scores(inputs.head, inputs.weights, scaled)
    return _same_pattern(inputs, name, compares, scores)


def qk_at_distances(inputs: CheckInputs, job: Job) -> Receipt:
    """Check that QK circuits at a distance, asked one by one, give the scores of the run.

    What QKTokens answers about a position is this: weights turned by one offset, at the length of
    the prompt, between two streams.
    """
    model, head = inputs.model, inputs.head
    name = "QK at a distance, from the weights, is the run's score"
    compares = (
        "the last query with keys at up to "
        f"{DISTANCES} distances, each by W_Q and W_K turned by that offset alone, against the "
        f"score that the softmax was given: {OF_LARGEST}"
    )
    if not model.scores_follow:
        return undefined(name, compares, MANY)
    seen = (~inputs.hidden[-1]).nonzero()[:, 0]
    few = seen[torch.linspace(0, len(seen) - 1, min(DISTANCES, len(seen))).long()].tolist()
    count, found = len(inputs.read), []
    for place, key in enumerate(few):
        job.step(place, len(few), "turning weights")
        offset = count - 1 - key
        weights = model.head(head, offset, count).double()
        query = inputs.read[-1] @ weights.W_Q + weights.b_Q
        score = query @ (inputs.read[key] @ weights.W_K + weights.b_K) / model.divisor(head.layer)
        found.append(score - model.slope(head) * offset)
    scores = model.capped_scores(torch.stack(found))
    own = model.scores(inputs.forward_pass, head.layer, job)[head.number, -1, few]
    return measured(
        name,
        compares,
        apart(scores, own),
        SCORES * inputs.single,
        ("largest score", float(own.abs().max())),
    )


def _same_pattern(
    inputs: CheckInputs, name: str, compares: str, scores: Float[Tensor, "query key"]
) -> Receipt:
    again = scores.masked_fill(inputs.hidden, -torch.inf).softmax(-1)
    largest = float(scores.masked_fill(inputs.hidden, 0).abs().max())
    return measured(
        name,
        f"{compares}: the largest difference",
        float((again - inputs.pattern).abs().max()),
        # Rounding takes a share of a score, and softmax hands that on whole.
        inputs.single * max(1.0, largest / 10),
        ("largest score", largest),
    )


def doubling(inputs: CheckInputs, job: Job) -> Receipt:
    """Check in the model itself that doubling what is read multiplies scores by 4, values by 2.

    "One attention head, taken apart", "Two linear operations, and only one is non-linear". Biases
    are taken off first; for the output the pattern is held as it was.
    """
    name = "doubling the stream multiplies scores by 4 and, A fixed, the output by 2"
    compares = (
        f"the model run again with what the layer reads doubled, biases taken off: {OF_LARGEST} "
        "in the scores and in r"
    )
    if inputs.off:
        return undefined(name, compares, "the head is off: it has no output to double")
    if not inputs.model.holds_patterns:
        return undefined(name, compares, "in this architecture a pattern cannot be held as it was")
    (layer, number), model = inputs.head, inputs.model
    norm_bias = model.norm_bias(layer)  # one of the biases: folding moves it into the others
    at, held = "attn.", inputs.forward_pass.patterns[layer]
    kept = inputs.forward_pass.layers.rerun(
        layer,
        [f"{at}hook_q", f"{at}hook_k", f"{at}hook_z"],
        {
            f"{at}hook_in": lambda read: 2 * read - norm_bias,
            f"{at}hook_pattern": lambda pattern: held,
        },
    )
    b_Q, b_K = inputs.weights.b_Q, inputs.weights.b_K
    kv, b_V = model.kv_head(number), inputs.weights.b_V
    once = (inputs.forward_pass.queries[layer][number] - b_Q) @ (
        inputs.forward_pass.keys[layer][kv] - b_K
    ).mT
    twice = (kept[f"{at}hook_q"][:, number] - b_Q) @ (kept[f"{at}hook_k"][:, kv] - b_K).mT
    moved = inputs.own["z"][:, number] - b_V
    moved_twice = kept[f"{at}hook_z"][:, number] - b_V
    scores, output = apart(twice, 4 * once), apart(moved_twice, 2 * moved)
    return measured(
        name,
        compares,
        max(scores, output),
        inputs.single,
        ("scores, off four times", scores),
        ("output, off twice", output),
    )


FLATTENED = 1024
"""Rows of the largest Kronecker product that is formed: 8 MB in double precision."""


def heads_add(inputs: CheckInputs, job: Job) -> Receipt:
    """Check that heads stacked through one big W_O, heads summed, and the model agree.

    "A Mathematical Framework for Transformer Circuits" (Elhage et al., 2021), "Attention heads are
    independent and additive". What a norm's centring takes off later is taken off first, and the
    scale of a norm after the heads is the one it has on this run.
    """
    model, layer = inputs.model, inputs.head.layer
    big, b_O = model.stacked_output(layer)
    after = inputs.forward_pass.output_scale(layer)[:, None]
    stacked = (inputs.own["z"].flatten(1) @ big + b_O) / after  # [position, head * d_head] first
    bias = model.written_bias(layer)
    summed = bias.double().expand(len(inputs.read), -1)
    for number in range(model.n_heads):
        job.step(number, model.n_heads, "adding heads")
        summed = summed + written(model, inputs.forward_pass, Head(layer, number), inputs.read)
    summed = summed / after
    added = inputs.own["written"]
    if model.centring:
        stacked, added = centred(stacked), centred(added)
    return measured(
        "stacked heads through the big W_O = the sum of heads = what the layer added",
        f"the model's own r of all {model.n_heads} heads side by side times W_O "
        f"({len(big)} x {model.d_model}) plus b_O, the sum of A (X W_V + b_V) W_O over heads "
        f"plus b_O, and what the layer added: {OF_LARGEST}",
        apart(stacked, summed, added),
        inputs.single,
        ("stacked against summed, max |change|", float((stacked - summed).abs().max())),
        ("summed against the layer, max |change|", float((summed - added).abs().max())),
    )


def orders(inputs: CheckInputs, job: Job) -> Receipt:
    """Check that three steps, A first and W_OV first give one output, the model's.

    "One attention head, taken apart", "The paper's derivation, step by step". b_V, which is added
    to every value, is taken off the model's own r: rows of A sum to 1.
    """
    name = "three steps = A first = W_OV first"
    compares = f"A (X W_V) W_O, (A X) W_OV, A (X W_OV) and the model's own r W_O: {OF_LARGEST}"
    if inputs.off:
        return undefined(name, compares, "the head is off: the model has no r of it")
    A, X, weights = inputs.pattern, inputs.read, inputs.weights
    steps = A @ (X @ weights.W_V) @ weights.W_O
    W_OV = weights.W_V @ weights.W_O
    own = inputs.own["z"][:, inputs.head.number] - weights.b_V
    through = own.double() @ weights.W_O
    job.step(0, 4, "A first")
    mixed = A @ X
    job.step(1, 4, "A first")
    first_A = mixed @ W_OV
    job.step(2, 4, "W_OV first")
    moved = X @ W_OV
    job.step(3, 4, "W_OV first")
    first_W = A @ moved
    return measured(
        name,
        compares,
        apart(steps, first_A, first_W, through),
        inputs.single,
        ("three steps against the model, max |change|", float((steps - through).abs().max())),
        ("A first against W_OV first, max |change|", float((first_A - first_W).abs().max())),
        ("A first against the three steps, max |change|", float((first_A - steps).abs().max())),
    )


def flattened(inputs: CheckInputs, job: Job) -> Receipt:
    """Check that A (x) W_OV, as one matrix, times X as one long vector is the head's output.

    "One attention head, taken apart", "The tensor product, made plain". The first rows of a causal
    pattern need no others, so a part is exact.
    """
    name = "the flattened form: A ⊗ W_OV as one Kronecker product"
    compares = f"kron(A, W_OV) times X laid out as one vector, against A X W_V W_O: {OF_LARGEST}"
    model, weights = inputs.model, inputs.weights
    count = min(len(inputs.read), FLATTENED // model.d_model)
    if count == 0:
        return undefined(
            name,
            compares,
            f"one position already has {model.d_model} numbers: the product is formed up to "
            f"{FLATTENED}",
        )
    job.step(0, 1, "flattening")
    A, X = inputs.pattern[:count, :count], inputs.read[:count]
    flat = kronecker(A, weights.W_V @ weights.W_O) @ X.flatten()
    written = A @ X @ weights.W_V @ weights.W_O
    return measured(
        name,
        f"{compares} (the first {count} of {len(inputs.read)} positions)",
        apart(flat.view_as(written), written),
        DOUBLE,
        ("rows of the product", float(len(flat))),
    )


def kronecker(
    A: Float[Tensor, "query key"], W_OV: Float[Tensor, "d_model d_model"]
) -> Float[Tensor, "query_d_model key_d_model"]:
    """Return A (x) W_O W_V as one matrix, which acts on a table laid out row after row.

    Parameters
    ----------
    A : Tensor
        The pattern.
    W_OV : Tensor
        W_V W_O, the transpose of the papers'.
    """
    return torch.kron(A, W_OV.mT.contiguous())
