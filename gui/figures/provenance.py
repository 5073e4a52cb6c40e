"""What a figure was made from: as text inside its file, as its caption, and read back."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from importlib import metadata as packages
from pathlib import Path
from typing import Any, cast

from engine.messages import (
    Attention,
    EstimateModel,
    Head,
    LoadModel,
    ModelFacts,
    Placing,
    Refused,
    Request,
    Run,
    Vocabulary,
    VocabularyTokens,
    model_of,
    published,
    without_folders,
)
from gui.charts.chart import Token
from gui.figures import stored
from gui.state import figure_options
from gui.state import question as asking
from gui.state.difference import Difference
from gui.state.figure_options import FigureOptions
from gui.state.question import NAMES, Question, main_of, runs_of

CREATOR = "Headscope"
MOST_TOKENS = 64
"""Tokens that a caption names; the file itself names all."""
_STAND_INS = str.maketrans(" \n\t", "·↵⇥")
"""How the engine's labels show what leaves no ink."""


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
    base_tokens, base_ids
        Those of the left one of two prompts that are compared; empty for one prompt.
    vocabulary
        All tokens of the model, where it was asked for; no file keeps it.
    """

    weights: str = ""
    tokens: tuple[str, ...] = ()
    ids: tuple[int, ...] = ()
    versions: tuple[tuple[str, str], ...] = ()
    base_tokens: tuple[str, ...] = ()
    base_ids: tuple[int, ...] = ()
    vocabulary: VocabularyTokens | None = field(default=None, compare=False, repr=False)

    @property
    def unusual(self) -> str:
        """How prompts were run, and where; empty for float32 on the cpu, or where it is unknown."""
        return dict(self.versions).get("precision", "")

    @property
    def precision(self) -> str:
        """How prompts were run, and where; empty where nothing is known of it."""
        return (self.unusual or str(Placing())) if self.versions else ""


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
    base
        Of a difference, the question that was taken off, as plain values.
    """

    request: dict[str, Any]
    head: Head | None
    options: FigureOptions
    origin: Origin
    token: int | None = None
    base: dict[str, Any] | None = None

    def question(self) -> Question:
        """Return what was asked, refused where there is no such question."""
        return asking.from_json({"request": self.request, "base": self.base})


def questions(request: Question, *, rows: bool = False) -> tuple[Request, ...]:
    """Return what is to be asked beside a question so that `origin` can tell where it is from.

    Parameters
    ----------
    request
        The question.
    rows
        Whether its rows are wanted, which tell each token's text and id.
    """
    if isinstance(request, EstimateModel):
        return ()  # it is about a model that is not to be opened yet
    name = model_of(request)
    model: tuple[Request, ...] = (LoadModel(name),) if name else ()
    tokens: tuple[Request, ...] = (Vocabulary(name),) if name and rows else ()
    return (*model, *tokens, *runs_of(request))


def all_questions(request: Question, *, rows: bool = False) -> tuple[Request, ...]:
    """Return what a question asks itself and what is asked beside it, each once."""
    return tuple(dict.fromkeys((*asking.asked(request), *questions(request, rows=rows))))


def origin(answers: Iterable[Any], version: str) -> Origin:
    """Return where an answer is from.

    Parameters
    ----------
    answers
        To `questions`.
    version
        Headscope's own.
    """
    weights, placed, runs = "", list[tuple[str, str]](), list[Run]()
    vocabulary = None
    for answer in answers:
        if isinstance(answer, ModelFacts):
            weights = answer.weights
            if answer.precision != str(Placing()):
                placed = [("precision", answer.precision)]
        elif isinstance(answer, VocabularyTokens):
            vocabulary = answer
        elif isinstance(answer, Run):
            runs.append(answer)
    names = ("torch", "transformers")
    versions = ("headscope", version), *((name, packages.version(name)) for name in names)
    found = Origin(weights, versions=(*versions, *placed), vocabulary=vocabulary)
    for run in runs[:1]:
        found = replace(found, tokens=run.labels, ids=tuple(run.ids.tolist()))
    for run in runs[1:]:
        found = replace(found, base_tokens=run.labels, base_ids=tuple(run.ids.tolist()))
    return found


