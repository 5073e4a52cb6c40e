"""The program's icon, in every size that it was drawn in."""

from pathlib import Path

from PySide6.QtCore import QSize
from PySide6.QtGui import QIcon

_ICONS = Path(__file__).parents[1] / "resources" / "icons"


def window_icon() -> QIcon:
    """Return the icon of windows, whose pictures are read when they are first shown."""
    icon = QIcon()
    for path in sorted(_ICONS.glob("*x*/headscope.png")):
        side = int(path.parent.name.partition("x")[0])
        icon.addFile(str(path), QSize(side, side))
    return icon
