"""`headscope ask`: questions from a command line or from JSON, answers printed as JSON."""

import contextlib
import io
import itertools
import json
import logging
import os
import re
import sys
import warnings
from argparse import Namespace
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from engine.cli.command import QuestionParser, add_placing, parser, placing, read
from engine.messages import (
    QUESTIONS,
    Head,
    LoadModel,
    Placing,
    Refused,
    Request,
    Result,
    model_of,
    printable,
    without_folders,
)
from engine.messages.records import request_from_json, request_to_json, result_to_json


def ask(words: list[str]) -> int:
    """Answer a question and print it with its answer; `-` reads one a line of standard input.

    Parameters
    ----------
    words : list of str
        What follows `ask`.

    Returns
    -------
    int
        Exit status.

    Raises
    ------
    Refused
        If the one question cannot be answered; of many, the line says it and the next follows.
    """
    if words[:1] == ["-"]:
        options = _common(QuestionParser(prog="headscope ask -", allow_abbrev=False))
        given, unknown = options.read_known(words[1:])
        if unknown:
            raise Refused(
                "ask - takes no options but --device, --dtype and --verbose: each line holds its "
                "own question"
            )
        return _ask_lines(given)
    request, given = read(question_parser(words, "ask"), words[0], words[1:])
    asked = Asked(given)
    if "heads" in given:
        return _ask_heads(request, asked)
    asked.check_head(request)
    return say(_json(asked.record(request)))


def question_parser(words: list[str], command: str) -> QuestionParser:
    """Return the parser of the question that a command begins with.

    Raises
    ------
    Refused
        If there is no question, or none of this name.
    """
    if not words:
        raise Refused(f"{command} needs a question: {', '.join(QUESTIONS)}")
    return _common(parser(words[0], f"headscope {command}"))


def _common(made: QuestionParser) -> QuestionParser:
    add_placing(made)
    made.add_argument(
        "--verbose", action="store_true", default=False, help="show what libraries print"
    )
    return made


class Asked:
    """An engine that one command line asks, libraries kept quiet unless it says `--verbose`.

    Where a model does not run where `--device` and `--dtype` say, standard error tells it.

    Parameters
    ----------
    given : Namespace
        What the command line says.
    """

    def __init__(self, given: Namespace) -> None:
        self._given, self._told = given, set[str]()
        with quiet(given.verbose):
            from engine import Engine

            self._engine = Engine(placing=placing(given))

    def check_head(self, request: Request) -> None:
        """Refuse a `--head` that only chose the layer of a question, where the layer lacks it."""
        if "head" in self._given and not hasattr(request, "head"):
            with quiet(self._given.verbose):
                self._engine.check_head(request, self._given.head)

    def answer(self, request: Request) -> Result:
        """Answer a question.

        Raises
        ------
        Refused
            If it cannot be answered.
        """
        return self._answer(request)[0]

    def record(self, request: Request) -> dict[str, Any]:
        """Return a question and its answer as `ask` prints them; refuses as `answer`.

        A precision that is not the usual one stands between them.
        """
        result, placed = self._answer(request)
        said = {} if placed in (None, Placing()) else {"precision": str(placed)}
        return {"request": request_to_json(request), **said, "result": result_to_json(result)}

    def _answer(self, request: Request) -> tuple[Result, Placing | None]:
        with quiet(self._given.verbose):
            result = self._engine.answer(request)
            placed = self._engine.placed(request)
        name = model_of(request)
        if placed is not None and name not in self._told:
            self._told.add(name)
            if said := elsewhere(name, str(placed), placing(self._given)):
                tell(said)
        return result, placed


def answers(requests: Sequence[Request], given: Namespace) -> list[Result]:
    """Answer questions of a command line, as `Asked` does.

    Raises
    ------
    Refused
        If one cannot be answered, or `--head` only chose the layer and the layer lacks it.
    """
    asked = Asked(given)
    asked.check_head(requests[0])
    return [asked.answer(request) for request in requests]


