"""A model in Hugging Face's formats, found whole but not yet read."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tokenizers import Tokenizer

from engine.messages import Refused

EXAMPLE = "I like green tea, so I drink green"
BYTES = 4
"""A number in memory: weights are held in single precision."""


@dataclass(frozen=True, eq=False)
class Pretrained:
    """A model folder or GGUF file that has been looked over.

    Attributes
    ----------
    name
        What it was opened as: its path.
    path
        The folder, or the GGUF file.
    parameters
        Numbers in its weight files.
    disk
        Size of its weight files, in bytes.
    peak
        Bytes that reading it takes at most.
    tokenizer, bos_token
        Of a folder; a GGUF file's are made from it while it is read.
    """

    name: str
    path: Path
    parameters: int
    disk: int
    peak: int
    tokenizer: Tokenizer | None = None
    bos_token: str | None = None
    example: str = EXAMPLE

    @property
    def memory(self) -> int:
        """Bytes that its weights take once it is open."""
        return BYTES * self.parameters

    def check_fits(self, free: int) -> None:
        """Refuse a model that would not fit, before it takes any memory.

        Parameters
        ----------
        free : int
            Bytes of memory that can be had.

        Raises
        ------
        Refused
            With what it needs, what there is, and what would fit.
        """
        if self.peak > free:
            fits = int(free / self.peak * self.parameters)
            raise Refused(
                f"{self.path.name} has {self.parameters:,} parameters and takes "
                f"{_size(self.disk)} on disk: reading it takes {_size(self.peak)} of memory, and "
                f"{_size(free)} are free; up to {fits:,} parameters would fit"
            )


def is_there(name: str, kind: Callable[[Path], bool]) -> bool:
    """Return whether a name is the path of something of a kind; an impossible path is not."""
    try:
        return bool(name) and kind(Path(name).expanduser())
    except (OSError, RuntimeError):
        return False


def _size(count: int) -> str:
    for unit, scale in (("GB", 2**30), ("MB", 2**20), ("kB", 2**10)):
        if count >= scale:
            return f"{count / scale:.1f} {unit}"
    return f"{count} bytes"
