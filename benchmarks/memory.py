"""By how many MB the copying share of a head raises the peak memory of a process (Linux)."""

import ctypes
import subprocess
import sys
from pathlib import Path

import torch

from benchmarks.random_models import random_model
from engine.circuits.weight_measures import copying_share
from engine.job import Job
from engine.messages import Head

MOST_MB = 200


def beyond_the_model() -> float:
    """Measure in a process of its own, in MB."""
    command = [sys.executable, "-m", "benchmarks.memory"]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def main() -> None:
    """Open a model of one head, forget what opening it took, and measure."""
    torch.set_num_threads(1)
    with torch.inference_mode():
        model = random_model(1, 1)
        # What is free but still held would hide what the question takes.
        ctypes.CDLL(None).malloc_trim(0)
        Path("/proc/self/clear_refs").write_text("5")  # VmHWM starts again from VmRSS
        before = _kilobytes("VmRSS")
        copying_share(model, Head(0, 0), Job())
    print((_kilobytes("VmHWM") - before) / 1000)


def _kilobytes(name: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:"))


if __name__ == "__main__":
    main()
