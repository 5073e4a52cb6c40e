"""Run every benchmark, print the table, and write docs/performance.md."""

import os
import platform
import sys
from pathlib import Path

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ["QT_QPA_PLATFORM"] = "offscreen"

from benchmarks import (
    circuits,
    factors,
    heatmaps,
    memory,
    runs,
    scores,
    steps,
    tables,
    thumbnails,
    window,
)
from benchmarks.pairs import PAIRS, Comparison
from gui.platform import atomic_file

PAGE = Path(__file__).parents[1] / "docs" / "performance.md"

INTRODUCTION = f"""\
# Performance

Written by `make bench`. Each ratio is the median of {PAIRS} interleaved pairs in one run, the other's time divided by ours; it is what to compare, for the milliseconds tell only about one machine. Where the other is only a part of the work, the goal is below 1x: 0.5x says that ours may take twice as long. Heads, circuits and measures are of random weights of GPT-2-small's shape (144 heads, d_model 768, d_head 64, 50,257 tokens) unless another is named, in one thread, both sides in one process.

"""  # noqa: E501


def row(comparison: Comparison) -> str:
    """Return a comparison as a line of the table."""
    goal = _times(comparison.goal) if comparison.goal else ""
    return (
        f"| {comparison.what} | {comparison.than} | {comparison.ours:,.1f} ms "
        f"| {comparison.theirs:,.1f} ms | {_times(comparison.ratio)} | {goal} |"
    )


def _times(ratio: float) -> str:
    return f"{ratio:.1f}x" if ratio >= 2 else f"{ratio:.2f}x"


def main() -> int:
    """Measure, print and write."""
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    lines = ["| what | against | ours | theirs | ratio | goal |", "|---|---|---|---|---|---|"]
    print(*lines, sep="\n", flush=True)
    for source in (factors, circuits, scores, thumbnails, heatmaps, tables, runs, window):
        for comparison in source.comparisons():
            lines.append(row(comparison))
            print(lines[-1], flush=True)
    facts = [_lateness(), *_memory(), _asked_again(), _steps()]
    machine = (
        f"{os.cpu_count()} cores, Python {platform.python_version()}, {platform.system()}, "
        f"load average {load:.1f} when it began"
    )
    print("", *facts, f"({machine})", sep="\n")
    text = "\n\n".join(["\n".join(lines), *facts, f"Measured on: {machine}.\n"])
    atomic_file.write(PAGE, (INTRODUCTION + text).encode())
    return 0


def _lateness() -> str:
    late = window.lateness()
    worst = ", ".join(f"{run:.0f}" for run in late.runs)
    return (
        "While the window runs a prompt of 256 tokens through attn-2l and fills every panel, a "
        f"5 ms timer of its event loop is late by at most {max(late.runs):.0f} ms (worst tick "
        f"of each of {len(late.runs)} runs: {worst}; goal: below {window.LATEST_MS:g})."
    )


def _memory() -> list[str]:
    taken = {what: f"{memory.beyond_the_model(what):,.0f} MB" for what in memory.MEASURED}
    return [
        f"The copying share of one head at GPT-2-small's shape takes {taken['copying share']} "
        f"beyond the model at its peak (goal: below {memory.MOST_MB}).",
        f"Painting {thumbnails.LAYERS * thumbnails.HEADS} thumbnails of {thumbnails.TOKENS} tokens "
        f"takes {taken['thumbnails']} beyond the patterns, the HTML of CircuitsVis "
        f"{taken['thumbnails by CircuitsVis']} (goal: a tenth).",
        f"A run of {runs.SHORT} tokens through {runs.PICTURE_SHAPE} with every pattern takes "
        f"{taken['run']} beyond the model at its peak, and by transformers with "
        f"output_attentions {taken['run by transformers']} (goal: no more). A run of "
        f"{runs.LONG:,} tokens through {runs.LONG_SHAPE}'s shape with its thumbnails, the open "
        f"head and an OV table takes {taken['session']}, and by transformers the run alone "
        f"{taken['session by transformers']}.",
    ]


def _asked_again() -> str:
    first, again = scores.asked_again()
    return (
        f"All measures of a model of one head at that shape take {first:,.0f} ms, and "
        f"{again:,.0f} ms when they are asked for again with another prompt."
    )


def _steps() -> str:
    def listed(longest: list[steps.Longest]) -> str:
        return ", ".join(
            f"{found.question} {found.milliseconds:.0f} ms ({found.during})" for found in longest
        )

    return (
        "Longest work between two steps, at each of which a question can be cancelled, at that "
        f"shape, one run each: {listed(steps.longest())}. With a prompt of {runs.LONG:,} tokens "
        f"and {steps.LARGEST}, d_model 1,024, 150,000 tokens: "
        f"{listed(steps.longest_of_largest())} (goal: below {steps.LONGEST_MS:g} ms)."
    )


if __name__ == "__main__":
    sys.exit(main())
