"""What is answered without an open model: which there are, what they take, and downloads."""

from collections.abc import Callable
from typing import Any

from engine.job import Job
from engine.messages import (
    DownloadModel,
    EstimateModel,
    FindDownload,
    ListModels,
    ModelList,
    Placing,
    Request,
    Result,
)
from engine.sources import entries
from engine.sources.download import download_model, find_download
from engine.sources.estimate import estimate_model


def list_models(request: ListModels, job: Job) -> ModelList:
    """List every model that can be opened by name."""
    return ModelList(entries())


def answer(request: Request, job: Job, placing: Placing) -> Result:
    """Answer a question of `WITHOUT_MODEL`.

    Parameters
    ----------
    request : Request
        The question.
    job : Job
        Takes progress, and can cancel.
    placing : Placing
        How models would be held.

    Raises
    ------
    Refused
        If it cannot be answered.
    """
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
