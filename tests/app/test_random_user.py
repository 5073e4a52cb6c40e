"""A short turn of the random user; benchmarks/random_user.py takes half an hour."""

import subprocess

import pytest

MINUTES = 0.8


@pytest.mark.timeout(400)
def test_a_random_user_of_a_minute_meets_no_fault(python, repository, tmp_path):
    done = subprocess.run(
        [
            python,
            *("-m", "benchmarks.random_user", "--seed", "1", "--minutes", str(MINUTES)),
            *("--log", str(tmp_path / "acts.txt")),
        ],
        cwd=repository,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout[-6000:] + done.stderr[-6000:]
    print(done.stdout)  # noqa: T201
