"""The line that leads through a guided example."""

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from gui.guides import Guide
from gui.palette import theme
from gui.panels.sentence import Sentence, Token
from gui.session import Session
from gui.theme import UNIT


class GuideBar(QWidget):
    """Asks for a prediction, reveals what is seen, and goes on.

    Until the reveal the window stays as the step before left it, so that nothing gives the
    answer away; it only opens the model and the prompt of the example.
    """

    cards_wanted = Signal(tuple)
    """Titles of the cards that show what is revealed."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._guide: Guide | None = None
        self._number = 0
        self._revealed = False
        self.heading = QLabel()
        self.heading.setProperty("role", "title")
        self.heading.setTextFormat(Qt.TextFormat.PlainText)
        self.text = Sentence("What to predict, or what is seen", muted=False)
        self.back = QPushButton("Back")
        self.back.clicked.connect(self._go_back)
        self.forth = QPushButton()
        self.forth.clicked.connect(self._go_on)
        self.end = QPushButton("End")
        self.end.setToolTip("Close the example; the window stays as it is")
        self.end.clicked.connect(self.hide)
        says = QVBoxLayout()
        says.setSpacing(UNIT // 2)
        says.addWidget(self.heading)
        says.addWidget(self.text)
        row = QHBoxLayout(self)
        row.setContentsMargins(UNIT * 2, UNIT, UNIT * 2, UNIT)
        row.setSpacing(UNIT)
        row.addLayout(says, 1)
        for button in (self.back, self.forth, self.end):
            row.addWidget(button)
        self.hide()

    def start(self, guide: Guide) -> None:
        """Begin an example with its first question."""
        self._guide, self._number, self._revealed = guide, 0, False
        first = guide.steps[0].shows
        self._session.open_model(first.model)
        self._session.set_text(first.text)
        self._session.set_heads_off(first.heads_off)
        self._say()
        self.show()
        self.forth.setFocus()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint a ground of its own, so that it reads as a guest of the window."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(theme().accent_ground))
        painter.fillRect(0, self.height() - 1, self.width(), 1, QColor(theme().line))
        painter.end()

    def changeEvent(self, event: QEvent) -> None:
        """Paint again in another theme."""
        super().changeEvent(event)
        self.update()

    def _go_on(self) -> None:
        assert self._guide is not None
        if not self._revealed:
            self._reveal()
        elif self._number + 1 < len(self._guide.steps):
            self._number, self._revealed = self._number + 1, False
        else:
            self.hide()
            return
        self._say()

    def _go_back(self) -> None:
        if self._revealed:
            self._revealed = False
        else:
            self._number -= 1
            self._reveal()
        self._say()

    def _reveal(self) -> None:
        assert self._guide is not None
        step = self._guide.steps[self._number]
        self._revealed = True
        self._session.show(step.shows)
        self.cards_wanted.emit(step.cards)

    def _say(self) -> None:
        assert self._guide is not None
        steps = self._guide.steps
        step = steps[self._number]
        place = f"step {self._number + 1} of {len(steps)}"
        self.heading.setText(f"{self._guide.name}, {place}: {step.title}")
        text = step.reveal if self._revealed else step.predict
        pieces = enumerate(text.split("`"))
        self.text.set_parts([Token(piece) if n % 2 else piece for n, piece in pieces])
        last = self._number + 1 == len(steps)
        self.forth.setText("Reveal" if not self._revealed else "Done" if last else "Next")
        self.back.setEnabled(self._revealed or self._number > 0)
