"""Which question is answered first when several wait, and what the status bar calls it."""

from engine.messages import (
    Attention,
    Composition,
    DestinationRow,
    Direction,
    DirectPath,
    DownloadModel,
    Eigenvalues,
    EstimateModel,
    FindDownload,
    HeadOutput,
    HeadScores,
    ListModels,
    LoadModel,
    LogitAttribution,
    LogitLens,
    OVTokens,
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
    Vocabulary,
    Workings,
    model_of,
)

ORDER: dict[type, tuple[int, str]] = {
    ListModels: (0, "looking for models"),
    LoadModel: (0, "opening the model"),
    EstimateModel: (0, "what the model would take"),
    FindDownload: (0, "asking the Hugging Face hub"),
    RunPrompt: (1, "running the prompt"),
    Attention: (2, "attention of the open head"),
    Thumbnails: (3, "patterns of all heads"),
    OVTokens: (4, "what the head writes"),
    QKTokens: (4, "what the head looks for"),
    Direction: (4, "one singular direction"),
    Table: (4, "the whole table"),
    DirectPath: (4, "the direct path"),
    HeadOutput: (4, "what the head adds"),
    VirtualHead: (4, "two heads as one"),
    LogitAttribution: (4, "what each part gives to a logit"),
    Spectrum: (5, "singular values"),
    Eigenvalues: (5, "eigenvalues"),
    Workings: (5, "the workings of the open head"),
    Vocabulary: (6, "the vocabulary"),
    DestinationRow: (6, "where every head looks"),
    LogitLens: (6, "the guesses after each layer"),
    QKOffsets: (6, "scores against distance"),
    PositionQK: (6, "scores of positions"),
    HeadScores: (7, "scores of all heads"),
    Composition: (7, "composition of all pairs"),
    SkipTrigrams: (8, "skip-trigrams"),
    Receipts: (9, "the checks of the open head"),
    DownloadModel: (10, "downloading"),
}
"""What is answered first when several questions wait (the smaller number), and its name."""

INTERRUPTIBLE = 6
"""Questions from here on make way for any other and are asked again afterwards."""


def rank(request: Request) -> int:
    """Return how urgent a question is; the smallest comes first."""
    return ORDER[type(request)][0]


def words_for(request: Request) -> str:
    """Return what is done while a question is answered, in words."""
    return ORDER[type(request)][1]


def makes_way(running: Request, other: Request) -> bool:
    """Return whether what runs is stopped for another question, to be asked again after it.

    Another model than that of what runs is about to replace it, and so is not waited for.
    """
    if isinstance(other, LoadModel) and rank(running) > 0 and model_of(running) != other.model:
        return True
    return rank(running) >= INTERRUPTIBLE and rank(other) < rank(running)
