"""What is computed: one idea a file, each a pure function (model, request, job) -> result."""

from collections.abc import Callable
from typing import Any

from engine.circuits.attention import attention
from engine.circuits.direction import direction
from engine.circuits.head_grid import head_grid
from engine.circuits.load_model import load_model
from engine.circuits.ov_tokens import ov_tokens
from engine.circuits.qk_tokens import qk_tokens
from engine.circuits.run_prompt import run_prompt
from engine.circuits.spectrum import spectrum
from engine.circuits.table import table
from engine.circuits.thumbnails import thumbnails
from engine.circuits.vocabulary import vocabulary
from engine.messages import (
    Attention,
    Direction,
    HeadGrid,
    LoadModel,
    OVTokens,
    QKTokens,
    RunPrompt,
    Spectrum,
    Table,
    Thumbnails,
    Vocabulary,
)

# A function takes the one kind of request that it is listed under, which a type cannot say.
COMPUTATIONS: dict[type, Callable[..., Any]] = {
    LoadModel: load_model,
    Vocabulary: vocabulary,
    RunPrompt: run_prompt,
    Attention: attention,
    Thumbnails: thumbnails,
    OVTokens: ov_tokens,
    QKTokens: qk_tokens,
    Spectrum: spectrum,
    Direction: direction,
    Table: table,
    HeadGrid: head_grid,
}
