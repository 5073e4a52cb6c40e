"""Headscope's composition root: the window, and every command.

Each branch imports what it needs and no more: the window paints before torch is imported, and
`ask` and `figure` never import Qt.
"""

import contextlib
import os
import sys
import traceback
import warnings
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

try:
    from engine import __version__
    from engine.cli import console
    from engine.cli.command import QuestionParser, add_placing, read
    from engine.messages import QUESTIONS, Refused, printable
    from gui.state.preferences import Preferences
    from gui.state.session_file import SUFFIX
except KeyboardInterrupt:  # numpy alone takes a tenth of a second
    os._exit(130)

USAGE = f"""\
usage: headscope [--model NAME|PATH]       open the window; a model folder and a GGUF file are
                                          opened by their path, here and in every question
       headscope FILE                     open the window with a model folder, a GGUF file, a saved
                                          session, a figure or a text, as if it was dropped there
       headscope --screenshot FILE.png    picture the default session, with a display or without
                 [--session FILE] [--model NAME|PATH] [--size 1600x1000] [--scale 1|2|3|4]
                 [--theme light|dark]
       headscope ask QUESTION OPTIONS     print {{"request": …, "result": …}} as JSON
       headscope ask -                    answer one JSON request a line of standard input
       headscope figure QUESTION OPTIONS -o FILE.pdf|svg|png|csv|xlsx|json|npz
       headscope figure FILE -o FILE      draw again what a written figure shows, or the board of
                                          a session
       headscope open FILE                the same, for a FILE that is a session or a figure
       headscope report --model NAME --text TEXT [--head L.H|BEST] [--json]
                                          print what a head is made of, in seven sections
       headscope models                   list what can be opened
       headscope download NAME            fetch a model from the Hugging Face hub, such as gpt2;
                                          the one command that makes a connection
       headscope --check-system           name what Qt misses on this computer, if anything
       headscope --version

questions: {", ".join(QUESTIONS)}
`headscope ask QUESTION --help` says what a question takes; --verbose shows what libraries print.
--device cpu|cuda|mps and --dtype float32|bfloat16|float16 say where the window, ask, figure and
report run models; attention-only models always run in float32 on the cpu, where toys are exact.
"""

COMMANDS = ("ask", "figure", "open", "models")
"""Commands that this says enough of; the others have a help of their own."""


def program() -> NoReturn:
    """Run the command line of this process, and end it at once.

    Python's own farewell to torch and Qt takes seconds, in which a closed window would linger.
    """
    # A closed stream, or one of a program without a terminal, is None; what is said goes nowhere.
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            nowhere = os.open(os.devnull, os.O_RDWR)
            setattr(sys, name, os.fdopen(nowhere, mode, encoding="utf-8"))
    status = 130
    with contextlib.suppress(KeyboardInterrupt):
        status = main()
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
    os._exit(status)


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command line and return its exit status.

    Parameters
    ----------
    argv : sequence of str, optional
        Words after the program's name; those of the process by default.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    # Libraries are not to try the network; a download has a process of its own.
    os.environ["HF_HUB_OFFLINE"] = "1"
    try:
        status = _dispatch(words)
        sys.stdout.flush()
    except Refused as refusal:
        console.tell(str(refusal))
        return 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader of a pipe has left; closing standard output again must not complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        # Files are named; only the process's own streams are not.
        where = "standard output" if error.filename is None else error.filename
        console.tell(f"{where}: {error.strerror or error}")
        return 2
    except SystemExit:  # of argparse, after a help
        raise
    except BaseException as error:  # a panic of a library is no Exception
        if "--verbose" in words:
            sys.stderr.write(printable(traceback.format_exc(), keep="\n"))
        what = " ".join(f"{type(error).__name__}: {error}".split())
        console.tell(f"this should not happen, and --verbose shows more: {what}")
        return 1
    return status


