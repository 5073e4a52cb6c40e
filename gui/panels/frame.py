"""How a card is laid out: title, subtitle, help, controls, notice and body; rows and switches."""

from collections.abc import Callable, Iterable
from typing import Any

from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QLayout,
    QScrollArea,
    QSizePolicy,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gui.panels.help import PANEL_HELP, Help
from gui.style.palette import ScaledSize, token_font
from gui.style.theme import SCROLL_BAR, UNIT
from gui.widgets.controls import Segmented
from gui.widgets.labels import Notice, TextScroll, plain_label
from gui.widgets.layouts import FlowLayout
from gui.widgets.text import Sentence

_BETWEEN = " · "


class Subtitle(QLabel):
    """Parts between dots; where there is no room for all of them the last ones are left out."""

    def __init__(self) -> None:
        super().__init__()
        self._whole = ""
        self.setProperty("role", "small")
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def setText(self, text: str) -> None:
        """Say something else."""
        self._whole = text
        self._fit()

    def text(self) -> str:
        """Return all that there is to say, seen or not."""
        return self._whole

    def shown(self) -> str:
        """Return what is seen."""
        return super().text()

    def width_of_first_part(self) -> int:
        """Return the least room that is worth having, pixels; none for no text."""
        return self.fontMetrics().horizontalAdvance(self._whole.partition(_BETWEEN)[0])

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the text anew."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        metrics, width = self.fontMetrics(), self.contentsRect().width()
        parts = self._whole.split(_BETWEEN)
        while len(parts) > 1 and metrics.horizontalAdvance(_BETWEEN.join(parts)) > width:
            parts.pop()
        text = _BETWEEN.join(parts)
        super().setText(metrics.elidedText(text, Qt.TextElideMode.ElideRight, width))
        self.setAccessibleDescription(self._whole)


WIDTH = 68 * UNIT


class HelpPage(QFrame):
    """What a panel shows, its formula, where that is from, a caveat, keys.

    It closes by Esc, by a click elsewhere, and by the button that opened it.
    """

    def __init__(self, title: str, page: Help, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setProperty("page", True)
        self.setAccessibleName(f"Help on {title}")
        self._scroll = TextScroll(UNIT * 2, UNIT // 2)
        rows = self._scroll.column
        rows.addWidget(plain_label(title, "title", wraps=True))
        rows.addWidget(plain_label(page.shows, wraps=True, selectable=True))
        for heading, text in (
            ("Formula", page.formula),
            ("From", page.paper),
            ("Do not conclude", page.caveat),
            ("Keys", page.keys),
        ):
            rows.addSpacing(UNIT // 2)
            rows.addWidget(plain_label(heading, "small", wraps=True))
            label = plain_label(text, wraps=True, selectable=True)
            if heading == "Formula":
                label.setFont(token_font(small=True))
            rows.addWidget(label)
        rows.addStretch(1)
        around = QVBoxLayout(self)
        around.setContentsMargins(0, 0, 0, 0)
        around.addWidget(self._scroll)
        self.setFocusProxy(self._scroll)

    def open_below(self, button: QWidget) -> None:
        """Show the page under a button, whole if the screen is large enough."""
        screen = button.screen().availableGeometry()
        width = min(WIDTH, screen.width())
        height = min(self._scroll.height_for(width - 2) + 2, screen.height() - 2 * UNIT)
        self.resize(width, height)
        corner = button.mapToGlobal(QPoint(button.width() - width, button.height() + 2))
        left = min(max(corner.x(), screen.left()), screen.right() - width)
        top = min(corner.y(), screen.bottom() - height)
        self.move(left, max(top, screen.top()))
        self.show()
        self.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close by Esc."""
        if event.key() == Qt.Key.Key_Escape:
            self.close()
        else:
            super().keyPressEvent(event)


class HelpButton(QToolButton):
    """Opens the help of its panel.

    Parameters
    ----------
    title
        The panel's.
    page
        What is said.
    """

    def __init__(self, title: str, page: Help) -> None:
        super().__init__()
        self._title, self._page = title, page
        self.setText("?")
        self.setProperty("quiet", True)
        self.setProperty("narrow", True)
        self.setToolTip("What this card shows, its formula, and what to doubt")
        self.setAccessibleName(f"Help on {title}")
        self.clicked.connect(self.open_page)

    def open_page(self) -> HelpPage:
        """Show the page; Esc or a click elsewhere closes it."""
        page = HelpPage(self._title, self._page, self)
        page.open_below(self)
        return page


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
        self.head_label = plain_label(role="accent")
        self.head_label.hide()
        self.prompt = plain_label("left prompt", "accent")
        self.prompt.hide()
        self.subtitle = Subtitle()
        self._head.addWidget(self._name)
        self._head.addWidget(self.head_label)
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
        for label in (self.head_label, self.prompt):
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


Row = QWidget | QLayout | tuple[QWidget | QLayout, int]
"""What stands in a column; a pair says what share of the height that is left it takes."""


def stack(parent: QWidget, *rows: Row, spacing: int = UNIT) -> QVBoxLayout:
    """Lay rows out below one another, to the edges of their parent."""
    column = QVBoxLayout(parent)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(spacing)
    for row in rows:
        content, stretch = row if isinstance(row, tuple) else (row, 0)
        if isinstance(content, QWidget):
            column.addWidget(content, stretch)
        else:
            column.addLayout(content, stretch)
    return column


def switch(
    name: str, changed: Callable[[Any], object], *options: str | tuple[str, ...]
) -> Segmented:
    """Return a switch: its accessible name, what is called with a choice, and what there is.

    An option is a key that is also its label, or a key, a label and perhaps a tool tip.
    """
    rows = [(option, option) if isinstance(option, str) else option for option in options]
    made = Segmented([(row[0], row[1]) for row in rows], name)
    for row in rows:
        if len(row) > 2:
            made.set_option_tip(row[0], row[2])
    made.changed.connect(changed)
    return made


def yield_room(
    widget: QWidget, least: int, across: QSizePolicy.Policy = QSizePolicy.Policy.Ignored
) -> None:
    """Let a widget be as small as its card has room for, but not lower than this.

    It takes what is left, and the card need not scroll for what it would like.
    """
    widget.setSizePolicy(across, QSizePolicy.Policy.Ignored)
    ScaledSize(widget, widget.setMinimumHeight, least)


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
