"""What `headscope figure` takes beside a question, and what it does with the answer."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from engine.messages import Attention, Refused, Request, Result
from gui import figures


def add_options(parser: ArgumentParser) -> None:
    """Add the options of a figure to those of its question."""
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="pdf, svg, png or csv")
    parser.add_argument("--width", type=_length, default=3.25, help="inches (default 3.25)")
    parser.add_argument("--font-size", type=_length, default=7.0, help="points (default 7)")


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


def _length(text: str) -> float:
    try:
        length = float(text)
    except ValueError:
        length = 0.0
    if not 1 <= length <= 100:
        raise Refused(f"a width or font size is a number from 1 to 100, not {text!r}")
    return length
