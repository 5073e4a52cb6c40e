"""What an attribution is asked, and what it says, in sentences."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from engine.messages import (
    Contrast,
    Head,
    LogitAttribution,
    LogitParts,
    OutputRanking,
    RunPrompt,
    Split,
    VocabularyTokens,
)
from gui.panels.frame import switch
from gui.panels.token_lists import TokenChoice
from gui.state import difference
from gui.style.formatting import decimals_for, fixed, head_name, plain, ranked
from gui.style.theme import UNIT
from gui.widgets.labels import Captioned
from gui.widgets.layouts import FlowLayout
from gui.widgets.text import Token

MOST_LEFT = 1e-3
"""A remainder above this is more than rounding."""

Parts = list[str | Token]


def number(value: float) -> str:
    """Write what a part gives, with its sign."""
    return fixed(value, decimals_for([value]), signed=True)


def answer(
    found: LogitParts,
    labels: Sequence[str],
    by_source: npt.NDArray[np.floating] | None,
    opened: Head,
) -> Parts:
    """Say which head gives most to the logit, and from which source token if it is open.

    Parameters
    ----------
    found
        What each part gives.
    labels
        The prompt's tokens as shown.
    by_source
        What each source gives by the open head, [source], if that is known.
    opened
        The open head.
    """
    parts: Parts = [
        "after ",
        Token(labels[found.position]),
        f" (position {found.position}), the logit of ",
    ]
    parts += [Token(found.target_label), *less(found)]
    parts.append(f" is {unsigned(found.logit)}. ")
    heads = [place for place, head in enumerate(found.heads) if head is not None]
    if not heads:
        return parts
    best = max(heads, key=lambda place: float(found.values[place]))
    head, value = found.heads[best], float(found.values[best])
    assert head is not None
    if value <= 0:
        return [*parts, "No head raises it"]
    parts.append(f"The head that gives most is {head_name(head)}, {number(value)}")
    if head != opened or by_source is None or not len(by_source):
        return [*parts, ": click it to see from which source tokens"]
    source = int(np.argmax(by_source))
    given = number(float(by_source[source]))
    return [*parts, f", {given} of it from ", Token(labels[source]), f" (position {source})"]


def head_says(head: Head, value: float, output: OutputRanking) -> Parts:
    """Say what the open head gives, and how it ranks the token by itself."""
    return [
        f"{head_name(head)} gives {number(value)} (by it alone, ",
        Token(output.target_label),
        f" has {ranked(output.rank, output.d_vocab, output.constant)}). By source position:",
    ]


def sum_of(found: LogitParts) -> str:
    """Say that the parts sum to the logit, and how exactly."""
    said = f"total {unsigned(found.total)} + remainder {plain(found.remainder, 1)}"
    said += f" = logit {unsigned(found.logit)}"
    if found.final_scale != 1.0:
        scale = plain(found.final_scale, 3)
        said += f"; final scale {scale}, by which the final norm divides each part"
    said += before_cap(found)
    if abs(found.remainder) > MOST_LEFT:
        said += "; the remainder is more than rounding: some part is missing"
    return said


def before_cap(found: LogitParts) -> str:
    """Say that the model caps its logits afterwards, if it does."""
    if found.logit_cap is None:
        return ""
    return f"; logits are those before the model caps them at {plain(found.logit_cap)}"


def less(found: LogitParts) -> Parts:
    """Say what is taken off the logit."""
    if found.contrast_label == "none":
        return []
    if found.contrast_label == "mean":
        return [" less the mean logit"]
    return [" less that of ", Token(found.contrast_label)]


def unsigned(value: float) -> str:
    """Write a logit."""
    return fixed(value, decimals_for([value]))


@dataclass(frozen=True, eq=False)
class Change:
    """Two attributions, both split by heads, of one model.

    Parameters
    ----------
    now, before
        What each part gives in the run that is drawn, and in the one taken off it.
    names
        What the two runs are called.
    """

    now: LogitParts
    before: LogitParts
    names: tuple[str, str]

    @cached_property
    def parts(self) -> LogitParts:
        """What each part gives more or less, the target and all else as it is now."""
        return difference.parts(self.now, self.before)

    def headline(self, token: str) -> Parts:
        """Say how the logit changed, and which head's part changed most.

        Parameters
        ----------
        token
            The pinned token, or both of them.
        """
        now, before, (one, other) = self.now, self.before, self.names
        said: Parts = ["after ", Token(token), ", the logit of ", Token(before.target_label)]
        said += [*less(before), f" is {unsigned(before.logit)} ({other}) and "]
        differ = now.target_id != before.target_id
        if differ:
            said += ["that of ", Token(now.target_label), *less(now), " "]
        change = f"{one} − {other} {number(self.parts.logit)}"
        said.append(f"{unsigned(now.logit)} ({one}): {change}. ")
        if differ:
            said.append("The targets differ: type one as “logit of” to compare what it is given. ")
        heads = [place for place, head in enumerate(now.heads) if head is not None]
        changes = self.parts.values
        most = max(heads, key=lambda place: abs(float(changes[place])), default=None)
        if most is None:
            return said
        head = now.heads[most]
        assert head is not None
        if not changes[most]:
            return [*said, "No head gives more or less"]
        return [
            *said,
            f"The head that changed most is {head_name(head)}, {number(float(changes[most]))}",
        ]

    def of_head(self, head: Head) -> str:
        """Return what a head gives in both runs, and the difference."""
        place, (one, other) = self.now.heads.index(head), self.names
        now, before = (float(found.values[place]) for found in (self.now, self.before))
        told = f"{other} {number(before)}, {one} {number(now)}"
        return f"{head_name(head)}: {told}, {one} − {other} {number(now - before)}"

    def sum(self) -> str:
        """Say that the changes sum to that of the logit, and how exactly."""
        total, (one, other) = self.parts, self.names
        logits = [unsigned(found.logit) for found in (self.now, self.before)]
        said = f"total {number(total.total)} + remainder {plain(total.remainder, 1)}"
        said += f" = logit {logits[0]} ({one}) − logit {logits[1]} ({other})"
        scales = [found.final_scale for found in (self.now, self.before)]
        if scales != [1.0, 1.0]:
            told = [plain(scale, 3) for scale in scales]
            said += f"; final scale {told[0]} and {told[1]}, each dividing its own parts"
        return said + before_cap(self.now)


CONTRASTS = (
    ("none", "nothing", "The logit itself"),
    (
        "mean",
        "mean",
        "The logit less the mean of all logits, on which no probability depends",
    ),
    ("token", "token", "The logit less that of another token: why the model prefers the one"),
)


class AttributionQuestion(QWidget):
    """A token field for the target, a choice of contrast, and a field for the contrast's token."""

    changed = Signal()
    refused = Signal(str)
    """A sentence about what was typed and is no single token."""

    def __init__(self) -> None:
        super().__init__()
        self._target: int | None = None
        self._other: int | None = None
        self.target = TokenChoice("Attribution: token whose logit is split up", "the first guess")
        self.target.follow.setText("first guess")
        self.target.follow.setToolTip("Go back to the model's first guess after the pinned token")
        self.target.chosen.connect(self._choose_target)
        compared = "What the logit is compared with"
        self.contrast = switch(compared, self._choose_contrast, *CONTRASTS)
        self.other = TokenChoice("Attribution: token that it is compared with", "none")
        self.other.chosen.connect(self._choose_other)
        self.other.hide()
        for choice in (self.target, self.other):
            choice.refused.connect(self.refused)
        flow = FlowLayout(UNIT, UNIT // 2, self)
        flow.addWidget(Captioned("logit of", self.target))
        flow.addWidget(Captioned("compared with", self.contrast))
        flow.addWidget(self.other)

    @property
    def waits(self) -> bool:
        """Whether a token to compare with is still to be typed."""
        return self.contrast.value() == "token" and self._other is None

    @property
    def contrasted(self) -> bool:
        """Whether anything is taken off the logit."""
        return self.contrast.value() != "none" and not self.waits

    @property
    def token(self) -> int | None:
        """The typed target; none for the model's first guess."""
        return self._target

    def request(self, run: RunPrompt, position: int, split: Split = "heads") -> LogitAttribution:
        """Return the question."""
        mean = self.contrast.value() == "mean"
        other = self._other if self.contrast.value() == "token" else None
        contrast: Contrast = "mean" if mean else "none"
        return LogitAttribution(run, position, self._target, other, contrast, split)

    def show_answer(self, found: LogitParts) -> None:
        """Show whose logit was split up."""
        self.target.show_token(found.target_id, typed=self._target is not None)

    def set_vocabulary(self, vocabulary: VocabularyTokens) -> None:
        """Complete over a model's vocabulary."""
        for choice in (self.target, self.other):
            choice.set_vocabulary(vocabulary)

    def forget(self) -> None:
        """Drop what was typed: another model has other tokens."""
        self._target = self._other = None
        self.other.field.clear()

    def _choose_target(self, token: int | None) -> None:
        self._target = token
        self.changed.emit()

    def _choose_contrast(self, contrast: str) -> None:
        self.other.setVisible(contrast == "token")
        if self.waits:
            self.other.field.setFocus()
        self.changed.emit()

    def _choose_other(self, token: int | None) -> None:
        self._other = token
        self.changed.emit()
