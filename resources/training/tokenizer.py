"""Train the byte-level BPE on a weighted sample of the corpus, and turn the corpus into tokens.

The same tokenizer serves both models. No word is an added token: each is there by its own weight.
"""

from __future__ import annotations

import argparse
import logging
import random
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from resources.training import corpus

LOG = logging.getLogger(__name__)

BOS = "<|BOS|>"
D_VOCAB = 8192
HELD_OUT = 0.015
SAMPLE_CHARACTERS = 24_000_000
WANTED = (
    *(" I", " like", " green", " tea", " drink", " coffee", " cat", " in", " of", " the", " see"),
    *("return", " result", " London", " Paris", " dog", " king", " list", " value"),
)


def sample(work: Path, seed: int) -> list[str]:
    """Return documents in proportion to the sources' shares, small sources several times over.

    Parameters
    ----------
    work : Path
        Folder that holds the corpus.
    seed : int
        Order of the documents.
    """
    chosen: list[str] = []
    for source in corpus.SOURCES:
        texts = corpus.documents(work, source.name)
        random.Random(seed).shuffle(texts)
        room, at = source.share * SAMPLE_CHARACTERS, 0
        while room > 0:
            chosen.append(texts[at % len(texts)])
            room -= len(chosen[-1])
            at += 1
    return chosen


def train(texts: list[str]) -> Tokenizer:
    """Train a byte-level BPE of `D_VOCAB` tokens whose first is `BOS`."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=D_VOCAB,
        special_tokens=[BOS],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def missing(tokenizer: Tokenizer) -> list[str]:
    """Return the wanted words that are not single tokens."""
    return [word for word in WANTED if len(tokenizer.encode(word).ids) != 1]


def write_tokens(work: Path, tokenizer: Tokenizer, seed: int) -> None:
    """Write each source as two arrays of ids, training and held-out, split by document.

    Parameters
    ----------
    work : Path
        Folder that holds the corpus and takes `tokens/<name>.<split>.npy`.
    tokenizer : Tokenizer
        The trained tokenizer.
    seed : int
        Chooses the held-out documents.
    """
    folder = work / "tokens"
    folder.mkdir(parents=True, exist_ok=True)
    for source in corpus.SOURCES:
        texts = corpus.documents(work, source.name)
        encoded = [e.ids for e in tokenizer.encode_batch([text + "\n\n" for text in texts])]
        count = max(2, round(HELD_OUT * len(texts)))
        held = set(random.Random(seed).sample(range(len(texts)), count))
        for split in ("train", "heldout"):
            rows = [ids for i, ids in enumerate(encoded) if (i in held) == (split == "heldout")]
            array = np.concatenate([np.asarray(ids, np.uint16) for ids in rows])
            np.save(folder / f"{source.name}.{split}.npy", array)
            LOG.info("%s %s: %d tokens", source.name, split, len(array))


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    tokenizer = train(sample(options.work, options.seed))
    if missing(tokenizer):
        raise SystemExit(f"not single tokens: {missing(tokenizer)}")
    tokenizer.save(str(options.work / "tokenizer.json"))
    write_tokens(options.work, tokenizer, options.seed)


if __name__ == "__main__":
    main()
