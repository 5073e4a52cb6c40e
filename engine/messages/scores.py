"""What kind of head each head is, as numbers."""

from dataclasses import dataclass
from typing import Annotated

from engine.messages.terms import FloatArray, ModelName, Says


@dataclass(frozen=True)
class HeadGrid:
    """Scores of every head on seeded repeated random tokens."""

    model: ModelName
    seed: Annotated[int, Says("seed of the random tokens")] = 0
    sequences: Annotated[int, Says("how many random sequences")] = 8


@dataclass(frozen=True, eq=False)
class HeadGridScores:
    """Answer to HeadGrid; means go over the rows where a measure is defined."""

    induction: Annotated[
        FloatArray, Says("attention to the token after the first occurrence", "layer head", "1")
    ]
    previous_token: Annotated[FloatArray, Says("attention one position back", "layer head", "1")]
    first_token: Annotated[FloatArray, Says("attention to the first position", "layer head", "1")]
    length: Annotated[int, Says("random tokens before they repeat")]
