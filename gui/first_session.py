"""What the window begins with: a session file that was named, or else that of the last time."""

from pathlib import Path
from typing import NamedTuple

from engine.messages import Refused
from gui import document
from gui.autosave import Autosave
from gui.session_file import SavedSession
from gui.settings import Settings


class FirstSession(NamedTuple):
    """A session, none at the very first start; and what somebody should be told about it."""

    saved: SavedSession | None
    trouble: str = ""


def find(path: Path | None, autosave: Autosave | None, settings: Settings | None) -> FirstSession:
    """Return the session to begin with; one that another takes the place of is not lost.

    Parameters
    ----------
    path
        A session file, or none for the last session.
    autosave
        Has the last session, if it is kept at all.
    settings
        Where recent sessions are kept, if they are.
    """
    last, trouble = None, ""
    try:
        last = autosave.read() if autosave else None
    except Refused as refused:
        trouble = str(refused)
    if path is None:
        return FirstSession(last, trouble)
    try:
        saved = document.read(path)
        if autosave and last and document.is_lost_without(last):
            kept = autosave.keep(last)
            trouble = f"The session that was open before was not saved; it is kept in {kept}."
            if settings:
                settings.keep_recent_session(str(kept))
    except Refused as refused:
        return FirstSession(last, str(refused))
    if settings:
        settings.keep_recent_session(saved.file)
    return FirstSession(saved, trouble)
