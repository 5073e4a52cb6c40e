"""The command line of a question, made from its dataclass: argv in, a request out."""

import argparse
import re
import typing
from collections.abc import Callable, Sequence
from dataclasses import MISSING, Field, fields
from functools import partial
from typing import Any, NoReturn

from engine.messages import Device, Dtype, Head, Placing, Refused, Request, RunPrompt
from engine.messages.plain import choice, field_types
from engine.messages.records import question_type, says

FLAGS = {"k": "-k", "prepend_bos": "--bos"}
"""Options that are not called by their field's name."""

HEADS = tuple[Head, ...]


class QuestionParser(argparse.ArgumentParser):
    """An argument parser that refuses with one sentence instead of printing its usage."""

    def error(self, message: str) -> NoReturn:
        """Raise Refused."""
        if missing := re.search(
            r"argument (\S+?)(?:/\S+)*: expected (?:one|at least one)", message
        ):
            option = missing[1]
            raise Refused(
                f"{option} needs a value after it (`{self.prog} --help` says which); write "
                f"{option}=VALUE where the value begins with a hyphen"
            )
        raise Refused(message)

    def read_known(self, words: Sequence[str]) -> tuple[argparse.Namespace, list[str]]:
        """Parse words with options in any case; return what they say and what is unknown."""
        return self.parse_known_args([self._lower(word) for word in words])

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        # Before Python 3.13, argparse drops "--" even where it is the value: --text=--
        if action.nargs is None and action.option_strings and arg_strings == ["--"]:
            return self._get_value(action, "--")
        return super()._get_values(action, arg_strings)

    def _lower(self, word: str) -> str:
        # Only options of this command: any other word may be a value, such as the text "--X y".
        flag, equals, value = word.partition("=")
        if flag.lower() not in self._option_string_actions:
            return word
        return flag.lower() + equals + value


