"""A banner under the top bar while heads are switched off."""

from PySide6.QtWidgets import QPushButton

from gui.banner import Banner
from gui.panels.reading import named
from gui.session import Session

MEANS = (
    "Every card shows the model without {them}; what is read from the weights alone is as before."
)
DIFFERENCE = (
    "Attention, Poster, Attribution and Prompt show what changed against the whole model; "
    "every other card shows what is left."
)


class AblationBar(Banner):
    """Says which heads are off, shows what that changed, and switches them on again."""

    def __init__(self, session: Session) -> None:
        super().__init__("What is shown without them", alarming=True)
        self._session = session
        self.setAccessibleName("Heads that are switched off")
        self.difference = QPushButton("Difference to the whole model")
        self.difference.setCheckable(True)
        self.difference.setToolTip(
            "In Attention, Poster and Attribution: the numbers minus those of the whole model.\n"
            "In Prompt: each guess's probability before and after."
        )
        self.difference.clicked.connect(session.set_difference)
        self.on = QPushButton("Switch on again")
        self.on.clicked.connect(lambda: session.set_heads_off(()))
        self.add_buttons([self.difference, self.on])
        session.changed.connect(self._on_changed)
        session.renamed.connect(self._say)
        self._say()
        if not session.selection.heads_off:
            self.hide()

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
