"""Measure an exported model against its floors and write what was found as JSON."""

from __future__ import annotations

import argparse
import json
import logging
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from tokenizers import Tokenizer
from torch import Tensor

from resources.training import batches, bigram, corpus, scores
from resources.training.model import Model, load

LOG = logging.getLogger(__name__)
ROWS_PER_SOURCE = 40
ORDINARY = slice(1000, 3000)
OV_WORDS = (" tea", " green", " coffee", " cat", " London", " Paris", " dog", " king")
QK_WORDS = (" green", " drink", " London", " cat", "return")
KIN = {
    " tea": "teas coffee drink cup beverage infusion leaves herb",
    " green": "greenish leaves red blue yellow brown color colour",
    " coffee": "tea drink beverage bean beans cup cocoa sugar",
    " cat": "cats kitten kittens feline dog wildcat animal fur",
    " London": "england english british britain city capital thames",
    " Paris": "france french city capital seine",
    " dog": "dogs hound puppy cat canine terrier breed",
    " king": "kings queen prince throne royal kingdom",
}


def rows_of(texts: list[np.ndarray], length: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return rows of every source, BOS first, weights that restore the shares, and the sources.

    Parameters
    ----------
    texts : list of ndarray
        Ids of every source.
    length : int
        Tokens in a row after BOS.
    """
    rows, weights, owners = [], [], []
    for owner, (source, text) in enumerate(zip(corpus.SOURCES, texts, strict=True)):
        starts = np.arange(0, len(text) - length, length)
        stride = max(1, len(starts) // ROWS_PER_SOURCE)
        chosen = starts[::stride][:ROWS_PER_SOURCE]
        for start in chosen:
            rows.append(np.concatenate([[0], text[start : start + length].astype(np.int64)]))
            weights.append(source.share / len(chosen))
            owners.append(owner)
    return np.stack(rows), np.array(weights), np.array(owners)


@torch.no_grad()
def model_losses(model: Model, ids: np.ndarray) -> np.ndarray:
    """Return the loss of every token of rows that start with BOS."""
    out = []
    for part in torch.from_numpy(ids).split(4):
        logits = model.logits(part[:, :-1])
        out.append(F.cross_entropy(logits.transpose(1, 2), part[:, 1:], reduction="none"))
    return torch.cat(out).numpy()


def losses(model: Model, work: Path) -> dict[str, object]:
    """Return training, held-out and bigram losses, weighted by the sources' shares."""
    train, held_out = batches.read_tokens(work, "train"), batches.read_tokens(work, "heldout")
    length = model.config.n_ctx - 1
    ids, weights, owners = rows_of(held_out, length)
    by_row = model_losses(model, ids).mean(1)
    base = bigram.losses(bigram.fit(train, model.config.d_vocab), ids, weights).mean(1)
    seen, seen_weights, _ = rows_of(train, length)
    return {
        "held_out": float(by_row @ weights),
        "bigram": float(base @ weights),
        "training": float(model_losses(model, seen).mean(1) @ seen_weights),
        "held_out_tokens": int(ids[:, 1:].size),
        "by_source": {
            source.name: {
                "held_out": float(by_row[owners == owner].mean()),
                "bigram": float(base[owners == owner].mean()),
            }
            for owner, source in enumerate(corpus.SOURCES)
        },
    }


def circuits(model: Model, layer: int, head: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return one head's W_Q, W_K, W_V [d_model, d_head] and W_O [d_head, d_model]."""
    named = model.tensors()
    q, k, v, o = (named[f"blocks.{layer}.attn.W_{x}"][head] for x in "QKVO")
    return q, k, v, o


@torch.no_grad()
def copying_share(model: Model, layer: int, head: int) -> float:
    """Return the share of ordinary tokens whose strongest OV output is the token itself."""
    _, _, w_v, w_o = circuits(model, layer, head)
    out = model.norm(model.W_E[ORDINARY]) @ w_v @ w_o @ model.U.T
    return float((out.argmax(1) == torch.arange(ORDINARY.start, ORDINARY.stop)).float().mean())


@torch.no_grad()
def ov_column(model: Model, head: int, token: int, k: int = 6) -> list[int]:
    """Return the outputs that a layer-0 head raises most for a source token."""
    _, _, w_v, w_o = circuits(model, 0, head)
    return (model.norm(model.W_E[token]) @ w_v @ w_o @ model.U.T).topk(k).indices.tolist()


@torch.no_grad()
def qk_row(model: Model, head: int, token: int, k: int = 6) -> list[tuple[int, float]]:
    """Return the keys that score highest for a query token, with their scores."""
    w_q, w_k, _, _ = circuits(model, 0, head)
    query = model.norm(model.W_E[token]) @ w_q
    top = (model.norm(model.W_E) @ (w_k @ query) * model.config.d_head**-0.5).topk(k)
    return list(zip(top.indices.tolist(), top.values.tolist(), strict=True))


def shows(word: str, pieces: list[str]) -> str:
    """Return how the pieces show a word: `itself` (or another form of it), `kin` or nothing."""
    bare = word.strip().lower()
    plain = [piece.strip().lower() for piece in pieces]
    if any(p == bare or p in {bare + "s", bare + "'s", bare + "ish"} for p in plain):
        return "itself"
    return "kin" if set(plain) & set(KIN[word].split()) else ""


def columns(model: Model, tokenizer: Tokenizer) -> dict[str, object]:
    """Return the OV columns and QK rows of the layer-0 head that shows most of the words."""
    pieces = {i: tokenizer.decode([i]) for i in range(model.config.d_vocab)}
    by_head = []
    for head in range(model.config.n_heads):
        found = {}
        for word in OV_WORDS:
            top = [pieces[i] for i in ov_column(model, head, tokenizer.encode(word).ids[0])]
            found[word] = {"top": top, "shows": shows(word, top)}
        by_head.append(found)
    counts = [sum(bool(c["shows"]) for c in found.values()) for found in by_head]
    strict = [sum(c["shows"] == "itself" for c in found.values()) for found in by_head]
    best = max(range(len(by_head)), key=lambda head: (counts[head], strict[head]))
    rows = {
        word: [(pieces[i], s) for i, s in qk_row(model, best, tokenizer.encode(word).ids[0])]
        for word in QK_WORDS
    }
    return {
        "head": best,
        "words_shown": counts[best],
        "words_themselves": strict[best],
        "ov": by_head[best],
        "qk": rows,
        "words_shown_by_head": counts,
    }


def measure(folder: Path, work: Path) -> dict[str, object]:
    """Return every number the card states about an exported model.

    Parameters
    ----------
    folder : Path
        The exported model with its tokenizer.
    work : Path
        Folder with the tokens of the corpus.
    """
    model, tokenizer = load(folder), scores.read_tokenizer(folder)
    after = scores.next_tokens(model, tokenizer, scores.TEA_PROMPT).topk(20)
    heads = range(model.config.n_heads)
    found: dict[str, object] = {
        "heads": scores.head_scores(model, rows=64, length=64, seed=1),
        "induction_by_length": {
            r: scores.head_scores(model, rows=32, length=r, seed=2)["induction"]
            for r in (16, 32, 100)
        },
        "copying": [
            [copying_share(model, layer, head) for head in heads]
            for layer in range(model.config.n_layers)
        ],
        "tea_rank": scores.rank(model, tokenizer, scores.TEA_PROMPT, " tea"),
        "next": [
            (tokenizer.decode([i]), p)
            for i, p in zip(after.indices.tolist(), after.values.exp().tolist(), strict=True)
        ],
        "losses": losses(model, work),
    }
    if model.config.n_layers == 1:
        found["columns"] = columns(model, tokenizer)
    return found


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="such as resources/models/attn-1l")
    parser.add_argument("--work", type=Path, required=True)
    options = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    found = measure(options.folder, options.work)
    name = options.folder.resolve().name
    text = json.dumps(found, indent=1, ensure_ascii=False)
    (options.work / f"{name}.measured.json").write_text(text, encoding="utf-8")
    LOG.info("%s", text)


if __name__ == "__main__":
    main()
