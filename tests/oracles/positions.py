"""Scores against distance and place, by every pair of tokens multiplied out in float64."""

import copy

import torch
from torch import Tensor

from tests.oracles import dense_circuits, hugging_face
from tests.oracles.checkpoint import Checkpoint
from tests.oracles.plain_transformer import normalise


def after_first_mlp(model, tokens: Tensor) -> Tensor:
    """Return embeddings [token, d_model] of a Llama plus what its first MLP writes, float64."""
    block = copy.deepcopy(model.base_model.layers[0]).double()
    embedded = model.base_model.embed_tokens.weight.double()[tokens]
    return embedded + block.mlp(block.post_attention_layernorm(embedded))


def by_position(
    checkpoint: Checkpoint, layer: int, head: int, count: int, *, biases: bool
) -> Tensor:
    """Return the mean of all scores [query token, key token] at each [query, key] position.

    Every pair of tokens stands at every pair of positions, its embeddings plus their rows of
    W_pos through the norm.
    """
    reads = normalise(
        checkpoint, checkpoint["embed.W_E"][:, None] + checkpoint["pos_embed.W_pos"][:count]
    )  # [token, position, d_model]
    return torch.tensor(
        [
            [
                dense_circuits.scores_between(
                    checkpoint, layer, head, reads[:, query], reads[:, key], biases=biases
                ).mean()
                for key in range(count)
            ]
            for query in range(count)
        ]
    )


def read_on_average(checkpoint: Checkpoint, count: int) -> Tensor:
    """Return the mean over all tokens of what is read at each position, [position, d_model]."""
    W_E, W_pos = checkpoint["embed.W_E"], checkpoint["pos_embed.W_pos"]
    return torch.stack([normalise(checkpoint, W_E + row).mean(0) for row in W_pos[:count]])


def gpt2_by_position(model, head: dict, count: int, *, biases: bool) -> Tensor:
    """Return the same of a head of transformers' GPT-2, its norm with weights and biases."""
    W_pos = model.base_model.wpe.weight.double()[:count]
    reads = hugging_face.normed(head, head["W_E"][:, None] + W_pos)
    kept = 1.0 if biases else 0.0
    reads = reads - (1 - kept) * head["bias"]
    queries = reads @ head["W_Q"] + kept * head["b_Q"]  # [token, position, d_head]
    keys = reads @ head["W_K"] + kept * head["b_K"]
    scores = torch.einsum("aqd,bkd->abqk", queries, keys)
    return scores.mean((0, 1)) / head["d_head"] ** 0.5
