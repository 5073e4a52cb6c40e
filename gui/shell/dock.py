"""The dock of a card, and the overlay that hides it during a guided example."""

import pkgutil

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QCloseEvent,
    QColor,
    QContextMenuEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QShowEvent,
)
from PySide6.QtWidgets import QDockWidget, QMenu, QWidget

from gui.client.engine_client import EngineClient
from gui.panels import Card
from gui.panels.panel import Panel
from gui.session.session import Session
from gui.style.palette import theme, ui_font
from gui.style.theme import RADIUS, UNIT
from gui.widgets.painting import Pointing

SAYS = "Hidden until you press Reveal"


class SpoilerOverlay(QWidget):
    """Hides a widget inside a card; it can neither be seen nor clicked.

    Parameters
    ----------
    card
        The card.
    part
        What is hidden of it: the card itself, or a widget in it.
    title
        The card's name, which stays readable.
    """

    def __init__(self, card: QWidget, part: QWidget, title: str) -> None:
        super().__init__(card)
        self._card, self._part, self._title = card, part, title
        self.setAccessibleName(f"{title}: {SAYS.lower()}")
        part.installEventFilter(self)
        card.installEventFilter(self)
        self._place()
        self.show()
        self.raise_()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow what is hidden."""
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.LayoutRequest):
            self._place()
        return super().eventFilter(watched, event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the card's ground, its title where that is hidden too, and why."""
        colours = theme()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(colours.line)))
        painter.setBrush(QColor(colours.card))
        box = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.drawRoundedRect(box, RADIUS, RADIUS, Qt.SizeMode.AbsoluteSize)
        inside = self.rect().adjusted(UNIT * 3 // 2, UNIT, -UNIT, -UNIT)
        if self._part is self._card:
            painter.setPen(QColor(colours.text))
            painter.setFont(ui_font(bold=True))
            painter.drawText(inside, int(Qt.AlignmentFlag.AlignTop), self._title)
        painter.setPen(QColor(colours.muted))
        painter.setFont(ui_font())
        flags = int(Qt.AlignmentFlag.AlignCenter) | int(Qt.TextFlag.TextWordWrap)
        painter.drawText(inside, flags, SAYS)
        painter.end()

    def _place(self) -> None:
        corner = QPoint()
        if self._part is not self._card:
            corner = self._part.mapTo(self._card, corner)
        self.setGeometry(QRect(corner, self._part.size()))


class CardDock(QDockWidget):
    """A dock painted as one rounded card, whose panel is made when it is first opened.

    Most panels stay closed, and the window is there sooner without them.

    Parameters
    ----------
    kind
        Which card it is.
    """

    filled = Signal(Panel)
    """The panel was made."""
    menu_wanted = Signal(QMenu, Panel)
    """A menu about the panel is about to be shown, and takes entries."""

    def __init__(self, kind: Card, session: Session, client: EngineClient, parent: QWidget) -> None:
        super().__init__(kind.title, parent)
        self.setObjectName(kind.title)  # the name under which Qt keeps its place
        self.kind = kind
        self.panel: Panel | None = None
        self._session, self._client = session, client
        self.open_action = QAction(f"{kind.title}: {kind.about}", self, checkable=True)
        self.open_action.triggered.connect(self._on_called)
        self.toggleViewAction().toggled.connect(self.open_action.setChecked)
        self._covered = False
        self._overlay: SpoilerOverlay | None = None

    def fill(self) -> Panel:
        """Return the panel, made if it was not yet."""
        if self.panel is None:
            self.panel = pkgutil.resolve_name(self.kind.panel)(self._session, self._client)
            self.setTitleBarWidget(self.panel.header)
            self.setWidget(self.panel)
            self._update_cover()
            self.filled.emit(self.panel)
        return self.panel

    def bring(self) -> None:
        """Show the card in front of others, and give it the keyboard."""
        self.show()
        self.raise_()
        inside = (self.fill().body, self.fill(), self.fill().header)
        first = next((found for part in inside if (found := _first(part)) is not None), self)
        first.setFocus(Qt.FocusReason.ShortcutFocusReason)

    @property
    def has_keyboard(self) -> bool:
        """Whether what is typed goes into the card."""
        focused = self.window().focusWidget()
        return self.isVisible() and focused is not None and self.isAncestorOf(focused)

    def set_covered(self, covered: bool) -> None:
        """Hide what the card shows, or only what its panel calls secret, or show it again."""
        self._covered = covered
        self._update_cover()

    def showEvent(self, event: QShowEvent) -> None:
        """Make the panel now at the latest."""
        self.fill()
        super().showEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Come to the front instead of closing unseen."""
        if self.isVisible() and self.visibleRegion().isEmpty():
            event.ignore()
            self.raise_()
            self.toggleViewAction().setChecked(True)
        else:
            super().closeEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offer what can be done with the card; the View menu has the others."""
        title = self.kind.title
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.menu_wanted.emit(menu, self.fill())
        menu.addSeparator()
        menu.addAction(f"Close {title}", self.close)
        if self.isFloating():
            menu.addAction(f"Put {title} back", lambda: self.setFloating(False))
        else:
            menu.addAction(f"Float {title}", lambda: self.setFloating(True))
        menu.popup(event.globalPos())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint ground and edge."""
        colours = theme()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(colours.accent if self.hasFocus() else colours.line)))
        painter.setBrush(QColor(colours.card))
        painter.drawRoundedRect(
            QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5),
            0 if self.isFloating() else RADIUS,
            0 if self.isFloating() else RADIUS,
            Qt.SizeMode.AbsoluteSize,
        )
        painter.end()

    def _on_called(self) -> None:
        """Bring the card; one that has the keyboard is closed."""
        if self.has_keyboard:
            self.close()
        else:
            self.bring()
        self.open_action.setChecked(not self.isHidden())

    def _update_cover(self) -> None:
        if self._covered and self._overlay is None and self.panel is not None:
            self._overlay = SpoilerOverlay(self, self.panel.spoiler_widget or self, self.kind.title)
        elif not self._covered and self._overlay is not None:
            self._overlay.hide()
            self._overlay.deleteLater()
            self._overlay = None


def _first(part: QWidget) -> QWidget | None:
    """Return the first widget in a part of the card that Tab would stop at, pictures first."""
    stops = [
        widget
        for widget in part.findChildren(QWidget)
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        and widget.isVisibleTo(part.window())
        and widget.isEnabled()
        and widget.focusProxy() is None
    ]
    return next((w for w in stops if isinstance(w, Pointing)), stops[0] if stops else None)
