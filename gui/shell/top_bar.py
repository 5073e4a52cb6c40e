"""The line at the top: menus, model, BOS, the layout in use, and the way to everything else."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QPushButton, QToolButton, QWidget

from engine.messages import ListModels, ModelList, Request, Result
from gui.client.engine_client import EngineClient, Failure
from gui.export.menu import ExportButton
from gui.models.model_box import CACHED, Choice, ModelBox, choices
from gui.session.model_opener import ModelOpener
from gui.session.session import Session
from gui.shell.command_palette import FindButton
from gui.shell.layouts import LAYOUTS, Layout
from gui.style.palette import theme
from gui.style.theme import UNIT
from gui.widgets.controls import Segmented
from gui.widgets.forms import button, row
from gui.widgets.painting import literal


class TopBar(QWidget):
    """Menus, model picker, BOS switch, switch of layouts, and the main buttons.

    Parameters
    ----------
    menus
        The menus of the window.
    export
        The main button.
    """

    layout_wanted = Signal(object)
    """One of LAYOUTS; that in use, where its cards are to be put back."""
    find_wanted = Signal()
    theme_toggled = Signal()
    model_wanted = Signal(str)
    """A model that is to be looked over before it is opened."""
    other_wanted = Signal(str)
    """One of `model_box.ACTIONS`."""

    def __init__(
        self,
        session: Session,
        client: EngineClient,
        opening: ModelOpener,
        menus: Sequence[QMenu],
        export: ExportButton,
    ) -> None:
        super().__init__()
        self._session, self._client, self._opening = session, client, opening
        self._listed: ModelList | None = None
        self._name = QLabel("Headscope")
        self._name.setProperty("role", "title")
        self.models = ModelBox()
        self.models.picked.connect(self._on_model_picked)
        self.models.action_picked.connect(self.other_wanted)
        self.models.opened.connect(self._show_models)
        self.bos = QPushButton("BOS")
        self.bos.setCheckable(True)
        self.bos.setAccessibleName("Begin the prompt with the BOS token")
        self.bos.clicked.connect(session.set_prepend_bos)
        self.layouts = Segmented([(layout.name, layout.name) for layout in LAYOUTS], "Layout")
        for layout in LAYOUTS:
            self.layouts.set_option_tip(layout.name, layout.about)
        self.layouts.changed.connect(self._on_layout)
        self.layouts.again.connect(self._on_layout)
        self.search = FindButton("Ctrl+K")
        self.search.clicked.connect(self.find_wanted)
        self.export = export
        self.theme = button("", self.theme_toggled.emit)
        self.theme.setProperty("bare", True)
        # Menus and title bar have these as well: the last give way first where there is no room.
        self._spare = (self.search, self.layouts, self.export, self._name, self.theme)
        self._row = bar = QHBoxLayout(self)
        bar.setContentsMargins(UNIT * 2 - 2, UNIT, UNIT * 2 - 2, UNIT)
        bar.setSpacing(UNIT)
        listed = QWidget()
        side_by_side = row(spacing=0)
        listed.setLayout(side_by_side)
        for menu in menus:
            opens = QToolButton()
            opens.setText(menu.title())
            opens.setProperty("bare", True)
            opens.setMenu(menu)
            opens.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
            side_by_side.addWidget(opens)
        for widget in (self._name, listed, self.models, self.bos):
            bar.addWidget(widget)
        bar.addStretch(1)
        bar.addWidget(self.layouts)
        bar.addStretch(1)
        for widget in (self.search, self.theme, self.export):
            bar.addWidget(widget)
        self.show_theme_name()
        client.renewed.connect(self.list_again)
        session.changed.connect(self._on_changed)
        opening.changed.connect(self._on_opening)
        self.ask_again()
        self._show_models()
        self._show_bos()

    def ask_again(self) -> None:
        """Ask for the list of models where it is not there."""
        if self._listed is None:
            self.list_again()

    def list_again(self) -> None:
        """Ask what there is: at first, and when there may be more than there was."""
        self._client.ask(self, "models", ListModels())

    def receive(self, slot: str, request: Request, result: Result) -> None:
        """Take the list of models."""
        assert isinstance(result, ModelList)
        self._listed = result
        self._show_models()

    def fail(self, slot: str, request: Request, failure: Failure) -> None:
        """Show no list; the panels say why."""

    def show_theme_name(self) -> None:
        """Name the theme that a click leads to."""
        self.theme.setText("Light" if theme().name == "dark" else "Dark")
        self.theme.setAccessibleName(f"Switch to the {self.theme.text().lower()} theme")

    def show_layout(self, layout: Layout) -> None:
        """Show which layout the cards lie in."""
        self.layouts.set_value(layout.name)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave out what has no room."""
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        """Leave out what has no room at another size of text."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self._fit()

    def _fit(self) -> None:
        margins = self._row.contentsMargins()
        items = (self._row.itemAt(place) for place in range(self._row.count()))
        widgets = [item.widget() for item in items if item is not None]
        room = self.width() - margins.left() - margins.right()
        room -= sum(_width(w) for w in widgets if w is not None and w not in self._spare)
        self.search.set_long(False)
        short = _width(self.search)
        for widget in self._spare:
            fits = _width(widget) <= room
            widget.setVisible(fits)
            # What comes later would come and go while the window is drawn wider.
            room = room - _width(widget) if fits else 0
        self.search.set_long(True)
        self.search.set_long(not self.search.isHidden() and _width(self.search) - short <= room)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the ground and the line under it."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(theme().card))
        painter.fillRect(0, self.height() - 1, self.width(), 1, QColor(theme().line))
        painter.end()

    def _on_layout(self, name: str) -> None:
        self.layout_wanted.emit(next(layout for layout in LAYOUTS if layout.name == name))

    def _on_changed(self, what: str) -> None:
        if what == "prepend_bos":  # of another model the opener tells
            self._show_bos()

    def _on_opening(self) -> None:
        self._show_models()
        self._show_bos()

    def _on_model_picked(self, model: str) -> None:
        picked = next(choice for choice in self._choices() if choice.model == model)
        if picked.section == CACHED and model != self._opening.in_use:
            self.model_wanted.emit(model)
        else:
            self._opening.open(model)

    def _choices(self) -> tuple[Choice, ...]:
        listed = self._listed.models if self._listed else ()
        others = (self._opening.wanted, self._session.selection.model)
        return choices(listed, self._opening.recent, others)

    def _show_models(self) -> None:
        wanted = self._opening.wanted or self._session.selection.model
        self.models.set_choices(self._choices(), wanted)

    def _show_bos(self) -> None:
        chosen, facts = self._session.selection.prepend_bos, self._opening.facts
        has = facts is not None and facts.has_bos
        self.bos.setEnabled(has)
        if facts is None:
            self.bos.setChecked(False)
            self.bos.setToolTip("The model is not open yet")
            return
        self.bos.setChecked(has and (facts.prepend_bos if chosen is None else chosen))
        if not has:
            self.bos.setToolTip("This model has no beginning-of-sequence token")
            return
        text = "Begin the prompt with the beginning-of-sequence token"
        if facts.bos_reason:
            default = "On" if facts.prepend_bos else "Off"
            text = f"{text}. {default} by default: {facts.bos_reason}"
        self.bos.setToolTip(literal(text))


def _width(widget: QWidget) -> int:
    """Return what a widget takes of the row, with the gap beside it."""
    return widget.sizeHint().width() + UNIT