class _Once(argparse.Action):
    """Keep an option's value, and refuse a second one, which would silently replace the first."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        """Store the value, or raise Refused."""
        if hasattr(namespace, self.dest):
            what = (
                "name all heads in one, such as 0.2,1.3" if self.type is _heads else "leave one out"
            )
            raise Refused(f"{self.option_strings[0]} is given twice: {what}")
        setattr(namespace, self.dest, values)


def parser(question: str, prog: str = "headscope ask") -> QuestionParser:
    """Return the parser of a question's options.

    Parameters
    ----------
    question : str
        One of `engine.messages.QUESTIONS`.
    prog : str
        The command before the question, for the help text.
    """
    kind = question_type(question)
    made = QuestionParser(
        prog=f"{prog} {question.lower()}",
        description=kind.__doc__,
        allow_abbrev=False,
        argument_default=argparse.SUPPRESS,
    )
    for field in _flat(kind).values():
        _add(made, kind, field)
    if _layer_from_head(kind):
        made.add_argument(
            "--head",
            metavar="L.H",
            type=Head.parse,
            help="a head, instead of --layer: answers for its layer; a figure draws it alone",
        )
    if "head" in {field.name for field in fields(kind)}:
        made.add_argument(
            "--heads",
            metavar="all",
            type=_all,
            help="all, instead of --head: ask prints one record a line, one a head",
        )
    return made


def add_placing(made: argparse.ArgumentParser) -> None:
    """Add --device and --dtype, which `placing` reads."""
    for flag, kind, what in (
        ("--device", Device, "what runs prompts; circuits are always computed on the cpu"),
        ("--dtype", Dtype, "how weights are held and prompts run; circuits are in float32"),
    ):
        options = typing.get_args(kind)
        made.add_argument(
            flag,
            metavar="|".join(options),
            type=partial(choice, options=options, name=flag),
            default=None,
            help=f"{what} (default {options[0]}; attention-only models are never moved)",
        )


def placing(given: argparse.Namespace) -> Placing:
    """Return where models are to run, by the options of `add_placing`."""
    return Placing(given.device or "cpu", given.dtype or "float32")


def read(made: QuestionParser, question: str, argv: Sequence[str]) -> tuple[Request, Any]:
    """Parse a question's options.

    Parameters
    ----------
    made : QuestionParser
        From `parser`, perhaps with options added.
    question : str
        The question that it was made for.
    argv : sequence of str
        What follows the question.

    Returns
    -------
    request, namespace
        The request, and every option as parsed.

    Raises
    ------
    Refused
        If an option is unknown, missing, of the wrong kind, or contradicts another.
    """
    kind = question_type(question)
    namespace, unknown = made.read_known(argv)
    if unknown:
        what = "option" if unknown[0].startswith("-") else "place for"
        takes = ", ".join(a.option_strings[0] for a in made._actions if a.dest != "help")
        raise Refused(f"{question} has no {what} {unknown[0]!r}: it takes {takes}")
    given = vars(namespace)
    if "heads" in given:
        if "head" in given:
            raise Refused("--head and --heads all exclude each other: leave one out")
        given["head"] = Head(0, 0)  # stands until the model is known
    head = given.get("head")
    if head and _layer_from_head(kind) and given.setdefault("layer", head.layer) != head.layer:
        raise Refused(f"--layer {given['layer']} and --head {head} disagree: leave one out")
    return _request(kind, question, given), namespace


def _flat(kind: type) -> dict[str, Field[Any]]:
    # A nested run's fields become options of their own; its k belongs to the question itself.
    outer = {field.name: field for field in fields(kind)}
    if "run" not in outer:
        return outer
    nested = {field.name: field for field in fields(RunPrompt) if field.name != "k"}
    return {name: field for name, field in (nested | outer).items() if name != "run"}


def _layer_from_head(kind: type) -> bool:
    names = {field.name for field in fields(kind)}
    return "layer" in names and "head" not in names


def _add(made: QuestionParser, kind: type, field: Field[Any]) -> None:
    owner = kind if field.name in field_types(kind) else RunPrompt
    flag = FLAGS.get(field.name, "--" + field.name.replace("_", "-"))
    type_ = _without_none(field_types(owner)[field.name])
    text = says(owner, field.name).text
    if field.default not in (MISSING, None, False, ()):
        text += f" (default {field.default})"
    text = text.replace("%", "%%")
    if type_ is bool:
        both = field.name == "prepend_bos"
        action: Any = argparse.BooleanOptionalAction if both else "store_true"
        made.add_argument(flag, dest=field.name, action=action, help=text)
    elif typing.get_origin(type_) is typing.Literal:
        options = typing.get_args(type_)
        made.add_argument(
            flag,
            dest=field.name,
            action=_Once,
            metavar="|".join(options),
            type=lambda word: choice(word, options, flag),
            help=text,
        )
    else:
        reads = {int: _whole(flag), Head: Head.parse, HEADS: _heads}.get(type_, str)
        metavar = {int: "N", Head: "L.H", HEADS: "L.H,…"}.get(type_, field.name.upper())
        made.add_argument(
            flag, dest=field.name, action=_Once, metavar=metavar, type=reads, help=text
        )


def _heads(word: str) -> tuple[Head, ...]:
    return tuple(Head.parse(part) for part in word.split(","))


def _all(word: str) -> str:
    if word.lower() != "all":
        raise Refused(f"--heads takes the word all, not {word!r}: --head takes one head")
    return "all"


def _whole(flag: str) -> Callable[[str], int]:
    def read_whole(word: str) -> int:
        try:
            return int(word)
        except ValueError:
            raise Refused(f"{flag} is a whole number, not {word!r}") from None

    return read_whole


def _request(kind: type[Request], question: str, given: dict[str, Any]) -> Request:
    own = {field.name: given[field.name] for field in fields(kind) if field.name in given}
    for field in fields(kind):
        if field.name == "run":
            run = _run(kind, field, question, given)
            if run is not None:
                own["run"] = run
        elif field.default is MISSING and field.name not in own:
            raise Refused(_needs(kind, question, field.name))
    return kind(**own)


def _run(
    kind: type[Request], field: Field[Any], question: str, given: dict[str, Any]
) -> RunPrompt | None:
    if "text" not in given:
        if field.default is MISSING:
            raise Refused(_needs(RunPrompt, question, "model" if "model" not in given else "text"))
        if "prepend_bos" in given:
            raise Refused("--bos and --no-bos are about a prompt: give one with --text")
        if "specials" in given:
            raise Refused("--specials is about a prompt: give one with --text")
        if "heads_off" in given and "heads_off" not in {own.name for own in fields(kind)}:
            raise Refused("--heads-off is about a prompt: give one with --text")
        return None
    if "model" not in given:
        raise Refused(_needs(RunPrompt, question, "model"))
    names = ("model", "text", "prepend_bos", "heads_off", "specials")
    return RunPrompt(**{name: given[name] for name in names if name in given})


def _needs(owner: type, question: str, name: str) -> str:
    flag = FLAGS.get(name, "--" + name.replace("_", "-"))
    return f"{question.lower()} needs {flag}: {says(owner, name).text}"


def _without_none(type_: Any) -> Any:
    options = [option for option in typing.get_args(type_) if option is not type(None)]
    if typing.get_origin(type_) is typing.Literal or len(options) != 1:
        return type_
    return options[0]
