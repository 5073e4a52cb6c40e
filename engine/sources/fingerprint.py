"""Which weights a model has, as a short word that goes with every figure of it."""

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from engine.bounded_file import open_regular
from engine.job import Job
from engine.sources.checkpoint import Checkpoint
from engine.sources.pretrained import Pretrained

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
