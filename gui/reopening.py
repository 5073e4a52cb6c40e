"""From the question that a figure answers to the view of the window that shows it."""

from dataclasses import fields, replace
from typing import Any, NamedTuple

from engine.messages import (
    Attention,
    Composition,
    DestinationRow,
    Direction,
    DirectPath,
    Eigenvalues,
    Head,
    HeadOutput,
    HeadScores,
    LogitAttribution,
    LogitLens,
    OVTokens,
    Pair,
    PositionQK,
    QKOffsets,
    QKTokens,
    Receipts,
    Request,
    RunPrompt,
    SkipTrigrams,
    Spectrum,
    Table,
    Thumbnails,
    VirtualHead,
    Workings,
    model_of,
)
from gui.session import OVQuestion, QKQuestion, Selection

CARDS: dict[type, str] = {
    RunPrompt: "Prompt",
    Attention: "Attention",
    Thumbnails: "Heads",
    Spectrum: "Spectrum",
    Direction: "Spectrum",
    OVTokens: "OV",
    QKTokens: "QK",
    DirectPath: "Direct path",
    HeadOutput: "Attribution",
    LogitAttribution: "Attribution",
    VirtualHead: "Virtual head",
    Composition: "Composition",
    Eigenvalues: "Eigenvalues",
    DestinationRow: "Poster",
    LogitLens: "Lens",
    HeadScores: "Finder",
    QKOffsets: "Positions",
    PositionQK: "Positions",
    SkipTrigrams: "Skip-trigrams",
    Workings: "Workings",
    Receipts: "Receipts",
}
"""Title of the card that shows the answer to a question."""


class View(NamedTuple):
    """A question to be seen in the window.

    Parameters
    ----------
    request
        The question.
    head
        The head that its figure was cut to, if any.
    token
        Id of the token that it is about, where known.
    positions
        Tokens of its prompt, where known: for positions counted from the end.
    """

    request: Request
    head: Head | None = None
    token: int | None = None
    positions: int = 0


def card(request: Request) -> str:
    """Return the title of the card that a question is seen in."""
    if isinstance(request, Table):
        return request.circuit.upper()
    return CARDS.get(type(request), "Prompt")


def selection(view: View, before: Selection) -> Selection:
    """Return what is to be selected so that a question is seen.

    Parameters
    ----------
    view
        The question.
    before
        What is selected now: a question about no prompt leaves the text as it is.
    """
    request: Any = view.request
    run = request if isinstance(request, RunPrompt) else getattr(request, "run", None)
    chosen: dict[str, Any] = {"model": model_of(request) or before.model, "text": before.text}
    if run is not None:
        ours = {field.name for field in fields(Selection)}
        chosen |= {
            field.name: getattr(run, field.name) for field in fields(run) if field.name in ours
        }
    chosen |= {"heads_off": getattr(request, "heads_off", chosen.get("heads_off", ()))}
    head = view.head or getattr(request, "head", None)
    if head is None and isinstance(request, Attention):
        head = Head(request.layer, 0)
    if head is not None:
        chosen |= {"head": head, "head_chosen": True}
    return replace(Selection(), **chosen, **_pins(view, request))


def _pins(view: View, request: Any) -> dict[str, Any]:
    """Return what a question selects beside model, prompt and head."""
    position = _counted(getattr(request, "position", getattr(request, "query", None)), view)
    if isinstance(request, OVTokens):
        follows = request.source == "position"
        token = None if follows else _token(view, request)
        question = OVQuestion(token, request.direction, request.source)
        return {"ov": question, "source": position if follows else None}
    if isinstance(request, QKTokens):
        follows = request.source == "position"
        token = None if follows else _token(view, request)
        pin = "query" if request.side == "query" else "source"
        return {"qk": QKQuestion(token, request.side, request.source), pin: position}
    if isinstance(request, VirtualHead):
        return {"pair": Pair(request.earlier, request.later)}
    if isinstance(request, Attention):
        return {"kind": request.kind}
    if isinstance(request, Composition):
        return {"composition": request.kind}
    return {"query": position}


def _counted(position: int | None, view: View) -> int | None:
    if position is None or position >= 0:
        return position
    return position + view.positions if -position <= view.positions else None


def _token(view: View, request: OVTokens | QKTokens) -> int | None:
    return request.token if isinstance(request.token, int) else view.token
