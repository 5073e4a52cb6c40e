"""The program's icon, in every size that it was drawn in."""

from importlib.resources import files

from PySide6.QtGui import QIcon, QPixmap


def window_icon() -> QIcon:
    """Return the icon of windows; an empty one where its files are not there."""
    icon = QIcon()
    folder = files("resources").joinpath("icons")
    for size in folder.iterdir() if folder.is_dir() else ():
        picture = size.joinpath("headscope.png")
        if picture.is_file():
            pixmap = QPixmap()
            pixmap.loadFromData(picture.read_bytes())
            icon.addPixmap(pixmap)
    return icon
