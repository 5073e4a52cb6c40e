"""Messages as JSON, made from their dataclasses: a request both ways, a result one way."""

import typing
from typing import Any

from engine.messages import QUESTIONS, Refused, Request, Result, Says, from_plain, to_plain

_NAMES = {kind: question for question, kind in QUESTIONS.items()}


def request_to_json(request: Request) -> dict[str, Any]:
    """Return a request as plain values: its question first, then its fields, heads as `0.3`."""
    return {"question": _NAMES[type(request)], **to_plain(request)}


def request_from_json(record: Any) -> Request:
    """Read what `request_to_json` wrote; fields with a default may be left out.

    Parameters
    ----------
    record : dict
        `question` and the fields of its dataclass.

    Raises
    ------
    Refused
        If it is not such a request; the sentence names the field.
    """
    if not isinstance(record, dict) or "question" not in record:
        raise Refused('a request is a JSON object with a "question", such as {"question": "…"}')
    question = record["question"]
    given = {name: value for name, value in record.items() if name != "question"}
    request: Request = from_plain(question_type(question), given, question)
    return request


def checked(request: Any) -> Request:
    """Return a request as JSON would hold it: each field of its type, words in lower case.

    Python takes anything for a field, and a misspelt word would be answered as another one.

    Raises
    ------
    Refused
        If it is no request, or a field is not of its type; the sentence names the field.
    """
    if type(request) not in _NAMES:
        raise Refused(
            f"an object of type {type(request).__name__} is no question: ask with one of "
            "engine.messages, such as RunPrompt"
        )
    return request_from_json(request_to_json(request))


def result_to_json(result: Result) -> dict[str, Any]:
    """Return a result as plain values: arrays as nested lists, non-finite numbers as null."""
    record: dict[str, Any] = to_plain(result)
    return record


def question_type(question: object) -> type[Request]:
    """Return the request of a question, whatever the case of its letters.

    Raises
    ------
    Refused
        If there is no such question.
    """
    if not isinstance(question, str) or question.lower() not in QUESTIONS:
        raise Refused(f"there is no question {question!r}: there are {', '.join(QUESTIONS)}")
    return QUESTIONS[question.lower()]


def says(owner: type, name: str) -> Says:
    """Return what a field of a message means; of several texts the outermost counts."""
    hint = typing.get_type_hints(owner, include_extras=True)[name]
    found = [part for part in getattr(hint, "__metadata__", ()) if isinstance(part, Says)]
    return found[-1] if found else Says("")
