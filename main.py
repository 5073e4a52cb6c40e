"""Headscope's composition root: the window, and `ask`, `figure`, `report` and `models`.

Each branch imports what it needs and no more: the window paints before torch is imported, and
`ask` and `figure` never import Qt.
"""

import contextlib
import json
import logging
import os
import re
import sys
import traceback
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn

from engine.command import QuestionParser, parser, read
from engine.messages import QUESTIONS, Head, Patterns, Refused, Request, Result
from engine.records import request_from_json, request_to_json, result_to_json

USAGE = f"""\
usage: headscope                          open the window
       headscope --screenshot FILE.png    picture the default session, with a display or without
                 [--size 1600x1000] [--scale 1|2|3|4] [--theme light|dark]
       headscope ask QUESTION OPTIONS     print {{"request": …, "result": …}} as JSON
       headscope ask -                    answer one JSON request a line of standard input
       headscope figure QUESTION OPTIONS -o FILE.pdf|svg|png|csv
       headscope report --model NAME --text TEXT [--head L.H|BEST]
                                          print what a head is made of, in seven sections
       headscope models                   list what can be opened
       headscope --check-system           name what Qt misses on this computer, if anything

questions: {", ".join(QUESTIONS)}
`headscope ask QUESTION --help` says what a question takes; --verbose shows what libraries print.
"""


LARGEST_SIDE = 8000


def program() -> NoReturn:
    """Run the command line of this process, and end it at once.

    Python's own farewell to torch and Qt takes seconds, in which a closed window would linger.
    """
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
    # No command needs the network, and libraries are not to try it.
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    try:
        status = _dispatch(words)
        sys.stdout.flush()
    except Refused as refusal:
        sys.stderr.write(f"headscope: {refusal}\n")
        return 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader of a pipe has left; closing standard output again must not complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        sys.stderr.write(f"headscope: {error.filename}: {error.strerror}\n")
        return 2
    except Exception as error:
        if "--verbose" in words:
            traceback.print_exc()
        what = " ".join(f"{type(error).__name__}: {error}".split())
        sys.stderr.write(f"headscope: this should not happen, and --verbose shows more: {what}\n")
        return 1
    return status


def _dispatch(words: list[str]) -> int:
    command = words[0].lower() if words else ""
    if command in ("-h", "--help", "help"):
        return _say(USAGE)
    if command == "--check-system":
        return _check_system()
    if command == "ask":
        return _ask(words[1:])
    if command == "figure":
        return _figure(words[1:])
    if command == "models":
        return _models()
    if command == "report":
        return _report(words[1:])
    if command and not command.startswith("-"):
        raise Refused(f"there is no command {words[0]!r}: there are ask, figure, report and models")
    return _window(words)


def _say(text: str) -> int:
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))
    return 0


def _check_system() -> int:
    from gui.system import missing_library

    missing = missing_library()
    sys.stderr.write(f"{missing}\n" if missing else "")
    return 1 if missing else 0


def _models() -> int:
    from engine.sources import entries

    listed = entries()
    width = max(len(entry.name) for entry in listed)
    return _say("".join(f"{entry.name:{width}}  {entry.about}\n" for entry in listed))


def _report(words: list[str]) -> int:
    with quiet("--verbose" in words):
        from engine import report
    asked = report.parse(words)
    with quiet(asked.verbose):
        text = report.report(asked)
    return _say(text)


def _ask(words: list[str]) -> int:
    if words[:1] == ["-"]:
        return _ask_lines(verbose="--verbose" in words)
    options = _options(words, "ask")
    if options is None:
        return _say(USAGE)
    request, given = read(options, words[0], words[1:])
    result = _answer(request, given)
    return _say(_json({"request": request_to_json(request), "result": result_to_json(result)}))


def _ask_lines(verbose: bool) -> int:
    with quiet(verbose):
        from engine import Engine

        engine = Engine()
    for line in filter(str.strip, sys.stdin):
        record: dict[str, Any] = {"request": line.strip()}
        try:
            record["request"] = json.loads(line, parse_constant=_no_constant)
            request = request_from_json(record["request"])
            record["request"] = request_to_json(request)
            with quiet(verbose):
                record["result"] = result_to_json(engine.answer(request))
        except json.JSONDecodeError as error:
            record["error"] = f"this line is not JSON: {error}"
        except Refused as refusal:
            record["error"] = str(refusal)
        except Exception as error:
            # One question must not end the conversation.
            record["error"] = f"this should not happen: {type(error).__name__}: {error}"
        try:
            _say(_json(record))
        except ValueError:  # a number such as 1e400 is read as infinity
            _say(_json(record | {"request": line.strip()}))
        sys.stdout.flush()
    return 0


