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
)
from engine.sources import entries
from engine.sources.download import download_model, find_download
from engine.sources.estimate import estimate_model


def list_models(request: ListModels, job: Job) -> ModelList:
    """List every model that can be opened by name."""
    return ModelList(entries())


# A function takes the one kind of request that it is listed under, which a type cannot say.
WITHOUT_MODEL: dict[type, Callable[..., Any]] = {
    ListModels: list_models,
    EstimateModel: estimate_model,
    FindDownload: find_download,
    DownloadModel: download_model,
}
