"""Receipts: each claim of the texts, measured on the head in view."""

from engine.circuits.checks.attention import (
    doubling,
    flattened,
    heads_add,
    orders,
    pattern_from_one_matrix,
    pattern_from_stream,
    qk_at_distances,
    rows_sum_to_one,
)
from engine.circuits.checks.inputs import DOUBLE, check_inputs
from engine.circuits.checks.weights import (
    eigenvalues_sum_to_the_trace,
    low_rank,
    mixed_product,
    ov_is_the_models,
    qk_is_the_models,
    queries_are_superficial,
    values_are_superficial,
)
from engine.circuits.checks.whole_model import (
    attribution_adds_up,
    folding_changes_nothing,
    path,
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


def checks(model: Model, request: Receipts, job: Job) -> HeadReceipts:
    """Measure every check on a head and a prompt.

    The claims are those of "One attention head, taken apart" and "A Mathematical Framework for
    Transformer Circuits" (Elhage et al., 2021). A check that fails is returned like any other, and
    one that means nothing for the architecture says why.
    """
    seen = check_inputs(model, request.run, request.head, job)
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
