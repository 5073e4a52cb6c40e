"""What stands for the token that a question is about."""

from typing import NamedTuple

from jaxtyping import Float
from torch import Tensor

from engine.circuits.prompt import position
from engine.job import Job
from engine.messages import OVTokens, QKOffsets, QKTokens, Refused, Source
from engine.model import Model


class Read(NamedTuple):
    """A token as a head reads it."""

    token: int
    vector: Float[Tensor, " d_model"]


def check_source(model: Model, request: OVTokens | QKTokens | QKOffsets) -> None:
    """Refuse sources that the model has not."""
    if request.source == "token+mlp0" and model.d_mlp == 0:
        raise Refused(
            f"{request.model} has no MLP, so there is no source token+mlp0: use token or position"
        )


def token_read(model: Model, token: int, source: Source) -> Float[Tensor, " d_model"]:
    """Return a token of the vocabulary as a head reads it: its embedding, or that and MLP 0."""
    if source == "token+mlp0":
        return model.read(model.vocabulary.after_first_mlp(model.vocabulary.embedded((token,))))[0]
    return model.vocabulary.embedding(token)


def named_token(model: Model, request: OVTokens | QKTokens) -> int:
    """Return the id of the token that a question names."""
    if request.token is None:
        raise Refused("name a token, or use source position with a prompt and a position")
    if request.run is not None or request.position is not None:
        raise Refused("a prompt and a position go with source position only, not with a token")
    return model.tokens.resolve(request.token)


def read_token(model: Model, request: OVTokens | QKTokens, job: Job) -> Read:
    """Return the asked token as the head reads it.

    Parameters
    ----------
    request : OVTokens or QKTokens
        Names a token, or a prompt and a position.
    """
    if request.source != "position":
        token = named_token(model, request)
        return Read(token, token_read(model, token, request.source))
    if request.token is not None:
        raise Refused("with source position the token is the one in the prompt: name no token")
    if request.run is None or request.position is None:
        raise Refused("source position needs a prompt (text) and a position in it")
    ids, _ = model.encode(request.run)
    place = position(request.position, len(ids))
    stream = model.run(request.run, job).streams[request.head.layer][place]
    return Read(ids[place], model.read(stream))


def listed_source(model: Model, request: QKTokens) -> Source:
    """Return what stands for each token of the vocabulary at the other end of a QK circuit.

    The same as for the token asked about. Against the stream at a position, which no token of the
    vocabulary has, it is what comes closest to a stream there: in layers beyond the first of a
    model with MLPs the embedding after the first of them, elsewhere the bare embedding.
    """
    if request.source != "position":
        return request.source
    return "token+mlp0" if request.head.layer > 0 and model.d_mlp else "token"
