"""Whose logit is split up, and what it is compared with."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from engine.messages import Contrast, LogitAttribution, LogitParts, RunPrompt, Split
from engine.messages import VocabularyTokens as Tokens
from gui.panels.named import Named
from gui.panels.token_choice import TokenChoice
from gui.theme import UNIT
from gui.widgets.flow_layout import FlowLayout
from gui.widgets.segmented import Segmented

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
        self.contrast = Segmented(
            [(key, name) for key, name, _ in CONTRASTS], "What the logit is compared with"
        )
        for key, _, does in CONTRASTS:
            self.contrast.set_option_tip(key, does)
        self.contrast.changed.connect(self._choose_contrast)
        self.other = TokenChoice("Attribution: token that it is compared with", "none")
        self.other.chosen.connect(self._choose_other)
        self.other.hide()
        for choice in (self.target, self.other):
            choice.refused.connect(self.refused)
        flow = FlowLayout(UNIT, UNIT // 2, self)
        flow.addWidget(Named("logit of", self.target))
        flow.addWidget(Named("compared with", self.contrast))
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

    def set_vocabulary(self, vocabulary: Tokens) -> None:
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
