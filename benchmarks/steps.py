"""How long a question at GPT-2-small's shape works between two steps, at each of which it can stop.

A question that was cancelled is gone after at most that time.
"""

import time
from collections.abc import Callable
from typing import NamedTuple

import torch

from benchmarks.random_models import random_model
from engine.circuits.composition import composition
from engine.circuits.eigenvalues import eigenvalues
from engine.circuits.head_scores import head_scores
from engine.circuits.run_prompt import run_prompt
from engine.job import Job
from engine.messages import Composition, Eigenvalues, Head, HeadScores, RunPrompt
from engine.model import Model

LONGEST_MS = 200.0
PROMPT = " ".join(f"w{number}" for number in range(1, 257))


class Longest(NamedTuple):
    """The longest time between two steps of one question, in milliseconds, and what went on."""

    question: str
    during: str
    milliseconds: float


def longest() -> list[Longest]:
    """Ask each question once, as for the first time."""
    torch.set_num_threads(1)
    with torch.inference_mode():
        model, one = random_model(12, 12), random_model(1, 1)
        name, run = model.name, RunPrompt(model.name, PROMPT)
        last = Head(model.n_layers - 1, model.n_heads - 1)
        on_prompt = HeadScores(name, "prompt", run=run)
        return [
            _longest("run-prompt", run_prompt, model, run),
            _longest("eigenvalues", eigenvalues, model, Eigenvalues(name, last, "ov")),
            _longest("composition", composition, model, Composition(name, "k")),
            _longest("head-scores (random)", head_scores, model, HeadScores(name, "random")),
            _longest("head-scores (prompt)", head_scores, model, on_prompt),
            _longest("head-scores (weights)", head_scores, one, HeadScores(one.name, "weights")),
        ]  # fmt: skip


def _longest(
    question: str, answer: Callable[[Model, object, Job], object], model: Model, request: object
) -> Longest:
    stamps = [("beginning", time.perf_counter())]
    job = Job(lambda done, total, what: stamps.append((what, time.perf_counter())))
    answer(model, request, job)
    ends = [stamp for _, stamp in stamps[1:]] + [time.perf_counter()]
    gaps = [((end - start) * 1000, what) for (what, start), end in zip(stamps, ends, strict=True)]
    worst, during = max(gaps)
    return Longest(question, during, worst)
