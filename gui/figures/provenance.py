"""What a figure was made from: as text inside its file, as its caption, and read back."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import metadata as packages
from pathlib import Path
from typing import Any

from engine.messages import (
    QUESTIONS,
    EstimateModel,
    Head,
    LoadModel,
    ModelFacts,
    Placing,
    Refused,
    Request,
    Run,
    RunPrompt,
    model_of,
    to_plain,
)
from gui.figures import options as figure_options
from gui.figures import stored
from gui.figures.heading import Token
from gui.figures.options import FigureOptions

CREATOR = "Headscope"
MOST_TOKENS = 64
"""Tokens that a caption names; the file itself names all."""

_NAMES = {request: question for question, request in QUESTIONS.items()}


@dataclass(frozen=True)
class Origin:
    """What a question alone does not tell: weights, tokens and versions.

    Parameters
    ----------
    weights
        Fingerprint of the model's weights, as `ModelFacts` has it; empty where unknown.
    tokens, ids
        The prompt's tokens as shown, and their ids; empty for a question about no prompt.
    versions
        Names of programs and their versions; and the precision that prompts were run in, and
        where, unless in float32 on the cpu.
    """

    weights: str = ""
    tokens: tuple[str, ...] = ()
    ids: tuple[int, ...] = ()
    versions: tuple[tuple[str, str], ...] = ()

    @property
    def precision(self) -> str:
        """How prompts were run, and where; empty where nothing is known of it."""
        usual = f"{Placing.dtype} on {Placing.device}"
        return dict(self.versions).get("precision", usual) if self.versions else ""


@dataclass(frozen=True)
class Made:
    """What a file was made from: `write` makes it again from this and the request's answer.

    Parameters
    ----------
    request
        The question as plain values, to be read by whoever may ask it.
    head
        The one head that was drawn, if not all.
    options
        How it was set.
    origin
        Weights, tokens and versions of that time.
    token
        Id of the token that the question is about, which may say it as text; none for no token.
    """

    request: dict[str, Any]
    head: Head | None
    options: FigureOptions
    origin: Origin
    token: int | None = None


def questions(request: Any) -> tuple[Request, ...]:
    """Return what is to be asked beside a question so that `origin` can tell where it is from."""
    if isinstance(request, EstimateModel):
        return ()  # it is about a model that is not to be opened yet
    name = model_of(request)
    run = request if isinstance(request, RunPrompt) else getattr(request, "run", None)
    asked: tuple[Request, ...] = (LoadModel(name),) if name else ()
    return asked if run is None else (*asked, run)


def origin(answers: Iterable[Any], version: str) -> Origin:
    """Return where an answer is from.

    Parameters
    ----------
    answers
        To `questions`.
    version
        Headscope's own.
    """
    weights, placed = "", list[tuple[str, str]]()
    tokens: tuple[str, ...] = ()
    ids: tuple[int, ...] = ()
    for answer in answers:
        if isinstance(answer, ModelFacts):
            weights = answer.weights
            if (answer.device, answer.dtype) != (Placing.device, Placing.dtype):
                placed = [("precision", f"{answer.dtype} on {answer.device}")]
        elif isinstance(answer, Run):
            tokens, ids = answer.labels, tuple(answer.ids.tolist())
    names = ("torch", "transformers")
    return Origin(
        weights, tokens, ids,
        (("headscope", version), *((name, packages.version(name)) for name in names), *placed),
    )  # fmt: skip


def question(request: Any) -> dict[str, Any]:
    """Return a request as plain values, its question first, as `ask -` takes it."""
    return {"question": _NAMES[type(request)], **to_plain(request)}


def about(result: Any, head: Head | None, options: FigureOptions, origin: Origin) -> dict[str, Any]:
    """Return all that a file says of itself beside its question, as plain values."""
    token = getattr(result, "token_id", None)
    return {
        "head": None if head is None else str(head),
        "options": figure_options.to_json(options),
        "weights": origin.weights,
        "tokens": list(origin.tokens),
        "ids": list(origin.ids),
        "token": None if token is None else int(token),
        "versions": dict(origin.versions),
    }


def record(
    request: Any, result: Any, head: Head | None, options: FigureOptions, origin: Origin
) -> str:
    """Return a question and all that belongs to it as JSON in ASCII."""
    return json.dumps({"request": question(request), **about(result, head, options, origin)})


def metadata(request: Any, head: Head | None, suffix: str, text: str) -> dict[str, Any]:
    """Return what matplotlib writes into a file of this kind; never a date.

    Parameters
    ----------
    request
        The question.
    head
        The one head drawn, if not all.
    suffix
        .pdf, .svg or .png.
    text
        From `record`.
    """
    of = model_of(request) if head is None else f"{model_of(request)}, head {head}"
    return named(f"{CREATOR}: {_NAMES[type(request)]} of {of}", suffix, text)


def named(title: str, suffix: str, text: str) -> dict[str, Any]:
    """Return the metadata of a file with a title and a record as text; never a date."""
    if suffix == ".pdf":
        return {
            "Title": title, "Subject": text, "Creator": CREATOR, "CreationDate": None,
            "ModDate": None,
        }  # fmt: skip
    if suffix == ".svg":
        return {"Title": title, "Description": text, "Creator": CREATOR, "Date": None}
    return {"Title": title, "Description": text, "Software": CREATOR}


def caption(request: Any, head: Head | None, origin: Origin) -> list[str | Token]:
    """Return the sentences under a figure: question, model, tokens with their ids, versions."""
    fields = question(request)
    run = fields.pop("run", None) or {}
    own = {name: value for name, value in fields.items() if name not in ("question", "text")}
    own = {"model": model_of(request), **own, **({} if head is None else {"head": str(head)})}
    own |= {name: run[name] for name in ("prepend_bos", "heads_off") if run.get(name)}
    said = ", ".join(f"{name} {_words(value)}" for name, value in own.items() if _told(value))
    parts: list[str | Token] = [f"{CREATOR}: {fields['question']} of {said}."]
    if origin.weights:
        parts.append(f"Weights {origin.weights}.")
    if len(origin.tokens) > MOST_TOKENS:
        parts.append(f"{len(origin.tokens):,} tokens, listed with their ids in the file.")
    elif origin.tokens:
        parts.append("Tokens and ids:")
        for place, (token, number) in enumerate(zip(origin.tokens, origin.ids, strict=True), 1):
            parts += [Token(token), f"{number}{'.' if place == len(origin.ids) else ','}"]
    if origin.versions:
        parts.append(", ".join(f"{name} {version}" for name, version in origin.versions) + ".")
    return parts


def _told(value: Any) -> bool:
    return value is not None and value != [] and value is not False


def _words(value: Any) -> str:
    if isinstance(value, list):
        return " ".join(map(str, value))
    return "yes" if value is True else str(value)


def origin_of(found: Mapping[str, Any]) -> Origin:
    """Return where an answer was from, as `about` has it; may raise TypeError or ValueError."""
    tokens, ids, versions = (found.get(name, ()) for name in ("tokens", "ids", "versions"))
    return Origin(
        str(found.get("weights", "")),
        tuple(map(str, tokens)),
        tuple(map(int, ids)),
        tuple((str(name), str(version)) for name, version in dict(versions).items()),
    )


def read(path: Path) -> Made:
    """Return what a figure or a data file was made from.

    Parameters
    ----------
    path
        A PDF, SVG, PNG, JSON or NPZ that `write` wrote; what `ask` printed is read as well.

    Raises
    ------
    Refused
        If it is of another kind, holds no question, or options that there are not.
    OSError
        If it cannot be read.
    """
    found = stored.record(Path(path))
    if "board" in found:
        raise Refused(f"{Path(path).name} is a board of several figures")
    head, kept = found.get("head"), found.get("options", {})
    try:
        was = origin_of(found)
        chosen = None if head is None else Head.parse(str(head))
        token = None if found.get("token") is None else int(found["token"])
        return Made(found["request"], chosen, figure_options.from_json(kept), was, token)
    except (TypeError, ValueError) as error:
        raise Refused(f"{Path(path).name} is damaged: {error}") from None
    except Refused as refused:
        raise Refused(f"{Path(path).name}: {refused}") from None
