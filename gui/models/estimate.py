"""The estimate of what opening a model takes."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFormLayout, QWidget

from engine.messages import EstimateModel, ModelEstimate, Request, Result, Run, RunPrompt, in_bytes
from gui.charts.focus import count
from gui.client.engine_client import STOPPED, EngineClient, Failure
from gui.models.model_box import Choice
from gui.session.model_opener import is_path
from gui.session.session import Session
from gui.style.theme import UNIT
from gui.widgets.forms import column
from gui.widgets.labels import Notice, plain_label
from gui.widgets.text import Sentence

LINES = (
    "Parameters",
    "On disk",
    "In memory",
    "While it is read",
    "Patterns",
    "Free memory",
)
NOTHING = "–"


class EstimateView(QWidget):
    """Asks for the estimate of one model and shows it."""

    found = Signal(object)
    """A ModelEstimate that has come."""
    changed = Signal()
    """Whether the model can be opened is known, or open again."""

    def __init__(self, session: Session, client: EngineClient) -> None:
        super().__init__()
        self._session, self._client = session, client
        self._choice: Choice | None = None
        self._estimate: ModelEstimate | None = None
        self._length: int | None = None
        """Tokens of the prompt; none until the model in use has read it."""
        self.obstacle = ""
        """Why the model cannot be opened, as far as that is known."""
        self.name = plain_label(role="title", wraps=True)
        self.where = Sentence("What it is, or where it lies")
        self.values = {line: plain_label() for line in LINES}
        self.says = Sentence("Whether it fits", muted=False)
        self.notice = Notice()
        form = QFormLayout()
        form.setHorizontalSpacing(2 * UNIT)
        form.setVerticalSpacing(UNIT // 2)
        for line, value in self.values.items():
            label = plain_label(line, "small")
            value.setAccessibleName(line)
            form.addRow(label, value)
        # The notice stands beside the button that it forbids.
        column(self.name, self.where, form, self.says, 1, self.notice, of=self)
        client.progress.connect(self._on_progress)
        self.show_choice(None)

    @property
    def waiting(self) -> bool:
        """Whether the estimate is still to come."""
        return self._choice is not None and self._estimate is None and not self.obstacle

    def show_choice(self, choice: Choice | None) -> None:
        """Look a model over, or none."""
        self._choice, self._estimate, self.obstacle = choice, None, ""
        self._client.withdraw(self, "estimate")
        self.notice.clear()
        self.name.setText(choice.label if choice else "")
        if choice is None:
            self.where.set_parts(["Choose a model in the list."])
        else:
            self.where.set_parts([choice.model if is_path(choice.model) else choice.about])
            self._client.ask(self, "run", self._session.run)
            self._client.ask(self, "estimate", EstimateModel(choice.model))
        self._show()

    def receive(self, slot: str, request: Request, result: Result) -> None:
        """Take the estimate, or how long the prompt is."""
        if isinstance(result, Run):
            self._length = len(result.labels)
        elif isinstance(result, ModelEstimate):
            self._estimate, self.obstacle = result, result.obstacle
            self.found.emit(result)
            self._show()
        self._ask_about_prompt()

    def fail(self, slot: str, request: Request, failure: Failure) -> None:
        """Say why there is no estimate; a prompt that does not run has no length."""
        if isinstance(request, RunPrompt):
            return
        stopped = failure == STOPPED
        self.obstacle = "" if stopped else failure.sentence
        if stopped:
            self.notice.show_info("Stopped: choose it again to look it over.")
        else:
            self.notice.show_failure(failure.sentence, failure.details)
        self._show()

    def _ask_about_prompt(self) -> None:
        """Ask again by the length of the prompt, or of what the model would read of it."""
        told = self._estimate
        if self._choice is None or told is None or self._length is None:
            return
        positions = min(self._length, told.context or self._length)
        if positions != told.positions:
            self._client.ask(self, "estimate", EstimateModel(self._choice.model, positions))

    def _on_progress(self, what: str, done: int, total: int) -> None:
        if self.waiting:
            self._show()

    def _show(self) -> None:
        told = self._estimate
        texts = dict.fromkeys(LINES, NOTHING) if told is None else _lines(told)
        for line, value in self.values.items():
            value.setText(texts[line])
        if told is not None and not told.obstacle:
            self.says.set_parts([_verdict(told)])
        elif self.waiting and not self.notice.text():
            doing = self._client.doing
            self.says.set_parts([f"Looking it over … {f'({doing})' if doing else ''}".strip()])
        else:
            self.says.set_parts([])
        if told is not None and told.obstacle:
            self.notice.show_failure(told.obstacle)
        self.changed.emit()


def _lines(told: ModelEstimate) -> dict[str, str]:
    return {
        "Parameters": f"{told.parameters:,}",
        "On disk": in_bytes(told.disk) if told.disk else "no file: it is made by Headscope",
        "In memory": in_bytes(told.memory),
        "While it is read": f"up to {in_bytes(told.peak)}",
        "Patterns": f"{in_bytes(told.patterns)} for {count(told.positions, 'token')}",
        "Free memory": in_bytes(told.free),
    }


def _verdict(told: ModelEstimate) -> str:
    if told.memory + told.patterns > told.free:
        return (
            f"The model fits, but the patterns of all heads on {count(told.positions, 'token')} do "
            "not fit beside it: take a shorter prompt."
        )
    return f"It fits: opening it takes at most {in_bytes(told.peak)} of {in_bytes(told.free)}."
