"""What heads do on repeated random tokens, and where a word ranks after a prompt."""

from __future__ import annotations

from pathlib import Path

import torch
import torch.nn.functional as F
from tokenizers import Tokenizer
from torch import Tensor

from resources.training.model import Model

TEA_PROMPT = "I like green tea, so I drink green"


def repeated(model: Model, rows: int, length: int, seed: int) -> Tensor:
    """Return BOS, `length` random tokens and the same again, [row, 2 * length + 1]."""
    chance = torch.Generator().manual_seed(seed)
    block = torch.randint(1, model.config.d_vocab, (rows, length), generator=chance)
    return torch.cat([torch.zeros(rows, 1, dtype=torch.long), block, block], 1)


@torch.no_grad()
def head_scores(model: Model, rows: int = 32, length: int = 64, seed: int = 1) -> dict[str, list]:
    """Score every head on repeated random tokens.

    Parameters
    ----------
    model : Model
        Model to score.
    rows, length, seed : int
        Sequences, random tokens in each copy, and their seed.

    Returns
    -------
    dict
        `induction`, `previous` and `first`, each [layer][head], and the losses of both copies.
    """
    ids, patterns = repeated(model, rows, length, seed), []
    logits = F.linear(model.stream(ids, patterns), model.U, model.b_U)
    losses = F.cross_entropy(logits[:, :-1].transpose(1, 2), ids[:, 1:], reduction="none")
    found: dict[str, list] = {"induction": [], "previous": [], "first": []}
    for pattern in patterns:  # [row, head, query, key]
        later = pattern[:, :, length + 1 :, :]
        found["induction"].append(later.diagonal(2, -2, -1)[..., :length].mean((0, 2)).tolist())
        found["previous"].append(pattern.diagonal(-1, -2, -1).mean((0, 2)).tolist())
        found["first"].append(pattern[:, :, 1:, 0].mean((0, 2)).tolist())
    found["first_copy_loss"] = [float(losses[:, :length].mean())]
    found["second_copy_loss"] = [float(losses[:, length + 1 :].mean())]
    return found


@torch.no_grad()
def next_tokens(model: Model, tokenizer: Tokenizer, prompt: str) -> Tensor:
    """Return the log-probabilities [d_vocab] after BOS and the prompt."""
    ids = torch.tensor([[0, *tokenizer.encode(prompt).ids]])
    return model.logits(ids)[0, -1].log_softmax(-1)


def rank(model: Model, tokenizer: Tokenizer, prompt: str, word: str) -> int:
    """Return the rank of a word as next token, 1 + the number of likelier ones."""
    after = next_tokens(model, tokenizer, prompt)
    return 1 + int((after > after[tokenizer.token_to_id(_piece(tokenizer, word))]).sum())


def _piece(tokenizer: Tokenizer, word: str) -> str:
    (piece,) = tokenizer.encode(word).tokens
    return piece


def read_tokenizer(folder: Path) -> Tokenizer:
    """Read tokenizer.json of a folder."""
    return Tokenizer.from_file(str(folder / "tokenizer.json"))
