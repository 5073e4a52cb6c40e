"""The state of a session: the selection, the favourite heads and the board."""

from collections.abc import Iterable, Sequence
from dataclasses import fields, replace
from typing import Any

from PySide6.QtCore import QObject, Signal

from engine.messages import (
    CompositionKind,
    Head,
    HeadScores,
    Kind,
    Pair,
    Refused,
    RunPrompt,
    Specials,
)
from gui.state import figure_board
from gui.state.figure_board import Board, Item
from gui.state.selection import (
    FIRST_HEAD,
    Compare,
    Looking,
    Measure,
    Selection,
)
from gui.state.session_file import Favourite


class Favourites(QObject):
    """The favourites of a session, of whatever model, in the order in which they were made."""

    changed = Signal()
    removed = Signal(Favourite, int)
    """One was taken out, from this place: the only thing in here that can lose something."""

    def __init__(self) -> None:
        super().__init__()
        self._all: tuple[Favourite, ...] = ()

    @property
    def all(self) -> tuple[Favourite, ...]:
        """Every favourite."""
        return self._all

    def find(self, model: str, head: Head) -> Favourite | None:
        """Return the favourite that a head is, if it is one."""
        found = (one for one in self._all if (one.model, one.head) == (model, head))
        return next(found, None)

    def add(self, model: str, head: Head) -> None:
        """Make a head a favourite, unless it is one."""
        if self.find(model, head) is None:
            self.show([*self._all, Favourite(model, head)])

    def write(self, model: str, head: Head, note: str) -> None:
        """Write a note; a head that is worth one is a favourite from then on."""
        old = self.find(model, head)
        if old is None and note:
            self.show([*self._all, Favourite(model, head, note)])
        elif old is not None and old.note != note:
            self.show(replace(one, note=note) if one is old else one for one in self._all)

    def remove(self, model: str, head: Head) -> None:
        """Let a head be a favourite no longer; its note goes too."""
        old = self.find(model, head)
        if old is not None:
            place = self._all.index(old)
            self.show(one for one in self._all if one is not old)
            self.removed.emit(old, place)

    def restore(self, favourite: Favourite, place: int) -> None:
        """Put back what was removed, unless its head has become a favourite anew."""
        if self.find(favourite.model, favourite.head) is None:
            self.show([*self._all[:place], favourite, *self._all[place:]])

    def show(self, favourites: Iterable[Favourite]) -> None:
        """Hold these and no others, as a session file has them."""
        self._all = tuple(favourites)
        self.changed.emit()


class BoardState(QObject):
    """The board that the window shows and the session keeps.

    What a session keeps of another Headscope's board, which this one cannot read, stays as it is
    until something else is put on the board.
    """

    changed = Signal()
    lost = Signal(str, object)
    """Something was done that lost a figure, in words; and what was kept before, for `show`."""

    def __init__(self) -> None:
        super().__init__()
        self._kept: list[Any] = []
        self._board = Board()
        self.trouble = ""
        """Why what is kept cannot be shown; empty where it can."""

    @property
    def board(self) -> Board:
        """What is on the board, a frozen value."""
        return self._board

    @property
    def kept(self) -> list[Any]:
        """What a session keeps of it; never changed in place."""
        return self._kept

    def show(self, kept: Sequence[Any]) -> None:
        """Show what a session keeps, and nothing else."""
        self._kept = list(kept)
        try:
            self._board, self.trouble = figure_board.of_session(self._kept), ""
        except Refused as refused:
            self._board, self.trouble = Board(), str(refused)
        self.changed.emit()

    def put(self, board: Board) -> None:
        """Show a board that differs in how it is set, or in the order of its figures."""
        if board == self._board and not self.trouble:
            return
        self._board, self.trouble = board, ""
        self._kept = figure_board.for_session(board)
        self.changed.emit()

    def replace(self, board: Board, what: str) -> None:
        """Show a board in the place of another; `what` says in words what was done."""
        before = self._kept
        self.put(board)
        if before:
            self.lost.emit(what, before)

    def add(self, item: Item) -> str:
        """Put a figure on the board and return its letter.

        Raises
        ------
        Refused
            If there is no room for it.
        """
        board = self._board.with_item(item)
        if self.trouble:
            self.replace(board, "replace a board that cannot be read")
        else:
            self.put(board)
        return board.names[-1]

    def remove(self, place: int) -> None:
        """Take a figure off the board."""
        what = f"take figure {self._board.names[place]} off the board"
        self.replace(self._board.without(place), what)


