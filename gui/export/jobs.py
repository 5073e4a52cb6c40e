"""What an export is made from, and what is made from it.

All but `gather` runs in the thread of a Worker, holds no QObject, and is what imports matplotlib.
"""

import io
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from engine.messages import Request
from gui.charts import tables
from gui.client.background import Worker
from gui.client.engine_client import EngineClient, Failure
from gui.client.gather import Gathering
from gui.export import as_code
from gui.export.exportable import Exportable
from gui.state import question as asking
from gui.state.figure_board import Board
from gui.state.figure_options import PICTURES, ROWS, FigureOptions
from gui.state.question import Answers, Question

if TYPE_CHECKING:
    from gui.figures.board import Drawn

_METRE = 0.0254
_SHOWN_CHARACTERS, _SHOWN_LINES = 6000, 60


@dataclass(frozen=True)
class Preview:
    """A file as it will be: its page, or the beginning of its text; and what it lacks.

    Parameters
    ----------
    page
        The page at the resolution of the screen; none for a text.
    inches
        Width and height of the page.
    text
        The beginning of a text.
    lacking
        What the file lacks, a sentence each.
    """

    page: QImage | None = None
    inches: tuple[float, float] = (0.0, 0.0)
    text: str = ""
    lacking: tuple[str, ...] = ()


@dataclass(frozen=True)
class AnswerInputs:
    """What one answer is exported from: answers by question, and Headscope's own version.

    Its methods raise `Refused` and `OSError` as `gui.figures` does.
    """

    subject: Exportable
    answers: Answers
    version: str

    @cached_property
    def result(self) -> Any:
        """The answer to the subject; refused where two answers cannot be subtracted."""
        return asking.answer(self.subject.request, self.answers.__getitem__)

    @property
    def origin(self) -> Any:
        """Where that is from."""
        from gui import figures

        beside = figures.questions(self.subject.request, rows=True)
        return figures.origin([self.answers[asked] for asked in beside], self.version)

    def write(self, path: Path, options: FigureOptions) -> tuple[str, ...]:
        """Write a file; return what it lacks, a sentence each."""
        from gui import figures

        of = self.subject
        return figures.write(
            of.request, self.result, path, options, head=of.head, origin=self.origin
        )

    def picture(self, options: FigureOptions) -> tuple[bytes, tuple[str, ...]]:
        """Return a figure as a PNG, and what it lacks."""
        from gui import figures

        of = self.subject
        return figures.picture(
            of.request, self.result, ".png", options, head=of.head, origin=self.origin
        )

    def preview(self, suffix: str, options: FigureOptions, dpi: int) -> Preview:
        """Return how a file of a kind will look, a picture at the resolution of the screen."""
        from gui.figures import data

        if suffix in PICTURES:
            return on_screen(*self.picture(replace(options, dpi=dpi)), dpi)
        # A workbook is seen as the rows that it holds.
        kind, of = ".csv" if suffix in ROWS else suffix, self.subject
        content = data.encode(kind, of.request, self.result, of.head, options, self.origin)
        return Preview(text=_begin(content, kind))

    def table(self) -> str:
        """Return the answer as text for a spreadsheet."""
        from gui.figures import data

        of = self.subject
        return tables.tab_separated(data.rows(of.request, self.result, of.head, self.origin))


@dataclass(frozen=True)
class BoardInputs:
    """What a board is exported from, with methods as those of AnswerInputs."""

    board: Board
    answers: Answers
    version: str

    def write(self, path: Path, options: FigureOptions) -> tuple[str, ...]:
        """Write a board; return what it lacks, a sentence each."""
        from gui.figures import board as boards

        return boards.write(*self._drawn(options), path)

    def preview(self, suffix: str, options: FigureOptions, dpi: int) -> Preview:
        """Return a board as it will be, at the resolution of the screen."""
        from gui.figures import board as boards

        drawn = self._drawn(replace(options, dpi=dpi))
        return on_screen(*boards.picture(*drawn, ".png"), dpi)

    def _drawn(self, options: FigureOptions) -> tuple[Board, "tuple[Drawn, ...]"]:
        """Return the board as it is set, and what is drawn on it."""
        from gui.figures import board as boards

        board = replace(self.board, options=options)
        return board, boards.drawn(board, self.answers, self.version)


