"""Small print beside a title, which loses its last parts first."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy

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
