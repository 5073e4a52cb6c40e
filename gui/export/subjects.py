"""What a panel has to export: the questions whose answers are in view, as they are asked again."""

import re
from dataclasses import dataclass, field, fields, replace
from typing import Any, get_args, get_type_hints

from engine.messages import QUESTIONS, Attention, Head, Placing, Request, RunPrompt, model_of
from gui.opening import short_name
from gui.panels.panel import Panel

_NAMES = {kind: question for question, kind in QUESTIONS.items()}
_LONGEST = 80


@dataclass(frozen=True)
class Subject:
    """A question whose answer can be exported.

    Parameters
    ----------
    name
        What it is called in a menu.
    request
        The question; a token in it that is known by its id is written `#id`, as a command line
        has it, so that window, command and Python write the same bytes.
    head
        For attention, the one head that is drawn.
    placing
        Where the model runs.
    """

    name: str
    request: Request
    head: Head | None = None
    placing: Placing = field(default_factory=Placing)


def subjects(panel: Panel) -> list[Subject]:
    """Return what is in view in a panel, the most important first; none for none."""
    open_head = panel.session.selection.head
    return [
        Subject(
            name,
            as_said(request),
            open_head if isinstance(request, Attention) else None,
            panel.client.placing,
        )
        for name, request in panel.shown().items()
    ]


def as_said(request: Request) -> Request:
    """Return a question with each token that is an id written as text, `#id`."""
    types = get_type_hints(type(request))
    given: dict[str, Any] = {}
    for one in fields(request):
        value = getattr(request, one.name)
        if type(value) is int and str in get_args(types[one.name]):
            given[one.name] = f"#{value}"
    return replace(request, **given) if given else request


def file_stem(subject: Subject) -> str:
    """Return the name of a file for a subject, without suffix: model, head and question."""
    request: Any = subject.request
    head = subject.head or getattr(request, "head", None)
    parts = [short_name(model_of(request)), head.name if head else "", _NAMES[type(request)]]
    circuit = getattr(request, "circuit", "")
    name = "-".join(part for part in (*parts, circuit) if part)
    return re.sub(r"[^\w.-]+", "-", name).strip("-.")[:_LONGEST] or "figure"


def run_of(request: Any) -> RunPrompt | None:
    """Return the run that a question is about, if any."""
    return request if isinstance(request, RunPrompt) else getattr(request, "run", None)
