"""A short turn of the random user; benchmarks/random_user.py takes half an hour.

Exceptions, complaints of Qt, warnings, connections, files written astray, work that never ends
and growing memory are faults here as there. What depends on how much else the machine has to do
is judged with more patience: REST, LATE.
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
            *("--rest", str(REST), "--late", str(LATE), "--log", str(tmp_path / "acts.txt")),
        ],
        cwd=repository,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout[-6000:] + done.stderr[-6000:]
