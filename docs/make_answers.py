"""Write docs/answers.md from the messages: `python -m docs.make_answers [--check]`.

Everything in the page comes from the dataclasses of `engine/messages/` and from the command
line that is made from them, so that it cannot say something else than the program does.
"""

import argparse
import re
import sys
import types
import typing
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from pathlib import Path
from typing import Any

from engine import messages
from engine.cli.command import parser
from engine.messages.records import says
from gui import whole_file

PAGE = Path(__file__).parent / "answers.md"

INTRODUCTION = """\
# Questions and answers

Made from `engine/messages/` by `make docs`; do not edit.

Each question can be asked in three ways, with the same fields and the same answer:

- `headscope ask QUESTION OPTIONS` prints `{"request": …, "result": …}`.
- `headscope ask -` reads one JSON object a line: `{"question": "attention", "run": {"model": "toy", "text": "ans"}, "layer": 0}`.
- In Python: `Engine().answer(Attention(run=RunPrompt(model="toy", text="ans"), layer=0))`.

A head is written `layer.head`, such as `1.3`; layers, heads and positions count from 0. Arrays are nested lists in JSON and read-only numpy arrays in Python; a number that is not finite is `null` in JSON. A shape names the axes from the first to the last.

What is read from the weights has the norms folded in. A token that a head reads is its row of W_E as the norm before the head leaves it (centred where that norm centres, and divided by its own size), without a position. W_U is centred over the vocabulary in every model with a norm, LayerNorm or RMSNorm: values in logits, and the eigenvalues of a full OV circuit, are those of the model less the mean over all tokens, which no softmax sees (where a model caps its logits, they are those before the cap). A model without norms, such as the toys, is read as it is. `folded` of [load-model](#load-model) says what was done to a model.

What a head gives is A (X W_V + b_V) W_O, with the pattern A and the streams X of the run: what is missing from the stream when the head is off. [head-output](#head-output), [logit-attribution](#logit-attribution), value-weighted [attention](#attention), the share of [virtual-head](#virtual-head), [workings](#workings) and [receipts](#receipts) all mean this; b_V is in it and b_O, which belongs to the layer, is not. Tables of tokens ([ov-tokens](#ov-tokens), [table](#table), [skip-trigrams](#skip-trigrams)) are what reading a token adds: there b_V, the same for every token, is left out.

`headscope figure QUESTION OPTIONS -o FILE.csv` writes an answer as rows. There a text that a spreadsheet would take for a formula, such as the token `=`, has one apostrophe in front (`'=`); a text that begins so by itself has one more, so that taking one off gives the text.
"""  # noqa: E501

WORDS = {
    str: "text",
    int: "integer",
    float: "number",
    bool: "yes or no",
    type(None): "none",
    messages.Head: "head",
}
ARRAYS = {
    "floating": "numbers",
    "integer": "integers",
    "bool": "true or false",
}


def type_words(hint: Any) -> str:
    """Return a type as a reader of the page would say it."""
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        return type_words(parts[0])
    if hint in WORDS:
        return WORDS[hint]
    if origin is typing.Literal:
        return ", ".join(f"`{part}`" for part in parts)
    if origin in (typing.Union, types.UnionType):
        return " or ".join(dict.fromkeys(type_words(part) for part in parts))
    if origin is Mapping:
        return "object"
    if origin is tuple:
        return f"list of {type_words(parts[0])}"
    if found := re.search(r"(floating|integer|bool)", repr(parts)):
        return f"array of {ARRAYS[found[1]]}"
    if hasattr(hint, "_fields"):
        return f"({', '.join(hint._fields)})"
    if is_dataclass(hint):
        (name,) = (name for name, kind in messages.QUESTIONS.items() if kind is hint)
        return f"[{name}](#{name})"
    raise TypeError(f"docs/make_answers.py has no words for {hint!r}")


def row(*cells: str) -> str:
    """Return a line of a table; a bar inside a cell stays a bar."""
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def options(question: str) -> dict[str, argparse.Action]:
    """Return the command-line options of a question by the field that they set."""
    return {action.dest: action for action in parser(question)._actions if action.dest != "help"}


