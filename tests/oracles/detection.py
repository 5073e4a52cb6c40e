"""What heads do on repeated random tokens, measured cell by cell."""

import torch
from torch import Tensor

from tests.oracles.checkpoint import Checkpoint
from tests.oracles.plain_transformer import run

MEASURES = ("induction", "previous_token", "first_token")


def repeated_ids(checkpoint: Checkpoint, length: int, chance: torch.Generator) -> list[int]:
    """Return BOS (where there is one), `length` random tokens, and the same again.

    The random tokens are distinct and none is BOS, so that a first occurrence is the only one.
    """
    drawn = torch.randperm(checkpoint.d_vocab, generator=chance).tolist()
    block = [token for token in drawn if token != checkpoint.bos_id][:length]
    first = [] if checkpoint.bos_id is None else [checkpoint.bos_id]
    return [*first, *block, *block]


def induction(pattern: Tensor, start: int, length: int) -> Tensor:
    """Return the mean attention to the token after the same token's place in the first copy.

    Parameters
    ----------
    pattern
        [head, query, key].
    start
        Where the first copy begins: 1 after a BOS.
    length
        Tokens in a copy.
    """
    cells = [
        pattern[:, start + length + i, start + i + 1]  # the copy's token i, and what came after it
        for i in range(length)
    ]
    return torch.stack(cells).mean(0)


def previous_token(pattern: Tensor) -> Tensor:
    """Return the mean attention one position back, over the rows that have one."""
    return torch.stack([pattern[:, q, q - 1] for q in range(1, pattern.shape[1])]).mean(0)


def first_token(pattern: Tensor) -> Tensor:
    """Return the mean attention to position 0, over the rows that have another choice."""
    return pattern[:, 1:, 0].mean(1)


def scores(checkpoint: Checkpoint, length: int, sequences: int, seed: int) -> dict[str, Tensor]:
    """Return each measure [sequence, layer, head] on seeded repeated random tokens."""
    chance = torch.Generator().manual_seed(seed)
    start = 0 if checkpoint.bos_id is None else 1
    found: dict[str, list[Tensor]] = {name: [] for name in MEASURES}
    for _ in range(sequences):
        patterns = run(checkpoint, repeated_ids(checkpoint, length, chance)).patterns
        found["induction"].append(torch.stack([induction(p, start, length) for p in patterns]))
        found["previous_token"].append(torch.stack([previous_token(p) for p in patterns]))
        found["first_token"].append(torch.stack([first_token(p) for p in patterns]))
    return {name: torch.stack(rows) for name, rows in found.items()}
