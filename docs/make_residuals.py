"""Write docs/residuals.md by measuring: `python -m docs.make_residuals`.

Every question is asked of a small random model of each architecture, as in
tests/engine/test_residuals.py, which fails where a residual is beyond its tolerance.
"""

import sys
import tempfile
from pathlib import Path

import transformers

from engine.messages import LoadModel, Refused
from gui.platform import atomic_file
from tests.engine import residuals
from tests.engine.residuals import QUESTIONS, SINGLE, TOLERANCES, Opened
from tests.oracles.hugging_face import FURTHER, KINDS

PAGE = Path(__file__).parent / "residuals.md"

INTRODUCTION = """\
# Residuals

Measured by `make docs`; do not edit.

Each answer is held against a forward pass and circuits in float64 (`tests/oracles/transformer.py`, `tests/oracles/answers.py`), made from the tensors and the config.json of the model's folder and from the papers; neither transformers' nor TransformerLens's code runs in it. The models are small and random, gains of norms and biases too, and no two of their sizes are equal; the prompt has 41 tokens, more than a window. A residual is the largest difference as a share of the largest number that is meant, over the layers, heads, tokens, directions and offsets that are tried.

The engine computes in single precision: numbers are rounded by 2^-24 of themselves at each step. The tolerance is 1e-5 (168 such roundings), and 5e-5 for what comes after a softmax, where the rounding of a score becomes a relative error of the pattern (times sqrt(d_head) over the divisor where a model divides scores by less).
"""  # noqa: E501


def row(*cells: str) -> str:
    """Return a line of a table."""
    return "| " + " | ".join(cells) + " |"


def shown(residual: float | str) -> str:
    """Return a residual with one digit; a word where there is none."""
    if isinstance(residual, str):
        return residual
    return f"{residual:.0e}".replace("e-0", "e-").replace("e+00", "")


def measured(it: Opened) -> dict[str, float | str]:
    """Return the residual of each question, or that it is refused."""
    found: dict[str, float | str] = {}
    for question, pairs in QUESTIONS.items():
        try:
            found[question] = residuals.worst(pairs(it))
        except Refused:
            found[question] = "refused"
        except AssertionError:
            found[question] = "**other**"
    return found


def page(folder: Path) -> str:
    """Return the whole page."""
    found: dict[str, dict[str, float | str]] = {}
    theirs, closed = [], []
    for kind in (*KINDS, *FURTHER):
        sys.stderr.write(f"{kind}\n")
        it = Opened(kind, folder / kind)
        apart = residuals.of_transformers(it)
        words = [shown(apart.get(attention, "none")) for attention in ("eager", "sdpa")]
        theirs.append(row(kind, *words))
        try:
            it.ask(LoadModel(it.name))
        except Refused:
            closed.append(kind)
        else:
            found[kind] = measured(it)
    lines = [INTRODUCTION, "## The worst of each question", ""]
    lines += [row("question", "worst residual", "of", "tolerance"), "|---" * 4 + "|"]
    for question in QUESTIONS:
        numbers = {
            kind: value
            for kind, answers in found.items()
            if isinstance(value := answers[question], float)
        }
        kind = max(numbers, key=lambda name: numbers[name])
        tolerance = shown(TOLERANCES.get(question, SINGLE))
        lines.append(row(question, shown(numbers[kind]), kind, tolerance))
    lines += ["", "## Each question of each architecture", ""]
    lines += ["Refused: the question makes no sense of that model.", ""]
    if closed:
        lines += [f"Not opened: {', '.join(closed)}.", ""]
    lines += [row("architecture", *QUESTIONS), "|---" * (1 + len(QUESTIONS)) + "|"]
    for kind, answers in found.items():
        lines.append(row(kind, *(shown(value) for value in answers.values())))
    lines += ["", "## transformers' own attention", ""]
    lines += [
        "How far the log-probabilities of transformers' eager and sdpa attention lie from the same "
        "pass, as a share of the largest. Falcon with ALiBi: eager adds the slopes twice, sdpa "
        "once, as the model was trained.",
        "",
    ]
    lines += [row("architecture", "eager", "sdpa"), "|---" * 3 + "|", *theirs]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Measure, and write the page."""
    transformers.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    with tempfile.TemporaryDirectory() as folder:
        atomic_file.write(PAGE, page(Path(folder)).encode())
    return 0


if __name__ == "__main__":
    sys.exit(main())
