"""Receipts: each claim of the texts, measured on the head in view."""

from engine.circuits.receipts.outputs import flattened, heads_add, orders
from engine.circuits.receipts.paths import path
from engine.circuits.receipts.patterns import (
    doubling,
    pattern_from_one_matrix,
    pattern_from_stream,
    qk_at_distances,
    rows_sum_to_one,
)
from engine.circuits.receipts.scene import DOUBLE, scene
from engine.circuits.receipts.tokens import (
    eigenvalues_sum_to_the_trace,
    ov_is_the_models,
    qk_is_the_models,
)
from engine.circuits.receipts.weights import (
    low_rank,
    mixed_product,
    queries_are_superficial,
    values_are_superficial,
)
from engine.circuits.receipts.whole import (
    attribution_adds_up,
    folding_changes_nothing,
    stream_adds_up,
)
from engine.job import Job
from engine.messages import Dtype, HeadReceipts, Receipt, Receipts
from engine.model import Model

CHECKS = (
    rows_sum_to_one,
    pattern_from_one_matrix,
    pattern_from_stream,
    qk_at_distances,
    doubling,
    heads_add,
    orders,
    flattened,
    low_rank,
    values_are_superficial,
    queries_are_superficial,
    mixed_product,
    stream_adds_up,
    attribution_adds_up,
    folding_changes_nothing,
    ov_is_the_models,
    qk_is_the_models,
    eigenvalues_sum_to_the_trace,
    path,
)

IDENTITIES = (
    flattened,
    low_rank,
    values_are_superficial,
    queries_are_superficial,
    mixed_product,
)
"""Those that hold for any weights: both sides are computed from the same ones."""


def receipts(model: Model, request: Receipts, job: Job) -> HeadReceipts:
    """Measure every check on a head and a prompt.

    The claims are those of "One attention head, taken apart" and "A Mathematical Framework for
    Transformer Circuits" (Elhage et al., 2021). A check that fails is returned like any other, and
    one that means nothing for the architecture says why.
    """
    seen = scene(model, request.run, request.head, job)
    found = []
    for place, check in enumerate(CHECKS):
        job.step(place, len(CHECKS), check.__name__.replace("_", " "))
        found.append(check(seen, job)._replace(identity=check in IDENTITIES))
    if model.placing.rounds:
        found = [_of_half(receipt, model.placing.dtype) for receipt in found]
    return HeadReceipts(tuple(found))


def _of_half(receipt: Receipt, dtype: Dtype) -> Receipt:
    """Return a check that says why its tolerance is wide, where it compares with a run."""
    if receipt.tolerance is None or receipt.tolerance <= DOUBLE:
        return receipt
    more = f"the model runs in half precision ({dtype}), whose rounding the tolerance allows"
    return receipt._replace(compares=f"{receipt.compares} ({more})")
