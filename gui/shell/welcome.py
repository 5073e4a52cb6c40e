"""What to do in the first minute: shown once, over the cards, and from the Help menu."""

from functools import partial

from PySide6.QtCore import QEvent, QObject, QRect, Qt, Signal
from PySide6.QtGui import QColor, QHideEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QWidget,
)

from gui.shell.guided_examples import GUIDES
from gui.style.palette import theme
from gui.style.theme import UNIT
from gui.widgets.forms import button, column, row
from gui.widgets.labels import TextScroll, plain_label

WIDTH = 76 * UNIT
ICON_SIZE = 48
DIM = 110
"""How much of the cards the ground hides, of 255."""
ABOUT = "A microscope for attention heads: where each looks, and what it brings from there."
STEPS = (
    (
        "1",
        "Type a sentence in Prompt",
        "Every card follows as you type. Or take one of its examples.",
    ),
    (
        "2",
        "Open a head in Heads",
        "Each small picture is one head's attention on your sentence; the scores name the heads "
        "that look back for a repetition or at the token before.",
    ),
    (
        "3",
        "Ask what it does",
        "Attention says where it looks; click a cell to pin it. OV says what it brings from there, "
        "QK what it looks for. “?” in each card explains it.",
    ),
)


class Welcome(QWidget):
    """A page over the cards of a window, closed by its button and by a click beside it.

    The window closes it by Esc, which is a shortcut of the whole window.

    Parameters
    ----------
    area
        What it lies over, all of it.
    """

    guide_wanted = Signal(object)
    """The guided example to begin."""
    closed = Signal()

    def __init__(self, area: QWidget) -> None:
        super().__init__(area)
        self.setAccessibleName("Welcome")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._area = area
        self.guides: list[QPushButton] = []
        area.installEventFilter(self)
        self.hide()

    def open(self) -> None:
        """Show the page and give it the keyboard."""
        if not self.guides:
            self._fill()  # most windows never show it
        self._place()
        self.show()
        self.raise_()
        self.close_button.setFocus(Qt.FocusReason.OtherFocusReason)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stay as large as what lies below."""
        if event.type() == QEvent.Type.Resize and self.isVisible():
            self._place()
        return super().eventFilter(watched, event)

    def hideEvent(self, event: QHideEvent) -> None:
        """Tell that the cards are seen again."""
        super().hideEvent(event)
        if not event.spontaneous():
            self.closed.emit()

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Keep the keyboard on the page: what lies below cannot be seen."""
        buttons = [*self.guides, self.close_button]
        now = next((n for n, one in enumerate(buttons) if one.hasFocus()), -1)
        place = (now + (1 if forward else -1)) % len(buttons)
        buttons[place].setFocus(
            Qt.FocusReason.TabFocusReason if forward else Qt.FocusReason.BacktabFocusReason
        )
        return True

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Close by a click beside the page."""
        if not self.page.geometry().contains(event.position().toPoint()):
            self.close()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Dim the cards."""
        painter = QPainter(self)
        ground = QColor(theme().window)
        ground.setAlpha(255 - DIM // 2 if theme().name == "dark" else 255 - DIM)
        painter.fillRect(self.rect(), ground)
        painter.end()

    def _fill(self) -> None:
        self.page = QFrame(self)
        self.page.setProperty("page", True)
        self._scroll = TextScroll(UNIT * 3, UNIT)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        rows = self._scroll.column
        picture = QLabel()
        picture.setPixmap(QApplication.windowIcon().pixmap(ICON_SIZE, ICON_SIZE))
        rows.addLayout(_beside(picture, "Welcome to Headscope", ABOUT))
        for number, heading, text in STEPS:
            mark = plain_label(number, "accent", wraps=True)
            mark.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignHCenter)
            mark.setFixedWidth(ICON_SIZE)
            rows.addSpacing(UNIT // 2)
            rows.addLayout(_beside(mark, heading, text))
        rows.addSpacing(UNIT)
        rows.addWidget(
            plain_label("Or be led through an example: predict, then reveal", "title", wraps=True)
        )
        for guide in GUIDES:
            start = button(guide.name, partial(self._begin, guide))
            start.setAccessibleDescription(guide.about)
            self.guides.append(start)
            about = plain_label(guide.about, "small", wraps=True)
            rows.addLayout(row(start, (about, 1), spacing=UNIT))
        widest = max(start.sizeHint().width() for start in self.guides)
        for start in self.guides:
            start.setFixedWidth(widest + UNIT)
        rows.addSpacing(UNIT)
        self.close_button = button("Start", self.close)
        how = plain_label("Esc closes this page; Help has it again.", "small", wraps=True)
        rows.addLayout(row((how, 1), self.close_button))
        rows.addStretch(1)
        column(self._scroll, of=self.page)

    def _begin(self, guide: object) -> None:
        self.close()
        self.guide_wanted.emit(guide)

    def _place(self) -> None:
        self.setGeometry(self._area.rect())
        width = min(WIDTH, self.width() - 4 * UNIT)
        height = min(self._scroll.height_for(width - 2) + 2, self.height() - 4 * UNIT)
        place = QRect(0, 0, width, height)
        place.moveCenter(self.rect().center())
        self.page.setGeometry(place)


def _beside(mark: QWidget, heading: str, text: str) -> QHBoxLayout:
    """Return a mark beside a heading and a text."""
    title = plain_label(heading, "title", wraps=True)
    texts = column(title, plain_label(text, wraps=True), spacing=2)
    return row(mark, (texts, 1), spacing=UNIT * 2)
