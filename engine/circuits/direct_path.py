"""The direct path, one row or column of W_E W_U at a time."""

from engine.circuits.ranking import ranked
from engine.job import Job
from engine.messages import DirectPath, TokenRanking
from engine.model import Model


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
