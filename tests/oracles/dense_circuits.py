"""A head's circuits as dense float64 products, without any low-rank shortcut.

Row convention throughout: OV is [source, output], QK is [query, key]. Where the model has a norm,
what it ignores is taken out first: reading and writing matrices lose their all-ones part (the norm
centres what is read and what was written), W_U its mean over the vocabulary (softmax does not see
it), and b_V moves into b_O (rows of a pattern sum to 1). A model without a norm is left alone.
"""

from dataclasses import replace

import torch
from torch import Tensor

from tests.oracles.checkpoint import Checkpoint
from tests.oracles.plain_transformer import normalise


def off_ones(checkpoint: Checkpoint) -> Tensor:
    """Return the projector [d_model, d_model] off the all-ones direction; identity without norm."""
    identity = torch.eye(checkpoint.d_model, dtype=torch.float64)
    return identity - 1 / checkpoint.d_model if checkpoint.norm else identity


def token_vectors(checkpoint: Checkpoint) -> Tensor:
    """Return every token's embedding as a layer's norm hands it on, [d_vocab, d_model]."""
    return normalise(checkpoint, checkpoint["embed.W_E"])


def unembedding(checkpoint: Checkpoint) -> Tensor:
    """Return W_U [d_model, d_vocab], centred over the vocabulary where the model has a norm."""
    unembed = checkpoint["unembed.W_U"]
    if not checkpoint.norm:
        return unembed
    return off_ones(checkpoint) @ (unembed - unembed.mean(1, keepdim=True))


def ov_matrix(checkpoint: Checkpoint, layer: int, head: int) -> Tensor:
    """Return W_V W_O [d_model, d_model], stream read to stream written."""
    project = off_ones(checkpoint)
    read, write = (checkpoint.of_head(layer, head, name) for name in ("W_V", "W_O"))
    return (project @ read) @ (write @ project)


def qk_matrix(checkpoint: Checkpoint, layer: int, head: int) -> Tensor:
    """Return W_Q W_K^T [d_model, d_model], before division."""
    project = off_ones(checkpoint)
    query, key = (checkpoint.of_head(layer, head, name) for name in ("W_Q", "W_K"))
    return (project @ query) @ (project @ key).T


def ov_of(checkpoint: Checkpoint, layer: int, head: int, sources: Tensor) -> Tensor:
    """Return the logits [source, d_vocab] that reading the vectors [source, d_model] adds."""
    return sources @ ov_matrix(checkpoint, layer, head) @ unembedding(checkpoint)


def ov_table(checkpoint: Checkpoint, layer: int, head: int) -> Tensor:
    """Return the whole OV circuit [source token, output token] (d_vocab squared numbers)."""
    return ov_of(checkpoint, layer, head, token_vectors(checkpoint))


def ov_onto(checkpoint: Checkpoint, layer: int, head: int, output: int) -> Tensor:
    """Return how much reading each token raises one output, [source token]."""
    to_output = ov_matrix(checkpoint, layer, head) @ unembedding(checkpoint)[:, output]
    return token_vectors(checkpoint) @ to_output


def scores_between(
    checkpoint: Checkpoint,
    layer: int,
    head: int,
    queries: Tensor,
    keys: Tensor,
    *,
    biases: bool = False,
) -> Tensor:
    """Return divided scores [query, key] between vectors a head reads.

    Biases are one more column for an always-1 input, as the second text folds them.
    """
    product = qk_matrix(checkpoint, layer, head)
    if biases:
        project = off_ones(checkpoint)
        with_bias = {
            x: torch.cat(
                [
                    project @ checkpoint.of_head(layer, head, f"W_{x}"),
                    checkpoint.of_head(layer, head, f"b_{x}")[None],
                ]
            )
            for x in "QK"
        }
        product = with_bias["Q"] @ with_bias["K"].T  # [d_model + 1, d_model + 1]
        queries, keys = (torch.cat([x, torch.ones(len(x), 1).double()], 1) for x in (queries, keys))
    return queries @ product @ keys.T / checkpoint.d_head**0.5


def qk_table(checkpoint: Checkpoint, layer: int, head: int) -> Tensor:
    """Return the whole QK circuit [query token, key token], divided."""
    vectors = token_vectors(checkpoint)
    return scores_between(checkpoint, layer, head, vectors, vectors)


def value_norms(checkpoint: Checkpoint, layer: int, head: int, values: Tensor) -> Tensor:
    """Return the length of what each value [position, d_head], b_V in it, would have written."""
    W_O = checkpoint.of_head(layer, head, "W_O") @ off_ones(checkpoint)
    return (values @ W_O).norm(dim=-1)


def overlap(matrix: Tensor) -> tuple[float, int]:
    """Return ||U^T V||_F^2 / r of a dense matrix's two subspaces, and its numerical rank r."""
    u, s, vh = torch.linalg.svd(matrix)
    r = int((s > 1e-6 * s[0]).sum())
    return float((u[:, :r].T @ vh[:r].T).square().sum() / r), r


def directions(matrix: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return read (query) ends [index, d_model], values [index], write (key) ends [index, d_model].

    Both ends flip together so that the largest entry of the write (key) end is positive.
    """
    u, s, vh = torch.linalg.svd(matrix)
    sign = vh.gather(1, vh.abs().argmax(1, keepdim=True)).sign()  # [index, 1]
    return sign * u.T, s, sign * vh


def near_equal_groups(values: list[float]) -> list[tuple[int, int]]:
    """Return first and last index of each run of values within 1 % of the run's first.

    Values below 1e-6 of the largest never share a run.
    """
    groups: list[tuple[int, int]] = []
    for i, value in enumerate(values):
        if groups and value >= 1e-6 * values[0]:
            first = groups[-1][0]
            if values[first] - value <= 0.01 * values[first]:
                groups[-1] = (first, i)
                continue
        groups.append((i, i))
    return groups


def folded(checkpoint: Checkpoint) -> Checkpoint:
    """Return the whole checkpoint folded; its log-probabilities must be those of the raw one."""
    project, tensors = off_ones(checkpoint), dict(checkpoint.tensors)
    for name in ("embed.W_E", "pos_embed.W_pos"):
        if name in tensors:
            tensors[name] = tensors[name] @ project
    tensors["unembed.W_U"] = unembedding(checkpoint)
    for layer in range(checkpoint.n_layers):
        at = f"blocks.{layer}.attn."
        carried = torch.einsum("hd,hdm->m", tensors[f"{at}b_V"], tensors[f"{at}W_O"])
        tensors[f"{at}b_O"] = (tensors[f"{at}b_O"] + carried) @ project
        tensors[f"{at}b_V"] = torch.zeros_like(tensors[f"{at}b_V"])
        tensors[f"{at}W_O"] = tensors[f"{at}W_O"] @ project
        for x in "QKV":
            tensors[f"{at}W_{x}"] = project @ tensors[f"{at}W_{x}"]
    return replace(checkpoint, tensors=tensors)
