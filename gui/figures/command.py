"""What `headscope figure` takes beside a question or a file, and what it does with the answer."""

import os
from argparse import SUPPRESS, ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, cast

from engine.messages import QUESTIONS, Attention, Refused, Request, without_folders
from gui import figures
from gui.figures import board as boards
from gui.figures import stored
from gui.platform import atomic_file
from gui.state import question_table
from gui.state.difference import KINDS, Difference
from gui.state.figure_board import Board
from gui.state.figure_options import (
    FLAGS,
    MAPS_FLAG,
    PICTURES,
    ROWS,
    Advice,
    FigureOptions,
    parse_colour_maps,
)
from gui.state.options import number
from gui.state.question import Answers, Question, main_of

_FILES = ", ".join(figures.SUFFIXES[:-1]) + f" or {figures.SUFFIXES[-1]}"
_SWITCHES_LAST = sorted(
    FLAGS.items(), key=lambda named: named[1].flag if named[1].switch is not None else ""
)


def add_options(parser: ArgumentParser) -> None:
    """Add the options of a figure to those of its question, or of the file it is drawn from."""
    add: Any = parser.add_argument
    add(
        "-o",
        "--output",
        type=atomic_file.parse,
        metavar="FILE",
        default=SUPPRESS,
        help=f"ends in {_FILES}",
    )
    for name, one in _SWITCHES_LAST:
        if one.switch is None:
            how: dict[str, Any] = {"type": one.read, "metavar": one.metavar}
        else:
            how = {"dest": name, "action": "store_const", "const": one.switch}
        add(one.flag, default=SUPPRESS, help=one.help, **how)


def add_difference(parser: ArgumentParser, question: str) -> None:
    """Add the options that make a difference of a question, to one that can be subtracted."""
    kind = QUESTIONS[question.lower()]
    if kind not in KINDS:
        return
    add: Any = parser.add_argument
    add(
        "--other-text",
        metavar="TEXT",
        default=SUPPRESS,
        help="a second prompt, on the right of --text: the figure is of right minus left",
    )
    if "position" in {field.name for field in fields(kind)}:
        add(
            "--other-position",
            type=number("--other-position", int),
            metavar="N",
            default=SUPPRESS,
            help="position in the second prompt, where it is another than --position",
        )
    add(
        "--difference",
        action="store_true",
        default=SUPPRESS,
        help="the figure is of what --heads-off changes: with them off minus the whole model",
    )


def asked(request: Request, given: Namespace) -> Question:
    """Return what a command line asks: the question, or of `--other-text` and the like its change.

    Raises
    ------
    Refused
        If the options contradict one another.
    """
    said, one = vars(given), cast(Any, request)
    if "other_text" in said:
        if "difference" in said:
            raise Refused("--other-text and --difference exclude each other: leave one out")
        moved = {"position": said["other_position"]} if "other_position" in said else {}
        return Difference(replace(one, run=replace(one.run, text=said["other_text"]), **moved), one)
    if "other_position" in said:
        raise Refused("--other-position is about a second prompt: give one with --other-text")
    if "difference" not in said:
        return request
    if not one.run.heads_off:
        raise Refused("--difference is of what switched-off heads change: name some by --heads-off")
    return Difference(one, replace(one, run=replace(one.run, heads_off=())))


def is_file(word: str) -> bool:
    """Return whether the first word after `figure` is a file to draw again, by its suffix."""
    return Path(word).suffix.lower() in (*stored.READABLE, *ROWS)


def finder(file: Path, given: Namespace) -> Callable[[str], str]:
    """Return what finds a model by the name that a file has of it: there, or by `--model`."""

    def find(model: str) -> str:
        known = [without_folders(model), question_table.beside(file, model)]
        return question_table.located(model, [os.path.abspath(path) for path in known], given.model)

    return find


def options(given: Namespace, usual: FigureOptions) -> FigureOptions:
    """Return what a command line says of a figure; what it leaves out is as usual.

    Raises
    ------
    Refused
        If a value is out of range.
    """
    said = vars(given)
    chosen = {name: said[name] for name in FLAGS if name in said}
    return replace(usual, **chosen, **said.get("colour_map", {}))