def words(*actions: argparse.Action) -> str:
    """Return how options are written on the command line."""
    return ", ".join(f"`{word}`" for action in actions for word in action.option_strings)


def default(field: Field[Any]) -> str:
    """Return what a field is when it is not given."""
    if field.default is MISSING:
        return "required"
    if isinstance(field.default, bool):
        return "yes" if field.default else "no"
    return "none" if field.default is None else f"`{field.default}`"


def request_rows(question: str, kind: type) -> Iterator[str]:
    """Yield the table of a request's fields, and of options that are no field of it."""
    left = options(question)
    hints = typing.get_type_hints(kind, include_extras=True)
    own = [field for field in fields(kind) if field.name != "run"]
    taken = {field.name: [left.pop(field.name)] for field in own}
    for field in fields(kind):
        meaning = says(kind, field.name).text
        if field.name == "run":
            names = [inner.name for inner in fields(messages.RunPrompt) if inner.name in left]
            taken["run"] = [left.pop(name) for name in names]
            meaning = meaning or "the prompt and the model that runs it"
        flags = words(*taken[field.name])
        yield row(f"`{field.name}`", flags, type_words(hints[field.name]), default(field), meaning)
    for action in left.values():
        yield row("", words(action), "", "", action.help or "")


def result_rows(kind: type) -> Iterator[str]:
    """Yield the table of a result's fields."""
    hints = typing.get_type_hints(kind, include_extras=True)
    for field in fields(kind):
        said = says(kind, field.name)
        shape = f"[{', '.join(axes(said.shape))}]" if said.shape else ""
        yield row(f"`{field.name}`", type_words(hints[field.name]), shape, said.unit, said.text)
        if type_words(hints[field.name]) == "object":
            yield from measure_rows(field.name)


def measure_rows(field: str) -> Iterator[str]:
    """Yield a line for each measure of heads."""
    for name, said in messages.MEASURES.items():
        yield row(f"`{field}.{name}`", "array of numbers", f"[{said.shape}]", said.unit, said.text)


def axes(shape: str) -> list[str]:
    """Split a shape into its axes: `layer head`, `position - 1`."""
    return re.split(r"(?<![-+]) (?![-+])", shape)


def answers_to(kind: type) -> list[type]:
    """Return the results whose docstring says that they answer a request.

    Raises
    ------
    LookupError
        If there is none.
    """
    results = typing.get_args(messages.Result)
    answers = re.compile(rf"Answer to (\w+ and to )?{kind.__name__}\b")
    found = [r for r in results if answers.match(r.__doc__ or "")]
    if not found:
        raise LookupError(f"no result says in its docstring that it answers {kind.__name__}")
    return found


def first_line(kind: type) -> str:
    """Return the first sentence of a docstring."""
    return (kind.__doc__ or "").strip().splitlines()[0]


def page() -> str:
    """Return the whole page."""
    lines = [INTRODUCTION]
    for question, kind in messages.QUESTIONS.items():
        lines += [f"## {question}", "", f"`{kind.__name__}`: {first_line(kind)}", ""]
        if fields(kind):
            lines += [row("field", "option", "type", "default", "meaning"), "|---" * 5 + "|"]
            lines += [*request_rows(question, kind), ""]
        for result in answers_to(kind):
            lines += [f"`{result.__name__}`: {first_line(result)}", ""]
            lines += [row("field", "type", "shape", "unit", "meaning"), "|---" * 5 + "|"]
            lines += [*result_rows(result), ""]
    return "\n".join(lines).rstrip() + "\n"


def main() -> int:
    """Write the page, or with `--check` say whether it is up to date."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--check", action="store_true", help="write nothing; 1 when stale")
    made = page()
    if not arguments.parse_args().check:
        whole_file.write(PAGE, made.encode())
    elif not PAGE.exists() or PAGE.read_text(encoding="utf-8") != made:
        sys.stderr.write("docs/answers.md is out of date: run `make docs`\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
