"""Where the keys that move lead to, in cells and along a line."""

from PySide6.QtCore import Qt

FAR = 10**9
"""Farther than any end: a step is cut off there."""

ARROWS = {
    Qt.Key.Key_Up: (-1, 0),
    Qt.Key.Key_Down: (1, 0),
    Qt.Key.Key_Left: (0, -1),
    Qt.Key.Key_Right: (0, 1),
}
"""Rows and columns."""

ROW_ENDS = {Qt.Key.Key_Home: (0, -FAR), Qt.Key.Key_End: (0, FAR)}

ALONG = {
    Qt.Key.Key_Left: -1,
    Qt.Key.Key_Right: 1,
    Qt.Key.Key_Home: -FAR,
    Qt.Key.Key_End: FAR,
}
"""Places of a line."""
