"""The prompt: its text and tokens, the guesses that follow, and what the tokenizer changes."""

import unicodedata
from dataclasses import replace

import numpy as np
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QHBoxLayout,
    QMenu,
    QPushButton,
    QStackedWidget,
    QToolButton,
    QWidget,
)

from engine.messages import Request, Run, RunPrompt
from gui.charts import focus
from gui.charts.focus import count, named
from gui.client.engine_client import NOT_OPEN, EngineClient
from gui.panels.frame import Subtitle, stack, yield_room
from gui.panels.panel import Panel
from gui.session.session import Session
from gui.session.settings import HISTORY_LENGTH
from gui.style.palette import scaled
from gui.style.theme import UNIT
from gui.widgets import painting
from gui.widgets.fields import PromptEdit
from gui.widgets.layouts import HeightForWidth
from gui.widgets.number_tables import RankedList, ScoreTable
from gui.widgets.table_model import NumberColumn
from gui.widgets.text import Sentence
from gui.widgets.token_strip import TokenStrip

LONGEST = 40
"""Characters of a text that are quoted."""


def said(text: str, spelt: str | None) -> str:
    """Return the sentence, empty where tokens spell the text.

    Parameters
    ----------
    text
        As it was typed.
    spelt
        What the tokens spell, where it is not the same.
    """
    if spelt is None:
        return ""
    if spelt == f" {text}":
        return "The model's tokenizer puts a space before the text"
    start = _alike(text, spelt)
    end = _alike(text[start:][::-1], spelt[start:][::-1])
    # A combining mark alone, or a space, could not be seen: the character before goes with it.
    start = max(0, start - 1)
    typed, read = (part[start : len(part) - end] for part in (text, spelt))
    if unicodedata.normalize("NFC", typed) == unicodedata.normalize("NFC", read):
        typed, read = _code_points(typed), _code_points(read)
    return f"The model's tokenizer changes the text: {_quoted(typed)} is read as {_quoted(read)}"


