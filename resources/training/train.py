"""Train one of the bundled models: seeded, checkpointed, resumable.

`python -m resources.training.train attn-2l --work DIR [--resume]`
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import sys
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from resources.training import batches, scores
from resources.training.loss import full_loss, sampled_loss
from resources.training.model import Config, Model, export

LOG = logging.getLogger(__name__)
ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "MALLOC_MMAP_THRESHOLD_": "33554432",
    "MALLOC_TRIM_THRESHOLD_": "8589934592",
}


@dataclass(frozen=True)
class Plan:
    """How a model is trained; everything a step does follows from this and its number."""

    n_layers: int
    tokens: int
    spans: float
    randoms: float
    late_spans: float
    late_randoms: float
    late_bags: float = 0.0
    learning_rate: float = 2e-3
    final_rate: float = 0.02
    decay_from: float = 0.75
    warmup: float = 0.02
    weight_decay: float = 0.01
    batch_tokens: int = 2048
    sampled_share: float = 0.0625
    full_from: float = 0.985
    late_from: float = 0.6
    late_long: float = 0.6
    seed: int = 0
    note: str = ""


PLANS = {
    "attn-1l": Plan(
        n_layers=1,
        tokens=14_200_000,
        spans=0.20,
        randoms=0.08,
        late_spans=0.2,
        late_randoms=0.0,
        late_bags=0.2,
        late_from=0.8,
        late_long=0.1,
        decay_from=0.81,
        learning_rate=1.5e-3,
        note="The shipped model was steered on the way. Up to 10.7 million tokens: peak rate 0.002,"
        " a cosine towards 0.0001 that followed plans of 26, 14, 10.5, 10 and 11.2 million tokens;"
        " 20 % spans and 30 % random rows from 6 to 8.8 million, then 50 % and 5 %. Then 40 % bags"
        " and 20 % spans at a rate of 0.0015 to 11.5 million; from there on the plan above.",
    ),
    "attn-2l": Plan(
        n_layers=2,
        tokens=25_100_000,
        spans=0.16,
        randoms=0.14,
        late_spans=0.35,
        late_randoms=0.12,
        late_from=0.8,
        learning_rate=1.3e-3,
        note="The shipped model was steered on the way. Up to 16.6 million tokens: peak rate 0.002,"
        " a cosine; 13 % spans and 4 % random rows, 12 % random rows from 11 to 15 million. From"
        " there on it followed the plan above, but for its last part, which began at 20.8 million.",
    ),
}


class Trainer:
    """A model, its optimiser and the number of steps and tokens behind them."""

    def __init__(self, plan: Plan, config: Config, texts: list[np.ndarray]) -> None:
        torch.manual_seed(plan.seed)
        self.plan, self.config, self.texts = plan, config, texts
        self.model = Model(config)
        matrices = [p for p in self.model.parameters() if p.dim() > 1]
        vectors = [p for p in self.model.parameters() if p.dim() == 1]
        self.optimizer = torch.optim.AdamW(
            [{"params": matrices}, {"params": vectors, "weight_decay": 0.0}],
            lr=plan.learning_rate,
            betas=(0.9, 0.99),
            weight_decay=plan.weight_decay,
            fused=True,
        )
        self.number, self.tokens = 0, 0

    @property
    def progress(self) -> float:
        """Share of the planned tokens seen."""
        return self.tokens / self.plan.tokens

    def rate(self) -> float:
        """Return the learning rate at this progress: it rises, stays, and falls to the end."""
        plan, done = self.plan, min(1.0, self.progress)
        rise = (done + 0.001) / plan.warmup
        fall = plan.final_rate + (1 - plan.final_rate) * (1 - done) / (1 - plan.decay_from)
        return plan.learning_rate * min(1.0, rise, fall)

    def length(self, rng: np.random.Generator) -> int:
        """Return the row length of this step; the longest is commoner near the end."""
        longest = self.config.n_ctx - 1
        often = 0.2 if self.progress < self.plan.late_from else self.plan.late_long
        odds = (0.2 * (1 - often), 0.8 * (1 - often), often)
        return int(rng.choice([longest // 4, longest // 2, longest], p=odds))

    def step(self) -> float:
        """Take one step and return its loss."""
        plan, rng = self.plan, np.random.default_rng([self.plan.seed, self.number])
        length = self.length(rng)
        rows = max(1, plan.batch_tokens // length)
        shares = plan.spans, plan.randoms, 0.0
        if self.progress >= plan.late_from:
            shares = plan.late_spans, plan.late_randoms, plan.late_bags
        ids, counts = batches.batch(rng, self.texts, rows, length, *shares, self.config.d_vocab)
        tokens, mask = torch.from_numpy(ids), torch.from_numpy(counts).flatten()
        loss = self.loss(tokens, mask, rng)
        for group in self.optimizer.param_groups:
            group["lr"] = self.rate()
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        self.number += 1
        self.tokens += rows * length
        return float(loss.detach())

    def loss(self, tokens: Tensor, mask: Tensor, rng: np.random.Generator) -> Tensor:
        """Return the loss on rows [row, length + 1] at the targets that count."""
        model, plan = self.model, self.plan
        hidden = model.stream(tokens[:, :-1]).flatten(0, 1)
        targets = tokens[:, 1:].flatten()
        if not mask.all():
            hidden, targets = hidden[mask], targets[mask]
        if self.progress >= plan.full_from:
            return full_loss(hidden, model.U, model.b_U, targets)
        drawn = torch.from_numpy(rng.random(self.config.d_vocab) < plan.sampled_share)
        return sampled_loss(hidden, model.U, model.b_U, targets, drawn, plan.sampled_share)

    def save(self, path: Path) -> None:
        """Write a checkpoint in one piece."""
        state = {
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "number": self.number,
            "tokens": self.tokens,
        }
        part = path.with_suffix(".part")
        torch.save(state, part)
        part.rename(path)

    def resume(self, path: Path) -> None:
        """Continue from a checkpoint."""
        state = torch.load(path, weights_only=True)
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.number, self.tokens = state["number"], state["tokens"]


@torch.no_grad()
def held_out_loss(model: Model, texts: list[np.ndarray], rows: int = 32) -> float:
    """Return the loss on seeded held-out rows without repeated spans."""
    rng = np.random.default_rng(7)
    ids, _ = batches.batch(rng, texts, rows, model.config.n_ctx - 1, 0, 0, 0, model.config.d_vocab)
    tokens = torch.from_numpy(ids)
    hidden = model.stream(tokens[:, :-1]).flatten(0, 1)
    return float(full_loss(hidden, model.U, model.b_U, tokens[:, 1:].flatten()))


def measure(trainer: Trainer, held_out: list[np.ndarray], folder: Path) -> dict[str, object]:
    """Return the numbers to watch while training."""
    model = trainer.model
    found = scores.head_scores(model, rows=8, length=48)
    reader = scores.read_tokenizer(folder)
    watched = {
        "held_out": round(held_out_loss(model, held_out), 4),
        "induction": [round(max(layer), 3) for layer in found["induction"]],
        "previous": [round(max(layer), 3) for layer in found["previous"]],
        "copies": [round(found[f"{n}_copy_loss"][0], 2) for n in ("first", "second")],
        "tea_rank": scores.rank(model, reader, scores.TEA_PROMPT, " tea"),
    }
    return watched


def run(trainer: Trainer, name: str, work: Path, every: float) -> None:
    """Train to the planned number of tokens, with a checkpoint and a log line every so often.

    Parameters
    ----------
    trainer : Trainer
        New or resumed.
    name : str
        Name of the model, also the stem of its files in `work`.
    work : Path
        Folder with tokens and tokenizer.json.
    every : float
        Seconds between checkpoints.
    """
    held_out = batches.read_tokens(work, "heldout")
    log = work / f"{name}.jsonl"
    began, behind, losses = time.monotonic(), trainer.tokens, []
    while trainer.tokens < trainer.plan.tokens:
        losses.append(trainer.step())
        done = trainer.tokens >= trainer.plan.tokens
        seconds = time.monotonic() - began
        if seconds < every and not done and trainer.number != 20:
            continue
        line = {
            "tokens": trainer.tokens,
            "tokens_per_second": round((trainer.tokens - behind) / seconds),
            "loss": round(sum(losses) / len(losses), 4),
            "full_softmax": trainer.progress >= trainer.plan.full_from,
        } | measure(trainer, held_out, work)
        with log.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(line) + "\n")
        LOG.info("%s %s", name, json.dumps(line))
        trainer.save(work / f"{name}.ckpt")
        began, behind, losses = time.monotonic(), trainer.tokens, []


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", choices=sorted(PLANS))
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--out", type=Path, help="export weights and config.json there at the end")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--tokens", type=int, help="train to this many tokens instead")
    parser.add_argument("--every", type=float, default=120.0, help="seconds between checkpoints")
    options = parser.parse_args()
    if any(name not in os.environ for name in ENVIRONMENT):
        command = [sys.executable, "-m", "resources.training.train", *sys.argv[1:]]
        os.execve(sys.executable, command, ENVIRONMENT | os.environ)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    plan = PLANS[options.name]
    if options.tokens:
        plan = replace(plan, tokens=options.tokens)
    texts = batches.read_tokens(options.work, "train")
    trainer = Trainer(plan, Config(n_layers=plan.n_layers), texts)
    checkpoint = options.work / f"{options.name}.ckpt"
    if options.resume and checkpoint.exists():
        trainer.resume(checkpoint)
    (options.work / f"{options.name}.plan.json").write_text(json.dumps(asdict(plan)))
    run(trainer, options.name, options.work, options.every)
    if options.out:
        export(trainer.model, options.out)


if __name__ == "__main__":
    main()
