"""The token that a panel asks about: one that follows the prompt, or one that is typed."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from engine.messages import VocabularyTokens
from gui.palette import Held
from gui.theme import UNIT
from gui.widgets.token_field import TokenField

_WIDTH = 112


class TokenChoice(QWidget):
    """A field with completion, and the way back to the prompt.

    Parameters
    ----------
    name
        Accessible name of the field.
    follows
        What an untyped token follows, for the tool tip of the way back.
    """

    chosen = Signal(object)
    """Id of the token that somebody typed, or none to follow the prompt again."""
    refused = Signal(str)
    """A sentence about what was typed and is no single token."""

    def __init__(self, name: str, follows: str) -> None:
        super().__init__()
        self.field = TokenField()
        self.field.setAccessibleName(name)
        Held(self.field, self.field.setFixedWidth, _WIDTH)
        self.field.setToolTip("Type a token, with its space, or #id; Enter asks about it")
        self.field.chosen.connect(lambda token: self.chosen.emit(token))
        self.field.refused.connect(self.refused)
        self.follow = QPushButton("follow the prompt")
        self.follow.setProperty("quiet", True)
        self.follow.setToolTip(f"Go back to {follows}")
        self.follow.clicked.connect(lambda: self.chosen.emit(None))
        self.follow.hide()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(UNIT // 2)
        row.addWidget(self.field)
        row.addWidget(self.follow)
        row.addStretch(1)

    def show_token(self, token: int, *, typed: bool) -> None:
        """Show the token asked about, and the way back where it was typed."""
        self.field.set_token(token)
        self.follow.setVisible(typed)

    def set_vocabulary(self, vocabulary: VocabularyTokens) -> None:
        """Complete over a model's vocabulary."""
        self.field.set_vocabulary(vocabulary.texts, vocabulary.labels)
