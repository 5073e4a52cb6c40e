"""What widgets that paint numbers as points of a plane have in common."""

from PySide6.QtCore import QEvent, QPointF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.widgets import painting
from gui.widgets.painting import Pointing


class PointCloud(Pointing[int], QWidget):
    """A click on a point asks for it by `chosen`; a sentence stands where there are none.

    Parameters
    ----------
    name
        Accessible name.
    parent
        Owner.
    """

    chosen = Signal(int)
    """Place, in the order given, of the point that is asked for."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.selected: int | None = None
        self.message = ""
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(name)
        self.setAccessibleDescription(self.keys)

    def count(self) -> int:
        """Return how many points there are."""
        raise NotImplementedError

    def say(self, place: int) -> str:
        """Return a point in words."""
        raise NotImplementedError

    def draw(self, painter: QPainter) -> None:
        """Draw axes and points, of which there are some."""
        raise NotImplementedError

    def set_selected(self, place: int | None) -> None:
        """Mark a point, or none."""
        self.selected = place
        self.tell()
        self.update()

    def marked(self) -> str:
        """Return the selected point in words."""
        place = self.selected
        return self.say(place) if place is not None and place < self.count() else ""

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw axes and points, or the sentence."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.message:
            painting.message(painter, self.rect(), self.message)
        elif self.count():
            self.draw(painter)
        self.draw_ring(painter)
        painter.end()

    def changeEvent(self, event: QEvent) -> None:
        """Follow theme and font."""
        super().changeEvent(event)
        self.update()

    def event(self, event: QEvent) -> bool:
        """Answer a request for a tool tip; where there is no point, the owner's is shown."""
        if event.type() == QEvent.Type.ToolTip and self.pointed is None:
            return super().event(event)
        return self.handle(event) or super().event(event)

    def tip_at(self, point: QPointF) -> str:
        """Return a point in words."""
        found = self.thing_at(point)
        return "" if found is None else self.say(found)

    def ask_for(self, thing: int) -> None:
        """Ask for the point that was clicked."""
        self.chosen.emit(thing)
