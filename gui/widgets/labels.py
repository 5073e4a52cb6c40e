"""Labels, notices, banners, dialogs and rows of lists, which show text literally, never as HTML."""

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QDialogButtonBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from engine.messages import printable
from gui.platform import versions
from gui.style import palette
from gui.style.theme import UNIT
from gui.widgets.text import Sentence

PARTS = 1000
"""Of a whole, that a progress bar tells apart."""


def plain_label(
    text: str = "", role: str = "", *, wraps: bool = False, selectable: bool = False
) -> QLabel:
    """Return a label of plain text.

    Parameters
    ----------
    text
        What it says.
    role
        How the style sheet sets it, such as `title` or `small`; empty for ordinary text.
    wraps
        Whether it breaks into lines.
    selectable
        Whether it can be selected by mouse.
    """
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(wraps)
    if role:
        label.setProperty("role", role)
    if selectable:
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label


def show_progress(bar: QProgressBar, done: int, total: int) -> None:
    """Show how far it is, in parts that fit Qt's int; without a total, that something moves."""
    bar.setRange(0, PARTS if total else 0)
    bar.setValue(done * PARTS // total if total else 0)


class Notice(QFrame):
    """Hidden while there is nothing to say; details, where there are any, behind a button."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Notice")
        self._text = plain_label(wraps=True, selectable=True)
        self._text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._button = QPushButton("Details")
        self._button.setProperty("quiet", True)
        self._button.clicked.connect(self._show_details)
        self._details = ""
        row = QHBoxLayout(self)
        row.setContentsMargins(UNIT, UNIT // 2, UNIT // 2, UNIT // 2)
        row.setSpacing(UNIT)
        row.addWidget(self._text, 1)
        row.addWidget(self._button, 0, Qt.AlignmentFlag.AlignTop)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.clear()

    def text(self) -> str:
        """Return what is said, empty for nothing."""
        return self._text.text()

    def show_info(self, text: str) -> None:
        """Say something that is no fault: what is waited for, that a result is old."""
        self._say("info", text, "")

    def show_failure(self, text: str, details: str = "") -> None:
        """Say what went wrong; details go behind a button."""
        self._say("failure", text, details)

    def clear(self) -> None:
        """Say nothing, and take no room."""
        self._say("info", "", "")

    def _say(self, kind: str, text: str, details: str) -> None:
        self._details = details
        text = printable(text, keep="\n")
        self._text.setText(text)
        self.setAccessibleDescription(text)
        self._button.setVisible(bool(details))
        palette.set_look(self, "notice", kind, self._text)
        self.setVisible(bool(text))

    def _show_details(self) -> None:
        dialog = QDialog(self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setWindowTitle("Details")
        said = f"{self._text.text()}\n\n{self._details.strip()}\n\n{versions.as_text()}\n"
        text = QPlainTextEdit(said)
        text.setReadOnly(True)
        text.setFont(palette.token_font())
        text.setAccessibleName("Details")
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(dialog.reject)
        copy = buttons.addButton("Copy", QDialogButtonBox.ButtonRole.ActionRole)
        copy.clicked.connect(lambda: QApplication.clipboard().setText(said))
        column = QVBoxLayout(dialog)
        column.addWidget(text)
        column.addWidget(buttons)
        dialog.resize(palette.units(80, 45))
        dialog.open()


class TextScroll(QScrollArea):
    """A column as wide as the area and as high as its wrapped text.

    Parameters
    ----------
    margin, spacing
        Pixels around the column, and between what stands in it.
    """

    def __init__(self, margin: int, spacing: int) -> None:
        super().__init__()
        self.body = QWidget()
        # Otherwise labels ask for the height that they have at their narrowest.
        self.body.setMinimumHeight(1)
        self.column = QVBoxLayout(self.body)
        self.column.setContentsMargins(margin, margin, margin, margin)
        self.column.setSpacing(spacing)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWidget(self.body)
        self.viewport().setAutoFillBackground(False)
        self.body.setAutoFillBackground(False)

    def height_for(self, width: int) -> int:
        """Return the height at which nothing scrolls, for a width."""
        self.body.ensurePolished()
        return self.column.totalHeightForWidth(width)


def fill_dialog(dialog: QDialog, scroll: TextScroll, width: float) -> None:
    """Put a text and Close into a dialog, of a size at which it scrolls only if the screen ends.

    Parameters
    ----------
    dialog, scroll
        What it is put into, and the text.
    width
        Pixels at the usual size of text.
    """
    close = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
    close.rejected.connect(dialog.reject)
    column = QVBoxLayout(dialog)
    column.setContentsMargins(0, 0, UNIT * 2, UNIT * 2)
    column.addWidget(scroll)
    column.addWidget(close)
    room = dialog.screen().availableGeometry().size()
    across = min(palette.scaled(width), room.width() - 8 * UNIT)
    wanted = scroll.height_for(across - 2 * UNIT) + close.sizeHint().height() + 4 * UNIT
    dialog.resize(across, min(wanted, room.height() - 8 * UNIT))


ABOUT = Qt.ItemDataRole.UserRole + 1
"""Role of the small print."""
PATH = Qt.ItemDataRole.UserRole + 2
"""Role that is true where the small print is a path, whose middle is what it can do without."""
HEADING = Qt.ItemDataRole.UserRole + 3
"""Role that is true where the row is a heading of those below."""

ROW_HEIGHT = 3 * UNIT
_NAME_SHARE = 0.55
"""Of the width, that a name takes at most where there is small print beside it."""

Index = QModelIndex | QPersistentModelIndex


class NamedRow(QStyledItemDelegate):
    """Paints a name and its small print literally; what cannot be chosen is muted."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint a row."""
        colours = palette.theme()
        enabled = bool(index.flags() & Qt.ItemFlag.ItemIsEnabled)
        heading = bool(index.data(HEADING))
        area = option.rect
        painter.save()
        if enabled and option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(area, QColor(colours.accent_ground))
        inner = area.adjusted(UNIT if heading else 2 * UNIT, 0, -UNIT, 0)
        name = str(index.data(Qt.ItemDataRole.DisplayRole) or "")
        about = str(index.data(ABOUT) or "")
        font = palette.ui_font(bold=heading, small=heading)
        metrics = QFontMetrics(font)
        width = inner.width() if not about else int(inner.width() * _NAME_SHARE)
        painter.setFont(font)
        painter.setPen(QColor(colours.text if enabled else colours.muted))
        name = metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, width)
        flags = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(inner, flags | Qt.TextFlag.TextSingleLine, name)
        if about:
            inner.setLeft(inner.left() + metrics.horizontalAdvance(name) + 2 * UNIT)
            font = palette.ui_font(small=True)
            path = bool(index.data(PATH))
            cut = Qt.TextElideMode.ElideMiddle if path else Qt.TextElideMode.ElideRight
            painter.setFont(font)
            painter.setPen(QColor(colours.muted))
            about = QFontMetrics(font).elidedText(about, cut, inner.width())
            right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(inner, right | Qt.TextFlag.TextSingleLine, about)
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Return the height of a row; its width is the list's."""
        return QSize(UNIT, max(ROW_HEIGHT, QFontMetrics(palette.ui_font()).height() + UNIT // 2))


class Captioned(QWidget):
    """A name in small print and a control, which stay on one line."""

    def __init__(self, name: str, control: QWidget) -> None:
        super().__init__()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(UNIT)
        row.addWidget(caption(name))
        row.addWidget(control)


def caption(text: str) -> QLabel:
    """Return small print."""
    return plain_label(text, "small")


def side_by_side(captions: Sequence[QLabel], contents: Sequence[QWidget]) -> QGridLayout:
    """Return columns of equal width, each a caption over what it names, which takes the height."""
    columns = QGridLayout()
    columns.setContentsMargins(0, 0, 0, 0)
    columns.setHorizontalSpacing(UNIT * 3 // 2)
    columns.setVerticalSpacing(2)
    for column, (above, content) in enumerate(zip(captions, contents, strict=True)):
        columns.addWidget(above, 0, column)
        columns.addWidget(content, 1, column)
        columns.setColumnStretch(column, 1)
    columns.setRowStretch(1, 1)
    return columns


STRIPE = 4


class Banner(QWidget):
    """A heading, a sentence and buttons on a ground of their own: a guest of the window.

    Parameters
    ----------
    about
        Accessible name of the sentence.
    alarming
        Paint it as a warning, with a stripe at its left.
    """

    def __init__(self, about: str, *, alarming: bool = False) -> None:
        super().__init__()
        self.alarming = alarming
        self.heading = plain_label(role="title", wraps=True)
        self.text = Sentence(about, muted=False)
        self._says = QVBoxLayout()
        self._says.setSpacing(UNIT // 2)
        self._says.addWidget(self.heading)
        self._says.addWidget(self.text)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(UNIT * 2, UNIT, UNIT * 2, UNIT)
        self._row.setSpacing(UNIT)
        self._row.addLayout(self._says, 1)

    def add_buttons(self, buttons: Iterable[QPushButton]) -> None:
        """Put buttons at the right."""
        for button in buttons:
            self._row.addWidget(button)

    def add_below_heading(self, widget: QWidget) -> None:
        """Put something between heading and sentence."""
        self._says.insertWidget(1, widget)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint ground, stripe and the line below."""
        colours = palette.theme()
        painter = QPainter(self)
        ground = colours.bad_ground if self.alarming else colours.accent_ground
        painter.fillRect(self.rect(), QColor(ground))
        if self.alarming:
            painter.fillRect(0, 0, STRIPE, self.height(), QColor(colours.bad))
        painter.fillRect(0, self.height() - 1, self.width(), 1, QColor(colours.line))
        painter.end()

    def changeEvent(self, event: QEvent) -> None:
        """Paint again in another theme."""
        super().changeEvent(event)
        self.update()
