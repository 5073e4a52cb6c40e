"""A transformer under TransformerLens's names, random, and run step by step in float64."""

import math

import torch
from torch import Tensor

SIZES = {"n_layers": 2, "n_heads": 3, "d_model": 20, "d_head": 6, "n_ctx": 24, "d_vocab": 31}
WIDTH = 28


def config(norm="LN", act_fn="gelu", attn_only=False, **more):
    """Return a config as TransformerLens's to_dict writes it, the settings that matter alone."""
    return {
        **SIZES,
        "d_mlp": -1 if attn_only else WIDTH,
        "act_fn": act_fn,
        "attn_only": attn_only,
        "normalization_type": norm,
        "eps": 1e-5,
        "positional_embedding_type": "standard",
        "attention_dir": "causal",
        "attn_scale": math.sqrt(SIZES["d_head"]),
        "use_attn_scale": True,
        "d_vocab_out": SIZES["d_vocab"],
        "default_prepend_bos": True,
        **more,
    }


def random(about, seed=0):
    """Return random tensors of a config by their names."""
    chance = torch.Generator().manual_seed(seed)
    heads, d_model, d_head = about["n_heads"], about["d_model"], about["d_head"]
    shapes = {
        "embed.W_E": (about["d_vocab"], d_model),
        "pos_embed.W_pos": (about["n_ctx"], d_model),
        "unembed.W_U": (d_model, about["d_vocab"]),
        "unembed.b_U": (about["d_vocab"],),
    }
    norms = ["ln_final"]
    for layer in range(about["n_layers"]):
        at = f"blocks.{layer}."
        norms.append(f"{at}ln1")
        for name in "QKV":
            shapes[f"{at}attn.W_{name}"] = (heads, d_model, d_head)
            shapes[f"{at}attn.b_{name}"] = (heads, d_head)
        shapes[f"{at}attn.W_O"] = (heads, d_head, d_model)
        shapes[f"{at}attn.b_O"] = (d_model,)
        if not about["attn_only"]:
            norms.append(f"{at}ln2")
            shapes[f"{at}mlp.W_in"], shapes[f"{at}mlp.b_in"] = (d_model, WIDTH), (WIDTH,)
            shapes[f"{at}mlp.W_out"], shapes[f"{at}mlp.b_out"] = (WIDTH, d_model), (d_model,)
            if about["act_fn"] == "solu_ln" and about["normalization_type"] == "LN":
                shapes[f"{at}mlp.ln.w"], shapes[f"{at}mlp.ln.b"] = (WIDTH,), (WIDTH,)
    if about["normalization_type"] in ("LN", "RMS"):
        shapes |= {f"{norm}.w": (d_model,) for norm in norms}
    if about["normalization_type"] == "LN":
        shapes |= {f"{norm}.b": (d_model,) for norm in norms}
    return {
        name: torch.randn(shape, generator=chance) * 0.4 + (1.0 if name.endswith(".w") else 0.0)
        for name, shape in shapes.items()
    }


def run(about, stored, ids) -> tuple[Tensor, Tensor]:
    """Return the patterns [layer, head, query, key] and log-probabilities [position, token]."""
    W = {name: tensor.double() for name, tensor in stored.items()}
    stream = W["embed.W_E"][ids] + W["pos_embed.W_pos"][: len(ids)]
    hidden = torch.ones(len(ids), len(ids), dtype=torch.bool).triu(1)
    patterns = []
    for layer in range(about["n_layers"]):
        at = f"blocks.{layer}."
        read = _norm(about, W, f"{at}ln1", stream)
        q, k, v = (
            torch.einsum("pm,hmd->hpd", read, W[f"{at}attn.W_{x}"]) + W[f"{at}attn.b_{x}"][:, None]
            for x in "QKV"
        )
        scores = (q @ k.mT / math.sqrt(about["d_head"])).masked_fill(hidden, -math.inf)
        patterns.append(scores.softmax(-1))
        mixed = patterns[-1] @ v
        stream = stream + torch.einsum("hpd,hdm->pm", mixed, W[f"{at}attn.W_O"])
        stream = stream + W[f"{at}attn.b_O"]
        if not about["attn_only"]:
            read = _norm(about, W, f"{at}ln2", stream)
            inner = _act(about, W, at, read @ W[f"{at}mlp.W_in"] + W[f"{at}mlp.b_in"])
            stream = stream + inner @ W[f"{at}mlp.W_out"] + W[f"{at}mlp.b_out"]
    logits = _norm(about, W, "ln_final", stream) @ W["unembed.W_U"]
    return torch.stack(patterns), (logits + W.get("unembed.b_U", 0.0)).log_softmax(-1)


def _norm(about, W, name, rows):
    kind = about["normalization_type"]
    if kind is None:
        return rows
    if kind.startswith("LN"):
        rows = rows - rows.mean(-1, keepdim=True)
    rows = rows / (rows.square().mean(-1, keepdim=True) + about["eps"]).sqrt()
    return rows * W.get(f"{name}.w", 1.0) + W.get(f"{name}.b", 0.0)


def _act(about, W, at, rows):
    if about["act_fn"] == "gelu":
        return rows * (1 + torch.erf(rows / math.sqrt(2))) / 2
    if about["act_fn"] == "relu":
        return rows.clamp(min=0)
    rows = rows * rows.softmax(-1)
    if about["act_fn"] == "solu":
        return rows
    rows = rows - rows.mean(-1, keepdim=True)
    rows = rows / (rows.square().mean(-1, keepdim=True) + about["eps"]).sqrt()
    return rows * W.get(f"{at}mlp.ln.w", 1.0) + W.get(f"{at}mlp.ln.b", 0.0)