def _alike(one: str, other: str) -> int:
    """Return how many characters two texts have in common from the first one on."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def _quoted(text: str) -> str:
    short = text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
    return f"“{short}”" if short else "nothing"


def _code_points(text: str) -> str:
    return " ".join(f"U+{ord(letter):04X}" for letter in text)


EXAMPLES = (
    ("Tea: what followed last time", "attn-2l", "I like green tea, so I drink green"),
    ("Tea: with one layer", "attn-1l", "I like green tea, so I drink green"),
    ("By hand: five tokens, one head", "toy", "result = 0 ans return"),
    ("By hand: the same head, sharper", "toy-sharp", "result = 0 ans return"),
    (
        "Code: a name that comes back",
        "attn-2l",
        "def total(values):\n    result = 0\n    for value in values:\n"
        "        result += value\n    return",
    ),
)
"""(what it shows, model, text)."""

SLOW_SECONDS = 0.5
SLOW_RUNS = 2
"""After so many runs that took longer, Enter starts the next one instead of every keystroke."""
OWN_BOS = "The text begins with BOS itself: none is added"
AS_TEXT = "Read <s>, <|im_start|> and their like in the text as plain characters"
LEAST_LIST_HEIGHT, LEAST_TABLE_HEIGHT, LEAST_STRIP = 60, 100, 48
"""Heights of three rows, of three rows with a heading, and of two lines of tokens."""


class PromptPanel(Panel):
    """Text in; tokens and next-token guesses out."""

    title = "Prompt"
    main_slot = "run"
    redraw_on = frozenset({"query", "difference"})

    def __init__(self, session: Session, client: EngineClient) -> None:
        super().__init__(session, client)
        self.history: list[str] = []
        self._slow_runs = 0
        self._examples = QToolButton()
        self._examples.setText("Examples ▾")
        self._examples.setAccessibleName("Example prompts")
        self._examples.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._examples.setMenu(self._example_menu())
        self.add_controls([self._examples])

        self.edit = PromptEdit(max_lines=4)
        self.edit.setAccessibleName("Prompt text")
        self.edit.setPlaceholderText("Type a prompt, or take one of the examples")
        self.edit.set_text(session.selection.text)
        self.edit.edited.connect(self._on_edited)
        self.edit.submitted.connect(self._on_submitted)
        self.above.addWidget(self.edit)
        self.setFocusProxy(self.edit)
        self.example_offer = QPushButton()
        self.example_offer.hide()
        self.example_offer.clicked.connect(self._take_example)
        self.run_offer = QPushButton("Not run yet: run this text (Enter)")
        self.run_offer.hide()
        self.run_offer.clicked.connect(self._on_submitted)
        for offer in (self.run_offer, self.example_offer):
            self.offers.addWidget(offer)

        self.strip = TokenStrip(max_lines=8)
        self.strip.setAccessibleName("Tokens of the prompt")
        self.strip.clicked.connect(session.pin)
        self._cap = HeightForWidth(self.strip, self.strip.heightForWidth, LEAST_STRIP)
        self.bos_note = Sentence("What is said of BOS")
        self.spelling_note = Sentence("What the tokenizer changes in the text")
        self.spelling_note.hide()
        self.as_text = QPushButton("specials as text")
        self.as_text.setCheckable(True)
        self.as_text.setToolTip(painting.literal(AS_TEXT))
        self.as_text.clicked.connect(
            lambda checked: session.set_specials("text" if checked else "tokens")
        )
        self._specials = QWidget()
        self._specials.hide()
        row = QHBoxLayout(self._specials)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(UNIT)
        row.addWidget(self.bos_note, 1)
        row.addWidget(self.as_text)
        self.guesses = RankedList()
        self.guesses.setAccessibleName("Guesses for the next token")
        self.changes = ScoreTable()
        self.changes.setAccessibleName("Guesses for the next token, before and now")
        self._lists = QStackedWidget()
        self._lists.addWidget(self.guesses)
        self._lists.addWidget(self.changes)
        self.spoiler_widget = self._lists
        self.guess_label = Subtitle()
        rows = (self.spelling_note, self._specials, self.guess_label, (self._lists, 2))
        stack(self.body, (self.strip, 3), *rows)
        for widget in (self._lists, self.guesses, self.changes):
            yield_room(widget, LEAST_LIST_HEIGHT)
        client.answered.connect(self._on_answered)

    def wants(self) -> dict[str, Request]:
        """Ask for the run; the facts tell a good example, the vocabulary what is no text."""
        wanted, facts = self.basics("facts", "run", "vocabulary"), self.common.facts
        if self.session.selection.difference and facts is not None:
            # Whole lists: a first guess of one run may stand anywhere in the other's.
            wanted["all_now"] = replace(self.session.run, k=facts.d_vocab)
            wanted["all_before"] = replace(self.session.whole_run, k=facts.d_vocab)
        return wanted

    def _on_common(self, slot: str) -> None:
        if slot == "run" and self._active and self.common.run is not None:
            self._remember(self.session.run.text)
        super()._on_common(slot)

    def draw(self) -> None:
        """Show tokens and guesses."""
        run = self.known("run")
        assert isinstance(run, Run)
        typed = run.typed_specials if self.session.selection.specials == "tokens" else 0
        told = count(len(run.labels), "token")
        self.subtitle.setText(f"{told} · {typed} special" if typed else told)
        ids = run.ids.tolist()
        self.strip.set_tokens(run.labels, ids, self.pieces(ids), np.flatnonzero(run.special))
        self.strip.set_pinned(self.focus.query if self.focus else None)
        self._cap.update()
        self.guesses.set_rows(
            run.next_ids,
            run.next_labels,
            np.exp(run.next_log_probs),
            signed=False,
            percent=True,
            pieces=self.pieces(run.next_ids.tolist()),
        )
        self._draw_changes(run)

    def _draw_changes(self, run: Run) -> None:
        now, before = self.wanted("all_now"), self.wanted("all_before")
        if not (isinstance(now, Run) and isinstance(before, Run)):
            # A pinned token elsewhere must not pass for the one that these would follow.
            self.guess_label.setText(f"next token, after the last: {run.labels[-1]}")
            self._lists.setCurrentWidget(self.guesses)
            self._lists.setMinimumHeight(scaled(LEAST_LIST_HEIGHT))
            return
        self._lists.setMinimumHeight(scaled(LEAST_TABLE_HEIGHT))
        self.guess_label.setText("next token, probability in per cent")
        self._lists.setCurrentWidget(self.changes)
        off = named(self.session.selection.heads_off)
        ids, was, is_ = focus.guesses(now, before, len(run.next_ids))
        names = dict(zip(before.next_ids.tolist(), before.next_labels, strict=True))
        self.changes.set_rows(
            "",
            [names[i] for i in ids.tolist()],
            [
                NumberColumn("before", 100 * was, 1, tip="per cent in the whole model"),
                NumberColumn("now", 100 * is_, 1, tip=f"per cent without {off}"),
                NumberColumn("change", 100 * (is_ - was), 1, True, "percentage points"),
            ],
        )

    def say_failure(self) -> None:
        """Say why the text was not run, and offer one that will."""
        failure = self.failure()
        if failure is None:
            return
        if failure == NOT_OPEN:
            super().say_failure()
            return
        self.frame.waits.set_parts([])
        self.notice.show_failure(failure.sentence, failure.details)
        facts = self.common.facts
        usable = facts is not None and facts.example != self.session.selection.text
        if facts is not None and usable:
            self.example_offer.setText(f"Try “{facts.example}”".replace("&", "&&"))
        self.example_offer.setVisible(usable)

    def refresh(self) -> None:
        """Take the offer back once nothing fails."""
        if self.failure() is None:
            self.example_offer.hide()
        super().refresh()
        self._show_spelling()
        self._show_specials()

    def _show_spelling(self) -> None:
        """Say what the tokenizer makes of the text, where that is another one."""
        run = self.common.run
        if run is None and self.failure() is None:
            return  # as below
        told = said(self.session.run.text, run.spelt) if run else ""
        self.spelling_note.set_parts([told] if told else [])
        self.spelling_note.setVisible(bool(told))

    def _show_specials(self) -> None:
        """Say whether the text has a BOS of its own, and offer to read it as plain text."""
        run, facts, now = self.common.run, self.common.facts, self.session.selection
        if run is None and self.failure() is None:
            return  # a switch that goes and comes while somebody types would flicker
        as_text = now.specials == "text"
        default = facts is not None and facts.prepend_bos
        bos = default if now.prepend_bos is None else now.prepend_bos
        own = run is not None and bos and run.begins_with_bos and not run.prepended_bos
        self.bos_note.set_parts([OWN_BOS] if own else [])
        self.as_text.setChecked(as_text)
        self._specials.setVisible(as_text if run is None else run.typed_specials > 0)

    def set_history(self, history: list[str]) -> None:
        """Fill Up and Down with prompts of earlier sessions."""
        self.history = list(history)
        self.edit.set_history(self.history)

    def _typed(self) -> str:
        return self.edit.toPlainText()

    def _on_changed(self, what: str) -> None:
        # Only a new text: what is being typed must not be undone by a click elsewhere.
        if what == "text" and self._typed() != self.session.selection.text:
            self.edit.set_text(self.session.selection.text)
        self._offer_run()
        super()._on_changed(what)

    def _on_edited(self) -> None:
        if self._slow_runs < SLOW_RUNS:
            self.session.set_text(self._typed())
        self._offer_run()

    def _offer_run(self) -> None:
        self.run_offer.setVisible(self._typed() != self.session.selection.text)

    def _on_submitted(self) -> None:
        self.session.set_text(self._typed())
        self.ask_again()

    def _on_answered(self, request: Request, seconds: float) -> None:
        if isinstance(request, RunPrompt):
            self._slow_runs = self._slow_runs + 1 if seconds > SLOW_SECONDS else 0

    def _take_example(self) -> None:
        facts = self.common.facts
        if facts is not None:
            self.session.set_text(facts.example)

    def _remember(self, text: str) -> None:
        last = self.history[-1] if self.history else None
        if not text.strip() or text in self.history:
            return
        if last is not None and last.startswith(text):
            return  # on the way back to another prompt
        if last is not None and text.startswith(last):
            self.history.pop()  # one entry for a prompt that grew while it was typed
        self.history = [*self.history, text][-HISTORY_LENGTH:]
        self.edit.set_history(self.history)

    def _example_menu(self) -> QMenu:
        menu = QMenu(self)
        self.example_actions: list[QAction] = []
        for what, model, text in EXAMPLES:
            action = QAction(f"{what} ({model})", menu)
            action.triggered.connect(lambda _=False, m=model, t=text: self._open_example(m, t))
            menu.addAction(action)
            self.example_actions.append(action)
        return menu

    def _open_example(self, model: str, text: str) -> None:
        self.session.open_model(model)
        self.session.set_text(text)
