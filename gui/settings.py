"""What survives a restart: last prompt and model, history, theme, layout."""

from PySide6.QtCore import QByteArray, QSettings

from gui.session import DEFAULT_MODEL, DEFAULT_TEXT, Selection

LAYOUT_VERSION = 2
HISTORY_LENGTH = 50
SYSTEM_THEME = "system"


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

    def selection(self) -> Selection:
        """Return the session to begin with: the last model, text and BOS."""
        bos = self._text("prompt/prepend_bos", "")
        return Selection(
            model=self._text("prompt/model", DEFAULT_MODEL) or DEFAULT_MODEL,
            text=self._text("prompt/text", DEFAULT_TEXT),
            prepend_bos={"true": True, "false": False}.get(bos),
        )

    def keep_selection(self, selection: Selection) -> None:
        """Keep model, text and BOS for the next start."""
        bos = selection.prepend_bos
        self._store.setValue("prompt/model", selection.model)
        self._store.setValue("prompt/text", selection.text)
        self._store.setValue("prompt/prepend_bos", "" if bos is None else str(bos).lower())

    def history(self) -> list[str]:
        """Return the prompts that were run, oldest first."""
        stored = self._store.value("prompt/history", [])
        if isinstance(stored, str):
            return [stored]
        if not isinstance(stored, list):
            return []
        return [text for text in stored if isinstance(text, str)][-HISTORY_LENGTH:]

    def keep_history(self, history: list[str]) -> None:
        """Keep the newest prompts."""
        self._store.setValue("prompt/history", history[-HISTORY_LENGTH:])

    def theme(self) -> str:
        """Return `system`, `light` or `dark`."""
        theme = self._text("window/theme", SYSTEM_THEME)
        return theme if theme in (SYSTEM_THEME, "light", "dark") else SYSTEM_THEME

    def keep_theme(self, theme: str) -> None:
        """Keep the chosen theme."""
        self._store.setValue("window/theme", theme)

    def layout(self) -> tuple[QByteArray, QByteArray] | None:
        """Return the window's geometry and the docks' state, or none if there is no good one."""
        geometry, state = self._store.value("window/geometry"), self._store.value("window/state")
        if self._text("window/layout_version", "") != str(LAYOUT_VERSION):
            return None
        if isinstance(geometry, QByteArray) and isinstance(state, QByteArray):
            return geometry, state
        return None

    def keep_layout(self, geometry: QByteArray, state: QByteArray) -> None:
        """Keep the window's geometry and the docks' state."""
        self._store.setValue("window/layout_version", str(LAYOUT_VERSION))
        self._store.setValue("window/geometry", geometry)
        self._store.setValue("window/state", state)

    def write(self) -> None:
        """Write the file now, whole."""
        self._store.sync()

    def _text(self, key: str, default: str) -> str:
        value = self._store.value(key, default)
        return value if isinstance(value, str) else default