def _dispatch(words: list[str]) -> int:
    command, rest = words[0].lower() if words else "", words[1:]
    helps = ("-h", "--help", "help")
    if command in helps or (command in COMMANDS and rest and rest[0] in helps[:2]):
        return console.say(USAGE)
    if command in ("--check-system", "--version", "models") and rest:
        raise Refused(f"{command} takes no words: leave {rest[0]!r} out")
    if command == "--version":
        return console.say(f"headscope {__version__}\n")
    if command == "--check-system":
        return _check_system()
    if command == "models":
        return _models()
    commands = {
        "ask": console.ask,
        "figure": _figure,
        "open": _open,
        "download": _download,
        "report": _report,
    }
    if command in commands:
        return commands[command](rest)
    return _given(words) if command and not command.startswith("-") else _window(words)


def _given(words: list[str]) -> int:
    """Open the window on a file or folder, as if it was dropped there."""
    from gui.state import file_kinds

    name, *options = words
    path = Path(name)
    kind = file_kinds.kind_of(path)
    if kind == "session":
        return _open(words)
    if not os.path.exists(path):
        if kind is None and path.name == name:
            raise Refused(
                f"there is no command {name!r}: there are ask, figure, open, report, models and "
                f"download; --model {name} opens a model by its name"
            )
        raise Refused(f"there is no folder or file {name!r}")
    if kind == "model":
        return _window(["--model", name, *options])
    if kind == "text":
        try:
            text = file_kinds.read_text(path)
        except Refused as refusal:
            raise Refused(f"{path.name}: {refusal}") from None
        return _window(options, text=text)
    if kind is None:
        raise Refused(f"{name!r} is none of what the window takes: {file_kinds.TAKES}")
    return _open(words)


def _check_system() -> int:
    from gui.platform.system import can_have_x11, missing_library

    missing = missing_library(x11=can_have_x11())
    sys.stderr.write(f"{missing}\n" if missing else "")
    return 1 if missing else 0


def _models() -> int:
    from engine.sources import HOW_TO_OPEN, entries

    listed = entries()
    width = max(len(entry.name) for entry in listed)
    lines = [f"{printable(f'{entry.name:{width}}  {entry.about}')}\n" for entry in listed]
    return console.say("".join(lines) + HOW_TO_OPEN)


def _download(words: list[str]) -> int:
    from engine.sources import download

    return console.say(download.fetch(words))


def _report(words: list[str]) -> int:
    with console.quiet("--verbose" in words):
        from engine.cli import report
    asked = report.parse(words)
    with console.quiet(asked.verbose):
        text = report.report(asked)
    return console.say(text)


def _figure(words: list[str]) -> int:
    with console.quiet("--verbose" in words):
        from gui import figures
        from gui.figures import board_file, command
        from gui.state.question import answer, with_models
    made = None
    if words and command.is_file(words[0]):
        path = Path(words[0])
        if board_file.is_board(path):
            return _figure_board(words)
        made = figures.read(path)
        given = _read_options(words, command.add_options)
        request = with_models(made.question(), command.finder(path, given))
    else:
        options = console.question_parser(words, "figure")
        command.add_difference(options, words[0])
        command.add_options(options)
        asked, given = read(options, words[0], words[1:])
        if "heads" in given:
            raise Refused("a figure shows one head: name it with --head instead of --heads all")
        request = command.asked(asked, given)
    command.check(words[0], request, given)
    questions = command.questions(request, given)
    answers = dict(zip(questions, console.answers(questions, given), strict=True))
    result = answer(request, answers.__getitem__)
    origin = command.origin(request, given, answers, __version__)
    changed = [] if made is None else command.changes(made.origin, origin)
    write = partial(command.write, request, result, given, origin, made)
    return _write_figure(changed, write, given)


