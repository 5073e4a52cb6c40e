"""Token tables of OV, QK and the direct path: one row or column at a time, or a small one whole."""

import torch

from engine.circuits.positions import check_offset, said_offset
from engine.circuits.ranking import Listed, is_constant, ranked
from engine.circuits.source_vectors import check_source, listed_source, named_token, read_token
from engine.job import Job
from engine.messages import (
    SMALL_VOCABULARY,
    DirectPath,
    OVTokens,
    QKTokens,
    Refused,
    ScoreRanking,
    Table,
    TokenRanking,
    TokenTable,
)
from engine.model import Model


def ov_tokens(model: Model, request: OVTokens, job: Job) -> TokenRanking:
    """Rank the vocabulary by what a head raises for a token, or by what raises a token.

    The circuit is that of "A Mathematical Framework for Transformer Circuits" (Elhage et al.,
    2021), "Splitting attention head terms into circuits", with folded weights; b_O and the final
    norm's scale are left out.
    """
    listed = ov_values(model, request, job)
    return TokenRanking(
        **ranked(model, listed.values, listed.token, request.k),
        source=listed.source,
        vocabulary_source=listed.vocabulary_source,
    )


def ov_values(model: Model, request: OVTokens, job: Job) -> Listed:
    """Return the value of every token; parameters are those of `ov_tokens`."""
    weights = model.head(request.head)
    check_source(model, request)
    if request.direction == "output":
        token, vector = read_token(model, request, job)
        written = vector @ weights.W_V @ weights.W_O  # [d_model]
        values = model.vocabulary.logits(written[:, None], job)[:, 0]
        ends = (str(request.source), "unembedding")
    else:
        if request.source == "position":
            raise Refused(
                "direction source lists every token by its embedding: use source token, or "
                "direction output with source position"
            )
        token = named_token(model, request)
        wanted = weights.W_V @ (weights.W_O @ model.vocabulary.unembedding(token))  # [d_model]
        values = model.vocabulary.read_by(wanted[:, None], job, request.source)[:, 0]
        ends = ("unembedding", str(request.source))
    return Listed(token, values + 0.0, *ends)  # no negative zeros


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


def direct_path(model: Model, request: DirectPath, job: Job) -> TokenRanking:
    """Rank the vocabulary by what a token's own embedding raises, or by what raises a token.

    The table W_E W_U is the "direct path" term of "A Mathematical Framework for Transformer
    Circuits" (Elhage et al., 2021), "The path expansion trick": bigram statistics. Embeddings go
    through the norm, alone; positions and b_U are left out.
    """
    token = model.tokens.resolve(request.token)
    if request.direction == "output":
        values = model.vocabulary.logits(model.vocabulary.embedding(token)[:, None], job)[:, 0]
        source, vocabulary_source = "token", "unembedding"
    else:
        values = model.vocabulary.read_by(model.vocabulary.unembedding(token)[:, None], job)[:, 0]
        source, vocabulary_source = "unembedding", "token"
    values = values + 0.0  # no negative zeros
    return TokenRanking(
        **ranked(model, values, token, request.k),
        source=source,
        vocabulary_source=vocabulary_source,
    )


def table(model: Model, request: Table, job: Job) -> TokenTable:
    """Return W_E W_V W_O W_U or W_E W_Q (W_E W_K)^T as a whole."""
    check_offset(model, request.offset)
    weights = model.head(request.head, request.offset)
    if model.d_vocab > SMALL_VOCABULARY:
        raise Refused(
            f"a whole table is made for at most {SMALL_VOCABULARY} tokens, and {model.name} has "
            f"{model.d_vocab:,}: ask for one token's row"
        )
    embeddings = torch.stack([model.vocabulary.embedding(token) for token in range(model.d_vocab)])
    if request.circuit == "ov":
        values = model.vocabulary.logits((embeddings @ weights.W_V @ weights.W_O).mT, job).mT
        divisor = None
    else:
        model.check_scores()
        divisor = model.divisor(request.head.layer)
        values = embeddings @ weights.W_Q @ (embeddings @ weights.W_K).mT / divisor
    return TokenTable(
        labels=model.tokens.labels,
        values=values.numpy() + 0.0,
        divisor=divisor,
        offset=said_offset(model, request.offset, request.circuit),
        constant=tuple(token for token, row in enumerate(values) if is_constant(row)),
    )
