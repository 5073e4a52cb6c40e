"""The line under the top bar while a model is opened, and when one could not be."""

from PySide6.QtCore import Qt, QTimer, Signal

from gui.client.engine_client import EngineClient
from gui.session.model_opener import ModelOpener, short_name
from gui.session.session import Session
from gui.state.selection import DEFAULT_MODEL
from gui.style.palette import ScaledSize, scaled
from gui.widgets.forms import button, progress_bar
from gui.widgets.labels import Banner, show_progress
from gui.widgets.painting import literal

PATIENCE_MS = 250
"""What is open sooner needs no line."""
BAR_WIDTH = 160
MOST_NAME = 180
"""Of a name on a button, pixels."""


class OpeningBar(Banner):
    """Says what is being opened and how far it is, or what was not opened and why."""

    picker_wanted = Signal()
    """Another model is to be chosen."""

    def __init__(self, session: Session, client: EngineClient, opening: ModelOpener) -> None:
        super().__init__("What is opened, or why it is not")
        self.setAccessibleName("Opening a model")
        self._session, self._client, self._opening = session, client, opening
        self._refused = ("", "")
        self.bar = progress_bar("How far it is")
        ScaledSize(self.bar, self.bar.setFixedWidth, BAR_WIDTH)
        self.stop = button("Cancel", opening.cancel)
        self.back = button("", self._go_back)
        self.again = button("Try again", self._try_again)
        self.other = button("Choose another …", self.picker_wanted.emit)
        self.close_button = button("Close", self.dismiss, name="Close this line")
        self.add_buttons([self.stop, self.back, self.again, self.other, self.close_button])
        self._row.insertWidget(1, self.bar)
        self._patience = QTimer(self, interval=PATIENCE_MS, singleShot=True)
        self._patience.timeout.connect(self._show)
        opening.changed.connect(self._on_changed)
        client.progress.connect(self._on_progress)
        self.hide()

    def refuse(self, heading: str, sentence: str) -> None:
        """Say that something else could not be opened, or what of an open model is not used."""
        self._refused = heading, sentence
        self._show()

    def dismiss(self) -> None:
        """Forget what could not be opened."""
        self._refused = "", ""
        self._opening.dismiss()

    def _on_changed(self) -> None:
        if self._opening.wanted or self._opening.not_opened:
            self._refused = "", ""
        if not self._opening.wanted:
            self._patience.stop()
            self._show()
        elif self.isHidden():
            self._patience.start()
        else:
            self._show()

    def _on_progress(self, what: str, done: int, total: int) -> None:
        if self._opening.wanted and self.isVisible():
            self._say_progress(what, done, total)

    def _show(self) -> None:
        opening, missed = self._opening, self._opening.not_opened
        heading, sentence = self._refused
        self.alarming = not opening.wanted and bool(missed or heading)
        for widget in (self.bar, self.stop):
            widget.setVisible(bool(opening.wanted))
        self.again.setVisible(missed is not None)
        self.other.setVisible(missed is not None)
        self.back.setVisible(opening.stuck and bool(self._way_back()))
        self.close_button.setVisible(self.alarming and not opening.stuck)
        if opening.wanted:
            self.heading.setText(f"Opening {short_name(opening.wanted)}")
            self.setToolTip(literal(opening.wanted))
            self._say_progress(self._client.doing, 0, 0)
        elif missed is not None:
            self.heading.setText(f"{short_name(missed.model)} could not be opened")
            self.setToolTip(literal(missed.model))
            stays = f" {short_name(opening.in_use)} is still in use." if opening.in_use else ""
            self.text.set_parts([f"{_ended(missed.failure.sentence)}{stays}"])
            way, middle = short_name(self._way_back()), Qt.TextElideMode.ElideMiddle
            shown = self.fontMetrics().elidedText(way, middle, scaled(MOST_NAME))
            verb = "Open" if opening.before is None else "Go back to"
            self.back.setText(f"{verb} {shown}".replace("&", "&&"))
            self.back.setAccessibleName(f"{verb} {way}")
        elif heading:
            self.heading.setText(heading)
            self.setToolTip("")
            self.text.set_parts([sentence])
        self.setVisible(bool(opening.wanted or missed or heading))
        self.update()

    def _say_progress(self, what: str, done: int, total: int) -> None:
        in_use = short_name(self._opening.in_use)
        stays = f"Until it is open, everything shows {in_use}." if in_use else ""
        told = what and not what.startswith("opening")  # the heading says that
        doing = f"{what[:1].upper()}{what[1:]} … " if told else ""
        self.text.set_parts([f"{doing}{stays}"])
        show_progress(self.bar, done, total)

    def _way_back(self) -> str:
        """Return the model that can be used instead of one that did not open; '' for none."""
        if self._opening.before is not None:
            return self._opening.before.model
        return "" if self._session.selection.model == DEFAULT_MODEL else DEFAULT_MODEL

    def _go_back(self) -> None:
        if self._opening.before is not None:
            self._opening.go_back()
        else:
            self._session.open_model(DEFAULT_MODEL)

    def _try_again(self) -> None:
        missed = self._opening.not_opened
        if missed is not None:
            self._opening.open(missed.model)


def _ended(sentence: str) -> str:
    return sentence if sentence.endswith((".", "!", "?")) else f"{sentence}."
