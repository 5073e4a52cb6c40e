"""What the window needs of this computer, asked before Qt is imported, and Qt imported lean."""

import ctypes
import importlib
import os
import re
import shutil
import sys
from pathlib import Path

PACKAGES = (
    "libdbus-1-3 libegl1 libfontconfig1 libgl1 libglib2.0-0 libxkbcommon-x11-0 libxcb-cursor0 "
    "libxcb-icccm4 libxcb-image0 libxcb-keysyms1 libxcb-randr0 libxcb-render-util0 libxcb-shape0 "
    "libxcb-xkb1"
)
"""Debian's and Ubuntu's packages of every library that Qt's widgets and its X11 plug-in load."""


def has_display() -> bool:
    """Return whether a window could be seen; an offscreen or minimal platform counts as none."""
    platform = os.environ.get("QT_QPA_PLATFORM", "").partition(":")[0]
    if platform in ("offscreen", "minimal"):
        return False
    if not sys.platform.startswith("linux"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def has_x11() -> bool:
    """Return whether a window would be shown through X11."""
    return sys.platform.startswith("linux") and bool(os.environ.get("DISPLAY")) and has_display()


def can_have_x11() -> bool:
    """Return whether X11 is there, or xvfb-run, which lends one to the tests."""
    return has_x11() or (sys.platform.startswith("linux") and bool(shutil.which("xvfb-run")))


def missing_library(*, x11: bool) -> str:
    """Return which library Qt misses and the line that installs it, or '' if none.

    Parameters
    ----------
    x11
        Whether Qt's X11 plug-in is needed too.
    """
    try:
        importlib.import_module("PySide6.QtWidgets")
        if x11:
            # Qt aborts the process when its X11 plug-in does not load; the loader only says why.
            package = importlib.import_module("PySide6")
            plugins = Path(str(package.__file__)).parent / "Qt" / "plugins" / "platforms"
            ctypes.CDLL(str(plugins / "libqxcb.so"))
    except (ImportError, OSError) as error:
        name = re.search(r"lib[\w.+-]+\.so[\w.]*", str(error))
        if name is None:
            return f"the window needs PySide6, and importing it fails: {error}"
        return f"Qt needs {name[0]}, which is not installed: sudo apt-get install {PACKAGES}"
    return ""


def spare() -> None:
    """Import without a look for users of PySide6's snake_case feature, which nobody here is.

    It reads the source of each module, which takes a fifth of the time until the engine stands
    (14.3 against 11.3 s of processor time, torch 2.13), and some of that until the window does.
    """
    importlib.import_module("PySide6.QtCore")  # brings what is changed here
    feature = sys.modules.get("PySide6.support.feature")
    if hasattr(feature, "_mod_uses_pyside"):
        vars(feature)["_mod_uses_pyside"] = lambda module: False
