"""The tokens at both ends of one singular direction."""

import torch

from engine import lowrank
from engine.circuits.offsets import check_offset, said_offset
from engine.circuits.ranking import ends
from engine.circuits.spectrum import factors
from engine.job import Job
from engine.messages import Direction, OVDirection, QKDirection, Refused
from engine.model import Model


def direction(model: Model, request: Direction, job: Job) -> OVDirection | QKDirection:
    """Name the tokens that a singular direction reads and writes, or joins as query and key.

    Both unit vectors flip together so that the entry of largest magnitude at the write (key) end
    is positive. Values are the embeddings (as they are read) times the vector; at the write end,
    the vector times W_U. The method is that of "The Singular Value Decompositions of Transformer
    Weight Matrices are Highly Interpretable" (Millidge and Black, 2022).
    """
    check_offset(model, request.offset)
    U, S, Vh = lowrank.svd(*factors(model, request.head, request.circuit, request.offset))
    _check_index(request, lowrank.rank(S), len(S))
    near, far = U[:, request.index], Vh[request.index]
    if far[far.abs().argmax()] < 0:
        near, far = -near, -far
    value = float(S[request.index])
    group = next(g for g in lowrank.groups(S) if g.first <= request.index <= g.last)
    near, far = near.float(), far.float()
    if request.circuit == "ov":
        read = ends(model, model.vocabulary.read_by(near[:, None], job)[:, 0] + 0.0, request.k)
        write = ends(model, model.vocabulary.logits(far[:, None], job)[:, 0] + 0.0, request.k)
        return OVDirection(
            value,
            group,
            *read[:-1],
            *write[:-1],
            read_constant=read.constant,
            write_constant=write.constant,
        )
    scores = model.vocabulary.read_by(torch.stack([near, far], 1), job) + 0.0  # [d_vocab, 2]
    query, key = (ends(model, scores[:, side].contiguous(), request.k) for side in (0, 1))
    return QKDirection(
        value,
        group,
        *query[:-1],
        *key[:-1],
        offset=said_offset(model, request.offset),
        query_constant=query.constant,
        key_constant=key.constant,
    )


def _check_index(request: Direction, rank: int, d_head: int) -> None:
    if not 0 <= request.index < d_head:
        raise Refused(
            f"head {request.head} has singular values 0 to {d_head - 1}, not {request.index}"
        )
    if request.index >= rank:
        raise Refused(
            f"singular value {request.index} is zero to rounding and has no direction: the "
            f"{request.circuit} circuit has rank {rank}"
        )
