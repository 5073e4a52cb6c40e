"""The kinds of questions: how urgent each is, what is said meanwhile, and what shows the answer.

A question that a file holds is seen again in the window by `selection`.
"""

import os
from collections.abc import Iterable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, NamedTuple

from engine.messages import (
    CUT,
    PATH,
    Attention,
    Composition,
    DestinationRow,
    Direction,
    DirectPath,
    DownloadModel,
    Eigenvalues,
    EstimateModel,
    FindDownload,
    Head,
    HeadOutput,
    HeadScores,
    ListModels,
    LoadModel,
    LogitAttribution,
    LogitLens,
    OVTokens,
    Pair,
    PositionQK,
    QKOffsets,
    QKTokens,
    Receipts,
    Refused,
    Request,
    RunPrompt,
    SkipTrigrams,
    Spectrum,
    Table,
    Thumbnails,
    VirtualHead,
    Vocabulary,
    Workings,
    model_of,
    without_folders,
)
from gui.state.difference import Difference
from gui.state.question import Question, from_start, main_of, run_of
from gui.state.selection import OVQuestion, QKQuestion, Selection


class Row(NamedTuple):
    """What is known of a kind of question."""

    rank: int
    """The smallest is answered first when several wait."""
    status: str
    """What is done while it is answered."""
    card: str = ""
    """Title of the card that shows the answer, if one shows just that."""


TABLE: dict[type, Row] = {
    ListModels: Row(0, "looking for models"),
    LoadModel: Row(0, "opening the model"),
    EstimateModel: Row(0, "what the model would take"),
    FindDownload: Row(0, "asking the Hugging Face hub"),
    RunPrompt: Row(1, "running the prompt", "Prompt"),
    Attention: Row(2, "attention of the open head", "Attention"),
    Thumbnails: Row(3, "patterns of all heads", "Heads"),
    OVTokens: Row(4, "what the head writes", "OV"),
    QKTokens: Row(4, "what the head looks for", "QK"),
    Direction: Row(4, "one singular direction", "Spectrum"),
    Table: Row(4, "the whole table"),
    DirectPath: Row(4, "the direct path", "Direct path"),
    HeadOutput: Row(4, "what the head adds", "Attribution"),
    VirtualHead: Row(4, "two heads as one", "Virtual head"),
    LogitAttribution: Row(4, "what each part gives to a logit", "Attribution"),
    Spectrum: Row(5, "singular values", "Spectrum"),
    Eigenvalues: Row(5, "eigenvalues", "Eigenvalues"),
    Workings: Row(5, "the workings of the open head", "Workings"),
    Vocabulary: Row(6, "the vocabulary"),
    DestinationRow: Row(6, "where every head looks", "Poster"),
    LogitLens: Row(6, "the guesses after each layer", "Lens"),
    QKOffsets: Row(6, "scores against distance", "Positions"),
    PositionQK: Row(6, "scores of positions", "Positions"),
    HeadScores: Row(7, "scores of all heads", "Finder"),
    Composition: Row(7, "composition of all pairs", "Composition"),
    SkipTrigrams: Row(8, "skip-trigrams", "Skip-trigrams"),
    Receipts: Row(9, "the checks of the open head", "Receipts"),
    DownloadModel: Row(10, "downloading"),
}
"""Every kind of question."""

INTERRUPTIBLE = 6
"""Questions from here on make way for any other and are asked again afterwards."""


def rank(request: Request) -> int:
    """Return how urgent a question is; the smallest comes first."""
    return TABLE[type(request)].rank


def status_text(request: Request) -> str:
    """Return what is done while a question is answered."""
    return TABLE[type(request)].status


def makes_way(running: Request, other: Request) -> bool:
    """Return whether what runs is stopped for another question, to be asked again after it.

    Another model than that of what runs is about to replace it, and so is not waited for.
    """
    if isinstance(other, LoadModel) and rank(running) > 0 and model_of(running) != other.model:
        return True
    return rank(running) >= INTERRUPTIBLE and rank(other) < rank(running)


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
        Tokens of its prompt, of two prompts the left one, where known: for positions counted from
        the end.
    """

    request: Question
    head: Head | None = None
    token: int | None = None
    positions: int = 0


def located(model: str, known: Iterable[str], chosen: str | None = None) -> str:
    """Return the path of a model that a file names without its folders; any other as it is.

    Parameters
    ----------
    model
        The name in the file.
    known
        Paths of models, the likeliest first.
    chosen
        The path that the user says it has.

    Raises
    ------
    Refused
        If none of them is called so.
    """
    if not model.startswith(CUT):
        return model
    if chosen is not None:
        return chosen
    name = without_folders(model)
    for path in known:
        if PATH.match(path) and without_folders(path) == name and os.path.exists(path):
            return path
    raise Refused(
        f"the figure was made from {name}, a model that was opened by its path, and holds no more "
        "of it: open that model in the window first, or give its path by --model"
    )


def beside(file: Path, model: str) -> str:
    """Return where a model would be that lies beside the file that names it."""
    return str(file.absolute().parent / without_folders(model))


def view(made: Any) -> View:
    """Return what a file was made from, as `gui.figures.read` tells it.

    Raises
    ------
    Refused
        If there is no such question.
    """
    tokens = made.origin.base_tokens or made.origin.tokens
    return View(made.question(), made.head, made.token, len(tokens))


def card(question: Question) -> str:
    """Return the title of the card that a question is seen in."""
    request = main_of(question)
    if isinstance(request, Table):
        return request.circuit.upper()
    return TABLE[type(request)].card or "Prompt"


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
    if isinstance(request, Difference):
        return _compared(view, request, before)
    run = run_of(request)
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


def _compared(view: View, of: Difference, before: Selection) -> Selection:
    """Return what is to be selected so that a difference is seen; pins are of the left prompt."""
    shown = selection(view._replace(request=of.base if of.prompts else of.request), before)
    if of.prompts:
        return replace(shown, other_text=of.request.run.text, compare="difference")
    return replace(shown, difference=True)


def _pins(view: View, request: Any) -> dict[str, Any]:
    """Return what a question selects beside model, prompt and head."""
    asked_at = getattr(request, "position", getattr(request, "query", None))
    position = from_start(asked_at, view.positions)
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


def _token(view: View, request: OVTokens | QKTokens) -> int | None:
    return request.token if isinstance(request.token, int) else view.token
