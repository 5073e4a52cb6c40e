"""The box of models in the top bar, and the choices it lists, section by section."""

import os
from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import (
    QKeyEvent,
    QMouseEvent,
    QPaintEvent,
    QStandardItem,
    QStandardItemModel,
    QWheelEvent,
)
from PySide6.QtWidgets import QStyle, QStyleOptionComboBox, QStylePainter, QWidget

from engine.messages import ModelEntry
from gui.session.model_opener import is_path, short_name
from gui.style.palette import ScaledSize, scaled
from gui.style.theme import UNIT
from gui.widgets.controls import ComboBox
from gui.widgets.labels import ABOUT, HEADING, PATH, NamedRow
from gui.widgets.painting import literal

BUNDLED, CACHED, RECENT = "Comes with Headscope", "Found on this computer", "Opened before"
SECTIONS = (BUNDLED, RECENT, CACHED)
"""In this order: the cache may hold many, of which few were ever opened."""
GONE = "not there any more"


class Choice(NamedTuple):
    """One model that can be picked.

    Attributes
    ----------
    model
        What it is opened by: a name or a path.
    label
        What it is called.
    section
        One of SECTIONS.
    source
        Where it comes from, in a word.
    about
        A sentence, or where it lies.
    missing
        Why it cannot be opened, empty where nothing is known against it.
    """

    model: str
    label: str
    section: str
    source: str
    about: str
    missing: str = ""

    @property
    def whole(self) -> str:
        """All that is known of it, for a tool tip."""
        about = "" if is_path(self.model) else self.about
        return "\n".join(line for line in (self.model, about, self.missing) if line)


def choices(
    listed: Sequence[ModelEntry], recent: Sequence[str], others: Sequence[str] = ()
) -> tuple[Choice, ...]:
    """Return every model that can be picked, section by section.

    Parameters
    ----------
    listed
        What the engine lists.
    recent
        Paths that were opened before, newest first.
    others
        Models that are to be among them wherever they come from.
    """
    known = [_listed(entry) for entry in listed]
    names = {choice.model for choice in known}
    paths = [path for path in recent if path not in names]
    paths = [*(name for name in others if name and name not in (*names, *paths)), *paths]
    found = [*known, *(of_path(path) for path in dict.fromkeys(paths))]
    return tuple(choice for section in SECTIONS for choice in found if choice.section == section)


def of_path(path: str) -> Choice:
    """Return the choice of a folder or a file."""
    gone = is_path(path) and not os.path.exists(path)
    source = "file" if path.lower().endswith(".gguf") else "folder"
    place = os.path.dirname(path) if is_path(path) else "asked for by its name"
    return Choice(path, short_name(path), RECENT, source, place, GONE if gone else "")


def _listed(entry: ModelEntry) -> Choice:
    section = CACHED if entry.source == "cache" else BUNDLED
    return Choice(entry.name, entry.name, section, entry.source, entry.about)


FOLDER, FILE, DOWNLOAD = "Open a folder …", "Open a file …", "Download …"
ACTIONS = (FOLDER, FILE, DOWNLOAD)

MODEL = Qt.ItemDataRole.UserRole
"""Role of the name or path that a row opens; none on headings and actions."""
QUICK = Qt.ItemDataRole.UserRole + 4
"""Role that is true on what opens at once."""
_LEAST, _NARROWEST, _WIDEST, _POPUP = 12 * UNIT, 15 * UNIT, 30 * UNIT, 76 * UNIT
_MOST_ROWS = 20
_STEPS = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}


