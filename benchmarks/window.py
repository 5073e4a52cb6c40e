"""What the window costs, each in a process of its own."""

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.pairs import Comparison, compare

LATEST_MS = 50.0
"""How late the event loop may be during a run of 256 tokens."""


@dataclass(frozen=True)
class Lateness:
    """How late a 5 ms timer of the UI thread was, in milliseconds: worst tick of each run."""

    runs: tuple[float, ...]


def lateness() -> Lateness:
    """Measure the event loop of the real window while it runs prompts of 256 tokens."""
    printed = _run("-m", "benchmarks.event_loop").stdout
    return Lateness(tuple(float(line) for line in printed.split()))


def comparisons() -> Iterator[Comparison]:
    """Yield the comparison of the first paint with what the engine has to import."""
    yield compare(
        "from process start to the window's first paint",
        "importing torch and TransformerLens",
        lambda: _run("-m", "benchmarks.first_paint"),
        lambda: _run("-c", "import torch, transformer_lens.model_bridge"),
    )


def _run(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"HF_HUB_OFFLINE": "1", "QT_QPA_PLATFORM": "offscreen"}
    return subprocess.run(
        [sys.executable, *arguments], env=environment, check=True, capture_output=True, text=True
    )
