"""The line that leads through a guided example."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton

from gui.banner import Banner
from gui.guides import Guide
from gui.panels.sentence import Token
from gui.session import Session


class GuideBar(Banner):
    """Asks for a prediction, reveals what is seen, and goes on.

    Until the reveal the window stays as the step before left it, and the cards that would give
    an answer away are covered; it only opens the model and the prompt of the example.
    """

    cards_wanted = Signal(tuple)
    """Titles of the cards that show what is revealed."""
    cover_wanted = Signal(object)
    """Titles of the cards that are to be covered, a frozenset; of no others."""

    def __init__(self, session: Session) -> None:
        super().__init__("What to predict, or what is seen")
        self._session = session
        self._guide: Guide | None = None
        self._number = 0
        self._revealed = False
        self.back = QPushButton("Back")
        self.back.clicked.connect(self._go_back)
        self.forth = QPushButton("Reveal")
        self.forth.clicked.connect(self._go_on)
        self.end = QPushButton("End")
        self.end.setToolTip("Close the example; the window stays as it is")
        self.end.clicked.connect(self.finish)
        self.add_buttons([self.back, self.forth, self.end])
        self.hide()

    def start(self, guide: Guide) -> None:
        """Begin an example with its first question."""
        self._guide, self._number, self._revealed = guide, 0, False
        first = guide.steps[0].shows
        self._session.open_model(first.model)
        self._session.set_text(first.text)
        self._session.set_heads_off(first.heads_off)
        self._session.compare_with(None)
        self._say()
        self.show()
        self.forth.setFocus()

    def finish(self) -> None:
        """Close the example; the window stays as it is, and nothing is covered."""
        self.hide()
        self.cover_wanted.emit(frozenset())

    def _go_on(self) -> None:
        assert self._guide is not None
        if not self._revealed:
            self._reveal()
        elif self._number + 1 < len(self._guide.steps):
            self._number, self._revealed = self._number + 1, False
        else:
            self.finish()
            return
        self._say()

    def _go_back(self) -> None:
        if self._revealed:
            self._revealed = False
            assert self._guide is not None
            if self._number:
                self._session.show(self._guide.steps[self._number - 1].shows)
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
        self.cover_wanted.emit(self._guide.covered(self._number, self._revealed))
        self.back.setEnabled(self._revealed or self._number > 0)
