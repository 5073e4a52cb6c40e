"""Guided examples: the papers' own, a step at a time, predicted first and then seen."""

from dataclasses import replace
from typing import NamedTuple

from PySide6.QtCore import Signal

from engine.messages import Head, Pair
from gui.session.session import Session
from gui.state.selection import OVQuestion, QKQuestion, Selection
from gui.widgets.forms import button
from gui.widgets.labels import Banner
from gui.widgets.text import Token


class Step(NamedTuple):
    """One step: what to predict, what is then seen, the selection and the cards that show it.

    Tokens of the model stand between backticks. Until it is revealed, the cards that `hides`
    names are covered, here and in the steps before, where those do not show them themselves.
    """

    title: str
    predict: str
    reveal: str
    shows: Selection
    cards: tuple[str, ...]
    hides: tuple[str, ...]


class Guide(NamedTuple):
    """A guided example: its name, what it is about, and its steps."""

    name: str
    about: str
    steps: tuple[Step, ...]

    def covered(self, number: int, revealed: bool) -> frozenset[str]:
        """Return the titles of the cards that would give away what is still to be predicted."""
        shown = set(self.steps[number].cards) if revealed else set()
        later = self.steps[number + revealed :]
        return frozenset({title for step in later for title in step.hides} - shown)


_LOOKS = ("Attention", "Heads", "Poster", "Workings", "Virtual head")
"""Cards that show where a head looks."""
_MOVES = ("OV", "Workings", "Attribution", "Skip-trigrams", "Virtual head")
"""Cards that show what it brings."""
_SAYS = ("Prompt", "Lens", "Attribution")
"""Cards that show what the model says next."""

_TOY = Selection(
    model="toy",
    text="result = 0 ans return",
    head_chosen=True,
    query=4,
    source=0,
    ov=OVQuestion(source="token"),
    qk=QKQuestion(source="token"),
)
_BY_HAND = Selection(
    model="toy-induction", text="A B C D A", head=Head(0, 0), head_chosen=True, query=2, source=1
)
_TRAINED = Selection(
    model="attn-2l",
    text="I like green tea, so I drink green",
    head=Head(0, 2),
    head_chosen=True,
    query=4,
    source=3,
)

GUIDES = (
    Guide(
        "One head on one page",
        "“Attention in tensor notation”, section 1, on toy",
        (
            Step(
                "The score",
                "The head stands on `return`, the last of five tokens. Its query says “I want a "
                "name”. Which of the five will score?",
                "Only the two names do: `result` 3/√2 = 2.12, because it is also what the query "
                "asks for most, and `ans` 1/√2 = 0.71. The score comes from W_QK alone: QK lists "
                "it.",
                replace(_TOY, kind="scores"),
                ("Attention", "QK"),
                (*_LOOKS, "QK", "Skip-trigrams"),
            ),
            Step(
                "The weights",
                "Softmax turns the last row, 2.12, 0, 0, 0.71, 0, into weights. How much does "
                "`result` get?",
                "0.62, and `ans` 0.15; the three others share the rest, for a score of 0 is not a "
                "weight of 0. Every row sums to 1.",
                _TOY,
                ("Attention",),
                ("Heads", "Poster", "Workings"),
            ),
            Step(
                "What is moved",
                "Where it looks says nothing of what it brings. When the head reads `result`, "
                "which token's logit will it raise?",
                "`result` itself, by 2, and nothing else: this head copies names. OV is read from "
                "W_V and W_O, without any prompt.",
                _TOY,
                ("OV",),
                _MOVES,
            ),
            Step(
                "The answer",
                "Weights times what is moved: 0.62 × 2 for `result` and 0.15 × 2 for `ans`. Which "
                "is the next token?",
                "`result`, raised by 1.25 against 0.30 for `ans`. It is the first of the next "
                "tokens in the Prompt card.",
                _TOY,
                ("Prompt", "Attention", "OV"),
                _SAYS,
            ),
        ),
    ),
    Guide(
        "Induction by hand",
        "section 8's four steps on toy-induction, whose every weight can be read",
        (
            Step(
                "The tag",
                "After `A B C D A` the model is to say `B`, which followed `A` last time. First a "
                "head of layer 0 must leave a mark at `B`. Standing on `B`, which token must it "
                "read?",
                "The one before, `A`. L0H0 looks one position back and copies `A` into slots of "
                "its own: position 2 now carries “I am `B`” and “the token before me is `A`”.",
                _BY_HAND,
                ("Attention", "OV"),
                (*_LOOKS, *_MOVES),
            ),
            Step(
                "The key",
                "The head of layer 1 stands on the second `A`. Does it look for tokens, or for "
                "what L0H0 wrote?",
                "For what L0H0 wrote: their K-composition is strong. QK asked about bare tokens is "
                "flat, because a bare token carries no tag.",
                replace(
                    _BY_HAND,
                    head=Head(1, 0),
                    query=5,
                    source=2,
                    qk=QKQuestion(source="token"),
                    pair=Pair(Head(0, 0), Head(1, 0)),
                ),
                ("Composition", "QK"),
                ("Composition", "QK", "Virtual head"),
            ),
            Step(
                "The peak",
                "Where then does L1H0 look from the second `A`?",
                "At `B`, position 2, and nowhere else: the tag there says `A`, and the query says "
                "`A`.",
                replace(_BY_HAND, head=Head(1, 0), query=5, source=2),
                ("Attention",),
                _LOOKS,
            ),
            Step(
                "The copy",
                "What does it bring from there?",
                "`B` itself: OV at position 2 raises `B`, and `B` is the first of the next tokens, "
                "at more than 99 %.",
                replace(_BY_HAND, head=Head(1, 0), query=5, source=2),
                ("OV", "Prompt"),
                (*_MOVES, *_SAYS),
            ),
        ),
    ),
    Guide(
        "Induction as trained",
        "the same four steps on attn-2l, which found them by itself",
        (
            Step(
                "The tag",
                "The prompt says `·green·tea` once and ends in `·green`. Some head of layer 0 tags "
                "`·tea` with the token before it. What does the pattern of such a head look like?",
                "A line just under the diagonal: L0H2 reads the token before, from `·tea` it "
                "reads `·green`.",
                _TRAINED,
                ("Heads", "Attention"),
                _LOOKS,
            ),
            Step(
                "The key",
                "Which head of layer 0 does the induction head L1H1 read its keys from?",
                "L0H2, the one that wrote the tag: in the map of K-composition this pair stands "
                "out above the baseline.",
                replace(
                    _TRAINED, head=Head(1, 1), query=9, source=4, pair=Pair(Head(0, 2), Head(1, 1))
                ),
                ("Composition",),
                ("Composition", "Virtual head"),
            ),
            Step(
                "The peak",
                "Standing on the last `·green`, where does L1H1 look?",
                "At `·tea`, which followed `·green` last time.",
                replace(_TRAINED, head=Head(1, 1), query=9, source=4),
                ("Attention",),
                _LOOKS,
            ),
            Step(
                "The copy",
                "What does it raise when it reads `·tea` there?",
                "`·tea` itself, and the model's first guess is `·tea`. Read OV at the position, "
                "not from the bare token: in layer 1 the head sees what layer 0 has made of it.",
                replace(_TRAINED, head=Head(1, 1), query=9, source=4),
                ("OV", "Prompt"),
                (*_MOVES, *_SAYS),
            ),
        ),
    ),
)


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
        self.back = button("Back", self._go_back)
        self.forth = button("Reveal", self._go_on)
        self.end = button("End", self.finish, "Close the example; the window stays as it is")
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
