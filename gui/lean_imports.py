"""Keeps PySide6 from reading the source of every module that is imported."""

import sys

import PySide6.QtCore  # noqa: F401  (brings what is changed here)


def spare() -> None:
    """Import without a look for users of PySide6's snake_case feature, which nobody here is.

    It reads the source of each module, which takes a fifth of the time until the engine stands
    (14.3 against 11.3 s of processor time, torch 2.13), and some of that until the window does.
    """
    feature = sys.modules.get("PySide6.support.feature")
    if hasattr(feature, "_mod_uses_pyside"):
        vars(feature)["_mod_uses_pyside"] = lambda module: False
