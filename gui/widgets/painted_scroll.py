"""What painted widgets that scroll have in common: the page, what is in sight, laying out anew."""

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QSizePolicy, QWidget

from gui.theme import UNIT
from gui.widgets.pointing import Pointing, Thing


class PaintedScroll(Pointing[Thing], QAbstractScrollArea):
    """A page as wide as the widget, painted, that scrolls up and down.

    Parameters
    ----------
    name
        Accessible name.
    parent
        Owner.
    """

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.verticalScrollBar().setSingleStep(3 * UNIT)
        self.viewport().setMouseTracking(True)
        self.viewport().setAutoFillBackground(False)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(name)
        self.setAccessibleDescription(self.keys)

    def lay_out(self) -> None:
        """Say anew where everything lies, and how high the page is by `set_extent`."""
        raise NotImplementedError

    def scrolled(self) -> int:
        """Return how much of the page lies above what is seen, in pixels."""
        return self.verticalScrollBar().value()

    def on_page(self, point: QPointF) -> QPointF:
        """Return the place on the page of a place of the viewport."""
        return point + QPointF(0, self.scrolled())

    def set_extent(self, height: float) -> None:
        """Let a page of this height scroll as far as it must."""
        bar = self.verticalScrollBar()
        bar.setPageStep(self.viewport().height())
        bar.setRange(0, max(0, int(height) - self.viewport().height()))

    def bring_into_sight(self, box: QRectF) -> None:
        """Scroll until a box of the page is seen, or its top where there is no room for all."""
        bar, room = self.verticalScrollBar(), self.viewport().height()
        if box.top() < bar.value() or box.height() > room:
            bar.setValue(int(box.top()))
        elif box.bottom() > bar.value() + room:
            bar.setValue(int(box.bottom() - room) + 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay out anew."""
        super().resizeEvent(event)
        self.lay_out()

    def changeEvent(self, event: QEvent) -> None:
        """Follow theme and font."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self.lay_out()

    def viewportEvent(self, event: QEvent) -> bool:
        """Answer a request for a tool tip, and notice that the mouse has left."""
        return self.handle(event) or super().viewportEvent(event)
