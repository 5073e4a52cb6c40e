"""`headscope ask`: questions from a command line or from JSON, answers printed as JSON."""

import contextlib
import itertools
import json
import logging
import os
import sys
import warnings
from argparse import Namespace
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from engine.command import QuestionParser, add_placing, parser, placing, read
from engine.messages import QUESTIONS, Head, LoadModel, Refused, Request, Result, model_of
from engine.records import request_from_json, request_to_json, result_to_json

if TYPE_CHECKING:
    from engine.engine import Engine


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
    if "heads" in given:
        return _ask_heads(request, given)
    return say(_record(request, answer(request, given)))


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


def answer(request: Request, given: Namespace) -> Result:
    """Answer the question of a command line, libraries kept quiet unless it says `--verbose`.

    Raises
    ------
    Refused
        If it cannot be answered, or `--head` only chose the layer and the layer lacks it.
    """
    return answers((request,), given)[0]


def answers(requests: Sequence[Request], given: Namespace) -> list[Result]:
    """Answer a question as `answer` does, and others about the same model after it."""
    request = requests[0]
    with quiet(given.verbose):
        engine = _engine(given)
        if "head" in given and not hasattr(request, "head"):
            engine.check_head(request, given.head)
        return [engine.answer(asked) for asked in requests]


def say(text: str) -> int:
    """Print a text, escaped where the terminal's encoding lacks a character; return status 0."""
    encoding = sys.stdout.encoding or "utf-8"
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


def _engine(given: Namespace) -> "Engine":
    from engine import Engine

    return Engine(placing=placing(given))


def _ask_heads(request: Any, given: Namespace) -> int:
    """Print one record a line, one for each head of the model."""
    with quiet(given.verbose):
        engine = _engine(given)
        facts: Any = engine.answer(LoadModel(model_of(request)))
    for layer, number in itertools.product(range(facts.n_layers), range(facts.n_heads)):
        asked = replace(request, head=Head(layer, number))
        with quiet(given.verbose):
            result = engine.answer(asked)
        say(_record(asked, result))
    return 0


def _record(request: Request, result: Result) -> str:
    return _json({"request": request_to_json(request), "result": result_to_json(result)})


def _ask_lines(given: Namespace) -> int:
    with quiet(given.verbose):
        engine = _engine(given)
    for line in filter(str.strip, sys.stdin):
        record: dict[str, Any] = {"request": line.strip()}
        try:
            record["request"] = _read(line)
            request = request_from_json(record["request"])
            record["request"] = request_to_json(request)
            with quiet(given.verbose):
                record["result"] = result_to_json(engine.answer(request))
        except Refused as refusal:
            record["error"] = str(refusal)
        except Exception as error:
            # One question must not end the conversation.
            record["error"] = f"this should not happen: {type(error).__name__}: {error}"
        try:
            say(_json(record))
        except ValueError:  # a number such as 1e400 is read as infinity
            say(_json(record | {"request": line.strip()}))
        sys.stdout.flush()
    return 0


def _read(line: str) -> Any:
    # Files of some editors begin with a byte order mark, which is no part of the first line.
    text = line.removeprefix("\ufeff").strip()
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