def words(chosen: FigureOptions) -> list[str]:
    """Return the words of a command line that sets a figure so; what is usual is left out."""
    usual = FigureOptions()
    found = []
    for name, one in _SWITCHES_LAST:
        value = getattr(chosen, name)
        if one.flag == MAPS_FLAG:
            maps = {"sequential": chosen.sequential, "diverging": chosen.diverging}
            if maps != {"sequential": usual.sequential, "diverging": usual.diverging}:
                # A name that stands for both is overruled by the one that follows.
                orders = (",".join(maps.values()), ",".join(reversed(maps.values())))
                text = next(order for order in orders if parse_colour_maps(order) == maps)
                found.append(f"{one.flag}={text}")
        elif value != getattr(usual, name):
            found.append(one.flag if one.switch is not None else f"{one.flag}={one.write(value)}")
    return found


def check(what: str, request: Question, given: Namespace) -> None:
    """Refuse, before the model is opened, what could not be written whatever the answer."""
    if "output" not in given:
        raise Refused(f"figure {what} needs -o FILE ending in {_FILES}")
    options(given, FigureOptions())
    figures.check(request, given.output)


def board(what: str, shown: Board, given: Namespace) -> Board:
    """Return the board that a command line sets so, refused where it could not be written.

    Parameters
    ----------
    what
        The file that it is from.
    shown
        The board as it is there.
    given
        From the parser that `add_options` was called with.
    """
    if "output" not in given:
        raise Refused(f"figure {what} needs -o FILE ending in {', '.join(PICTURES)}")
    made = replace(shown, options=options(given, shown.options))
    boards.check(made, given.output)
    return made


def questions(request: Question, given: Namespace) -> tuple[Request, ...]:
    """Return what is to be asked: the question, and where its answer is from."""
    return figures.all_questions(request, rows=_only_rows(given))


def origin(request: Question, given: Namespace, answers: Answers, version: str) -> figures.Origin:
    """Return where an answer is from, by the answers to `questions` and Headscope's version."""
    beside = figures.questions(request, rows=_only_rows(given))
    return figures.origin([answers[one] for one in beside], version)


def _only_rows(given: Namespace) -> bool:
    return given.output.suffix.lower() in ROWS


def write(
    request: Question,
    result: Any,
    given: Namespace,
    origin: figures.Origin,
    made: figures.Made | None = None,
) -> tuple[str, ...]:
    """Write an answer as the options say; return what could not be done, a sentence each.

    Parameters
    ----------
    request, result
        A question and its answer.
    given
        From the parser that `add_options` was called with.
    origin
        Where the answer is from.
    made
        The file that is drawn again, whose head and options stand where no others are given.
    """
    if made is not None:
        head, usual = made.head, made.options
    else:
        cut = "head" in given and isinstance(main_of(request), Attention)
        head = given.head if cut else None
        usual = FigureOptions()
    return figures.write(
        request, result, given.output, options(given, usual), head=head, origin=origin
    )


def lacking(told: Iterable[str], given: Namespace) -> Iterator[str]:
    """Yield what is to be said of what `write` returned: what is not as it was asked for.

    Advice on what could be better is left to `--verbose`.
    """
    return (one for one in told if given.verbose or not isinstance(one, Advice))


def changes(before: figures.Origin, now: figures.Origin) -> Iterable[str]:
    """Say why a figure that is drawn again may differ from what it was.

    What one of the two does not tell is not compared.
    """
    if before.weights and now.weights and before.weights != now.weights:
        yield (
            f"the model's weights are others than those of the figure ({now.weights}, and were "
            f"{before.weights})"
        )
    if any(was and is_ and was != is_ for was, is_ in zip(_ids(before), _ids(now), strict=True)):
        yield "the prompt has other tokens than it had"
    if before.precision and now.precision and before.precision != now.precision:
        dtype, _, device = before.precision.partition(" on ")
        yield (
            f"the model runs in {now.precision}, and ran in {before.precision} for the figure: "
            f"--dtype={dtype} --device={device} runs it as it did"
        )


def _ids(of: figures.Origin) -> tuple[tuple[int, ...], tuple[int, ...]]:
    return of.ids, of.base_ids
