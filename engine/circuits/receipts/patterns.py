"""Checks of where a head looks."""

import torch
from jaxtyping import Float
from torch import Tensor

from engine.circuits.receipts.scene import OF_LARGEST, Scene, apart, double, measured, undefined
from engine.job import Job
from engine.messages import Receipt

MANY = "no one W_QK gives this model's scores: they depend on more than the two streams"
"""Why a check of one W_QK is not made."""


DISTANCES = 16
"""How many distances a check of QK by weights goes through."""

SCORES = 10
"""How many times the rounding of a number that of a score is: a sum whose terms cancel."""


def rows_sum_to_one(scene: Scene, job: Job) -> Receipt:
    """Check that the model's own pattern is made of shares, none of them where it may not look."""
    sums = float((scene.pattern.sum(-1) - 1).abs().max())
    ahead = scene.pattern[scene.hidden].abs()
    future = float(ahead.max()) if len(ahead) else 0.0
    least = float(-scene.pattern.min())
    return measured(
        "rows of A sum to 1 and the future is 0",
        "the model's own pattern: the largest of |row sum - 1|, any weight above the diagonal and "
        "any negative one",
        max(sums, future, least),
        scene.single,
        ("largest |row sum - 1|", sums),
        ("largest weight in the future", future),
    )


def pattern_from_one_matrix(scene: Scene, job: Job) -> Receipt:
    """Check that W_QK alone, biases folded in as an always-1 column, gives the pattern.

    "One attention head, taken apart", "The pattern in one step: the QK matrix".
    """
    name = "the pattern from W_QK alone, without queries or keys"
    weights, ones = scene.weights, scene.read.new_ones(len(scene.read), 1)
    read = torch.cat([scene.read, ones], 1)  # [position, d_model + 1]
    W_Q = torch.cat([weights.W_Q, weights.b_Q[None]])
    W_K = torch.cat([weights.W_K, weights.b_K[None]])
    compares = (
        f"softmax of X' W_QK X'^T with the biases in an always-1 column "
        f"({len(W_Q)} x {len(W_Q)}, double precision) against the model's own pattern"
    )
    if not scene.model.has_one_qk:
        return undefined(name, compares, MANY)
    job.step(0, 2, "multiplying by W_QK")
    turned = read @ (W_Q @ W_K.mT)
    job.step(1, 2, "multiplying by W_QK")
    scores = turned @ read.mT / scene.model.divisor(scene.head.layer)
    return _same_pattern(scene, name, compares, scores)


def pattern_from_stream(scene: Scene, job: Job) -> Receipt:
    """Check that folded weights on the bare stream, only scaled, give the pattern.

    A norm's centring is in the folded weights, so the stream is not centred here. Positions turn,
    and distances lower, what the weights give, where the model does that.
    """
    model = scene.model
    name = "the pattern from folded weights and the stream"
    compares = (
        "softmax of the scores of folded W_Q and W_K on the stream over its norm's scale (double "
        "precision) against the model's own pattern"
    )
    if not model.scores_follow:
        return undefined(name, compares, MANY)
    stream = scene.passed.streams[scene.head.layer].double()
    scaled = stream / model.scale(stream)[:, None].double()
    scores = model.folded_scores(scene.head, scene.weights, scaled)
    return _same_pattern(scene, name, compares, scores)


def qk_at_distances(scene: Scene, job: Job) -> Receipt:
    """Check that QK circuits at a distance, asked one by one, give the scores of the run.

    What QKTokens answers about a position is this: weights turned by one offset, at the length of
    the prompt, between two streams.
    """
    model, head = scene.model, scene.head
    name = "QK at a distance, from the weights, is the run's score"
    compares = (
        "the last query with keys at up to "
        f"{DISTANCES} distances, each by W_Q and W_K turned by that offset alone, against the "
        f"score that the softmax was given: {OF_LARGEST}"
    )
    if not model.scores_follow:
        return undefined(name, compares, MANY)
    seen = (~scene.hidden[-1]).nonzero()[:, 0]
    few = seen[torch.linspace(0, len(seen) - 1, min(DISTANCES, len(seen))).long()].tolist()
    count, found = len(scene.read), []
    for place, key in enumerate(few):
        job.step(place, len(few), "turning weights")
        offset = count - 1 - key
        weights = double(model.head(head, offset, count))
        query = scene.read[-1] @ weights.W_Q + weights.b_Q
        score = query @ (scene.read[key] @ weights.W_K + weights.b_K) / model.divisor(head.layer)
        found.append(score - model.slope(head) * offset)
    scores = model.capped_scores(torch.stack(found))
    own = model.scores(scene.passed, head.layer, job)[head.number, -1, few]
    return measured(
        name,
        compares,
        apart(scores, own),
        SCORES * scene.single,
        ("largest score", float(own.abs().max())),
    )


def _same_pattern(
    scene: Scene, name: str, compares: str, scores: Float[Tensor, "query key"]
) -> Receipt:
    again = scores.masked_fill(scene.hidden, -torch.inf).softmax(-1)
    largest = float(scores.masked_fill(scene.hidden, 0).abs().max())
    return measured(
        name,
        f"{compares}: the largest difference",
        float((again - scene.pattern).abs().max()),
        # Rounding takes a share of a score, and softmax hands that on whole.
        scene.single * max(1.0, largest / 10),
        ("largest score", largest),
    )


def doubling(scene: Scene, job: Job) -> Receipt:
    """Check in the model itself that doubling what is read multiplies scores by 4, values by 2.

    "One attention head, taken apart", "Two linear operations, and only one is non-linear". Biases
    are taken off first; for the output the pattern is held as it was.
    """
    name = "doubling the stream multiplies scores by 4 and, A fixed, the output by 2"
    compares = (
        f"the model run again with what the layer reads doubled, biases taken off: {OF_LARGEST} "
        "in the scores and in r"
    )
    if scene.off:
        return undefined(name, compares, "the head is off: it has no output to double")
    if not scene.model.holds_patterns:
        return undefined(name, compares, "in this architecture a pattern cannot be held as it was")
    (layer, number), model = scene.head, scene.model
    norm_bias = model.norm_bias(layer)  # one of the biases: folding moves it into the others
    at, held = "attn.", scene.passed.patterns[layer]
    kept = scene.passed.layers.rerun(
        layer,
        [f"{at}hook_q", f"{at}hook_k", f"{at}hook_z"],
        {
            f"{at}hook_in": lambda read: 2 * read - norm_bias,
            f"{at}hook_pattern": lambda pattern: held,
        },
    )
    b_Q, b_K = scene.weights.b_Q, scene.weights.b_K
    kv, b_V = model.kv_head(number), scene.weights.b_V
    once = (scene.passed.queries[layer][number] - b_Q) @ (scene.passed.keys[layer][kv] - b_K).mT
    twice = (kept[f"{at}hook_q"][:, number] - b_Q) @ (kept[f"{at}hook_k"][:, kv] - b_K).mT
    moved = scene.own["z"][:, number] - b_V
    moved_twice = kept[f"{at}hook_z"][:, number] - b_V
    scores, output = apart(twice, 4 * once), apart(moved_twice, 2 * moved)
    return measured(
        name,
        compares,
        max(scores, output),
        scene.single,
        ("scores, off four times", scores),
        ("output, off twice", output),
    )