def elsewhere(model: str, precision: str, wanted: Placing) -> str:
    """Say that a model does not run where it was to run; nothing where it does."""
    if precision == str(wanted):
        return ""
    return (
        f"{without_folders(model)} runs in {precision}, as attention-only models always do, and "
        f"not in {wanted}"
    )


def tell(sentence: str) -> None:
    """Print a sentence of our own on standard error, as one line."""
    encoding = sys.stderr.encoding or "utf-8"
    line = f"headscope: {printable(sentence)}\n"
    sys.stderr.write(line.encode(encoding, "backslashreplace").decode(encoding))


def say(text: str) -> int:
    """Print a text and return status 0.

    What a terminal would not show but obey is escaped, and what its encoding lacks.
    """
    encoding = sys.stdout.encoding or "utf-8"
    text = printable(text, keep="\n\t")
    sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))
    return 0


@contextlib.contextmanager
def quiet(verbose: bool) -> Iterator[None]:
    """Keep what libraries print, warn and log off standard output and standard error.

    Parameters
    ----------
    verbose : bool
        Let it through after all.
    """
    if verbose:
        yield
        return
    disabled = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with (
            open(os.devnull, "w", encoding="utf-8") as nowhere,
            contextlib.redirect_stderr(nowhere),
            contextlib.redirect_stdout(nowhere),
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(disabled)


def _ask_heads(request: Any, asked: Asked) -> int:
    """Print one record a line, one for each head of the model."""
    facts: Any = asked.answer(LoadModel(model_of(request)))
    for layer, number in itertools.product(range(facts.n_layers), range(facts.n_heads)):
        say(_json(asked.record(replace(request, head=Head(layer, number)))))
    return 0


def _ask_lines(given: Namespace) -> int:
    asked = Asked(given)
    if isinstance(sys.stdin, io.TextIOWrapper):
        # Bytes that are no UTF-8 end their own line and not the conversation.
        sys.stdin.reconfigure(encoding="utf-8", errors="surrogateescape")
    for line in filter(str.strip, sys.stdin):
        record: dict[str, Any] = {"request": line.strip()}
        try:
            record["request"] = _read(line)
            request = request_from_json(record["request"])
            record["request"] = request_to_json(request)
            record = asked.record(request)
        except Refused as refusal:
            record["error"] = str(refusal)
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:
            # One question must not end the conversation; a panic of a library is no Exception.
            record["error"] = f"this should not happen: {type(error).__name__}: {error}"
        try:
            say(_json(record))
        except (ValueError, RecursionError):
            # A number such as 1e400 is read as infinity; and what can be read as deeply nested
            # may not be written.
            say(_json(record | {"request": line.strip()}))
        sys.stdout.flush()
    return 0


def _read(line: str) -> Any:
    # Files of some editors begin with a byte order mark, which is no part of the first line.
    text = line.removeprefix("\ufeff").strip()
    if (bad := re.search("[\udc80-\udcff]", text)) is not None:
        raise Refused(
            f"this line is not text in UTF-8: character {bad.start() + 1} of {len(text):,} is the "
            f"byte {ord(bad[0]) & 0xFF:02X}"
        )
    try:
        return json.loads(text, parse_constant=_no_constant, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        where = f"character {error.pos + 1} of {len(text):,}"
        raise Refused(f"this line is not JSON: {error.msg} at {where}") from None
    except (ValueError, RecursionError) as error:  # too many digits, too many brackets
        raise Refused(f"this line is not JSON that can be read: {error}") from None


def _no_constant(name: str) -> float:
    raise Refused(f"{name} is not JSON: write a number")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    # JSON lets a key come twice and Python keeps the last; a question is not to be guessed.
    made: dict[str, Any] = {}
    for key, value in pairs:
        if key in made:
            raise Refused(f"the key {key!r} is given twice: leave one out")
        made[key] = value
    return made


def _json(record: dict[str, Any]) -> str:
    # Escapes of JSON's own where the terminal could not show a character.
    encoding = (sys.stdout.encoding or "utf-8").lower().replace("-", "")
    return json.dumps(record, ensure_ascii=encoding != "utf8", allow_nan=False) + "\n"
