"""Every question Headscope can be asked, and every answer it gives.

Requests are frozen, hashable dataclasses of plain values: the same object is message, cache key,
staleness ticket, command line and figure caption. Results are frozen dataclasses of read-only
numpy arrays and plain values. Nothing in here computes, and importing it imports no torch.
"""

import re
import typing

from engine.messages.circuits import (
    SMALL_VOCABULARY,
    ComplexValues,
    Direction,
    DirectPath,
    Eigenvalues,
    Group,
    OVDirection,
    OVTokens,
    QKDirection,
    QKTokens,
    ScoreRanking,
    SingularValues,
    SkipTrigrams,
    Spectrum,
    Table,
    TokenRanking,
    TokenTable,
    TrigramList,
)
from engine.messages.inspection import (
    PARTS,
    HeadReceipts,
    HeadWorkings,
    Measured,
    Part,
    Receipt,
    Receipts,
    Step,
    Workings,
)
from engine.messages.models import (
    CUT,
    PATH,
    Downloaded,
    DownloadModel,
    DownloadPlan,
    EstimateModel,
    FindDownload,
    ListModels,
    LoadModel,
    ModelEntry,
    ModelEstimate,
    ModelFacts,
    ModelList,
    Vocabulary,
    VocabularyTokens,
    published,
    without_folders,
)
from engine.messages.paths import (
    Composition,
    CompositionScores,
    HeadOutput,
    LogitAttribution,
    LogitParts,
    OutputRanking,
    Pair,
    VirtualHead,
    VirtualHeadParts,
)
from engine.messages.plain import from_plain, pack, to_plain, unpack
from engine.messages.positions import (
    USUAL_OFFSETS,
    OffsetScores,
    PositionQK,
    PositionScores,
    QKOffsets,
)
from engine.messages.printing import in_bytes, printable
from engine.messages.prompts import (
    Attention,
    DestinationRow,
    HeadRows,
    HeadsOff,
    LayerGuesses,
    LogitLens,
    Patterns,
    Run,
    RunPrompt,
    ThumbnailPatterns,
    Thumbnails,
    model_of,
)
from engine.messages.scores import (
    MEASURES,
    PATTERN_MEASURES,
    WEIGHT_MEASURES,
    HeadScores,
    MeasuredHeads,
    Measures,
)
from engine.messages.terms import (
    BoolArray,
    Circuit,
    CircuitName,
    CompositionKind,
    Contrast,
    Device,
    Dtype,
    FloatArray,
    Head,
    HeadName,
    IntArray,
    Kind,
    ModelName,
    Offset,
    Placing,
    Position,
    Refused,
    Says,
    Side,
    Source,
    Specials,
    Split,
    Target,
    Token,
    TopK,
    Way,
    WayName,
)

Request = (
    ListModels
    | EstimateModel
    | FindDownload
    | DownloadModel
    | LoadModel
    | Vocabulary
    | RunPrompt
    | Attention
    | Thumbnails
    | OVTokens
    | QKTokens
    | Spectrum
    | Direction
    | Table
    | DirectPath
    | HeadOutput
    | LogitAttribution
    | VirtualHead
    | Composition
    | Eigenvalues
    | DestinationRow
    | LogitLens
    | HeadScores
    | SkipTrigrams
    | QKOffsets
    | PositionQK
    | Workings
    | Receipts
)
Result = (
    ModelList
    | ModelEstimate
    | DownloadPlan
    | Downloaded
    | ModelFacts
    | VocabularyTokens
    | Run
    | Patterns
    | ThumbnailPatterns
    | TokenRanking
    | ScoreRanking
    | SingularValues
    | OVDirection
    | QKDirection
    | TokenTable
    | OutputRanking
    | LogitParts
    | VirtualHeadParts
    | CompositionScores
    | ComplexValues
    | HeadRows
    | LayerGuesses
    | MeasuredHeads
    | TrigramList
    | OffsetScores
    | PositionScores
    | HeadWorkings
    | HeadReceipts
)


def _asked_as(request: type) -> str:
    """Return the name of a question, its class in kebab case: OVTokens is asked as ov-tokens."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "-", request.__name__).lower()


QUESTIONS: dict[str, type[Request]] = {_asked_as(kind): kind for kind in typing.get_args(Request)}
"""Every request by the name that the command line, JSON and files know it by."""

__all__ = [
    "CUT",
    "MEASURES",
    "PARTS",
    "PATH",
    "PATTERN_MEASURES",
    "QUESTIONS",
    "SMALL_VOCABULARY",
    "USUAL_OFFSETS",
    "WEIGHT_MEASURES",
    "Attention",
    "BoolArray",
    "Circuit",
    "CircuitName",
    "ComplexValues",
    "Composition",
    "CompositionKind",
    "CompositionScores",
    "Contrast",
    "DestinationRow",
    "Device",
    "DirectPath",
    "Direction",
    "DownloadModel",
    "DownloadPlan",
    "Downloaded",
    "Dtype",
    "Eigenvalues",
    "EstimateModel",
    "FindDownload",
    "FloatArray",
    "Group",
    "Head",
    "HeadName",
    "HeadOutput",
    "HeadReceipts",
    "HeadRows",
    "HeadScores",
    "HeadWorkings",
    "HeadsOff",
    "IntArray",
    "Kind",
    "LayerGuesses",
    "ListModels",
    "LoadModel",
    "LogitAttribution",
    "LogitLens",
    "LogitParts",
    "Measured",
    "MeasuredHeads",
    "Measures",
    "ModelEntry",
    "ModelEstimate",
    "ModelFacts",
    "ModelList",
    "ModelName",
    "OVDirection",
    "OVTokens",
    "Offset",
    "OffsetScores",
    "OutputRanking",
    "Pair",
    "Part",
    "Patterns",
    "Placing",
    "Position",
    "PositionQK",
    "PositionScores",
    "QKDirection",
    "QKOffsets",
    "QKTokens",
    "Receipt",
    "Receipts",
    "Refused",
    "Request",
    "Result",
    "Run",
    "RunPrompt",
    "Says",
    "ScoreRanking",
    "Side",
    "SingularValues",
    "SkipTrigrams",
    "Source",
    "Specials",
    "Spectrum",
    "Split",
    "Step",
    "Table",
    "Target",
    "ThumbnailPatterns",
    "Thumbnails",
    "Token",
    "TokenRanking",
    "TokenTable",
    "TopK",
    "TrigramList",
    "VirtualHead",
    "VirtualHeadParts",
    "Vocabulary",
    "VocabularyTokens",
    "Way",
    "WayName",
    "Workings",
    "from_plain",
    "in_bytes",
    "model_of",
    "pack",
    "printable",
    "published",
    "to_plain",
    "unpack",
    "without_folders",
]
