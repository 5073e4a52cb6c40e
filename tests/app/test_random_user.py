"""A short turn of the random user; benchmarks/random_user.py takes half an hour.

Exceptions, complaints of Qt, warnings, connections, files written astray and work that never ends
are faults here as there. How late a turn of the event loop is depends on what else the machine
does, and is judged with more patience. Memory is not judged here: within a minute most of what it
grows by is what is used for the first time (20 to 64 MB with four seeds); the half hour does that.
"""

import subprocess

import pytest

MINUTES = 0.8
REST, LATE = 180, 30
"""Seconds until everything is answered, and of one turn of the event loop, at most."""


@pytest.mark.timeout(600)
def test_a_random_user_of_a_minute_meets_no_fault(python, repository, tmp_path):
    done = subprocess.run(
        [
            python,
            *("-m", "benchmarks.random_user", "--seed", "1", "--minutes", str(MINUTES)),
            *("--rest", str(REST), "--late", str(LATE), "--any-memory"),
            *("--log", str(tmp_path / "acts.txt")),
        ],
        cwd=repository,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout[-6000:] + done.stderr[-6000:]
