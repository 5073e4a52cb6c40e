"""Banners under the top bar: heads that are switched off, and two prompts compared."""

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QPushButton

from engine.messages import Request, Result, Run
from gui.charts.focus import count, named
from gui.client.answers import RequestSlots
from gui.client.engine_client import EngineClient, Failure
from gui.panels.prompt import prompt
from gui.session.session import Session
from gui.state.comparison import align
from gui.widgets.fields import PromptEdit
from gui.widgets.forms import button
from gui.widgets.labels import Banner
from gui.widgets.text import Token

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
        self.on = button("Switch on again", lambda: session.set_heads_off(()))
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


HEADING = "Two prompts: left is the one in Prompt, right is this one"
SHOWN = " Attention, Poster and Attribution show either, or right minus left; other cards, left."
SAME = "Both have the same tokens, so nothing differs: change a word of the right one."
MOST_LISTED = 3
"""Tokens that differ and are named one by one."""

Parts = list[str | Token]


class CompareBar(Banner):
    """Takes the second prompt, and says how its tokens stand for those of the first."""

    def __init__(self, session: Session, client: EngineClient) -> None:
        super().__init__("How the two prompts are compared")
        self._session = session
        self._questions = RequestSlots(self, client)
        self._last = ("", "")
        self.setAccessibleName("Two prompts compared")
        self.heading.setText(HEADING)
        self.edit = PromptEdit(max_lines=4)
        self.edit.setAccessibleName("Second prompt, on the right")
        self.edit.edited.connect(self._take)
        self.edit.submitted.connect(self._submit)
        self.add_below_heading(self.edit)
        tip = "Put the right prompt on the left, where other cards show it"
        self.swap = button("Swap", session.swap_prompts, tip)
        self.end = button("Close", self._end, "Go back to one prompt, the left one (Esc)")
        self.add_buttons([self.swap, self.end])
        session.changed.connect(self._on_changed)
        self._follow()

    def toggle(self) -> None:
        """Begin to compare, or end it."""
        now = self._session.selection
        if now.other_text is not None:
            self._end()
            return
        text, other = self._last
        self._session.compare_with(other if text == now.text else now.text)
        self._session.set_compare("difference")
        self.edit.setFocus()
        self.edit.selectAll()

    def receive(self, slot: str, request: Request, result: Result) -> None:
        """Take a run."""
        self._questions.set_answer(slot, request, result)
        self._say()

    def fail(self, slot: str, request: Request, failure: Failure) -> None:
        """Learn that a prompt could not be run."""
        self._questions.set_failure(slot, request, failure)
        self._say()

    def ask_again(self) -> None:
        """Ask once more for what failed or was stopped."""
        self._questions.clear_failures()
        self._follow()

    def event(self, event: QEvent) -> bool:
        """Keep Escape from the window's menu: here it ends the comparison."""
        override = event.type() == QEvent.Type.ShortcutOverride
        if override and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """End the comparison on Escape."""
        if event.key() == Qt.Key.Key_Escape:
            self._end()
        else:
            super().keyPressEvent(event)

    def _end(self) -> None:
        now = self._session.selection
        if now.other_text is not None:
            self._last = (now.text, now.other_text)
        self._session.compare_with(None)

    def _take(self) -> None:
        self._session.compare_with(self.edit.toPlainText())

    def _submit(self) -> None:
        self._take()
        self.ask_again()

    def _on_changed(self, what: str) -> None:
        self._follow()

    def _wants(self) -> dict[str, Request]:
        other = self._session.other_run
        return {} if other is None else {"left": self._session.run, "right": other}

    def _follow(self) -> None:
        """Show the second prompt, and ask for both runs."""
        text = self._session.selection.other_text
        if text is not None and text != self.edit.toPlainText():
            self.edit.set_text(text)
        self._questions.ask(self._wants())
        self._say()
        self.setVisible(text is not None)

    def _say(self) -> None:
        wanted = self._wants()
        failures = self._questions.failures(wanted)
        left, right = (
            (self._questions.current(slot, request) for slot, request in wanted.items())
            if wanted
            else (None, None)
        )
        if "right" in failures:
            self.text.set_parts([f"The right prompt was not run: {failures['right'].sentence}"])
        elif "left" in failures:
            self.text.set_parts(["The left prompt was not run: see Prompt."])
        elif isinstance(left, Run) and isinstance(right, Run):
            told = prompt.said(self.edit.toPlainText(), right.spelt)
            self.text.set_parts([*how(left, right), f" {told}." if told else ""])
        else:
            self.text.set_parts(["Waiting for both prompts …"])


def how(left: Run, right: Run) -> Parts:
    """Say how the tokens of two prompts stand for each other."""
    ids = tuple(left.ids.tolist()), tuple(right.ids.tolist())
    alignment = align(*ids)
    if ids[0] == ids[1]:
        return [SAME]
    if alignment.refusal:
        return [alignment.refusal]
    if len(ids[0]) == len(ids[1]):
        differ = [at for at, (one, other) in enumerate(zip(*ids, strict=True)) if one != other]
        said: Parts = [f"{count(len(ids[0]), 'token')} each, one to one; "]
        said.append(f"{len(differ)} {'differs' if len(differ) == 1 else 'differ'}: ")
        for at in differ[:MOST_LISTED]:
            said += [Token(left.labels[at]), " | ", Token(right.labels[at]), f" (position {at}), "]
        said[-1] = str(said[-1]).removesuffix(", ")
        said.append(", …." if len(differ) > MOST_LISTED else ".")
    else:
        replaced = alignment.matched - alignment.equal
        lone = [length - alignment.matched for length in alignment.lengths]
        said = [
            f"{count(len(ids[0]), 'token')} left, {len(ids[1])} right: "
            f"{alignment.equal} in common, "
            f"{replaced} replaced, {lone[0]} only left (−), {lone[1]} only right (+)."
        ]
    return [*said, SHOWN]
