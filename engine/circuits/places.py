"""Where in a prompt a question stands, and about which next token it is."""

from typing import NamedTuple

from jaxtyping import Float
from torch import Tensor

from engine.circuits.source_vectors import position
from engine.forward.forward_pass import ForwardPass
from engine.job import Job
from engine.messages import RunPrompt, Token
from engine.model import Model


class Place(NamedTuple):
    """A position of a prompt and what the model makes of it."""

    passed: ForwardPass
    position: int
    final_scale: float
    logits: Float[Tensor, " d_vocab"]


def place(model: Model, run: RunPrompt, asked: int, job: Job) -> Place:
    """Run a prompt and read the folded model's logits at a position.

    Parameters
    ----------
    run : RunPrompt
        The prompt.
    asked : int
        The position; a negative one counts from the end.
    """
    passed = model.run(run, job)
    at = position(asked, len(passed.ids))
    final = passed.final[at]
    logits = (
        model.vocabulary.logits(model.read(final)[:, None], job)[:, 0]
        + model.vocabulary.logit_biases()
    )
    return Place(passed, at, float(model.scale(final)), logits)


def target_of(model: Model, target: Token | None, logits: Float[Tensor, " d_vocab"]) -> int:
    """Return the token that a question is about: the named one, or the model's first guess."""
    return int(logits.argmax()) if target is None else model.tokens.resolve(target)
