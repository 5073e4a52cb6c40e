"""Where a figure came from, as text inside its file."""

import dataclasses
import json
from typing import Any

from engine.messages import QUESTIONS, Head, model_of

CREATOR = "Headscope"

_NAMES = {request: question for question, request in QUESTIONS.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, Head):
        return str(value)
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    if dataclasses.is_dataclass(value):
        return {
            field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)
        }
    return value


def question(request: Any) -> str:
    """Return a request as JSON in ASCII, as `ask -` takes it."""
    return json.dumps({"question": _NAMES[type(request)], **_plain(request)})


def metadata(request: Any, head: Head | None, suffix: str) -> dict[str, Any]:
    """Return what matplotlib writes into a file of this kind; never a date.

    Parameters
    ----------
    request
        The question.
    head
        The one head drawn, if not all.
    suffix
        .pdf, .svg or .png.
    """
    of = model_of(request) if head is None else f"{model_of(request)}, head {head}"
    title = f"{CREATOR}: {_NAMES[type(request)]} of {of}"
    asked = question(request)
    if suffix == ".pdf":
        return {
            "Title": title, "Subject": asked, "Creator": CREATOR, "CreationDate": None,
            "ModDate": None,
        }  # fmt: skip
    if suffix == ".svg":
        return {"Title": title, "Description": asked, "Creator": CREATOR, "Date": None}
    return {"Title": title, "Description": asked, "Software": CREATOR}
