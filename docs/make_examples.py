"""Run the examples of README.md and write down what they print: `python -m docs.make_examples`.

An example is a fenced block that begins with `$ headscope ask`, `models` or `figure`, or a block
of Python followed by a plain one. The test of the README runs the same functions and compares.
"""

import contextlib
import io
import os
import re
import shlex
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import main as headscope
from gui.platform import atomic_file

README = Path(__file__).parents[1] / "README.md"
COMMAND = re.compile(r"^```\n\$ headscope ((?:ask|models|figure)[^\n]*)\n(.*?)^```$", re.M | re.S)
SNIPPET = re.compile(r"^```python\n(.*?)^```\n\n```\n(.*?)^```$", re.M | re.S)


def run_command(line: str) -> str:
    """Return what a command prints, standard error after standard output."""
    out, err = io.StringIO(), io.StringIO()
    with _elsewhere(), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        headscope.main(shlex.split(line))
    return out.getvalue() + err.getvalue()


def run_snippet(code: str) -> str:
    """Return what a piece of Python prints."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(code, {})
    return out.getvalue()


def commands(text: str) -> list[tuple[str, str]]:
    """Return the commands of a page, each with the output that the page claims."""
    return COMMAND.findall(text)


def snippets(text: str) -> list[tuple[str, str]]:
    """Return the pieces of Python of a page, each with the output that the page claims."""
    return SNIPPET.findall(text)


@contextlib.contextmanager
def _elsewhere() -> Iterator[None]:
    # A figure is written where one stands.
    here = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(here)


def main() -> int:
    """Write the outputs into the README."""
    text = README.read_text(encoding="utf-8")
    text = COMMAND.sub(lambda m: f"```\n$ headscope {m[1]}\n{run_command(m[1])}```", text)
    text = SNIPPET.sub(lambda m: f"```python\n{m[1]}```\n\n```\n{run_snippet(m[1])}```", text)
    atomic_file.write(README, text.encode())
    return 0


if __name__ == "__main__":
    sys.exit(main())
