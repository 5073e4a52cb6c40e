"""The QK circuit of a head, one row or column of W_E W_Q (W_E W_K)^T at a time."""

from engine.circuits.offsets import check_offset, said_offset
from engine.circuits.ranking import Listed, ranked
from engine.circuits.source_vectors import check_source, listed_source, read_token
from engine.job import Job
from engine.messages import QKTokens, ScoreRanking
from engine.model import Model


def qk_tokens(model: Model, request: QKTokens, job: Job) -> ScoreRanking:
    """Rank the vocabulary as keys of a query token, or as queries of a key token.

    The circuit is that of "A Mathematical Framework for Transformer Circuits" (Elhage et al.,
    2021), "Splitting attention head terms into circuits", with folded weights, divided by the
    model's divisor. Learned positions are left out of the vocabulary's end, and b_Q and b_K
    unless the request adds them. With ALiBi, slope times offset is taken off; a cap is left out,
    for it changes no order.
    """
    listed, slope = qk_values(model, request, job), model.slope(request.head)
    return ScoreRanking(
        **ranked(model, listed.values, listed.token, request.k),
        source=listed.source,
        vocabulary_source=listed.vocabulary_source,
        divisor=model.divisor(request.head.layer),
        length=model.turned_length(request.head.layer, request.offset, _length(model, request)),
        offset=request.offset if slope else said_offset(model, request.offset),
        slope=slope,
        cap=model.score_cap,
    )


def qk_values(model: Model, request: QKTokens, job: Job) -> Listed:
    """Return the score of every token; parameters are those of `qk_tokens`."""
    model.check_head(request.head)
    check_source(model, request)
    check_offset(model, request.offset, adds=True)
    model.check_scores()
    layer = request.head.layer
    weights = model.head(request.head, request.offset, _length(model, request))
    token, vector = read_token(model, request, job)
    near, far = (weights.W_Q, weights.W_K), (weights.b_Q, weights.b_K)
    if request.side == "key":
        near, far = near[::-1], far[::-1]
    asked = vector @ near[0] + (far[0] if request.biases else 0)  # [d_head]
    listed = listed_source(model, request)
    values = model.vocabulary.read_by((near[1] @ asked)[:, None], job, listed)[:, 0]
    if request.biases:
        values = values + asked @ far[1]
    slope = model.slope(request.head)
    values = values / model.divisor(layer) - slope * request.offset
    return Listed(token, values + 0.0, str(request.source), listed)  # no negative zeros


def _length(model: Model, request: QKTokens) -> int | None:
    """Return how many tokens the prompt has, where the question is about one."""
    return None if request.run is None else len(model.encode(request.run)[0])