def about(result: Any, head: Head | None, options: FigureOptions, origin: Origin) -> dict[str, Any]:
    """Return all that a file says of itself beside its question, as plain values."""
    token = getattr(result, "token_id", None)
    base = {"base_tokens": list(origin.base_tokens), "base_ids": list(origin.base_ids)}
    return {
        "head": None if head is None else str(head),
        "options": figure_options.to_json(options),
        "weights": origin.weights,
        "tokens": list(origin.tokens),
        "ids": list(origin.ids),
        **(base if origin.base_ids else {}),
        "token": None if token is None else int(token),
        "versions": dict(origin.versions),
    }


def record(
    request: Question, result: Any, head: Head | None, options: FigureOptions, origin: Origin
) -> str:
    """Return a question and all that belongs to it as JSON in ASCII."""
    asked = asking.to_json(asking.with_models(request, published))
    return json.dumps({**asked, **about(result, head, options, origin)})


def metadata(request: Question, head: Head | None, suffix: str, text: str) -> dict[str, Any]:
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
    name = without_folders(model_of(request))
    of = name if head is None else f"{name}, head {head}"
    of = f"{of}, {request.words}" if isinstance(request, Difference) else of
    return named(f"{CREATOR}: {NAMES[type(main_of(request))]} of {of}", suffix, text)


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


def caption(request: Question, head: Head | None, origin: Origin) -> list[str | Token]:
    """Return the sentences under a figure: question, model, tokens with their ids, versions."""
    fields = asking.to_json(request)["request"]
    run = fields.pop("run", None) or {}
    own = {name: value for name, value in fields.items() if name not in ("question", "text")}
    own = {"model": model_of(request), **own, **({} if head is None else {"head": str(head)})}
    own["model"] = without_folders(own["model"])
    own |= {name: run[name] for name in ("prepend_bos", "heads_off") if run.get(name)}
    if isinstance(request, Difference) and not isinstance(request.request, Attention):
        here, there = request.request.position, cast(Any, request.base).position
        own["position"] = here if here == there else f"{there} | {here}"
    said = ", ".join(f"{name} {_words(value)}" for name, value in own.items() if _told(value))
    less = f", {request.words}" if isinstance(request, Difference) else ""
    parts: list[str | Token] = [f"{CREATOR}: {fields['question']} of {said}{less}."]
    if origin.weights:
        parts.append(f"Weights {origin.weights}.")
    if origin.base_ids:
        parts += _listed("Left: ", origin.base_tokens, origin.base_ids)
        parts += _listed("Right: ", origin.tokens, origin.ids)
    else:
        parts += _listed("", origin.tokens, origin.ids)
    if origin.versions:
        parts.append(", ".join(f"{name} {version}" for name, version in origin.versions) + ".")
    return parts


def _listed(side: str, tokens: tuple[str, ...], ids: tuple[int, ...]) -> list[str | Token]:
    """Return a prompt's tokens with their ids, or how many there are where those are too many."""
    if len(tokens) > MOST_TOKENS:
        return [f"{side}{len(tokens):,} tokens, listed with their ids in the file."]
    parts: list[str | Token] = [f"{side}tokens and ids:" if side else "Tokens and ids:"]
    for place, (token, number) in enumerate(zip(tokens, ids, strict=True), 1):
        parts += [Token(token), f"{number}{'.' if place == len(ids) else ','}"]
    return parts if tokens else []


def _told(value: Any) -> bool:
    return value is not None and value != [] and value is not False


def _words(value: Any) -> str:
    if isinstance(value, list):
        return " ".join(map(str, value))
    # Set as words, the space that a token begins with would be lost.
    return "yes" if value is True else str(value).translate(_STAND_INS)


def origin_of(found: Mapping[str, Any]) -> Origin:
    """Return where an answer was from, as `about` has it; may raise TypeError or ValueError."""
    tokens, base_tokens = (tuple(map(str, found.get(f"{of}tokens", ()))) for of in ("", "base_"))
    ids, base_ids = (tuple(map(int, found.get(f"{of}ids", ()))) for of in ("", "base_"))
    named = dict(found.get("versions", ())).items()
    versions = tuple((str(name), str(version)) for name, version in named)
    return Origin(str(found.get("weights", "")), tokens, ids, versions, base_tokens, base_ids)


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
        set_so = figure_options.from_json(kept)
        return Made(found["request"], chosen, set_so, was, token, found.get("base"))
    except (TypeError, ValueError) as error:
        raise Refused(f"{Path(path).name} is damaged: {error}") from None
    except Refused as refused:
        raise Refused(f"{Path(path).name}: {refused}") from None
