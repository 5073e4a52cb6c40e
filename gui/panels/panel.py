"""What every panel has in common: it asks, waits, draws, and says what state it is in."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, ClassVar, Literal

from PySide6.QtCore import QEvent, QTimer, Signal
from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from engine.messages import Request, Result, VocabularyTokens
from gui.charts import focus
from gui.client.answers import RequestSlots
from gui.client.engine_client import NOT_OPEN, EngineClient, Failure
from gui.panels import PANELS
from gui.panels.frame import Frame
from gui.session.common_answers import COMMON, CommonAnswers
from gui.session.session import Session
from gui.state.question import Question, run_of
from gui.style.formatting import head_name

if TYPE_CHECKING:
    from gui.client.background import Worker


State = Literal["waiting", "fresh", "stored", "old", "failed"]
TURN_MS = 5
FILLED_BY_PROMPT = (
    "This card fills when the model has read a prompt: type one in Prompt, or take one of its "
    "examples."
)
FILLED_BY_CHOICE = (
    "Nothing to show. Choose another model at the top left or another head in Heads, or press F5 "
    "to ask again."
)
PATIENCE_MS = 250
"""How long an old picture stands unmarked: most answers come sooner, and a mark would flicker."""


class Panel(QWidget):
    """One card of the window.

    A panel says what it wants to know (`wants`: slot -> request, made from the session and from
    what it already knows) and how it looks (`draw`). This class does the rest of the ring: it
    asks what has changed, drops what is no longer wanted, and keeps the last good answers, so
    that a question that fails leaves the old picture, marked as old.
    """

    title: ClassVar[str] = ""
    """As PANELS has it."""
    main_slot: ClassVar[str] = ""
    """The slot that the picture is made from; empty for a panel that asks the engine nothing."""
    redraw_on: ClassVar[frozenset[str]] = frozenset()
    """Parts of the session that change the picture without changing a question."""

    optional_slots: ClassVar[frozenset[str]] = frozenset({"vocabulary"})
    """Slots without which a picture is no older."""

    panel_wanted = Signal(str)
    """Title of a panel in which what was clicked here goes on."""
    dialog_wanted = Signal()
    """The panel's own export dialog is wanted."""

    def __init__(self, session: Session, client: EngineClient) -> None:
        super().__init__()
        self.session = session
        self.client = client
        self.setAccessibleName(self.title)
        self.questions = RequestSlots(self, client)
        self.common = CommonAnswers.of(session, client)
        self._wanted: dict[str, Request] = {}
        """What was wanted when it was last asked for."""
        self._completes: VocabularyTokens | None = None
        self._active = False
        self._state: State = "waiting"
        self.frame = frame = Frame(self, self.title)
        self.header, self.head_label, self.subtitle = frame.header, frame.head_label, frame.subtitle
        self.above, self.notice, self.offers = frame.above, frame.notice, frame.offers
        self.body = frame.body
        self.spoiler_widget: QWidget | None = None
        """What a guided example covers until it reveals it; none for all of the card."""
        self._awaited = ""
        self._patience = QTimer(self, interval=PATIENCE_MS, singleShot=True)
        self._patience.timeout.connect(self._say_state)
        # Columns draw in turn, so that no single turn of the event loop is long.
        column = next((card.column for card in PANELS if card.title == self.title), 0)
        self._redraw = QTimer(self, interval=TURN_MS * column, singleShot=True)
        self._redraw.timeout.connect(self._draw)
        session.changed.connect(self._on_changed)
        session.renamed.connect(self._on_renamed)
        self.common.changed.connect(self._on_common)
        client.progress.connect(self._on_progress)
        client.renewed.connect(self._on_renewed)

    def wants(self) -> dict[str, Request]:
        """Return what the panel wants to know now, by slot."""
        raise NotImplementedError

    def draw(self) -> None:
        """Show what is known; called when the answer in the main slot is the one wanted."""
        raise NotImplementedError

    def shown(self) -> Mapping[str, Question]:
        """Return the questions whose answers are in view, by what each is called.

        They are what is exported; the first is what is meant where only one can be.
        """
        return self.named({self.main_slot: self.title})

    def named(self, names: Mapping[str, str]) -> dict[str, Request]:
        """Return what is wanted now in some slots, by the names given to them, for `shown`."""
        wanted = self.wants()
        return {name: wanted[slot] for slot, name in names.items() if slot in wanted}

    def basics(self, *slots: str) -> dict[str, Request]:
        """Return the questions of slots that all cards share, for `wants`."""
        return self.common.requests(slots)

    def known(self, slot: str) -> Result | None:
        """Return the last good answer of a slot, old or new."""
        answer = self._slots_of(slot).answer(slot)
        return answer.result if answer else None

    def current(self, slot: str, request: Request) -> Result | None:
        """Return the answer to exactly this question, if it is there."""
        return self._slots_of(slot).current(slot, request)

    def wanted(self, slot: str) -> Result | None:
        """Return the answer to what is wanted in a slot now, if something is and it is there."""
        request = self._wanted.get(slot)
        return None if request is None else self.current(slot, request)

    @property
    def focus(self) -> focus.Focus | None:
        """Where the prompt in use is looked at, if the model could read it."""
        return self.common.focus

    def offset(self, adds: bool = False) -> int | None:
        """Return how far back the source lies, where that changes what is asked; none elsewhere.

        In rotary models it changes matrices and scores, with ALiBi what is added to scores alone.
        """
        facts, now = self.common.facts, self.focus
        if facts is None or now is None or facts.positions not in ("rotary", "ALiBi")[: 1 + adds]:
            return None
        return now.offset

    def pieces(self, ids: Iterable[int]) -> frozenset[int]:
        """Return which tokens are bytes of a character and no text, as far as that is known."""
        found = self.common.vocabulary
        if found is None:
            return frozenset()
        texts, labels = found.texts, found.labels
        return frozenset(i for i in ids if i < len(texts) and labels[i] and not texts[i])

    @property
    def state(self) -> State:
        """Whether the picture is about what is selected now."""
        return self._state

    @property
    def filled(self) -> bool:
        """Whether nothing more is to come for what is selected now."""
        return not self._active or self._state in ("fresh", "failed")

    @property
    def waiting_text(self) -> str:
        """What the panel says where no picture was drawn yet."""
        return self.frame.waits.text

    @property
    def showing_wait(self) -> bool:
        """Whether it is that which is seen, and no picture."""
        return self.frame.showing_wait

    def failures(self) -> dict[str, Failure]:
        """Return why something that is wanted now has no answer, by slot."""
        wanted = self._wanted
        return self.common.slots.failures(wanted) | self.questions.failures(wanted)

    def failure(self) -> Failure | None:
        """Return the first of these."""
        return next(iter(self.failures().values()), None)

    def answers(self) -> Iterator[tuple[Request, Result]]:
        """Yield what is wanted now and known, and the answers."""
        for slot, request in self.wants().items():
            found = self.current(slot, request)
            if found is not None:
                yield request, found

    def ask_again(self) -> None:
        """Ask once more for what failed or was stopped."""
        self.common.ask_again()
        self.questions.clear_failures()
        self.refresh()

    def redraw(self) -> None:
        """Draw again in the next turn of the event loop."""
        self._redraw.start()

    def refresh(self) -> None:
        """Ask what is not known yet, and say what state that leaves the panel in."""
        if not self._active:
            return
        self._wanted = wanted = self.wants()
        self.common.need(self, [slot for slot in COMMON if slot in wanted])
        self.questions.ask({slot: wanted[slot] for slot in wanted if slot not in COMMON})
        vocabulary = self.common.vocabulary if "vocabulary" in wanted else None
        if vocabulary is not None and vocabulary is not self._completes:
            self._completes = vocabulary
            self.take_vocabulary(vocabulary)
        self._update_state()

    def take_vocabulary(self, vocabulary: VocabularyTokens) -> None:
        """Let fields complete over a model's vocabulary; a panel may have none."""

    def receive(self, slot: str, request: Request, result: Result) -> None:
        """Take an answer."""
        self.questions.set_answer(slot, request, result)
        self.refresh()
        self.redraw()

    def fail(self, slot: str, request: Request, failure: Failure) -> None:
        """Keep why there is none."""
        self.questions.set_failure(slot, request, failure)
        self.refresh()
        self.redraw()

    def show_head(self) -> None:
        """Name the open head beside the title: the picture is about it."""
        self.head_label.setText(head_name(self.session.selection.head))
        self.head_label.show()

    def serve(self, worker: "Worker") -> None:
        """Take the thread in which figures are drawn; a panel may not need it."""

    def add_controls(self, widgets: Iterable[QWidget]) -> None:
        """Put controls into the panel's head, or under it where they do not fit."""
        self.frame.add_controls(widgets)

    def showEvent(self, event: QShowEvent) -> None:
        """Begin to ask."""
        super().showEvent(event)
        self._active = True
        self.refresh()
        self.redraw()

    def hideEvent(self, event: QHideEvent) -> None:
        """Ask nothing while nobody looks."""
        super().hideEvent(event)
        if not event.spontaneous():
            self._active = False
            self.common.need(self, ())
            self.questions.withdraw()
            self._patience.stop()
            self._redraw.stop()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Move the controls under the head where the head is too narrow."""
        super().resizeEvent(event)
        self.frame.place_controls()

    def changeEvent(self, event: QEvent) -> None:
        """Draw again in another theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and self._active:
            self._redraw.start()

    def _on_changed(self, what: str) -> None:
        self.refresh()
        if self._active and what in self.redraw_on:
            self.redraw()

    def _on_common(self, slot: str) -> None:
        if self._active and slot in self._wanted:
            self.refresh()
            self.redraw()

    def _on_renamed(self) -> None:
        if self._active:
            self.redraw()

    def _on_renewed(self) -> None:
        self.questions.mark_stale()
        self.refresh()

    def _on_progress(self, what: str, done: int, total: int) -> None:
        if self._state == "waiting":
            self._say_waiting()
        elif self._awaited and what not in ("", self._awaited):
            self._say_state()

    def _draw(self) -> None:
        self.frame.show_picture(not self.main_slot or self.known(self.main_slot) is not None)
        # An old picture stays what it was: drawn again it would mix old numbers and a new head.
        if not self.main_slot or self.wanted(self.main_slot) is not None:
            self.draw()
            self.frame.place_controls()

    def _slots_of(self, slot: str) -> RequestSlots:
        return self.common.slots if slot in COMMON else self.questions

    def _say_whose_prompt(self) -> None:
        """Say that the left prompt is shown, where two are compared and others show the right."""
        runs = [run_of(request) for request in self._wanted.values()]
        left = self.session.run in runs and self.session.other_run not in runs
        self.frame.prompt.setVisible(left and self.session.side != "left")

    def _update_state(self) -> None:
        self._say_whose_prompt()
        state: State
        wanted = self._wanted
        needed = [slot for slot in wanted if slot not in self.optional_slots]
        complete = all(self.current(slot, wanted[slot]) is not None for slot in needed)
        if self.failures():
            state = "failed"
        elif complete and (not self.main_slot or self.main_slot in wanted):
            stored = any(self._slots_of(slot).stored(slot) for slot in needed)
            state = "stored" if stored else "fresh"
        else:
            state = "waiting" if self.known(self.main_slot) is None else "old"
        self._state = state
        if state in ("old", "stored"):
            if not self._patience.isActive():
                self._patience.start()
        else:
            self._patience.stop()
            self._say_state()

    def _say_state(self) -> None:
        self._awaited = ""
        if self._state == "fresh":
            self.notice.clear()
        elif self._state in ("old", "stored"):
            self._awaited = self.client.doing or "the answer"
            self.notice.show_info(f"{self._state.capitalize()}, waiting: {self._awaited}")
        elif self._state == "failed":
            self.say_failure()
        else:
            self.notice.clear()
            self._say_waiting()

    def say_failure(self) -> None:
        """Say what failed, where the user looks."""
        failures = self.failures()
        if not failures:
            return
        empty = self.known(self.main_slot) is None
        if NOT_OPEN in failures.values():
            self.notice.show_info(NOT_OPEN.sentence)
            self.frame.waits.set_parts([NOT_OPEN.sentence] if empty else [])
        elif failures.keys() <= {"run", "facts"}:
            # The sentence itself stands in the Prompt panel, once.
            old = "" if empty else " This picture is of the last prompt that ran."
            model = self.session.selection.model
            self.notice.show_info(f"{model} has not run the prompt: see Prompt.{old}")
            self.frame.waits.set_parts([FILLED_BY_PROMPT] if empty else [])
        else:
            failure = next(iter(failures.values()))
            self.notice.show_failure(failure.sentence, failure.details)
            self.frame.waits.set_parts([FILLED_BY_CHOICE] if empty else [])

    def _say_waiting(self) -> None:
        doing = self.client.doing
        self.frame.waits.set_parts([f"Waiting: {doing} …" if doing else "Waiting …"])


class MayHaveNothing(Panel):
    """A panel whose question makes no sense for some models, which is no failure."""

    def nothing(self) -> str:
        """Return why the model in use has nothing to show here; empty where it has, or may."""
        raise NotImplementedError

    def say_failure(self) -> None:
        """Say in plain words that there is nothing, where that is why the question failed."""
        why = self.nothing()
        if not why:
            super().say_failure()
            return
        self.notice.clear()
        self.subtitle.setText("")
        self.frame.waits.set_parts([why])
        self._draw()

    def _draw(self) -> None:
        super()._draw()
        if self.nothing():
            # A picture of the model before would not be an old one but one of something else.
            self.frame.show_picture(False)


class PairPanel(MayHaveNothing):
    """A panel that has nothing to show where no head can read another."""

    def nothing(self) -> str:
        """Say that one layer has no pairs."""
        facts = self.common.facts
        if facts is None or facts.n_layers > 1:
            return ""
        return (
            f"{facts.name} has one layer. A pair is a head that writes and a head of a later "
            "layer that reads it, so it takes a model of two layers or more, such as attn-2l."
        )
