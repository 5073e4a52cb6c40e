"""Messages as JSON, made from their dataclasses: a request both ways, a result one way."""

import json
import types
import typing
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from typing import Any

from engine.messages import QUESTIONS, Head, Refused, Request, Result, Says, to_plain

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
    request: Request = _message(question_type(question), given, question)
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
    plain: dict[str, Any] = to_plain(result)
    return plain


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


@cache
def field_types(kind: type) -> dict[str, Any]:
    """Return the type of each field of a message, without its `Annotated` text."""
    return typing.get_type_hints(kind)


def _message(kind: Any, given: dict[str, Any], where: str) -> Any:
    types_ = field_types(kind)
    for name in given:
        if name not in types_:
            raise Refused(f"{where} has no field {name!r}: it has {', '.join(types_)}")
    for field in fields(kind):
        if field.default is MISSING and field.name not in given:
            raise Refused(f"{where} needs the field {field.name!r}")
    return kind(**{name: _value(value, types_[name], name) for name, value in given.items()})


def _value(value: Any, type_: Any, name: str) -> Any:
    options = typing.get_args(type_)
    if typing.get_origin(type_) is typing.Literal:
        return choice(value, options, name)
    if typing.get_origin(type_) in (typing.Union, types.UnionType):
        if value is None and type(None) in options:
            return None
        if len(options) == 2 and type(None) in options:
            return _value(value, next(o for o in options if o is not type(None)), name)
        if type(value) in options:
            return value
    elif typing.get_origin(type_) is tuple and isinstance(value, list):
        return tuple(_value(part, options[0], name) for part in value)
    elif type_ is Head and isinstance(value, str):
        return Head.parse(value)
    elif is_dataclass(type_) and isinstance(value, dict):
        return _message(type_, value, name)
    elif type(value) is type_:
        return value
    raise Refused(
        f"the field {name!r} cannot be {json.dumps(value, default=repr)[:80]}: {_wanted(type_)}"
    )


def choice(value: Any, options: tuple[str, ...], name: str) -> str:
    """Return the option that a word means, whatever its case.

    Raises
    ------
    Refused
        If there is no such option; the sentence lists them.
    """
    for option in options:
        if isinstance(value, str) and value.lower() == option:
            return option
    listed = f"{', '.join(options[:-1])} or {options[-1]}"
    raise Refused(f"{name} is {listed}, not {value!r}")


def _wanted(type_: Any) -> str:
    if is_dataclass(type_):
        return f"it is an object with {', '.join(field.name for field in fields(type_))}"
    words = {
        int: "a whole number",
        str: "text",
        bool: "true or false",
        Head: 'a head such as "0.3"',
    }
    if typing.get_origin(type_) is tuple:
        return 'it is a list of heads such as ["0.3"]'
    options = [words[o] for o in typing.get_args(type_) or (type_,) if o in words]
    return "it is " + " or ".join(options)
