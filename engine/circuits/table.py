"""A head's whole token table, where the vocabulary is small enough to show it."""

import torch

from engine.circuits.offsets import check_offset, said_offset
from engine.circuits.ranking import is_constant
from engine.job import Job
from engine.messages import SMALL_VOCABULARY, Refused, Table, TokenTable
from engine.model import Model


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
