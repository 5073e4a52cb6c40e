"""Questions that need no open model: the list of models, what one would take, and downloads."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil

from engine.bounded_file import check_regular
from engine.job import Job
from engine.messages import (
    DownloadModel,
    EstimateModel,
    FindDownload,
    ListModels,
    ModelEstimate,
    ModelList,
    Placing,
    Refused,
    Request,
    Result,
)
from engine.sources import bundled, entries, source_of
from engine.sources.checkpoint import BYTES, Checkpoint
from engine.sources.config import CONTEXT, HEADS, LAYERS, size
from engine.sources.download import download_model, find_download
from engine.sources.files import Folder

POSITIONS = 256
"""Tokens of a prompt of usual length."""

MOST_POSITIONS = 10_000_000
"""More than any model is said to read."""

COPIES = 3
"""Copies of an attention-only model's weights that there are for a moment as it is opened."""


def estimate_model(request: EstimateModel, job: Job, placing: Placing) -> ModelEstimate:
    """Look a model over without reading its weights.

    Attention-only models are held in single precision, whatever was chosen.
    """
    if request.positions is not None and request.positions < 1:
        raise Refused(f"positions must be at least 1, not {request.positions:,}")
    job.step(0, 1, f"looking {request.model} over")
    source, free = source_of(request.model), psutil.virtual_memory().available
    obstacle, itemsize = "", BYTES
    if own := _own_folder(request.model, source.called):
        config = own.json("config.json")
        file = own.path / bundled.FILES[-1]
        parameters = sum(math.prod(shape) for shape in own.header(file).values())
        disk, peak = check_regular(file), COPIES * BYTES * parameters
        layers, heads, context = (size(config, names) for names in (LAYERS, HEADS, CONTEXT))
    elif isinstance(found := source.load(request.model), Checkpoint):
        parameters = sum(tensor.size for tensor in found.tensors.values())
        disk, peak = 0, COPIES * BYTES * parameters
        layers, heads, context = (size(found.config, names) for names in (LAYERS, HEADS, CONTEXT))
    else:
        parameters, disk, peak = found.parameters, found.disk, found.peak_in(placing)
        itemsize = placing.itemsize
        layers, heads, context = found.layers, found.heads, found.context
        try:
            found.check_fits(free, placing)
        except Refused as refusal:
            obstacle = str(refusal)
    positions = _positions(request, context)
    return ModelEstimate(
        name=request.model,
        source=source.called,
        parameters=parameters,
        disk=disk,
        memory=itemsize * parameters,
        peak=peak,
        patterns=BYTES * layers * heads * positions**2,
        free=free,
        obstacle=obstacle,
        positions=positions,
        context=context,
    )


def _positions(request: EstimateModel, context: int) -> int:
    if request.positions is None:
        return min(POSITIONS, context or POSITIONS)
    most = context or MOST_POSITIONS
    if request.positions > most:
        reads = f"{request.model} reads" if context else "models read"
        raise Refused(f"positions must be at most {most:,}, which is what {reads}")
    return request.positions


def _own_folder(name: str, source: str) -> Folder | None:
    """Return the folder of a model in Headscope's own format, whose loading would read it."""
    if source == "bundled":
        return Folder(bundled.models_folder() / name, name)
    if source != "folder":
        return None
    path = Path(name).expanduser()
    folder = Folder(path, path.absolute().name)
    try:
        own = folder.json("config.json").get("model_type") == bundled.MODEL_TYPE
    except Refused:
        return None
    return folder if own and folder.has(bundled.FILES[-1]) else None


def list_models(request: ListModels, job: Job) -> ModelList:
    """List every model that can be opened by name."""
    return ModelList(entries())


def answer(request: Request, job: Job, placing: Placing) -> Result:
    """Answer a question of `WITHOUT_MODEL`."""
    if isinstance(request, EstimateModel):
        return estimate_model(request, job, placing)
    told: Result = WITHOUT_MODEL[type(request)](request, job)
    return told


# A function takes the one kind of request that it is listed under, which a type cannot say.
WITHOUT_MODEL: dict[type, Callable[..., Any]] = {
    ListModels: list_models,
    EstimateModel: estimate_model,
    FindDownload: find_download,
    DownloadModel: download_model,
}


class Beside:
    """Answers questions to the hub beside an Engine that computes: needs neither torch nor it."""

    def answer(self, request: Request, job: Job) -> Result:
        """Answer a question of `WITHOUT_MODEL`, as `answer` does."""
        return answer(request, job, Placing())

    def close(self) -> None:
        """Let go of nothing: a download ends with its question."""
