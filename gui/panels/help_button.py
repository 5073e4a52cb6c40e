"""The “?” in a panel's head, and the small page that it opens."""

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QToolButton, QVBoxLayout, QWidget

from gui.palette import token_font
from gui.panel_help import Help
from gui.theme import UNIT
from gui.widgets.plain_label import plain_label
from gui.widgets.text_scroll import TextScroll

WIDTH = 68 * UNIT


class HelpPage(QFrame):
    """What a panel shows, its formula, where that is from, a caveat, keys.

    It closes by Esc, by a click elsewhere, and by the button that opened it.
    """

    def __init__(self, title: str, page: Help, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setProperty("page", True)
        self.setAccessibleName(f"Help on {title}")
        self._scroll = TextScroll(UNIT * 2, UNIT // 2)
        rows = self._scroll.column
        rows.addWidget(plain_label(title, "title", wraps=True))
        rows.addWidget(plain_label(page.shows, wraps=True, selectable=True))
        for heading, text in (
            ("Formula", page.formula),
            ("From", page.paper),
            ("Do not conclude", page.caveat),
            ("Keys", page.keys),
        ):
            rows.addSpacing(UNIT // 2)
            rows.addWidget(plain_label(heading, "small", wraps=True))
            label = plain_label(text, wraps=True, selectable=True)
            if heading == "Formula":
                label.setFont(token_font(small=True))
            rows.addWidget(label)
        rows.addStretch(1)
        around = QVBoxLayout(self)
        around.setContentsMargins(0, 0, 0, 0)
        around.addWidget(self._scroll)
        self.setFocusProxy(self._scroll)

    def open_below(self, button: QWidget) -> None:
        """Show the page under a button, whole if the screen is large enough."""
        screen = button.screen().availableGeometry()
        width = min(WIDTH, screen.width())
        height = min(self._scroll.height_for(width - 2) + 2, screen.height() - 2 * UNIT)
        self.resize(width, height)
        corner = button.mapToGlobal(QPoint(button.width() - width, button.height() + 2))
        left = min(max(corner.x(), screen.left()), screen.right() - width)
        top = min(corner.y(), screen.bottom() - height)
        self.move(left, max(top, screen.top()))
        self.show()
        self.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close by Esc."""
        if event.key() == Qt.Key.Key_Escape:
            self.close()
        else:
            super().keyPressEvent(event)


class HelpButton(QToolButton):
    """Opens the help of its panel.

    Parameters
    ----------
    title
        The panel's.
    page
        What is said.
    """

    def __init__(self, title: str, page: Help) -> None:
        super().__init__()
        self._title, self._page = title, page
        self.setText("?")
        self.setProperty("quiet", True)
        self.setProperty("narrow", True)
        self.setToolTip("What this card shows, its formula, and what to doubt")
        self.setAccessibleName(f"Help on {title}")
        self.clicked.connect(self.open_page)

    def open_page(self) -> HelpPage:
        """Show the page; Esc or a click elsewhere closes it."""
        page = HelpPage(self._title, self._page, self)
        page.open_below(self)
        return page
