"""What painted widgets have in common: a thing under the mouse, clicks, tool tips, a focus ring."""

from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar

from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QFocusEvent, QHelpEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import QAbstractScrollArea, QWidget

from gui.widgets import painting, tool_tip

if TYPE_CHECKING:
    _Base = QWidget
else:
    # The class of Qt comes after this one where it is mixed in: a class has one Qt base only.
    class _Base: ...


Thing = TypeVar("Thing")


class Pointing(_Base, Generic[Thing]):
    """Mixed into a widget that paints things (cells, tokens, heads) which are no widgets."""

    keys: ClassVar[str] = "Arrow keys move."
    """What keys do, for those who cannot see it."""
    pointed: Thing | None = None
    """What is under the mouse."""
    _ring = False

    def thing_at(self, point: QPointF) -> Thing | None:
        """Return what lies at a place of the canvas."""
        raise NotImplementedError

    def tip_at(self, point: QPointF) -> str:
        """Return what the tool tip at a place says, as plain text; empty for none."""
        raise NotImplementedError

    def ask_for(self, thing: Thing) -> None:
        """Tell that somebody clicked on something."""
        raise NotImplementedError

    def marked(self) -> str:
        """Return what is marked in words, empty where nothing is."""
        return ""

    def tell(self) -> None:
        """Describe what is marked, and what keys do, to those who cannot see it."""
        said = " ".join(self.marked().split("\n")).strip()
        self.setAccessibleDescription(f"{said}. {self.keys}" if said else self.keys)

    def point_at(self, thing: Thing | None) -> None:
        """Take something for what is under the mouse."""
        if thing != self.pointed:
            self.pointed = thing
            self._canvas().update()

    def show_ring(self) -> None:
        """Show the focus ring: somebody uses the keyboard."""
        self._ring = True
        self._canvas().update()

    def draw_ring(self, painter: QPainter) -> None:
        """Draw the focus ring where the keyboard is at work."""
        if self._ring and self.hasFocus():
            painting.focus_ring(painter, self._canvas().rect())

    def handle(self, event: QEvent) -> bool:
        """Answer a request for a tool tip, and notice that the mouse has left the canvas."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            tool_tip.show(self.tip_at(QPointF(event.pos())), event.globalPos(), self)
            return True
        if event.type() == QEvent.Type.Leave:
            self.point_at(None)
        return False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Notice what is under the mouse."""
        self.point_at(self.thing_at(event.position()))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Ask for what was clicked."""
        thing = self.thing_at(event.position())
        if event.button() == Qt.MouseButton.LeftButton and thing is not None:
            self.ask_for(thing)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show the ring when the keyboard brought the focus."""
        self._ring = painting.came_by_keyboard(event.reason())
        super().focusInEvent(event)
        self.tell()
        self._canvas().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Take the ring away."""
        super().focusOutEvent(event)
        self._canvas().update()

    def _canvas(self) -> QWidget:
        return self.viewport() if isinstance(self, QAbstractScrollArea) else self
