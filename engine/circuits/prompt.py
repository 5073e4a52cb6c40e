"""A prompt's tokens, what the model expects next, and the position that a question is about."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float
from torch import Tensor

from engine.circuits.ranking import ends
from engine.forward.forward_pass import ForwardPass
from engine.job import Job
from engine.messages import Refused, Run, RunPrompt, Token
from engine.model import Model


def run_prompt(model: Model, request: RunPrompt, job: Job) -> Run:
    """Run a text through a model."""
    model.tokens.spell(job)
    ids, prepended = model.encode(request)
    forward_pass = model.run(request, job)
    top = ends(model, forward_pass.next_log_probs, request.k)
    tokens = model.tokens
    return Run(
        ids=np.array(ids),
        labels=tokens.labelled(ids),
        prepended_bos=prepended,
        next_ids=top.ids,
        next_labels=top.labels,
        next_log_probs=top.values,
        loss=model.loss(forward_pass, job).numpy(),
        special=np.isin(ids, sorted(tokens.special_ids)),
        begins_with_bos=ids[0] == tokens.bos_id,
        typed_specials=tokens.specials_in(request.text),
        spelt=tokens.spelt(request.text, ids[prepended:]),
    )


def position(asked: int, length: int) -> int:
    """Return a position counted from the start; a negative one counts from the end."""
    if not -length <= asked < length:
        raise Refused(
            f"there is no position {asked} in a prompt of {length} "
            f"token{'s' * (length > 1)}: positions go from 0 to {length - 1}, "
            f"or from -1 back to {-length}"
        )
    return asked % length


class Readout(NamedTuple):
    """A position of a prompt and what the model makes of it."""

    forward_pass: ForwardPass
    position: int
    final_scale: float
    logits: Float[Tensor, " d_vocab"]


def read_out(model: Model, run: RunPrompt, asked: int, job: Job) -> Readout:
    """Run a prompt and read the folded model's logits at a position.

    Parameters
    ----------
    run : RunPrompt
        The prompt.
    asked : int
        The position; a negative one counts from the end.
    """
    forward_pass = model.run(run, job)
    at = position(asked, len(forward_pass.ids))
    final = forward_pass.final[at]
    logits = (
        model.vocabulary.logits(model.read(final)[:, None], job)[:, 0]
        + model.vocabulary.logit_biases()
    )
    return Readout(forward_pass, at, float(model.scale(final)), logits)


def target_of(model: Model, target: Token | None, logits: Float[Tensor, " d_vocab"]) -> int:
    """Return the token that a question is about: the named one, or the model's first guess."""
    return int(logits.argmax()) if target is None else model.tokens.resolve(target)
