"""By how many MB something raises the peak memory of a process (Linux), each in its own."""

import ctypes
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import torch

from benchmarks.random_models import random_model
from benchmarks.real_shapes import Shape, opened, plain
from benchmarks.runs import LONG, LONG_SHAPE, PICTURE_SHAPE, SHORT, text
from engine.circuits.attention import attention, thumbnails
from engine.circuits.head_scores import copying_share
from engine.circuits.token_rankings import ov_tokens
from engine.job import Job
from engine.messages import Attention, Head, OVTokens, RunPrompt, Thumbnails

MOST_MB = 200
"""Of the copying share of a head."""


def beyond_the_model(what: str) -> float:
    """Measure one of MEASURED, in MB."""
    command = [sys.executable, "-m", "benchmarks.memory", what]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def _copying() -> Callable[[], object]:
    model = random_model(1, 1)
    return lambda: copying_share(model, Head(0, 0), Job())


def _ours(shape: Shape, length: int) -> Callable[[], object]:
    model = opened(shape)
    run = RunPrompt(model.name, text(length), prepend_bos=False)
    return lambda: model.run(run, Job())


def _theirs(shape: Shape, length: int) -> Callable[[], object]:
    model, ids = plain(shape), torch.arange(1, length + 1)[None]
    return lambda: model(ids, output_attentions=True, use_cache=False)


def _session() -> Callable[[], object]:
    model = opened(LONG_SHAPE)
    run, head = RunPrompt(model.name, text(LONG), prepend_bos=False), Head(18, 6)
    ov = OVTokens(model.name, head, source="position", run=run, position=4)

    def look() -> object:
        return (
            model.run(run, Job()),
            thumbnails(model, Thumbnails(run), Job()),
            attention(model, Attention(run, head.layer), Job()),
            ov_tokens(model, ov, Job()),
        )

    return look


def _painted() -> Callable[[], object]:
    from benchmarks.thumbnails import painting, patterns

    values, paint = patterns(), painting()
    return lambda: paint(values)


def _html() -> Callable[[], object]:
    from benchmarks.thumbnails import html, patterns

    return html(patterns())


MEASURED: dict[str, Callable[[], Callable[[], object]]] = {
    "copying share": _copying,
    "run": lambda: _ours(PICTURE_SHAPE, SHORT),
    "run by transformers": lambda: _theirs(PICTURE_SHAPE, SHORT),
    "thumbnails": _painted,
    "thumbnails by CircuitsVis": _html,
    "session": _session,
    "session by transformers": lambda: _theirs(LONG_SHAPE, LONG),
}


def main() -> None:
    """Open a model, forget what opening it took, and measure."""
    torch.set_num_threads(1)
    with torch.inference_mode():
        measured = MEASURED[sys.argv[1]]()
        # What is free but still held would hide what the question takes.
        ctypes.CDLL(None).malloc_trim(0)
        Path("/proc/self/clear_refs").write_text("5")  # VmHWM starts again from VmRSS
        before = _kilobytes("VmRSS")
        found = measured()
        print((_kilobytes("VmHWM") - before) / 1000)
        del found


def _kilobytes(name: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:"))


if __name__ == "__main__":
    main()
