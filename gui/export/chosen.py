"""What was chosen for the last export, which the next one begins with."""

from pathlib import Path

from gui.figures.options import FigureOptions
from gui.settings import Settings


class Chosen:
    """Options, kinds of file, and the folder, which outlives the window.

    Parameters
    ----------
    settings
        Where the folder is kept; none keeps it for this window only.
    """

    def __init__(self, settings: Settings | None) -> None:
        self._settings = settings
        self._folder = ""
        self.options = FigureOptions()
        self.picture, self.data = ".pdf", ".csv"

    @property
    def folder(self) -> Path:
        """The folder of the last file, or the user's own where that is not there any more."""
        kept = self._settings.export_folder() if self._settings else self._folder
        return Path(kept) if kept and Path(kept).is_dir() else Path.home()

    def keep_folder(self, folder: Path) -> None:
        """Begin there next time."""
        self._folder = str(folder)
        if self._settings is not None:
            self._settings.keep_export_folder(self._folder)

    def suffix(self, suffixes: tuple[str, ...]) -> str:
        """Return which of some kinds of file was chosen last."""
        return next(kind for kind in (self.picture, self.data) if kind in suffixes)

    def keep_suffix(self, suffix: str) -> None:
        """Begin with this kind next time."""
        from gui.export.material import PICTURES

        if suffix in PICTURES:
            self.picture = suffix
        else:
            self.data = suffix
