"""Versions of Headscope and of what its numbers and pictures are made with.

They are read from what pip installed: importing torch for its version takes seconds.
"""

import platform
from functools import cache

from PySide6.QtCore import QCoreApplication, qVersion

_PACKAGES = (
    ("PySide6", "PySide6-Essentials"),
    ("torch", "torch"),
    ("transformers", "transformers"),
    ("TransformerLens", "transformer-lens"),
    ("numpy", "numpy"),
    ("matplotlib", "matplotlib"),
)
"""(what it is called, its distribution)."""


def headscope() -> str:
    """Return the version of this program, as the composition root told it to Qt."""
    return QCoreApplication.applicationVersion()


@cache
def parts() -> tuple[tuple[str, str], ...]:
    """Return (name, version) of Python, Qt and the libraries; `?` where a version is unknown."""
    from importlib.metadata import PackageNotFoundError, version  # brings all of email

    found = [("Python", platform.python_version()), ("Qt", qVersion() or "?")]
    for name, distribution in _PACKAGES:
        try:
            found.append((name, version(distribution)))
        except PackageNotFoundError:
            found.append((name, "?"))
    return tuple(found)


def as_text() -> str:
    """Return all versions and the system, as a bug report wants them."""
    mine = f"Headscope {headscope()}".strip()
    listed = ", ".join(f"{name} {number}" for name, number in parts())
    return f"{mine}, {listed}\n{platform.platform()}"