class ModelBox(ComboBox):
    """Models in sections, and ways to others at the end.

    Up and Down step through the models that come with Headscope, which open at once; everything
    else is chosen in the list, which Space, F4 or a click opens. The wheel changes nothing: a
    model is no value that one turns.
    """

    picked = Signal(str)
    """The model that was chosen."""
    action_picked = Signal(str)
    """One of ACTIONS."""
    opened = Signal()
    """The list is about to be shown."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown = ""
        self._rows = QStandardItemModel(self)
        self.setModel(self._rows)
        self.setAccessibleName("Model")
        self.setMaxVisibleItems(_MOST_ROWS)
        self.view().setItemDelegate(NamedRow(self))
        ScaledSize(self.view(), self.view().setMinimumWidth, _POPUP)
        self.view().setAccessibleName("Models")
        self.view().viewport().installEventFilter(self)
        self.activated.connect(self._on_activated)

    def set_choices(self, found: Sequence[Choice], shown: str) -> None:
        """List models, and show one of them as the one in use."""
        self._shown = shown
        self._rows.clear()
        section = ""
        for choice in found:
            if choice.section != section:
                section = choice.section
                self._rows.appendRow(_heading(section))
            self._rows.appendRow(_row(choice))
        self._rows.appendRow(_heading("Others"))
        for action in ACTIONS:
            self._rows.appendRow(QStandardItem(action))
        self._show()

    def sizeHint(self) -> QSize:
        """Return the width of what is shown, within bounds: a path may be long."""
        hint = super().sizeHint()
        text = self.fontMetrics().horizontalAdvance(self.currentText())
        wanted = max(text + scaled(5 * UNIT), scaled(_NARROWEST))
        return QSize(min(wanted, scaled(_WIDEST)), hint.height())

    def minimumSizeHint(self) -> QSize:
        """Return the least width, for a window in which there is no room for more."""
        return QSize(scaled(_LEAST), super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the box; a long name loses its middle."""
        painter, option = QStylePainter(self), QStyleOptionComboBox()
        self.initStyleOption(option)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        field = self.style().subControlRect(
            QStyle.ComplexControl.CC_ComboBox,
            option,
            QStyle.SubControl.SC_ComboBoxEditField,
            self,
        )
        text, middle = self.currentText(), Qt.TextElideMode.ElideMiddle
        option.currentText = self.fontMetrics().elidedText(text, middle, field.width() - 2)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)
        painter.end()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Step through what opens at once, or open the list; letters choose nothing unseen."""
        opens = (Qt.Key.Key_Space, Qt.Key.Key_F4, Qt.Key.Key_Return, Qt.Key.Key_Enter)
        alt = bool(event.modifiers() & Qt.KeyboardModifier.AltModifier)
        if event.key() in opens or (alt and event.key() in _STEPS):
            self.showPopup()
        elif event.key() in _STEPS:
            self._step(_STEPS[Qt.Key(event.key())])
        else:
            QWidget.keyPressEvent(self, event)

    def showPopup(self) -> None:
        """Open the list, as things are now."""
        self.opened.emit()
        super().showPopup()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Choose nothing by a click on a heading; Qt would take the row pointed at before it."""
        if isinstance(event, QMouseEvent) and event.type() == QEvent.Type.MouseButtonRelease:
            flags = self.view().indexAt(event.position().toPoint()).flags()
            return not flags & Qt.ItemFlag.ItemIsEnabled
        return super().eventFilter(watched, event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave the wheel to whatever scrolls."""
        event.ignore()

    def _step(self, by: int) -> None:
        quick = [row for row in range(self.count()) if self.itemData(row, QUICK)]
        beyond = [row for row in quick if (row - self.currentIndex()) * by > 0]
        if beyond:
            row = beyond[0] if by > 0 else beyond[-1]
            self.setCurrentIndex(row)
            self._on_activated(row)

    def _on_activated(self, row: int) -> None:
        model, text = self.itemData(row, MODEL), self.itemText(row)
        # What is shown changes when the model does.
        self._show()
        if model is not None:
            self.picked.emit(model)
        elif text in ACTIONS:
            self.action_picked.emit(text)

    def _show(self) -> None:
        row = self.findData(self._shown, MODEL)
        self.setCurrentIndex(row)
        tip = self.itemData(row, Qt.ItemDataRole.ToolTipRole) if row >= 0 else ""
        self.setToolTip(tip or literal(self._shown))
        self.setAccessibleDescription(self._shown)
        self.updateGeometry()


def _heading(text: str) -> QStandardItem:
    item = QStandardItem(text)
    item.setData(True, HEADING)
    item.setFlags(Qt.ItemFlag.NoItemFlags)
    return item


def _row(choice: Choice) -> QStandardItem:
    item = QStandardItem(choice.label)
    item.setData(choice.model, MODEL)
    item.setData(choice.missing or choice.about, ABOUT)
    item.setData(is_path(choice.model) and not choice.missing, PATH)
    item.setData(choice.section == BUNDLED, QUICK)
    item.setToolTip(literal(choice.whole))
    item.setData(choice.whole, Qt.ItemDataRole.AccessibleDescriptionRole)
    if choice.missing:
        item.setFlags(Qt.ItemFlag.NoItemFlags)
    return item
