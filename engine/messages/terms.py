"""The words that every message is written in: heads, tokens, positions, refusals."""

from dataclasses import dataclass
from typing import Annotated, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.floating]
IntArray = npt.NDArray[np.integer]
BoolArray = npt.NDArray[np.bool_]

Kind = Literal["pattern", "scores", "value-weighted"]
WayName = Literal["output", "source"]
Side = Literal["query", "key"]
Source = Literal["token", "token+mlp0", "position"]
CircuitName = Literal["ov", "qk"]
Contrast = Literal["mean", "none"]
CompositionKind = Literal["q", "k", "v"]
Split = Literal["heads", "sources"]
Specials = Literal["tokens", "text"]
Device = Literal["cpu", "cuda", "mps"]
Dtype = Literal["float32", "bfloat16", "float16"]


class Refused(Exception):
    """A question that cannot be answered; the message is one sentence for the user."""


@dataclass(frozen=True)
class Placing:
    """Where a model runs and how its numbers are held; not for attention-only models of ours.

    Attributes
    ----------
    device
        What runs prompts. What is kept of a run, and circuits, are on the CPU.
    dtype
        Of the weights, and of what a run computes. Circuits are computed in float32.
    """

    device: Device = "cpu"
    dtype: Dtype = "float32"

    @property
    def itemsize(self) -> int:
        """Bytes of a number."""
        return 4 if self.dtype == "float32" else 2

    def __str__(self) -> str:
        return f"{self.dtype} on {self.device}"

    @property
    def rounds(self) -> bool:
        """Whether what a run gives is rounded to less than single precision."""
        return self.dtype != "float32"


class Says(NamedTuple):
    """What a field means, for `--help` and docs/answers.md: text, array shape, unit."""

    text: str
    shape: str = ""
    unit: str = ""


class Head(NamedTuple):
    """A head's place in its model; `0.3` on the command line, `L0H3` in the window."""

    layer: int
    number: int

    def __str__(self) -> str:
        return f"{self.layer}.{self.number}"

    @property
    def name(self) -> str:
        """The head as the window writes it, `L0H3`."""
        return f"L{self.layer}H{self.number}"

    @classmethod
    def parse(cls, text: str) -> "Head":
        """Read `0.3` or `L0H3`.

        Raises
        ------
        Refused
            If the text is neither.
        """
        layer, dot, number = text.strip().upper().removeprefix("L").replace("H", ".").partition(".")
        if not (dot and layer.isdecimal() and number.isdecimal()):
            raise Refused(f"{text!r} is not a head: write layer.head, for example 0.3")
        return cls(int(layer), int(number))


HeadName = Annotated[Head, Says("layer.head")]
Circuit = Annotated[CircuitName, Says("ov or qk")]
Way = Annotated[
    WayName,
    Says(
        "output: the token is read, the list is raised; source: the list is read, the "
        "token is raised"
    ),
]
ModelName = Annotated[
    str,
    Says(
        "name of the model, one of `headscope models`, or the path of a model folder or GGUF file"
    ),
]
Token = Annotated[int | str, Says("one token: its text, or its id (as text `#id`)")]
TopK = Annotated[int, Says("how many tokens to list at each end")]
Offset = Annotated[int, Says("query position minus key position, for rotary models (and ALiBi)")]
SaidOffset = Annotated[
    int | None,
    Says("offset that the scores are for; none where distance changes nothing in this answer"),
]
Rank = Annotated[
    int,
    Says("how many tokens have at least its value, itself among them: 1 where it is alone first"),
]
Constant = Annotated[
    bool,
    Says("whether all tokens have the same value, so that the order of the lists says nothing"),
]
SaidLength = Annotated[
    int | None,
    Says(
        "tokens of the prompts that the scores are for, where the model turns longer ones by other "
        "angles (longrope, dynamic scaling): those of the prompt asked about, else as many as turn "
        "like short ones, or as the offset needs; none where all turn alike"
    ),
]
Begins = Annotated[
    str | None,
    Says(
        "the BOS before the random tokens that repeat, as shown; empty: they begin without one, "
        "for the model has none; none: they were not asked for"
    ),
]
Biases = Annotated[bool, Says("add b_Q and b_K")]
Position = Annotated[int, Says("position in the prompt; negative: from the end")]
Target = Annotated[
    Token | None, Says("the token asked about; none: the model's first guess after the position")
]
