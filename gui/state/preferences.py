"""What the user prefers: where models run and in which precision, and how heads are written."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, get_args

from engine.messages import Device, Dtype, Placing, Refused
from gui.style.formatting import NOTATIONS, Notation

LEAST_MIB, USUAL_MIB, MOST_MIB = 16, 384, 2**16
MOST_THREADS = 512
HUB = "HF_HUB_CACHE"
"""The variable that says where the Hugging Face cache lies."""

_GIVEN = os.environ.get(HUB)


class Preference(NamedTuple):
    """One preference: its key in the settings file, and its label and name in the dialog.

    It is one of `values`, a number from `low` to `high`, or else a text.
    """

    key: str
    label: str
    name: str
    values: tuple[str, ...] = ()
    low: int = 0
    high: int = 0
    suffix: str = ""
    special: str = ""

    def read(self, stored: Any) -> Any:
        """Return a stored value; the first or none where it is of another kind."""
        if self.values:
            return stored if stored in self.values else self.values[0]
        if not self.high:
            return stored if isinstance(stored, str) else None
        try:  # of a file, Qt reads a number as text
            return int(stored) if isinstance(stored, int | str) else None
        except ValueError:
            return None


PREFERENCES = {
    "device": Preference("engine/device", "Device", "Device that runs models", get_args(Device)),
    "dtype": Preference(
        "engine/dtype", "Precision", "Precision that models run in", get_args(Dtype)
    ),
    "threads": Preference(
        "engine/threads",
        "Threads",
        "Threads of torch",
        high=MOST_THREADS,
        special="as torch chooses",
    ),
    "mebibytes": Preference(
        "engine/mib", "Memory for answers", "Memory for answers", (), LEAST_MIB, MOST_MIB, " MiB"
    ),
    "hub": Preference("engine/hub", "Downloaded models", "Folder of the Hugging Face cache"),
    "notation": Preference(
        "window/notation", "Heads are written", "How heads are written", NOTATIONS
    ),
}


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

    def value(self, name: str) -> Any:
        """Return what is preferred under a name of PREFERENCES."""
        return getattr(self.placing if name in ("device", "dtype") else self, name)

    def checked(self) -> "Preferences":
        """Return the preferences; refuse one that cannot be, in a sentence that names it."""
        if not 0 <= self.threads <= MOST_THREADS:
            raise Refused(f"threads are 1 to {MOST_THREADS}, or 0 for as many as torch chooses")
        if not LEAST_MIB <= self.mebibytes <= MOST_MIB:
            raise Refused(f"memory for answers is {LEAST_MIB} to {MOST_MIB:,} MiB")
        if self.hub and not is_folder(self.hub):
            raise Refused(f"there is no folder {self.hub!r}: make it first, or leave this empty")
        return self


def preferences(value: Callable[[str], Any]) -> Preferences:
    """Return the preferences whose values a function tells by their names; `None` is the usual."""
    found: Mapping[str, Any] = {name: value(name) for name in PREFERENCES}
    given = {name: one for name, one in found.items() if one is not None}
    return Preferences(Placing(given.pop("device"), given.pop("dtype")), **given)


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
