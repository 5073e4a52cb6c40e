"""What kind of head each head is, as numbers."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from engine.messages.prompts import HeadsOff, RunPrompt, heads_in_order
from engine.messages.terms import FloatArray, Head, ModelName, Says

Measures = Literal["all", "random", "prompt", "weights"]

PATTERN_MEASURES: dict[str, Says] = {
    "induction": Says("attention to what followed an earlier occurrence of the token", unit="1"),
    "previous_token": Says("attention one position back", unit="1"),
    "duplicate_token": Says("attention to earlier occurrences of the token", unit="1"),
    "first_token": Says("attention to the first position", unit="1"),
    "entropy": Says("entropy of the attention: 0 when it rests on one position", unit="nat"),
    "distance": Says("how far back the attention lies, query position minus key", unit="positions"),
}
"""What is measured on patterns: means over the queries where each is defined."""

WEIGHT_MEASURES: dict[str, Says] = {
    "copying_share": Says("share of tokens whose own logit OV raises above every other", unit="1"),
    "ov_eigenvalue_copying": Says(
        "sum of the full OV circuit's eigenvalues over the sum of their magnitudes", unit="1"
    ),
    "qk_eigenvalue_positivity": Says(
        "sum of the full QK circuit's eigenvalues over the sum of their magnitudes (rotary models: "
        "at offset 0)",
        unit="1",
    ),
    "read_write_overlap": Says(
        "||U^T V||_F^2 / rank, how far W_OV writes where it reads (random: rank / d_model)",
        unit="1",
    ),
    "ov_norm": Says("Frobenius norm of W_V W_O, folded"),
    "qk_norm": Says(
        "Frobenius norm of W_Q W_K^T, folded and not divided (rotary models: at offset 0)"
    ),
}
"""What is measured on weights; neither a prompt nor heads that are off change it."""

MEASURES: dict[str, Says] = {
    **{name: said._replace(shape="head") for name, said in PATTERN_MEASURES.items()},
    **{
        f"prompt_{name}": said._replace(text=f"{said.text}, on the prompt", shape="head")
        for name, said in PATTERN_MEASURES.items()
    },
    **{name: said._replace(shape="head") for name, said in WEIGHT_MEASURES.items()},
}
"""Every measure: what it says, its shape and its unit. Patterns are those of BOS, random tokens
and the same again, or with `prompt_` of the prompt."""


@dataclass(frozen=True)
class HeadScores:
    """Measures of every head: on repeated random tokens, on a prompt, and of its weights."""

    model: ModelName
    measures: Annotated[
        Measures,
        Says("on random tokens, on the prompt, of the weights; all: whichever can be had"),
    ] = "all"
    seed: Annotated[int, Says("seed of the random tokens")] = 0
    sequences: Annotated[int, Says("how many random sequences")] = 8
    lowest_id: Annotated[int, Says("random tokens are drawn from this id on")] = 0
    highest_id: Annotated[int | None, Says("and up to this one; none: the last")] = None
    heads_off: HeadsOff = ()
    run: Annotated[RunPrompt | None, Says("a prompt to measure on, with the same heads off")] = None

    def __post_init__(self) -> None:
        """Put the heads that are off in order, so that equal questions are equal."""
        object.__setattr__(self, "heads_off", heads_in_order(self.heads_off))


@dataclass(frozen=True, eq=False)
class MeasuredHeads:
    """Answer to HeadScores; not a number (null in JSON) where a measure is defined for no query."""

    heads: Annotated[tuple[Head, ...], Says("every head of the model")]
    scores: Annotated[
        Mapping[str, FloatArray], Says("measure -> its values in the order of heads", "head")
    ]
    length: Annotated[
        int | None, Says("random tokens before they repeat; none where they were not asked for")
    ]
    begins_with: Annotated[
        str | None, Says("token put before the random tokens; none where nothing was")
    ] = None

    def grid(self, measure: str) -> FloatArray:
        """Return a measure as [layer, head]."""
        return self.scores[measure].reshape(self.heads[-1].layer + 1, -1)
