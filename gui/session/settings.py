"""What survives a restart beside the last session: history, theme, recent sessions."""

from PySide6.QtCore import QSettings

from engine.messages import Refused
from gui.state.preferences import PREFERENCES, Preferences, preferences
from gui.style.theme import NORMAL_TEXT, TEXT_SIZES

HISTORY_LENGTH = 50
MOST_RECENT = 10
SYSTEM_THEME = "system"
RECENT_MODELS = 10


class Settings:
    """The user's settings file, read and written by name.

    A value of the wrong kind (an edited or damaged file) is taken as absent.
    """

    def __init__(self) -> None:
        self._store = QSettings(
            QSettings.Format.IniFormat, QSettings.Scope.UserScope, "headscope", "headscope"
        )

    def first_start(self) -> bool:
        """Return whether nothing was ever kept, and remember that this start was."""
        new = not self._store.allKeys()
        if new:
            self._store.setValue("window/welcomed", "true")
            self._store.sync()
        return new

    def history(self) -> list[str]:
        """Return the prompts that were run, oldest first."""
        return self._texts("prompt/history")[-HISTORY_LENGTH:]

    def keep_history(self, history: list[str]) -> None:
        """Keep the newest prompts."""
        self._store.setValue("prompt/history", history[-HISTORY_LENGTH:])

    def recent_models(self) -> list[str]:
        """Return the paths of models that were opened, newest first."""
        return self._texts("models/recent")[:RECENT_MODELS]

    def keep_recent_models(self, paths: list[str]) -> None:
        """Keep the newest paths."""
        self._store.setValue("models/recent", paths[:RECENT_MODELS])

    def theme(self) -> str:
        """Return `system`, `light` or `dark`."""
        theme = self._text("window/theme", SYSTEM_THEME)
        return theme if theme in (SYSTEM_THEME, "light", "dark") else SYSTEM_THEME

    def keep_theme(self, theme: str) -> None:
        """Keep the chosen theme."""
        self._store.setValue("window/theme", theme)

    def text_size(self) -> int:
        """Return the size of text, in per cent of the usual one."""
        kept = self._text("window/text_size", "")
        return int(kept) if kept in map(str, TEXT_SIZES) else NORMAL_TEXT

    def keep_text_size(self, percent: int) -> None:
        """Keep the chosen size of text."""
        self._store.setValue("window/text_size", str(percent))

    def recent_sessions(self) -> list[str]:
        """Return the paths of session files, the newest first."""
        return self._texts("session/recent")[:MOST_RECENT]

    def keep_recent_session(self, path: str) -> None:
        """Put a session file first."""
        others = [other for other in self.recent_sessions() if other != path]
        self._store.setValue("session/recent", [path, *others][:MOST_RECENT])

    def export_folder(self) -> str:
        """Return the folder that was exported to last, empty for none."""
        return self._text("export/folder", "")

    def keep_export_folder(self, folder: str) -> None:
        """Keep the folder of the last export."""
        self._store.setValue("export/folder", folder)

    def preferences(self) -> Preferences:
        """Return what the engine is to be made by; what cannot be is as at a first start."""
        stored = {name: self._store.value(one.key) for name, one in PREFERENCES.items()}
        found = preferences(lambda name: PREFERENCES[name].read(stored[name]))
        try:
            return found.checked()
        except Refused:
            return Preferences(found.placing, notation=found.notation)

    def keep_preferences(self, chosen: Preferences) -> None:
        """Keep what the engine is to be made by."""
        for name, one in PREFERENCES.items():
            self._store.setValue(one.key, chosen.value(name))

    def write(self) -> None:
        """Write the file now, whole."""
        self._store.sync()

    def _texts(self, key: str) -> list[str]:
        stored = self._store.value(key, [])
        if isinstance(stored, str):
            return [stored]  # that is how Qt reads a list of one
        if not isinstance(stored, list):
            return []
        return [text for text in stored if isinstance(text, str)]

    def _text(self, key: str, default: str) -> str:
        value = self._store.value(key, default)
        return value if isinstance(value, str) else default
