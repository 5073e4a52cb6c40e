"""How long a question works between two steps, at each of which it can stop.

A question that was cancelled is gone after at most that time.
"""

import gc
import time
from collections.abc import Callable
from typing import NamedTuple

import torch

from benchmarks.random_models import random_model
from benchmarks.real_shapes import Shape, opened
from benchmarks.runs import LONG, text
from engine.circuits.attention import attention, thumbnails
from engine.circuits.checks import checks
from engine.circuits.composition import composition
from engine.circuits.head_scores import head_scores
from engine.circuits.paths import head_output, logit_attribution
from engine.circuits.prompt import run_prompt
from engine.circuits.spectra import eigenvalues
from engine.circuits.token_rankings import ov_tokens
from engine.job import Job
from engine.messages import (
    Attention,
    Composition,
    Eigenvalues,
    Head,
    HeadOutput,
    HeadScores,
    LogitAttribution,
    OVTokens,
    Receipts,
    RunPrompt,
    Thumbnails,
)
from engine.model import Model

LARGEST: Shape = "24 x 16 heads"
LONGEST_MS = 200.0
PROMPT = " ".join(f"w{number}" for number in range(1, 257))


class Longest(NamedTuple):
    """The longest work between two steps of one question, in milliseconds, and what went on."""

    question: str
    during: str
    milliseconds: float


def longest() -> list[Longest]:
    """Ask each question at GPT-2-small's shape once, as for the first time."""
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


def longest_of_largest() -> list[Longest]:
    """Ask what a prompt of a thousand tokens is asked of the largest shape, once each."""
    torch.set_num_threads(1)
    with torch.inference_mode():
        model = opened(LARGEST)
        run = RunPrompt(model.name, text(LONG), prepend_bos=False)
        head = Head(model.n_layers // 2, 1)
        weighted = Attention(run, head.layer, "value-weighted")
        on_prompt = HeadScores(model.name, "prompt", run=run)
        token = OVTokens(model.name, head, 7)
        return [
            _longest("run-prompt", run_prompt, model, run),
            _longest("thumbnails", thumbnails, model, Thumbnails(run)),
            _longest("attention (scores)", attention, model, Attention(run, head.layer, "scores")),
            _longest("attention (value-weighted)", attention, model, weighted),
            _longest("ov-tokens", ov_tokens, model, token),
            _longest("head-output", head_output, model, HeadOutput(run, head)),
            _longest("head-scores (prompt)", head_scores, model, on_prompt),
            _longest("logit-attribution", logit_attribution, model, LogitAttribution(run)),
            _longest("receipts", checks, model, Receipts(run, head)),
            _longest("composition", composition, model, Composition(model.name, "k")),
        ]  # fmt: skip


def _longest(
    question: str, answer: Callable[[Model, object, Job], object], model: Model, request: object
) -> Longest:
    # As in the window, whose engine thread Python's collector never runs in.
    gc.collect()
    gc.disable()
    stamps = [("beginning", time.thread_time())]
    job = Job(lambda done, total, what: stamps.append((what, time.thread_time())))
    try:
        answer(model, request, job)
    finally:
        gc.enable()
    ends = [stamp for _, stamp in stamps[1:]] + [time.thread_time()]
    gaps = [((end - start) * 1000, what) for (what, start), end in zip(stamps, ends, strict=True)]
    worst, during = max(gaps)
    return Longest(question, during, worst)
