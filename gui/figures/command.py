"""What `headscope figure` takes beside a question, and what it does with the answer."""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from pathlib import Path

from engine.messages import Attention, Refused, Request, Result
from gui import figures


def add_options(parser: ArgumentParser) -> None:
    """Add the options of a figure to those of its question."""
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="pdf, svg, png or csv")
    for flag, default, unit in (("--width", 3.25, "inches"), ("--font-size", 7.0, "points")):
        parser.add_argument(
            flag, type=_number(flag), default=default, help=f"{unit} (default {default:g})"
        )


def check(question: str, request: Request, given: Namespace) -> None:
    """Refuse, before the model is opened, what could not be written whatever the answer."""
    if "output" not in given:
        raise Refused(f"figure {question} needs -o FILE ending in .pdf, .svg, .png or .csv")
    figures.check(request, given.output, width=given.width, font_size=given.font_size)


def write(request: Request, result: Result, given: Namespace) -> tuple[str, ...]:
    """Write an answer as the options say; return what could not be done, a sentence each."""
    return figures.write(
        request,
        result,
        given.output,
        head=given.head if "head" in given and isinstance(request, Attention) else None,
        width=given.width,
        font_size=given.font_size,
    )


def _number(flag: str) -> Callable[[str], float]:
    def read_number(text: str) -> float:
        try:
            return float(text)
        except ValueError:
            raise Refused(f"{flag} is a number, not {text!r}") from None

    return read_number
