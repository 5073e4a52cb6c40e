"""A model in somebody else's format, found whole but not yet read."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from tokenizers import Tokenizer

from engine.messages import Placing, Refused, in_bytes

EXAMPLE = "I like green tea, so I drink green"
BYTES = 4
"""A number in memory, in single precision."""


@dataclass(frozen=True, eq=False)
class Pretrained:
    """A model folder or GGUF file that has been looked over.

    Attributes
    ----------
    name
        What it was opened as: its path, or its name in the Hugging Face cache.
    title
        What sentences call it.
    path
        The folder, or the file that holds the weights.
    layout
        How its weights are stored: as transformers does, in a GGUF file, or under
        TransformerLens's names.
    parameters
        Numbers in its weight files.
    disk
        Size of its weight files, in bytes.
    peak
        Bytes that reading it takes at most, in single precision.
    layers, heads, context
        Of the model, 0 where it does not say: how many layers, heads in each, and tokens of a
        prompt at most.
    tokenizer, bos_token
        Of a folder; those of a GGUF file, or of a folder without tokenizer.json, are made from
        it while it is read.
    config
        TransformerLens's config of a state dict.
    """

    name: str
    title: str
    path: Path
    layout: Literal["transformers", "GGUF", "TransformerLens"]
    parameters: int
    disk: int
    peak: int
    layers: int
    heads: int
    context: int
    tokenizer: Tokenizer | None = None
    bos_token: str | None = None
    config: Mapping[str, Any] = field(default_factory=dict)
    example: str = EXAMPLE

    def peak_in(self, placing: Placing) -> int:
        """Return how many bytes reading it takes at most.

        Tensors of a folder are converted one at a time; those of other layouts are all there in
        single precision first.
        """
        if self.layout == "transformers" and self.stored_singly:
            return self.peak * placing.itemsize // BYTES
        return self.peak - (BYTES - placing.itemsize) * self.parameters

    @property
    def stored_singly(self) -> bool:
        """Whether a tensor can be read without the others: pickles may have to be read whole."""
        return any(self.path.glob("*.safetensors"))

    def check_fits(self, free: int, placing: Placing) -> None:
        """Refuse a model that would not fit, before it takes any memory.

        Parameters
        ----------
        free : int
            Bytes of memory that can be had.
        placing : Placing
            How it is to be held.

        Raises
        ------
        Refused
            With what it needs, what there is, and what would fit.
        """
        peak = self.peak_in(placing)
        if peak > free:
            fits = int(free / peak * self.parameters)
            raise Refused(
                f"{self.title} has {self.parameters:,} parameters and takes "
                f"{in_bytes(self.disk)} on disk: reading it takes {in_bytes(peak)} of memory, "
                f"and {in_bytes(free)} are free; up to {fits:,} parameters would fit"
            )


def is_there(name: str, kind: Callable[[Path], bool]) -> bool:
    """Return whether a name is the path of something of a kind; an impossible path is not."""
    try:
        return bool(name) and kind(Path(name).expanduser())
    except (OSError, RuntimeError, ValueError):
        return False
