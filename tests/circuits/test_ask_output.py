"""The first text's numbers as `ask` prints them: one process, one JSON question a line."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.oracles import toy_head

ROOT = Path(__file__).parents[2]
RUN = {"model": "toy", "text": toy_head.TEXT}
QUESTIONS = [
    {"question": "attention", "run": RUN, "layer": 0},
    {"question": "attention", "run": RUN, "layer": 0, "kind": "scores"},
    {"question": "ov-tokens", "model": "toy", "head": "0.0", "token": "result"},
    {"question": "qk-tokens", "model": "toy", "head": "0.0", "token": "return"},
]


def _no_constant(name):
    raise AssertionError(f"{name} is not JSON")


@pytest.fixture(scope="module")
def answers():
    done = subprocess.run(
        [sys.executable, "main.py", "ask", "-"],
        cwd=ROOT,
        input="".join(json.dumps(question) + "\n" for question in QUESTIONS),
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert (done.returncode, done.stderr) == (0, "")
    lines = [json.loads(line, parse_constant=_no_constant) for line in done.stdout.splitlines()]
    assert [line["request"]["question"] for line in lines] == [q["question"] for q in QUESTIONS]
    return [line["result"] for line in lines]


def test_pattern_is_printed_as_in_the_text(answers):
    np.testing.assert_allclose(answers[0]["values"][0], toy_head.PATTERN, atol=5e-4)


def test_masked_scores_are_null_and_the_others_numbers(answers):
    scores = answers[1]["values"][0]
    for query, row in enumerate(scores):
        assert [value is None for value in row] == [key > query for key in range(5)]
    last = answers[1]["divisor"] * np.array(scores[4])
    np.testing.assert_allclose(last, toy_head.SCORES_AT_RETURN, atol=1e-6)


def test_lists_are_printed_as_in_the_text(answers):
    ov, qk = answers[2:]
    assert ov["labels"][0] == "result"
    np.testing.assert_allclose(ov["values"], (2, 0, 0, 0, 0), atol=1e-6)
    assert qk["labels"][:2] == ["result", "ans"]
    np.testing.assert_allclose(qk["values"], np.array([3, 1, 0, 0, 0]) / 2**0.5, atol=1e-6)
