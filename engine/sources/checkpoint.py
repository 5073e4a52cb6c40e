"""A model that a source found, before torch is imported, and the fingerprint of its weights."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer

from engine.bounded_file import open_regular
from engine.job import Job
from engine.messages import Placing, Refused, in_bytes
from engine.sources.config import Config


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """An attention-only model in memory.

    Attributes
    ----------
    config
        As TransformerLens writes it: sizes, `eps` and `attn_only`; `normalization` is `LNPre`, or
        `None` without norms; `positions` is `standard` (learned) or `none`.
    tensors
        Weights under TransformerLens's names and shapes, see `engine.sources.state_dict.shapes`.
    """

    name: str
    config: Config
    prepend_bos: bool
    bos_token: str | None
    example: str
    tokenizer: Tokenizer
    tensors: Mapping[str, npt.NDArray[np.floating]]


EXAMPLE = "I like green tea, so I drink green"
"""A prompt for models of text that come with none of their own."""
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
    config: Config = field(default_factory=dict)
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
        """Refuse a model that would not fit, before it takes any memory."""
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


DIGITS = 16
WHOLE = 256 * 2**20
"""Bytes of weight files that are read whole; of more, a sample."""
BLOCK, BLOCKS = 2**16, 64
"""Size and number of the pieces of a sample in each file, evenly spaced."""
STEP = 2**22
"""Bytes read between two steps of the job."""
WEIGHTS = ("*.safetensors", "pytorch_model*.bin", "*.pth")


def fingerprint(checkpoint: Checkpoint | Pretrained, job: Job) -> str:
    """Return the first 16 hexadecimal digits of a SHA-256 of a model's weights.

    Parameters
    ----------
    checkpoint : Checkpoint or Pretrained
        What a source handed over.
    job : Job
        Steps while files are read.

    Returns
    -------
    str
        Of weights that we hold, the hash goes over names, shapes and values. Of one file it is
        the file's own, as `sha256sum` prints it; of several, of all one after the other by name.
        Above 256 MB it goes over each file's size and 64 pieces of 64 KB, evenly spaced from
        its beginning to its end, and `~` stands in front: a change that misses all pieces is
        not seen. Empty where no weight file is found.
    """
    if isinstance(checkpoint, Checkpoint):
        return of_tensors(checkpoint.tensors)
    path = checkpoint.path
    files = [path] if path.is_file() else []
    for pattern in WEIGHTS:
        files = files or sorted(path.glob(pattern))
    return of_files(files, job)


def of_tensors(tensors: Mapping[str, np.ndarray]) -> str:
    """Return the fingerprint of weights in memory: names, shapes and float32 values."""
    found = hashlib.sha256()
    for name in sorted(tensors):
        values = np.ascontiguousarray(tensors[name], dtype="<f4")
        found.update(f"{name} {values.shape}\n".encode())
        found.update(values.tobytes())
    return found.hexdigest()[:DIGITS]


def of_files(files: Sequence[Path], job: Job) -> str:
    """Return the fingerprint of files, one after the other."""
    if not files:
        return ""
    found = hashlib.sha256()
    sizes = [file.stat().st_size for file in files]
    sampled = sum(sizes) > WHOLE
    for number, (file, size) in enumerate(zip(files, sizes, strict=True)):
        with open_regular(file) as stream:
            if sampled:
                found.update(f"{size}\n".encode())
            for place in _places(size) if sampled else range(0, size, STEP):
                job.step(number, len(files), f"reading the weights of {file.name}")
                stream.seek(place)
                found.update(stream.read(BLOCK if sampled else STEP))
    return ("~" if sampled else "") + found.hexdigest()[:DIGITS]


def _places(size: int) -> list[int]:
    """Return where the pieces of a file's sample begin."""
    return [max(0, size - BLOCK) * place // (BLOCKS - 1) for place in range(BLOCKS)]
