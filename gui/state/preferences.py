"""What the user prefers: where models run and in which precision, and how heads are written."""

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import get_args

from engine.messages import Device, Dtype, Placing, Refused
from gui.style.formatting import NOTATIONS, Notation

DEVICES: tuple[Device, ...] = get_args(Device)
DTYPES: tuple[Dtype, ...] = get_args(Dtype)
LEAST_MIB, USUAL_MIB, MOST_MIB = 16, 384, 2**16
MOST_THREADS = 512
HUB = "HF_HUB_CACHE"
"""The variable that says where the Hugging Face cache lies."""

_GIVEN = os.environ.get(HUB)


@dataclass(frozen=True)
class Preferences:
    """What the user prefers.

    Attributes
    ----------
    placing
        Where models run, and in which precision.
    threads
        Of torch; 0 is as many as torch chooses.
    mebibytes
        What answers and patterns that are kept take at most.
    hub
        Folder of the Hugging Face cache; empty is where the system has it.
    notation
        How the window writes a head.
    """

    placing: Placing = field(default_factory=Placing)
    threads: int = 0
    mebibytes: int = USUAL_MIB
    hub: str = ""
    notation: Notation = NOTATIONS[0]

    @property
    def of_engine(self) -> tuple[Placing, int, int]:
        """What an engine is made by."""
        return self.placing, self.threads, self.mebibytes

    @property
    def cache_bytes(self) -> int:
        """Size of what is kept."""
        return self.mebibytes * 2**20

    def checked(self) -> "Preferences":
        """Return the preferences.

        Raises
        ------
        Refused
            If one cannot be, in a sentence that names it.
        """
        if not 0 <= self.threads <= MOST_THREADS:
            raise Refused(f"threads are 1 to {MOST_THREADS}, or 0 for as many as torch chooses")
        if not LEAST_MIB <= self.mebibytes <= MOST_MIB:
            raise Refused(f"memory for answers is {LEAST_MIB} to {MOST_MIB:,} MiB")
        if self.hub and not is_folder(self.hub):
            raise Refused(f"there is no folder {self.hub!r}: make it first, or leave this empty")
        return self


def is_folder(path: str) -> bool:
    """Return whether there is such a folder; an impossible path is none."""
    try:
        return Path(path).expanduser().is_dir()
    except (OSError, RuntimeError, ValueError):
        return False


def use_hub(folder: str) -> None:
    """Let models be looked for, and downloads be kept, in a folder; empty: where the system says.

    The process that downloads inherits it.
    """
    found = str(Path(folder).expanduser()) if folder else _GIVEN
    if found is None:
        os.environ.pop(HUB, None)
    else:
        os.environ[HUB] = found
