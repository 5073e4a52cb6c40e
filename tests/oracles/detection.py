"""What heads do on repeated random tokens, measured cell by cell."""

import torch
from torch import Tensor

from tests.oracles.checkpoint import Checkpoint
from tests.oracles.plain_transformer import run

MEASURES = (
    "induction", "previous_token", "duplicate_token", "first_token", "entropy", "distance",
)  # fmt: skip


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


def duplicate_token(pattern: Tensor, start: int, length: int) -> Tensor:
    """Return the mean attention from each token of the second copy to itself in the first."""
    cells = [pattern[:, start + length + i, start + i] for i in range(length)]
    return torch.stack(cells).mean(0)


def entropy(pattern: Tensor) -> Tensor:
    """Return the mean entropy in nats of the rows that have a choice, 0 log 0 being 0."""
    rows = []
    for q in range(1, pattern.shape[1]):
        seen = pattern[:, q, : q + 1]
        rows.append(-torch.where(seen > 0, seen * seen.log(), 0).sum(-1))
    return torch.stack(rows).mean(0)


def distance(pattern: Tensor) -> Tensor:
    """Return the mean of query minus key, weighted by attention, over rows that have a choice."""
    rows = [
        sum((q - k) * pattern[:, q, k] for k in range(q + 1)) for q in range(1, pattern.shape[1])
    ]
    return torch.stack(rows).mean(0)


def on_ids(pattern: Tensor, ids: list[int]) -> dict[str, Tensor]:
    """Return each measure on tokens that repeat as they like, NaN where none does.

    A token's row counts for induction and duplicates if the token stands somewhere before it; its
    attention to all that followed those places, or to all those places, is added up.
    """
    nothing = torch.full((len(pattern),), torch.nan, dtype=pattern.dtype)
    follows, same = [], []
    for q, token in enumerate(ids):
        before = [k for k in range(q) if ids[k] == token]
        if before:
            follows.append(sum(pattern[:, q, k + 1] for k in before))
            same.append(sum(pattern[:, q, k] for k in before))
    one = len(ids) == 1
    return {
        "induction": torch.stack(follows).mean(0) if follows else nothing,
        "duplicate_token": torch.stack(same).mean(0) if same else nothing,
        "previous_token": nothing if one else previous_token(pattern),
        "first_token": nothing if one else first_token(pattern),
        "entropy": nothing if one else entropy(pattern),
        "distance": nothing if one else distance(pattern),
    }


def scores(checkpoint: Checkpoint, length: int, sequences: int, seed: int) -> dict[str, Tensor]:
    """Return each measure [sequence, layer, head] on seeded repeated random tokens."""
    chance = torch.Generator().manual_seed(seed)
    start = 0 if checkpoint.bos_id is None else 1
    found: dict[str, list[Tensor]] = {name: [] for name in MEASURES}
    for _ in range(sequences):
        patterns = run(checkpoint, repeated_ids(checkpoint, length, chance)).patterns
        found["induction"].append(torch.stack([induction(p, start, length) for p in patterns]))
        found["duplicate_token"].append(
            torch.stack([duplicate_token(p, start, length) for p in patterns])
        )
        found["entropy"].append(torch.stack([entropy(p) for p in patterns]))
        found["distance"].append(torch.stack([distance(p) for p in patterns]))
        found["previous_token"].append(torch.stack([previous_token(p) for p in patterns]))
        found["first_token"].append(torch.stack([first_token(p) for p in patterns]))
    return {name: torch.stack(rows) for name, rows in found.items()}