class Session(QObject):
    """The selection, and one signal that says which part of it changed.

    Nothing in here is computed from an answer of the engine: what follows from the selection
    is derived where it is shown.
    """

    changed = Signal(str)
    renamed = Signal()
    """Heads are written in another way: texts that name one change."""

    def __init__(self, selection: Selection | None = None) -> None:
        super().__init__()
        self._selection = selection or Selection()
        self.favourites = Favourites()
        self.board = BoardState()

    @property
    def selection(self) -> Selection:
        """The whole selection, a frozen value."""
        return self._selection

    @property
    def run(self) -> RunPrompt:
        """The run that every panel is about."""
        now = self._selection
        return RunPrompt(
            now.model,
            now.text,
            now.prepend_bos,
            heads_off=now.heads_off,
            specials=now.specials,
        )

    @property
    def whole_run(self) -> RunPrompt:
        """The same run with no head switched off."""
        return replace(self.run, heads_off=())

    @property
    def side(self) -> Compare:
        """What is shown of two prompts; `left`, the only one, while there is no second."""
        return "left" if self._selection.other_text is None else self._selection.compare

    @property
    def other_run(self) -> RunPrompt | None:
        """The run of the second prompt, if there is one."""
        text = self._selection.other_text
        return None if text is None else replace(self.run, text=text)

    @property
    def drawn_run(self) -> RunPrompt:
        """The run that is drawn where two prompts can be compared."""
        other = self.other_run
        return self.run if other is None or self.side == "left" else other

    @property
    def base_run(self) -> RunPrompt | None:
        """The run that is taken off it there, if a difference is shown."""
        if self.side == "difference":
            return self.run
        return replace(self.drawn_run, heads_off=()) if self._selection.difference else None

    @property
    def scores(self) -> HeadScores:
        """What every head does on random tokens that repeat, as every panel asks for it."""
        now = self._selection
        return HeadScores(now.model, "random", heads_off=now.heads_off)

    def show(self, selection: Selection) -> None:
        """Select everything anew, as a guided example or a saved session has it."""
        self._set(**{field.name: getattr(selection, field.name) for field in fields(selection)})

    def open_model(self, model: str) -> None:
        """Change the model; the text stays, what was pinned in the old tokens does not."""
        if model == self._selection.model:
            return
        self._set(
            model=model,
            prepend_bos=None,
            head=FIRST_HEAD,
            head_chosen=False,
            query=None,
            source=None,
            ov=replace(self._selection.ov, token=None),
            qk=replace(self._selection.qk, token=None),
            pair=None,
            heads_off=(),
            difference=False,
        )

    def set_text(self, text: str) -> None:
        """Change the prompt; the pins follow the new text."""
        if text != self._selection.text:
            self._set(text=text, query=None, source=None)

    def set_prepend_bos(self, prepend: bool | None) -> None:
        """Put BOS first, or not; none leaves it to the model."""
        if prepend != self._selection.prepend_bos:
            self._set(prepend_bos=prepend, query=None, source=None)

    def set_specials(self, specials: Specials) -> None:
        """Read special tokens in the text as tokens, or as plain text; the pins follow."""
        if specials != self._selection.specials:
            self._set(specials=specials, query=None, source=None)

    def choose_head(self, head: Head) -> None:
        """Open the head that was picked."""
        stays = head == self._selection.head
        self._set(head=head, head_chosen=True, source=self._selection.source if stays else None)

    def suggest_head(self, head: Head) -> None:
        """Open a head unless one was picked already, or heads are off."""
        if not self._selection.head_chosen and not self._selection.heads_off:
            self._set(head=head)

    def choose_pair(self, pair: Pair) -> None:
        """Open two heads as one virtual head."""
        self._set(pair=pair)

    def set_heads_off(self, heads: Iterable[Head]) -> None:
        """Zero the output of some heads, and of no others; none: the whole model."""
        off = tuple(sorted(set(heads)))
        self._set(heads_off=off, difference=self._selection.difference and bool(off))

    def switch_head(self, head: Head) -> None:
        """Switch a head off, or on again; other heads stay as they are."""
        self.set_heads_off({head}.symmetric_difference(self._selection.heads_off))

    def set_difference(self, shown: bool) -> None:
        """Show what the heads that are off changed, not what is left without them."""
        shown = shown and bool(self._selection.heads_off)
        # One run is taken off another: two differences at once would be of four.
        side = "left" if shown and self.side == "difference" else self._selection.compare
        self._set(difference=shown, compare=side)

    def compare_with(self, text: str | None) -> None:
        """Set a second prompt on the right of this one; none ends the comparison."""
        self._set(other_text=text, **({"compare": "left"} if text is None else {}))

    def set_compare(self, side: Compare) -> None:
        """Show the left prompt, the right one, or right minus left, where both can be shown."""
        if self._selection.other_text is None:
            return
        self._set(compare=side, difference=self._selection.difference and side != "difference")

    def swap_prompts(self) -> None:
        """Exchange left and right; the pins follow the new left one."""
        text = self._selection.other_text
        if text is not None:
            self._set(text=text, other_text=self._selection.text, query=None, source=None)

    def set_composition(self, kind: CompositionKind) -> None:
        """Score pairs of heads by what the later one's queries, keys or values read."""
        self._set(composition=kind)

    def pin(self, query: int, source: int | None = None) -> None:
        """Pin a query position, and the source position it reads (none: where it looks most).

        OV and QK follow the prompt again.
        """
        self._set(
            query=query,
            source=source,
            ov=replace(self._selection.ov, token=None),
            qk=replace(self._selection.qk, token=None),
        )

    def set_kind(self, kind: Kind) -> None:
        """Show the pattern, the scores or the value-weighted pattern."""
        self._set(kind=kind)

    def set_measure(self, measure: Measure) -> None:
        """Colour the heads by a measure, or show their patterns."""
        self._set(measure=measure)

    def set_looking(self, looking: Looking) -> None:
        """Colour the prompt by what the pinned token attends to, or by what attends to it."""
        self._set(looking=looking)

    def set_hide_bos(self, hide: bool) -> None:
        """Leave the first position out of the colour range."""
        self._set(hide_bos=hide)

    def ask_ov(self, **changes: Any) -> None:
        """Change the OV panel's question: `token`, `direction` or `source`."""
        self._set(ov=replace(self._selection.ov, **changes))

    def ask_qk(self, **changes: Any) -> None:
        """Change the QK panel's question: `token`, `side` or `source`."""
        self._set(qk=replace(self._selection.qk, **changes))

    def _set(self, **changes: Any) -> None:
        before = self._selection
        after = replace(before, **changes)
        self._selection = after
        for name in changes:
            if getattr(before, name) != getattr(after, name):
                self.changed.emit(name)
