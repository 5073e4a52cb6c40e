"""The check that an induction head works through an earlier head."""

import numpy as np
import torch
from torch import Tensor

from engine.circuits.receipts.scene import Scene, measured, undefined
from engine.job import Job
from engine.messages import Head, Receipt
from engine.model import Model

LENGTH = 48
SEQUENCES = 2
LEAST = 0.2
"""Induction score from which a head counts as one that does it."""


def path(scene: Scene, job: Job) -> Receipt:
    """Check that the head's induction score is gone once the previous-token head is zeroed.

    The path is that of "A Mathematical Framework for Transformer Circuits" (Elhage et al., 2021),
    "Induction heads": an earlier head tags each position with the token before, and the later
    one's keys read the tag.
    """
    name = "path check: without the previous-token head, no induction"
    compares = (
        "the mean induction score of this head on seeded repeated random tokens with the earlier "
        "head's r zeroed, against half of it in the whole model"
    )
    (layer, number), model = scene.head, scene.model
    if layer == 0:
        return undefined(name, compares, "no head is earlier than one of layer 0")
    whole, previous = 0.0, torch.zeros(layer, model.n_heads)
    prompts = _repeated(model)
    for place, (ids, length) in enumerate(prompts):
        job.step(place, 2 * len(prompts), "running random tokens")
        patterns = model.run_ids(ids, job).patterns
        whole += _induction(patterns[layer][number], length) / len(prompts)
        back = torch.stack([p.diagonal(-1, -2, -1).mean(-1) for p in patterns[:layer]])
        previous += back / len(prompts)
    if whole < LEAST:
        return undefined(
            name,
            compares,
            f"the head's induction score is {whole:.2f}: below {LEAST}, there is no induction to "
            "take away",
        )
    earlier = Head(*divmod(int(previous.argmax()), model.n_heads))
    without = 0.0
    for place, (ids, length) in enumerate(prompts):
        job.step(len(prompts) + place, 2 * len(prompts), f"running without {earlier}")
        pattern = _without(model, ids, earlier, scene.head, job)
        without += _induction(pattern, length) / len(prompts)
    return measured(
        f"{name} ({earlier} zeroed)",
        compares,
        without,
        whole / 2,
        ("induction score in the whole model", whole),
        ("previous-token score of the earlier head", float(previous.max())),
    )


def _repeated(model: Model) -> list[tuple[tuple[int, ...], int]]:
    """Return seeded prompts, BOS and r random tokens twice, each with its r."""
    bos = [] if model.tokens.bos_id is None else [model.tokens.bos_id]
    ordinary = np.setdiff1d(np.arange(model.d_vocab), sorted(model.tokens.special_ids))
    length = min(LENGTH, (model.n_ctx - len(bos)) // 2, len(ordinary))
    chance = np.random.default_rng(0)
    blocks = [chance.choice(ordinary, length, replace=False).tolist() for _ in range(SEQUENCES)]
    return [((*bos, *block, *block), length) for block in blocks]


def _induction(pattern: Tensor, length: int) -> float:
    """Return the mean attention of the second copy to the token after its first occurrence."""
    second = pattern[-length:]
    return float(second.diagonal(len(pattern) - 2 * length + 1, -2, -1).mean())


def _without(model: Model, ids: tuple[int, ...], off: Head, head: Head, job: Job) -> Tensor:
    """Return a head's pattern with an earlier head writing nothing."""

    def zeroed(z: Tensor) -> Tensor:
        z = z.clone()
        z[:, off.number] = 0
        return z

    name = f"blocks.{head.layer}.attn.hook_pattern"
    kept = model.probe(ids, job, [name], {f"blocks.{off.layer}.attn.hook_z": zeroed})
    pattern: Tensor = kept[name][head.number]
    return pattern
