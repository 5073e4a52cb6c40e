"""Command and Python that were copied give the same figure and the same numbers again."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from engine import Engine, __version__
from engine.messages import Attention, DestinationRow, Head, OVTokens, RunPrompt, to_plain
from gui.export import jobs
from gui.export.exportable import Exportable, as_said
from gui.export.jobs import AnswerInputs, questions
from gui.figures import FigureOptions
from gui.state.difference import Difference

TEXT = 'I like "green" tea; $(so)\n\tit\'s #1'
OPTIONS = FigureOptions(5.5, 8.0, title='It\'s $1 "of" <b>', caption=True, labels=(0, 2))
SUBJECTS = {
    ".pdf": Exportable("attention", Attention(RunPrompt("attn-2l", TEXT), 1), Head(1, 3)),
    ".csv": Exportable("ov", as_said(OVTokens("attn-2l", Head(0, 1), token=3, k=3))),
    ".svg": Exportable(
        "change",
        Difference(
            DestinationRow(RunPrompt("attn-2l", "I do like green tea"), 4),
            DestinationRow(RunPrompt("attn-2l", "I like green tea"), 3),
        ),
    ),
}

# One new process for all of it, since each would import torch: first the Python that was copied,
# then the commands, in the words that a shell makes of them.
AGAIN = """
import json, sys
exec(sys.argv[1], {"__name__": "__main__"})
import main
for words in json.loads(sys.argv[2]):
    assert main.main(words) == 0
"""


@pytest.fixture(scope="module")
def engine():
    return Engine()


def words_of(line, folder):
    """Return what a shell gives the program `headscope` when a line is pasted into it."""
    program = folder / "headscope"
    program.write_text('#!/bin/sh\nprintf "%s\\0" "$@"\n')
    program.chmod(0o755)
    variables = os.environ | {"PATH": f"{folder}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-ec", line], env=variables, check=True, capture_output=True, text=True
    )
    return done.stdout.split("\0")[:-1]


def test_what_is_copied_makes_the_same_figure_and_the_same_numbers(
    tmp_path, engine, repository, python
):
    folder = tmp_path / "bin"
    folder.mkdir()
    commands, programs, numbers = [], [], []
    for suffix, subject in SUBJECTS.items():
        answers = {asked: engine.answer(asked) for asked in questions(subject.request)}
        made = AnswerInputs(subject, answers, __version__)
        for kind in {suffix, ".pdf"}:
            made.write(tmp_path / f"window-{subject.name}{kind}", OPTIONS)
        line = jobs.command(subject, OPTIONS, Path(f"command{suffix}"))
        commands.append(words_of(line, folder))
        programs.append(jobs.python(subject, OPTIONS, Path(f"python-{subject.name}.pdf")))
        numbers.append(json.dumps(to_plain(made.result)))
    done = subprocess.run(
        [python, "-c", AGAIN, "\n".join(programs), json.dumps(commands)],
        cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(repository)},
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    assert done.stdout.splitlines() == numbers
    for suffix, subject in SUBJECTS.items():
        window = tmp_path / f"window-{subject.name}.pdf"
        assert (tmp_path / f"command{suffix}").read_bytes() == (
            window.with_suffix(suffix).read_bytes()
        )
        assert (tmp_path / f"python-{subject.name}.pdf").read_bytes() == window.read_bytes()