def _no_constant(name: str) -> float:
    raise Refused(f"{name} is not JSON: write a number")


def _figure(words: list[str]) -> int:
    options = _options(words, "figure")
    if options is None:
        return _say(USAGE)
    options.add_argument("-o", "--output", type=Path, metavar="FILE", help="pdf, svg, png or csv")
    options.add_argument("--width", type=_length, default=3.25, help="inches (default 3.25)")
    options.add_argument("--font-size", type=_length, default=7.0, help="points (default 7)")
    request, given = read(options, words[0], words[1:])
    if "output" not in given:
        raise Refused(f"figure {words[0]} needs -o FILE ending in .pdf, .svg, .png or .csv")
    result = _answer(request, given)
    with quiet(given.verbose):
        from gui import figures

        told = figures.write(
            request,
            result,
            given.output,
            head=given.head if "head" in given and isinstance(result, Patterns) else None,
            width=given.width,
            font_size=given.font_size,
        )
    if given.verbose:
        sys.stderr.writelines(f"{sentence}\n" for sentence in told)
    return 0


def _options(words: list[str], command: str) -> QuestionParser | None:
    if not words:
        raise Refused(f"{command} needs a question: {', '.join(QUESTIONS)}")
    if words[0] in ("-h", "--help"):
        return None
    options = parser(words[0], f"headscope {command}")
    options.add_argument(
        "--verbose", action="store_true", default=False, help="show what libraries print"
    )
    return options


def _answer(request: Request, given: Any) -> Result:
    with quiet(given.verbose):
        from engine import Engine

        result = Engine().answer(request)
    head: Head | None = getattr(given, "head", None)
    if head and isinstance(result, Patterns) and head.number >= len(result.values):
        raise Refused(f"layer {head.layer} has heads 0 to {len(result.values) - 1}, not {head}")
    return result


def _json(record: dict[str, Any]) -> str:
    # Escapes of JSON's own where the terminal could not show a character.
    encoding = (sys.stdout.encoding or "utf-8").lower().replace("-", "")
    return json.dumps(record, ensure_ascii=encoding != "utf8", allow_nan=False) + "\n"


@contextlib.contextmanager
def quiet(verbose: bool = False) -> Iterator[None]:
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


def _window(words: list[str]) -> int:
    from gui.system import has_display, missing_library

    options = QuestionParser(prog="headscope", allow_abbrev=False, add_help=False)
    options.add_argument("--screenshot", type=Path)
    options.add_argument("--size", type=_size, default=(1600, 1000))
    options.add_argument("--scale", type=_scale, default=1)
    options.add_argument("--theme", type=_theme)
    given, unknown = options.parse_known_args(words)
    if unknown:
        raise Refused(f"headscope has no option {unknown[0]!r}: `headscope --help` lists them")
    if missing := missing_library():
        raise Refused(missing)
    screenshot = given.screenshot
    if screenshot is None and not has_display():
        screenshot = Path("headscope.png")
        _say(f"no display found: rendering the default session to {screenshot}\n")
        sys.stdout.flush()
    if screenshot is not None:
        if screenshot.suffix.lower() != ".png":
            raise Refused(f"a screenshot is a PNG: end {str(screenshot)!r} in .png")
        if not screenshot.absolute().parent.is_dir():
            raise Refused(f"there is no folder {str(screenshot.parent)!r} to save a screenshot in")
        os.environ["QT_QPA_PLATFORM"] = "offscreen"

    from gui import app

    return app.run(
        _make_engine, screenshot=screenshot, size=given.size, scale=given.scale, theme=given.theme
    )


def _make_engine() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from engine import Engine

        return Engine()


def _length(text: str) -> float:
    try:
        length = float(text)
    except ValueError:
        length = 0.0
    if not 1 <= length <= 100:
        raise Refused(f"a width or font size is a number from 1 to 100, not {text!r}")
    return length


def _size(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"(\d{3,5})x(\d{3,5})", text.lower())
    if not found:
        raise Refused(f"--size is width x height in pixels such as 1600x1000, not {text!r}")
    width, height = int(found[1]), int(found[2])
    if max(width, height) > LARGEST_SIDE:
        raise Refused(f"--size is at most {LARGEST_SIDE} pixels wide and high, not {text}")
    return width, height


def _scale(text: str) -> int:
    if text not in ("1", "2", "3", "4"):
        raise Refused(f"--scale is 1, 2, 3 or 4, not {text!r}")
    return int(text)


def _theme(text: str) -> str:
    if text.lower() not in ("light", "dark"):
        raise Refused(f"--theme is light or dark, not {text!r}")
    return text.lower()


if __name__ == "__main__":
    program()
