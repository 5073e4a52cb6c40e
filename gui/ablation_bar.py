"""A banner under the top bar while heads are switched off."""

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from gui.palette import theme
from gui.panels.reading import named
from gui.panels.sentence import Sentence
from gui.session import Session
from gui.theme import UNIT

_STRIPE = 4
MEANS = (
    "Every panel shows the model without {them}; what is read from the weights alone is as before."
)
DIFFERENCE = (
    "Attention and Prompt show what changed against the whole model; "
    "every other panel shows what is left."
)


class AblationBar(QWidget):
    """Says which heads are off, shows what that changed, and switches them on again."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self.setAccessibleName("Heads that are switched off")
        self.heading = QLabel()
        self.heading.setProperty("role", "title")
        self.heading.setTextFormat(Qt.TextFormat.PlainText)
        self.heading.setWordWrap(True)
        self.text = Sentence("What is shown without them", muted=False)
        self.difference = QPushButton("Difference to the whole model")
        self.difference.setCheckable(True)
        self.difference.setToolTip(
            "In Attention: the pattern minus that of the whole model.\n"
            "In Prompt: each guess's probability before and after."
        )
        self.difference.clicked.connect(session.set_difference)
        self.on = QPushButton("Switch on again")
        self.on.clicked.connect(lambda: session.set_heads_off(()))
        says = QVBoxLayout()
        says.setSpacing(UNIT // 2)
        says.addWidget(self.heading)
        says.addWidget(self.text)
        row = QHBoxLayout(self)
        row.setContentsMargins(UNIT * 2, UNIT, UNIT * 2, UNIT)
        row.setSpacing(UNIT)
        row.addLayout(says, 1)
        row.addWidget(self.difference)
        row.addWidget(self.on)
        session.changed.connect(self._on_changed)
        self._say()
        if not session.selection.heads_off:
            self.hide()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint a ground of its own with a stripe: nobody should miss that heads are off."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(theme().bad_ground))
        painter.fillRect(0, 0, _STRIPE, self.height(), QColor(theme().bad))
        painter.fillRect(0, self.height() - 1, self.width(), 1, QColor(theme().line))
        painter.end()

    def changeEvent(self, event: QEvent) -> None:
        """Paint again in another theme."""
        super().changeEvent(event)
        self.update()

    def _on_changed(self, what: str) -> None:
        if what in ("heads_off", "difference"):
            self._say()
            self.setVisible(bool(self._session.selection.heads_off))

    def _say(self) -> None:
        now = self._session.selection
        off = now.heads_off
        many = len(off) > 1
        self.heading.setText(f"Ablated: {named(off)} {'are' if many else 'is'} switched off")
        self.difference.setChecked(now.difference)
        means = MEANS.format(them="them" if many else "it")
        self.text.set_parts([DIFFERENCE if now.difference else means])
        self.on.setToolTip(f"Go back to the whole model, with {named(off)}")