ExportInputs = AnswerInputs | BoardInputs


def gather(
    client: EngineClient,
    worker: Worker,
    of: Exportable | Board,
    then: Callable[[Any], object],
    failed: Callable[[Failure], object],
    in_use: str = "",
    stepped: Callable[[int, int], object] = lambda done, total: None,
) -> Gathering:
    """Ask for all that an export is made from, and hand its ExportInputs on.

    Parameters are those of Gathering; an answer of the model in use needs no `in_use`.
    """
    version = QApplication.applicationVersion()
    asked: Callable[[], tuple[Request, ...]]
    inputs: Callable[[Answers, str], ExportInputs]
    if isinstance(of, Board):
        asked, inputs = partial(board_questions, of), partial(BoardInputs, of)
    else:
        asked, inputs = partial(questions, of.request), partial(AnswerInputs, of)

    def gathered(answers: Answers) -> None:
        then(inputs(answers, version))

    return Gathering(client, worker, asked, in_use, gathered, failed, stepped)


def questions(request: Question) -> tuple[Request, ...]:
    """Return what is to be asked for an export, each once: the question first."""
    from gui import figures

    return figures.all_questions(request, rows=True)


def board_questions(board: Board) -> tuple[Request, ...]:
    """Return all that is to be asked for a board; refused where it can never be drawn."""
    from gui.figures import board as boards

    boards.check(board)
    return boards.questions(board)


def command(subject: Exportable, options: FigureOptions, path: Path) -> str:
    """Return the command that writes a subject.

    Raises
    ------
    Refused
        If there is none.
    """
    from gui import figures
    from gui.figures import command as figure_command

    figures.check(subject.request, Path(path.name))
    words = figure_command.words(options) if path.suffix.lower() in PICTURES else []
    return as_code.as_command(subject, words, path)


def python(subject: Exportable, options: FigureOptions, path: Path) -> str:
    """Return the program that prints a subject's numbers and writes it.

    Raises
    ------
    Refused
        If it has no such file.
    """
    from gui import figures

    figures.check(subject.request, Path(path.name))
    return as_code.as_python(subject, options, path)


CODES: dict[str, tuple[Callable[[Exportable, FigureOptions, Path], str], str]] = {
    "Copy as command": (command, "a command for a shell"),
    "Copy as Python": (python, "a Python program"),
}
"""What an export can be copied as: how it is made, and what it is called."""


def on_screen(png: bytes, lacking: tuple[str, ...], dpi: int) -> Preview:
    """Return a page as it is seen at a resolution, and what its file lacks."""
    # What is said of the screen's resolution is not about the file.
    about_file = tuple(one for one in lacking if not one.startswith("the PNG has"))
    return Preview(*_page_at(png, dpi), lacking=about_file)


def _page_at(png: bytes, dpi: int) -> tuple[QImage, tuple[float, float]]:
    """Return a page at a resolution, which one with an image of cells exceeds, and its size."""
    image = QImage.fromData(png)
    across, down = image.dotsPerMeterX() * _METRE, image.dotsPerMeterY() * _METRE
    inches = image.width() / across, image.height() / down
    if round(across) > dpi:
        image = image.scaledToWidth(
            round(inches[0] * dpi), Qt.TransformationMode.SmoothTransformation
        )
    return image, inches


def _begin(content: bytes, suffix: str) -> str:
    if suffix == ".npz":
        with np.load(io.BytesIO(content)) as file:
            arrays: dict[str, Any] = {name: file[name] for name in file.files}
        lines = [f"{name}  {array.dtype}  {list(array.shape)}" for name, array in arrays.items()]
    else:
        text = content.decode("utf-8", "replace")
        lines = text[:_SHOWN_CHARACTERS].split("\n")
        if len(text) > _SHOWN_CHARACTERS or len(lines) > _SHOWN_LINES:
            lines = [*lines[:_SHOWN_LINES], "…"]
    return "\n".join(lines)
