"""A figure as the command line and as the Python that make it again."""

import shlex
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from typing import Any

from engine.messages import Head, Placing, Refused
from gui.export.exportable import Exportable
from gui.state.difference import Difference
from gui.state.figure_options import ROWS, FigureOptions
from gui.state.question import NAMES, main_of, run_of

_PYTHON = """\
import json
from pathlib import Path

from engine import Engine, __version__
from engine.messages import {names}
from gui import figures{imports}

request = {request}
engine = Engine({engine})
result = {answer}
print(json.dumps(to_plain(result)))

origin = figures.origin(map(engine.answer, figures.questions(request{rows})), __version__)
options = figures.FigureOptions({options})
figures.write(request, result, Path({path}), options, head={head}, origin=origin)
"""


def as_command(subject: Exportable, options: list[str], path: Path) -> str:
    """Return the line for a shell that writes a subject to a file.

    Parameters
    ----------
    subject
        What is written.
    options
        How it is set, from `gui.figures.command.words`.
    path
        Where to.

    Raises
    ------
    Refused
        If the prompt holds what no command line can.
    """
    own = _question(subject)
    words = [
        "headscope",
        "figure",
        NAMES[type(main_of(subject.request))],
        *own,
        *options,
        "-o",
        str(path),
    ]
    line = shlex.join(words)
    if "\0" in line or not _encodes(line):
        raise Refused(
            "the prompt holds a character that no command line can hold: copy as Python instead"
        )
    return line


def as_python(subject: Exportable, options: FigureOptions, path: Path) -> str:
    """Return a program that prints a subject's numbers and writes its figure."""
    names: set[str] = {"to_plain"}
    request = _call(subject.request, names)
    head = _call(subject.head, names)
    given = _call(options, set()).removeprefix("FigureOptions(").removesuffix(")")
    imports, answer = "", "engine.answer(request)"
    if isinstance(subject.request, Difference):
        names.remove("Difference")
        request = f"difference.{request}"
        imports = "\nfrom gui.state import difference, question"
        answer = "question.answer(request, engine.answer)"
    engine = ""
    if subject.placing != Placing():
        engine = f"placing={_call(subject.placing, names)}"
    listed = ", ".join(sorted(names, key=lambda name: (name.islower(), name)))
    return _PYTHON.format(
        names=listed, imports=imports, request=request, engine=engine, answer=answer,
        options=given, path=_text(str(path)), head=head,
        rows=", rows=True" if path.suffix.lower() in ROWS else "",
    )  # fmt: skip


def _question(subject: Exportable) -> list[str]:
    """Return the words that ask for a subject; what a question leaves out is as usual."""
    request: Any = subject.request
    compared: dict[str, str | None] = {}
    if isinstance(request, Difference):
        compared = _against(request)
        request = request.base if request.prompts else request.request
    run = run_of(request)
    said: dict[str, str | None] = {}
    if run is not None and run is not request:
        # The command line makes the run from options of the question itself.
        said = _words(run, leave_out=("k",))
    said |= _words(request, leave_out=("run",)) | compared
    if subject.head is not None:
        del said["--layer"]
        said["--head"] = str(subject.head)
    found: list[str] = []
    for flag, value in said.items():
        if value is None:
            found.append(flag)
        elif flag == "-k":
            found += [flag, value]
        else:
            found.append(f"{flag}={value}")
    # Beside the question, as it is no part of it.
    return [*found, *(f"{flag}={value}" for flag, value in _words(subject.placing).items())]


def _against(asked: Difference) -> dict[str, str | None]:
    """Return the words that make a difference of a question."""
    if not asked.prompts:
        return {"--difference": None}
    here, there = (getattr(one, "position", None) for one in (asked.request, asked.base))
    moved = {} if here == there else {"--other-position": str(here)}
    return {"--other-text": asked.request.run.text, **moved}


def _words(message: Any, leave_out: tuple[str, ...] = ()) -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    for field in fields(message):
        value = getattr(message, field.name)
        if field.name in leave_out or value is None or value == field.default:
            continue
        flag = "-k" if field.name == "k" else "--" + field.name.replace("_", "-")
        if field.name == "prepend_bos":
            found["--bos" if value else "--no-bos"] = None
        elif value is True:
            found[flag] = None
        elif isinstance(value, tuple) and not isinstance(value, Head):
            found[flag] = ",".join(map(str, value))
        else:
            found[flag] = str(value)
    return found


def _call(value: Any, names: set[str]) -> str:
    """Return an expression for a value, its usual fields left out; take the names it needs."""
    if isinstance(value, Head):
        names.add("Head")
        return f"Head({value.layer}, {value.number})"
    if is_dataclass(value):
        names.add(type(value).__name__)
        given = [
            f"{field.name}={_call(getattr(value, field.name), names)}"
            for field in fields(value)
            if field.default is MISSING or getattr(value, field.name) != field.default
        ]
        return f"{type(value).__name__}({', '.join(given)})"
    if isinstance(value, tuple):
        parts = [_call(part, names) for part in value]
        return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"
    return _text(value) if isinstance(value, str) else repr(value)


def _text(text: str) -> str:
    """Return a literal that survives a clipboard: characters it may change are escaped."""
    return repr(text) if _encodes(text) else ascii(text)


def _encodes(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
