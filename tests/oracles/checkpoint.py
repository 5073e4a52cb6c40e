"""A model read straight from its folder: raw tensors in float64, sizes, tokenizer."""

import json
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from torch import Tensor

from tests.oracles import toy_head

MODELS = Path(__file__).parents[2] / "resources" / "models"
TRAINED = ("attn-1l", "attn-2l")
TOYS = ("toy", "toy-sharp")


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


def toy(query_factor: float = 1) -> Checkpoint:
    """Lay the first text's card out as a checkpoint: no norm, no positions, no biases, no BOS.

    Parameters
    ----------
    query_factor
        What W_Q is multiplied by: 3 is section 8's sharp head.
    """
    d_vocab, d_model = toy_head.X.shape
    zero = torch.zeros
    in_card = {
        "embed.W_E": toy_head.X,
        "unembed.W_U": toy_head.W_U.T,
        "blocks.0.attn.W_Q": query_factor * toy_head.W_Q.T[None],
        "blocks.0.attn.W_K": toy_head.W_K.T[None],
        "blocks.0.attn.W_V": toy_head.W_V.T[None],
        "blocks.0.attn.W_O": toy_head.W_O.T[None],
    }
    tensors = {name: torch.tensor(value) for name, value in in_card.items()}
    tensors |= {f"blocks.0.attn.b_{x}": zero(1, toy_head.D_HEAD).double() for x in "QKV"}
    tensors |= {"blocks.0.attn.b_O": zero(d_model).double()}
    tensors |= {"unembed.b_U": zero(d_vocab).double()}
    return Checkpoint(1, 1, d_model, toy_head.D_HEAD, d_vocab, 64, False, 1e-5, tensors)


def bundled(name: str) -> Checkpoint:
    """Read one of the models that come with Headscope by name."""
    if name in TOYS:
        return toy(toy_head.SHARP_FACTOR if name == "toy-sharp" else 1)
    return read(MODELS / name)


def write_random(folder: Path, *, seed: int = 0, norm: bool = True) -> Path:
    """Write a random two-layer model whose sizes all differ and whose biases are all non-zero."""
    sizes = {"n_layers": 2, "n_heads": 3, "d_model": 24, "d_head": 5, "d_vocab": 37, "n_ctx": 19}
    n_heads, d_model, d_head = sizes["n_heads"], sizes["d_model"], sizes["d_head"]
    shapes = {
        "embed.W_E": (sizes["d_vocab"], d_model),
        "pos_embed.W_pos": (sizes["n_ctx"], d_model),
        "unembed.W_U": (d_model, sizes["d_vocab"]),
        "unembed.b_U": (sizes["d_vocab"],),
    }
    for layer in range(sizes["n_layers"]):
        at = f"blocks.{layer}.attn."
        shapes |= {f"{at}W_{x}": (n_heads, d_model, d_head) for x in "QKV"}
        shapes |= {f"{at}b_{x}": (n_heads, d_head) for x in "QKV"}
        shapes |= {f"{at}W_O": (n_heads, d_head, d_model), f"{at}b_O": (d_model,)}
    chance = torch.Generator().manual_seed(seed)
    # A mean away from 0 makes every centring, done or forgotten, show.
    tensors = {
        name: 0.4 * torch.randn(shape, generator=chance) + 0.1 for name, shape in shapes.items()
    }
    fixed = {
        "model_type": "headscope-attn-only",
        "positions": "standard",
        "normalization": "LNPre" if norm else None,
        "eps": 1e-5,
        "attn_only": True,
        "prepend_bos": True,
        "bos_token": None,
    }
    folder.mkdir(parents=True, exist_ok=True)
    save_file(tensors, folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps(fixed | sizes), encoding="utf-8")
    return folder
