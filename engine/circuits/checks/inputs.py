"""What every check looks at, and how several ways of computing one thing are compared."""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from engine.forward.forward_pass import ForwardPass
from engine.job import Job
from engine.messages import Head, Measured, Receipt, RunPrompt
from engine.model import Model
from engine.network.folding import HeadWeights

SINGLE = 1e-5
"""Share of the largest number that rounding may take where the model's own pass is compared."""

HALF_ROUNDINGS = 4
"""The same in half precision, in distances between 1 and the next number: patterns, values and
sums are each rounded by half of one as the model makes them."""

DOUBLE = 1e-12
"""The same where both ways are computed in double precision."""

OF_LARGEST = "the largest difference over the largest number"


@dataclass(frozen=True, eq=False)
class CheckInputs:
    """A head of a model on a prompt.

    Attributes
    ----------
    forward_pass
        The model's own pass.
    own
        More of it, by the bridge's names: the layer's `z` [position, head, d_head] and `written`
        [position, d_model], and `logits` [d_vocab] after the last position.
    weights
        Folded, in double precision.
    read
        What the head reads, in double precision.
    pattern
        As the model itself used it, in double precision.
    """

    model: Model
    run: RunPrompt
    head: Head
    forward_pass: ForwardPass
    own: dict[str, Tensor]
    weights: HeadWeights
    read: Float[Tensor, "position d_model"]
    pattern: Float[Tensor, "query key"]

    @property
    def single(self) -> float:
        """Share of the largest number that the rounding of the model's own pass may take."""
        return HALF_ROUNDINGS * self.model.epsilon if self.model.placing.rounds else SINGLE

    @property
    def whole(self) -> float:
        """The same of a sum over all layers.

        Half precision rounds the stream twice a layer: what adds up is a random walk, of four
        times whose spread this is.
        """
        steps = max(1.0, (self.model.n_layers / 2) ** 0.5)
        return self.single * steps if self.model.placing.rounds else SINGLE

    @property
    def hidden(self) -> Bool[Tensor, "query key"]:
        """True where a query of the head may not look."""
        return self.model.attention_mask(self.head.layer, len(self.forward_pass.ids))

    @property
    def off(self) -> bool:
        """Whether the head itself is off in this run."""
        return self.head in self.forward_pass.heads_off


def check_inputs(model: Model, run: RunPrompt, head: Head, job: Job) -> CheckInputs:
    """Run a prompt and set out what the checks need of it."""
    weights = double(model.head(head))
    forward_pass = model.run(run, job)
    kept = forward_pass.layers.rerun(head.layer, ["attn.hook_z", "hook_attn_out"])
    return CheckInputs(
        model=model,
        run=run,
        head=head,
        forward_pass=forward_pass,
        own={
            "z": kept["attn.hook_z"],
            "written": kept["hook_attn_out"],
            "logits": forward_pass.next_logits,
        },
        weights=weights,
        read=model.read(forward_pass.streams[head.layer]).double(),
        pattern=forward_pass.patterns[head.layer][head.number].double(),
    )


def written(
    model: Model, forward_pass: ForwardPass, head: Head, read: Float[Tensor, "position d_model"]
) -> Float[Tensor, "position d_model"]:
    """Return A (X W_V + b_V) W_O in double precision; zeros for a head that is off.

    Parameters
    ----------
    read : Tensor
        What the heads of its layer read, X, in double precision.
    """
    if head in forward_pass.heads_off:
        return torch.zeros_like(read)
    weights = double(model.head(head))
    # Values first: a pattern times d_head columns, where moved vectors would be d_model.
    values = forward_pass.patterns[head.layer][head.number].double() @ weights.values(read)
    made: Tensor = values @ weights.W_O
    return made


def double(weights: HeadWeights) -> HeadWeights:
    """Return weights in double precision."""
    return HeadWeights(**{name: tensor.double() for name, tensor in vars(weights).items()})


def apart(*ways: Tensor) -> float:
    """Return the largest difference between any two tensors, over the largest number in any.

    0 where every number is 0.
    """
    stacked = torch.stack([way.double() for way in ways])
    largest = float(stacked.abs().max())
    spread = float((stacked.amax(0) - stacked.amin(0)).max())
    return spread / largest if largest else spread


def measured(
    name: str, compares: str, residual: float, tolerance: float, *numbers: tuple[str, float]
) -> Receipt:
    """Return the outcome of a check; what is not a number has not passed."""
    met = tuple(Measured(*number) for number in numbers)
    return Receipt(name, compares, residual, tolerance, residual <= tolerance, "", met)


def undefined(name: str, compares: str, reason: str) -> Receipt:
    """Return a check that means nothing for this head, with the reason."""
    return Receipt(name, compares, None, None, None, reason, ())
