"""Shared by the widgets' tests: the application dressed in a theme, pixels, help events."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF
from PySide6.QtGui import QColor, QHelpEvent
from PySide6.QtWidgets import QApplication, QLabel, QWidget

from gui.style import palette


@pytest.fixture(params=["light", "dark"])
def dressed(request: pytest.FixtureRequest, qapp: QApplication) -> str:
    """Dress the application in each theme, and name it."""
    palette.apply(qapp, request.param)
    return str(request.param)


@pytest.fixture(autouse=True)
def _light(qapp: QApplication) -> None:
    palette.apply(qapp, "light")


@pytest.fixture
def pixel() -> Callable[[QWidget, QPointF], QColor]:
    """Return what colour a widget has at a place."""

    def colour(widget: QWidget, at: QPointF) -> QColor:
        return widget.grab().toImage().pixelColor(at.toPoint())

    return colour


@pytest.fixture
def tip_label(qapp: QApplication) -> Callable[[QWidget, QPointF], str]:
    """Return the text that a reader sees in the tool tip at a place, empty for none."""

    def text(widget: QWidget, at: QPointF) -> str:
        place = at.toPoint()
        event = QHelpEvent(QEvent.Type.ToolTip, place, widget.mapToGlobal(place))
        qapp.sendEvent(widget, event)
        shown = [w for w in qapp.topLevelWidgets() if isinstance(w, QLabel) and w.isVisible()]
        tips = [label for label in shown if label.inherits("QTipLabel")]
        return _as_read(tips[0].text()) if tips else ""

    return text


def _as_read(rich: str) -> str:
    from PySide6.QtGui import Qt, QTextDocument

    assert Qt.mightBeRichText(rich)
    document = QTextDocument()
    document.setHtml(rich)
    return document.toPlainText()


@pytest.fixture
def far_away() -> QPoint:
    """Return a place outside every widget."""
    return QPoint(-50, -50)
