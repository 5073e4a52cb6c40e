"""Models made for the tests, written in the format of the bundled ones.

Random ones, whose sizes all differ and whose biases are all non-zero, and the second text's
hand-sized heads (none of these has a norm, positions or BOS; their W_U is the identity, so that
logits are the stream).
"""

from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from tests.oracles import checkpoint, hand_toys, toy_head

RANDOM = ("random", "random-without-norm")
WIDE = "random-wide"  # more numbers in W_E than fit into one chunk of 2^20
WIDE_SIZES = (1, 2, 256, 6, 17_000, 12)
WORDS = ("a", "b", "c")
PERFECT = "perfect-heads"  # induction, previous-token and first-token head
COPY = 4
SPLIT = "second-split"  # the first text's head, W_Q and W_K split in the other way
LADDER = "ladder"  # singular values of one head each, of both circuits, and their groups
LADDERS = (
    ((2, 2, 1, 0.5), [(0, 1), (2, 2), (3, 3)]),
    ((1, 8e-3, 2e-4, 1e-5), [(0, 0), (1, 1), (2, 2), (3, 3)]),
    ((1, 0.995, 0.991, 0.985), [(0, 2), (3, 3)]),  # 0.985 is near 0.991, and far from the first
    ((1, 1e-8, 1e-8, 1e-8), [(0, 0), (1, 1), (2, 2), (3, 3)]),  # rounding is no subspace
)


def _three_tokens(factor: float) -> tuple[np.ndarray, ...]:
    """Return the head whose third row is the given one: token 3 asks, each key is a logarithm."""
    query = np.array([[0.0, 0, 1]])
    key = np.log(hand_toys.PATTERN[2]) @ np.linalg.inv(hand_toys.STREAM).T
    return query, key[None], factor * hand_toys.W_V, hand_toys.W_O / factor


def _side_by_side() -> list[tuple[np.ndarray, ...]]:
    """Return two heads that make the results of `hand_toys` out of the first token (1, 0, 0)."""
    nothing, first = np.zeros((2, 3)), np.array([[1.0, 0, 0]])
    slices = np.split(hand_toys.BIG_W_O, 2, axis=1)
    return [
        (nothing, nothing, result[:, None] @ first, w)
        for result, w in zip(hand_toys.RESULTS, slices, strict=True)
    ]


def _by_position() -> dict[str, Tensor]:
    """Return three heads that see positions only and put all their weight where a measure looks.

    The context has room for BOS and two copies of `COPY` tokens, so that each measure's cells lie
    at known positions whatever the tokens are.
    """
    n_ctx = 2 * COPY + 1
    after_first = [q - COPY + 1 if q > COPY else 0 for q in range(n_ctx)]
    one_back = [max(q - 1, 0) for q in range(n_ctx)]
    keys, nothing, heads = np.eye(n_ctx), np.zeros((n_ctx, n_ctx)), []
    for targets in (after_first, one_back, [0] * n_ctx):
        query = 40 * n_ctx**0.5 * np.eye(n_ctx)[targets].T  # weight e^-40 elsewhere
        heads.append((query, keys, nothing, nothing))
    no_token = np.zeros((n_ctx + 2, n_ctx))
    tensors = checkpoint.one_layer(no_token, no_token, heads)
    return tensors | {"pos_embed.W_pos": torch.eye(n_ctx).double()}


def _ladder(values: tuple[float, ...]) -> tuple[np.ndarray, ...]:
    """Return a head that reads and writes some directions with the given strengths."""
    steps = np.diag(values)
    reads = np.hstack([steps, np.zeros((4, 3))])  # [d_head, d_model]
    writes = np.hstack([np.zeros((4, 3)), np.eye(4)])
    return reads, writes, reads, writes.T


def write_all(models: Path) -> None:
    """Write every made model into a folder, one folder each."""
    for name, norm in zip(RANDOM, (True, False), strict=True):
        checkpoint.write_random(models / name, norm=norm)
    checkpoint.write_random(models / WIDE, WIDE_SIZES)
    perfect = _by_position()
    words = ["<|BOS|>", *(f"w{i}" for i in range(1, len(perfect["embed.W_E"])))]
    checkpoint.write(models / PERFECT, perfect, words, norm=False, bos=words[0])
    embed = np.random.default_rng(0).normal(size=(5, 7))
    ladder = checkpoint.one_layer(embed, embed, [_ladder(values) for values, _ in LADDERS])
    checkpoint.write(models / LADDER, ladder, "abcde", norm=False, bos=None)
    second = (toy_head.SECOND_W_Q, toy_head.SECOND_W_K, toy_head.W_V, toy_head.W_O)
    split = checkpoint.one_layer(toy_head.X, toy_head.W_U, [second])
    checkpoint.write(models / SPLIT, split, toy_head.TOKENS, norm=False, bos=None)
    even = np.zeros((2, 2))
    no_value = (np.zeros((1, 2)), np.zeros((2, 1)))
    by_hand = {
        "three-tokens": (hand_toys.STREAM, [_three_tokens(1)]),
        "three-tokens-rescaled": (hand_toys.STREAM, [_three_tokens(2)]),
        "side-by-side": (np.eye(3), _side_by_side()),
        "half-of-each": (hand_toys.TABLE, [(even, even, np.eye(2), hand_toys.SWAP)]),
        "meeting": (
            np.stack([hand_toys.DESTINATION, hand_toys.SOURCE]),
            [(hand_toys.QUERY_READS, hand_toys.KEY_READS, *no_value)],
        ),
    }
    for name, (embed, heads) in by_hand.items():
        tensors = checkpoint.one_layer(embed, np.eye(len(embed)), heads)
        words = WORDS[: len(embed)]
        checkpoint.write(models / name, tensors, words, norm=False, bos=None)