def _figure_board(words: list[str]) -> int:
    from gui.figures import board as boards
    from gui.figures import board_file, command

    made = board_file.read(Path(words[0]))
    given = _read_options(words, command.add_options)
    found = made.board.with_models(command.finder(Path(words[0]), given))
    board = command.board(words[0], found, given)
    asked = boards.questions(board)
    answers = dict(zip(asked, console.answers(asked, given), strict=True))
    drawn = boards.drawn(board, answers, __version__)
    changed = [
        f"figure {name}: {sentence}"
        for name, before, now in zip(board.names, made.origins, drawn, strict=False)
        for sentence in command.changes(before, now.origin)
    ]
    return _write_figure(changed, partial(boards.write, board, drawn, given.output), given)


def _write_figure(changed: Iterable[str], write: Callable[[], tuple[str, ...]], given: Any) -> int:
    """Say what has changed since a figure was written, write it, and say what it lacks."""
    from gui.figures import command

    for sentence in changed:
        console.tell(sentence)
    with console.quiet(given.verbose):
        messages = write()
    for sentence in command.lacking(messages, given):
        console.tell(sentence)
    return 0


def _read_options(words: list[str], add_options: Callable[[QuestionParser], None]) -> Any:
    """Parse what follows a file that is drawn again."""
    options = QuestionParser(prog="headscope figure FILE", allow_abbrev=False, add_help=True)
    options.add_argument("--verbose", action="store_true", default=False)
    options.add_argument(
        "--model",
        metavar="PATH",
        help="where a model lies that had been opened by its path: files hold its name only",
    )
    add_placing(options)
    add_options(options)
    given, unknown = options.read_known(words[1:])
    if unknown:
        raise Refused(
            f"figure {words[0]} has no option {unknown[0]!r}: the file holds its question, and "
            "`headscope figure FILE --help` lists what can be set"
        )
    return given


def _open(words: list[str]) -> int:
    if not words or words[0].startswith("-"):
        raise Refused("open needs a FILE that headscope wrote, such as a figure's PDF")
    from gui import figures
    from gui.figures import board_file

    path = Path(words[0])
    if words[0].lower().endswith(SUFFIX):
        return _window(["--session", *words])
    if board_file.is_board(path):
        return _window(words[1:], board=board_file.read(path).board, source=path)
    made = figures.read(path)
    return _window(words[1:], made=made, source=path)


def _window(
    words: list[str],
    made: Any = None,
    board: Any = None,
    source: Path | None = None,
    text: str | None = None,
) -> int:
    from gui.command_line import add_options
    from gui.platform.system import has_display, has_x11, missing_library, spare

    options = QuestionParser(prog="headscope", allow_abbrev=False, add_help=False)
    add_options(options)
    add_placing(options)
    given, unknown = options.read_known(words)
    if unknown and not unknown[0].startswith("-"):
        raise Refused(f"headscope opens one file or folder at a time: leave {unknown[0]!r} out")
    if unknown:
        raise Refused(f"headscope has no option {unknown[0]!r}: `headscope --help` lists them")
    if missing := missing_library(x11=has_x11()):
        raise Refused(missing)
    screenshot = given.screenshot
    if screenshot is None and not has_display():
        screenshot = Path("headscope.png")
        console.say(f"no display found: rendering the default session to {screenshot}\n")
        sys.stdout.flush()
    if screenshot is not None:
        os.environ["QT_QPA_PLATFORM"] = "offscreen"

    spare()
    from gui import app
    from gui.state import question_table

    return app.run(
        _make_engine,
        model=given.model,
        session_path=given.session,
        screenshot=screenshot,
        size=given.size,
        scale=given.scale,
        theme=given.theme,
        shown=None if made is None else question_table.view(made),
        board=board,
        source=source,
        text=text,
        make_beside=_make_beside,
        device=given.device,
        dtype=given.dtype,
        version=__version__,
    )


def _make_engine(preferred: Preferences) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from engine import Engine

        return Engine(preferred.cache_bytes, preferred.placing, preferred.threads)


def _make_beside() -> Any:
    from engine.sources.questions import Beside

    return Beside()


if __name__ == "__main__":
    program()
