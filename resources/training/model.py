"""An attention-only transformer in plain torch, with TransformerLens's names on disk.

In memory the heads of one layer share one matrix, [d_model, n_heads * d_head]; on disk each head
has its own, as in TransformerLens.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
import torch.nn.functional as F
from safetensors.torch import load_file, save_file
from torch import Tensor, nn


@dataclass(frozen=True)
class Config:
    """Sizes of a model; the fixed parts of its architecture are in `as_json`."""

    n_layers: int
    n_heads: int = 8
    d_model: int = 256
    d_head: int = 32
    d_vocab: int = 8192
    n_ctx: int = 256
    eps: float = 1e-5

    def as_json(self) -> dict[str, object]:
        """Return what config.json holds."""
        fixed = {
            "model_type": "headscope-attn-only",
            "positions": "standard",
            "normalization": "LNPre",
            "attn_only": True,
            "prepend_bos": True,
            "bos_token": "<|BOS|>",
        }
        return fixed | asdict(self)


class Attention(nn.Module):
    """One layer of causal attention heads."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config = config
        d_model, width = config.d_model, config.n_heads * config.d_head
        std = d_model**-0.5
        self.W_QKV = nn.Parameter(torch.randn(d_model, 3 * width) * std)
        self.b_QKV = nn.Parameter(torch.zeros(3 * width))
        self.W_O = nn.Parameter(torch.randn(width, d_model) * std * (2 * config.n_layers) ** -0.5)
        self.b_O = nn.Parameter(torch.zeros(d_model))

    def split(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return queries, keys and values, each [batch, head, position, d_head]."""
        config = self.config
        qkv = F.linear(x, self.W_QKV.T, self.b_QKV)  # [batch, position, 3 * head * d_head]
        qkv = qkv.unflatten(-1, (3, config.n_heads, config.d_head)).permute(2, 0, 3, 1, 4)
        q, k, v = qkv.unbind(0)
        return q, k, v

    def forward(self, x: Tensor) -> Tensor:
        """Map normalised streams [batch, position, d_model] to what the heads add to them."""
        q, k, v = self.split(x)
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return F.linear(mixed.transpose(1, 2).flatten(2), self.W_O.T, self.b_O)

    def pattern(self, x: Tensor) -> Tensor:
        """Return the attention patterns [batch, head, query, key]."""
        q, k, _ = self.split(x)
        scores = q @ k.transpose(-1, -2) * self.config.d_head**-0.5
        future = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).triu(1)
        return scores.masked_fill(future, -torch.inf).softmax(-1)


class Model(nn.Module):
    """Embedding, attention layers, final norm and unembedding."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config = config
        self.W_E = nn.Parameter(torch.randn(config.d_vocab, config.d_model) * 0.05)
        self.W_pos = nn.Parameter(torch.randn(config.n_ctx, config.d_model) * 0.05)
        self.blocks = nn.ModuleList(Attention(config) for _ in range(config.n_layers))
        self.U = nn.Parameter(torch.randn(config.d_vocab, config.d_model) * 0.02)  # W_U transposed
        self.b_U = nn.Parameter(torch.zeros(config.d_vocab))

    def norm(self, x: Tensor) -> Tensor:
        """Centre and scale to unit variance, without parameters."""
        return F.layer_norm(x, x.shape[-1:], eps=self.config.eps)

    def stream(self, ids: Tensor, patterns: list[Tensor] | None = None) -> Tensor:
        """Return the normalised final stream [batch, position, d_model].

        Parameters
        ----------
        ids : Tensor
            Token ids [batch, position].
        patterns : list of Tensor, optional
            Takes the attention patterns of each layer, if given.
        """
        x = F.embedding(ids, self.W_E) + self.W_pos[: ids.shape[1]]
        for block in self.blocks:
            read = self.norm(x)
            if patterns is not None:
                patterns.append(block.pattern(read))
            x = x + block(read)
        return self.norm(x)

    def logits(self, ids: Tensor) -> Tensor:
        """Return logits [batch, position, d_vocab]."""
        return F.linear(self.stream(ids), self.U, self.b_U)

    def tensors(self) -> dict[str, Tensor]:
        """Return the weights under TransformerLens's names and shapes."""
        heads = (self.config.n_heads, self.config.d_head)
        named = {"embed.W_E": self.W_E, "pos_embed.W_pos": self.W_pos}
        named |= {"unembed.W_U": self.U.T, "unembed.b_U": self.b_U}
        for layer, block in enumerate(self.blocks):
            at = f"blocks.{layer}.attn."
            for name, matrix, bias in zip(
                "QKV", block.W_QKV.chunk(3, 1), block.b_QKV.chunk(3), strict=True
            ):
                named[f"{at}W_{name}"] = matrix.unflatten(1, heads).transpose(0, 1)
                named[f"{at}b_{name}"] = bias.unflatten(0, heads)
            named[f"{at}W_O"] = block.W_O.unflatten(0, heads)
            named[f"{at}b_O"] = block.b_O
        return {name: tensor.detach().contiguous() for name, tensor in named.items()}


def export(model: Model, folder: Path) -> None:
    """Write float16 weights and config.json, each by renaming a finished file into place.

    Parameters
    ----------
    model : Model
        What to write.
    folder : Path
        The model's folder; made if missing.
    """
    folder.mkdir(parents=True, exist_ok=True)
    half = {name: tensor.half().contiguous() for name, tensor in model.tensors().items()}
    save_file(half, folder / "model.safetensors.part", metadata={"format": "pt"})
    (folder / "model.safetensors.part").chmod(0o644)
    (folder / "model.safetensors.part").rename(folder / "model.safetensors")
    text = json.dumps(model.config.as_json(), indent=2) + "\n"
    (folder / "config.json").write_text(text, encoding="utf-8")


def load(folder: Path) -> Model:
    """Read an exported model, its float16 weights cast to float32.

    Parameters
    ----------
    folder : Path
        The model's folder.
    """
    stored = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    config = Config(**{name: stored[name] for name in Config.__dataclass_fields__})
    named = {k: v.float() for k, v in load_file(folder / "model.safetensors").items()}
    state = {"W_E": named["embed.W_E"], "W_pos": named["pos_embed.W_pos"]}
    state |= {"U": named["unembed.W_U"].T, "b_U": named["unembed.b_U"]}
    for layer in range(config.n_layers):
        at, to = f"blocks.{layer}.attn.", f"blocks.{layer}."
        state[f"{to}W_QKV"] = torch.cat(
            [named[f"{at}W_{x}"].transpose(0, 1).flatten(1) for x in "QKV"], 1
        )
        state[f"{to}b_QKV"] = torch.cat([named[f"{at}b_{x}"].flatten() for x in "QKV"])
        state[f"{to}W_O"] = named[f"{at}W_O"].flatten(0, 1)
        state[f"{to}b_O"] = named[f"{at}b_O"]
    model = Model(config)
    model.load_state_dict(state)
    return model
