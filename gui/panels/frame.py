"""What stands around a panel's picture: its head, its help, its notice, what it waits for."""

from collections.abc import Iterable

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QSizePolicy,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gui.panel_help import PANEL_HELP
from gui.panels.help_button import HelpButton
from gui.panels.sentence import Sentence
from gui.panels.subtitle import Subtitle
from gui.theme import SCROLL_BAR, UNIT
from gui.widgets.flow_layout import FlowLayout
from gui.widgets.notice import Notice
from gui.widgets.plain_label import plain_label

_EDGE = UNIT * 3 // 2
_SPACING = UNIT * 3 // 4


class _Head(QWidget):
    """As narrow as the card is: what has no room here goes below."""

    def minimumSizeHint(self) -> QSize:
        """Return the height of the controls, and hardly any width."""
        return QSize(UNIT, super().minimumSizeHint().height())


class Frame:
    """Lays a panel out.

    From above: title, mark, whose prompt it is, subtitle and controls; the controls for which
    there is no room beside them; what the panel puts `above`; its notice; its `offers`; and either
    what it waits for or its `body`.

    Parameters
    ----------
    panel
        The panel; the head is no child of it, so that a dock can take it as its title bar.
    title
        The panel's name.
    """

    def __init__(self, panel: QWidget, title: str) -> None:
        self._panel = panel
        self._controls: list[QWidget] = []
        self.header = _Head()
        around = QHBoxLayout(self.header)
        around.setContentsMargins(_EDGE, UNIT, UNIT, _SPACING)
        around.setSpacing(UNIT)
        self._head = QHBoxLayout()
        around.addLayout(self._head, 1)
        self.export = QToolButton()
        self.export.setText("⤓")
        self.export.setProperty("quiet", True)
        self.export.setProperty("narrow", True)
        self.export.hide()
        around.addWidget(self.export)
        self.help = HelpButton(title, PANEL_HELP[title]) if title in PANEL_HELP else None
        if self.help is not None:
            around.addWidget(self.help)
        self._head.setSpacing(UNIT)
        self._name = QLabel(title)
        self._name.setProperty("role", "title")
        self.mark = plain_label(role="accent")
        self.mark.hide()
        self.prompt = plain_label(role="accent")
        self.prompt.hide()
        self.subtitle = Subtitle()
        self._head.addWidget(self._name)
        self._head.addWidget(self.mark)
        self._head.addWidget(self.prompt)
        self._head.addWidget(self.subtitle, 1)

        page = QVBoxLayout(panel)
        page.setContentsMargins(_EDGE, 0, _EDGE - SCROLL_BAR, UNIT)
        page.setSpacing(_SPACING)
        outer = QVBoxLayout()
        outer.setContentsMargins(0, 0, SCROLL_BAR, 0)
        outer.setSpacing(_SPACING)
        page.addLayout(outer)
        self._below = QWidget()
        self._below.hide()
        self._below_head = FlowLayout(UNIT, UNIT // 2, self._below)
        outer.addWidget(self._below)
        self.above = QVBoxLayout()
        self.above.setSpacing(_SPACING)
        outer.addLayout(self.above)
        self.notice = Notice()
        outer.addWidget(self.notice)
        self.offers = QVBoxLayout()
        outer.addLayout(self.offers)
        self.body = QWidget()
        self.waits = Sentence(f"{title}: what it waits for")
        self._pages = QStackedWidget()
        self._pages.addWidget(_at_the_top(self.waits))
        self._pages.addWidget(_scrolling(self.body))
        page.addWidget(self._pages, 1)

    @property
    def showing_wait(self) -> bool:
        """Whether what is waited for is seen, and no picture."""
        return self._pages.currentIndex() == 0

    def show_picture(self, there: bool) -> None:
        """Show the body, or what is waited for."""
        self._pages.setCurrentIndex(1 if there else 0)

    def add_controls(self, widgets: Iterable[QWidget]) -> None:
        """Put controls into the head, the first ones before the others."""
        for widget in widgets:
            self._controls.append(widget)
            self._head.addWidget(widget)
            QWidget.setTabOrder(widget, self.export)
        if self.help is not None:
            QWidget.setTabOrder(self.export, self.help)

    def place_controls(self) -> None:
        """Move the controls that have no room beside title and subtitle under the head."""
        room = self._panel.width() - _EDGE
        if self.help is not None:
            room -= self.help.sizeHint().width() + UNIT
        room -= self._name.sizeHint().width() + UNIT
        for label in (self.mark, self.prompt):
            room -= 0 if label.isHidden() else label.sizeHint().width() + UNIT
        room -= self.subtitle.width_of_first_part() + UNIT
        if not self.export.isHidden():
            room -= self.export.sizeHint().width() + UNIT
        beside = []
        for widget in self._controls:
            width = min(widget.sizeHint().width(), widget.maximumWidth())
            room -= 0 if _is_put_away(widget) else width + UNIT
            beside.append(room >= 0)
        if beside != [self._head.indexOf(widget) >= 0 for widget in self._controls]:
            for widget, fits in zip(self._controls, beside, strict=True):
                for layout in (self._head, self._below_head):
                    layout.removeWidget(widget)
                (self._head if fits else self._below_head).addWidget(widget)
        shown = (not _is_put_away(widget) for widget in self._controls)
        self._below.setVisible(any(s and not f for s, f in zip(shown, beside, strict=True)))


def _is_put_away(widget: QWidget) -> bool:
    """Return whether the panel hides a control: Qt hides for a turn what changes its parent."""
    return widget.isHidden() and widget.testAttribute(Qt.WidgetAttribute.WA_WState_ExplicitShowHide)


def _at_the_top(widget: QWidget) -> QWidget:
    page = QWidget()
    column = QVBoxLayout(page)
    column.setContentsMargins(0, 0, SCROLL_BAR, 0)
    column.addWidget(widget)
    column.addStretch(1)
    return page


def _scrolling(body: QWidget) -> QScrollArea:
    scroll = QScrollArea()
    scroll.setWidgetResizable(True)
    # A picture is as high as it is wide: a bar that took width only when it is needed would
    # leave it with no need for one, and come and go until the stack overflows.
    scroll.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
    scroll.setFrameShape(QFrame.Shape.NoFrame)
    scroll.setWidget(body)
    scroll.viewport().setAutoFillBackground(False)
    body.setAutoFillBackground(False)
    scroll.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
    scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    return scroll
