"""Run every benchmark, print the table, and write docs/performance.md."""

import os
import platform
import sys
from pathlib import Path

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ["QT_QPA_PLATFORM"] = "offscreen"

from benchmarks import factors, scores, thumbnails, window
from benchmarks.pairs import PAIRS, Comparison

PAGE = Path(__file__).parents[1] / "docs" / "performance.md"

INTRODUCTION = f"""\
# Performance

Written by `make bench`. Each ratio is the median of {PAIRS} interleaved pairs in one run, the other's time divided by ours; it is what to compare, for the milliseconds tell only about one machine.

"""  # noqa: E501


def row(comparison: Comparison) -> str:
    """Return a comparison as a line of the table."""
    goal = f"{comparison.goal:g}x" if comparison.goal else ""
    return (
        f"| {comparison.what} | {comparison.than} | {comparison.ours:,.1f} ms "
        f"| {comparison.theirs:,.1f} ms | {comparison.ratio:.1f}x | {goal} |"
    )


def main() -> int:
    """Measure, print and write."""
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    lines = ["| what | against | ours | theirs | ratio | goal |", "|---|---|---|---|---|---|"]
    print(*lines, sep="\n", flush=True)
    for source in (factors, scores, thumbnails, window):
        for comparison in source.comparisons():
            lines.append(row(comparison))
            print(lines[-1], flush=True)
    late = window.lateness()
    worst = ", ".join(f"{run:.0f}" for run in late.runs)
    sentence = (
        "While the window runs a prompt of 256 tokens through attn-2l and fills every panel, a "
        f"5 ms timer of its event loop is late by at most {late.median:.0f} ms (median of "
        f"{len(late.runs)} runs, worst tick of each: {worst}; goal: below {window.LATEST_MS:g})."
    )
    machine = (
        f"{os.cpu_count()} cores, Python {platform.python_version()}, {platform.system()}, "
        f"load average {load:.1f} when it began"
    )
    print(f"\n{sentence}\n({machine})")
    text = "\n".join([*lines, "", sentence, "", f"Measured on: {machine}.", ""])
    PAGE.write_text(INTRODUCTION + text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
