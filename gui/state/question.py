"""What can be asked, a difference of two questions included: its answer, and as plain values."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from engine.messages import QUESTIONS, Refused, Request, Result, RunPrompt, from_plain, to_plain
from gui.state.difference import Difference, subtract

Question = Request | Difference
Answers = Mapping[Request, Result]
"""What the engine has answered, by what it was asked."""

NAMES: dict[type, str] = {kind: question for question, kind in QUESTIONS.items()}
"""What each question is called on a command line."""


def main_of(question: Question) -> Request:
    """Return a question itself, or of a difference the one that is drawn."""
    return question.request if isinstance(question, Difference) else question


def run_of(question: Any) -> RunPrompt | None:
    """Return the run that a question is about, if any."""
    return question if isinstance(question, RunPrompt) else getattr(question, "run", None)


def runs_of(question: Question) -> tuple[RunPrompt, ...]:
    """Return the runs whose tokens a question is about: none, one, or of a difference two."""
    if isinstance(question, Difference):
        return question.runs
    run = run_of(question)
    return () if run is None else (run,)


def asked(question: Question) -> tuple[Request, ...]:
    """Return what is to be asked of the engine, the question itself first."""
    return question.asked if isinstance(question, Difference) else (question,)


def answer(question: Question, ask: Callable[[Request], Any]) -> Any:
    """Return the answer to a question.

    Parameters
    ----------
    question
        The question.
    ask
        Answers each of `asked`.

    Raises
    ------
    Refused
        If two answers cannot be set against each other; and what `ask` raises.
    """
    if not isinstance(question, Difference):
        return ask(question)
    runs = tuple(ask(run) for run in question.runs)
    return subtract(question, ask(question.request), ask(question.base), runs)


def from_start(position: int | None, tokens: int) -> int | None:
    """Return a position counted from the beginning; none where that is not known.

    Parameters
    ----------
    position
        Negative where it is counted from the end.
    tokens
        Of its prompt; 0 where they are not known.
    """
    if position is None or position >= 0:
        return position
    return position + tokens if -position <= tokens else None


def with_models(question: Question, change: Callable[[str], str]) -> Any:
    """Return a question about other models: each name as `change` returns it."""
    if isinstance(question, Difference):
        sides: Any = (with_models(one, change) for one in (question.request, question.base))
        return Difference(*sides)
    asked: Any = question
    changed: dict[str, Any] = {}
    if getattr(asked, "model", ""):
        changed["model"] = change(asked.model)
    if getattr(asked, "run", None) is not None:
        changed["run"] = with_models(asked.run, change)
    return replace(asked, **changed) if changed else asked


def to_json(question: Question) -> dict[str, Any]:
    """Return a question as plain values: `request`, as `ask -` takes it; of a difference `base`."""
    found = {"request": _plain(main_of(question))}
    if isinstance(question, Difference):
        found["base"] = _plain(question.base)
    return found


def from_json(record: Mapping[str, Any]) -> Question:
    """Read what `to_json` made, from among other fields.

    Raises
    ------
    Refused
        If it is no question; the sentence says what is wrong.
    """
    request: Any = _request(record.get("request"))
    if record.get("base") is None:
        question: Question = request
        return question
    base: Any = _request(record["base"])
    return Difference(request, base)


def _plain(request: Request) -> dict[str, Any]:
    return {"question": NAMES[type(request)], **to_plain(request)}


def _request(record: Any) -> Request:
    if not isinstance(record, Mapping):
        raise Refused(f"a request is a JSON object, not {str(record)[:80]!r}")
    given = dict(record)
    name = given.pop("question", None)
    if not isinstance(name, str) or name.lower() not in QUESTIONS:
        raise Refused(f"there is no question {name!r}: it may be of a newer Headscope")
    request: Request = from_plain(QUESTIONS[name.lower()], given, name)
    return request
