"""Two heads in a row as one head."""

from engine import lowrank
from engine.circuits.eigenvalues import positivity, sorted_eigenvalues
from engine.circuits.head_output import moved
from engine.circuits.ranking import ends, rank_of
from engine.circuits.spectrum import factors
from engine.job import Job
from engine.messages import Head, Refused, VirtualHead, VirtualHeadParts
from engine.model import Model


def check_order(earlier: Head, later: Head) -> None:
    """Refuse two heads of which the later cannot read the earlier."""
    if earlier.layer >= later.layer:
        raise Refused(
            f"head {later} is not in a later layer than {earlier}, so that it cannot read what "
            "that one writes"
        )


def virtual_head(model: Model, request: VirtualHead, job: Job) -> VirtualHeadParts:
    """Compose the patterns and the OV circuits of two heads.

    (A2 x W_OV2)(A1 x W_OV1) = A2 A1 x W_OV1 W_OV2 in row convention, a head again: "A Mathematical
    Framework for Transformer Circuits" (Elhage et al., 2021), "Virtual attention heads". With a
    norm between the layers the contribution is exactly A2 diag(1/s) A1, s the scale that the later
    layer's norm has on this run; where a norm follows the heads, A1 and A2 are over its scale at
    the query. The share is (c . v) / (v . v), v what the later head gives, A2 (X W_V2 + b_V2) W_O2,
    and c the part of it that reads what the earlier one gives, its b_V included: all parts of what
    is read, and b_V2, sum to 1.
    """
    earlier, later = request.earlier, request.later
    (V_1, O_1), (V_2, O_2) = (factors(model, head, "ov") for head in (earlier, later))
    check_order(earlier, later)
    token = model.tokens.resolve(request.token)
    passed = model.run(request.run, job)
    first, second = (passed.patterns[head.layer][head.number] for head in (earlier, later))
    stream = passed.streams[later.layer]
    scale = model.scale(stream)[:, None] * passed.output_scale(earlier.layer)[:, None]
    after = passed.output_scale(later.layer)[:, None]
    weights = model.head(later)
    output = second @ moved(model, passed, later) / after  # [query, d_model]
    through = first @ moved(model, passed, earlier) / scale @ weights.W_V
    given = second @ through @ weights.W_O / after
    along, whole = (given * output).sum(-1), output.square().sum(-1)
    written = model.vocabulary.embedding(token).double() @ V_1 @ O_1 @ V_2 @ O_2
    values = model.vocabulary.logits(written.float()[:, None], job)[:, 0] + 0.0  # no negative zeros
    core = O_1 @ V_2 @ O_2 @ model.vocabulary.gram("ov", job) @ V_1
    return VirtualHeadParts(
        source_labels=model.tokens.labelled(passed.ids),
        product=(second @ first).numpy(),
        exact=(second @ (first / scale) / after).numpy() if model.normalized else None,
        **ends(model, values, request.k)._asdict(),
        token_id=token,
        token_label=model.tokens.labels[token],
        rank=rank_of(values, token),
        value=float(values[token]),
        d_vocab=model.d_vocab,
        eigenvalue_copying=positivity(sorted_eigenvalues(core)),
        singular_values=lowrank.all_singular_values(O_1 @ V_2).numpy(),
        share=float(along.sum() / whole.sum()),
        shares=(along / whole).numpy(),
    )
