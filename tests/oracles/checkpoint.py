"""A model read straight from its folder: raw tensors in float64, sizes, tokenizer."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit
from torch import Tensor

from tests.oracles import toy_head

MODELS = Path(__file__).parents[2] / "resources" / "models"
TRAINED = ("attn-1l", "attn-2l")
TOYS = ("toy", "toy-sharp")
# n_layers, n_heads, d_model, d_head, d_vocab, n_ctx: no two alike, so that no mistaken axis fits.
SMALL = (2, 3, 24, 5, 38, 19)


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """Sizes and tensors (TransformerLens's names and shapes, float64) of one model."""

    n_layers: int
    n_heads: int
    d_model: int
    d_head: int
    d_vocab: int
    n_ctx: int
    norm: bool
    eps: float
    tensors: dict[str, Tensor]
    tokenizer: Tokenizer | None = None
    bos_id: int | None = None

    def __getitem__(self, name: str) -> Tensor:
        return self.tensors[name]

    def of_head(self, layer: int, head: int, name: str) -> Tensor:
        """Return one head's W_Q, W_K, W_V [d_model, d_head], W_O [d_head, d_model] or bias."""
        return self.tensors[f"blocks.{layer}.attn.{name}"][head]

    def encode(self, text: str, *, bos: bool = True) -> list[int]:
        """Turn text into ids, BOS first unless told otherwise or there is none."""
        if self.tokenizer is None:
            ids = [toy_head.TOKENS.index(word) for word in text.split()]
        else:
            ids = self.tokenizer.encode(text, add_special_tokens=False).ids
        return ids if self.bos_id is None or not bos else [self.bos_id, *ids]

    def token_id(self, text: str) -> int:
        """Return the id of a text that is one token."""
        (single,) = self.encode(text, bos=False)
        return single


def read(folder: Path) -> Checkpoint:
    """Read a folder of config.json, model.safetensors and, if there, tokenizer.json."""
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    file = folder / "tokenizer.json"
    tokenizer = Tokenizer.from_file(str(file)) if file.exists() else None
    bos = config["bos_token"]
    return Checkpoint(
        **{name: config[name] for name in ("n_layers", "n_heads", "d_model", "d_head", "d_vocab")},
        n_ctx=config["n_ctx"],
        norm={"LNPre": True, None: False}[config["normalization"]],
        eps=config["eps"],
        tensors={k: v.double() for k, v in load_file(folder / "model.safetensors").items()},
        tokenizer=tokenizer,
        bos_id=None if bos is None or tokenizer is None else tokenizer.token_to_id(bos),
    )


def one_layer(
    embed: NDArray[np.float64],
    unembed: NDArray[np.float64],
    heads: Sequence[tuple[NDArray[np.float64], ...]],
) -> dict[str, Tensor]:
    """Lay hand-made matrices out as tensors: no positions, every bias 0.

    Parameters
    ----------
    embed, unembed
        One row a token, [d_vocab, d_model].
    heads
        W_Q, W_K, W_V [d_head, d_model] and W_O [d_model, d_head] of each head, the texts' shapes.
    """
    (d_vocab, d_model), d_head, n_heads = embed.shape, len(heads[0][0]), len(heads)
    stacked = {
        f"blocks.0.attn.W_{x}": np.stack([head[i].T for head in heads])
        for i, x in enumerate("QKVO")
    }
    sizes = {f"blocks.0.attn.b_{x}": (n_heads, d_head) for x in "QKV"}
    sizes |= {"blocks.0.attn.b_O": (d_model,), "unembed.b_U": (d_vocab,)}
    given = stacked | {"embed.W_E": embed, "unembed.W_U": unembed.T}
    tensors = {name: torch.tensor(value, dtype=torch.float64) for name, value in given.items()}
    return tensors | {name: torch.zeros(size).double() for name, size in sizes.items()}


def toy(query_factor: float = 1) -> Checkpoint:
    """Lay the first text's card out as a checkpoint: no norm, no positions, no biases, no BOS.

    Parameters
    ----------
    query_factor
        What W_Q is multiplied by: 3 is section 8's sharp head.
    """
    d_vocab, d_model = toy_head.X.shape
    head = (query_factor * toy_head.W_Q, toy_head.W_K, toy_head.W_V, toy_head.W_O)
    tensors = one_layer(toy_head.X, toy_head.W_U, [head])
    return Checkpoint(1, 1, d_model, toy_head.D_HEAD, d_vocab, 64, False, 1e-5, tensors)


def bundled(name: str) -> Checkpoint:
    """Read one of the models that come with Headscope by name."""
    if name in TOYS:
        return toy(toy_head.SHARP_FACTOR if name == "toy-sharp" else 1)
    return read(MODELS / name)


def write(
    folder: Path, tensors: dict[str, Tensor], words: Sequence[str], *, norm: bool, bos: str | None
) -> Path:
    """Write tensors out as a folder like the bundled ones; words split on spaces, one id each."""
    layers = {name.split(".")[1] for name in tensors if name.startswith("blocks.")}
    n_heads, d_model, d_head = tensors["blocks.0.attn.W_Q"].shape
    positions = tensors.get("pos_embed.W_pos")
    config = {
        "model_type": "headscope-attn-only",
        "n_layers": len(layers),
        "n_heads": n_heads,
        "d_model": d_model,
        "d_head": d_head,
        "d_vocab": len(words),
        "n_ctx": 16 if positions is None else len(positions),
        "positions": "none" if positions is None else "standard",
        "normalization": "LNPre" if norm else None,
        "eps": 1e-5,
        "attn_only": True,
        "prepend_bos": bos is not None,
        "bos_token": bos,
    }
    tokenizer = Tokenizer(WordLevel({word: i for i, word in enumerate(words)}, unk_token=words[0]))
    tokenizer.pre_tokenizer = WhitespaceSplit()
    if bos is not None:
        tokenizer.add_special_tokens([bos])
    folder.mkdir(parents=True)
    single = {name: tensor.float().contiguous() for name, tensor in tensors.items()}
    save_file(single, folder / "model.safetensors")
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    return folder


def random_tensors(
    sizes: tuple[int, int, int, int, int, int], *, seed: int = 0
) -> dict[str, Tensor]:
    """Draw every tensor of a model, biases too.

    Parameters
    ----------
    sizes
        n_layers, n_heads, d_model, d_head, d_vocab, n_ctx.
    seed
        Of the numbers.
    """
    n_layers, n_heads, d_model, d_head, d_vocab, n_ctx = sizes
    shapes = {
        "embed.W_E": (d_vocab, d_model),
        "pos_embed.W_pos": (n_ctx, d_model),
        "unembed.W_U": (d_model, d_vocab),
        "unembed.b_U": (d_vocab,),
    }
    for layer in range(n_layers):
        at = f"blocks.{layer}.attn."
        shapes |= {f"{at}W_{x}": (n_heads, d_model, d_head) for x in "QKV"}
        shapes |= {f"{at}b_{x}": (n_heads, d_head) for x in "QKV"}
        shapes |= {f"{at}W_O": (n_heads, d_head, d_model), f"{at}b_O": (d_model,)}
    chance = torch.Generator().manual_seed(seed)
    # A mean away from 0 makes every centring, done or forgotten, show.
    return {
        name: 0.3 * torch.randn(shape, generator=chance) + 0.05 for name, shape in shapes.items()
    }


def write_random(
    folder: Path, sizes: tuple[int, int, int, int, int, int] = SMALL, *, norm: bool = True
) -> Path:
    """Write a random model with BOS as token 0 and words w1, w2, ... after it."""
    words = ["<|BOS|>", *(f"w{i}" for i in range(1, sizes[4]))]
    return write(folder, random_tensors(sizes), words, norm=norm, bos=words[0])
