"""Preferences: a dialog, and what is done with what was chosen."""

from collections.abc import Callable
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QDialog, QFileDialog, QFormLayout, QLayout, QWidget

from engine.messages import Refused
from gui.client.engine_client import EngineClient, EngineLike
from gui.session.settings import SYSTEM_THEME, Settings
from gui.state.preferences import PREFERENCES, Preference, Preferences, preferences, use_hub
from gui.style.formatting import use_notation
from gui.style.palette import ScaledSize
from gui.style.theme import THEMES, UNIT
from gui.widgets.controls import Segmented
from gui.widgets.forms import button, column, field, row, set_value, spin, value_of
from gui.widgets.labels import Notice, plain_label

MAKES = (
    "A model is opened anew where something of this changes. In half precision (bfloat16, "
    "float16) it takes half the memory, and answers about a prompt are rounded. Attention-only "
    "models always run in float32 on the cpu."
)
WIDTH = 60 * UNIT


class PreferencesDialog(QDialog):
    """Edits preferences; refuses in place what cannot be."""

    chosen = Signal(object, str)
    """Preferences, and the name of a theme."""

    def __init__(self, parent: QWidget | None, now: Preferences, theme: str) -> None:
        super().__init__(parent)
        self.setWindowTitle("Preferences")
        controls = {name: _control(one) for name, one in PREFERENCES.items()}
        self._controls = controls
        self.dtype, self.hub = controls["dtype"], controls["hub"]
        self.hub.setPlaceholderText("where the system has it")
        self.hub.setClearButtonEnabled(True)
        named = "Choose the folder of the Hugging Face cache"
        browse = button("Choose …", self._browse, name=named)
        self.theme = Segmented(
            [(name, name.capitalize()) for name in (SYSTEM_THEME, *THEMES)], "Theme"
        )
        self.theme.set_value(theme)
        self.notice = Notice()
        about = plain_label(MAKES, "small", wraps=True)
        ScaledSize(about, about.setFixedWidth, WIDTH)
        form = QFormLayout()
        form.setHorizontalSpacing(2 * UNIT)
        form.setVerticalSpacing(UNIT)
        for name, control in controls.items():
            set_value(control, now.value(name))
            shown = row((control, 1), browse, spacing=UNIT) if name == "hub" else control
            form.addRow(PREFERENCES[name].label, shown)
        form.addRow("Theme", self.theme)
        self.apply_button = button("Apply", self.apply, default=True)
        buttons = row(1, button("Cancel", self.reject), self.apply_button)
        all_ = column(
            form, about, self.notice, 1, buttons, of=self, margin=UNIT * 2, spacing=UNIT * 2
        )
        all_.setSizeConstraint(QLayout.SizeConstraint.SetFixedSize)

    def preferences(self) -> Preferences:
        """Return what the fields say, or refuse what cannot be."""
        values = {name: value_of(control) for name, control in self._controls.items()}
        values["hub"] = values["hub"].strip()
        return preferences(values.__getitem__).checked()

    def apply(self) -> None:
        """Hand on what was chosen and close, or say what cannot be."""
        try:
            found = self.preferences()
        except Refused as refused:
            self.notice.show_failure(str(refused))
            return
        self.chosen.emit(found, self.theme.value())
        self.accept()

    def _browse(self) -> None:
        folder = QFileDialog.getExistingDirectory(self, "Folder of the Hugging Face cache")
        if folder:
            self.hub.setText(folder)


class PreferenceKeeper(QObject):
    """Holds what is preferred, and has a new engine made where that changes it.

    Parameters
    ----------
    now
        What is preferred at first: of this session only where the command line said so.
    make_engine
        Makes an engine, in the engine thread.
    """

    theme_chosen = Signal(str)
    renamed = Signal()
    """Heads are written in another way."""

    def __init__(
        self,
        client: EngineClient,
        settings: Settings | None,
        now: Preferences,
        make_engine: Callable[[Preferences], EngineLike],
    ) -> None:
        super().__init__()
        self._client, self._settings, self.now = client, settings, now
        client.placing = now.placing
        self._make_engine = make_engine

    def show(self, parent: QWidget | None, theme: Callable[[], str]) -> PreferencesDialog:
        """Open the dialog."""
        dialog = PreferencesDialog(parent, self.now, theme())
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.chosen.connect(self.take)
        dialog.open()
        return dialog

    def take(self, chosen: Preferences, theme: str) -> None:
        """Keep what was chosen, and let it hold from now on."""
        before, self.now = self.now, chosen
        if self._settings:
            self._settings.keep_preferences(chosen)
            self._settings.write()
        self.theme_chosen.emit(theme)
        use_hub(chosen.hub)
        use_notation(chosen.notation)
        self._client.placing = chosen.placing
        if chosen.notation != before.notation:
            self.renamed.emit()
        if chosen.of_engine != before.of_engine:
            self._client.renew(partial(self._make_engine, chosen))
        elif chosen.hub != before.hub:
            # Other models may be there: lists of models are asked for again.
            self._client.renewed.emit()


def _control(one: Preference) -> Any:
    if one.values:
        return Segmented([(value, value) for value in one.values], one.name)
    if not one.high:
        return field(one.name)
    box = spin(one.name, one.low, one.high, one.suffix)
    box.setGroupSeparatorShown(True)
    box.setSpecialValueText(one.special)
    return box
