"""The OV circuit of a head, one column or row of W_E W_V W_O W_U at a time."""

from engine.circuits.ranking import Listed, ranked
from engine.circuits.source_vectors import check_source, named_token, read_token
from engine.job import Job
from engine.messages import OVTokens, Refused, TokenRanking
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
