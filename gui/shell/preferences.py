"""Preferences: a dialog, and what is done with what was chosen."""

from collections.abc import Callable
from functools import partial
from typing import cast

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QDialog,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QMenu,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from engine.messages import Device, Dtype, Placing, Refused
from gui.client.engine_client import EngineClient, EngineLike
from gui.session.settings import SYSTEM_THEME, Settings
from gui.shell.menus import Add
from gui.state.preferences import (
    DEVICES,
    DTYPES,
    LEAST_MIB,
    MOST_MIB,
    MOST_THREADS,
    Preferences,
    use_hub,
)
from gui.style.formatting import NOTATIONS, Notation, use_notation
from gui.style.palette import Held
from gui.style.theme import THEMES, UNIT
from gui.widgets.controls import Segmented, SpinBox
from gui.widgets.labels import Notice, plain_label

MAKES = (
    "A model is opened anew where something of this changes. In half precision (bfloat16, "
    "float16) it takes half the memory, and answers about a prompt are rounded. Attention-only "
    "models always run in float32 on the cpu."
)
WIDTH = 60 * UNIT


class PreferencesDialog(QDialog):
    """Asks for preferences; refuses in place what cannot be."""

    chosen = Signal(object, str)
    """Preferences, and the name of a theme."""

    def __init__(self, parent: QWidget | None, now: Preferences, theme: str) -> None:
        super().__init__(parent)
        self.setWindowTitle("Preferences")
        self.device = Segmented([(name, name) for name in DEVICES], "Device that runs models")
        self.device.set_value(now.placing.device)
        self.dtype = Segmented([(name, name) for name in DTYPES], "Precision that models run in")
        self.dtype.set_value(now.placing.dtype)
        self.threads = _number("Threads of torch", 0, MOST_THREADS, now.threads)
        self.threads.setSpecialValueText("as torch chooses")
        self.memory = _number("Memory for answers", LEAST_MIB, MOST_MIB, now.mebibytes)
        self.memory.setSuffix(" MiB")
        self.hub = QLineEdit(now.hub)
        self.hub.setPlaceholderText("where the system has it")
        self.hub.setAccessibleName("Folder of the Hugging Face cache")
        self.hub.setClearButtonEnabled(True)
        browse = QPushButton("Choose …")
        browse.setAccessibleName("Choose the folder of the Hugging Face cache")
        browse.clicked.connect(self._browse)
        self.theme = Segmented(
            [(name, name.capitalize()) for name in (SYSTEM_THEME, *THEMES)], "Theme"
        )
        self.theme.set_value(theme)
        self.notation = Segmented([(name, name) for name in NOTATIONS], "How heads are written")
        self.notation.set_value(now.notation)
        self.notice = Notice()
        about = plain_label(MAKES, "small", wraps=True)
        Held(about, about.setFixedWidth, WIDTH)
        folder = QHBoxLayout()
        folder.setSpacing(UNIT)
        folder.addWidget(self.hub, 1)
        folder.addWidget(browse)
        form = QFormLayout()
        form.setHorizontalSpacing(2 * UNIT)
        form.setVerticalSpacing(UNIT)
        form.addRow("Device", self.device)
        form.addRow("Precision", self.dtype)
        form.addRow("Threads", self.threads)
        form.addRow("Memory for answers", self.memory)
        form.addRow("Downloaded models", folder)
        form.addRow("Heads are written", self.notation)
        form.addRow("Theme", self.theme)
        cancel, self.apply_button = QPushButton("Cancel"), QPushButton("Apply")
        cancel.clicked.connect(self.reject)
        self.apply_button.setDefault(True)
        self.apply_button.clicked.connect(self.apply)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(cancel)
        buttons.addWidget(self.apply_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(UNIT * 2, UNIT * 2, UNIT * 2, UNIT * 2)
        column.setSpacing(UNIT * 2)
        column.addLayout(form)
        column.addWidget(about)
        column.addWidget(self.notice)
        column.addStretch(1)
        column.addLayout(buttons)
        column.setSizeConstraint(QVBoxLayout.SizeConstraint.SetFixedSize)

    def preferences(self) -> Preferences:
        """Return what the fields say.

        Raises
        ------
        Refused
            If that cannot be.
        """
        placing = Placing(cast(Device, self.device.value()), cast(Dtype, self.dtype.value()))
        return Preferences(
            placing,
            self.threads.value(),
            self.memory.value(),
            self.hub.text().strip(),
            cast(Notation, self.notation.value()),
        ).checked()

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
    client
        The way to the engine.
    settings
        Where preferences are kept.
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

    def fill(self, menu: QMenu, add: Add, theme: Callable[[], str]) -> None:
        """Put the entry into the Edit menu; `theme` tells the theme that is chosen."""
        menu.addSeparator()
        action = add(menu, "Preferences …", "Ctrl+,", lambda: self.show(menu.parentWidget(), theme))
        action.setMenuRole(QAction.MenuRole.PreferencesRole)

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
            # Other models may be there: whoever lists them asks again.
            self._client.renewed.emit()


def _number(name: str, least: int, most: int, value: int) -> SpinBox:
    box = SpinBox()
    box.setRange(least, most)
    box.setValue(value)
    box.setGroupSeparatorShown(True)
    box.setAccessibleName(name)
    return box
