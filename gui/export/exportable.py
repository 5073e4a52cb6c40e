"""What a panel has to export: the questions whose answers are in view, as they are asked again."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from typing import Any, get_args, get_type_hints

from engine.messages import Attention, Head, Placing, Refused, model_of
from gui.client.background import sentence
from gui.panels.panel import Panel
from gui.session.model_opener import short_name
from gui.session.session import BoardState
from gui.state.difference import Difference
from gui.state.figure_board import Item
from gui.state.question import NAMES, Question, main_of

_LONGEST = 80


@dataclass(frozen=True)
class Exportable:
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
    request: Question
    head: Head | None = None
    placing: Placing = field(default_factory=Placing)


def exportables(panel: Panel) -> list[Exportable]:
    """Return what is in view in a panel, the most important first; none for none."""
    open_head = panel.session.selection.head
    return [
        Exportable(
            name,
            as_said(request),
            open_head if isinstance(main_of(request), Attention) else None,
            panel.client.placing,
        )
        for name, request in panel.shown().items()
    ]


def as_said(request: Question) -> Any:
    """Return a question with each token that is an id written as text, `#id`."""
    if isinstance(request, Difference):
        return replace(request, request=as_said(request.request), base=as_said(request.base))
    types = get_type_hints(type(request))
    given: dict[str, Any] = {}
    for one in fields(request):
        value = getattr(request, one.name)
        if type(value) is int and str in get_args(types[one.name]):
            given[one.name] = f"#{value}"
    return replace(request, **given) if given else request


def file_stem(subject: Exportable) -> str:
    """Return the name of a file for a subject, without suffix: model, head and question."""
    request: Any = main_of(subject.request)
    head = subject.head or getattr(request, "head", None)
    parts = [short_name(model_of(request)), head.name if head else "", NAMES[type(request)]]
    more = "difference" if isinstance(subject.request, Difference) else ""
    name = "-".join(part for part in (*parts, getattr(request, "circuit", ""), more) if part)
    return re.sub(r"[^\w.-]+", "-", name).strip("-.")[:_LONGEST] or "figure"


def add_to_board(exportable: Exportable, board: BoardState, tell: Callable[[str], object]) -> None:
    """Put one answer on the board, and tell in a sentence what was done."""
    try:
        letter = board.add(Item(exportable.request, exportable.head))
    except Refused as refused:
        tell(sentence(str(refused)))
    else:
        tell(f"{exportable.name} is figure {letter} of the board")
