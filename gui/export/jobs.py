"""What an export is made from, and what is made from it.

The functions run in the thread of a Worker, hold no QObject, and are what imports matplotlib.
"""

import io
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

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
from gui.export.exportable import Subject
from gui.state import question as asking
from gui.state.figure_board import Board
from gui.state.figure_options import PICTURES, ROWS, FigureOptions
from gui.state.question import Answers, Question

_METRE = 0.0254
_SHOWN_CHARACTERS, _SHOWN_LINES = 6000, 60


@dataclass(frozen=True)
class Material:
    """A subject, the answers to `questions`, and Headscope's own version."""

    subject: Subject
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
    told
        What the file lacks, a sentence each.
    """

    page: QImage | None = None
    inches: tuple[float, float] = (0.0, 0.0)
    text: str = ""
    told: tuple[str, ...] = ()


def gather(
    client: EngineClient,
    worker: Worker,
    subject: Subject,
    then: Callable[[Material], object],
    failed: Callable[[Failure], object],
) -> Gathering:
    """Ask for all that an export of one subject, of the model in use, is made from."""
    version = QApplication.applicationVersion()
    return Gathering(
        client, worker, partial(questions, subject.request), "",
        lambda answers: then(Material(subject, answers, version)), failed,
    )  # fmt: skip


def questions(request: Question) -> tuple[Request, ...]:
    """Return what is to be asked for an export, each once: the question first."""
    from gui import figures

    return figures.all_questions(request, rows=True)


def write(material: Material, path: Path, options: FigureOptions) -> tuple[str, ...]:
    """Write a file; return what it lacks, a sentence each.

    Raises
    ------
    Refused, OSError
        As `gui.figures.write`.
    """
    from gui import figures

    subject = material.subject
    return figures.write(
        subject.request, material.result, path, options, head=subject.head, origin=material.origin
    )


def picture(material: Material, options: FigureOptions) -> tuple[bytes, tuple[str, ...]]:
    """Return a figure as a PNG, and what it lacks.

    Raises
    ------
    Refused
        As `gui.figures.picture`.
    """
    from gui import figures

    subject = material.subject
    return figures.picture(
        subject.request, material.result, ".png", options, head=subject.head,
        origin=material.origin,
    )  # fmt: skip


def preview(material: Material, suffix: str, options: FigureOptions, dpi: int) -> Preview:
    """Return how a file of a kind will look, a picture at the resolution of the screen.

    Raises
    ------
    Refused
        As `gui.figures.write`.
    """
    from gui.figures import data

    subject = material.subject
    if suffix in PICTURES:
        return on_screen(*picture(material, replace(options, dpi=dpi)), dpi)
    # A workbook is seen as the rows that it holds.
    kind = ".csv" if suffix in ROWS else suffix
    content = data.encode(
        kind, subject.request, material.result, subject.head, options, material.origin
    )
    return Preview(text=_begin(content, kind))


def table(material: Material) -> str:
    """Return an answer as text for a spreadsheet.

    Raises
    ------
    Refused
        If it has no rows.
    """
    from gui.figures import data

    subject = material.subject
    found = data.rows(subject.request, material.result, subject.head, material.origin)
    return tables.tab_separated(found)


def command(subject: Subject, options: FigureOptions, path: Path) -> str:
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


def python(subject: Subject, options: FigureOptions, path: Path) -> str:
    """Return the program that prints a subject's numbers and writes it.

    Raises
    ------
    Refused
        If it has no such file.
    """
    from gui import figures

    figures.check(subject.request, Path(path.name))
    return as_code.as_python(subject, options, path)


def on_screen(png: bytes, told: tuple[str, ...], dpi: int) -> Preview:
    """Return a page as it is seen at a resolution, and of what was told what is about its file."""
    # What is said of the screen's resolution is not about the file.
    about_file = tuple(one for one in told if not one.startswith("the PNG has"))
    return Preview(*_page_at(png, dpi), told=about_file)


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


def board_questions(board: Board) -> tuple[Request, ...]:
    """Return all that is to be asked for a board.

    Raises
    ------
    Refused
        If the board cannot be drawn whatever the answers are.
    """
    from gui.figures import board as boards

    boards.check(board)
    return boards.questions(board)


def write_board(board: Board, answers: Answers, version: str, path: Path) -> tuple[str, ...]:
    """Write a board; return what it lacks, a sentence each.

    Raises
    ------
    Refused, OSError
        As `gui.figures.board.write`.
    """
    from gui.figures import board as boards

    return boards.write(board, boards.drawn(board, answers, version), path)


def preview_board(board: Board, answers: Answers, version: str, dpi: int) -> Preview:
    """Return a board as it will be, at the resolution of the screen.

    Raises
    ------
    Refused
        As `gui.figures.board.picture`.
    """
    from gui.figures import board as boards

    small = replace(board, options=replace(board.options, dpi=dpi))
    return on_screen(*boards.picture(small, boards.drawn(small, answers, version), ".png"), dpi)
